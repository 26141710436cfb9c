/* The tally of baskets: what counts as read, by which way it is known, and what is lost. */
#include "tests/preload/basket_records.h"

#include "preload/lifecycle/running_tasks.h"
#include "preload/lifecycle/thread.h"
#include "preload/root/baskets.h"
#include "preload/root/branches.h"
#include "preload/root/root_records.h"

#include <stdio.h>

enum { TASK = 5, FILE_ID = 3, PLACES = 40, BYTES = 1000, FIRST = 5000, MOST = 64 };

/* A file of PLACES baskets of BYTES each, from FIRST on: those of branches b0, b1, b2 and b3 in
 * turn. */
static unsigned char file[FIRST + PLACES * BYTES + 8192];
static struct test_row rows[MOST];

static unsigned char *put(unsigned char *at, uint64_t number, int bytes)
{
    for (int i = 0; i < bytes; i++)
        at[i] = (unsigned char)(number >> 8 * (bytes - 1 - i));
    return at + bytes;
}

static unsigned char *put_text(unsigned char *at, const char *text)
{
    *at++ = (unsigned char)strlen(text);
    memcpy(at, text, strlen(text));
    return at + strlen(text);
}

static uint64_t offset_of(int basket)
{
    return FIRST + (uint64_t)basket * BYTES;
}

static void make_basket(int basket)
{
    enum { KEY_BYTES = 26 + 8 + 3 + 2 + 19 };
    char name[8];
    unsigned char *at = file + offset_of(basket);
    snprintf(name, sizeof name, "b%d", basket % 4);
    at = put(at, BYTES, 4);
    at = put(at, 4, 2);
    at = put(at, 3000, 4); /* fObjlen */
    at = put(at, 1, 4);
    at = put(at, KEY_BYTES, 2);
    at = put(at, 0, 2);
    at = put(at, offset_of(basket), 4);
    at = put(at, 100, 4);
    at = put_text(at, "TBasket");
    at = put_text(at, name);
    at = put_text(at, "T");
    at = put(at, 3, 2);
    at = put(at, 32000, 4);
    at = put(at, 4, 4);
    at = put(at, 750, 4); /* fNevBuf */
    at = put(at, 1000, 4);
    at = put(at, 0, 1);
    memcpy(at, "ZS\1", 3);
}

static void set_up(void)
{
    memcpy(file, "root", 4);
    for (int i = 0; i < PLACES; i++)
        make_basket(i);
    test_log_open(4 << 20);
    cup_running_reset();
    cup_baskets_reset();
    cup_root_expect(FILE_ID);
    cup_running_add(TASK);
}

TestSuite(baskets, .init = set_up, .fini = test_log_close);

/* COUNT baskets are delivered in one request. */
static void reads_for(uint32_t task, int basket, int count)
{
    cup_baskets_read(task, FILE_ID, file + offset_of(basket), (size_t)count * BYTES,
                     offset_of(basket), false);
}

static void reads(int basket, int count)
{
    reads_for(TASK, basket, count);
}

static const struct cup_requested_baskets_tree tree = {.path = 1,
                                                       .tree = 2,
                                                       .branches = 4,
                                                       .entries = 30000,
                                                       .compressed_bytes = 40000,
                                                       .uncompressed_bytes = CUP_UNKNOWN64,
                                                       .auto_flush = 1000};

/* In its branch: the later ones come first in the file. */
static uint32_t number_of(int basket)
{
    return (uint32_t)(PLACES - basket) / 4;
}

static void asks(int basket)
{
    const struct cup_requested_baskets asked = {
        .offset = offset_of(basket), .bytes = BYTES, .number = number_of(basket)};
    cup_baskets_requested(TASK, &tree, true, &asked, 1);
}

static size_t ends(void)
{
    cup_running_remove(TASK);
    cup_baskets_task_ended(TASK);
    return test_rows(rows, MOST);
}

