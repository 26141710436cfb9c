#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice.h"
#include "analysis/base/version.h"
#include "analysis/compare/compare_write.h"
#include "analysis/metrics/functions/call_tree.h"
#include "analysis/report/page/json_page.h"
#include "analysis/tasks/task_columns.h"

/* Of the layout: raised when the meaning of a name changes, not when names are added. */
enum { REPORT_VERSION = 1 };

/* ---- prefixes --------------------------------------------------------------------------- */

static void put_task_counters(struct report *report, const uint64_t *values)
{
    for (int i = 0; i < CUP_COUNTER_COUNT; i++)
        if (!cup_counter_is_wait(i)) /* those are told for tasks and their helpers apart */
            put_counter(report, cup_counter_names[i], values[i],
                        cup_profile_measured(report->profile, cup_counter_needs(i)));
}

void cup_report_put_task_sums(struct report *report, const struct cup_task_sums *sums)
{
    bool timed = cup_sums_have_cpu(sums);
    put(report, "tasks", cup_count(sums->tasks));
    put(report, "finished", cup_count(sums->finished));
    put(report, "erred", cup_count(sums->erred));
    put(report, "unfinished", cup_count(sums->unfinished));
    put_ns(report, "wall_s", sums->wall_ns);
    put(report, "cpu_s", timed ? cup_seconds((int64_t)sums->cpu_ns) : cup_null());
    put(report, "noncpu_s",
        timed ? cup_seconds((int64_t)(sums->with_cpu_ns - sums->cpu_ns)) : cup_null());
    put(report, "without_cpu", cup_count(sums->without_cpu));
    put(report, "read_bytes", cup_count(sums->read_bytes));
    put(report, "child_read_bytes", cup_count(sums->child_read_bytes));
    put(report, "result_bytes", cup_count(sums->result_bytes));
}

static void put_prefix(struct report *report, uint32_t index)
{
    const struct cup_prefix *prefix = &report->profile->prefixes[index];
    cup_json_row(&report->json, NULL);
    put(report, "prefix", text_of(report, prefix->name));
    put(report, "processor", cup_bool(cup_prefix_is_processor(report->totals, index)));
    cup_report_put_task_sums(report, &report->totals->prefixes[index]);
    put_task_counters(report, prefix->counters);
    cup_report_put_waits(report, &prefix->waits, &prefix->helper_waits);
    cup_report_put_histograms(report, prefix);
    cup_json_end_object(&report->json);
}

static void put_prefixes(struct report *report)
{
    open_rows(report, "tasks_by_prefix");
    for (uint32_t i = 0; i < report->profile->prefix_count; i++)
        if (report->totals->prefixes[i].tasks || report->profile->prefixes[i].counters[0])
            put_prefix(report, i);
    close_rows(report);
}

/* ---- sources ---------------------------------------------------------------------------- */

