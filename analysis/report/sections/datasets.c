/* Datasets: sums over their chunks. */
#include "analysis/metrics/losses/loss_text.h"
#include "analysis/report/page/section.h"
#include "analysis/report/sections/row_parts.h"

#define FIELDS(X)                                                                                  \
    X("dataset", TEXT, cup_row_text(rows, dataset->name), .heading = "dataset", .place = 1)        \
    X("chunks", COUNT, cup_count(dataset->chunks), .heading = "chunks", .place = 2)                \
    X("failed", COUNT, cup_count(dataset->failed))                                                 \
    X("repeated", COUNT, cup_count(dataset->repeated))                                             \
    X("unfinished", COUNT, cup_count(dataset->unfinished))                                         \
    X("running", COUNT, cup_count(dataset->running))                                               \
    X("skipped", COUNT, cup_count(dataset->skipped))                                               \
    X(NULL, COUNT, cup_count(dataset->failed + dataset->unfinished + dataset->skipped),            \
      .heading = "failed", .place = 3, .rank = 3)                                                  \
    X("events", COUNT, cup_count_if(!dataset->without_events, dataset->events),                    \
      .heading = "events", .place = 4)                                                             \
    X("wall_s", SECONDS, cup_ns(dataset->wall_ns), .heading = "time", .place = 5)                  \
    X("cpu_s", SECONDS, cup_ns_if(dataset->with_cpu, dataset->cpu_ns))                             \
    X("process_s", SECONDS, cup_ns_if(dataset->process_ns, dataset->process_ns))                   \
    X("read_bytes", BYTES, cup_count_if(files && !dataset->bytes_unknown, dataset->read_bytes),    \
      .heading = "read", .place = 8)                                                               \
    X("all_attempts_read_bytes", BYTES, cup_count_if(files, dataset->attempt_bytes))               \
    X("event_rate_agg_khz", KHZ, cup_ratio(timed_events / 1e3, (double)dataset->process_ns / 1e9), \
      .heading = "process()", .place = 6, .rank = 1)                                               \
    X("bytes_per_event", BYTES, cup_ratio(bytes, events), .heading = "per event", .place = 9,      \
      .rank = 2)                                                                                   \
    X("event_rate_core_hz", HZ, cup_ratio(events, wall_s), .heading = "ev/s/core", .place = 7,     \
      .rank = 5)                                                                                   \
    X("event_rate_cpu_hz", HZ, cup_ratio(events, (double)dataset->cpu_ns / 1e9))                   \
    X("read_rate_core_mbs", MBS, cup_ratio(bytes / 1e6, wall_s))                                   \
    X("time_share", SHARE,                                                                         \
      cup_ratio((double)dataset->wall_ns, (double)rows->totals->chunk_wall_ns))                    \
    X("chunks_lost", COUNT, cup_count(cup_losses_chunks(&losses)))                                 \
    X("events_lost", COUNT, cup_losses_events_value(&losses))                                      \
    CUP_TASK_BASKET_FIELDS(X, baskets, measured)                                                   \
    X("read_amplification", RATIO,                                                                 \
      cup_value_if(files && !otherwise,                                                            \
                   cup_ratio((double)dataset->coffea.read_bytes,                                   \
                             cup_number(cup_count_or_null(cup_coffea_bytes(&dataset->coffea))))))  \
    X(NULL, BYTES, cup_count_or_null(cup_coffea_bytes(&dataset->coffea)), .heading = "requested",  \
      .place = 10, .rank = 4)

static struct cup_loss_sums losses_of(const struct cup_totals *totals, uint32_t name)
{
    const struct cup_losses *losses = totals->losses;
    for (size_t i = 0; i < losses->dataset_count; i++)
        if (losses->datasets[i].name == name)
            return losses->datasets[i].sums;
    return (struct cup_loss_sums){0};
}

/* The processor mapped files, or received bytes of others than servers: of which dataset is not
 * known. Less than a hundredth of what it read, such as a file of corrections, does not matter. */
static bool was_given_otherwise(const struct cup_totals *totals)
{
    double bytes = 0;
    for (uint32_t i = 0; i < totals->profile->prefix_count; i++)
        if (cup_prefix_is_processor(totals, i))
            bytes += (double)cup_otherwise_read(totals->profile->prefixes[i].counters);
    return bytes > 0.01 * (double)totals->coffea.read_bytes;
}

static void fill(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_dataset *dataset = item;
    const struct cup_loss_sums losses = losses_of(rows->totals, dataset->name);
    bool measured = rows->profile->baskets && !rows->profile->chunks_summed &&
                    cup_profile_measured(rows->profile, CUP_FEATURE_BASKETS);
    bool files = cup_profile_measured(rows->profile, CUP_FEATURE_FILES);
    bool otherwise = was_given_otherwise(rows->totals);
    const struct cup_task_baskets *baskets = &dataset->baskets;
    double events = dataset->without_events ? NAN : (double)dataset->events,
           bytes = !files || dataset->bytes_unknown ? NAN : (double)dataset->read_bytes,
           timed_events = dataset->timed == dataset->chunks ? events : NAN,
           wall_s = (double)dataset->wall_ns / 1e9;
    CUP_FILL(values, FIELDS);
}

static void put_coffea(struct report *report, const void *item)
{
    const struct cup_dataset *dataset = item;
    cup_json_row(&report->json, "coffea");
    cup_report_put_coffea_sums(report, &dataset->coffea);
    cup_json_end_object(&report->json);
}

CUP_LIST_ARRAY(list, rows->totals->datasets, rows->totals->dataset_count)

static const struct cup_report_table table = {
    CUP_TABLE_PARTS(CUP_ROW_PART(FIELDS, fill), {.put = put_coffea, .nested = "coffea"}), list,
    .on_screen = 20, .more = "dataset"};

const struct cup_report_section cup_datasets_section = {
    .name = "datasets",
    .heading = "Datasets",
    .note = "time is summed over chunks, events/s are those inside process()",
    .table = &table,
};
