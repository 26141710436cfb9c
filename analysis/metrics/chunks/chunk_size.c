#include "analysis/metrics/chunks/chunk_size.h"

#include <math.h>

#include "analysis/metrics/chunks/memory_need.h"
#include "analysis/metrics/reads/clusters.h"
#include "analysis/metrics/sums/sums.h"

const char *const cup_size_bound_names[CUP_BOUND_COUNT] = {
    [CUP_BOUND_NONE] = "none",           [CUP_BOUND_FIXED_COST] = "fixed_cost",
    [CUP_BOUND_SCHEDULER] = "scheduler", [CUP_BOUND_WALL] = "wall_time",
    [CUP_BOUND_THREADS] = "threads",     [CUP_BOUND_MEMORY] = "memory",
    [CUP_BOUND_FILE] = "file",           [CUP_BOUND_FIT] = "fit",
};

static double last_of_two_digits(double number)
{
    return pow(10, floor(log10(number)) - 1);
}

double cup_two_digits(double number)
{
    double step = last_of_two_digits(number);
    return number >= 10 ? round(number / step) * step : number;
}

/* ---- which fit --------------------------------------------------------------------------- */

static double fixed_of(const struct cup_line *line)
{
    return cup_line_at(line, 0);
}

const char *cup_time_doubt(const struct cup_line_fit *fit)
{
    const struct cup_line *line = &fit->robust;
    if (fit->missing)
        return fit->missing;
    if (!(line->slope > 0) || !(line->slope_error <= CUP_SIZE_SLOPE_ERROR * line->slope))
        return "the time per event has an error of more than 20 %";
    if (!(cup_line_error_at(line, 0) <= CUP_SIZE_SHARE_ERROR * line->at_mean))
        return "the fixed time of a chunk has an error of more than 5 % of a chunk's time";
    return NULL;
}

/* The fit over all chunks if it is good enough; else that of the dataset with the most task time
 * whose fit is. */
static const struct cup_chunk_fit *fit_of_time(const struct cup_chunk_fits *fits,
                                               const struct cup_totals *totals)
{
    const struct cup_chunk_fit *best = &fits->all;
    uint64_t most_ns = 0;
    for (size_t i = 0; cup_time_doubt(&fits->all.time) && i < fits->count; i++) {
        if (totals->datasets[i].wall_ns <= most_ns || cup_time_doubt(&fits->datasets[i].time))
            continue;
        most_ns = totals->datasets[i].wall_ns;
        best = &fits->datasets[i];
    }
    return best;
}

/* ---- size ------------------------------------------------------------------------------- */

static void raise_least(struct cup_chunk_size *size, double events, enum cup_size_bound bound)
{
    if (events > size->least) {
        size->least = events;
        size->least_by = bound;
    }
}

static void lower_most(struct cup_chunk_size *size, double events, enum cup_size_bound bound)
{
    if (events < size->most) {
        size->most = events;
        size->most_by = bound;
    }
}

/* Events of the largest file, as far as known: the largest entry at which a chunk ends. INFINITY if
 * none is known. */
static double largest_file(const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    int64_t most = 0;
    for (size_t i = 0; i < profile->item_count; i++)
        if (totals->outcomes[i] == CUP_OUTCOME_USED && profile->items[i].entry_stop > most)
            most = profile->items[i].entry_stop;
    return most > 0 ? (double)most : INFINITY;
}

static void set_bounds(struct cup_chunk_size *size, const struct cup_chunk_fits *fits,
                       const struct cup_totals *totals)
{
    double threads = (double)(totals->budget.threads ? totals->budget.threads : 1);
    double fixed = size->fixed_s, event = size->event_s;
    size->most = INFINITY;
    raise_least(size, fixed * (1 / CUP_SIZE_FIXED_SHARE - 1) / event, CUP_BOUND_FIXED_COST);
    raise_least(size, (threads * CUP_SIZE_SCHEDULER_S - fixed) / event, CUP_BOUND_SCHEDULER);
    lower_most(size, (CUP_SIZE_MOST_S - fixed) / event, CUP_BOUND_WALL);
    lower_most(size, (double)totals->events / (CUP_SIZE_CHUNKS_PER_THREAD * threads),
               CUP_BOUND_THREADS);
    lower_most(size, cup_memory_holds(&fits->memory), CUP_BOUND_MEMORY);
    lower_most(size, largest_file(totals), CUP_BOUND_FILE);
    lower_most(size, CUP_SIZE_BEYOND * size->fit->time.most_x, CUP_BOUND_FIT);
    if (size->most < size->fit->time.least_x / CUP_SIZE_BEYOND) {
        size->most = size->fit->time.least_x / CUP_SIZE_BEYOND;
        size->most_by = CUP_BOUND_FIT;
    }
}

/* The largest size that suits, rounded down to two digits; the size of a file is not rounded. */
static double largest_size(const struct cup_chunk_size *size)
{
    double step = last_of_two_digits(size->most);
    bool exact = size->most_by == CUP_BOUND_FILE || !(size->most >= 10);
    return exact ? size->most : floor(size->most / step + 1e-9) * step;
}

/* The suitable size that is nearest to the present one. If the lower limit is above the upper one,
 * the upper one wins; and the present size stays if moving to it would go away from the lower one.
 */
static double nearest_suiting_size(const struct cup_chunk_size *size)
{
    double present = size->present;
    if (present < size->least)
        return fmax(present, fmin(cup_two_digits(size->least), largest_size(size)));
    if (present > size->most)
        return fmin(present, fmax(largest_size(size), size->least));
    return present;
}

/* Rounds EVENTS to whole clusters, so that chunks can end where clusters do. Returns EVENTS if no
 * multiple is near. */
static double whole_clusters(const struct cup_chunk_size *size, double events)
{
    double cluster = size->cluster_events, up = ceil(events / cluster) * cluster;
    double down = floor(events / cluster) * cluster;
    if (!(cluster >= 1))
        return events;
    if (up <= size->most && up <= 1.5 * events)
        return up;
    return down >= 0.7 * events ? down : events;
}

static void make_size(struct cup_chunk_fits *fits, const struct cup_totals *totals)
{
    struct cup_chunk_size *size = &fits->size;
    *size = (struct cup_chunk_size){.fit = fit_of_time(fits, totals)};
    size->missing = cup_time_doubt(&size->fit->time);
    if (size->missing)
        return;
    const struct cup_line *line = &size->fit->time.robust;
    size->present = line->mean_x;
    size->event_s = line->slope;
    size->event_error_s = line->slope_error;
    size->fixed_s = fmax(fixed_of(line), 0);
    size->fixed_error_s = cup_line_error_at(line, 0);
    size->wall_s = size->fixed_s + size->event_s * size->present;
    size->fixed_share = size->fixed_s / size->wall_s;
    size->fixed_share_error = size->fixed_error_s / size->wall_s;
    set_bounds(size, fits, totals);
    size->events = nearest_suiting_size(size);
    size->cluster_events = cup_cluster_find(totals).events;
    if (size->events != size->present)
        size->events = whole_clusters(size, size->events);
    size->new_wall_s = size->fixed_s + size->event_s * size->events;
    size->new_fixed_share = size->fixed_s / size->new_wall_s;
}

int cup_chunk_size_make(struct cup_chunk_fits *fits, const struct cup_totals *totals)
{
    if (cup_memory_need_make(fits, totals) != 0)
        return -1;
    make_size(fits, totals);
    if (!fits->size.missing)
        cup_memory_need_at(&fits->memory, fits->size.events);
    return 0;
}
