/* The comparison as text and HTML. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/compare_write.h"
#include "analysis/write/html.h"
#include "analysis/write/table.h"

void cup_compare_line(const struct cup_terminal *terminal, enum cup_style style, unsigned indent,
                      const char *format, ...)
{
    char line[600];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    cup_print_wrapped(terminal, style, indent, line);
}

static void print_heading(const struct cup_terminal *terminal, enum cup_style style,
                          const char *text)
{
    if (terminal->html)
        cup_html_section(terminal, text, "");
    else
        cup_print(terminal, style, "\n%s\n", text);
}

/* ---- inputs ----------------------------------------------------------------------------- */

static const char *kind_text(enum cup_input_kind kind)
{
    static const char *const texts[] = {
        [CUP_INPUT_PROFILE] = "profile",
        [CUP_INPUT_REPORT] = "saved report",
        [CUP_INPUT_ROASTCOFFEA] = "roastcoffea's measurement",
        [CUP_INPUT_SIDE] = "runs of one job",
    };
    return texts[kind];
}

#define SHOW_METRIC(figures, metric)                                                               \
    CUP_SHOW_VALUE(cup_figures_value(figures, metric), cup_metric(metric)->unit)

static void add_metric(struct cup_table *table, const struct cup_figures *figures,
                       enum cup_metric_id metric)
{
    cup_table_add_value(table, cup_figures_value(figures, metric), cup_metric(metric)->unit);
}

static void print_run(const struct cup_terminal *terminal, const struct cup_figures *run,
                      const char *name, const char *end)
{
    char line[600];
    snprintf(line, sizeof line, "%s (%s%s%s), start (UTC) %s, wall time %s%s", run->path,
             kind_text(run->kind), run->run ? ", run: " : "", run->run ? run->run : "",
             SHOW_METRIC(run, CUP_METRIC_t_start), SHOW_METRIC(run, CUP_METRIC_wall_time), end);
    fprintf(terminal->out, "  %-2s ", name);
    cup_print_hanging(terminal, CUP_PLAIN, 5, line);
}

static void print_inputs(const struct cup_terminal *terminal,
                         const struct cup_comparison *comparison)
{
    char name[CUP_RUN_NAME];
    cup_print(terminal, CUP_BOLD, "cupping compare\n");
    for (size_t i = 0; i < comparison->input_count; i++) {
        const struct cup_figures *input = &comparison->inputs[i];
        bool baseline = comparison->input_count > 1 && i == comparison->baseline;
        if (!input->run_count)
            print_run(terminal, input, cup_input_name(i), baseline ? ", the baseline" : "");
        else
            cup_print(terminal, CUP_PLAIN, "  %-2s medians of %zu runs%s\n", cup_input_name(i),
                      input->run_count, baseline ? ", the baseline" : "");
        for (size_t k = 0; k < input->run_count; k++)
            print_run(terminal, &input->runs[k], cup_input_run_name(name, comparison, i, k), "");
    }
}

/* More than two runs without "--" are often meant as two sides. */
static void print_columns(const struct cup_terminal *terminal,
                          const struct cup_comparison *comparison)
{
    size_t single = 0;
    for (size_t i = 0; i < comparison->input_count; i++)
        single += comparison->inputs[i].run_count == 0;
    if (comparison->input_count > 2 && single == comparison->input_count)
        cup_compare_line(terminal, CUP_DIM, 0,
                         "Each run is compared with %s alone. If several are runs of the same job, "
                         "write -- between the two sides: `cupping compare A1 A2 -- B1 B2`.",
                         cup_input_name(comparison->baseline));
}

/* The answer: a sentence for each input but the baseline. */
static void print_verdicts(const struct cup_terminal *terminal,
                           const struct cup_comparison *comparison)
{
    char text[CUP_VERDICT_TEXT];
    if (comparison->input_count > 1)
        putc('\n', terminal->out);
    for (size_t i = 0; i < comparison->input_count; i++)
        if (i != comparison->baseline)
            cup_print_wrapped(terminal, CUP_BOLD, 0, cup_compare_verdict(text, comparison, i));
    print_columns(terminal, comparison);
}

