/* The first screen: duration, rates, share of CPU time, share of bytes that were attributed, and
 * the most important advice. */
#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analysis/metrics/chunks/slowest.h"
#include "analysis/metrics/losses/loss_text.h"
#include "analysis/profile/missing_tasks.h"
#include "analysis/profile/roles.h"
#include "analysis/profile/run_life.h"
#include "analysis/profile/runs.h"
#include "analysis/report/page/section.h"
#include "analysis/report/page/warnings.h"
#include "analysis/report/sections/advice.h"
#include "analysis/report/sections/row_parts.h"
#include "analysis/write/html.h"

/* " (analysis.py, process 4711 on node1)": the client that made the call. */
static const char *name_client(char to[CUP_LINE_ROOM], const struct cup_profile *profile)
{
    const struct cup_run *call = &profile->runs[profile->run - 1];
    const struct cup_process *client = cup_run_client(profile, call);
    char script[CUP_SCRIPT_ROOM] = "";
    if (client)
        cup_process_script(profile, (size_t)(client - profile->processes), script);
    return cup_format(to, " (%s%sprocess %u on %s)", script, *script ? ", " : "", call->pid,
                      call->host);
}

/* Where there are several calls of Coffea's Runner. */
static void print_which_run(const struct cup_page *page)
{
    const struct cup_profile *profile = page->profile;
    bool two = profile->run_count == 2;
    char client[CUP_LINE_ROOM];
    unsigned other = cup_runs_overlapping(profile);
    if (profile->run_count < 2)
        return;
    const char *line =
        profile->run
            ? CUP_FORMAT("Run %u of %zu%s. %s: `--run %s`; all together: `--run all`%s.",
                         profile->run, profile->run_count, name_client(client, profile),
                         two ? "The other" : "Another",
                         two ? CUP_FORMAT("%u", 3 - profile->run) : "N",
                         two ? "" : "; all in a list: `--only runs`")
            : CUP_FORMAT("All %zu runs together. One of them: `--run N`; a list: `--only runs`.",
                         profile->run_count);
    cup_print_wrapped(&page->terminal, CUP_WARN, 0, line);
    if (other)
        cup_print_wrapped(&page->terminal, CUP_BAD, 0,
                          CUP_FORMAT("Run %u went on at the same time: the figures are of both "
                                     "during this run. Give each analysis a directory of its own.",
                                     other));
}

char *cup_report_describe(const struct cup_totals *t, char to[CUP_DESCRIPTION])
{
    char replaced[CUP_LINE_ROOM] = "";
    if (t->all_workers > t->workers)
        cup_format(replaced, " at a time (%llu in all)", (unsigned long long)t->all_workers);
    const struct cup_value start = cup_metric_value(CUP_METRIC_t_start, t);
    snprintf(to, CUP_DESCRIPTION, "%s%s, %s, %s%s, %s, %s, %s",
             start.kind == CUP_VALUE_NULL ? "start not known"
                                          : CUP_SHOW_VALUE(start, CUP_UNIT_NONE),
             start.kind == CUP_VALUE_NULL ? "" : " UTC",
             CUP_SHOW_COUNTED(cup_count_hosts(t->profile, NULL, NULL), "host"),
             CUP_SHOW_COUNTED(t->workers, "worker"), replaced,
             CUP_SHOW_COUNTED(t->budget.threads, "thread"), CUP_SHOW_COUNTED(t->all.tasks, "task"),
             CUP_SHOW_COUNTED(t->used_chunks, "chunk"));
    return to;
}

/* Says which features this interpreter does not allow: many figures rest on them. */
static void print_environment(const struct cup_page *page)
{
    char line[CUP_LINE_ROOM];
    if (cup_interpreter_lacks(page->profile, line))
        cup_print_wrapped(&page->terminal, CUP_WARN, 0, line);
}

