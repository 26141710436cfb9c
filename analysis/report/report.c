/* The sections of the report, in the order of the text. To add one, write its file in sections/ and
 * add a line here. */
#include "analysis/report/report.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/write/html.h"

/* The number is the section's place in the JSON; 0: it is not there. */
#define SECTIONS(X)                                                                                \
    X(summary, 0)                                                                                  \
    X(advice, 6)                                                                                   \
    X(lines, 0)                                                                                    \
    X(tasks, 11)                                                                                   \
    X(waits, 0)                                                                                    \
    X(chunks, 8)                                                                                   \
    X(slowest, 0)                                                                                  \
    X(datasets, 10)                                                                                \
    X(coffea, 9)                                                                                   \
    X(losses, 18)                                                                                  \
    X(stages, 21)                                                                                  \
    X(merge, 20)                                                                                   \
    X(hosts, 19)                                                                                   \
    X(files, 12)                                                                                   \
    X(branches, 15)                                                                                \
    X(functions, 16)                                                                               \
    X(servers, 13)                                                                                 \
    X(opens, 14)                                                                                   \
    X(workers, 3)                                                                                  \
    X(sections, 17)                                                                                \
    X(workflow, 2)                                                                                 \
    X(efficiency, 4)                                                                               \
    X(time_budget, 5)                                                                              \
    X(fine, 7)                                                                                     \
    X(attribution, 23)                                                                             \
    X(health, 24)                                                                                  \
    X(completeness, 26)                                                                            \
    X(processes, 0)                                                                                \
    X(runs, 1)                                                                                     \
    X(scaling, 22)                                                                                 \
    X(sources, 25)                                                                                 \
    X(footer, 0)

#define DECLARE(name, place) extern const struct cup_report_section cup_##name##_section;
SECTIONS(DECLARE)

#define LIST(name, place) {&cup_##name##_section, place},
const struct cup_listed_section cup_report_sections[] = {SECTIONS(LIST)};
const size_t cup_report_section_count = sizeof cup_report_sections / sizeof *cup_report_sections;

const struct cup_report_section *cup_report_section(const char *name)
{
    for (size_t i = 0; i < cup_report_section_count; i++)
        if (*name && strcmp(cup_report_sections[i].section->name, name) == 0)
            return cup_report_sections[i].section;
    return NULL;
}

/* ---- text and HTML -------------------------------------------------------------------------- */

static bool is_shown(const struct cup_report_section *section, const struct cup_page *page)
{
    if (section->is_wanted && section->is_wanted(page))
        return true;
    return section->shown == CUP_SHOWN_ALWAYS ||
           section->shown == (page->terminal.html ? CUP_SHOWN_IN_PAGE : CUP_SHOWN_IN_TEXT);
}

static int print_section(const struct cup_report_section *section, const struct cup_page *page)
{
    if (section->print)
        return section->print(page);
    char both[CUP_LINE_ROOM];
    const char *note = section->note;
    if (section->note_on_dask && !cup_profile_is_without_dask(page->profile)) {
        cup_format(both, "%s; %s", section->note_on_dask, section->note);
        note = both;
    }
    if (!section->metrics)
        return cup_print_rows(page, section->table, NULL, section->heading, note);
    cup_page_heading(page, section->heading, note);
    cup_page_metrics(page, section->metrics);
    return 0;
}

static int print_only(const struct cup_report_section *section, const struct cup_page *page)
{
    int result = print_section(section, page);
    const char *nothing = section->nothing ? section->nothing : "The run has nothing to show here.";
    if (result == 0 && !*page->begun && *nothing)
        cup_print(&page->terminal, CUP_PLAIN, "%s\n", nothing);
    return result;
}

/* The short report: what `cupping report` prints without an option. */
static int print_brief(const struct cup_page *page)
{
    extern const struct cup_report_section cup_brief_end_section;
    static const struct cup_report_section *const sections[] = {
        &cup_summary_section, &cup_lines_section, &cup_brief_end_section};
    int result = 0;
    for (size_t i = 0; i < sizeof sections / sizeof *sections && result == 0; i++)
        result = print_section(sections[i], page);
    return result;
}