static void add_run(struct cup_table *table, const struct cup_figures *run, const char *name,
                    const char *path, const char *role)
{
    cup_table_add_string(table, name);
    cup_table_add_string(table, path);
    add_metric(table, run, CUP_METRIC_wall_time);
    add_metric(table, run, CUP_METRIC_total_events);
    cup_table_add_string(table, SHOW_METRIC(run, CUP_METRIC_t_start));
    cup_table_add_string(table, kind_text(run->kind));
    cup_table_add_string(table, role);
}

/* HTML: the inputs as a table; in text, each is a line. */
static void put_inputs(const struct cup_terminal *terminal, const struct cup_comparison *comparison)
{
    static const struct cup_column columns[] = {
        {"", CUP_FIT_LEFT, 0},
        {"run", CUP_FIT_LEFT, 0},
        {"wall time", CUP_FIT_RIGHT, 0},
        {"events", CUP_FIT_RIGHT, 0},
        {"start (UTC)", CUP_FIT_LEFT, 0},
        {"is a", CUP_FIT_LEFT, 0},
        {"", CUP_FIT_LEFT, 0},
    };
    struct cup_table table;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < comparison->input_count; i++) {
        const struct cup_figures *input = &comparison->inputs[i];
        char name[CUP_RUN_NAME];
        add_run(&table, input, cup_input_name(i),
                input->run_count ? CUP_FORMAT("medians of %zu runs", input->run_count)
                                 : input->path,
                i == comparison->baseline ? "the baseline" : "");
        for (size_t k = 0; k < input->run_count; k++)
            add_run(&table, &input->runs[k], cup_input_run_name(name, comparison, i, k),
                    input->runs[k].path, "");
    }
    cup_table_finish(&table, terminal);
}

/* ---- settings --------------------------------------------------------------------------- */

static const char *describe_setting(const struct cup_setting *setting, size_t input)
{
    const char *text = setting->texts[input];
    return !text ? "n/a" : *text ? text : "none";
}

/* "hosts: A vm1; B vm2". Long lists of names are cut: the JSON has all. */
static void print_difference(const struct cup_terminal *terminal,
                             const struct cup_comparison *comparison,
                             const struct cup_setting *setting)
{
    char line[1200];
    enum { MOST = 160 };
    size_t length = (size_t)snprintf(line, sizeof line, "%s:", setting->what);
    for (size_t i = 0; i < comparison->input_count && length < sizeof line; i++) {
        const char *text = describe_setting(setting, i);
        length += (size_t)snprintf(line + length, sizeof line - length, "%s %c %.*s%s",
                                   i ? ";" : "", cup_input_letter(i), (int)MOST, text,
                                   strlen(text) > MOST ? "..." : "");
    }
    cup_print_wrapped(terminal, CUP_WARN, 2, line);
}

/* HTML: a table with a column for each input. */
static void put_differences(const struct cup_terminal *terminal,
                            const struct cup_comparison *comparison)
{
    enum { MOST = CUP_TABLE_COLUMNS - 1 };
    struct cup_column columns[CUP_TABLE_COLUMNS] = {{"", CUP_FIT_LEFT, 0}};
    size_t inputs = comparison->input_count < MOST ? comparison->input_count : MOST;
    struct cup_table table;
    for (size_t i = 0; i < inputs; i++)
        columns[i + 1] = (struct cup_column){cup_input_name(i), CUP_FIT_LEFT, 0};
    cup_table_start(&table, columns, (unsigned)inputs + 1);
    for (size_t i = 0; i < comparison->setting_count; i++) {
        const struct cup_setting *setting = &comparison->settings[i];
        if (!setting->differs)
            continue;
        cup_table_add_string(&table, setting->what);
        for (size_t k = 0; k < inputs; k++)
            cup_table_add_string(&table, describe_setting(setting, k));
    }
    cup_table_finish(&table, terminal);
    if (inputs < comparison->input_count)
        cup_compare_line(terminal, CUP_DIM, 2, "Columns left out: %zu; `cupping compare` has them.",
                         comparison->input_count - inputs);
}

/* The names of the settings that are alike, or, with `unknown`, that some input does not know and
 * of which no difference is known. The caller frees the text; NULL: there are none, or no memory.
 */
