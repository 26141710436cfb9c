#include "analysis/tasks/task_rows.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/units.h"
#include "analysis/write/csv_writer.h"
#include "analysis/write/terminal.h"

int cup_each_task(const struct cup_profile *profile, const struct cup_output *output,
                  cup_task_writer write, void *writer)
{
    uint32_t *attempts = cup_task_attempts(profile);
    if (!attempts)
        return -1;
    struct cup_record_reader keys;
    cup_record_reader_open(&keys, profile);
    for (size_t i = 0; i < profile->task_count && !cup_output_failed(output); i++) {
        const struct cup_task *task = &profile->tasks[i];
        write(writer,
              &(struct cup_task_row){profile, task, cup_key_read(&keys, task), attempts[i]});
    }
    cup_record_reader_close(&keys);
    free(attempts);
    return 0;
}

static void csv_row(void *writer, const struct cup_task_row *row)
{
    for (size_t i = 0; i < cup_task_column_count; i++)
        cup_csv_value(writer, cup_task_columns[i].get(row, cup_task_columns[i].argument));
    cup_csv_end_line(writer);
}

int cup_task_rows_csv(const struct cup_profile *profile, const struct cup_output *output)
{
    struct cup_csv csv = {.out = output->file};
    for (size_t i = 0; i < cup_task_column_count; i++)
        cup_csv_value(&csv, cup_string(cup_task_columns[i].name));
    cup_csv_end_line(&csv);
    return cup_each_task(profile, output, csv_row, &csv);
}

/* ---- a table for people ------------------------------------------------------------------ */

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

static void print_row(void *to, const struct cup_task_row *row)
{
    const struct cup_terminal *terminal = to;
    for (int i = 0; i < SHOWN_COUNT; i++)
        print_cell(terminal, &shown[i], cup_task_value(row, shown[i].column));
    struct cup_text key = row->key.bytes ? row->key : (struct cup_text){"?", 1};
    cup_print_fit(terminal, key, key_width(terminal), CUP_FIT_NONE);
    putc('\n', terminal->out);
}

int cup_print_task_table(const struct cup_profile *profile, const struct cup_output *output)
{
    struct cup_terminal terminal;
    cup_terminal_open(&terminal, output->file);
    print_heading(&terminal);
    return cup_each_task(profile, output, print_row, &terminal);
}