static void print_title(const struct cup_page *page)
{
    char line[CUP_DESCRIPTION];
    cup_print(&page->terminal, CUP_BOLD, "cupping report of %s\n", page->profile->path);
    cup_page_completeness(page);
    print_environment(page);
    cup_print_wrapped(&page->terminal, CUP_DIM, 0, cup_report_describe(page->totals, line));
    print_which_run(page);
    putc('\n', page->terminal.out);
}

static void write_fact(FILE *out, const char *name, enum cup_style style, const char *figure,
                       const char *detail)
{
    const char *class = style == CUP_GOOD   ? "good"
                        : style == CUP_WARN ? "warn"
                        : style == CUP_BAD  ? "bad"
                                            : "plain";
    fprintf(out, "<div><dt>%s</dt><dd><b class=\"%s\">", name, class);
    cup_html_string(out, figure);
    fputs("</b> <span>", out);
    cup_html_prose(out, detail);
    fputs("</span></dd></div>\n", out);
}

/* One line of the summary: a name, the figure, and what it is made of. */
static void print_fact(const struct cup_page *page, const char *name, enum cup_style style,
                       const char *figure, const char *detail)
{
    if (page->terminal.html) {
        write_fact(page->terminal.out, name, style, figure, detail);
        return;
    }
    fprintf(page->terminal.out, "  %-11s", name);
    cup_print(&page->terminal, style, "%11s", figure);
    fputs("   ", page->terminal.out);
    cup_print_hanging(&page->terminal, CUP_PLAIN, 27, detail);
}

/* Before the first chunk the client builds the graph, and metadata tasks run. A shorter time is
 * left out. */
static const double LEAST_BEFORE_S = 1e-3;

static void print_duration(const struct cup_page *page)
{
    const struct cup_totals *t = page->totals;
    double before_s = (double)(t->chunks.start_ns - t->run.start_ns) / 1e9;
    const char *before =
        before_s >= LEAST_BEFORE_S ? CUP_FORMAT("preparing %s, ", CUP_SHOW_S(before_s)) : "";
    const char *detail =
        t->chunks.stop_ns ? CUP_FORMAT("%sprocessing %s, merging %s", before,
                                       CUP_SHOW_METRIC(page, CUP_METRIC_process_s),
                                       CUP_SHOW_METRIC(page, CUP_METRIC_merge_s))
        : t->run.stop_ns > t->tasks.stop_ns
            ? t->all.running ? "from the first task to the last sign of life so far"
                             : "from the first task to the last sign of life of one that never "
                               "ended"
            : "from the first task to the last";
    print_fact(page, "wall time", CUP_BOLD, CUP_SHOW_METRIC(page, CUP_METRIC_wall_time), detail);
}

/* "each thread"; or if not all threads were there all the time, "each of 7.94 threads on average":
 * times this number the rate of a thread is the rate of the run. */
static const char *name_threads(char to[CUP_LINE_ROOM], const struct cup_totals *totals)
{
    double threads = cup_metric_number(CUP_METRIC_threads_s, totals) /
                     cup_metric_number(CUP_METRIC_wall_time, totals);
    bool all_the_time = fabs(threads - (double)totals->budget.threads) < 0.005 * threads;
    return all_the_time
               ? "each thread"
               : cup_format(to, "each of %s threads on average", CUP_SHOW(threads, CUP_UNIT_COUNT));
}

static void print_events(const struct cup_page *page)
{
    char threads[CUP_LINE_ROOM];
    double rate = cup_metric_number(CUP_METRIC_event_rate_thread_hz, page->totals);
    print_fact(page, "events/s", CUP_BOLD, CUP_SHOW_METRIC(page, CUP_METRIC_event_rate_wall_khz),
               cup_metric_number(CUP_METRIC_total_events, page->totals) >= 0
                   ? CUP_FORMAT("%s events; %s/s for %s",
                                CUP_SHOW_METRIC(page, CUP_METRIC_total_events),
                                CUP_SHOW(rate, CUP_UNIT_COUNT), name_threads(threads, page->totals))
               : page->totals->unknown_chunks   ? "how the chunks ended is not known"
               : page->totals->used_chunks == 0 ? "no chunk was seen"
               : page->totals->used_chunks > page->totals->chunks_without_events
                   ? "the events of some chunks are not known"
                   : "no chunk has a known number of events");
}

