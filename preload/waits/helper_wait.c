#include "preload/waits/helper_wait.h"

#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

enum { ENTRIES = 256, SPANS = 8 };

struct span {
    struct cup_task_clock from, to;
};

/* Disjoint, in the order of time. Those in `served` are on the task's clock. Those in `explained`
 * have raw ticks in `blocked`; their other fields are 0. */
struct spans {
    struct span span[SPANS];
    uint8_t count;
};

/* An entry for each running task, at its number modulo ENTRIES. */
static struct entry {
    uint32_t lock;
    uint32_t task;                    /* 0: free */
    uint32_t waiting[CUP_WAIT_COUNT]; /* number of helpers that wait now, by class */
    uint64_t counted_to;              /* ticks: `times` includes everything up to here */
    struct cup_helper_wait times;     /* since the task began */
    struct cup_helper_wait at_block;  /* `times` when the task began to wait for a lock */
    bool is_blocked;                  /* the task's own thread waits now: */
    uint8_t class;                    /* for a lock or on a socket */
    uint64_t blocked_at;              /* when it began to, in ticks */
    /* If it is for a lock: when helpers waited for a file or the GIL. */
    struct spans explained;
    struct cup_task_clock clock, clock_at_block;
    uint32_t unanswered;                    /* number of requests without any answer */
    uint32_t unanswered_server;             /* of the first of them */
    struct cup_task_clock unanswered_since; /* the clock when it was sent */
    struct spans served;                    /* when a request was out */
} __attribute__((aligned(64))) entries[ENTRIES];

/* The task's entry, locked; NULL if it has none. */
static struct entry *lock_entry(uint32_t task)
{
    struct entry *entry = &entries[task % ENTRIES];
    if (!task || __atomic_load_n(&entry->task, __ATOMIC_RELAXED) != task)
        return NULL;
    cup_spin_lock(&entry->lock);
    if (entry->task == task)
        return entry;
    cup_spin_unlock(&entry->lock);
    return NULL;
}

void cup_helper_wait_begin(uint32_t task)
{
    struct entry *entry = &entries[task % ENTRIES];
    cup_spin_lock(&entry->lock);
    if (!entry->task) {
        *entry = (struct entry){.lock = entry->lock};
        __atomic_store_n(&entry->task, task, __ATOMIC_RELAXED);
    }
    cup_spin_unlock(&entry->lock);
}

void cup_helper_wait_end(uint32_t task)
{
    struct entry *entry = lock_entry(task);
    if (!entry)
        return;
    __atomic_store_n(&entry->task, 0, __ATOMIC_RELAXED);
    cup_spin_unlock(&entry->lock);
}

/* ---- spans of time --------------------------------------------------------------------------- */

static struct cup_task_clock later_of(struct cup_task_clock a, struct cup_task_clock b)
{
    return a.blocked > b.blocked ? a : b;
}

static struct cup_task_clock earlier_of(struct cup_task_clock a, struct cup_task_clock b)
{
    return a.blocked < b.blocked ? a : b;
}

static void subtract_time(struct cup_task_clock *time, struct cup_task_clock from,
                          struct cup_task_clock to)
{
    time->blocked -= to.blocked - from.blocked;
    time->locked -= to.locked - from.locked;
    time->slept -= to.slept - from.slept;
}

/* Makes room for one more span. If there are too many, the two earliest become one, and the gap
 * between them counts as covered: it cannot be added later. */
static void make_room(struct spans *spans)
{
    if (spans->count < SPANS)
        return;
    spans->span[1].from = spans->span[0].from;
    memmove(spans->span, spans->span + 1, sizeof *spans->span * --spans->count);
}

/* Adds TIME, merged with the spans that it overlaps. Returns the part of it that is new. */
static struct cup_task_clock add_span(struct spans *spans, struct span time)
{
    make_room(spans);
    struct cup_task_clock added = time.to;
    subtract_time(&added, (struct cup_task_clock){0}, time.from);
    struct span all = time, *span = spans->span;
    int first = 0, end;
    while (first < spans->count && span[first].to.blocked < time.from.blocked)
        first++;
    for (end = first; end < spans->count && span[end].from.blocked <= time.to.blocked; end++) {
        subtract_time(&added, later_of(span[end].from, time.from),
                      earlier_of(span[end].to, time.to));
        all.from = earlier_of(all.from, span[end].from);
        all.to = later_of(all.to, span[end].to);
    }
    memmove(span + first + 1, span + end, sizeof *span * (size_t)(spans->count - end));
    span[first] = all;
    spans->count = (uint8_t)(spans->count - (end - first) + 1);
    return added;
}

