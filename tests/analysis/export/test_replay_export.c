/* `cupping export --to replay`: a row for each request, with its task. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/verbs.h"
#include "tests/analysis/support.h"

static char logs[SUPPORT_PATH], outside[SUPPORT_PATH];

static void set_up(void)
{
    make_scratch(logs);
    make_scratch(outside);
}

static void tear_down(void)
{
    remove_scratch(logs);
    remove_scratch(outside);
}

TestSuite(replay_export, .init = set_up, .fini = tear_down);

#define START INT64_C(1700000000000000000)

enum { LOCAL = 50, REMOTE = 51, NAME = 60, VALUE = 61 };

static void save(const unsigned char *rows, size_t bytes, bool recorded, uint64_t lost)
{
    struct log_builder builder;
    struct cup_r_reads reads = {.start_ns = START};
    struct cup_r_info info = {.name = NAME, .value = VALUE};
    struct cup_r_file local = {.id = 1, .path = LOCAL, .class = CUP_FILE_DATA};
    struct cup_r_file remote = {
        .id = 2, .path = REMOTE, .class = CUP_FILE_DATA, .flags = CUP_FILE_IS_REMOTE};
    struct cup_r_task_begin begin = {
        .task = 1, .origin = CUP_ORIGIN_DASK, .start_ns = START, .run_id = -1};
    builder_start(&builder);
    builder_string(&builder, LOCAL, "/data/a\tb\\\x1b\xff\xc2\x9b.root");
    builder_string(&builder, REMOTE, "root://door//x.root");
    builder_string(&builder, NAME, recorded ? "CUPPING_READS" : "else");
    builder_string(&builder, VALUE, "1");
    BUILDER_ADD(&builder, CUP_R_INFO, info);
    /* The records that the rows refer to may come after them. */
    if (bytes)
        builder_record(&builder, CUP_R_READS, &reads, sizeof reads, rows, bytes);
    BUILDER_ADD(&builder, CUP_R_FILE, local);
    BUILDER_ADD(&builder, CUP_R_FILE, remote);
    builder_begin(&builder, &begin, "work-1");
    builder_header(&builder)->health[CUP_H_READS_DROPPED] = lost;
    builder_header(&builder)->pid = 42;
    snprintf(builder_header(&builder)->host, 64, "node");
    builder_finish(&builder);
    save_log(&builder, logs, "a.cup");
    builder_free(&builder);
}

static int export(const char *path)
{
    return run_verb(outside, cup_verb_export,
                    (const char *const[]){"export", logs, "--to", "replay", "-o", path, NULL});
}

/* Times are in units of 64 ns. */
static const unsigned char some[] = {
    CUP_READS_ROW | CUP_READS_TASK | CUP_READS_FILE,
    5,
    1,
    200,
    1,
    30,
    64,
    2,
    CUP_READS_ROW | CUP_READS_FILE,
    2,
    0,
    10,
    2,
    3,
    CUP_READS_ROW | CUP_READS_PART,
    8,
    6,
    CUP_READS_ROW,
    0,
    4,
    0,
    3, /* a vector read that the log has in two records */
    CUP_READS_ROW | CUP_READS_TASK | CUP_READS_FILE,
    0,
    1,
    0,
    1,
    63,
    0,
};

static const char head[] = "start_s\tseconds\tfile\toffset\tbytes\tparts\ttask\tprocess\n";

Test(replay_export, a_row_for_each_request)
{
    char *path = NULL;
    save(some, sizeof some, true, 3);
    cr_assert(asprintf(&path, "%s/out.tsv", outside) > 0);
    cr_assert_eq(export(path), CUP_EXIT_DONE);
    char *table = read_text(path), *errors = read_text_in(outside, "err");
    cr_assert(strncmp(table, head, strlen(head)) == 0, "%s", table);
    cr_expect_str_eq(
        table + strlen(head),
        "0.000000000\t0.000000000\t/data/a\\tb\\\\\\x1b\\xff\\xc2\\x9b.root\t154\t1\t\t\tnode:42\n"
        "0.000001984\t0.000000128\t/data/"
        "a\\tb\\\\\\x1b\\xff\\xc2\\x9b.root\t100\t30\t\twork-1\tnode:42\n"
        "0.000002048\t0.000000192\troot://door//x.root\t130\t20\t130+10 144+6 150+4\twork-1\t"
        "node:42\n");
    cr_expect(strstr(errors, "3 reads are missing") != NULL, "%s", errors);
    free(path);
    free(table);
    free(errors);
}

static void expect_refusal(const char *why)
{
    cr_expect_eq(export("-"), CUP_EXIT_FAILED);
    char *errors = read_text_in(outside, "err");
    cr_expect(strstr(errors, why) != NULL, "%s", errors);
    cr_expect_eq(strchr(errors, '\n'), errors + strlen(errors) - 1);
    free(errors);
}

Test(replay_export, without_reads_it_says_why)
{
    save(NULL, 0, false, 0);
    expect_refusal("single reads were not recorded: run the job once more with CUPPING_READS=1");
    save(NULL, 0, true, 0);
    expect_refusal("no data file was read");
}