struct part {
    enum cup_metric_id metric;
    const char *text;
};

/* Lists the parts that are not 0 in `to`, which gets `before` in front and `after` behind them:
 * "12 MB mapped, 3 MB received". */
static void append_parts(const struct cup_page *page, char to[CUP_LINE_ROOM], const char *before,
                         const struct part parts[2], const char *after)
{
    const char *separator = before;
    for (size_t i = 0; i < 2; i++) {
        if (!(cup_metric_number(parts[i].metric, page->totals) > 0))
            continue;
        cup_append(to, CUP_LINE_ROOM, "%s%s %s", separator, CUP_SHOW_METRIC(page, parts[i].metric),
                   parts[i].text);
        separator = ", ";
    }
    if (separator != before)
        cup_append(to, CUP_LINE_ROOM, "%s", after);
}

static void print_bytes(const struct cup_page *page)
{
    static const struct part parts[] = {{CUP_METRIC_mapped_bytes, "mapped"},
                                        {CUP_METRIC_recv_bytes, "received"}};
    static const struct part others[] = {{CUP_METRIC_import_bytes, "imports"},
                                         {CUP_METRIC_child_read_bytes, "by children"}};
    char *detail = CUP_FORMAT("%s to tasks", CUP_SHOW_METRIC(page, CUP_METRIC_total_bytes_read));
    append_parts(page, detail, " (", parts, ")");
    append_parts(page, detail, "; not counted: ", others, "");
    print_fact(page, "read", CUP_BOLD, CUP_SHOW_METRIC(page, CUP_METRIC_delivered_rate_mbs),
               detail);
}

/* Two lines about ROOT baskets; prints nothing if none were read. */
static void print_baskets(const struct cup_page *page)
{
    if (!cup_branches_any(page->totals->branches))
        return;
    char room[CUP_LINE_ROOM];
    const char *files = cup_branches_of_files(room, page->totals->branches);
    const char *bound = page->totals->branches->at_most ? "at most " : "";
    if (!page->brief)
        print_fact(page, "compression", CUP_PLAIN,
                   CUP_SHOW_METRIC(page, CUP_METRIC_branches_compression_ratio),
                   CUP_FORMAT("%s%s of baskets, %s uncompressed", bound,
                              CUP_SHOW_METRIC(page, CUP_METRIC_compressed_bytes),
                              CUP_SHOW_METRIC(page, CUP_METRIC_uncompressed_bytes)));
    if (page->brief)
        print_fact(page, "share read", CUP_PLAIN, CUP_SHOW_METRIC(page, CUP_METRIC_bytes_share),
                   CUP_FORMAT("of the trees' bytes%s; %s%s read more than once", files, bound,
                              CUP_SHOW_METRIC(page, CUP_METRIC_reread_bytes)));
    else
        print_fact(page, "share read", CUP_PLAIN, CUP_SHOW_METRIC(page, CUP_METRIC_bytes_share),
                   CUP_FORMAT("of the trees' bytes%s; %s%s read more than once, %s read ahead and "
                              "never used",
                              files, bound, CUP_SHOW_METRIC(page, CUP_METRIC_reread_bytes),
                              CUP_SHOW_METRIC(page, CUP_METRIC_incidental_bytes)));
}

/* The threads' time is that of the bar below, from the logs. The metric thread_cpu_efficiency takes
 * the number of threads from Dask's samples instead. */
