#include "preload/counters/totals.h"

#include "preload/counters/block.h"
#include "preload/log/log.h"
#include "preload/sys/spin.h"

#include <string.h>

/* Tasks that are summed up. A task is in the first of PROBE slots, from the one of its hash on, in
 * which none runs; it stays there after its end until another task needs the slot, because helpers
 * may open blocks later. */
enum { SLOT_BITS = 10, SLOTS = 1 << SLOT_BITS, PROBE = 64 };
struct slot {
    uint32_t task;
    uint8_t entry; /* in the totals */
    bool runs;
    bool voided;
    bool sized;    /* the size of its result is in the sums */
    bool returned; /* process() did */
    bool timed;    /* and its two clock calls are in order: no step of the clock was in between */
    int64_t start_ns;
    uint64_t events, process_ns, process_cpu_ns, open_ns; /* as the values of a sum */
};

static struct {
    uint32_t lock;
    bool any; /* a task is or was summed up */
    struct slot slots[SLOTS];
} summed;

void cup_totals_reset(void)
{
    for (int i = 0; summed.any && i < SLOTS; i++)
        summed.slots[i] = (struct slot){.task = 0};
    summed.any = false;
    summed.lock = 0;
}

static struct slot *slot_at(uint32_t task, uint32_t step)
{
    uint32_t first = task * UINT32_C(2654435761) >> (32 - SLOT_BITS);
    return &summed.slots[(first + step) % SLOTS];
}

/* NULL: the task is not summed up. */
static struct slot *find_slot(uint32_t task)
{
    for (uint32_t step = 0; step < PROBE && slot_at(task, step)->task; step++)
        if (slot_at(task, step)->task == task)
            return slot_at(task, step);
    return NULL;
}

/* NULL: the task is not summed up, and the lock is not held. Else the caller unlocks. */
static struct slot *lock_slot(uint32_t task)
{
    if (!task || !__atomic_load_n(&summed.any, __ATOMIC_ACQUIRE))
        return NULL;
    cup_spin_lock(&summed.lock);
    struct slot *slot = find_slot(task);
    if (!slot)
        cup_spin_unlock(&summed.lock);
    return slot;
}

/* NULL: tasks run in all slots. */
static struct slot *take_slot(uint32_t task)
{
    uint32_t step = 0;
    while (step < PROBE && slot_at(task, step)->runs)
        step++;
    return step < PROBE ? slot_at(task, step) : NULL;
}

/* ---- entries --------------------------------------------------------------------------------- */

/* The entry of such tasks, which is new or has some already. If the table is full, they are added
 * to the first entry, which stands for all others. */
static uint8_t find_entry(const struct cup_total_key *key)
{
    struct cup_total *entries = cup_log_totals()->entries;
    for (uint8_t i = CUP_TOTAL_OTHERS + 1; i < CUP_TOTALS; i++) {
        if (!entries[i].used) {
            entries[i].key = *key;
            __atomic_store_n(&entries[i].used, 1, __ATOMIC_RELEASE);
        }
        if (memcmp(&entries[i].key, key, sizeof *key) == 0)
            return i;
    }
    return CUP_TOTAL_OTHERS;
}

/* Until end_update() a reader finds the entry as it was before: a process that is killed in between
 * leaves the state before or after, and nothing else. */
static struct cup_total *begin_update(uint8_t entry)
{
    struct cup_task_totals *totals = cup_log_totals();
    totals->before = totals->entries[entry];
    __atomic_store_n(&totals->unfinished, entry + 1u, __ATOMIC_RELEASE);
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    return &totals->entries[entry];
}

static void end_update(void)
{
    struct cup_task_totals *totals = cup_log_totals();
    __atomic_store_n(&totals->unfinished, 0, __ATOMIC_RELEASE);
    cup_log_changed(totals, sizeof *totals);
}

/* ---- tasks ----------------------------------------------------------------------------------- */

static bool sum_up(const struct cup_r_task_begin *begin)
{
    struct slot *slot = take_slot(begin->task);
    if (!slot || !cup_log_make_totals())
        return false;
    const struct cup_total_key key = {
        .prefix = begin->prefix, .server = begin->server, .origin = begin->origin};
    *slot = (struct slot){
        .task = begin->task, .entry = find_entry(&key), .runs = true, .start_ns = begin->start_ns};
    __atomic_store_n(&summed.any, true, __ATOMIC_RELEASE);
    return true;
}

