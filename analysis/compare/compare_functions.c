/* Prints the functions whose cost changed the most. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/compare/compare_write.h"
#include "analysis/write/table.h"

enum { SHOWN = 10, INPUTS_SHOWN = 5 };

struct changed {
    const struct cup_compared *row;
    const char *name; /* what it is called */
    double by;        /* the largest change of any input against the baseline, without its sign */
};

/* The function's amount in a run; 0 if it is on no stack there. */
static double amount_of(const struct cup_compared *row, size_t input)
{
    double amount = row->figures[input] ? cup_number(row->figures[input]->value) : 0;
    return isfinite(amount) ? amount : 0;
}

static double change_of(const struct cup_comparison *comparison, const struct cup_compared *row)
{
    double most = 0;
    for (size_t i = 0; i < comparison->input_count; i++)
        most = fmax(most, fabs(amount_of(row, i) - amount_of(row, comparison->baseline)));
    return most;
}

static int most_first(const void *left, const void *right)
{
    const struct changed *a = left, *b = right;
    if (a->by != b->by)
        return a->by > b->by ? -1 : 1;
    return strcmp(a->row->row, b->row->row);
}

static bool is_of(const struct cup_compared *row, const struct cup_function_figure *kind)
{
    return strcmp(row->section, "functions") == 0 &&
           (strcmp(row->name, kind->by_event) == 0 || strcmp(row->name, kind->by_task) == 0);
}

/* Functions that changed, the largest change first. The caller frees them; NULL without memory. */
static struct changed *find_changed(const struct cup_comparison *comparison,
                                    const struct cup_function_figure *kind, size_t *count)
{
    struct changed *changed = calloc(comparison->count + 1, sizeof *changed);
    *count = 0;
    for (size_t i = 0; changed && i < comparison->count; i++) {
        const struct cup_compared *row = &comparison->rows[i];
        double by = is_of(row, kind) ? change_of(comparison, row) : 0;
        if (by > 0)
            changed[(*count)++] = (struct changed){row, row->row, by};
    }
    if (changed && *count)
        qsort(changed, *count, sizeof *changed, most_first);
    return changed;
}

/* The largest amount of any function in each input. For totals (with callees) this is the whole
 * run's amount. */
static void find_wholes(const struct cup_comparison *comparison,
                        const struct cup_function_figure *kind, double wholes[CUP_COMPARE_MOST])
{
    for (size_t i = 0; i < comparison->input_count; i++)
        wholes[i] = 0;
    for (size_t k = 0; k < comparison->count; k++)
        for (size_t i = 0; i < comparison->input_count && is_of(&comparison->rows[k], kind); i++)
            wholes[i] = fmax(wholes[i], amount_of(&comparison->rows[k], i));
}

static bool has_all(const struct cup_comparison *comparison, const struct cup_compared *row,
                    const double wholes[CUP_COMPARE_MOST])
{
    for (size_t i = 0; i < comparison->input_count; i++)
        if (amount_of(row, i) < 0.99 * wholes[i])
            return false;
    return true;
}

/* Functions on nearly every stack, such as those that start a task, all show the change of the
 * whole run. Keeps one row "(all)" for them. Returns how many it stands for. */
static size_t fold_wholes(const struct cup_comparison *comparison,
                          const struct cup_function_figure *kind, struct changed *changed,
                          size_t *count)
{
    double wholes[CUP_COMPARE_MOST];
    size_t kept = 0, folded = 0, first = 0;
    find_wholes(comparison, kind, wholes);
    for (size_t k = 0; k < *count; k++) {
        bool whole = has_all(comparison, changed[k].row, wholes);
        if (whole && folded++)
            continue;
        if (whole)
            first = kept;
        changed[kept++] = changed[k];
    }
    if (folded > 1)
        changed[first].name = "(all)";
    *count = kept;
    return folded;
}

static void add_change(struct cup_table *table, double from, double to, enum cup_unit unit)
{
    double by = to - from;
    const char *text = CUP_FORMAT("%s%s", by < 0 ? "-" : "+", CUP_SHOW(fabs(by), unit));
    const char *relative = from > 0 ? CUP_FORMAT("%+.1f %%", 100 * by / from) : "new";
    cup_table_add_string(table, by == 0 ? "=" : text);
    cup_table_add_string(table, by == 0 ? "" : to > 0 ? relative : "gone");
}

/* The inputs that have a column: the first ones, and always the baseline. Returns how many. */
static size_t choose_inputs(const struct cup_comparison *comparison, size_t shown[INPUTS_SHOWN])
{
    size_t count = comparison->input_count < INPUTS_SHOWN ? comparison->input_count : INPUTS_SHOWN;
    for (size_t i = 0; i < count; i++)
        shown[i] = i;
    if (comparison->baseline >= count)
        shown[count - 1] = comparison->baseline;
    return count;
}

