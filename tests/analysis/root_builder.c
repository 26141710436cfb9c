#include "tests/analysis/root_builder.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOP = 120, BEGIN = 100, KEY_BYTES = 60 };

/* ---- bytes -------------------------------------------------------------------------------- */

static void put(struct built_bytes *bytes, unsigned width, uint64_t value)
{
    if (bytes->count + width > bytes->room) {
        bytes->room = 2 * bytes->room + 4096;
        bytes->at = realloc(bytes->at, bytes->room);
        cr_assert_not_null(bytes->at);
    }
    while (width--)
        bytes->at[bytes->count++] = (unsigned char)(value >> 8 * width);
}

static void put_zeros(struct built_bytes *bytes, size_t count)
{
    while (count--)
        put(bytes, 1, 0);
}

static void put_text(struct built_bytes *bytes, const char *text)
{
    size_t length = strlen(text);
    put(bytes, 1, length < 255 ? length : 255);
    if (length >= 255)
        put(bytes, 4, length);
    while (*text)
        put(bytes, 1, (unsigned char)*text++);
}

static void put_real(struct built_bytes *bytes, double value)
{
    uint64_t raw;
    memcpy(&raw, &value, sizeof raw);
    put(bytes, 8, raw);
}

static void put_at(struct built_bytes *bytes, size_t at, unsigned width, uint64_t value)
{
    size_t count = bytes->count;
    bytes->count = at;
    put(bytes, width, value);
    bytes->count = count;
}

/* ---- objects ------------------------------------------------------------------------------ */

/* Room for a count; end_count() fills it in. */
static size_t begin_count(struct built_bytes *bytes)
{
    put(bytes, 4, 0);
    return bytes->count;
}

static void end_count(struct built_bytes *bytes, size_t from)
{
    put_at(bytes, from - 4, 4, 0x40000000 | (bytes->count - from));
}

static size_t begin_object(struct built_bytes *bytes, unsigned version)
{
    size_t from = begin_count(bytes);
    put(bytes, 2, version);
    return from;
}

static void put_named(struct built_bytes *bytes, const char *name)
{
    size_t named = begin_object(bytes, 1);
    put(bytes, 2, 1);
    put_zeros(bytes, 4);
    put(bytes, 4, 1 << 4 | 0x03000000); /* something refers to it: two bytes more */
    put(bytes, 2, 7);
    put_text(bytes, name);
    put_text(bytes, "title");
    end_count(bytes, named);
}

static void put_attributes(struct built_bytes *bytes)
{
    size_t attributes = begin_object(bytes, 2);
    put_zeros(bytes, 6);
    end_count(bytes, attributes);
}

static size_t begin_list(struct built_bytes *bytes, unsigned count)
{
    size_t list = begin_object(bytes, 3);
    put(bytes, 2, 1);
    put_zeros(bytes, 8);
    put_text(bytes, "");
    put(bytes, 4, count);
    put(bytes, 4, 0);
    return list;
}

/* ---- branches ----------------------------------------------------------------------------- */

/* Where the tree's record begins, and where the classes met so far are named in it. */
struct writing {
    struct built_bytes *bytes;
    size_t start;
    struct {
        const char *name;
        size_t at;
    } classes[8];
    unsigned class_count;
};

static uint64_t place(const struct writing *writing, size_t at)
{
    return at - writing->start + KEY_BYTES + 2;
}

static void put_class(struct writing *writing, const char *name)
{
    for (unsigned i = 0; i < writing->class_count; i++)
        if (strcmp(writing->classes[i].name, name) == 0) {
            put(writing->bytes, 4, 0x80000000 | place(writing, writing->classes[i].at));
            return;
        }
    cr_assert_lt(writing->class_count, 8);
    writing->classes[writing->class_count].name = name;
    writing->classes[writing->class_count++].at = writing->bytes->count;
    put(writing->bytes, 4, 0xffffffff);
    while (*name)
        put(writing->bytes, 1, (unsigned char)*name++);
    put(writing->bytes, 1, 0);
}

static size_t put_branch(struct writing *writing, const struct built_branch *branch);

static void put_inner(struct writing *writing, const struct built_branch *branch, size_t self)
{
    struct built_bytes *bytes = writing->bytes;
    size_t list = begin_list(bytes, branch->inner_count + 1), first = 0;
    for (unsigned i = 0; i < branch->inner_count; i++) {
        size_t at = put_branch(writing, &branch->inner[i]);
        first = i == 0 ? at : first;
    }
    if (branch->again == 1)
        put(bytes, 4, place(writing, first));
    else if (branch->again == 2)
        put(bytes, 4, place(writing, self));
    else
        put(bytes, 4, 0); /* none */
    end_count(bytes, list);
}

