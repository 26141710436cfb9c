/* ROOT files written by hand: every version, whole, spoilt and cut off at every byte. What real
 * files say is compared with uproot's own account in test_root_account.c. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/root/root_file.h"
#include "tests/analysis/root_builder.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH], path[2 * SUPPORT_PATH];
static struct cup_root_tree tree;
static struct cup_error error;

static void set_up(void)
{
    make_scratch(scratch);
    snprintf(path, sizeof path, "%s/a.root", scratch);
}

static void tear_down(void)
{
    cup_root_tree_free(&tree);
    remove_scratch(scratch);
}

TestSuite(root_file, .init = set_up, .fini = tear_down);

static const struct built_branch two[] = {{.name = "pt", .baskets = 10},
                                          {.name = "eta", .baskets = 5, .entries_each = 20}};

/* Reads the tree `name` of a file that is built so. */
static bool reads(struct built_file file, const char *name)
{
    if (!file.branches) {
        file.branches = two;
        file.branch_count = 2;
    }
    struct built_bytes bytes = build_root_file(&file);
    save_bytes(&bytes, bytes.count, path);
    free(bytes.at);
    cup_root_tree_free(&tree);
    error.text[0] = '\0';
    bool done = cup_root_examine(path, name, &tree, &error) == 0;
    cr_expect_eq(done, error.text[0] == '\0');
    cr_expect(done || strcmp(error.source, path) == 0);
    return done;
}

static bool reads_branches(const struct built_branch *branches, unsigned count)
{
    return reads((struct built_file){.branches = branches, .branch_count = count}, "Events");
}

static void expect_reason(const char *reason)
{
    cr_expect(strstr(error.text, reason), "\"%s\" is not in \"%s\"", reason, error.text);
}

/* What the builder says of the tree and of `two`. */
static void expect_two(void)
{
    cr_expect_eq(tree.entries, 100);
    cr_expect_eq(tree.uncompressed_bytes, 4000);
    cr_expect_eq(tree.compressed_bytes, 3000);
    cr_assert_eq(tree.branch_count, 2);
    const struct cup_root_branch *eta = &tree.branches[0], *pt = &tree.branches[1];
    cr_expect(eta->name_bytes == 3 && memcmp(eta->name, "eta", 3) == 0);
    cr_expect(pt->name_bytes == 2 && memcmp(pt->name, "pt", 2) == 0);
    cr_expect_eq(eta->baskets, 5);
    cr_expect_eq(eta->entries, 100);
    cr_expect_eq(pt->baskets, 10);
    cr_expect_eq(pt->embedded_baskets, 0);
    cr_expect_eq(pt->entries, 100);
    cr_expect_eq(pt->compressed_bytes, 10 * BUILT_BYTES);
    cr_expect_eq(pt->uncompressed_bytes, 10 * BUILT_UNCOMPRESSED);
    cr_expect_eq(pt->compression, 505);
}

Test(root_file, trees_of_every_version)
{
    for (unsigned version = 16; version <= 20; version++) {
        cr_expect(reads((struct built_file){.version = version}, "Events"), "%u: %s", version,
                  error.text);
        expect_two();
        cr_expect_eq(tree.auto_flush, version >= 18 ? 10 : 0);
    }
    cr_expect(reads((struct built_file){.version = 5}, "Events"), "Geant4's: %s", error.text);
    expect_two();
    cr_expect(reads((struct built_file){.width = 8}, "Events"), "64 bits: %s", error.text);
    expect_two();
    cr_expect(reads((struct built_file){.class = "TNtupleD"}, "Events"), "%s", error.text);
    expect_two();
}

Test(root_file, branches_of_every_version)
{
    for (unsigned version = 8; version <= 13; version++) {
        struct built_branch branches[] = {two[0], two[1]};
        branches[0].version = branches[1].version = version;
        cr_expect(reads_branches(branches, 2), "%u: %s", version, error.text);
        expect_two();
    }
    static const char *const classes[] = {"TBranchElement", "TBranchObject", "TBranchSTL"};
    for (int i = 0; i < 3; i++) {
        struct built_branch branches[] = {two[0], two[1]};
        branches[i % 2].class = classes[i];
        cr_expect(reads_branches(branches, 2), "%s: %s", classes[i], error.text);
        expect_two();
    }
}