static char *join_settings(const struct cup_comparison *comparison, bool unknown)
{
    char *text = NULL;
    size_t size = 0, count = 0;
    FILE *out = open_memstream(&text, &size);
    for (size_t i = 0; out && i < comparison->setting_count; i++) {
        const struct cup_setting *setting = &comparison->settings[i];
        if (setting->differs || setting->unknown != unknown)
            continue;
        fprintf(out, "%s%s", count++ ? ", " : "", setting->what);
    }
    if (out && fclose(out) == 0 && count)
        return text;
    free(text);
    return NULL;
}

static void print_joined(const struct cup_terminal *terminal,
                         const struct cup_comparison *comparison, const char *before, bool unknown)
{
    char *names = join_settings(comparison, unknown), *line = NULL;
    if (names && asprintf(&line, "%s %s.", before, names) > 0) {
        cup_print_wrapped(terminal, CUP_DIM, 2, line);
        free(line);
    }
    free(names);
}

static bool knows_events(const struct cup_comparison *comparison)
{
    for (size_t i = 0; i < comparison->input_count; i++)
        if (isnan(cup_figures_number(&comparison->inputs[i], CUP_METRIC_total_events)))
            return false;
    return true;
}

static void print_settings(const struct cup_terminal *terminal,
                           const struct cup_comparison *comparison)
{
    if (comparison->input_count < 2)
        return;
    print_heading(terminal, comparison->difference_count ? CUP_WARN : CUP_HEADING,
                  comparison->difference_count ? "Settings differ" : "Settings");
    if (terminal->html)
        put_differences(terminal, comparison);
    for (size_t i = 0; i < comparison->setting_count && !terminal->html; i++)
        if (comparison->settings[i].differs)
            print_difference(terminal, comparison, &comparison->settings[i]);
    print_joined(terminal, comparison, "Alike:", false);
    print_joined(terminal, comparison, "Not compared, because an input does not have them:", true);
    if (!comparison->same_work)
        cup_print_wrapped(
            terminal, CUP_DIM, 2,
            CUP_FORMAT("%s, so sums and times are not marked better or worse.",
                       knows_events(comparison)
                           ? "Not the same number of events"
                           : "It is not known whether both processed the same number of events"));
}

/* ---- cells ------------------------------------------------------------------------------ */

static void add_value(struct cup_table *table, const struct cup_compared *row, size_t input,
                      struct cup_footnotes *footnotes)
{
    struct cup_value value = cup_compared_value(row, input);
    if (value.kind != CUP_VALUE_NULL)
        cup_table_add_value(table, value, row->unit);
    else
        cup_table_add_missing(table, footnotes, cup_compared_source(row, input));
}

static void add_percent(struct cup_table *table, double share)
{
    double percent = 100 * share;
    cup_table_add_sorted(table,
                         isnan(share) ? ""
                         : percent == 0
                             ? "0"
                             : CUP_FORMAT(percent < 9.95 ? "%.1f %%" : "%.0f %%", percent),
                         percent);
}

/* The standard deviation of the runs of a side. */
static void add_deviation(struct cup_table *table, const struct cup_compared *row, size_t input)
{
    double value = fabs(cup_number(cup_compared_value(row, input)));
    double deviation = row->figures[input] ? row->figures[input]->deviation : NAN;
    double points = deviation * (row->unit == CUP_UNIT_SHARE ? 100 : 1);
    if (row->unit != CUP_UNIT_SHARE && row->unit != CUP_UNIT_PERCENT)
        add_percent(table, deviation == 0 ? 0 * value : cup_number(cup_ratio(deviation, value)));
    else
        cup_table_add_sorted(table, isnan(value) ? "" : CUP_FORMAT("%.1f pt", points),
                             isnan(value) ? value : points);
}

