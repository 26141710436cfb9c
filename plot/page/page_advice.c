#include "plot/page/page_advice.h"

#include <string.h>

#include "analysis/advice/advice.h"
#include "analysis/write/html.h"

static const struct cup_page_evidence evidence[] = {
    {"tasks_failed", "wasted-work", "Tasks that failed or never ended"},
    {"tasks_unfinished", "worker-count", "Tasks that failed or never ended"},
    {"records_lost", NULL, "Health"},
    {"unattributed", "task-bytes", "Attribution"},
    {"gil_bound", "gil-pressure", "Waits"},
    {"io_bound", "data-rate", "Waits"},
    {"network_bound", "servers", "Waits"},
    {"lock_bound", "task-cpu", "Waits"},
    {"sleeping", "task-cpu", "Waits"},
    {"no_core", "task-cpu", "Waits"},
    {"page_faults", "memory-utilization", "Waits"},
    {"trim_churn", "task-cpu", "Waits"},
    {"waits_unexplained", "task-cpu", "Waits"},
    {"waits_not_told_apart", "task-cpu", "Health"},
    {"starved", "task-stream", "Time budget"},
    {"between_tasks", "task-overhead", "Time budget"},
    {"memory_near_limit", "memory-per-worker", "Workers"},
    {"spilling", "memory-utilization", "Workers"},
    {"workers_missing", "worker-count", "Processes"},
    {"loop_stalled", "gil-pressure", "Workers"},
    {"opening", "chunk-runtime", "Chunks"},
    {"chunk_size", "runtime-events", "Chunks"},
    {"memory_request", "peak-memory-events", "Chunks"},
    {"long_tail", "progress", "Tail"},
    {"events_lost", "wasted-work", "Losses"},
    {"server_loses", "servers", "Losses"},
    {"slow_host", "hosts", "Hosts"},
    {"merge_bound", "progress", "Merging"},
    {"wasted", "wasted-work", "Efficiency"},
    {"shared_baskets", "bytes-per-chunk", "Branches"},
    {"chunks_cut_clusters", "bytes-per-chunk", "Files"},
    {"over_read", "bytes-per-chunk", "Branches"},
    {"read_twice", "bytes-per-chunk", "Branches"},
    {"heavy_branch", "compression-ratio", "Branches"},
    {"lzma", "compression-ratio-files", "Branches"},
    {"incidental_baskets", "bytes-per-chunk", "Branches"},
    {"poor_compression", "compression-ratio", "Branches"},
    {"tiny_baskets", "access-sizes", "Branches"},
    {"slow_opens", "open-latency", "Opening files"},
    {"opens_fail", "open-latency", "Opening files"},
    {"few_branches", "share-read", "Files"},
    {"read_again", "share-read", "Files"},
    {"small_reads", "access-sizes", "Files"},
    {"cpu_bound", "time-budget", "Tasks by prefix"},
    {"nothing_stands_out", "time-budget", NULL},
};

const struct cup_page_evidence *cup_page_find_evidence(const char *rule)
{
    for (size_t i = 0; i < sizeof evidence / sizeof *evidence; i++)
        if (strcmp(evidence[i].rule, rule) == 0)
            return &evidence[i];
    return NULL;
}

static bool has(const char *contents, const char *target)
{
    char link[128];
    snprintf(link, sizeof link, "href=\"#%s\"", target);
    return strstr(contents, link) != NULL;
}

static void write_link(FILE *out, const char *target, const char *text)
{
    fprintf(out, " <a href=\"#%s\">", target);
    cup_html_string(out, text);
    fputs("</a>", out);
}

static void write_evidence(FILE *out, const struct cup_plot_table *table, const char *rule,
                           const char *contents)
{
    const struct cup_page_evidence *one = cup_page_find_evidence(rule);
    const struct cup_plot *plot = one && one->plot ? cup_plot_find(table, one->plot) : NULL;
    char target[CUP_HTML_TARGET], plot_target[CUP_HTML_TARGET] = "";
    if (plot)
        snprintf(plot_target, sizeof plot_target, "plot-%s", plot->name);
    if (plot && has(contents, plot_target))
        write_link(out, plot_target, plot->title);
    if (one && one->table && has(contents, cup_html_target(target, one->table)))
        write_link(out, target, one->table);
    fprintf(out, " <small>rule <code>%s</code></small>", rule);
}

size_t cup_page_advice(FILE *out, const struct cup_totals *totals,
                       const struct cup_plot_table *table, const char *contents)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(totals, advice);
    if (count == 0) {
        cup_html_paragraph(out, CUP_WARN,
                           "No task was seen: the processes that wrote these logs ran none, or the "
                           "library could not see them; the table on health says more.");
        return 0;
    }
    fputs("<ol class=\"advice\">\n", out);
    for (size_t i = 0; i < count; i++) {
        fputs("<li>", out);
        cup_html_prose(out, advice[i].text);
        fputs("<p class=\"evidence\">Evidence:", out);
        write_evidence(out, table, advice[i].rule, contents);
        fputs("</p></li>\n", out);
    }
    fputs("</ol>\n", out);
    return count;
}
