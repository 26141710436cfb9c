/* A growing array of bytes. */
#ifndef CUPPING_PLOT_FIGURE_BYTES_H
#define CUPPING_PLOT_FIGURE_BYTES_H

#include <stddef.h>

struct cup_bytes {
    unsigned char *bytes; /* owned: free() them */
    size_t count, room;
};

/* Appends bytes. Returns 0; -1 without memory, then nothing is appended. */
int cup_bytes_add(struct cup_bytes *bytes, const void *from, size_t count);

#endif
