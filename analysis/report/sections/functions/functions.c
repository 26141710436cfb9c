/* Functions: what each phase of a chunk, each package, function and line cost. */
#include <math.h>
#include <string.h>

#include "analysis/metrics/functions/call_slices.h"
#include "analysis/metrics/functions/functions.h"
#include "analysis/report/page/section.h"
#include "analysis/report/sections/functions/functions.h"

enum { SHOWN_USERS = 15, SHOWN_BRANCHES = 4, SHOWN_HOT = 10 };
enum { SHOWN_PACKAGES = 12, SHOWN_NATIVE_PACKAGES = 8 };

/* Rows of each table in HTML: fewer than elsewhere, because this section has seven tables. */
enum { PAGE_ROWS = 60 };

static size_t shown_rows(const struct cup_page *page, size_t screen)
{
    return page->terminal.html ? PAGE_ROWS : screen;
}

const struct cup_shown_weight cup_shown_weights[CUP_SHOWN_WEIGHTS] = {
    {CUP_W_CPU, "CPU", "Most CPU time", 0},
    {CUP_W_WAIT, "waits", "Longest waits", 1},
    {CUP_W_READ, "read", "Most bytes read", 0},
    {CUP_W_ALLOC, "allocated", "Most bytes allocated", 2},
};

/* True if a table has a column for the weight: native frames have any of it, or all frames. */
static bool has(const struct cup_functions *functions, bool native, int i)
{
    return cup_shown_amount(native ? &functions->native : &functions->all, i) > 0;
}

/* The weight by which rows are sorted: the first one that was measured. */
static enum cup_weight leading(const struct cup_functions *functions)
{
    for (int i = 0; i < CUP_SHOWN_WEIGHTS; i++)
        if (has(functions, false, i))
            return cup_shown_weights[i].weight;
    return CUP_W_CPU;
}

static void add_amount(struct cup_table *table, enum cup_weight weight, uint64_t amount)
{
    cup_table_add_value(table, cup_weight_value(weight, amount), cup_weight_units[weight]);
}

static void add_share(struct cup_table *table, uint64_t part, uint64_t all)
{
    cup_table_add_value(table, cup_ratio((double)part, (double)all), CUP_UNIT_SHARE);
}

/* ---- tables with a column for each weight ------------------------------------------------- */

/* Each weight of native frames has its share behind it; of all frames, only the leading one. */
static bool has_share(const struct cup_functions *functions, bool native, int i)
{
    return native || cup_shown_weights[i].weight == leading(functions);
}

/* Adds the columns of amounts behind the first one. Returns how many there are then. */
static unsigned add_columns(const struct cup_functions *functions, bool native,
                            struct cup_column *columns)
{
    unsigned count = 1;
    for (int i = 0; i < CUP_SHOWN_WEIGHTS; i++) {
        if (!has(functions, native, i))
            continue;
        columns[count++] = (struct cup_column){cup_shown_weights[i].heading, CUP_FIT_RIGHT,
                                               native ? 0 : cup_shown_weights[i].rank};
        if (has_share(functions, native, i))
            columns[count++] = (struct cup_column){"share", CUP_FIT_RIGHT, native};
    }
    return count;
}

static void add_amounts(const struct cup_functions *functions, bool native, struct cup_table *table,
                        const struct cup_weights *weights)
{
    for (int i = 0; i < CUP_SHOWN_WEIGHTS; i++) {
        if (!has(functions, native, i))
            continue;
        add_amount(table, cup_shown_weights[i].weight, cup_shown_amount(weights, i));
        if (has_share(functions, native, i))
            add_share(table, cup_shown_amount(weights, i), cup_shown_amount(&functions->all, i));
    }
}

/* True if any of the amounts shown is not 0. */
static bool has_amount(const struct cup_functions *functions, bool native,
                       const struct cup_weights *weights)
{
    for (int i = 0; i < CUP_SHOWN_WEIGHTS; i++)
        if (has(functions, native, i) && cup_shown_amount(weights, i))
            return true;
    return false;
}

