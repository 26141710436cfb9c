/* collected.json: logs that are known in part, workers that were refused. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/profile/collected.h"
#include "cli/verbs.h"
#include "tests/analysis/fixture.h"

TestSuite(collected, .init = start_golden_fixture, .fini = end_fixture);

static void save_collected(const char *text)
{
    char path[SUPPORT_PATH + 32];
    snprintf(path, sizeof path, "%s/collected.json", scratch);
    FILE *file = fopen(path, "w");
    cr_assert(file && fputs(text, file) >= 0 && fclose(file) == 0);
}

static char *print_first_page(void)
{
    save_fixture("1.cup");
    run_verb(outside, cup_verb_report, (const char *const[]){"report", scratch, NULL});
    return read_text_in(outside, "out");
}

static void expect_words(const char *page, const char *words)
{
    /* The report breaks lines at blanks. */
    char flat[1 << 16];
    size_t length = 0;
    for (const char *c = page; *c && length < sizeof flat - 1; c++)
        if (*c != '\n' && (*c != ' ' || (length && flat[length - 1] != ' ')))
            flat[length++] = *c;
        else if (length && flat[length - 1] != ' ')
            flat[length++] = ' ';
    flat[length] = '\0';
    cr_expect(strstr(flat, words), "\"%s\" is not in:\n%s", words, page);
}

Test(collected, without_the_file_all_logs_are_whole)
{
    struct cup_collected collected;
    cup_collected_read(&collected, scratch, NULL);
    cr_expect_eq(cup_collected_lost(&collected), 0);
    cr_expect_null(collected.full);
    cup_collected_free(&collected);
    char *page = print_first_page();
    cr_expect_null(strstr(page, "incomplete"), "%s", page);
    free(page);
}

Test(collected, a_file_of_another_kind_counts_as_none)
{
    struct cup_collected collected;
    static const char *const odd[] = {"", "[1]", "{\"logs\": 5, \"full\": [], \"refused\": {}}",
                                      "{\"logs\": {\"a\": 1, \"b\": {\"why\": 3}}}"};
    for (size_t i = 0; i < sizeof odd / sizeof *odd; i++) {
        save_collected(odd[i]);
        cup_collected_read(&collected, scratch, NULL);
        cr_expect_eq(cup_collected_lost(&collected), 0, "%s", odd[i]);
        cr_expect_eq(collected.refused, 0, "%s", odd[i]);
        cup_collected_free(&collected);
    }
}

/* No process writes into the FIFO, so to open it would block for ever. */
Test(collected, a_fifo_of_that_name_counts_as_none)
{
    struct cup_collected collected;
    char path[SUPPORT_PATH + 32];
    snprintf(path, sizeof path, "%s/collected.json", scratch);
    cr_assert_eq(mkfifo(path, 0600), 0);
    cup_collected_read(&collected, scratch, NULL);
    cr_expect_eq(cup_collected_lost(&collected), 0);
    cup_collected_free(&collected);
}

/* Calls of read() that this process made. 0: this kernel does not count them. */
static unsigned long count_reads(void)
{
    unsigned long reads = 0;
    FILE *file = fopen("/proc/self/io", "r");
    if (!file)
        return 0;
    if (fscanf(file, "rchar: %*u wchar: %*u syscr: %lu", &reads) != 1)
        reads = 0;
    fclose(file);
    return reads;
}

/* Merging named logs reads it again for each of them. */
Test(collected, the_file_is_read_by_few_calls)
{
    struct cup_collected collected;
    char text[100000];
    memset(text, ' ', sizeof text - 1);
    text[sizeof text - 1] = '\0';
    memcpy(text, "{}", 2);
    save_collected(text);
    unsigned long before = count_reads();
    if (!before)
        cr_skip_test("this kernel does not count the calls of read()");
    cup_collected_read(&collected, scratch, NULL);
    cr_expect_lt(count_reads() - before, 1000);
    cup_collected_free(&collected);
}

Test(collected, the_first_page_says_until_when_and_why)
{
    save_collected("{\"logs\": {\"a-1-1.cup\": {\"until\": 1700000000.5, \"why\": \"lost\"},"
                   " \"b-1-1.cup\": {\"until\": 1700000060, \"why\": \"lost\"}}}");
    char *page = print_first_page();
    expect_words(page, "2 incomplete logs");
    expect_words(page, "2 logs are incomplete, fetched until 2023-11-14 22:13:20 UTC");
    free(page);
}

/* An empty file beside the log, which the library leaves there. */
Test(collected, the_first_page_says_that_a_log_was_refused)
{
    static const char *const names[] = {"1.cup" CUP_LOG_REFUSED, "2.cup" CUP_LOG_REFUSED,
                                        CUP_LOG_SUFFIX CUP_LOG_REFUSED, "3" CUP_LOG_REFUSED};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char path[SUPPORT_PATH + 32];
        snprintf(path, sizeof path, "%s/%s", scratch, names[i]);
        FILE *file = fopen(path, "w");
        cr_assert(file && fclose(file) == 0);
    }
    char *page = print_first_page();
    expect_words(page, "2 incomplete logs");
    expect_words(page, "2 logs are incomplete or missing: the file system refused to store");
    free(page);
    char path[SUPPORT_PATH + 32], *text;
    snprintf(path, sizeof path, "%s/1.cup", scratch);
    cr_assert_eq(cup_collected_join((const char *const[]){path}, 1, NULL, &text), 0);
    cr_expect_not_null(text ? strstr(text, "{\"1.cup\":{\"why\":\"refused\"}}") : NULL, "%s", text);
    free(text);
}

Test(collected, the_first_page_says_that_the_limit_was_reached)
{
    save_collected("{\"full\": {\"at\": 1700000000, \"why\": \"the limit of 5 bytes is reached\"},"
                   " \"logs\": {\"a-1-1.cup\": {\"until\": null, \"why\": \"full\"}}}");
    char *page = print_first_page();
    expect_words(page, "No more logs were collected from 2023-11-14 22:13:20 UTC on: the limit of "
                       "5 bytes is reached.");
    expect_words(page, "1 incomplete log");
    free(page);
}

/* The log is that of tcp://10.0.0.1:40000. */
Test(collected, the_first_page_says_how_many_tasks_are_in_no_log)
{
    save_collected("{\"tasks_ended\": {\"tcp://10.0.0.1:5\": 22, \"tcp://10.0.0.1:40000\": 1}}");
    char *page = print_first_page();
    expect_words(page, "22 tasks are in no log: by the count of Dask's scheduler, tcp://10.0.0.1:5 "
                       "ended 22 tasks, and its logs have 0.");
    expect_words(page, "22 tasks in no log");
    free(page);
}

Test(collected, tasks_of_a_worker_that_is_not_profiled_are_not_counted_again)
{
    save_collected("{\"refused\": [{\"worker\": \"tcp://10.0.0.1:5\", \"why\": \"no nanny\"}],"
                   " \"tasks_ended\": {\"tcp://10.0.0.1:5\": 22}}");
    char *page = print_first_page();
    cr_expect_null(strstr(page, "in no log"), "%s", page);
    free(page);
}

Test(collected, the_first_page_names_a_worker_that_is_not_profiled)
{
    save_collected("{\"refused\": [{\"worker\": \"tcp://10.0.0.1:1\", \"why\": \"no nanny\"}]}");
    char *page = print_first_page();
    expect_words(page, "1 worker is not profiled (tcp://10.0.0.1:1: no nanny).");
    expect_words(page, "1 worker not profiled");
    free(page);
}
