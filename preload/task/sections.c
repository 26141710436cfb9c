#include "preload/task/sections.h"

#include "include/log_pairs.h"
#include "preload/attribution/attribution.h"
#include "preload/counters/block.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/places.h"
#include "preload/sys/spin.h"
#include "preload/waits/wait.h"

#include <stdbool.h>
#include <string.h>

enum {
    MOST_OPEN = 1024, /* sections open at a time, of all threads */
    MOST_KEPT = 1536, /* sums and values kept until their task ends */
    PROBE = 16,       /* places searched for one; if all are taken, one is written and reused */
    WRITTEN_NS = 2 * 1000000000, /* when a section ends and its sum was last written longer ago than
                                    this, it is written: a kill loses no more than so long a time */
    FIRST_COUNTED = CUP_V_HELPER_CPU_NS,
    COUNTED = CUP_SECTION_VALUE_COUNT - FIRST_COUNTED,
};

/* The counters that become values of a section, in the order of the values. Bytes read have a
 * counter for each attribution method: the first of them is in this list, the others are added to
 * it. What servers sent is in the value of bytes received instead. */
static const uint8_t counters[COUNTED] = {
    CUP_C_HELPER_CPU_NS, CUP_C_READ_OWN_BYTES, CUP_C_READ_CALLS,   CUP_C_READ_NS,
    CUP_C_RECV_BYTES,    CUP_C_ALLOC_BYTES,    CUP_C_ALLOC_CALLS,  CUP_C_FREED_BYTES,
    CUP_C_IO_WAIT_NS,    CUP_C_GIL_WAIT_NS,    CUP_C_LOCK_WAIT_NS, CUP_C_SLEEP_NS,
    CUP_C_POLL_WAIT_NS,
};
static const uint8_t other_methods[] = {CUP_C_READ_CONTEXT_BYTES, CUP_C_READ_DESCRIPTOR_BYTES,
                                        CUP_C_READ_HANDOFF_BYTES, CUP_C_READ_INHERITED_BYTES,
                                        CUP_C_READ_SOLE_BYTES,    CUP_C_READ_NONE_BYTES};
_Static_assert(CUP_SECTION_VALUE_COUNT - CUP_V_HELPER_CPU_NS == 13, "a counter for each value");

/* An open section. `outer` is the section of the same thread that was open when this one began. */
struct section {
    uint16_t outer;      /* index + 1 in open[]; 0: none */
    uint16_t generation; /* part of the number: the number of an ended section ends no later one */
    uint16_t dropped;    /* sections right inside that could not begin, and have not ended yet */
    uint32_t tid, task, name, parent;
    uint64_t start_ns, cpu_ns, inner_ns;
    uint64_t peak, live; /* of the block when the section began, bytes */
    uint64_t counted[COUNTED];
};

/* The sum of a task's sections of one name inside one other section, or the values under one name:
 * then `parent` is OF_VALUES, which is no string id. */
#define OF_VALUES UINT32_MAX
struct entry {
    uint32_t used; /* 0: free */
    uint32_t task, name, parent;
    uint64_t written_ns; /* when it was last written; before that, when it began to count */
    union {
        uint64_t sums[CUP_SECTION_VALUE_COUNT];
        struct cup_r_value values; /* `count` is 0: none yet */
    };
};

/* The section that the calling thread entered last, of those that are open: index + 1 in open[]; 0:
 * none. */
static __thread uint16_t innermost __attribute__((tls_model("initial-exec")));

/* Sections that could not begin while the calling thread was in none, and have not ended yet. */
static __thread uint16_t dropped __attribute__((tls_model("initial-exec")));

static struct section open[MOST_OPEN]; /* while taken, only its thread touches it */
static uint64_t taken[MOST_OPEN / 64]; /* a bit for each section of open[] */
static bool any_opened;                /* since the last reset */

static struct {
    uint32_t lock; /* protects all of this */
    uint32_t any;  /* sums or values are kept now. Read without the lock: most tasks have none */
    uint32_t used; /* sums or values were kept since the last reset */
    struct entry entries[MOST_KEPT];
} kept;

bool cup_section_any(void)
{
    return innermost || dropped;
}

void cup_sections_reset(void)
{
    innermost = dropped = 0;
    if (kept.lock)
        kept.lock = 0; /* of a thread that a forked child does not have */
    if (!__atomic_load_n(&any_opened, __ATOMIC_RELAXED) && !kept.used)
        return; /* to clear them would make a forked child copy these pages for nothing */
    memset(open, 0, sizeof open);
    memset(taken, 0, sizeof taken);
    memset(&kept, 0, sizeof kept);
    any_opened = false;
}

/* ---- sums -------------------------------------------------------------------------------- */

