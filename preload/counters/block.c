#include "preload/counters/block.h"

#include "include/log_pairs.h"
#include "preload/counters/access.h"
#include "preload/counters/totals.h"
#include "preload/lifecycle/lifecycle.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/places.h"
#include "preload/sys/spin.h"

#include <stdbool.h>
#include <string.h>

/* Values of cup_block.used, in addition to CUP_BLOCK_MOVED. */
enum { FREE = 0, IN_USE = 1, CLOSING = 2, OPENING = 3 };

/* ---- writing out ------------------------------------------------------------------------- */

static size_t encode_buckets(unsigned char *at, const struct cup_block *block)
{
    size_t bytes = 0;
    uint32_t before = CUP_NO_BUCKET;
    for (uint32_t i = 0; i < CUP_HISTOGRAM_COUNT * CUP_BUCKETS; i++) {
        uint32_t count = block->histograms[i / CUP_BUCKETS][i % CUP_BUCKETS];
        if (count)
            bytes += cup_pairs_bucket(at + bytes, &before, i, count);
    }
    return before == CUP_NO_BUCKET ? bytes : bytes + cup_pairs_list_end(at + bytes);
}

_Static_assert(CUP_HISTOGRAM_COUNT *CUP_BUCKETS <= 2048, "CUP_BUCKET_LONGEST holds");

enum { FILE_LONGEST = (CUP_FILE_COUNTER_COUNT + 1) * CUP_PAIR_LONGEST };

static size_t encode_files(unsigned char *at, const struct cup_block *block)
{
    size_t bytes = 0;
    for (uint32_t entry = 0; entry < CUP_BLOCK_FILES; entry++) {
        const struct cup_file_use *use = &block->files[entry];
        if (!use->file)
            continue;
        size_t head = cup_pairs_number(at + bytes, CUP_PAIR_FILE);
        head += cup_pairs_number(at + bytes + head, use->file);
        size_t count = cup_pairs_nonzero(at + bytes + head, use->counters, CUP_FILE_COUNTER_COUNT);
        bytes += count ? head + count : 0;
    }
    return bytes;
}

/* False: there is no room. */
static bool write_counters(const struct cup_block *block)
{
    unsigned char pairs[CUP_COUNTER_COUNT * CUP_PAIR_LONGEST + CUP_LIST_LONGEST +
                        CUP_HISTOGRAM_COUNT * CUP_BUCKETS * CUP_BUCKET_LONGEST +
                        CUP_BLOCK_FILES * FILE_LONGEST];
    size_t bytes = cup_pairs_nonzero(pairs, block->counters, CUP_COUNTER_COUNT);
    bytes += encode_buckets(pairs + bytes, block);
    bytes += encode_files(pairs + bytes, block);
    const struct cup_r_counters record = {.task = block->task,
                                          .tid = block->tid,
                                          .block = (uint16_t)cup_log_block_index(block),
                                          .sequence = block->sequence,
                                          .own = (uint8_t)block->own};
    return !bytes || cup_log_write(CUP_R_COUNTERS, &record, pairs, bytes);
}

/* Writes an entry out and clears it, in an order that leaves the log readable after a kill at any
 * point. */
static void write_file_use(struct cup_block *block, uint32_t entry)
{
    struct cup_file_use *use = &block->files[entry];
    if (!use->file)
        return;
    unsigned char pairs[CUP_FILE_COUNTER_COUNT * CUP_PAIR_LONGEST];
    size_t bytes = cup_pairs_nonzero(pairs, use->counters, CUP_FILE_COUNTER_COUNT);
    const struct cup_r_file_use record = {.task = block->task,
                                          .tid = block->tid,
                                          .file = use->file,
                                          .block = (uint16_t)cup_log_block_index(block),
                                          .entry = (uint8_t)entry,
                                          .file_sequence = block->file_sequence[entry],
                                          .own = (uint8_t)block->own};
    if (bytes)
        cup_log_write(CUP_R_FILE_USE, &record, pairs, bytes);
    __atomic_store_n(&use->file, 0, __ATOMIC_RELEASE);
    use->access = 0;
    memset(use->counters, 0, sizeof use->counters);
    __atomic_store_n(&block->file_sequence[entry], block->file_sequence[entry] + 1,
                     __ATOMIC_RELEASE);
}

