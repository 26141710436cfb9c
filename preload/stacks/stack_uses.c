#include "preload/stacks/stack_uses.h"

#include "preload/attribution/attribution.h"
#include "preload/log/log.h"
#include "preload/stacks/stack_use_rows.h"
#include "preload/sys/clock.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <stdbool.h>
#include <string.h>

/* A task's first sums so far are written out after a few seconds, the next ones after twice the
 * time each, up to a minute: one that is killed leaves half of what it did or all but a minute, and
 * one that runs for hours writes little. */
enum { FIRST_WAIT_S = 4, LONGEST_WAIT_S = 64, LOOK_EVERY = 16 /* uses */ };

/* Tables of tasks that run: a new one takes the first that is free, so that they are as many as
 * tasks ever ran at a time. The very first is that of no task. */
enum { TABLES = 256 /* their numbers fit in a byte */, LEAST_BITS = 8, MOST_BITS = 13 };

static struct {
    struct table {
        uint32_t lock;
        uint32_t task;
        uint32_t bits;  /* it has 2^bits places; 0: none yet */
        uint32_t count; /* of those in use */
        uint32_t uses;  /* modulo 2^32 */
        uint32_t taken; /* stacks that were read for them, and are not told yet */
        uint32_t wait_s;
        uint64_t told;              /* ticks */
        struct cup_stack_sum *sums; /* not taken: a free place */
    } tables[TABLES];
    uint32_t tasks[TABLES]; /* whose they are; 0: free */
    uint8_t last[TABLES];   /* by task: the table that it, or another one, was last found in */
    uint32_t used;          /* those up to here have been used */
    uint32_t making;        /* a lock: one table for a task */
} uses;

/* ---- places ------------------------------------------------------------------------------ */

static size_t places(const struct table *table)
{
    return table->bits ? (size_t)1 << table->bits : 0;
}

static size_t room_bytes(uint32_t bits)
{
    return sizeof(struct cup_stack_sum) << bits;
}

static inline struct cup_stack_sum *place_of(const struct table *table, uint32_t node, uint32_t use)
{
    uint64_t key = (uint64_t)node * CUP_STACK_USE_COUNT + use;
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - table->bits));
    for (;; at = (at + 1) & (places(table) - 1)) {
        struct cup_stack_sum *sum = &table->sums[at];
        if (!sum->taken || (sum->node == node && sum->use == use))
            return sum;
    }
}

static void give_back(struct table *table)
{
    if (table->bits)
        cup_raw_munmap(table->sums, room_bytes(table->bits));
    table->sums = NULL;
    table->bits = 0;
}

