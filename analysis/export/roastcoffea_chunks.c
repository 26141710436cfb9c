/* Chunks: the raw ones, and the stretches from which that tool draws throughput. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/export/roastcoffea.h"

#define MIB (1024.0 * 1024.0)

/* Not if the clock was set back between the two calls. */
static bool is_timed(const struct cup_item *item)
{
    return item->tic_ns && item->toc_ns >= item->tic_ns;
}

/* Inside process(); of the task where Coffea's clock calls were not seen. */
static struct cup_stretch stretch_of(const struct cup_roast *roast, const struct cup_item *item)
{
    const struct cup_task *task = &roast->profile->tasks[item->task];
    if (is_timed(item))
        return (struct cup_stretch){item->tic_ns, item->toc_ns};
    return (struct cup_stretch){task->start_ns, task->stop_ns};
}

/* ---- chunk_info ---------------------------------------------------------------------------- */

/* {"('file', start, stop)": [begin, end, bytes]} */
static int put_stretch(struct cup_roast *roast, const struct cup_item *item)
{
    struct cup_stretch stretch = stretch_of(roast, item);
    uint64_t bytes = item->requested_bytes;
    char *key = NULL, *file = cup_python_repr(cup_profile_text(roast->profile, item->file));
    if (!file || asprintf(&key, "(%s, %" PRId64 ", %" PRId64 ")", file, item->entry_start,
                          item->entry_stop) < 0) {
        free(file);
        return -1;
    }
    cup_json_array(&roast->json, key);
    cup_roast_put(roast, NULL, cup_seconds(stretch.start_ns));
    cup_roast_put(roast, NULL, cup_seconds(stretch.stop_ns));
    cup_roast_put(roast, NULL, cup_count(bytes == CUP_UNKNOWN64 ? 0 : bytes));
    cup_json_end_array(&roast->json);
    free(file);
    free(key);
    return 0;
}

static int put_chunk_info(struct cup_roast *roast)
{
    int result = 0;
    cup_json_object(&roast->json, "chunk_info");
    for (size_t i = 0; i < roast->profile->item_count && !cup_output_failed(roast->output); i++) {
        const struct cup_item *item = &roast->profile->items[i];
        if (result == 0 && cup_roast_is_used(roast->totals, i) && item->file &&
            item->entry_start >= 0)
            result = put_stretch(roast, item);
    }
    cup_json_end_object(&roast->json);
    return result;
}

/* ---- raw_chunk_metrics --------------------------------------------------------------------- */

static void put_time(struct cup_roast *roast, const struct cup_item *item)
{
    struct cup_stretch stretch = stretch_of(roast, item);
    int64_t ns = cup_stretch_ns(stretch);
    cup_roast_put(roast, "t_start", cup_seconds(stretch.start_ns));
    cup_roast_put(roast, "t_end", cup_seconds(stretch.stop_ns));
    cup_roast_put(roast, "duration", cup_seconds(ns < 0 ? 0 : ns));
    cup_roast_put(roast, "timestamp", cup_seconds(stretch.stop_ns));
    cup_roast_put(roast, "timed", cup_string(is_timed(item) ? "process" : "task"));
}

static struct cup_value mib(uint64_t bytes)
{
    return bytes == CUP_UNKNOWN64 ? cup_null() : cup_real((double)bytes / MIB);
}

/* The growth is not the difference of the other two if other tasks ran in the process. */
static void put_memory(struct cup_roast *roast, const struct cup_task *task)
{
    cup_roast_put_known(roast, "mem_before_mb", mib(cup_rss_bytes(task->rss_start)));
    cup_roast_put_known(roast, "mem_after_mb", mib(cup_rss_bytes(task->rss_stop)));
    cup_roast_put_known(roast, "mem_delta_mb",
                        cup_real(roast->totals->rss_growth[task->item - 1] / MIB));
}

static void put_identity(struct cup_roast *roast, const struct cup_item *item)
{
    cup_roast_put_known(roast, "num_events", cup_count_or_null(cup_item_events(item)));
    cup_roast_put_known(
        roast, "dataset",
        cup_text(cup_profile_text(roast->profile, cup_source_of(roast->profile, item)->dataset)));
    cup_roast_put_known(roast, "file", cup_text(cup_profile_text(roast->profile, item->file)));
    if (item->entry_start >= 0) {
        cup_roast_put(roast, "entry_start", cup_signed(item->entry_start));
        cup_roast_put(roast, "entry_stop", cup_signed(item->entry_stop));
    }
}

