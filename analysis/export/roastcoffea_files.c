#include "analysis/export/roastcoffea.h"

#include <stdlib.h>

#include "analysis/root/file_facts.h"

static void note_sizes(struct cup_roast_files *files, const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->file_count; i++) {
        uint32_t index = files->by_path[profile->files[i].path];
        if (index)
            files->files[index - 1].size = profile->files[i].size;
    }
}

static struct cup_roast_file *file_of(struct cup_roast_files *files, uint32_t path)
{
    if (!files->by_path[path]) {
        files->by_path[path] = (uint32_t)++files->count;
        files->files[files->count - 1].path = path;
    }
    return &files->files[files->by_path[path] - 1];
}

static void note_chunk(struct cup_roast_files *files, const struct cup_item *item)
{
    struct cup_roast_file *file = item->file ? file_of(files, item->file) : NULL;
    if (file)
        file->tree = item->tree;
    if (!file || item->requested_bytes == CUP_UNKNOWN64)
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
}

/* Where the file itself tells nothing: what uproot knew of its tree when it was read. */
static void take_told(struct cup_roast_file *file, const struct cup_totals *totals)
{
    const struct cup_ttree *tree =
        file->compressed_bytes
            ? NULL
            : cup_ttree_named(totals->profile, cup_root_file_at(totals->profile, file->path),
                              file->tree);
    if (!tree || tree->compressed_bytes == CUP_UNKNOWN64 ||
        tree->uncompressed_bytes == CUP_UNKNOWN64)
        return;
    file->compressed_bytes = tree->compressed_bytes;
    file->uncompressed_bytes = tree->uncompressed_bytes;
}

/* Chunks that ask for the same bytes once more count them once more: a tree has no more of them. */
static void bound_requests(struct cup_roast_file *file)
{
    uint64_t most = cup_roast_tree_bytes(file);
    if (most && file->requested_bytes > most)
        file->requested_bytes = most;
}

static int examine_all(struct cup_roast_files *files, const struct cup_totals *totals)
{
    struct cup_error error;
    struct cup_file_facts *facts = cup_file_facts_open(NULL, totals->run.stop_ns, &error);
    for (size_t i = 0; facts && i < files->count; i++) {
        examine(&files->files[i], totals->profile, facts);
        take_told(&files->files[i], totals);
        bound_requests(&files->files[i]);
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
    if (!files->files || !files->by_path) {
        cup_roast_files_free(files);
        return -1;
    }
    for (size_t i = 0; i < profile->item_count; i++)
        if (cup_roast_is_used(totals, i))
            note_chunk(files, &profile->items[i]);
    note_sizes(files, profile);
    int result = examine_all(files, totals);
    if (result != 0)
        cup_roast_files_free(files);
    return result;
}

void cup_roast_files_free(struct cup_roast_files *files)
{
    free(files->files);
    free(files->by_path);
    *files = (struct cup_roast_files){0};
}
