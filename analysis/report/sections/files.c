/* Files: bytes and calls of each, and the baskets read from ROOT files. */
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/metrics/reads/file_shares.h"
#include "analysis/profile/files.h"
#include "analysis/report/page/section.h"
#include "analysis/report/sections/row_parts.h"

/* ---- how it was read ------------------------------------------------------------------------ */

/* "file", or the scheme of its URL: "http", "https", "root". */
static struct cup_value method_of(const struct cup_report_rows *rows, const struct cup_file *file)
{
    struct cup_text path = cup_profile_text(rows->profile, file->path);
    const char *colon = path.bytes ? memchr(path.bytes, ':', path.length) : NULL;
    if (!(file->flags & CUP_FILE_IS_REMOTE) || !colon)
        return cup_string("file");
    return cup_text((struct cup_text){path.bytes, (size_t)(colon - path.bytes)});
}

/* ---- the file ------------------------------------------------------------------------------ */

#define FILE_FIELDS(X)                                                                             \
    X("file", TEXT, cup_row_text(rows, file->path), .heading = "data file", .place = 1)            \
    X("class", TEXT, cup_string(cup_file_class_name(file->class)))                                 \
    X("method", TEXT, method_of(rows, file), .heading = "by", .place = 11, .rank = 7)              \
    X("size_bytes", BYTES, cup_count_if(sized, file->size))                                        \
    X("tasks", COUNT, cup_count(total.tasks), .heading = "tasks", .place = 10, .rank = 1)          \
    X("processes", COUNT, cup_count(file->processes))                                              \
    X(NULL, BYTES, cup_count(c[CUP_F_READ_BYTES]), .heading = "read", .place = 2)                  \
    X(NULL, COUNT, cup_count(c[CUP_F_READ_CALLS]), .heading = "calls", .place = 3)                 \
    X(NULL, BYTES, cup_ratio((double)c[CUP_F_READ_BYTES], calls), .heading = "a call", .place = 4, \
      .rank = 3)                                                                                   \
    X(NULL, SECONDS, cup_ns(c[CUP_F_READ_NS]), .heading = "time", .place = 5)                      \
    X(NULL, COUNT, cup_count(c[CUP_F_OPENS]), .heading = "opens", .place = 7, .rank = 4)           \
    X(NULL, BYTES, cup_count(c[CUP_F_WRITE_BYTES]), .heading = "written", .place = 8, .rank = 2)   \
    X(NULL, BYTES, cup_count_if(mapped, c[CUP_F_MAPPED_BYTES]), .heading = "mapped", .place = 9,   \
      .rank = 6)

/* ---- counters ------------------------------------------------------------------------------ */

static struct cup_value counter_of(const struct cup_profile *profile, unsigned counter,
                                   const uint64_t *counters)
{
    uint64_t needs = counter == CUP_F_MAPPED_BYTES ? CUP_FEATURE_MAPPED : CUP_FEATURE_FILES;
    return counter_value(cup_file_counter_names[counter], counters[counter],
                         cup_profile_measured(profile, needs));
}

/* ---- what was read of its baskets ---------------------------------------------------------- */

/* The file's default compression algorithm (fCompress / 100); single branches may use another. */
static const char *algorithm_of(const struct cup_root_file *file)
{
    static const char *const names[] = {
        [1] = "zlib", [2] = "lzma", [3] = "old", [4] = "lz4", [5] = "zstd"};
    uint32_t algorithm = file->compression / 100;
    return algorithm < sizeof names / sizeof *names ? names[algorithm] : NULL;
}

