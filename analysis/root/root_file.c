#include "analysis/root/root_file.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

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

/* ---- compressed blocks ------------------------------------------------------------------- */

/* Decompresses one block, given without its head. Returns true if the result has exactly TO_BYTES.
 * FUNCTION is the one of the loaded library; its signature has not changed since the first release
 * of that library. */
typedef bool unpack_fn(void *function, const unsigned char *from, size_t from_bytes,
                       unsigned char *to, size_t to_bytes);

static bool unpack_zlib(void *function, const unsigned char *from, size_t from_bytes,
                        unsigned char *to, size_t to_bytes)
{
    typedef int uncompress_fn(unsigned char *, unsigned long *, const unsigned char *,
                              unsigned long);
    unsigned long made = to_bytes;
    return ((uncompress_fn *)function)(to, &made, from, from_bytes) == 0 && made == to_bytes;
}

static bool unpack_lzma(void *function, const unsigned char *from, size_t from_bytes,
                        unsigned char *to, size_t to_bytes)
{
    typedef int decode_fn(uint64_t *, uint32_t, const void *, const unsigned char *, size_t *,
                          size_t, unsigned char *, size_t *, size_t);
    uint64_t memory =
        256u << 20; /* the dictionaries of ROOT's compression levels have up to 64 MiB */
    size_t read = 0, made = 0;
    int result =
        ((decode_fn *)function)(&memory, 0, NULL, from, &read, from_bytes, to, &made, to_bytes);
    return result == 0 && made == to_bytes;
}

/* Skips the checksum of 8 bytes before the data. */
static bool unpack_lz4(void *function, const unsigned char *from, size_t from_bytes,
                       unsigned char *to, size_t to_bytes)
{
    typedef int decompress_fn(const char *, char *, int, int);
    enum { CHECKSUM_BYTES = 8 };
    return from_bytes > CHECKSUM_BYTES &&
           ((decompress_fn *)function)((const char *)from + CHECKSUM_BYTES, (char *)to,
                                       (int)(from_bytes - CHECKSUM_BYTES),
                                       (int)to_bytes) == (int)to_bytes;
}

static bool unpack_zstd(void *function, const unsigned char *from, size_t from_bytes,
                        unsigned char *to, size_t to_bytes)
{
    typedef size_t decompress_fn(void *, size_t, const void *, size_t);
    return ((decompress_fn *)function)(to, to_bytes, from, from_bytes) == to_bytes;
}

static const struct method {
    const char *mark; /* first bytes of a block */
    const char *name;
    const char *files[2]; /* names of the library: Linux, macOS */
    const char *function;
    unpack_fn *unpack;
} methods[] = {
    {"ZL", "libz", {"libz.so.1", "libz.1.dylib"}, "uncompress", unpack_zlib},
    {"XZ",
     "liblzma",
     {"liblzma.so.5", "liblzma.5.dylib"},
     "lzma_stream_buffer_decode",
     unpack_lzma},
    {"L4", "liblz4", {"liblz4.so.1", "liblz4.1.dylib"}, "LZ4_decompress_safe", unpack_lz4},
    {"ZS", "libzstd", {"libzstd.so.1", "libzstd.1.dylib"}, "ZSTD_decompress", unpack_zstd},
};

static const struct method *find_method(const unsigned char *mark)
{
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (memcmp(methods[i].mark, mark, 2) == 0)
            return &methods[i];
    return NULL;
}

/* Libraries stay loaded, so the next call only costs a look-up. */
static void *find_function(const struct method *method)
{
    for (size_t i = 0; i < sizeof method->files / sizeof *method->files; i++) {
        void *library = dlopen(method->files[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            return dlsym(library, method->function);
    }
    return NULL;
}

static int unpack_block(const unsigned char *mark, const unsigned char *from, size_t from_bytes,
                        unsigned char *to, size_t to_bytes, struct cup_error *error)
{
    const struct method *method = find_method(mark);
    if (!method)
        return cup_error_set(error, "", CUP_NO_OFFSET,
                             memcmp(mark, "CS", 2) == 0
                                 ? "the tree's record is compressed as only very old ROOT did it"
                                 : "the tree's record is damaged");
    void *function = find_function(method);
    if (!function)
        return cup_error_set(error, "", CUP_NO_OFFSET, "%s is not installed", method->name);
    if (!method->unpack(function, from, from_bytes, to, to_bytes))
        return cup_error_set(error, "", CUP_NO_OFFSET, "the tree's record is damaged");
    return 0;
}

static size_t little_endian(const unsigned char *bytes)
{
    return bytes[0] | (size_t)bytes[1] << 8 | (size_t)bytes[2] << 16;
}

/* Decompresses the blocks of STORED, which must fill OBJECT exactly. The system's libraries are
 * loaded when they are needed; cupping works without them. Returns 0, or -1; error->text says what
 * is damaged, or missing on this machine. */
static int unpack_record(const unsigned char *stored, size_t stored_bytes, unsigned char *object,
                         size_t object_bytes, struct cup_error *error)
{
    enum { HEAD_BYTES = 9 }; /* mark, method, compressed and uncompressed size of three bytes */
    while (object_bytes > 0) {
        size_t from_bytes = stored_bytes >= HEAD_BYTES ? little_endian(stored + 3) : 0;
        size_t to_bytes = from_bytes ? little_endian(stored + 6) : 0;
        if (to_bytes == 0 || to_bytes > object_bytes || from_bytes > stored_bytes - HEAD_BYTES)
            return cup_error_set(error, "", CUP_NO_OFFSET, "the tree's record is damaged");
        if (unpack_block(stored, stored + HEAD_BYTES, from_bytes, object, to_bytes, error) != 0)
            return -1;
        stored += HEAD_BYTES + from_bytes;
        stored_bytes -= HEAD_BYTES + from_bytes;
        object += to_bytes;
        object_bytes -= to_bytes;
    }
    return 0;
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
        unpack_record(stored, (size_t)stored_bytes, object, (size_t)key->object_bytes, error);
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
