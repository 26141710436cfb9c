#include "preload/sampler/remote_stack.h"

#include "preload/attribution/context.h"
#include "preload/python/frames.h"
#include "preload/python/stack_frames.h"
#include "preload/sampler/remote_copies.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/raw.h"

#include <string.h>
#include <sys/param.h>

enum {
    PAGE = 4096,
    VARIABLES = 4,                /* local variables of a frame object that are compared */
    CHUNK_MOST = 32 * 1024,       /* bytes of a data stack's inner end that are copied */
    CHUNK_STEP = 1024,            /* the size copied is a multiple: room for a few more calls */
    CHUNKS = 5,                   /* chunks of a data stack that are searched for a frame */
    STEPS = 2 * CUP_REMOTE_CODES, /* frames, with entries from C */
    ATTEMPTS = 8,                 /* attempts to copy a stack consistently */
    LOOKS = 3,                    /* successful attempts after which a changing part is accepted */
    ROUNDS = 5,                   /* looks at a stack that contains new code objects */
};

/* How a consistent stack is obtained: one system call copies all frames, then the pointer to the
 * current frame, then all frames again (remote_copies.h). A frame that is the same in both copies
 * existed at the moment between them, when the pointer to the current frame was copied. So if all
 * frames from the current one outwards are the same in both copies, they are the thread's stack at
 * that moment. Memory is reused quickly (frames lie on a stack), so one copy alone could mix frames
 * of different moments. */

/* ---- the thread that is read --------------------------------------------------------------- */

/* The watched ranges: the thread state, and, in 3.11 and 3.12, the C structure (_PyCFrame) to which
 * it points and which points to the current frame. */
enum { STATE, CURRENT };

static struct {
    struct cup_watch watch;
    bool known; /* the ranges and pieces of the last attempt could be copied: try them again */
} now;

/* One frame. code is 0 for an entry frame, which the interpreter creates when C code calls
 * Python. */
struct step {
    uint64_t at, code, back;
    uint32_t offset; /* of the instruction, in the code */
};

/* A stack, innermost frame first. */
static struct steps {
    struct step steps[STEPS];
    uint32_t count, codes;
    bool cut;    /* the outermost frames are missing */
    bool twice;  /* all of them were copied twice */
} stack, before; /* this attempt's, and the last successful one's */

/* Since 3.11 frames lie on the thread's data stack, in chunks. In 3.9 and 3.10 each frame is an
 * object of its own. */
static bool has_chunks(void)
{
    return cup_layout.thread_chunk != CUP_NOWHERE &&
           cup_layout.thread_chunk + 16 - cup_layout.thread_frame <= CUP_WATCH_BYTES;
}

static bool has_frame_objects(void)
{
    return cup_layout.code_instructions == CUP_NOWHERE;
}

static size_t frame_bytes(void)
{
    return cup_layout.frame_variables + (has_frame_objects() ? VARIABLES * sizeof(uint64_t) : 0);
}

static uint64_t watched_word(int range, uint64_t offset)
{
    return (uintptr_t)cup_code_word(now.watch.ranges[range].seen + offset);
}

/* MORE 0: the innermost chunk of the data stack; 8: the end of its used part. */
static uint64_t chunk_word(size_t more)
{
    return watched_word(STATE, cup_layout.thread_chunk - cup_layout.thread_frame + more);
}

/* Sets *FRAME to the current frame. False: the pointer to it is outside of the range that was
 * watched, because the thread went on to another place. */
static bool find_current(uint64_t *frame)
{
    *frame = watched_word(STATE, 0);
    uint64_t at = *frame + cup_layout.thread_indirect;
    if (cup_layout.thread_indirect == CUP_NOWHERE)
        return true;
    if (at < now.watch.ranges[CURRENT].at ||
        at - now.watch.ranges[CURRENT].at > now.watch.ranges[CURRENT].bytes - sizeof at)
        return false;
    *frame = watched_word(CURRENT, at - now.watch.ranges[CURRENT].at);
    return true;
}

/* ---- what is copied ----------------------------------------------------------------------- */

static void watch_range(int range, uint64_t at, size_t bytes)
{
    now.watch.ranges[range].at = at;
    now.watch.ranges[range].bytes = (uint32_t)bytes;
}

/* The _PyCFrame is on the thread's C stack. The watched range extends around it, because calls from
 * C to Python move it. */
static void watch_current(void)
{
    uint64_t at = (watched_word(STATE, 0) + cup_layout.thread_indirect) & ~UINT64_C(7);
    uint64_t from = at % PAGE < PAGE / 2 ? at - PAGE / 2 : at - at % PAGE;
    watch_range(CURRENT, from, CUP_WATCH_BYTES);
}

static void set_thread(uint64_t state)
{
    now.known = false;
    now.watch.count = cup_layout.thread_indirect == CUP_NOWHERE ? STATE + 1 : CURRENT + 1;
    watch_range(STATE, state + cup_layout.thread_frame,
                has_chunks() ? cup_layout.thread_chunk + 16 - cup_layout.thread_frame : 8);
}

