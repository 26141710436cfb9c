/* Branches: which were read, how many bytes each took, and what was read more than once. */
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/metrics/reads/file_shares.h"
#include "analysis/profile/summed_text.h"
#include "analysis/report/page/section.h"
#include "analysis/report/sections/row_parts.h"

/* ---- the table ---------------------------------------------------------------------------- */

/* How the row's baskets were recognised: "asked", or several, as "unseen, by_place"; null if there
 * are none. */
static struct cup_value sources(struct cup_report_rows *rows, const struct cup_basket_sums *sums)
{
    static const char *const names[] = {"", "asked", "unseen", "by_place", "pages", "embedded"};
    char room[64] = "";
    for (unsigned i = 1; i < sizeof names / sizeof *names; i++)
        if (sums->sources & 1u << i)
            cup_append(room, sizeof room, "%s%s", *room ? ", " : "", names[i]);
    return *room ? cup_row_string(rows, room) : cup_null();
}

/* The branch as the ROOT file itself describes it; empty if the file was not examined. */
static struct cup_root_branch branch_in_file(const struct cup_report_rows *rows,
                                             const struct cup_branch_row *row)
{
    const struct cup_file_shares *shares = rows->totals->shares;
    struct cup_text name = cup_profile_text(rows->profile, row->name);
    const struct cup_file_fact *fact =
        shares && row->root_file && row->name ? cup_row_facts(shares, row) : NULL;
    return fact && !fact->reason ? cup_root_branch_named(&fact->tree, name.bytes, name.length)
                                 : (struct cup_root_branch){0};
}

#define FIELDS(X)                                                                                  \
    X("file", TEXT, cup_row_text(rows, row->file))                                                 \
    X("tree", TEXT, cup_row_text(rows, row->tree), .heading = "tree", .place = 2, .rank = 4)       \
    X("branch", TEXT, cup_row_text(rows, row->name))                                               \
    X(NULL, TEXT, row->name ? cup_row_text(rows, row->name) : cup_string(unnamed),                 \
      .heading = "branch", .place = 1)                                                             \
    X("files", COUNT, cup_count_if(files_known, row->files))                                       \
    X("tasks", COUNT, cup_count(row->tasks), .heading = "tasks", .place = 9, .rank = 2)            \
    X("chunks", COUNT, cup_count(row->chunks))                                                     \
    X("baskets", COUNT, cup_count(sums->baskets), .heading = "baskets", .place = 3, .rank = 3)     \
    X("compressed_bytes", BYTES, cup_count(sums->compressed), .heading = "compressed", .place = 4) \
    X(NULL, SHARE, cup_ratio((double)sums->compressed, (double)branches->all.compressed),          \
      .heading = "share", .place = 5)                                                              \
    X("uncompressed_bytes", BYTES, cup_baskets_uncompressed(sums), .heading = "uncompressed",      \
      .place = 6, .rank = 1)                                                                       \
    X("compression_ratio", RATIO, cup_baskets_ratio(sums), .heading = "ratio", .place = 7)         \
    X("compressed_payload_bytes", BYTES, cup_baskets_payload(sums, true))                          \
    X("uncompressed_payload_bytes", BYTES, cup_baskets_payload(sums, false))                       \
    X("entries", COUNT,                                                                            \
      cup_count_if(sums->baskets > sums->unseen && sums->entries, sums->entries))                  \
    X("algorithms", TEXT, cup_row_algorithms(rows, sums->algorithms), .heading = "algorithm",      \
      .place = 10, .rank = 5, .none = "")                                                          \
    X("incidental_baskets", COUNT, cup_count(sums->incidental))                                    \
    X("incidental_bytes", BYTES, cup_count(sums->incidental_bytes))                                \
    X("embedded_baskets", COUNT, cup_count(sums->embedded))                                        \
    X("unseen_baskets", COUNT, cup_count(sums->unseen))                                            \
    X("unseen_compressed_bytes", BYTES, cup_count(sums->unseen_compressed))                        \
    X("reread_same_task_bytes", BYTES, cup_count(sums->again_bytes))                               \
    X("reread_baskets", COUNT, cup_count_if(row->rereads_known, row->rereads.baskets))             \
    X("reread_bytes", BYTES, cup_count_if(row->rereads_known, row->rereads.bytes),                 \
      .heading = "re-read", .place = 8)                                                            \
    X("reread_border_bytes", BYTES, cup_count_if(row->rereads_known, row->rereads.border_bytes))   \
    X("reread_estimated_bytes", BYTES,                                                             \
      cup_count_if(row->rereads_known, row->rereads.estimated_bytes))                              \
    X("reread_wasted_bytes", BYTES, cup_count_if(row->rereads_known, row->rereads.wasted_bytes))   \
    X("source", TEXT, sources(rows, sums))                                                         \
    X("file_baskets", COUNT, cup_count_if(in_file.baskets, in_file.baskets))                       \
    X("file_bytes", BYTES, cup_count_if(in_file.baskets, in_file.compressed_bytes))                \
    X("share_of_file_pct", PERCENT,                                                                \
      cup_value_if(in_file.baskets && row->rereads_known,                                          \
                   cup_ratio(100.0 * (double)cup_distinct_bytes(sums, &row->rereads),              \
                             (double)in_file.compressed_bytes)))

