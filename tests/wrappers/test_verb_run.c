/* `cupping run`: the last line, and that its process changes nothing else. A log is a file with a
 * log's name here; the end-to-end tests have real ones. */
#include "tests/wrappers/shell.h"

#include <criterion/criterion.h>
#include <pty.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

TestSuite(verb_run, .init = shell_enter, .fini = shell_leave, .timeout = 60);

#define RECORD "touch \"$CUPPING_DIR/node-1.cup\"; "

Test(verb_run, the_last_line_says_where_the_profile_is)
{
    const struct shell_result *r = shell("$cupping run -o p -- sh -c '" RECORD "echo out'");
    cr_expect_str_eq(r->out, "out\n");
    cr_expect_str_eq(r->err, "cupping: the profile is in p (1 log); next: cupping report p\n");
    cr_expect_str_eq(shell("readlink cupping-latest")->out, "p\n");
    r = shell("$cupping run --quiet -o q -- sh -c '" RECORD "'; readlink cupping-latest");
    cr_expect_str_empty(r->err);
    cr_expect_str_eq(r->out, "q\n");
}

Test(verb_run, a_run_that_recorded_nothing_leaves_the_link_alone)
{
    cr_assert_eq(shell("$cupping run -o p -- sh -c '" RECORD "'")->status, 0);
    const struct shell_result *r = shell("$cupping run -- true; readlink cupping-latest");
    cr_expect_str_eq(r->out, "p\n");
    cr_expect_eq(lines_of(r->err), 1, "%s", r->err);
    cr_expect(has(r->err, "cupping: nothing was recorded in cupping-2"), "%s", r->err);
    /* Logs of an earlier run in the same directory are no logs of this one. */
    cr_expect(has(shell("$cupping run -o p true")->err, "nothing was recorded in p"));
}

/* The script failed: what cupping needs is not the first thing to look at. */
Test(verb_run, a_command_that_failed_is_named_before_what_was_not_recorded)
{
    const struct shell_result *r = shell("$cupping run -o p -- sh -c 'exit 3'");
    cr_expect_str_eq(r->err, "cupping: sh ended with status 3 before anything was recorded in p\n");
    r = shell("$cupping run -o p -- sh -c 'kill -TERM $$'");
    cr_expect(has(r->err, "cupping: sh was ended by signal 15 (Terminated) before anything was "
                          "recorded in p\n"),
              "%s", r->err);
}

Test(verb_run, ends_as_the_command_ended)
{
    cr_expect_eq(shell("$cupping run -q -o p -- sh -c 'exit 3'")->status, 3);
    const struct shell_result *r = shell("$cupping run -o p -- sh -c '" RECORD "kill -KILL $$'");
    cr_expect_eq(r->status, 128 + 9);
    cr_expect(has(r->err, "the profile is in p"), "%s", r->err);
    r = shell("$cupping run -o p nosuch-command");
    cr_expect_eq(r->status, 127);
    cr_expect_eq(lines_of(r->err), 1, "%s", r->err);
    cr_expect_eq(shell("$cupping run")->status, 2);
    cr_expect(has(shell("$cupping run --help")->out, "usage: cupping-run"));
}

Test(verb_run, the_command_has_the_input_the_group_and_the_signals_of_its_caller)
{
    cr_expect_str_eq(shell("seq 3 | $cupping run -q -o p cat")->out, "1\n2\n3\n");
    const struct shell_result *r =
        shell("ps -o pgid= -p $$; trap '' USR2; trap : CHLD\n"
              "$cupping run -q -o p -- sh -c 'ps -o pgid= -p $$; grep Sig[BI] /proc/self/status'; "
              "grep Sig[BI] /proc/self/status");
    char *second = strchr(r->out, '\n') + 1, *masks = strchr(second, '\n') + 1;
    cr_expect(strncmp(r->out, second, (size_t)(second - r->out)) == 0, "%s", r->out);
    cr_expect(strncmp(masks, masks + strlen(masks) / 2, strlen(masks) / 2) == 0, "%s", masks);
}

Test(verb_run, a_caller_may_ignore_sigchld)
{
    const struct shell_result *r = shell("env --ignore-signal=CHLD $cupping run -q -o p -- "
                                         "env sh -c 'grep SigIgn /proc/$PPID/status; exit 3'");
    cr_expect_eq(r->status, 3, "%d %s", r->status, r->err);
}

Test(verb_run, runs_where_proc_is_not_mounted)
{
    if (shell("unshare -m mount -t tmpfs none .")->status != 0)
        cr_skip_test("no file system of one's own here");
    const struct shell_result *r =
        shell("unshare -m sh -c 'mount -t tmpfs none /proc && exec $cupping run -q -o p echo ran'");
    cr_expect_str_eq(r->out, "ran\n", "%s", r->err);
}

