#include "plot/bins.h"

#include <math.h>

static bool counts(double value, bool log)
{
    return isfinite(value) && (!log || value > 0);
}

static size_t bin_of(const struct cup_bins *bins, double value)
{
    double low = bins->edges[0], high = bins->edges[bins->count];
    double share = bins->log ? log(value / low) / log(high / low)
                                  : (value - low) / (high - low);
    double bin = floor(share * (double)bins->count + 1e-9);
    return bin < 1 ? 0 : bin >= (double)bins->count ? bins->count - 1 : (size_t)bin;
}

/* As many bins as values tell apart (Rice), within bounds. */
static size_t bins_for(size_t values, size_t most)
{
    double wanted = ceil(2 * cbrt((double)values));
    return wanted < 5 ? 5 : wanted > (double)most ? most : (size_t)wanted;
}

/* The next 1, 2 or 5 of a decade. */
static double round_step(double step)
{
    double power = pow(10, floor(log10(step) + 1e-9)), times = step / power;
    return power * (times <= 1 + 1e-9 ? 1 : times <= 2 + 1e-9 ? 2 : times <= 5 + 1e-9 ? 5 : 10);
}

/* Sets low, high and the number of bins. */
static void choose_bins(struct cup_bins *bins, double *low, double *high, size_t most)
{
    if (bins->log)
        return;
    double step = round_step((*high - *low) / (double)bins->count);
    *low = floor(*low / step + 1e-9) * step;
    double count = floor((*high - *low) / step + 1e-9) + 1; /* the largest is in the last one */
    bins->count = count > (double)(2 * most) ? 2 * most : (size_t)count;
    *high = *low + step * (double)bins->count;
}

static void set_edges(struct cup_bins *bins, double low, double high)
{
    for (size_t i = 0; i <= bins->count; i++) {
        double share = (double)i / (double)bins->count;
        bins->edges[i] =
            bins->log ? low * pow(high / low, share) : low + (high - low) * share;
    }
}

int cup_bins_make(struct cup_bins *bins, struct cup_arena *arena,
                       const double *values, size_t count, bool log, size_t most)
{
    struct cup_range range = cup_range_none();
    *bins = (struct cup_bins){.log = log};
    for (size_t i = 0; i < count; i++)
        if (counts(values[i], log))
            cup_range_add(&range, values[i]);
        else
            bins->left_out++;
    struct cup_scale scale = cup_scale_make(range.low, range.high, log);
    bins->count = bins_for(count - bins->left_out, most);
    choose_bins(bins, &scale.low, &scale.high, most);
    bins->edges = cup_arena_take(arena, bins->count + 1, sizeof(double));
    bins->counts = cup_arena_take(arena, bins->count, sizeof(double));
    if (!bins->edges || !bins->counts)
        return -1;
    set_edges(bins, scale.low, scale.high);
    for (size_t i = 0; i < count; i++)
        if (counts(values[i], log))
            bins->most = fmax(bins->most, ++bins->counts[bin_of(bins, values[i])]);
    return 0;
}
