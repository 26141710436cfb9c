#include "preload/stacks/merge_frames.h"

static uint32_t count_segments(const struct cup_merge_python *python)
{
    uint32_t segments = 0;
    for (uint32_t i = 0; i < python->count; i++)
        segments += python->ends[i];
    return segments + (python->count && !python->ends[python->count - 1]);
}

static uint32_t count_evals(const enum cup_native_kind *native, uint32_t count)
{
    uint32_t evals = 0;
    for (uint32_t i = 0; i < count; i++)
        evals += native[i] == CUP_NATIVE_EVAL;
    return evals;
}

/* A stack that is cut lacks its outermost frames, so it may have fewer segments (evals). */
static bool has_match(uint32_t segments, bool python_cut, uint32_t evals, bool native_cut)
{
    return segments == evals || (segments < evals && python_cut) ||
           (segments > evals && native_cut);
}

static void append_frame(struct cup_merged *merged, enum cup_merged_kind kind, uint32_t index)
{
    merged->frames[merged->count].kind = (uint8_t)kind;
    merged->frames[merged->count++].index = (uint8_t)index;
}

/* Appends the native frames from AT to the next eval frame, and returns the index of that. ALL:
 * also those of the interpreter. */
static uint32_t append_native(struct cup_merged *merged, const enum cup_native_kind *native,
                              uint32_t at, uint32_t count, bool all)
{
    uint32_t left_out = 0;
    for (; at < count && native[at] != CUP_NATIVE_EVAL; at++) {
        if (native[at] != CUP_NATIVE_OTHER && !(all && native[at] == CUP_NATIVE_INTERPRETER))
            continue;
        if (merged->native == CUP_MERGE_NATIVE_MOST) {
            left_out++;
            continue;
        }
        append_frame(merged, CUP_MERGED_NATIVE, at);
        merged->native++;
    }
    if (left_out && !merged->gap)
        append_frame(merged, CUP_MERGED_GAP, 0);
    merged->gap = merged->gap || left_out;
    return at;
}

/* Appends the Python frames from AT to the end of their segment. Returns the index after it. */
static uint32_t append_segment(struct cup_merged *merged, const struct cup_merge_python *python,
                               uint32_t at)
{
    bool more = at < python->count;
    while (more) {
        append_frame(merged, CUP_MERGED_PYTHON, at);
        more = !python->ends[at++] && at < python->count;
    }
    return at;
}

void cup_merge(const struct cup_merge_python *python, const enum cup_native_kind *native,
               uint32_t native_count, bool native_cut, struct cup_merged *merged)
{
    uint32_t evals = count_evals(native, native_count), frame = 0, at = 0;
    merged->count = merged->native = 0;
    merged->gap = false;
    merged->apart =
        native_count && !has_match(count_segments(python), python->cut, evals, native_cut);
    at = append_native(merged, native, at, native_count, true);
    while (!merged->apart && at < native_count && frame < python->count) {
        frame = append_segment(merged, python, frame);
        if (frame < python->count)
            at = append_native(merged, native, at + 1, native_count, false);
    }
    for (; frame < python->count; frame++)
        append_frame(merged, CUP_MERGED_PYTHON, frame);
    merged->cut = python->cut || (!python->count && native_cut);
}
