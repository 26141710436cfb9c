#include "analysis/metrics/dask/sections.h"

#include <stdlib.h>

static int by_wall(const void *a, const void *b)
{
    const struct cup_section *one = ((const struct cup_section_shown *)a)->section;
    const struct cup_section *other = ((const struct cup_section_shown *)b)->section;
    uint64_t x = one->values[CUP_V_WALL_NS], y = other->values[CUP_V_WALL_NS];
    return x != y ? (x < y) - (x > y) : (one > other) - (one < other);
}

static bool is_chunk(const struct cup_profile *profile, uint32_t task)
{
    return task && cup_item_is_chunk(cup_task_item(profile, &profile->tasks[task - 1]));
}

/* Counts the tasks of each section. Afterwards [section + 1] is where its times begin in one array
 * for all sections. NULL without memory. */
static size_t *count_rows(const struct cup_profile *profile)
{
    size_t *first = calloc(profile->section_count + 2, sizeof *first);
    if (!first)
        return NULL;
    for (size_t i = 0; i < profile->section_row_count; i++)
        first[profile->section_rows[i].section + 2] += profile->section_rows[i].task != 0;
    for (size_t i = 2; i < profile->section_count + 2; i++)
        first[i] += first[i - 1];
    return first;
}

static int fill_in(struct cup_sections *sections, const struct cup_profile *profile)
{
    size_t *next = count_rows(profile);
    double *walls = malloc((profile->section_row_count + 1) * sizeof *walls);
    for (size_t i = 0; i < profile->section_row_count && next && walls; i++) {
        const struct cup_section_row *row = &profile->section_rows[i];
        if (row->task == 0)
            continue;
        walls[next[row->section + 1]++] = (double)row->wall_ns / 1e9;
        sections->shown[row->section].chunks += is_chunk(profile, row->task);
    }
    for (size_t i = 0; i < sections->count && next && walls; i++)
        sections->shown[i].walls = cup_statistics_of(walls + next[i], next[i + 1] - next[i]);
    bool done = next && walls;
    free(next);
    free(walls);
    return done ? 0 : -1;
}

int cup_sections_make(struct cup_sections *sections, const struct cup_profile *profile)
{
    *sections = (struct cup_sections){.count = profile->section_count};
    sections->shown = calloc(sections->count + 1, sizeof *sections->shown);
    if (!sections->shown)
        return -1;
    for (size_t i = 0; i < sections->count; i++)
        sections->shown[i].section = &profile->sections[i];
    if (fill_in(sections, profile) != 0) {
        cup_sections_free(sections);
        return -1;
    }
    qsort(sections->shown, sections->count, sizeof *sections->shown, by_wall);
    return 0;
}

void cup_sections_free(struct cup_sections *sections)
{
    free(sections->shown);
    sections->shown = NULL;
    sections->count = 0;
}
