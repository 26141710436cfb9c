#include "analysis/tasks/task_rows.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "analysis/base/units.h"
#include "analysis/write/cell_writer.h"
#include "analysis/write/column_writer.h"
#include "analysis/write/terminal.h"

/* ---- the order ---------------------------------------------------------------------------- */

/* The value of a task in the column by which tasks are sorted. */
struct sort_value {
    struct cup_value value;
    uint32_t task;
};

static bool is_text(const struct cup_value *value)
{
    return value->kind == CUP_VALUE_TEXT;
}

static int by_text(struct cup_text a, struct cup_text b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = memcmp(a.bytes, b.bytes, shorter);
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int by_value(const void *left, const void *right)
{
    const struct sort_value *a = left, *b = right;
    bool a_null = a->value.kind == CUP_VALUE_NULL, b_null = b->value.kind == CUP_VALUE_NULL;
    int order = 0;
    if (a_null || b_null) {
        order = a_null - b_null;
    } else if (is_text(&a->value)) {
        order = by_text(a->value.text, b->value.text);
    } else {
        double x = cup_number(a->value), y = cup_number(b->value);
        order = (x < y) - (x > y);
    }
    return order ? order : (a->task > b->task) - (a->task < b->task);
}

static int by_earlier(const void *left, const void *right)
{
    const struct sort_value *a = left, *b = right;
    bool timed = a->value.kind != CUP_VALUE_NULL && b->value.kind != CUP_VALUE_NULL;
    bool differ = timed && cup_number(a->value) != cup_number(b->value);
    return differ ? by_value(right, left) : by_value(left, right);
}

/* Keys stay in memory only until the next one is read. Without memory, the value is null. */
static void keep_key(struct cup_value *value)
{
    char *copy = value->kind == CUP_VALUE_TEXT ? malloc(value->text.length + 1) : NULL;
    *value = copy ? cup_text((struct cup_text){memcpy(copy, value->text.bytes, value->text.length),
                                               value->text.length})
                  : cup_null();
}

static void sort_tasks(const struct cup_profile *profile, const struct cup_task_column *column,
                       struct cup_record_reader *keys, const uint32_t *attempts,
                       struct sort_value *values)
{
    bool of_key = strcmp(column->name, "key") == 0;
    bool of_time = strcmp(column->name, "start") == 0 || strcmp(column->name, "stop") == 0;
    for (uint32_t i = 0; i < profile->task_count; i++) {
        const struct cup_task *task = &profile->tasks[i];
        struct cup_text key = of_key ? cup_key_read(keys, task) : (struct cup_text){0};
        const struct cup_task_row row = {profile, task, key, attempts[i]};
        values[i] = (struct sort_value){column->get(&row, column->argument), i};
        if (of_key)
            keep_key(&values[i].value);
    }
    qsort(values, profile->task_count, sizeof *values, of_time ? by_earlier : by_value);
    for (size_t i = 0; of_key && i < profile->task_count; i++)
        if (is_text(&values[i].value))
            free((char *)values[i].value.text.bytes);
}

static void write_tasks(const struct cup_profile *profile, const struct cup_task_view *view,
                        const struct cup_output *output, struct cup_record_reader *keys,
                        const uint32_t *attempts, const struct sort_value *sorted,
                        cup_task_writer write, void *writer)
{
    size_t count = profile->task_count;
    if (view->top && view->top < count)
        count = view->top;
    for (size_t i = 0; i < count && !cup_output_failed(output); i++) {
        size_t index = sorted ? sorted[i].task : i;
        const struct cup_task *task = &profile->tasks[index];
        write(writer,
              &(struct cup_task_row){profile, task, cup_key_read(keys, task), attempts[index]});
    }
}

int cup_each_task(const struct cup_profile *profile, const struct cup_task_view *view,
                  const struct cup_output *output, cup_task_writer write, void *writer)
{
    uint32_t *attempts = cup_task_attempts(profile);
    struct sort_value *sorted = view->sort ? calloc(profile->task_count + 1, sizeof *sorted) : NULL;
    int result = attempts && (sorted || !view->sort) ? 0 : -1;
    if (result == 0) {
        struct cup_record_reader keys;
        cup_record_reader_open(&keys, profile);
        if (sorted)
            sort_tasks(profile, view->sort, &keys, attempts, sorted);
        write_tasks(profile, view, output, &keys, attempts, sorted, write, writer);
        cup_record_reader_close(&keys);
    }
    free(attempts);
    free(sorted);
    return result;
}

/* ---- cells -------------------------------------------------------------------------------- */

static void put_cells(void *writer, const struct cup_task_row *row)
{
    for (size_t i = 0; i < cup_task_column_count; i++)
        cup_put_cell(writer, cup_task_columns[i].get(row, cup_task_columns[i].argument));
    cup_end_row(writer);
}

/* The tasks of a block, and what reads their keys. */
struct block {
    struct cup_record_reader keys;
    struct cup_task_row rows[CUP_COLUMNS_BLOCK];
    size_t count;
};

/* A key is valid only until the next one is read. */
static void fill_keys(struct block *block, struct cup_columns *columns, size_t column)
{
    for (size_t i = 0; i < block->count; i++) {
        struct cup_value key = cup_text(cup_key_read(&block->keys, block->rows[i].task));
        cup_columns_fill(columns, column, i, &key, 1);
    }
}

static void fill_column(const struct block *block, struct cup_columns *columns, size_t index)
{
    const struct cup_task_column *column = &cup_task_columns[index];
    struct cup_value values[CUP_COLUMNS_BLOCK];
    for (size_t i = 0; i < block->count; i++)
        values[i] = column->get(&block->rows[i], column->argument);
    cup_columns_fill(columns, index, 0, values, block->count);
}

/* Column by column: a row of cells at a time would touch the memory of all columns for each row. */
static void write_blocks(struct block *block, const struct cup_profile *profile,
                         const uint32_t *attempts, const struct cup_output *output)
{
    for (size_t first = 0; first < profile->task_count; first += block->count) {
        size_t left = profile->task_count - first;
        block->count = left < CUP_COLUMNS_BLOCK ? left : CUP_COLUMNS_BLOCK;
        for (size_t i = 0; i < block->count; i++)
            block->rows[i] = (struct cup_task_row){.profile = profile,
                                                   .task = &profile->tasks[first + i],
                                                   .attempt = attempts[first + i]};
        for (size_t column = 0; column < cup_task_column_count; column++) {
            if (strcmp(cup_task_columns[column].name, "key") == 0)
                fill_keys(block, output->columns, column);
            else
                fill_column(block, output->columns, column);
        }
        cup_columns_end_rows(output->columns, block->count);
    }
}

static int write_columns(const struct cup_profile *profile, const struct cup_output *output)
{
    uint32_t *attempts = cup_task_attempts(profile);
    struct block *block = malloc(sizeof *block);
    int result = attempts && block ? 0 : -1;
    if (result == 0) {
        cup_record_reader_open(&block->keys, profile);
        write_blocks(block, profile, attempts, output);
        cup_record_reader_close(&block->keys);
    }
    free(attempts);
    free(block);
    return result;
}

int cup_write_task_rows(const struct cup_profile *profile, const struct cup_task_view *view,
                        const struct cup_output *output)
{
    struct cup_cells cells = cup_cells_start(output);
    for (size_t i = 0; i < cup_task_column_count; i++)
        cup_put_cell(&cells, cup_string(cup_task_columns[i].name));
    cup_end_row(&cells);
    return output->columns ? write_columns(profile, output)
                           : cup_each_task(profile, view, output, put_cells, &cells);
}

/* ---- a table for people ------------------------------------------------------------------ */

/* The columns of task_columns.c that are shown, in order. WIDTH: of a number; the greatest width of
 * a text that may be cut; 0: as wide as the longest text, which is never cut. RANK: as in
 * struct cup_column. */
static const struct shown {
    const char *column, *heading;
    enum cup_unit unit;
    unsigned width, rank;
} shown[] = {
    {"status", "status", CUP_UNIT_NONE, 10, 0},
    {"wall_s", "time", CUP_UNIT_SECONDS, 7, 0},
    {"cpu_s", "CPU", CUP_UNIT_SECONDS, 7, 2},
    {"read_bytes", "read", CUP_UNIT_BYTES, 8, 0},
    {"alloc_bytes", "allocated", CUP_UNIT_BYTES, 9, 3},
    {"events", "events", CUP_UNIT_COUNT, 7, 0},
    {"worker", "worker", CUP_UNIT_NONE, 24, 0},
    {"dataset", "dataset", CUP_UNIT_NONE, 24, 0},
    {"file", "file", CUP_UNIT_NONE, 0, 0},
    {"key", "key", CUP_UNIT_NONE, 32, 1},
};
enum { SHOWN_COUNT = sizeof shown / sizeof *shown, HIGHEST_RANK = 3 };

const struct cup_task_column *cup_task_sort_column(const char *name)
{
    const char *wanted = name;
    for (int i = 0; i < SHOWN_COUNT; i++)
        if (strcasecmp(shown[i].heading, name) == 0)
            wanted = shown[i].column;
    for (size_t i = 0; i < cup_task_column_count; i++)
        if (strcmp(cup_task_columns[i].name, wanted) == 0)
            return &cup_task_columns[i];
    return NULL;
}

struct task_table {
    struct cup_terminal terminal;
    const struct cup_task *partly; /* the one in the table that lacks most; NULL: none */
    unsigned widths[SHOWN_COUNT];  /* 0: not shown */
};

/* What stands behind the last '/', which is the name of a file, and the address of a worker
 * without tcp://. */
static struct cup_text shorten(struct cup_text text)
{
    for (size_t i = text.length; i-- > 0;)
        if (text.bytes[i] == '/' && i + 1 < text.length)
            return (struct cup_text){text.bytes + i + 1, text.length - i - 1};
    return text;
}

static struct cup_text text_of(const struct shown *cell, const struct cup_task_row *row)
{
    static const struct cup_text unknown = {"-", 1};
    struct cup_value value = cup_task_value(row, cell->column);
    bool is_place = strcmp(cell->column, "file") == 0 || strcmp(cell->column, "worker") == 0;
    if (value.kind != CUP_VALUE_TEXT || value.text.length == 0)
        return unknown;
    return is_place ? shorten(value.text) : value.text;
}

static void measure_row(void *to, const struct cup_task_row *row)
{
    struct task_table *table = to;
    if (cup_task_is_partly_attributed(row->profile, row->task) &&
        (!table->partly || cup_rare_of(row->profile, row->task)->unattributed_bytes >
                               cup_rare_of(row->profile, table->partly)->unattributed_bytes))
        table->partly = row->task;
    for (int i = 0; i < SHOWN_COUNT; i++) {
        if (shown[i].unit != CUP_UNIT_NONE)
            continue;
        unsigned columns = cup_text_columns(text_of(&shown[i], row));
        if (shown[i].width && columns > shown[i].width)
            columns = shown[i].width;
        if (columns > table->widths[i])
            table->widths[i] = columns;
    }
}

static unsigned width_of(const struct task_table *table)
{
    unsigned width = 0;
    for (int i = 0; i < SHOWN_COUNT; i++)
        width += table->widths[i] ? table->widths[i] + 1 : 0;
    return width ? width - 1 : 0;
}

/* Hides columns until the table fits, then cuts the dataset. */
static void fit_columns(struct task_table *table)
{
    enum { DATASET = 7, LEAST = 8 };
    for (unsigned rank = HIGHEST_RANK; rank > 0; rank--)
        for (int i = 0; i < SHOWN_COUNT; i++)
            if (shown[i].rank == rank && width_of(table) > table->terminal.width)
                table->widths[i] = 0;
    while (width_of(table) > table->terminal.width && table->widths[DATASET] > LEAST)
        table->widths[DATASET]--;
}

static void print_cell(const struct task_table *table, int column, struct cup_text text)
{
    const struct cup_terminal *terminal = &table->terminal;
    bool last = true;
    for (int i = column + 1; i < SHOWN_COUNT; i++)
        last = last && table->widths[i] == 0;
    enum cup_fit fit = shown[column].unit != CUP_UNIT_NONE ? CUP_FIT_RIGHT
                       : last                              ? CUP_FIT_NONE
                                                           : CUP_FIT_LEFT;
    cup_print_fit(terminal, text, table->widths[column], fit);
    putc(last ? '\n' : ' ', terminal->out);
}

static void print_heading(const struct task_table *table)
{
    for (int i = 0; i < SHOWN_COUNT; i++)
        if (table->widths[i])
            print_cell(table, i, (struct cup_text){shown[i].heading, strlen(shown[i].heading)});
}

/* ">1.2 MB": the task may have read more. */
static void mark_partly(char number[CUP_HUMAN_READABLE_ROOM + 1], const struct shown *cell,
                        const struct cup_task_row *row)
{
    if (strcmp(cell->column, "read_bytes") != 0 ||
        !cup_task_is_partly_attributed(row->profile, row->task))
        return;
    memmove(number + 1, number, strlen(number) + 1);
    number[0] = '>';
}

static void print_row(void *to, const struct cup_task_row *row)
{
    const struct task_table *table = to;
    char number[CUP_HUMAN_READABLE_ROOM + 1];
    for (int i = 0; i < SHOWN_COUNT; i++) {
        if (table->widths[i] == 0)
            continue;
        if (shown[i].unit == CUP_UNIT_NONE) {
            print_cell(table, i, text_of(&shown[i], row));
            continue;
        }
        cup_print_human_readable(number, cup_task_value(row, shown[i].column), shown[i].unit);
        mark_partly(number, &shown[i], row);
        print_cell(table, i, (struct cup_text){number, strlen(number)});
    }
}

static void print_hidden(const struct task_table *table)
{
    const char *before = "Columns hidden at this width: ";
    for (int i = 0; i < SHOWN_COUNT; i++)
        if (table->widths[i] == 0) {
            cup_print(&table->terminal, CUP_DIM, "%s%s", before, shown[i].heading);
            before = ", ";
        }
    if (*before == ',')
        putc('\n', table->terminal.out);
}

static void print_partly(const struct task_table *table, const struct cup_profile *profile)
{
    if (!table->partly)
        return;
    cup_print(&table->terminal, CUP_WARN, "> the task may have read more; mostly: %s",
              cup_unattributed_text(profile, table->partly));
    putc('\n', table->terminal.out);
}

int cup_print_task_table(const struct cup_profile *profile, const struct cup_task_view *view,
                         const struct cup_output *output)
{
    struct task_table table = {0};
    cup_terminal_open(&table.terminal, output);
    for (int i = 0; i < SHOWN_COUNT; i++)
        table.widths[i] =
            shown[i].unit == CUP_UNIT_NONE ? (unsigned)strlen(shown[i].heading) : shown[i].width;
    if (cup_each_task(profile, view, output, measure_row, &table) != 0)
        return -1;
    fit_columns(&table);
    print_heading(&table);
    int result = cup_each_task(profile, view, output, print_row, &table);
    print_hidden(&table);
    print_partly(&table, profile);
    return result;
}
