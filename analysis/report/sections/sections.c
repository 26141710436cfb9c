/* Sections and values that the program named itself. */
#include <math.h>

#include "analysis/report/page/page.h"

enum { SHOWN_SECTIONS = 12, SHOWN_VALUES = 8 };

static struct cup_text prefix_text(const struct cup_page *page, uint32_t prefix)
{
    return prefix == CUP_NO_PREFIX ? (struct cup_text){"(no task)", 9}
                                   : cup_page_text(page, page->profile->prefixes[prefix].name);
}

static void add_section(const struct cup_page *page, struct cup_table *table,
                        const struct cup_section_shown *shown)
{
    const struct cup_section *section = shown->section;
    const uint64_t *values = section->values;
    cup_table_add(table, cup_page_text(page, section->name));
    cup_table_add(table, section->parent ? cup_page_text(page, section->parent)
                                         : (struct cup_text){"", 0});
    cup_table_add(table, prefix_text(page, section->prefix));
    cup_table_add_value(table, cup_count(section->tasks), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(values[CUP_V_ENTRIES]), CUP_UNIT_COUNT);
    cup_table_add_seconds(table, values[CUP_V_WALL_NS]);
    cup_table_add_seconds(table, cup_section_self_ns(section));
    cup_table_add_seconds(table, values[CUP_V_CPU_NS] + values[CUP_V_HELPER_CPU_NS]);
    cup_table_add_value(table, cup_real(shown->walls.median), CUP_UNIT_SECONDS);
    cup_table_add_value(table, cup_count(values[CUP_V_READ_BYTES] + values[CUP_V_RECV_BYTES]),
                        CUP_UNIT_BYTES);
    cup_table_add_value(table, cup_count(values[CUP_V_ALLOC_BYTES]), CUP_UNIT_BYTES);
    cup_table_add_value(table, cup_count(values[CUP_V_PEAK_LIVE_BYTES]), CUP_UNIT_BYTES);
}

/* Else rows of one name cannot be told apart. */
static bool are_of_several_prefixes(const struct cup_sections *sections)
{
    for (size_t i = 1; i < sections->count; i++)
        if (sections->shown[i].section->prefix != sections->shown[0].section->prefix)
            return true;
    return false;
}

static void print_sections(const struct cup_page *page, const struct cup_sections *sections)
{
    enum { PREFIX = 2 };
    struct cup_column columns[] = {
        {"section", CUP_FIT_LEFT, 0}, {"within", CUP_FIT_LEFT, 3},     {"prefix", CUP_FIT_LEFT, 5},
        {"tasks", CUP_FIT_RIGHT, 0},  {"times", CUP_FIT_RIGHT, 6},     {"wall", CUP_FIT_RIGHT, 0},
        {"itself", CUP_FIT_RIGHT, 4}, {"CPU", CUP_FIT_RIGHT, 0},       {"median", CUP_FIT_RIGHT, 2},
        {"read", CUP_FIT_RIGHT, 1},   {"allocated", CUP_FIT_RIGHT, 7}, {"peak", CUP_FIT_RIGHT, 1}};
    struct cup_table table;
    size_t most = cup_page_rows(page, SHOWN_SECTIONS);
    if (are_of_several_prefixes(sections))
        columns[PREFIX].rank = 0;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < sections->count && i < most; i++)
        add_section(page, &table, &sections->shown[i]);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, cup_page_hidden(page, sections->count, SHOWN_SECTIONS),
                  page->alone ? "sections in --json" : "sections; --only sections, --json");
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
    cup_table_add_string(table, text);
}

static void print_values(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"value", CUP_FIT_LEFT, 0},  {"prefix", CUP_FIT_LEFT, 1}, {"tasks", CUP_FIT_RIGHT, 0},
        {"times", CUP_FIT_RIGHT, 2}, {"sum", CUP_FIT_RIGHT, 0},   {"mean", CUP_FIT_RIGHT, 0},
        {"least", CUP_FIT_RIGHT, 0}, {"most", CUP_FIT_RIGHT, 0}};
    const struct cup_profile *profile = page->profile;
    struct cup_table table;
    size_t most = cup_page_rows(page, SHOWN_VALUES);
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < profile->named_value_count && i < most; i++) {
        const struct cup_named_value *value = &profile->named_values[i];
        cup_table_add(&table, cup_page_text(page, value->name));
        cup_table_add(&table, prefix_text(page, value->prefix));
        cup_table_add_value(&table, cup_count(value->tasks), CUP_UNIT_COUNT);
        cup_table_add_value(&table, cup_count(value->count), CUP_UNIT_COUNT);
        cup_page_add_number(&table, value->sum);
        cup_page_add_number(&table, value->sum / (double)value->count);
        cup_page_add_number(&table, value->least);
        cup_page_add_number(&table, value->most);
    }
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, cup_page_hidden(page, profile->named_value_count, SHOWN_VALUES),
                  page->alone ? "values in --json" : "values; --only sections, --json");
}

/* Sections that their task ended, or that found no room. */
static void print_trouble(const struct cup_page *page, const struct cup_sections *sections)
{
    uint64_t unended = 0, lost = page->profile->health[CUP_H_SECTIONS_DROPPED];
    char line[200];
    for (size_t i = 0; i < sections->count; i++)
        unended += sections->shown[i].section->values[CUP_V_UNENDED];
    if (unended) {
        snprintf(line, sizeof line,
                 "%llu section%s begun and not ended: taken to end with %s task%s.",
                 (unsigned long long)unended, unended == 1 ? " was" : "s were",
                 unended == 1 ? "its" : "their", cup_plural(unended));
        cup_print_wrapped(&page->terminal, CUP_WARN, 2, line);
    }
    if (lost) {
        snprintf(line, sizeof line,
                 "%llu section%s or value%s found no room in the library, or %s no number.",
                 (unsigned long long)lost, cup_plural(lost), cup_plural(lost),
                 lost == 1 ? "was" : "were");
        cup_print_wrapped(&page->terminal, CUP_WARN, 2, line);
    }
}

int cup_print_sections(const struct cup_page *page)
{
    struct cup_sections sections;
    if (page->profile->section_count + page->profile->named_value_count == 0)
        return 0;
    if (cup_sections_make(&sections, page->profile) != 0)
        return -1;
    cup_page_heading(page, "Sections", "named by the program itself");
    if (sections.count)
        print_sections(page, &sections);
    if (page->profile->named_value_count)
        print_values(page);
    print_trouble(page, &sections);
    int result = page->alone || page->terminal.html ? cup_print_section_tasks(page, &sections) : 0;
    cup_sections_free(&sections);
    return result;
}