/* Shares change by percentage points, other figures by an amount of their own unit. */
static void add_amount(struct cup_table *table, const struct cup_compared *row,
                       const struct cup_change *change)
{
    double amount = cup_number(change->by), relative = cup_number(change->relative);
    if (amount == 0)
        cup_table_add_sorted(table, "=", 0);
    else if (isnan(amount) || fabs(relative) < CUP_LEAST_CHANGE)
        cup_table_add_sorted(table, "", amount);
    else if (row->unit == CUP_UNIT_SHARE || row->unit == CUP_UNIT_PERCENT)
        cup_table_add_sorted(
            table, CUP_FORMAT("%+.1f pt", amount * (row->unit == CUP_UNIT_SHARE ? 100 : 1)),
            amount);
    else
        cup_table_add_sorted(
            table, CUP_FORMAT("%s%s", amount > 0 ? "+" : "", CUP_SHOW_VALUE(change->by, row->unit)),
            amount);
}

static void add_relative(struct cup_table *table, const struct cup_change *change, bool verdict)
{
    char text[CUP_CHANGE_TEXT + 2];
    double relative = *cup_change_text(text, change) == '=' ? 0 : cup_number(change->relative);
    if (verdict)
        strcat(text, change->verdict == CUP_VERDICT_BETTER  ? " b"
                     : change->verdict == CUP_VERDICT_WORSE ? " w"
                                                            : "  ");
    cup_table_add_sorted(table, text, relative);
}

/* ---- tables ----------------------------------------------------------------------------- */

/* The inputs in one table: the baseline, then the others of [from, to). */
struct block {
    const struct cup_comparison *comparison;
    size_t from, to;
    bool pair; /* one input next to the baseline: wide enough for a column with the absolute change
                */
    bool rows; /* the section has rows: their names are the first column */
};

static void add_row(struct cup_table *table, const struct block *block,
                    const struct cup_compared *row, bool first, struct cup_footnotes *footnotes)
{
    const struct cup_comparison *comparison = block->comparison;
    if (block->rows)
        cup_table_add_string(table, first ? row->row : "");
    cup_table_add_string(table, row->label);
    add_value(table, row, comparison->baseline, footnotes);
    if (comparison->inputs[comparison->baseline].run_count)
        add_deviation(table, row, comparison->baseline);
    for (size_t i = block->from; i < block->to; i++) {
        if (i == comparison->baseline)
            continue;
        struct cup_change change = cup_change_of(comparison, row, i);
        add_value(table, row, i, footnotes);
        if (comparison->inputs[i].run_count)
            add_deviation(table, row, i);
        if (block->pair)
            add_amount(table, row, &change);
        add_relative(table, &change, !block->pair);
        if (cup_has_several_runs(comparison, i))
            add_percent(table, change.noise);
        if (block->pair)
            cup_table_add_string(table, change.verdict ? cup_verdict_names[change.verdict] : "");
    }
}

/* The column of an input and, if it is of several runs, that of their deviation. */
static unsigned add_input_columns(struct cup_column *columns, const struct block *block,
                                  size_t input)
{
    unsigned count = 0;
    columns[count++] = (struct cup_column){cup_input_name(input), CUP_FIT_RIGHT, 0};
    if (block->comparison->inputs[input].run_count)
        columns[count++] = (struct cup_column){"±", CUP_FIT_RIGHT, 2};
    return count;
}

static unsigned make_columns(struct cup_column *columns, const struct block *block)
{
    unsigned count = 0;
    if (block->rows)
        columns[count++] = (struct cup_column){"", CUP_FIT_LEFT, 0};
    columns[count++] = (struct cup_column){"", CUP_FIT_LEFT, 0};
    count += add_input_columns(columns + count, block, block->comparison->baseline);
    for (size_t i = block->from; i < block->to; i++) {
        if (i == block->comparison->baseline)
            continue;
        count += add_input_columns(columns + count, block, i);
        if (block->pair)
            columns[count++] = (struct cup_column){"change", CUP_FIT_RIGHT, 1};
        columns[count++] = (struct cup_column){"", CUP_FIT_RIGHT, 0};
        if (cup_has_several_runs(block->comparison, i))
            columns[count++] = (struct cup_column){"spread", CUP_FIT_RIGHT, 0};
        if (block->pair)
            columns[count++] = (struct cup_column){"", CUP_FIT_NONE, 0};
    }
    return count;
}

/* False if only one input has figures in this section: there is nothing to compare. */
static bool is_comparable(const struct cup_comparison *comparison, const char *section)
{
    size_t with = 0;
    for (size_t input = 0; input < comparison->input_count; input++)
        for (size_t i = 0; i < comparison->count; i++)
            if (strcmp(comparison->rows[i].section, section) == 0 &&
                cup_compared_value(&comparison->rows[i], input).kind != CUP_VALUE_NULL) {
                with++;
                break;
            }
    return with > 1;
}

