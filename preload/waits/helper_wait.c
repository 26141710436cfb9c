#include "preload/waits/helper_wait.h"

#include "preload/sys/spin.h"

#include <stddef.h>
#include <string.h>

enum { ENTRIES = 256 };

/* An entry for each running task, at its number modulo ENTRIES. */
static struct entry {
    uint32_t lock;
    uint32_t task;                    /* 0: free */
    uint32_t waiting[CUP_WAIT_COUNT]; /* number of helpers that wait now, by class */
    uint64_t counted_to;              /* ticks: `times` includes everything up to here */
    struct cup_helper_wait times;     /* since the task began */
    struct cup_helper_wait at_block;  /* `times` when the task began to wait for a lock */
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
        memset(entry->waiting, 0, sizeof entry->waiting);
        memset(&entry->times, 0, sizeof entry->times);
        entry->counted_to = 0;
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

/* Adds the time up to NOW to the first class in which a helper waits. */
static void advance_entry(struct entry *entry, uint64_t now)
{
    if (now <= entry->counted_to) /* the time stamp counter of another core is a little behind */
        return;
    for (int class = 0; class < CUP_WAIT_COUNT; class ++)
        if (entry->waiting[class]) {
            entry->times.ticks[class] += now - entry->counted_to;
            break;
        }
    entry->counted_to = now;
}

void cup_helper_wait_task_blocks(uint32_t task, uint64_t now)
{
    struct entry *entry = lock_entry(task);
    if (!entry)
        return;
    advance_entry(entry, now);
    entry->at_block = entry->times;
    cup_spin_unlock(&entry->lock);
}

/* A time may be less now than when the task blocked, because cup_helper_wait_leaves() subtracted
 * the busy part of a wait. */
struct cup_helper_wait cup_helper_wait_task_resumes(uint32_t task, uint64_t now)
{
    struct cup_helper_wait times = {{0}};
    struct entry *entry = lock_entry(task);
    if (!entry)
        return times;
    advance_entry(entry, now);
    for (int class = 0; class < CUP_WAIT_COUNT; class ++)
        if (entry->times.ticks[class] > entry->at_block.ticks[class])
            times.ticks[class] = entry->times.ticks[class] - entry->at_block.ticks[class];
    cup_spin_unlock(&entry->lock);
    return times;
}

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

void cup_helper_wait_waited(uint32_t task, enum cup_wait_class class, uint64_t ticks)
{
    struct entry *entry = lock_entry(task);
    if (!entry)
        return;
    entry->times.ticks[class] += ticks;
    cup_spin_unlock(&entry->lock);
}

void cup_helper_wait_reset(void)
{
    memset(entries, 0, sizeof entries);
}
