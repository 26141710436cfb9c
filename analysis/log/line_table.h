/* Finds source lines in the line tables of CPython's code objects. There are three forms, by minor
 * version. A damaged table yields line 0 or a wrong line, but no byte beyond its end is read. */
#pragma once

#include <stddef.h>
#include <stdint.h>

struct cup_line_table {
    const unsigned char
        *bytes; /* co_lnotab (3.9) or co_linetable; not owned; may be NULL if SIZE is 0 */
    size_t size;
    unsigned minor; /* MINOR of Python 3.MINOR */
    uint32_t first_line;
};

/* The source line of the instruction at offset AT (bytes from the start of the code); 0: the
 * compiler added the instruction, or the line is not known. */
uint32_t cup_line_at(const struct cup_line_table *table, uint32_t at);
