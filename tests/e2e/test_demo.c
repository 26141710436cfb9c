/* The demo as its user sees it: it prints its report, and an interrupt at any moment leaves no
 * process running. */
#include <criterion/criterion.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

static char scratch[] = "/tmp/cupping-demo-XXXXXX";

static void make_scratch(void)
{
    cr_assert(mkdtemp(scratch));
}

static void remove_scratch(void)
{
    char command[64];

    snprintf(command, sizeof command, "rm -rf '%s'", scratch);
    cr_expect_eq(system(command), 0);
}

TestSuite(demo, .init = make_scratch, .fini = remove_scratch, .timeout = 300);

/* A small demo with all its files in scratch; what it prints goes to scratch/out. */
static pid_t start_demo(void)
{
    char profile[64], logs[64], files[64], out[64];

    snprintf(profile, sizeof profile, "%s/profile", scratch);
    snprintf(logs, sizeof logs, "%s/logs", scratch);
    snprintf(files, sizeof files, "%s/files", scratch);
    snprintf(out, sizeof out, "%s/out", scratch);
    unlink(out); /* of the demo before */
    pid_t pid = fork();
    if (pid)
        return pid;
    int fd = open(out, O_CREAT | O_TRUNC | O_WRONLY | O_CLOEXEC, 0600);
    if (fd >= 0 && chdir(scratch) == 0 && dup2(fd, 1) == 1 && dup2(fd, 2) == 2)
        execl(CUP_PYTHON, CUP_PYTHON, CUP_TOP "/tests/workloads/cluster.py", "--events", "30000",
              "-o", profile, "--logs", logs, "--files", files, (char *)NULL);
    _exit(127);
}

static const char *printed(void)
{
    static char text[65536];
    char name[64];

    snprintf(name, sizeof name, "%s/out", scratch);
    text[0] = '\0';
    FILE *file = fopen(name, "r");
    if (!file)
        return text;
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
    fclose(file);
    return text;
}

static bool has_ended(pid_t pid)
{
    siginfo_t info = {0};
    return waitid(P_PID, (id_t)pid, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid;
}

static void wait_for_line(pid_t demo, const char *line)
{
    while (!strstr(printed(), line)) {
        cr_assert(!has_ended(demo) || strstr(printed(), line), "%s: %s", line, printed());
        usleep(10000);
    }
}

/* 0 if nothing descends from this process any more. Orphans come to it: it is their reaper. */
static int descendants_left(void)
{
    return waitpid(-1, NULL, WNOHANG) == -1 && errno == ECHILD ? 0 : 1;
}

/* Replaces what was printed. */
static void print_full_report(void)
{
    char command[256];

    snprintf(command, sizeof command, "'%s/cupping' report --full '%s/profile' >'%s/out' 2>&1",
             CUP_BUILD, scratch, scratch);
    cr_assert_eq(system(command), 0, "%s", printed());
}

Test(demo, runs_a_real_job_and_reports)
{
    int status;

    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    pid_t pid = start_demo();
    cr_assert_eq(waitpid(pid, &status, 0), pid);
    cr_assert(WIFEXITED(status) && WEXITSTATUS(status) == 0, "%s", printed());
    cr_expect(strstr(printed(), "30000 events in"), "%s", printed());
    cr_expect(strstr(printed(), "The profile is in profile"), "%s", printed());
    cr_expect(strstr(printed(), "What to do first"), "%s", printed());
    cr_expect(strstr(printed(), "Heaviest lines of your own code"), "%s", printed());
    cr_expect(strstr(printed(), "\n  processor.py:"), "%s", printed());
    cr_expect(strstr(printed(), "events."), "the text of such a line: %s", printed());
    print_full_report();
    cr_expect(strstr(printed(), "1 client"), "%s", printed());
    cr_expect_eq(descendants_left(), 0);
}

Test(demo, an_interrupt_at_any_moment_leaves_no_process)
{
    static const char *const moments[] = {"writing 30000 events",
                                          "starting a scheduler",
                                          "starting 1 worker(s)",
                                          "running the analysis",
                                          " events in ",
                                          "stopping worker and scheduler",
                                          "profile: "};
    enum { LAST = sizeof moments / sizeof *moments - 1 };
    const int signals[] = {SIGINT, SIGTERM};

    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    for (unsigned i = 0; i <= LAST; i++) {
        int status, number = signals[i % 2];
        pid_t pid = start_demo();
        wait_for_line(pid, moments[i]);
        kill(pid, number);
        cr_assert_eq(waitpid(pid, &status, 0), pid);
        int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
        bool ended_before = i == LAST && code == 0;
        cr_expect(code == 128 + number || ended_before, "%s: status %d: %s", moments[i], code,
                  printed());
        cr_expect_eq(descendants_left(), 0, "%s", moments[i]);
    }
}
