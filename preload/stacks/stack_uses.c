#include "preload/stacks/stack_uses.h"

#include "include/stack_use_rows.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/log/log.h"
#include "preload/stacks/stack_tables.h"
#include "preload/stacks/use_sums.h"
#include "preload/sys/clock.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <stdbool.h>
#include <string.h>

/* A running task's sums are written after 4 s, then after 8, 16, ... s, at most 64 s apart. So a
 * task that is killed loses at most the second half of its events, or the last minute; and a task
 * that runs for hours writes little. The clock is read at every LOOK_EVERY-th event. */
enum { FIRST_WAIT_S = 4, LONGEST_WAIT_S = 64, LOOK_EVERY = 16 };

/* A process writes so many rows as they are. Then it joins small rows of a task, so that some
 * ROWS_A_WRITE are left, and ROWS_A_SECOND for each second since its last record (use_sums.h); but
 * at most ROWS_JOINED become one. */
enum { ROWS_WHOLE = 8192, ROWS_A_WRITE = 4, ROWS_A_SECOND = 2, ROWS_JOINED = 16 };

/* One table per running task. A new task takes the first free one, so there are as many tables as
 * tasks ever ran at the same time. Table 0 is for events of no running task. */
enum { TABLES = 256 /* their numbers fit in a byte */, LEAST_BITS = 8, MOST_BITS = 13 };

static struct {
    struct table {
        uint32_t lock;
        uint32_t task;  /* 0: the table is free. Also read without the lock */
        uint32_t bits;  /* it has 2^bits entries; 0: no memory yet */
        uint32_t count; /* entries in use */
        uint32_t uses;  /* events so far, modulo 2^32 */
        uint32_t taken; /* events with a known stack since the last record, without CPU samples */
        uint32_t wait_s;
        uint64_t written;         /* ticks: when the last record was written */
        struct cup_use_sum *sums; /* an open hash table; free entries are not taken */
    } tables[TABLES];
    uint8_t last[TABLES]; /* by task modulo TABLES: the table where such a task was last found */
    uint32_t used;        /* the highest table that was ever used */
    uint32_t making;      /* a lock: a task must not get two tables */
    uint64_t rows;        /* rows that were written */
} uses;

static bool never_joins;

void cup_stack_uses_want_all(void)
{
    never_joins = true;
}

/* ---- entries ------------------------------------------------------------------------------ */

static size_t count_entries(const struct table *table)
{
    return table->bits ? (size_t)1 << table->bits : 0;
}

static size_t memory_bytes(uint32_t bits)
{
    return sizeof(struct cup_use_sum) << bits;
}

/* The entry of NODE and USE, or the free one where it belongs. */
static inline struct cup_use_sum *find_entry(const struct table *table, uint32_t node, uint32_t use)
{
    uint64_t key = (uint64_t)node * CUP_STACK_USE_COUNT + use;
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - table->bits));
    for (;; at = (at + 1) & (count_entries(table) - 1)) {
        struct cup_use_sum *sum = &table->sums[at];
        if (!sum->taken || (sum->node == node && sum->use == use))
            return sum;
    }
}

static void unmap_entries(struct table *table)
{
    if (table->bits)
        cup_raw_munmap(table->sums, memory_bytes(table->bits));
    table->sums = NULL;
    table->bits = 0;
}

/* Doubles the number of entries, or maps the first ones. */
static bool grow_table(struct table *table)
{
    struct table larger = *table;
    if (table->bits >= MOST_BITS)
        return false;
    larger.bits = table->bits ? table->bits + 1 : LEAST_BITS;
    larger.sums = cup_raw_grow(NULL, 0, memory_bytes(larger.bits));
    if (!larger.sums)
        return false;
    for (size_t i = 0; i < count_entries(table); i++)
        if (table->sums[i].taken)
            *find_entry(&larger, table->sums[i].node, table->sums[i].use) = table->sums[i];
    unmap_entries(table);
    *table = larger;
    return true;
}

/* ---- records ------------------------------------------------------------------------------ */

static struct cup_stack_use_row row_of(const struct cup_use_sum *sum)
{
    return (struct cup_stack_use_row){sum->node, sum->use, sum->is[CUP_USE_COUNT],
                                      sum->is[CUP_USE_BYTES], sum->is[CUP_USE_NS]};
}

static void write_record(uint32_t task, const unsigned char *rows, size_t bytes, size_t count)
{
    const struct cup_r_stack_use record = {.task = task,
                                           .rows = (uint32_t)count | CUP_USE_ROWS_SHORT};
    if (!cup_log_write(CUP_R_STACK_USE, &record, rows, bytes))
        cup_log_health(CUP_H_STACKS_DROPPED, count);
}

/* Records name nodes by other numbers than the tables of this process. Returns how many rows are
 * left. */
static size_t name_nodes(struct cup_use_sum *sums, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i].node = cup_node_record(sums[i].node);
    cup_nodes_write();
    cup_use_sums_sort(sums, count);
    return cup_use_sums_unite(sums, count);
}

