#include "analysis/metrics/time/merge.h"

#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/base/hash_map.h"
#include "analysis/metrics/sums/sums.h"

/* ---- levels, by inputs ------------------------------------------------------------------ */

/* Level of each row of profile->inputs; FROM_METADATA is added to it if the merge tree begins with
 * metadata tasks. */
enum { NOT_KNOWN = 0, NO_MERGE = UINT16_MAX, FROM_METADATA = 1 << 15 /* added to the level */ };

/* Which task made an input, by its key: a chunk, a metadata task, or a task with a row in
 * profile->inputs. */
enum { MAKER_CHUNK = 1, MAKER_METADATA = 2, MAKER_ROW = 3 /* + index in inputs */ };

static bool is_merge_row(const struct cup_totals *totals, const struct cup_inputs *inputs)
{
    return totals->profile->tasks[inputs->task].item == 0;
}

static void find_makers(struct cup_hash_map *makers, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    for (size_t i = 0; i < profile->input_count; i++)
        if (is_merge_row(totals, &profile->inputs[i]) && profile->inputs[i].one_hash)
            cup_hash_map_put(makers, profile->inputs[i].one_hash);
    for (size_t i = 0; i < profile->item_count; i++) {
        const struct cup_item *item = &profile->items[i];
        uint32_t *maker = cup_hash_map_find(makers, profile->tasks[item->task].key_hash);
        if (maker)
            *maker = cup_item_is_chunk(item) ? MAKER_CHUNK : MAKER_METADATA;
    }
    for (size_t i = 0; i < profile->input_count; i++) {
        uint64_t key = profile->tasks[profile->inputs[i].task].key_hash;
        uint32_t *maker = cup_hash_map_find(makers, key);
        if (maker && *maker == 0)
            *maker = (uint32_t)(MAKER_ROW + i);
    }
}

/* The level of a merge: one above the task that made its input. NOT_KNOWN while that task's level
 * is not known. */
static uint16_t level_from(uint32_t maker, const uint16_t *levels)
{
    if (maker == MAKER_CHUNK)
        return 1;
    if (maker == MAKER_METADATA)
        return FROM_METADATA + 1;
    if (maker < MAKER_ROW)
        return NO_MERGE;
    uint16_t below = levels[maker - MAKER_ROW];
    return below == NOT_KNOWN || below == NO_MERGE ? below : below + 1;
}

/* Deepest level that is searched. The depth of a tree grows with the logarithm of its leaves, so a
 * deeper chain of tasks is no tree reduction. */
enum { DEEPEST = 64 };

static void find_levels(uint16_t *levels, const struct cup_hash_map *makers,
                        const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    bool found = true;
    for (int round = 0; round < DEEPEST && found; round++) {
        found = false;
        for (size_t i = 0; i < profile->input_count; i++) {
            const struct cup_inputs *inputs = &profile->inputs[i];
            if (levels[i] != NOT_KNOWN)
                continue;
            const uint32_t *maker = cup_hash_map_find(makers, inputs->one_hash);
            levels[i] =
                maker && is_merge_row(totals, inputs) ? level_from(*maker, levels) : NO_MERGE;
            found |= levels[i] != NOT_KNOWN;
        }
    }
}

/* ---- sums ------------------------------------------------------------------------------- */

static struct cup_merge_level *level_of(struct cup_merge *merge, uint32_t level, bool metadata)
{
    for (size_t i = 0; i < merge->count; i++)
        if (merge->levels[i].level == level && merge->levels[i].metadata == metadata)
            return &merge->levels[i];
    if (cup_array_grow(&merge->levels, &merge->room, merge->count, sizeof *merge->levels) != 0)
        return NULL;
    merge->levels[merge->count] = (struct cup_merge_level){.level = level, .metadata = metadata};
    return &merge->levels[merge->count++];
}

static void raise_to(uint64_t *most, uint64_t value)
{
    if (value != CUP_UNKNOWN64 && value > *most)
        *most = value;
}

static void add_times(struct cup_merge_level *level, const struct cup_totals *totals,
                      const struct cup_task *task)
{
    uint64_t wall_ns = cup_task_wall_ns(task);
    int64_t chunks_stop_ns = totals->chunks.stop_ns;
    if (!level->start_ns || task->start_ns < level->start_ns)
        level->start_ns = task->start_ns;
    if (task->status == 0)
        return;
    if (task->stop_ns > level->stop_ns)
        level->stop_ns = task->stop_ns;
    level->wall_ns += wall_ns;
    if (task->stop_ns > chunks_stop_ns)
        level->after_chunks_ns +=
            task->start_ns > chunks_stop_ns ? wall_ns : (uint64_t)(task->stop_ns - chunks_stop_ns);
    raise_to(&level->longest_ns, wall_ns);
    if (task->cpu_ns == CUP_UNKNOWN64)
        level->without_cpu++;
    else
        level->cpu_ns += task->cpu_ns;
}

