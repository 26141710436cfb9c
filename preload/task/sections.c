#include "preload/task/sections.h"

#include "include/log_pairs.h"
#include "preload/attribution/attribution.h"
#include "preload/counters/block.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/spin.h"

#include <stdbool.h>
#include <string.h>

enum {
    MOST_OPEN = 1024,  /* sections open at a time, of all threads */
    MOST_SUMS = 1024,  /* sums (by task, name, parent) kept until their task ends */
    MOST_VALUES = 512, /* values (by task, name) kept until their task ends */
    PROBE = 16,        /* places searched for a sum; if all are taken, one is written and reused */
    WRITTEN_NS = 2 * 1000000000, /* when a section ends and its sum was last written longer ago than
                                    this, it is written: a kill loses no more than so long a time */
    FIRST_COUNTED = CUP_V_HELPER_CPU_NS,
    COUNTED = CUP_SECTION_VALUE_COUNT - FIRST_COUNTED,
};

/* The counters that become values of a section, in the order of the values. Bytes read have a
 * counter for each attribution method: the first of them is in this list, the others are added to
 * it. */
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
    uint32_t used;
    uint16_t outer;      /* index + 1 in open[]; 0: none */
    uint16_t generation; /* part of the number: the number of an ended section ends no later one */
    uint32_t tid, task, name, parent;
    uint64_t start_ns, cpu_ns, inner_ns;
    uint64_t peak, live; /* counters of the block when the section began, bytes */
    uint64_t counted[COUNTED];
};

struct sum {
    uint32_t used; /* 0: free */
    uint32_t task, name, parent;
    uint64_t written_ns;
    uint64_t values[CUP_SECTION_VALUE_COUNT];
};

struct value {
    uint32_t used;
    uint32_t task, name;
    uint64_t count;
    double sum, least, most, last;
};

/* The section that the calling thread entered last, of those that are open: index + 1 in open[]; 0:
 * none. */
static __thread uint16_t innermost __attribute__((tls_model("initial-exec")));

static struct section open[MOST_OPEN]; /* while used, only its thread touches it */
static uint32_t open_hint;

static struct {
    uint32_t lock; /* protects all of this */
    uint32_t any;  /* sums or values are kept now. Read without the lock: most tasks have none */
    uint32_t used; /* sums or values were kept since the last reset */
    struct sum sums[MOST_SUMS];
    struct value values[MOST_VALUES];
} kept;

bool cup_section_any(void)
{
    return innermost != 0;
}

