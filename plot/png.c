#include "plot/png.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "plot/bytes.h"

enum { LEVEL = 3, FILTER_UP = 2, COLOURS = 3 };

static void put_number(unsigned char *to, uint32_t number)
{
    for (int i = 0; i < 4; i++)
        to[i] = (unsigned char)(number >> (24 - 8 * i));
}

static int put_chunk(struct cup_bytes *out, const char *type, const unsigned char *data,
                     size_t count)
{
    unsigned char number[4];
    put_number(number, (uint32_t)count);
    if (cup_bytes_add(out, number, 4) != 0 || cup_bytes_add(out, type, 4) != 0 ||
        cup_bytes_add(out, data, count) != 0)
        return -1;
    uLong sum = crc32(crc32(0, NULL, 0), (const Bytef *)type, 4);
    put_number(number, (uint32_t)(count ? crc32(sum, data, (uInt)count) : sum));
    return cup_bytes_add(out, number, 4);
}

static int put_head(struct cup_bytes *out, size_t width, size_t height, unsigned per_metre)
{
    unsigned char head[13] = {0}, size[9];
    put_number(head, (uint32_t)width);
    put_number(head + 4, (uint32_t)height);
    head[8] = 8; /* bits of a colour */
    head[9] = 2; /* red, green, blue */
    put_number(size, per_metre);
    put_number(size + 4, per_metre);
    size[8] = 1; /* metres */
    return cup_bytes_add(out, "\x89PNG\r\n\x1a\n", 8) == 0 &&
                   put_chunk(out, "IHDR", head, sizeof head) == 0 &&
                   put_chunk(out, "pHYs", size, sizeof size) == 0
               ? 0
               : -1;
}

/* A row as what it differs from the one above: mostly zeros. */
static void filter_row(unsigned char *to, const unsigned char *pixels, const unsigned char *above,
                       size_t width)
{
    *to++ = FILTER_UP;
    for (size_t i = 0; i < width; i++) {
        uint32_t pixel, before = 0;
        memcpy(&pixel, pixels + 4 * i, sizeof pixel);
        if (above)
            memcpy(&before, above + 4 * i, sizeof before);
        for (int shift = 16; shift >= 0; shift -= 8)
            *to++ = (unsigned char)((pixel >> shift) - (before >> shift));
    }
}

static unsigned char *filter(const unsigned char *pixels, size_t width, size_t height,
                             size_t stride)
{
    size_t row = 1 + COLOURS * width;
    unsigned char *rows = malloc(row * height);
    for (size_t y = 0; rows && y < height; y++)
        filter_row(rows + y * row, pixels + y * stride, y ? pixels + (y - 1) * stride : NULL,
                   width);
    return rows;
}

static int put_pixels(struct cup_bytes *out, const unsigned char *rows, size_t count)
{
    uLongf packed = compressBound((uLong)count);
    unsigned char *data = malloc(packed);
    int result = -1;
    if (data && compress2(data, &packed, rows, (uLong)count, LEVEL) == Z_OK)
        result = put_chunk(out, "IDAT", data, packed);
    free(data);
    return result;
}

int cup_png_write(struct cup_bytes *out, const unsigned char *pixels, size_t width, size_t height,
                  size_t stride, unsigned per_metre)
{
    unsigned char *rows = filter(pixels, width, height, stride);
    bool done = rows && put_head(out, width, height, per_metre) == 0 &&
                put_pixels(out, rows, (1 + COLOURS * width) * height) == 0 &&
                put_chunk(out, "IEND", NULL, 0) == 0;
    free(rows);
    return done ? 0 : -1;
}
