#include "analysis/report/report.h"

#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/report/page/page.h"

static int print_workflow(const struct cup_page *page)
{
    cup_page_heading(page, "Workflow", "");
    cup_page_metrics(page, &cup_workflow_metrics);
    return 0;
}

/* The two ways to count threads give different shares where workers of different sizes come and go.
 */
static void print_other_cores(const struct cup_page *page)
{
    char cpu[CUP_HUMAN_READABLE_ROOM], busy[CUP_HUMAN_READABLE_ROOM], line[300];
    double average = cup_metric_number(CUP_METRIC_AVG_CORES, page->totals);
    double total = cup_metric_number(CUP_METRIC_TOTAL_CORES, page->totals);
    if (!(fabs(average - total) > 0.01 * average))
        return;
    snprintf(line, sizeof line,
             "The first is over avg_cores, %.2f threads, the second over total_cores, %.2f. The "
             "other way round they are %s and %s.",
             average, total,
             cup_page_human_readable(page, cpu, CUP_METRIC_THREAD_CPU_EFFICIENCY_TOTAL_CORES),
             cup_page_human_readable(page, busy, CUP_METRIC_CORE_EFFICIENCY_AVG_CORES));
    cup_print_wrapped(&page->terminal, CUP_DIM, 2, line);
}

static int print_efficiency(const struct cup_page *page)
{
    cup_page_heading(page, "Efficiency", "");
    cup_page_metrics(page, &cup_efficiency_metrics);
    print_other_cores(page);
    return 0;
}

static void print_section_sources(const struct cup_page *page,
                                  const struct cup_metric_section *section)
{
    for (size_t i = 0; i < section->count; i++) {
        const struct cup_metric *metric = &section->metrics[i];
        char made[CUP_SOURCE_ROOM], line[CUP_SOURCE_ROOM + 200];
        snprintf(line, sizeof line, "%s.%s: %s%s", section->name, metric->name,
                 metric->unavailable ? "n/a, " : "", cup_metric_source(metric, page->totals, made));
        cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
    }
}

/* How each figure is made; on request only, for it is long. */
static int print_sources(const struct cup_page *page)
{
    cup_page_heading(page, "Sources", "P: the library; D: Dask; C: the Coffea report");
    for (size_t i = 0; i < cup_metric_section_count; i++)
        print_section_sources(page, cup_metric_sections[i]);
    return 0;
}

/* What a reader must know of all figures. */
static int print_footer(const struct cup_page *page)
{
    putc('\n', page->terminal.out);
    cup_print_wrapped(&page->terminal, CUP_DIM, 0,
                      "There is more: `--only workflow` (all rates), time_budget, attribution and "
                      "health (all counters), processes, runs, scaling, coffea; functions (down to "
                      "the line). `cupping plot --html FILE` draws all of it.");
    cup_print_wrapped(
        &page->terminal, CUP_DIM, 0,
        "kB, MB and GB are powers of 1000. Figures of workers are Dask's own (D), "
        "most others the library's (P); `--only sources` says how each is made, `--json FILE` "
        "holds them all, docs/reading-a-report.md explains them.");
    return 0;
}

/* Without being asked for. */
enum shown { ALWAYS, PAGE, ONLY_PAGE, ONLY_TEXT, ON_REQUEST };

static const struct section {
    const char *name;
    int (*print)(const struct cup_page *page);
    enum shown shown;
} sections[] = {
    {"summary", cup_print_summary, ALWAYS},
    {"tasks", cup_print_tasks, ALWAYS},
    {"waits", cup_print_waits, ALWAYS},
    {"chunks", cup_print_chunks, ALWAYS},
    {"", cup_print_slowest, ONLY_PAGE},
    {"datasets", cup_print_datasets, ALWAYS},
    {"coffea", cup_print_coffea, ON_REQUEST},
    {"losses", cup_print_losses, ALWAYS},
    {"stages", cup_print_stages, ALWAYS},
    {"merge", cup_print_merge, ALWAYS},
    {"hosts", cup_print_hosts, ALWAYS},
    {"files", cup_print_files, ALWAYS},
    {"branches", cup_print_branches, ALWAYS},
    {"functions", cup_print_functions, PAGE},
    {"servers", cup_print_servers, ALWAYS},
    {"opens", cup_print_opens, ALWAYS},
    {"workers", cup_print_workers, ALWAYS},
    {"sections", cup_print_sections, ALWAYS},
    {"workflow", print_workflow, PAGE},
    {"efficiency", print_efficiency, ALWAYS},
    {"time_budget", cup_print_time_budget, PAGE},
    {"fine", cup_print_fine, ALWAYS},
    {"attribution", cup_print_attribution, ALWAYS},
    {"health", cup_print_health, ALWAYS},
    {"processes", cup_print_processes, PAGE},
    {"runs", cup_print_runs, PAGE},
    {"scaling", cup_print_scaling, ON_REQUEST},
    {"sources", print_sources, ON_REQUEST},
    {"", print_footer, ONLY_TEXT},
};
enum { SECTION_COUNT = sizeof sections / sizeof *sections };