/* Adds the used part of the innermost chunk to the pieces. */
static bool add_chunk(void)
{
    if (!has_chunks())
        return true;
    uint64_t chunk = chunk_word(0), limit = chunk_word(8);
    uint64_t used = (limit - chunk + CHUNK_STEP - 1) / CHUNK_STEP * CHUNK_STEP;
    uint64_t bytes = used < CHUNK_MOST ? used : CHUNK_MOST;
    return limit > chunk && cup_pieces_add(chunk + used - bytes, bytes);
}

/* At the first attempt the thread state is copied alone, to find out what else to copy. */
static bool find_ranges(void)
{
    cup_pieces_clear();
    now.known = cup_remote_copy(now.watch.ranges[STATE].seen, now.watch.ranges[STATE].at,
                                now.watch.ranges[STATE].bytes) &&
                add_chunk();
    watch_current();
    return now.known;
}

/* Adds the chunk of the data stack in which FRAME lies. False: in none. */
static bool add_chunk_with(uint64_t frame)
{
    uint64_t head[2] = {0, 0}; /* of a _PyStackChunk: previous chunk, size */
    uint64_t chunk = has_chunks() ? chunk_word(0) : 0;
    for (int i = 0; chunk && i < CHUNKS; i++, chunk = head[0]) {
        if (!cup_remote_copy(head, chunk, sizeof head))
            return false;
        if (frame - chunk < head[1])
            return cup_pieces_add(chunk, head[1]);
    }
    return false;
}

/* Adds a frame that is not on the data stack: on the C stack (entry frames; the next ones are
 * further up, so a page more is copied), in a generator, or an object. */
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

static struct step read_step(uint64_t at, const char *frame)
{
    struct step step = {.at = at, .back = (uintptr_t)cup_stack_back_of(&cup_layout, frame)};
    if (cup_stack_is_from_c(&cup_layout, frame))
        return step;
    const char *code = cup_stack_referent(cup_code_word(frame + cup_layout.frame_code));
    step.code = (uintptr_t)code;
    step.offset = cup_stack_offset_of(frame, code);
    return step;
}

/* Follows the frames from FRAME outwards. False: a frame could not be copied. */
static bool walk_frames(uint64_t frame)
{
    stack.count = stack.codes = 0;
    stack.twice = true;
    while (frame && stack.count < STEPS && stack.codes < CUP_REMOTE_CODES) {
        struct cup_copies copies;
        if (!find_frame(frame, &copies))
            return false;
        struct step *step = &stack.steps[stack.count++];
        *step = read_step(frame, copies.second ? copies.second : copies.first);
        stack.codes += step->code != 0;
        stack.twice &= copies.second != NULL;
        frame = step->back;
    }
    stack.cut = frame != 0;
    return true;
}

/* True if the stack ends with the thread's outermost function. It does not if a generator on it was
 * left while it was being read: a generator's frame that is not running has no caller. */
static bool reaches_root(uint64_t root)
{
    uint32_t outermost = stack.count;
    while (outermost && !stack.steps[outermost - 1].code)
        outermost--;
    return stack.cut || !root || (outermost && stack.steps[outermost - 1].code == root);
}

/* ---- what is certain ----------------------------------------------------------------------- */

static bool is_same(const struct step *a, const struct step *b)
{
    return a->at == b->at && a->code == b->code && a->back == b->back;
}

/* The bytes of a frame that do not change while it waits for the frame that it called: on a data
 * stack everything up to that frame. */
static size_t unchanging_bytes(uint32_t i)
{
    uint64_t at = stack.steps[i].at;
    while (i && !stack.steps[i - 1].code)
        i--;
    uint64_t inner = i ? stack.steps[i - 1].at : 0;
    return inner > at && inner - at < PAGE ? inner - at : frame_bytes();
}

/* Compares the local variables of a frame object, which may have fewer than VARIABLES. */
static bool has_same_variables(const struct cup_copies *frame)
{
    enum { SIZE = 16 };
    uint64_t count = (uintptr_t)cup_code_word(frame->second + SIZE);
    size_t bytes = (count < VARIABLES ? count : VARIABLES) * sizeof(uint64_t);
    return memcmp(frame->first + cup_layout.frame_variables,
                  frame->second + cup_layout.frame_variables, bytes) == 0;
}

/* True if frame I waited for its callee all the time. One that went on, or that returned and was
 * called again, most likely has other local variables. */
static bool has_waited(uint32_t i, const struct cup_copies *frame)
{
    struct cup_copies all;
    size_t before = frame_bytes(), bytes = i ? unchanging_bytes(i) : before;
    if (has_frame_objects())
        return !i || has_same_variables(frame);
    if (bytes <= before || !cup_pieces_find(stack.steps[i].at, bytes, &all) || !all.second)
        return true;
    return memcmp(all.first + before, all.second + before, bytes - before) == 0;
}

/* True if frame I is the same in both copies: it existed in between, when the pointer to the
 * current frame was copied. *MOVED: its instruction differs. */