/* ---- opening and closing ----------------------------------------------------------------- */

/* Pending blocks: closed blocks of helpers, which are kept for a while before they are written.
 * About half a dozen threads help a task; blocks of the same task are merged, which leaves a fifth
 * of the records. A pending block stays in the log's mapping, where a reader finds it if the
 * process is killed. */
enum { PENDING = 16 };
static struct {
    uint32_t lock;
    uint32_t next; /* modulo PENDING: the place with the oldest block, which is reused next */
    struct cup_block *blocks[PENDING];
    struct cup_block *left; /* see leave_in_log() */
} pending;

static uint64_t taken[CUP_LOG_MOST_BLOCKS / 64]; /* a bit for each block */

void cup_block_reset(void)
{
    memset(taken, 0, sizeof taken);
    memset(&pending, 0, sizeof pending);
    cup_access_reset();
}

/* Adds blocks unless another thread has done so since there were COUNT. The log gets more as soon
 * as half of them are in use (INDEX is that of the last one): it may be full by the time that the
 * others are needed. */
static void add_blocks(uint32_t count, uint32_t index)
{
    cup_log_lock();
    if (cup_log_block_count() == count && !cup_log_more_blocks() && index == count)
        cup_log_blocks_outside();
    cup_log_unlock();
}

/* A free block. Helper threads keep blocks open while they are idle, so a process of many threads
 * needs many. NULL: there is no room. */
static struct cup_block *find_free_block(void)
{
    uint32_t count = cup_log_block_count(), index = cup_place_take(taken, count);
    bool of_child = count < CUP_LOG_MORE_BLOCKS;
    if (index >= (of_child ? count : count / 2))
        add_blocks(count, index);
    if (index == count) {
        count = cup_log_block_count();
        index = cup_place_take(taken, count);
    }
    if (index == count || cup_log_block_is_outside(index))
        cup_log_health(CUP_H_BLOCKS_DROPPED, 1);
    return index < count ? cup_log_block(index) : NULL;
}

struct cup_block *cup_block_open(uint32_t task, enum cup_block_kind kind)
{
    struct cup_block *block = find_free_block();
    if (!block)
        return NULL;
    __atomic_store_n(&block->used, OPENING, __ATOMIC_RELAXED);
    __atomic_store_n(&block->task, task, __ATOMIC_RELAXED);
    block->tid = cup_self.tid;
    block->own = kind;
    block->total = 0;
    cup_totals_open(block);
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
    block->live_bytes = 0;
    memset(block->histograms, 0, sizeof block->histograms);
    for (uint32_t entry = 0; entry < CUP_BLOCK_FILES; entry++) {
        block->files[entry].file = 0;
        block->files[entry].access = 0;
        memset(block->files[entry].counters, 0, sizeof block->files[entry].counters);
    }
    block->sequence++;
    __atomic_store_n(&block->used, FREE, __ATOMIC_RELEASE);
    uint32_t index = cup_log_block_index(block);
    if (cup_log_block_is_outside(index))
        cup_log_health(CUP_H_BLOCKS_DROPPED, (uint64_t)-1);
    cup_place_free(taken, index);
}

/* ---- pending blocks ---------------------------------------------------------------------- */

static const bool is_largest[CUP_COUNTER_COUNT] = {
#define SUM false
#define MAX false /* the peaks of several threads are added up */
#define LARGEST true
#define X(id, name, kind, needs, what) kind,
    CUP_COUNTERS(X)
#undef X
#undef SUM
#undef MAX
#undef LARGEST
};

void cup_block_add_counters(uint64_t *to, const uint64_t *from)
{
    for (int i = 0; i < CUP_COUNTER_COUNT; i++)
        if (!is_largest[i])
            to[i] += from[i];
        else if (from[i] > to[i])
            to[i] = from[i];
}

static void add_counters(struct cup_block *to, const struct cup_block *from)
{
    cup_block_add_counters(to->counters, from->counters);
    for (int histogram = 0; histogram < CUP_HISTOGRAM_COUNT; histogram++)
        for (int bucket = 0; bucket < CUP_BUCKETS; bucket++)
            to->histograms[histogram][bucket] += from->histograms[histogram][bucket];
}

