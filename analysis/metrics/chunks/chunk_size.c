#include "analysis/metrics/chunks/chunk_fits.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/metrics/reads/clusters.h"
#include "analysis/metrics/sums/sums.h"
#include "analysis/metrics/workers/observed.h"

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

/* ---- memory: which fit
 * --------------------------------------------------------------------------- */

static const char *heap_doubt(const struct cup_chunk_fit *fit)
{
    const struct cup_line *line = &fit->heap.robust;
    if (fit->heap.missing && !(line->at_mean > 0))
        return fit->heap.missing;
    if (fit->helpers_share > CUP_MEMORY_HELPERS)
        return "more than 25 % of the chunks' peak heap is of helper threads, whose peaks are "
               "added up, although they may not coincide";
    if (!(hypot(line->spread, line->at_mean_error) <= CUP_MEMORY_ERROR * line->at_mean))
        return "peak heaps of chunks of the same size differ by more than 25 %";
    return NULL;
}

/* Of the fits that are good enough, the one with the largest heap of a mean chunk. */
static const struct cup_chunk_fit *fit_of_heap(const struct cup_chunk_fits *fits)
{
    const struct cup_chunk_fit *best = &fits->all;
    double most = heap_doubt(best) ? 0 : best->heap.robust.at_mean;
    for (size_t i = 0; i < fits->count; i++) {
        if (heap_doubt(&fits->datasets[i]) || !(fits->datasets[i].heap.robust.at_mean > most))
            continue;
        best = &fits->datasets[i];
        most = best->heap.robust.at_mean;
    }
    return best;
}

/* ---- the worker -------------------------------------------------------------------------- */

/* Standard deviations between the quartiles of a normal distribution. */
static const double normal_quartiles = 1.349;

/* NAN: none, or not known. */
static double limit_of(const struct cup_server *server)
{
    bool limited = server->memory_limit != CUP_UNKNOWN64 && server->memory_limit > 0;
    return limited ? (double)server->memory_limit : (double)NAN;
}

/* Finds the worker with the least memory per thread; if no limit is known, the one with the most
 * threads. */
static void find_worker(struct cup_memory_need *need, const struct cup_profile *profile)
{
    need->limit_bytes = NAN;
    need->threads = 1;
    for (size_t i = 0; i < profile->server_count; i++) {
        const struct cup_server *server = &profile->servers[i];
        double limit = limit_of(server);
        if (!cup_server_is_worker(server) || server->tasks == 0 || server->threads == 0)
            continue;
        bool is_less = limit / server->threads < need->limit_bytes / need->threads ||
                       (!isnan(limit) && isnan(need->limit_bytes));
        if (!is_less && (!isnan(need->limit_bytes) || server->threads <= need->threads))
            continue;
        need->limit_bytes = limit;
        need->threads = server->threads;
    }
}

/* Finds the largest memory that samples have of a worker with the threads and the limit that the
 * need is for: a worker with more threads holds more chunks. */
static void find_seen(struct cup_memory_need *need, const struct cup_observed *observed)
{
    need->seen_bytes = NAN;
    for (size_t i = 0; i < observed->worker_count; i++) {
        const struct cup_observed_worker *worker = &observed->workers[i];
        const struct cup_server *log = cup_worker_log(observed->profile, worker->address);
        double limit = log ? limit_of(log) : NAN;
        if (log && log->threads == need->threads &&
            (limit == need->limit_bytes || (isnan(limit) && isnan(need->limit_bytes))))
            need->seen_bytes =
                fmax(need->seen_bytes, cup_timeline_max(&worker->values[CUP_SEEN_MEMORY]));
    }
}

/* Finds what a process holds before a chunk. The lower quartile over the chunks is used, because at
 * that time other threads of the process may hold chunks. The distance between the quartiles gives
 * the error, as one standard deviation. NAN: not known. */
static int find_base(struct cup_memory_need *need, const struct cup_totals *totals, uint64_t every)
{
    const struct cup_profile *profile = totals->profile;
    double *held = malloc((profile->item_count / every + 1) * sizeof *held);
    size_t count = 0;
    if (!held)
        return -1;
    for (size_t i = 0; i < profile->item_count; i += every) {
        const struct cup_task *task = &profile->tasks[profile->items[i].task];
        if (totals->outcomes[i] == CUP_OUTCOME_USED && task->rss_start != CUP_RSS_UNKNOWN &&
            !profile->chunks_summed)
            held[count++] = (double)cup_rss_bytes(task->rss_start);
    }
    need->base_bytes = count ? cup_select(held, count, count / 4) : NAN;
    if (count)
        need->base_error_bytes =
            (cup_select(held, count, count - 1 - count / 4) - need->base_bytes) / normal_quartiles;
    free(held);
    return 0;
}

