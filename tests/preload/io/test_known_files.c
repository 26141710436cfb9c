/* Numbers of files and peers, in a log that is full for a while. */
#include "tests/preload/log_records.h"

#include "preload/io/known_files.h"
#include "preload/root/branches.h"

#include <sys/stat.h>

static const struct stat status = {.st_dev = 7, .st_ino = 9, .st_size = 100, .st_blksize = 4096};

static void set_up(void)
{
    test_log_open(64 << 20);
    cup_known_files_reset();
    cup_branches_reset();
}

TestSuite(known_files, .init = set_up, .fini = test_log_close);

static unsigned count_records(uint32_t id)
{
    uint64_t at = 0;
    unsigned count = 0;
    const struct cup_record *record;
    while ((record = test_next(&at, CUP_R_FILE)))
        count += ((const struct cup_r_file *)record)->id == id;
    return count;
}

static uint32_t find_file(void)
{
    return cup_known_file(&status, "/data/b.root", CUP_FILE_DATA);
}

Test(known_files, a_file_has_one_number_and_one_record)
{
    uint32_t one = find_file();
    cr_assert_neq(one, 0);
    cr_expect_eq(find_file(), one);
    cr_expect_eq(count_records(one), 1);
}

/* What would refer to a number without a record would be lost. */
Test(known_files, a_file_gets_its_number_when_its_record_can_be_written)
{
    cup_log_cstring("/data/b.root");
    cup_log_cstring("tcp://10.0.0.9:443");
    test_log_limit();
    cr_expect_eq(find_file(), 0);
    cr_expect_eq(find_file(), 0);
    cr_expect_eq(cup_known_file(&status, "/data/unknown.root", CUP_FILE_DATA), 0);
    cr_expect_eq(cup_known_peer("tcp://10.0.0.9:443"), 0);
    test_log_gets_room();
    uint32_t file = find_file(), peer = cup_known_peer("tcp://10.0.0.9:443"),
             other = cup_known_file(&status, "/data/unknown.root", CUP_FILE_DATA);
    cr_expect(file && peer && other && file != peer && other != peer && file != other);
    cr_expect_eq(count_records(file), 1);
    cr_expect_eq(count_records(peer), 1);
    cr_expect_eq(count_records(other), 1);
    cr_expect_eq(find_file(), file);
}

Test(known_files, a_branch_gets_its_number_when_its_record_can_be_written)
{
    cup_log_cstring("Events");
    cup_log_cstring("Jet_pt");
    test_log_limit();
    cr_expect_eq(cup_branches_number("Events", 6, "Jet_pt", 6), 0);
    cr_expect_eq(cup_branches_number("Events", 6, "Jet_eta", 7), 0);
    test_log_gets_room();
    uint32_t pt = cup_branches_number("Events", 6, "Jet_pt", 6),
             eta = cup_branches_number("Events", 6, "Jet_eta", 7);
    cr_expect(pt && eta && pt != eta);
    uint64_t at = 0;
    unsigned count = 0;
    const struct cup_record *record;
    while ((record = test_next(&at, CUP_R_BRANCH))) {
        cr_expect_neq(((const struct cup_r_branch *)record)->name, 0);
        count++;
    }
    cr_expect_eq(count, 2);
}
