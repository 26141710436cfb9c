/* `cupping dump`: records of stacks, and of what happened at them. Each prints what follows the
 * record's name. */
#ifndef CUPPING_CLI_DUMP_STACKS_H
#define CUPPING_CLI_DUMP_STACKS_H

#include <stdio.h>

#include "include/log_format.h"

void cup_dump_code(FILE *out, const struct cup_record *record);
void cup_dump_module(FILE *out, const struct cup_record *record);
void cup_dump_stacks(FILE *out, const struct cup_record *record);
void cup_dump_stack_use(FILE *out, const struct cup_record *record);
void cup_dump_cpu_samples(FILE *out, const struct cup_record *record);

#endif
