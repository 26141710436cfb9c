#include "preload/stacks/stacks.h"

#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/python/code_text.h"
#include "preload/python/frames.h"
#include "preload/python/stack_frames.h"
#include "preload/stacks/chain_memo.h"
#include "preload/stacks/last_stack.h"
#include "preload/stacks/merge_frames.h"
#include "preload/stacks/modules.h"
#include "preload/stacks/stack_tables.h"
#include "preload/sys/id_table.h"

#include <errno.h>
#include <string.h>

/* Deeper stacks lose their outermost frames. */
enum { FRAMES_MOST = CUP_MERGE_PYTHON_MOST };

static enum cup_stacks_mode mode;
static bool verified;
static uint32_t
    epoch; /* number of resets; part of each stack's hash, so that a reset empties the cache */

bool cup_stacks_stressed;

void cup_stacks_want(enum cup_stacks_mode wanted)
{
    mode = wanted;
}

bool cup_stacks_on(void)
{
    return __atomic_load_n(&verified, __ATOMIC_ACQUIRE) && cup_python_usable();
}

/* ---- the cache of stacks ----------------------------------------------------------------- */

/* Maps the hash of a whole stack to its node, without locks: KEY is the hash XOR the node, so an
 * entry that two threads write at the same time, half each, matches no hash. One cache line holds
 * four entries. */
enum { LINE_BITS = 12, WAYS = 4 };
static struct {
    uint64_t key, node;
} cache[1 << LINE_BITS][WAYS] __attribute__((aligned(64)));

static inline uint32_t find_cached(uint64_t hash)
{
    size_t line = hash >> (64 - LINE_BITS);
    for (int i = 0; i < WAYS; i++) {
        uint64_t node = __atomic_load_n(&cache[line][i].node, __ATOMIC_RELAXED);
        if ((__atomic_load_n(&cache[line][i].key, __ATOMIC_RELAXED) ^ node) == hash)
            return (uint32_t)node;
    }
    return 0;
}

static void cache_stack(uint64_t hash, uint32_t node)
{
    size_t line = hash >> (64 - LINE_BITS), slot = hash % WAYS;
    for (size_t i = 0; i < WAYS; i++)
        if (!cache[line][i].node)
            slot = i;
    __atomic_store_n(&cache[line][slot].key, hash ^ node, __ATOMIC_RELAXED);
    __atomic_store_n(&cache[line][slot].node, node, __ATOMIC_RELAXED);
}

/* Hashes each frame's instruction and its code object's fingerprint. Frames beyond FRAMES_MOST
 * count as one. The hash is a polynomial over the frames' own hashes, so that the processor can
 * compute those of several frames at once. Two stacks with the same 64-bit hash would be taken for
 * one: with a million stacks that happens in one of about 40 million processes. */
static inline __attribute__((always_inline)) uint64_t hash_frames(const struct cup_layout *layout,
                                                                  const char *frame, uint64_t hash)
{
    int left = FRAMES_MOST + 1;
    for (; frame; frame = cup_stack_back_of(layout, frame)) {
        const char *code = cup_stack_code_of(layout, frame);
        if (__builtin_expect(!code, 0))
            continue;
        if (__builtin_expect(--left == 0, 0))
            return cup_mix(hash, CUP_NODE_CUT);
        hash *= UINT64_C(0x9e3779b97f4a7c15);
        hash +=
            cup_mix(cup_stack_place_of(layout, frame, code), cup_code_fingerprint_of(layout, code));
    }
    return cup_mix(hash, FRAMES_MOST);
}

/* The minor version of Python whose listed layout is exactly the running interpreter's; 0: none. */
static int hashed_as;

static void choose_hash(void)
{
    enum { COUNT = sizeof cup_layouts / sizeof *cup_layouts };
    struct cup_layout listed = cup_layouts[cup_py.minor < COUNT ? cup_py.minor : 0];
    listed.thread_chunk = cup_layout.thread_chunk; /* not used here; may have failed to verify */
    hashed_as = memcmp(&listed, &cup_layout, sizeof listed) == 0 ? cup_py.minor : 0;
}

