/* Which file is opened for which path of a log, and what is said where none is. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <utime.h>

#include "analysis/root/file_facts.h"
#include "tests/analysis/root_builder.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH], path[2 * SUPPORT_PATH];
static struct cup_file_facts *facts;
static size_t small, large; /* sizes of the files below */

static const struct built_branch branches[] = {{.name = "pt", .baskets = 3},
                                               {.name = "eta", .baskets = 3}};

/* A file with the first `count` of the branches: SCRATCH/NAME. */
static size_t add(const char *name, unsigned count)
{
    const struct built_file file = {.branches = branches, .branch_count = count};
    struct built_bytes bytes = build_root_file(&file);
    size_t size = bytes.count;
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    save_bytes(&bytes, size, path);
    free(bytes.at);
    return size;
}

static void add_directory(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    cr_assert_eq(mkdir(path, 0700), 0);
}

/* a.root with one branch; below/a.root and below/store/b/a.root with two. */
static void set_up(void)
{
    make_scratch(scratch);
    add_directory("below");
    add_directory("below/store");
    add_directory("below/store/b");
    small = add("a.root", 1);
    large = add("below/store/b/a.root", 2);
    add("below/a.root", 1);
}

static void tear_down(void)
{
    cup_file_facts_free(facts);
    remove_scratch(scratch);
}

TestSuite(file_facts, .init = set_up, .fini = tear_down);

static void open_facts(const char *directory, int64_t stop_ns)
{
    struct cup_error error;
    facts = cup_file_facts_open(directory, stop_ns, &error);
    cr_assert_not_null(facts, "%s", error.text);
}

static struct cup_text text(const char *string)
{
    return (struct cup_text){string, strlen(string)};
}

static const struct cup_file_fact *ask(const char *name, uint64_t size)
{
    return cup_file_facts(facts, text(name), size, text("Events"));
}

static const char *in_scratch(const char *name)
{
    snprintf(path, sizeof path, "%s/%s", scratch, name);
    return path;
}

static void expect_reason(const struct cup_file_fact *fact, const char *reason)
{
    cr_assert_not_null(fact->reason);
    cr_expect(strstr(fact->reason, reason), "\"%s\" is not in \"%s\"", reason, fact->reason);
    cr_expect_eq(fact->tree.branch_count, 0);
}

Test(file_facts, a_file_at_its_path)
{
    open_facts(NULL, 0);
    const struct cup_file_fact *fact = ask(in_scratch("a.root"), small);
    cr_assert_null(fact->reason, "%s", fact->reason);
    cr_expect_eq(fact->tree.branch_count, 1);
    cr_expect_eq(ask(in_scratch("a.root"), small), fact, "examined once");
    char url[3 * SUPPORT_PATH];
    snprintf(url, sizeof url, "file://%s", in_scratch("a.root"));
    fact = ask(url, small);
    cr_expect_null(fact->reason, "%s", fact->reason);
    fact = cup_file_facts(facts, text(in_scratch("a.root")), small, text("Other"));
    expect_reason(fact, "no tree Other");
}

Test(file_facts, a_file_that_is_another_one_by_now)
{
    const int64_t second = 1000000000, now = (int64_t)time(NULL) * second;
    open_facts(NULL, now + 100 * second);
    cr_expect_null(ask(in_scratch("a.root"), small)->reason);
    expect_reason(ask(in_scratch("below/a.root"), small + 1), "changed");
    cup_file_facts_free(facts);
    open_facts(NULL, now - 100 * second);
    expect_reason(ask(in_scratch("a.root"), small), "changed");
    const struct utimbuf before = {.modtime = time(NULL) - 200};
    cr_assert_eq(utime(in_scratch("a.root"), &before), 0);
    cup_file_facts_free(facts);
    open_facts(NULL, now - 100 * second);
    cr_expect_null(ask(in_scratch("a.root"), small)->reason);
}

Test(file_facts, files_that_are_not_here)
{
    open_facts(NULL, 0);
    expect_reason(ask(in_scratch("none.root"), small), "not at its path");
    expect_reason(ask("root://host//store/b/a.root", large), "not on this machine");
    expect_reason(ask("a.root", small), "not on this machine");
    expect_reason(ask(in_scratch("a.root"), 0), "size in the run is not known");
    expect_reason(cup_file_facts(facts, text(in_scratch("a.root")), small, text("")),
                  "tree is not known");
    expect_reason(cup_file_facts(facts, (struct cup_text){0}, small, text("Events")),
                  "not on this machine");
    expect_reason(ask(scratch, small), "not at its path");
}

Test(file_facts, the_longest_end_of_a_path_below_a_directory)
{
    char below[SUPPORT_PATH + 16];
    snprintf(below, sizeof below, "%s/below", scratch);
    open_facts(below, 1);
    const struct cup_file_fact *fact = ask("root://host:1094//store/b/a.root", large);
    cr_assert_null(fact->reason, "%s", fact->reason);
    cr_expect_eq(fact->tree.branch_count, 2);
    fact = ask("https://host/other/a.root?token=1", small);
    cr_assert_null(fact->reason, "%s", fact->reason);
    cr_expect_eq(fact->tree.branch_count, 1, "by its name alone");
    fact = ask("/gone/store/b/a.root", small);
    cr_assert_null(fact->reason, "%s", fact->reason);
    cr_expect_eq(fact->tree.branch_count, 1,
                 "that of this size, though another has more of the path");
    expect_reason(ask("/store/b/a.root", large + 1), "another size");
    expect_reason(ask("/store/b/none.root", large), "neither");
    fact = ask(in_scratch("a.root"), small);
    cr_expect_null(fact->reason, "newer than the run at its path, but here it is, too");
}

Test(file_facts, no_such_directory)
{
    struct cup_error error;
    cr_expect_null(cup_file_facts_open("/no/such/directory", 0, &error));
    cr_expect(strstr(error.text, "No such file"), "%s", error.text);
    cr_expect_null(cup_file_facts_open(in_scratch("a.root"), 0, &error));
    cr_expect(strstr(error.text, "directory"), "%s", error.text);
}

Test(file_facts, no_more_than_a_report_can_wait_for)
{
    char name[64], first[2 * SUPPORT_PATH];
    open_facts(NULL, 0);
    snprintf(first, sizeof first, "%s/a.root", scratch);
    for (int i = 0; i < CUP_FILES_EXAMINED; i++) {
        snprintf(name, sizeof name, "tree%d", i);
        expect_reason(cup_file_facts(facts, text(first), small, text(name)), name);
        expect_reason(ask(name, 1), "not on this machine");
    }
    cr_expect_eq(cup_file_facts_left_out(facts), 0);
    expect_reason(ask(first, small), "at most 1,000");
    expect_reason(ask(first, small), "at most 1,000");
    expect_reason(ask("/none.root", small), "not at its path");
    cr_expect_eq(cup_file_facts_left_out(facts), 1);
}

Test(file_facts, ntuples_and_names_with_anything_in_them)
{
    const struct built_file file = {.class = "ROOT::RNTuple"};
    struct built_bytes bytes = build_root_file(&file);
    save_bytes(&bytes, bytes.count, in_scratch("n.root"));
    open_facts(scratch, 0);
    expect_reason(ask(in_scratch("n.root"), bytes.count), "RNTuple");
    expect_reason(cup_file_facts(facts, (struct cup_text){"a\0b", 3}, 5, text("Events")),
                  "neither");
    expect_reason(ask("/", 5), "neither");
    expect_reason(ask("://", 5), "neither");
    free(bytes.at);
}
