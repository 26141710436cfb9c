#include "analysis/write/html.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#include "analysis/base/utf8.h"

static const char *entity(uint32_t code)
{
    switch (code) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    case '\'':
        return "&#39;";
    default:
        return NULL;
    }
}

static bool is_odd(uint32_t code)
{
    bool turns = (code >= 0x202A && code <= 0x202E) || (code >= 0x2066 && code <= 0x2069);
    bool none =
        code == CUP_UTF8_BAD || (code & 0xFFFE) == 0xFFFE; /* HTML does not allow this character */
    return cup_utf8_is_control(code) || turns || none;
}

void cup_html_text(FILE *out, struct cup_text text)
{
    const char *end = text.bytes + text.length;
    for (const char *at = text.bytes; at < end;) {
        uint32_t code;
        size_t length = cup_utf8_next(at, end, &code);
        const char *name = entity(code);
        if (name)
            fputs(name, out);
        else if (is_odd(code))
            fputs(CUP_UTF8_BAD_BYTES, out);
        else
            fwrite(at, 1, length, out);
        at += length;
    }
}

void cup_html_string(FILE *out, const char *string)
{
    cup_html_text(out, (struct cup_text){string, strlen(string)});
}

char *cup_html_target(char to[CUP_HTML_TARGET], const char *heading)
{
    size_t length = (size_t)snprintf(to, CUP_HTML_TARGET, "table");
    bool gap = true;
    for (; *heading && length + 2 < CUP_HTML_TARGET; heading++) {
        if (!isalnum((unsigned char)*heading)) {
            gap = true;
            continue;
        }
        if (gap)
            to[length++] = '-';
        to[length++] = (char)tolower((unsigned char)*heading);
        gap = false;
    }
    to[length] = '\0';
    return to;
}

void cup_html_prose(FILE *out, const char *text)
{
    for (bool code = false; *text; code = !code) {
        size_t length = strcspn(text, "`");
        bool closed = code && text[length] == '`';
        if (closed)
            fputs("<code>", out);
        cup_html_text(out, (struct cup_text){text, length});
        if (closed)
            fputs("</code>", out);
        text += length + (text[length] == '`');
    }
}

void cup_html_paragraph(FILE *out, enum cup_style style, const char *text)
{
    static const char *const classes[] = {[CUP_BOLD] = "bold",
                                          [CUP_DIM] = "dim",
                                          [CUP_GOOD] = "good",
                                          [CUP_WARN] = "warn",
                                          [CUP_BAD] = "bad"};
    if (!*text)
        return;
    if (style <= CUP_BAD && classes[style])
        fprintf(out, "<p class=\"%s\">", classes[style]);
    else
        fputs("<p>", out);
    cup_html_prose(out, text);
    fputs("</p>\n", out);
}

/* ---- sections ----------------------------------------------------------------------------- */

static void put_link(FILE *contents, const char *target, const char *text)
{
    fprintf(contents, "<li><a href=\"#%s\">", target);
    cup_html_string(contents, text);
    fputs("</a></li>\n", contents);
}

void cup_html_section(const struct cup_terminal *terminal, const char *heading, const char *detail)
{
    struct cup_html *html = terminal->html;
    FILE *out = terminal->out;
    char target[CUP_HTML_TARGET];
    cup_html_section_end(terminal);
    snprintf(html->label, sizeof html->label, "%s", heading);
    fprintf(out, "<section id=\"%s\">\n<h3>", cup_html_target(target, heading));
    cup_html_string(out, heading);
    fprintf(out, " <a class=\"here\" href=\"#%s\" aria-label=\"Link to this table\">#</a></h3>\n",
            target);
    if (html->contents)
        put_link(html->contents, target, heading);
    cup_html_paragraph(out, CUP_DIM, detail);
    html->open = true;
}

void cup_html_section_end(const struct cup_terminal *terminal)
{
    if (terminal->html->open)
        fputs("</section>\n", terminal->out);
    terminal->html->open = false;
}

/* ---- tables ------------------------------------------------------------------------------- */

/* The unit of a cell's number in CSV; "": it has none. */
static const char *unit_of(const struct cup_table_cell *cell)
{
    return isfinite(cell->number) && !cell->is_text ? cell->unit : "";
}

