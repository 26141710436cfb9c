#include <string.h>

#include "plot/shared/plot.h"
#include "plot/time/time_budget.h"

static void add_row(struct cup_time_budget *plot, const char *name, enum cup_budget_part part,
                    double percent, double seconds)
{
    double from = plot->count > 1 ? plot->rows[plot->count - 1].to : 0;
    plot->names[plot->count] = (struct cup_text){name, strlen(name)};
    plot->rows[plot->count].part = part;
    plot->rows[plot->count].from = from;
    plot->rows[plot->count].to = from + percent;
    plot->rows[plot->count].seconds = seconds;
    plot->count++;
}

const void *cup_data_time_budget(struct cup_plot_input *input)
{
    const struct cup_budget *budget = &input->totals->budget;
    struct cup_time_budget *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    double percent[CUP_BUDGET_COUNT], whole_s = (double)cup_budget_total_ns(budget) / 1e9;
    if (!plot)
        return NULL;
    if (whole_s <= 0)
        return cup_plot_unavailable(input, "no worker thread was recorded for any time");
    cup_budget_percent(budget, percent);
    add_row(plot, "all threads' time", CUP_BUDGET_IDLE, 100, whole_s);
    for (int i = 0; i < CUP_BUDGET_COUNT; i++)
        if (budget->ns[i])
            add_row(plot, cup_budget_texts[i].text, (enum cup_budget_part)i, percent[i],
                    (double)budget->ns[i] / 1e9);
    char threads[64];
    cup_plot_set_caption(input,
                         "Wall time of %s of the workers, summed; the parts add up to all of it. "
                         "No core: ready to run, but no CPU core was free. Helper threads are not "
                         "included (cupping).",
                         cup_count_text(threads, budget->threads, "thread"));
    return plot;
}
