#include "tests/e2e/process.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- the supervisor ------------------------------------------------------------------------- */

static int status_of(int wait_status)
{
    return WIFEXITED(wait_status) ? WEXITSTATUS(wait_status) : 128 + WTERMSIG(wait_status);
}

/* Descendants whose own parent is gone become ours: killing children until there are none gets
 * them all, also those that changed their session. */
static void kill_descendants(void)
{
    char path[64];
    snprintf(path, sizeof path, "/proc/self/task/%d/children", (int)getpid());
    for (;;) {
        FILE *children = fopen(path, "re");
        int pid;
        while (children && fscanf(children, "%d", &pid) == 1)
            kill(pid, SIGKILL);
        if (children)
            fclose(children);
        if (waitpid(-1, NULL, 0) < 0 && errno == ECHILD)
            return;
    }
}

/* Reaps what has ended. Returns true and stores the program's status if it is among that. */
static bool reap(pid_t program, int *status)
{
    int wait_status;
    pid_t pid;
    while ((pid = waitpid(-1, &wait_status, WNOHANG)) > 0)
        if (pid == program) {
            *status = status_of(wait_status);
            return true;
        }
    return false;
}

static void supervise(int control, pid_t program)
{
    enum { LOOK_EVERY_MS = 20 };
    int status = 0;
    bool ended = false;
    while (!ended) {
        struct pollfd poll_control = {.fd = control, .events = POLLIN};
        unsigned char number;
        if (poll(&poll_control, 1, LOOK_EVERY_MS) > 0) {
            if (read(control, &number, 1) != 1)
                break;
            kill(program, number);
        }
        ended = reap(program, &status);
    }
    kill_descendants();
    if (ended && write(control, &status, sizeof status) < 0)
        _exit(1);
    _exit(0);
}

/* Where the log is, not in the checkout: ./cupping-latest, for one, is the user's there. */
static void go_to(const char *log)
{
    char directory[4096];
    const char *slash = strrchr(log, '/');
    snprintf(directory, sizeof directory, "%.*s", slash ? (int)(slash - log) : 1,
             slash ? log : ".");
    if (chdir(directory) != 0)
        _exit(126);
}

static void execute(const char *log, const char *const *argv, const char *const *environment)
{
    int output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    int input = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (output < 0 || input < 0)
        _exit(126);
    dup2(input, 0);
    dup2(output, 1);
    dup2(output, 2);
    for (; environment && *environment; environment++)
        if (strchr(*environment, '='))
            putenv((char *)*environment);
        else
            unsetenv(*environment);
    go_to(log);
    execvp(argv[0], (char *const *)argv);
    dprintf(2, "%s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

/* Nothing of the test's may stay open in what it starts: another program's control socket would
 * keep that one alive, Criterion's pipes the test itself. */
static void close_others(int keep)
{
    int limit = (int)sysconf(_SC_OPEN_MAX);
    for (int fd = 3; fd < limit && fd < 4096; fd++)
        if (fd != keep)
            close(fd);
}

static void become_supervisor(int control, const char *log, const char *const *argv,
                              const char *const *environment)
{
    setsid(); /* a Ctrl-C ends the test; we see that, and clean up */
    signal(SIGINT, SIG_IGN);
    signal(SIGHUP, SIG_IGN);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    close_others(control);
    prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
    pid_t program = fork();
    if (program == 0) {
        signal(SIGINT, SIG_DFL);
        signal(SIGHUP, SIG_DFL);
        signal(SIGPIPE, SIG_DFL);
        close(control);
        execute(log, argv, environment);
    }
    if (program < 0 || write(control, &program, sizeof program) != sizeof program)
        _exit(1);
    supervise(control, program);
}

/* ---- the test's side --------------------------------------------------------------------------
 */

void cup_process_start(struct cup_process *process, const char *name, const char *log,
                       const char *const *argv, const char *const *environment)
{
    int ends[2];
    prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0); /* the test itself goes with Criterion's runner */
    *process = (struct cup_process){.name = name, .status = -1};
    snprintf(process->log, sizeof process->log, "%s", log);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
        cr_assert_fail("no socket for %s: %s", name, strerror(errno));
    process->supervisor = fork();
    if (process->supervisor == 0) {
        close(ends[0]);
        become_supervisor(ends[1], log, argv, environment);
    }
    close(ends[1]);
    process->control = ends[0];
    if (process->supervisor < 0 ||
        read(ends[0], &process->pid, sizeof process->pid) != sizeof process->pid)
        cr_assert_fail("%s cannot be started: %s", name, strerror(errno));
}

char *cup_read_file(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = NULL;
    size_t size = 0;
    if (!file)
        return NULL;
    if (getdelim(&text, &size, '\0', file) < 0) {
        free(text);
        text = strdup("");
    }
    fclose(file);
    return text;
}

char *cup_process_output(const struct cup_process *process)
{
    char *text = cup_read_file(process->log);
    return text ? text : strdup("");
}

static const char *last_lines(const char *text, int lines)
{
    const char *at = text + strlen(text);
    while (at > text && lines >= 0)
        lines -= *--at == '\n';
    return at;
}

static void fail(struct cup_process *process, const char *what)
{
    char *output = cup_process_output(process);
    cup_process_kill(process);
    cr_assert_fail("%s %s; the end of %s:\n%s", process->name, what, process->log,
                   last_lines(output, 25));
}

int cup_process_wait(struct cup_process *process, int seconds)
{
    if (process->status >= 0)
        return process->status;
    struct pollfd control = {.fd = process->control, .events = POLLIN};
    if (poll(&control, 1, seconds * 1000) <= 0)
        fail(process, "does not end");
    if (read(process->control, &process->status, sizeof process->status) != sizeof process->status)
        process->status = 255;
    close(process->control);
    waitpid(process->supervisor, NULL, 0);
    return process->status;
}

void cup_process_signal(const struct cup_process *process, int signal)
{
    unsigned char number = (unsigned char)signal;
    if (process->status < 0 && write(process->control, &number, 1) < 0)
        cr_assert_fail("%s cannot be signalled: %s", process->name, strerror(errno));
}

void cup_process_kill(struct cup_process *process)
{
    if (process->status >= 0 || process->supervisor <= 0)
        return;
    close(process->control);
    waitpid(process->supervisor, NULL, 0);
    process->status = 128 + SIGKILL;
}

void cup_run(const char *name, const char *log, const char *const *argv,
             const char *const *environment, int seconds)
{
    struct cup_process process;
    cup_process_start(&process, name, log, argv, environment);
    if (cup_process_wait(&process, seconds) != 0)
        fail(&process, "failed");
}

void cup_need_python(const char *python)
{
    if (access(python, X_OK) != 0)
        cr_skip_test("there is no %s", python);
}

void cup_only_in_soak(void)
{
    if (!getenv("SOAK")) /* tests/soak/variants.py sets it */
        cr_skip_test("a variant: `make soak` runs it");
}