/* Phases of the tasks that run chunks, or of all tasks if there are no chunks. */
static void print_phases(const struct cup_page *page, const struct cup_functions *functions)
{
    struct cup_column columns[CUP_TABLE_COLUMNS] = {{"phase", CUP_FIT_LEFT, 0}};
    unsigned count = add_columns(functions, false, columns);
    struct cup_table table;
    columns[count++] = (struct cup_column){"", CUP_FIT_LEFT, 3};
    cup_page_heading(page, "Phases",
                     "what each part of the work took, by the functions on the "
                     "stack");
    cup_table_start(&table, columns, count);
    for (int i = CUP_PHASE_COUNT; i-- > 0;) {
        uint64_t any = 0;
        for (int w = 0; w < CUP_WEIGHT_COUNT; w++)
            any |= functions->phases[i].of[w];
        if (!any)
            continue;
        cup_table_add_string(&table, cup_phase_names[i]);
        add_amounts(functions, false, &table, &functions->phases[i]);
        cup_table_add_string(&table, cup_phase_texts[i]);
    }
    cup_table_finish(&table, &page->terminal);
}

void cup_print_packages(const struct cup_page *page, struct cup_functions *functions, bool native,
                        enum cup_weight weight)
{
    struct cup_function_rows *rows = native ? &functions->native_packages : &functions->packages;
    struct cup_column columns[CUP_TABLE_COLUMNS] = {{"package", CUP_FIT_LEFT, 0}};
    unsigned count = add_columns(functions, native, columns);
    size_t most = shown_rows(page, native ? SHOWN_NATIVE_PACKAGES : SHOWN_PACKAGES), some = 0;
    struct cup_table table;
    if (!native)
        columns[count++] = (struct cup_column){"total", CUP_FIT_RIGHT, 1};
    cup_page_heading(
        page, native ? "Packages, native" : "Packages",
        native ? "self, by the library of the innermost C function"
               : "self, by the package of the innermost function; total: with all that it calls");
    cup_function_rows_sort(rows, weight, false, false);
    cup_table_start(&table, columns, count);
    for (const struct cup_function_row *row = rows->rows; row < rows->rows + rows->count; row++) {
        bool is_caller = native && !has_amount(functions, native, &row->self);
        if (is_caller || some++ >= most)
            continue;
        cup_table_add(&table, cup_call_text(functions->tree, row->of));
        add_amounts(functions, native, &table, &row->self);
        if (!native)
            add_amount(&table, weight, row->total.of[weight]);
    }
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, some, most, "package in --json");
}

/* "file.py:12": of a function, where it begins. */
static void add_place(struct cup_table *table, const struct cup_call_tree *tree,
                      const struct cup_function *function, uint32_t line)
{
    struct cup_text file = cup_call_text(tree, function->file);
    cup_table_add_string(table, CUP_FORMAT("%.*s%s", file.length < 350 ? (int)file.length : 350,
                                           file.length ? file.bytes : "",
                                           line ? CUP_FORMAT(":%u", line) : ""));
}

static size_t users_of(const struct cup_function_rows *rows)
{
    size_t count = 0;
    for (size_t i = 0; i < rows->count; i++)
        count += rows->rows[i].user;
    return count;
}

/* The user's functions or their lines, with all that they call. */
static void print_users(const struct cup_page *page, struct cup_functions *functions,
                        struct cup_function_rows *rows, bool lines)
{
    const struct cup_call_tree *tree = functions->tree;
    struct cup_column columns[CUP_TABLE_COLUMNS] = {{"function", CUP_FIT_LEFT, 0}};
    unsigned count = add_columns(functions, false, columns);
    size_t most = shown_rows(page, SHOWN_USERS), users = users_of(rows);
    struct cup_table table;
    columns[count++] = (struct cup_column){lines ? "line" : "defined at", CUP_FIT_LEFT, 0};
    if (!users)
        return;
    cup_page_heading(page, lines ? "Lines of your own" : "Functions of your own",
                     "total: with all that they call");
    cup_function_rows_sort(rows, leading(functions), true, true);
    cup_table_start(&table, columns, count);
    for (size_t i = 0; i < users && i < most; i++) {
        const struct cup_function_row *row = &rows->rows[i];
        uint32_t of = lines ? tree->frames[row->of].function : row->of;
        const struct cup_function *function = &tree->functions[of];
        cup_table_add(&table, cup_call_text(tree, function->name));
        add_amounts(functions, false, &table, &row->total);
        add_place(&table, tree, function,
                  lines ? tree->frames[row->of].line : function->first_line);
    }
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, users, most, lines ? "line in --json" : "function in --json");
}