bool cup_totals_begin(const struct cup_r_task_begin *begin)
{
    if (cup_log_has_room())
        return false;
    cup_spin_lock(&summed.lock);
    bool is_summed = sum_up(begin);
    cup_spin_unlock(&summed.lock);
    return is_summed;
}

/* ---- open blocks ----------------------------------------------------------------------------- */

static void count_in(struct cup_block *block, uint8_t entry)
{
    __atomic_store_n(&block->total, entry + 1u, __ATOMIC_RELAXED);
}

void cup_totals_open(struct cup_block *block)
{
    struct slot *slot = lock_slot(block->task);
    if (!slot)
        return;
    bool none = slot->voided && block->own == CUP_BLOCK_INHERITS;
    count_in(block, none ? CUP_TOTAL_NONE : slot->entry);
    cup_spin_unlock(&summed.lock);
}

/* Lock held: none of these blocks opens or is added to an entry. One that is free gets another
 * entry when it opens. */
static void move_open_blocks(uint32_t task, bool inheriting_only, uint8_t entry)
{
    for (uint32_t i = 0, count = cup_log_block_count(); i < count; i++) {
        struct cup_block *block = cup_log_block(i);
        if (block->task == task && block->total > CUP_TOTAL_NONE + 1 &&
            (!inheriting_only || block->own == CUP_BLOCK_INHERITS))
            count_in(block, entry);
    }
}

/* ---- records --------------------------------------------------------------------------------- */

/* The entry depends on the item, too. Blocks that helpers closed before the item was known stay
 * where they are; both entries have the same prefix. */
bool cup_totals_item(const struct cup_r_item *item)
{
    struct slot *slot = lock_slot(item->task);
    if (!slot)
        return false;
    struct cup_total_key key = cup_log_totals()->entries[slot->entry].key;
    key.dataset = item->dataset;
    key.item = item->kind;
    if (slot->entry != CUP_TOTAL_OTHERS)
        slot->entry = find_entry(&key);
    move_open_blocks(slot->task, false, slot->entry);
    if (item->entry_start >= 0 && item->entry_stop >= item->entry_start)
        slot->events = (uint64_t)(item->entry_stop - item->entry_start);
    cup_spin_unlock(&summed.lock);
    return true;
}

static uint64_t known(uint64_t value)
{
    return value == CUP_UNKNOWN64 ? 0 : value;
}

/* 0: the clock was set back in between. */
static uint64_t time_between(int64_t start_ns, int64_t stop_ns)
{
    return stop_ns > start_ns ? (uint64_t)(stop_ns - start_ns) : 0;
}

bool cup_totals_chunk(const struct cup_r_chunk *chunk)
{
    struct slot *slot = lock_slot(chunk->task);
    if (!slot)
        return false;
    slot->returned = chunk->toc_ns != 0;
    slot->timed = chunk->toc_ns >= chunk->tic_ns;
    if (slot->timed) {
        slot->process_ns = time_between(chunk->tic_ns, chunk->toc_ns);
        slot->process_cpu_ns = known(chunk->cpu_ns);
        slot->open_ns = time_between(slot->start_ns, chunk->tic_ns);
    }
    cup_spin_unlock(&summed.lock);
    return true;
}

bool cup_totals_void(uint32_t task)
{
    struct slot *slot = lock_slot(task);
    if (!slot)
        return false;
    slot->voided = true;
    move_open_blocks(task, true, CUP_TOTAL_NONE);
    cup_spin_unlock(&summed.lock);
    return true;
}

