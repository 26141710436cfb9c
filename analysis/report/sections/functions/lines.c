/* The lines of the user's own code that took the most time, with their source text. */
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/functions/functions.h"
#include "analysis/metrics/functions/source_line.h"
#include "analysis/metrics/functions/user_lines.h"
#include "analysis/report/page/section.h"
#include "analysis/report/sections/functions/functions.h"

enum { SHOWN_LINES = 5, SHOWN_IN_PAGE = 10, SHOWN_ALONE = 20 };

/* About the width of the columns before the branches, of which one may be hidden. */
enum { OTHER_COLUMNS = 52 };

/* What each line did, with what it called outside of the user's own code. */
struct lines {
    const struct cup_call_tree *tree;
    struct cup_weights *of; /* owned; by frame */
    bool timed;             /* some have CPU time or waits */
};

/* Returns 0, or -1 without memory. */
static int sum_up_lines(struct lines *lines, const struct cup_call_tree *tree)
{
    *lines = (struct lines){tree, calloc(tree->frame_count + 1, sizeof *lines->of), false};
    if (!lines->of)
        return -1;
    for (size_t i = 0; i < tree->row_count; i++) {
        const struct cup_call_row *row = &tree->rows[i];
        uint32_t frame = cup_user_frame(tree, row->node);
        if (frame == CUP_NOTHING)
            continue;
        cup_weights_add(&lines->of[frame], &row->weights);
        lines->timed |= row->weights.of[CUP_W_CPU] + row->weights.of[CUP_W_WAIT] > 0;
    }
    return 0;
}

/* CPU time and waits; where neither was measured, bytes read. */
static uint64_t weigh(const struct lines *lines, uint32_t frame)
{
    const uint64_t *of = lines->of[frame].of;
    return lines->timed ? of[CUP_W_CPU] + of[CUP_W_WAIT] : of[CUP_W_READ];
}

/* The heaviest lines, in order. Returns how many there are, at most `most`; `chosen` has room for
 * one more. */
static size_t choose_lines(const struct lines *lines, size_t most, uint32_t *chosen)
{
    size_t count = 0;
    for (uint32_t frame = 0; frame < lines->tree->frame_count; frame++) {
        size_t at = count;
        while (at > 0 && weigh(lines, chosen[at - 1]) < weigh(lines, frame))
            at--;
        if (weigh(lines, frame) == 0 || at == most)
            continue;
        count += count < most;
        memmove(&chosen[at + 1], &chosen[at], (count - at - 1) * sizeof *chosen);
        chosen[at] = frame;
    }
    return count;
}

/* "Jet_pt, Jet_eta and 2 more": the branches whose baskets the line requested, largest first, as
 * many as there is room for, but at least one. */
static const char *name_branches(const struct cup_page *page, uint32_t frame,
                                 char to[CUP_LINE_ROOM])
{
    enum { AND_MORE = 12 };
    const struct cup_call_tree *tree = page->totals->calls;
    size_t room = page->terminal.html ? 100 : page->terminal.width - OTHER_COLUMNS, left_out = 0;
    for (size_t i = 0; i < tree->branch_count; i++) {
        if (tree->branches[i].frame != frame)
            continue;
        struct cup_text name =
            cup_page_text(page, page->profile->branches[tree->branches[i].branch].name);
        bool fits = strlen(to) + 2 + name.length + AND_MORE <= room && left_out == 0;
        if (*to && !fits)
            left_out++;
        else
            cup_append(to, CUP_LINE_ROOM, "%s%.*s", *to ? ", " : "",
                       (int)(name.length < 60 ? name.length : 60), name.bytes);
    }
    if (left_out)
        cup_append(to, CUP_LINE_ROOM, " and %zu more", left_out);
    return to;
}

/* Files that the client sent to the workers are gone with them. They may still lie next to the
 * script that the client ran. Tries the directory of each word of its command that ends in ".py".
 */
static bool read_beside_script(struct cup_source source, struct cup_text command,
                               struct cup_text file, uint32_t line, char to[CUP_CODE_ROOM])
{
    for (size_t at = 0, end; at < command.length; at = end + 1) {
        for (end = at; end < command.length && command.bytes[end] != ' '; end++)
            ;
        char path[CUP_LINE_ROOM];
        size_t length = end - at;
        if (length < 3 || memcmp(command.bytes + end - 3, ".py", 3) != 0)
            continue;
        while (length > 0 && command.bytes[at + length - 1] != '/')
            length--;
        int bytes = snprintf(path, sizeof path, "%.*s%.*s", (int)length, command.bytes + at,
                             (int)file.length, file.bytes);
        source.path = (struct cup_text){path, strlen(path)};
        if (bytes < (int)sizeof path && cup_source_line(&source, line, to))
            return true;
    }
    return false;
}

static bool read_uploaded(const struct cup_page *page, const struct cup_source *source,
                          struct cup_text file, uint32_t line, char to[CUP_CODE_ROOM])
{
    const struct cup_profile *profile = page->profile;
    uint32_t command = cup_intern_find(&profile->strings, "command", strlen("command"));
    for (size_t i = 0; i < profile->info_count; i++) {
        const struct cup_info *info = &profile->infos[i];
        bool client = (profile->processes[info->process].roles & 1u << CUP_ROLE_CLIENT) != 0;
        if (info->name == command && client &&
            read_beside_script(*source, cup_page_text(page, info->value), file, line, to))
            return true;
    }
    return false;
}

