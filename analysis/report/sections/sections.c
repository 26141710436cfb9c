/* Sections and values that the program named itself. */
#include "analysis/metrics/dask/sections.h"
#include "analysis/report/page/section.h"
#include "analysis/report/sections/row_parts.h"

static struct cup_value prefix_of(const struct cup_report_rows *rows, uint32_t prefix)
{
    return prefix == CUP_NO_PREFIX ? cup_null()
                                   : cup_row_text(rows, rows->profile->prefixes[prefix].name);
}

/* ---- sections ----------------------------------------------------------------------------- */

/* True if sections belong to several prefixes. The prefix is then always shown, because the name
 * alone is ambiguous. */
static bool are_of_several(const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    for (size_t i = 1; i < profile->section_count; i++)
        if (profile->sections[i].prefix != profile->sections[0].prefix)
            return true;
    return false;
}

static bool are_of_one(const struct cup_totals *totals)
{
    return !are_of_several(totals);
}

#define SECTION_FIELDS(X)                                                                          \
    X("section", TEXT, cup_row_text(rows, section->name), .heading = "section", .place = 1)        \
    X("parent", TEXT, cup_row_text(rows, section->parent), .heading = "within", .place = 2,        \
      .rank = 3, .none = "")                                                                       \
    X("prefix", TEXT, prefix_of(rows, section->prefix), .heading = "prefix", .place = 3,           \
      .rank = 5, .none = "(no task)", .is_shown = are_of_one)                                      \
    X(NULL, TEXT, prefix_of(rows, section->prefix), .heading = "prefix", .place = 3,               \
      .none = "(no task)", .is_shown = are_of_several)                                             \
    X("tasks", COUNT, cup_count(section->tasks), .heading = "tasks", .place = 4)                   \
    X("chunks", COUNT, cup_count(shown->chunks))                                                   \
    X(NULL, COUNT, cup_count(v[CUP_V_ENTRIES]), .heading = "times", .place = 5, .rank = 6)         \
    X(NULL, SECONDS, cup_ns(v[CUP_V_WALL_NS]), .heading = "wall", .place = 6)                      \
    X(NULL, SECONDS, cup_ns(v[CUP_V_CPU_NS] + v[CUP_V_HELPER_CPU_NS]), .heading = "CPU",           \
      .place = 8)                                                                                  \
    X(NULL, BYTES, cup_count(v[CUP_V_READ_BYTES] + v[CUP_V_RECV_BYTES]), .heading = "read",        \
      .place = 10, .rank = 1)                                                                      \
    X(NULL, BYTES, cup_count(v[CUP_V_ALLOC_BYTES]), .heading = "allocated", .place = 11,           \
      .rank = 7)                                                                                   \
    X(NULL, BYTES, cup_count(v[CUP_V_PEAK_LIVE_BYTES]), .heading = "peak", .place = 12, .rank = 1)

static const char *const value_names[] = {CUP_SECTION_VALUES(CUP_NAME_OF)};

#define WALL_FIELDS(X)                                                                             \
    X("self_s", SECONDS, cup_ns(cup_section_self_ns(shown->section)), .heading = "itself",         \
      .place = 7, .rank = 4)                                                                       \
    X("task_wall_min_s", SECONDS, cup_real(shown->walls.min))                                      \
    X("task_wall_mean_s", SECONDS, cup_real(shown->walls.mean))                                    \
    X("task_wall_median_s", SECONDS, cup_real(shown->walls.median), .heading = "median",           \
      .place = 9, .rank = 2)                                                                       \
    X("task_wall_max_s", SECONDS, cup_real(shown->walls.max))                                      \
    X("task_wall_stdev_s", SECONDS, cup_real(shown->walls.stdev))

static void fill_section(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_section_shown *shown = item;
    const struct cup_section *section = shown->section;
    const uint64_t *v = section->values;
    CUP_FILL(values, SECTION_FIELDS);
    for (int i = 0; i < CUP_SECTION_VALUE_COUNT; i++)
        *values++ = counter_value(value_names[i], v[i], true);
    CUP_FILL(values, WALL_FIELDS);
}

static int list_sections(struct cup_report_rows *rows)
{
    const struct cup_sections *sections = rows->of;
    return cup_add_rows(rows, sections->shown, sections->count, sizeof *sections->shown);
}

