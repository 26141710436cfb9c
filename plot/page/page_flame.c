#include "plot/page/page_flame.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/compare/run_stacks.h"
#include "analysis/metrics/functions/call_slices.h"
#include "analysis/write/html.h"
#include "plot/flame/flame_slices.h"

enum { PREFIXES = 8, RUNS = 8 };

/* What is written, and what it is about. */
struct part {
    struct cup_flame_slices slices;
    uint64_t all[CUP_FLAME_SLICES_MOST][CUP_FLAME_SHOWN];
    char groups[3][64]; /* headings in the list */
    const char *plots;  /* how the names of pictures begin: "flame-" */
    struct cup_call_ask ask;
};

static void add_slice(struct part *part, const char *group, struct cup_text title, uint32_t prefix)
{
    part->slices.slices[part->slices.count++] =
        (struct cup_flame_slice){.group = group, .title = title, .prefix = prefix};
}

/* ---- one run ------------------------------------------------------------------------------ */

bool cup_page_has_flame(const struct cup_totals *totals)
{
    return totals->calls && totals->calls->row_count > 0;
}

/* "prefixes", or, if not all are in the list, "prefixes: 8 of 12". */
static const char *group_of(char to[64], const char *what, size_t shown, size_t there)
{
    if (shown < there)
        snprintf(to, 64, "%s: the %zu of most time, of %zu", what, shown, there);
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
        group_of(part->groups[0], "prefixes", count < PREFIXES ? count : PREFIXES, count);
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
        size_t there = slices->there[slice->kind];
        add_slice(part,
                  group_of(part->groups[1 + slice->kind], names[slice->kind],
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

/* The baseline has a place, however many there are. */
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
        add_slice(part, NULL, runs->names[i], (uint32_t)i);
        slices->slices[slices->count - 1].per =
            cup_run_stacks_divisor(&comparison->inputs[i], slices->by_event);
    }
}

/* Those that are not among them, and why. */
static void put_missing(FILE *out, const struct part *part, const struct cup_plot_runs *runs)
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
        cup_html_string(out, why ? why : "eight runs have room, or it did nothing at stacks");
        fputs(".", out);
    }
}

/* A picture shows two runs. */
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

/* What has nothing to show has no plot to link to. */
static void put_links(FILE *out, const struct part *part, const struct cup_plot_runs *runs)
{
    const char *between = " As pictures:";
    for (int i = 0; i < CUP_FLAME_SHOWN; i++) {
        if ((runs && runs->comparison->input_count != 2) || !has_picture(part, runs, i))
            continue;
        fprintf(out, "%s <a href=\"#plot-%s%s\">%s</a>", between, part->plots,
                cup_flame_shown_names[i], cup_flame_shown_titles[i]);
        between = ",";
    }
    if (*between == ',')
        fputs(".", out);
}

static void put_words(FILE *out, const struct part *part, const struct cup_plot_runs *runs)
{
    char asked[CUP_ASK_TEXT];
    fputs("<p class=\"pictures\">A box is a function, as wide as what it and those below it, which "
          "it calls, took",
          out);
    if (runs)
        fprintf(out,
                " for each %s. Red: more than in the run that it is compared with, blue: less; "
                "shades from 0.1, 1 and 10 %% of all of that run on; grey: less than that, or no "
                "more than the samples' errors may be. Lines move, so functions are the same by "
                "name and file, your own by the file's name alone",
                part->slices.by_event ? "event" : "task");
    fputs(". Press one to widen it; Escape shows all.", out);
    if (part->slices.calls->has_native)
        fputs(" Functions of C, C++ and Rust have boxes, too, but not of CPU time, whose samples "
              "are of Python's.",
              out);
    cup_html_string(out, cup_call_ask_text(asked, &part->ask));
    if (runs)
        put_missing(out, part, runs);
    put_links(out, part, runs);
    fputs("</p>\n", out);
}

/* As text of an element: so nothing in it can be markup. */
static int put(FILE *out, struct part *part, const struct cup_plot_runs *runs)
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
        put_words(out, part, runs);
        fputs("<div id=\"flame\" class=\"flame\" hidden></div>\n<pre id=\"flame-data\" hidden>",
              out);
        cup_html_text(out, (struct cup_text){text, bytes - 1}); /* without its newline */
        fputs("</pre>\n", out);
    }
    free(text);
    return result;
}

int cup_page_flame(FILE *out, const struct cup_totals *totals)
{
    struct part part = {
        .slices = {.calls = totals->calls}, .plots = "flame-", .ask = totals->calls->ask};
    add_slice(&part, NULL, (struct cup_text){"all tasks", 9}, CUP_ALL_PREFIXES);
    if (add_prefixes(&part, totals) != 0)
        return -1;
    add_slices(&part, totals);
    return put(out, &part, NULL);
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
        result = put(out, &part, runs);
    cup_call_tree_free(&merged);
    return result;
}
