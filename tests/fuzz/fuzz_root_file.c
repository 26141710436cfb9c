/* Arbitrary files for the reader of ROOT files. An input is how long the tree's name is (a byte),
 * the name, and the file. A corpus is made of sound files:
 *
 *     printf '\6Events' | cat - FILE.root >tests/fuzz/corpus/root_file/NAME */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "analysis/root/root_file.h"
#include "tests/fuzz/verbs.h"

const struct fuzz_inputs fuzz_inputs = {0};

static void look(const struct cup_root_tree *tree)
{
    uint64_t sum = cup_root_cluster_start(tree, tree->entries);
    for (size_t i = 0; i < tree->branch_count; i++)
        sum += cup_root_branch_named(tree, tree->branches[i].name, tree->branches[i].name_bytes)
                   .compressed_bytes;
    volatile uint64_t seen = sum;
    (void)seen;
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    static int fd = -1;
    char path[64], name[256] = "";
    struct cup_root_tree tree;
    struct cup_error error;
    if (size < 1 || data[0] >= size)
        return 0;
    memcpy(name, data + 1, data[0]);
    const unsigned char *file = data + 1 + data[0];
    size_t bytes = size - 1 - data[0];
    fd = fd < 0 ? memfd_create("fuzz", 0) : fd;
    if (ftruncate(fd, 0) != 0 || pwrite(fd, file, bytes, 0) != (ssize_t)bytes)
        return 0;
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    if (cup_root_examine(path, name, &tree, &error) == 0) {
        look(&tree);
        cup_root_tree_free(&tree);
    }
    return 0;
}
