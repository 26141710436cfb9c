/* Writes PNG files. Several times as fast as the usual library for pictures that are mostly flat,
 * of which a run has many, and about as small. */
#ifndef CUPPING_PNG_H
#define CUPPING_PNG_H

#include <stddef.h>

struct cup_bytes;

/* WIDTH by HEIGHT pixels of native 32 bits each, 0x00RRGGBB, rows STRIDE bytes apart; PER_METRE:
 * how many of them. Appends the file to *out. Returns 0, or -1 without memory. */
int cup_png_write(struct cup_bytes *out, const unsigned char *pixels, size_t width, size_t height,
                  size_t stride, unsigned per_metre);

#endif
