#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/sums/budget.h"
#include "plot/shared/per_worker.h"
#include "plot/shared/plot.h"
#include "plot/shared/worker_names.h"

/* A worker process. */
struct member {
    uint32_t process;
    struct cup_text name;
    const char *host;
    uint32_t threads; /* for tasks */
};

static int by_host(const void *a, const void *b)
{
    const struct member *one = a, *two = b;
    int order = strcmp(one->host, two->host);
    if (order == 0)
        order = cup_names_compare(one->name, two->name);
    return order ? order : one->process < two->process ? -1 : one->process > two->process;
}

/* Workers of one process share a row: their threads are added up. */
static void add_threads(struct member *members, const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->server_count; i++) {
        const struct cup_server *server = &profile->servers[i];
        if (cup_server_is_worker(server))
            members[server->process].threads +=
                server->threads ? server->threads
                                : profile->processes[server->process].task_threads;
    }
}

/* Returns the worker processes with task threads, sorted; NULL without memory. */
static struct member *make_members(struct cup_plot_input *input, size_t *count)
{
    const struct cup_profile *profile = input->totals->profile;
    struct member *members =
        cup_arena_take(input->arena, profile->process_count + 1, sizeof *members);
    const struct cup_text *names = cup_process_names(input);
    if (!members || !names)
        return NULL;
    add_threads(members, profile);
    for (uint32_t i = 0; i < profile->process_count; i++) {
        struct member member = members[i];
        const struct cup_process *process = &profile->processes[i];
        member.process = i;
        member.name = names[i];
        member.host = process->header.host;
        if (member.threads == 0)
            member.threads = process->task_threads;
        if (member.threads > 0 && cup_process_is_worker(process))
            members[(*count)++] = member;
    }
    qsort(members, *count, sizeof *members, by_host);
    return members;
}

/* ---- rows --------------------------------------------------------------------------------- */

/* Seconds of threads in tasks, and seconds that the threads existed, by bin. */
struct row {
    struct cup_time_bins busy, there;
};

static void add_tasks(struct row *row, const struct cup_profile *profile,
                      const struct cup_process *process)
{
    for (uint64_t i = 0; i < process->tasks; i++) {
        const struct cup_task *task = &profile->tasks[process->first_task + i];
        if (cup_task_place(task) == CUP_PLACE_POOL && cup_task_wall_ns(task) != CUP_UNKNOWN64)
            cup_time_bins_hold(&row->busy, task->start_ns, task->stop_ns, 1);
    }
}

static void add_member(struct row *row, const struct cup_totals *totals,
                       const struct member *member)
{
    const struct cup_process *process = &totals->profile->processes[member->process];
    struct cup_stretch there = cup_process_presence(process, totals->run);
    cup_time_bins_hold(&row->there, there.start_ns, there.stop_ns, member->threads);
    add_tasks(row, totals->profile, process);
}

/* A worker that existed for less than this share of a bin has no value there. */
#define LEAST_THERE 0.05

static double busy_share(const struct row *row, size_t bin, uint32_t threads)
{
    double there = row->there.amounts[bin];
    return there > LEAST_THERE * threads * row->there.bin_s
               ? fmin(100, 100 * row->busy.amounts[bin] / there)
               : NAN;
}

static int fill_rows(struct cup_per_worker *plot, struct cup_plot_input *input,
                     const struct member *members)
{
    struct row *row = cup_arena_take(input->arena, 1, sizeof *row);
    plot->values = cup_arena_take(input->arena, plot->row_count * CUP_TIME_BINS, sizeof(double));
    size_t per_row = (plot->worker_count + plot->row_count - 1) / plot->row_count;
    if (!row || !plot->values)
        return -1;
    for (size_t i = 0; i < plot->row_count; i++) {
        uint32_t threads = 0;
        cup_time_bins_make(&row->busy, input->totals);
        row->there = row->busy;
        for (size_t n = i * per_row; n < (i + 1) * per_row && n < plot->worker_count; n++) {
            add_member(row, input->totals, &members[n]);
            threads += members[n].threads;
        }
        for (size_t bin = 0; bin < row->busy.count; bin++)
            plot->values[cup_worker_row(plot, i) * row->busy.count + bin] =
                busy_share(row, bin, threads);
        plot->bin_count = row->busy.count;
        plot->bin_s = row->busy.bin_s;
        plot->seconds = row->busy.run_s;
    }
    return 0;
}

/* Uses the logs of the workers or, without any, Dask's samples. */
const void *cup_data_worker_activity(struct cup_plot_input *input)
{
    struct cup_per_worker *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    size_t count = 0;
    const struct member *members = plot ? make_members(input, &count) : NULL;
    if (!members)
        return NULL;
    if (count == 0)
        return cup_activity_by_samples(input);
    if (cup_stretch_ns(input->totals->run) <= 0)
        return cup_plot_unavailable(input, "the run has no duration: no task was recorded");
    size_t per_row = (count + CUP_WORKER_ROWS - 1) / CUP_WORKER_ROWS;
    plot->worker_count = count;
    plot->row_count = (count + per_row - 1) / per_row;
    plot->name = "threads with a task";
    plot->heat = true;
    plot->highest = 100;
    for (size_t i = 0; i < count && i < CUP_WORKER_NAMES; i++)
        plot->workers[i] = members[i].name;
    if (fill_rows(plot, input, members) != 0)
        return NULL;
    char workers[64], shared[48] = "";
    if (per_row > 1)
        snprintf(shared, sizeof shared, ", the mean of %zu a row", per_row);
    cup_plot_set_caption(input,
                         "Share of the threads' time spent in tasks, %s, in bins of %.3g s; sorted "
                         "by host and name%s. Blank: the worker did not exist (cupping).",
                         cup_count_text(workers, count, "worker"), plot->bin_s, shared);
    return plot;
}