static void print_cpu(const struct cup_page *page)
{
    bool helped = !page->brief && page->totals->counters[CUP_C_HELPER_CPU_NS] > 0;
    double all_s = cup_metric_number(CUP_METRIC_threads_s, page->totals);
    double value = cup_metric_number(CUP_METRIC_total_thread_cpu_time, page->totals) / all_s;
    print_fact(page, "CPU",
               isnan(value)   ? CUP_PLAIN
               : value >= 0.7 ? CUP_GOOD
               : value >= 0.4 ? CUP_WARN
                              : CUP_BAD,
               CUP_SHOW(value, CUP_UNIT_SHARE),
               CUP_FORMAT("of the threads' time: %s of %s%s%s%s",
                          CUP_SHOW_METRIC(page, CUP_METRIC_total_thread_cpu_time),
                          CUP_SHOW(all_s, CUP_UNIT_SECONDS), helped ? " (" : "",
                          helped ? CUP_SHOW_METRIC(page, CUP_METRIC_total_helper_cpu_time) : "",
                          helped ? " by helper threads)" : ""));
}

static void print_attributed(const struct cup_page *page)
{
    double value = cup_metric_number(CUP_METRIC_share_attributed, page->totals);
    print_fact(page, "attributed",
               isnan(value)    ? CUP_PLAIN
               : value >= 0.99 ? CUP_GOOD
                               : CUP_WARN,
               CUP_SHOW(value, CUP_UNIT_SHARE),
               CUP_FORMAT("of %s were attributed to a task; `--only attribution` says how",
                          CUP_SHOW_METRIC(page, CUP_METRIC_bytes_total)));
}

static void print_trouble(const struct cup_page *page)
{
    const struct cup_totals *t = page->totals;
    unsigned long long failed = t->all.erred, unfinished = t->all.unfinished,
                       running = t->all.running;
    uint64_t forbidden = page->profile->logs_forbidden;
    uint64_t damaged = page->profile->logs_damaged + page->profile->logs_unreadable - forbidden;
    uint64_t in_part = cup_collected_lost(&page->profile->collected);
    struct cup_text first;
    uint64_t refused = page->profile->collected.refused;
    uint64_t unseen = refused + cup_workers_without_log(t->observed, &first);
    uint64_t missing = cup_missing_sum(page->profile).tasks;
    uint64_t without_record = t->tasks_lost;
    const struct cup_loss_sums *losses = &t->losses->sums;
    bool goes_on = t->completeness->state == CUP_RUN_RUNNING;
    bool complete = goes_on || cup_completeness_is_fine(t->completeness);
    bool lost = cup_losses_chunks(losses) > 0;
    bool fine =
        complete && !lost &&
        failed + unfinished + damaged + forbidden + in_part + unseen + missing + without_record ==
            0;
    uint64_t unknown = t->all.unknown;
    bool full_logs = page->profile->full_log_tasks > 0;
    bool nothing = unknown > 0 || full_logs || t->all.tasks == 0; /* is known of trouble */
    const struct {
        bool shown;
        const char *text;
    } parts[] = {
        {!complete, "not complete"},
        {goes_on, "so far"},
        {lost, CUP_FORMAT("%s lost", CUP_SHOW_LOSSES(losses))},
        {running > 0, CUP_FORMAT("%s running", CUP_SHOW_COUNTED(running, "task"))},
        {unknown > 0, CUP_FORMAT("%s of unknown outcome", CUP_SHOW_COUNTED(unknown, "task"))},
        {failed > 0, CUP_FORMAT("%s failed", CUP_SHOW_COUNTED(failed, "task"))},
        {unfinished > 0, CUP_FORMAT("%s never ended", CUP_SHOW_COUNTED(unfinished, "task"))},
        {t->retried_chunks > 0,
         CUP_FORMAT("%s tried again", CUP_SHOW_COUNTED(t->retried_chunks, "chunk"))},
        {full_logs, "whether chunks ran twice is not known"},
        {damaged > 0, CUP_SHOW_COUNTED(damaged, "damaged log")},
        {in_part > 0, CUP_SHOW_COUNTED(in_part, "incomplete log")},
        {missing > 0, CUP_FORMAT("%s in no log", CUP_SHOW_COUNTED(missing, "task"))},
        {without_record > 0,
         CUP_FORMAT("%s without a record", CUP_SHOW_COUNTED(without_record, "task"))},
        {unseen > 0, CUP_FORMAT("%s not profiled", CUP_SHOW_COUNTED(unseen, "worker"))},
        {forbidden > 0, CUP_FORMAT("%s that may not be read", CUP_SHOW_COUNTED(forbidden, "log"))},
    };
    char detail[CUP_LINE_ROOM] = "";
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (parts[i].shown)
            cup_append(detail, sizeof detail, "%s%s", *detail ? "; " : "", parts[i].text);
    print_fact(page, "trouble",
               !fine     ? CUP_BAD
               : nothing ? CUP_WARN
                         : CUP_GOOD,
               !fine     ? "yes"
               : nothing ? "n/a"
                         : "none",
               *detail             ? detail
               : t->all.tasks == 0 ? "no task was seen"
                                   : "no task failed or was tried again, no log is damaged");
}

