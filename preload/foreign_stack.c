#include "preload/foreign_stack.h"

#include "preload/context.h"
#include "preload/foreign_code.h"
#include "preload/foreign_memory.h"
#include "preload/frames.h"
#include "preload/stack_frames.h"
#include "preload/stacks.h"

#include <string.h>

int cup_foreign_process;

enum { FRAME_BYTES = 112, CHUNK_BYTES = 64 * 1024, ATTEMPTS = 4 };

/* ---- of one thread, at a time ------------------------------------------------------------ */

/* What its thread state says. */
struct top {
    uint64_t leads;        /* the current frame, or what leads to it */
    uint64_t frame;        /* the current frame; 0: none */
    uint64_t chunk, limit; /* of its data stack: from, and up to where it is used */
};

/* Where frames lie from 3.11 on: most of a stack is copied at once. */
static struct {
    uint64_t at;
    size_t bytes;
    char copy[CHUNK_BYTES];
} chunk;

/* Innermost first; without entries from C. */
static struct frames {
    uint64_t at[CUP_FOREIGN_CODES], codes[CUP_FOREIGN_CODES];
    uint32_t offsets[CUP_FOREIGN_CODES];
    uint32_t count;
    bool cut;    /* there are more, further out */
} stack, before; /* as it was at the attempt before */
static char copies[CUP_FOREIGN_CODES][FRAME_BYTES];
static uint32_t ids[CUP_FOREIGN_CODES];

/* 3.9 and 3.10 have frames as objects, each on its own. */
static bool has_chunks(void)
{
    return cup_layout.thread_chunk != CUP_NOWHERE;
}

static size_t frame_bytes(void)
{
    return cup_layout.code_instructions == CUP_NOWHERE ? FRAME_BYTES : 72;
}

static uint64_t address_of_frame(uint64_t state, uint64_t leads)
{
    return cup_layout.thread_indirect == CUP_NOWHERE ? state + cup_layout.thread_frame
                                                     : leads + cup_layout.thread_indirect;
}

/* ---- copies ------------------------------------------------------------------------------ */

static bool copy_top(uint64_t state, struct top *top)
{
    uint64_t data[2] = {0, 0};
    struct iovec to[] = {{&top->leads, sizeof top->leads}, {data, sizeof data}};
    struct iovec from[] = {cup_foreign_at(state + cup_layout.thread_frame, sizeof top->leads),
                           cup_foreign_at(state + cup_layout.thread_chunk, sizeof data)};
    if (!cup_foreign_read(to, from, has_chunks() ? 2 : 1))
        return false;
    top->chunk = data[0];
    top->limit = data[1];
    return true;
}

/* The chunk, in between two looks at the current frame: only if that is the same, nothing was
 * called or came back. */
static bool copy_chunk(uint64_t state, struct top *top)
{
    uint64_t again[2], leads = state + cup_layout.thread_frame;
    uint64_t frame = address_of_frame(state, top->leads), word = sizeof frame;
    uint64_t bytes = has_chunks() && top->limit > top->chunk ? top->limit - top->chunk : 0;
    chunk.bytes = bytes < CHUNK_BYTES ? bytes : CHUNK_BYTES;
    chunk.at = top->limit - chunk.bytes;
    struct iovec to[] = {
        {&top->frame, word}, {chunk.copy, chunk.bytes}, {&again[0], word}, {&again[1], word}};
    struct iovec from[] = {cup_foreign_at(frame, word), cup_foreign_at(chunk.at, chunk.bytes),
                           cup_foreign_at(frame, word), cup_foreign_at(leads, word)};
    return cup_foreign_read(to, from, 4) && again[0] == top->frame && again[1] == top->leads;
}

static bool copy_frame(char *copy, uint64_t at)
{
    size_t bytes = frame_bytes();
    if (at < chunk.at || at - chunk.at + bytes > chunk.bytes)
        return cup_foreign_copy(copy, at, bytes); /* a generator's, an entry from C, further out */
    memcpy(copy, chunk.copy + (at - chunk.at), bytes);
    return true;
}