static bool workers_share_a_process(const struct cup_totals *totals)
{
    for (size_t i = 0; i < totals->profile->process_count; i++)
        if (totals->profile->processes[i].tasks && cup_process_workers(totals, i) > 1)
            return true;
    return false;
}

/* The need if all threads of a worker are at their peak at the same time. */
static double bytes_at(const struct cup_memory_need *need, double events)
{
    return need->base_bytes + need->threads * cup_line_at(&need->fit->heap.robust, events);
}

static double error_at(const struct cup_memory_need *need, double events)
{
    const struct cup_line *line = &need->fit->heap.robust;
    return hypot(need->base_error_bytes,
                 need->threads * hypot(line->spread, cup_line_error_at(line, events)));
}

/* The limit to request: two standard errors above the need, and so large that Dask does not begin
 * to spill. */
static double request_for(double bytes, double error)
{
    return (bytes + 2 * error) / CUP_MEMORY_FILL;
}

/* What samples saw with chunks of the present size needs at least this limit, whatever the estimate
 * is. NAN: no samples. */
static double least_request(const struct cup_memory_need *need)
{
    return need->seen_bytes / CUP_MEMORY_FILL;
}

static void set_present_need(struct cup_memory_need *need)
{
    const struct cup_line *line = &need->fit->heap.robust;
    need->event_bytes = line->slope;
    need->event_error_bytes = line->slope_error;
    need->fixed_bytes = cup_line_at(line, 0);
    need->fixed_error_bytes = cup_line_error_at(line, 0);
    need->chunk_bytes = line->at_mean;
    need->bytes = need->base_bytes + need->threads * line->at_mean;
    need->error_bytes =
        hypot(need->base_error_bytes, need->threads * hypot(line->spread, line->at_mean_error));
    need->request_bytes = fmax(request_for(need->bytes, need->error_bytes), least_request(need));
}

/* Fills in fits->memory for the present chunk size. Returns 0, or -1 without memory. */
static int make_memory_need(struct cup_chunk_fits *fits, const struct cup_totals *totals)
{
    struct cup_memory_need *need = &fits->memory;
    *need = (struct cup_memory_need){.fit = fit_of_heap(fits)};
    need->bytes = need->error_bytes = need->request_bytes = NAN;
    need->new_bytes = need->new_error_bytes = need->new_request_bytes = NAN;
    find_worker(need, totals->profile);
    find_seen(need, totals->observed);
    need->missing = heap_doubt(need->fit);
    if (find_base(need, totals, fits->every) != 0)
        return -1;
    if (!need->missing && isnan(need->base_bytes))
        need->missing = "the memory of processes was not measured";
    if (!need->missing && workers_share_a_process(totals))
        need->missing = "several workers share a process";
    if (!need->missing && fits->growth.grows)
        need->missing = "the memory of the workers grew with each chunk and did not fall again";
    if (!need->missing)
        set_present_need(need);
    return 0;
}

/* The number of events of a chunk at which the worker's limit is just large enough: at most PRESENT
 * if samples saw that these chunks fill it. INFINITY if no limit is reached, or not known. */
static double find_most_events(const struct cup_memory_need *need, double present)
{
    double low = 0, high = 1e12;
    if (need->missing || isnan(need->limit_bytes))
        return INFINITY;
    if (least_request(need) > need->limit_bytes)
        high = present;
    if (!(request_for(bytes_at(need, high), error_at(need, high)) > need->limit_bytes))
        return high < 1e12 ? high : INFINITY;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        double request = request_for(bytes_at(need, middle), error_at(need, middle));
        *(request > need->limit_bytes ? &high : &low) = middle;
    }
    return low;
}

/* Fills in the need with chunks of EVENTS (new_*), unless it is too uncertain. */
static void set_need_at(struct cup_memory_need *need, double events, double present)
{
    if (need->missing)
        return;
    double bytes = bytes_at(need, events), error = error_at(need, events);
    if (!(error <= CUP_MEMORY_ERROR * bytes))
        return;
    need->new_bytes = bytes;
    need->new_error_bytes = error;
    need->new_request_bytes = request_for(bytes, error);
    if (events >= present)
        need->new_request_bytes = fmax(need->new_request_bytes, least_request(need));
}

/* ---- which fit --------------------------------------------------------------------------- */

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
    lower_most(size, find_most_events(&fits->memory, size->present), CUP_BOUND_MEMORY);
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
    size->fixed_s = fmax(cup_line_at(line, 0), 0);
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
    if (make_memory_need(fits, totals) != 0)
        return -1;
    make_size(fits, totals);
    if (!fits->size.missing)
        set_need_at(&fits->memory, fits->size.events, fits->size.present);
    return 0;
}
