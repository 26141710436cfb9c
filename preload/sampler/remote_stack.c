#include "preload/sampler/remote_stack.h"

#include "preload/attribution/context.h"
#include "preload/python/frames.h"
#include "preload/python/stack_frames.h"
#include "preload/sampler/remote_code.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/remote_memory.h"
#include "preload/sys/remote_pieces.h"

#include <string.h>

int cup_remote_process;

enum {
    PAGE = 4096,
    VARIABLES = 4,                /* of a frame that is an object: that are looked at */
    CHUNK_MOST = 32 * 1024,       /* bytes of a data stack: its inner end */
    CHUNK_STEP = 1024,            /* all of one is whole pages: so a call or two more fits in */
    CHUNKS = 5,                   /* that are looked through */
    STEPS = 2 * CUP_REMOTE_CODES, /* with entries from C */
    ATTEMPTS = 8,                 /* to copy a stack */
    LOOKS = 3,                    /* that found one, until what changes is told from the rest */
    ROUNDS = 5,                   /* while code objects are new */
};

/* How it is known that a stack was there: all frames are copied, then the current frame is asked
 * for, then all frames are copied again, in one call of the kernel (foreign_pieces.h). What is the
 * same in both copies was there at the moment between them.
 *
 * ---- the thread that is looked at -------------------------------------------------------- */

enum { STATE, CURRENT }; /* what is watched: its thread state, and where that leads (3.11, 3.12) */

static struct {
    uint64_t state;
    struct cup_watch watch;
    bool known; /* where its current frame and its data stack were when they were last looked at */
} now;

/* One frame; without code: an entry from C. */
struct step {
    uint64_t at, code, back;
    uint32_t offset; /* of the instruction, in the code */
};

/* Innermost first. */
static struct steps {
    struct step steps[STEPS];
    uint32_t count, codes;
    bool cut;    /* there are more, further out */
    bool twice;  /* all of them were copied twice */
} stack, before; /* as it was at the attempt before */

/* 3.9 and 3.10 have frames as objects, each on its own. */
static bool has_chunks(void)
{
    return cup_layout.thread_chunk != CUP_NOWHERE &&
           cup_layout.thread_chunk + 16 - cup_layout.thread_frame <= CUP_WATCH_BYTES;
}

static size_t frame_bytes(void)
{
    return cup_layout.code_instructions == CUP_NOWHERE
               ? cup_layout.frame_variables + VARIABLES * sizeof(uint64_t)
               : 72;
}

static bool is_led_to(void)
{
    return cup_layout.thread_indirect != CUP_NOWHERE;
}

static uint64_t seen(int range, uint64_t offset)
{
    return (uintptr_t)cup_code_word(now.watch.ranges[range].seen + offset);
}

/* Its current frame, or what leads to it. */
static uint64_t leads(void)
{
    return seen(STATE, 0);
}

/* False: it is led to from another place than last. */
static bool find_current(uint64_t *frame)
{
    uint64_t at = leads() + cup_layout.thread_indirect;
    *frame = leads();
    if (!is_led_to())
        return true;
    if (at < now.watch.ranges[CURRENT].at ||
        at - now.watch.ranges[CURRENT].at > now.watch.ranges[CURRENT].bytes - sizeof at)
        return false;
    *frame = seen(CURRENT, at - now.watch.ranges[CURRENT].at);
    return true;
}

/* The newest chunk of its data stack, and up to where that is used. */
static uint64_t chunk_at(void)
{
    return seen(STATE, cup_layout.thread_chunk - cup_layout.thread_frame);
}

static uint64_t chunk_limit(void)
{
    return seen(STATE, cup_layout.thread_chunk - cup_layout.thread_frame + 8);
}

/* ---- what is copied ---------------------------------------------------------------------- */

static void watch_range(int range, uint64_t at, size_t bytes)
{
    now.watch.ranges[range].at = at;
    now.watch.ranges[range].bytes = (uint32_t)bytes;
}

/* The stack of C around it: calls from there to Python and back are in it, too. */
static void watch_current(void)
{
    uint64_t at = (leads() + cup_layout.thread_indirect) & ~UINT64_C(7);
    uint64_t from = at % PAGE < PAGE / 2 ? at - PAGE / 2 : at - at % PAGE;
    watch_range(CURRENT, from, CUP_WATCH_BYTES);
}