static const char *const row_sources[][2] = {
    {"chunks", "P: tasks that carried a work item, or in which Coffea's clock calls were seen; "
               "fits: over "
               "used chunks, least squares, and robust: Huber's; reason says why one is null"},
    {"datasets", "P: sums over the chunks whose result was used"},
    {"tasks_by_prefix",
     "P: all tasks; waits as in fine, over tasks that ended; histograms have buckets whose "
     "edges "
     "grow by a factor of 1.33 to 1.5, so quantiles are good to some 20 %; max_s is exact; "
     "helper_fault_wait_s and "
     "helper_other_wait_s are null: " CUP_NO_HELPER_REST},
    {"files", "P: every regular file that was read or written; F: share_of_branches_pct and "
              "share_of_bytes_pct (different baskets that were read, of those of the trees "
              "that were read), file_branches, file_baskets_bytes, clusters and cluster_events "
              "from the file itself, opened when the report was made; n/a where it was not: "
              "not_examined says why"},
    {"servers",
     "P: servers of files that URLs name, as XRootD's client reads them (requests are "
     "reads, net_s their time; a URL may name a redirector), and peers of sockets, Dask's "
     "own apart (requests are calls that sent): XRootD's bytes are in both; open_latency: "
     "of files, connect: of TCP connections, see opens; errors: of those that failed"},
    {"opens",
     "P: wall time; local: the call, of files that were then read or written, by the first "
     "directory of their path; xrootd: from File::Open() to its answer; connect: from "
     "connect() until the program was told that it stands, without names looked up before "
     "and TLS after: no file's open. Quantiles are of those that succeeded, good to 3 %; "
     "null: recorded by an older library"},
    {"runs", "C: Runner calls, by the clock calls of the client inside of them; without any, "
             "everything from the first task to the last is one"},
    {"sections", "P: as the program itself says where they begin and end (docs/sections.md); of "
                 "helper threads what they counted between; peak_live_bytes: of the task's own "
                 "thread since the section began"},
    {"losses",
     "P: chunks with attempts that erred, never ended or were done again, and metadata tasks "
     "likewise; skipped: the task succeeded, but process() never returned in it; server: of "
     "the file's URL, which may be a redirector's: null for paths; first and last: of the "
     "attempts without use"},
    {"hosts",
     "P: CPU model and processors as the workers' own instructions and kernel tell; event "
     "rates over the summed time (core) and CPU time (cpu) of chunks with events; deviations: "
     "from the median of the hosts with the same CPU model, over 1.4826 times the median "
     "distance from it"},
    {"stages",
     "P and C: as workflow; task_s: of the pool's threads, unfinished tasks until the last "
     "sign of their process; idle_s: threads_s less task_s; graph: around the metadata tasks, "
     "n/a without a Runner call"},
    {"merge",
     "P: tasks whose inputs, by Dask's own record, are results of chunks (level 1) or of such "
     "tasks; sums leave out what is of metadata; input_bytes and result_bytes are Dask's "
     "estimate; transfer_s: n/a, Dask's fine metrics have it by prefix (gather-dep); "
     "dask_received_bytes: all that the workers' Dask sockets delivered; a level that is null: "
     "an older library did not record inputs"},
    {"tasks_by_worker", "P: as tasks_by_prefix, by the Dask worker that ran them"},
    {"scaling", "P: chunks' events and bytes (C) spread over their tasks' time, in up to 100 "
                "bins from the first chunk to the last; a step lasted 2 % of it to count; the "
                "bend is the last with 90 % of the best rate per thread"},
};

static void put_coffea_source(struct report *report)
{
    put(report, "coffea",
        cup_string(report->totals->coffea.chunks
                       ? "C: as Coffea's own report, made from the chunks whose result was used; "
                         "given: the file of --coffea-report"
                   : report->totals->given
                       ? "C: the file of --coffea-report; no chunk of Coffea's was seen to return"
                       : "n/a: no chunk of Coffea's was seen to return"));
}

static void put_functions_source(struct report *report)
{
    const char *missing = cup_stacks_missing(report->profile);
    char reason[300];
    snprintf(reason, sizeof reason, "n/a: %s", missing ? missing : "stacks were not asked for");
    put(report, "functions",
        cup_string(
            report->totals->calls
                ? "P: Python stacks of the tasks' threads and their helpers; cpu and off_cpu: "
                  "samples, each with the time since the one before; reads, writes: at the "
                  "calls, small ones sampled; waits: those of over 1 ms; alloc: one in many, "
                  "which stands for 512 KiB; total_: with all that it calls, recursion once; "
                  "native: no cpu and off_cpu, whose samples have no native frames; "
                  "packages and user by the file's path; phases by the rules of "
                  "docs/functions.md"
                : reason));
}

static void put_row_sources(struct report *report)
{
    for (size_t i = 0; i < sizeof row_sources / sizeof *row_sources; i++)
        put(report, row_sources[i][0], cup_string(row_sources[i][1]));
    put_coffea_source(report);
    put_functions_source(report);
}

/* A metric with a way to make it, but nothing to make it from. */
static void put_metric_source(struct report *report, const struct cup_metric *metric)
{
    char made[CUP_SOURCE_ROOM], source[2 * CUP_SOURCE_ROOM];
    cup_metric_source(metric, report->totals, made);
    if (cup_metric_value(metric->id, report->totals).kind != CUP_VALUE_NULL)
        snprintf(source, sizeof source, "%s", made);
    else if (metric->unavailable)
        snprintf(source, sizeof source, "n/a: %s", made);
    else
        snprintf(source, sizeof source, "n/a: %s; otherwise %s",
                 cup_metric_missing(metric, report->totals), made);
    put(report, metric->name, cup_string(source));
}

#define WASTE_P                                                                                    \
    "P: of two successes of one key the later one counts: the other is lost_with_worker if its "   \
    "process was gone by then, else retried; stolen: 0, for Dask refuses to have a task stolen "   \
    "that already executes; killed.wall_s ends with the last sign of the process, killed.cpu_s "   \
    "is null because a thread's CPU clock is read when its task ends"

