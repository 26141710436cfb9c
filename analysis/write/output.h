/* Output of a verb: standard output ("-") or a file. The file is replaced only when the new one is
 * complete on disk, so a failure never destroys the previous one. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "analysis/base/error.h"

enum cup_use_colour { CUP_COLOUR_AUTO, CUP_COLOUR_ALWAYS, CUP_COLOUR_NEVER };

struct cup_output {
    FILE *file;
    FILE *shown_on; /* not owned; where the text of `file` will be shown; NULL: `file` itself */
    enum cup_use_colour colour;  /* of text */
    struct cup_columns *columns; /* not owned; of tables; NULL: they are written as CSV */
    char *path;                  /* owned; NULL: standard output */
    char *temporary;             /* owned; NULL: written in place, as a device or pipe must be */
};

/* Returns 0, or -1 and *error. A log, or a merged one, is never overwritten: of `cupping compare
 * --json A B` A is most likely meant to be read. */
int cup_output_open(struct cup_output *output, const char *path, struct cup_error *error);

/* The same for a log that is written: it may replace another one. If there is no such file yet,
 * this user alone may read it. */
int cup_output_open_private(struct cup_output *output, const char *path, struct cup_error *error);

/* True if a write failed, because the reader of a pipe is gone or the disk is full. */
bool cup_output_failed(const struct cup_output *output);

/* Flushes, and replaces the file. Returns 0, also if the reader of a pipe has gone (as in `|
 * head`); -1 and *error if a write failed: the previous file is then unchanged. */
int cup_output_close(struct cup_output *output, struct cup_error *error);

/* Discards what was written: the file stays as it was. */
void cup_output_abandon(struct cup_output *output);