static void start(uint64_t state)
{
    now.state = state;
    now.known = false;
    now.watch.count = is_led_to() ? CURRENT + 1 : STATE + 1;
    watch_range(STATE, state + cup_layout.thread_frame,
                has_chunks() ? cup_layout.thread_chunk + 16 - cup_layout.thread_frame : 8);
}

/* The part of its newest chunk that is in use. */
static bool add_chunk(void)
{
    if (!has_chunks())
        return true;
    uint64_t chunk = chunk_at(), limit = chunk_limit();
    uint64_t used = (limit - chunk + CHUNK_STEP - 1) / CHUNK_STEP * CHUNK_STEP;
    uint64_t bytes = used < CHUNK_MOST ? used : CHUNK_MOST;
    return limit > chunk && cup_pieces_add(chunk + used - bytes, bytes);
}

/* Where it is not known yet, thread state comes first, on its own. */
static bool find_top(void)
{
    cup_pieces_forget();
    now.known = cup_remote_copy(now.watch.ranges[STATE].seen, now.watch.ranges[STATE].at,
                                now.watch.ranges[STATE].bytes) &&
                add_chunk();
    watch_current();
    return now.known;
}

/* The chunk of the data stack on which it lies, if any. */
static bool add_chunk_with(uint64_t frame)
{
    uint64_t head[2] = {0, 0}; /* the chunk before, and the size of this one */
    uint64_t chunk = has_chunks() ? chunk_at() : 0;
    for (int i = 0; chunk && i < CHUNKS; i++, chunk = head[0]) {
        if (!cup_remote_copy(head, chunk, sizeof head))
            return false;
        if (frame - chunk < head[1])
            return cup_pieces_add(chunk, head[1]);
    }
    return false;
}

/* One that lies elsewhere: on the stack of C, further up on which the next ones may be, or in a
 * generator. */
static bool add_frame(uint64_t frame)
{
    uint64_t to_page_end = PAGE - frame % PAGE;
    return (has_chunks() && cup_pieces_add(frame, to_page_end + PAGE)) ||
           cup_pieces_add(frame, frame_bytes());
}

static bool find_frame(uint64_t frame, struct cup_copies *copies)
{
    return cup_pieces_find(frame, frame_bytes(), copies) ||
           ((add_chunk_with(frame) || add_frame(frame)) &&
            cup_pieces_find(frame, frame_bytes(), copies));
}

/* ---- walking ----------------------------------------------------------------------------- */

static struct step step_of(uint64_t at, const char *frame)
{
    struct step step = {.at = at, .back = (uintptr_t)cup_stack_back_of(frame)};
    if (cup_stack_is_from_c(frame))
        return step;
    const char *code = cup_code_word(frame + cup_layout.frame_code);
    step.code = (uintptr_t)code;
    step.offset = cup_stack_offset_of(frame, code);
    return step;
}

/* False: it leads nowhere. */
static bool walk(uint64_t frame)
{
    stack.count = stack.codes = 0;
    stack.twice = true;
    while (frame && stack.count < STEPS && stack.codes < CUP_REMOTE_CODES) {
        struct cup_copies copies;
        if (!find_frame(frame, &copies))
            return false;
        struct step *step = &stack.steps[stack.count++];
        *step = step_of(frame, copies.second ? copies.second : copies.first);
        stack.codes += step->code != 0;
        stack.twice &= copies.second != NULL;
        frame = step->back;
    }
    stack.cut = frame != 0;
    return true;
}

/* One that was cut has its outermost frame out of sight. A generator that is left while it is
 * looked at ends a stack too early. */
static bool has_root(uint64_t root)
{
    uint32_t outermost = stack.count;
    while (outermost && !stack.steps[outermost - 1].code)
        outermost--;
    return stack.cut || !root || (outermost && stack.steps[outermost - 1].code == root);
}

/* ---- what is certain --------------------------------------------------------------------- */

static bool is_same(const struct step *a, const struct step *b)
{
    return a->at == b->at && a->code == b->code && a->back == b->back;
}

/* How much of a step's frame is the same as long as it waits for another one: on a data stack, all
 * up to that one. */
static size_t bytes_waiting(uint32_t i)
{
    uint64_t at = stack.steps[i].at;
    while (i && !stack.steps[i - 1].code)
        i--;
    uint64_t inner = i ? stack.steps[i - 1].at : 0;
    return inner > at && inner - at < PAGE ? inner - at : frame_bytes();
}