/* Writes SUMS as rows of TASK, in records of at most 2 KiB, encoded as include/log_format.h
 * describes. Rows that do not fit into the log are counted as dropped. */
static void write_sums(uint32_t task, struct cup_use_sum *sums, size_t count)
{
    unsigned char rows[2048];
    count = name_nodes(sums, count);
    for (size_t next = 0; next < count;) {
        size_t bytes = 0, first = next;
        struct cup_stack_use_row row, before;
        for (; next < count && bytes + CUP_USE_ROW_LONGEST <= sizeof rows; next++, before = row) {
            row = row_of(&sums[next]);
            bytes += cup_use_row_code(rows + bytes, &row, next > first ? &before : NULL);
        }
        write_record(task, rows, bytes, next - first);
    }
}

/* ---- writing ------------------------------------------------------------------------------ */

/* How many of COUNT rows are wanted so many seconds after the last record. */
static size_t count_wanted(size_t count, uint64_t seconds)
{
    size_t wanted = ROWS_A_WRITE + ROWS_A_SECOND * seconds;
    return wanted > count / ROWS_JOINED ? wanted : count / ROWS_JOINED;
}

/* Joins small rows of TABLE, whose first COUNT entries are all that it has, if there are too many
 * for the time since its last record. Returns how many are left. */
static size_t join_rows(struct table *table, size_t count)
{
    uint64_t given = 0, seconds = cup_ticks_ns(cup_ticks() - table->written) / 1000000000;
    uint64_t written = __atomic_fetch_add(&uses.rows, count, __ATOMIC_RELAXED);
    if (never_joins || written < ROWS_WHOLE)
        return count;
    cup_use_sums_sort(table->sums, count);
    count = cup_use_sums_join(table->sums, count, count_wanted(count, seconds), &given);
    cup_log_health(CUP_H_EVENTS_THINNED, given);
    return count;
}

/* Writes all sums and empties the table. The entries are moved to its beginning to be sorted. */
static void write_table(struct table *table)
{
    size_t count = 0;
    for (size_t i = 0; i < count_entries(table); i++)
        if (table->sums[i].taken) {
            struct cup_use_sum sum = table->sums[i];
            table->sums[i].taken = 0;
            table->sums[count++] = sum;
        }
    size_t left = join_rows(table, count);
    table->written = cup_ticks();
    write_sums(table->task, table->sums, left);
    cup_log_health(CUP_H_STACKS_TAKEN, table->taken);
    table->taken = 0;
    for (size_t i = 0; i < count; i++)
        table->sums[i].taken = 0;
    table->count = 0;
}

static __attribute__((noinline)) void write_if_old(struct table *table)
{
    if (cup_ticks_ns(cup_ticks() - table->written) < table->wait_s * UINT64_C(1000000000))
        return;
    write_table(table);
    if (table->wait_s < LONGEST_WAIT_S)
        table->wait_s *= 2;
}

/* Reading the clock costs as much as all the rest of counting an event. */
static inline void write_if_due(struct table *table)
{
    if (__builtin_expect(table->uses++ % LOOK_EVERY == 0, 0))
        write_if_old(table);
}

/* A quarter of the entries stays free, so that searches are short. A table that cannot grow is
 * written and emptied. */
static bool make_room(struct table *table)
{
    if (table->count < count_entries(table) / 4 * 3 || grow_table(table))
        return true;
    if (table->count)
        write_table(table);
    return table->bits != 0;
}

/* ---- tables of tasks --------------------------------------------------------------------- */

/* Returns table AT locked if it is TASK's, else NULL. */
static inline struct table *lock_if(uint32_t at, uint32_t task)
{
    if (__atomic_load_n(&uses.tables[at].task, __ATOMIC_SEQ_CST) != task)
        return NULL;
    cup_spin_lock(&uses.tables[at].lock);
    if (uses.tables[at].task == task)
        return &uses.tables[at];
    cup_spin_unlock(&uses.tables[at].lock);
    return NULL;
}

static inline struct table *lock_last(uint32_t task)
{
    return lock_if(__atomic_load_n(&uses.last[task % TABLES], __ATOMIC_RELAXED), task);
}

/* TASK's table, locked; NULL: it has none. */
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

/* The first table of TASK; TABLES: there is none. */
static uint32_t find_table(uint32_t task)
{
    for (uint32_t i = 1; i < TABLES; i++)
        if (uses.tables[i].task == task)
            return i;
    return TABLES;
}

static void start_table(struct table *table)
{
    table->wait_s = FIRST_WAIT_S;
    table->written = cup_ticks();
}

/* Gives table AT to TASK, unless TASK has ended in the meantime: nothing would ever free the table.
 * A task is marked as ended before its table is searched (cup_stack_uses_task_ended), so either
 * this function sees that it has ended, or the end finds the table. A thread that found the table
 * in between waits for its lock and then checks the task again (lock_if). */
