/* The command line: exit statuses, one line for each complaint, and output that others can read. */
#include <criterion/criterion.h>

#include <fcntl.h>
#include <jansson.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/metrics/metrics.h"
#include "analysis/report/report.h"
#include "analysis/tasks/task_columns.h"
#include "cli/verbs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH]; /* the profile */
static char outside[SUPPORT_PATH]; /* what the verbs write */
static char out_path[2 * SUPPORT_PATH];

static void set_up(void)
{
    make_golden(scratch, outside);
    snprintf(out_path, sizeof out_path, "%s/result", outside);
}

static void tear_down(void)
{
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(verbs, .init = set_up, .fini = tear_down);

#define RUN(verb, ...)                                                                             \
    run_verb(outside, cup_verb_##verb, (const char *const[]){#verb, __VA_ARGS__, NULL})

/* Runs a verb that must fail with this status and one line that has `part` in it. */
static void expect_failure(int status, int expected, const char *part)
{
    char *err = read_text_in(outside, "err"), *out = read_text_in(outside, "out");
    cr_assert_eq(status, expected, "%d: %s", status, err);
    cr_assert_eq(lines_of(err), 1, "%s", err);
    cr_assert_not_null(strstr(err, part), "%s", err);
    cr_assert_str_eq(out, "");
    free(err);
    free(out);
}

static json_t *load_json(const char *name)
{
    char *text = read_text_in(outside, name);
    json_error_t error;
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(root, "%s at line %d", error.text, error.line);
    free(text);
    return root;
}

Test(verbs, tasks_as_json)
{
    cr_assert_eq(RUN(tasks, scratch, "--json", "-"), 0);
    json_t *root = load_json("out"), *tasks = json_object_get(root, "tasks");
    cr_assert_eq(json_array_size(tasks), 6);
    json_t *first = json_array_get(tasks, 0), *last = json_array_get(tasks, 5);
    cr_assert_eq(json_object_size(first), cup_task_column_count);
    cr_assert_str_eq(json_string_value(json_object_get(first, "key")), "Dimuon-1");
    cr_assert_str_eq(json_string_value(json_object_get(first, "worker")), "tcp://10.0.0.1:40000");
    cr_assert_eq(json_real_value(json_object_get(first, "noncpu_s")), 2.0);
    cr_assert_eq(json_real_value(json_object_get(first, "read_s")), 0.25);
    cr_assert_eq(json_integer_value(json_object_get(first, "read_bytes")), 400);
    cr_assert_eq(json_integer_value(json_object_get(first, "events")), 1000);
    cr_assert(json_is_null(json_object_get(first, "gil_wait_s")));
    cr_assert_eq(json_integer_value(json_object_get(json_array_get(tasks, 3), "attempt")), 2);
    cr_assert_str_eq(json_string_value(json_object_get(last, "status")), "unfinished");
    cr_assert(json_is_null(json_object_get(last, "stop")));
    cr_assert(json_is_null(json_object_get(last, "wall_s")));
    cr_assert_eq(json_integer_value(json_object_get(last, "read_bytes")), 7);
    json_decref(root);
}

Test(verbs, columns_of_features_that_are_off_are_null)
{
    struct log_builder builder;
    build_golden_log(&builder);
    builder_header(&builder)->features = CUP_FEATURE_BRIDGE;
    save_log(&builder, scratch, "a.cup");
    builder_free(&builder);
    cr_assert_eq(RUN(tasks, scratch, "--json", "-"), 0);
    json_t *root = load_json("out"), *row = json_array_get(json_object_get(root, "tasks"), 0);
    cr_assert(json_is_null(json_object_get(row, "read_bytes")));
    cr_assert(json_is_null(json_object_get(row, "read_own_bytes")));
    cr_assert(json_is_null(json_object_get(row, "alloc_bytes")));
    cr_assert(json_is_real(json_object_get(row, "cpu_s")));
    json_decref(root);
}

Test(verbs, tasks_as_csv)
{
    cr_assert_eq(RUN(tasks, scratch, "--csv", out_path), 0);
    char *text = read_text_in(outside, "result");
    cr_assert_eq(lines_of(text), 7);
    cr_assert_eq(
        strncmp(text, "key,prefix,span,worker,host,pid,thread,status,start,stop,wall_s,", 64), 0);
    cr_assert_not_null(strstr(text, "\r\nDimuon-1,Dimuon,default,tcp://10.0.0.1:40000,node1,4242,"
                                    "101,finished,1700000010.0,1700000014.0,4.0,2.0,,2.0,400,5,"));
    free(text);
}

Test(verbs, tasks_as_a_table)
{
    setenv("COLUMNS", "160", 1);
    cr_assert_eq(RUN(tasks, scratch), 0);
    char *text = read_text_in(outside, "out");
    cr_assert_eq(lines_of(text), 7);
    cr_assert_not_null(strstr(text, "unfinished"));
    cr_assert_not_null(strstr(text, "Dimuon-2"));
    cr_assert_not_null(strstr(text, " 10.0.0.1:40000 "), "%s", text);
    cr_assert_not_null(strstr(text, " 1,000 "), "%s", text);
    free(text);
    setenv("COLUMNS", "40", 1);
    cr_assert_eq(RUN(tasks, scratch), 0);
    text = read_text_in(outside, "out");
    cr_assert_not_null(strstr(text, "Columns hidden at this width: CPU, allocated, key\n"), "%s",
                       text);
    free(text);
}

/* The keys of the first column of the CSV, as "key key ". */
static void expect_keys(const char *expected)
{
    char keys[256] = "", *text = read_text_in(outside, "out"), *line = strchr(text, '\n');
    for (; line && line[1]; line = strchr(line + 1, '\n'))
        snprintf(keys + strlen(keys), sizeof keys - strlen(keys), "%.*s ",
                 (int)strcspn(line + 1, ","), line + 1);
    cr_expect_str_eq(keys, expected, "%s", text);
    free(text);
}

Test(verbs, tasks_are_sorted)
{
    cr_assert_eq(RUN(tasks, scratch, "--csv", "-", "--top", "1"), 0);
    expect_keys("Dimuon-2 ");
    cr_assert_eq(RUN(tasks, scratch, "--csv", "-", "--sort", "start", "--top", "2"), 0);
    expect_keys("Dimuon-1 Dimuon-2 ");
    cr_assert_eq(RUN(tasks, scratch, "--csv", "-", "--sort", "read", "--top", "1"), 0);
    expect_keys("Dimuon-2 ");
    cr_assert_eq(RUN(tasks, scratch, "--csv", "-", "--sort", "key", "--top", "3"), 0);
    expect_failure(RUN(tasks, scratch, "--sort", "wal_s"), 2, "did you mean wall_s");
    expect_failure(RUN(tasks, scratch, "--top", "-1"), 2, "from 1 on");
}

Test(verbs, fail_on)
{
    cr_expect_eq(RUN(report, scratch, "--fail-on", "failed,unfinished"), 3);
    char *err = read_text_in(outside, "err"), *out = read_text_in(outside, "out");
    cr_expect_not_null(strstr(err, "1 task failed (failed), 1 task never ended (unfinished)\n"),
                       "%s", err);
    cr_expect_not_null(strstr(out, "cupping report of"));
    free(err), free(out);
    cr_expect_eq(RUN(report, scratch, "--fail-on", "damaged,running"), 0);
    cr_expect_eq(RUN(report, scratch, "--fail-on", "incomplete,unknown"), 3);
    expect_failure(RUN(report, scratch, "--fail-on", "losses,fialed"), 2, "did you mean failed");
    expect_failure(RUN(report, scratch, "--fail-on", "losses,"), 2, "no such condition");
}

Test(verbs, report_as_json_has_all_sections_and_metrics)
{
    static const char *const sections[] = {
        "workflow", "workers",     "efficiency", "time_budget",     "fine",
        "chunks",   "datasets",    "sections",   "tasks_by_prefix", "files",
        "branches", "functions",   "servers",    "hosts",           "merge",
        "losses",   "attribution", "health",     "sources",         "run",
        "runs",     "version",
    };
    cr_assert_eq(RUN(report, scratch, "--json", out_path), 0);
    json_t *root = load_json("result");
    cr_assert_str_eq(json_string_value(json_object_get(root, "format")), "cupping-report");
    for (size_t i = 0; i < sizeof sections / sizeof *sections; i++)
        cr_assert_not_null(json_object_get(root, sections[i]), "%s", sections[i]);
    for (size_t i = 0; i < cup_metric_section_count; i++) {
        const struct cup_metric_section *section = cup_metric_sections[i];
        json_t *sources = json_object_get(json_object_get(root, "sources"), section->name);
        for (size_t k = 0; k < section->count; k++) {
            const char *name = section->metrics[k].name;
            cr_assert_not_null(json_object_get(json_object_get(root, section->name), name), "%s",
                               name);
            cr_assert(json_is_string(json_object_get(sources, name)), "%s", name);
        }
    }
    json_t *chunks = json_object_get(json_object_get(root, "chunks"), "rows");
    cr_assert_eq(json_array_size(chunks), 4);
    cr_assert_eq(json_real_value(json_object_get(json_array_get(chunks, 0), "open_s")), 1.0);
    cr_assert_str_eq(json_string_value(json_object_get(json_array_get(chunks, 2), "outcome")),
                     "failed");
    json_t *ways = json_object_get(json_object_get(root, "attribution"), "by_way");
    cr_assert_eq(json_integer_value(json_object_get(ways, "context")), 300);
    cr_assert_eq(json_integer_value(json_object_get(ways, "none")), 57);
    json_t *losses = json_object_get(json_object_get(root, "losses"), "rows");
    cr_assert_eq(json_array_size(losses), 1);
    json_decref(root);
}

/* The first screen, as a newcomer has it: 24 lines of 80 columns. */
Test(verbs, report_says_what_matters_on_the_first_screen)
{
    static const char *const needed[] = {"wall time",     "events/s",
                                         "12.0 s",        "417 Hz",
                                         "CPU",           "41.7 %",
                                         "attributed",    "95.3 %",
                                         "1 task failed", "What to do first",
                                         "slowest",       "memory",
                                         "--advice",      "cupping report --full"};
    setenv("COLUMNS", "80", 1);
    cr_assert_eq(RUN(report, scratch), 0);
    char *text = read_text_in(outside, "out");
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        lines++;
    cr_expect_leq(lines, 45, "%s", text);
    cr_expect_null(strstr(text, "Tasks by prefix"), "%s", text);
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        cr_assert_not_null(strstr(text, needed[i]), "%s is not in\n%s", needed[i], text);
    free(text);
}

/* Columns of a line, counting characters. */
static size_t columns(const char *line)
{
    size_t count = 0;
    for (; *line && *line != '\n'; line++)
        count += ((unsigned char)*line & 0xC0) != 0x80;
    return count;
}

Test(verbs, report_fits_the_screen)
{
    static const char *const widths[] = {"60", "80", "132"};
    for (size_t i = 0; i < 3; i++) {
        setenv("COLUMNS", widths[i], 1);
        cr_assert_eq(i == 0 ? RUN(report, scratch) : RUN(report, scratch, "--full"), 0);
        char *text = read_text_in(outside, "out");
        for (char *line = text; line && *line;
             line = strchr(line, '\n') ? strchr(line, '\n') + 1 : NULL)
            cr_assert_leq(columns(line), (size_t)atoi(widths[i]), "%.*s", (int)strcspn(line, "\n"),
                          line);
        cr_assert_null(strchr(text, '\033'));
        free(text);
    }
}

static void expect_no_trailing_space(const char *what)
{
    char *text = read_text_in(outside, "out");
    for (const char *at = text; (at = strchr(at, '\n')); at++)
        cr_expect(at == text || at[-1] != ' ', "%s: a line ends with a space:\n%s", what, text);
    free(text);
}

Test(verbs, no_line_ends_with_a_space)
{
    const char *name;
    for (size_t i = 0; (name = cup_report_section_name(i)); i++) {
        if (!*name)
            continue;
        cr_expect_eq(RUN(report, scratch, "--only", name), 0, "%s", name);
        expect_no_trailing_space(name);
    }
    cr_expect_eq(RUN(report, scratch), 0);
    expect_no_trailing_space("report");
    cr_expect_eq(RUN(report, scratch, "--full"), 0);
    expect_no_trailing_space("--full");
    cr_expect_eq(RUN(tasks, scratch), 0);
    expect_no_trailing_space("tasks");
}

/* An empty page would look like a failure. */
Test(verbs, a_section_without_anything_says_so)
{
    cr_assert_eq(RUN(report, scratch, "--only", "servers"), 0);
    char *text = read_text_in(outside, "out");
    cr_expect_str_eq(text, "No use of a server or a network file system was seen; `--only files` "
                           "has local files.\n");
    free(text);
    cr_assert_eq(RUN(report, scratch, "--only", "chunks"), 0);
    text = read_text_in(outside, "out");
    cr_assert_null(strstr(text, "nothing to show here"), "%s", text);
    free(text);
}

Test(verbs, what_is_on_request_is_not_in_the_whole_report)
{
    cr_assert_eq(RUN(report, scratch, "--full"), 0);
    char *text = read_text_in(outside, "out");
    cr_assert_not_null(strstr(text, "\nTasks by prefix"));
    cr_assert_null(strstr(text, "\nWorkflow"));
    cr_assert_null(strstr(text, "\nTime budget"));
    cr_assert_null(strstr(text, "share_attributed"));
    cr_assert_null(strstr(text, "logs_read"));
    cr_assert_not_null(strstr(text, "--only: workflow"));
    free(text);
    cr_assert_eq(RUN(report, scratch, "--only", "health"), 0);
    text = read_text_in(outside, "out");
    cr_assert_not_null(strstr(text, "logs_read"));
    free(text);
}

Test(verbs, options_that_contradict_each_other_are_wrong_usage)
{
    expect_failure(RUN(report, scratch, "--only", "tasks", "--json", "-"), 2, "all sections");
    expect_failure(RUN(report, scratch, "--full", "--only", "tasks"), 2, "exclude each other");
    expect_failure(RUN(report, scratch, "--advice", "--full"), 2, "exclude each other");
    expect_failure(RUN(report, scratch, "--span", "nobody's"), 2, "--span nobody's");
    expect_failure(RUN(tasks, scratch, "--csv", "-", "--json", "-"), 2, "name two files");
}

/* What the verb shows on a terminal of ROWS lines, through PAGER. */
static char *on_terminal(unsigned short rows, const char *pager, const char *const *arguments)
{
    static char text[1 << 18];
    int master = posix_openpt(O_RDWR | O_NOCTTY), count = 0;
    size_t length = 0;
    cr_assert(master >= 0 && grantpt(master) == 0 && unlockpt(master) == 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    cr_assert(slave >= 0 &&
              ioctl(slave, TIOCSWINSZ, &(struct winsize){.ws_row = rows, .ws_col = 80}) == 0);
    while (arguments[count])
        count++;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        setenv("PAGER", pager, 1);
        unsetenv("CUPPING_PAGER");
        unsetenv("COLUMNS");
        setenv("LC_ALL", "C", 1);
        setenv("TERM", "xterm", 1);
        signal(SIGPIPE, SIG_IGN);
        dup2(slave, STDOUT_FILENO);
        close(master);
        close(slave);
        int status = cup_verb_report(count, (char **)(uintptr_t)arguments);
        fflush(NULL);
        _exit(status);
    }
    close(slave);
    for (ssize_t got; (got = read(master, text + length, sizeof text - 1 - length)) > 0;)
        length += (size_t)got;
    text[length] = '\0';
    close(master);
    cr_assert_eq(waitpid(child, &count, 0), child);
    cr_expect_eq(count, 0);
    return text;
}

Test(verbs, long_text_on_a_terminal_goes_through_the_pager)
{
    const char *const full[] = {"report", scratch, "--full", NULL};
    const char *const json[] = {"report", scratch, "--json", NULL};
    char *text = on_terminal(10, "sed s/^/paged:/", full);
    cr_expect(strstr(text, "paged:"), "%s", text);
    cr_expect(strstr(text, "Tasks by prefix"), "%s", text);
    cr_expect(strstr(text, "\033["), "colours, as on the terminal itself");
    cr_expect_null(strstr(on_terminal(2000, "sed s/^/paged:/", full), "paged:"), "short enough");
    cr_expect(strstr(on_terminal(10, "cat", full), "Tasks by prefix"));
    cr_expect(strstr(on_terminal(10, "true", full), "") != NULL, "a pager that reads nothing");
    text = on_terminal(10, "/nowhere/pager 2>/dev/null", full);
    cr_expect(strstr(text, "Tasks by prefix"), "without that pager: %s", text);
    cr_expect_null(strstr(on_terminal(10, "sed s/^/paged:/", json), "paged:"));
}

Test(verbs, json_without_a_file_goes_to_standard_output)
{
    const char *const forms[][4] = {{"report", scratch, "--json", NULL},
                                    {"report", "--json", scratch, NULL},
                                    {"tasks", "--json", scratch, NULL}};
    for (size_t i = 0; i < 3; i++) {
        cr_assert_eq(run_verb(outside, i < 2 ? cup_verb_report : cup_verb_tasks, forms[i]), 0);
        char *text = read_text_in(outside, "out");
        cr_expect_eq(text[0], '{', "%s", text);
        free(text);
    }
    expect_failure(RUN(report, scratch, "--color", "blue"), 2, "always, never or auto");
}

/* Python's cupping.open() and its figures. */
Test(verbs, the_path_of_a_profile_is_that_of_one_that_can_be_read)
{
    cr_assert_eq(RUN(report, scratch, "--path"), 0);
    char *out = read_text_in(outside, "out"), *path = realpath(scratch, NULL);
    cr_expect(strncmp(out, path, strlen(path)) == 0 && strcmp(out + strlen(path), "\n") == 0, "%s",
              out);
    free(out);
    free(path);
    expect_failure(RUN(report, "/nonexistent", "--path"), 1, "no such profile directory");
    expect_failure(RUN(report, outside, "--path"), 1, "holds no logs");
    expect_failure(RUN(report, scratch, "--path", "--run", "9"), 1, "--run 9: it holds 1 run");
    char junk[SUPPORT_PATH + 16];
    snprintf(junk, sizeof junk, "%s/junk.cup", outside);
    FILE *file = fopen(junk, "w");
    fputs("not a log at all", file);
    fclose(file);
    expect_failure(RUN(report, outside, "--path"), 1, "junk.cup");
}

Test(verbs, json_without_the_rows_of_tasks)
{
    cr_assert_eq(RUN(report, scratch, "--json"), 0);
    json_t *whole = load_json("out");
    cr_assert_eq(RUN(report, scratch, "--json", "--without-tasks"), 0);
    json_t *short_one = load_json("out");
    static const char *const left_out[][2] = {
        {"chunks", "rows"}, {"sections", "by_task"}, {"sections", "values_by_task"}};
    cr_assert(!json_equal(whole, short_one));
    for (size_t i = 0; i < sizeof left_out / sizeof *left_out; i++)
        cr_assert_eq(json_object_del(json_object_get(whole, left_out[i][0]), left_out[i][1]), 0);
    cr_expect(json_equal(whole, short_one), "nothing else is left out");
    json_decref(whole);
    json_decref(short_one);
    expect_failure(RUN(report, scratch, "--without-tasks"), 2, "--without-tasks is for --json");
}

Test(verbs, report_of_one_section)
{
    cr_assert_eq(RUN(report, scratch, "--only", "attribution"), 0);
    char *text = read_text_in(outside, "out");
    cr_assert_not_null(strstr(text, "Attribution"));
    cr_assert_null(strstr(text, "Findings"));
    free(text);
}

/* The rate inside process() can be larger than the rate of the run above it. */
Test(verbs, the_slowest_dataset_has_another_rate_than_the_run)
{
    setenv("COLUMNS", "200", 1);
    cr_assert_eq(RUN(report, scratch), 0);
    char *text = read_text_in(outside, "out");
    cr_expect_not_null(strstr(text, ", per thread inside process(); mean of all datasets: "), "%s",
                       text);
    free(text);
}

Test(verbs, a_profile_without_tasks_is_reported)
{
    struct log_builder builder;
    builder_start(&builder);
    builder_header(&builder)->features |= CUP_FEATURE_STACKS;
    save_log(&builder, scratch, "a.cup");
    builder_free(&builder);
    cr_assert_eq(RUN(report, scratch), 0);
    char *text = read_text_in(outside, "out");
    cr_assert_not_null(strstr(text, "No task was seen"));
    cr_assert_null(strstr(text, "nan"));
    cr_assert_null(strstr(text, "inf"));
    free(text);
    cr_assert_eq(RUN(report, scratch, "--only", "functions"), 0);
    text = read_text_in(outside, "out");
    cr_expect_not_null(strstr(text, "CPU time: n/a, no task was seen."), "%s", text);
    cr_expect_null(strstr(text, "Phases"), "no heading without a table: %s", text);
    free(text);
    cr_assert_eq(RUN(report, scratch, "--only", "coffea"), 0);
    text = read_text_in(outside, "out");
    cr_expect_str_eq(text, "No chunk of Coffea's Runner was seen.\n");
    free(text);
    cr_assert_eq(RUN(report, scratch, "--json", "-"), 0);
    json_decref(load_json("out"));
    cr_assert_eq(RUN(tasks, scratch, "--json", "-"), 0);
    json_decref(load_json("out"));
}

Test(verbs, a_damaged_log_costs_one_line_and_no_failure)
{
    struct log_builder builder;
    build_golden_log(&builder);
    builder.size -= 64;
    save_log(&builder, scratch, "b.cup");
    builder_free(&builder);
    cr_assert_eq(RUN(report, scratch), 0);
    char *err = read_text_in(outside, "err");
    cr_assert_eq(lines_of(err), 1, "%s", err);
    cr_assert_not_null(strstr(err, "b.cup"));
    free(err);
}

Test(verbs, wrong_usage)
{
    expect_failure(RUN(report, "--frobnicate"), 2, "--frobnicate is not an option");
    expect_failure(RUN(report, "--only"), 2, "needs a value");
    expect_failure(RUN(report, "--json="), 2, "empty value");
    expect_failure(RUN(report, scratch, scratch), 2, "too many");
    expect_failure(RUN(report, scratch, "--only", "nonsense"), 2, "no such section");
    expect_failure(RUN(report, scratch, "--run", "7"), 2, "--run 7");
    expect_failure(RUN(dump, "--"), 2, "name a log");
    expect_failure(RUN(help, "nonsense"), 2, "no such verb");
    expect_failure(RUN(tasks, ""), 2, "empty name");
}

Test(verbs, nothing_readable)
{
    char path[2 * SUPPORT_PATH];
    expect_failure(RUN(report, "/no/such/place"), 1, "no such profile directory");
    snprintf(path, sizeof path, "%s/a.cup", scratch);
    expect_failure(RUN(report, path), 1, "not a directory");
    expect_failure(RUN(report, scratch, "--files", path), 1, "--files wants a directory");
    expect_failure(RUN(report, scratch, "--files", "/no/such/place"), 1,
                   "/no/such/place: cannot look for files there: No such file");
    expect_failure(RUN(dump, scratch), 1, "not a regular file");
    cr_assert_eq(truncate(path, 0), 0);
    expect_failure(RUN(tasks, scratch), 1,
                   "all processes were killed before they recorded anything");
    remove(path);
    expect_failure(RUN(report, scratch), 1, "holds no logs");
}

Test(verbs, what_cannot_be_written_is_an_error)
{
    expect_failure(RUN(tasks, scratch, "--json", "/no/such/place/x"), 1, "cannot write");
    if (access("/dev/full", W_OK) == 0)
        expect_failure(RUN(tasks, scratch, "--json", "/dev/full"), 1, "cannot write");
}

Test(verbs, a_file_is_replaced_whole)
{
    FILE *file = fopen(out_path, "w");
    fputs("the previous one", file);
    fclose(file);
    cr_assert_eq(RUN(report, scratch, "--json", out_path), 0);
    json_decref(load_json("result"));
    cr_assert_eq(chmod(out_path, 0600), 0);
    cr_assert_eq(RUN(report, scratch, "--json", out_path), 0);
    struct stat status;
    cr_assert_eq(stat(out_path, &status), 0);
    cr_assert_eq(status.st_mode & 0777, 0600);
}

Test(verbs, dump_shows_every_record)
{
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/a.cup", scratch);
    cr_assert_eq(RUN(dump, path), 0);
    char *text = read_text_in(outside, "out");
    static const char *const needed[] = {
        "host=\"node1\" pid=4242",
        "context=on",
        "text=\"Dimuon\"",
        "key=\"Dimuon-3\"",
        "status=erred",
        "entries=1000-2000",
        "cpu_ns=4500000000",
        "read_context_bytes=300",
        "sequential_calls=6",
        "open block 0: task=6",
        "INFO",
        "NOTE",
        "role=worker",
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        cr_assert_not_null(strstr(text, needed[i]), "%s", needed[i]);
    free(text);
}

Test(verbs, dump_escapes_the_texts_of_the_header)
{
    char path[2 * SUPPORT_PATH];
    struct log_builder builder;
    build_golden_log(&builder);
    strcpy(builder_header(&builder)->host, "\033]0;host");
    strcpy(builder_header(&builder)->library_version, "\033]0;version");
    strcpy(builder_header(&builder)->library_build, "\033]0;build");
    save_log(&builder, scratch, "a.cup");
    builder_free(&builder);
    snprintf(path, sizeof path, "%s/a.cup", scratch);
    cr_assert_eq(RUN(dump, path), 0);
    char *text = read_text_in(outside, "out");
    cr_expect(strstr(text, "0;host") && strstr(text, "0;version") && strstr(text, "0;build"));
    cr_expect_null(strchr(text, '\033'), "%s", text);
    free(text);
}

Test(verbs, help_names_every_verb)
{
    cr_assert_eq(run_verb(outside, cup_verb_help, (const char *const[]){"help", NULL}), 0);
    char *text = read_text_in(outside, "out");
    for (unsigned i = 0; i < cup_verb_count; i++)
        cr_expect_not_null(strstr(text, cup_verbs[i].name), "%s", cup_verbs[i].name);
    free(text);
}

#define START(...) run_verb(outside, cup_verb_start, (const char *const[]){__VA_ARGS__, NULL})

/* Of any verb, wherever it stands; the wrapper behind `run` says it itself. */
Test(verbs, each_prints_its_help)
{
    for (unsigned i = 0; i < cup_verb_count; i++)
        for (int form = 0; form < 2 && cup_verbs[i].run != cup_verb_run; form++) {
            const char *name = cup_verbs[i].name;
            cr_expect_eq(START(name, "no-such-file", form ? "--help" : "-h"), CUP_EXIT_DONE);
            char *out = read_text_in(outside, "out"), *err = read_text_in(outside, "err");
            cr_expect(strstr(out, cup_verbs[i].usage), "%s: %s", name, out);
            cr_expect_str_eq(err, "");
            free(out);
            free(err);
        }
}

Test(verbs, help_after_the_options_is_an_operand)
{
    expect_failure(START("dump", "--", "--help"), CUP_EXIT_FAILED, "--help");
    expect_failure(START("brew", "--help"), CUP_EXIT_USAGE, "brew: no such verb");
}

/* A word that is nearly a name names it. */
Test(verbs, did_you_mean)
{
    expect_failure(RUN(help, "reprot"), 2, "no such verb; did you mean report; see");
    expect_failure(RUN(report, "--onyl", "tasks"), 2, "did you mean --only");
    expect_failure(RUN(report, scratch, "--only", "brnches"), 2, "did you mean branches");
    expect_failure(RUN(compare, scratch, scratch, "--only", "chunk"), 2, "did you mean chunks");
    expect_failure(RUN(export, scratch, "--to", "prometeus", "-o", "x"), 2,
                   "did you mean prometheus");
    expect_failure(RUN(plot, scratch, "task-streams"), 2, "did you mean task-stream");
    expect_failure(RUN(report, scratch, "--only", "zzz"), 2, "no such section; see");
}

/* `compare --json A B` reads as if A were compared with B, but A is the file to be written. */
Test(verbs, a_log_is_not_overwritten)
{
    char log[2 * SUPPORT_PATH], copy[4 * SUPPORT_PATH];
    snprintf(log, sizeof log, "%s/merged.cup", outside);
    cr_assert_eq(RUN(merge, scratch, "-o", log), 0);
    cr_assert_eq(RUN(compare, "--json", log, scratch), 0, "it is the first profile");
    cr_assert_eq(RUN(report, log), 0, "the log is whole");
    cr_assert_eq(RUN(merge, scratch, "-o", log), 0, "a merge replaces its own output");
    snprintf(copy, sizeof copy, "%s.json", log);
    cr_assert_eq(RUN(report, log, "--json", copy), 0, "the log is whole");
    expect_failure(RUN(compare, "--json", copy, scratch, scratch), CUP_EXIT_FAILED,
                   "is a report, and is not overwritten");
    cr_assert_eq(RUN(report, log, "--json", copy), 0, "a report replaces its own output");
}