static void add_file(struct cup_block *to, const struct cup_file_use *from)
{
    struct cup_file_use *use = cup_block_file(to, from->file);
    for (int i = 0; i < CUP_FILE_COUNTER_COUNT; i++)
        use->counters[i] += from->counters[i];
}

/* Adds FROM to TO. As soon as FROM is marked as moved, a reader ignores it: a kill after that loses
 * what is not added yet, but nothing is counted twice. */
static void merge_block(struct cup_block *to, struct cup_block *from)
{
    __atomic_store_n(&from->used, CUP_BLOCK_MOVED, __ATOMIC_RELEASE);
    add_counters(to, from);
    for (int entry = 0; entry < CUP_BLOCK_FILES; entry++)
        if (from->files[entry].file)
            add_file(to, &from->files[entry]);
    cup_access_move(to, from);
    if (to->tid != from->tid)
        to->tid = 0; /* now it has the counters of several threads */
}

/* Counters without a task that find no room in the log of a process that has run no task, and so
 * has no totals: they stay in a block in use, where a reader finds them. The first such block is
 * kept until the process ends; true: that is BLOCK. Others are added to it. */
static bool leave_in_log(struct cup_block *block)
{
    cup_spin_lock(&pending.lock);
    bool is_first = !pending.left && !block->task;
    if (is_first)
        pending.left = block;
    else if (!block->task)
        merge_block(pending.left, block);
    cup_spin_unlock(&pending.lock);
    return is_first;
}

static void write_block(struct cup_block *block)
{
    for (uint32_t entry = 0; block->total && entry < CUP_BLOCK_FILES; entry++)
        write_file_use(block, entry); /* it has no COUNTERS record */
    cup_access_close(block);
    if (!block->total && write_counters(block))
        __atomic_store_n(&block->used, CLOSING, __ATOMIC_RELEASE);
    else if (!cup_totals_add(block) && leave_in_log(block))
        return;
    empty_block(block);
}

static struct cup_block *find_pending(const struct cup_block *block)
{
    for (int i = 0; i < PENDING; i++)
        if (pending.blocks[i] && pending.blocks[i]->task == block->task &&
            pending.blocks[i]->own == block->own)
            return pending.blocks[i];
    return NULL;
}

/* True: BLOCK was merged into a pending block of the same task and kind. False: BLOCK is pending
 * now; *OUT is the block in whose place it is (NULL: none). */
static bool make_pending(struct cup_block *block, struct cup_block **out)
{
    *out = NULL;
    cup_spin_lock(&pending.lock);
    struct cup_block *known = find_pending(block);
    if (known) {
        merge_block(known, block);
    } else {
        uint32_t place = pending.next++ % PENDING;
        *out = pending.blocks[place];
        pending.blocks[place] = block;
    }
    cup_spin_unlock(&pending.lock);
    return known != NULL;
}

/* A block outside of the log is written at once: while it is kept, no reader finds it. */
static bool may_be_kept(const struct cup_block *block)
{
    return block->task && block->own != CUP_BLOCK_RUNS && !block->total &&
           !cup_log_block_is_outside(cup_log_block_index(block));
}

void cup_block_close(struct cup_block *block)
{
    struct cup_block *out = block;
    if (may_be_kept(block) && make_pending(block, &out))
        empty_block(block);
    else if (out)
        write_block(out);
}

/* ---- entries of files, blocks of threads ------------------------------------------------- */

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

static struct cup_block *get_helped(int slot)
{
    return cup_self.helped[slot] ? cup_log_block(cup_self.helped[slot] - 1u) : NULL;
}

struct cup_block *cup_block_helped(uint32_t task)
{
    for (int i = 0; i < CUP_HELPED; i++)
        if (cup_self.helped[i] && get_helped(i)->task == task)
            return get_helped(i);
    return NULL;
}

static void close_helped(int slot)
{
    struct cup_block *block = get_helped(slot);
    cup_self.helped[slot] = 0;
    if (cup_self.last == block)
        cup_self.last = NULL;
    if (block)
        cup_block_close(block);
}

