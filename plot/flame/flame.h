/* Stacks as boxes of a picture. A box is as wide as the cost of a function and all its callees;
 * callees stand below it. */
#pragma once

#include <stdio.h>

#include "analysis/metrics/functions/folded.h"
#include "plot/figure/theme.h"
#include "plot/figure/ticks.h"
#include "plot/shared/plot.h"

/* Groups of packages, which give boxes their colours. */
enum cup_flame_kind {
    CUP_FLAME_USER,
    CUP_FLAME_COFFEA,
    CUP_FLAME_READING, /* uproot, fsspec, and packages that read or decompress for them */
    CUP_FLAME_ARRAYS,  /* awkward, numpy and similar */
    CUP_FLAME_DASK,
    CUP_FLAME_STDLIB,
    CUP_FLAME_OTHER,
    CUP_FLAME_KINDS,
};
extern const char *const cup_flame_kind_names[CUP_FLAME_KINDS];

/* The group of a function of the tree. */
enum cup_flame_kind cup_flame_kind_of(const struct cup_call_tree *tree, uint32_t function);

struct cup_flame_box {
    double from, to; /* amounts on the x axis */
    double self;
    uint16_t row; /* from the top */
    uint8_t kind; /* enum cup_flame_kind */
    bool is_all;  /* no function: the root, or the step to a helper thread */
    /* "read"; "uproot.read"; "uproot.model.Model.read"; "Model.read (uproot/model.py:30)" */
    const char *name, *packaged, *qualified, *whole;
    uint32_t node; /* index in the folded tree */
    /* Only when runs are compared. change: amount minus that of the baseline. shade: how many of
     * the CUP_FLAME_SHADES the change reaches, as a share of the baseline's total; negative: the
     * amount got smaller; 0: no change, or one within the sampling error. */
    double change;
    int8_t shade;
};
#define CUP_FLAME_SHADES                                                                           \
    {                                                                                              \
        0.001, 0.01, 0.1                                                                           \
    }
enum { CUP_FLAME_SHADE_COUNT = 3 };

/* A sampled allocation stands for this many bytes on average (docs/contributing/sampling.md). */
enum { CUP_FLAME_ALLOC_STEP = 512 * 1024 };

struct cup_flame {
    enum cup_axis_unit unit;
    const char *what; /* name of the amounts: "CPU time" */
    double all;
    struct cup_flame_box *boxes;
    size_t count;
    size_t rows; /* number of rows */
    bool compared;
};

/* What the width of boxes can stand for. */
struct cup_flame_weight {
    enum cup_weight weight;
    const char *name;  /* "cpu": names of the plots end in it */
    const char *title; /* in the list of weights of a page */
    const char *what;  /* name of the axis */
    const char *how;   /* in the caption */
    const char *none;  /* why there is no plot, if all amounts are 0 */
};
enum { CUP_FLAME_CPU, CUP_FLAME_WAIT, CUP_FLAME_READ, CUP_FLAME_ALLOC, CUP_FLAME_WEIGHTS };
extern const struct cup_flame_weight cup_flame_weights[CUP_FLAME_WEIGHTS];

/* The weight of a plot, by the end of its name: "flame-cpu". */
const struct cup_flame_weight *cup_flame_weight_named(const char *plot);

/* ---- for data_*flame.c -------------------------------------------------------------------- */

/* Functions and boxes that are not drawn. */
struct cup_flame_left_out {
    unsigned shared; /* functions that nearly all stacks begin with, see CUP_FLAME_SHARED */
    unsigned above;  /* functions of Dask and Python that only call others, see is_above() */
    unsigned passed; /* functions that only pass on, see CUP_FLAME_PASSED */
    size_t hidden;   /* boxes that are too narrow */
};

/* Boxes of a folded tree, in the arena: amounts are those of the tree divided by `scale`. NULL
 * without memory. */
struct cup_flame *cup_flame_make(struct cup_arena *arena, const struct cup_call_tree *tree,
                                 const struct cup_folded *folded,
                                 const struct cup_flame_weight *weight, double scale,
                                 struct cup_flame_left_out *left_out);

/* Prints what is left out as a sentence that begins with a blank; "" if nothing is. Returns `to`.
 */
enum { CUP_FLAME_LEFT_OUT_TEXT = 320 };
char *cup_flame_left_out_text(char to[CUP_FLAME_LEFT_OUT_TEXT],
                              const struct cup_flame_left_out *left_out);

/* Boxes narrower than this share of the whole width are left out. There are at most
 * CUP_FLAME_BOXES. */
#define CUP_FLAME_LEAST 0.001
enum { CUP_FLAME_BOXES = 8000 };

/* Nearly all stacks begin with the same functions, which start the thread and the task. Such a
 * function gets no box if it has at least this share of the whole width, is not the user's, and all
 * its callers get none either. */
#define CUP_FLAME_SHARED 0.99
/* A function gets no box if it only passes on: it has at least this share of its caller's width,
 * one of its callees has at least this share of its own, and all three are of one package that is
 * not the user's. */
#define CUP_FLAME_PASSED 0.95

/* The stacks of a page: one tree of boxes that several slices share. A slice is all tasks, the
 * tasks of a prefix, dataset or worker, or one of several runs. */

struct cup_flame_slice {
    const char *group; /* heading in the list of slices; NULL: none */
    struct cup_text title;
    uint32_t prefix; /* the parameter of cup_fold() */
    double per;      /* divisor of the amounts: events or tasks; 0: not divided */
    bool sampled;    /* false: its CPU time is not known */
};

/* Runs and their baseline, or all tasks and up to eight prefixes, datasets and workers. */
enum { CUP_FLAME_SLICES_MOST = 1 + 3 * 8 };

struct cup_flame_slices {
    const struct cup_call_tree *calls;
    struct cup_flame_slice slices[CUP_FLAME_SLICES_MOST];
    size_t count;
    /* With `compared`, each slice is a run. All runs have the same boxes, so that they can be
     * subtracted, and their numbers of samples. `baseline` is the run that others are compared
     * with. */
    bool compared, by_event;
    size_t baseline;
};

/* Writes the slices as one line of JSON, for flame.js. Sets amounts[slice][weight] to the total of
 * each. Returns 0, or -1 without memory. */
int cup_flame_slices_put(FILE *out, const struct cup_flame_slices *slices,
                         uint64_t amounts[CUP_FLAME_SLICES_MOST][CUP_FLAME_WEIGHTS]);
