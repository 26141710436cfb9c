#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/base/units.h"
#include "analysis/compare/inputs.h"
#include "analysis/compare/run_stacks.h"
#include "analysis/metrics/functions/call_slices.h"
#include "plot/flame/flame.h"
#include "plot/shared/plot.h"
#include "plot/shared/runs.h"

/* One of the two runs. */
struct side {
    size_t input;
    double divisor;             /* number of events or tasks; for times, multiplied by 1e9 */
    uint64_t *totals, *samples; /* owned; one for each node of the merged tree */
};

struct comparing {
    struct cup_plot_input *input;
    const struct cup_flame_weight *weight;
    struct cup_call_tree tree; /* owned; merged from both runs */
    struct side from, to;      /* the baseline, and the other run */
    bool by_event;
    double gone;            /* share of `from` in functions that `to` does not have */
    size_t gone_count;      /* number of these functions */
    uint32_t most_gone;     /* the largest of these functions */
    double most_gone_share; /* its share of `from` */
};

static double amount_at(const struct side *side, size_t node)
{
    return (double)side->totals[node] / side->divisor;
}

/* ---- making both sides -------------------------------------------------------------------- */

static int make_side(struct comparing *comparing, struct side *side, size_t input)
{
    const struct cup_figures *figures = &comparing->input->runs->comparison->inputs[input];
    bool seconds = cup_weight_units[comparing->weight->weight] == CUP_UNIT_SECONDS;
    side->input = input;
    side->divisor = cup_run_stacks_divisor(figures, comparing->by_event) * (seconds ? 1e9 : 1);
    side->totals = cup_call_totals(&comparing->tree, comparing->weight->weight, (uint32_t)input);
    side->samples = cup_call_totals(&comparing->tree, CUP_W_SAMPLES, (uint32_t)input);
    return side->totals && side->samples ? 0 : -1;
}

static int merge_sides(struct comparing *comparing)
{
    const struct cup_comparison *runs = comparing->input->runs->comparison;
    comparing->by_event = cup_run_stacks_by_event(runs->inputs, runs->input_count);
    return cup_run_stacks_merge(&comparing->tree, runs->inputs, runs->input_count) == 0 &&
                   make_side(comparing, &comparing->from, runs->baseline) == 0 &&
                   make_side(comparing, &comparing->to, 1 - runs->baseline) == 0
               ? 0
               : -1;
}

static void free_sides(struct comparing *comparing)
{
    free(comparing->from.totals);
    free(comparing->from.samples);
    free(comparing->to.totals);
    free(comparing->to.samples);
    cup_call_tree_free(&comparing->tree);
}

/* ---- what changed ------------------------------------------------------------------------- */

/* The variance of an amount that is estimated from samples; measured amounts have none. */
static double variance(const struct comparing *comparing, const struct side *side, uint32_t node)
{
    double amount = amount_at(side, node);
    if (amount > 0 && comparing->weight->weight == CUP_W_CPU && side->samples[node])
        return amount * amount / (double)side->samples[node];
    if (comparing->weight->weight == CUP_W_ALLOC)
        return amount * CUP_FLAME_ALLOC_STEP / side->divisor;
    return 0;
}

/* A change within twice the sampling error counts as none. */
static int8_t shade_of(const struct comparing *comparing, uint32_t node, double change)
{
    static const double shades[] = CUP_FLAME_SHADES;
    double all = amount_at(&comparing->from, 0), share = all > 0 ? fabs(change) / all : 1;
    double error = sqrt(variance(comparing, &comparing->from, node) +
                        variance(comparing, &comparing->to, node));
    int8_t shade = 0;
    for (int i = 0; i < CUP_FLAME_SHADE_COUNT; i++)
        shade += share >= shades[i];
    return fabs(change) < 2 * error ? 0 : change < 0 ? (int8_t)-shade : shade;
}

