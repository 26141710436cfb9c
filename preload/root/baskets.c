#include "preload/root/baskets.h"

#include "preload/lifecycle/running_tasks.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/python/python.h"
#include "preload/root/basket_table.h"
#include "preload/root/branches.h"
#include "preload/root/root_records.h"
#include "preload/sys/clock.h"
#include "preload/sys/spin.h"

#include <string.h>

/* Rows are written this often, so that a task that is killed leaves most of what it read. */
enum { WRITE_EVERY_NS = 2000000000 };

/* One slot per running task. A new task takes the first free slot, so that no more are used than
 * tasks ever ran at the same time, and their memory is used again. Slot 0 is for reads of no task.
 */
enum { TABLES = 256, HEADS = CUP_ROOT_FILES };

static struct {
    struct slot {
        uint32_t lock;
        struct cup_basket_table table;
    } slots[TABLES];
    uint32_t tasks[TABLES];         /* that have the slots; 0: free */
    uint32_t used;                  /* highest slot that was ever used */
    uint32_t making;                /* a lock, so that a task gets one slot only */
    uint8_t heads[HEADS / 8];       /* bits: files whose ROOT_FILE record was written */
    bool named;                     /* an entry of AHEAD is set */
    uint32_t ahead[CUP_ROOT_FILES]; /* bytes that a reader of each file reads at a time */
} baskets;

void cup_baskets_reset(void)
{
    for (uint32_t i = 0; i <= baskets.used; i++) {
        struct slot *slot = &baskets.slots[i];
        cup_basket_table_clear(&slot->table, true);
        slot->lock = baskets.tasks[i] = 0;
        slot->table.written_ticks = 0;
    }
    baskets.used = 0;
    baskets.making = 0;
    memset(baskets.heads, 0, sizeof baskets.heads);
    if (baskets.named) /* else no page of it has been touched, nor needs to be */
        memset(baskets.ahead, 0, sizeof baskets.ahead);
    baskets.named = false;
    cup_basket_table_reset();
    cup_basket_table_rows_reset();
    cup_branches_reset();
    cup_root_reset();
}

/* Python's buffered readers read a block of the file system at a time (BLOCK bytes), and since 3.14
 * at least 128 KiB. Remote files (1) are not read through them. */
static uint32_t find_read_ahead(uint32_t block)
{
    enum { LARGE = 128 * 1024, SINCE = 14 };
    return cup_py.minor >= SINCE && block > 1 && block < LARGE ? LARGE : block;
}

void cup_baskets_file(uint32_t file, uint32_t path, uint32_t ahead, bool expect)
{
    cup_basket_table_rows_named(file, path);
    if (file < CUP_ROOT_FILES) {
        baskets.named = true;
        baskets.ahead[file] = find_read_ahead(ahead);
    }
    if (expect)
        cup_root_expect(file);
}

/* ---- slots ------------------------------------------------------------------------------- */

static void unlock_slot(struct slot *slot)
{
    cup_spin_unlock(&slot->lock);
}

/* TASK's slot, locked; NULL: it has none. */
static struct slot *lock_slot_of(uint32_t task)
{
    uint32_t used = __atomic_load_n(&baskets.used, __ATOMIC_SEQ_CST);
    for (uint32_t i = 1; i <= used; i++) {
        if (__atomic_load_n(&baskets.tasks[i], __ATOMIC_SEQ_CST) != task)
            continue;
        struct slot *slot = &baskets.slots[i];
        cup_spin_lock(&slot->lock);
        if (baskets.tasks[i] == task)
            return slot;
        unlock_slot(slot);
    }
    return NULL;
}

static uint32_t find_slot(uint32_t task)
{
    for (uint32_t i = 1; i < TABLES; i++)
        if (baskets.tasks[i] == task)
            return i;
    return TABLES;
}

/* Gives slot AT to TASK, unless that has ended by now: then no thread would ever free the slot. A
 * task stops running before its end looks for its slot, so either this function or the end sees the
 * other. A thread that found the task here in between waits for the lock and looks again. */
static void claim_slot(uint32_t at, uint32_t task)
{
    struct slot *slot = &baskets.slots[at];
    cup_spin_lock(&slot->lock);
    if (at > baskets.used)
        __atomic_store_n(&baskets.used, at, __ATOMIC_SEQ_CST);
    __atomic_store_n(&baskets.tasks[at], task, __ATOMIC_SEQ_CST);
    if (!cup_task_runs(task))
        __atomic_store_n(&baskets.tasks[at], 0, __ATOMIC_SEQ_CST);
    slot->table.task = task;
    slot->table.fails = false;
    slot->table.written_ticks = cup_ticks();
    unlock_slot(slot);
}

static void make_slot(uint32_t task)
{
    cup_spin_lock(&baskets.making);
    uint32_t free = find_slot(0);
    if (find_slot(task) == TABLES && free < TABLES)
        claim_slot(free, task);
    cup_spin_unlock(&baskets.making);
}

