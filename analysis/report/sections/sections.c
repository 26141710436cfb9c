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
    X(NULL, SECONDS, cup_seconds((int64_t)v[CUP_V_WALL_NS]), .heading = "wall", .place = 6)        \
    X(NULL, SECONDS, cup_seconds((int64_t)(v[CUP_V_CPU_NS] + v[CUP_V_HELPER_CPU_NS])),             \
      .heading = "CPU", .place = 8)                                                                \
    X(NULL, BYTES, cup_count(v[CUP_V_READ_BYTES] + v[CUP_V_RECV_BYTES]), .heading = "read",        \
      .place = 10, .rank = 1)                                                                      \
    X(NULL, BYTES, cup_count(v[CUP_V_ALLOC_BYTES]), .heading = "allocated", .place = 11,           \
      .rank = 7)                                                                                   \
    X(NULL, BYTES, cup_count(v[CUP_V_PEAK_LIVE_BYTES]), .heading = "peak", .place = 12, .rank = 1)

static void fill_section(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_section_shown *shown = item;
    const struct cup_section *section = shown->section;
    const uint64_t *v = section->values;
    CUP_FILL(values, SECTION_FIELDS);
}

static const char *const value_names[] = {
#define X(id, name, kind, text) name,
    CUP_SECTION_VALUES(X)
#undef X
};

static const char *section_value_key(unsigned index, char room[CUP_KEY_ROOM])
{
    return counter_key(value_names[index], room, CUP_KEY_ROOM);
}

static void fill_section_values(struct cup_report_rows *rows, const void *item,
                                struct cup_value *values)
{
    const struct cup_section_shown *shown = item;
    (void)rows;
    for (int i = 0; i < CUP_SECTION_VALUE_COUNT; i++)
        values[i] = counter_value(value_names[i], shown->section->values[i], true);
}

#define WALL_FIELDS(X)                                                                             \
    X("self_s", SECONDS, cup_seconds((int64_t)cup_section_self_ns(shown->section)),                \
      .heading = "itself", .place = 7, .rank = 4)                                                  \
    X("task_wall_min_s", SECONDS, cup_real(shown->walls.min))                                      \
    X("task_wall_mean_s", SECONDS, cup_real(shown->walls.mean))                                    \
    X("task_wall_median_s", SECONDS, cup_real(shown->walls.median), .heading = "median",           \
      .place = 9, .rank = 2)                                                                       \
    X("task_wall_max_s", SECONDS, cup_real(shown->walls.max))                                      \
    X("task_wall_stdev_s", SECONDS, cup_real(shown->walls.stdev))

static void fill_walls(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_section_shown *shown = item;
    (void)rows;
    CUP_FILL(values, WALL_FIELDS);
}

static int list_sections(struct cup_report_rows *rows)
{
    const struct cup_sections *sections = rows->of;
    for (size_t i = 0; i < sections->count; i++)
        cup_add_row(rows, &sections->shown[i]);
    return 0;
}

static const struct cup_row_part section_parts[] = {
    CUP_ROW_PART(SECTION_FIELDS, fill_section),
    {.count = CUP_SECTION_VALUE_COUNT, .key = section_value_key, .fill = fill_section_values},
    CUP_ROW_PART(WALL_FIELDS, fill_walls),
};
static const struct cup_report_table sections_table = {
    CUP_TABLE_PARTS(section_parts), list_sections, .on_screen = 12, .more = "sections in --json"};

/* ---- values ------------------------------------------------------------------------------- */

#define VALUE_FIELDS(X)                                                                            \
    X("value", TEXT, cup_row_text(rows, value->name), .heading = "value", .place = 1)              \
    X("prefix", TEXT, prefix_of(rows, value->prefix), .heading = "prefix", .place = 2, .rank = 1,  \
      .none = "(no task)")                                                                         \
    X("tasks", COUNT, cup_count(value->tasks), .heading = "tasks", .place = 3)                     \
    X("count", COUNT, cup_count(value->count), .heading = "times", .place = 4, .rank = 2)          \
    X("sum", NUMBER, cup_real(value->sum), .heading = "sum", .place = 5)                           \
    X("mean", NUMBER, cup_ratio(value->sum, (double)value->count), .heading = "mean", .place = 6)  \
    X("least", NUMBER, cup_real(value->least), .heading = "least", .place = 7)                     \
    X("most", NUMBER, cup_real(value->most), .heading = "most", .place = 8)

static void fill_value(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_named_value *value = item;
    CUP_FILL(values, VALUE_FIELDS);
}

static int list_values(struct cup_report_rows *rows)
{
    for (size_t i = 0; i < rows->profile->named_value_count; i++)
        cup_add_row(rows, &rows->profile->named_values[i]);
    return 0;
}

static const struct cup_row_part value_parts[] = {CUP_ROW_PART(VALUE_FIELDS, fill_value)};
static const struct cup_report_table values_table = {CUP_TABLE_PARTS(value_parts), list_values,
                                                     .on_screen = 8, .more = "values in --json"};

/* ---- both task by task, in JSON and CSV ----------------------------------------------------- */

/* A row of a section or a value, and the key of its task. */
struct task_row {
    const void *row;
    uint32_t task; /* index + 1; 0: of no task */
    struct cup_text key;
};

#define TASK_FIELDS(X)                                                                             \
    X("key", TEXT, cup_text(of->key))                                                              \
    X("attempt", COUNT, task ? cup_count(rows->attempts[of->task - 1]) : cup_null())               \
    X("prefix", TEXT, task ? prefix_of(rows, task->prefix) : cup_null())                           \
    X("dataset", TEXT, item ? cup_row_text(rows, item->dataset) : cup_null())                      \
    X("file", TEXT, item ? cup_row_text(rows, item->file) : cup_null())                            \
    X("entry_start", COUNT, entry(item ? item->entry_start : -1))                                  \
    X("entry_stop", COUNT, entry(item ? item->entry_stop : -1))