void cup_sections_reset(void)
{
    innermost = 0;
    if (!open_hint && !kept.used)
        return; /* to clear them would make a forked child copy these pages for nothing */
    memset(open, 0, sizeof open);
    memset(&kept, 0, sizeof kept);
    open_hint = 0;
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

static void write_sum(struct sum *sum)
{
    unsigned char pairs[CUP_SECTION_VALUE_COUNT * CUP_PAIR_LONGEST];
    size_t bytes = 0;
    for (uint32_t i = 0; i < CUP_SECTION_VALUE_COUNT; i++) {
        if (!sum->values[i])
            continue;
        bytes += cup_pairs_number(pairs + bytes, i);
        bytes += cup_pairs_number(pairs + bytes, sum->values[i]);
    }
    struct cup_r_section *record = cup_log_reserve(sizeof *record, bytes);
    if (record) {
        record->task = sum->task;
        record->name = sum->name;
        record->parent = sum->parent;
        cup_pairs_fill(record, sizeof *record, pairs, bytes);
        cup_log_commit(record, CUP_R_SECTION);
    } else {
        cup_log_health(CUP_H_SECTIONS_DROPPED, sum->values[CUP_V_ENTRIES]);
    }
    memset(sum->values, 0, sizeof sum->values);
}

static void write_value(struct value *value)
{
    struct cup_r_value *record = cup_log_reserve(sizeof *record, 0);
    if (record) {
        record->task = value->task;
        record->name = value->name;
        record->count = value->count;
        record->sum = value->sum;
        record->least = value->least;
        record->most = value->most;
        record->last = value->last;
        cup_log_commit(record, CUP_R_VALUE);
    } else {
        cup_log_health(CUP_H_SECTIONS_DROPPED, value->count);
    }
    value->used = 0;
}

static size_t hash_place(uint32_t task, uint32_t name, uint32_t parent, size_t places)
{
    uint64_t hash = (task * UINT64_C(0x9e3779b97f4a7c15)) ^ (name * UINT64_C(0xc2b2ae3d27d4eb4f)) ^
                    (parent * UINT64_C(0x165667b19e3779f9));
    return (hash >> 32) % places;
}

static bool is_sum_of(const struct sum *sum, const struct section *section)
{
    return sum->used && sum->task == section->task && sum->name == section->name &&
           sum->parent == section->parent;
}

/* The sum that the section belongs to. If all its places are taken, the first is written out and
 * reused. */
static struct sum *find_sum(const struct section *section)
{
    size_t first = hash_place(section->task, section->name, section->parent, MOST_SUMS);
    struct sum *unused = NULL;
    for (size_t i = 0; i < PROBE; i++) {
        struct sum *sum = &kept.sums[(first + i) % MOST_SUMS];
        if (is_sum_of(sum, section))
            return sum;
        if (!sum->used && !unused)
            unused = sum;
    }
    if (!unused) {
        unused = &kept.sums[first];
        write_sum(unused);
    }
    unused->used = 1;
    unused->task = section->task;
    unused->name = section->name;
    unused->parent = section->parent;
    unused->written_ns = section->start_ns;
    return unused;
}

static void add_to_sum(const struct section *section, const uint64_t *values, uint64_t now_ns)
{
    cup_spin_lock(&kept.lock);
    struct sum *sum = find_sum(section);
    for (int i = 0; i < CUP_SECTION_VALUE_COUNT; i++)
        if (!is_largest[i])
            sum->values[i] += values[i];
        else if (values[i] > sum->values[i])
            sum->values[i] = values[i];
    kept.any = kept.used = 1;
    if (now_ns - sum->written_ns > WRITTEN_NS) {
        write_sum(sum);
        sum->written_ns = now_ns;
    }
    cup_spin_unlock(&kept.lock);
}

static struct value *find_value(uint32_t task, uint32_t name)
{
    size_t first = hash_place(task, name, 0, MOST_VALUES);
    struct value *unused = NULL;
    for (size_t i = 0; i < PROBE; i++) {
        struct value *value = &kept.values[(first + i) % MOST_VALUES];
        if (value->used && value->task == task && value->name == name)
            return value;
        if (!value->used && !unused)
            unused = value;
    }
    if (!unused) {
        unused = &kept.values[first];
        write_value(unused);
    }
    *unused = (struct value){.used = 1, .task = task, .name = name};
    return unused;
}

void cup_section_value(const char *name, double number)
{
    uint32_t task = cup_attribution_task(), id = cup_log_cstring(name);
    if (!id || number != number) {
        cup_log_health(CUP_H_SECTIONS_DROPPED, 1);
        return;
    }
    cup_spin_lock(&kept.lock);
    struct value *value = find_value(task, id);
    if (!value->count || number < value->least)
        value->least = number;
    if (!value->count || number > value->most)
        value->most = number;
    value->sum += number;
    value->last = number;
    value->count++;
    kept.any = kept.used = 1;
    cup_spin_unlock(&kept.lock);
}

/* Writes TASK's sums and values; ALL: those of all tasks. */
static void write_kept(uint32_t task, bool all)
{
    if (!__atomic_load_n(&kept.any, __ATOMIC_RELAXED))
        return;
    cup_spin_lock(&kept.lock);
    bool left = false;
    for (int i = 0; i < MOST_SUMS; i++) {
        struct sum *sum = &kept.sums[i];
        if (sum->used && (all || sum->task == task)) {
            if (sum->values[CUP_V_ENTRIES])
                write_sum(sum);
            sum->used = 0;
        }
        left |= sum->used != 0;
    }
    for (int i = 0; i < MOST_VALUES; i++) {
        if (kept.values[i].used && (all || kept.values[i].task == task))
            write_value(&kept.values[i]);
        left |= kept.values[i].used != 0;
    }
    kept.any = left;
    cup_spin_unlock(&kept.lock);
}

/* ---- counters ---------------------------------------------------------------------------- */

static void add_counters(uint64_t *counted, const struct cup_block *block)
{
    for (int i = 0; i < COUNTED; i++)
        counted[i] += __atomic_load_n(&block->counters[counters[i]], __ATOMIC_RELAXED);
    for (size_t i = 0; i < sizeof other_methods; i++)
        counted[CUP_V_READ_BYTES - FIRST_COUNTED] +=
            __atomic_load_n(&block->counters[other_methods[i]], __ATOMIC_RELAXED);
}

/* What this thread, which does not run TASK, did for it; 0: for no task. */
static void count_helper(uint64_t *counted, uint32_t task)
{
    const struct cup_block *block = task ? cup_block_helped(&cup_self, task) : cup_self.none,
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
    if (!task || cup_self.task != task) {
        count_helper(counted, task);
        return;
    }
    for (uint32_t i = 0; i < cup_log_block_count(); i++) {
        const struct cup_block *block = cup_log_block(i);
        uint32_t used = __atomic_load_n(&block->used, __ATOMIC_ACQUIRE);
        if (used && used != CUP_BLOCK_MOVED && block->task == task)
            add_counters(counted, block);
    }
}

static uint64_t live_bytes(const struct cup_block *block)
{
    int64_t live =
        (int64_t)(block->counters[CUP_C_ALLOC_BYTES] - block->counters[CUP_C_FREED_BYTES]);
    return live > 0 ? (uint64_t)live : 0;
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
    section->live = live_bytes(block);
    if (section->peak > values[CUP_C_PEAK_BEFORE_BYTES])
        values[CUP_C_PEAK_BEFORE_BYTES] = section->peak;
    values[CUP_C_PEAK_LIVE_BYTES] = section->live;
}

/* Returns the section's peak, less what was live when it began, and restores the block's peak. */
static uint64_t end_peak(const struct section *section)
{
    struct cup_block *block = cup_self.own;
    if (!block || block->task != section->task)
        return 0;
    uint64_t peak = block->counters[CUP_C_PEAK_LIVE_BYTES];
    if (section->peak > peak)
        block->counters[CUP_C_PEAK_LIVE_BYTES] = section->peak;
    return peak > section->live ? peak - section->live : 0;
}

/* ---- begin and end ----------------------------------------------------------------------- */

static uint32_t claim_section(void)
{
    uint32_t first = __atomic_fetch_add(&open_hint, 1, __ATOMIC_RELAXED);
    for (uint32_t i = 0; i < MOST_OPEN; i++) {
        uint32_t index = (first + i) % MOST_OPEN, unused = 0;
        if (__atomic_compare_exchange_n(&open[index].used, &unused, 1, false, __ATOMIC_ACQUIRE,
                                        __ATOMIC_RELAXED))
            return index + 1;
    }
    return 0;
}

static void release_section(struct section *section)
{
    section->generation++;
    __atomic_store_n(&section->used, 0, __ATOMIC_RELEASE);
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

uint32_t cup_section_begin(const char *name)
{
    uint32_t id = cup_log_cstring(name), place = id ? claim_section() : 0;
    if (!place) {
        cup_log_health(CUP_H_SECTIONS_DROPPED, 1);
        return 0;
    }
    struct section *section = &open[place - 1];
    section->outer = innermost;
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
    struct section *section = &open[place - 1];
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
        values[CUP_V_PEAK_LIVE_BYTES] = end_peak(section);
    struct section *outer = find_outer(section);
    if (outer)
        outer->inner_ns += values[CUP_V_WALL_NS];
    add_to_sum(section, values, now);
    release_section(section);
}

void cup_section_end(uint32_t number)
{
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
    while (place) {
        uint16_t outer = open[place - 1].outer;
        if (open[place - 1].task == task)
            end_section(place, true);
        place = outer;
    }
    write_kept(task, false);
}

void cup_sections_thread_settles(void)
{
    while (innermost)
        end_section(innermost, true);
}

void cup_sections_process_ends(void)
{
    cup_sections_thread_settles();
    write_kept(0, true);
}