static const struct cup_report_table sections_table = {
    CUP_TABLE_PARTS(CUP_ROW_PART(SECTION_FIELDS, fill_section),
                    CUP_NAMED_PART("", value_names, CUP_SECTION_VALUE_COUNT),
                    CUP_ROW_PART(WALL_FIELDS, NULL)),
    list_sections, .on_screen = 12, .more = "section in --json"};

/* ---- values ------------------------------------------------------------------------------- */

#define VALUE_FIELDS(X)                                                                            \
    X("value", TEXT, cup_row_text(rows, value->name), .heading = "value")                          \
    X("prefix", TEXT, prefix_of(rows, value->prefix), .heading = "prefix", .rank = 1,              \
      .none = "(no task)")                                                                         \
    X("tasks", COUNT, cup_count(value->tasks), .heading = "tasks")                                 \
    X("count", COUNT, cup_count(value->count), .heading = "times", .rank = 2)                      \
    X("sum", NUMBER, cup_real(value->sum), .heading = "sum")                                       \
    X("mean", NUMBER, cup_ratio(value->sum, (double)value->count), .heading = "mean")              \
    X("least", NUMBER, cup_real(value->least), .heading = "least")                                 \
    X("most", NUMBER, cup_real(value->most), .heading = "most")

CUP_FILL_ITEM(fill_value, struct cup_named_value, value, VALUE_FIELDS)

CUP_LIST_ARRAY(list_values, rows->profile->named_values, rows->profile->named_value_count)

static const struct cup_report_table values_table = {CUP_TABLE_FIELDS(VALUE_FIELDS, fill_value),
                                                     list_values, .on_screen = 8,
                                                     .more = "value in --json", .name = "values"};

/* ---- both task by task, in JSON and CSV ----------------------------------------------------- */

/* The task of a row; all NULL if the row is of no task. */
struct of_task {
    struct cup_task_row row;
    const struct cup_item *item;
};

#define TASK_FIELDS(X)                                                                             \
    X("key", TEXT, cup_text(of.row.key))                                                           \
    X("attempt", COUNT, of.row.task ? cup_count(of.row.attempt) : cup_null())                      \
    X("prefix", TEXT,                                                                              \
      of.row.task ? prefix_of(rows, cup_task_prefix(rows->profile, of.row.task)) : cup_null())     \
    X("dataset", TEXT,                                                                             \
      of.item ? cup_row_text(rows, cup_source_of(rows->profile, of.item)->dataset) : cup_null())   \
    X("file", TEXT, of.item ? cup_row_text(rows, of.item->file) : cup_null())                      \
    X("entry_start", COUNT, entry(of.item ? of.item->entry_start : -1))                            \
    X("entry_stop", COUNT, entry(of.item ? of.item->entry_stop : -1))

static struct cup_value entry(int64_t number)
{
    return cup_count_if(number >= 0, (uint64_t)number);
}

/* `number`: index of the task + 1; 0: of no task. */
static struct of_task task_of(struct cup_report_rows *rows, uint32_t number)
{
    if (number == 0)
        return (struct of_task){.item = NULL};
    const struct cup_task *task = &rows->profile->tasks[number - 1];
    return (struct of_task){cup_row_task(rows, task), cup_task_item(rows->profile, task)};
}

#define SECTION_ROW_FIELDS(X)                                                                      \
    TASK_FIELDS(X)                                                                                 \
    X("section", TEXT, cup_row_text(rows, section->name))                                          \
    X("parent", TEXT, cup_row_text(rows, section->parent))                                         \
    X("entries", COUNT, cup_count(row->entries))                                                   \
    X("wall_s", SECONDS, cup_ns(row->wall_ns))                                                     \
    X("cpu_s", SECONDS, cup_ns(row->cpu_ns))                                                       \
    X("read_bytes", BYTES, cup_count(row->read_bytes))                                             \
    X("alloc_bytes", BYTES, cup_count(row->alloc_bytes))                                           \
    X("peak_live_bytes", BYTES, cup_count(row->peak_bytes))

static void fill_section_row(struct cup_report_rows *rows, const void *item,
                             struct cup_value *values)
{
    const struct cup_section_row *row = item;
    const struct cup_section *section = &rows->profile->sections[row->section];
    const struct of_task of = task_of(rows, row->task);
    CUP_FILL(values, SECTION_ROW_FIELDS);
}

