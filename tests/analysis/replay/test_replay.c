/* `cupping replay` of tables written by hand. */
#include <criterion/criterion.h>

#include <dlfcn.h>
#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/verbs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH], table[SUPPORT_PATH + 16];

static void write_file(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "we");
    cr_assert(file && fwrite(bytes, 1, count, file) == count && fclose(file) == 0);
}

static void set_up(void)
{
    char path[SUPPORT_PATH + 16];
    make_scratch(scratch);
    make_scratch(outside);
    snprintf(path, sizeof path, "%s/x", scratch);
    snprintf(table, sizeof table, "%s/reads.tsv", outside);
    write_file(path, (char[1000]){""}, 1000);
}

static void tear_down(void)
{
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(replay, .init = set_up, .fini = tear_down);

#define HEAD "start_s\tseconds\tfile\toffset\tbytes\tparts\ttask\tprocess\n"

static int replay_rows(const char *rows, const char *const *options)
{
    char *text = NULL;
    const char *arguments[12] = {"replay", table};
    cr_assert(asprintf(&text, HEAD "%s", rows) > 0);
    write_file(table, text, strlen(text));
    free(text);
    for (int i = 2; *options; i++)
        arguments[i] = *options++;
    return run_verb(outside, cup_verb_replay, arguments);
}

#define REPLAY(rows, ...) replay_rows(rows, (const char *const[]){__VA_ARGS__, NULL})

static json_t *replayed(void)
{
    char *text = read_text_in(outside, "out");
    json_t *json = json_loads(text, 0, NULL);
    cr_assert(json, "%s", text);
    free(text);
    return json;
}

static void expect_number(json_t *json, const char *name, json_int_t expected)
{
    json_int_t found = json_integer_value(json_object_get(json, name));
    cr_expect_eq(found, expected, "%s: %lld", name, (long long)found);
}

#define ROWS                                                                                       \
    "0\t0.001\t/data/x\t0\t100\t\tt\ta\n"                                                          \
    "0\t0.003\t/data/x\t0\t30\t0+10 500+20\tt\tb\n"                                                \
    "0.2\t0.002\troot://door//data/x\t900\t100\t\tt\ta\n"

Test(replay, reads_again_below_another_directory)
{
    cr_assert_eq(REPLAY(ROWS, "--root", scratch, "--strip", "/data/", "--json", "-"),
                 CUP_EXIT_DONE);
    json_t *json = replayed(), *servers = json_object_get(json, "servers"),
           *server = json_array_get(servers, 0);
    expect_number(json, "reads", 3);
    expect_number(json, "bytes", 230);
    expect_number(json, "processes", 2);
    expect_number(json, "streams", 2);
    expect_number(json, "failed", 0);
    cr_expect_eq(json_array_size(servers), 1);
    cr_expect_str_eq(json_string_value(json_object_get(server, "server")), "local files");
    cr_expect_float_eq(json_number_value(json_object_get(server, "recorded_p50_s")), 0.002, 1e-9);
    cr_expect(json_number_value(json_object_get(server, "replayed_p50_s")) > 0);
    cr_expect(json_number_value(json_object_get(json, "replayed_wall_s")) >= 0.2);
    json_decref(json);
}

Test(replay, names_what_fails)
{
    cr_assert_eq(REPLAY(ROWS "0\t0\t/data/y\t0\t1\t\t\ta\n"
                             "0\t0\t/data/x\t990\t20\t\t\ta\n",
                        "--root", scratch, "--strip", "/data"),
                 CUP_EXIT_FAILED);
    char *errors = read_text_in(outside, "err");
    cr_expect(strstr(errors, "/y: cannot open it: No such file or directory; left out: 1 read\n"),
              "%s", errors);
    cr_expect(strstr(errors, "/x: 1 read beyond its end"), "%s", errors);
    free(errors);
}

static unsigned fork_that_fails; /* 0: none */

/* In place of libc's. */
pid_t fork(void)
{
    if (fork_that_fails && --fork_that_fails == 0) {
        errno = EAGAIN;
        return -1;
    }
    pid_t (*next)(void);
    *(void **)&next = dlsym(RTLD_NEXT, "fork");
    return next();
}

static void expect_refusal(int status, int expected, const char *why)
{
    char *errors = read_text_in(outside, "err");
    cr_expect_eq(status, expected, "%d", status);
    cr_expect(strstr(errors, why), "%s", errors);
    cr_expect_eq(strchr(errors, '\n'), errors + strlen(errors) - 1, "%s", errors);
    free(errors);
}

Test(replay, wrong_usage_is_one_line)
{
    expect_refusal(REPLAY(ROWS, "--root", "https://x"), CUP_EXIT_USAGE,
                   "--root https://x: only directories and root:// URLs");
    expect_refusal(REPLAY(ROWS, "--speed", "0"), CUP_EXIT_USAGE, "--speed 0: name a number");
    expect_refusal(REPLAY(ROWS, "--strip", "/dat"), CUP_EXIT_USAGE, "begin with --strip /dat");
    expect_refusal(REPLAY(ROWS, "--root", "/nowhere"), CUP_EXIT_FAILED,
                   "/nowhere/data/x: is not there, nor is any other file");
    expect_refusal(REPLAY("0\t0\thttps://x/y\t0\t1\t\t\ta\n", "--speed", "1"), CUP_EXIT_USAGE,
                   "cannot be read here: name another place with --root");
    expect_refusal(REPLAY(ROWS, "--client", "/nowhere/lib.so"), CUP_EXIT_FAILED,
                   "/nowhere/lib.so: cannot load XRootD's client");
    expect_refusal(run_verb(outside, cup_verb_replay, (const char *const[]){"replay", NULL}),
                   CUP_EXIT_USAGE, "name a table");
}

/* The results of its reads would be zeros, so the other processes do not read, either. */
Test(replay, a_process_that_cannot_be_started_is_an_error)
{
    char event[4096];
    int reads = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    cr_assert(reads >= 0 && inotify_add_watch(reads, scratch, IN_ACCESS) >= 0);
    fork_that_fails = 3; /* the first starts the verb, the second a process */
    expect_refusal(REPLAY(ROWS, "--root", scratch, "--strip", "/data/"), CUP_EXIT_FAILED,
                   "could not be started");
    cr_expect_eq(read(reads, event, sizeof event), -1, "a process has read");
    close(reads);
}

/* As XCache names its directories. */
Test(replay, a_path_may_look_like_a_url)
{
    char directory[SUPPORT_PATH + 64], path[SUPPORT_PATH + 80], row[2 * SUPPORT_PATH + 160];
    snprintf(directory, sizeof directory, "%s/root:", scratch);
    snprintf(path, sizeof path, "%s//x", directory);
    cr_assert_eq(mkdir(directory, 0700), 0);
    write_file(path, (char[100]){""}, 100);
    snprintf(row, sizeof row, "0\t0.001\t%s\t0\t100\t\tt\ta\n", path);
    cr_expect_eq(REPLAY(row, "--json", "-"), CUP_EXIT_DONE);
    json_t *json = replayed();
    expect_number(json, "bytes", 100);
    json_decref(json);
    cr_expect_eq(REPLAY(row, "--strip", scratch, "--root", scratch, "--json", "-"), CUP_EXIT_DONE);
}

/* A read that the recorded program made in 0.5 s, and of which the file now has only a part. */
Test(replay, times_of_reads_that_are_cut_do_not_count)
{
    cr_assert_eq(REPLAY(ROWS "0\t0.5\t/data/x\t990\t20\t\t\ta\n", "--root", scratch, "--strip",
                        "/data/", "--json", "-"),
                 CUP_EXIT_FAILED);
    json_t *json = replayed(), *server = json_array_get(json_object_get(json, "servers"), 0);
    expect_number(json, "reads", 4);
    cr_expect_float_eq(json_number_value(json_object_get(server, "recorded_p50_s")), 0.002, 1e-9);
    json_decref(json);
}
