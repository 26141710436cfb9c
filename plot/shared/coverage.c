#include "plot/shared/coverage.h"

#include <stdlib.h>

static int by_value(const void *a, const void *b)
{
    uint64_t one = *(const uint64_t *)a, other = *(const uint64_t *)b;
    return (one > other) - (one < other);
}

int cup_coverage_make(struct cup_coverage *coverage, struct cup_arena *arena, uint64_t *edges,
                      size_t count)
{
    size_t kept = 0;
    *coverage = (struct cup_coverage){.edges = edges};
    coverage->free = cup_arena_take(arena, count + 1, sizeof *coverage->free);
    if (!coverage->free)
        return -1;
    qsort(edges, count, sizeof *edges, by_value);
    for (size_t i = 0; i < count; i++)
        if (kept == 0 || edges[i] != edges[kept - 1])
            edges[kept++] = edges[i];
    coverage->count = kept;
    cup_coverage_clear(coverage);
    return 0;
}

void cup_coverage_clear(struct cup_coverage *coverage)
{
    for (size_t i = 0; i <= coverage->count; i++)
        coverage->free[i] = (uint32_t)i;
}

static size_t find_edge(const struct cup_coverage *coverage, uint64_t value)
{
    const uint64_t *edge =
        bsearch(&value, coverage->edges, coverage->count, sizeof value, by_value);
    return (size_t)(edge - coverage->edges);
}

/* Returns the first part from `part` on that is not covered. Lets the parts on the way point
 * further ahead, so that later calls take fewer steps. */
static uint32_t next_free(struct cup_coverage *coverage, uint32_t part)
{
    while (coverage->free[part] != part) {
        coverage->free[part] = coverage->free[coverage->free[part]];
        part = coverage->free[part];
    }
    return part;
}

uint64_t cup_coverage_count(struct cup_coverage *coverage, uint64_t low, uint64_t high, bool cover)
{
    uint64_t fresh = 0;
    size_t end = find_edge(coverage, high);
    for (uint32_t part = next_free(coverage, (uint32_t)find_edge(coverage, low)); part < end;
         part = next_free(coverage, part + 1)) {
        fresh += coverage->edges[part + 1] - coverage->edges[part];
        if (cover)
            coverage->free[part] = part + 1;
    }
    return fresh;
}
