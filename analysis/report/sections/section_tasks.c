/* Named sections and values, task by task: how much time each section took in the longest tasks. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/dask/sections.h"
#include "analysis/report/sections/row_parts.h"
#include "analysis/tasks/task_columns.h"

enum { SHOWN_TASKS = 10, SECTIONS = 6, VALUES = 4, NAME_ROOM = 40 };

/* A column: the sections with this name inside the same parent, or the values with this name, in
 * all tasks. */
struct column {
    uint32_t name, parent;
    bool is_value;
    char heading[NAME_ROOM];
};

struct of_task {
    uint64_t wall_ns;                  /* of the task; CUP_UNKNOWN64: it never ended */
    uint32_t task;                     /* index */
    double amounts[SECTIONS + VALUES]; /* of each column: nanoseconds, or a sum; NAN: none */
};

struct by_task {
    struct column columns[SECTIONS + VALUES]; /* sections, then values */
    unsigned column_count, section_count;
    struct of_task *rows; /* owned */
    size_t count;
    uint32_t *places; /* owned; for each task: its index in `rows` + 1 */
    bool chunks;      /* at least one of the tasks has a chunk */
};

static unsigned find_column(const struct by_task *by_task, uint32_t name, uint32_t parent,
                            bool is_value)
{
    unsigned i = 0;
    for (; i < by_task->column_count; i++) {
        const struct column *column = &by_task->columns[i];
        if (column->name == name && column->parent == parent && column->is_value == is_value)
            break;
    }
    return i;
}

/* Nothing if there is such a column already. */
static void add_column(const struct cup_page *page, struct by_task *by_task, uint32_t name,
                       uint32_t parent, bool is_value)
{
    if (find_column(by_task, name, parent, is_value) < by_task->column_count)
        return;
    struct cup_text text = cup_page_text(page, name);
    struct column *column = &by_task->columns[by_task->column_count++];
    *column = (struct column){name, parent, is_value, ""};
    snprintf(column->heading, NAME_ROOM, "%.*s",
             text.length < NAME_ROOM ? (int)text.length : NAME_ROOM - 1, text.bytes);
}

/* The sections are in their order: most wall time first. */
static void choose_columns(const struct cup_page *page, const struct cup_sections *sections,
                           struct by_task *by_task)
{
    const struct cup_profile *profile = page->profile;
    for (size_t i = 0; i < sections->count && by_task->column_count < SECTIONS; i++) {
        const struct cup_section *section = sections->shown[i].section;
        if (section->prefix != CUP_NO_PREFIX)
            add_column(page, by_task, section->name, section->parent, false);
    }
    by_task->section_count = by_task->column_count;
    for (size_t i = 0;
         i < profile->named_value_count && by_task->column_count < by_task->section_count + VALUES;
         i++)
        if (profile->named_values[i].prefix != CUP_NO_PREFIX)
            add_column(page, by_task, profile->named_values[i].name, 0, true);
}

static struct of_task *row_of(const struct cup_profile *profile, struct by_task *by_task,
                              uint32_t task)
{
    uint32_t *place = &by_task->places[task];
    if (*place == 0) {
        by_task->rows[by_task->count] =
            (struct of_task){.wall_ns = cup_task_wall_ns(&profile->tasks[task]), .task = task};
        for (int i = 0; i < SECTIONS + VALUES; i++)
            by_task->rows[by_task->count].amounts[i] = NAN;
        *place = (uint32_t)++by_task->count;
        by_task->chunks |= cup_item_is_chunk(cup_task_item(profile, &profile->tasks[task]));
    }
    return &by_task->rows[*place - 1];
}

/* `number`: index of the task + 1; 0: of no task. */
static void add_to_column(const struct cup_profile *profile, struct by_task *by_task,
                          uint32_t number, unsigned column, double amount)
{
    if (number == 0 || column == by_task->column_count)
        return;
    double *sum = &row_of(profile, by_task, number - 1)->amounts[column];
    *sum = isnan(*sum) ? amount : *sum + amount;
}

static void add_sections(const struct cup_profile *profile, struct by_task *by_task)
{
    for (size_t i = 0; i < profile->section_row_count; i++) {
        const struct cup_section_row *row = &profile->section_rows[i];
        const struct cup_section *section = &profile->sections[row->section];
        add_to_column(profile, by_task, row->task,
                      find_column(by_task, section->name, section->parent, false),
                      (double)row->wall_ns);
    }
}

static void add_values(const struct cup_profile *profile, struct by_task *by_task)
{
    for (size_t i = 0; i < profile->value_row_count; i++) {
        const struct cup_value_row *row = &profile->value_rows[i];
        uint32_t name = profile->named_values[row->value].name;
        add_to_column(profile, by_task, row->task, find_column(by_task, name, 0, true), row->sum);
    }
}

