#include "plot/shared/bins.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/figure/marks.h"
#include "plot/shared/plot.h"

static bool has_bin(enum cup_bins_kind kind, double value)
{
    return isfinite(value) && (kind != CUP_BINS_LOG || value > 0);
}

size_t cup_bin_of(const struct cup_bins *bins, double value)
{
    double low = bins->edges[0], high = bins->edges[bins->count];
    if (!has_bin(bins->kind, value))
        return bins->count;
    double share = bins->kind == CUP_BINS_LOG ? log(value / low) / log(high / low)
                                              : (value - low) / (high - low);
    double bin = floor(share * (double)bins->count + 1e-9);
    return bin < 1 ? 0 : bin >= (double)bins->count ? bins->count - 1 : (size_t)bin;
}

void cup_bins_count(const struct cup_bins *bins, const double *values, size_t count, double *counts)
{
    for (size_t i = 0; i < count; i++) {
        size_t bin = cup_bin_of(bins, values[i]);
        if (bin < bins->count)
            counts[bin]++;
    }
}

/* A number of bins that suits the number of values (Rice's rule), from 5 to `most`. */
static size_t bins_for(size_t values, size_t most)
{
    double wanted = ceil(2 * cbrt((double)values));
    return wanted < 5 ? 5 : wanted > (double)most ? most : (size_t)wanted;
}

/* Rounds the step and the edges; the last bin still holds the largest value. */
static void round_bins(struct cup_bins *bins, double *low, double *high, size_t most)
{
    double step = cup_round_step((*high - *low) / (double)bins->count);
    if (bins->kind == CUP_BINS_RATIO)
        step = fmax(step, 0.01);
    if (bins->kind == CUP_BINS_WHOLE && step <= 1) {
        step = 1;
        *low = round(*low) - 0.5;
    } else
        *low = floor(*low / step + 1e-9) * step;
    double count = floor((*high - *low) / step + 1e-9) + 1;
    bins->count = count > (double)(2 * most) ? 2 * most : (size_t)count;
    *high = *low + step * (double)bins->count;
}

static void set_edges(struct cup_bins *bins, double low, double high)
{
    for (size_t i = 0; i <= bins->count; i++) {
        double share = (double)i / (double)bins->count;
        bins->edges[i] =
            bins->kind == CUP_BINS_LOG ? low * pow(high / low, share) : low + (high - low) * share;
    }
}

static int allocate_bins(struct cup_bins *bins, struct cup_arena *arena, double low, double high)
{
    bins->edges = cup_arena_take(arena, bins->count + 1, sizeof(double));
    bins->counts = cup_arena_take(arena, bins->count, sizeof(double));
    if (!bins->edges || !bins->counts)
        return -1;
    set_edges(bins, low, high);
    return 0;
}

int cup_bins_between(struct cup_bins *bins, struct cup_arena *arena, double low, double high,
                     size_t count)
{
    *bins = (struct cup_bins){.kind = CUP_BINS_EVEN, .count = count};
    return allocate_bins(bins, arena, low, high);
}

/* The range of the edges. A single whole number needs no room around it. */
static struct cup_scale find_range(enum cup_bins_kind kind, struct cup_range range)
{
    if (kind == CUP_BINS_WHOLE && range.low == range.high)
        return (struct cup_scale){.low = range.low, .high = range.high};
    return cup_scale_make(range.low, range.high, kind == CUP_BINS_LOG);
}

int cup_bins_make(struct cup_bins *bins, struct cup_arena *arena, enum cup_bins_kind kind,
                  const double *values, size_t count, size_t most)
{
    struct cup_range range = cup_range_none();
    *bins = (struct cup_bins){.kind = kind};
    for (size_t i = 0; i < count; i++)
        if (has_bin(kind, values[i]))
            cup_range_add(&range, values[i]);
        else
            bins->left_out++;
    struct cup_scale scale = find_range(kind, range);
    bins->values = range;
    bins->count = bins_for(count - bins->left_out, most);
    if (kind != CUP_BINS_LOG)
        round_bins(bins, &scale.low, &scale.high, most);
    if (allocate_bins(bins, arena, scale.low, scale.high) != 0)
        return -1;
    cup_bins_count(bins, values, count, bins->counts);
    for (size_t i = 0; i < bins->count; i++)
        bins->most = fmax(bins->most, bins->counts[i]);
    return 0;
}

/* ---- in words ----------------------------------------------------------------------------- */

char *cup_range_text(char to[CUP_BAR_TEXT], struct cup_range range, enum cup_axis_unit unit)
{
    char low[CUP_DURATION_TEXT], high[CUP_DURATION_TEXT];
    cup_value_text(low, range.low, unit);
    cup_value_text(high, range.high, unit);
    bool same = strcmp(low, high) == 0;
    snprintf(to, CUP_BAR_TEXT, "%s%s%s", low, same ? "" : " to ", same ? "" : high);
    return to;
}

char *cup_all_text(char to[CUP_BAR_TEXT], size_t count, const char *thing)
{
    char counted[64];
    if (count == 1)
        snprintf(to, CUP_BAR_TEXT, "the only %.40s", thing);
    else
        snprintf(to, CUP_BAR_TEXT, "all %s", cup_count_text(counted, count, thing));
    return to;
}

char *cup_bins_one_bar(char to[CUP_BAR_TEXT], const struct cup_bins *bins, enum cup_axis_unit unit)
{
    size_t bars = 0;
    for (size_t i = 0; i < bins->count; i++)
        bars += bins->counts[i] > 0;
    /* Equal ratios may lie on both sides of an edge. */
    if (bins->kind == CUP_BINS_RATIO && bins->values.high - bins->values.low < 0.01)
        bars = 1;
    return bars == 1 ? cup_range_text(to, bins->values, unit) : NULL;
}

void cup_bins_draw(struct cup_figure *figure, const struct cup_bins *bins, double *const *counts,
                   size_t groups)
{
    for (size_t bin = 0; bin < bins->count; bin++) {
        double low = 0;
        for (size_t i = 0; i < groups; i++) {
            double high = low + counts[i][bin];
            if (high > low)
                cup_mark_column(figure, bins->edges[bin], bins->edges[bin + 1], low, high,
                                cup_theme_paint(figure->theme, (unsigned)i));
            low = high;
        }
    }
}