/* `known`: the file could be opened for the report. Compression level 0: not compressed. */
#define BASKET_FIELDS(X)                                                                           \
    X("sequential_share", SHARE, cup_ratio((double)c[CUP_F_SEQUENTIAL_CALLS], calls),              \
      .heading = "in sequence", .place = 6, .rank = 5)                                             \
    X("baskets", COUNT, cup_count_if(read, sums->baskets))                                         \
    X("compressed_bytes", BYTES, cup_count_if(read, sums->compressed))                             \
    X("uncompressed_bytes", BYTES, cup_value_if(read, cup_baskets_uncompressed(sums)))             \
    X("compression_ratio", RATIO, cup_value_if(read, cup_baskets_ratio(sums)))                     \
    X("branches_read", COUNT, cup_count_if(read && of->rereads_known, of->branches))               \
    X("algorithms", TEXT, cup_value_if(read, cup_row_algorithms(rows, sums->algorithms)))          \
    X("incidental_baskets", COUNT, cup_count_if(read, sums->incidental))                           \
    X("incidental_bytes", BYTES, cup_count_if(read, sums->incidental_bytes))                       \
    X("reread_bytes", BYTES, cup_count_if(read && of->rereads_known, of->rereads.bytes))           \
    X("tree_branches", COUNT, cup_count_if(of->tree_branches, of->tree_branches))                  \
    X("branches_share", SHARE,                                                                     \
      cup_ratio((double)of->branches_of_trees, (double)of->tree_branches))                         \
    X("tree_compressed_bytes", BYTES, cup_count_if(of->tree_compressed, of->tree_compressed))      \
    X("bytes_share", SHARE, cup_ratio((double)of->read_of_trees, (double)of->tree_compressed))     \
    X("share_of_branches_pct", PERCENT, cup_value_if(known, cup_share_of_branches(share)))         \
    X("share_of_bytes_pct", PERCENT, cup_value_if(known, cup_share_of_bytes(share)))               \
    X("file_branches", COUNT, cup_count_if(known, share->branches))                                \
    X("file_baskets_bytes", BYTES, cup_count_if(known, share->bytes))                              \
    X("clusters", COUNT, cup_count_if(known, share->clusters))                                     \
    X("cluster_events", COUNT,                                                                     \
      cup_value_if(known, cup_count_if(share->cluster_events, share->cluster_events)))             \
    X("not_examined", TEXT, cup_string(share->reason))                                             \
    X("compression_algorithm", TEXT, cup_value_if(headed, cup_string(algorithm_of(root))))         \
    X("compression_level", COUNT, cup_count_if(headed, root->compression % 100))

/* ---- by prefix, in the JSON alone ---------------------------------------------------------- */

static void put_prefix(struct report *report, const struct cup_file_sum *sum)
{
    const struct cup_profile *profile = report->profile;
    char room[CUP_KEY_ROOM];
    cup_json_row(&report->json, NULL);
    put(report, "prefix",
        sum->prefix == CUP_NO_PREFIX ? cup_null()
                                     : text_of(report, profile->prefixes[sum->prefix].name));
    put(report, "tasks", cup_count(sum->tasks));
    for (unsigned i = 0; i < CUP_FILE_COUNTER_COUNT; i++)
        if (i < CUP_F_SIZE_0_100 || i == CUP_F_MAPPED_BYTES)
            put(report, counter_key(cup_file_counter_names[i], room, sizeof room),
                counter_of(profile, i, sum->counters));
    cup_json_end_object(&report->json);
}

static void put_prefixes(struct report *report, const void *item)
{
    const struct cup_profile *profile = report->profile;
    uint32_t at = profile->files[*(const uint32_t *)item].first_sum;
    cup_json_array(&report->json, "by_prefix");
    for (; at; at = profile->file_sums[at - 1].next)
        put_prefix(report, &profile->file_sums[at - 1]);
    cup_json_end_array(&report->json);
}

/* ---- the table ----------------------------------------------------------------------------- */