/* The value of the first input that has one; null: all are n/a. */
static struct cup_value known_value(const struct cup_comparison *comparison,
                                    const struct cup_compared *row)
{
    struct cup_value value = cup_null();
    for (size_t i = 0; i < comparison->input_count && value.kind == CUP_VALUE_NULL; i++)
        value = cup_compared_value(row, i);
    return value;
}

/* What print_block() has printed: the number of row names, and of rows left out because all their
 * values are n/a. */
struct shown {
    size_t names, unknown;
};

static bool begins(const struct cup_comparison *comparison, size_t index)
{
    const struct cup_compared *row = &comparison->rows[index];
    return index == 0 || strcmp(row[-1].section, row->section) != 0 ||
           strcmp(row[-1].row, row->row) != 0;
}

static struct shown print_block(const struct cup_terminal *terminal, const struct block *block,
                                const char *section, size_t most, struct cup_footnotes *footnotes)
{
    struct cup_column columns[CUP_TABLE_COLUMNS];
    struct shown shown = {0};
    struct cup_table table;
    bool first = true;
    cup_table_start(&table, columns, make_columns(columns, block));
    for (size_t i = 0; i < block->comparison->count; i++) {
        const struct cup_compared *row = &block->comparison->rows[i];
        if (strcmp(row->section, section) != 0)
            continue;
        if (begins(block->comparison, i)) {
            shown.names++;
            first = true;
        }
        struct cup_value known = known_value(block->comparison, row);
        /* Times of day are printed with the inputs instead. */
        if (!row->label || known.kind == CUP_VALUE_TIME || (block->rows && shown.names > most))
            continue;
        if (known.kind == CUP_VALUE_NULL) {
            shown.unknown++;
            continue;
        }
        /* Rows of a page can be sorted, so each has its name. */
        add_row(&table, block, row, first || terminal->html, footnotes);
        first = false;
    }
    cup_table_finish(&table, terminal);
    return shown;
}

/* The number of inputs that fit side by side next to the baseline. */
static size_t inputs_per_block(const struct cup_terminal *terminal,
                               const struct cup_comparison *comparison)
{
    /* CUP_TABLE_COLUMNS also limits them: a side has four columns, the baseline two. */
    enum { LABELS_AND_BASELINE = 38, INPUT = 22, DEVIATION = 9, MOST = 6, MOST_OF_SIDES = 3 };
    bool sides = false;
    for (size_t i = 0; i < comparison->input_count; i++)
        sides |= comparison->inputs[i].run_count > 0;
    size_t input = INPUT + sides * DEVIATION, fixed = LABELS_AND_BASELINE + sides * DEVIATION;
    size_t room = terminal->width > fixed + input ? (terminal->width - fixed) / input : 1;
    size_t most = sides ? MOST_OF_SIDES : MOST;
    return room < most ? room : most;
}

static bool has_label(const struct cup_comparison *comparison, const char *section)
{
    for (size_t i = 0; i < comparison->count; i++)
        if (strcmp(comparison->rows[i].section, section) == 0 && comparison->rows[i].label &&
            known_value(comparison, &comparison->rows[i]).kind != CUP_VALUE_NULL)
            return true;
    return false;
}

static void print_section(const struct cup_terminal *terminal,
                          const struct cup_comparison *comparison,
                          const struct cup_compare_section *section, size_t most)
{
    struct cup_footnotes footnotes = {.count = 0};
    struct shown shown = {0};
    size_t others = comparison->input_count - 1, step = inputs_per_block(terminal, comparison);
    if (!has_label(comparison, section->name))
        return;
    print_heading(terminal, CUP_HEADING, section->heading);
    for (size_t from = 0, done = 0; from < comparison->input_count && done < others;) {
        struct block block = {comparison, from, from, false, section->rows};
        size_t taken = 0;
        for (; block.to < comparison->input_count && taken < step; block.to++)
            taken += block.to != comparison->baseline;
        block.pair = taken == 1;
        shown = print_block(terminal, &block, section->name, most, &footnotes);
        for (; from < block.to; from++)
            done += from != comparison->baseline;
    }
    if (section->rows && shown.names > most) {
        cup_compare_line(terminal, CUP_DIM, 2, "... and %zu more, with --only %s",
                         shown.names - most, section->name);
    }
    if (shown.unknown) {
        cup_compare_line(terminal, CUP_DIM, 2,
                         "Rows left out, because they are n/a in all inputs: %zu; --json says why",
                         shown.unknown);
    }
    cup_footnotes_print(&footnotes, terminal);
}

