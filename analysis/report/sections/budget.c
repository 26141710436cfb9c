/* The threads' time as one stacked bar, with a legend, and what it means in words. */
#include <math.h>
#include <string.h>

#include "analysis/advice/advice.h"
#include "analysis/report/page/budget_bar.h"
#include "analysis/report/page/section.h"
#include "analysis/report/sections/row_parts.h"

static void draw_bar(const struct cup_page *page, const double *percent)
{
    fputs("\n  ", page->terminal.out);
    cup_budget_bar_draw(&page->terminal, percent, page->terminal.width - 4);
    putc('\n', page->terminal.out);
}

/* " I/O 12.3 % (4.56 s)" into `to`. Returns its width in columns, with the mark before it. */
static unsigned describe_part(const struct cup_page *page, int part, double percent,
                              char to[CUP_LINE_ROOM])
{
    cup_format(to, " %s %s (%s)", cup_budget_part_text(page->totals, part),
               CUP_SHOW(percent, CUP_UNIT_PERCENT), CUP_SHOW_NS(page->totals->budget.ns[part]));
    return (unsigned)strlen(to) + 1;
}

/* Names the parts that have some time, but less than the legend can show. */
static void print_tiny(const struct cup_page *page, const double *percent)
{
    char names[CUP_LINE_ROOM] = "";
    for (int i = 0; i < CUP_BUDGET_COUNT; i++)
        if (page->totals->budget.ns[i] > 0 && percent[i] < CUP_BAR_LEAST_PERCENT)
            cup_append(names, sizeof names, "%s%s", *names ? ", " : "",
                       cup_budget_part_text(page->totals, i));
    if (*names)
        cup_page_line(page, CUP_DIM, "below 0.1 %% each: %s", names);
}

/* Lists the parts that are at least 0.1 %. */
static void draw_legend(const struct cup_page *page, const double *percent)
{
    unsigned used = 0;
    for (int i = 0; i < CUP_BUDGET_COUNT; i++) {
        char text[CUP_LINE_ROOM];
        if (page->totals->budget.ns[i] == 0 || percent[i] < CUP_BAR_LEAST_PERCENT)
            continue;
        unsigned columns = describe_part(page, i, percent[i], text) + 2;
        if (used > 0 && used + columns > page->terminal.width) {
            putc('\n', page->terminal.out);
            used = 0;
        }
        used += columns;
        fputs("  ", page->terminal.out);
        cup_budget_bar_mark(&page->terminal, i);
        fputs(text, page->terminal.out);
    }
    putc('\n', page->terminal.out);
    if (!page->brief)
        print_tiny(page, percent);
}

/* Tasks outside the pool's threads are not in the bar. If all tasks are such, there is no bar. */
static void print_elsewhere(const struct cup_page *page)
{
    const struct cup_totals *t = page->totals;
    bool are_all = t->elsewhere_tasks == t->all.tasks;
    if (t->elsewhere_tasks == 0)
        return;
    if (are_all)
        putc('\n', page->terminal.out);
    cup_page_line(page, CUP_DIM,
                  "Left out: %llu task%s (%s) on no thread of the pool: async tasks, calls of "
                  "actors' methods.%s",
                  (unsigned long long)t->elsewhere_tasks, cup_plural(t->elsewhere_tasks),
                  CUP_SHOW_NS(t->elsewhere_ns),
                  are_all ? " No others ran: there is nothing to split." : "");
}

void cup_print_bar(const struct cup_page *page)
{
    const struct cup_totals *t = page->totals;
    double percent[CUP_BUDGET_COUNT];
    bool used = t->elsewhere_tasks < t->all.tasks || t->all.tasks == 0;
    bool screen = !page->terminal.html; /* in a page it is a plot */
    if (screen && used && cup_budget_total_ns(&t->budget) > 0) {
        cup_budget_percent(&t->budget, percent);
        draw_bar(page, percent);
        draw_legend(page, percent);
    }
    print_elsewhere(page);
}

static void print_meaning(const struct cup_page *page)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(page->totals, advice);
    for (size_t i = 0; i < count; i++)
        if (advice[i].rule->about_time)
            cup_page_line(page, CUP_PLAIN, "%s", advice[i].text);
}

static int print_time_budget(const struct cup_page *page)
{
    cup_page_heading(page, "Time budget", "worker threads x wall time, split without remainder");
    cup_print_bar(page);
    print_meaning(page);
    cup_page_metrics(page, &cup_time_budget_metrics);
    return 0;
}

/* ---- in the JSON ---------------------------------------------------------------------------- */

/* True if this part of the time was measured in this run, or in this process. */
static bool part_is_measured(const struct cup_totals *totals, const struct cup_budget *budget,
                             int part)
{
    bool is_wait = part >= CUP_BUDGET_IO && part <= CUP_BUDGET_OTHER;
    if (part == CUP_BUDGET_BETWEEN || part == CUP_BUDGET_IDLE)
        return !budget->gaps_unknown;
    return !is_wait ||
           (totals->pool_tasks_measured &&
            cup_profile_measured(totals->profile, cup_wait_parts[part - CUP_BUDGET_IO].needs));
}

/* Writes the parts as rounded percentages that add up to 100. */
static void put_shares(struct report *report)
{
    double percent[CUP_BUDGET_COUNT];
    const struct cup_totals *totals = report->totals;
    cup_budget_percent(&totals->budget, percent);
    cup_json_object(&report->json, "shares_pct");
    for (int i = 0; i < CUP_BUDGET_COUNT; i++)
        put(report, cup_budget_texts[i].name,
            cup_value_if(part_is_measured(totals, &totals->budget, i), cup_real(percent[i])));
    cup_json_end_object(&report->json);
}

static const char *budget_key(unsigned index, char room[CUP_KEY_ROOM])
{
    snprintf(room, CUP_KEY_ROOM, "%s_s", cup_budget_texts[index].name);
    return room;
}

#define HEAD_FIELDS(X)                                                                             \
    CUP_WHO_FIELDS(X, process)                                                                     \
    X("threads", COUNT, cup_count(budget->threads))                                                \
    X("threads_s", SECONDS, cup_ns(budget->threads_ns))

#define TAIL_FIELDS(X) X("overbooked_s", SECONDS, cup_ns(budget->overbooked_ns))

static void fill_worker(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_budget *budget = item;
    uint32_t process = (uint32_t)(budget - rows->totals->budgets);
    CUP_FILL(values, HEAD_FIELDS);
    for (int i = 0; i < CUP_BUDGET_COUNT; i++)
        *values++ = cup_ns_if(part_is_measured(rows->totals, budget, i), budget->ns[i]);
    CUP_FILL(values, TAIL_FIELDS);
}

static int list_workers(struct cup_report_rows *rows)
{
    for (uint32_t i = 0; i < rows->profile->process_count; i++)
        if (rows->totals->budgets[i].threads > 0)
            cup_add_row(rows, &rows->totals->budgets[i]);
    return 0;
}

static const struct cup_report_table workers = {
    CUP_TABLE_PARTS(CUP_ROW_PART(HEAD_FIELDS, fill_worker),
                    {.count = CUP_BUDGET_COUNT, .key = budget_key},
                    CUP_ROW_PART(TAIL_FIELDS, NULL)),
    list_workers, .name = "by_worker"};

const struct cup_report_section cup_time_budget_section = {
    .name = "time_budget",
    .shown = CUP_SHOWN_IN_PAGE,
    .needs = CUP_NEEDS_ALL_STACKS, /* findings name lines */
    .metrics = &cup_time_budget_metrics,
    .print = print_time_budget,
    .put_keys = put_shares,
    .table = &workers,
};
