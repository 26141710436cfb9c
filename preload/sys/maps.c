#include "preload/sys/maps.h"

#include "preload/sys/raw.h"

#include <errno.h>
#include <string.h>

bool cup_maps_open(struct cup_maps *maps)
{
    maps->at = maps->end = 0;
    maps->failed = false;
    maps->fd = cup_raw_open("/proc/self/maps", O_RDONLY | O_CLOEXEC, 0);
    return maps->fd >= 0;
}

bool cup_maps_close(struct cup_maps *maps)
{
    cup_raw_close(maps->fd);
    return !maps->failed;
}

/* ---- lines ------------------------------------------------------------------------------- */

/* False: the end of the file. */
static bool fill_buffer(struct cup_maps *maps)
{
    ssize_t got;
    memmove(maps->text, maps->text + maps->at, maps->end - maps->at);
    maps->end -= maps->at;
    maps->at = 0;
    do
        got = cup_raw_read(maps->fd, maps->text + maps->end, sizeof maps->text - maps->end);
    while (got < 0 && errno == EINTR);
    maps->failed = maps->failed || got < 0;
    maps->end += got > 0 ? (size_t)got : 0;
    return got > 0;
}

/* The next line, NUL-terminated; NULL: there is none. */
static char *read_line(struct cup_maps *maps)
{
    for (;;) {
        char *line = maps->text + maps->at;
        char *end = memchr(line, '\n', maps->end - maps->at);
        if (end) {
            *end = '\0';
            maps->at = (size_t)(end - maps->text) + 1;
            return line;
        }
        if (!fill_buffer(maps)) {
            maps->failed = maps->failed || maps->at != maps->end;
            return NULL;
        }
    }
}

/* ---- fields ------------------------------------------------------------------------------ */

/* Reads a number and the character ENDS after it. False: there is no number. */
static bool read_number(char **at, unsigned base, char ends, uint64_t *value)
{
    char *from = *at;
    *value = 0;
    for (; **at && **at != ends; ++*at) {
        unsigned digit = **at <= '9' ? (unsigned)(**at - '0') : (unsigned)(**at - 'a') + 10;
        if (digit >= base)
            return false;
        *value = *value * base + digit;
    }
    if (*at == from)
        return false;
    *at += **at == ends;
    return true;
}

/* START-END rwxp OFFSET MAJOR:MINOR INODE      PATH */
static bool read_fields(char *at, struct cup_mapping_line *line)
{
    uint64_t major, minor;
    if (!read_number(&at, 16, '-', &line->start) || !read_number(&at, 16, ' ', &line->end) ||
        strlen(at) < 5)
        return false;
    line->executable = at[2] == 'x';
    at += 5;
    if (!read_number(&at, 16, ' ', &line->offset) || !read_number(&at, 16, ':', &major) ||
        !read_number(&at, 16, ' ', &minor) || !read_number(&at, 10, ' ', &line->inode))
        return false;
    line->device = major << 32 | minor;
    line->path = at + strspn(at, " ");
    return true;
}

bool cup_maps_next(struct cup_maps *maps, struct cup_mapping_line *line)
{
    char *text = read_line(maps);
    if (text && read_fields(text, line))
        return true;
    maps->failed = maps->failed || text;
    return false;
}
