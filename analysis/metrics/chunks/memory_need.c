#include "analysis/metrics/chunks/memory_need.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/metrics/sums/sums.h"
#include "analysis/metrics/workers/observed.h"

/* ---- which fit --------------------------------------------------------------------------- */

static const char *heap_doubt(const struct cup_line_fit *fit)
{
    const struct cup_line *line = &fit->robust;
    if (fit->missing && !(line->at_mean > 0))
        return fit->missing;
    if (!(hypot(line->spread, line->at_mean_error) <= CUP_MEMORY_ERROR * line->at_mean))
        return "peak heaps of chunks of the same size differ by more than 25 %";
    return NULL;
}

/* Of the fits that are good enough, the one with the largest heap of a mean chunk. */
static const struct cup_chunk_fit *fit_of_heap(const struct cup_chunk_fits *fits)
{
    const struct cup_chunk_fit *best = &fits->all;
    double most = heap_doubt(&best->heap) ? 0 : best->heap.robust.at_mean;
    for (size_t i = 0; i < fits->count; i++) {
        if (heap_doubt(&fits->datasets[i].heap) || !(fits->datasets[i].heap.robust.at_mean > most))
            continue;
        best = &fits->datasets[i];
        most = best->heap.robust.at_mean;
    }
    return best;
}

/* ---- the worker -------------------------------------------------------------------------- */

/* Standard deviations between the quartiles of a normal distribution. */
static const double normal_quartiles = 1.349;

/* Finds the worker with the least memory per thread; if no limit is known, the one with the most
 * threads. */
static void find_worker(struct cup_memory_need *need, const struct cup_profile *profile)
{
    need->limit_bytes = NAN;
    need->threads = 1;
    for (size_t i = 0; i < profile->server_count; i++) {
        const struct cup_server *server = &profile->servers[i];
        bool limited = server->memory_limit != CUP_UNKNOWN64 && server->memory_limit > 0;
        double limit = limited ? (double)server->memory_limit : NAN;
        if (!cup_server_is_worker(server) || server->tasks == 0 || server->threads == 0)
            continue;
        bool is_less = limit / server->threads < need->limit_bytes / need->threads ||
                       (limited && isnan(need->limit_bytes));
        if (!is_less && (!isnan(need->limit_bytes) || server->threads <= need->threads))
            continue;
        need->limit_bytes = limit;
        need->threads = server->threads;
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
        if (totals->outcomes[i] == CUP_OUTCOME_USED && task->rss_start != CUP_UNKNOWN64)
            held[count++] = (double)task->rss_start;
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
    need->request_bytes = request_for(need->bytes, need->error_bytes);
    if (need->seen_bytes > need->bytes)
        need->request_bytes = fmax(need->request_bytes, need->seen_bytes / CUP_MEMORY_FILL);
}

int cup_memory_need_make(struct cup_chunk_fits *fits, const struct cup_totals *totals)
{
    struct cup_memory_need *need = &fits->memory;
    *need = (struct cup_memory_need){.fit = fit_of_heap(fits)};
    need->bytes = need->error_bytes = need->request_bytes = NAN;
    need->new_bytes = need->new_error_bytes = need->new_request_bytes = NAN;
    find_worker(need, totals->profile);
    need->seen_bytes = cup_observed_highest(totals->observed, CUP_SEEN_MEMORY);
    need->missing = heap_doubt(&need->fit->heap);
    if (find_base(need, totals, fits->every) != 0)
        return -1;
    if (!need->missing && isnan(need->base_bytes))
        need->missing = "the memory of processes was not measured";
    if (!need->missing && workers_share_a_process(totals))
        need->missing = "several workers share a process";
    if (!need->missing)
        set_present_need(need);
    return 0;
}

double cup_memory_holds(const struct cup_memory_need *need)
{
    double low = 0, high = 1e12;
    if (need->missing || isnan(need->limit_bytes) ||
        !(request_for(bytes_at(need, high), error_at(need, high)) > need->limit_bytes))
        return INFINITY;
    for (int i = 0; i < 60; i++) {
        double middle = (low + high) / 2;
        double request = request_for(bytes_at(need, middle), error_at(need, middle));
        *(request > need->limit_bytes ? &high : &low) = middle;
    }
    return low;
}

void cup_memory_need_at(struct cup_memory_need *need, double events)
{
    if (need->missing)
        return;
    double bytes = bytes_at(need, events), error = error_at(need, events);
    if (!(error <= CUP_MEMORY_ERROR * bytes))
        return;
    need->new_bytes = bytes;
    need->new_error_bytes = error;
    need->new_request_bytes = request_for(bytes, error);
}
