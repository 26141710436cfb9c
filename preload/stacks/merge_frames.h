/* Python and native frames of one stack put together. The interpreter runs Python functions in C
 * calls of one function (eval); from 3.11 on several of them in one call. So the native stack has
 * as many eval frames as the Python stack has segments, and each stands for one segment. */
#ifndef CUPPING_PRELOAD_STACKS_MERGE_FRAMES_H
#define CUPPING_PRELOAD_STACKS_MERGE_FRAMES_H

#include "preload/stacks/native.h"

enum {
    CUP_MERGE_PYTHON_MOST = 128,
    CUP_MERGE_NATIVE_MOST = 64, /* more are left out: no Python frame gives way to them */
    CUP_MERGE_MOST = CUP_MERGE_PYTHON_MOST + CUP_MERGE_NATIVE_MOST + 1
};

/* Innermost first. */
struct cup_merge_python {
    uint32_t count;
    bool cut;                         /* there are more, further out */
    bool ends[CUP_MERGE_PYTHON_MOST]; /* the frame is the outermost one of its segment */
};

enum cup_merged_kind {
    CUP_MERGED_PYTHON,
    CUP_MERGED_NATIVE,
    CUP_MERGED_GAP, /* native frames that were too many: here, and further out */
};

struct cup_merged {
    uint32_t count;
    uint32_t native; /* of them */
    bool gap;        /* there is one among them */
    bool cut;        /* frames further out are left out */
    bool apart;      /* there are more segments than eval frames, or fewer: all Python frames come
                        first, and above them the native ones up to the innermost eval frame */
    struct {
        uint8_t kind;
        uint8_t index; /* of the frame, in its own array */
    } frames[CUP_MERGE_MOST];
};

/* Of native frames are taken: all above the innermost Python function; between Python functions
 * those of others than the interpreter; below the outermost none. Without Python functions, all. */
void cup_merge(const struct cup_merge_python *python, const enum cup_native_kind *native,
               uint32_t native_count, bool native_cut, struct cup_merged *merged);

#endif
