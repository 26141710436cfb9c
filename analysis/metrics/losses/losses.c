#include "analysis/metrics/losses/losses.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/base/hash_map.h"
#include "analysis/metrics/sums/sums.h"

const char *const cup_loss_names[CUP_LOSS_OUTCOMES] = {"lost", "skipped", "unfinished",
                                                       "recovered"};

/* ---- one attempt ------------------------------------------------------------------------ */

enum attempt { GOOD, FAILED, UNFINISHED, REPEATED, SKIPPED };

static enum attempt attempt_of(const struct cup_totals *totals, uint32_t index)
{
    static const enum attempt of_outcome[] = {[CUP_OUTCOME_USED] = GOOD,
                                              [CUP_OUTCOME_REPEATED] = REPEATED,
                                              [CUP_OUTCOME_FAILED] = FAILED,
                                              [CUP_OUTCOME_UNFINISHED] = UNFINISHED,
                                              [CUP_OUTCOME_SKIPPED] = SKIPPED};
    const struct cup_item *item = &totals->profile->items[index];
    uint8_t outcome = totals->outcomes[index];
    if (outcome != CUP_OUTCOME_NONE)
        return of_outcome[outcome];
    uint8_t status = totals->profile->tasks[item->task].status;
    return status == CUP_STATUS_FINISHED ? GOOD : status ? FAILED : UNFINISHED;
}

static int64_t end_of(const struct cup_profile *profile, const struct cup_task *task)
{
    int64_t end_ns =
        task->status ? task->stop_ns : cup_process_last_sign_ns(&profile->processes[task->process]);
    return end_ns > task->start_ns ? end_ns : task->start_ns;
}

static void add_unused_attempt(struct cup_loss *row, const struct cup_profile *profile,
                               uint32_t index, enum attempt attempt)
{
    const struct cup_task *task = &profile->tasks[profile->items[index].task];
    int64_t end_ns = end_of(profile, task);
    row->failed += attempt == FAILED;
    row->unfinished += attempt == UNFINISHED;
    row->repeated += attempt == REPEATED;
    row->skipped += attempt == SKIPPED;
    row->wall_ns += (uint64_t)(end_ns - task->start_ns);
    row->read_bytes += task->read_bytes;
    if (row->first_ns == 0 || task->start_ns < row->first_ns)
        row->first_ns = task->start_ns;
    if (end_ns >= row->last_ns) {
        row->last_ns = end_ns;
        row->item = index;
        if (task->error)
            row->error = task->error;
    }
}

/* ---- rows ------------------------------------------------------------------------------- */

static uint64_t key_of(const struct cup_profile *profile, size_t item)
{
    return profile->tasks[profile->items[item].task].key_hash;
}

/* Upper limit of the attempts whose result was not used, to reserve memory. */
static size_t most_unused_attempts(const struct cup_totals *totals)
{
    return (size_t)(totals->all.erred + totals->all.unfinished + totals->repeated_chunks +
                    totals->skipped_chunks);
}

/* Fills in TABLE: for the key of each chunk with an unused attempt, index + 1 in rows. */
static void find_rows(struct cup_losses *losses, const struct cup_totals *totals,
                      struct cup_hash_map *table)
{
    for (uint32_t i = 0; i < totals->profile->item_count; i++) {
        enum attempt attempt = attempt_of(totals, i);
        if (attempt == GOOD)
            continue;
        uint32_t *row = cup_hash_map_put(table, key_of(totals->profile, i));
        if (*row == 0)
            *row = (uint32_t)++losses->count;
        add_unused_attempt(&losses->rows[*row - 1], totals->profile, i, attempt);
    }
}

static void count_attempts(struct cup_losses *losses, const struct cup_totals *totals,
                           const struct cup_hash_map *table)
{
    for (uint32_t i = 0; i < totals->profile->item_count; i++) {
        const uint32_t *row = cup_hash_map_find(table, key_of(totals->profile, i));
        if (!row)
            continue;
        losses->rows[*row - 1].attempts++;
        losses->rows[*row - 1].used |= attempt_of(totals, i) == GOOD;
    }
}

