#define _POSIX_C_SOURCE 200809L

#include "analysis/write/table.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/write/html.h"

enum {
    INDENT = 2,
    GAP = 2,
    READABLE_TEXT = 26, /* texts keep at least this width while a column can still be hidden */
    LEAST_TEXT = 12,
};

void cup_table_start(struct cup_table *table, const struct cup_column *columns, unsigned count)
{
    *table = (struct cup_table){.columns = columns, .column_count = count};
}

static void append_cell(struct cup_table *table, struct cup_text text, double number,
                        const char *unit)
{
    if (cup_array_grow(&table->cells, &table->cell_room, table->cell_count, sizeof *table->cells) !=
        0)
        return;
    char *cell = malloc(text.length + 1);
    if (cell) {
        memcpy(cell, text.bytes ? text.bytes : "", text.length);
        cell[text.length] = '\0';
    }
    table->cells[table->cell_count++] =
        (struct cup_table_cell){.text = cell, .number = number, .unit = unit};
}

void cup_table_add(struct cup_table *table, struct cup_text text)
{
    append_cell(table, text, NAN, "");
}

void cup_table_add_string(struct cup_table *table, const char *string)
{
    cup_table_add(table, (struct cup_text){string, strlen(string)});
}

void cup_table_add_sorted(struct cup_table *table, const char *text, double number)
{
    cup_table_add_number(table, text, number, CUP_UNIT_NONE);
    if (table->cell_count > 0)
        table->cells[table->cell_count - 1].is_text = true;
}

void cup_table_add_below(struct cup_table *table, const char *string)
{
    if (*string && table->cell_count > 0)
        table->cells[table->cell_count - 1].below = strdup(string);
}

void cup_table_add_number(struct cup_table *table, const char *text, double number,
                          enum cup_unit unit)
{
    append_cell(table, (struct cup_text){text, strlen(text)}, number, cup_unit_name(unit));
}

void cup_table_add_value(struct cup_table *table, struct cup_value value, enum cup_unit unit)
{
    char text[CUP_HUMAN_READABLE_ROOM];
    if (value.kind == CUP_VALUE_TEXT) {
        cup_table_add(table, value.text);
        return;
    }
    cup_print_human_readable(text, value, unit);
    if (value.kind == CUP_VALUE_TIME)
        cup_table_add_sorted(table, text, cup_number(value));
    else
        cup_table_add_number(table, text, cup_number(value), unit);
}

static struct cup_text cell_text(const struct cup_table *table, size_t cell)
{
    const char *text = cell < table->cell_count ? table->cells[cell].text : NULL;
    const char *string = text ? text : "";
    return (struct cup_text){string, strlen(string)};
}

/* The text of a column: in the headings (row 0) or in a row from 1 on. */
static struct cup_text text_at(const struct cup_table *table, size_t row, unsigned column)
{
    if (row > 0)
        return cell_text(table, (row - 1) * table->column_count + column);
    const char *heading = table->columns[column].heading;
    return (struct cup_text){heading, strlen(heading)};
}

static unsigned natural_width(const struct cup_table *table, unsigned column)
{
    unsigned width = cup_text_columns(text_at(table, 0, column));
    for (size_t cell = column; cell < table->cell_count; cell += table->column_count) {
        unsigned columns = cup_text_columns(cell_text(table, cell));
        if (columns > width)
            width = columns;
    }
    return width;
}

/* Width of all columns that are shown (width not 0), with the spaces between them. */
static unsigned whole_width(const struct cup_table *table, const unsigned *widths)
{
    unsigned sum = INDENT;
    for (unsigned i = 0; i < table->column_count; i++)
        sum += widths[i] ? widths[i] + GAP : 0;
    return sum - GAP;
}

/* Makes the widest text column narrower by one character, down to `least`. Returns false if none is
 * wider. */
static bool shorten_text(const struct cup_table *table, unsigned *widths, unsigned least)
{
    unsigned widest = table->column_count;
    for (unsigned i = 0; i < table->column_count; i++)
        if (table->columns[i].fit == CUP_FIT_LEFT && widths[i] > least &&
            (widest == table->column_count || widths[i] > widths[widest]))
            widest = i;
    if (widest == table->column_count)
        return false;
    widths[widest]--;
    return true;
}

/* Hides the column with the highest rank. Returns false if all remaining columns must be shown. */
static bool hide_column(const struct cup_table *table, unsigned *widths)
{
    unsigned least = table->column_count;
    for (unsigned i = 0; i < table->column_count; i++)
        if (widths[i] && table->columns[i].rank > 0 &&
            (least == table->column_count || table->columns[i].rank > table->columns[least].rank))
            least = i;
    if (least == table->column_count)
        return false;
    widths[least] = 0;
    return true;
}

static void fit_widths(const struct cup_table *table, unsigned screen, unsigned *widths)
{
    for (unsigned i = 0; i < table->column_count; i++)
        widths[i] = natural_width(table, i);
    while (whole_width(table, widths) > screen)
        if (!shorten_text(table, widths, READABLE_TEXT) && !hide_column(table, widths) &&
            !shorten_text(table, widths, LEAST_TEXT))
            break;
}

bool cup_table_has_headings(const struct cup_table *table, const unsigned *widths)
{
    for (unsigned i = 0; i < table->column_count; i++)
        if ((!widths || widths[i]) && *table->columns[i].heading)
            return true;
    return false;
}

