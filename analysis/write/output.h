/* Where a verb writes: standard output ("-") or a file, which is replaced only when all of the new
 * one is on disk, so that a failure never costs the previous one. */
#ifndef CUPPING_ANALYSIS_WRITE_OUTPUT_H
#define CUPPING_ANALYSIS_WRITE_OUTPUT_H

#include <stdbool.h>
#include <stdio.h>

#include "analysis/base/error.h"

struct cup_output {
    FILE *file;
    char *path;      /* owned; NULL: standard output */
    char *temporary; /* owned; NULL: written in place, as a device or pipe must be */
};

/* Returns 0, or -1 and *error. */
int cup_output_open(struct cup_output *output, const char *path, struct cup_error *error);

/* True when the reader of a pipe is gone or the disk is full: more output would be lost. */
bool cup_output_failed(const struct cup_output *output);

/* Finishes. Returns 0, also when the reader of a pipe has gone (it had what it wanted); -1 and
 * *error when anything could not be written, the file then being as it was before. */
int cup_output_close(struct cup_output *output, struct cup_error *error);

/* Discards what was written: the file stays as it was. */
void cup_output_abandon(struct cup_output *output);

#endif
