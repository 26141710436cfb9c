#include "preload/root/baskets.h"

#include "preload/lifecycle/running_tasks.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/root/basket_table.h"
#include "preload/root/basket_table_rows.h"
#include "preload/root/branches.h"
#include "preload/root/root_records.h"
#include "preload/sys/clock.h"
#include "preload/sys/spin.h"

#include <string.h>

/* What was read is told this often, so that a task that is killed leaves that. */
enum { TELL_EVERY_NS = 2000000000 };

/* Tallies of tasks that run: a new one takes the first that is free, so that they are as many as
 * tasks ever ran at a time, and their memory is used again. The very first is that of no task. */
enum { TALLIES = 256, HEADS = CUP_ROOT_FILES };

static struct {
    struct slot {
        uint32_t lock;
        struct cup_basket_table tally;
    } slots[TALLIES];
    uint32_t tasks[TALLIES];  /* whose they are; 0: free */
    uint32_t used;            /* those up to here have been used */
    uint32_t making;          /* a lock: one tally for a task */
    uint8_t heads[HEADS / 8]; /* bits: files whose head was told */
    bool named;               /* any of the following is known */
    uint32_t ahead[CUP_ROOT_FILES];
} baskets;

void cup_baskets_reset(void)
{
    for (uint32_t i = 0; i <= baskets.used; i++) {
        struct slot *slot = &baskets.slots[i];
        cup_basket_table_clear(&slot->tally, true);
        slot->lock = baskets.tasks[i] = 0;
        slot->tally.told_ticks = 0;
    }
    baskets.used = 0;
    baskets.making = 0;
    memset(baskets.heads, 0, sizeof baskets.heads);
    if (baskets.named) /* else no page of it was ever used */
        memset(baskets.ahead, 0, sizeof baskets.ahead);
    baskets.named = false;
    cup_basket_table_reset();
    cup_basket_table_rows_reset();
    cup_branches_reset();
    cup_root_reset();
}

void cup_baskets_file(uint32_t file, uint32_t path, uint32_t ahead, bool expect)
{
    cup_basket_table_rows_named(file, path);
    if (file < CUP_ROOT_FILES) {
        baskets.named = true;
        baskets.ahead[file] = ahead;
    }
    if (expect)
        cup_root_expect(file);
}

/* ---- tallies ----------------------------------------------------------------------------- */

static void unlock(struct slot *slot)
{
    cup_spin_unlock(&slot->lock);
}

/* TASK's, locked; NULL: it has none. */
static struct slot *lock_known(uint32_t task)
{
    uint32_t used = __atomic_load_n(&baskets.used, __ATOMIC_SEQ_CST);
    for (uint32_t i = 1; i <= used; i++) {
        if (__atomic_load_n(&baskets.tasks[i], __ATOMIC_SEQ_CST) != task)
            continue;
        struct slot *slot = &baskets.slots[i];
        cup_spin_lock(&slot->lock);
        if (baskets.tasks[i] == task)
            return slot;
        unlock(slot);
    }
    return NULL;
}

static uint32_t first_with(uint32_t task)
{
    for (uint32_t i = 1; i < TALLIES; i++)
        if (baskets.tasks[i] == task)
            return i;
    return TALLIES;
}

/* A task that has ended in the meantime gets none, which nobody would end: its end shows before it
 * looks for its tally, and whoever else has found it here waits for the lock, and looks again. */
static void claim(uint32_t at, uint32_t task)
{
    struct slot *slot = &baskets.slots[at];
    cup_spin_lock(&slot->lock);
    if (at > baskets.used)
        __atomic_store_n(&baskets.used, at, __ATOMIC_SEQ_CST);
    __atomic_store_n(&baskets.tasks[at], task, __ATOMIC_SEQ_CST);
    if (!cup_task_runs(task))
        __atomic_store_n(&baskets.tasks[at], 0, __ATOMIC_SEQ_CST);
    slot->tally.task = task;
    slot->tally.told_ticks = cup_ticks();
    unlock(slot);
}

static void make(uint32_t task)
{
    cup_spin_lock(&baskets.making);
    uint32_t free = first_with(0);
    if (first_with(task) == TALLIES && free < TALLIES)
        claim(free, task);
    cup_spin_unlock(&baskets.making);
}