/* The compiler turns constant offsets into a loop with two thirds of the instructions. */
static uint64_t hash_stack(const char *frame, uint32_t under)
{
    uint64_t hash = cup_mix(under, __atomic_load_n(&epoch, __ATOMIC_RELAXED));
    if (hashed_as == 11)
        return hash_frames(&cup_layouts[11], frame, hash);
    if (hashed_as == 13)
        return hash_frames(&cup_layouts[13], frame, hash);
    if (hashed_as == 14)
        return hash_frames(&cup_layouts[14], frame, hash);
    if (hashed_as == 12)
        return hash_frames(&cup_layouts[12], frame, hash);
    if (hashed_as == 10)
        return hash_frames(&cup_layouts[10], frame, hash);
    if (hashed_as == 9)
        return hash_frames(&cup_layouts[9], frame, hash);
    return hash_frames(&cup_layout, frame, hash);
}

/* ---- verification ------------------------------------------------------------------------ */

/* Called by Python's atexit. Afterwards the interpreter frees the frames of daemon threads. */
static cup_object *end_stacks(cup_object *self, cup_object *none)
{
    (void)self, (void)none;
    int saved = errno;
    cup_guard();
    __atomic_store_n(&verified, false, __ATOMIC_SEQ_CST);
    cup_stack_walkers_wait();
    cup_unguard();
    errno = saved;
    return cup_python_nothing();
}

const char *cup_stacks_verify(void)
{
    static const struct cup_python_method method = {"cupping_last_stack", end_stacks,
                                                    CUP_METHOD_WITHOUT_ARGUMENTS, NULL};
    const char *why = mode == CUP_STACKS_OFF ? "" : cup_stack_layout_verify();
    if (!why && !cup_python_at_exit(&method))
        why = "Python's atexit accepts no function";
    if (why)
        return why;
    choose_hash();
    __atomic_store_n(&verified, true, __ATOMIC_RELEASE);
    cup_stacks_stressed = mode == CUP_STACKS_STRESS;
    return NULL;
}

/* ---- stacks that are not in the cache ----------------------------------------------------- */

struct stack {
    const char *frames[FRAMES_MOST]; /* innermost first */
    struct cup_merge_python python;  /* describes frames[] */
    const struct cup_native *native; /* NULL: without native frames */
    struct cup_merged merged;
};

static void collect_frames(const char *frame, struct stack *stack)
{
    struct cup_merge_python *python = &stack->python;
    int depth = 0;
    python->count = 0;
    for (; frame && depth < FRAMES_MOST; frame = cup_stack_back_of(&cup_layout, frame)) {
        const char *code = cup_stack_code_of(&cup_layout, frame);
        if (!code)
            continue;
        depth++;
        if (!cup_stack_is_shim(code))
            stack->frames[python->count++] = frame;
        /* A shim frame may be the outermost one of its segment: then the frame collected before it,
         * which it called, counts as the outermost one. */
        if (python->count)
            python->ends[python->count - 1] = cup_stack_is_entry(frame);
    }
    while (frame && !cup_stack_code_of(&cup_layout, frame))
        frame = cup_stack_back_of(&cup_layout, frame);
    python->cut = frame != NULL;
}

static void merge_frames(struct stack *stack)
{
    enum cup_native_kind kinds[CUP_NATIVE_MOST];
    const struct cup_native *native = stack->native;
    uint32_t count = native ? native->count : 0;
    for (uint32_t i = 0; i < count; i++)
        kinds[i] = cup_native_kind(cup_native_call(native->at[i]));
    cup_merge(&stack->python, kinds, count, native && native->cut, &stack->merged);
    if (stack->merged.apart)
        cup_log_health(CUP_H_NATIVE_APART, 1);
}

static uint32_t code_id(const char *code)
{
    static struct cup_code_buffers buffers;
    struct cup_code_facts facts = {.address = (uintptr_t)code,
                                   .fingerprint = cup_code_fingerprint_of(&cup_layout, code)};
    uint32_t id = cup_codes_find(facts.address, facts.fingerprint);
    if (id)
        return id;
    struct cup_code_parts parts = {code, cup_code_word(code + cup_layout.code_label),
                                   cup_code_word(code + cup_layout.code_file),
                                   cup_code_word(code + cup_layout.code_table)};
    cup_code_read(&parts, &facts, &buffers);
    return cup_codes_add(&facts);
}

