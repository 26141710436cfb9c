#include "plot/figure/png.h"

#include <png.h>
#include <setjmp.h>
#include <stdbool.h>

enum { LEVEL = 3 }; /* higher levels take much longer and save little for flat colours */

static void jump_back(png_structp png, png_const_charp text)
{
    (void)text; /* the only possible error is out of memory */
    png_longjmp(png, 1);
}

/* Tells libpng the byte order of the pixels. */
static void set_order(png_structp png)
{
    bool big_endian = __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__;
    if (!big_endian)
        png_set_bgr(png);
    png_set_filler(png, 0, big_endian ? PNG_FILLER_BEFORE : PNG_FILLER_AFTER);
}

static void write_all(png_structp png, png_infop info, const struct cup_pixels *pixels)
{
    png_set_compression_level(png, LEVEL);
    png_set_filter(png, PNG_FILTER_TYPE_BASE, PNG_FILTER_UP);
    png_set_IHDR(png, info, (png_uint_32)pixels->width, (png_uint_32)pixels->height, 8,
                 PNG_COLOR_TYPE_RGB, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT,
                 PNG_FILTER_TYPE_DEFAULT);
    png_set_pHYs(png, info, pixels->per_metre, pixels->per_metre, PNG_RESOLUTION_METER);
    png_write_info(png, info);
    set_order(png);
    for (size_t y = 0; y < pixels->height; y++)
        png_write_row(png, pixels->data + y * pixels->stride);
    png_write_end(png, NULL);
}

int cup_png_write(FILE *out, const struct cup_pixels *pixels)
{
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, NULL, jump_back, NULL);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    volatile int result = -1;
    if (info && setjmp(png_jmpbuf(png)) == 0) {
        png_init_io(png, out);
        write_all(png, info, pixels);
        result = 0;
    }
    png_destroy_write_struct(&png, &info);
    return result;
}