/* Of a frame that is an object, which may have less of them than that. */
static bool same_variables(const struct cup_copies *frame)
{
    enum { SIZE = 16 };
    uint64_t count = (uintptr_t)cup_code_word(frame->second + SIZE);
    size_t bytes = (count < VARIABLES ? count : VARIABLES) * sizeof(uint64_t);
    return memcmp(frame->first + cup_layout.frame_variables,
                  frame->second + cup_layout.frame_variables, bytes) == 0;
}

/* One that went on meanwhile, or was called anew with something else, differs in its variables. */
static bool waited(uint32_t i, const struct cup_copies *frame)
{
    struct cup_copies all;
    size_t before = frame_bytes(), bytes = i ? bytes_waiting(i) : before;
    if (!has_chunks())
        return !i || same_variables(frame);
    if (bytes <= before || !cup_pieces_find(stack.steps[i].at, bytes, &all) || !all.second)
        return true;
    return memcmp(all.first + before, all.second + before, bytes - before) == 0;
}

/* A frame that was there in both copies was there between them, when the current frame was asked
 * for. */
static bool stayed(uint32_t i, bool *moved)
{
    struct cup_copies copies;
    const struct step *step = &stack.steps[i];
    if (!cup_pieces_find(step->at, frame_bytes(), &copies) || !copies.second)
        return false;
    struct step first = step_of(step->at, copies.first);
    *moved = first.offset != step->offset;
    return is_same(step, &first) && (*moved || waited(i, &copies));
}

/* How many steps, counted from the outermost, stayed, up to the first whose instruction is another
 * now: which one called what follows is not known. */
static uint32_t count_stayed(void)
{
    bool moved = false;
    uint32_t same = 0;
    for (; same < stack.count && !moved; same++) {
        struct step *step = &stack.steps[stack.count - 1 - same];
        if (!stayed(stack.count - 1 - same, &moved))
            break;
        if (moved && same + 1 < stack.count)
            step->offset = CUP_AT_UNKNOWN;
    }
    return same;
}

/* Likewise how many there are that were there at the attempt before. */
static uint32_t count_as_before(void)
{
    bool moved = false;
    uint32_t same = 0;
    for (; same < stack.count && same < before.count && !moved; same++) {
        const struct step *step = &stack.steps[stack.count - 1 - same];
        const struct step *old = &before.steps[before.count - 1 - same];
        if (!is_same(step, old))
            break;
        moved = step->offset != old->offset;
    }
    return same;
}

/* ---- attempts ---------------------------------------------------------------------------- */

static bool look_once(uint64_t root)
{
    uint64_t frame;
    if ((!now.known && !find_top()) || !(now.known = cup_pieces_copy(&now.watch)))
        return false;
    bool found = find_current(&frame) && walk(frame) && has_root(root);
    watch_current();
    return found;
}

static uint32_t least(uint32_t a, uint32_t b)
{
    return a < b ? a : b;
}

/* How many steps of the stack, counted from the outermost, are certain: if all, it is whole.
 *
 * What the innermost step that stayed calls is certain, too, whatever came there between the
 * copies: only that step itself can have called it. But one that is called anew all the time may
 * seem to stay; one that seems so several times did. */
static uint32_t look(const struct cup_remote_stack *thread)
{
    uint32_t certain = 0, looks = 0;
    start(thread->state);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (!look_once(thread->root))
            continue;
        uint32_t same = stack.twice ? count_stayed() : stack.count;
        if (stack.twice && same == stack.count)
            return same;
        if (looks++)
            same = least(least(same, count_as_before()), certain);
        certain = same;
        before = stack;
        if (looks >= LOOKS && stack.twice && certain + 1 >= stack.count)
            break;
    }
    if (!looks)
        return stack.count = 0;
    stack = before;
    if (!stack.twice)
        return looks > 1 ? certain : 0;
    return certain ? least(certain + 1, stack.count) : 0;
}

/* ---- the whole --------------------------------------------------------------------------- */

static uint32_t ids[STEPS];

/* Those on the stack, each but once: a function that calls itself stands there many times. */
static struct {
    struct cup_remote_code of[CUP_REMOTE_CODES];
    uint32_t count;
} codes;