/* name_python() and name_native() fill in the function (or module) and the offset of a node; its
 * parent is filled in later. False: no room for the function (or module). */
static bool name_python(const char *frame, struct cup_stack_node *node)
{
    const char *code = cup_stack_code_of(&cup_layout, frame);
    *node = (struct cup_stack_node){0, code_id(code), cup_stack_offset_of(frame, code)};
    return node->of != 0;
}

static bool name_native(const void *call, struct cup_stack_node *node)
{
    uint32_t module = cup_module_of((uintptr_t)call);
    uint64_t offset = (uintptr_t)call - cup_module_range(module).low;
    cup_module_used(module);
    uint32_t record = offset < CUP_AT_UNKNOWN ? cup_module_record(module) : 0;
    *node = (struct cup_stack_node){0, CUP_NODE_NATIVE + record,
                                    record ? (uint32_t)offset : CUP_AT_UNKNOWN};
    return record || !module;
}

static bool name_frame(const struct stack *stack, uint32_t which, struct cup_stack_node *node)
{
    uint32_t index = stack->merged.frames[which].index;
    switch ((enum cup_merged_kind)stack->merged.frames[which].kind) {
    case CUP_MERGED_PYTHON:
        return name_python(stack->frames[index], node);
    case CUP_MERGED_NATIVE:
        return name_native(cup_native_call(stack->native->at[index]), node);
    case CUP_MERGED_GAP:
        *node = (struct cup_stack_node){0, CUP_NODE_UNKNOWN, 0};
    }
    return true;
}

/* NODES get the frames in order of calls: outermost first. */
static bool name_frames(const struct stack *stack, struct cup_stack_node *nodes)
{
    bool named = true;
    for (uint32_t i = 0; i < stack->merged.count && named; i++)
        named = name_frame(stack, stack->merged.count - 1 - i, nodes + i);
    return named;
}

/* Follows the frames through the tree, from UNDER towards the innermost one, as far as they are in
 * it, then adds the rest. Returns the innermost frame's node. */
static uint32_t find_node(struct cup_stack_node *nodes, uint32_t count, uint32_t under)
{
    uint32_t at = 0, node = under;
    for (uint32_t next; at < count; at++, node = next) {
        nodes[at].parent = node;
        next = cup_nodes_find(node, nodes[at].of, nodes[at].at);
        if (!next)
            break;
    }
    return at < count ? cup_nodes_add(nodes + at, count - at) : node;
}

static uint32_t find_or_add_node(const struct stack *stack, uint32_t under)
{
    struct cup_stack_node nodes[CUP_MERGE_MOST + 1] = {{0, CUP_NODE_CUT, 0}};
    uint32_t cut = stack->merged.cut, node = 0;
    if (!stack->merged.count)
        return under;
    cup_stack_tables_lock();
    if (name_frames(stack, nodes + cut))
        node = find_node(nodes, stack->merged.count + cut, under);
    cup_stack_tables_unlock();
    if (!node)
        cup_log_health(CUP_H_STACKS_DROPPED, 1);
    return node;
}

/* Takes 4 KiB of stack. */
static __attribute__((noinline)) uint32_t
collect_stack(const char *frame, const struct cup_native *native, uint32_t under, uint64_t hash)
{
    struct stack stack = {.native = native};
    int saved = errno;
    collect_frames(frame, &stack);
    merge_frames(&stack);
    uint32_t node = find_or_add_node(&stack, under);
    if (node)
        cache_stack(hash, node);
    errno = saved;
    return node;
}

/* The stack of a signal handler may have 8 KiB in all. */
static __attribute__((noinline)) uint32_t
add_stack(const char *frame, const struct cup_native *native, uint32_t under, uint64_t hash)
{
    if (!cup_native_on_signal_stack())
        return collect_stack(frame, native, under, hash);
    cup_log_health(CUP_H_STACKS_DROPPED, 1);
    return 0;
}

