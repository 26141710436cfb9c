#include <stdio.h>

#include "analysis/compare/compare_write.h"
#include "analysis/write/table.h"

/* ---- numbers ---------------------------------------------------------------------------- */

static enum cup_unit rate_unit(const struct cup_ramp *ramp)
{
    return ramp->by_events ? CUP_UNIT_HZ : CUP_UNIT_MBS;
}

/* Bytes are shown in MB/s. */
static struct cup_value shown_rate(const struct cup_ramp *ramp, double rate)
{
    return cup_real(ramp->by_events ? rate : rate / 1e6);
}

static double best_rate(const struct cup_ramp *ramp)
{
    return ramp->best < 0 ? 0 : cup_ramp_rate_per_thread(ramp, &ramp->steps[ramp->best]);
}

static double share_of_best(const struct cup_ramp *ramp, const struct cup_ramp_step *step)
{
    double best = best_rate(ramp);
    return best > 0 ? cup_ramp_rate_per_thread(ramp, step) / best : NAN;
}

static double per_second(double number, double seconds)
{
    return seconds > 0 ? number / seconds : NAN;
}

/* ---- for people ------------------------------------------------------------------------- */

static void add_step(struct cup_table *table, const struct cup_ramp *ramp,
                     const struct cup_ramp_step *step)
{
    double bytes = per_second(cup_ramp_bytes(ramp, step), step->seconds);
    cup_table_add_value(table, cup_real(cup_ramp_busy(step)), CUP_UNIT_RATIO);
    cup_table_add_value(table, cup_real(step->seconds), CUP_UNIT_SECONDS);
    cup_table_add_value(table, shown_rate(ramp, cup_ramp_rate(ramp, step)), rate_unit(ramp));
    cup_table_add_value(table, shown_rate(ramp, cup_ramp_rate_per_thread(ramp, step)),
                        rate_unit(ramp));
    if (step->sustained)
        cup_table_add_value(table, cup_real(share_of_best(ramp, step)), CUP_UNIT_SHARE);
    else
        cup_table_add_string(table, "too short");
    cup_table_add_value(table, ramp->bytes_are ? cup_real(bytes * 8 / 1e9) : cup_null(),
                        CUP_UNIT_GBPS);
}

static void print_steps(const struct cup_terminal *terminal, const struct cup_ramp *ramp)
{
    static const struct cup_column columns[] = {
        {"busy threads", CUP_FIT_RIGHT, 0}, {"time", CUP_FIT_RIGHT, 1},
        {"rate", CUP_FIT_RIGHT, 0},         {"per thread", CUP_FIT_RIGHT, 0},
        {"of the best", CUP_FIT_RIGHT, 0},  {"bytes", CUP_FIT_RIGHT, 2},
    };
    struct cup_table table;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (unsigned i = 0; i < ramp->count; i++)
        add_step(&table, ramp, &ramp->steps[i]);
    cup_table_finish(&table, terminal);
}

static void print_bend(const struct cup_terminal *terminal, const struct cup_ramp *ramp)
{
    const struct cup_ramp_step *last = &ramp->steps[ramp->widest];
    const char *rate = CUP_SHOW_VALUE(shown_rate(ramp, best_rate(ramp)), rate_unit(ramp));
    const char *widest = CUP_SHOW(cup_ramp_busy(last), CUP_UNIT_RATIO);
    const char *share = CUP_SHOW(share_of_best(ramp, last), CUP_UNIT_SHARE);
    if (ramp->bend == ramp->widest)
        cup_compare_line(
            terminal, CUP_PLAIN, 2,
            "No bend: with %s busy threads, the most that lasted, the rate per thread is "
            "still %s of the best, %s.",
            widest, share, rate);
    else
        cup_compare_line(
            terminal, CUP_PLAIN, 2,
            "It bends beyond %s busy threads: with %s, the most that lasted, the rate per "
            "thread is %s of the best, %s.",
            CUP_SHOW(cup_ramp_busy(&ramp->steps[ramp->bend]), CUP_UNIT_RATIO), widest, share, rate);
}

void cup_ramp_text(const struct cup_terminal *terminal, const struct cup_ramp *ramp)
{
    if (ramp->missing) {
        cup_compare_line(terminal, CUP_PLAIN, 2, "The rate per thread by busy threads is n/a: %s.",
                         ramp->missing);
        return;
    }
    print_steps(terminal, ramp);
    print_bend(terminal, ramp);
    cup_compare_line(
        terminal, CUP_DIM, 2,
        "From the first chunk to the last, in %u bins of %s; a chunk's events and bytes "
        "(%s) are spread over its task. A step counts if it lasted 2 %% of that time; the "
        "bend is the last one with at least 90 %% of the best rate per thread.",
        ramp->bins, CUP_SHOW_S(ramp->bin_s), ramp->bytes_are ? ramp->bytes_are : "not known");
}

/* ---- the target ------------------------------------------------------------------------- */

/* The step's rate per busy thread, in events or bytes as the target; 0: not known. */
static double step_rate(const struct cup_ramp *ramp, const struct cup_target *target, int step)
{
    if (step < 0 || ramp->missing || ramp->steps[step].busy_s <= 0)
        return 0;
    const struct cup_ramp_step *it = &ramp->steps[step];
    return (target->events ? it->events : cup_ramp_bytes(ramp, it)) / it->busy_s;
}

static void print_factor(const struct cup_terminal *terminal, const struct cup_target *target,
                         double rate, const char *what)
{
    double factor = target->rate / rate, shown = target->events ? rate : rate * 8 / 1e9;
    if (rate > 0)
        cup_compare_line(terminal, CUP_BOLD, 2,
                         "Target %s: %s times what the whole run reached, %s %s.", target->text,
                         CUP_SHOW(factor, factor >= 100 ? CUP_UNIT_COUNT : CUP_UNIT_RATIO),
                         CUP_SHOW(shown, target->events ? CUP_UNIT_HZ : CUP_UNIT_GBPS), what);
}

