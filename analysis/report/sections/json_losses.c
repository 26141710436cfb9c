/* Losses and wasted work in the report's JSON. */
#include "analysis/metrics/reads/open_ranks.h"
#include "analysis/report/page/json_page.h"
#include "analysis/tasks/task_columns.h"

/* ---- losses ----------------------------------------------------------------------------- */

static struct cup_value missing_share(const struct cup_loss_sums *sums, uint64_t events_used)
{
    double lost = (double)cup_losses_events(sums);
    return cup_ratio(lost, lost + (double)events_used);
}

static void put_sums(struct report *report, const struct cup_loss_sums *sums, uint64_t events_used)
{
    char name[40];
    for (int i = 0; i < CUP_LOSS_OUTCOMES; i++) {
        snprintf(name, sizeof name, "chunks_%s", cup_loss_names[i]);
        put(report, name, cup_count(sums->chunks[i]));
    }
    put(report, "metadata_lost", cup_count(sums->metadata));
    put(report, "events_lost", cup_count(cup_losses_events(sums)));
    put(report, "chunks_lost_without_events", cup_count(sums->without_events));
    put(report, "events_recovered", cup_count(sums->events[CUP_LOSS_RECOVERED]));
    put(report, "events_unfinished", cup_count(sums->events[CUP_LOSS_UNFINISHED]));
    put(report, "events_lost_share", missing_share(sums, events_used));
}

static void put_attempt_counts(struct report *report, const struct cup_loss *loss)
{
    put(report, "attempts", cup_count(loss->attempts));
    put(report, "attempts_failed", cup_count(loss->failed));
    put(report, "attempts_unfinished", cup_count(loss->unfinished));
    put(report, "attempts_repeated", cup_count(loss->repeated));
    put(report, "attempts_skipped", cup_count(loss->skipped));
    put(report, "first", cup_time(loss->first_ns));
    put(report, "last", cup_time(loss->last_ns));
    put_ns(report, "wall_s", loss->wall_ns);
    put(report, "read_bytes", cup_count(loss->read_bytes));
}

static void put_loss(struct report *report, const struct cup_loss *loss,
                     const struct cup_task_row *row)
{
    static const char *const columns[] = {"key",         "dataset",    "file",   "tree",
                                          "entry_start", "entry_stop", "events", "host",
                                          "worker",      "pid",        "status"};
    const struct cup_item *item = &report->profile->items[loss->item];
    cup_json_row(&report->json, NULL);
    put(report, "outcome", cup_string(cup_loss_names[loss->outcome]));
    put(report, "kind", cup_string(cup_item_is_chunk(item) ? "chunk" : "metadata"));
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        put(report, columns[i], cup_task_value(row, columns[i]));
    put(report, "server", cup_text(cup_url_server(cup_profile_text(report->profile, item->file))));
    put(report, "error", text_of(report, loss->error));
    put_attempt_counts(report, loss);
    cup_json_end_object(&report->json);
}

static void put_losses_rows(struct report *report)
{
    const struct cup_losses *losses = report->totals->losses;
    struct cup_key_reader keys;
    cup_key_reader_open(&keys, report->profile);
    cup_json_array(&report->json, "rows");
    for (size_t i = 0; i < losses->count && !cup_output_failed(report->output); i++) {
        uint32_t index = report->profile->items[losses->rows[i].item].task;
        const struct cup_task *task = &report->profile->tasks[index];
        const struct cup_task_row row = {report->profile, task, cup_key_read(&keys, task),
                                         report->attempts[index]};
        put_loss(report, &losses->rows[i], &row);
    }
    cup_json_end_array(&report->json);
    cup_key_reader_close(&keys);
}

void cup_report_put_losses(struct report *report)
{
    const struct cup_losses *losses = report->totals->losses;
    cup_json_object(&report->json, "losses");
    put_sums(report, &losses->sums, report->totals->events);
    cup_json_array(&report->json, "by_dataset");
    for (size_t i = 0; i < losses->dataset_count; i++) {
        const struct cup_dataset_losses *dataset = &losses->datasets[i];
        cup_json_row(&report->json, NULL);
        put(report, "dataset", text_of(report, dataset->name));
        put_sums(report, &dataset->sums, dataset->events_used);
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
    put_losses_rows(report);
    cup_json_end_object(&report->json);
}

/* ---- wasted work ------------------------------------------------------------------------ */

static void put_waste(struct report *report, const char *reason, const struct cup_waste *waste,
                      bool ended)
{
    cup_json_row(&report->json, reason);
    put(report, "tasks", cup_count(waste->tasks));
    put_ns(report, "wall_s", waste->wall_ns);
    put(report, "cpu_s", ended ? cup_seconds((int64_t)waste->cpu_ns) : cup_null());
    put(report, "read_bytes", cup_count(waste->read_bytes));
    cup_json_end_object(&report->json);
}

void cup_report_put_waste(struct report *report)
{
    const struct cup_waste_reasons *waste = report->totals->waste;
    const struct cup_waste none = {0};
    cup_json_object(&report->json, "wasted_by_reason");
    put_waste(report, "failed", &waste->failed, true);
    put_waste(report, "retried", &waste->retried, true);
    put_waste(report, "stolen", &none, true);
    put_waste(report, "lost_with_worker", &waste->lost, true);
    put_waste(report, "killed", &waste->killed, waste->killed.tasks == 0);
    cup_json_end_object(&report->json);
}