static void put_leaves(struct writing *writing)
{
    size_t list = begin_list(writing->bytes, 1), leaf = begin_count(writing->bytes);
    put_class(writing, "TLeafF");
    put_attributes(writing->bytes);
    end_count(writing->bytes, leaf);
    end_count(writing->bytes, list);
}

static void put_embedded(struct writing *writing, unsigned count)
{
    size_t list = begin_list(writing->bytes, count + 2);
    put_zeros(writing->bytes, 8); /* two that are not there */
    for (unsigned i = 0; i < count; i++) {
        size_t basket = begin_count(writing->bytes);
        put_class(writing, "TBasket");
        put_zeros(writing->bytes, 70);
        end_count(writing->bytes, basket);
    }
    end_count(writing->bytes, list);
}

static unsigned each(const struct built_branch *branch)
{
    return branch->entries_each ? branch->entries_each : 10;
}

/* There is room for one basket more than was written. */
static void put_baskets(struct built_bytes *bytes, const struct built_branch *branch,
                        unsigned width)
{
    unsigned most = branch->baskets + 1;
    put(bytes, 1, 1);
    for (unsigned i = 0; i < most; i++)
        put(bytes, 4, i < branch->baskets ? BUILT_BYTES : 0);
    put(bytes, 1, 1);
    for (unsigned i = 0; i < most; i++)
        put(bytes, width, i * each(branch));
    put(bytes, 1, 1);
    for (unsigned i = 0; i < most; i++)
        put(bytes, width, i < branch->baskets ? 10000 + i * BUILT_BYTES : 0);
    put_text(bytes, ""); /* file name */
}

static void put_number(struct built_bytes *bytes, bool whole, uint64_t value)
{
    if (whole)
        put(bytes, 8, value);
    else
        put_real(bytes, (double)value);
}

static void put_branch_numbers(struct built_bytes *bytes, const struct built_branch *branch,
                               unsigned version)
{
    uint64_t entries = (branch->baskets + branch->embedded) * each(branch);
    put(bytes, 4, 505);
    put(bytes, 4, 32000);
    put(bytes, 4, 0);
    put(bytes, 4, branch->baskets);
    put(bytes, version >= 10 ? 8 : 4, entries);
    if (version >= 13)
        put_attributes(bytes); /* fIOFeatures: any object */
    put(bytes, 4, 0);
    put(bytes, 4, branch->baskets + 1);
    put(bytes, 4, 99);
    put_number(bytes, version >= 10, entries);
    if (version >= 11)
        put(bytes, 8, 0);
    put_number(bytes, version >= 10, (uint64_t)branch->baskets * BUILT_UNCOMPRESSED);
    put_number(bytes, version >= 10, (uint64_t)branch->baskets * BUILT_BYTES);
}

static void put_members(struct writing *writing, const struct built_branch *branch, size_t self)
{
    struct built_bytes *bytes = writing->bytes;
    unsigned version = branch->version ? branch->version : 13;
    size_t members = begin_object(bytes, version);
    put_named(bytes, branch->name);
    put_attributes(bytes);
    put_branch_numbers(bytes, branch, version);
    put_inner(writing, branch, self);
    put_leaves(writing);
    put_embedded(writing, branch->embedded + branch->copies);
    put_baskets(bytes, branch, version >= 10 ? 8 : 4);
    end_count(bytes, members);
}

/* Returns where it begins. */
static size_t put_branch(struct writing *writing, const struct built_branch *branch)
{
    const char *class = branch->class ? branch->class : "TBranch";
    size_t object = begin_count(writing->bytes), self = object - 4;
    put_class(writing, class);
    bool derived = strcmp(class, "TBranch") != 0;
    size_t outer = derived ? begin_object(writing->bytes, 10) : 0;
    put_members(writing, branch, self);
    if (derived) {
        put_text(writing->bytes, "further members");
        end_count(writing->bytes, outer);
    }
    end_count(writing->bytes, object);
    return self;
}

/* ---- the tree ----------------------------------------------------------------------------- */

static void put_tree_numbers(struct built_bytes *bytes, unsigned version)
{
    const uint64_t numbers[] = {100, 4000, 3000, 0};
    for (int i = 0; i < 4; i++)
        put_number(bytes, version > 5, numbers[i]);
    if (version == 5) {
        put_zeros(bytes, 28);
        return;
    }
    put_zeros(bytes, version >= 18 ? 8 : 0); /* flushed */
    put_zeros(bytes, 20);
    put_zeros(bytes, version >= 17 ? 4 : 0);
    if (version >= 19)
        put(bytes, 4, 2); /* ranges of clusters */
    put_zeros(bytes, 32);
    if (version >= 18)
        put(bytes, 8, 10); /* fAutoFlush */
    put_zeros(bytes, 8);
    if (version >= 19)
        put_zeros(bytes, 2 + 4 * 8);
    if (version >= 20)
        put_attributes(bytes); /* fIOFeatures */
}