static inline bool may_read(void)
{
    return __atomic_load_n(&verified, __ATOMIC_ACQUIRE) && cup_active();
}

static inline uint32_t find_here(struct cup_frame top, uint32_t under)
{
    if (!top.at)
        return under;
    uint64_t hash = hash_stack(top.at, under);
    uint32_t node = find_cached(hash);
    return node ? node : add_stack(top.at, NULL, under, hash);
}

uint32_t cup_stack_here(uint32_t under)
{
    struct cup_stack_walker *walk = cup_stack_walk_begins();
    struct cup_frame top;
    uint32_t node = may_read() ? (cup_frames_top(&top), find_here(top, under)) : 0;
    cup_stack_walk_ends(walk);
    return node;
}

/* The instructions of the innermost frames, and where the frame around them is. */
static uint64_t hash_innermost(const char *frame)
{
    enum { FRAMES = 6 };
    uint64_t hash = (uintptr_t)frame;
    for (int i = 0; frame && i < FRAMES; i++) {
        const char *code = cup_stack_code_of(&cup_layout, frame);
        hash = cup_mix(hash, code ? cup_stack_place_of(&cup_layout, frame, code) : 0);
        frame = cup_stack_back_of(&cup_layout, frame);
    }
    return cup_mix(hash, (uintptr_t)frame);
}

uint64_t cup_stack_glance(void)
{
    struct cup_stack_walker *walk = cup_stack_walk_begins();
    struct cup_frame top;
    uint64_t hash = may_read() && cup_frames_top(&top) ? hash_innermost(top.at) : 0;
    cup_stack_walk_ends(walk);
    return hash;
}

/* ---- with native frames ------------------------------------------------------------------ */

/* A stack whose native frames are wanted, and the place that wants them. */
struct spot {
    const char *frame; /* innermost Python frame; NULL: none */
    uint32_t under;
    uint64_t hash; /* of the Python stack above UNDER */
    uint64_t key;  /* of that and of the list of loaded modules */
    const uint64_t
        *first; /* points to the return address into the function that called the library */
};

static void keep_chain(const struct cup_native *native, const struct spot *spot)
{
    uint32_t from = 0;
    while (from < native->own && (uintptr_t)native->at[from] != *spot->first)
        from++;
    if (from < native->own)
        cup_chain_keep(spot->key, spot->first, cup_native_stack_end(), native->at + from,
                       native->count - from, native->hash);
}

static __attribute__((noinline)) uint32_t unwind_stack(const struct spot *spot, bool keeps)
{
    struct cup_native native;
    cup_native_here(&native);
    if (keeps)
        keep_chain(&native, spot);
    uint64_t whole = cup_mix(spot->hash, native.hash);
    uint32_t node = find_cached(whole);
    return node ? node : add_stack(spot->frame, &native, spot->under, whole);
}

static uint32_t find_without_native(const struct spot *spot)
{
    uint32_t node = find_cached(spot->hash);
    return node || !spot->frame ? node : add_stack(spot->frame, NULL, spot->under, spot->hash);
}

/* Stress mode: compares a chain that chain_memo.h recognised with what libunwind finds. */
static __attribute__((noinline)) void check_chain(uint64_t chain)
{
    struct cup_native native;
    cup_native_here(&native);
    if (native.hash != chain)
        cup_log_note("chain memo: a chain of native frames was taken for another one");
}

static uint32_t find_by_chain(const struct spot *spot, uint64_t chain)
{
    if (__builtin_expect(cup_stacks_stressed, 0))
        check_chain(chain);
    uint32_t node = find_cached(cup_mix(spot->hash, chain));
    if (node)
        return node;
    return cup_native_has_room() ? unwind_stack(spot, false) : find_without_native(spot);
}

static inline uint32_t find_native_here(struct cup_frame top, uint32_t under, bool at_any_cost,
                                        const uint64_t *first)
{
    uint64_t hash = hash_stack(top.at, under);
    struct spot spot = {top.at, under, hash, cup_mix(hash, cup_modules_closes()), first};
    uint64_t chain = cup_chain_find(spot.key, first);
    if (chain && chain != CUP_CHAIN_HOPELESS)
        return find_by_chain(&spot, chain);
    if ((chain && !at_any_cost) || !cup_native_has_room())
        return find_without_native(&spot);
    return unwind_stack(&spot, true);
}

