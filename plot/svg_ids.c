#include "plot/svg_ids.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SURFACES = 64 };

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

static const char word[] = "surface";
enum { WORD = sizeof word - 1 };

/* Writes the id at AT (before END); returns where it ends. */
static const char *put_id(struct writer *writer, const char *at, const char *end, const char *name)
{
    put(writer, name, strlen(name));
    put(writer, "-", 1);
    if (end - at > WORD && memcmp(at, word, WORD) == 0 && isdigit((unsigned char)at[WORD])) {
        char text[48];
        unsigned long number = 0;
        for (at += WORD; at < end && isdigit((unsigned char)*at); at++)
            number = number * 10 + (unsigned long)(*at - '0');
        snprintf(text, sizeof text, "%s%u", word, order_of(writer, number));
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

int cup_svg_ids(struct cup_bytes *svg, const char *name)
{
    struct writer writer = {0};
    const char *at = (const char *)svg->bytes, *end = at + svg->count;
    while (at < end && !writer.failed) {
        size_t length = opening(at, end);
        put(&writer, at, length ? length : 1);
        at += length ? length : 1;
        if (length)
            at = put_id(&writer, at, end, name);
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