static void fill(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_branch_row *row = item;
    const struct cup_basket_sums *sums = &row->sums;
    const struct cup_branches *branches = rows->totals->branches;
    const struct cup_root_branch in_file = branch_in_file(rows, row);
    const char *unnamed = row->tree ? "" : "(no name: pages of RNTuples)";
    bool files_known = row->root_file || branches->rereads_known;
    CUP_FILL(values, FIELDS);
}

static bool add_file_rows(void *context, const struct cup_branch_row *branches, size_t count)
{
    struct cup_report_rows *rows = context;
    cup_add_rows(rows, branches, count, sizeof *branches);
    return !cup_output_failed(rows->output);
}

/* A row for each file and branch. In the text, and if there are too many such rows, a row for each
 * branch. */
static int list_branches(struct cup_report_rows *rows)
{
    const struct cup_branches *branches = rows->totals->branches;
    if (!rows->text.page && cup_branches_by_file(branches))
        return cup_branches_each(rows->totals, add_file_rows, rows);
    return cup_add_rows(rows, branches->rows, branches->count, sizeof *branches->rows);
}

const struct cup_report_table cup_branches_table = {CUP_TABLE_FIELDS(FIELDS, fill), list_branches,
                                                    .on_screen = 20, .more = "branch in --json"};
static const struct cup_report_table short_table = {CUP_TABLE_FIELDS(FIELDS, fill), list_branches,
                                                    .on_screen = 5,
                                                    .more = "branch; --only branches, --json"};

/* ---- lines -------------------------------------------------------------------------------- */

static void print_rereads(const struct cup_page *page)
{
    static const struct {
        enum cup_metric_id metric;
        const char *text;
    } parts[] = {
        {CUP_METRIC_reread_border_bytes, "at chunk boundaries"},
        {CUP_METRIC_reread_same_task_bytes, "by the same task"},
        {CUP_METRIC_reread_wasted_bytes, "for results that were not used"},
        {CUP_METRIC_reread_estimated_bytes, "estimated"},
    };
    const struct cup_branches *branches = page->totals->branches;
    double all = cup_metric_number(CUP_METRIC_reread_bytes, page->totals);
    char line[500] = "";
    if (!branches->rereads_known) {
        cup_page_line(page, CUP_PLAIN, "Read more than once: n/a%s",
                      page->profile->tasks_summed ? ", because " CUP_SUMMED "."
                      : branches->lost_records
                          ? ", because records could not be read a second time."
                          : " here, because there are too many rows; `--only branches` and --json "
                            "compute it.");
        return;
    }
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
        double part = cup_metric_number(parts[i].metric, page->totals);
        if (part > 0)
            cup_append(line, sizeof line, "; %s of it %s",
                       part == all ? "all" : CUP_SHOW_METRIC(page, parts[i].metric), parts[i].text);
    }
    cup_page_line(page, CUP_PLAIN, "Read more than once: %s%s.",
                  CUP_SHOW_METRIC(page, CUP_METRIC_reread_bytes), line);
}

static void print_shares(const struct cup_page *page)
{
    char room[CUP_LINE_ROOM];
    if (cup_metric_number(CUP_METRIC_bytes_share, page->totals) >= 0)
        cup_page_line(page, CUP_PLAIN,
                      "Share of the trees%s: %s of their branches, %s of their bytes.",
                      cup_branches_of_files(room, page->totals->branches),
                      CUP_SHOW_METRIC(page, CUP_METRIC_branches_share),
                      CUP_SHOW_METRIC(page, CUP_METRIC_bytes_share));
    if (cup_metric_number(CUP_METRIC_incidental_bytes, page->totals) > 0)
        cup_page_line(page, CUP_PLAIN,
                      "Read-ahead delivered %s of whole baskets that uproot never requested; they "
                      "are not in the table.",
                      CUP_SHOW_METRIC(page, CUP_METRIC_incidental_bytes));
}