/* TASK's slot, locked. If the task has ended, or too many tasks run, it is slot 0. */
static struct slot *lock_slot(uint32_t task)
{
    struct slot *slot = task ? lock_slot_of(task) : NULL;
    if (task && !slot) {
        make_slot(task);
        slot = lock_slot_of(task);
    }
    if (!slot) {
        slot = &baskets.slots[0];
        cup_spin_lock(&slot->lock);
    }
    return slot;
}

static void write_rows(struct slot *slot, enum cup_basket_table_rows_when when)
{
    cup_basket_table_rows(&slot->table, when);
    slot->table.written_ticks = cup_ticks();
}

static void write_if_due(struct slot *slot)
{
    if (!slot->table.written_ticks)
        slot->table.written_ticks = cup_ticks();
    else if (cup_ticks_ns(cup_ticks() - slot->table.written_ticks) > WRITE_EVERY_NS)
        write_rows(slot, CUP_BASKET_TABLE_SO_FAR);
}

/* Writes what the table holds, and keeps only what is awaited. False: too little would become free.
 */
static bool make_room(struct slot *slot)
{
    if (!cup_basket_table_may_shrink(&slot->table))
        return false;
    write_rows(slot, CUP_BASKET_TABLE_FULL);
    cup_basket_table_shrink(&slot->table);
    return true;
}

/* The basket at OFFSET of PLACE, added if it is new; NULL: there is no room, even after
 * make_room(). */
static struct cup_basket_table_basket *get_basket(struct slot *slot, uint32_t place,
                                                  uint64_t offset, uint32_t bytes)
{
    struct cup_basket_table_basket *basket =
        cup_basket_table_get(&slot->table, place, offset, bytes);
    return basket || !make_room(slot) ? basket
                                      : cup_basket_table_get(&slot->table, place, offset, bytes);
}

static void count_up(uint16_t *counter)
{
    if (*counter < UINT16_MAX)
        ++*counter;
}

/* The basket that REQUEST names, like get_basket(). Requested baskets fill at most three quarters
 * of the table: the rest is left for those that reads deliver. */
static struct cup_basket_table_basket *get_requested(struct slot *slot, uint32_t place,
                                                     const struct cup_requested_baskets *request)
{
    const uint32_t most = UINT32_C(3) << (CUP_BASKET_TABLE_MOST_BITS - 2);
    if (slot->table.count >= most && (!make_room(slot) || slot->table.count >= most))
        return NULL;
    return get_basket(slot, place,
                      request->offset + (request->is_embedded ? CUP_BASKET_TABLE_EMBEDDED : 0),
                      request->bytes);
}

/* An embedded basket was read with its tree, once, however often it is requested. */
static void count_request(struct cup_basket_table_basket *basket,
                          const struct cup_requested_baskets *request)
{
    basket->branch = request->branch;
    basket->number = request->number;
    if (!request->is_embedded) {
        count_up(&basket->requested);
        return;
    }
    basket->is_embedded = true;
    basket->object_bytes = request->object_bytes;
    basket->key_bytes = (uint16_t)request->key_bytes;
    basket->entries = request->entries;
    basket->requested = 1;
}

/* The place of FILE. If the table has no room for one more file or tree, it is written and cleared
 * first. */
static uint32_t find_file(struct slot *slot, uint32_t file)
{
    uint32_t place = cup_basket_table_file(&slot->table, file);
    if (place != CUP_BASKET_TABLE_NONE)
        return place;
    write_rows(slot, CUP_BASKET_TABLE_LAST);
    cup_basket_table_clear(&slot->table, false);
    return cup_basket_table_file(&slot->table, file);
}

static uint32_t find_tree(struct slot *slot, const struct cup_requested_baskets_tree *tree,
                          bool writes)
{
    uint32_t place = cup_basket_table_tree(&slot->table, tree, writes);
    if (place != CUP_BASKET_TABLE_NONE)
        return place;
    write_rows(slot, CUP_BASKET_TABLE_LAST);
    cup_basket_table_clear(&slot->table, false);
    return cup_basket_table_tree(&slot->table, tree, writes);
}

/* ---- reads ------------------------------------------------------------------------------- */

/* Baskets that a read delivered. They are put into the table a few at a time, under its lock. */
enum { BATCH = 32 };

struct reading {
    uint32_t task, file;
    bool own;
    uint32_t count;
    struct found {
        uint64_t offset;
        uint32_t bytes, object_bytes, branch, entries;
        uint16_t key_bytes;
        uint8_t algorithm, place;
        bool is_block;
    } found[BATCH];
};

static void count_found(struct cup_basket_table_basket *basket, const struct found *found, bool own)
{
    basket->object_bytes = found->object_bytes;
    basket->branch = found->branch;
    basket->entries = found->entries;
    basket->key_bytes = found->key_bytes;
    basket->algorithm = found->algorithm;
    basket->is_block = found->is_block;
    count_up(&basket->seen);
    if (found->place != CUP_ROOT_PASSES)
        count_up(&basket->counted);
    if (own && found->place == CUP_ROOT_STARTS)
        count_up(&basket->own);
}