/* The unit of all numbers of a column; NULL: they have different ones, or there is no heading that
 * could name it. */
static const char *find_unit(const struct cup_table *table, unsigned column)
{
    const char *unit = NULL;
    for (size_t i = column; i < table->cell_count; i += table->column_count) {
        const struct cup_table_cell *cell = &table->cells[i];
        if (!isfinite(cell->number) || cell->is_text)
            continue;
        if (unit && strcmp(unit, unit_of(cell)) != 0)
            return NULL;
        unit = unit_of(cell);
    }
    return !unit || !*unit ? "" : *table->columns[column].heading ? unit : NULL;
}

static void write_unit(FILE *out, const char *unit)
{
    if (unit && *unit)
        fprintf(out, " data-unit=\"%s\"", unit);
}

static void write_headings(FILE *out, const struct cup_table *table)
{
    fputs("<thead><tr>", out);
    for (unsigned i = 0; i < table->column_count; i++) {
        const struct cup_column *column = &table->columns[i];
        const char *class = column->fit == CUP_FIT_RIGHT ? " class=\"n\"" : "";
        if (!*column->heading) { /* no heading: <td>, because a <th> must have a text */
            fputs("<td></td>", out);
            continue;
        }
        fprintf(out, "<th scope=\"col\"%s", class);
        write_unit(out, find_unit(table, i));
        putc('>', out);
        cup_html_string(out, column->heading);
        fputs("</th>", out);
    }
    fputs("</tr></thead>\n", out);
}

/* For sorting and, as data-n, for CSV: it reads back as the same number. */
static void write_number(FILE *out, const char *name, double number)
{
    char text[CUP_NUMBER_ROOM];
    bool whole = number == floor(number) && fabs(number) < 9e15;
    if (whole)
        fprintf(out, " %s=\"%.0f\"", name, number);
    else
        fprintf(out, " %s=\"%.*s\"", name, (int)cup_print_number(text, cup_real(number)), text);
}

/* The first cell names the row, where it is a text. HAS_UNIT: its unit is not in the heading. */
static void write_cell(FILE *out, const struct cup_column *column,
                       const struct cup_table_cell *cell, bool first, bool has_unit)
{
    bool names = first && column->fit != CUP_FIT_RIGHT;
    fputs(names ? "<th scope=\"row\"" : "<td", out);
    if (column->fit == CUP_FIT_RIGHT)
        fputs(" class=\"n\"", out);
    if (column->fit == CUP_FIT_CODE)
        fputs(" class=\"code\"", out);
    if (isfinite(cell->number))
        write_number(out, cell->is_text ? "data-sort" : "data-n", cell->number);
    if (has_unit)
        write_unit(out, unit_of(cell));
    putc('>', out);
    cup_html_string(out, cell->text ? cell->text : "");
    fputs(names ? "</th>" : "</td>", out);
}

/* A long table has a scroll bar of its own; a tabindex makes it reachable by keyboard. */
static void begin_scroll(FILE *out, size_t rows, const char *label)
{
    fputs("<div class=\"scroll\"", out);
    if (rows > 15) {
        fputs(" tabindex=\"0\" role=\"group\" aria-label=\"", out);
        cup_html_string(out, label);
        putc('"', out);
    }
    putc('>', out);
}

void cup_html_table(FILE *out, const struct cup_table *table, const char *label)
{
    begin_scroll(out, table->cell_count / table->column_count, label);
    fputs("<table><caption>", out);
    cup_html_string(out, label);
    fputs("</caption>\n", out);
    if (cup_table_has_headings(table, NULL))
        write_headings(out, table);
    bool has_unit[CUP_TABLE_COLUMNS];
    for (unsigned i = 0; i < table->column_count; i++)
        has_unit[i] = find_unit(table, i) == NULL;
    fputs("<tbody>\n", out);
    for (size_t i = 0; i < table->cell_count; i++) {
        unsigned column = (unsigned)(i % table->column_count);
        if (column == 0)
            fputs("<tr>", out);
        write_cell(out, &table->columns[column], &table->cells[i], column == 0, has_unit[column]);
        if (column + 1 == table->column_count)
            fputs("</tr>\n", out);
    }
    fputs("</tbody></table></div>\n", out);
}
