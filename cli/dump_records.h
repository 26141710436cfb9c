/* One record as a line of `cupping dump`. */
#ifndef CUPPING_CLI_DUMP_RECORDS_H
#define CUPPING_CLI_DUMP_RECORDS_H

#include <stdint.h>
#include <stdio.h>

#include "include/log_format.h"

/* OFFSET: where it is in the log. */
void cup_dump_record(FILE *out, uint64_t offset, const struct cup_record *record);

/* cup_dump_string(out, record), and so on: prints the values of a record, each with a blank before
 * it. One function for each type of record (log_format.h): a type without one does not link. */
#define X(NAME, name, number, bytes, least, tail)                                                  \
    void cup_dump_##name(FILE *out, const struct cup_record *record);
CUP_RECORDS(X)
#undef X

#endif