/* The task waits for a lock, and a helper waited for a file or the GIL from FROM to TO (ticks).
 * Returns how much of that is new. */
static uint64_t explain(struct entry *entry, uint64_t from, uint64_t to)
{
    struct spans *explained = &entry->explained;
    if (explained->count == SPANS) /* the earliest is forgotten: what comes now is mostly later */
        memmove(explained->span, explained->span + 1, sizeof *explained->span * --explained->count);
    return add_span(explained, (struct span){{.blocked = from}, {.blocked = to}}).blocked;
}

/* ---- the task's own waits -------------------------------------------------------------------- */

/* The task's own thread was blocked up to NOW, while helpers waited in CLASS (CUP_WAIT_COUNT: none
 * did). Waits for the GIL are reported afterwards: cup_helper_wait_waited(). */
static void advance_clock(struct entry *entry, int class, uint64_t now)
{
    bool locked = entry->class == CUP_WAIT_LOCK;
    uint64_t ticks = now - entry->counted_to;
    if (locked && class == CUP_WAIT_IO) {
        explain(entry, entry->counted_to, now);
        return;
    }
    entry->clock.blocked += ticks;
    if (locked && class != CUP_WAIT_POLL)
        entry->clock.locked += ticks;
    if (locked && class == CUP_WAIT_SLEEP)
        entry->clock.slept += ticks;
}

/* Adds the time up to NOW to the first class in which a helper waits. */
static void advance_entry(struct entry *entry, uint64_t now)
{
    if (now <= entry->counted_to) /* the time stamp counter of another core is a little behind */
        return;
    uint64_t ticks = now - entry->counted_to;
    int class = 0;
    while (class < CUP_WAIT_COUNT && !entry->waiting[class])
        class ++;
    if (class < CUP_WAIT_COUNT)
        entry->times.ticks[class] += ticks;
    if (entry->is_blocked)
        advance_clock(entry, class, now);
    entry->counted_to = now;
}

void cup_helper_wait_task_blocks(uint32_t task, enum cup_wait_class class, uint64_t now)
{
    struct entry *entry = lock_entry(task);
    if (!entry)
        return;
    entry->is_blocked = false; /* if it is true, the end of the last wait was not seen */
    advance_entry(entry, now);
    memcpy(entry->at_block.ticks, entry->times.ticks, sizeof entry->times.ticks);
    entry->clock_at_block = entry->clock;
    entry->is_blocked = true;
    entry->class = (uint8_t) class;
    entry->blocked_at = now;
    entry->explained.count = 0;
    cup_spin_unlock(&entry->lock);
}

/* A time may be less now than when the task blocked, because cup_helper_wait_leaves() subtracted
 * the busy part of a wait. */
struct cup_helper_wait cup_helper_wait_task_resumes(uint32_t task, uint64_t now)
{
    struct cup_helper_wait times = {.served = 0};
    struct entry *entry = lock_entry(task);
    if (!entry)
        return times;
    advance_entry(entry, now);
    for (int class = 0; class < CUP_WAIT_COUNT; class ++)
        if (entry->is_blocked && entry->times.ticks[class] > entry->at_block.ticks[class])
            times.ticks[class] = entry->times.ticks[class] - entry->at_block.ticks[class];
    entry->is_blocked = false;
    times.served = entry->times.served - entry->at_block.served;
    times.served_slept = entry->times.served_slept - entry->at_block.served_slept;
    entry->at_block = entry->times;
    cup_spin_unlock(&entry->lock);
    return times;
}

/* ---- requests -------------------------------------------------------------------------------- */

struct cup_task_clock cup_helper_wait_clock(uint32_t task, uint64_t now)
{
    struct entry *entry = lock_entry(task);
    if (!entry)
        return (struct cup_task_clock){0};
    advance_entry(entry, now);
    struct cup_task_clock clock = entry->clock;
    cup_spin_unlock(&entry->lock);
    return clock;
}