static void add_task(struct cup_merge_level *level, const struct cup_totals *totals, uint32_t index)
{
    const struct cup_profile *profile = totals->profile;
    const struct cup_task *task = &profile->tasks[index];
    level->tasks++;
    level->finished += task->status == CUP_STATUS_FINISHED;
    level->failed += cup_task_is_bad(profile, task);
    add_times(level, totals, task);
    if (task->result_bytes != CUP_UNKNOWN64) {
        level->result_bytes_known++;
        level->result_bytes += task->result_bytes;
    }
    raise_to(&level->largest_bytes, task->result_bytes);
    raise_to(&level->rss_bytes, cup_rss_bytes(task->rss_start));
    raise_to(&level->rss_bytes, cup_rss_bytes(task->rss_stop));
    if (profile->counters)
        raise_to(&level->peak_live_bytes, profile->counters[index][CUP_C_PEAK_LIVE_BYTES]);
}

static int add_rows(struct cup_merge *merge, const struct cup_totals *totals,
                    const uint16_t *levels)
{
    const struct cup_profile *profile = totals->profile;
    for (size_t i = 0; i < profile->input_count; i++) {
        const struct cup_inputs *inputs = &profile->inputs[i];
        if (levels[i] == NO_MERGE || levels[i] == NOT_KNOWN)
            continue;
        struct cup_merge_level *level =
            level_of(merge, levels[i] & (FROM_METADATA - 1), (levels[i] & FROM_METADATA) != 0);
        if (!level)
            return -1;
        add_task(level, totals, inputs->task);
        level->inputs += inputs->count;
        if (inputs->bytes == CUP_UNKNOWN64)
            continue;
        level->input_bytes_known++;
        level->input_bytes += inputs->bytes;
    }
    return 0;
}

static int by_level(const void *left, const void *right)
{
    const struct cup_merge_level *a = left, *b = right;
    if (a->metadata != b->metadata)
        return a->metadata ? -1 : 1;
    return a->level < b->level ? -1 : a->level > b->level;
}

static int make_by_inputs(struct cup_merge *merge, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    struct cup_hash_map makers = {0};
    uint16_t *levels = calloc(profile->input_count, sizeof *levels);
    if (!levels || cup_hash_map_reserve(&makers, profile->input_count) != 0) {
        free(levels);
        return -1;
    }
    find_makers(&makers, totals);
    find_levels(levels, &makers, totals);
    cup_hash_map_clear(&makers);
    int result = add_rows(merge, totals, levels);
    free(levels);
    return result;
}

/* ---- without inputs --------------------------------------------------------------------- */

/* Logs of older libraries have no inputs. Then a task that is neither a chunk nor metadata and
 * began after the first chunk counts as a merge. */
static int make_by_time(struct cup_merge *merge, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    for (uint32_t i = 0; i < profile->task_count; i++) {
        const struct cup_task *task = &profile->tasks[i];
        if (task->item || cup_prefix_is_processor(totals, cup_task_prefix(profile, task)) ||
            task->start_ns < totals->chunks.start_ns)
            continue;
        struct cup_merge_level *level = level_of(merge, 0, false);
        if (!level)
            return -1;
        add_task(level, totals, i);
    }
    return 0;
}

int cup_merge_make(struct cup_merge *merge, const struct cup_totals *totals)
{
    *merge = (struct cup_merge){.summed = totals->profile->task_sum_count > 0};
    int result = 0;
    if (merge->summed)
        return 0;
    if (totals->profile->input_count > 0)
        result = make_by_inputs(merge, totals);
    else if (totals->chunks.start_ns)
        result = make_by_time(merge, totals);
    if (merge->count)
        qsort(merge->levels, merge->count, sizeof *merge->levels, by_level);
    return result;
}

void cup_merge_free(struct cup_merge *merge)
{
    free(merge->levels);
    *merge = (struct cup_merge){0};
}

static void add_level(struct cup_merge_level *sum, const struct cup_merge_level *level)
{
    cup_add_numbers(&sum->tasks, &level->tasks,
                    offsetof(struct cup_merge_level, longest_ns) -
                        offsetof(struct cup_merge_level, tasks));
    raise_to(&sum->longest_ns, level->longest_ns);
    raise_to(&sum->largest_bytes, level->largest_bytes);
    raise_to(&sum->rss_bytes, level->rss_bytes);
    raise_to(&sum->peak_live_bytes, level->peak_live_bytes);
    if (!sum->start_ns || level->start_ns < sum->start_ns)
        sum->start_ns = level->start_ns;
    if (level->stop_ns > sum->stop_ns)
        sum->stop_ns = level->stop_ns;
}

struct cup_merge_level cup_merge_sum(const struct cup_merge *merge, bool metadata)
{
    struct cup_merge_level sum = {.metadata = metadata};
    for (size_t i = 0; i < merge->count; i++)
        if (merge->levels[i].metadata == metadata)
            add_level(&sum, &merge->levels[i]);
    return sum;
}
