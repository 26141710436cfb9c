/* A ROOT file written by hand, whole, spoilt and cut off at every byte. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <string.h>

#include "analysis/export/root_tree.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH], path[2 * SUPPORT_PATH];

static void set_up(void)
{
    make_scratch(scratch);
    snprintf(path, sizeof path, "%s/a.root", scratch);
}

static void tear_down(void)
{
    remove_scratch(scratch);
}

TestSuite(root_tree, .init = set_up, .fini = tear_down);

struct bytes {
    unsigned char at[2048];
    size_t count;
};

static void put(struct bytes *bytes, unsigned width, uint64_t value)
{
    while (width--)
        bytes->at[bytes->count++] = (unsigned char)(value >> 8 * width);
}

static void put_text(struct bytes *bytes, const char *text)
{
    put(bytes, 1, strlen(text));
    while (*text)
        put(bytes, 1, (unsigned char)*text++);
}

/* A record's key of 4 byte offsets, or of 8 byte ones. */
static void put_key(struct bytes *bytes, unsigned width, uint64_t object, uint64_t cycle,
                    uint64_t seek, const char *class, const char *name, uint64_t packed)
{
    uint64_t header = 18 + 2 * width + strlen(class) + strlen(name) + 3;
    put(bytes, 4, header + object - packed);
    put(bytes, 2, width == 8 ? 1004 : 4);
    put(bytes, 4, object);
    put(bytes, 4, 0);
    put(bytes, 2, header);
    put(bytes, 2, cycle);
    put(bytes, width, seek);
    put(bytes, width, 100);
    put_text(bytes, class);
    put_text(bytes, name);
    put_text(bytes, "");
}

/* What varies. */
struct file {
    unsigned width;
    const char *class;
    uint64_t version, packed;
    uint64_t compressed, uncompressed;
};
static const struct file plain = {4, "TTree", 20, 0, 3000, 4000};

enum { DIRECTORY = 120, KEYS = 200, TREE = 600, TREE_BYTES = 6 + 4 * (4 + 5) + 24 };

static void put_tree(struct bytes *bytes, const struct file *file)
{
    bytes->count = TREE;
    put_key(bytes, file->width, TREE_BYTES, 2, TREE, file->class, "Events", 0);
    put(bytes, 4, 0x40000000 | (TREE_BYTES - 4));
    put(bytes, 2, file->version);
    for (int base = 0; base < 4; base++) {
        put(bytes, 4, 0x40000000 | 5);
        put(bytes, 5, 0);
    }
    put(bytes, 8, 100);
    put(bytes, 8, file->uncompressed);
    put(bytes, 8, file->compressed);
}

static void put_keys(struct bytes *bytes, const struct file *file)
{
    bytes->count = KEYS;
    put_key(bytes, file->width, 300, 1, KEYS, "TFile", "a.root", 0);
    put(bytes, 4, 3);
    put_key(bytes, file->width, 10, 9, 1000, "TH1D", "Events", 0);
    put_key(bytes, file->width, TREE_BYTES, 2, TREE, file->class, "Events", file->packed);
    put_key(bytes, file->width, 10, 1, 1100, file->class, "Events", 0); /* an older cycle */
}

static struct bytes make(const struct file *file)
{
    struct bytes bytes = {0};
    put(&bytes, 4, 0x726f6f74);
    put(&bytes, 4, file->width == 8 ? 1062400 : 62400);
    put(&bytes, 4, 100);
    bytes.count += file->width == 8 ? 24 : 16;
    put(&bytes, 4, DIRECTORY - 100);
    bytes.count = DIRECTORY;
    put(&bytes, 2, file->width == 8 ? 1005 : 5);
    put(&bytes, 8, 0);
    put(&bytes, 4, 350);
    put(&bytes, 4, 0);
    put(&bytes, file->width, 0);
    put(&bytes, file->width, 0);
    put(&bytes, file->width, KEYS);
    put_keys(&bytes, file);
    put_tree(&bytes, file);
    return bytes;
}

static bool read_file(const struct bytes *bytes, size_t count, const char *name,
                      struct cup_root_tree *tree)
{
    FILE *out = fopen(path, "wb");
    cr_assert_not_null(out);
    fwrite(bytes->at, 1, count, out);
    fclose(out);
    return cup_root_tree_read(tree, path, count, name);
}

static bool reads(struct file file, const char *name)
{
    struct cup_root_tree tree = {0};
    struct bytes bytes = make(&file);
    bool taken = read_file(&bytes, bytes.count, name, &tree);
    if (taken) {
        cr_expect_eq(tree.compressed_bytes, 3000);
        cr_expect_eq(tree.uncompressed_bytes, 4000);
    }
    return taken;
}

Test(root_tree, newest_cycle_of_the_name)
{
    cr_expect(reads(plain, "Events"));
    cr_expect(reads((struct file){8, "TTree", 20, 0, 3000, 4000}, "Events"));
    cr_expect(reads((struct file){4, "TTree", 16, 0, 3000, 4000}, "Events"));
    cr_expect_not(reads(plain, "Other"));
    cr_expect_not(reads(plain, "Event"));
}

Test(root_tree, what_cannot_be_read_is_not_known)
{
    cr_expect_not(reads((struct file){4, "TTree", 20, 10, 3000, 4000}, "Events"), "compressed");
    cr_expect_not(reads((struct file){4, "ROOT::RNTuple", 20, 0, 3000, 4000}, "Events"));
    cr_expect_not(reads((struct file){4, "TTree", 15, 0, 3000, 4000}, "Events"), "other members");
    cr_expect_not(reads((struct file){4, "TTree", 21, 0, 3000, 4000}, "Events"), "unknown members");
    cr_expect_not(reads((struct file){4, "TTree", 20, 0, 0, 4000}, "Events"), "empty");
}

Test(root_tree, files_that_changed_or_are_gone)
{
    struct cup_root_tree tree;
    struct bytes bytes = make(&plain);
    cr_expect(read_file(&bytes, bytes.count, "Events", &tree));
    cr_expect_not(cup_root_tree_read(&tree, path, bytes.count + 1, "Events"));
    cr_expect_not(cup_root_tree_read(&tree, "/no/such/file", bytes.count, "Events"));
    cr_expect_not(cup_root_tree_read(&tree, scratch, 0, "Events"));
}

Test(root_tree, cut_off_anywhere)
{
    struct cup_root_tree tree;
    struct bytes bytes = make(&plain);
    for (size_t count = 0; count < bytes.count; count++)
        cr_expect_not(read_file(&bytes, count, "Events", &tree), "%zu bytes", count);
}

/* Whatever stands there: no crash (run it with ASAN=1), and no more than the file has. */
Test(root_tree, spoilt_anywhere)
{
    struct cup_root_tree tree;
    for (size_t at = 0; at < TREE + 200; at++) {
        struct bytes bytes = make(&plain);
        bytes.at[at] ^= 0xff;
        read_file(&bytes, bytes.count, "Events", &tree);
    }
}