Test(root_file, what_is_not_known_is_refused_with_a_reason)
{
    cr_expect_not(reads((struct built_file){.version = 15}, "Events"));
    expect_reason("TTree of version 15");
    cr_expect_not(reads((struct built_file){.version = 21}, "Events"));
    expect_reason("TTree of version 21");
    const struct built_branch old = {.name = "x", .version = 7}, new = {.name = "x", .version = 14},
                              clones = {.name = "x", .class = "TBranchClones"};
    cr_expect_not(reads_branches(&old, 1));
    expect_reason("version 7");
    cr_expect_not(reads_branches(&new, 1));
    expect_reason("version 14");
    cr_expect_not(reads_branches(&clones, 1));
    expect_reason("TBranchClones");
    cr_expect_not(reads((struct built_file){.packed = 20}, "Events"));
    expect_reason("damaged");
}

Test(root_file, a_tree_is_found_by_its_name_cycle_and_directory)
{
    const struct built_file inside = {.directory = "dir"}, twice = {.directory = "dir", .twins = 1};
    cr_expect(reads((struct built_file){0}, "Events;2"), "%s", error.text);
    cr_expect_not(reads((struct built_file){0}, "Events;3"));
    expect_reason("it has no tree Events;3");
    cr_expect_not(reads((struct built_file){0}, "Events;1"), "whose record is not there");
    cr_expect_not(reads((struct built_file){0}, "Event"));
    cr_expect_not(reads((struct built_file){0}, "dir/Events"));
    cr_expect(reads(inside, "dir/Events"), "%s", error.text);
    cr_expect(reads(inside, "Events"), "there is but one: %s", error.text);
    cr_expect_not(reads(inside, "di/Events"));
    cr_expect_not(reads(inside, "dir"));
    cr_expect(reads(twice, "twin0/Events;2"), "%s", error.text);
    cr_expect_not(reads(twice, "Events"));
    expect_reason("several");
}

Test(root_file, branches_in_branches)
{
    const struct built_branch inner[] = {{.name = "x", .baskets = 2}, {.name = "y", .baskets = 1}};
    const struct built_branch outer[] = {{.name = "groups", .inner = inner, .inner_count = 2},
                                         {.name = "holds",
                                          .baskets = 3,
                                          .class = "TBranchElement",
                                          .inner = inner,
                                          .inner_count = 2}};
    cr_assert(reads_branches(outer, 2), "%s", error.text);
    cr_assert_eq(tree.branch_count, 5, "groups holds no baskets");
    struct cup_root_branch x = cup_root_branch_named(&tree, "x", 1);
    cr_expect_eq(x.baskets, 4, "there are two of the name");
    cr_expect_eq(x.compressed_bytes, 4 * BUILT_BYTES);
    cr_expect_eq(cup_root_branch_named(&tree, "holds", 5).baskets, 3);
    cr_expect_eq(cup_root_branch_named(&tree, "hold", 4).baskets, 0);
    cr_expect_eq(cup_root_branch_named(&tree, "groups", 6).baskets, 0);
}

/* A record that refers to itself for ever is not read for ever. */
Test(root_file, circles_come_to_an_end)
{
    const struct built_branch inner[] = {{.name = "x", .baskets = 2}, {.name = "y", .baskets = 1}};
    struct built_branch outer = {.name = "o", .inner = inner, .inner_count = 2, .again = 1};
    cr_assert(reads_branches(&outer, 1), "%s", error.text);
    cr_expect_eq(tree.branch_count, 3, "the reference stands for one that stands elsewhere");
    outer.again = 2;
    cr_expect_not(reads_branches(&outer, 1));
    expect_reason("damaged");
}

Test(root_file, baskets_in_the_tree_s_own_record)
{
    const struct built_branch branches[] = {{.name = "all", .embedded = 1},
                                            {.name = "copied", .baskets = 2, .copies = 1},
                                            {.name = "some", .baskets = 4, .embedded = 1}};
    cr_assert(reads_branches(branches, 3), "%s", error.text);
    cr_assert_eq(tree.branch_count, 3);
    cr_expect_eq(tree.branches[0].baskets, 0);
    cr_expect_eq(tree.branches[0].embedded_baskets, 1);
    cr_expect_eq(tree.branches[1].baskets, 2);
    cr_expect_eq(tree.branches[1].embedded_baskets, 0, "it was written after all");
    cr_expect_eq(tree.branches[2].baskets, 4);
    cr_expect_eq(tree.branches[2].embedded_baskets, 1);
    cr_expect_eq(tree.branches[2].compressed_bytes, 4 * BUILT_BYTES);
}

