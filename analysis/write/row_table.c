#define _POSIX_C_SOURCE 200809L

#include "analysis/write/row_table.h"

#include <stdlib.h>

void cup_row_table_start(struct cup_row_table *table, FILE *out)
{
    *table = (struct cup_row_table){.out = out, .csv = {.out = out}};
}

static bool in_row(const struct cup_row_table *table)
{
    return table->rows_depth && table->depth == table->rows_depth + 1;
}

/* Names come before values, yet both come in pairs: the first row's values wait. */
static void begin_row(struct cup_row_table *table)
{
    if (table->named || table->failed)
        return;
    table->first = open_memstream(&table->text, &table->bytes);
    table->failed = !table->first;
}

static void end_first_row(struct cup_row_table *table)
{
    cup_csv_end_line(&table->csv);
    table->failed |= fclose(table->first) != 0;
    if (!table->failed && !table->only_names) {
        fwrite(table->text, 1, table->bytes, table->out);
        fputs("\r\n", table->out);
    }
    free(table->text);
    table->first = NULL;
    table->text = NULL;
    table->named = true;
}

static void end_row(struct cup_row_table *table)
{
    if (table->first)
        end_first_row(table);
    else if (!table->only_names)
        cup_csv_end_line(&table->csv);
}

void cup_row_table_open(struct cup_row_table *table, const char *name, bool is_array)
{
    bool begins = table->rows_depth && table->depth == table->rows_depth;
    table->depth++;
    if (begins)
        begin_row(table);
    else if (is_array && table->depth == 3 && name && strcmp(name, "rows") == 0)
        table->rows_depth = table->depth;
}

void cup_row_table_close(struct cup_row_table *table)
{
    if (in_row(table))
        end_row(table);
    if (table->depth == table->rows_depth)
        table->rows_depth = 0;
    table->depth--;
}

void cup_row_table_value(struct cup_row_table *table, const char *name, struct cup_value value)
{
    if (!in_row(table) || table->failed)
        return;
    if (table->first) {
        struct cup_csv values = {.out = table->first, .in_line = table->csv.in_line};
        cup_csv_value(&values, value);
        cup_csv_value(&table->csv, cup_string(name));
    } else if (!table->only_names) {
        cup_csv_value(&table->csv, value);
    }
}
