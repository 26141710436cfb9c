/* Stacks as boxes, for pictures: each function as wide as what it cost with all that it called,
 * those that it called below it. */
#ifndef CUPPING_PLOT_FLAME_FLAME_H
#define CUPPING_PLOT_FLAME_FLAME_H

#include "analysis/metrics/functions/folded.h"
#include "plot/figure/theme.h"
#include "plot/figure/ticks.h"
#include "plot/shared/plot.h"

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
    uint32_t node;            /* of the folded tree that it is made from */
    /* Of runs compared: what it is more than in the baseline, and how much that is of all of the
     * baseline: 0, or, less (-) or more (+), 1, 2 or 3, from CUP_FLAME_SHADES on. */
    double change;
    int8_t shade;
};
#define CUP_FLAME_SHADES                                                                           \
    {                                                                                              \
        0.001, 0.01, 0.1                                                                           \
    }
enum { CUP_FLAME_SHADE_COUNT = 3 };

/* An allocation that is looked at stands for so many bytes on average
 * (docs/contributing/sampling.md). */
enum { CUP_FLAME_ALLOC_STEP = 512 * 1024 };

struct cup_flame {
    enum cup_axis_unit unit;
    const char *what; /* of the amounts: "CPU time" */
    double all;
    struct cup_flame_box *boxes;
    size_t count;
    size_t rows; /* the deepest one's, and one more */
    bool compared;
};

/* What boxes can be as wide as: CPU time, waits, bytes read and allocated. */
struct cup_flame_weight {
    enum cup_weight weight;
    const char *what; /* the axis */
    const char *how;  /* the caption */
    const char *none; /* why there is no plot */
};
enum { CUP_FLAME_CPU, CUP_FLAME_WAIT, CUP_FLAME_READ, CUP_FLAME_ALLOC, CUP_FLAME_WEIGHTS };
extern const struct cup_flame_weight cup_flame_weights[CUP_FLAME_WEIGHTS];

/* ---- for data_*flame.c -------------------------------------------------------------------- */

/* What is not drawn. */
struct cup_flame_left_out {
    unsigned shared; /* functions that all begins with */
    unsigned passed; /* that only pass on */
    size_t hidden;   /* boxes that are too narrow */
};

/* Boxes of a folded tree, in the arena: amounts are those of the tree divided by `scale`. NULL
 * without memory. */
struct cup_flame *cup_flame_make(struct cup_arena *arena, const struct cup_call_tree *tree,
                                 const struct cup_folded *folded,
                                 const struct cup_flame_weight *weight, double scale,
                                 struct cup_flame_left_out *left_out);

/* Of what is left out, as sentences that begin with a blank; "": nothing is. Returns `to`. */
enum { CUP_FLAME_LEFT_OUT_TEXT = 240 };
char *cup_flame_left_out_text(char to[CUP_FLAME_LEFT_OUT_TEXT],
                              const struct cup_flame_left_out *left_out);

/* Narrower ones than this share of all are left out, as are rows beyond so many boxes. */
#define CUP_FLAME_LEAST 0.001
enum { CUP_FLAME_BOXES = 8000 };

/* What nearly all stacks begin with is left out: functions, one called by the other, none of them
 * the user's, with this share of all. So are functions that pass nearly all on: with this share of
 * their caller and of the function that they call, all three of one package. */
#define CUP_FLAME_SHARED 0.99
#define CUP_FLAME_PASSED 0.95

#endif
