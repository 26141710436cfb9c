#include "plot/page/page_parts.h"

#include <stdlib.h>

#include "analysis/compare/run_stacks.h"
#include "analysis/metrics/functions/call_slices.h"
#include "analysis/write/html.h"
#include "plot/flame/flame.h"

enum { PREFIXES = 8, RUNS = 8 };

/* The slices, and what is written about them. */
struct part {
    struct cup_flame_slices slices;
    uint64_t all[CUP_FLAME_SLICES_MOST][CUP_FLAME_WEIGHTS];
    char groups[3][64]; /* headings in the list */
    const char *plots;  /* prefix of the pictures' names: "flame-" */
    bool sampled;       /* the run has CPU samples */
    struct cup_call_ask ask;
};

static void add_slice(struct part *part, const char *group, struct cup_text title, uint32_t prefix)
{
    part->slices.slices[part->slices.count++] = (struct cup_flame_slice){
        .group = group, .title = title, .prefix = prefix, .sampled = part->sampled};
}

/* ---- one run ------------------------------------------------------------------------------ */

bool cup_page_has_flame(const struct cup_totals *totals)
{
    return totals->calls && totals->calls->row_count > 0;
}

/* Prints "prefixes" or, if not all are shown, "prefixes: the 8 with the most time, of 12". */
static const char *print_group(char to[64], const char *what, size_t shown, size_t there)
{
    if (shown < there)
        snprintf(to, 64, "%s: the %zu with the most time, of %zu", what, shown, there);
    else
        snprintf(to, 64, "%s", what);
    return to;
}

static int add_prefixes(struct part *part, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    size_t count;
    uint32_t *order = cup_prefixes_by_time(totals, &count);
    if (!order)
        return -1;
    const char *group =
        print_group(part->groups[0], "prefixes", count < PREFIXES ? count : PREFIXES, count);
    for (size_t i = 0; i < count && i < PREFIXES && count > 1; i++)
        add_slice(part, group, cup_profile_text(profile, profile->prefixes[order[i]].name),
                  order[i]);
    free(order);
    return 0;
}

static void add_slices(struct part *part, const struct cup_totals *totals)
{
    static const char *const names[CUP_SLICE_KINDS] = {"datasets", "workers"};
    const struct cup_call_slices *slices = &totals->calls->slices;
    for (uint32_t i = 0; i < slices->count; i++) {
        const struct cup_call_slice *slice = &slices->slices[i];
        size_t there = slices->candidates[slice->kind];
        add_slice(part,
                  print_group(part->groups[1 + slice->kind], names[slice->kind],
                              there < CUP_SLICES_EACH ? there : CUP_SLICES_EACH, there),
                  cup_call_slice_name(totals->profile, slice), CUP_SLICE_GROUP + i);
    }
}

/* ---- several runs ------------------------------------------------------------------------- */

static bool has_stacks(const struct cup_comparison *comparison, size_t input)
{
    return comparison->inputs[input].stacks && comparison->inputs[input].stacks->tree.row_count;
}

bool cup_page_has_flame_of_runs(const struct cup_plot_runs *runs)
{
    const struct cup_comparison *comparison = runs->comparison;
    size_t count = 0;
    for (size_t i = 0; i < comparison->input_count; i++)
        count += has_stacks(comparison, i);
    return count > 1 && has_stacks(comparison, comparison->baseline);
}

/* Adds up to RUNS runs; the baseline is always one of them. */
static void add_runs(struct part *part, const struct cup_plot_runs *runs)
{
    const struct cup_comparison *comparison = runs->comparison;
    struct cup_flame_slices *slices = &part->slices;
    slices->compared = true;
    slices->by_event = cup_run_stacks_by_event(comparison->inputs, comparison->input_count);
    for (size_t i = 0; i < comparison->input_count; i++) {
        bool is_baseline = i == comparison->baseline;
        size_t room = RUNS - (i < comparison->baseline);
        if (!has_stacks(comparison, i) || (slices->count >= room && !is_baseline))
            continue;
        if (is_baseline)
            slices->baseline = slices->count;
        part->sampled = comparison->inputs[i].stacks->sampled;
        add_slice(part, NULL, runs->names[i], (uint32_t)i);
        slices->slices[slices->count - 1].per =
            cup_run_stacks_divisor(&comparison->inputs[i], slices->by_event);
    }
}

