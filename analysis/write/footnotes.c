#include "analysis/write/footnotes.h"

#include <stdio.h>
#include <string.h>

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
