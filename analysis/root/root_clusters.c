#include "analysis/root/root_clusters.h"

#include <stdlib.h>
#include <string.h>

static uint64_t entry_at(const unsigned char *entries, unsigned width, uint64_t index)
{
    uint64_t entry = 0;
    for (unsigned i = 0; i < width; i++)
        entry = entry << 8 | entries[index * width + i];
    return entry;
}

static int copy_borders(struct cup_root_tree *tree, const unsigned char *entries, unsigned width,
                        uint64_t count)
{
    tree->borders = malloc((size_t)count * sizeof *tree->borders);
    if (!tree->borders)
        return -1;
    for (uint64_t i = 0; i < count; i++) {
        uint64_t entry = entry_at(entries, width, i), kept = tree->border_count;
        if (kept == 0 || entry > tree->borders[kept - 1])
            tree->borders[tree->border_count++] = entry;
    }
    return 0;
}

/* Both lists are sorted in a sound file. If damaged ones are not, some borders are missed. */
int cup_root_borders_intersect(struct cup_root_tree *tree, const unsigned char *entries,
                               unsigned width, uint64_t count)
{
    if (!tree->borders)
        return copy_borders(tree, entries, width, count);
    size_t kept = 0;
    uint64_t at = 0;
    for (size_t i = 0; i < tree->border_count; i++) {
        while (at < count && entry_at(entries, width, at) < tree->borders[i])
            at++;
        if (at < count && entry_at(entries, width, at) == tree->borders[i])
            tree->borders[kept++] = tree->borders[i];
    }
    tree->border_count = kept;
    return 0;
}

static int by_number(const void *left, const void *right)
{
    uint64_t a = *(const uint64_t *)left, b = *(const uint64_t *)right;
    return (a > b) - (a < b);
}

/* Returns the most frequent of sorted values; of several that are equally frequent, the largest. */
static uint64_t most_frequent(const uint64_t *values, size_t count)
{
    size_t longest = 0, first = 0;
    uint64_t most = 0;
    for (size_t i = 0; i < count; i++) {
        if (values[i] != values[first])
            first = i;
        if (i - first + 1 >= longest) {
            longest = i - first + 1;
            most = values[i];
        }
    }
    return most;
}

int cup_root_clusters_measure(struct cup_root_tree *tree)
{
    if (tree->border_count < 2)
        return 0;
    size_t count =
        tree->border_count - 1; /* the last cluster may be shorter, so it does not count */
    uint64_t *sizes = malloc(count * sizeof *sizes);
    if (!sizes)
        return -1;
    for (size_t i = 0; i < count; i++)
        sizes[i] = tree->borders[i + 1] - tree->borders[i];
    qsort(sizes, count, sizeof *sizes, by_number);
    tree->cluster_entries = most_frequent(sizes, count);
    free(sizes);
    return 0;
}

uint64_t cup_root_cluster_start(const struct cup_root_tree *tree, uint64_t entry)
{
    size_t low = 0, high = tree->border_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (tree->borders[middle] <= entry)
            low = middle + 1;
        else
            high = middle;
    }
    return low ? tree->borders[low - 1] : 0;
}
