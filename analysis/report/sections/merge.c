/* Merges of the chunks' results, level by level. */
#include "analysis/profile/summed_text.h"
#include "analysis/report/page/section.h"

#define LEVEL_FIELDS(X)                                                                            \
    X("level", COUNT, cup_count_if(level->level, level->level), .heading = "level")                \
    X("of", TEXT, cup_string(level->metadata ? "metadata" : "chunks"), .heading = "of")

#define SUM_FIELDS(X)                                                                              \
    X("tasks", COUNT, cup_count(level->tasks), .heading = "tasks")                                 \
    X("failed", COUNT, cup_count(level->failed), .heading = "failed", .rank = 5)                   \
    X("inputs", COUNT, cup_count_if(rows->profile->input_count > 0, level->inputs),                \
      .heading = "inputs")                                                                         \
    X("input_bytes", BYTES, cup_count_if(level->input_bytes_known, level->input_bytes),            \
      .heading = "input size", .rank = 3)                                                          \
    X("result_bytes", BYTES, cup_count_if(level->result_bytes_known, level->result_bytes),         \
      .heading = "results")                                                                        \
    X("largest_result_bytes", BYTES,                                                               \
      cup_count_if(level->result_bytes_known, level->largest_bytes))                               \
    X("accumulate_s", SECONDS, cup_ns(level->wall_ns), .heading = "time")                          \
    X("cpu_s", SECONDS, cup_ns_if(level->tasks > level->without_cpu, level->cpu_ns),               \
      .heading = "CPU", .rank = 1)                                                                 \
    X("longest_s", SECONDS, cup_ns_if(level->tasks, level->longest_ns), .heading = "longest",      \
      .rank = 2)                                                                                   \
    X("transfer_s", SECONDS, cup_null())                                                           \
    X("peak_rss_bytes", BYTES, cup_count_if(level->rss_bytes, level->rss_bytes),                   \
      .heading = "RSS up to", .rank = 4)                                                           \
    X("peak_live_bytes", BYTES, cup_count_if(heap && level->tasks, level->peak_live_bytes))        \
    X("start", TIME, cup_value_if(level->start_ns, cup_time(level->start_ns)))                     \
    X("stop", TIME, cup_value_if(level->stop_ns, cup_time(level->stop_ns)))

CUP_FILL_ITEM(fill_level, struct cup_merge_level, level, LEVEL_FIELDS)

static void fill_sums(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_merge_level *level = item;
    bool heap = cup_profile_measured(rows->profile, CUP_FEATURE_HEAP);
    struct cup_value *first = values;
    CUP_FILL(values, SUM_FIELDS);
    while (rows->totals->merge->summed && values > first)
        *--values = cup_null();
}

CUP_LIST_ARRAY(list, rows->totals->merge->levels, rows->totals->merge->count)

static const struct cup_report_table table = {
    CUP_TABLE_PARTS(CUP_ROW_PART(LEVEL_FIELDS, fill_level), CUP_ROW_PART(SUM_FIELDS, fill_sums)),
    list};

static int print_merge(const struct cup_page *page)
{
    const struct cup_merge *merge = page->totals->merge;
    if (merge->summed)
        cup_page_line(page, CUP_PLAIN, "Merging: n/a, because " CUP_SUMMED ".");
    bool known = merge->count > 0 && merge->levels[merge->count - 1].level;
    return cup_print_rows(page, &table, NULL, "Merging",
                          known
                              ? "level 1 merges results of chunks, level 2 results of level 1, ..."
                              : "levels are not known: an older library recorded this");
}

static void put_sum(struct report *report)
{
    const struct cup_merge_level sum = cup_merge_sum(report->totals->merge, false);
    cup_put_part(report, &table.parts[1], &sum);
    put(report, "dask_received_bytes",
        cup_count(report->totals->without_task[CUP_C_TRANSFER_RECV_BYTES]));
}

const struct cup_report_section cup_merge_section = {
    .name = "merge", .table = &table, .print = print_merge, .put_keys = put_sum};