/* TASK's tally, locked; if it runs no more, or too many do, that of no task. */
static struct slot *lock_tally(uint32_t task)
{
    struct slot *slot = task ? lock_known(task) : NULL;
    if (task && !slot) {
        make(task);
        slot = lock_known(task);
    }
    if (!slot) {
        slot = &baskets.slots[0];
        cup_spin_lock(&slot->lock);
    }
    return slot;
}

static void tell(struct slot *slot, enum cup_basket_table_rows_when when)
{
    cup_basket_table_rows(&slot->tally, when);
    slot->tally.told_ticks = cup_ticks();
}

static void tell_if_due(struct slot *slot)
{
    if (!slot->tally.told_ticks)
        slot->tally.told_ticks = cup_ticks();
    else if (cup_ticks_ns(cup_ticks() - slot->tally.told_ticks) > TELL_EVERY_NS)
        tell(slot, CUP_BASKET_TABLE_SO_FAR);
}

/* What is known for sure is written and forgotten. */
static bool make_room(struct slot *slot)
{
    if (!cup_basket_table_may_shrink(&slot->tally))
        return false;
    tell(slot, CUP_BASKET_TABLE_FULL);
    cup_basket_table_shrink(&slot->tally);
    return true;
}

/* A basket of a tally, with room made at need; NULL: there is none. */
static struct cup_basket_table_basket *get(struct slot *slot, uint32_t place, uint64_t offset,
                                           uint32_t bytes)
{
    struct cup_basket_table_basket *basket =
        cup_basket_table_get(&slot->tally, place, offset, bytes);
    return basket || !make_room(slot) ? basket
                                      : cup_basket_table_get(&slot->tally, place, offset, bytes);
}

static void count_up(uint16_t *counter)
{
    if (*counter < UINT16_MAX)
        ++*counter;
}

/* Likewise one that is asked for: a quarter of the room is left for those that are seen. */
static struct cup_basket_table_basket *get_asked(struct slot *slot, uint32_t place,
                                                 const struct cup_requested_baskets *asked)
{
    const uint32_t most = UINT32_C(3) << (CUP_BASKET_TABLE_MOST_BITS - 2);
    if (slot->tally.count >= most && (!make_room(slot) || slot->tally.count >= most))
        return NULL;
    return get(slot, place, asked->offset + (asked->is_embedded ? CUP_BASKET_TABLE_EMBEDDED : 0),
               asked->bytes);
}

/* One that is embedded came with its tree, however often it is asked for. */
static void add_asked(struct cup_basket_table_basket *basket,
                      const struct cup_requested_baskets *asked)
{
    basket->branch = asked->branch;
    basket->number = asked->number;
    if (!asked->is_embedded) {
        count_up(&basket->asked);
        return;
    }
    basket->is_embedded = true;
    basket->object_bytes = asked->object_bytes;
    basket->key_bytes = (uint16_t)asked->key_bytes;
    basket->entries = asked->entries;
    basket->asked = 1;
}

static uint32_t place_of_file(struct slot *slot, uint32_t file)
{
    uint32_t place = cup_basket_table_file(&slot->tally, file);
    if (place != CUP_BASKET_TABLE_NONE)
        return place;
    tell(slot, CUP_BASKET_TABLE_LAST);
    cup_basket_table_clear(&slot->tally, false);
    return cup_basket_table_file(&slot->tally, file);
}

static uint32_t place_of_tree(struct slot *slot, const struct cup_requested_baskets_tree *tree,
                              bool tells)
{
    uint32_t place = cup_basket_table_tree(&slot->tally, tree, tells);
    if (place != CUP_BASKET_TABLE_NONE)
        return place;
    tell(slot, CUP_BASKET_TABLE_LAST);
    cup_basket_table_clear(&slot->tally, false);
    return cup_basket_table_tree(&slot->tally, tree, tells);
}

/* ---- reads ------------------------------------------------------------------------------- */

/* A few baskets at a time are put into the tally, under its lock. */
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

static void add_found(struct cup_basket_table_basket *basket, const struct found *found, bool own)
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