/* ---- walking ----------------------------------------------------------------------------- */

/* False: it leads nowhere. */
static bool walk(uint64_t frame)
{
    enum { STEPS_MOST = 4 * CUP_FOREIGN_CODES };
    stack.count = 0;
    for (int steps = 0; frame && stack.count < CUP_FOREIGN_CODES; steps++) {
        char *copy = copies[stack.count];
        if (steps == STEPS_MOST || !copy_frame(copy, frame))
            return false;
        if (!cup_stack_is_from_c(copy)) {
            uint64_t code = (uintptr_t)cup_code_word(copy + cup_layout.frame_code);
            stack.at[stack.count] = frame;
            stack.codes[stack.count] = code;
            stack.offsets[stack.count] = cup_stack_offset_of(copy, (const char *)(uintptr_t)code);
            stack.count++;
        }
        frame = (uintptr_t)cup_stack_back_of(copy);
    }
    stack.cut = frame != 0;
    return true;
}

/* One that was cut has its outermost frame out of sight. A generator that is left while it is
 * looked at ends a stack too early. */
static bool has_root(uint64_t root)
{
    return stack.cut || !root || (stack.count && stack.codes[stack.count - 1] == root);
}

/* ---- what is still so -------------------------------------------------------------------- */

static bool is_same_frame(uint32_t i, const char *again)
{
    const char *code = (const char *)(uintptr_t)stack.codes[i];
    return cup_code_word(again + cup_layout.frame_code) == code &&
           cup_stack_back_of(again) == cup_stack_back_of(copies[i]) &&
           (!i || cup_stack_offset_of(again, code) == stack.offsets[i]);
}

/* Frames are copied once more, all at once: how many of them, counted from the outermost, are as
 * they were. A thread that came back and called another function stands where it stood. Of the
 * innermost one the instruction may be another by now. */
static uint32_t count_again(uint64_t state, const struct top *top)
{
    static char again[CUP_FOREIGN_CODES][FRAME_BYTES];
    struct iovec to[CUP_FOREIGN_CODES + 1], from[CUP_FOREIGN_CODES + 1];
    uint64_t frame = 0;
    uint32_t same = 0;
    to[stack.count] = (struct iovec){&frame, sizeof frame};
    from[stack.count] = cup_foreign_at(address_of_frame(state, top->leads), sizeof frame);
    for (uint32_t i = 0; i < stack.count; i++) {
        to[i] = (struct iovec){again[i], frame_bytes()};
        from[i] = cup_foreign_at(stack.at[i], frame_bytes());
    }
    if (!cup_foreign_read(to, from, stack.count + 1))
        return 0;
    while (same < stack.count &&
           is_same_frame(stack.count - 1 - same, again[stack.count - 1 - same]))
        same++;
    return same == stack.count && frame != top->frame ? same - 1 : same;
}

/* How many frames, counted from the outermost, were there at the attempt before. */
static uint32_t count_as_before(void)
{
    uint32_t same = 0;
    for (; same < stack.count && same < before.count; same++) {
        uint32_t i = stack.count - 1 - same, j = before.count - 1 - same;
        if (stack.at[i] != before.at[j] || stack.codes[i] != before.codes[j] ||
            stack.offsets[i] != before.offsets[j])
            break;
    }
    return same;
}

/* ---- the whole --------------------------------------------------------------------------- */

/* How many frames hang together, counted from the outermost; 0: none, and nothing is in the stack.
 * If all do, it is whole. */
static uint32_t copy_once(const struct cup_foreign *thread)
{
    struct top top = {0};
    stack.count = 0;
    if (!copy_top(thread->state, &top))
        return 0;
    bool still = copy_chunk(thread->state, &top);
    if (!walk(top.frame) || !has_root(thread->root) || !stack.count ||
        !cup_foreign_codes(stack.codes, ids, stack.count))
        return 0;
    uint32_t same = count_again(thread->state, &top);
    return same == stack.count && !still ? same - 1 : same;
}