static void set_values(uint64_t *values, const struct slot *slot, const struct cup_r_task_end *end)
{
    bool has_cpu = end->cpu_ns != CUP_UNKNOWN64;
    values[CUP_T_TASKS] = 1;
    values[CUP_T_WALL_NS] = time_between(slot->start_ns, end->stop_ns);
    values[CUP_T_CPU_NS] = known(end->cpu_ns);
    values[CUP_T_WITH_CPU_NS] = has_cpu ? values[CUP_T_WALL_NS] : 0;
    values[CUP_T_WITHOUT_CPU] = !has_cpu;
    values[CUP_T_NONCPU_NS] =
        has_cpu ? cup_noncpu_ns(values[CUP_T_WALL_NS], values[CUP_T_CPU_NS]) : 0;
    values[CUP_T_RESULT_BYTES] = known(end->result_bytes);
    values[CUP_T_FIRST_NS] = values[CUP_T_LAST_START_NS] = (uint64_t)slot->start_ns;
    values[CUP_T_LAST_NS] = (uint64_t)end->stop_ns;
    values[CUP_T_EVENTS] = slot->events;
    values[CUP_T_TIMED] = slot->timed;
    values[CUP_T_PROCESS_NS] = slot->process_ns;
    values[CUP_T_PROCESS_CPU_NS] = slot->process_cpu_ns;
    values[CUP_T_OPEN_NS] = slot->open_ns;
}

/* The entry of the task's times. Tasks that Coffea skipped have one of their own: what they did
 * stays in that of the others, because it was counted before it was known how they end. */
static uint8_t find_entry_at_end(const struct slot *slot, const struct cup_r_task_end *end)
{
    struct cup_total_key key = cup_log_totals()->entries[slot->entry].key;
    if (!cup_was_skipped(key.item, end->status, end->result_bytes, slot->returned))
        return slot->entry;
    key.skipped = 1;
    return find_entry(&key);
}

static void add_ended(const struct slot *slot, const struct cup_r_task_end *end)
{
    uint64_t values[CUP_TASK_SUM_COUNT] = {0};
    set_values(values, slot, end);
    uint64_t wall_ns = values[CUP_T_WALL_NS];
    struct cup_total *total = begin_update(find_entry_at_end(slot, end));
    cup_task_sum_add(total->values[end->status - 1], values);
    total->durations[cup_bucket(wall_ns)]++;
    if (wall_ns > total->longest_ns)
        total->longest_ns = wall_ns;
    end_update();
}

bool cup_totals_end(const struct cup_r_task_end *end)
{
    struct slot *slot = lock_slot(end->task);
    if (!slot)
        return false;
    if (slot->runs)
        add_ended(slot, end);
    slot->runs = false;
    slot->sized = end->result_bytes != CUP_UNKNOWN64;
    cup_spin_unlock(&summed.lock);
    return true;
}

bool cup_totals_end_again(const struct cup_r_task_end *end)
{
    struct slot *slot = lock_slot(end->task);
    if (!slot)
        return false;
    if (!slot->sized) {
        struct cup_total *total = begin_update(slot->entry);
        total->values[end->status - 1][CUP_T_RESULT_BYTES] += known(end->result_bytes);
        end_update();
    }
    slot->sized = true;
    cup_spin_unlock(&summed.lock);
    return true;
}

/* ---- blocks ---------------------------------------------------------------------------------- */

/* As a VOID record asks for. */
static void unattribute(struct cup_block *block)
{
    block->counters[CUP_C_READ_NONE_BYTES] += block->counters[CUP_C_READ_INHERITED_BYTES];
    block->counters[CUP_C_READ_INHERITED_BYTES] = 0;
}

static void add_block(struct cup_total *total, const struct cup_block *block)
{
    cup_block_add_counters(total->counters[block->own == CUP_BLOCK_RUNS], block->counters);
    for (int histogram = 0; histogram < CUP_HISTOGRAM_COUNT; histogram++)
        for (int bucket = 0; bucket < CUP_BUCKETS; bucket++)
            total->histograms[histogram][bucket] += block->histograms[histogram][bucket];
    total->block = cup_log_block_index(block);
    total->sequence = block->sequence;
}

bool cup_totals_add(struct cup_block *block)
{
    if (!cup_log_totals())
        return false;
    cup_spin_lock(&summed.lock);
    uint32_t total = block->total;
    uint8_t entry = total ? (uint8_t)(total - 1) : block->task ? CUP_TOTAL_OTHERS : CUP_TOTAL_NONE;
    if (entry == CUP_TOTAL_NONE && block->task)
        unattribute(block);
    add_block(begin_update(entry), block);
    end_update();
    __atomic_store_n(&block->used, CUP_BLOCK_MOVED, __ATOMIC_RELEASE);
    cup_spin_unlock(&summed.lock);
    return true;
}