static bool has_stayed(uint32_t i, bool *moved)
{
    struct cup_copies copies;
    const struct step *step = &stack.steps[i];
    if (!cup_pieces_find(step->at, frame_bytes(), &copies) || !copies.second)
        return false;
    struct step first = read_step(step->at, copies.first);
    *moved = first.offset != step->offset;
    return is_same(step, &first) && (*moved || has_waited(i, &copies));
}

/* The number of frames, from the outermost inwards, that stayed; ends with the first one whose
 * instruction has changed, because it is unknown which instruction made the call that follows. */
static uint32_t count_stayed(void)
{
    bool moved = false;
    uint32_t same = 0;
    for (; same < stack.count && !moved; same++) {
        struct step *step = &stack.steps[stack.count - 1 - same];
        if (!has_stayed(stack.count - 1 - same, &moved))
            break;
        if (moved && same + 1 < stack.count)
            step->offset = CUP_AT_UNKNOWN;
    }
    return same;
}

/* The number of frames, from the outermost inwards, that are the same as in the last successful
 * attempt; ends, like count_stayed(), with the first one whose instruction has changed. */
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

static bool try_to_read(uint64_t root)
{
    uint64_t frame;
    if ((!now.known && !find_ranges()) || !(now.known = cup_pieces_copy(&now.watch)))
        return false;
    bool found = find_current(&frame) && walk_frames(frame) && reaches_root(root);
    watch_current();
    return found;
}

/* Reads the stack. Returns how many of its frames, from the outermost inwards, are certain; if that
 * is all of them, the stack is complete.
 *
 * The frame called by the innermost one that stayed is certain too, whatever changed there between
 * the copies: only that frame can have called it. But a frame that is called again and again in the
 * same place may look as if it stayed, so it must do so in several attempts. */
static uint32_t read_stack(const struct cup_remote_stack *thread)
{
    uint32_t certain = 0, looks = 0;
    set_thread(thread->state);
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
        if (!try_to_read(thread->root))
            continue;
        uint32_t same = stack.twice ? count_stayed() : stack.count;
        if (stack.twice && same == stack.count)
            return same;
        if (looks++)
            same = MIN(MIN(same, count_as_before()), certain);
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
    return certain ? MIN(certain + 1, stack.count) : 0;
}

/* ---- the node of the stack ----------------------------------------------------------------- */

static uint32_t ids[STEPS];

/* The different code objects on the stack: a recursive function is on it several times. */
static struct {
    struct cup_remote_code of[CUP_REMOTE_CODES];
    uint32_t count;
} codes;

static uint32_t enter_code(uint64_t code)
{
    uint32_t at = 0;
    while (at < codes.count && codes.of[at].address != code)
        at++;
    if (at == codes.count)
        codes.of[codes.count++].address = code;
    return at;
}

/* Finds the ids of the SAME outermost frames' code objects. Returns how many of them are certain,
 * from the outermost inwards. */
static uint32_t find_ids(uint32_t same)
{
    uint8_t places[STEPS];
    uint32_t first = stack.count - same, certain = 0;
    codes.count = 0;
    for (uint32_t i = first; i < stack.count; i++)
        places[i] = stack.steps[i].code ? (uint8_t)enter_code(stack.steps[i].code) : 0;
    cup_remote_codes(codes.of, codes.count);
    for (uint32_t i = stack.count; i-- > first; certain++) {
        const struct cup_remote_code *code = &codes.of[places[i]];
        if (stack.steps[i].code && !code->certain)
            break;
        ids[i] = code->id;
    }
    return certain;
}

/* The node of the SAME outermost frames, above UNDER. */
static uint32_t find_node(uint32_t same, uint32_t under)
{
    uint32_t node = stack.cut ? cup_stack_node(under, CUP_NODE_CUT, 0) : under;
    for (uint32_t i = stack.count; i-- > stack.count - same;)
        if (stack.steps[i].code && ids[i] &&
            !(node = cup_stack_node(node, ids[i], stack.steps[i].offset)))
            return 0;
    return node;
}

/* A code object that was known before, and is unchanged after the stack was copied, was there when
 * the stack was copied. For one that is new this is uncertain, so the stack is read again. */
uint32_t cup_remote_node(const struct cup_remote_stack *thread, uint32_t under, bool *torn)
{
    uint32_t known = 0;
    *torn = false;
    if (!thread->state)
        return under;
    for (int round = 0; round < ROUNDS; round++) {
        uint32_t same = read_stack(thread);
        known = find_ids(same);
        if (known == same)
            break;
    }
    *torn = !known || known < stack.count;
    uint32_t node = known ? find_node(known, under) : 0;
    return *torn && node ? cup_stack_node(node, CUP_NODE_UNKNOWN, 0) : node;
}

/* ---- the calling thread -------------------------------------------------------------------- */

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

/* Finds our context variable's value in a small context, whose map (a HAMT) has one node. Does what
 * cup_context_task() does, on copies. */
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
