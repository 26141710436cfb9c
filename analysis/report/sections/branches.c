/* Branches: what was read of ROOT files, and what of it was read twice. */
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/metrics/reads/file_shares.h"
#include "analysis/report/page/page.h"

enum { SHOWN_BRANCHES = 20, SHOWN_BRANCHES_OF_ALL = 5 };

/* ---- the table ---------------------------------------------------------------------------- */

static void add_branch(const struct cup_page *page, struct cup_table *table,
                       const struct cup_branch_row *row)
{
    const struct cup_branches *branches = page->totals->branches;
    char algorithms[CUP_ALGORITHMS_ROOM];
    const char *unnamed = row->tree ? "" : "(no name: pages of RNTuples)";
    bool known = row->rereads_known;
    if (row->name)
        cup_table_add(table, cup_page_text(page, row->name));
    else
        cup_table_add_string(table, unnamed);
    cup_table_add(table, cup_page_text(page, row->tree));
    cup_table_add_value(table, cup_count(row->sums.baskets), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(row->sums.compressed), CUP_UNIT_BYTES);
    cup_table_add_value(table,
                        cup_ratio((double)row->sums.compressed, (double)branches->all.compressed),
                        CUP_UNIT_SHARE);
    cup_table_add_value(table, cup_baskets_uncompressed(&row->sums), CUP_UNIT_BYTES);
    cup_table_add_value(table, cup_baskets_ratio(&row->sums), CUP_UNIT_RATIO);
    cup_table_add_value(table, known ? cup_count(row->rereads.bytes) : cup_null(), CUP_UNIT_BYTES);
    cup_table_add_value(table, cup_count(row->tasks), CUP_UNIT_COUNT);
    cup_table_add_string(table, cup_algorithm_names(row->sums.algorithms, algorithms));
}

static void print_table(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"branch", CUP_FIT_LEFT, 0},   {"tree", CUP_FIT_LEFT, 4},
        {"baskets", CUP_FIT_RIGHT, 3}, {"compressed", CUP_FIT_RIGHT, 0},
        {"share", CUP_FIT_RIGHT, 0},   {"uncompressed", CUP_FIT_RIGHT, 1},
        {"ratio", CUP_FIT_RIGHT, 0},   {"read again", CUP_FIT_RIGHT, 0},
        {"tasks", CUP_FIT_RIGHT, 2},   {"algorithm", CUP_FIT_LEFT, 5},
    };
    const struct cup_branches *branches = page->totals->branches;
    size_t most = cup_page_rows(page, page->alone ? SHOWN_BRANCHES : SHOWN_BRANCHES_OF_ALL);
    size_t shown = branches->count < most ? branches->count : most;
    struct cup_table table;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < shown; i++)
        add_branch(page, &table, &branches->rows[i]);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, branches->count - shown,
                  page->alone ? "branches in --json" : "branches; --only branches, --json");
}

/* ---- lines -------------------------------------------------------------------------------- */

static void print_line(const struct cup_page *page, const char *line)
{
    cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
}

static void print_rereads(const struct cup_page *page)
{
    static const struct {
        enum cup_metric_id metric;
        const char *text;
    } parts[] = {
        {CUP_METRIC_REREAD_BORDER_BYTES, "where one chunk ends and another begins"},
        {CUP_METRIC_REREAD_SAME_TASK_BYTES, "by the same task"},
        {CUP_METRIC_REREAD_WASTED_BYTES, "for results not used"},
        {CUP_METRIC_REREAD_ESTIMATED_BYTES, "estimated"},
    };
    const struct cup_branches *branches = page->totals->branches;
    char bytes[CUP_HUMAN_READABLE_ROOM], line[500];
    if (!branches->rereads_known) {
        print_line(page, branches->lost_records
                             ? "What was read twice: n/a, records could not be read again."
                             : "What was read twice: n/a here, there are too many rows; `--only "
                               "branches` and --json look for it.");
        return;
    }
    size_t length = (size_t)snprintf(line, sizeof line, "Read again: %s",
                                     cup_page_human_readable(page, bytes, CUP_METRIC_REREAD_BYTES));
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (cup_metric_number(parts[i].metric, page->totals) > 0)
            length += (size_t)snprintf(line + length, sizeof line - length, "; %s of it %s",
                                       cup_page_human_readable(page, bytes, parts[i].metric),
                                       parts[i].text);
    snprintf(line + length, sizeof line - length, ".");
    print_line(page, line);
}

