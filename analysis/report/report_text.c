#include "analysis/report/report.h"

#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/report/page.h"

static int print_workflow(const struct cup_page *page)
{
    cup_page_heading(page, "Workflow", "");
    cup_page_metrics(page, "workflow");
    return 0;
}

static int print_efficiency(const struct cup_page *page)
{
    cup_page_heading(page, "Efficiency", "");
    cup_page_metrics(page, "efficiency");
    return 0;
}

static void print_section_sources(const struct cup_page *page,
                                  const struct cup_metric_section *section)
{
    for (size_t i = 0; i < section->count; i++) {
        const struct cup_metric *metric = &section->metrics[i];
        char line[400];
        snprintf(line, sizeof line, "%s.%s: %s%s", section->name, metric->name,
                 metric->compute ? "" : "n/a, ", cup_metric_source(metric, page->totals));
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
                      "kB, MB and GB are powers of 1000. All figures are the library's own "
                      "measurement (P); `--only sources` says how each is made, `--json FILE` "
                      "holds them all, docs/reading-a-report.md explains them.");
    return 0;
}

static const struct section {
    const char *name;
    int (*print)(const struct cup_page *page);
    bool on_request; /* only when it is asked for */
} sections[] = {
    {"summary", cup_print_summary, false},
    {"tasks", cup_print_tasks, false},
    {"waits", cup_print_waits, false},
    {"chunks", cup_print_chunks, false},
    {"datasets", cup_print_datasets, false},
    {"coffea", cup_print_coffea, true},
    {"files", cup_print_files, false},
    {"servers", cup_print_servers, false},
    {"workflow", print_workflow, false},
    {"efficiency", print_efficiency, false},
    {"time_budget", cup_print_time_budget, false},
    {"attribution", cup_print_attribution, false},
    {"health", cup_print_health, false},
    {"processes", cup_print_processes, true},
    {"runs", cup_print_runs, true},
    {"sources", print_sources, true},
    {"", print_footer, false},
};
enum { SECTION_COUNT = sizeof sections / sizeof *sections };

/* Who gives a report of Coffea's asks for what becomes of it. */
static bool is_wanted(const struct section *section, const struct cup_totals *totals)
{
    return !section->on_request || (totals->given && section->print == cup_print_coffea);
}

bool cup_report_has_section(const char *name)
{
    for (int i = 0; i < SECTION_COUNT; i++)
        if (*name && strcmp(sections[i].name, name) == 0)
            return true;
    return false;
}

int cup_report_text(const struct cup_totals *totals, const struct cup_output *output,
                    const char *only)
{
    struct cup_page page = {.totals = totals, .profile = totals->profile};
    cup_terminal_open(&page.terminal, output->file);
    int result = 0;
    for (int i = 0; i < SECTION_COUNT && result == 0; i++)
        if (only ? strcmp(sections[i].name, only) == 0 : is_wanted(&sections[i], totals))
            result = sections[i].print(&page);
    return result;
}