/* ---- only in the short report and in a page
 * ----------------------------------------------------------- */

/* Samples of Dask are a second apart, and a run may be short: if a task began or ended with more
 * memory, that is the peak. */
static void print_memory(const struct cup_page *page)
{
    const enum cup_metric_id sampled_id = CUP_METRIC_peak_memory_bytes,
                             tasks_id = CUP_METRIC_peak_task_rss_bytes;
    double limit = cup_metric_number(CUP_METRIC_peak_memory_pct, page->totals);
    double sampled = cup_metric_number(sampled_id, page->totals);
    double of_tasks = cup_metric_number(tasks_id, page->totals);
    bool by_tasks = of_tasks > sampled || (isnan(sampled) && !isnan(of_tasks));
    const char *share =
        isnan(limit) ? "no limit is known"
                     : CUP_FORMAT("at most %s of its limit", CUP_SHOW(limit, CUP_UNIT_PERCENT));
    const char *detail =
        isnan(sampled) && isnan(of_tasks) ? cup_metric_missing(cup_metric(sampled_id), page->totals)
        : isnan(sampled) ? CUP_FORMAT("of one worker, when a task began or ended; %s", share)
                         : CUP_FORMAT("peak of one worker; %s%s", share,
                                      by_tasks ? CUP_FORMAT("; Dask's samples saw %s",
                                                            CUP_SHOW_METRIC(page, sampled_id))
                                               : "");
    print_fact(page, "memory", limit > 80 ? CUP_BAD : CUP_PLAIN,
               CUP_SHOW_METRIC(page, by_tasks ? tasks_id : sampled_id), detail);
}

static void print_slowest(const struct cup_page *page)
{
    struct cup_slowest slowest;
    if (!cup_slowest_find(page->totals, &slowest))
        return;
    struct cup_text name = cup_page_text(page, slowest.name);
    for (size_t i = name.length; i-- > 0 && *slowest.what == 'f';)
        if (name.bytes[i] == '/') {
            name = (struct cup_text){name.bytes + i + 1, name.length - i - 1};
            break;
        }
    print_fact(page, "slowest", CUP_PLAIN, CUP_SHOW(slowest.rate / 1e3, CUP_UNIT_KHZ),
               CUP_FORMAT("%s %.*s, per thread inside process(); mean of all %ss: %s", slowest.what,
                          (int)(name.length < 200 ? name.length : 200), name.bytes, slowest.what,
                          CUP_SHOW(slowest.all_rate / 1e3, CUP_UNIT_KHZ)));
}

static void print_facts(const struct cup_page *page)
{
    double attributed = cup_metric_number(CUP_METRIC_share_attributed, page->totals);
    print_duration(page);
    print_events(page);
    print_bytes(page);
    print_baskets(page);
    print_cpu(page);
    if (page->brief || page->terminal.html) {
        print_memory(page);
        print_slowest(page);
    }
    if (!page->brief || attributed < 0.99)
        print_attributed(page);
    print_trouble(page);
}

enum { SHOWN_ADVICE = 2 };

/* In a page of HTML, title, facts and bar have their own places. */
static int print_summary(const struct cup_page *page)
{
    if (page->terminal.html) {
        cup_page_completeness(page);
        print_environment(page);
        print_which_run(page);
        cup_print_verdict(page);
        return 0;
    }
    print_title(page);
    print_facts(page);
    if (page->brief)
        cup_print_verdict(page);
    cup_print_bar(page);
    if (!page->brief)
        cup_print_findings(page, SHOWN_ADVICE);
    return 0;
}