static void print_kind(const struct cup_terminal *terminal, const struct cup_comparison *comparison,
                       const struct cup_function_figure *kind)
{
    struct cup_column columns[CUP_TABLE_COLUMNS] = {{"function", CUP_FIT_LEFT, 0}};
    size_t count, shown[INPUTS_SHOWN], inputs = choose_inputs(comparison, shown);
    unsigned used = 1;
    struct cup_table table;
    struct changed *changed = find_changed(comparison, kind, &count);
    size_t folded = kind->total ? fold_wholes(comparison, kind, changed, &count) : 0;
    for (size_t i = 0; i < inputs; i++) {
        columns[used++] = (struct cup_column){cup_input_name(shown[i]), CUP_FIT_RIGHT, 0};
        if (shown[i] == comparison->baseline)
            continue;
        columns[used++] = (struct cup_column){"change", CUP_FIT_RIGHT, 0};
        columns[used++] = (struct cup_column){"", CUP_FIT_RIGHT, 1};
    }
    if (count) {
        bool by_event = strcmp(changed[0].row->name, kind->by_event) == 0;
        cup_print(terminal, CUP_HEADING, "\n%s, for each %s\n", kind->label,
                  by_event ? "event" : "task");
    }
    cup_table_start(&table, columns, used);
    for (size_t k = 0; k < count && k < SHOWN; k++) {
        double from = amount_of(changed[k].row, comparison->baseline);
        cup_table_add_string(&table, changed[k].name);
        for (size_t i = 0; i < inputs; i++) {
            double to = amount_of(changed[k].row, shown[i]);
            cup_table_add_value(&table, cup_real(to), kind->unit);
            if (shown[i] != comparison->baseline)
                add_change(&table, from, to, kind->unit);
        }
    }
    cup_table_finish(&table, terminal);
    if (count > SHOWN)
        cup_print(terminal, CUP_DIM, "  ... and %zu more functions that changed, in --json\n",
                  count - SHOWN);
    if (folded > 1)
        cup_print(terminal, CUP_DIM, "  (all): %zu functions that are on nearly all stacks\n",
                  folded);
    free(changed);
}

static bool is_function(const struct cup_run_figure *row)
{
    return strcmp(row->section, "functions") == 0;
}

static bool has_functions(const struct cup_figures *figures)
{
    for (size_t i = 0; i < figures->count; i++)
        if (is_function(&figures->rows[i]))
            return true;
    return false;
}

/* The amount is for each event: the input knows the events of its chunks. */
static bool is_by_event(const struct cup_run_figure *row)
{
    for (size_t k = 0; k < cup_function_figure_count; k++)
        if (strcmp(row->name, cup_function_figures[k].by_event) == 0)
            return true;
    return false;
}

/* What the amounts of an input are for. UNKNOWN: it is the middle of several runs, some of which
 * count events and some tasks. */
enum count { BY_TASK, BY_EVENT, UNKNOWN };

static enum count find_count(const struct cup_figures *figures)
{
    for (size_t i = 0; i < figures->count; i++)
        if (is_function(&figures->rows[i]) && figures->rows[i].value.kind != CUP_VALUE_NULL)
            return is_by_event(&figures->rows[i]) ? BY_EVENT : BY_TASK;
    return UNKNOWN;
}

/* An input that counts otherwise than the baseline, or of which it is not known; the number of
 * inputs: there is none. */
static size_t find_other_count(const struct cup_comparison *comparison)
{
    enum count count = find_count(&comparison->inputs[comparison->baseline]);
    for (size_t i = 0; i < comparison->input_count; i++)
        if (find_count(&comparison->inputs[i]) != count || count == UNKNOWN)
            return i;
    return comparison->input_count;
}

static void say_why_not_compared(const struct cup_terminal *terminal,
                                 const struct cup_comparison *comparison, size_t other)
{
    static const char *const names[] = {"task", "event"};
    enum count count = find_count(&comparison->inputs[other]);
    enum count base = find_count(&comparison->inputs[comparison->baseline]);
    if (count == UNKNOWN || base == UNKNOWN)
        cup_print(terminal, CUP_WARN,
                  "\nThe amounts of functions in %s are not known: they are for each event in some "
                  "of its runs, and for each task in others.\n",
                  cup_input_name(count == UNKNOWN ? other : comparison->baseline));
    else
        cup_print(terminal, CUP_WARN,
                  "\nThe amounts of functions are for each %s in %s, and for each %s in %s: they "
                  "are not compared.\n",
                  names[count], cup_input_name(other), names[base],
                  cup_input_name(comparison->baseline));
}

void cup_compare_functions(const struct cup_terminal *terminal,
                           const struct cup_comparison *comparison)
{
    for (size_t i = 0; i < comparison->input_count; i++)
        if (!has_functions(&comparison->inputs[i])) {
            cup_print(terminal, CUP_WARN, "\n%s has no stacks: its functions are not known.\n",
                      comparison->inputs[i].path);
            return;
        }
    size_t other = find_other_count(comparison);
    if (other < comparison->input_count) {
        say_why_not_compared(terminal, comparison, other);
        return;
    }
    for (size_t k = 0; k < cup_function_figure_count; k++)
        print_kind(terminal, comparison, &cup_function_figures[k]);
    if (comparison->input_count > INPUTS_SHOWN)
        cup_print(terminal, CUP_DIM, "\nInputs left out: %zu; --json has them\n",
                  comparison->input_count - INPUTS_SHOWN);
}
