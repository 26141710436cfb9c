#include "analysis/report/report.h"

#include <string.h>

#include "analysis/report/report_sections.h"
#include "analysis/write/html.h"

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
    if (!section->metrics)
        return cup_print_rows(page, section->table, NULL, section->heading, section->note);
    cup_page_heading(page, section->heading, section->note);
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
    if (only)
        return print_only(cup_find_report_section(only), &page);
    int result = 0;
    for (size_t i = 0; i < cup_report_section_count && result == 0; i++)
        if (is_shown(cup_report_sections[i].section, &page))
            result = print_section(cup_report_sections[i].section, &page);
    return result;
}

/* The first section is the summary, which has a place of its own in the page: `front`. */
static int print_html(const struct cup_page *page, bool front)
{
    int result = 0;
    for (size_t i = 0; i < cup_report_section_count && result == 0; i++)
        if ((i == 0) == front && is_shown(cup_report_sections[i].section, page))
            result = print_section(cup_report_sections[i].section, page);
    cup_html_section_end(&page->terminal);
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
    return print_html(&page, front);
}

bool cup_report_has_section(const char *name)
{
    return cup_find_report_section(name) != NULL;
}

unsigned cup_report_section_needs(const char *name)
{
    return cup_find_report_section(name)->needs;
}

const char *cup_report_section_name(size_t n)
{
    for (size_t i = 0; i < cup_report_section_count; i++)
        if (*cup_report_sections[i].section->name && n-- == 0)
            return cup_report_sections[i].section->name;
    return NULL;
}

char *cup_report_describe(const struct cup_totals *totals, char to[CUP_DESCRIPTION])
{
    const struct cup_page page = {.totals = totals, .profile = totals->profile};
    return cup_page_describe(&page, to);
}