/* The row of branch "b<NUMBER>" from a source; a row of zeros if there is none. */
static const struct test_row *row_of(size_t count, int number, uint32_t source)
{
    static const struct test_row none;
    char name[8];
    snprintf(name, sizeof name, "b%d", number);
    uint32_t branch = cup_branches_number("T", 1, name, strlen(name));
    for (size_t i = 0; i < count; i++)
        if (rows[i].branch == branch && rows[i].source == source)
            return &rows[i];
    return &none;
}

static uint64_t passed_by(void)
{
    uint64_t at = 0, baskets = 0;
    const struct cup_r_baskets *record;
    while ((record = (const void *)test_next(&at, CUP_R_BASKETS)))
        baskets += record->incidental;
    return baskets;
}

Test(baskets, asked_for_and_seen_is_read)
{
    asks(1);
    asks(5);
    reads(1, 5); /* b1 b2 b3 b0 b1 */
    size_t count = ends();
    const struct test_row *row = row_of(count, 1, CUP_BASKETS_REQUESTED);
    cr_assert_eq(count, 1);
    cr_expect_eq(row->task, TASK);
    cr_expect_eq(row->file, FILE_ID);
    cr_expect_eq(row->values[CUP_BV_BASKETS], 2);
    cr_expect_eq(row->values[CUP_BV_COMPRESSED], 2 * BYTES);
    cr_expect_eq(row->values[CUP_BV_UNCOMPRESSED], 2 * 3058, "%lu",
                 row->values[CUP_BV_UNCOMPRESSED]);
    cr_expect_eq(row->values[CUP_BV_KEYS], 2 * 58);
    cr_expect_eq(row->values[CUP_BV_ENTRIES], 2 * 750);
    cr_expect_eq(row->values[CUP_BV_ALGORITHMS], CUP_ALGORITHM_ZSTD);
    cr_expect_eq(row->values[CUP_BV_FIRST], number_of(5));
    cr_expect_eq(row->values[CUP_BV_LAST], number_of(1) - number_of(5));
    cr_expect_eq(row->values[CUP_BV_LAST_BYTES], BYTES);
    cr_expect_eq(row->values[CUP_BV_AGAIN], 0);
    cr_expect_eq(passed_by(), 3);
}

Test(baskets, seen_before_it_is_asked_for_is_read_too)
{
    reads(0, 3);
    asks(2);
    size_t count = ends();
    cr_expect_eq(row_of(count, 2, CUP_BASKETS_REQUESTED)->values[CUP_BV_BASKETS], 1);
    cr_expect_eq(row_of(count, 0, CUP_BASKETS_BY_PLACE)->values[CUP_BV_BASKETS], 0);
}

Test(baskets, incidental_ones_of_a_branch_that_is_read_stand_in_its_row)
{
    asks(1);
    reads(1, 5);
    reads(1, 5); /* passes by once more: counts once */
    size_t count = ends();
    const struct test_row *row = row_of(count, 1, CUP_BASKETS_REQUESTED);
    cr_expect_eq(row->values[CUP_BV_BASKETS], 1);
    cr_expect_eq(row->values[CUP_BV_INCIDENTAL], 1);
    cr_expect_eq(row->values[CUP_BV_INCIDENTAL_BYTES], BYTES);
    cr_expect_eq(passed_by(), 3);
}

Test(baskets, asked_for_twice_is_read_again)
{
    for (int i = 0; i < 3; i++) {
        asks(1);
        reads(1, 1);
    }
    size_t count = ends();
    const struct test_row *row = row_of(count, 1, CUP_BASKETS_REQUESTED);
    cr_expect_eq(row->values[CUP_BV_BASKETS], 3);
    cr_expect_eq(row->values[CUP_BV_COMPRESSED], 3 * BYTES);
    cr_expect_eq(row->values[CUP_BV_AGAIN], 2);
    cr_expect_eq(row->values[CUP_BV_AGAIN_BYTES], 2 * BYTES);
    cr_expect_eq(row->values[CUP_BV_LAST], 0);
}

/* One of the tree's own record, at OFFSET of that. */
static void asks_embedded(const struct cup_requested_baskets_tree *of, uint64_t offset,
                          uint32_t number)
{
    const struct cup_requested_baskets asked = {.offset = offset,
                                                .number = number,
                                                .branch = cup_branches_number("T", 1, "b1", 2),
                                                .is_embedded = true,
                                                .object_bytes = 32000,
                                                .entries = 200};
    cup_baskets_requested(TASK, of, false, &asked, 1);
}

