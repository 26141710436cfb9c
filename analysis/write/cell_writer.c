/* As in json_writer.c, only one thread writes to the file, and nothing locks it. */
#include "analysis/write/cell_writer.h"

#include "analysis/base/utf8.h"
#include "analysis/write/column_writer.h"

#include <string.h>

/* A spreadsheet would run such a text as a formula: names of tasks and files come from anywhere. An
 * apostrophe in front makes it a text there. */
static bool is_formula(struct cup_text text)
{
    if (text.length == 0 || !strchr("=+-@\t\r", text.bytes[0]))
        return false;
    bool is_list_item = text.bytes[0] == '-' && text.length > 1 && text.bytes[1] == ' ';
    return text.length > 1 && text.bytes[1] != ';' && !is_list_item;
}

static bool needs_quotes(struct cup_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] == ',' || text.bytes[i] == '"' || text.bytes[i] == '\n' ||
            text.bytes[i] == '\r')
            return true;
    return text.length == 0; /* an empty text is quoted: an empty field means null */
}

/* A cell may have line ends and tabs. A terminal that shows the file could execute other control
 * characters, such as a carriage return without a line feed. */
static bool is_replaced(uint32_t code, const char *next, const char *end)
{
    if (code == '\r')
        return next == end || *next != '\n';
    return cup_utf8_is_control(code) && code != '\n' && code != '\t';
}

static void write_text(FILE *out, struct cup_text text)
{
    const char *end = text.bytes + text.length;
    for (const char *at = text.bytes; at < end;) {
        uint32_t code;
        size_t length = cup_utf8_next(at, end, &code);
        if (code == '"')
            fputs_unlocked("\"\"", out);
        else if (code == CUP_UTF8_BAD || is_replaced(code, at + length, end))
            fputs_unlocked(CUP_UTF8_BAD_BYTES, out);
        else
            fwrite_unlocked(at, 1, length, out);
        at += length;
    }
}

void cup_put_cell(struct cup_cells *cells, struct cup_value value)
{
    if (cells->columns) {
        cup_columns_put(cells->columns, value);
        return;
    }
    char number[CUP_NUMBER_ROOM];
    if (cells->in_line)
        putc_unlocked(',', cells->out);
    cells->in_line = true;
    if (value.kind != CUP_VALUE_TEXT) {
        fwrite_unlocked(number, 1, cup_print_number(number, value), cells->out);
        return;
    }
    bool quotes = needs_quotes(value.text);
    if (quotes)
        putc_unlocked('"', cells->out);
    if (is_formula(value.text))
        putc_unlocked('\'', cells->out);
    write_text(cells->out, value.text);
    if (quotes)
        putc_unlocked('"', cells->out);
}

void cup_end_row(struct cup_cells *cells)
{
    if (cells->columns) {
        cup_columns_end_row(cells->columns);
        return;
    }
    fputs_unlocked("\r\n", cells->out);
    cells->in_line = false;
}