static void print_shares(const struct cup_page *page)
{
    char branches[CUP_HUMAN_READABLE_ROOM], bytes[CUP_HUMAN_READABLE_ROOM],
        passed[CUP_HUMAN_READABLE_ROOM], line[300];
    double known = cup_metric_number(CUP_METRIC_BYTES_SHARE, page->totals);
    double incidental = cup_metric_number(CUP_METRIC_INCIDENTAL_BYTES, page->totals);
    if (known >= 0) {
        snprintf(line, sizeof line, "Of the trees: %s of their branches, %s of their bytes.",
                 cup_page_human_readable(page, branches, CUP_METRIC_BRANCHES_SHARE),
                 cup_page_human_readable(page, bytes, CUP_METRIC_BYTES_SHARE));
        print_line(page, line);
    }
    if (incidental > 0) {
        snprintf(line, sizeof line,
                 "Read-ahead delivered %s of whole baskets that nobody asked for; they are in no "
                 "row.",
                 cup_page_human_readable(page, passed, CUP_METRIC_INCIDENTAL_BYTES));
        print_line(page, line);
    }
}

/* What the files that are still there say, and why others do not, where the logs say nothing. */
static void print_files(const struct cup_page *page)
{
    const struct cup_file_shares *shares = page->totals->shares;
    char branches[CUP_HUMAN_READABLE_ROOM], bytes[CUP_HUMAN_READABLE_ROOM], line[400];
    if (!shares || cup_metric_number(CUP_METRIC_BYTES_SHARE, page->totals) >= 0)
        return;
    if (shares->known) {
        snprintf(
            line, sizeof line,
            "Of the trees of %llu files (of %llu), as these say themselves: %s of their "
            "branches, %s of their bytes.",
            (unsigned long long)shares->known, (unsigned long long)shares->known + shares->unknown,
            cup_print_human_readable(branches, cup_share_of_branches(&shares->all),
                                     CUP_UNIT_PERCENT),
            cup_print_human_readable(bytes, cup_share_of_bytes(&shares->all), CUP_UNIT_PERCENT));
        print_line(page, line);
    }
    if (shares->unknown) {
        snprintf(line, sizeof line, "Files that were not examined: %llu; the first, because %s.",
                 (unsigned long long)shares->unknown, shares->all.reason);
        print_line(page, line);
    }
}

/* How it is known, unless all of it was asked for and seen. */
static void print_how(const struct cup_page *page)
{
    static const struct {
        enum cup_metric_id metric;
        const char *text;
    } parts[] = {
        {CUP_METRIC_UNSEEN_COMPRESSED_BYTES,
         "asked for, but their keys passed by no hook: uncompressed "
         "bytes and ratio are without them"},
        {CUP_METRIC_BY_PLACE_BYTES,
         "known by where they lie in requests, for their reader is not uproot"},
        {CUP_METRIC_PAGE_BYTES, "pages of RNTuples, which have no names"},
        {CUP_METRIC_WITHOUT_TASK_BYTES, "of no known task"},
    };
    char bytes[CUP_HUMAN_READABLE_ROOM], line[300];
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        if (!(cup_metric_number(parts[i].metric, page->totals) > 0))
            continue;
        snprintf(line, sizeof line, "%s of it: %s.",
                 cup_page_human_readable(page, bytes, parts[i].metric), parts[i].text);
        print_line(page, line);
    }
}

int cup_print_branches(const struct cup_page *page)
{
    const struct cup_branches *branches = page->totals->branches;
    char compressed[CUP_HUMAN_READABLE_ROOM], uncompressed[CUP_HUMAN_READABLE_ROOM],
        ratio[CUP_HUMAN_READABLE_ROOM];
    char count[CUP_HUMAN_READABLE_ROOM], detail[250];
    if (!cup_branches_any(branches) && branches->all.incidental == 0)
        return 0;
    snprintf(detail, sizeof detail, "%s of baskets of %s branches, %s uncompressed (ratio %s)",
             cup_page_human_readable(page, compressed, CUP_METRIC_COMPRESSED_BYTES),
             cup_page_human_readable(page, count, CUP_METRIC_BRANCHES_READ),
             cup_page_human_readable(page, uncompressed, CUP_METRIC_UNCOMPRESSED_BYTES),
             cup_page_human_readable(page, ratio, CUP_METRIC_BRANCHES_COMPRESSION_RATIO));
    cup_page_heading(page, "Branches", detail);
    print_table(page);
    if (cup_branches_any(branches))
        print_rereads(page);
    print_shares(page);
    print_files(page);
    print_how(page);
    if (page->alone)
        cup_page_metrics(page, &cup_branches_metrics);
    return 0;
}