Test(baskets, embedded_ones_came_with_their_tree_once)
{
    for (int i = 0; i < 3; i++) {
        asks(1);
        reads(1, 1);
        asks_embedded(&tree, offset_of(1), 9); /* another place than that of the file */
    }
    size_t count = ends();
    const struct test_row *row = row_of(count, 1, CUP_BASKETS_EMBEDDED);
    cr_assert_eq(count, 2);
    cr_expect_eq(row->file, FILE_ID, "that of the baskets that were seen");
    cr_expect_eq(row->values[CUP_BV_BASKETS], 1);
    cr_expect_eq(row->values[CUP_BV_AGAIN], 0);
    cr_expect_eq(row->values[CUP_BV_COMPRESSED], 0);
    cr_expect_eq(row->values[CUP_BV_UNCOMPRESSED], 32000);
    cr_expect_eq(row->values[CUP_BV_ENTRIES], 200);
    cr_expect_eq(row->values[CUP_BV_FIRST], 9);
    cr_expect_eq(row_of(count, 1, CUP_BASKETS_REQUESTED)->values[CUP_BV_BASKETS], 3);
}

Test(baskets, embedded_ones_alone_have_their_file_s_path)
{
    struct cup_requested_baskets_tree twin =
        tree; /* of the same name and size in another directory */
    twin.at = 4711;
    asks_embedded(&tree, 100, 0);
    asks_embedded(&twin, 100, 0);
    size_t count = ends();
    cr_assert_eq(count, 2);
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(rows[i].source, CUP_BASKETS_EMBEDDED);
        cr_expect_eq(rows[i].file, 0);
        cr_expect_eq(rows[i].path, tree.path);
        cr_expect_eq(rows[i].values[CUP_BV_BASKETS], 1);
    }
}

Test(baskets, branches_are_named_as_who_asks_names_them)
{
    const struct cup_requested_baskets renamed = {.offset = offset_of(1),
                                                  .bytes = BYTES,
                                                  .branch =
                                                      cup_branches_number("Renamed", 7, "pt", 2)};
    cup_baskets_requested(TASK, &tree, false, &renamed, 1);
    reads(1, 1);
    size_t count = ends();
    cr_assert_eq(count, 1);
    cr_expect_eq(rows[0].source, CUP_BASKETS_REQUESTED);
    cr_expect_eq(rows[0].branch, renamed.branch);
}

Test(baskets, asked_for_and_not_seen_is_unseen)
{
    asks(1);
    size_t count = ends();
    cr_assert_eq(count, 1);
    cr_expect_eq(rows[0].source, CUP_BASKETS_UNSEEN);
    cr_expect_eq(rows[0].branch, 0);
    cr_expect_eq(rows[0].file, 0);
    cr_expect_eq(rows[0].path, tree.path);
    cr_expect_eq(rows[0].values[CUP_BV_COMPRESSED], BYTES);
    cr_expect_eq(rows[0].values[CUP_BV_UNCOMPRESSED], 0);
}

/* The read of the second basket failed. */
Test(baskets, what_a_failed_task_did_not_get_was_not_read)
{
    asks(1);
    asks(2);
    reads(1, 1);
    cup_baskets_task_fails(TASK);
    size_t count = ends();
    cr_assert_eq(count, 1);
    cr_expect_eq(row_of(count, 1, CUP_BASKETS_REQUESTED)->values[CUP_BV_BASKETS], 1);
}

Test(baskets, what_hooks_do_not_see_may_have_come_before_the_task_failed)
{
    asks(1);
    cup_baskets_task_fails(TASK);
    cr_assert_eq(ends(), 1);
    cr_expect_eq(rows[0].source, CUP_BASKETS_UNSEEN);
}