/* ---- branches by line --------------------------------------------------------------------- */

/* Adds a cell with the names of up to SHOWN_BRANCHES branches, those with the most bytes first. */
static void add_names(const struct cup_page *page, struct cup_table *table,
                      const struct cup_line_branch *branches, size_t count)
{
    char names[200] = "";
    for (size_t i = 0; i < count && i < SHOWN_BRANCHES; i++) {
        uint32_t string = page->profile->branches[branches[i].branch].name;
        struct cup_text name = cup_page_text(page, string);
        cup_append(names, sizeof names, "%s%.*s", i ? ", " : "",
                   (int)(name.length < 60 ? name.length : 60), name.bytes);
    }
    cup_table_add_string(table, names);
}

static void add_branches(const struct cup_page *page, struct cup_table *table,
                         const struct cup_line_branch *branches, size_t count)
{
    const struct cup_call_tree *tree = page->totals->calls;
    const struct cup_call_frame *frame = &tree->frames[branches->frame];
    const struct cup_function *function = &tree->functions[frame->function];
    uint64_t bytes = 0, baskets = 0;
    for (size_t i = 0; i < count; i++) {
        bytes += branches[i].compressed_bytes;
        baskets += branches[i].baskets;
    }
    add_place(table, tree, function, frame->line);
    cup_table_add(table, cup_call_text(tree, function->name));
    cup_table_add_value(table, cup_count(count), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(baskets), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(bytes), CUP_UNIT_BYTES);
    add_names(page, table, branches, count);
}

/* A row for each line, in the order of the call tree. */
static void print_branches(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"line", CUP_FIT_LEFT, 0},        {"function", CUP_FIT_LEFT, 2},
        {"branches", CUP_FIT_RIGHT, 0},   {"baskets", CUP_FIT_RIGHT, 1},
        {"compressed", CUP_FIT_RIGHT, 0}, {"largest first", CUP_FIT_LEFT, 0},
    };
    const struct cup_call_tree *tree = page->totals->calls;
    size_t most = shown_rows(page, SHOWN_USERS), lines = 0;
    struct cup_table table;
    if (tree->branch_count == 0)
        return;
    cup_page_heading(page, "Branches by line",
                     "baskets that uproot requested, by the line of the user's code");
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t from = 0, to; from < tree->branch_count; from = to) {
        for (to = from + 1; to < tree->branch_count; to++)
            if (tree->branches[to].frame != tree->branches[from].frame)
                break;
        if (lines++ < most)
            add_branches(page, &table, &tree->branches[from], to - from);
    }
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, lines, most, "line in --json");
}

/* ---- hot functions ------------------------------------------------------------------------ */

static void add_hot(struct cup_table *table, const struct cup_functions *functions,
                    const struct cup_function_row *row, enum cup_weight weight)
{
    const struct cup_call_tree *tree = functions->tree;
    const struct cup_function *function = &tree->functions[row->of];
    cup_table_add(table, cup_call_text(tree, function->name));
    cup_table_add(table, cup_call_text(tree, function->package));
    add_amount(table, weight, row->self.of[weight]);
    add_share(table, row->self.of[weight], functions->all.of[weight]);
    add_amount(table, weight, row->total.of[weight]);
    add_share(table, row->total.of[weight], functions->all.of[weight]);
    add_place(table, tree, function, function->first_line);
}