static void compare_boxes(const struct comparing *comparing, struct cup_flame *plot,
                          const struct cup_folded *folded)
{
    plot->compared = true;
    for (size_t i = 0; i < plot->count; i++) {
        struct cup_flame_box *box = &plot->boxes[i];
        uint32_t node = folded->nodes[box->node].node;
        box->change = amount_at(&comparing->to, node) - amount_at(&comparing->from, node);
        box->shade = shade_of(comparing, node, box->change);
    }
}

/* ---- functions that are gone
 * ------------------------------------------------------------------------- */

static uint32_t function_of(const struct comparing *comparing, uint32_t node)
{
    return comparing->tree.frames[comparing->tree.nodes[node].frame].function;
}

/* True if no caller is the same function: recursive functions count once for each stack. */
static bool is_outermost(const struct comparing *comparing, uint32_t node)
{
    const struct cup_call_node *nodes = comparing->tree.nodes;
    for (uint32_t at = nodes[node].parent; at; at = nodes[at].parent)
        if (function_of(comparing, at) == function_of(comparing, node))
            return false;
    return true;
}

/* A function that may be gone: its amount in `from`, callees included. */
struct gone {
    double amount, variance;
    bool is_there; /* not gone: `to` has it, or it is within the sampling error of 0 in `from` */
};

static void sum_functions(const struct comparing *comparing, struct gone *gone)
{
    for (uint32_t i = 1; i < comparing->tree.node_count; i++) {
        struct gone *of = &gone[function_of(comparing, i)];
        of->is_there |= comparing->to.totals[i] > 0;
        if (!comparing->from.totals[i] || !is_outermost(comparing, i))
            continue;
        of->amount += amount_at(&comparing->from, i);
        of->variance += variance(comparing, &comparing->from, i);
    }
}

static void choose_gone(struct comparing *comparing, struct gone *gone)
{
    double all = amount_at(&comparing->from, 0);
    for (uint32_t i = 0; i < comparing->tree.function_count; i++) {
        gone[i].is_there |= gone[i].amount <= 0 || gone[i].amount < 2 * sqrt(gone[i].variance);
        if (gone[i].is_there)
            continue;
        comparing->gone_count++;
        if (gone[i].amount / all <= comparing->most_gone_share)
            continue;
        comparing->most_gone = i;
        comparing->most_gone_share = gone[i].amount / all;
    }
}

/* Adds up the amounts of stacks with gone functions. A stack with several of them counts once. */
static void add_gone(struct comparing *comparing, const struct gone *gone, bool *below)
{
    double all = amount_at(&comparing->from, 0);
    for (uint32_t i = 1; i < comparing->tree.node_count; i++) {
        bool counted = below[comparing->tree.nodes[i].parent];
        below[i] = counted || !gone[function_of(comparing, i)].is_there;
        if (below[i] && !counted)
            comparing->gone += amount_at(&comparing->from, i) / all;
    }
}

/* Finds the functions of `from` that are on no stack of `to`. */
static int find_gone(struct comparing *comparing)
{
    struct gone *gone = calloc(comparing->tree.function_count + 1, sizeof *gone);
    bool *below = calloc(comparing->tree.node_count + 1, sizeof *below);
    int result = gone && below ? 0 : -1;
    if (result == 0) {
        sum_functions(comparing, gone);
        choose_gone(comparing, gone);
        add_gone(comparing, gone, below);
    }
    free(gone);
    free(below);
    return result;
}

/* ---- caption -------------------------------------------------------------------------------- */

static void print_gone(char *to, size_t room, const struct comparing *comparing)
{
    char name[CUP_FRAME_ROOM], number[64], most[40] = "";
    to[0] = '\0';
    if (comparing->gone_count == 0)
        return;
    cup_function_text(&comparing->tree, comparing->most_gone, 0, name);
    if (comparing->gone_count > 1)
        snprintf(most, sizeof most, ", the largest, %.1f %%", 100 * comparing->most_gone_share);
    snprintf(to, room, " %.1f %% of %c was in %s that %c does not have%s: %.60s.",
             100 * comparing->gone, cup_input_letter(comparing->from.input),
             cup_count_text(number, comparing->gone_count, "function"),
             cup_input_letter(comparing->to.input), most, name);
}

