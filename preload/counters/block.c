#include "preload/counters/block.h"

#include "include/log_pairs.h"
#include "preload/counters/access.h"
#include "preload/counters/pending_blocks.h"
#include "preload/counters/series.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"

#include <stdbool.h>
#include <string.h>

/* Values of cup_block.used, in addition to CUP_BLOCK_MOVED. */
enum { FREE = 0, IN_USE = 1, CLOSING = 2, OPENING = 3 };

/* ---- writing out ------------------------------------------------------------------------- */

static size_t encode_counters(unsigned char *at, const uint64_t *counters, uint32_t count)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!counters[i])
            continue;
        at[bytes++] = (unsigned char)i;
        bytes += cup_pairs_number(at + bytes, counters[i]);
    }
    return bytes;
}

static size_t encode_buckets(unsigned char *at, const struct cup_block *block)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < CUP_HISTOGRAM_COUNT * CUP_BUCKETS; i++) {
        uint32_t count = block->histograms[i / CUP_BUCKETS][i % CUP_BUCKETS];
        if (!count)
            continue;
        bytes += cup_pairs_number(at + bytes, CUP_PAIR_BUCKETS + i);
        bytes += cup_pairs_number(at + bytes, count);
    }
    return bytes;
}

static void write_counters(const struct cup_block *block)
{
    unsigned char pairs[CUP_COUNTER_COUNT * 11 + CUP_HISTOGRAM_COUNT * CUP_BUCKETS * 7];
    size_t bytes = encode_counters(pairs, block->counters, CUP_COUNTER_COUNT);
    bytes += encode_buckets(pairs + bytes, block);
    struct cup_r_counters *record = bytes ? cup_log_reserve(sizeof *record, bytes) : NULL;
    if (!record)
        return;
    record->task = block->task;
    record->tid = block->tid;
    record->block = (uint16_t)cup_log_block_index(block);
    record->sequence = block->sequence;
    record->own = (uint8_t)block->own;
    cup_pairs_fill(record, sizeof *record, pairs, bytes);
    cup_log_commit(record, CUP_R_COUNTERS);
}

/* Writes an entry out and clears it, in an order that leaves the log readable after a kill at any
 * point. */
static void write_file_use(struct cup_block *block, uint32_t entry)
{
    struct cup_file_use *use = &block->files[entry];
    if (!use->file)
        return;
    unsigned char pairs[CUP_FILE_COUNTER_COUNT * 11];
    size_t bytes = encode_counters(pairs, use->counters, CUP_FILE_COUNTER_COUNT);
    struct cup_r_file_use *record = bytes ? cup_log_reserve(sizeof *record, bytes) : NULL;
    if (record) {
        record->task = block->task;
        record->tid = block->tid;
        record->file = use->file;
        record->block = (uint16_t)cup_log_block_index(block);
        record->entry = (uint8_t)entry;
        record->file_sequence = block->file_sequence[entry];
        record->own = (uint8_t)block->own;
        cup_pairs_fill(record, sizeof *record, pairs, bytes);
        cup_log_commit(record, CUP_R_FILE_USE);
    }
    __atomic_store_n(&use->file, 0, __ATOMIC_RELEASE);
    use->access = 0;
    memset(use->counters, 0, sizeof use->counters);
    __atomic_store_n(&block->file_sequence[entry], block->file_sequence[entry] + 1,
                     __ATOMIC_RELEASE);
}

/* ---- opening and closing ----------------------------------------------------------------- */

/* One bit for each block that is taken: 64 blocks are searched with one load. */
static uint64_t taken[CUP_LOG_MOST_BLOCKS / 64];

void cup_block_reset(void)
{
    memset(taken, 0, sizeof taken);
    cup_pending_blocks_reset();
    cup_access_reset();
}

