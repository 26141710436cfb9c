#include "analysis/compare/scaling.h"

typedef double (*column)(const struct cup_figures *figures);

static double average_workers(const struct cup_figures *figures)
{
    return cup_figures_number(figures, CUP_METRIC_AVG_WORKERS);
}

static double workers_seen(const struct cup_figures *figures)
{
    return figures->workers ? (double)figures->workers : NAN;
}

static double average_cores(const struct cup_figures *figures)
{
    return cup_figures_number(figures, CUP_METRIC_AVG_CORES);
}

static double total_cores(const struct cup_figures *figures)
{
    return cup_figures_number(figures, CUP_METRIC_TOTAL_CORES);
}

static double cores_known(const struct cup_figures *figures)
{
    double cores = average_cores(figures);
    return isnan(cores) ? total_cores(figures) : cores;
}

static double delivered(const struct cup_figures *figures)
{
    return cup_figures_number(figures, CUP_METRIC_DELIVERED_RATE_GBPS);
}

static double requested(const struct cup_figures *figures)
{
    return cup_figures_number(figures, CUP_METRIC_REQUESTED_RATE_GBPS);
}

/* Chooses the first kind of figure that all inputs have, so that a column never mixes two kinds. */
struct choice {
    column of;
    const char *text;
};

static struct choice choose(const struct choice *choices, size_t kinds,
                            const struct cup_figures *inputs, size_t count)
{
    for (size_t k = 0; k + 1 < kinds; k++) {
        size_t known = 0;
        for (size_t i = 0; i < count; i++)
            known += choices[k].of(&inputs[i]) > 0;
        if (known == count)
            return choices[k];
    }
    return choices[kinds - 1];
}

static const struct choice worker_kinds[] = {
    {average_workers, "workers, averaged over the run"},
    {workers_seen, "workers that were seen"},
};
static const struct choice core_kinds[] = {
    {average_cores, "threads of the workers, averaged over the run"},
    {total_cores, "average workers x cores of a worker"},
    {cores_known, "threads of the workers, not counted alike in all runs"},
};
static const struct choice byte_kinds[] = {
    {delivered, "delivered to tasks"},
    {requested, "requested by uproot"},
    {delivered, "delivered to tasks"},
};

/* ---- efficiency ------------------------------------------------------------------------- */

static double number_of(const struct cup_scaling_row *row, bool by_workers)
{
    return by_workers ? row->workers : row->cores;
}

/* Index of the reference run; -1 if all known sizes are equal, or fewer than two are known. */
static int find_least(const struct cup_scaling *scaling, bool by_workers)
{
    int least = -1;
    bool differ = false;
    for (size_t i = 0; i < scaling->count; i++) {
        double n = number_of(&scaling->rows[i], by_workers);
        if (!(n > 0))
            continue;
        double smallest = least < 0 ? n : number_of(&scaling->rows[least], by_workers);
        differ |= n != smallest;
        if (least < 0 || n < smallest)
            least = (int)i;
    }
    return differ ? least : -1;
}

static double efficiency(double rate, double n, double reference_rate, double reference_n)
{
    double ideal = reference_rate * n / reference_n;
    return ideal > 0 && rate >= 0 ? rate / ideal : NAN;
}

static void set_efficiencies(struct cup_scaling *scaling)
{
    for (size_t i = 0; i < scaling->count; i++) {
        struct cup_scaling_row *row = &scaling->rows[i];
        row->by_workers = row->by_cores = row->gbps_by_workers = row->gbps_by_cores = NAN;
        if (scaling->least_workers >= 0) {
            const struct cup_scaling_row *least = &scaling->rows[scaling->least_workers];
            row->by_workers =
                efficiency(row->events_per_s, row->workers, least->events_per_s, least->workers);
            row->gbps_by_workers = efficiency(row->gbps, row->workers, least->gbps, least->workers);
        }
        if (scaling->least_cores >= 0) {
            const struct cup_scaling_row *least = &scaling->rows[scaling->least_cores];
            row->by_cores =
                efficiency(row->events_per_s, row->cores, least->events_per_s, least->cores);
            row->gbps_by_cores = efficiency(row->gbps, row->cores, least->gbps, least->cores);
        }
    }
}

struct cup_scaling cup_scaling_make(const struct cup_figures *inputs, size_t count)
{
    struct cup_scaling scaling = {.count = count < CUP_SCALING_MOST ? count : CUP_SCALING_MOST};
    struct choice workers = choose(worker_kinds, 2, inputs, count);
    struct choice cores = choose(core_kinds, 3, inputs, count);
    struct choice bytes = choose(byte_kinds, 3, inputs, count);
    scaling.workers_are = workers.text;
    scaling.cores_are = cores.text;
    scaling.bytes_are = bytes.text;
    for (size_t i = 0; i < scaling.count; i++)
        scaling.rows[i] = (struct cup_scaling_row){
            .workers = workers.of(&inputs[i]),
            .cores = cores.of(&inputs[i]),
            .events_per_s = 1e3 * cup_figures_number(&inputs[i], CUP_METRIC_EVENT_RATE_WALL_KHZ),
            .gbps = bytes.of(&inputs[i]),
        };
    scaling.least_workers = find_least(&scaling, true);
    scaling.least_cores = find_least(&scaling, false);
    set_efficiencies(&scaling);
    if (scaling.count < 2)
        scaling.missing = "it needs two or more runs";
    else if (scaling.least_workers < 0 && scaling.least_cores < 0)
        scaling.missing =
            "all runs whose size is known have the same number of workers and of cores";
    return scaling;
}

double cup_scaling_efficiency(const struct cup_scaling *scaling, size_t input)
{
    const struct cup_scaling_row *row = &scaling->rows[input];
    const double order[] = {row->by_cores, row->by_workers, row->gbps_by_cores,
                            row->gbps_by_workers};
    for (size_t i = 0; i < sizeof order / sizeof *order; i++)
        if (!isnan(order[i]))
            return order[i];
    return NAN;
}