Test(baskets, what_was_asked_of_another_file_is_unseen)
{
    const struct cup_requested_baskets other = {
        .offset = offset_of(1), .bytes = BYTES + 1, .number = number_of(1)};
    cup_baskets_requested(TASK, &tree, false, &other, 1);
    reads(1, 1);
    size_t count = ends();
    cr_expect_eq(row_of(count, 1, CUP_BASKETS_REQUESTED)->values[CUP_BV_BASKETS], 0);
    cr_expect_eq(row_of(count, 1, CUP_BASKETS_BY_PLACE)->values[CUP_BV_BASKETS], 1);
    cr_expect_eq(rows[0].source, CUP_BASKETS_UNSEEN);
    cr_expect_eq(rows[0].values[CUP_BV_BASKETS], 1);
}

Test(baskets, two_files_of_the_same_layout_are_told_apart_by_name)
{
    enum { TWIN = FILE_ID + 1 };
    cup_baskets_file(FILE_ID, 77, 4096, true);
    cup_baskets_file(TWIN, tree.path, 4096, true);
    cup_baskets_read(TASK, FILE_ID, file + FIRST, BYTES, FIRST, false);
    cup_baskets_read(TASK, TWIN, file + FIRST, BYTES, FIRST, false);
    asks(0);
    size_t count = ends();
    const struct test_row *row = row_of(count, 0, CUP_BASKETS_REQUESTED);
    cr_expect_eq(row->file, TWIN);
    cr_expect_eq(row_of(count, 0, CUP_BASKETS_BY_PLACE)->file, FILE_ID);
}

Test(baskets, without_asking_the_place_counts)
{
    reads(0, 1);
    reads(4, 1);
    reads(4, 1);
    reads(6, 9); /* those behind the first are read-ahead or not: the walk tells */
    size_t count = ends();
    cr_expect_eq(row_of(count, 2, CUP_BASKETS_BY_PLACE)->values[CUP_BV_FIRST], offset_of(6));
    uint64_t baskets = 0, again = 0;
    for (size_t i = 0; i < count; i++) {
        cr_expect_eq(rows[i].source, CUP_BASKETS_BY_PLACE);
        baskets += rows[i].values[CUP_BV_BASKETS] + rows[i].values[CUP_BV_INCIDENTAL];
        again += rows[i].values[CUP_BV_AGAIN];
    }
    cr_expect_eq(baskets + passed_by(), 12,
                 "each delivery of what counts, and each other one once");
    cr_expect_eq(again, 1);
}

Test(baskets, the_tasks_own_thread_reads_more_than_was_asked_for)
{
    asks(0);
    reads(0, 1); /* as a helper */
    cup_self.task = TASK;
    reads(0, 1);
    reads(1, 1);
    cup_self.task = 0;
    size_t count = ends();
    cr_expect_eq(row_of(count, 0, CUP_BASKETS_REQUESTED)->values[CUP_BV_BASKETS], 1);
    cr_expect_eq(row_of(count, 0, CUP_BASKETS_BY_PLACE)->values[CUP_BV_BASKETS], 1);
    cr_expect_eq(row_of(count, 0, CUP_BASKETS_BY_PLACE)->values[CUP_BV_AGAIN], 1);
    cr_expect_eq(row_of(count, 1, CUP_BASKETS_BY_PLACE)->values[CUP_BV_BASKETS], 1);
    cr_expect_eq(row_of(count, 1, CUP_BASKETS_BY_PLACE)->values[CUP_BV_AGAIN], 0);
}

Test(baskets, what_is_asked_for_and_read_by_the_own_thread_counts_once)
{
    cup_self.task = TASK;
    asks(0);
    reads(0, 1);
    cup_self.task = 0;
    size_t count = ends();
    cr_assert_eq(count, 1);
    cr_expect_eq(rows[0].source, CUP_BASKETS_REQUESTED);
    cr_expect_eq(rows[0].values[CUP_BV_BASKETS], 1);
}

