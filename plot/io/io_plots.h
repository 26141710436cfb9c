/* Data of the plots of what was read. */
#pragma once

#include <stdbool.h>

#include "analysis/base/intern.h"
#include "plot/figure/theme.h"
#include "plot/shared/bins.h"
#include "plot/shared/chunks.h"
#include "plot/shared/plot.h"
#include "plot/shared/ratios.h"

struct cup_branches_per_chunk {
    struct cup_grouped branches;
    double mean;
};

struct cup_bytes_per_chunk {
    struct cup_grouped compressed; /* of baskets */
    double *delivered;             /* chunks in the same bins, by the bytes delivered to them */
    double most;                   /* of all counts */
};

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

/* How long opens and connections took, by server. */

/* Up to CUP_OPEN_CURVES servers are drawn as curves, more as rows. */
enum { CUP_OPEN_CURVES = 6, CUP_OPEN_ROWS = 30, CUP_OPEN_KINDS = 3 };

/* Times in seconds. */
struct cup_open_row {
    struct cup_text name;
    size_t kind;                            /* 0 to CUP_OPEN_KINDS - 1 */
    double low, lower, middle, upper, high; /* quantiles: 1 %, 25 %, 50 %, 75 %, 99 % */
    double longest;
    char brief[64];         /* for the legend */
    char text[96];          /* behind the row: the numbers */
    double *times, *shares; /* of a curve: `shares` percent of the opens took at most `times` */
    size_t points;
};

struct cup_open_latency {
    struct cup_open_row rows[CUP_OPEN_ROWS];
    struct cup_text names[CUP_OPEN_ROWS]; /* of those rows */
    size_t count;
    double shortest, longest; /* of all that are shown */
};

/* How long requests to storage servers took: over time, or as curves of quantiles. */
enum { CUP_LATENCY_SERVERS = 6, CUP_LATENCY_BINS = 60 };
struct cup_server_latency {
    bool over_time; /* x is time; else x is the time of a request, and y a share of the requests */
    bool others;    /* the last one stands for several servers */
    double seconds; /* duration of the run */
    double low, high; /* of the times of requests */
    char names[CUP_LATENCY_SERVERS][120];
    double *x[CUP_LATENCY_SERVERS], *y[CUP_LATENCY_SERVERS]; /* in the arena */
    size_t points[CUP_LATENCY_SERVERS];
    size_t count;
};

/* Why a plot of requests has no data. */
extern const char cup_no_requests_reason[];

/* How long a request took, from each host to each server. */
enum { CUP_MATRIX_SERVERS = 30, CUP_MATRIX_HOSTS = 200, CUP_MATRIX_NAMES = 8 };
struct cup_server_hosts {
    struct cup_text servers[CUP_MATRIX_SERVERS], hosts[CUP_MATRIX_HOSTS];
    size_t server_count, host_count;
    double means[CUP_MATRIX_SERVERS][CUP_MATRIX_HOSTS]; /* seconds; NAN: no request */
    double highest;
    uint64_t left_out; /* pairs of a host and a server */
};

/* How much of a file's trees was read. */
struct cup_share {
    double bytes, branches; /* percent; NAN: not known */
};

struct cup_shares {
    struct cup_share rows[CUP_ROWS_MOST];
    struct cup_text names[CUP_ROWS_MOST];
    size_t count;
    struct cup_bins bytes; /* of all files, if there are more than rows; else count 0 */
    double *branches;      /* files in the same bins, by the share of branches */
    double most;           /* of both */
};
