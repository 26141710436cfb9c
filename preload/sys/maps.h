/* The kernel's list of what is mapped (/proc/self/maps), line by line, without allocating. */
#ifndef CUPPING_PRELOAD_SYS_MAPS_H
#define CUPPING_PRELOAD_SYS_MAPS_H

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
    bool failed;     /* the list is not whole */
    size_t at, end;  /* of what is in the buffer */
    char text[8192]; /* a line is shorter */
};

/* False: there is no such list. */
bool cup_maps_open(struct cup_maps *maps);
bool cup_maps_next(struct cup_maps *maps, struct cup_mapping_line *line);

/* True: every line was read and understood. */
bool cup_maps_close(struct cup_maps *maps);

#endif
