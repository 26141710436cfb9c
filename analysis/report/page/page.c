#include "analysis/report/page/page.h"

#include <stdarg.h>
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/write/html.h"

void cup_append(char *to, size_t room, const char *format, ...)
{
    size_t length = strlen(to);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to + length, room - length, format, arguments);
    va_end(arguments);
}

void cup_page_line(const struct cup_page *page, enum cup_style style, const char *format, ...)
{
    char line[CUP_LINE_ROOM];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    cup_print_wrapped(&page->terminal, style, 2, line);
}

struct cup_text cup_page_text(const struct cup_page *page, uint32_t string)
{
    struct cup_text text = cup_profile_text(page->profile, string);
    return text.bytes ? text : (struct cup_text){"(not known)", 11};
}

size_t cup_page_rows(const struct cup_page *page, size_t screen)
{
    return page->terminal.html ? CUP_PAGE_ROWS : screen;
}

void cup_page_heading(const struct cup_page *page, const char *text, const char *detail)
{
    if (page->terminal.html) {
        cup_html_section(&page->terminal, text, detail);
        return;
    }
    size_t room = page->terminal.width - strlen(text) - 2;
    *page->begun = true;
    cup_print(&page->terminal, CUP_HEADING, "\n%s", text);
    if (*detail && strlen(detail) <= room)
        cup_print(&page->terminal, CUP_DIM, "  %s", detail);
    putc('\n', page->terminal.out);
    if (strlen(detail) > room)
        cup_print_wrapped(&page->terminal, CUP_DIM, 2, detail);
}

void cup_page_more(const struct cup_page *page, uint64_t count, uint64_t shown, const char *what)
{
    int noun = (int)strcspn(what, " ;,");
    if (count > shown)
        cup_page_line(page, CUP_DIM, "... and %s%s",
                      CUP_SHOW_COUNTED(count - shown, CUP_FORMAT("more %.*s", noun, what)),
                      what + noun);
}

/* Counts have all their digits. */
void cup_page_add_number(struct cup_table *table, double number)
{
    char text[32];
    if (number >= 0 && number < 1e15 && number == floor(number)) {
        cup_table_add_value(table, cup_count((uint64_t)number), CUP_UNIT_COUNT);
        return;
    }
    snprintf(text, sizeof text, "%.6g", number);
    cup_table_add_number(table, text, number, CUP_UNIT_NONE);
}

/* ---- lists of metrics ------------------------------------------------------------------- */

static void add_metric(const struct cup_page *page, struct cup_table *table,
                       const struct cup_metric *metric, struct cup_footnotes *footnotes)
{
    struct cup_value value = cup_metric_value(metric->id, page->totals);
    cup_table_add_string(table, metric->label);
    if (value.kind != CUP_VALUE_NULL)
        cup_table_add_value(table, value, metric->unit);
    else
        cup_table_add_missing(table, footnotes, cup_metric_missing(metric, page->totals));
    cup_table_add_string(table, metric->name);
}

void cup_page_metrics(const struct cup_page *page, const struct cup_metric_section *metrics)
{
    static const struct cup_column columns[] = {
        {"", CUP_FIT_LEFT, 0}, {"", CUP_FIT_RIGHT, 0}, {"name in --json", CUP_FIT_NONE, 1}};
    struct cup_footnotes footnotes = {.count = 0};
    struct cup_table table;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < metrics->count; i++)
        if (metrics->metrics[i].label)
            add_metric(page, &table, &metrics->metrics[i], &footnotes);
    cup_table_finish(&table, &page->terminal);
    cup_footnotes_print(&footnotes, &page->terminal);
}
