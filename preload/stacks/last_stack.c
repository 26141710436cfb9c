#include "preload/stacks/last_stack.h"

#include "preload/lifecycle/thread.h"
#include "preload/python/stack_frames.h"

#include <stdbool.h>

/* Only the thread that has the slot uses its entry. What the slot's thread before it left there
 * needs no reset: a stack of the same frames and instructions has the same node. */
static struct last_stack {
    uint64_t key, time;   /* time: ticks, when it was last found */
    uint32_t node, count; /* count of frames; 0: they are not noted */
    struct noted_frame {
        const char *frame;
        uint64_t place;
    } frames[CUP_LAST_STACK_FRAMES];
} last_stacks[CUP_THREAD_SLOTS + 1]; /* by slot; entry 0 is not used */

static inline uint64_t read_place(const char *frame)
{
    return cup_stack_place_of(&cup_layout, frame, cup_code_word(frame + cup_layout.frame_code));
}

static inline bool is_current(const struct last_stack *last, uint64_t key, uint64_t now)
{
    return last->key == key && cup_ticks_ns(now - last->time) < CUP_LAST_STACK_NS;
}

/* A frame may be read only because its callee's frame, which was read before, refers to it. */
static inline bool has_frames(const struct last_stack *last, const char *frame)
{
    uint32_t at = 0;
    for (; at < last->count && frame == last->frames[at].frame; at++) {
        if (read_place(frame) != last->frames[at].place)
            return false;
        frame = cup_stack_back_of(&cup_layout, frame);
    }
    return at == last->count && !frame;
}

uint32_t cup_last_stack_find(const char *frame, uint64_t key, uint64_t now)
{
    struct last_stack *last = &last_stacks[cup_self.slot];
    if (!last->count || !is_current(last, key, now) || !has_frames(last, frame))
        return 0;
    last->time = now;
    return last->node;
}

static uint32_t note_frames(struct last_stack *last, const char *frame)
{
    uint32_t count = 0;
    for (; frame && count < CUP_LAST_STACK_FRAMES; frame = cup_stack_back_of(&cup_layout, frame))
        last->frames[count++] = (struct noted_frame){frame, read_place(frame)};
    return frame ? 0 : count;
}

void cup_last_stack_keep(const char *frame, uint64_t key, uint64_t now, uint32_t node)
{
    struct last_stack *last = &last_stacks[cup_self.slot];
    if (!cup_self.slot)
        return;
    bool repeats = last->node == node && last->key == key;
    last->key = key;
    last->time = now;
    last->node = node;
    last->count = repeats ? note_frames(last, frame) : 0;
}