static const bool is_largest[CUP_SECTION_VALUE_COUNT] = {
#define SUM false
#define LARGEST true
#define X(id, name, kind, text) kind,
    CUP_SECTION_VALUES(X)
#undef X
#undef SUM
#undef LARGEST
};

static bool write_sums(const struct entry *entry)
{
    unsigned char pairs[CUP_SECTION_VALUE_COUNT * CUP_PAIR_LONGEST + CUP_PAIRS_UNIT];
    size_t bytes = cup_pairs_nonzero(pairs, entry->sums, CUP_SECTION_VALUE_COUNT);
    const struct cup_r_section record = {
        .task = entry->task, .name = entry->name, .parent = entry->parent};
    return cup_log_write(CUP_R_SECTION, &record, pairs, cup_pairs_pad(pairs, bytes)) != NULL;
}

/* Writes what the entry has, and clears it. */
static void write_entry(struct entry *entry)
{
    bool of_values = entry->parent == OF_VALUES;
    uint64_t count = of_values ? entry->values.count : entry->sums[CUP_V_ENTRIES];
    if (count && !(of_values ? cup_log_write(CUP_R_VALUE, &entry->values, NULL, 0) != NULL
                             : write_sums(entry)))
        cup_log_health(CUP_H_SECTIONS_DROPPED, count);
    memset(entry->sums, 0, sizeof entry->sums);
}

/* Writes what the entry has if it holds it for long, so that a process that is killed loses little.
 * START_NS: since when, if nothing of it was written yet. */
static void write_old(struct entry *entry, uint64_t start_ns, uint64_t now_ns)
{
    if (!entry->written_ns)
        entry->written_ns = start_ns;
    if (now_ns - entry->written_ns <= WRITTEN_NS)
        return;
    write_entry(entry);
    entry->written_ns = now_ns;
}

static size_t hash_place(uint32_t task, uint32_t name, uint32_t parent)
{
    uint64_t hash = (task * UINT64_C(0x9e3779b97f4a7c15)) ^ (name * UINT64_C(0xc2b2ae3d27d4eb4f)) ^
                    (parent * UINT64_C(0x165667b19e3779f9));
    return (hash >> 32) % MOST_KEPT;
}

/* If all its places are taken, the first is written out and reused. */
static struct entry *find_entry(uint32_t task, uint32_t name, uint32_t parent)
{
    size_t first = hash_place(task, name, parent);
    struct entry *unused = NULL;
    for (size_t i = 0; i < PROBE; i++) {
        struct entry *entry = &kept.entries[(first + i) % MOST_KEPT];
        if (entry->used && entry->task == task && entry->name == name && entry->parent == parent)
            return entry;
        if (!entry->used && !unused)
            unused = entry;
    }
    if (!unused) {
        unused = &kept.entries[first];
        write_entry(unused);
    }
    kept.used = 1;
    __atomic_store_n(&kept.any, 1, __ATOMIC_RELAXED);
    *unused = (struct entry){.used = 1, .task = task, .name = name, .parent = parent};
    return unused;
}

static void add_to_sum(const struct section *section, const uint64_t *values, uint64_t now_ns)
{
    cup_spin_lock(&kept.lock);
    struct entry *sum = find_entry(section->task, section->name, section->parent);
    for (int i = 0; i < CUP_SECTION_VALUE_COUNT; i++)
        if (!is_largest[i])
            sum->sums[i] += values[i];
        else if (values[i] > sum->sums[i])
            sum->sums[i] = values[i];
    write_old(sum, section->start_ns, now_ns);
    cup_spin_unlock(&kept.lock);
}

void cup_section_value(const char *name, double number)
{
    uint32_t task = cup_attribution_task(), id = cup_log_cstring(name);
    if (!id || number != number) {
        cup_log_health(CUP_H_SECTIONS_DROPPED, 1);
        return;
    }
    uint64_t now_ns = (uint64_t)cup_clock_monotonic_ns();
    cup_spin_lock(&kept.lock);
    struct entry *entry = find_entry(task, id, OF_VALUES);
    struct cup_r_value *values = &entry->values;
    values->task = task;
    values->name = id;
    if (!values->count || number < values->least)
        values->least = number;
    if (!values->count || number > values->most)
        values->most = number;
    values->sum += number;
    values->last = number;
    values->count++;
    write_old(entry, now_ns, now_ns);
    cup_spin_unlock(&kept.lock);
}

/* Writes TASK's sums and values; ALL: those of all tasks. */
static void write_kept(uint32_t task, bool all)
{
    if (!__atomic_load_n(&kept.any, __ATOMIC_RELAXED))
        return;
    cup_spin_lock(&kept.lock);
    bool left = false;
    for (int i = 0; i < MOST_KEPT; i++) {
        struct entry *entry = &kept.entries[i];
        if (entry->used && (all || entry->task == task)) {
            write_entry(entry);
            entry->used = 0;
        }
        left |= entry->used != 0;
    }
    __atomic_store_n(&kept.any, left, __ATOMIC_RELAXED);
    cup_spin_unlock(&kept.lock);
}

