/* How each figure is made: "sources" in the JSON. */
#include "analysis/advice/advice.h"
#include "analysis/metrics/functions/call_tree.h"
#include "analysis/metrics/metrics.h"
#include "analysis/profile/summed_text.h"
#include "analysis/report/page/section.h"

/* ---- in the text ------------------------------------------------------------------------------
 */

static void print_section_sources(const struct cup_page *page,
                                  const struct cup_metric_section *section)
{
    for (size_t i = 0; i < section->count; i++) {
        const struct cup_metric *metric = &section->metrics[i];
        char made[CUP_SOURCE_ROOM];
        cup_page_line(page, CUP_PLAIN, "%s.%s: %s%s", section->name, metric->name,
                      metric->unavailable ? "n/a, " : "",
                      cup_metric_source(metric, page->totals, made));
    }
}

static void print_rules(const struct cup_page *page)
{
    char why[CUP_NOT_JUDGED];
    for (size_t i = 0; i < cup_rule_count; i++)
        if (cup_rule_not_judged(&cup_rules[i], page->totals, why))
            cup_page_line(page, CUP_PLAIN, "advice.%s: not judged: %s", cup_rules[i].name, why);
}

/* Prints how each figure is made; only with --only, because it is long. */
static int print_sources(const struct cup_page *page)
{
    cup_page_heading(page, "Sources", "P: cupping; D: Dask; C: Coffea's report");
    for (size_t i = 0; i < cup_metric_section_count; i++)
        print_section_sources(page, cup_metric_sections[i]);
    print_rules(page);
    return 0;
}

/* ---- in the JSON ------------------------------------------------------------------------------
 */

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
     "connect() until the program learns that it is connected, without the name lookup before "
     "and TLS after: no file's open. Quantiles are of those that succeeded, good to 3 %; "
     "null: recorded by an older library"},
    {"runs", "C: Runner calls, by the clock calls of the client inside of them; without any, "
             "everything from the first task to the last is one"},
    {"sections", "P: as the program itself says where they begin and end (docs/sections.md); of "
                 "helper threads what they counted between; peak_live_bytes: of the task's own "
                 "thread since the section began"},
    {"losses",
     "P: chunks and metadata tasks with attempts that failed, never ended or were repeated; "
     "skipped: the task succeeded, but process() never returned in it; server: of "
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
    {"tasks_by_worker", "P: as in tasks_by_prefix, for each Dask worker"},
    {"scaling", "P: chunks' events and bytes (C) spread over their tasks' time, in up to 100 "
                "bins from the first chunk to the last; a step lasted 2 % of it to count; the "
                "bend is the last with 90 % of the best rate per thread"},
};

static void put_coffea_source(struct report *report)
{
    const struct cup_coffea_sums *seen = &report->totals->coffea;
    put(report, "coffea",
        cup_string(cup_coffea_was_seen(seen) && seen->unknown
                       ? "C: processtime, from the clock calls around process() of the chunks "
                         "whose result was used; null: " CUP_SUMMED
                         "; given: the file of --coffea-report"
                   : cup_coffea_was_seen(seen)
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
                  "which stands for 1.5 MiB; total_: with all that it calls, recursion once; "
                  "native: no cpu and off_cpu, whose samples have no native frames; "
                  "packages and user by the file's path; phases by the rules of "
                  "docs/functions.md"
                : reason));
}

static void put_rule_sources(struct report *report)
{
    char why[CUP_NOT_JUDGED];
    cup_json_object(&report->json, "advice");
    for (size_t i = 0; i < cup_rule_count; i++)
        put(report, cup_rules[i].name,
            cup_string(cup_rule_not_judged(&cup_rules[i], report->totals, why)
                           ? CUP_FORMAT("not judged: %s", why)
                           : "judged"));
    cup_json_end_object(&report->json);
}

static void put_row_sources(struct report *report)
{
    for (size_t i = 0; i < sizeof row_sources / sizeof *row_sources; i++)
        put(report, row_sources[i][0], cup_string(row_sources[i][1]));
    put_coffea_source(report);
    put_functions_source(report);
    put_rule_sources(report);
}

/* Writes how the metric is made; if it is n/a, the reason comes first. */
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
    put(report, "algorithms", cup_string("P: from the header of each basket's compressed block"));
    put(report, "rows",
        cup_string(by_file ? "P: for each file; branch null: pages of an RNTuple have no names; "
                             "source: as asked (uproot requested these baskets), unseen (uproot "
                             "requested them, but no hook saw their keys: uncompressed_bytes is "
                             "null), "
                             "by_place (another reader: by where baskets lie in what was "
                             "requested), pages, embedded (in the tree's own "
                             "record); F: file_baskets, file_bytes and "
                             "share_of_file_pct (different baskets that were read) from the file "
                             "itself, n/a where files.rows has a reason in not_examined"
                           : "P: over all files, file null: there are more than 100,000 files x "
                             "branches, or which file a branch was read of could not be read "
                             "again; otherwise as for each file"));
}

/* Sources of tables and lists. */
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

static int put_sources(struct report *report)
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
    return 0;
}

const struct cup_report_section cup_sources_section = {
    .name = "sources", .shown = CUP_SHOWN_ON_REQUEST, .print = print_sources, .put = put_sources};
