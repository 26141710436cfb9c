/* Reads /proc/self/maps line by line, without allocating. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_mapping_line {
    uint64_t start, end, offset, device, inode; /* inode 0: no file */
    bool executable;
    const char *path; /* "" for none; valid until the next line */
};

struct cup_maps {
    int fd;
    bool failed;     /* a read failed, or a line was not understood */
    size_t at, end;  /* the unread part of the buffer */
    char text[8192]; /* longer than any line */
};

/* False: the file cannot be opened. */
bool cup_maps_open(struct cup_maps *maps);
/* False: there are no more lines. */
bool cup_maps_next(struct cup_maps *maps, struct cup_mapping_line *line);

/* True: all lines were read and understood. */
bool cup_maps_close(struct cup_maps *maps);