static enum cup_loss_outcome outcome_of(const struct cup_loss *row)
{
    if (row->used)
        return CUP_LOSS_RECOVERED;
    if (row->skipped)
        return CUP_LOSS_SKIPPED;
    return row->failed ? CUP_LOSS_LOST : CUP_LOSS_UNFINISHED;
}

/* ---- sums ------------------------------------------------------------------------------- */

static void sums_add(struct cup_loss_sums *sums, const struct cup_loss *row,
                     const struct cup_item *item)
{
    uint64_t events = cup_item_events(item);
    bool missing = row->outcome == CUP_LOSS_LOST || row->outcome == CUP_LOSS_SKIPPED;
    sums->chunks[row->outcome]++;
    if (events != CUP_UNKNOWN64)
        sums->events[row->outcome] += events;
    else
        sums->without_events += missing;
    sums->metadata += missing && item->kind == CUP_ITEM_METADATA;
}

/* Datasets are few. */
static struct cup_dataset_losses *dataset_of(struct cup_losses *losses, uint32_t name)
{
    for (size_t i = 0; i < losses->dataset_count; i++)
        if (losses->datasets[i].name == name)
            return &losses->datasets[i];
    if (cup_array_grow(&losses->datasets, &losses->dataset_room, losses->dataset_count,
                       sizeof *losses->datasets) != 0)
        return NULL;
    struct cup_dataset_losses *dataset = &losses->datasets[losses->dataset_count++];
    *dataset = (struct cup_dataset_losses){.name = name};
    return dataset;
}

static int add_sums(struct cup_losses *losses, const struct cup_profile *profile)
{
    for (size_t i = 0; i < losses->count; i++) {
        struct cup_loss *row = &losses->rows[i];
        const struct cup_item *item = &profile->items[row->item];
        struct cup_dataset_losses *dataset = dataset_of(losses, item->dataset);
        if (!dataset)
            return -1;
        row->outcome = (uint8_t)outcome_of(row);
        sums_add(&losses->sums, row, item);
        sums_add(&dataset->sums, row, item);
    }
    return 0;
}

static void add_used_events(struct cup_losses *losses, const struct cup_totals *totals)
{
    for (size_t i = 0; i < losses->dataset_count; i++) {
        struct cup_dataset_losses *dataset = &losses->datasets[i];
        for (size_t d = 0; d < totals->dataset_count; d++)
            if (totals->datasets[d].name == dataset->name)
                dataset->events_used = totals->datasets[d].events;
    }
}

int cup_losses_make(struct cup_losses *losses, const struct cup_totals *totals)
{
    struct cup_hash_map table = {0};
    size_t most = most_unused_attempts(totals);
    *losses = (struct cup_losses){0};
    if (most == 0)
        return 0;
    losses->rows = calloc(most, sizeof *losses->rows);
    if (!losses->rows || cup_hash_map_reserve(&table, most) != 0)
        return -1;
    find_rows(losses, totals, &table);
    count_attempts(losses, totals, &table);
    cup_hash_map_clear(&table);
    int result = add_sums(losses, totals->profile);
    add_used_events(losses, totals);
    return result;
}

void cup_losses_free(struct cup_losses *losses)
{
    free(losses->rows);
    free(losses->datasets);
    *losses = (struct cup_losses){0};
}

uint64_t cup_losses_chunks(const struct cup_loss_sums *sums)
{
    return sums->chunks[CUP_LOSS_LOST] + sums->chunks[CUP_LOSS_SKIPPED];
}

uint64_t cup_losses_events(const struct cup_loss_sums *sums)
{
    return sums->events[CUP_LOSS_LOST] + sums->events[CUP_LOSS_SKIPPED];
}
