/* `cupping top` beside a real job: in its middle, in a pseudo-terminal, and at its end. */
#include "tests/e2e/child.h"
#include "tests/e2e/cluster.h"
#include "tests/e2e/job.h"
#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <termios.h>
#include <time.h>
#include <unistd.h>

TestSuite(top, .timeout = 300);

enum { WAIT_S = 120 };

struct job {
    char *directory, *input, *files;
    struct cup_cluster cluster;
    struct cup_process client;
};

static void pause_shortly(void)
{
    nanosleep(&(struct timespec){.tv_nsec = 20 * 1000000L}, NULL);
}

/* A cluster, and a client whose job stops after some chunks until finish_job(). */
static void start_job(struct job *job)
{
    job->directory = cup_scratch("top");
    job->input = cup_input("ttree");
    job->files = cup_path(job->input, "files.json");
    struct cup_cluster_options options = {.directory = job->directory};
    cup_cluster_start(&job->cluster, &options);
    const char *const argv[] = {CUP_TOP "/wrappers/cupping-run",
                                "-o",
                                job->cluster.profile,
                                "--",
                                cup_python(),
                                CUP_TOP "/tests/workloads/complete_job.py",
                                job->cluster.address,
                                text("%s/wait", job->directory),
                                job->files,
                                "wait",
                                NULL};
    cup_process_start(&job->client, "client", text("%s/client.log", job->directory), argv,
                      (const char *const *)job->cluster.environment);
    const char *halfway = text("%s/wait.marks.halfway", job->directory);
    for (int looks = WAIT_S * 50; looks > 0 && access(halfway, F_OK) != 0; looks--)
        pause_shortly();
}

static void finish_job(struct job *job)
{
    int fd = open(text("%s/wait.marks.go", job->directory), O_CREAT | O_WRONLY | O_CLOEXEC, 0600);
    cr_assert(fd >= 0);
    close(fd);
    cr_expect(cup_process_wait(&job->client, WAIT_S) == 0, "%s", job->client.log);
    cup_cluster_stop(&job->cluster);
    free(job->directory), free(job->input), free(job->files);
}

/* ---- --once -------------------------------------------------------------------------------- */

static char *look_once(const struct job *job)
{
    return output_of(&(struct child){.argv = {CUP_BUILD "/cupping", "top", job->cluster.profile,
                                              "--once", "--interval", "0.5"}});
}

/* The number after WORDS, without its commas; -1: there is none. */
static long long number_after(const char *screen, const char *words)
{
    const char *at = strstr(screen, words);
    long long number = -1;
    for (at = at ? at + strlen(words) : ""; (*at >= '0' && *at <= '9') || *at == ','; at++)
        if (*at != ',')
            number = (number < 0 ? 0 : number) * 10 + (*at - '0');
    return number;
}

static void expect_middle(const struct job *job)
{
    char *screen = look_once(job);
    json_t *truth = cup_json(job->directory, "wait");
    long long done = number_after(screen, "events    "), all = cup_count(truth, "events");
    cr_expect(number_after(screen, " of ") == all, "%s", screen);
    cr_expect(done > 0 && done < all, "%s", screen);
    cr_expect(strstr(screen, ": running, "), "%s", screen);
    cr_expect(strstr(screen, "1 running (Slow 1)"), "%s", screen);
    cr_expect(strstr(screen, "1/1"), "the worker: %s", screen);
    cr_expect(strstr(screen, "complete_job.py:"), "the line that waits: %s", screen);
    json_decref(truth);
    free(screen);
}

static void expect_end(const struct job *job)
{
    char *screen = look_once(job);
    json_t *report = cup_report(job->directory);
    json_t *complete = json_object_get(report, "completeness");
    json_t *workflow = json_object_get(report, "workflow");
    cr_expect(number_after(screen, "events    ") == cup_count(complete, "done_events"), "%s",
              screen);
    cr_expect(number_after(screen, "chunks ") == cup_count(workflow, "num_chunks"), "%s", screen);
    cr_expect(strstr(screen, cup_word(complete, "sentence")), "%s", screen);
    cr_expect(number_after(screen, "tasks     ") == 0, "%s", screen);
    cr_expect(number_after(screen, "0 running, ") ==
                  (long long)json_array_size(cup_tasks(job->directory)),
              "%s", screen);
    json_decref(report);
    free(screen);
}

/* ---- in a terminal --------------------------------------------------------------------------- */

struct view {
    int terminal;
    pid_t pid;
    struct termios before;
    char seen[1 << 20]; /* what it wrote */
    size_t length;
};