/* Cells of notebooks are in no file. `%load_ext cupping` keeps them in the profile, each under a
 * name that is made of its contents (python/cupping/notebook.py). */
static bool read_cell(const struct cup_page *page, struct cup_source source, uint32_t line,
                      char to[CUP_CODE_ROOM])
{
    char path[CUP_LINE_ROOM];
    if (source.path.length == 0 || source.path.bytes[0] != '/')
        return false;
    int bytes = snprintf(path, sizeof path, "%s/cells/%.*s", page->profile->path,
                         (int)source.path.length - 1, source.path.bytes + 1);
    if (bytes >= (int)sizeof path)
        return false;
    for (char *at = path + strlen(page->profile->path) + strlen("/cells/"); *at; at++)
        *at = *at == '/' ? '-' : *at;
    source.path = (struct cup_text){path, (size_t)bytes};
    source.before_ns = INT64_MAX;
    return cup_source_line(&source, line, to);
}

/* The text of the line; "" if the file is not at hand, or not the one that ran. */
static const char *read_source(const struct cup_page *page, const struct cup_call_frame *frame,
                               char to[CUP_CODE_ROOM])
{
    const struct cup_call_tree *tree = page->totals->calls;
    const struct cup_function *function = &tree->functions[frame->function];
    struct cup_text file = cup_call_text(tree, function->file);
    const struct cup_source source = {cup_call_text(tree, function->path),
                                      cup_call_text(tree, function->name), function->first_line,
                                      page->totals->run.start_ns};
    bool uploaded = file.length > 0 && file.bytes[0] != '/';
    if (!cup_source_line(&source, frame->line, to) &&
        !(uploaded && read_uploaded(page, &source, file, frame->line, to)))
        read_cell(page, source, frame->line, to);
    return to;
}

static void add_line(const struct cup_page *page, struct cup_table *table,
                     const struct lines *lines, uint32_t number)
{
    const struct cup_call_frame *frame = &lines->tree->frames[number];
    char source[CUP_CODE_ROOM];
    cup_table_add_string(table, cup_frame_place(lines->tree, number, (char[CUP_LINE_ROOM]){""}));
    read_source(page, frame, source);
    if (page->terminal.html)
        cup_table_add_string(table, source);
    for (int i = 0; i < CUP_SHOWN_WEIGHTS; i++) {
        enum cup_weight weight = cup_shown_weights[i].weight;
        bool known = cup_weight_measured(page->profile, weight);
        cup_table_add_value(
            table,
            cup_value_if(known, cup_weight_value(weight, cup_shown_amount(&lines->of[number], i))),
            cup_weight_units[weight]);
    }
    cup_table_add_string(table, name_branches(page, number, (char[CUP_LINE_ROOM]){""}));
    cup_table_add_below(table, source);
}

static void print_lines(const struct cup_page *page, const struct lines *lines)
{
    static const struct cup_column columns[] = {
        {"line", CUP_FIT_LEFT, 0},       {"CPU", CUP_FIT_RIGHT, 0},
        {"waits", CUP_FIT_RIGHT, 0},     {"read", CUP_FIT_RIGHT, 0},
        {"allocated", CUP_FIT_RIGHT, 1}, {"branches that it reads", CUP_FIT_LEFT, 0},
    };
    static const struct cup_column page_columns[] = {
        {"line", CUP_FIT_LEFT, 0},
        {"source", CUP_FIT_CODE, 0},
        {"CPU", CUP_FIT_RIGHT, 0},
        {"waits", CUP_FIT_RIGHT, 0},
        {"read", CUP_FIT_RIGHT, 0},
        {"allocated", CUP_FIT_RIGHT, 0},
        {"branches that it reads", CUP_FIT_LEFT, 0},
    };
    uint32_t chosen[SHOWN_ALONE + 1];
    size_t most = page->terminal.html ? SHOWN_IN_PAGE : page->alone ? SHOWN_ALONE : SHOWN_LINES;
    size_t count = choose_lines(lines, most, chosen);
    struct cup_table table;
    if (count == 0)
        return;
    cup_page_heading(page, "Heaviest lines of your own code",
                     "CPU and waits with the libraries that they call");
    if (page->terminal.html)
        cup_table_start(&table, page_columns, 7);
    else
        cup_table_start(&table, columns, 6);
    for (size_t i = 0; i < count; i++)
        add_line(page, &table, lines, chosen[i]);
    cup_table_finish(&table, &page->terminal);
}

static int print_section(const struct cup_page *page)
{
    const char *missing = cup_stacks_missing(page->profile);
    struct lines lines;
    if (missing) {
        cup_page_heading(page, "Heaviest lines of your own code", "");
        cup_page_line(page, CUP_PLAIN, "n/a: %s.", missing);
    }
    if (missing || !page->totals->calls)
        return 0;
    if (sum_up_lines(&lines, page->totals->calls) != 0)
        return -1;
    print_lines(page, &lines);
    free(lines.of);
    return 0;
}

const struct cup_report_section cup_lines_section = {
    .name = "lines",
    .shown = CUP_SHOWN_ON_REQUEST,
    .needs = CUP_NEEDS_STACKS,
    .print = print_section,
    .nothing = "No line of your own code was on a stack that cupping recorded.",
};
