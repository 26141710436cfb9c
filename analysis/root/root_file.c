#define _POSIX_C_SOURCE 200809L

#include "analysis/root/root_file.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/root/root_blocks.h"
#include "analysis/root/root_keys.h"
#include "analysis/root/root_tree.h"

/* ---- branches by name --------------------------------------------------------------------- */

static int compare_names(const char *left, size_t left_bytes, const char *right, size_t right_bytes)
{
    size_t shorter = left_bytes < right_bytes ? left_bytes : right_bytes;
    int order = shorter ? memcmp(left, right, shorter) : 0;
    return order ? order : (left_bytes > right_bytes) - (left_bytes < right_bytes);
}

static int by_name(const void *left, const void *right)
{
    const struct cup_root_branch *a = left, *b = right;
    return compare_names(a->name, a->name_bytes, b->name, b->name_bytes);
}

/* Returns the index of the first branch that does not sort before the name. */
static size_t find_branch(const struct cup_root_tree *tree, const char *name, size_t length)
{
    size_t low = 0, high = tree->branch_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const struct cup_root_branch *branch = &tree->branches[middle];
        if (compare_names(branch->name, branch->name_bytes, name, length) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

struct cup_root_branch cup_root_branch_named(const struct cup_root_tree *tree, const char *name,
                                             size_t length)
{
    struct cup_root_branch sum = {.name = name, .name_bytes = length};
    for (size_t i = find_branch(tree, name, length); i < tree->branch_count; i++) {
        const struct cup_root_branch *branch = &tree->branches[i];
        if (compare_names(branch->name, branch->name_bytes, name, length) != 0)
            break;
        sum.baskets += branch->baskets;
        sum.embedded_baskets += branch->embedded_baskets;
        sum.entries += branch->entries;
        sum.compressed_bytes += branch->compressed_bytes;
        sum.uncompressed_bytes += branch->uncompressed_bytes;
        sum.compression = branch->compression;
    }
    return sum;
}

/* ---- a tree of its own -------------------------------------------------------------------- */

/* Copies the names of branches, because the record that has them is freed. */
static int keep_names(struct cup_root_tree *tree)
{
    size_t bytes = 0;
    for (size_t i = 0; i < tree->branch_count; i++)
        bytes += tree->branches[i].name_bytes;
    char *at = tree->names = malloc(bytes + 1);
    for (size_t i = 0; at && i < tree->branch_count; i++) {
        struct cup_root_branch *branch = &tree->branches[i];
        memcpy(at, branch->name, branch->name_bytes);
        branch->name = at;
        at += branch->name_bytes;
    }
    return at ? 0 : -1;
}

void cup_root_tree_free(struct cup_root_tree *tree)
{
    free(tree->branches);
    free(tree->borders);
    free(tree->names);
    *tree = (struct cup_root_tree){0};
}

static int take_object(const unsigned char *object, const struct cup_root_key *key,
                       struct cup_root_tree *out, struct cup_error *error)
{
    if (cup_root_tree_take(object, (size_t)key->object_bytes, key, out, error) != 0)
        return -1;
    if (out->branch_count)
        qsort(out->branches, out->branch_count, sizeof *out->branches, by_name);
    return keep_names(out) == 0 ? 0 : cup_error_memory(error, "");
}

/* ---- the record --------------------------------------------------------------------------- */

enum { MOST_OBJECT_BYTES = 1 << 28 };

static int unpack_key(const unsigned char *stored, uint64_t stored_bytes,
                      const struct cup_root_key *key, struct cup_root_tree *out,
                      struct cup_error *error)
{
    if (key->object_bytes == stored_bytes)
        return take_object(stored, key, out, error);
    unsigned char *object =
        key->object_bytes <= MOST_OBJECT_BYTES ? malloc((size_t)key->object_bytes + 1) : NULL;
    if (!object)
        return cup_error_memory(error, "");
    int result =
        cup_root_unpack(stored, (size_t)stored_bytes, object, (size_t)key->object_bytes, error);
    if (result == 0)
        result = take_object(object, key, out, error);
    free(object);
    return result;
}

static int take_record(FILE *file, const struct cup_root_key *key, struct cup_root_tree *out,
                       struct cup_error *error)
{
    uint64_t stored_bytes = key->bytes - key->key_bytes;
    unsigned char *stored = key->bytes > key->key_bytes
                                ? cup_root_read(file, key->seek + key->key_bytes, stored_bytes)
                                : NULL;
    if (!stored)
        return cup_error_set(error, "", CUP_NO_OFFSET,
                             "the tree's record is not all there, or too large");
    int result = unpack_key(stored, stored_bytes, key, out, error);
    free(stored);
    return result;
}

static int read_tree(FILE *file, const char *name, struct cup_root_tree *out,
                     struct cup_error *error)
{
    struct cup_root_key key;
    if (cup_root_find_tree(file, name, &key, error) != 0)
        return -1;
    out->ntuple = key.ntuple;
    return key.ntuple ? 0 : take_record(file, &key, out, error);
}

int cup_root_examine(const char *path, const char *tree, struct cup_root_tree *out,
                     struct cup_error *error)
{
    struct stat status;
    *out = (struct cup_root_tree){0};
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) /* to open a pipe would block */
        return cup_error_set(error, path, CUP_NO_OFFSET, "it is no file");
    FILE *file = fopen(path, "rb");
    if (!file)
        return cup_error_system(error, path, "open it");
    int result = read_tree(file, tree, out, error);
    fclose(file);
    if (result != 0) {
        cup_root_tree_free(out);
        snprintf(error->source, sizeof error->source, "%s", path);
    }
    return result;
}