static void claim_table(uint32_t at, uint32_t task)
{
    struct table *table = &uses.tables[at];
    cup_spin_lock(&table->lock);
    if (at > uses.used)
        __atomic_store_n(&uses.used, at, __ATOMIC_SEQ_CST);
    __atomic_store_n(&table->task, task, __ATOMIC_SEQ_CST);
    if (!cup_task_runs(task))
        __atomic_store_n(&table->task, 0, __ATOMIC_SEQ_CST);
    start_table(table);
    cup_spin_unlock(&table->lock);
}

static void make_table(uint32_t task)
{
    cup_spin_lock(&uses.making);
    uint32_t free = find_table(0);
    if (find_table(task) == TABLES && free < TABLES)
        claim_table(free, task);
    cup_spin_unlock(&uses.making);
}

/* TASK's table, locked; NULL: the task has ended, or too many tasks run. */
static struct table *lock_own(uint32_t task)
{
    struct table *table = lock_known(task);
    if (!table) {
        make_table(task);
        table = lock_known(task);
    }
    return table;
}

static __attribute__((noinline)) struct table *lock_or_make(uint32_t task)
{
    struct table *table = task ? lock_own(task) : NULL;
    if (table)
        return table;
    cup_spin_lock(&uses.tables[0].lock);
    if (!uses.tables[0].wait_s)
        start_table(&uses.tables[0]);
    return &uses.tables[0];
}

/* TASK's table, locked; table 0 if the task has ended or too many tasks run. */
static inline struct table *lock_table(uint32_t task)
{
    struct table *table = __builtin_expect(task != 0, 1) ? lock_last(task) : NULL;
    return __builtin_expect(table != NULL, 1) ? table : lock_or_make(task);
}

/* ---- adding ------------------------------------------------------------------------------- */

/* NULL: no room. */
static __attribute__((noinline)) struct cup_use_sum *begin_sum(struct table *table, uint32_t node,
                                                               enum cup_stack_use use)
{
    if (!make_room(table))
        return NULL;
    struct cup_use_sum *sum = find_entry(table, node, use);
    *sum = (struct cup_use_sum){.node = node, .use = (uint16_t)use, .taken = 1};
    table->count++;
    return sum;
}

static inline struct cup_use_sum *find_sum(struct table *table, uint32_t node,
                                           enum cup_stack_use use)
{
    struct cup_use_sum *sum = table->bits ? find_entry(table, node, use) : NULL;
    return __builtin_expect(sum && sum->taken, 1) ? sum : begin_sum(table, node, use);
}

/* TABLE is locked; this function unlocks it. */
static inline void add_use(struct table *table, uint32_t node, enum cup_stack_use use,
                           uint64_t count, uint64_t bytes, uint64_t ns)
{
    write_if_due(table);
    struct cup_use_sum *sum = find_sum(table, node, use);
    if (sum) {
        table->taken += node && use < CUP_U_CPU;
        sum->is[CUP_USE_COUNT] += count;
        sum->is[CUP_USE_BYTES] += bytes;
        sum->is[CUP_USE_NS] += ns;
    } else {
        cup_log_health(CUP_H_STACKS_DROPPED, 1);
    }
    cup_spin_unlock(&table->lock);
}

void cup_stack_use(uint32_t task, uint32_t node, enum cup_stack_use use, uint64_t count,
                   uint64_t bytes, uint64_t ns)
{
    add_use(lock_table(task), node, use, count, bytes, ns);
}

void cup_stack_use_late(uint32_t task, uint32_t node, enum cup_stack_use use, uint64_t ns)
{
    struct table *table = lock_own(task);
    struct cup_use_sum sum = {.node = node, .use = (uint16_t)use, .is = {[CUP_USE_NS] = ns}};
    if (table)
        add_use(table, node, use, 0, 0, ns);
    else
        write_sums(task, &sum, 1);
}

/* Memory beyond the smallest size is unmapped: the next task may need little. */
void cup_stack_uses_task_ended(uint32_t task)
{
    struct table *table = lock_known(task);
    if (!table)
        return;
    write_table(table);
    if (table->bits > LEAST_BITS)
        unmap_entries(table);
    __atomic_store_n(&table->task, 0, __ATOMIC_RELEASE);
    cup_spin_unlock(&table->lock);
}

void cup_stack_uses_process_ends(void)
{
    for (uint32_t i = 0; i <= uses.used; i++) {
        struct table *table = &uses.tables[i];
        cup_spin_lock(&table->lock);
        write_table(table);
        cup_spin_unlock(&table->lock);
    }
}

/* In a forked child a table may be locked by a thread that does not exist: its memory may be about
 * to be replaced, so it is leaked instead of unmapped twice. */
void cup_stack_uses_reset(void)
{
    for (uint32_t i = 0; i <= uses.used; i++) {
        struct table *table = &uses.tables[i];
        bool was_locked = table->lock;
        if (was_locked)
            table->bits = 0;
        for (size_t place = 0; place < count_entries(table); place++)
            table->sums[place].taken = 0;
        *table = (struct table){.bits = table->bits, .sums = table->sums};
    }
    uses.used = 0;
    uses.making = 0;
    uses.rows = 0;
}
