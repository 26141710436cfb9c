/* The files that chunks read, and how much of them. */
#include <stdlib.h>

#include "analysis/export/roastcoffea.h"
#include "analysis/root/file_facts.h"

/* Compressed bytes of its tree; if not known, the size of the file; 0 if neither is known. */
static uint64_t tree_bytes(const struct cup_roast_file *file)
{
    return file->compressed_bytes ? file->compressed_bytes : file->size;
}

/* ---- all files ----------------------------------------------------------------------------- */

static void note_chunk(struct cup_roast_files *files, const struct cup_profile *profile,
                       const struct cup_item *item)
{
    if (!item->file)
        return;
    if (!files->by_path[item->file])
        files->by_path[item->file] = (uint32_t)++files->count;
    struct cup_roast_file *file = &files->files[files->by_path[item->file] - 1];
    file->path = item->file;
    file->tree = cup_source_of(profile, item)->tree;
    if (item->requested_bytes == CUP_UNKNOWN64)
        return;
    file->requested_bytes += item->requested_bytes;
    file->requested = true;
}

static void examine(struct cup_roast_file *file, const struct cup_profile *profile,
                    struct cup_file_facts *facts)
{
    const struct cup_file_fact *fact =
        cup_file_facts(facts, cup_profile_text(profile, file->path), file->size,
                       cup_profile_text(profile, file->tree));
    file->compressed_bytes = fact->tree.compressed_bytes;
    file->uncompressed_bytes = fact->tree.uncompressed_bytes;
    if (file->compressed_bytes)
        return;
    /* The file is not there any more: what uproot knew of its tree when it was read. */
    const struct cup_ttree *tree =
        cup_ttree_named(profile, cup_root_file_at(profile, file->path), file->tree);
    if (!tree || tree->compressed_bytes == CUP_UNKNOWN64 ||
        tree->uncompressed_bytes == CUP_UNKNOWN64)
        return;
    file->compressed_bytes = tree->compressed_bytes;
    file->uncompressed_bytes = tree->uncompressed_bytes;
}

static int examine_all(struct cup_roast_files *files, const struct cup_totals *totals)
{
    struct cup_error error;
    struct cup_file_facts *facts = cup_file_facts_open(NULL, totals->run.stop_ns, &error);
    for (size_t i = 0; facts && i < files->count; i++) {
        struct cup_roast_file *file = &files->files[i];
        examine(file, totals->profile, facts);
        /* Chunks that request the same bytes again count them again: a tree has no more. */
        if (tree_bytes(file) && file->requested_bytes > tree_bytes(file))
            file->requested_bytes = tree_bytes(file);
    }
    cup_file_facts_free(facts);
    return facts ? 0 : -1;
}

/* There are no more files than texts. */
int cup_roast_files_make(struct cup_roast_files *files, const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    size_t texts = profile->strings.count + 1;
    *files = (struct cup_roast_files){.files = calloc(texts, sizeof *files->files),
                                      .by_path = calloc(texts, sizeof *files->by_path)};
    if (!files->files || !files->by_path)
        return -1;
    for (size_t i = 0; i < profile->item_count; i++)
        if (cup_roast_is_used(totals, i))
            note_chunk(files, profile, &profile->items[i]);
    for (size_t i = 0; i < profile->file_count; i++) {
        uint32_t index = files->by_path[profile->files[i].path];
        if (index)
            files->files[index - 1].size = profile->files[i].size;
    }
    return examine_all(files, totals);
}

void cup_roast_files_free(struct cup_roast_files *files)
{
    free(files->files);
    free(files->by_path);
}

/* ---- their keys ---------------------------------------------------------------------------- */

struct cup_value cup_roast_read_percent(const struct cup_roast_file *file)
{
    return file->requested
               ? cup_ratio(100.0 * (double)file->requested_bytes, (double)tree_bytes(file))
               : cup_null();
}

/* The tool's way round: compressed over uncompressed. */
static struct cup_value compression_of(const struct cup_roast_file *file)
{
    return cup_ratio((double)file->compressed_bytes, (double)file->uncompressed_bytes);
}

static struct cup_value tree_bytes_of(const struct cup_roast_file *file)
{
    return tree_bytes(file) ? cup_count(tree_bytes(file)) : cup_null();
}

static void put_file_metadata(struct cup_roast *roast, const struct cup_roast_file *file)
{
    cup_roast_put(roast, "filename", cup_text(cup_profile_text(roast->profile, file->path)));
    cup_roast_put(roast, "compression_ratio", compression_of(file));
    cup_roast_put(roast, "total_tree_bytes", tree_bytes_of(file));
}

static void put_file_reads(struct cup_roast *roast, const struct cup_roast_file *file)
{
    cup_roast_put_known(roast, "total_tree_bytes", tree_bytes_of(file));
    if (file->requested)
        cup_roast_put(roast, "bytes_read", cup_count(file->requested_bytes));
    cup_roast_put_known(roast, "bytes_read_percent", cup_roast_read_percent(file));
}

static int put_each_file(struct cup_roast *roast, const char *name,
                         void (*put_file)(struct cup_roast *, const struct cup_roast_file *))
{
    int result = 0;
    cup_json_object(&roast->json, name);
    for (size_t i = 0; i < roast->files.count && result == 0; i++) {
        const struct cup_roast_file *file = &roast->files.files[i];
        char *path = cup_python_string(cup_profile_text(roast->profile, file->path));
        result = path ? 0 : -1;
        cup_json_row(&roast->json, path ? path : "?");
        put_file(roast, file);
        cup_json_end_object(&roast->json);
        free(path);
    }
    cup_json_end_object(&roast->json);
    return result;
}

/* An array of the values that are known. Returns their mean. */
static struct cup_value put_of_each(struct cup_roast *roast, const char *name,
                                    struct cup_value (*value_of)(const struct cup_roast_file *))
{
    double sum = 0, known = 0;
    cup_json_array(&roast->json, name);
    for (size_t i = 0; i < roast->files.count; i++) {
        struct cup_value value = value_of(&roast->files.files[i]);
        cup_roast_put_known(roast, NULL, value);
        if (value.kind == CUP_VALUE_NULL)
            continue;
        sum += cup_number(value);
        known++;
    }
    cup_json_end_array(&roast->json);
    return cup_ratio(sum, known);
}

/* Mean over files: different branches of their trees that were read. */
static struct cup_value branches_percent(const struct cup_totals *totals)
{
    double sum = 0, known = 0;
    for (size_t i = 0; i < totals->profile->root_file_count; i++) {
        const struct cup_branches_file *file = &totals->branches->files[i];
        if (file->tree_branches == 0)
            continue;
        sum += 100.0 * (double)file->branches_of_trees / (double)file->tree_branches;
        known++;
    }
    return cup_ratio(sum, known);
}

int cup_roast_put_files(struct cup_roast *roast)
{
    if (put_each_file(roast, "file_metadata", put_file_metadata) != 0 ||
        put_each_file(roast, "file_read_metrics", put_file_reads) != 0)
        return -1;
    struct cup_value mean =
        put_of_each(roast, "bytes_read_percent_per_file", cup_roast_read_percent);
    cup_roast_put(roast, "avg_bytes_read_percent", mean);
    cup_roast_put(roast, "avg_branches_read_percent", branches_percent(roast->totals));
    put_of_each(roast, "compression_ratios", compression_of);
    return 0;
}
