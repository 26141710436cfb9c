/* Advice on chunks: their size and the memory of workers, from fits over chunks of different sizes,
 * and where their time goes. */
#include "analysis/advice/advice_rules.h"
#include "analysis/metrics/reads/clusters.h"

/* Sizes that differ by a smaller factor count as the same. */
static const double another_size = 1.25;
/* A larger size is advised only if it saves this share of the chunks' time. */
static const double worthwhile = 0.05;

static bool chunks_too_small(const struct cup_totals *t)
{
    const struct cup_chunk_size *size = &t->fits->size;
    bool gains = size->fixed_share - size->new_fixed_share >= worthwhile ||
                 size->least_by == CUP_BOUND_SCHEDULER;
    return !size->missing && size->events >= another_size * size->present && gains;
}

static bool chunks_too_large(const struct cup_totals *t)
{
    const struct cup_chunk_size *size = &t->fits->size;
    return !size->missing && size->events * another_size <= size->present &&
           (size->most_by == CUP_BOUND_WALL || size->most_by == CUP_BOUND_MEMORY);
}

/* Adds what a worker needs at the advised chunk size, as far as it is known. */
static bool advise_memory(const struct cup_memory_need *need, struct cup_advice *advice)
{
    if (!(need->new_request_bytes > 0))
        return cup_advise_more(advice, " How much memory a worker then needs is not known.");
    return cup_advise_more(
        advice, " A worker of %u thread%s then needs about %s (error %s): set its limit to %s.",
        need->threads, need->threads == 1 ? "" : "s", CUP_SHOW_BYTES(need->new_bytes),
        CUP_SHOW_BYTES(need->new_error_bytes), CUP_SHOW_BYTES(need->new_request_bytes));
}

static const char *reason_of(const struct cup_chunk_size *size)
{
    if (size->most_by == CUP_BOUND_FILE && size->events >= size->most)
        return " (the largest file holds no more)";
    return fmod(size->events, size->cluster_events) == 0 ? " (whole clusters)" : "";
}

/* " of TTbar", where the fit is not over all chunks. */
static const char *name_dataset(const struct cup_totals *t, char *to)
{
    uint32_t dataset = t->fits->size.fit->dataset;
    struct cup_text name = cup_profile_text(t->profile, dataset);
    return dataset ? cup_format(to, " of %s", CUP_SHOW_TEXT(name, 60)) : "";
}

static bool advise_larger(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_chunk_size *size = &t->fits->size;
    char dataset[CUP_LINE_ROOM];
    double gain = size->fixed_share - size->new_fixed_share;
    cup_advise(
        advice, cup_saves(t, advice, gain * (double)t->chunk_wall_ns / 1e9),
        "Chunks%s are small: each has a fixed part of %s (error %s), by a fit over %zu of them. "
        "That is %.0f %% of its time at %s events (threshold %.0f %%, or tasks of less than %.0f "
        "ms x threads). \nUse chunks of %s events%s: the fixed part is then %.0f %% of %s.",
        name_dataset(t, dataset), CUP_SHOW_S(size->fixed_s), CUP_SHOW_S(size->fixed_error_s),
        size->fit->time.count, 100 * size->fixed_share, CUP_SHOW_COUNT(round(size->present)),
        100 * CUP_SIZE_FIXED_SHARE, 1e3 * CUP_SIZE_SCHEDULER_S, CUP_SHOW_COUNT(round(size->events)),
        reason_of(size), 100 * size->new_fixed_share, CUP_SHOW_S(size->new_wall_s));
    return advise_memory(&t->fits->memory, advice);
}

static bool advise_smaller(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_chunk_size *size = &t->fits->size;
    bool memory = size->most_by == CUP_BOUND_MEMORY;
    char dataset[CUP_LINE_ROOM];
    return cup_advise(advice, memory ? 0.8 : 0.1,
                      "Chunks%s are large: with %s events they take %s (threshold %.0f s, or a "
                      "worker's memory limit%s), at %s per event in a fit over %zu chunks. A "
                      "worker that dies loses that much work, and the run's end waits for the last "
                      "chunk. \nUse chunks of %s events: they take %s, of which %.0f %% is fixed.",
                      name_dataset(t, dataset), CUP_SHOW_COUNT(round(size->present)),
                      CUP_SHOW_S(size->wall_s), CUP_SIZE_MOST_S, memory ? ", as here" : "",
                      CUP_SHOW_S(size->event_s), size->fit->time.count,
                      CUP_SHOW_COUNT(round(size->events)), CUP_SHOW_S(size->new_wall_s),
                      100 * size->new_fixed_share);
}

