/* Branches, in the report's JSON; and what was read of ROOT files, in rows of other sections. */
#include "analysis/report/page/json_page.h"

#include "analysis/metrics/reads/branches.h"
#include "analysis/metrics/reads/file_shares.h"

/* ---- sums --------------------------------------------------------------------------------- */

static struct cup_value if_true(bool known, uint64_t count)
{
    return known ? cup_count(count) : cup_null();
}

static struct cup_value algorithms(const struct cup_basket_sums *sums, char *room)
{
    return sums->algorithms ? cup_string(cup_algorithm_names(sums->algorithms, room)) : cup_null();
}

/* "asked", "unseen, by place": how the baskets are known. */
static struct cup_value sources(const struct cup_basket_sums *sums, char *room, size_t bytes)
{
    static const char *const names[] = {"", "asked", "unseen", "by_place", "pages", "embedded"};
    size_t length = 0;
    for (unsigned i = 1; i < sizeof names / sizeof *names; i++)
        if (sums->sources & 1u << i)
            length += (size_t)snprintf(room + length, bytes - length, "%s%s", length ? ", " : "",
                                       names[i]);
    return length ? cup_string(room) : cup_null();
}

static void put_sums(struct report *report, const struct cup_basket_sums *sums)
{
    bool seen = sums->baskets > sums->unseen;
    char room[CUP_ALGORITHMS_ROOM];
    put(report, "baskets", cup_count(sums->baskets));
    put(report, "compressed_bytes", cup_count(sums->compressed));
    put(report, "uncompressed_bytes", cup_baskets_uncompressed(sums));
    put(report, "compression_ratio", cup_baskets_ratio(sums));
    put(report, "compressed_payload_bytes", cup_baskets_payload(sums, true));
    put(report, "uncompressed_payload_bytes", cup_baskets_payload(sums, false));
    put(report, "entries", if_true(seen && sums->entries, sums->entries));
    put(report, "algorithms", algorithms(sums, room));
    put(report, "incidental_baskets", cup_count(sums->incidental));
    put(report, "incidental_bytes", cup_count(sums->incidental_bytes));
    put(report, "embedded_baskets", cup_count(sums->embedded));
    put(report, "unseen_baskets", cup_count(sums->unseen));
    put(report, "unseen_compressed_bytes", cup_count(sums->unseen_compressed));
}

static void put_rereads(struct report *report, bool known, const struct cup_rereads *rereads)
{
    put(report, "reread_baskets", if_true(known, rereads->baskets));
    put(report, "reread_bytes", if_true(known, rereads->bytes));
    put(report, "reread_border_bytes", if_true(known, rereads->border_bytes));
    put(report, "reread_estimated_bytes", if_true(known, rereads->estimated_bytes));
    put(report, "reread_wasted_bytes", if_true(known, rereads->wasted_bytes));
}

/* ---- branches ----------------------------------------------------------------------------- */

/* What the file has of the branch; null where it was not examined. */
static void put_of_file(struct report *report, const struct cup_branch_row *row)
{
    const struct cup_file_shares *shares = report->totals->shares;
    struct cup_text name = cup_profile_text(report->profile, row->name);
    const struct cup_file_fact *fact =
        shares && row->root_file && row->name ? cup_row_facts(shares, row) : NULL;
    struct cup_root_branch branch = {0};
    if (fact && !fact->reason)
        branch = cup_root_branch_named(&fact->tree, name.bytes, name.length);
    bool known = branch.baskets > 0;
    put(report, "file_baskets", if_true(known, branch.baskets));
    put(report, "file_bytes", if_true(known, branch.compressed_bytes));
    put(report, "share_of_file_pct",
        known && row->rereads_known
            ? cup_ratio(100.0 * (double)cup_distinct_bytes(&row->sums, &row->rereads),
                        (double)branch.compressed_bytes)
            : cup_null());
}

static void put_branch(struct report *report, const struct cup_branch_row *row, bool files_known)
{
    char room[64];
    cup_json_row(&report->json, NULL);
    put(report, "file", text_of(report, row->file));
    put(report, "tree", text_of(report, row->tree));
    put(report, "branch", text_of(report, row->name));
    put(report, "files", if_true(files_known, row->files));
    put(report, "tasks", cup_count(row->tasks));
    put(report, "chunks", cup_count(row->chunks));
    put_sums(report, &row->sums);
    put(report, "reread_same_task_bytes", cup_count(row->sums.again_bytes));
    put_rereads(report, row->rereads_known, &row->rereads);
    put(report, "source", sources(&row->sums, room, sizeof room));
    put_of_file(report, row);
    cup_json_end_object(&report->json);
}

static bool put_file_rows(void *context, const struct cup_branch_row *rows, size_t count)
{
    struct report *report = context;
    for (size_t i = 0; i < count; i++)
        put_branch(report, &rows[i], true);
    return !cup_output_failed(report->output);
}

/* For each file, or, of more files and branches than anybody reads, over all of them. */
static int put_rows(struct report *report, bool by_file)
{
    const struct cup_branches *branches = report->totals->branches;
    if (by_file)
        return cup_branches_each(report->totals, put_file_rows, report);
    for (size_t i = 0; i < branches->count && !cup_output_failed(report->output); i++)
        put_branch(report, &branches->rows[i], branches->rereads_known);
    return 0;
}

