#include "analysis/metrics/sums/sums.h"

#include <stdlib.h>

/* The attempt at a chunk that counts so far. A slot has a few bits of the chunk's key_hash, so that
 * few keys are compared whole: a hash_map.h would take five times the memory, which for ten million
 * chunks is more than any other table of a report. */
struct __attribute__((packed)) slot {
    /* Index + 1 in items, or in summed_keys, which follow the items; 0: the slot is free. */
    uint32_t item;
    uint8_t tag : 7;
    bool repeated : 1; /* there is more than one attempt at the chunk */
};

struct attempts {
    struct slot *slots; /* owned; at most two thirds of them are in use */
    size_t count;       /* of slots */
};

static int start_attempts(struct attempts *attempts, size_t chunks)
{
    attempts->count = chunks + chunks / 2 + 1;
    attempts->slots = calloc(attempts->count, sizeof *attempts->slots);
    return attempts->slots ? 0 : -1;
}

static size_t first_slot(const struct attempts *attempts, uint64_t key_hash)
{
    uint64_t mixed = key_hash * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)((mixed >> 32) * attempts->count >> 32);
}

static uint8_t tag_of(uint64_t key_hash)
{
    return key_hash & 0x7f;
}

static uint64_t key_of(const struct cup_profile *profile, uint32_t index)
{
    return index < profile->item_count ? cup_task_of_item(profile, index)->key_hash
                                       : profile->summed_keys[index - profile->item_count];
}

/* The slot of the attempts at a task, or the free one where it belongs. */
static struct slot *find_slot(const struct attempts *attempts, const struct cup_profile *profile,
                              uint64_t key_hash)
{
    for (size_t i = first_slot(attempts, key_hash);; i = i + 1 < attempts->count ? i + 1 : 0) {
        struct slot *slot = &attempts->slots[i];
        if (slot->item == 0 ||
            (slot->tag == tag_of(key_hash) && key_of(profile, slot->item - 1) == key_hash))
            return slot;
    }
}

enum cup_outcome cup_outcome_of(const struct cup_profile *profile, const struct cup_task *task,
                                const struct cup_item *item)
{
    if (task->status == 0)
        return cup_task_runs(profile, task)         ? CUP_OUTCOME_RUNNING
               : cup_task_was_killed(profile, task) ? CUP_OUTCOME_UNFINISHED
                                                    : CUP_OUTCOME_UNKNOWN;
    if (cup_item_was_skipped(task, item))
        return CUP_OUTCOME_SKIPPED;
    if (task->status == CUP_STATUS_UNKNOWN)
        return CUP_OUTCOME_UNKNOWN;
    return task->status == CUP_STATUS_FINISHED ? CUP_OUTCOME_USED : CUP_OUTCOME_FAILED;
}

/* An attempt with a result counts before one that may have one, this before one that Coffea
 * skipped, and all three before a failed one. */
static int rank_of(uint8_t outcome)
{
    return outcome == CUP_OUTCOME_USED      ? 3
           : outcome == CUP_OUTCOME_UNKNOWN ? 2
           : outcome == CUP_OUTCOME_SKIPPED ? 1
                                            : 0;
}

/* Of two successes the later one counts: within a computation, Dask runs a task again only when it
 * has lost the first result. */
static bool replaces(const struct cup_totals *totals, uint32_t item, uint32_t other)
{
    const struct cup_profile *profile = totals->profile;
    int rank = rank_of(totals->outcomes[item]), other_rank = rank_of(totals->outcomes[other]);
    if (rank == 0 || rank != other_rank)
        return rank > other_rank;
    return cup_task_of_item(profile, item)->stop_ns > cup_task_of_item(profile, other)->stop_ns;
}

static void settle_attempt(struct cup_totals *totals, struct attempts *attempts, uint32_t item)
{
    const struct cup_task *task = cup_task_of_item(totals->profile, item);
    totals->outcomes[item] =
        (uint8_t)cup_outcome_of(totals->profile, task, &totals->profile->items[item]);
    struct slot *counts = find_slot(attempts, totals->profile, task->key_hash);
    if (counts->item == 0) {
        *counts = (struct slot){.item = item + 1, .tag = tag_of(task->key_hash)};
        return;
    }
    uint32_t other = counts->item - 1;
    totals->retried_chunks += !counts->repeated;
    counts->repeated = true;
    uint32_t winner = replaces(totals, item, other) ? item : other;
    uint32_t loser = winner == item ? other : item;
    if (rank_of(totals->outcomes[loser]) > 0)
        totals->outcomes[loser] = CUP_OUTCOME_REPEATED;
    counts->item = winner + 1;
}

enum { LOOK_AHEAD = 16 };

/* The map is larger than the CPU's caches and the order of keys is random: fetching slots ahead of
 * time halves the time spent here. */
static void prefetch_attempt(const struct attempts *attempts, const struct cup_profile *profile,
                             size_t index)
{
    if (index < profile->item_count + profile->summed_key_count) {
        uint64_t key_hash = key_of(profile, (uint32_t)index);
        __builtin_prefetch(&attempts->slots[first_slot(attempts, key_hash)]);
    }
}

/* Attempts at the same chunks are among the summed tasks of other processes. When they ran is not
 * known: they count as the later ones, because what one process does last is kept. INDEX: in
 * summed_keys, after the items. */
static void settle_summed(struct cup_totals *totals, struct attempts *attempts, uint32_t index)
{
    const struct cup_profile *profile = totals->profile;
    uint64_t key_hash = key_of(profile, index);
    struct slot *counts = find_slot(attempts, profile, key_hash);
    if (counts->item == 0) {
        *counts = (struct slot){.item = index + 1, .tag = tag_of(key_hash)};
        return;
    }
    totals->retried_chunks += !counts->repeated;
    counts->repeated = true;
    if (counts->item > profile->item_count) {
        totals->chunks_counted_twice++;
        return;
    }
    uint8_t *outcome = &totals->outcomes[counts->item - 1];
    if (rank_of(*outcome) > 0)
        *outcome = CUP_OUTCOME_REPEATED;
    counts->item = index + 1;
}

int cup_attempts_settle(struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    struct attempts attempts = {0};
    size_t count = profile->item_count + profile->summed_key_count;
    int result = start_attempts(&attempts, count);
    for (uint32_t i = 0; result == 0 && i < count; i++) {
        prefetch_attempt(&attempts, profile, i + LOOK_AHEAD);
        if (i >= profile->item_count)
            settle_summed(totals, &attempts, i);
        else if (cup_item_is_chunk(&profile->items[i]))
            settle_attempt(totals, &attempts, i);
    }
    free(attempts.slots);
    return result;
}
