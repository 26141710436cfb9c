/* Lines of Python functions, from the tables that CPython makes with their code. Each minor version
 * has one of three forms; all are read without trust: a damaged table yields 0, or a wrong line,
 * and never a byte beyond its end. */
#ifndef CUPPING_ANALYSIS_LOG_LINE_TABLE_H
#define CUPPING_ANALYSIS_LOG_LINE_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct cup_line_table {
    const unsigned char *bytes; /* not owned; co_lnotab (3.9) or co_linetable */
    size_t size;
    unsigned minor; /* of Python 3.x */
    uint32_t first_line;
};

/* The line that the instruction at offset AT (bytes from the code's start) was made from; 0: it
 * was made from none (the compiler's own), or this is not known. */
uint32_t cup_line_at(const struct cup_line_table *table, uint32_t at);

#endif