static int longest_first(const void *left, const void *right)
{
    const struct of_task *a = left, *b = right;
    if (a->wall_ns != b->wall_ns)
        return a->wall_ns > b->wall_ns ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

/* Returns 0, or -1 without memory; the caller frees the rows in both cases. */
static int collect(const struct cup_page *page, const struct cup_sections *sections,
                   struct by_task *by_task)
{
    const struct cup_profile *profile = page->profile;
    size_t most = profile->section_row_count + profile->value_row_count;
    *by_task = (struct by_task){0};
    by_task->places = calloc(profile->task_count + 1, sizeof *by_task->places);
    by_task->rows = calloc((most < profile->task_count ? most : profile->task_count) + 1,
                           sizeof *by_task->rows);
    if (!by_task->places || !by_task->rows)
        return -1;
    choose_columns(page, sections, by_task);
    add_sections(profile, by_task);
    add_values(profile, by_task);
    qsort(by_task->rows, by_task->count, sizeof *by_task->rows, longest_first);
    return 0;
}

static const struct {
    const char *name; /* in `cupping tasks` */
    enum cup_unit unit;
    struct cup_column column;
} about[] = {
    {"dataset", CUP_UNIT_NONE, {"dataset", CUP_FIT_LEFT, 0}},
    {"file", CUP_UNIT_NONE, {"file", CUP_FIT_LEFT, 7}},
    {"entry_start", CUP_UNIT_COUNT, {"from", CUP_FIT_RIGHT, 8}},
    {"events", CUP_UNIT_COUNT, {"events", CUP_FIT_RIGHT, 1}},
    {"key", CUP_UNIT_NONE, {"key", CUP_FIT_LEFT, 9}},
    {"wall_s", CUP_UNIT_SECONDS, {"time", CUP_FIT_RIGHT, 0}},
};
enum { ABOUT = sizeof about / sizeof *about };
_Static_assert(ABOUT + SECTIONS + VALUES <= CUP_TABLE_COLUMNS, "a column for each");

static void add_task(struct cup_table *table, const struct by_task *by_task,
                     const struct of_task *of, const struct cup_task_row *row)
{
    for (int i = 0; i < ABOUT; i++)
        cup_table_add_value(table, cup_task_value(row, about[i].name), about[i].unit);
    for (unsigned i = 0; i < by_task->column_count; i++)
        if (isnan(of->amounts[i]))
            cup_table_add_string(table, "");
        else if (by_task->columns[i].is_value)
            cup_page_add_number(table, of->amounts[i]);
        else
            cup_table_add_value(table, cup_ns((uint64_t)of->amounts[i]), CUP_UNIT_SECONDS);
}

static void print(const struct cup_page *page, const struct by_task *by_task)
{
    struct cup_column columns[CUP_TABLE_COLUMNS];
    struct cup_table table;
    struct cup_record_reader keys;
    unsigned count = 0;
    for (unsigned i = 0; i < ABOUT; i++) {
        columns[count] = about[i].column;
        if (!by_task->chunks && strcmp(about[i].name, "wall_s") != 0)
            columns[count].rank = strcmp(about[i].name, "key") == 0 ? 0 : 9;
        count++;
    }
    for (unsigned i = 0; i < by_task->column_count; i++) {
        unsigned rank = i < by_task->section_count ? i + 1 : i - by_task->section_count + 2;
        columns[count++] = (struct cup_column){by_task->columns[i].heading, CUP_FIT_RIGHT, rank};
    }
    cup_table_start(&table, columns, count);
    cup_record_reader_open(&keys, page->profile);
    for (size_t i = 0; i < by_task->count && i < cup_page_rows(page, SHOWN_TASKS); i++) {
        const struct cup_task *task = &page->profile->tasks[by_task->rows[i].task];
        add_task(&table, by_task, &by_task->rows[i],
                 &(struct cup_task_row){page->profile, task, cup_key_read(&keys, task), 1});
    }
    cup_record_reader_close(&keys);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, by_task->count, cup_page_rows(page, SHOWN_TASKS),
                  "task in --json, and in the files of `cupping export --to csv`");
}

int cup_print_section_tasks(const struct cup_page *page, const struct cup_sections *sections)
{
    struct by_task by_task;
    int result = collect(page, sections, &by_task);
    if (result == 0 && by_task.count > 0) {
        cup_page_heading(page, "Sections task by task",
                         "wall time, and sums of values; those that took the longest first");
        print(page, &by_task);
    }
    free(by_task.places);
    free(by_task.rows);
    return result;
}
