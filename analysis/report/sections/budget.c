/* The threads' time as one stacked bar, with a legend, and what it means in words. */
#include <math.h>
#include <string.h>

#include "analysis/advice/advice.h"
#include "analysis/report/page/page.h"

/* Marks that are told apart without colour, as in a file. */
static const struct mark {
    const char *mark;
    enum cup_style style;
} marks[CUP_BUDGET_COUNT] = {
    [CUP_BUDGET_TASK_CPU] = {"█", CUP_GOOD},  [CUP_BUDGET_IO] = {"I", CUP_BLUE},
    [CUP_BUDGET_GIL] = {"G", CUP_BAD},        [CUP_BUDGET_LOCK] = {"L", CUP_MAGENTA},
    [CUP_BUDGET_SLEEP] = {"Z", CUP_DIM},      [CUP_BUDGET_POLL] = {"S", CUP_CYAN},
    [CUP_BUDGET_RUN_DELAY] = {"R", CUP_BAD},  [CUP_BUDGET_FAULT] = {"F", CUP_MAGENTA},
    [CUP_BUDGET_OTHER] = {"o", CUP_WARN},     [CUP_BUDGET_UNTOLD] = {"▒", CUP_WARN},
    [CUP_BUDGET_UNFINISHED] = {"x", CUP_BAD}, [CUP_BUDGET_BETWEEN] = {"D", CUP_CYAN},
    [CUP_BUDGET_IDLE] = {"░", CUP_DIM},
};

/* One part of the bar, `count` marks long. */
static void draw_part(const struct cup_page *page, const struct mark *mark, unsigned count)
{
    enum { AT_ONCE = 64, MARK_BYTES = 3 };
    while (count > 0) {
        char text[AT_ONCE * MARK_BYTES + 1] = "";
        unsigned some = count < AT_ONCE ? count : AT_ONCE;
        for (unsigned i = 0; i < some; i++)
            strcat(text, mark->mark);
        cup_print(&page->terminal, mark->style, "%s", text);
        count -= some;
    }
}

/* As wide as the screen: rounded so that the whole bar is neither too long nor too short. */
static void draw_bar(const struct cup_page *page, const double *percent)
{
    unsigned width = page->terminal.width - 4, drawn = 0;
    double reached = 0;
    fputs("\n  ", page->terminal.out);
    for (int i = 0; i < CUP_BUDGET_COUNT; i++) {
        reached += percent[i];
        unsigned end = (unsigned)fmin(width, floor(reached / 100 * width + 0.5));
        draw_part(page, &marks[i], end - drawn);
        drawn = end;
    }
    putc('\n', page->terminal.out);
}

/* "I/O 12.3 % 4.56 s" into `to`; the columns that it takes with its mark. */
static unsigned describe_part(const struct cup_page *page, int part, double percent, char *to,
                              size_t room)
{
    char share[CUP_HUMAN_READABLE_ROOM], time[CUP_HUMAN_READABLE_ROOM];
    cup_human_readable(share, percent, CUP_UNIT_PERCENT);
    cup_human_readable(time, (double)page->totals->budget.ns[part] / 1e9, CUP_UNIT_SECONDS);
    snprintf(to, room, " %s %s (%s)", cup_budget_texts[part].text, share, time);
    return (unsigned)strlen(to) + 1;
}

/* Every part that is not empty, also those too small for a mark in the bar. */
static void draw_legend(const struct cup_page *page, const double *percent)
{
    unsigned used = 0;
    for (int i = 0; i < CUP_BUDGET_COUNT; i++) {
        char text[100];
        if (page->totals->budget.ns[i] == 0)
            continue;
        unsigned columns = describe_part(page, i, percent[i], text, sizeof text) + 2;
        if (used > 0 && used + columns > page->terminal.width) {
            putc('\n', page->terminal.out);
            used = 0;
        }
        used += columns;
        cup_print(&page->terminal, marks[i].style, "  %s", marks[i].mark);
        fputs(text, page->terminal.out);
    }
    putc('\n', page->terminal.out);
}

/* The bar has nothing of them, and is not drawn where all tasks are such. */
static void print_elsewhere(const struct cup_page *page)
{
    const struct cup_totals *t = page->totals;
    char time[CUP_HUMAN_READABLE_ROOM], line[240];
    if (t->elsewhere_tasks == 0)
        return;
    if (t->elsewhere_tasks == t->all.tasks)
        putc('\n', page->terminal.out);
    cup_human_readable(time, (double)t->elsewhere_ns / 1e9, CUP_UNIT_SECONDS);
    snprintf(line, sizeof line,
             "Left out: %llu task%s (%s) on no thread of the pool: async tasks, calls of actors' "
             "methods.%s",
             (unsigned long long)t->elsewhere_tasks, cup_plural(t->elsewhere_tasks), time,
             t->elsewhere_tasks == t->all.tasks ? " No others ran: there is nothing to split."
                                                : "");
    cup_print_wrapped(&page->terminal, CUP_DIM, 2, line);
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
        if (advice[i].about_time)
            cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, advice[i].text);
}

int cup_print_time_budget(const struct cup_page *page)
{
    cup_page_heading(page, "Time budget", "worker threads x wall time, split without remainder");
    cup_print_bar(page);
    print_meaning(page);
    cup_page_metrics(page, &cup_time_budget_metrics);
    return 0;
}