/* ---- scaling ---------------------------------------------------------------------------- */

static void add_scaling(struct cup_table *table, const struct cup_scaling_row *row, size_t input)
{
    const double *efficiency =
        row->efficiency[isfinite(row->rate[CUP_OF_EVENTS]) ? CUP_OF_EVENTS : CUP_OF_BYTES];
    cup_table_add_string(table, cup_input_name(input));
    for (int size = 0; size < CUP_SCALING_SIZES; size++)
        cup_table_add_value(table, cup_real(row->size[size]), CUP_UNIT_RATIO);
    cup_table_add_value(table, cup_real(row->rate[CUP_OF_EVENTS]), CUP_UNIT_HZ);
    cup_table_add_value(table, cup_real(row->rate[CUP_OF_BYTES]), CUP_UNIT_GBPS);
    for (int size = 0; size < CUP_SCALING_SIZES; size++)
        cup_table_add_value(table, cup_real(efficiency[size]), CUP_UNIT_SHARE);
}

static void print_scaling(const struct cup_terminal *terminal, const struct cup_scaling *scaling)
{
    static const struct cup_column columns[] = {
        {"", CUP_FIT_LEFT, 0},          {"workers", CUP_FIT_RIGHT, 0},
        {"cores", CUP_FIT_RIGHT, 0},    {"events", CUP_FIT_RIGHT, 0},
        {"bytes", CUP_FIT_RIGHT, 0},    {"eff. by workers", CUP_FIT_RIGHT, 0},
        {"by cores", CUP_FIT_RIGHT, 0},
    };
    struct cup_table table;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < scaling->count; i++)
        add_scaling(&table, &scaling->rows[i], i);
    cup_table_finish(&table, terminal);
    if (scaling->missing)
        cup_compare_line(terminal, CUP_DIM, 2, "Efficiency is n/a: %s.", scaling->missing);
    else
        cup_compare_line(
            terminal, CUP_DIM, 2,
            "Efficiency: throughput(n) / (throughput(n0) * n / n0), of events where they are "
            "known; n0 is the baseline's n. Workers: %s. Cores: %s. Bytes: %s; both rates over "
            "wall time.",
            scaling->sizes_are[CUP_BY_WORKERS], scaling->sizes_are[CUP_BY_CORES],
            scaling->bytes_are);
}

/* How each input scales within itself: only with --only, or if there is one input. */
static void print_ramps(const struct cup_terminal *terminal,
                        const struct cup_comparison *comparison, const struct cup_target *target,
                        bool steps)
{
    for (size_t i = 0; i < comparison->input_count; i++) {
        if (!steps && !(target->rate > 0))
            continue;
        char heading[] = "Scaling within A";
        heading[sizeof heading - 2] = cup_input_letter(i);
        print_heading(terminal, CUP_HEADING, heading);
        if (steps)
            cup_ramp_text(terminal, &comparison->inputs[i].ramp);
        cup_target_text(terminal, &comparison->inputs[i].ramp, target);
    }
}

/* ---- all of it -------------------------------------------------------------------------- */

const char *cup_compare_section_name(size_t n)
{
    return cup_compare_sections[n].name;
}

bool cup_compare_has_section(const char *name)
{
    for (size_t i = 0; cup_compare_section_name(i); i++)
        if (strcmp(cup_compare_section_name(i), name) == 0)
            return true;
    return false;
}

