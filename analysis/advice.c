#include "analysis/advice.h"

#include <stdio.h>
#include <stdlib.h>

#include "analysis/metrics.h"

/* Each rule says whether it applies and then fills *advice. */
typedef bool (*rule)(const struct cup_totals *t, struct cup_advice *advice);

static double metric(const struct cup_totals *t, const char *section, const char *name)
{
    return cup_number(cup_metric_named(t, section, name));
}

/* A figure in humane units; the buffer is the caller's. */
static const char *humane(char *to, double number, enum cup_unit unit)
{
    return cup_print_humane(to, cup_real(number), unit);
}

/* ---- trouble ---------------------------------------------------------------------------- */

static bool tasks_failed(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_task *first = NULL;
    for (size_t i = 0; i < t->profile->task_count && !first && t->all.erred; i++)
        if (t->profile->tasks[i].status == CUP_STATUS_ERRED)
            first = &t->profile->tasks[i];
    if (!first)
        return false;
    struct cup_text error = cup_profile_text(t->profile, first->error);
    advice->weight = 2;
    snprintf(advice->text, sizeof advice->text, "%llu of %llu tasks failed (threshold: any)%s%.*s.",
             (unsigned long long)t->all.erred, (unsigned long long)t->all.tasks,
             error.length ? "; the first: " : "", (int)(error.length < 160 ? error.length : 160),
             error.bytes ? error.bytes : "");
    return true;
}

static bool tasks_unfinished(const struct cup_totals *t, struct cup_advice *advice)
{
    if (t->all.unfinished == 0)
        return false;
    advice->weight = 1.5;
    snprintf(
        advice->text, sizeof advice->text,
        "%llu of %llu tasks never ended (threshold: any): their process was killed, crashed or "
        "is still running. A worker that is killed is often out of memory.",
        (unsigned long long)t->all.unfinished, (unsigned long long)t->all.tasks);
    return true;
}

static bool records_lost(const struct cup_totals *t, struct cup_advice *advice)
{
    uint64_t lost =
        t->profile->health[CUP_H_RECORDS_DROPPED] + t->profile->health[CUP_H_BLOCKS_DROPPED];
    if (lost == 0)
        return false;
    advice->weight = 1.2;
    snprintf(advice->text, sizeof advice->text,
             "%llu records or events were lost (threshold: any): disk full or limit reached. Sums "
             "in this report are too low.",
             (unsigned long long)lost);
    return true;
}

static bool unattributed(const struct cup_totals *t, struct cup_advice *advice)
{
    double share = 1 - metric(t, "attribution", "share_attributed");
    char bytes[CUP_HUMANE_ROOM];
    if (!(share > 0.01))
        return false;
    advice->weight = 0.5 + share;
    snprintf(advice->text, sizeof advice->text,
             "%s, %.1f %% of the bytes read in workers, found no task (threshold 1 %%): see "
             "attribution and health for which feature is off.",
             humane(bytes, share * metric(t, "attribution", "bytes_total"), CUP_UNIT_BYTES),
             share * 100);
    return true;
}

/* ---- time ------------------------------------------------------------------------------- */

static bool outside_tasks(const struct cup_totals *t, struct cup_advice *advice)
{
    double outside = metric(t, "time_budget", "outside_tasks_s");
    double threads = metric(t, "time_budget", "threads_s"), share = outside / threads;
    if (!(share > 0.3))
        return false;
    char time[CUP_HUMANE_ROOM];
    advice->weight = share;
    snprintf(advice->text, sizeof advice->text,
             "Worker threads were outside of any task for %.0f %% of their time (%s, threshold "
             "30 %%): too few chunks for so many threads, a long tail, or Dask's own work between "
             "tasks.",
             share * 100, humane(time, outside, CUP_UNIT_SECONDS));
    return true;
}

static bool waiting_inside(const struct cup_totals *t, struct cup_advice *advice)
{
    double other = metric(t, "time_budget", "other_task_s"), tasks = (double)t->all.wall_ns / 1e9;
    double read = (double)t->counters[CUP_C_READ_NS] / 1e9;
    char waited[CUP_HUMANE_ROOM], reads[CUP_HUMANE_ROOM];
    if (!(other / tasks > 0.3))
        return false;
    advice->weight = other / metric(t, "time_budget", "threads_s");
    snprintf(advice->text, sizeof advice->text,
             "Tasks were off the CPU for %.0f %% of their time (%s, threshold 30 %%). Calls that "
             "read files took %s on all threads together; the rest is the GIL, locks, sockets or "
             "a busy machine.",
             other / tasks * 100, humane(waited, other, CUP_UNIT_SECONDS),
             humane(reads, read, CUP_UNIT_SECONDS));
    return true;
}

static bool opening(const struct cup_totals *t, struct cup_advice *advice)
{
    double open = (double)t->open_ns / 1e9, all = (double)t->chunk_wall_ns / 1e9;
    char opens[CUP_HUMANE_ROOM];
    if (!t->timed_chunks || !(open / all > 0.25))
        return false;
    advice->weight = open / metric(t, "time_budget", "threads_s");
    snprintf(advice->text, sizeof advice->text,
             "Chunks spent %.0f %% of their time before process() (%s, threshold 25 %%): opening "
             "files and imports. Larger chunks pay it less often.",
             open / all * 100, humane(opens, open, CUP_UNIT_SECONDS));
    return true;
}

