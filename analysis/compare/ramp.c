#include "analysis/compare/ramp.h"

#include "analysis/metrics/formulas.h"
#include "analysis/profile/summed_text.h"

struct bins {
    int64_t start_ns, stop_ns;
    unsigned count;
    double width_ns;
    double busy_ns[CUP_RAMP_BINS];
    double events[CUP_RAMP_BINS], requested[CUP_RAMP_BINS], read[CUP_RAMP_BINS];
};

/* ---- bins ------------------------------------------------------------------------------- */

static void cut(struct bins *bins, struct cup_stretch chunks)
{
    int64_t whole_ns = cup_stretch_ns(chunks);
    *bins = (struct bins){.start_ns = chunks.start_ns, .stop_ns = chunks.stop_ns};
    if (whole_ns <= 0)
        return;
    int64_t count = whole_ns / CUP_RAMP_LEAST_BIN_NS;
    bins->count = count > CUP_RAMP_BINS ? CUP_RAMP_BINS : count < 1 ? 1 : (unsigned)count;
    bins->width_ns = (double)whole_ns / bins->count;
}

static unsigned bin_of(const struct bins *bins, double offset_ns)
{
    double at = offset_ns / bins->width_ns;
    return at <= 0 ? 0 : at >= bins->count ? bins->count - 1 : (unsigned)at;
}

/* Spreads `amount` over [start, stop); what lies outside of the bins is lost. */
static void spread(const struct bins *bins, double *to, int64_t start_ns, int64_t stop_ns,
                   double amount)
{
    double from = (double)(start_ns - bins->start_ns), until = (double)(stop_ns - bins->start_ns);
    double whole = until - from, end = bins->width_ns * bins->count;
    if (whole <= 0 || until <= 0 || from >= end || amount <= 0)
        return;
    for (unsigned i = bin_of(bins, from), last = bin_of(bins, until); i <= last; i++) {
        double left = i * bins->width_ns, right = left + bins->width_ns;
        double part = (until < right ? until : right) - (from > left ? from : left);
        if (part > 0)
            to[i] += amount * part / whole;
    }
}

static double known(uint64_t number)
{
    return number == CUP_UNKNOWN64 ? 0 : (double)number;
}

static void add_chunk(struct bins *bins, const struct cup_task *task, const struct cup_item *item)
{
    spread(bins, bins->events, task->start_ns, task->stop_ns, known(cup_item_events(item)));
    spread(bins, bins->requested, task->start_ns, task->stop_ns, known(item->requested_bytes));
    spread(bins, bins->read, task->start_ns, task->stop_ns, (double)task->read_bytes);
}

static void add_tasks(struct bins *bins, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct cup_task *task = &profile->tasks[i];
        if (cup_task_place(task) != CUP_PLACE_POOL || cup_task_wall_ns(task) == CUP_UNKNOWN64)
            continue;
        spread(bins, bins->busy_ns, task->start_ns, task->stop_ns, (double)cup_task_wall_ns(task));
        if (task->item && totals->outcomes[task->item - 1] == CUP_OUTCOME_USED)
            add_chunk(bins, task, &profile->items[task->item - 1]);
    }
}

/* ---- steps ------------------------------------------------------------------------------ */

/* Busy threads that make one step: 1, or, where there are many, a round number. */
static double step_width(double most)
{
    double width = 1;
    for (int digit = 0; most / width > CUP_RAMP_STEPS - 1; digit++)
        width *= digit % 3 == 1 ? 2.5 : 2;
    return width;
}

static void gather(struct cup_ramp *ramp, const struct bins *bins)
{
    double most = 0;
    for (unsigned i = 0; i < bins->count; i++)
        most = bins->busy_ns[i] > most ? bins->busy_ns[i] : most;
    double width = step_width(most / bins->width_ns);
    struct cup_ramp_step steps[CUP_RAMP_STEPS + 1] = {{0}};
    for (unsigned i = 0; i < bins->count; i++) {
        unsigned at = (unsigned)(bins->busy_ns[i] / bins->width_ns / width + 0.5);
        struct cup_ramp_step *step = &steps[at > CUP_RAMP_STEPS ? CUP_RAMP_STEPS : at];
        step->bins++;
        step->seconds += ramp->bin_s;
        step->busy_s += bins->busy_ns[i] / 1e9;
        step->events += bins->events[i];
        step->requested_bytes += bins->requested[i];
        step->read_bytes += bins->read[i];
    }
    for (unsigned i = width > 1 ? 0 : 1; i <= CUP_RAMP_STEPS; i++) /* under half a thread: idle */
        if (steps[i].bins && steps[i].busy_s > 0 && ramp->count < CUP_RAMP_STEPS)
            ramp->steps[ramp->count++] = steps[i];
}

