/* HTML: texts of the profiled program, which may be any bytes, as what they are and never as
 * markup; and what tables and paragraphs of the report are in a page. */
#ifndef CUPPING_ANALYSIS_WRITE_HTML_H
#define CUPPING_ANALYSIS_WRITE_HTML_H

#include "analysis/write/table.h"

enum { CUP_HTML_LINE = 1024 };

/* For the inside of elements and of attributes in double quotes: always valid UTF-8. Control
 * characters, and those that would turn the direction of what follows, become U+FFFD. */
void cup_html_text(FILE *out, struct cup_text text);
void cup_html_string(FILE *out, const char *string);

/* As cup_html_string(); text between `backticks` becomes <code>. */
void cup_html_prose(FILE *out, const char *text);

/* The id of a section by its heading: "table-tasks-by-prefix". Returns `to`. */
enum { CUP_HTML_TARGET = 120 };
char *cup_html_target(char to[CUP_HTML_TARGET], const char *heading);

/* In a paragraph of its own; nothing for an empty text. */
void cup_html_paragraph(FILE *out, enum cup_style style, const char *text);

/* Begins a section with this heading, on a terminal that is HTML, and ends the one before; `detail`
 * is a paragraph below it, or "". */
void cup_html_section(const struct cup_terminal *terminal, const char *heading, const char *detail);
void cup_html_section_end(const struct cup_terminal *terminal);

/* All columns of the table; numbers carry their value, so that a script can sort by it. `label` is
 * the caption, for those who do not see where the table stands. */
void cup_html_table(FILE *out, const struct cup_table *table, const char *label);

#endif
