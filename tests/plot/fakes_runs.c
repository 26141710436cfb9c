/* Made-up data for the plots of several runs. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "plot/compare/compared.h"
#include "plot/shared/rows.h"
#include "tests/plot/fakes_parts.h"

static size_t runs_of(enum fake_kind kind)
{
    return kind == FAKE_FIVE ? 5 : amount(kind, 2, 20);
}

static struct cup_text run_name(enum fake_kind kind, size_t i, struct cup_arena *arena)
{
    char *text = take(arena, 1, 300);
    struct cup_text name = name_of(kind, i, arena);
    if (kind == FAKE_USUAL || kind == FAKE_FIVE)
        snprintf(text, 300, "%c: workers-%d", (char)('A' + i), 1 << i);
    else
        snprintf(text, 300, "%c: %.*s", (char)('A' + i), (int)name.length, name.bytes);
    return (struct cup_text){text, strlen(text)};
}

/* ---- compare ------------------------------------------------------------------------------ */

static struct cup_compared_cell fake_cell(enum fake_kind kind, size_t row, size_t run,
                                          struct dice *dice)
{
    struct cup_compared_cell cell = {.least = NAN, .most = NAN, .verdict = (row + run) % 3};
    cell.ratio = kind == FAKE_ODD ? odd(row + run) : exp((roll(dice) - 0.5) * 3);
    if (row == 4 && run == 3)
        cell.ratio = NAN;
    cell.strength = fabs(log2(cell.ratio));
    snprintf(cell.value, sizeof cell.value, isnan(cell.ratio) ? "n/a" : "%.3g s", cell.ratio * 12);
    if (!isnan(cell.ratio))
        snprintf(cell.change, sizeof cell.change, "%+.1f %%", 100 * (cell.ratio - 1));
    else
        cell.verdict = CUP_VERDICT_NONE;
    if (row == 2) {
        cell.least = cell.ratio * 0.8;
        cell.most = cell.ratio * 1.2;
    }
    return cell;
}

static const void *fake_compare(enum fake_kind kind, struct cup_arena *arena)
{
    static const char *const names[] = {"wall time", "events a second", "time per event, mean",
                                        "bytes read"};
    struct cup_compared_shown *plot = take(arena, 1, sizeof *plot);
    struct dice dice = {5};
    plot->run_count = kind == FAKE_EMPTY ? 2 : runs_of(kind);
    plot->count = kind == FAKE_FIVE ? 12 : amount(kind, 10, CUP_COMPARED_ROWS);
    for (size_t i = 0; i < plot->run_count; i++) {
        plot->runs[i] = run_name(kind, i, arena);
        plot->letters[i] = (struct cup_text){plot->runs[i].bytes, 1};
    }
    for (size_t row = 0; row < plot->count; row++) {
        const char *name = names[row % 4];
        plot->names[row] = (struct cup_text){name, strlen(name)};
        for (size_t run = 0; run < plot->run_count; run++)
            plot->cells[row][run] = fake_cell(kind, row, run, &dice);
        snprintf(plot->cells[row][0].value, CUP_COMPARED_TEXT, "12 s");
        plot->cells[row][0].change[0] = '\0';
        plot->cells[row][0].verdict = CUP_VERDICT_NONE;
    }
    return plot;
}

/* ---- compare-budget ----------------------------------------------------------------------- */

static const void *fake_budget(enum fake_kind kind, struct cup_arena *arena)
{
    static const struct cup_bar_kind kinds[] = {{"CPU in tasks", CUP_PAINT_GREEN},
                                                {"I/O", CUP_PAINT_SKY},
                                                {"GIL", CUP_PAINT_RED},
                                                {"idle", CUP_PAINT_GREY}};
    bool shares = kind == FAKE_LARGE;
    struct cup_rows *plot =
        cup_rows_make(arena, kinds, 4, "runs",
                      shares ? "share of the worker threads' time" : "time of the worker threads",
                      shares ? CUP_AXIS_PERCENT : CUP_AXIS_ELAPSED);
    struct dice dice = {6};
    plot->whole = kind == FAKE_LARGE ? 100 : 0;
    plot->room = 0.4;
    for (size_t i = 0; i < runs_of(kind); i++) {
        struct cup_row *row = cup_rows_add(plot, run_name(kind, i, arena), 0, 0);
        for (size_t part = 0; part < 4; part++)
            row->parts[part] = kind == FAKE_ODD     ? odd(i + part)
                               : kind == FAKE_LARGE ? 25
                                                    : 100 * roll(&dice);
        if (kind != FAKE_LARGE)
            snprintf(row->text, sizeof row->text, "3 min 20 s, CPU 33 %%");
    }
    return plot;
}