int cup_report_put_branches(struct report *report)
{
    const struct cup_branches *branches = report->totals->branches;
    bool by_file = cup_branches_by_file(branches);
    char room[CUP_ALGORITHMS_ROOM];
    cup_json_object(&report->json, "branches");
    put_metrics(report, &cup_branches_metrics);
    put(report, "algorithms", algorithms(&branches->all, room));
    put(report, "rows_by_file", cup_bool(by_file));
    cup_json_array(&report->json, "rows");
    int result = put_rows(report, by_file);
    close_rows(report);
    return result;
}

/* ---- rows of other sections --------------------------------------------------------------- */

/* What new branches of the file were to be compressed with; level 0: not at all. */
static void put_compression(struct report *report, const struct cup_root_file *file)
{
    static const char *const names[] = {
        [1] = "zlib", [2] = "lzma", [3] = "old", [4] = "lz4", [5] = "zstd"};
    uint32_t algorithm = file && file->version ? file->compression / 100 : 0;
    bool known = file && file->version;
    const char *name = algorithm < sizeof names / sizeof *names ? names[algorithm] : NULL;
    put(report, "compression_algorithm", known ? cup_string(name) : cup_null());
    put(report, "compression_level", if_true(known, known ? file->compression % 100 : 0));
}

static void put_shares(struct report *report, const struct cup_branches_file *file)
{
    put(report, "tree_branches", if_true(file->tree_branches, file->tree_branches));
    put(report, "branches_share",
        cup_ratio((double)file->branches_of_trees, (double)file->tree_branches));
    put(report, "tree_compressed_bytes", if_true(file->tree_compressed, file->tree_compressed));
    put(report, "bytes_share",
        cup_ratio((double)file->read_of_trees, (double)file->tree_compressed));
}

/* What the file itself says, where it is still there. */
static void put_examined(struct report *report, uint32_t root)
{
    const struct cup_file_shares *shares = report->totals->shares;
    static const struct cup_file_share none = {.reason = "no basket of it was read"};
    const struct cup_file_share *share = shares && root ? &shares->files[root - 1] : &none;
    bool known = !share->reason;
    put(report, "share_of_branches_pct", known ? cup_share_of_branches(share) : cup_null());
    put(report, "share_of_bytes_pct", known ? cup_share_of_bytes(share) : cup_null());
    put(report, "file_branches", if_true(known, share->branches));
    put(report, "file_baskets_bytes", if_true(known, share->bytes));
    put(report, "clusters", if_true(known, share->clusters));
    put(report, "cluster_events", if_true(known && share->cluster_events, share->cluster_events));
    put(report, "not_examined", cup_string(share->reason));
}

static void put_nothing(struct report *report)
{
    static const char *const names[] = {
        "baskets",       "compressed_bytes", "uncompressed_bytes", "compression_ratio",
        "branches_read", "algorithms",       "incidental_baskets", "incidental_bytes",
        "reread_bytes"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        put(report, names[i], cup_null());
}

static void put_read(struct report *report, const struct cup_basket_sums *sums,
                     const struct cup_branches_file *file)
{
    char room[CUP_ALGORITHMS_ROOM];
    put(report, "baskets", cup_count(sums->baskets));
    put(report, "compressed_bytes", cup_count(sums->compressed));
    put(report, "uncompressed_bytes", cup_baskets_uncompressed(sums));
    put(report, "compression_ratio", cup_baskets_ratio(sums));
    put(report, "branches_read", if_true(file->rereads_known, file->branches));
    put(report, "algorithms", algorithms(sums, room));
    put(report, "incidental_baskets", cup_count(sums->incidental));
    put(report, "incidental_bytes", cup_count(sums->incidental_bytes));
    put(report, "reread_bytes", if_true(file->rereads_known, file->rereads.bytes));
}

void cup_report_put_file_baskets(struct report *report, uint32_t index)
{
    const struct cup_branches *branches = report->totals->branches;
    static const struct cup_branches_file unknown;
    uint32_t root = branches->root_of[index];
    const struct cup_root_file *file = root ? &report->profile->root_files[root - 1] : NULL;
    if (file && (file->sums.baskets || file->sums.incidental))
        put_read(report, &file->sums, &branches->files[root - 1]);
    else
        put_nothing(report);
    put_shares(report, root ? &branches->files[root - 1] : &unknown);
    put_examined(report, root);
    put_compression(report, file);
}

static struct cup_value task_ratio(const struct cup_task_baskets *baskets)
{
    return cup_ratio((double)baskets->uncompressed,
                     (double)(baskets->compressed - baskets->unseen_compressed));
}

/* Keys were seen, or nothing was asked for. */
static bool is_seen(const struct cup_task_baskets *baskets)
{
    return baskets->compressed == 0 || baskets->compressed > baskets->unseen_compressed;
}

void cup_report_put_task_baskets(struct report *report, const struct cup_task_baskets *baskets,
                                 bool measured)
{
    bool seen = measured && is_seen(baskets);
    put(report, "bytes_read_compressed", if_true(measured, baskets->compressed));
    put(report, "bytes_read_uncompressed", if_true(seen, baskets->uncompressed));
    put(report, "compression_ratio", seen ? task_ratio(baskets) : cup_null());
    put(report, "baskets_read", if_true(measured, baskets->baskets));
    put(report, "incidental_baskets", if_true(measured, baskets->incidental));
    put(report, "incidental_bytes", if_true(measured, baskets->incidental_bytes));
    put(report, "reread_same_task_bytes", if_true(measured, baskets->again_bytes));
}