/* Returns a free slot of helped[]. Closes the blocks of tasks that no longer run. If all slots are
 * still taken, closes the next one in turn. */
static int free_slot(void)
{
    int unused = -1;
    for (int i = 0; i < CUP_HELPED; i++) {
        if (cup_self.helped[i] && !cup_task_runs(get_helped(i)->task))
            close_helped(i);
        if (!cup_self.helped[i])
            unused = i;
    }
    if (unused >= 0)
        return unused;
    int slot = (int)(cup_self.next_helped++ % CUP_HELPED);
    close_helped(slot);
    return slot;
}

struct cup_block *cup_block_helping(uint32_t task)
{
    if (cup_self.last && cup_self.last->task == task)
        return cup_self.last;
    struct cup_block *block = cup_block_helped(task);
    if (block)
        return cup_self.last = block;
    int slot = free_slot();
    block = cup_block_open(task, CUP_BLOCK_HELPS);
    cup_self.helped[slot] = block ? (uint16_t)(cup_log_block_index(block) + 1) : 0;
    CUP_LIFECYCLE(thread_helps);
    return cup_self.last = block;
}

struct cup_block *cup_block_none(void)
{
    if (!cup_self.none)
        cup_self.none = cup_block_open(0, CUP_BLOCK_HELPS);
    return cup_self.none;
}

struct cup_block *cup_block_inheriting(void)
{
    if (!cup_self.inheriting) {
        cup_self.inheriting = cup_block_open(cup_self.inherited, CUP_BLOCK_INHERITS);
        CUP_LIFECYCLE(thread_works, cup_self.inherited, cup_clock_thread_cpu_ns());
    }
    return cup_self.inheriting;
}

struct cup_block *cup_block_serving(uint32_t task)
{
    if (!cup_thread_known())
        return NULL;
    if (!task)
        return cup_block_none();
    return cup_self.inherited == task ? cup_block_inheriting() : cup_block_helping(task);
}

void cup_block_close_helped(uint32_t task)
{
    for (int i = 0; i < CUP_HELPED; i++)
        if (cup_self.helped[i] && get_helped(i)->task == task)
            close_helped(i);
}

void cup_block_thread_settles(void)
{
    cup_series_flush();
    struct cup_block *open[] = {cup_self.own, cup_self.none, cup_self.inheriting};
    cup_self.heap = cup_self.own = cup_self.none = cup_self.inheriting = NULL;
    for (size_t i = 0; i < sizeof open / sizeof *open; i++)
        if (open[i])
            cup_block_close(open[i]);
    for (int i = 0; i < CUP_HELPED; i++)
        close_helped(i);
    if (cup_self.task)
        cup_running_remove(cup_self.task); /* or it would be the sole task for ever */
}

/* ---- the time series --------------------------------------------------------------------- */

void cup_series_flush(void)
{
    if (cup_self.bin_read_bytes)
        cup_log_series_add(CUP_S_READ_BYTES, cup_self.bin_time_ns, cup_self.bin_read_bytes);
    if (cup_self.bin_read_ns)
        cup_log_series_add(CUP_S_READ_NS, cup_self.bin_time_ns, cup_self.bin_read_ns);
    if (cup_self.bin_write_bytes)
        cup_log_series_add(CUP_S_WRITE_BYTES, cup_self.bin_time_ns, cup_self.bin_write_bytes);
    cup_self.bin_read_bytes = cup_self.bin_read_ns = cup_self.bin_write_bytes = 0;
}

void cup_series_turn(uint64_t now)
{
    cup_series_flush();
    uint64_t bin_ns = cup_log_bin_ns();
    if (!bin_ns)
        return;
    cup_self.bin_time_ns = cup_ticks_realtime_ns(now);
    int64_t into = (cup_self.bin_time_ns - cup_log_header()->log_start_ns) % (int64_t)bin_ns;
    uint64_t left = bin_ns - (uint64_t)(into < 0 ? 0 : into);
    /* ticks = ns * 2^32 / multiplier */
    cup_self.bin_ends =
        now + (uint64_t)(((unsigned __int128)left << 32) / cup_ticks_scale.multiplier);
}