Test(root_file, clusters_are_where_all_branches_begin_a_basket)
{
    cr_assert(reads((struct built_file){0}, "Events"));
    cr_assert_eq(tree.border_count, 5);
    for (size_t i = 0; i < 5; i++)
        cr_expect_eq(tree.borders[i], 20 * i);
    cr_expect_eq(tree.cluster_entries, 20);
    cr_expect_eq(cup_root_cluster_start(&tree, 0), 0);
    cr_expect_eq(cup_root_cluster_start(&tree, 19), 0);
    cr_expect_eq(cup_root_cluster_start(&tree, 20), 20);
    cr_expect_eq(cup_root_cluster_start(&tree, 1000), 80);
    const struct built_branch apart[] = {{.name = "a", .baskets = 3, .entries_each = 7},
                                         {.name = "b", .baskets = 3}};
    cr_assert(reads_branches(apart, 2));
    cr_expect_eq(tree.border_count, 1);
    cr_expect_eq(tree.cluster_entries, 0);
}

Test(root_file, of_an_ntuple_only_that_it_is_one)
{
    cr_assert(reads((struct built_file){.class = "ROOT::RNTuple"}, "Events"), "%s", error.text);
    cr_expect(tree.ntuple);
    cr_expect_eq(tree.branch_count, 0);
}

Test(root_file, what_is_no_root_file)
{
    static const struct built_bytes text = {
        (unsigned char *)"PK\3\4, and so on, and so on, until it"
                         " is long enough",
        50, 0};
    save_bytes(&text, text.count, path);
    cr_expect_eq(cup_root_examine(path, "Events", &tree, &error), -1);
    expect_reason("no ROOT file");
    cr_expect_eq(cup_root_examine(scratch, "Events", &tree, &error), -1);
    expect_reason("no file");
    cr_expect_eq(cup_root_examine("/no/such/file", "Events", &tree, &error), -1);
    expect_reason("No such file");
    remove(path);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cr_expect_eq(cup_root_examine(path, "Events", &tree, &error), -1, "it is not waited for");
}

static const struct built_branch inner[] = {{.name = "x", .baskets = 2}};
static const struct built_branch varied[] = {
    {.name = "a", .baskets = 3, .embedded = 1},
    {.name = "b", .class = "TBranchElement", .inner = inner, .inner_count = 1, .again = 1}};
static const struct built_file whole = {.directory = "d", .branches = varied, .branch_count = 2};

Test(root_file, cut_off_anywhere)
{
    struct built_bytes bytes = build_root_file(&whole);
    for (size_t count = 0; count < bytes.count; count++) {
        save_bytes(&bytes, count, path);
        cr_expect_eq(cup_root_examine(path, "Events", &tree, &error), -1, "%zu bytes", count);
        cr_expect(error.text[0]);
    }
    save_bytes(&bytes, bytes.count, path);
    cr_expect_eq(cup_root_examine(path, "Events", &tree, &error), 0, "%s", error.text);
    free(bytes.at);
}

/* Whatever stands there: no crash (run it with ASAN=1), and a reason or a tree. */
Test(root_file, spoilt_anywhere)
{
    static const unsigned char spoils[] = {0xff, 0x80, 0x40, 0x01};
    struct built_bytes bytes = build_root_file(&whole);
    for (size_t at = 0; at < bytes.count; at++)
        for (size_t i = 0; i < sizeof spoils; i++) {
            bytes.at[at] ^= spoils[i];
            save_bytes(&bytes, bytes.count, path);
            error.text[0] = '\0';
            if (cup_root_examine(path, "d/Events", &tree, &error) == 0)
                cup_root_tree_free(&tree);
            else
                cr_expect(error.text[0]);
            bytes.at[at] ^= spoils[i];
        }
    free(bytes.at);
}