Test(baskets, a_tree_is_told_once_with_its_file)
{
    asks(0);
    asks(4);
    reads(0, 5);
    ends();
    uint64_t at = 0;
    const struct cup_r_tree *record = (const void *)test_next(&at, CUP_R_TREE);
    cr_assert_not_null(record);
    cr_expect_eq(record->file, FILE_ID);
    cr_expect_eq(record->path, 0);
    cr_expect_eq(record->tree, tree.tree);
    cr_expect_eq(record->branches, 4);
    cr_expect_eq(record->entries, 30000);
    cr_expect_eq(record->uncompressed_bytes, CUP_UNKNOWN64);
    cr_expect_null(test_next(&at, CUP_R_TREE));
}

Test(baskets, a_tree_whose_file_was_not_seen_has_a_path)
{
    asks(0);
    ends();
    uint64_t at = 0;
    const struct cup_r_tree *record = (const void *)test_next(&at, CUP_R_TREE);
    cr_assert_not_null(record);
    cr_expect_eq(record->file, 0);
    cr_expect_eq(record->path, tree.path);
}

Test(baskets, the_head_of_a_file_is_told_once)
{
    unsigned char head[64] = "root";
    put(head + 4, 62400, 4);
    put(head + 12, 12345, 4);
    put(head + 33, 505, 4);
    for (int i = 0; i < 2; i++)
        cup_baskets_read(TASK, FILE_ID, head, sizeof head, 0, false);
    uint64_t at = 0;
    const struct cup_r_root_file *record = (const void *)test_next(&at, CUP_R_ROOT_FILE);
    cr_assert_not_null(record);
    cr_expect_eq(record->file, FILE_ID);
    cr_expect_eq(record->version, 62400);
    cr_expect_eq(record->compression, 505);
    cr_expect_eq(record->end, 12345);
    cr_expect_null(test_next(&at, CUP_R_ROOT_FILE));
}

Test(baskets, what_no_task_reads_is_written_at_the_end)
{
    reads_for(0, 2, 1);
    cr_expect_eq(test_rows(rows, MOST), 0);
    cup_baskets_process_ends();
    size_t count = test_rows(rows, MOST);
    cr_assert_eq(count, 1);
    cr_expect_eq(rows[0].task, 0);
    cr_expect_eq(rows[0].values[CUP_BV_BASKETS], 1);
}

Test(baskets, a_task_that_has_ended_gets_nothing)
{
    cr_expect_eq(ends(), 0);
    reads(2, 1);
    cup_baskets_process_ends();
    cr_assert_eq(test_rows(rows, MOST), 1);
    cr_expect_eq(rows[0].task, 0);
}

Test(baskets, a_task_that_runs_when_the_process_ends_is_written)
{
    asks(0);
    reads(0, 1);
    asks(1);
    cup_baskets_process_ends();
    size_t count = test_rows(rows, MOST);
    cr_expect_eq(count, 2);
    cr_expect_eq(row_of(count, 0, CUP_BASKETS_REQUESTED)->values[CUP_BV_BASKETS], 1);
    cr_expect_eq(row_of(count, 0, CUP_BASKETS_REQUESTED)->task, TASK);
}

/* More files than a tally has places for: it is written, and goes on. */
Test(baskets, many_files_of_one_task_all_count)
{
    enum { FILES = 300 };
    static struct test_row all[FILES + 1];
    for (uint32_t i = 1; i <= FILES; i++) {
        cup_root_expect(i);
        cup_baskets_read(TASK, i, file + FIRST, BYTES, FIRST, false);
    }
    cup_running_remove(TASK);
    cup_baskets_task_ended(TASK);
    size_t count = test_rows(all, FILES + 1);
    cr_assert_eq(count, FILES);
    for (uint32_t i = 0; i < FILES; i++)
        cr_assert_eq(all[i].values[CUP_BV_BASKETS], 1);
}

/* The first file leaves an odd number of places, so one tree would get the last. */
Test(baskets, the_file_of_a_tree_has_a_place_too)
{
    uint64_t requested = 0;
    for (int i = 0; i < PLACES; i++) {
        struct cup_requested_baskets_tree one = tree;
        const struct cup_requested_baskets asked = {
            .offset = offset_of(i), .bytes = BYTES, .number = number_of(i)};
        uint32_t number = one.path = 100 + (uint32_t)i;
        cup_baskets_file(number, one.path, 4096, true);
        if (i)
            cup_baskets_requested(TASK, &one, true, &asked, 1);
        cup_baskets_read(TASK, number, file + offset_of(i), BYTES, offset_of(i), false);
    }
    size_t count = ends();
    for (size_t i = 0; i < count; i++) {
        cr_expect_neq(rows[i].source, CUP_BASKETS_UNSEEN);
        requested += rows[i].source == CUP_BASKETS_REQUESTED ? rows[i].values[CUP_BV_BASKETS] : 0;
    }
    cr_expect_eq(requested, PLACES - 1);
}

