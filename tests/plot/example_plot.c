/* A whole plot, for docs/contributing/add-a-plot.md: how large the results of chunks are. In plot/
 * the struct would lie in plot/tasks/task_plots.h, and the rest in plot/tasks/result_size.c. */
#include "tests/plot/example_plot.h"

#include "plot/figure/marks.h"

/* ---- task_plots.h: the data -------------------------------------------------------------- */

struct result_size {
    struct cup_bins sizes;
};

/* ---- result_size.c: making the data from the run ----------------------------------------- */

const void *cup_data_result_size(struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    const struct cup_profile *profile = totals->profile;
    struct result_size *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    double *sizes = cup_arena_take(input->arena, profile->item_count, sizeof *sizes);
    size_t count = 0;
    if (!plot || !sizes)
        return NULL; /* out of memory: no reason is set */
    for (size_t i = 0; i < profile->item_count; i++) {
        uint64_t bytes = profile->tasks[profile->items[i].task].result_bytes;
        if (totals->outcomes[i] == CUP_OUTCOME_USED && bytes != CUP_UNKNOWN64)
            sizes[count++] = (double)bytes;
    }
    if (count == 0)
        return cup_plot_unavailable(input, "the size of the result is not known for any chunk");
    if (cup_bins_make(&plot->sizes, input->arena, CUP_BINS_EVEN, sizes, count, 40) != 0)
        return NULL;
    char chunks[64];
    cup_plot_set_caption(input, "Results of %s, by Dask's estimate (Dask).",
                         cup_count_text(chunks, count, "chunk"));
    return plot;
}

/* ---- result_size.c: drawing the data ----------------------------------------------------- */

void cup_chart_result_size(struct cup_figure *figure, const void *data)
{
    const struct result_size *plot = data;
    const struct cup_bins *sizes = &plot->sizes;
    figure->x = (struct cup_axis){.name = "size of the result",
                                  .unit = CUP_AXIS_BYTES,
                                  .low = sizes->edges[0],
                                  .high = sizes->edges[sizes->count]};
    figure->y = (struct cup_axis){.name = "chunks", .unit = CUP_AXIS_COUNT, .high = sizes->most};
    cup_figure_open(figure);
    for (size_t i = 0; i < sizes->count; i++)
        cup_mark_column(figure, sizes->edges[i], sizes->edges[i + 1], 0, sizes->counts[i],
                        figure->theme->paints[CUP_PAINT_BLUE]);
    cup_figure_close(figure);
}
