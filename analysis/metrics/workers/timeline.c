#include "analysis/metrics/workers/timeline.h"

static double value_at(const struct cup_timeline *line, int64_t time_ns, double value, int64_t at)
{
    double share = (double)(at - line->last_ns) / (double)(time_ns - line->last_ns);
    return line->last + (value - line->last) * share;
}

void cup_timeline_cut(struct cup_timeline *line, const struct cup_window *window, int64_t time_ns,
                      double value)
{
    int64_t from_ns = line->last_ns > window->from_ns ? line->last_ns : window->from_ns;
    int64_t to_ns = time_ns < window->to_ns ? time_ns : window->to_ns;
    if (to_ns < from_ns)
        return;
    double first = value_at(line, time_ns, value, from_ns);
    double last = value_at(line, time_ns, value, to_ns), ns = (double)(to_ns - from_ns);
    bool any = line->span_ns > 0;
    double low = first < last ? first : last, high = first < last ? last : first;
    line->area += (first + last) / 2 * ns;
    line->span_ns += ns;
    line->cut_min = any && line->cut_min < low ? line->cut_min : low;
    line->cut_max = any && line->cut_max > high ? line->cut_max : high;
}

double cup_timeline_average(const struct cup_timeline *line)
{
    return line->span_ns > 0 ? line->area / line->span_ns
           : line->count     ? line->sum / (double)line->count
                             : (double)NAN;
}

double cup_timeline_mean(const struct cup_timeline *line)
{
    return line->count ? line->sum / (double)line->count : cup_timeline_average(line);
}

double cup_timeline_min(const struct cup_timeline *line)
{
    return line->count ? line->min : line->span_ns > 0 ? line->cut_min : (double)NAN;
}

double cup_timeline_max(const struct cup_timeline *line)
{
    return line->count ? line->max : line->span_ns > 0 ? line->cut_max : (double)NAN;
}

void cup_timeline_join(struct cup_timeline *sum, const struct cup_timeline *line)
{
    if (!line->count)
        return;
    if (!sum->count || line->min < sum->min)
        sum->min = line->min;
    if (!sum->count || line->max > sum->max)
        sum->max = line->max;
    sum->sum += line->sum;
    sum->count += line->count;
}
