#include "preload/stacks/merge_frames.h"

static uint32_t segments_of(const struct cup_merge_python *python)
{
    uint32_t segments = 0;
    for (uint32_t i = 0; i < python->count; i++)
        segments += python->ends[i];
    return segments + (python->count && !python->ends[python->count - 1]);
}

static uint32_t evals_of(const enum cup_native_kind *native, uint32_t count)
{
    uint32_t evals = 0;
    for (uint32_t i = 0; i < count; i++)
        evals += native[i] == CUP_NATIVE_EVAL;
    return evals;
}

/* Where one of the stacks is cut, it is the inner part that was seen. */
static bool match(uint32_t segments, bool python_cut, uint32_t evals, bool native_cut)
{
    return segments == evals || (segments < evals && python_cut) ||
           (segments > evals && native_cut);
}

static void put(struct cup_merged *merged, enum cup_merged_kind kind, uint32_t index)
{
    merged->frames[merged->count].kind = (uint8_t)kind;
    merged->frames[merged->count++].index = (uint8_t)index;
}

/* Native frames from AT up to the next eval frame, which is returned. The inner ones are told. */
static uint32_t put_native(struct cup_merged *merged, const enum cup_native_kind *native,
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
        put(merged, CUP_MERGED_NATIVE, at);
        merged->native++;
    }
    if (left_out && !merged->gap)
        put(merged, CUP_MERGED_GAP, 0);
    merged->gap = merged->gap || left_out;
    return at;
}

/* Python frames from AT to the end of their segment; returns the next. */
static uint32_t put_segment(struct cup_merged *merged, const struct cup_merge_python *python,
                            uint32_t at)
{
    bool more = at < python->count;
    while (more) {
        put(merged, CUP_MERGED_PYTHON, at);
        more = !python->ends[at++] && at < python->count;
    }
    return at;
}

void cup_merge(const struct cup_merge_python *python, const enum cup_native_kind *native,
               uint32_t native_count, bool native_cut, struct cup_merged *merged)
{
    uint32_t evals = evals_of(native, native_count), frame = 0, at = 0;
    merged->count = merged->native = 0;
    merged->gap = false;
    merged->apart = native_count && !match(segments_of(python), python->cut, evals, native_cut);
    at = put_native(merged, native, at, native_count, true);
    while (!merged->apart && at < native_count && frame < python->count) {
        frame = put_segment(merged, python, frame);
        if (frame < python->count)
            at = put_native(merged, native, at + 1, native_count, false);
    }
    for (; frame < python->count; frame++)
        put(merged, CUP_MERGED_PYTHON, frame);
    merged->cut = python->cut || (!python->count && native_cut);
}
