#include <stdlib.h>

#include "analysis/metrics/sums/sums.h"

struct column {
    uint32_t name;
    struct cup_text text;
};

static int by_text(const void *left, const void *right)
{
    const struct column *a = left, *b = right;
    return cup_text_compare(a->text, b->text);
}

/* Marks the sets that used chunks name, then the strings of these sets. */
static void mark_columns(const struct cup_totals *totals, uint8_t *sets, uint8_t *strings)
{
    const struct cup_profile *profile = totals->profile;
    for (size_t i = 0; i < profile->item_count; i++)
        if (totals->outcomes[i] == CUP_OUTCOME_USED)
            sets[cup_source_of(profile, &profile->items[i])->columns] = 1;
    for (size_t i = 0; i < profile->column_set_count; i++)
        for (uint32_t j = 0; sets[i + 1] && j < profile->column_sets[i].count; j++)
            strings[profile->column_names[profile->column_sets[i].first + j]] = 1;
}

static uint32_t *sorted_columns(const struct cup_profile *profile, const uint8_t *strings,
                                size_t *count)
{
    struct column *columns = malloc((profile->strings.count + 1) * sizeof *columns);
    uint32_t *names = malloc((profile->strings.count + 1) * sizeof *names);
    *count = 0;
    for (uint32_t id = 1; columns && id < profile->strings.count; id++)
        if (strings[id])
            columns[(*count)++] = (struct column){id, cup_profile_text(profile, id)};
    if (columns)
        qsort(columns, *count, sizeof *columns, by_text);
    for (size_t i = 0; columns && names && i < *count; i++)
        names[i] = columns[i].name;
    if (!columns) {
        free(names);
        names = NULL;
    }
    free(columns);
    return names;
}

uint32_t *cup_columns_used(const struct cup_totals *totals, size_t *count)
{
    const struct cup_profile *profile = totals->profile;
    uint8_t *sets = calloc(profile->column_set_count + 1, 1);
    uint8_t *strings = calloc(profile->strings.count + 1, 1);
    uint32_t *names = NULL;
    if (sets && strings) {
        mark_columns(totals, sets, strings);
        names = sorted_columns(profile, strings, count);
    }
    free(sets);
    free(strings);
    return names;
}
