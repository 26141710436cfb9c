/* By how much the resident memory (RSS) of its process grew while a chunk ran. Several tasks of a
 * process see the same growth: it is shared equally among those that ran at the time, so that the
 * shares add up to the growth of the process. */
#include <math.h>
#include <stdlib.h>

#include "analysis/metrics/sums/sums.h"

/* A task begins or ends, and the memory of its process at that time. */
struct moment {
    int64_t ns;
    double rss;
    const struct cup_task *task;
    bool begins;
};

static int earlier_first(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;
    if (a->ns != b->ns)
        return a->ns < b->ns ? -1 : 1;
    return (a->begins > b->begins) - (a->begins < b->begins);
}

/* Tasks are in the order in which they began, so each moment is only a few places from where it
 * belongs: to move it there takes a tenth of the time of a sort. If many are far, it sorts. */
static void sort_moments(struct moment *moments, size_t count)
{
    enum { USUAL_MOVES = 32 }; /* of one moment: some two for each thread of a process */
    size_t moves = 0;
    for (size_t i = 1; i < count; i++) {
        struct moment moment = moments[i];
        size_t at = i;
        for (; at > 0 && earlier_first(&moment, &moments[at - 1]) < 0; at--)
            moments[at] = moments[at - 1];
        moments[at] = moment;
        moves += i - at;
        if (moves > count * USUAL_MOVES) {
            qsort(moments, count, sizeof *moments, earlier_first);
            return;
        }
    }
}

/* A task that never ended runs until its process is gone. Returns how many moments there are. */
static size_t list_moments(struct moment *moments, const struct cup_task *tasks, size_t count)
{
    size_t moments_count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct cup_task *task = &tasks[i];
        bool ended = task->status != 0;
        if (task->rss_start == CUP_RSS_UNKNOWN || (ended && task->rss_stop == CUP_RSS_UNKNOWN))
            continue;
        moments[moments_count++] =
            (struct moment){task->start_ns, (double)cup_rss_bytes(task->rss_start), task, true};
        if (ended)
            moments[moments_count++] =
                (struct moment){task->stop_ns, (double)cup_rss_bytes(task->rss_stop), task, false};
    }
    sort_moments(moments, moments_count);
    return moments_count;
}

/* `share` is what one task would have if it had run since the first moment; a chunk's growth is the
 * difference of it between its end and its begin. */
static void share_growth(const struct moment *moments, size_t count, double *growth)
{
    double share = 0;
    size_t running = 0;
    for (size_t i = 0; i < count; i++) {
        const struct moment *at = &moments[i];
        if (running)
            share += (at->rss - moments[i - 1].rss) / (double)running;
        running += at->begins ? 1 : (size_t)-1;
        if (at->task->item && at->task->status != 0)
            growth[at->task->item - 1] = at->begins ? -share : growth[at->task->item - 1] + share;
    }
}

int cup_rss_growth_make(struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    uint64_t most = 0;
    for (size_t i = 0; i < profile->process_count; i++)
        most = profile->processes[i].tasks > most ? profile->processes[i].tasks : most;
    struct moment *moments = malloc((2 * most + 1) * sizeof *moments);
    double *growth = malloc((profile->item_count + 1) * sizeof *growth);
    for (size_t i = 0; growth && i < profile->item_count; i++)
        growth[i] = NAN;
    for (size_t i = 0; moments && growth && i < profile->process_count; i++) {
        const struct cup_process *process = &profile->processes[i];
        if (process->summed.tasks || process->tasks == 0)
            continue; /* of summed tasks, those that ran at the same time are not known */
        size_t count = list_moments(moments, profile->tasks + process->first_task, process->tasks);
        share_growth(moments, count, growth);
    }
    totals->rss_growth = growth;
    free(moments);
    return moments && growth ? 0 : -1;
}