static void write_caption(const struct comparing *comparing, const struct cup_flame *plot,
                          const struct cup_flame_left_out *left_out)
{
    const char from = cup_input_letter(comparing->from.input);
    const char to = cup_input_letter(comparing->to.input);
    const struct cup_figures *inputs = comparing->input->runs->comparison->inputs;
    const struct cup_call_ask *ask = &inputs[comparing->to.input].stacks->tree.ask;
    char gone[200], now[24], before[24], said[CUP_FLAME_LEFT_OUT_TEXT], asked[CUP_ASK_TEXT];
    print_gone(gone, sizeof gone, comparing);
    cup_plot_set_caption(
        comparing->input,
        "Width: %s per %s of %c (cupping): %s; in %c %s. Shades: changes from 0.1, 1, 10 %% of %c "
        "on%s.%s%s%s",
        comparing->weight->how, comparing->by_event ? "event" : "task", to,
        cup_tick_text(now, plot->all, plot->unit), from,
        cup_tick_text(before, amount_at(&comparing->from, 0), plot->unit), from,
        comparing->weight->weight == CUP_W_CPU || comparing->weight->weight == CUP_W_ALLOC
            ? "; grey: within the sampling error"
            : "",
        cup_call_ask_text(asked, ask), gone, cup_flame_left_out_text(said, left_out));
}

/* ---- the plots ---------------------------------------------------------------------------- */

static const void *make_plot(struct comparing *comparing, const struct cup_folded *folded)
{
    struct cup_flame_left_out left_out;
    struct cup_flame *plot = cup_flame_make(comparing->input->arena, &comparing->tree, folded,
                                            comparing->weight, comparing->to.divisor, &left_out);
    if (!plot || find_gone(comparing) != 0)
        return NULL;
    compare_boxes(comparing, plot, folded);
    write_caption(comparing, plot, &left_out);
    return plot;
}

static const void *make_compared(struct comparing *comparing)
{
    struct cup_folded folded;
    const void *plot = NULL;
    if (merge_sides(comparing) == 0 && comparing->to.totals[0] == 0)
        return cup_plot_unavailable(comparing->input, "%c: %s",
                                    cup_input_letter(comparing->to.input), comparing->weight->none);
    if (comparing->to.totals && comparing->to.samples &&
        cup_fold(&folded, &comparing->tree, comparing->weight->weight,
                 (uint32_t)comparing->to.input, CUP_FOLD_FUNCTIONS) == 0) {
        plot = make_plot(comparing, &folded);
        cup_folded_free(&folded);
    }
    return plot;
}

/* Returns true and sets the reason if an input has no such data. */
static bool is_missing(struct cup_plot_input *input, const struct cup_flame_weight *weight)
{
    const struct cup_comparison *runs = input->runs->comparison;
    for (size_t i = 0; i < runs->input_count; i++) {
        const char *why = cup_run_stacks_missing(&runs->inputs[i]);
        if (!why && weight->weight == CUP_W_CPU && !runs->inputs[i].stacks->sampled)
            why = "no process was sampled (CUPPING_CPU_HZ=0)";
        if (why) {
            cup_plot_unavailable(input, "%c: %s", cup_input_letter(i), why);
            return true;
        }
    }
    return false;
}

const void *cup_data_compare_flame(struct cup_plot_input *input)
{
    struct comparing comparing = {.input = input, .weight = cup_flame_weight_named(input->name)};
    if (input->runs->comparison->input_count != 2)
        return cup_plot_unavailable(input,
                                    "shows two runs, not %zu: name two, or see the page (--html), "
                                    "which compares the baseline with each other run",
                                    input->runs->comparison->input_count);
    if (is_missing(input, comparing.weight))
        return NULL;
    const void *plot = make_compared(&comparing);
    free_sides(&comparing);
    return plot;
}