/* To twice the places, or to the first ones. */
static bool grow(struct table *table)
{
    struct table larger = *table;
    if (table->bits >= MOST_BITS)
        return false;
    larger.bits = table->bits ? table->bits + 1 : LEAST_BITS;
    larger.sums = cup_raw_mmap(NULL, room_bytes(larger.bits), PROT_READ | PROT_WRITE,
                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (larger.sums == MAP_FAILED)
        return false;
    for (size_t i = 0; i < places(table); i++)
        if (table->sums[i].taken)
            *place_of(&larger, table->sums[i].node, table->sums[i].use) = table->sums[i];
    give_back(table);
    *table = larger;
    return true;
}

/* ---- writing out ------------------------------------------------------------------------- */

static void tell(struct table *table)
{
    size_t count = 0;
    table->told = cup_ticks();
    for (size_t i = 0; i < places(table); i++)
        if (table->sums[i].taken) {
            struct cup_stack_sum sum = table->sums[i];
            table->sums[i].taken = 0;
            table->sums[count++] = sum;
        }
    cup_stack_use_rows(table->task, table->sums, count);
    cup_log_health(CUP_H_STACKS_TAKEN, table->taken);
    table->taken = 0;
    for (size_t i = 0; i < count; i++)
        table->sums[i].taken = 0;
    table->count = 0;
}

static __attribute__((noinline)) void tell_if_long_ago(struct table *table)
{
    if (cup_ticks_ns(cup_ticks() - table->told) < table->wait_s * UINT64_C(1000000000))
        return;
    tell(table);
    if (table->wait_s < LONGEST_WAIT_S)
        table->wait_s *= 2;
}

/* Looked at seldom: the clock costs as much as the rest. */
static inline void tell_if_due(struct table *table)
{
    if (__builtin_expect(table->uses++ % LOOK_EVERY == 0, 0))
        tell_if_long_ago(table);
}

/* A quarter of the places stays free, so that a search is short. */
static bool make_room(struct table *table)
{
    if (table->count < places(table) / 4 * 3 || grow(table))
        return true;
    if (table->count)
        tell(table);
    return table->bits != 0;
}

/* ---- tables of tasks --------------------------------------------------------------------- */

/* Locked, if it is TASK's. */
static inline struct table *lock_if(uint32_t at, uint32_t task)
{
    if (__atomic_load_n(&uses.tasks[at], __ATOMIC_SEQ_CST) != task)
        return NULL;
    cup_spin_lock(&uses.tables[at].lock);
    if (uses.tasks[at] == task)
        return &uses.tables[at];
    cup_spin_unlock(&uses.tables[at].lock);
    return NULL;
}

static inline struct table *lock_last(uint32_t task)
{
    return lock_if(__atomic_load_n(&uses.last[task % TABLES], __ATOMIC_RELAXED), task);
}

/* TASK's, locked; NULL: it has none. */
static struct table *lock_known(uint32_t task)
{
    uint32_t used = __atomic_load_n(&uses.used, __ATOMIC_SEQ_CST);
    for (uint32_t i = 1; i <= used; i++) {
        struct table *table = lock_if(i, task);
        if (!table)
            continue;
        __atomic_store_n(&uses.last[task % TABLES], (uint8_t)i, __ATOMIC_RELAXED);
        return table;
    }
    return NULL;
}

static uint32_t first_with(uint32_t task)
{
    for (uint32_t i = 1; i < TABLES; i++)
        if (uses.tasks[i] == task)
            return i;
    return TABLES;
}

static void start(struct table *table, uint32_t task)
{
    table->task = task;
    table->wait_s = FIRST_WAIT_S;
    table->told = cup_ticks();
}

/* A task that has ended in the meantime gets none, which nobody would end: its end shows before it
 * looks for its table, and whoever else has found it here waits for the lock, and looks again. */
static void claim(uint32_t at, uint32_t task)
{
    struct table *table = &uses.tables[at];
    cup_spin_lock(&table->lock);
    if (at > uses.used)
        __atomic_store_n(&uses.used, at, __ATOMIC_SEQ_CST);
    __atomic_store_n(&uses.tasks[at], task, __ATOMIC_SEQ_CST);
    if (!cup_attribution_runs(task))
        __atomic_store_n(&uses.tasks[at], 0, __ATOMIC_SEQ_CST);
    start(table, task);
    cup_spin_unlock(&table->lock);
}

static void make(uint32_t task)
{
    cup_spin_lock(&uses.making);
    uint32_t free = first_with(0);
    if (first_with(task) == TABLES && free < TABLES)
        claim(free, task);
    cup_spin_unlock(&uses.making);
}

/* TASK's table, locked; NULL: it runs no more, or too many do. */
static struct table *find_own(uint32_t task)
{
    struct table *table = lock_known(task);
    if (!table) {
        make(task);
        table = lock_known(task);
    }
    return table;
}

static __attribute__((noinline)) struct table *find_or_make(uint32_t task)
{
    struct table *table = task ? find_own(task) : NULL;
    if (table)
        return table;
    cup_spin_lock(&uses.tables[0].lock);
    if (!uses.tables[0].wait_s)
        start(&uses.tables[0], 0);
    return &uses.tables[0];
}

/* TASK's table, locked; if it runs no more, or too many do, that of no task. */
static inline struct table *lock_table(uint32_t task)
{
    struct table *table = __builtin_expect(task != 0, 1) ? lock_last(task) : NULL;
    return __builtin_expect(table != NULL, 1) ? table : find_or_make(task);
}

/* ---- the whole --------------------------------------------------------------------------- */

/* NULL: no room. */
static __attribute__((noinline)) struct cup_stack_sum *begin(struct table *table, uint32_t node,
                                                             enum cup_stack_use use)
{
    if (!make_room(table))
        return NULL;
    struct cup_stack_sum *sum = place_of(table, node, use);
    *sum = (struct cup_stack_sum){.node = node, .use = (uint16_t)use, .taken = 1};
    table->count++;
    return sum;
}

static inline struct cup_stack_sum *sum_of(struct table *table, uint32_t node,
                                           enum cup_stack_use use)
{
    struct cup_stack_sum *sum = table->bits ? place_of(table, node, use) : NULL;
    return __builtin_expect(sum && sum->taken, 1) ? sum : begin(table, node, use);
}

/* TABLE is locked, and will not be. */
static inline void add(struct table *table, uint32_t node, enum cup_stack_use use, uint64_t count,
                       uint64_t bytes, uint64_t ns)
{
    tell_if_due(table);
    struct cup_stack_sum *sum = sum_of(table, node, use);
    if (sum) {
        table->taken += node && use < CUP_U_CPU;
        sum->count += count;
        sum->bytes += bytes;
        sum->ns += ns;
    } else {
        cup_log_health(CUP_H_STACKS_DROPPED, 1);
    }
    cup_spin_unlock(&table->lock);
}

void cup_stack_use(uint32_t task, uint32_t node, enum cup_stack_use use, uint64_t count,
                   uint64_t bytes, uint64_t ns)
{
    add(lock_table(task), node, use, count, bytes, ns);
}

void cup_stack_use_late(uint32_t task, uint32_t node, enum cup_stack_use use, uint64_t ns)
{
    struct table *table = find_own(task);
    struct cup_stack_sum sum = {.node = node, .use = (uint16_t)use, .ns = ns};
    if (table)
        add(table, node, use, 0, 0, ns);
    else
        cup_stack_use_rows(task, &sum, 1);
}

/* The next task begins with few places. */
void cup_stack_uses_end(uint32_t task)
{
    struct table *table = lock_known(task);
    if (!table)
        return;
    tell(table);
    if (table->bits > LEAST_BITS)
        give_back(table);
    __atomic_store_n(&uses.tasks[table - uses.tables], 0, __ATOMIC_RELEASE);
    cup_spin_unlock(&table->lock);
}

void cup_stack_uses_flush(void)
{
    for (uint32_t i = 0; i <= uses.used; i++) {
        struct table *table = &uses.tables[i];
        cup_spin_lock(&table->lock);
        tell(table);
        cup_spin_unlock(&table->lock);
    }
}

/* A lock that another thread of the parent held is free: what it was changing may be half done. */
void cup_stack_uses_reset(void)
{
    for (uint32_t i = 0; i <= uses.used; i++) {
        struct table *table = &uses.tables[i];
        bool was_locked = table->lock;
        if (was_locked) /* its memory may be given back already: rather lost than freed twice */
            table->bits = 0;
        for (size_t place = 0; place < places(table); place++)
            table->sums[place].taken = 0;
        *table = (struct table){.bits = table->bits, .sums = table->sums};
        uses.tasks[i] = 0;
    }
    uses.used = 0;
    uses.making = 0;
}
