/* Writes PNG files, several times as fast as cairo does and about as small: pictures of a run are
 * many and mostly flat, which libpng can be told. */
#ifndef CUPPING_PLOT_FIGURE_PNG_H
#define CUPPING_PLOT_FIGURE_PNG_H

#include <stddef.h>
#include <stdint.h>

struct cup_bytes;

struct cup_pixels {
    const unsigned char *data; /* native 32 bits each, 0x00RRGGBB */
    size_t width, height;
    size_t stride;      /* bytes from row to row */
    uint32_t per_metre; /* pixels */
};

/* Appends a file to *out. Returns 0, or -1 without memory. */
int cup_png_write(struct cup_bytes *out, const struct cup_pixels *pixels);

#endif
