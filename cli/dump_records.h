/* One record as a line of `cupping dump`. */
#ifndef CUPPING_CLI_DUMP_RECORDS_H
#define CUPPING_CLI_DUMP_RECORDS_H

#include <stdint.h>
#include <stdio.h>

#include "include/log_format.h"

/* OFFSET: where it is in the log. */
void cup_dump_record(FILE *out, uint64_t offset, const struct cup_record *record);

#endif