static void flush_found(struct reading *reading)
{
    if (!reading->count)
        return;
    struct slot *slot = lock_slot(reading->task);
    uint32_t place = find_file(slot, reading->file);
    for (uint32_t i = 0; i < reading->count; i++) {
        const struct found *found = &reading->found[i];
        struct cup_basket_table_basket *basket =
            get_basket(slot, place, found->offset, found->bytes);
        if (basket)
            count_found(basket, found, reading->own);
        else
            cup_log_health(CUP_H_BASKETS_DROPPED, 1);
    }
    write_if_due(slot);
    unlock_slot(slot);
    reading->count = 0;
}

static void note_basket(void *user, const struct cup_root_basket *basket)
{
    struct reading *reading = user;
    if (reading->count == BATCH)
        flush_found(reading);
    reading->found[reading->count++] = (struct found){
        .offset = basket->offset,
        .bytes = basket->bytes,
        .object_bytes = basket->key_bytes + basket->object_bytes,
        .branch = basket->is_block ? 0
                                   : cup_branches_number(basket->tree, basket->tree_bytes,
                                                         basket->branch, basket->branch_bytes),
        .entries = basket->entries,
        .key_bytes = (uint16_t)basket->key_bytes,
        .algorithm = (uint8_t)basket->algorithm,
        .place = (uint8_t)basket->place,
        .is_block = basket->is_block,
    };
    if (!basket->is_block)
        cup_log_health(CUP_H_BASKETS_SEEN, 1);
}

/* Files beyond the bitmap's size are recorded again each time that their head is read. */
static bool is_first_head(uint32_t file)
{
    uint8_t bit = (uint8_t)(1 << file % 8);
    return file >= HEADS ||
           !(__atomic_fetch_or(&baskets.heads[file / 8], bit, __ATOMIC_RELAXED) & bit);
}

static void note_head(void *user, const struct cup_root_head *head)
{
    const struct reading *reading = user;
    if (!is_first_head(reading->file))
        return;
    const struct cup_r_root_file record = {.file = reading->file,
                                           .version = head->version,
                                           .compression = head->compression,
                                           .end = head->end};
    cup_log_write(CUP_R_ROOT_FILE, &record, NULL, 0);
}

void cup_baskets_read(uint32_t task, uint32_t file, const void *data, size_t bytes, uint64_t offset,
                      bool continues)
{
    const struct cup_root_read read = {.file = file,
                                       .continues = continues,
                                       .offset = offset,
                                       .data = data,
                                       .bytes = bytes,
                                       .ahead = file < CUP_ROOT_FILES ? baskets.ahead[file] : 0};
    if (!file || !cup_root_is(&read)) /* 0: another thread closed the descriptor during the read */
        return;
    struct reading reading;
    reading.task = task;
    reading.file = file;
    reading.own = task && cup_self.task == task;
    reading.count = 0;
    cup_root_walk(&read, &(struct cup_root_sink){&reading, note_basket, note_head});
    flush_found(&reading);
}

/* ---- requests ---------------------------------------------------------------------------- */

void cup_baskets_requested(uint32_t task, const struct cup_requested_baskets_tree *tree,
                           bool writes, const struct cup_requested_baskets *requests, size_t count)
{
    struct slot *slot = lock_slot(task);
    write_if_due(slot);
    uint32_t place = find_tree(slot, tree, writes);
    for (size_t i = 0; i < count; i++) {
        struct cup_basket_table_basket *basket = get_requested(slot, place, &requests[i]);
        if (basket)
            count_request(basket, &requests[i]);
        else
            cup_log_health(CUP_H_BASKETS_DROPPED, 1);
    }
    unlock_slot(slot);
}

/* ---- ends -------------------------------------------------------------------------------- */

void cup_baskets_task_fails(uint32_t task)
{
    struct slot *slot = lock_slot_of(task);
    if (!slot)
        return;
    slot->table.fails = true;
    unlock_slot(slot);
}

void cup_baskets_task_ended(uint32_t task)
{
    struct slot *slot = lock_slot_of(task);
    if (!slot)
        return;
    write_rows(slot, CUP_BASKET_TABLE_LAST);
    cup_basket_table_clear(&slot->table, false);
    __atomic_store_n(&baskets.tasks[slot - baskets.slots], 0, __ATOMIC_RELEASE);
    unlock_slot(slot);
}

void cup_baskets_process_ends(void)
{
    for (uint32_t i = 0; i <= baskets.used; i++) {
        struct slot *slot = &baskets.slots[i];
        cup_spin_lock(&slot->lock);
        write_rows(slot, CUP_BASKET_TABLE_LAST);
        cup_basket_table_clear(&slot->table, false);
        unlock_slot(slot);
    }
}