const struct cup_report_section cup_summary_section = {.name = "summary", .print = print_summary};

/* In a page of HTML. */
static int print_fact_list(const struct cup_page *page)
{
    cup_html_section_end(&page->terminal);
    fputs("<dl class=\"facts\">\n", page->terminal.out);
    print_facts(page);
    fputs("</dl>\n", page->terminal.out);
    return 0;
}

const struct cup_report_section cup_facts_section = {
    .name = "", .shown = CUP_SHOWN_ON_REQUEST, .print = print_fact_list};

/* ---- the last lines of the text -------------------------------------------------------- */

/* Length of the text up to the end of its first clause. */
static int first_clause(const char *text)
{
    const char *end = text + strcspn(text, ";");
    const char *sentence = strstr(text, ". ");
    if (sentence && sentence < end)
        end = sentence;
    return (int)(end - text) - (*end == '\0' && end > text && end[-1] == '.');
}

/* What is not known, then the feature that was off. */
static void print_off(const struct cup_page *page, const struct cup_feature_off *off)
{
    cup_page_line(page, CUP_WARN, "%c%s (feature %s, off in %s).",
                  toupper((unsigned char)*off->consequence), off->consequence + 1, off->name,
                  CUP_SHOW_COUNTED(off->processes, "process"));
}

/* What is missing in this profile: features that were off, and warnings. */
enum { SHOWN_OFF = 3 };

static void print_missing(const struct cup_page *page)
{
    struct cup_feature_off off[CUP_FEATURE_COUNT];
    struct cup_warning warnings[CUP_WARNINGS_MOST];
    size_t features = cup_features_off(page->profile, off);
    size_t count = cup_warnings_make(page->totals, warnings);
    if (features + count == 0)
        return;
    cup_page_heading(page, "Missing or uncertain in this profile", "");
    for (size_t i = 0; i < features && i < SHOWN_OFF; i++)
        print_off(page, &off[i]);
    for (size_t i = 0; i < count; i++)
        cup_page_line(page, CUP_WARN, "%.*s.", first_clause(warnings[i].text), warnings[i].text);
    cup_page_line(page, CUP_DIM, "%s: `cupping report --only health`",
                  features > SHOWN_OFF ? CUP_FORMAT("%zu more not known", features - SHOWN_OFF)
                                       : "More on this");
}

static int print_brief_end(const struct cup_page *page)
{
    print_missing(page);
    putc('\n', page->terminal.out);
    cup_print_wrapped(&page->terminal, CUP_DIM, 0,
                      "All tables: `cupping report --full`. Pictures: `cupping plot --html FILE`.");
    return 0;
}

const struct cup_report_section cup_brief_end_section = {
    .name = "", .shown = CUP_SHOWN_ON_REQUEST, .print = print_brief_end};

/* What a reader must know of all figures. */
static int print_footer(const struct cup_page *page)
{
    char text[CUP_LINE_ROOM];
    putc('\n', page->terminal.out);
    cup_print_wrapped(
        &page->terminal, CUP_DIM, 0,
        "More sections with --only: workflow (all rates), time_budget, attribution and health (all "
        "counters), processes, runs, scaling, coffea, functions (down to the line). "
        "`cupping plot --html FILE` draws all of it.");
    cup_format(text,
               "kB, MB and GB are powers of 1000.%s `--only sources` says how each figure is made, "
               "`--json FILE` writes all of them, and docs/reading-a-report.md explains them.",
               cup_profile_is_without_dask(page->profile)
                   ? ""
                   : " Dask measured the figures of workers, cupping most others.");
    cup_print_wrapped(&page->terminal, CUP_DIM, 0, text);
    return 0;
}

const struct cup_report_section cup_footer_section = {
    .name = "", .shown = CUP_SHOWN_IN_TEXT, .print = print_footer};
