/* Python and native frames of one stack put together. The interpreter runs Python functions in C
 * calls of one function (eval); from 3.11 on several of them in one call. So the native stack has
 * as many eval frames as the Python stack has segments, and each stands for one segment. */
#ifndef CUPPING_MERGE_H
#define CUPPING_MERGE_H

#include "preload/native.h"

enum { CUP_MERGE_PYTHON_MOST = 128, CUP_MERGE_MOST = 192 };

/* Innermost first. */
struct cup_merge_python {
    uint32_t count;
    bool cut;                         /* there are more, further out */
    bool ends[CUP_MERGE_PYTHON_MOST]; /* the frame is the outermost one of its segment */
};

struct cup_merged {
    uint32_t count;
    bool cut;   /* frames further out are left out */
    bool apart; /* there are more segments than eval frames, or fewer: all Python frames come first,
                   and above them the native ones up to the innermost eval frame */
    struct {
        bool native;
        uint8_t index; /* of the frame, in its own array */
    } frames[CUP_MERGE_MOST];
};

/* Of native frames are taken: all above the innermost Python function; between Python functions
 * those of others than the interpreter; below the outermost none. Without Python functions, all. */
void cup_merge(const struct cup_merge_python *python, const enum cup_native_kind *native,
               uint32_t native_count, bool native_cut, struct cup_merged *merged);

#endif