/* Runs CODE, which is to wait until the file `ready` exists, in the background. */
#define IN_BACKGROUND(code)                                                                        \
    "$cupping run -q -o p -- sh -c '" code "' & "                                                  \
    "until [ -e ready ]; do sleep 0.02; done; "

Test(verb_run, passes_signals_on)
{
    cr_expect_eq(shell(IN_BACKGROUND("trap \"exit 5\" USR1; : >ready; while :; do sleep 0.02; "
                                     "done") "kill -USR1 $!; wait $!")
                     ->status,
                 5);
    cr_expect_eq(
        shell("rm ready; " IN_BACKGROUND(": >ready; exec sleep 100") "kill $!; wait $!")->status,
        128 + 15);
}

/* Waits until the process has this state, as /proc shows it. */
#define AWAIT "await() { until [ $(cut -d ' ' -f 3 /proc/$1/stat) = $2 ]; do sleep 0.02; done; }\n"

/* In a process group of its own whose parent is in the same session (set -m of bash): otherwise the
 * kernel does not let SIGTSTP stop a process. */
#define IN_A_JOB                                                                                   \
    "set -m\n" AWAIT IN_BACKGROUND(                                                                \
        "echo $$ >ready.tmp; mv ready.tmp ready; exec sleep 100") "command=$(cat ready)\n"

/* Runs a command in a job, and then SCRIPT, which ends it by SIGTERM: $command is its process, $!
 * that of `cupping run`. */
static void expect_end_of_job(const char *script)
{
    const struct shell_result *r =
        shell("cat >script <<'END'\n" IN_A_JOB "%s; wait $!\nEND\nbash script", script);
    cr_expect_eq(r->status, 128 + 15, "%s", r->err);
}

Test(verb_run, stops_and_continues_with_the_command)
{
    expect_end_of_job("kill -TSTP $command; await $! T; kill -CONT $!; await $command S; kill $!");
}

Test(verb_run, does_not_stop_when_another_process_stops_the_command)
{
    expect_end_of_job("kill -STOP $command; await $command T; sleep 0.1\n"
                      "kill -CONT $command; await $command S; kill $command");
}

Test(verb_run, killed_it_does_not_leave_the_command_behind)
{
    cr_expect_eq(
        shell(IN_BACKGROUND(
                  "echo $$ >ready.tmp; mv ready.tmp ready; exec sleep 100") "kill -KILL $!; while "
                                                                            "kill -0 $(cat ready) "
                                                                            "2>/dev/null; do sleep "
                                                                            "0.02; done")
            ->status,
        0);
}

/* On a terminal, both processes are in the foreground group: the command gets Ctrl-C once. */
Test(verb_run, ctrl_c_reaches_the_command_once)
{
    static char text[8192];
    size_t used = 0;
    int terminal, status, sent = 0;
    ssize_t got;
    pid_t child = forkpty(&terminal, NULL, NULL, NULL);
    cr_assert(child >= 0);
    if (child == 0) {
        signal(SIGINT, SIG_DFL); /* a shell ignores it in commands that it starts with & */
        execlp(CUP_TOP "/build/cupping", "cupping", "run", "-o", "p", "--", "sh", "-c",
               "trap 'echo interrupted' INT; echo ready; "
               "for i in 1 2 3 4 5 6; do sleep 0.05; done; " RECORD "exit 4",
               (char *)NULL);
        _exit(127);
    }
    while ((got = read(terminal, text + used, sizeof text - 1 - used)) > 0) {
        used += (size_t)got;
        if (!sent && strstr(text, "ready"))
            sent = write(terminal, "\003", 1) == 1;
    }
    cr_assert_eq(waitpid(child, &status, 0), child);
    cr_expect(WIFEXITED(status) && WEXITSTATUS(status) == 4, "%x %s", (unsigned)status, text);
    char *first = strstr(text, "interrupted");
    cr_expect(first && !strstr(first + 1, "interrupted"), "%s", text);
    cr_expect(strstr(text, "next: cupping report p"), "%s", text);
    close(terminal);
}

/* ---- the profile that a verb reads without one being named -------------------------------- */

Test(verb_run, without_a_directory_the_newest_profile_with_logs_is_read)
{
    const struct shell_result *r = shell("mkdir cupping-20200101-000000 cupping-20200102-000000\n"
                                         "touch cupping-20200101-000000/a.cup\n"
                                         "ln -s cupping-20200102-000000 cupping-latest\n"
                                         "$cupping report");
    cr_expect(has(r->err, "cupping: reading ./cupping-20200101-000000, the newest profile here\n"),
              "%s", r->err);
    r = shell("rm -r cupping-20200101-000000; $cupping report");
    cr_expect_eq(r->status, 1);
    cr_expect(has(r->err, "cupping-latest: holds no logs"), "%s", r->err);
    cr_expect_eq(lines_of(r->err), 1);
    r = shell("rm cupping-latest; $cupping tasks");
    cr_expect(has(r->err, "no such profile directory"), "%s", r->err);
}
