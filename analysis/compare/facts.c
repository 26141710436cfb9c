#include <stdio.h>
#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/compare/figures.h"

static bool is_recorded(const struct cup_fact_list *list, const struct cup_recorded_fact *one)
{
    for (size_t i = 0; i < list->count; i++)
        if (list->recorded[i].worker == one->worker &&
            strcmp(list->recorded[i].name, one->name) == 0 &&
            strcmp(list->recorded[i].value, one->value) == 0)
            return true;
    return false;
}

void cup_fact_list_add(struct cup_fact_list *list, bool worker, const char *name,
                       struct cup_text value)
{
    if (!*name || strcmp(name, "command") == 0 || value.length == 0)
        return;
    const struct cup_recorded_fact one = {
        .name = cup_figures_keep_string(list->figures, name),
        .value = cup_figures_keep(list->figures, value.bytes, value.length),
        .worker = worker,
    };
    if (is_recorded(list, &one))
        return;
    if (cup_array_grow(&list->recorded, &list->room, list->count, sizeof *list->recorded) != 0)
        list->figures->short_of_memory = true;
    else
        list->recorded[list->count++] = one;
}

static int in_order(const void *left, const void *right)
{
    const struct cup_recorded_fact *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    if (order == 0)
        order = (int)b->worker - (int)a->worker;
    return order ? order : strcmp(a->value, b->value);
}

void cup_fact_list_finish(struct cup_fact_list *list)
{
    if (list->count)
        qsort(list->recorded, list->count, sizeof *list->recorded, in_order);
    for (size_t i = 0, next; i < list->count; i = next) {
        const struct cup_recorded_fact *first = &list->recorded[i];
        char joined[300] = "";
        size_t length = 0;
        for (next = i; next < list->count && strcmp(list->recorded[next].name, first->name) == 0;
             next++)
            if (list->recorded[next].worker == first->worker && length < sizeof joined)
                length += (size_t)snprintf(joined + length, sizeof joined - length, "%s%s",
                                           length ? " + " : "", list->recorded[next].value);
        cup_figures_add_fact(list->figures, first->name, joined);
    }
    free(list->recorded);
    *list = (struct cup_fact_list){0};
}