/* More than a tally has room for, and none of them comes: those that find no place are counted. */
Test(baskets, more_baskets_than_a_tally_holds_are_told_or_counted)
{
    enum { BASKETS = 300000 };
    static struct cup_requested_baskets asked[BASKETS];
    for (int i = 0; i < BASKETS; i++)
        asked[i] =
            (struct cup_requested_baskets){.offset = (uint64_t)i * 100, .bytes = 100, .branch = 1};
    uint64_t baskets = 0;
    cup_baskets_requested(TASK, &tree, true, asked, BASKETS);
    size_t count = ends();
    for (size_t i = 0; i < count; i++)
        baskets += rows[i].values[CUP_BV_BASKETS];
    cr_expect_eq(baskets + cup_log_header()->health[CUP_H_BASKETS_DROPPED], BASKETS);
    cr_expect_gt(baskets, BASKETS / 2);
}

/* Requested baskets whose bytes have not come yet fill most of the table: bytes that come then
 * still find their request. */
Test(baskets, a_tally_that_is_nearly_full_still_joins)
{
    enum { AWAITED = 190000 };
    static struct cup_requested_baskets asked[AWAITED];
    for (int i = 0; i < AWAITED; i++)
        asked[i] = (struct cup_requested_baskets){.offset = (uint64_t)(1 + i) << 20, .bytes = 100};
    for (int i = 0; i < PLACES; i++)
        asks(i);
    cup_baskets_requested(TASK, &tree, true, asked, AWAITED);
    for (int i = 0; i < PLACES; i++)
        reads(i, 1);
    size_t count = ends();
    uint64_t baskets = 0;
    for (size_t i = 0; i < count; i++)
        baskets += rows[i].source == CUP_BASKETS_REQUESTED ? rows[i].values[CUP_BV_BASKETS] : 0;
    cr_expect_eq(baskets, PLACES);
    cr_expect_eq(cup_log_header()->health[CUP_H_BASKETS_DROPPED], 0);
}

Test(baskets, tasks_at_a_time_have_tallies_of_their_own)
{
    for (uint32_t task = 1000; task < 1020; task++) {
        cup_running_add(task);
        reads_for(task, (int)(task - 1000), 1);
    }
    for (uint32_t task = 1000; task < 1020; task++) {
        cup_running_remove(task);
        cup_baskets_task_ended(task);
    }
    size_t count = test_rows(rows, MOST);
    cr_assert_eq(count, 20);
    for (uint32_t i = 0; i < 20; i++) {
        cr_expect_eq(rows[i].task, 1000 + i);
        cr_expect_eq(rows[i].values[CUP_BV_FIRST], offset_of((int)i));
    }
}

Test(baskets, branches_have_numbers_once)
{
    uint32_t one = cup_branches_number("T", 1, "pt", 2),
             other = cup_branches_number("U", 1, "pt", 2);
    cr_expect_neq(one, other);
    cr_expect_eq(cup_branches_number("T", 1, "pt", 2), one);
    cr_expect_eq(cup_branches_number("", 0, "pt", 2), other + 1);
    uint64_t at = 0;
    int records = 0;
    while (test_next(&at, CUP_R_BRANCH))
        records++;
    cr_expect_eq(records, 3);
}

Test(baskets, too_many_branches_have_none)
{
    char name[32];
    uint32_t last = 1;
    for (int i = 0; i <= CUP_BRANCHES && last; i++)
        last = cup_branches_number("T", 1, name, (size_t)snprintf(name, sizeof name, "x%d", i));
    cr_expect_eq(last, 0);
}
