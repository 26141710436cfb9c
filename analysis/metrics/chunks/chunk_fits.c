#include "analysis/metrics/chunks/chunk_fits.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/base/id_map.h"
#include "analysis/metrics/sums/sums.h"
#include "analysis/profile/summed_text.h"

enum { TAKEN_MOST = 32768 };

/* Figures of one used chunk; NAN: not known. */
struct chunk {
    uint32_t dataset; /* index in totals->datasets */
    double events, wall_s, heap, helpers_heap;
};

struct work {
    const struct cup_totals *totals;
    struct cup_id_map datasets; /* index + 1 by name */
    struct chunk *chunks;       /* dataset by dataset */
    size_t count;
    struct cup_fit_point *points; /* room for all chunks, as `distances` */
    double *distances;
};

static struct chunk chunk_of(struct work *work, uint32_t index)
{
    const struct cup_profile *profile = work->totals->profile;
    const struct cup_item *item = &profile->items[index];
    return (struct chunk){
        .dataset = cup_id_map_get(&work->datasets, cup_source_of(profile, item)->dataset + 1) - 1,
        .events = cup_chunk_number(work->totals, index, CUP_STAT_EVENTS),
        .wall_s = cup_chunk_number(work->totals, index, CUP_STAT_WALL),
        .heap = cup_number(cup_count_or_null(cup_item_peak_bytes(item))),
        .helpers_heap = 1024.0 * item->helpers_kib,
    };
}

static int by_dataset(const void *left, const void *right)
{
    const struct chunk *a = left, *b = right;
    return (a->dataset > b->dataset) - (a->dataset < b->dataset);
}

static void take_chunks(struct work *work, uint64_t every)
{
    const struct cup_profile *profile = work->totals->profile;
    uint64_t used = 0;
    for (uint32_t i = 0; i < profile->item_count && !profile->chunks_summed; i++) {
        if (work->totals->outcomes[i] != CUP_OUTCOME_USED || used++ % every != 0)
            continue;
        struct chunk chunk = chunk_of(work, i);
        if (!isnan(chunk.events) && work->count < TAKEN_MOST)
            work->chunks[work->count++] = chunk;
    }
    qsort(work->chunks, work->count, sizeof *work->chunks, by_dataset);
}

static struct cup_line_fit fit_line(struct work *work, size_t first, size_t last, bool heap)
{
    size_t count = 0;
    for (size_t i = first; i < last; i++) {
        const struct chunk *chunk = &work->chunks[i];
        double y = heap ? chunk->heap : chunk->wall_s;
        if (!isnan(y))
            work->points[count++] = (struct cup_fit_point){chunk->events, y};
    }
    struct cup_line_fit result = cup_line_fit_make(work->points, count, work->distances);
    if (work->totals->profile->chunks_summed)
        result.missing = CUP_SUMMED;
    else if (heap && count == 0 && last - first >= CUP_FIT_LEAST)
        result.missing = "no chunk's heap was measured";
    return result;
}

static double share_of_helpers(const struct work *work, size_t first, size_t last)
{
    double all = 0, helpers = 0;
    for (size_t i = first; i < last; i++) {
        all += isnan(work->chunks[i].heap) ? 0 : work->chunks[i].heap;
        helpers += work->chunks[i].helpers_heap;
    }
    return all > 0 ? helpers / all : (double)NAN;
}

static void fit_all(struct cup_chunk_fits *fits, struct work *work)
{
    const struct cup_totals *totals = work->totals;
    size_t first = 0;
    fits->all = (struct cup_chunk_fit){.chunks = totals->used_chunks,
                                       .time = fit_line(work, 0, work->count, false),
                                       .heap = fit_line(work, 0, work->count, true),
                                       .helpers_share = share_of_helpers(work, 0, work->count)};
    for (size_t i = 0; i < fits->count; i++) {
        size_t last = first;
        while (last < work->count && work->chunks[last].dataset == i)
            last++;
        fits->datasets[i] =
            (struct cup_chunk_fit){.dataset = totals->datasets[i].name,
                                   .chunks = totals->datasets[i].chunks,
                                   .time = fit_line(work, first, last, false),
                                   .heap = fit_line(work, first, last, true),
                                   .helpers_share = share_of_helpers(work, first, last)};
        first = last;
    }
}

static int start_work(struct work *work, size_t room)
{
    const struct cup_totals *totals = work->totals;
    work->chunks = malloc((room + 1) * sizeof *work->chunks);
    work->points = malloc((room + 1) * sizeof *work->points);
    work->distances = malloc((room + 1) * sizeof *work->distances);
    int result = work->chunks && work->points && work->distances ? 0 : -1;
    for (uint32_t i = 0; result == 0 && i < totals->dataset_count; i++)
        result = cup_id_map_set(&work->datasets, totals->datasets[i].name + 1, i + 1);
    return result;
}

static void free_work(struct work *work)
{
    cup_id_map_clear(&work->datasets);
    free(work->chunks);
    free(work->points);
    free(work->distances);
}

int cup_chunk_fits_make(struct cup_chunk_fits *fits, const struct cup_totals *totals)
{
    struct work work = {.totals = totals};
    uint64_t every = totals->used_chunks / TAKEN_MOST + 1;
    *fits = (struct cup_chunk_fits){.count = totals->dataset_count, .every = every};
    fits->datasets = calloc(fits->count + 1, sizeof *fits->datasets);
    int result = fits->datasets ? start_work(&work, totals->used_chunks / every + 1) : -1;
    if (result == 0)
        result = cup_memory_growth_make(&fits->growth, totals);
    if (result == 0) {
        take_chunks(&work, every);
        fit_all(fits, &work);
        result = cup_chunk_size_make(fits, totals);
    }
    free_work(&work);
    if (result != 0)
        cup_chunk_fits_free(fits);
    return result;
}

void cup_chunk_fits_free(struct cup_chunk_fits *fits)
{
    free(fits->datasets);
    *fits = (struct cup_chunk_fits){0};
}