/* ---- counters ---------------------------------------------------------------------------- */

/* The block's thread may go on counting. Each counter is a word that only its thread writes, so
 * what is read is what it was a moment ago; ThreadSanitizer cannot know that. */
__attribute__((no_sanitize("thread"))) static void add_counters(uint64_t *counted,
                                                                const struct cup_block *block)
{
    /* Read first: a thread adds what a server sent to the bytes read before it adds it here, so
     * there are at least as many bytes read, unless a job's bytes are being rolled back. */
    uint64_t server = __atomic_load_n(&block->counters[CUP_C_SERVER_READ_BYTES], __ATOMIC_ACQUIRE);
    uint64_t *read = &counted[CUP_V_READ_BYTES - FIRST_COUNTED], others = *read;
    for (int i = 0; i < COUNTED; i++)
        counted[i] += __atomic_load_n(&block->counters[counters[i]], __ATOMIC_RELAXED);
    for (size_t i = 0; i < sizeof other_methods; i++)
        *read += __atomic_load_n(&block->counters[other_methods[i]], __ATOMIC_RELAXED);
    *read = *read - others > server ? *read - server : others;
}

/* What this thread, which does not run TASK, did for it; 0: for no task. */
static void count_helper(uint64_t *counted, uint32_t task)
{
    const struct cup_block *block = task ? cup_block_helped(task) : cup_self.none,
                           *inheriting = cup_self.inheriting;
    if (block)
        add_counters(counted, block);
    if (task && inheriting && inheriting->task == task)
        add_counters(counted, inheriting);
}

/* On the task's own thread: adds up the counters of all threads that work for the task. On any
 * other thread: only what that thread did for it. If a block closes during the section, its
 * counters are missing at the end; where the sum is then less than at the begin, the value counts
 * as 0. */
static void read_counters(uint64_t *counted, uint32_t task)
{
    memset(counted, 0, COUNTED * sizeof *counted);
    cup_wait_count_short();
    if (!task || cup_self.task != task) {
        count_helper(counted, task);
        return;
    }
    uint32_t count = cup_log_block_count();
    for (uint32_t i = 0; i < count; i++) {
        const struct cup_block *block = cup_log_block(i);
        uint32_t used = __atomic_load_n(&block->used, __ATOMIC_ACQUIRE);
        if (used && used != CUP_BLOCK_MOVED &&
            __atomic_load_n(&block->task, __ATOMIC_RELAXED) == task)
            add_counters(counted, block);
    }
}

/* The block's peak of live heap starts again at the present value, so that the section gets a peak
 * of its own. The peak so far is kept in the counter PEAK_BEFORE_BYTES, where a reader finds it if
 * the process is killed. */
static void begin_peak(struct section *section)
{
    struct cup_block *block = cup_self.own;
    if (!block)
        return;
    uint64_t *values = block->counters;
    section->peak = values[CUP_C_PEAK_LIVE_BYTES];
    section->live = block->live_bytes;
    if (section->peak > values[CUP_C_PEAK_BEFORE_BYTES])
        values[CUP_C_PEAK_BEFORE_BYTES] = section->peak;
    values[CUP_C_PEAK_LIVE_BYTES] = section->live;
}

/* Returns the section's peak, less what was live when it began, and restores the block's peak. 0,
 * if INNER began in the section and is still open: the block's peak is INNER's now, and INNER
 * restores that of both. */
static uint64_t end_peak(const struct section *section, struct section *inner)
{
    struct cup_block *block = cup_self.own;
    if (inner && section->peak > inner->peak)
        inner->peak = section->peak;
    if (inner || !block || block->task != section->task)
        return 0;
    uint64_t peak = block->counters[CUP_C_PEAK_LIVE_BYTES];
    if (section->peak > peak)
        block->counters[CUP_C_PEAK_LIVE_BYTES] = section->peak;
    return peak > section->live ? peak - section->live : 0;
}

/* ---- begin and end ----------------------------------------------------------------------- */

static uint32_t claim_section(void)
{
    uint32_t index = cup_place_take(taken, MOST_OPEN);
    __atomic_store_n(&any_opened, true, __ATOMIC_RELAXED);
    return index < MOST_OPEN ? index + 1 : 0;
}

static void release_section(struct section *section)
{
    section->generation++;
    cup_place_free(taken, (uint32_t)(section - open));
}

/* The enclosing section of the same task; NULL: none. Async tasks take turns on a thread, so there
 * may be sections of other tasks in between. */
static struct section *find_outer(const struct section *section)
{
    uint32_t place = section->outer;
    while (place && open[place - 1].task != section->task)
        place = open[place - 1].outer;
    return place ? &open[place - 1] : NULL;
}