void cup_print_hot(const struct cup_page *page, const struct cup_functions *functions,
                   struct cup_function_rows *rows, int which, const char *place)
{
    const struct cup_column columns[] = {
        {"function", CUP_FIT_LEFT, 0}, {"package", CUP_FIT_LEFT, 3}, {"self", CUP_FIT_RIGHT, 0},
        {"share", CUP_FIT_RIGHT, 0},   {"total", CUP_FIT_RIGHT, 1},  {"share", CUP_FIT_RIGHT, 2},
        {place, CUP_FIT_LEFT, 0},
    };
    enum cup_weight weight = cup_shown_weights[which].weight;
    size_t most = shown_rows(page, SHOWN_HOT), some = 0;
    struct cup_table table;
    cup_function_rows_sort(rows, weight, false, false);
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < rows->count && rows->rows[i].self.of[weight]; i++)
        if (some++ < most)
            add_hot(&table, functions, &rows->rows[i], weight);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, some, most, "function in --json");
}

static void print_pythons(const struct cup_page *page, struct cup_functions *functions)
{
    for (int i = 0; i < CUP_SHOWN_WEIGHTS; i++) {
        if (!has(functions, false, i))
            continue;
        cup_page_heading(page, cup_shown_weights[i].hot,
                         "self: in the function itself; total: with all that it calls");
        cup_print_hot(page, functions, &functions->functions, i, "defined at");
    }
}

/* ---- how well it is known ----------------------------------------------------------------- */

/* Prints the number of samples and the statistical error that follows from it. */
static void print_sampled(const struct cup_page *page, uint64_t used)
{
    const uint64_t *health = page->profile->health;
    uint64_t taken = health[CUP_H_CPU_SAMPLES], torn = health[CUP_H_CPU_SAMPLES_TORN];
    cup_page_line(
        page, CUP_DIM,
        "CPU time is from %s of threads on a core%s; of all %llu samples of the run, "
        "%s had a stack that changed while it was read: their time counts at the frames that did "
        "not change.",
        CUP_SHOW_COUNTED(used, "sample"),
        used ? CUP_FORMAT(" (a share of 50 %% has an error of %.1f %%)", 50 / sqrt((double)used))
             : "",
        (unsigned long long)taken, CUP_SHOW((double)torn / (double)taken, CUP_UNIT_SHARE));
}

/* Says how many samples the CPU time comes from, or why there is none. */
static void print_samples(const struct cup_page *page, const struct cup_functions *functions)
{
    uint64_t used = functions->all.of[CUP_W_SAMPLES];
    if (page->totals->all.tasks == 0)
        cup_page_line(page, CUP_DIM, "CPU time: n/a, no task was seen.");
    else if (!cup_profile_measured(page->profile, CUP_FEATURE_CPU))
        cup_page_line(
            page, CUP_DIM,
            "CPU time: n/a, no process was sampled (CUPPING_CPU_HZ=0, or an older library).");
    else if (!used && functions->tree->filtered)
        cup_page_line(page, CUP_DIM,
                      "CPU time: n/a, no sample found a thread of these tasks on a core.");
    else
        print_sampled(page, used);
}

/* Says whether the reads, writes and waits of functions are estimates. */
static void print_thinned(const struct cup_page *page)
{
    uint64_t thinned = page->profile->health[CUP_H_EVENTS_THINNED];
    if (thinned)
        cup_page_line(page, CUP_DIM,
                      "Bytes and waits of functions are estimates: %llu stacks of events were "
                      "recorded, and %llu more reads, writes and waits count at the stack of "
                      "another one. A figure from n stacks has an error of about 1/sqrt(n).",
                      (unsigned long long)page->profile->health[CUP_H_STACKS_TAKEN],
                      (unsigned long long)thinned);
    if (page->profile->health[CUP_H_STACKS_CUT])
        cup_page_line(page, CUP_DIM,
                      "%llu sums of rare stacks count at a function further out, because too many "
                      "different stacks came in a short time.",
                      (unsigned long long)page->profile->health[CUP_H_STACKS_CUT]);
}