/* Takes one of the first COUNT blocks and returns its index; COUNT: none is free. */
static uint32_t claim_index(uint32_t count)
{
    for (uint32_t word = 0; word * 64 < count; word++) {
        uint64_t bits = __atomic_load_n(&taken[word], __ATOMIC_RELAXED);
        while (~bits) {
            uint32_t bit = (uint32_t)__builtin_ctzll(~bits);
            if (word * 64 + bit >= count)
                break;
            if (__atomic_compare_exchange_n(&taken[word], &bits, bits | UINT64_C(1) << bit, false,
                                            __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
                return word * 64 + bit;
        }
    }
    return count;
}

static void release_index(uint32_t index)
{
    __atomic_fetch_and(&taken[index / 64], ~(UINT64_C(1) << index % 64), __ATOMIC_RELEASE);
}

/* A free block; if all are taken, adds more to the log. Helper threads keep blocks open while they
 * are idle, so a process of many threads needs many. NULL: there is no room. */
static struct cup_block *find_free_block(void)
{
    uint32_t count = cup_log_block_count(), index = claim_index(count);
    if (index < count)
        return cup_log_block(index);
    cup_log_lock();
    bool more = cup_log_block_count() > count || cup_log_more_blocks();
    cup_log_unlock();
    uint32_t now = more ? cup_log_block_count() : count;
    index = claim_index(now);
    return index < now ? cup_log_block(index) : NULL;
}

struct cup_block *cup_block_open(struct cup_thread *thread, uint32_t task, enum cup_block_kind kind)
{
    struct cup_block *block = find_free_block();
    if (!block) {
        cup_log_health(CUP_H_BLOCKS_DROPPED, 1);
        return NULL;
    }
    __atomic_store_n(&block->used, OPENING, __ATOMIC_RELAXED);
    block->task = task;
    block->tid = thread->tid;
    block->own = kind;
    if (!block->sequence) {
        block->sequence = 1;
        for (int entry = 0; entry < CUP_BLOCK_FILES; entry++)
            block->file_sequence[entry] = 1;
    }
    __atomic_store_n(&block->used, IN_USE, __ATOMIC_RELEASE);
    return block;
}

static void empty_block(struct cup_block *block)
{
    memset(block->counters, 0, sizeof block->counters);
    memset(block->histograms, 0, sizeof block->histograms);
    for (uint32_t entry = 0; entry < CUP_BLOCK_FILES; entry++) {
        block->files[entry].file = 0;
        block->files[entry].access = 0;
        memset(block->files[entry].counters, 0, sizeof block->files[entry].counters);
    }
    block->sequence++;
    __atomic_store_n(&block->used, FREE, __ATOMIC_RELEASE);
    release_index(cup_log_block_index(block));
}

static void write_block(struct cup_block *block)
{
    for (uint32_t entry = 0; entry < CUP_BLOCK_FILES; entry++)
        write_file_use(block, entry);
    cup_access_close(block);
    write_counters(block);
    __atomic_store_n(&block->used, CLOSING, __ATOMIC_RELEASE);
    empty_block(block);
}

void cup_block_close(struct cup_block *block)
{
    struct cup_block *out = block;
    bool helps = block->task && block->own != CUP_BLOCK_RUNS;
    if (helps && cup_pending_blocks_put(block, &out))
        empty_block(block);
    else if (out)
        write_block(out);
}

struct cup_file_use *cup_block_file_new(struct cup_block *block, uint32_t file)
{
    struct cup_file_use *empty = NULL;
    for (uint32_t entry = 0; entry < CUP_BLOCK_FILES; entry++)
        if (!block->files[entry].file)
            empty = &block->files[entry];
    if (!empty) {
        uint32_t entry = file % CUP_BLOCK_FILES;
        write_file_use(block, entry);
        empty = &block->files[entry];
    }
    __atomic_store_n(&empty->file, file, __ATOMIC_RELEASE);
    return empty;
}

static struct cup_block *get_helped(const struct cup_thread *thread, int slot)
{
    return thread->helped[slot] ? cup_log_block(thread->helped[slot] - 1u) : NULL;
}

struct cup_block *cup_block_helped(const struct cup_thread *thread, uint32_t task)
{
    for (int i = 0; i < CUP_HELPED; i++)
        if (thread->helped[i] && get_helped(thread, i)->task == task)
            return get_helped(thread, i);
    return NULL;
}

static void close_helped(struct cup_thread *thread, int slot)
{
    struct cup_block *block = get_helped(thread, slot);
    thread->helped[slot] = 0;
    if (thread->last == block)
        thread->last = NULL;
    if (block)
        cup_block_close(block);
}

/* Returns a free slot of helped[]. Closes the blocks of tasks that no longer run. If all slots are
 * still taken, closes the next one in turn. */
static int free_slot(struct cup_thread *thread)
{
    int unused = -1;
    for (int i = 0; i < CUP_HELPED; i++) {
        if (thread->helped[i] && !cup_task_runs(get_helped(thread, i)->task))
            close_helped(thread, i);
        if (!thread->helped[i])
            unused = i;
    }
    if (unused >= 0)
        return unused;
    int slot = (int)(thread->next_helped++ % CUP_HELPED);
    close_helped(thread, slot);
    return slot;
}

struct cup_block *cup_block_helping(struct cup_thread *thread, uint32_t task)
{
    if (thread->last && thread->last->task == task)
        return thread->last;
    struct cup_block *block = cup_block_helped(thread, task);
    if (block)
        return thread->last = block;
    int slot = free_slot(thread);
    block = cup_block_open(thread, task, CUP_BLOCK_HELPS);
    thread->helped[slot] = block ? (uint16_t)(cup_log_block_index(block) + 1) : 0;
    cup_lifecycle_thread_helps();
    return thread->last = block;
}

struct cup_block *cup_block_none(struct cup_thread *thread)
{
    if (!thread->none)
        thread->none = cup_block_open(thread, 0, CUP_BLOCK_HELPS);
    return thread->none;
}

struct cup_block *cup_block_inheriting(struct cup_thread *thread)
{
    if (!thread->inheriting) {
        thread->inheriting = cup_block_open(thread, thread->inherited, CUP_BLOCK_INHERITS);
        cup_lifecycle_thread_works(thread->inherited, cup_clock_thread_cpu_ns());
    }
    return thread->inheriting;
}

void cup_block_close_helped(struct cup_thread *thread, uint32_t task)
{
    for (int i = 0; i < CUP_HELPED; i++)
        if (thread->helped[i] && get_helped(thread, i)->task == task)
            close_helped(thread, i);
}

void cup_block_thread_settles(void)
{
    struct cup_thread *thread = &cup_self;
    cup_series_flush(thread);
    struct cup_block *open[] = {thread->own, thread->none, thread->inheriting};
    thread->heap = thread->own = thread->none = thread->inheriting = NULL;
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        if (open[i])
            cup_block_close(open[i]);
    for (int i = 0; i < CUP_HELPED; i++)
        close_helped(thread, i);
    if (thread->task)
        cup_running_remove(thread->task); /* or it would be the sole task for ever */
}