static void print_threads(const struct cup_terminal *terminal, const struct cup_ramp *ramp,
                          const struct cup_target *target)
{
    double at_best = step_rate(ramp, target, ramp->best);
    double at_widest = step_rate(ramp, target, ramp->widest);
    if (at_best > 0 && at_widest > 0)
        cup_compare_line(
            terminal, CUP_PLAIN, 2,
            "It takes %s busy threads at the best rate per thread, or %s at the rate per thread "
            "that the most busy threads reached.",
            CUP_SHOW_COUNT(ceil(target->rate / at_best)),
            CUP_SHOW_COUNT(ceil(target->rate / at_widest)));
}

void cup_target_text(const struct cup_terminal *terminal, const struct cup_ramp *ramp,
                     const struct cup_target *target)
{
    if (!(target->rate > 0))
        return;
    if (target->events)
        print_factor(terminal, target, ramp->rate_events, "of events");
    else {
        print_factor(terminal, target, ramp->rate_requested, "requested by uproot");
        print_factor(terminal, target, ramp->rate_read, "delivered to tasks");
    }
    if (!((target->events ? ramp->rate_events : ramp->rate_requested + ramp->rate_read) > 0))
        cup_print_wrapped(terminal, CUP_PLAIN, 2,
                          target->events
                              ? "The distance to the target is n/a: no events are known."
                              : "The distance to the target is n/a: no bytes are known.");
    print_threads(terminal, ramp, target);
}

/* ---- for programs ----------------------------------------------------------------------- */

static void put_step(struct cup_json *json, const struct cup_ramp *ramp, unsigned index)
{
    const struct cup_ramp_step *step = &ramp->steps[index];
    double gbps = per_second(cup_ramp_bytes(ramp, step), step->seconds) * 8 / 1e9;
    double bytes = ramp->bytes_are ? gbps : NAN, events = ramp->by_events ? 1 : NAN;
    cup_json_row(json, NULL);
    cup_json_value(json, "busy_threads", cup_real(cup_ramp_busy(step)));
    cup_json_value(json, "bins", cup_count(step->bins));
    cup_json_value(json, "time_s", cup_real(step->seconds));
    cup_json_value(json, "events_per_s", cup_real(events * cup_ramp_rate(ramp, step)));
    cup_json_value(json, "events_per_thread_s",
                   cup_real(events * cup_ramp_rate_per_thread(ramp, step)));
    cup_json_value(json, "rate_gbps", cup_real(bytes));
    cup_json_value(json, "rate_per_thread_gbps", cup_ratio(bytes, cup_ramp_busy(step)));
    cup_json_value(json, "share_of_best", cup_real(share_of_best(ramp, step)));
    cup_json_value(json, "sustained", cup_bool(step->sustained));
    cup_json_end_object(json);
}

static struct cup_value factor(double target, double rate)
{
    return rate > 0 ? cup_real(target / rate) : cup_null();
}

static void put_target(struct cup_json *json, const struct cup_ramp *ramp,
                       const struct cup_target *target)
{
    double events = target->events ? target->rate : NAN;
    double bytes = target->events ? NAN : target->rate;
    if (!(target->rate > 0)) {
        cup_json_value(json, "target", cup_null());
        return;
    }
    cup_json_object(json, "target");
    cup_json_value(json, "text", cup_string(target->text));
    cup_json_value(json, "events_per_s", cup_real(events));
    cup_json_value(json, "gbps", cup_real(bytes * 8 / 1e9));
    cup_json_value(json, "factor_events", factor(events, ramp->rate_events));
    cup_json_value(json, "factor_requested", factor(bytes, ramp->rate_requested));
    cup_json_value(json, "factor_delivered", factor(bytes, ramp->rate_read));
    cup_json_value(json, "threads_at_best",
                   factor(target->rate, step_rate(ramp, target, ramp->best)));
    cup_json_value(json, "threads_at_most_busy",
                   factor(target->rate, step_rate(ramp, target, ramp->widest)));
    cup_json_end_object(json);
}

static struct cup_value busy_of(const struct cup_ramp *ramp, int step)
{
    return step < 0 || ramp->missing ? cup_null() : cup_real(cup_ramp_busy(&ramp->steps[step]));
}

void cup_ramp_json(struct cup_json *json, const char *name, const struct cup_ramp *ramp,
                   const struct cup_target *target)
{
    bool known = !ramp->missing;
    cup_json_object(json, name);
    cup_json_value(json, "missing", cup_string(ramp->missing));
    cup_json_value(json, "bins", cup_count(ramp->bins));
    cup_json_value(json, "bin_s", ramp->bins ? cup_real(ramp->bin_s) : cup_null());
    cup_json_value(json, "rate_is_of",
                   known ? cup_string(ramp->by_events ? "events" : "bytes") : cup_null());
    cup_json_value(json, "bytes_are", cup_string(ramp->bytes_are));
    cup_json_value(json, "best_busy_threads", busy_of(ramp, ramp->best));
    cup_json_value(json, "bend_busy_threads", busy_of(ramp, ramp->bend));
    cup_json_value(json, "most_busy_threads", busy_of(ramp, ramp->widest));
    cup_json_value(json, "bends", known ? cup_bool(ramp->bend != ramp->widest) : cup_null());
    cup_json_array(json, "steps");
    for (unsigned i = 0; i < ramp->count; i++)
        put_step(json, ramp, i);
    cup_json_end_array(json);
    put_target(json, ramp, target);
    cup_json_end_object(json);
}