/* If the logs do not have the size of the trees: the share by the files that could be opened, and
 * why others could not. */
static void print_files(const struct cup_page *page)
{
    const struct cup_file_shares *shares = page->totals->shares;
    if (!shares || cup_metric_number(CUP_METRIC_bytes_share, page->totals) >= 0)
        return;
    if (shares->known)
        cup_page_line(page, CUP_PLAIN,
                      "Share of the trees of %s (of %llu), by the files themselves: %s of their "
                      "branches, %s of their bytes.",
                      CUP_SHOW_COUNTED(shares->known, "file"),
                      (unsigned long long)shares->known + shares->unknown,
                      CUP_SHOW(cup_number(cup_share_of_branches(&shares->all)), CUP_UNIT_PERCENT),
                      CUP_SHOW(cup_number(cup_share_of_bytes(&shares->all)), CUP_UNIT_PERCENT));
    if (shares->unknown)
        cup_page_line(page, CUP_PLAIN, "Files that were not examined: %llu; the first because %s.",
                      (unsigned long long)shares->unknown, shares->all.reason);
}

/* Lists the bytes that were not both requested by uproot and seen by a hook. */
static void print_how(const struct cup_page *page)
{
    static const struct {
        enum cup_metric_id metric;
        const char *text;
    } parts[] = {
        {CUP_METRIC_unseen_compressed_bytes,
         "requested, but no hook saw their keys; uncompressed bytes and ratio leave them out"},
        {CUP_METRIC_by_place_bytes, "found by their place in the requests"},
        {CUP_METRIC_page_bytes, "pages of RNTuples, which have no names"},
        {CUP_METRIC_without_task_bytes, "unattributed"},
    };
    if (page->totals->branches->at_most)
        cup_page_line(page, CUP_WARN,
                      "Which baskets uproot requested is not known, so every basket that came with "
                      "a request counts: all of these figures are upper bounds.");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (cup_metric_number(parts[i].metric, page->totals) > 0)
            cup_page_line(page, CUP_PLAIN, "%s of it: %s.", CUP_SHOW_METRIC(page, parts[i].metric),
                          parts[i].text);
}

/* "17 branches"; "n/a branches" where they are not known. */
static const char *count_branches(const struct cup_page *page, char to[CUP_LINE_ROOM])
{
    double number = cup_metric_number(CUP_METRIC_branches_read, page->totals);
    return number >= 0 ? cup_format(to, "%s", CUP_SHOW_COUNTED((uint64_t)number, "branch"))
                       : "n/a branches";
}

static int print_branches(const struct cup_page *page)
{
    char number[CUP_LINE_ROOM];
    const struct cup_branches *branches = page->totals->branches;

    if (!cup_branches_any(branches) && branches->all.incidental == 0)
        return 0;
    cup_page_heading(page, "Branches",
                     CUP_FORMAT("%s%s of baskets of %s, %s uncompressed (ratio %s)",
                                branches->at_most ? "at most " : "",
                                CUP_SHOW_METRIC(page, CUP_METRIC_compressed_bytes),
                                count_branches(page, number),
                                CUP_SHOW_METRIC(page, CUP_METRIC_uncompressed_bytes),
                                CUP_SHOW_METRIC(page, CUP_METRIC_branches_compression_ratio)));
    int result =
        cup_print_rows(page, page->alone ? &cup_branches_table : &short_table, NULL, NULL, NULL);
    if (cup_branches_any(branches))
        print_rereads(page);
    print_shares(page);
    print_files(page);
    print_how(page);
    if (page->alone)
        cup_page_metrics(page, &cup_branches_metrics);
    return result;
}

static void put_keys(struct report *report)
{
    const struct cup_branches *branches = report->totals->branches;
    char room[CUP_ALGORITHMS_ROOM];
    put(report, "algorithms",
        branches->all.algorithms ? cup_string(cup_algorithm_names(branches->all.algorithms, room))
                                 : cup_null());
    put(report, "rows_by_file", cup_bool(cup_branches_by_file(branches)));
    put(report, "at_most", cup_bool(branches->at_most));
}

const struct cup_report_section cup_branches_section = {
    .name = "branches",
    .needs = CUP_NEEDS_BASKETS,
    .metrics = &cup_branches_metrics,
    .table = &cup_branches_table,
    .print = print_branches,
    .put_keys = put_keys,
};
