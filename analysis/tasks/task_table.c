#include "analysis/tasks/task_table.h"

#include <string.h>

#include "analysis/base/units.h"
#include "analysis/tasks/task_columns.h"
#include "analysis/write/terminal.h"

/* The columns of task_columns.c that are shown, in order. The key takes the rest of the line. */
static const struct shown {
    const char *column, *heading;
    enum cup_unit unit;
    unsigned width;
} shown[] = {
    {"status", "status", CUP_UNIT_NONE, 10},         {"wall_s", "time", CUP_UNIT_SECONDS, 10},
    {"cpu_s", "cpu", CUP_UNIT_SECONDS, 10},          {"read_bytes", "read", CUP_UNIT_BYTES, 8},
    {"alloc_bytes", "allocated", CUP_UNIT_BYTES, 9}, {"events", "events", CUP_UNIT_COUNT, 9},
};
enum { SHOWN_COUNT = sizeof shown / sizeof *shown, LEAST_KEY = 12 };

static const struct cup_task_column *find_column(const char *name)
{
    size_t i = 0;
    while (strcmp(cup_task_columns[i].name, name) != 0)
        i++;
    return &cup_task_columns[i];
}

static unsigned key_width(const struct cup_terminal *terminal)
{
    unsigned taken = 0;
    for (int i = 0; i < SHOWN_COUNT; i++)
        taken += shown[i].width + 1;
    return terminal->width > taken + LEAST_KEY ? terminal->width - taken : LEAST_KEY;
}

static void print_heading(const struct cup_terminal *terminal)
{
    for (int i = 0; i < SHOWN_COUNT; i++)
        cup_print(terminal, CUP_BOLD, shown[i].unit == CUP_UNIT_NONE ? "%-*s " : "%*s ",
                  (int)shown[i].width, shown[i].heading);
    cup_print(terminal, CUP_BOLD, "key\n");
}

static void print_cell(const struct cup_terminal *terminal, const struct shown *cell,
                       struct cup_value value)
{
    char number[CUP_HUMAN_READABLE_ROOM];
    struct cup_text text = value.text;
    if (value.kind != CUP_VALUE_TEXT) {
        cup_print_human_readable(number, value, cell->unit);
        text = (struct cup_text){number, strlen(number)};
    }
    cup_print_fit(terminal, text, cell->width,
                  cell->unit == CUP_UNIT_NONE ? CUP_FIT_LEFT : CUP_FIT_RIGHT);
    putc(' ', terminal->out);
}

static void print_row(const struct cup_terminal *terminal, const struct cup_task_row *row)
{
    for (int i = 0; i < SHOWN_COUNT; i++) {
        const struct cup_task_column *column = find_column(shown[i].column);
        print_cell(terminal, &shown[i], column->get(row, column->argument));
    }
    struct cup_text key = row->key.bytes ? row->key : (struct cup_text){"?", 1};
    cup_print_fit(terminal, key, key_width(terminal), CUP_FIT_NONE);
    putc('\n', terminal->out);
}

int cup_print_task_table(const struct cup_profile *profile, const struct cup_output *output)
{
    struct cup_terminal terminal;
    struct cup_key_reader keys;
    cup_terminal_open(&terminal, output->file);
    cup_key_reader_open(&keys, profile);
    print_heading(&terminal);
    for (size_t i = 0; i < profile->task_count && !cup_output_failed(output); i++) {
        const struct cup_task *task = &profile->tasks[i];
        print_row(&terminal, &(struct cup_task_row){profile, task, cup_key_read(&keys, task), 0});
    }
    cup_key_reader_close(&keys);
    return 0;
}