static uint32_t place_of(uint64_t code)
{
    uint32_t at = 0;
    while (at < codes.count && codes.of[at].address != code)
        at++;
    if (at == codes.count)
        codes.of[codes.count++].address = code;
    return at;
}

/* How many of SAME steps have code objects that are certain, counted from the outermost. */
static uint32_t name(uint32_t same)
{
    uint8_t places[STEPS];
    uint32_t first = stack.count - same, certain = 0;
    codes.count = 0;
    for (uint32_t i = first; i < stack.count; i++)
        places[i] = stack.steps[i].code ? (uint8_t)place_of(stack.steps[i].code) : 0;
    cup_remote_codes(codes.of, codes.count);
    for (uint32_t i = stack.count; i-- > first; certain++) {
        const struct cup_remote_code *code = &codes.of[places[i]];
        if (stack.steps[i].code && !code->certain)
            break;
        ids[i] = code->id;
    }
    return certain;
}

/* Of SAME steps, outermost first, on top of UNDER. */
static uint32_t node_of(uint32_t same, uint32_t under)
{
    uint32_t node = stack.cut ? cup_stack_node(under, CUP_NODE_CUT, 0) : under;
    for (uint32_t i = stack.count; i-- > stack.count - same;)
        if (stack.steps[i].code && ids[i] &&
            !(node = cup_stack_node(node, ids[i], stack.steps[i].offset)))
            return 0;
    return node;
}

static uint32_t unknown_above(uint32_t node)
{
    return node ? cup_stack_node(node, CUP_NODE_UNKNOWN, 0) : 0;
}

/* A code object that was met before, and is the same after the stack was copied, was so when it
 * was. Of one that is met for the first time that is not certain: the stack is looked at again. */
uint32_t cup_remote_node(const struct cup_remote_stack *thread, uint32_t under, bool *torn)
{
    uint32_t known = 0;
    *torn = false;
    if (!thread->state)
        return under;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t same = look(thread);
        known = name(same);
        if (known == same)
            break;
    }
    *torn = !known || known < stack.count;
    return *torn ? unknown_above(known ? node_of(known, under) : 0) : node_of(known, under);
}

/* ---- of the thread itself ---------------------------------------------------------------- */

struct cup_remote_stack cup_remote_self(void)
{
    struct cup_remote_stack self = {.state = (uintptr_t)cup_python_thread_fast()};
    struct cup_frame frame;
    for (bool more = cup_frames_top(&frame); more; more = cup_frames_back(&frame))
        self.root = (uintptr_t)cup_frames_code(frame);
    return self;
}

bool cup_remote_verify(void)
{
    cup_remote_process = cup_raw_getpid();
    uint64_t word = 0x7ace5a17;
    return cup_remote_word((uintptr_t)&word) == word;
}

/* ---- contexts ---------------------------------------------------------------------------- */

/* A context of few variables, whose map is one node, as cup_context_task() reads it. */
static uint64_t find_carrier(uint64_t map)
{
    uint64_t head[CUP_BITMAP_PAIRS], pair[2], root = cup_remote_word(map + 8 * CUP_MAP_ROOT);
    if (!root || !cup_remote_copy(head, root, sizeof head) ||
        head[1] != (uintptr_t)cup_context.bitmap_type)
        return 0;
    uint32_t bits = (uint32_t)head[CUP_BITMAP_BITS];
    if (!(bits & cup_context.root_bit))
        return 0;
    uint64_t at = CUP_BITMAP_PAIRS + 2 * cup_context_bits_below(bits, cup_context.root_bit);
    if (!cup_remote_copy(pair, root + 8 * at, sizeof pair) ||
        pair[0] != (uintptr_t)cup_context.variable)
        return 0;
    return pair[1];
}

uint32_t cup_remote_task(const struct cup_remote_stack *thread)
{
    const void *digits[CUP_INTEGER_DIGITS + 1];
    if (!thread->state || !__atomic_load_n(&cup_context.verified, __ATOMIC_ACQUIRE))
        return 0;
    uint64_t context = cup_remote_word(thread->state + cup_context.thread_context);
    uint64_t map = context ? cup_remote_word(context + 8 * CUP_CONTEXT_VARIABLES) : 0;
    uint64_t carrier = map ? find_carrier(map) : 0;
    if (!carrier || !cup_remote_copy(digits, carrier, sizeof digits))
        return 0;
    return cup_context_carried(digits);
}