static void fill(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    static const struct cup_branches_file unknown;
    static const struct cup_root_file no_root;
    static const struct cup_file_share no_share = {.reason = "no basket of it was read"};
    const uint32_t *index = item;
    const struct cup_file *file = &rows->profile->files[*index];
    const struct cup_file_sum total = cup_file_total(rows->profile, *index);
    const uint64_t *c = total.counters;
    bool mapped = cup_profile_measured(rows->profile, CUP_FEATURE_MAPPED);
    bool sized = cup_file_is_sized(file);
    double calls = (double)c[CUP_F_READ_CALLS];
    const struct cup_branches *branches = rows->totals->branches;
    const struct cup_file_shares *shares = rows->totals->shares;
    uint32_t number = branches->root_of[*index];
    const struct cup_root_file *root = number ? &rows->profile->root_files[number - 1] : &no_root;
    const struct cup_branches_file *of = number ? &branches->files[number - 1] : &unknown;
    const struct cup_file_share *share = shares && number ? &shares->files[number - 1] : &no_share;
    const struct cup_basket_sums *sums = &root->sums;
    bool read = sums->baskets || sums->incidental, known = !share->reason, headed = root->version;
    CUP_FILL(values, FILE_FIELDS);
    for (unsigned i = 0; i < CUP_FILE_COUNTER_COUNT; i++)
        *values++ = counter_of(rows->profile, i, c);
    CUP_FILL(values, BASKET_FIELDS);
}

/* True if the file was opened, but never read, written or mapped. */
static bool is_idle(const struct cup_profile *profile, uint32_t file)
{
    const struct cup_file_sum sum = cup_file_total(profile, file);
    const uint64_t *c = sum.counters;
    return c[CUP_F_READ_CALLS] + c[CUP_F_WRITE_CALLS] + c[CUP_F_MAPPED_BYTES] == 0;
}

/* The text shows data files only. */
static int list_files(struct cup_report_rows *rows)
{
    size_t count;
    bool is_text = rows->text.page != NULL;
    uint32_t *files = cup_files_by_bytes(rows->profile, is_text ? CUP_FILE_DATA : 0, &count);
    for (size_t i = 0; files && i < count; i++)
        if (is_text && is_idle(rows->profile, files[i]))
            rows->text.hidden++;
        else
            cup_add_row(rows, &files[i]);
    free(files);
    return files ? 0 : -1;
}

const struct cup_report_table cup_files_table = {
    CUP_TABLE_PARTS(CUP_ROW_PART(FILE_FIELDS, fill),
                    CUP_NAMED_PART("", cup_file_counter_names, CUP_FILE_COUNTER_COUNT),
                    CUP_ROW_PART(BASKET_FIELDS, NULL),
                    {.put = put_prefixes, .nested = "by_prefix"}),
    list_files, .on_screen = 10, .more = "file in --json"};

/* ---- the text ------------------------------------------------------------------------------ */

static void print_access_sizes(const struct cup_page *page)
{
    static const char *const names[] = {"<=100 B", "<=1 KiB",  "<=10 KiB",  "<=100 KiB", "<=1 MiB",
                                        "<=4 MiB", "<=10 MiB", "<=100 MiB", "<=1 GiB",   ">1 GiB"};
    enum { SIZES = CUP_F_SIZE_1G_UP - CUP_F_SIZE_0_100 + 1 };
    double sums[SIZES] = {0}, all = 0;
    char line[400] = "";
    for (size_t i = 0; i < page->profile->file_sum_count; i++) {
        const struct cup_file_sum *sum = &page->profile->file_sums[i];
        for (int s = 0; s < SIZES && page->profile->files[sum->file].class == CUP_FILE_DATA; s++)
            sums[s] += (double)sum->counters[CUP_F_SIZE_0_100 + s];
    }
    for (int s = 0; s < SIZES; s++)
        all += sums[s];
    for (int s = 0; s < SIZES; s++)
        if (sums[s] > 0)
            cup_append(line, sizeof line, "%s%s %s", *line ? ", " : "", names[s],
                       CUP_SHOW(sums[s] / all, CUP_UNIT_SHARE));
    if (all > 0)
        cup_page_line(page, CUP_PLAIN, "Read calls by size: %s", line);
}

static int print_files(const struct cup_page *page)
{
    size_t count;
    uint32_t *files = cup_files_by_bytes(page->profile, CUP_FILE_DATA, &count);
    free(files);
    if (!files)
        return -1;
    cup_page_heading(
        page, "Files",
        CUP_FORMAT("%zu data file%s, those most read first", count, cup_plural(count)));
    int result = cup_print_rows(page, &cup_files_table, NULL, NULL, NULL);
    print_access_sizes(page);
    return result;
}

const struct cup_report_section cup_files_section = {
    .name = "files", .table = &cup_files_table, .print = print_files};
