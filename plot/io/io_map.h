#ifndef CUPPING_PLOT_IO_IO_MAP_H
#define CUPPING_PLOT_IO_IO_MAP_H

#include <stdbool.h>

#include "analysis/base/intern.h"
#include "plot/shared/plot.h"

enum {
    CUP_IO_FILES = 6,    /* at most so many are shown */
    CUP_IO_MARKS = 4000, /* more are drawn as a density */
    CUP_IO_COLUMNS = 240,
    CUP_IO_CELLS = 150, /* cells of a column, of all files together */
};

/* An access extent: consecutive reads of one of the files. */
struct cup_io_mark {
    double from_s, to_s, low, high;
    uint8_t row;
    bool again;  /* at least half of its bytes had certainly been read before */
    bool joined; /* joined from several extents: which bytes of the box were read when is unknown */
};

/* What was read in a cell of time and offset. */
struct cup_io_cell {
    double fresh, again; /* bytes */
};

/* Offset against time, one row for each file. */
struct cup_io_map {
    double seconds;
    bool since_first_read; /* time counts from the first read of each file; else from the run's
                              start */
    size_t row_count;
    struct cup_text names[CUP_IO_FILES];
    double sizes[CUP_IO_FILES]; /* bytes; if the size is unknown, the end of the last byte read */
    struct cup_io_mark *marks;  /* NULL: too many, drawn as cells */
    size_t mark_count;
    bool any_joined;
    struct cup_io_cell *cells; /* row by row of each file, from its top */
    size_t cell_rows;          /* of each file */
    double most;               /* bytes in the fullest cell */
};

#endif