/* ---- compare-runtime ---------------------------------------------------------------------- */

static const void *fake_runtime(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_compared_runtime *plot = take(arena, 1, sizeof *plot);
    struct cup_spread *spreads = take(arena, CUP_COMPARE_MOST, sizeof *spreads);
    struct dice dice = {7};
    plot->name = "wall time of a chunk";
    plot->count = runs_of(kind);
    plot->low_s = kind == FAKE_ODD ? NAN : 1;
    plot->high_s = kind == FAKE_ODD ? INFINITY : 60;
    for (size_t i = 0; i < plot->count; i++) {
        double middle = 2 + 8 * roll(&dice), width = 0.2 + roll(&dice) / 2;
        spreads[i].count = kind == FAKE_LARGE ? 1000000 : 1000;
        spreads[i].points = CUP_SPREAD_POINTS;
        for (int k = 0; k < CUP_SPREAD_POINTS; k++)
            spreads[i].at[k] = kind == FAKE_ODD ? odd(i + (size_t)k)
                                                : middle * exp(width * tan((k - 100) * 0.0125));
        plot->spreads[i] = &spreads[i];
        plot->names[i] = run_name(kind, i, arena);
    }
    return plot;
}

/* ---- compare-scaling ---------------------------------------------------------------------- */

static const void *fake_scaling(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_compared_scaling *plot = take(arena, 1, sizeof *plot);
    plot->size_name = "threads of the workers";
    plot->rate_name = kind == FAKE_FIVE ? "data rate" : "events a second";
    plot->by_events = kind != FAKE_FIVE;
    plot->joined = kind != FAKE_LARGE;
    plot->count = runs_of(kind);
    plot->ideal = kind == FAKE_ODD ? NAN : 2e4;
    for (size_t i = 0; i < plot->count; i++) {
        double size = kind == FAKE_LARGE ? pow(1.5, (double)i) : 4 * (double)(i + 1);
        plot->size[i] = kind == FAKE_ODD ? odd(i) : size;
        plot->rate[i] = kind == FAKE_ODD ? odd(i + 3) : 2e4 * pow(size, 0.9);
        plot->most_size = fmax(plot->most_size, plot->size[i]);
        plot->most_rate = fmax(plot->most_rate, plot->rate[i]);
        snprintf(plot->texts[i], sizeof plot->texts[i], "%c  %.0f %%", (char)('A' + i),
                 100 * pow(size, -0.1));
    }
    if (kind != FAKE_USUAL && kind != FAKE_EMPTY) {
        plot->target = kind == FAKE_ODD ? 1e300 : 5e5;
        snprintf(plot->target_name, sizeof plot->target_name, "target 500kHz");
    }
    return plot;
}

const void *fake_of_runs(const char *plot, enum fake_kind kind, struct cup_arena *arena)
{
    if (strcmp(plot, "compare") == 0)
        return fake_compare(kind, arena);
    if (strcmp(plot, "compare-budget") == 0)
        return fake_budget(kind, arena);
    if (strcmp(plot, "compare-runtime") == 0)
        return fake_runtime(kind, arena);
    if (strcmp(plot, "compare-scaling") == 0)
        return fake_scaling(kind, arena);
    if (strncmp(plot, "compare-flame-", 14) == 0)
        return fake_flame(kind == FAKE_FIVE ? FAKE_USUAL : kind, true, arena);
    return NULL;
}
