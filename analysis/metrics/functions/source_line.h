/* The text of a line of Python code, from its file on this machine. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/base/intern.h"

enum { CUP_CODE_ROOM = 400 };

/* What must hold for the file to be the one that ran. The logs know neither size nor hash of it. */
struct cup_source {
    struct cup_text path;
    struct cup_text function; /* "Processor.process"; its definition begins at first_line */
    uint32_t first_line;      /* 0: not known */
    int64_t before_ns;        /* the file was last changed before this time */
};

/* Copies line number LINE, without the spaces around it, cut to CUP_CODE_ROOM - 1 bytes. Returns
 * false if the file is not there, is younger, or does not define that function at that line. */
bool cup_source_line(const struct cup_source *source, uint32_t line, char to[CUP_CODE_ROOM]);