static uint32_t find_best(struct cup_frame top, uint32_t under, bool at_any_cost,
                          const uint64_t *first)
{
    return cup_native_may() ? find_native_here(top, under, at_any_cost, first)
                            : find_here(top, under);
}

static inline uint32_t find_dear(uint32_t under, const uint64_t *first)
{
    struct cup_frame top;
    if (!may_read())
        return 0;
    cup_frames_top(&top);
    return find_best(top, under, true, first);
}

/* What must be the same, besides the Python frames, for a stack to be the last one. */
static inline uint64_t last_stack_key(uint32_t under, const uint64_t *first)
{
    uint64_t seed = cup_mix(under, __atomic_load_n(&epoch, __ATOMIC_RELAXED));
    return cup_mix(seed + cup_modules_closes(), (uintptr_t)first);
}

static inline uint32_t find_cheap(uint32_t under, const uint64_t *first, uint64_t now)
{
    struct cup_frame top;
    if (!may_read())
        return 0;
    if (!cup_frames_top(&top))
        return find_best(top, under, false, first);
    uint64_t key = last_stack_key(under, first);
    uint32_t node = cup_last_stack_find(top.at, key, now);
    if (node)
        return node;
    node = find_best(top, under, false, first);
    if (node)
        cup_last_stack_keep(top.at, key, now, node);
    return node;
}

/* The address of the current function's return address: it lies just above the frame pointer. The
 * functions that use it must not be inlined. */
#define CALLED_FROM ((const uint64_t *)__builtin_frame_address(0) + 1)

__attribute__((noinline)) uint32_t cup_stack_native_here(uint32_t under)
{
    struct cup_stack_walker *walk = cup_stack_walk_begins();
    uint32_t node = find_dear(under, CALLED_FROM);
    cup_stack_walk_ends(walk);
    return node;
}

__attribute__((noinline)) uint32_t cup_stack_event_here(uint32_t under, bool at_any_cost,
                                                        uint64_t now)
{
    struct cup_stack_walker *walk = cup_stack_walk_begins();
    const uint64_t *first = CALLED_FROM;
    uint32_t node = at_any_cost ? find_dear(under, first) : find_cheap(under, first, now);
    cup_stack_walk_ends(walk);
    return node;
}

/* ---- for the sampler ---------------------------------------------------------------------- */

uint32_t cup_code_find(uint64_t address, uint64_t fingerprint)
{
    cup_stack_tables_lock();
    uint32_t id = cup_codes_find(address, fingerprint);
    cup_stack_tables_unlock();
    return id;
}

uint32_t cup_code_add(const struct cup_code_facts *facts)
{
    int saved = errno;
    cup_stack_tables_lock();
    uint32_t id = cup_codes_add(facts);
    cup_stack_tables_unlock();
    errno = saved;
    return id;
}

uint32_t cup_stack_node(uint32_t parent, uint32_t of, uint32_t at)
{
    struct cup_stack_node node = {parent, of, at};
    int saved = errno;
    cup_stack_tables_lock();
    uint32_t id = find_node(&node, 1, parent);
    cup_stack_tables_unlock();
    if (!id)
        cup_log_health(CUP_H_STACKS_DROPPED, 1);
    errno = saved;
    return id;
}

/* ---- reset and stress --------------------------------------------------------------------- */

void cup_stacks_reset(void)
{
    memset(cup_stack_walkers, 0, sizeof cup_stack_walkers); /* no other thread exists */
    __atomic_store_n(&epoch, epoch + 1, __ATOMIC_RELAXED);
    cup_stack_tables_reset();
    cup_modules_reset();
}

void cup_stacks_stress(void)
{
    if (cup_self.guard)
        return;
    cup_guard();
    if (cup_node_record(cup_stack_native_here(0)))
        cup_log_health(CUP_H_STACKS_TAKEN, 1);
    cup_nodes_write();
    cup_unguard();
}