/* Who gives a report of Coffea's, or a target, asks for what becomes of it. */
static bool is_wanted(const struct section *section, const struct cup_page *page)
{
    bool html = page->terminal.html != NULL;
    return section->shown == ALWAYS ||
           (html ? section->shown == PAGE || section->shown == ONLY_PAGE
                 : section->shown == ONLY_TEXT) ||
           (page->totals->given && section->print == cup_print_coffea) ||
           (page->target->rate > 0 && section->print == cup_print_scaling);
}

const char *cup_report_section_name(size_t n)
{
    for (int i = 0; i < SECTION_COUNT; i++)
        if (*sections[i].name && n-- == 0)
            return sections[i].name;
    return NULL;
}

bool cup_report_has_section(const char *name)
{
    for (size_t i = 0; cup_report_section_name(i); i++)
        if (strcmp(cup_report_section_name(i), name) == 0)
            return true;
    return false;
}

/* Why a chunk took long is in its waits; which baskets it read is kept beside them. */
bool cup_section_needs_counters(const char *name)
{
    return strcmp(name, "stages") == 0 || strcmp(name, "chunks") == 0;
}

bool cup_section_needs_stacks(const char *name)
{
    return strcmp(name, "functions") == 0;
}

bool cup_section_needs_baskets(const char *name)
{
    return strcmp(name, "branches") == 0 || strcmp(name, "workflow") == 0;
}

int cup_report_text(const struct cup_totals *totals, const struct cup_target *target,
                    const struct cup_output *output, const char *only)
{
    bool begun = false;
    struct cup_page page = {.totals = totals,
                            .profile = totals->profile,
                            .alone = only != NULL,
                            .target = target,
                            .begun = &begun};
    cup_terminal_open(&page.terminal, output->file);
    int result = 0;
    for (int i = 0; i < SECTION_COUNT && result == 0; i++)
        if (only ? strcmp(sections[i].name, only) == 0 : is_wanted(&sections[i], &page))
            result = sections[i].print(&page);
    if (only && !begun && result == 0 && strcmp(only, "losses") != 0)
        cup_print(&page.terminal, CUP_PLAIN, "Nothing for this section was seen in the run.%s\n",
                  strcmp(only, "sections") == 0 ? " docs/sections.md tells how to name some." : "");
    return result;
}

/* `front`: the summary, else all but it. */
static int print_html(struct cup_page *page, bool front)
{
    int result = 0;
    for (int i = 0; i < SECTION_COUNT && result == 0; i++)
        if ((sections[i].print == cup_print_summary) == front && is_wanted(&sections[i], page))
            result = sections[i].print(page);
    cup_page_end(page);
    return result;
}

int cup_report_html(const struct cup_totals *totals, FILE *out, FILE *contents, bool front)
{
    static const struct cup_target no_target;
    struct cup_html html = {.contents = contents};
    bool begun = false;
    struct cup_page page = {.totals = totals,
                            .profile = totals->profile,
                            .target = &no_target,
                            .begun = &begun,
                            .terminal = {.out = out, .width = 100, .html = &html}};
    return print_html(&page, front);
}

char *cup_report_describe(const struct cup_totals *totals, char to[CUP_DESCRIPTION])
{
    const struct cup_page page = {.totals = totals, .profile = totals->profile};
    return cup_page_describe(&page, to);
}