static void start_view(struct view *view, const struct job *job)
{
    struct winsize size = {.ws_row = 24, .ws_col = 80};
    *view = (struct view){0};
    view->pid = forkpty(&view->terminal, NULL, NULL, &size);
    cr_assert(view->pid >= 0);
    if (view->pid == 0) {
        setenv("TERM", "xterm", 1);
        signal(SIGINT, SIG_DFL); /* a shell that runs the tests in the background ignores it */
        execl(CUP_BUILD "/cupping", "cupping", "top", job->cluster.profile, "--interval", "0.2",
              (char *)NULL);
        _exit(127);
    }
}

/* Reads until WORDS were written, after byte FROM. Returns false if the program ends before. */
static bool see(struct view *view, size_t from, const char *words)
{
    struct pollfd input = {.fd = view->terminal, .events = POLLIN};
    while (!strstr(view->seen + from, words)) {
        ssize_t got = poll(&input, 1, WAIT_S * 1000) > 0
                          ? read(view->terminal, view->seen + view->length,
                                 sizeof view->seen - 1 - view->length)
                          : -1;
        if (got <= 0)
            return false;
        view->length += (size_t)got;
    }
    return true;
}

/* Waits for the end of the program. The terminal is as it was, and shows the first screen. */
static int end_view(struct view *view)
{
    int status;
    struct termios after;
    see(view, view->length, "nothing");
    cr_assert(waitpid(view->pid, &status, 0) == view->pid);
    cr_expect(tcgetattr(view->terminal, &after) == 0);
    cr_expect((after.c_lflag & (ICANON | ECHO)) == (ICANON | ECHO), "the terminal is not restored");
    const char *left = strstr(view->seen, "\033[?1049l");
    cr_expect(left && !strstr(left, "\033[?1049h"), "another screen is shown");
    cr_expect(strstr(view->seen, "\033[?25h"), "the cursor is hidden");
    close(view->terminal);
    return status;
}

static void use_keys(const struct job *job)
{
    static struct view view;
    struct winsize larger = {.ws_row = 30, .ws_col = 120};
    start_view(&view, job);
    cr_expect(see(&view, 0, "by memory"), "%s", view.seen);
    size_t from = view.length;
    cr_expect(write(view.terminal, "n", 1) == 1 && see(&view, from, "by name"), "%s", view.seen);
    from = view.length;
    ioctl(view.terminal, TIOCSWINSZ, &larger);
    cr_expect(see(&view, from, "                    CPU      waits"), "%s", view.seen);
    cr_expect(write(view.terminal, "q", 1) == 1);
    int status = end_view(&view);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

static void end_by_signal(const struct job *job, int signal)
{
    static struct view view;
    start_view(&view, job);
    cr_expect(see(&view, 0, "events"), "%s", view.seen);
    if (signal == SIGINT)
        cr_expect(write(view.terminal, "\003", 1) == 1); /* Ctrl-C */
    else
        kill(view.pid, signal);
    int status = end_view(&view);
    if (signal == SIGSEGV)
        cr_expect(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV, "%x", status);
    else
        cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 128 + signal, "%x", status);
}

static void expect_refusal(const struct job *job)
{
    struct child child = {.argv = {CUP_BUILD "/cupping", "top", job->cluster.profile}};
    child_run(&child);
    cr_expect(WEXITSTATUS(child.status) == 2 && strstr(child.err, "use --once"), "%s", child.err);
    cr_expect(strchr(child.err, '\n') == child.err + child.err_bytes - 1, "%s", child.err);
    child_free(&child);
}

/* ---- --http ---------------------------------------------------------------------------------- */

static void start_server(struct cup_process *server, const struct job *job, char address[128])
{
    const char *const argv[] = {CUP_BUILD "/cupping",
                                "top",
                                job->cluster.profile,
                                "--http",
                                "0",
                                "--interval",
                                "0.2",
                                NULL};
    cup_process_start(server, "top", text("%s/top.log", job->directory), argv, NULL);
    for (int looks = WAIT_S * 50; looks > 0; looks--) {
        char *output = cup_process_output(server);
        bool there = output && sscanf(output, "cupping: the page is at %127[^,]", address) == 1;
        free(output);
        if (there)
            return;
        pause_shortly();
    }
    cr_assert_fail("the server does not say its address");
}

static char *fetch(const char *address, const char *page)
{
    return output_of(&(struct child){.argv = {"curl", "-sSf", text("%s%s", address, page)}});
}