void cup_helper_wait_asks(uint32_t task, uint32_t server)
{
    struct entry *entry = lock_entry(task);
    if (!entry)
        return;
    if (!entry->unanswered++) {
        entry->unanswered_server = server;
        entry->unanswered_since = entry->clock;
    }
    cup_spin_unlock(&entry->lock);
}

void cup_helper_wait_got_answer(uint32_t task)
{
    struct entry *entry = lock_entry(task);
    if (!entry)
        return;
    if (entry->unanswered)
        entry->unanswered--;
    cup_spin_unlock(&entry->lock);
}

/* The task waited for a server during TIME. Returns how much of it is new. */
static uint64_t serve_entry(struct entry *entry, struct span time)
{
    if (time.to.blocked <= time.from.blocked)
        return 0;
    struct cup_task_clock added = add_span(&entry->served, time);
    entry->times.served += added.locked;
    entry->times.served_slept += added.slept;
    return added.blocked;
}

static uint64_t least(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

/* The task's clock TICKS ago, but not before its own thread's wait began. */
static struct cup_task_clock turn_clock_back(const struct entry *entry, uint64_t ticks)
{
    struct cup_task_clock clock = entry->clock, begin = entry->clock_at_block;
    clock.blocked -= least(ticks, clock.blocked - begin.blocked);
    clock.locked -= least(ticks, clock.locked - begin.locked);
    clock.slept -= least(ticks, clock.slept - begin.slept);
    return clock;
}

uint64_t cup_helper_wait_served(uint32_t task, struct cup_task_clock *since, uint64_t now,
                                uint64_t late)
{
    struct entry *entry = lock_entry(task);
    if (!entry)
        return 0;
    advance_entry(entry, now);
    struct span time = {*since, later_of(turn_clock_back(entry, late), *since)};
    uint64_t added = serve_entry(entry, time);
    *since = time.to;
    cup_spin_unlock(&entry->lock);
    return added;
}

uint64_t cup_helper_wait_gives_up(uint32_t task, uint64_t now, uint32_t *server)
{
    uint64_t added = 0;
    struct entry *entry = lock_entry(task);
    if (!entry)
        return 0;
    advance_entry(entry, now);
    if (entry->unanswered)
        added = serve_entry(entry, (struct span){entry->unanswered_since, entry->clock});
    *server = entry->unanswered_server;
    cup_spin_unlock(&entry->lock);
    return added;
}

/* ---- helpers --------------------------------------------------------------------------------- */

uint64_t cup_helper_wait_enters(uint32_t task, enum cup_wait_class class, uint64_t now)
{
    struct entry *entry = lock_entry(task);
    if (!entry)
        return 0;
    advance_entry(entry, now);
    entry->waiting[class]++;
    uint64_t since = entry->times.ticks[class];
    cup_spin_unlock(&entry->lock);
    return since;
}

void cup_helper_wait_leaves(uint32_t task, enum cup_wait_class class, uint64_t now, uint64_t since,
                            uint64_t busy)
{
    struct entry *entry = lock_entry(task);
    if (!entry)
        return;
    advance_entry(entry, now);
    if (entry->waiting[class])
        entry->waiting[class]--;
    uint64_t *ticks = &entry->times.ticks[class], counted = *ticks > since ? *ticks - since : 0;
    *ticks -= busy < counted ? busy : counted;
    cup_spin_unlock(&entry->lock);
}

void cup_helper_wait_waited(uint32_t task, enum cup_wait_class class, uint64_t ticks, uint64_t now)
{
    struct entry *entry = lock_entry(task);
    if (!entry)
        return;
    advance_entry(entry, now);
    if (class == CUP_WAIT_POLL)
        serve_entry(entry, (struct span){turn_clock_back(entry, ticks), entry->clock});
    else if (entry->is_blocked && entry->class == CUP_WAIT_LOCK && now > entry->blocked_at)
        entry->times.ticks[class] +=
            explain(entry, now - least(ticks, now - entry->blocked_at), now);
    cup_spin_unlock(&entry->lock);
}

void cup_helper_wait_task_waited(uint32_t task, uint64_t ticks)
{
    struct entry *entry = lock_entry(task);
    if (!entry)
        return;
    entry->clock.blocked += ticks;
    cup_spin_unlock(&entry->lock);
}

void cup_helper_wait_reset(void)
{
    cup_raw_clear(entries, sizeof entries);
}
