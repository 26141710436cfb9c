#include "analysis/compare/compare.h"

/* What a column contains: a metric, and another one for inputs that do not have it. */
struct choice {
    int metric, otherwise; /* enum cup_metric_id, or WORKERS_SEEN */
    const char *text;
};
enum { WORKERS_SEEN = CUP_METRIC_COUNT, THREADS_AT_MOST };

static const struct choice size_kinds[CUP_SCALING_SIZES][5] = {
    {{CUP_METRIC_peak_workers, CUP_METRIC_peak_workers, "workers, at most at one time"},
     {CUP_METRIC_avg_workers, CUP_METRIC_avg_workers, "workers, averaged over the run"},
     {WORKERS_SEEN, WORKERS_SEEN, "workers that were seen"}},
    {{THREADS_AT_MOST, THREADS_AT_MOST, "workers at most at one time x threads of a worker"},
     {CUP_METRIC_avg_cores, CUP_METRIC_avg_cores, "threads of the workers, averaged over the run"},
     {CUP_METRIC_total_cores, CUP_METRIC_total_cores, "average workers x cores of a worker"},
     {CUP_METRIC_avg_cores, CUP_METRIC_total_cores,
      "threads of the workers, not counted alike in all runs"}},
};
static const struct choice byte_kinds[4] = {
    {CUP_METRIC_delivered_rate_gbps, CUP_METRIC_delivered_rate_gbps, "delivered to tasks"},
    {CUP_METRIC_requested_rate_gbps, CUP_METRIC_requested_rate_gbps, "requested by uproot"},
    {CUP_METRIC_delivered_rate_gbps, CUP_METRIC_delivered_rate_gbps, "delivered to tasks"},
};

static double number_of(const struct cup_figures *figures, const struct choice *choice)
{
    if (choice->metric == WORKERS_SEEN)
        return figures->workers ? (double)figures->workers : NAN;
    if (choice->metric == THREADS_AT_MOST)
        return cup_figures_number(figures, CUP_METRIC_peak_workers) *
               cup_figures_number(figures, CUP_METRIC_cores_per_worker);
    double number = cup_figures_number(figures, (enum cup_metric_id)choice->metric);
    return isnan(number) ? cup_figures_number(figures, (enum cup_metric_id)choice->otherwise)
                         : number;
}

/* Chooses the first kind of figure that all inputs have, so that a column never mixes two kinds;
 * otherwise the last. */
static const struct choice *choose(const struct choice *kind, const struct cup_figures *inputs,
                                   size_t count)
{
    for (; kind[1].text; kind++) {
        size_t known = 0;
        for (size_t i = 0; i < count; i++)
            known += number_of(&inputs[i], kind) > 0;
        if (known == count)
            break;
    }
    return kind;
}

/* ---- efficiency ------------------------------------------------------------------------- */

/* Index of the reference run: the baseline, or, if its size is not known, the smallest. -1 if all
 * known sizes are equal, or fewer than two are known. */
static int find_reference(const struct cup_scaling *scaling, enum cup_scaling_size size,
                          size_t baseline)
{
    int least = -1;
    bool differ = false;
    for (size_t i = 0; i < scaling->count; i++) {
        double n = scaling->rows[i].size[size];
        if (!(n > 0))
            continue;
        double smallest = least < 0 ? n : scaling->rows[least].size[size];
        differ |= n != smallest;
        if (least < 0 || n < smallest)
            least = (int)i;
    }
    if (!differ)
        return -1;
    return scaling->rows[baseline].size[size] > 0 ? (int)baseline : least;
}

static void set_efficiencies(struct cup_scaling *scaling, struct cup_scaling_row *row,
                             enum cup_scaling_size size)
{
    int reference = scaling->reference[size];
    for (int rate = 0; rate < CUP_SCALING_RATES; rate++) {
        double ideal = reference < 0 ? NAN
                                     : scaling->rows[reference].rate[rate] * row->size[size] /
                                           scaling->rows[reference].size[size];
        row->efficiency[rate][size] =
            ideal > 0 && row->rate[rate] >= 0 ? row->rate[rate] / ideal : NAN;
    }
}

struct cup_scaling cup_scaling_make(const struct cup_figures *inputs, size_t count, size_t baseline)
{
    struct cup_scaling scaling = {.count = count < CUP_COMPARE_MOST ? count : CUP_COMPARE_MOST};
    const struct choice *bytes = choose(byte_kinds, inputs, count);
    scaling.bytes_are = bytes->text;
    for (size_t i = 0; i < scaling.count; i++) {
        scaling.rows[i].rate[CUP_OF_EVENTS] =
            1e3 * cup_figures_number(&inputs[i], CUP_METRIC_event_rate_wall_khz);
        scaling.rows[i].rate[CUP_OF_BYTES] = number_of(&inputs[i], bytes);
    }
    for (int size = 0; size < CUP_SCALING_SIZES; size++) {
        const struct choice *kind = choose(size_kinds[size], inputs, count);
        scaling.sizes_are[size] = kind->text;
        for (size_t i = 0; i < scaling.count; i++)
            scaling.rows[i].size[size] = number_of(&inputs[i], kind);
        scaling.reference[size] = find_reference(&scaling, (enum cup_scaling_size)size, baseline);
        for (size_t i = 0; i < scaling.count; i++)
            set_efficiencies(&scaling, &scaling.rows[i], size);
    }
    if (scaling.count < 2)
        scaling.missing = "it needs two or more runs";
    else if (scaling.reference[CUP_BY_WORKERS] < 0 && scaling.reference[CUP_BY_CORES] < 0)
        scaling.missing =
            "all runs whose size is known have the same number of workers and of cores";
    return scaling;
}

double cup_scaling_efficiency(const struct cup_scaling *scaling, size_t input)
{
    for (int rate = 0; rate < CUP_SCALING_RATES; rate++)
        for (int size = CUP_SCALING_SIZES; size-- > 0;)
            if (!isnan(scaling->rows[input].efficiency[rate][size]))
                return scaling->rows[input].efficiency[rate][size];
    return NAN;
}