/* Writes which runs are not shown, and why. */
static void write_missing(FILE *out, const struct part *part, const struct cup_plot_runs *runs)
{
    const struct cup_comparison *comparison = runs->comparison;
    for (size_t i = 0, at = 0; i < comparison->input_count; i++) {
        const char *why = cup_run_stacks_missing(&comparison->inputs[i]);
        if (at < part->slices.count && part->slices.slices[at].prefix == i) {
            at++;
            continue;
        }
        fputs(" Not shown: ", out);
        cup_html_text(out, runs->names[i]);
        fputs(": ", out);
        cup_html_string(
            out, why ? why : "only eight runs are shown, or no stacks were recorded in this run");
        fputs(".", out);
    }
}

/* True if there is a picture of this weight. Pictures of stacks compare exactly two runs. */
static bool has_picture(const struct part *part, const struct cup_plot_runs *runs, int weight)
{
    if (!runs)
        return part->all[0][weight] > 0;
    const struct cup_figures *inputs = runs->comparison->inputs;
    bool sampled = weight > 0 || (inputs[0].stacks->sampled && inputs[1].stacks->sampled);
    return runs->comparison->input_count == 2 && sampled &&
           part->all[1 - part->slices.baseline][weight] > 0;
}

/* ---- writing ------------------------------------------------------------------------------ */

/* Links to the pictures that exist. */
static void write_links(FILE *out, const struct part *part, const struct cup_plot_runs *runs)
{
    const char *between = " As pictures:";
    for (int i = 0; i < CUP_FLAME_WEIGHTS; i++) {
        if ((runs && runs->comparison->input_count != 2) || !has_picture(part, runs, i))
            continue;
        fprintf(out, "%s <a href=\"#plot-%s%s\">%s</a>", between, part->plots,
                cup_flame_weights[i].name, cup_flame_weights[i].title);
        between = ",";
    }
    if (*between == ',')
        fputs(".", out);
}

static void write_explanation(FILE *out, const struct part *part, const struct cup_plot_runs *runs)
{
    char asked[CUP_ASK_TEXT];
    fputs("<p class=\"pictures\">A box is a function. Its width is the amount of the function and "
          "the functions below it, which it calls",
          out);
    if (runs)
        fprintf(out,
                " per %s. Red: more than in the other run; blue: less; in shades from 0.1, 1 and "
                "10 %% of all of that run. Grey: a smaller change, or one within the sampling "
                "error. Functions of two runs are matched by name and file, not by line; your own "
                "by the name of the file only",
                part->slices.by_event ? "event" : "task");
    fputs(". Click a box to widen it; Escape shows all.", out);
    if (part->slices.calls->has_native)
        fputs(" Functions of C, C++ and Rust have boxes, too, but no CPU time: its samples have "
              "Python functions only.",
              out);
    cup_html_string(out, cup_call_ask_text(asked, &part->ask));
    if (runs)
        write_missing(out, part, runs);
    write_links(out, part, runs);
    fputs("</p>\n", out);
}

/* Writes the data as the text of an element, so that nothing in it can be markup. */
static int write_part(FILE *out, struct part *part, const struct cup_plot_runs *runs)
{
    char *text = NULL;
    size_t bytes;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory)
        return -1;
    int result = cup_flame_slices_put(memory, &part->slices, part->all);
    if (fclose(memory) != 0)
        result = -1;
    if (result == 0) {
        write_explanation(out, part, runs);
        fputs("<noscript><p>The boxes need JavaScript. The pictures show the same.</p></noscript>\n"
              "<div id=\"flame\" class=\"flame\" hidden></div>\n<pre id=\"flame-data\" hidden>",
              out);
        cup_html_text(out, (struct cup_text){text, bytes - 1}); /* without its newline */
        fputs("</pre>\n", out);
    }
    free(text);
    return result;
}

int cup_page_flame(FILE *out, const struct cup_totals *totals)
{
    struct part part = {.slices = {.calls = totals->calls},
                        .plots = "flame-",
                        .sampled = cup_weight_measured(totals->profile, CUP_W_CPU),
                        .ask = totals->calls->ask};
    add_slice(&part, NULL, (struct cup_text){"all tasks", 9}, CUP_ALL_PREFIXES);
    if (add_prefixes(&part, totals) != 0)
        return -1;
    add_slices(&part, totals);
    return write_part(out, &part, NULL);
}

int cup_page_flame_of_runs(FILE *out, const struct cup_plot_runs *runs)
{
    struct part part = {.plots = "compare-flame-"};
    struct cup_call_tree merged;
    add_runs(&part, runs);
    part.ask = runs->comparison->inputs[runs->comparison->baseline].stacks->tree.ask;
    int result =
        cup_run_stacks_merge(&merged, runs->comparison->inputs, runs->comparison->input_count);
    part.slices.calls = &merged;
    if (result == 0)
        result = write_part(out, &part, runs);
    cup_call_tree_free(&merged);
    return result;
}