bool cup_rule_chunk_size(const struct cup_totals *t, struct cup_advice *advice)
{
    if (chunks_too_small(t))
        return advise_larger(t, advice);
    return chunks_too_large(t) && advise_smaller(t, advice);
}

/* Too much memory costs something only if workers on several hosts requested it; on one host, the
 * memory is there anyway. */
static bool is_plenty(const struct cup_totals *t, double share)
{
    return share < 0.5 && t->hosts->count > 1;
}

bool cup_rule_memory_request(const struct cup_totals *t, struct cup_advice *advice)
{
    const struct cup_memory_need *need = &t->fits->memory;
    double share = need->request_bytes / need->limit_bytes;
    bool scarce = share > 1, seen = !isnan(need->seen_bytes);
    if (need->missing || !(scarce || is_plenty(t, share)))
        return false;
    return cup_advise(
        advice, scarce ? 0.7 : 0.01,
        "Workers of %u thread%s need about %s (error %s) at this chunk size, an estimate: what the "
        "process holds before a chunk, and for each thread the peak live heap of a chunk, by a fit "
        "over %zu chunks (at most %s each)%s%s. They have %s, %s (threshold: less than the limit "
        "advised "
        "here, or more "
        "than twice that). \n%s a limit of %s.",
        need->threads, need->threads == 1 ? "" : "s", CUP_SHOW_BYTES(need->bytes),
        CUP_SHOW_BYTES(need->error_bytes), need->fit->heap.count, CUP_SHOW_BYTES(need->chunk_bytes),
        seen ? "; samples saw at most " : "", seen ? CUP_SHOW_BYTES(need->seen_bytes) : "",
        CUP_SHOW_BYTES(need->limit_bytes),
        scarce ? "which is too little" : "which is more than they use",
        scarce ? "Set" : "Use more threads, or less memory:", CUP_SHOW_BYTES(need->request_bytes));
}

/* ---- their time ------------------------------------------------------------------------- */

bool cup_rule_opening(const struct cup_totals *t, struct cup_advice *advice)
{
    double open = (double)t->open_ns / 1e9, all = (double)t->chunk_wall_ns / 1e9;
    if (!t->timed_chunks || open <= 1 || open / all <= 0.25 || chunks_too_small(t) ||
        chunks_too_large(t))
        return false;
    cup_advise(advice, cup_saves(t, advice, open),
               "Chunks spent %.0f %% of their time before process() (%s, threshold 25 %%, and 1 "
               "s), opening files and importing modules. \nUse larger chunks, which open files "
               "less often",
               open / all * 100, CUP_SHOW_S(open));
    double events = cup_mean_chunk_events(t), cluster = cup_cluster_find(t).events;
    if (events < cluster)
        return cup_advise_more(advice, ": the present ones have %s events, clusters %s.",
                               CUP_SHOW_COUNT(round(events)), CUP_SHOW_COUNT(round(cluster)));
    return cup_advise_more(advice, ".");
}

bool cup_rule_long_tail(const struct cup_totals *t, struct cup_advice *advice)
{
    double tail = (double)t->tail_ns / 1e9, all = (double)cup_stretch_ns(t->chunks) / 1e9;
    double of_run = (double)t->tail_ns / (double)cup_stretch_ns(t->run);
    return t->tail_ns >= 0 && t->used_chunks >= 20 && tail / all > 0.25 &&
           cup_advise(
               advice,
               cup_saves(t, advice, of_run * 0.5 * cup_metric_number(CUP_METRIC_threads_s, t)),
               "The last 10 %% of the chunks took %.0f %% of the chunks' time (%s, "
               "threshold 25 %%). \nUse smaller or more even chunks.",
               tail / all * 100, CUP_SHOW_S(tail));
}

bool cup_rule_wasted(const struct cup_totals *t, struct cup_advice *advice)
{
    double waste = cup_metric_number(CUP_METRIC_wasted_wall_s, t),
           all = (double)(t->all.wall_ns + t->waste->killed.wall_ns) / 1e9;
    return waste / all > 0.05 &&
           cup_advise(advice, cup_saves(t, advice, waste),
                      "%.0f %% of the task time (%s, threshold 5 %%) was spent on attempts whose "
                      "result was not used: %s failed, %s ended but were computed again, %s never "
                      "ended. \nFind out why they failed, or why their workers died.",
                      waste / all * 100, CUP_SHOW_S(waste), CUP_SHOW_COUNT(t->waste->failed.tasks),
                      CUP_SHOW_COUNT(t->waste->retried.tasks + t->waste->lost.tasks),
                      CUP_SHOW_COUNT(t->waste->killed.tasks));
}