static void put_tree(struct built_bytes *bytes, const struct built_file *file)
{
    struct writing writing = {.bytes = bytes, .start = bytes->count};
    unsigned version = file->version ? file->version : 20;
    bool derived = file->class && strncmp(file->class, "TNtuple", 7) == 0;
    size_t outer = derived ? begin_object(bytes, 2) : 0, tree = begin_object(bytes, version);
    put_named(bytes, "Events");
    for (int i = 0; i < 3; i++)
        put_attributes(bytes);
    put_tree_numbers(bytes, version);
    size_t list = begin_list(bytes, file->branch_count);
    for (unsigned i = 0; i < file->branch_count; i++)
        put_branch(&writing, &file->branches[i]);
    end_count(bytes, list);
    end_count(bytes, tree);
    if (derived)
        end_count(bytes, outer);
}

/* ---- the file ----------------------------------------------------------------------------- */

/* A key has KEY_BYTES, whatever it needs. */
static void put_key(struct built_bytes *bytes, const struct built_file *file, uint64_t object,
                    uint64_t cycle, uint64_t seek, const char *class, const char *name)
{
    unsigned width = file->width ? file->width : 4;
    put(bytes, 4, KEY_BYTES + object - (cycle == 2 ? file->packed : 0));
    put(bytes, 2, width == 8 ? 1004 : 4);
    put(bytes, 4, object);
    put(bytes, 4, 0);
    put(bytes, 2, KEY_BYTES);
    put(bytes, 2, cycle);
    put(bytes, width, seek);
    put(bytes, width, BEGIN);
    put_text(bytes, class);
    put_text(bytes, name);
    put_text(bytes, "");
}

/* The record of a directory; its keys stand behind it. */
static void put_directory(struct built_bytes *bytes, const struct built_file *file)
{
    unsigned width = file->width ? file->width : 4;
    put(bytes, 2, width == 8 ? 1005 : 5);
    put_zeros(bytes, 8);
    put(bytes, 4, 400);
    put(bytes, 4, 0);
    put_zeros(bytes, 2 * width);
    put(bytes, width, bytes->count + width + 20);
    put_zeros(bytes, 20);
}

static size_t begin_keys(struct built_bytes *bytes, const struct built_file *file, unsigned count)
{
    size_t start = bytes->count;
    put_directory(bytes, file);
    put_key(bytes, file, 300, 1, bytes->count, "TFile", "a.root");
    put(bytes, 4, count);
    return start;
}

enum { DIRECTORY = 1000, TREE = 3000, OBJECT = TREE + KEY_BYTES };

static void put_tree_keys(struct built_bytes *bytes, const struct built_file *file, size_t object)
{
    const char *class = file->class ? file->class : "TTree";
    put_key(bytes, file, 10, 9, 20000, "TH1D", "Events");
    put_key(bytes, file, object, 2, TREE, class, "Events");
    put_key(bytes, file, 10, 1, 21000, class, "Events");
}

static void put_directories(struct built_bytes *bytes, const struct built_file *file, size_t object)
{
    char twin[] = "twin0";
    begin_keys(bytes, file, 1 + file->twins);
    put_key(bytes, file, 64, 1, DIRECTORY - KEY_BYTES, "TDirectoryFile", file->directory);
    for (unsigned i = 0; i < file->twins; i++, twin[4]++)
        put_key(bytes, file, 64, 1, DIRECTORY - KEY_BYTES, "TDirectory", twin);
    put_zeros(bytes, DIRECTORY - bytes->count);
    begin_keys(bytes, file, 3);
    put_tree_keys(bytes, file, object);
}

struct built_bytes build_root_file(const struct built_file *file)
{
    struct built_bytes bytes = {0}, object = {0};
    put_tree(&object, file);
    put(&bytes, 4, 0x726f6f74);
    put(&bytes, 4, file->width == 8 ? 1062400 : 62400);
    put(&bytes, 4, BEGIN);
    put_zeros(&bytes, file->width == 8 ? 24 : 16);
    put(&bytes, 4, TOP - BEGIN);
    put_zeros(&bytes, TOP - bytes.count);
    if (file->directory) {
        put_directories(&bytes, file, object.count);
    } else {
        begin_keys(&bytes, file, 3);
        put_tree_keys(&bytes, file, object.count);
    }
    cr_assert_lt(bytes.count, OBJECT);
    put_zeros(&bytes, OBJECT - bytes.count);
    for (size_t i = 0; i < object.count; i++)
        put(&bytes, 1, object.at[i]);
    free(object.at);
    return bytes;
}

void save_bytes(const struct built_bytes *bytes, size_t count, const char *path)
{
    remove(path); /* a file that is cut and written anew is flushed to the disk: slow */
    FILE *out = fopen(path, "wb");
    cr_assert_not_null(out, "%s", path);
    cr_assert_eq(fwrite(bytes->at, 1, count, out), count);
    fclose(out);
}
