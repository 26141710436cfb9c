#include "analysis/tasks/task_rows.h"

#include <stdlib.h>

#include "analysis/write/csv_writer.h"

int cup_each_task(const struct cup_profile *profile, const struct cup_output *output,
                  cup_task_writer write, void *writer)
{
    uint32_t *attempts = cup_task_attempts(profile);
    if (!attempts)
        return -1;
    struct cup_key_reader keys;
    cup_key_reader_open(&keys, profile);
    for (size_t i = 0; i < profile->task_count && !cup_output_failed(output); i++) {
        const struct cup_task *task = &profile->tasks[i];
        write(writer,
              &(struct cup_task_row){profile, task, cup_key_read(&keys, task), attempts[i]});
    }
    cup_key_reader_close(&keys);
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
