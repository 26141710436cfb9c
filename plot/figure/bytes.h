/* Bytes that become more. */
#ifndef CUPPING_PLOT_FIGURE_BYTES_H
#define CUPPING_PLOT_FIGURE_BYTES_H

#include <stddef.h>

struct cup_bytes {
    unsigned char *bytes; /* owned: free() them */
    size_t count, room;
};

/* Returns 0, or -1 without memory, the bytes being as they were. */
int cup_bytes_add(struct cup_bytes *bytes, const void *from, size_t count);

#endif
