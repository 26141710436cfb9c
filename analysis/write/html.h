/* Writes HTML. Texts of the profiled program may be any bytes: they are escaped, so that they never
 * act as markup. Also tables and paragraphs of the report in a page. */
#pragma once

#include "analysis/write/table.h"

enum { CUP_HTML_LINE = 1024 };

/* Writes escaped text, for elements and for attributes in double quotes. The output is always valid
 * UTF-8: control characters, and those that change the direction of text, become U+FFFD. */
void cup_html_text(FILE *out, struct cup_text text);
void cup_html_string(FILE *out, const char *string);

/* As cup_html_string(); text between `backticks` becomes <code>. */
void cup_html_prose(FILE *out, const char *text);

/* The id of a section by its heading: "table-tasks-by-prefix". Returns `to`. */
enum { CUP_HTML_TARGET = 120 };
char *cup_html_target(char to[CUP_HTML_TARGET], const char *heading);

/* Writes a paragraph; nothing if the text is empty. */
void cup_html_paragraph(FILE *out, enum cup_style style, const char *text);

/* Ends the previous section and begins one with this heading. The terminal must be HTML. `detail`
 * is a paragraph below the heading, or "". */
void cup_html_section(const struct cup_terminal *terminal, const char *heading, const char *detail);
void cup_html_section_end(const struct cup_terminal *terminal);

/* Writes the table with all its columns. Number cells have their value as an attribute, by which a
 * script sorts. `label` is the caption for screen readers. */
void cup_html_table(FILE *out, const struct cup_table *table, const char *label);
