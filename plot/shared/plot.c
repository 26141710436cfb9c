#include "plot/shared/plot.h"

#include <stdarg.h>
#include <string.h>

#include "analysis/base/units.h"

const struct cup_plot *cup_plot_find(const struct cup_plot_table *table, const char *name)
{
    for (size_t i = 0; i < table->count; i++)
        if (strcmp(table->rows[i].name, name) == 0)
            return &table->rows[i];
    return NULL;
}

int cup_plot_make(const struct cup_plot *plot, struct cup_plot_input *input, const void **data,
                  struct cup_error *error)
{
    input->reason[0] = input->caption[0] = '\0';
    *data = plot->make(input);
    if (*data)
        return 0;
    return input->reason[0] ? 1 : cup_error_memory(error, plot->name);
}

const void *cup_plot_unavailable(struct cup_plot_input *input, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(input->reason, sizeof input->reason, format, arguments);
    va_end(arguments);
    return NULL;
}

void cup_plot_set_caption(struct cup_plot_input *input, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(input->caption, sizeof input->caption, format, arguments);
    va_end(arguments);
}

char *cup_count_text(char to[64], uint64_t count, const char *what)
{
    char number[CUP_HUMAN_READABLE_ROOM];
    snprintf(to, 64, "%.30s %.24s%s",
             cup_print_human_readable(number, cup_count(count), CUP_UNIT_COUNT), what,
             count == 1 ? "" : "s");
    return to;
}
