/* One record as a line of `cupping dump`. */
#pragma once

#include <stddef.h>
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

/* Parts of a line, printed as " name=value" unless a comment says otherwise. */

/* A CLOCK_REALTIME time in nanoseconds; 0 is printed as 0. */
void cup_dump_time(FILE *out, const char *name, int64_t ns);

/* CUP_UNKNOWN64 is printed as "?". */
void cup_dump_known(FILE *out, const char *name, uint64_t value);

/* A text of the log, in quotes, with control characters replaced. */
void cup_dump_text(FILE *out, const char *name, const unsigned char *bytes, size_t length);

/* The values that are not 0. */
void cup_dump_nonzero(FILE *out, const char *const *names, const uint64_t *values, int count);

/* The used buckets of each histogram: their shortest duration and their count. */
void cup_dump_buckets(FILE *out, const uint64_t *buckets);

/* Begins a line for a part of the record above it, NAME in the column of the records' names. */
void cup_dump_row(FILE *out, const char *name);

/* The name of a number, or "?" for a number that only newer versions know. */
const char *cup_dump_name(const char *const *names, size_t count, uint32_t number);