/* The widths of a row whose last text is followed by no spaces. */
static void trim_row(const struct cup_table *table, const unsigned *widths, size_t row,
                     unsigned *trimmed)
{
    unsigned last = table->column_count;
    memcpy(trimmed, widths, table->column_count * sizeof *widths);
    while (last > 0 && (!widths[last - 1] || text_at(table, row, last - 1).length == 0))
        trimmed[--last] = 0;
    if (last == 0 || table->columns[last - 1].fit != CUP_FIT_LEFT)
        return;
    unsigned columns = cup_text_columns(text_at(table, row, last - 1));
    if (columns < trimmed[last - 1])
        trimmed[last - 1] = columns;
}

static void print_heading(const struct cup_table *table, const struct cup_terminal *terminal,
                          unsigned column, unsigned width)
{
    char *padded = NULL;
    size_t bytes;
    struct cup_terminal to = *terminal;
    if (!(to.out = open_memstream(&padded, &bytes)))
        return;
    cup_print_fit(&to, text_at(table, 0, column), width, table->columns[column].fit);
    if (fclose(to.out) == 0)
        cup_print(terminal, CUP_DIM, "%s", padded);
    free(padded);
}

static void print_headings(const struct cup_table *table, const struct cup_terminal *terminal,
                           const unsigned *widths)
{
    unsigned trimmed[CUP_TABLE_COLUMNS];
    const char *gap = "  ";
    if (!cup_table_has_headings(table, widths))
        return;
    trim_row(table, widths, 0, trimmed);
    for (unsigned i = 0; i < table->column_count; i++) {
        if (!trimmed[i])
            continue;
        fputs(gap, terminal->out);
        print_heading(table, terminal, i, trimmed[i]);
    }
    putc('\n', terminal->out);
}

static void print_below(const struct cup_terminal *terminal, const char *below)
{
    struct cup_text text = {below, strlen(below)};
    fputs("      ", terminal->out);
    cup_print_fit(terminal, text, terminal->width - 6, CUP_FIT_NONE);
    putc('\n', terminal->out);
}

static void print_rows(const struct cup_table *table, const struct cup_terminal *terminal,
                       const unsigned *widths)
{
    unsigned trimmed[CUP_TABLE_COLUMNS];
    for (size_t cell = 0; cell < table->cell_count; cell++) {
        unsigned column = (unsigned)(cell % table->column_count);
        if (column == 0)
            trim_row(table, widths, cell / table->column_count + 1, trimmed);
        if (trimmed[column]) {
            fputs("  ", terminal->out);
            cup_print_fit(terminal, cell_text(table, cell), trimmed[column],
                          table->columns[column].fit);
        }
        if (column + 1 == table->column_count)
            putc('\n', terminal->out);
        if (table->cells[cell].below)
            print_below(terminal, table->cells[cell].below);
    }
}

static void print_hidden(const struct cup_table *table, const struct cup_terminal *terminal,
                         const unsigned *widths)
{
    char line[300] = "Columns hidden at this width: ";
    size_t length = strlen(line), before = length;
    for (unsigned i = 0; i < table->column_count && length < sizeof line; i++)
        if (!widths[i])
            length += (size_t)snprintf(line + length, sizeof line - length, "%s%s",
                                       length > before ? ", " : "", table->columns[i].heading);
    if (length > before)
        cup_print_wrapped(terminal, CUP_DIM, 2, line);
}

void cup_table_finish(struct cup_table *table, const struct cup_terminal *terminal)
{
    unsigned widths[CUP_TABLE_COLUMNS];
    if (table->cell_count > 0 && terminal->html) {
        cup_html_table(terminal->out, table, terminal->html->label);
    } else if (table->cell_count > 0) {
        fit_widths(table, terminal->width, widths);
        print_headings(table, terminal, widths);
        print_rows(table, terminal, widths);
        if (table->names_hidden)
            print_hidden(table, terminal, widths);
    }
    cup_table_drop(table);
}

void cup_table_drop(struct cup_table *table)
{
    for (size_t i = 0; i < table->cell_count; i++) {
        free(table->cells[i].text);
        free(table->cells[i].below);
    }
    free(table->cells);
    *table = (struct cup_table){0};
}

/* ---- footnotes ---------------------------------------------------------------------------- */

/* From 1 on. */
static size_t number_of(struct cup_footnotes *footnotes, const char *text)
{
    for (size_t i = 0; i < footnotes->count; i++)
        if (strcmp(footnotes->texts[i], text) == 0)
            return i + 1;
    if (footnotes->count < CUP_FOOTNOTES_MOST)
        footnotes->texts[footnotes->count++] = text;
    return footnotes->count;
}

void cup_table_add_missing(struct cup_table *table, struct cup_footnotes *footnotes,
                           const char *reason)
{
    char text[32];
    snprintf(text, sizeof text, "n/a [%zu]", number_of(footnotes, reason));
    cup_table_add_string(table, text);
}

void cup_footnotes_print(const struct cup_footnotes *footnotes, const struct cup_terminal *terminal)
{
    for (size_t i = 0; i < footnotes->count; i++) {
        char line[400];
        snprintf(line, sizeof line, "[%zu] %s", i + 1, footnotes->texts[i]);
        cup_print_wrapped(terminal, CUP_DIM, 2, line);
    }
}