/* Of SAME frames, outermost first, on top of UNDER. */
static uint32_t node_of(uint32_t same, uint32_t under)
{
    uint32_t node = stack.cut ? cup_stack_node(under, CUP_NODE_CUT, 0) : under;
    for (uint32_t i = stack.count; i-- > stack.count - same;)
        if (ids[i] && !(node = cup_stack_node(node, ids[i], stack.offsets[i])))
            return 0;
    return node;
}

/* Twice the same, innermost frame and all, is a thread that went to and fro between two. */
static uint32_t best_of_two(uint32_t same)
{
    uint32_t as_before = before.count ? count_as_before() : 0;
    if (as_before == stack.count && as_before == before.count)
        return stack.count;
    return before.count && as_before < same ? as_before : same;
}

static uint32_t unknown_above(uint32_t node)
{
    return node ? cup_stack_node(node, CUP_NODE_UNKNOWN, 0) : 0;
}

uint32_t cup_foreign_node(const struct cup_foreign *thread, uint32_t under, bool *torn)
{
    uint32_t outer = 0;
    *torn = false;
    before.count = 0;
    if (!thread->state)
        return under;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        uint32_t same = copy_once(thread);
        if (!same)
            continue;
        if (same < stack.count)
            same = best_of_two(same);
        if (same == stack.count)
            return node_of(same, under);
        outer = same ? node_of(same, under) : 0;
        before = stack;
    }
    *torn = true;
    return unknown_above(outer);
}

/* ---- of the thread itself ---------------------------------------------------------------- */

struct cup_foreign cup_foreign_self(void)
{
    struct cup_foreign self = {.state = (uintptr_t)cup_python_thread_fast()};
    struct cup_frame frame;
    for (bool more = cup_frames_top(&frame); more; more = cup_frames_back(&frame))
        self.root = (uintptr_t)cup_frames_code(frame);
    return self;
}

bool cup_foreign_verify(void)
{
    cup_foreign_process = cup_raw_getpid();
    uint64_t word = 0x7ace5a17;
    return cup_foreign_word((uintptr_t)&word) == word;
}

/* ---- contexts ---------------------------------------------------------------------------- */

/* A context of few variables, whose map is one node, as cup_context_task() reads it. */
static uint64_t find_carrier(uint64_t map)
{
    uint64_t head[CUP_BITMAP_PAIRS], pair[2], root = cup_foreign_word(map + 8 * CUP_MAP_ROOT);
    if (!root || !cup_foreign_copy(head, root, sizeof head) ||
        head[1] != (uintptr_t)cup_context.bitmap_type)
        return 0;
    uint32_t bits = (uint32_t)head[CUP_BITMAP_BITS];
    if (!(bits & cup_context.root_bit))
        return 0;
    uint64_t at = CUP_BITMAP_PAIRS + 2 * cup_context_bits_below(bits, cup_context.root_bit);
    if (!cup_foreign_copy(pair, root + 8 * at, sizeof pair) ||
        pair[0] != (uintptr_t)cup_context.variable)
        return 0;
    return pair[1];
}

uint32_t cup_foreign_task(const struct cup_foreign *thread)
{
    const void *digits[CUP_INTEGER_DIGITS + 1];
    if (!thread->state || !__atomic_load_n(&cup_context.verified, __ATOMIC_ACQUIRE))
        return 0;
    uint64_t context = cup_foreign_word(thread->state + cup_context.thread_context);
    uint64_t map = context ? cup_foreign_word(context + 8 * CUP_CONTEXT_VARIABLES) : 0;
    uint64_t carrier = map ? find_carrier(map) : 0;
    if (!carrier || !cup_foreign_copy(digits, carrier, sizeof digits))
        return 0;
    return cup_context_carried(digits);
}