int cup_report_text(const struct cup_totals *totals, const struct cup_target *target,
                    const struct cup_output *output, const char *only, bool full)
{
    bool begun = false;
    struct cup_page page = {.totals = totals,
                            .profile = totals->profile,
                            .alone = only != NULL,
                            .brief = !only && !full,
                            .target = target,
                            .begun = &begun};
    cup_terminal_open(&page.terminal, output);
    if (only)
        return print_only(cup_report_section(only), &page);
    if (!full)
        return print_brief(&page);
    int result = 0;
    for (size_t i = 0; i < cup_report_section_count && result == 0; i++)
        if (is_shown(cup_report_sections[i].section, &page))
            result = print_section(cup_report_sections[i].section, &page);
    return result;
}

static int print_front(const struct cup_page *page)
{
    extern const struct cup_report_section cup_facts_section;
    static const struct cup_report_section *const sections[] = {
        &cup_summary_section, &cup_lines_section, &cup_facts_section};
    int result = 0;
    for (size_t i = 0; i < sizeof sections / sizeof *sections && result == 0; i++)
        result = print_section(sections[i], page);
    return result;
}

/* The first section of the list is the summary, which is at the front. */
static int print_tables(const struct cup_page *page)
{
    int result = 0;
    for (size_t i = 1; i < cup_report_section_count && result == 0; i++)
        if (is_shown(cup_report_sections[i].section, page))
            result = print_section(cup_report_sections[i].section, page);
    return result;
}

int cup_report_html(const struct cup_totals *totals, FILE *out, FILE *contents, bool front)
{
    static const struct cup_target no_target;
    struct cup_html html = {.contents = contents};
    bool begun = false;
    const struct cup_page page = {.totals = totals,
                                  .profile = totals->profile,
                                  .target = &no_target,
                                  .begun = &begun,
                                  .terminal = {.out = out, .width = 100, .html = &html}};
    int result = front ? print_front(&page) : print_tables(&page);
    cup_html_section_end(&page.terminal);
    return result;
}

const char *cup_report_section_name(size_t n)
{
    for (size_t i = 0; i < cup_report_section_count; i++)
        if (*cup_report_sections[i].section->name && n-- == 0)
            return cup_report_sections[i].section->name;
    return NULL;
}

/* ---- JSON ----------------------------------------------------------------------------------- */

/* Version of the JSON: raised when the meaning of a key changes, not when keys are added. */
enum { REPORT_VERSION = 1 };

/* Returns 0, or -1 without memory. */
static int put_tables(struct report *report, const struct cup_report_section *section)
{
    int result = 0;
    if (!section->tables[0] && section->table)
        return cup_put_rows(report, section->table, NULL);
    for (size_t i = 0; section->tables[i] && result == 0; i++)
        result = cup_put_rows(report, section->tables[i], NULL);
    return result;
}

static int put_section(struct report *report, const struct cup_report_section *section)
{
    if (section->put)
        return section->put(report);
    cup_json_object(&report->json, section->name);
    if (section->metrics)
        put_metrics(report, section->metrics);
    if (section->put_keys)
        section->put_keys(report);
    int result = put_tables(report, section);
    if (result == 0 && section->put_last)
        result = section->put_last(report);
    cup_json_end_object(&report->json);
    return result;
}

static int put_report(struct report *report)
{
    int result = 0;
    cup_json_object(&report->json, NULL);
    put(report, "format", cup_string("cupping-report"));
    put(report, "version", cup_count(REPORT_VERSION));
    put(report, "cupping_version", cup_string(CUP_VERSION));
    put(report, "profile", cup_string(report->profile->path));
    for (unsigned place = 1; place <= cup_report_section_count; place++)
        for (size_t i = 0; i < cup_report_section_count && result == 0; i++)
            if (cup_report_sections[i].json_place == place)
                result = put_section(report, cup_report_sections[i].section);
    cup_json_end_object(&report->json);
    return result;
}

int cup_report_json(const struct cup_totals *totals, const struct cup_target *target,
                    const struct cup_output *output, bool without_tasks)
{
    struct report report = {.totals = totals,
                            .profile = totals->profile,
                            .target = target,
                            .output = output,
                            .without_tasks = without_tasks};
    uint32_t *attempts = cup_task_attempts(totals->profile);
    if (!attempts)
        return -1;
    report.attempts = attempts;
    cup_json_start(&report.json, output->file);
    int result = put_report(&report);
    free(attempts);
    return result;
}
