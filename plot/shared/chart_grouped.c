#include "plot/figure/marks.h"
#include "plot/shared/grouped.h"

void cup_chunk_groups_key(struct cup_figure *figure, const struct cup_chunk_points *points,
                          enum cup_key_mark mark)
{
    for (size_t i = 0; i < points->group_count; i++) {
        const struct cup_text *name = &points->groups[i].name;
        cup_figure_add_key(figure, name->length ? name->bytes : "no dataset",
                           name->length ? name->length : 10, mark,
                           cup_theme_paint(figure->theme, (unsigned)i));
    }
}

void cup_grouped_draw(struct cup_figure *figure, const struct cup_grouped *grouped)
{
    const double *edges = grouped->bins.edges;
    for (size_t bin = 0; bin < grouped->bins.count; bin++) {
        double low = 0;
        for (size_t i = 0; i < grouped->chunks.group_count; i++) {
            double high = low + grouped->counts[i][bin];
            if (high > low)
                cup_mark_column(figure, edges[bin], edges[bin + 1], low, high,
                                cup_theme_paint(figure->theme, (unsigned)i));
            low = high;
        }
    }
}