double cup_ramp_busy(const struct cup_ramp_step *step)
{
    return step->seconds > 0 ? step->busy_s / step->seconds : 0;
}

double cup_ramp_bytes(const struct cup_ramp *ramp, const struct cup_ramp_step *step)
{
    return ramp->rate_requested > 0 ? step->requested_bytes : step->read_bytes;
}

static double amount(const struct cup_ramp *ramp, const struct cup_ramp_step *step)
{
    return ramp->by_events ? step->events : cup_ramp_bytes(ramp, step);
}

double cup_ramp_rate(const struct cup_ramp *ramp, const struct cup_ramp_step *step)
{
    return step->seconds > 0 ? amount(ramp, step) / step->seconds : 0;
}

double cup_ramp_rate_per_thread(const struct cup_ramp *ramp, const struct cup_ramp_step *step)
{
    return step->busy_s > 0 ? amount(ramp, step) / step->busy_s : 0;
}

/* ---- the answer ------------------------------------------------------------------------- */

static unsigned mark_sustained(struct cup_ramp *ramp)
{
    unsigned sustained = 0;
    double least_s = CUP_RAMP_LEAST_SHARE * ramp->bin_s * ramp->bins;
    for (unsigned i = 0; i < ramp->count; i++) {
        struct cup_ramp_step *step = &ramp->steps[i];
        step->sustained = step->seconds >= least_s * 0.999;
        sustained += step->sustained;
        if (!step->sustained)
            continue;
        ramp->widest = (int)i;
        if (ramp->best < 0 || cup_ramp_rate_per_thread(ramp, step) >
                                  cup_ramp_rate_per_thread(ramp, &ramp->steps[ramp->best]))
            ramp->best = (int)i;
    }
    return sustained;
}

static void find_bend(struct cup_ramp *ramp)
{
    if (ramp->best < 0)
        return;
    double best = cup_ramp_rate_per_thread(ramp, &ramp->steps[ramp->best]);
    for (unsigned i = 0; i < ramp->count; i++)
        if (ramp->steps[i].sustained &&
            cup_ramp_rate_per_thread(ramp, &ramp->steps[i]) >= CUP_RAMP_BEND * best)
            ramp->bend = (int)i;
}

static double per_second(double number, double seconds)
{
    return seconds > 0 ? number / seconds : 0;
}

static void set_rates(struct cup_ramp *ramp, const struct cup_totals *totals)
{
    double seconds = cup_run_s(totals);
    ramp->by_events = cup_events_known(totals) && totals->events > 0;
    ramp->rate_events = ramp->by_events ? per_second((double)totals->events, seconds) : 0;
    if (!totals->coffea.unknown)
        ramp->rate_requested = per_second((double)totals->coffea.bytes, seconds);
    ramp->rate_read = per_second((double)cup_attributed_bytes(totals), seconds);
    if (ramp->rate_requested > 0)
        ramp->bytes_are = "requested by uproot";
    else if (ramp->rate_read > 0)
        ramp->bytes_are = "read from files";
}

struct cup_ramp cup_ramp_make(const struct cup_totals *totals)
{
    struct cup_ramp ramp = {.best = -1, .bend = -1, .widest = -1};
    struct bins bins;
    set_rates(&ramp, totals);
    cut(&bins, totals->chunks);
    if (bins.count == 0 || totals->used_chunks == 0) {
        ramp.missing = "no chunk ended whose result was used";
        return ramp;
    }
    if (totals->profile->tasks_summed) {
        ramp.missing = CUP_SUMMED;
        return ramp;
    }
    ramp.bins = bins.count;
    ramp.bin_s = bins.width_ns / 1e9;
    add_tasks(&bins, totals);
    gather(&ramp, &bins);
    if (!ramp.by_events && !ramp.bytes_are)
        ramp.missing = "neither events nor bytes of the chunks are known";
    else if (mark_sustained(&ramp) < 2)
        ramp.missing = "the number of busy threads did not vary for long enough";
    else
        find_bend(&ramp);
    return ramp;
}
