/* Combines the Python and the native frames of one stack. The interpreter executes Python functions
 * inside its C function _PyEval_EvalFrameDefault ("eval"); since 3.11 one call of it may execute a
 * whole segment of Python calls. So the native stack has as many eval frames as the Python stack
 * has segments, in the same order, and each eval frame is replaced by the frames of its segment. */
#pragma once

#include "preload/stacks/native.h"

enum {
    CUP_MERGE_PYTHON_MOST = 128,
    CUP_MERGE_NATIVE_MOST = 64, /* further native frames are left out, never Python frames */
    CUP_MERGE_MOST = CUP_MERGE_PYTHON_MOST + CUP_MERGE_NATIVE_MOST + 1
};

/* The Python frames, innermost first. */
struct cup_merge_python {
    uint32_t count;
    bool cut;                         /* the outermost frames are missing */
    bool ends[CUP_MERGE_PYTHON_MOST]; /* the frame is the outermost one of its segment */
};

enum cup_merged_kind {
    CUP_MERGED_PYTHON,
    CUP_MERGED_NATIVE,
    CUP_MERGED_GAP, /* from here outwards, native frames are left out: there were too many */
};

struct cup_merged {
    uint32_t count;
    uint32_t native; /* number of native frames among them */
    bool gap;        /* one of them is CUP_MERGED_GAP */
    bool cut;        /* the outermost frames are missing */
    bool apart; /* the numbers of segments and of eval frames differ, so they cannot be matched:
                   the native frames inside the innermost eval frame come first, then all
                   Python frames */
    struct {
        uint8_t kind;
        uint8_t index; /* in the array of Python or of native frames */
    } frames[CUP_MERGE_MOST];
};

/* Fills in MERGED, innermost frame first. Native frames called by the innermost Python function are
 * all kept; between Python functions only those outside of the interpreter; those that called the
 * outermost Python function are left out. Without Python frames all native frames are kept. */
void cup_merge(const struct cup_merge_python *python, const enum cup_native_kind *native,
               uint32_t native_count, bool native_cut, struct cup_merged *merged);
