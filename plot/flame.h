/* Stacks as boxes, for pictures: each function as wide as what it cost with all that it called,
 * those that it called below it. */
#ifndef CUPPING_FLAME_H
#define CUPPING_FLAME_H

#include "analysis/metrics/folded.h"
#include "plot/look.h"
#include "plot/plots.h"
#include "plot/ticks.h"

/* Whose code it is: what boxes are coloured by. */
enum cup_flame_kind {
    CUP_FLAME_USER,
    CUP_FLAME_COFFEA,
    CUP_FLAME_READING, /* uproot, fsspec, and what they read and decompress with */
    CUP_FLAME_ARRAYS,  /* awkward, numpy, and the like */
    CUP_FLAME_DASK,
    CUP_FLAME_STDLIB,
    CUP_FLAME_OTHER,
    CUP_FLAME_KINDS,
};
extern const char *const cup_flame_kind_names[CUP_FLAME_KINDS];

/* Of a function of the tree. */
enum cup_flame_kind cup_flame_kind_of(const struct cup_call_tree *tree, uint32_t function);

struct cup_flame_box {
    double from, to; /* amounts on the x axis */
    double self;
    uint16_t row;             /* from the top */
    uint8_t kind;             /* enum cup_flame_kind */
    bool is_all;              /* it is no function, but all there is */
    const char *name, *whole; /* "select"; "Processor.select (mine.py:30)" */
};

struct cup_flame {
    enum cup_axis_unit unit;
    const char *what; /* of the amounts: "CPU time" */
    double all;
    struct cup_flame_box *boxes;
    size_t count;
    size_t rows; /* the deepest one's, and one more */
};

/* Narrower ones than this share of all are left out, as are rows beyond so many boxes. */
#define CUP_FLAME_LEAST 0.001
enum { CUP_FLAME_BOXES = 8000 };

/* What nearly all stacks begin with is left out: functions, one called by the other, none of them
 * the user's, with this share of all. So are functions that pass nearly all on: with this share of
 * their caller and of the function that they call, all three of one package. */
#define CUP_FLAME_SHARED 0.99
#define CUP_FLAME_PASSED 0.95

#endif