/* Prints each counter of missing or dropped stacks that is not 0. */
static void print_losses(const struct cup_page *page, const struct cup_call_tree *tree)
{
    const uint64_t *health = page->profile->health;
    const struct {
        uint64_t count;
        const char *what;
    } losses[] = {
        {health[CUP_H_STACKS_DROPPED],
         "Stacks, or uses of them, dropped because tables or log were full"},
        {health[CUP_H_CPU_SAMPLES_MISSED], "Samples that were due while the sampler was late"},
        {health[CUP_H_CODES_REPLACED], "Functions whose code object reused the address of another "
                                       "function's (each has its own rows)"},
        {tree->without, "Processes that ran tasks and took no stacks"},
        {tree->left_out,
         "Call sites that did not fit into the tree; their amounts are added to their callers"},
        {tree->orphans, "Stacks, functions or tasks without a record that defines them"},
        {tree->damaged, "Damaged records of stacks, of which a part was read"},
        {tree->lost_logs, "Logs that could not be read a second time"},
    };
    for (size_t i = 0; i < sizeof losses / sizeof *losses; i++)
        if (losses[i].count)
            cup_page_line(page, CUP_WARN, "%s: %llu.", losses[i].what,
                          (unsigned long long)losses[i].count);
}

static void print_unknown(const struct cup_page *page, const struct cup_functions *functions)
{
    enum cup_weight weight = leading(functions);
    double part = (double)functions->unknown.of[weight], all = (double)functions->all.of[weight];
    if (part > 0)
        cup_page_line(page, CUP_DIM, "%s of the %s has no known stack.",
                      CUP_SHOW(part / all, CUP_UNIT_SHARE), cup_weight_texts[weight]);
}

/* ---- the section -------------------------------------------------------------------------- */

static void print_heading(const struct cup_page *page, const struct cup_functions *functions)
{
    char asked[CUP_ASK_TEXT];
    char *detail = CUP_FORMAT("%s, %s of %s", CUP_SHOW_COUNTED(functions->tree->tasks, "task"),
                              CUP_SHOW_COUNTED(functions->functions.count, "function"),
                              CUP_SHOW_COUNTED(functions->packages.count, "package"));
    for (int i = 0; i < CUP_SHOWN_WEIGHTS; i++) {
        enum cup_weight weight = cup_shown_weights[i].weight;
        struct cup_value value = cup_weight_value(weight, functions->all.of[weight]);
        if (has(functions, false, i))
            cup_append(detail, CUP_LINE_ROOM, "; %s %s",
                       CUP_SHOW(cup_number(value), cup_weight_units[weight]),
                       cup_shown_weights[i].heading);
    }
    cup_page_heading(page, "Functions", detail);
    if (functions->tree->filtered)
        cup_page_line(page, CUP_PLAIN, "%s", cup_call_ask_text(asked, &functions->tree->ask) + 1);
    print_samples(page, functions);
    print_thinned(page);
    print_unknown(page, functions);
    print_losses(page, functions->tree);
}

static int print_functions(const struct cup_page *page)
{
    const struct cup_call_tree *tree = page->totals->calls;
    const char *missing = cup_stacks_missing(page->profile);
    struct cup_functions functions;
    if (missing && page->alone) {
        cup_page_heading(page, "Functions", "");
        cup_page_line(page, CUP_PLAIN, "n/a: %s.", missing);
    }
    if (missing || !tree || (tree->row_count == 0 && !page->alone))
        return 0;
    if (cup_functions_make(&functions, tree, CUP_ALL_PREFIXES) != 0)
        return -1;
    print_heading(page, &functions);
    if (functions.functions.count) {
        print_phases(page, &functions);
        cup_print_packages(page, &functions, false, leading(&functions));
    }
    print_users(page, &functions, &functions.functions, false);
    print_users(page, &functions, &functions.lines, true);
    print_branches(page);
    print_pythons(page, &functions);
    cup_print_natives(page, &functions);
    cup_functions_free(&functions);
    return 0;
}

const struct cup_report_section cup_functions_section = {
    .name = "functions",
    .shown = CUP_SHOWN_IN_PAGE,
    .needs = CUP_NEEDS_STACKS,
    .print = print_functions,
    .put = cup_put_functions,
};
