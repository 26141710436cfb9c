/* The parts of a line of `cupping dump`. Unless a comment says otherwise, each prints "
 * name=value". */
#ifndef CUPPING_CLI_DUMP_PRINT_H
#define CUPPING_CLI_DUMP_PRINT_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

/* A CLOCK_REALTIME time in nanoseconds; 0 as it is. */
void cup_dump_time(FILE *out, const char *name, int64_t ns);

/* "?" for CUP_UNKNOWN64. */
void cup_dump_known(FILE *out, const char *name, uint64_t value);

/* Text of the log, between quotes, harmless to the terminal. */
void cup_dump_text(FILE *out, const char *name, const unsigned char *bytes, size_t length);

/* The values that are not 0. */
void cup_dump_nonzero(FILE *out, const char *const *names, const uint64_t *values, int count);

/* The buckets of each histogram that are in use: the duration from which they hold, and the count.
 */
void cup_dump_buckets(FILE *out, const uint64_t *buckets);

/* Begins a line for a part of the record above it, NAME in the column of the records' names. */
void cup_dump_row(FILE *out, const char *name);

/* The n-th name, or "?" where a newer writer knows more. */
const char *cup_dump_name(const char *const *names, size_t count, uint32_t number);

#endif
