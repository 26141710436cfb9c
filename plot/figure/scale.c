#include "plot/figure/scale.h"

#include <math.h>

/* Points. Places further out are not visible anyway, and cairo's numbers end at 2^23. */
#define FARTHEST 1e5

static void make_linear(struct cup_scale *scale, double low, double high)
{
    if (!isfinite(low) || !isfinite(high) || low > high) {
        low = 0;
        high = 1;
    } else if (high - low <= fabs(high) * 1e-12) {
        double room = high != 0 ? fabs(high) * 0.1 : 1;
        low = low > 0 && low < room ? 0 : low - room;
        high += room;
    }
    scale->low = low;
    scale->high = high;
}

static void make_log(struct cup_scale *scale, double low, double high)
{
    if (!isfinite(high) || high <= 0) {
        low = 0.1;
        high = 1;
    }
    if (!isfinite(low) || low <= 0 || low > high)
        low = high / 1000;
    if (high / low < 1.01) {
        low /= 2;
        high *= 2;
    }
    scale->low = low;
    scale->high = high;
}

struct cup_scale cup_scale_make(double low, double high, bool log)
{
    struct cup_scale scale = {.log = log, .to = 1};
    if (log)
        make_log(&scale, low, high);
    else
        make_linear(&scale, low, high);
    return scale;
}

static double share_of(const struct cup_scale *scale, double value)
{
    if (scale->log)
        return value > 0 ? log(value / scale->low) / log(scale->high / scale->low) : NAN;
    return (value - scale->low) / (scale->high - scale->low);
}

double cup_scale_place(const struct cup_scale *scale, double value)
{
    double place = scale->from + (scale->to - scale->from) * share_of(scale, value);
    return isnan(place) ? NAN : fmax(-FARTHEST, fmin(FARTHEST, place));
}

double cup_round_step(double least)
{
    if (!(least > 0) || !isfinite(least))
        return 1;
    double power = pow(10, floor(log10(least) + 1e-9)), times = least / power;
    return power * (times <= 1 + 1e-9 ? 1 : times <= 2 + 1e-9 ? 2 : times <= 5 + 1e-9 ? 5 : 10);
}

struct cup_range cup_range_none(void)
{
    return (struct cup_range){NAN, NAN};
}

void cup_range_add(struct cup_range *range, double value)
{
    if (!isfinite(value))
        return;
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

void cup_range_add_all(struct cup_range *range, const double *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cup_range_add(range, values[i]);
}