static bool long_tail(const struct cup_totals *t, struct cup_advice *advice)
{
    double tail = (double)t->tail_ns / 1e9, all = (double)cup_stretch_ns(t->chunks) / 1e9;
    char tails[CUP_HUMANE_ROOM];
    if (t->tail_ns < 0 || t->used_chunks < 20 || !(tail / all > 0.25))
        return false;
    advice->weight = tail / all * 0.5;
    snprintf(advice->text, sizeof advice->text,
             "The last 10 %% of the chunks took %.0f %% of the chunks' time (%s, threshold 25 %%): "
             "smaller or more even chunks shorten the tail.",
             tail / all * 100, humane(tails, tail, CUP_UNIT_SECONDS));
    return true;
}

static bool wasted(const struct cup_totals *t, struct cup_advice *advice)
{
    double waste = metric(t, "efficiency", "wasted_wall_s"), all = (double)t->all.wall_ns / 1e9;
    char time[CUP_HUMANE_ROOM];
    if (!(waste / all > 0.05))
        return false;
    advice->weight = waste / all;
    snprintf(advice->text, sizeof advice->text,
             "%.0f %% of the task time (%s, threshold 5 %%) went into results that were not used: "
             "%llu tasks failed, %llu chunks were done again.",
             waste / all * 100, humane(time, waste, CUP_UNIT_SECONDS),
             (unsigned long long)t->failed.tasks, (unsigned long long)t->repeated.tasks);
    return true;
}

/* ---- reading ---------------------------------------------------------------------------- */

static bool read_again(const struct cup_totals *t, struct cup_advice *advice)
{
    double times = (double)t->chunk_file_bytes / (double)t->chunk_file_size;
    char bytes[CUP_HUMANE_ROOM], size[CUP_HUMANE_ROOM];
    if (!t->chunk_file_size || !(times > 1.5))
        return false;
    advice->weight = 0.2;
    snprintf(
        advice->text, sizeof advice->text,
        "Chunks read %s from .root files of %s: %.1f times their size (threshold 1.5). Parts of "
        "them are read more than once: headers by each chunk, and baskets that several chunks "
        "share.",
        humane(bytes, (double)t->chunk_file_bytes, CUP_UNIT_BYTES),
        humane(size, (double)t->chunk_file_size, CUP_UNIT_BYTES), times);
    return true;
}

static bool small_reads(const struct cup_totals *t, struct cup_advice *advice)
{
    double bytes = cup_number(cup_metric_named(t, "attribution", "bytes_attributed"));
    double calls = (double)t->counters[CUP_C_READ_CALLS], time = (double)t->counters[CUP_C_READ_NS];
    char size[CUP_HUMANE_ROOM], total[CUP_HUMANE_ROOM];
    double share = time / (double)t->all.wall_ns;
    if (calls < 1000 || !(bytes / calls < 16384) || !(share > 0.05))
        return false;
    advice->weight = share;
    snprintf(advice->text, sizeof advice->text,
             "Reads are small: %s a call (threshold 16.4 kB) over %.0f calls, which took %s, "
             "%.0f %% of the task time (threshold 5 %%).",
             humane(size, bytes / calls, CUP_UNIT_BYTES), calls,
             humane(total, time / 1e9, CUP_UNIT_SECONDS), share * 100);
    return true;
}

/* ---- nothing to complain of ------------------------------------------------------------- */

static bool nothing_stands_out(const struct cup_totals *t, struct cup_advice *advice)
{
    double cpu = (double)t->all.cpu_ns, tasks = (double)t->all.wall_ns;
    if (t->all.tasks == 0)
        return false;
    advice->weight = 0;
    if (cpu / tasks >= 0.7)
        snprintf(advice->text, sizeof advice->text,
                 "CPU-bound: %.0f %% of the time inside tasks was CPU time (threshold 70 %%). More "
                 "cores or faster code make it faster, faster storage does not.",
                 cpu / tasks * 100);
    else
        snprintf(advice->text, sizeof advice->text,
                 "Nothing stands out: no threshold of the report's rules was reached.");
    return true;
}

static int heavier_first(const void *left, const void *right)
{
    const struct cup_advice *a = left, *b = right;
    return a->weight > b->weight ? -1 : a->weight < b->weight;
}

size_t cup_advice_make(const struct cup_totals *totals, struct cup_advice advice[CUP_ADVICE_MOST])
{
    static const rule rules[] = {
        tasks_failed, tasks_unfinished, records_lost, unattributed, outside_tasks, waiting_inside,
        opening,      long_tail,        wasted,       read_again,   small_reads,
    };
    size_t count = 0;
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        advice[count] = (struct cup_advice){0};
        count += rules[i](totals, &advice[count]);
    }
    if (count == 0)
        return nothing_stands_out(totals, &advice[0]);
    qsort(advice, count, sizeof *advice, heavier_first);
    return count;
}