#define VALUE_ROW_FIELDS(X)                                                                        \
    TASK_FIELDS(X)                                                                                 \
    X("value", TEXT, cup_row_text(rows, rows->profile->named_values[row->value].name))             \
    X("count", COUNT, cup_count(row->count))                                                       \
    X("sum", NUMBER, cup_real(row->sum))                                                           \
    X("last", NUMBER, cup_real(row->last))

static void fill_value_row(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_value_row *row = item;
    const struct of_task of = task_of(rows, row->task);
    CUP_FILL(values, VALUE_ROW_FIELDS);
}

CUP_LIST_ARRAY(list_section_rows, rows->profile->section_rows, rows->profile->section_row_count)

CUP_LIST_ARRAY(list_value_rows, rows->profile->value_rows, rows->profile->value_row_count)

const struct cup_report_table cup_section_rows_table = {
    CUP_TABLE_FIELDS(SECTION_ROW_FIELDS, fill_section_row), list_section_rows, .name = "by_task",
    .of_tasks = true};
const struct cup_report_table cup_value_rows_table = {
    CUP_TABLE_FIELDS(VALUE_ROW_FIELDS, fill_value_row), list_value_rows, .name = "values_by_task",
    .of_tasks = true};

/* ---- the section -------------------------------------------------------------------------- */

/* Warns of sections that the program never ended, and of those that were dropped. */
static void print_trouble(const struct cup_page *page, const struct cup_sections *sections)
{
    uint64_t unended = 0, lost = page->profile->health[CUP_H_SECTIONS_DROPPED];
    for (size_t i = 0; i < sections->count; i++)
        unended += sections->shown[i].section->values[CUP_V_UNENDED];
    if (unended)
        cup_page_line(page, CUP_WARN,
                      "%llu section%s begun and never ended: counted until the end of %s task%s.",
                      (unsigned long long)unended, unended == 1 ? " was" : "s were",
                      unended == 1 ? "its" : "their", cup_plural(unended));
    if (lost)
        cup_page_line(
            page, CUP_WARN,
            "%llu section%s or value%s dropped: the library's tables were full, or %s not "
            "a number.",
            (unsigned long long)lost, cup_plural(lost), cup_plural(lost),
            lost == 1 ? "was" : "were");
}

static int print_tables(const struct cup_page *page, const struct cup_sections *sections)
{
    cup_page_heading(page, "Sections", "named by the program itself");
    int result = cup_print_rows(page, &sections_table, sections, NULL, NULL);
    if (result == 0)
        result = cup_print_rows(page, &values_table, NULL, NULL, NULL);
    print_trouble(page, sections);
    if (result == 0 && (page->alone || page->terminal.html))
        result = cup_print_section_tasks(page, sections);
    return result;
}

static int print_sections(const struct cup_page *page)
{
    struct cup_sections sections;
    if (page->profile->section_count + page->profile->named_value_count == 0)
        return 0;
    if (cup_sections_make(&sections, page->profile) != 0)
        return -1;
    int result = print_tables(page, &sections);
    cup_sections_free(&sections);
    return result;
}

static int put_tables(struct report *report, const struct cup_sections *sections)
{
    if (cup_put_rows(report, &sections_table, sections) != 0 ||
        cup_put_rows(report, &values_table, NULL) != 0 ||
        cup_put_rows(report, &cup_section_rows_table, NULL) != 0)
        return -1;
    return cup_put_rows(report, &cup_value_rows_table, NULL);
}

static int put_sections(struct report *report)
{
    struct cup_sections sections;
    if (cup_sections_make(&sections, report->profile) != 0)
        return -1;
    cup_json_object(&report->json, "sections");
    int result = put_tables(report, &sections);
    put(report, "rows_left_out", cup_count(report->profile->section_rows_left_out));
    put(report, "dropped", cup_count(report->profile->health[CUP_H_SECTIONS_DROPPED]));
    cup_json_end_object(&report->json);
    cup_sections_free(&sections);
    return result;
}

const struct cup_report_section cup_sections_section = {
    .name = "sections",
    .nothing = "The program named no sections; docs/sections.md shows how to name some.",
    .table = &sections_table,
    .print = print_sections,
    .put = put_sections,
};