static void put_bytes(struct cup_roast *roast, const struct cup_item *item)
{
    uint32_t index = item->file ? roast->files.by_path[item->file] : 0;
    const struct cup_roast_file *file = index ? &roast->files.files[index - 1] : NULL;
    cup_roast_put_known(roast, "bytes_read", cup_count_or_null(item->requested_bytes));
    if (!file || !file->requested)
        return;
    cup_roast_put(roast, "accessed_bytes", cup_count(file->requested_bytes));
    cup_roast_put_known(roast, "bytes_read_percent", cup_roast_read_percent(file));
}

/* Coffea names a column as its branch, "-", and what of it. */
static struct cup_text branch_of(struct cup_text column)
{
    size_t length = column.length;
    while (length > 0 && column.bytes[length - 1] != '-')
        length--;
    return length > 1 ? (struct cup_text){column.bytes, length - 1} : column;
}

static bool is_same(struct cup_text a, struct cup_text b)
{
    return a.bytes && b.bytes && a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

/* True if an earlier column of the set is of the same branch. A set has a few dozen. */
static bool is_again(const struct cup_roast *roast, const struct cup_column_set *set, uint32_t at)
{
    const uint32_t *names = &roast->profile->column_names[set->first];
    struct cup_text branch = branch_of(cup_profile_text(roast->profile, names[at]));
    for (uint32_t i = 0; i < at; i++)
        if (is_same(branch, branch_of(cup_profile_text(roast->profile, names[i]))))
            return true;
    return false;
}

static void put_branches(struct cup_roast *roast, const struct cup_item *item)
{
    uint64_t count = 0;
    uint32_t columns = cup_source_of(roast->profile, item)->columns;
    if (!columns)
        return;
    const struct cup_column_set *set = &roast->profile->column_sets[columns - 1];
    cup_json_array(&roast->json, "accessed_branches");
    for (uint32_t i = 0; i < set->count; i++) {
        uint32_t name = roast->profile->column_names[set->first + i];
        if (is_again(roast, set, i))
            continue;
        cup_roast_put(roast, NULL, cup_text(branch_of(cup_profile_text(roast->profile, name))));
        count++;
    }
    cup_json_end_array(&roast->json);
    cup_roast_put(roast, "num_branches_accessed", cup_count(count));
}

static void put_chunk(struct cup_roast *roast, const struct cup_item *item)
{
    static const char *const empty[] = {"timing", "memory", "bytes"};
    cup_json_row(&roast->json, NULL);
    put_time(roast, item);
    put_memory(roast, &roast->profile->tasks[item->task]);
    put_identity(roast, item);
    put_bytes(roast, item);
    put_branches(roast, item);
    for (size_t i = 0; i < sizeof empty / sizeof *empty; i++) {
        cup_json_object(&roast->json, empty[i]);
        cup_json_end_object(&roast->json);
    }
    cup_json_end_object(&roast->json);
}

static void put_raw_chunks(struct cup_roast *roast)
{
    cup_json_array(&roast->json, "raw_chunk_metrics");
    for (size_t i = 0; i < roast->profile->item_count && !cup_output_failed(roast->output); i++)
        if (cup_roast_is_used(roast->totals, i))
            put_chunk(roast, &roast->profile->items[i]);
    cup_json_end_array(&roast->json);
}

/* ---- branches ------------------------------------------------------------------------------ */

/* Different branches of all columns; these come sorted, so those of a branch are neighbours, but
 * for one whose name is another's with a "-" behind it. */
static int put_branch_count(struct cup_roast *roast)
{
    size_t count = 0;
    uint64_t branches = 0;
    struct cup_text last = {0};
    uint32_t *names = cup_columns_used(roast->totals, &count);
    for (size_t i = 0; names && i < count; i++) {
        struct cup_text branch = branch_of(cup_profile_text(roast->profile, names[i]));
        branches += !last.bytes || !is_same(branch, last);
        last = branch;
    }
    cup_roast_put(roast, "total_branches_read",
                  cup_value_if(roast->totals->coffea.with_columns && !roast->totals->coffea.unknown,
                               cup_count(branches)));
    free(names);
    return names ? 0 : -1;
}

int cup_roast_put_chunks(struct cup_roast *roast)
{
    if (put_branch_count(roast) != 0 || put_chunk_info(roast) != 0)
        return -1;
    put_raw_chunks(roast);
    return 0;
}
