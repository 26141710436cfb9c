#include "analysis/report/page/budget_bar.h"

#include <math.h>
#include <string.h>

/* Every part has a colour and a letter of its own: with colours the bar is of solid blocks, without
 * them of letters. */
static const struct mark {
    const char *mark, *ascii;
    enum cup_style style;
} marks[CUP_BUDGET_COUNT] = {
    [CUP_BUDGET_TASK_CPU] = {"█", "#", CUP_GOOD},
    [CUP_BUDGET_IO] = {"I", "I", CUP_BLUE},
    [CUP_BUDGET_GIL] = {"G", "G", CUP_BAD},
    [CUP_BUDGET_LOCK] = {"L", "L", CUP_MAGENTA},
    [CUP_BUDGET_SLEEP] = {"Z", "Z", CUP_LIGHT_BLUE},
    [CUP_BUDGET_POLL] = {"S", "S", CUP_CYAN},
    [CUP_BUDGET_RUN_DELAY] = {"R", "R", CUP_WARN},
    [CUP_BUDGET_FAULT] = {"F", "F", CUP_LIGHT_MAGENTA},
    [CUP_BUDGET_OTHER] = {"o", "o", CUP_LIGHT_CYAN},
    [CUP_BUDGET_UNTOLD] = {"▒", "?", CUP_LIGHT_YELLOW},
    [CUP_BUDGET_UNFINISHED] = {"x", "x", CUP_LIGHT_RED},
    [CUP_BUDGET_BETWEEN] = {"D", "D", CUP_LIGHT_GREEN},
    [CUP_BUDGET_IDLE] = {"░", ".", CUP_DIM},
};

static const char *mark_of(const struct cup_terminal *terminal, int part)
{
    if (terminal->ascii)
        return marks[part].ascii;
    return terminal->colour ? "█" : marks[part].mark;
}

/* One part of the bar, `count` marks long. */
static void draw_part(const struct cup_terminal *terminal, int part, unsigned count)
{
    enum { AT_ONCE = 64, MARK_BYTES = 3 };
    while (count > 0) {
        char text[AT_ONCE * MARK_BYTES + 1] = "";
        unsigned some = count < AT_ONCE ? count : AT_ONCE;
        for (unsigned i = 0; i < some; i++)
            strcat(text, mark_of(terminal, part));
        cup_print(terminal, marks[part].style, "%s", text);
        count -= some;
    }
}

/* Rounded so that the whole bar is neither too long nor too short. */
void cup_budget_bar_draw(const struct cup_terminal *terminal,
                         const double percent[CUP_BUDGET_COUNT], unsigned width)
{
    unsigned drawn = 0;
    double reached = 0;
    for (int i = 0; i < CUP_BUDGET_COUNT; i++) {
        reached += percent[i];
        if (percent[i] < CUP_BAR_LEAST_PERCENT)
            continue;
        unsigned end = (unsigned)fmin(width, floor(reached / 100 * width + 0.5));
        draw_part(terminal, i, end - drawn);
        drawn = end;
    }
}

void cup_budget_bar_mark(const struct cup_terminal *terminal, int part)
{
    cup_print(terminal, marks[part].style, "%s", mark_of(terminal, part));
}
