/* How analysis/ reports an error: the function that detects it fills a struct cup_error, the verb
 * prints it. Nothing here allocates, so it works without memory, too. */
#pragma once

#include <stdint.h>
#include <stdio.h>

#define CUP_NO_OFFSET UINT64_MAX

struct cup_error {
    char source[512]; /* file, directory or option that the error is about; empty: none */
    uint64_t offset;  /* byte in that file, or CUP_NO_OFFSET */
    char text[512];   /* one line: what is wrong and what to do about it; empty: no error */
};

/* Fills *error. Always returns -1, so that callers can `return cup_error_set(...)`. */
__attribute__((format(printf, 4, 5))) int cup_error_set(struct cup_error *error, const char *source,
                                                        uint64_t offset, const char *format, ...);

/* "cannot ACTION: STRERROR", from errno. Returns -1. */
int cup_error_system(struct cup_error *error, const char *source, const char *action);

int cup_error_memory(struct cup_error *error, const char *source);

/* Prints one line: "cupping: SOURCE: byte OFFSET: TEXT". Control characters are replaced by "?". */
void cup_error_print(FILE *out, const struct cup_error *error);