/* The value of a series without labels other than the run; -1: it is not there. */
static double metric(const char *metrics, const char *name)
{
    const char *at = strstr(metrics, text("\n%s{run=\"profile\"} ", name));
    return at ? strtod(strchr(at, '}') + 1, NULL) : -1;
}

static void expect_served(const char *address, const struct job *job)
{
    char *page = fetch(address, ""), *metrics = fetch(address, "metrics");
    while (metric(metrics, "cupping_live_read_bytes_per_second") < 0) { /* until the second look */
        pause_shortly();
        free(metrics);
        metrics = fetch(address, "metrics");
    }
    json_t *truth = cup_json(job->directory, "wait");
    double done = metric(metrics, "cupping_events_total");
    cr_expect(done > 0 && done < (double)cup_count(truth, "events"), "%s", metrics);
    cr_expect(metric(metrics, "cupping_planned_events") == (double)cup_count(truth, "events"));
    cr_expect(metric(metrics, "cupping_live_running") == 1, "%s", metrics);
    cr_expect(strstr(metrics, "{run=\"profile\",prefix=\"Slow\"} 1\n"), "%s", metrics);
    cr_expect(strstr(page, "Still running, so far") && strstr(page, "</html>"));
    json_decref(truth);
    free(metrics), free(page);
}

/* The figures that both have are equal when all is done. */
static void expect_served_at_end(const char *address, const char *directory)
{
    json_t *report = cup_report(directory), *workflow = json_object_get(report, "workflow");
    char *metrics = NULL;
    for (int looks = 0; looks < WAIT_S * 50; looks++, pause_shortly()) {
        free(metrics);
        metrics = fetch(address, "metrics");
        if (metric(metrics, "cupping_live_running") == 0)
            break;
    }
    cr_expect(metric(metrics, "cupping_events_total") == cup_number(workflow, "total_events"));
    cr_expect(metric(metrics, "cupping_chunks_total") == cup_number(workflow, "num_chunks"));
    cr_expect(metric(metrics, "cupping_read_bytes_total") ==
                  cup_number(workflow, "total_bytes_read"),
              "%s", metrics);
    cr_expect(metric(metrics, "cupping_live_duration_seconds") == cup_number(workflow, "wall_time"),
              "%s", metrics);
    json_decref(report);
    free(metrics);
}

Test(top, beside_a_real_job)
{
    struct job job;
    struct cup_process server;
    char address[128];
    start_job(&job);
    start_server(&server, &job, address);
    expect_served(address, &job);
    expect_middle(&job);
    use_keys(&job);
    end_by_signal(&job, SIGINT);
    end_by_signal(&job, SIGTERM);
    end_by_signal(&job, SIGSEGV);
    expect_refusal(&job);
    struct job ended = job;
    ended.directory = strdup(job.directory);
    finish_job(&job);
    expect_end(&ended);
    expect_served_at_end(address, ended.directory);
    cup_process_signal(&server, SIGTERM);
    cr_expect(cup_process_wait(&server, WAIT_S) == 128 + SIGTERM);
    free(ended.directory);
}

/* Waits until /metrics is answered, or is not. */
static void await_metrics(const char *address, bool answered)
{
    for (int looks = 0; looks < WAIT_S * 50; looks++, pause_shortly()) {
        struct child child = {.argv = {"curl", "-sSf", text("%smetrics", address)}};
        child_run(&child);
        bool is_there = child.status == 0;
        child_free(&child);
        if (is_there == answered)
            return;
    }
    cr_assert_fail("metrics: %s", answered ? "not answered" : "still answered");
}

/* The directory may be away for a moment, as that of a file server. */
Test(top, goes_on_when_a_look_failed)
{
    struct job job = {.directory = test_directory()};
    struct cup_process server;
    char address[128];
    snprintf(job.cluster.profile, sizeof job.cluster.profile, "%s/profile", job.directory);
    const char *away = text("%s/away", job.directory);
    free(output_of(&(struct child){
        .argv = {CUP_BUILD "/tests/generate_log", job.cluster.profile, "10", "1"}}));
    start_server(&server, &job, address);
    await_metrics(address, true);
    cr_assert_eq(rename(job.cluster.profile, away), 0);
    await_metrics(address, false);
    cr_assert_eq(rename(away, job.cluster.profile), 0);
    await_metrics(address, true);
    cup_process_signal(&server, SIGTERM);
    cr_expect(cup_process_wait(&server, WAIT_S) == 128 + SIGTERM);
    char *said = cup_process_output(&server);
    cr_expect(strstr(said, "no such profile directory"), "%s", said);
    free(said);
    test_directory_remove(job.directory);
}