static struct cup_value entry(int64_t number)
{
    return cup_value_if(number >= 0, cup_count((uint64_t)number));
}

static void fill_task(struct cup_report_rows *rows, const void *row, struct cup_value *values)
{
    const struct task_row *of = row;
    const struct cup_task *task = of->task ? &rows->profile->tasks[of->task - 1] : NULL;
    const struct cup_item *item = task ? cup_task_item(rows->profile, task) : NULL;
    CUP_FILL(values, TASK_FIELDS);
}

#define SECTION_ROW_FIELDS(X)                                                                      \
    X("section", TEXT, cup_row_text(rows, section->name))                                          \
    X("parent", TEXT, cup_row_text(rows, section->parent))                                         \
    X("entries", COUNT, cup_count(row->entries))                                                   \
    X("wall_s", SECONDS, cup_seconds((int64_t)row->wall_ns))                                       \
    X("cpu_s", SECONDS, cup_seconds((int64_t)row->cpu_ns))                                         \
    X("read_bytes", BYTES, cup_count(row->read_bytes))                                             \
    X("alloc_bytes", BYTES, cup_count(row->alloc_bytes))                                           \
    X("peak_live_bytes", BYTES, cup_count(row->peak_bytes))

static void fill_section_row(struct cup_report_rows *rows, const void *of, struct cup_value *values)
{
    const struct cup_section_row *row = ((const struct task_row *)of)->row;
    const struct cup_section *section = &rows->profile->sections[row->section];
    CUP_FILL(values, SECTION_ROW_FIELDS);
}

#define VALUE_ROW_FIELDS(X)                                                                        \
    X("value", TEXT, cup_row_text(rows, rows->profile->named_values[row->value].name))             \
    X("count", COUNT, cup_count(row->count))                                                       \
    X("sum", NUMBER, cup_real(row->sum))                                                           \
    X("last", NUMBER, cup_real(row->last))

static void fill_value_row(struct cup_report_rows *rows, const void *of, struct cup_value *values)
{
    const struct cup_value_row *row = ((const struct task_row *)of)->row;
    CUP_FILL(values, VALUE_ROW_FIELDS);
}

static void add_task_row(struct cup_report_rows *rows, struct cup_key_reader *keys, const void *row,
                         uint32_t task)
{
    struct cup_text none = {NULL, 0};
    if (!cup_output_failed(rows->output))
        cup_add_row(rows, &(struct task_row){
                              row, task,
                              task ? cup_key_read(keys, &rows->profile->tasks[task - 1]) : none});
}

static int list_section_rows(struct cup_report_rows *rows)
{
    struct cup_key_reader keys;
    cup_key_reader_open(&keys, rows->profile);
    for (size_t i = 0; i < rows->profile->section_row_count; i++)
        add_task_row(rows, &keys, &rows->profile->section_rows[i],
                     rows->profile->section_rows[i].task);
    cup_key_reader_close(&keys);
    return 0;
}

static int list_value_rows(struct cup_report_rows *rows)
{
    struct cup_key_reader keys;
    cup_key_reader_open(&keys, rows->profile);
    for (size_t i = 0; i < rows->profile->value_row_count; i++)
        add_task_row(rows, &keys, &rows->profile->value_rows[i], rows->profile->value_rows[i].task);
    cup_key_reader_close(&keys);
    return 0;
}

static const struct cup_row_part section_row_parts[] = {
    CUP_ROW_PART(TASK_FIELDS, fill_task), CUP_ROW_PART(SECTION_ROW_FIELDS, fill_section_row)};
static const struct cup_row_part value_row_parts[] = {
    CUP_ROW_PART(TASK_FIELDS, fill_task), CUP_ROW_PART(VALUE_ROW_FIELDS, fill_value_row)};
const struct cup_report_table cup_section_rows_table = {CUP_TABLE_PARTS(section_row_parts),
                                                        list_section_rows};
const struct cup_report_table cup_value_rows_table = {CUP_TABLE_PARTS(value_row_parts),
                                                      list_value_rows};

/* ---- the section -------------------------------------------------------------------------- */

/* Warns of sections that the program never ended, and of those that were dropped. */
static void print_trouble(const struct cup_page *page, const struct cup_sections *sections)
{
    uint64_t unended = 0, lost = page->profile->health[CUP_H_SECTIONS_DROPPED];
    char line[200];
    for (size_t i = 0; i < sections->count; i++)
        unended += sections->shown[i].section->values[CUP_V_UNENDED];
    if (unended) {
        snprintf(line, sizeof line,
                 "%llu section%s begun and never ended: counted until the end of %s task%s.",
                 (unsigned long long)unended, unended == 1 ? " was" : "s were",
                 unended == 1 ? "its" : "their", cup_plural(unended));
        cup_print_wrapped(&page->terminal, CUP_WARN, 2, line);
    }
    if (lost) {
        snprintf(line, sizeof line,
                 "%llu section%s or value%s dropped: the library's tables were full, or %s not a "
                 "number.",
                 (unsigned long long)lost, cup_plural(lost), cup_plural(lost),
                 lost == 1 ? "was" : "were");
        cup_print_wrapped(&page->terminal, CUP_WARN, 2, line);
    }
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
    if (cup_put_rows(report, "rows", &sections_table, sections) != 0 ||
        cup_put_rows(report, "values", &values_table, NULL) != 0 ||
        cup_put_rows(report, "by_task", &cup_section_rows_table, NULL) != 0)
        return -1;
    return cup_put_rows(report, "values_by_task", &cup_value_rows_table, NULL);
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