/* The section of the same task that began next in this one, and is still open; NULL: none. */
static struct section *find_inner(const struct section *section)
{
    struct section *inner = NULL;
    for (uint32_t place = innermost; place && &open[place - 1] != section;
         place = open[place - 1].outer)
        if (open[place - 1].task == section->task)
            inner = &open[place - 1];
    return inner;
}

/* How many sections are open for which there was no room, right inside section PLACE (its index
 * plus 1; 0: in no section). */
static uint16_t *count_dropped(uint32_t place)
{
    return place ? &open[place - 1].dropped : &dropped;
}

uint32_t cup_section_begin(const char *name)
{
    uint32_t id = cup_log_cstring(name), place = id ? claim_section() : 0;
    if (!place) {
        cup_log_health(CUP_H_SECTIONS_DROPPED, 1);
        ++*count_dropped(innermost);
        return CUP_SECTION_DROPPED;
    }
    struct section *section = &open[place - 1];
    section->outer = innermost;
    section->dropped = 0;
    section->tid = cup_self.tid;
    section->task = cup_attribution_task();
    section->name = id;
    const struct section *outer = find_outer(section);
    section->parent = outer ? outer->name : 0;
    section->inner_ns = 0;
    read_counters(section->counted, section->task);
    section->peak = section->live = 0;
    if (section->task && section->task == cup_self.task)
        begin_peak(section);
    innermost = (uint16_t)place;
    section->cpu_ns = cup_clock_thread_cpu_ns();
    section->start_ns = (uint64_t)cup_clock_monotonic_ns();
    return (uint32_t)section->generation << 16 | place;
}

/* Removes the section from the thread's chain of open sections. Mostly it is the innermost one, but
 * sections of coroutines end in any order. False: it is not in the chain. */
static bool unlink_section(uint32_t place)
{
    uint16_t *at = &innermost;
    while (*at && *at != place)
        at = &open[*at - 1].outer;
    if (!*at)
        return false;
    *at = open[place - 1].outer;
    return true;
}

static void end_section(uint32_t place, bool unended)
{
    uint64_t now = (uint64_t)cup_clock_monotonic_ns(), cpu = cup_clock_thread_cpu_ns();
    struct section *section = &open[place - 1], *inner = find_inner(section);
    if (!unlink_section(place))
        return;
    uint64_t values[CUP_SECTION_VALUE_COUNT] = {
        [CUP_V_ENTRIES] = 1, [CUP_V_UNENDED] = unended, [CUP_V_WALL_NS] = now - section->start_ns};
    values[CUP_V_LONGEST_NS] = values[CUP_V_WALL_NS];
    values[CUP_V_INNER_NS] = section->inner_ns;
    values[CUP_V_CPU_NS] = cpu - section->cpu_ns;
    if (values[CUP_V_CPU_NS] >
        values[CUP_V_WALL_NS]) /* the CPU clock is read outside of the wall clock's interval */
        values[CUP_V_CPU_NS] = values[CUP_V_WALL_NS];
    uint64_t *counted = values + FIRST_COUNTED;
    read_counters(counted, section->task);
    for (int i = 0; i < COUNTED; i++)
        counted[i] = counted[i] > section->counted[i] ? counted[i] - section->counted[i] : 0;
    if (section->task && section->task == cup_self.task)
        values[CUP_V_PEAK_LIVE_BYTES] = end_peak(section, inner);
    struct section *outer = find_outer(section);
    if (outer)
        outer->inner_ns += values[CUP_V_WALL_NS];
    add_to_sum(section, values, now);
    release_section(section);
}

static void end_dropped(void)
{
    uint32_t place = innermost;
    while (place && !open[place - 1].dropped)
        place = open[place - 1].outer;
    *count_dropped(place) -= *count_dropped(place) != 0;
}

void cup_section_end(uint32_t number)
{
    if (number == CUP_SECTION_DROPPED || (number == 0 && *count_dropped(innermost))) {
        end_dropped();
        return;
    }
    uint32_t place = number ? number & 0xffff : innermost;
    if (!place || place > MOST_OPEN)
        return;
    if (number && open[place - 1].generation != number >> 16)
        return;
    end_section(place, false);
}

void cup_sections_task_ends(uint32_t task, uint64_t cpu_ns)
{
    (void)cpu_ns;
    uint16_t place = innermost;
    dropped = 0;
    while (place) {
        uint16_t outer = open[place - 1].outer;
        open[place - 1].dropped = 0;
        if (open[place - 1].task == task)
            end_section(place, true);
        place = outer;
    }
    write_kept(task, false);
}

void cup_sections_thread_settles(void)
{
    dropped = 0;
    while (innermost)
        end_section(innermost, true);
}

void cup_sections_process_ends(void)
{
    cup_sections_thread_settles();
    write_kept(0, true);
}
