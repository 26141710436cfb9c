/* Tables of reads: what is a row, and which reads one thread can repeat. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/replay/replay_table.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH], path[SUPPORT_PATH + 16];
static struct cup_replay_table table;
static struct cup_error error;

static void set_up(void)
{
    make_scratch(scratch);
    snprintf(path, sizeof path, "%s/reads.tsv", scratch);
}

static void tear_down(void)
{
    remove_scratch(scratch);
}

TestSuite(replay_table, .init = set_up, .fini = tear_down);

#define HEAD "start_s\tseconds\tfile\toffset\tbytes\tparts\ttask\tprocess\n"

static int read_table(const char *text)
{
    FILE *file = fopen(path, "we");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
    error = (struct cup_error){0};
    return cup_replay_table_read(&table, path, &error);
}

Test(replay_table, rows)
{
    cr_assert_eq(
        read_table(HEAD "1.5\t0.25\t/a\\tb\\\\\\x1b\\xff\t100\t10\t\twork\tnode:1\n"
                        "0.000000001\t0\t/a\\tb\\\\\\x1b\\xff\t7\t30\t7+10 900+20\t\tnode:1\r\n"),
        0, "%s", error.text);
    cr_assert_eq(table.request_count, 2);
    const struct cup_replay_request *first = &table.requests[0], *second = &table.requests[1];
    cr_expect(first->start_ns == 1 && first->ns == 0 && first->bytes == 30 && first->parts == 2);
    cr_expect(table.parts[first->first_part].offset == 7);
    cr_expect(table.parts[first->first_part + 1].offset == 900);
    cr_expect(table.parts[first->first_part + 1].bytes == 20);
    cr_expect(second->start_ns == 1500000000 && second->ns == 250000000 && second->parts == 1);
    cr_expect(table.parts[second->first_part].offset == 100);
    cr_expect(first->file == second->file && first->process == second->process);
    cr_expect(cup_text_is(cup_intern_text(&table.files, first->file), "/a\tb\\\x1b\xff"));
    cup_replay_table_free(&table);
}

#define ROW(start, seconds, process) start "\t" seconds "\t/x\t0\t1\t\t\t" process "\n"

/* As many streams as reads of a process overlap; a read takes the first stream that is free. */
Test(replay_table, streams)
{
    static const uint32_t expected[] = {0, 1, 2, 0, 0};
    cr_assert_eq(read_table(HEAD ROW("0", "2", "a") ROW("1", "2", "a") ROW("1.5", "9", "b")
                                ROW("2", "1", "a") ROW("3", "1", "a")),
                 0);
    cr_assert_eq(table.stream_count, 3);
    for (size_t i = 0; i < 5; i++)
        cr_expect_eq(table.requests[i].stream, expected[i], "read %zu", i);
    cr_expect(table.streams[0].first == 0 && table.requests[0].next == 4);
    cr_expect(table.requests[3].next == 5 && table.requests[4].next == 0);
    cup_replay_table_free(&table);
}

static void expect_refusal(const char *text, const char *why)
{
    cr_expect_eq(read_table(text), -1, "%s", text);
    cr_expect(strstr(error.text, why), "%s", error.text);
}

Test(replay_table, what_is_none)
{
    expect_refusal("", "has no reads");
    expect_refusal(HEAD, "has no reads");
    expect_refusal("file,offset\n/x,1\n", "is no table of `cupping export --to replay`");
    static const char *const bad[] = {"0\t0\t/x\t0\t1\t\t\n",       /* a field is missing */
                                      "0\t0\t/x\t0\t1\t\t\ta\tb\n", /* one too many */
                                      "-1\t0\t/x\t0\t1\t\t\ta\n",   /* before the first */
                                      "0\tnan\t/x\t0\t1\t\t\ta\n",
                                      "0\t0\t\t0\t1\t\t\ta\n",
                                      "0\t0\t/x\t0x1\t1\t\t\ta\n",
                                      "0\t0\t/x\t0\t9\t0+4 9+4\t\ta\n", /* another sum */
                                      "0\t0\t/x\t0\t8\t0+4 9+4,\t\ta\n",
                                      "0\t0\t/x\t0\t8\t0+4 9\t\ta\n",
                                      "0\t0\t/x\t99999999999999999999\t1\t\t\ta\n"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        char text[256];
        snprintf(text, sizeof text, HEAD ROW("0", "0", "a") "%s", bad[i]);
        expect_refusal(text, "line 3 is no row");
    }
    remove(path);
    cr_expect_eq(cup_replay_table_read(&table, path, &error), -1);
    cr_expect(strstr(error.text, "No such file"), "%s", error.text);
}
