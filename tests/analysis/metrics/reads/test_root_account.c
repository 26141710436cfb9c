/* Trees of real files against uproot's own account of them, by tests/workloads/root_account.py:
 * files that uproot writes, those that ROOT wrote (tests/data/root), and those of the directory
 * that CUPPING_TEST_ROOT_FILES names, or ../shared/data beside the checkout. */
#include <criterion/criterion.h>

#include <glob.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/root/root_file.h"
#include "tests/analysis/support.h"

TestSuite(root_account);

/* The fields of a line, parted by tabs. */
struct line {
    char *text;
    size_t room;
    char *fields[4096];
    size_t count;
};

static bool next_line(FILE *from, struct line *line)
{
    ssize_t length = getline(&line->text, &line->room, from);
    if (length <= 0)
        return false;
    line->text[length - 1] = '\0';
    line->count = 0;
    for (char *at = line->text; at && line->count < 4096;) {
        line->fields[line->count++] = strsep(&at, "\t");
    }
    return true;
}

static bool is(const struct line *line, const char *kind)
{
    return strcmp(line->fields[0], kind) == 0;
}

static uint64_t number(const struct line *line, size_t field)
{
    return field < line->count ? strtoull(line->fields[field], NULL, 10) : UINT64_MAX;
}

/* What is read of the tree that the account is at. */
struct reading {
    char path[SUPPORT_PATH];
    struct cup_root_tree tree;
    unsigned trees, branches;
};

/* Uproot's last border is the end of the tree. */
static void expect_tree(struct reading *reading, const struct line *line)
{
    struct cup_error error;
    const char *name = line->fields[1];
    struct cup_root_tree *tree = &reading->tree;
    cup_root_tree_free(tree);
    cr_assert_eq(cup_root_examine(reading->path, name, tree, &error), 0, "%s: %s: %s",
                 reading->path, name, error.text);
    cr_expect_eq(tree->entries, number(line, 2));
    cr_expect_eq(tree->compressed_bytes, number(line, 3));
    cr_expect_eq(tree->uncompressed_bytes, number(line, 4));
    cr_expect_eq(tree->branch_count, number(line, 5), "%s: %s: %zu branches, not %s", reading->path,
                 name, tree->branch_count, line->fields[5]);
    size_t borders = line->count - 6;
    cr_assert(line->count > 6);
    cr_expect_eq(tree->border_count, borders - 1, "%s: %s: %zu borders, not %zu", reading->path,
                 name, tree->border_count, borders - 1);
    for (size_t i = 0; i < tree->border_count && i < borders - 1; i++)
        cr_expect_eq(tree->borders[i], number(line, 6 + i));
    reading->trees++;
}

/* Several branches may have one name: then there is one that is as the account says. */
static void expect_branch(struct reading *reading, const struct line *line)
{
    bool found = false;
    for (size_t i = 0; i < reading->tree.branch_count && !found; i++) {
        const struct cup_root_branch *branch = &reading->tree.branches[i];
        found = branch->name_bytes == strlen(line->fields[1]) &&
                memcmp(branch->name, line->fields[1], branch->name_bytes) == 0 &&
                branch->baskets == number(line, 2) && branch->embedded_baskets == number(line, 3) &&
                branch->entries == number(line, 4) && branch->compressed_bytes == number(line, 5) &&
                branch->uncompressed_bytes == number(line, 6) &&
                branch->compression == atoi(line->fields[7]);
    }
    cr_expect(found, "%s: %s is not as uproot says", reading->path, line->fields[1]);
    reading->branches++;
}

/* Runs the script with these arguments, and compares with all that it says. */
static void compare(const char *arguments, unsigned *trees, unsigned *branches)
{
    char command[64 * SUPPORT_PATH];
    static struct line line;
    struct reading reading = {0};
    if (access(CUP_PYTHON, X_OK) != 0)
        cr_skip_test("no Python with uproot here (%s)", CUP_PYTHON);
    int length = snprintf(command, sizeof command, "%s %s/tests/workloads/root_account.py %s",
                          CUP_PYTHON, CUP_TOP, arguments);
    cr_assert_lt((size_t)length, sizeof command);
    FILE *account = popen(command, "r");
    cr_assert_not_null(account);
    while (next_line(account, &line)) {
        if (is(&line, "file"))
            snprintf(reading.path, sizeof reading.path, "%s", line.fields[1]);
        else if (is(&line, "tree"))
            expect_tree(&reading, &line);
        else
            expect_branch(&reading, &line);
    }
    cr_expect_eq(pclose(account), 0, "%s", command);
    cup_root_tree_free(&reading.tree);
    *trees = reading.trees;
    *branches = reading.branches;
}

/* Returns how many; `to` has their names, parted by blanks. */
static size_t files_in(const char *directory, char *to, size_t room)
{
    char pattern[SUPPORT_PATH];
    glob_t found;
    size_t at = 0, count = 0;
    snprintf(pattern, sizeof pattern, "%s/*.root", directory);
    if (glob(pattern, 0, NULL, &found) != 0)
        return 0;
    for (; count < found.gl_pathc && at < room; count++)
        at += (size_t)snprintf(to + at, room - at, "'%s' ", found.gl_pathv[count]);
    globfree(&found);
    cr_assert_lt(at, room, "too many files in %s", directory);
    return count;
}

Test(root_account, files_by_uproot)
{
    char scratch[SUPPORT_PATH], arguments[2 * SUPPORT_PATH];
    unsigned trees, branches;
    make_scratch(scratch);
    snprintf(arguments, sizeof arguments, "--write %s", scratch);
    compare(arguments, &trees, &branches);
    cr_expect_eq(trees, 2 * 5);
    cr_expect_eq(branches, 4 * trees);
    remove_scratch(scratch);
}

Test(root_account, files_by_root)
{
    char files[60 * SUPPORT_PATH];
    unsigned trees, branches;
    cr_assert_geq(files_in(CUP_TOP "/tests/data/root", files, sizeof files), 4);
    compare(files, &trees, &branches);
    cr_expect_geq(trees, 3 * 4 + 3);
    cr_expect_geq(branches, 3 * 3 * 4 + 15);
}

Test(root_account, files_of_others)
{
    char files[60 * SUPPORT_PATH];
    unsigned trees, branches;
    const char *directory = getenv("CUPPING_TEST_ROOT_FILES");
    if (!directory)
        directory = CUP_TOP "/../shared/data";
    if (files_in(directory, files, sizeof files) == 0)
        cr_skip_test("no ROOT files in %s; CUPPING_TEST_ROOT_FILES names another directory",
                     directory);
    compare(files, &trees, &branches);
    cr_expect_gt(trees, 0);
    cr_expect_gt(branches, 0);
}
