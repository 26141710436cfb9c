#include "plot/figure/svg_ids.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SURFACES = 1024 };

struct writer {
    struct cup_bytes out;
    unsigned long surfaces[SURFACES]; /* cairo's numbers, in the order in which they were met */
    unsigned count;
    bool failed;
};

static void put(struct writer *writer, const char *from, size_t count)
{
    writer->failed |= cup_bytes_add(&writer->out, from, count) != 0;
}

static unsigned order_of(struct writer *writer, unsigned long surface)
{
    for (unsigned i = 0; i < writer->count; i++)
        if (writer->surfaces[i] == surface)
            return i + 1;
    if (writer->count < SURFACES)
        writer->surfaces[writer->count++] = surface;
    return writer->count;
}

/* What cairo numbers through all drawings of a process; an image's number is that of a surface. */
static const char *const words[] = {"surface", "image"};

/* How long the word is that the id at AT begins with, if a number follows; 0: none does. */
static size_t numbered_word(const char *at, const char *end)
{
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(end - at) > length && memcmp(at, words[i], length) == 0 &&
            isdigit((unsigned char)at[length]))
            return length;
    }
    return 0;
}

/* Writes the id at AT (before END); returns where it ends. */
static const char *put_id(struct writer *writer, const char *at, const char *end, const char *name)
{
    put(writer, name, strlen(name));
    put(writer, "-", 1);
    size_t word = numbered_word(at, end);
    if (word) {
        char text[48];
        unsigned long number = 0;
        put(writer, at, word);
        for (at += word; at < end && isdigit((unsigned char)*at); at++)
            number = number * 10 + (unsigned long)(*at - '0');
        snprintf(text, sizeof text, "%u", order_of(writer, number));
        put(writer, text, strlen(text));
    }
    return at;
}

/* What stands before an id. */
static size_t opening(const char *at, const char *end)
{
    static const char *const openings[] = {" id=\"", "href=\"#", "url(#"};
    for (size_t i = 0; i < sizeof openings / sizeof *openings; i++) {
        size_t length = strlen(openings[i]);
        if ((size_t)(end - at) > length && memcmp(at, openings[i], length) == 0)
            return length;
    }
    return 0;
}

/* Cells of an image keep their edges: browsers blur what they enlarge. */
static const char image[] = "<image", sharp[] = " style=\"image-rendering:pixelated\"";

static size_t image_begins(const char *at, const char *end)
{
    size_t length = sizeof image - 1;
    return (size_t)(end - at) > length && memcmp(at, image, length) == 0 ? length : 0;
}

int cup_svg_ids(struct cup_bytes *svg, const char *name)
{
    struct writer writer = {0};
    const char *at = (const char *)svg->bytes, *end = at + svg->count;
    while (at < end && !writer.failed) {
        size_t length = opening(at, end), begun = image_begins(at, end), step = length + begun;
        put(&writer, at, step ? step : 1);
        at += step ? step : 1;
        if (length)
            at = put_id(&writer, at, end, name);
        if (begun)
            put(&writer, sharp, sizeof sharp - 1);
    }
    put(&writer, "", 1); /* so that what follows may be read as a text */
    if (writer.failed) {
        free(writer.out.bytes);
        return -1;
    }
    writer.out.count--;
    free(svg->bytes);
    *svg = writer.out;
    return 0;
}
