#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plot/shared/busy.h"
#include "plot/shared/per_worker.h"
#include "plot/shared/plot.h"
#include "plot/shared/worker_names.h"

/* A worker process. */
struct member {
    uint32_t process;
    struct cup_text name;
    const char *host;
    uint64_t threads; /* for tasks; workers of one process share a row */
};

static int by_host(const void *a, const void *b)
{
    const struct member *one = a, *two = b;
    int order = strcmp(one->host, two->host);
    if (order == 0)
        order = cup_names_compare(one->name, two->name);
    return order ? order : one->process < two->process ? -1 : one->process > two->process;
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
    for (uint32_t i = 0; i < profile->process_count; i++) {
        const struct cup_process *process = &profile->processes[i];
        const struct member member = {i, names[i], process->header.host,
                                      input->totals->budgets[i].threads};
        if (member.threads > 0 && cup_process_is_worker(process))
            members[(*count)++] = member;
    }
    qsort(members, *count, sizeof *members, by_host);
    return members;
}

/* ---- rows --------------------------------------------------------------------------------- */

static int fill_rows(struct cup_per_worker *plot, struct cup_plot_input *input,
                     const struct member *members)
{
    struct cup_busy *row = cup_arena_take(input->arena, 1, sizeof *row);
    plot->values = cup_arena_take(input->arena, plot->row_count * CUP_TIME_BINS, sizeof(double));
    size_t per_row = (plot->worker_count + plot->row_count - 1) / plot->row_count;
    if (!row || !plot->values)
        return -1;
    for (size_t i = 0; i < plot->row_count; i++) {
        double threads = 0;
        cup_busy_start(row, input->totals);
        for (size_t n = i * per_row; n < (i + 1) * per_row && n < plot->worker_count; n++) {
            cup_busy_add(row, input->totals, members[n].process);
            threads += (double)members[n].threads;
        }
        for (size_t bin = 0; bin < row->tasks.count; bin++)
            plot->values[cup_worker_row(plot, i) * row->tasks.count + bin] =
                cup_busy_percent(row, bin, threads);
        plot->bin_count = row->tasks.count;
        plot->bin_s = row->tasks.bin_s;
        plot->seconds = row->tasks.run_s;
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
    if (count == 1)
        return cup_plot_unavailable(input, "there was one worker: executing-tasks shows it");
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