static void put_branch_sources(struct report *report)
{
    bool by_file = cup_branches_by_file(report->totals->branches);
    put(report, "algorithms", cup_string("P: as the heads of the baskets' blocks say"));
    put(report, "rows",
        cup_string(by_file ? "P: for each file; branch null: pages of an RNTuple have no names; "
                             "source: as asked (uproot asked for these baskets), unseen (likewise, "
                             "but their keys passed by no hook: uncompressed_bytes is null), "
                             "by_place (another reader: by where baskets lie in what was "
                             "requested), pages, embedded (in the tree's own "
                             "record); F: file_baskets, file_bytes and "
                             "share_of_file_pct (different baskets that were read) from the file "
                             "itself, n/a where files.rows has a reason in not_examined"
                           : "P: over all files, file null: there are more than 100,000 files x "
                             "branches, or which file a branch was read of could not be read "
                             "again; otherwise as for each file"));
}

/* Of what is no single value. */
static void put_more_sources(struct report *report, const struct cup_metric_section *section)
{
    const struct cup_observed *observed = report->totals->observed;
    if (section == &cup_efficiency_metrics)
        put(report, "wasted_by_reason", cup_string(WASTE_P));
    if (section == &cup_branches_metrics)
        put_branch_sources(report);
    if (section == &cup_workers_metrics)
        put(report, "tracking_data",
            cup_string(*observed->source ? observed->source : "n/a: there are no samples"));
}

static void put_sources(struct report *report)
{
    cup_json_object(&report->json, "sources");
    for (size_t i = 0; i < cup_metric_section_count; i++) {
        const struct cup_metric_section *section = cup_metric_sections[i];
        cup_json_object(&report->json, section->name);
        for (size_t k = 0; k < section->count; k++)
            put_metric_source(report, &section->metrics[k]);
        put_more_sources(report, section);
        cup_json_end_object(&report->json);
    }
    put_row_sources(report);
    cup_json_end_object(&report->json);
}

/* ---- advice ----------------------------------------------------------------------------- */

static void put_advice(struct report *report)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(report->totals, advice);
    cup_json_array(&report->json, "advice");
    for (size_t i = 0; i < count; i++) {
        cup_json_row(&report->json, NULL);
        put(report, "rule", cup_string(advice[i].rule));
        put(report, "text", cup_string(advice[i].text));
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

/* ---- scaling ---------------------------------------------------------------------------- */

static void put_scaling(struct report *report)
{
    const struct cup_ramp ramp = cup_ramp_make(report->totals);
    cup_ramp_json(&report->json, "scaling", &ramp, report->target);
}

/* ---- all of it -------------------------------------------------------------------------- */

static int put_report(struct report *report)
{
    cup_json_object(&report->json, NULL);
    put(report, "format", cup_string("cupping-report"));
    put(report, "version", cup_count(REPORT_VERSION));
    put(report, "cupping_version", cup_string(CUP_VERSION));
    put(report, "profile", cup_string(report->profile->path));
    cup_report_put_runs(report);
    put_metric_section(report, &cup_workflow_metrics);
    int result = cup_report_put_workers(report);
    cup_report_put_efficiency(report);
    cup_report_put_time_budget(report);
    put_advice(report);
    cup_report_put_fine(report);
    cup_report_put_chunks(report);
    if (result == 0)
        result = cup_report_put_coffea(report);
    cup_report_put_datasets(report);
    put_prefixes(report);
    cup_report_put_tasks_by_worker(report);
    if (result == 0)
        result = cup_report_put_files(report) == 0 ? cup_report_put_servers(report) : -1;
    if (result == 0)
        result = cup_report_put_opens(report);
    if (result == 0)
        result = cup_report_put_branches(report);
    if (result == 0)
        result = cup_report_put_functions(report);
    if (result == 0)
        result = cup_report_put_sections(report);
    cup_report_put_losses(report);
    cup_report_put_hosts(report);
    cup_report_put_merge(report);
    if (result == 0)
        result = cup_report_put_stages(report);
    put_scaling(report);
    cup_report_put_attribution(report);
    cup_report_put_health(report);
    put_sources(report);
    cup_json_end_object(&report->json);
    return result;
}

int cup_report_json(const struct cup_totals *totals, const struct cup_target *target,
                    const struct cup_output *output)
{
    struct report report = {
        .totals = totals, .profile = totals->profile, .target = target, .output = output};
    uint32_t *attempts = cup_task_attempts(totals->profile);
    if (!attempts)
        return -1;
    report.attempts = attempts;
    cup_json_start(&report.json, output->file);
    int result = put_report(&report);
    free(attempts);
    return result;
}