static void put(struct reading *reading)
{
    if (!reading->count)
        return;
    struct slot *slot = lock_tally(reading->task);
    uint32_t place = place_of_file(slot, reading->file);
    for (uint32_t i = 0; i < reading->count; i++) {
        const struct found *found = &reading->found[i];
        struct cup_basket_table_basket *basket = get(slot, place, found->offset, found->bytes);
        if (basket)
            add_found(basket, found, reading->own);
        else
            cup_log_health(CUP_H_BASKETS_DROPPED, 1);
    }
    tell_if_due(slot);
    unlock(slot);
    reading->count = 0;
}

static void add(struct reading *reading, const struct found *found)
{
    if (reading->count == BATCH)
        put(reading);
    reading->found[reading->count++] = *found;
}

static void saw_basket(void *user, const struct cup_root_basket *basket)
{
    struct reading *reading = user;
    add(reading, &(struct found){
                     .offset = basket->offset,
                     .bytes = basket->bytes,
                     .object_bytes = basket->key_bytes + basket->object_bytes,
                     .branch = cup_branches_number(basket->tree, basket->tree_bytes, basket->branch,
                                                   basket->branch_bytes),
                     .entries = basket->entries,
                     .key_bytes = (uint16_t)basket->key_bytes,
                     .algorithm = (uint8_t)basket->algorithm,
                     .place = (uint8_t)basket->place,
                 });
    cup_log_health(CUP_H_BASKETS_SEEN, 1);
}

static void saw_block(void *user, const struct cup_root_block *block)
{
    add(user, &(struct found){.offset = block->offset,
                              .bytes = block->bytes,
                              .object_bytes = block->object_bytes,
                              .algorithm = (uint8_t)block->algorithm,
                              .place = (uint8_t)block->place,
                              .is_block = true});
}

/* Once for each file that there are bits for; of the others at each sight. */
static bool is_news(uint32_t file)
{
    uint8_t bit = (uint8_t)(1 << file % 8);
    return file >= HEADS ||
           !(__atomic_fetch_or(&baskets.heads[file / 8], bit, __ATOMIC_RELAXED) & bit);
}

static void saw_head(void *user, const struct cup_root_head *head)
{
    const struct reading *reading = user;
    struct cup_r_root_file *record =
        is_news(reading->file) ? cup_log_reserve(sizeof *record, 0) : NULL;
    if (!record)
        return;
    record->file = reading->file;
    record->version = head->version;
    record->compression = head->compression;
    record->pad = 0;
    record->end = head->end;
    cup_log_commit(record, CUP_R_ROOT_FILE);
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
    if (!file || !cup_root_is(&read)) /* 0: closed meanwhile by another thread */
        return;
    struct reading reading;
    reading.task = task;
    reading.file = file;
    reading.own = task && cup_self.task == task;
    reading.count = 0;
    cup_root_walk(&read, &(struct cup_root_sink){&reading, saw_basket, saw_block, saw_head});
    put(&reading);
}

/* ---- asked for --------------------------------------------------------------------------- */

void cup_baskets_requested(uint32_t task, const struct cup_requested_baskets_tree *tree, bool tells,
                           const struct cup_requested_baskets *asked, size_t count)
{
    struct slot *slot = lock_tally(task);
    tell_if_due(slot);
    uint32_t place = place_of_tree(slot, tree, tells);
    for (size_t i = 0; i < count; i++) {
        struct cup_basket_table_basket *basket = get_asked(slot, place, &asked[i]);
        if (basket)
            add_asked(basket, &asked[i]);
        else
            cup_log_health(CUP_H_BASKETS_DROPPED, 1);
    }
    unlock(slot);
}

/* ---- ends -------------------------------------------------------------------------------- */

void cup_baskets_task_ended(uint32_t task)
{
    struct slot *slot = lock_known(task);
    if (!slot)
        return;
    tell(slot, CUP_BASKET_TABLE_LAST);
    cup_basket_table_clear(&slot->tally, false);
    __atomic_store_n(&baskets.tasks[slot - baskets.slots], 0, __ATOMIC_RELEASE);
    unlock(slot);
}

void cup_baskets_process_ends(void)
{
    for (uint32_t i = 0; i <= baskets.used; i++) {
        struct slot *slot = &baskets.slots[i];
        cup_spin_lock(&slot->lock);
        tell(slot, CUP_BASKET_TABLE_LAST);
        cup_basket_table_clear(&slot->tally, false);
        unlock(slot);
    }
}