static void print_sections(const struct cup_terminal *terminal,
                           const struct cup_comparison *comparison, const char *only)
{
    enum { SHOWN_ROWS = 6 };
    for (const struct cup_compare_section *section = cup_compare_sections; section->name; section++)
        if (strcmp(section->name, "functions") == 0)
            continue; /* it has an order of its own */
        else if (only ? strcmp(only, section->name) == 0
                      : !section->on_request && is_comparable(comparison, section->name))
            print_section(terminal, comparison, section, only ? SIZE_MAX : SHOWN_ROWS);
}

/* How the marks and the spread are made. */
static void print_footer(const struct cup_terminal *terminal,
                         const struct cup_comparison *comparison, bool pair)
{
    bool several = false, single = false;
    for (size_t i = 0; i < comparison->input_count; i++) {
        several |= i != comparison->baseline && cup_has_several_runs(comparison, i);
        single |= i != comparison->baseline && !cup_has_several_runs(comparison, i);
    }
    putc('\n', terminal->out);
    cup_compare_line(terminal, CUP_DIM, 0,
                     "%s if more of it, or less, is known to be better, and if it changed by more "
                     "than runs of the same job differ from each other.",
                     pair ? "A figure is marked better or worse"
                          : "b: better, w: worse than the baseline. A figure is marked");
    if (several)
        cup_compare_line(
            terminal, CUP_DIM, 0,
            "Values are medians of the runs, ± their standard deviation. Spread: two sides of the "
            "same job differ by more in about 1 of 20 comparisons (Welch's t-test at 95 %%).");
    if (single)
        cup_compare_line(
            terminal, CUP_DIM, 0,
            "One run a side does not show how far runs of the same job differ, so only counts and "
            "bytes are marked. The noise of the chunks (two standard errors of their mean) is a "
            "lower bound of it. Compare two or more runs a side: `cupping compare A1 A2 -- B1 "
            "B2`.");
}

void cup_compare_text(const struct cup_comparison *comparison, const char *only,
                      const struct cup_target *target, const struct cup_output *output)
{
    struct cup_terminal terminal;
    bool alone = comparison->input_count == 1, scaling = only && strcmp(only, "scaling") == 0;
    cup_terminal_open(&terminal, output);
    print_inputs(&terminal, comparison);
    print_verdicts(&terminal, comparison);
    print_settings(&terminal, comparison);
    if (!alone && !(only && strcmp(only, "inputs") == 0)) {
        print_sections(&terminal, comparison, only);
        if (only && strcmp(only, "functions") == 0)
            cup_compare_functions(&terminal, comparison);
        if (!only || scaling) {
            print_heading(&terminal, CUP_HEADING, "Scaling");
            print_scaling(&terminal, &comparison->scaling);
        }
    }
    if (!only || scaling)
        print_ramps(&terminal, comparison, target, alone || scaling);
    if (!alone && !scaling && !(only && strcmp(only, "inputs") == 0))
        print_footer(&terminal, comparison,
                     comparison->input_count == 2 || inputs_per_block(&terminal, comparison) == 1);
}

/* Width of a table of six inputs; and rows of a table in HTML, so that the page stays readable. */
enum { SCREEN = 200, PAGE_ROWS = 100 };

void cup_compare_html_runs(const struct cup_comparison *comparison, FILE *out, FILE *contents)
{
    struct cup_html html = {.contents = contents};
    const struct cup_terminal terminal = {.out = out, .width = SCREEN, .html = &html};
    print_heading(&terminal, CUP_HEADING, "Runs");
    put_inputs(&terminal, comparison);
    print_columns(&terminal, comparison);
    print_settings(&terminal, comparison);
    cup_html_section_end(&terminal);
}

void cup_compare_html(const struct cup_comparison *comparison, const struct cup_target *target,
                      FILE *out, FILE *contents)
{
    struct cup_html html = {.contents = contents};
    const struct cup_terminal terminal = {.out = out, .width = SCREEN, .html = &html};
    for (const struct cup_compare_section *section = cup_compare_sections; section->name; section++)
        if (is_comparable(comparison, section->name))
            print_section(&terminal, comparison, section, PAGE_ROWS);
    print_heading(&terminal, CUP_HEADING, "Scaling");
    print_scaling(&terminal, &comparison->scaling);
    print_ramps(&terminal, comparison, target, false);
    print_footer(&terminal, comparison, comparison->input_count == 2);
    cup_html_section_end(&terminal);
}
