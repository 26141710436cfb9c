/* Children of a task: whatever they do, the parent's counters and descriptors in the library do
 * not change. */
#include "tests/trace/trace.h"

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <sys/wait.h>

static char buffer[8192];
extern char **environ;

/* A pipe and a file that the library knows, and reads of both. */
struct known {
    int file, pipe[2];
};

static void use(struct trace *trace, const struct known *known)
{
    expect_read(trace, SAY(trace, read(known->file, buffer, 100)));
    say_bytes(trace, buffer, 100);
    if (write(known->pipe[1], "12345", 5) == 5)
        trace->pipe_bytes += SAY(trace, read(known->pipe[0], buffer, 5));
}

static struct known begin(struct trace *trace)
{
    struct known known;
    known.file = quiet_open(trace->file, O_RDONLY);
    if (pipe(known.pipe))
        abort();
    use(trace, &known);
    return known;
}

static void end(struct trace *trace, struct known *known)
{
    use(trace, known);
    close(known->file);
    close(known->pipe[0]);
    close(known->pipe[1]);
}

static void say_child(struct trace *trace, pid_t pid)
{
    int status = -1;
    pid_t ended = waitpid(pid, &status, 0);
    say(trace, "child %d status %x\n", ended == pid, status);
}

void fork_child_reads(struct trace *trace)
{
    struct known known = begin(trace);
    pid_t pid = fork();
    if (pid == 0) {
        lseek(known.file, 4000, SEEK_SET);
        ssize_t bytes = read(known.file, buffer, 1000);
        free(malloc(50 << 20));
        close(known.pipe[0]);
        dup2(known.file, known.pipe[1]);
        lseek(known.file, 100, SEEK_SET); /* the position is shared */
        _exit(bytes == 1000 ? 3 : 4);
    }
    say_child(trace, pid);
    end(trace, &known);
}

/* A filter makes newfstatat() fail, which the library calls when a process forks. */
static int fork_without_stat(void)
{
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_newfstatat, 0, 1),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
        BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
    };
    const struct sock_fprog program = {sizeof code / sizeof *code, code};
    int status = -1;
    prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program))
        return 2;
    errno = ERRNO_BEFORE;
    pid_t pid = fork();
    if (pid == 0)
        _exit(errno != ERRNO_BEFORE);
    bool kept = errno == ERRNO_BEFORE;
    return waitpid(pid, &status, 0) == pid && status == 0 && kept ? 0 : 1;
}

void fork_keeps_errno(struct trace *trace)
{
    pid_t pid = fork();
    if (pid == 0)
        _exit(fork_without_stat());
    say_child(trace, pid);
}

static int handler_pipe[2];
static pid_t handlers_child;

static void fork_and_feed(int number)
{
    (void)number;
    handlers_child = fork();
    if (handlers_child && write(handler_pipe[1], "12", 2) != 2)
        abort();
}

/* A signal handler forks while its thread is inside read(), and returns on both sides: the call
 * goes on in the child, too. */
void fork_in_a_handler_that_returns(struct trace *trace)
{
    struct sigaction before, action = {.sa_handler = fork_and_feed, .sa_flags = SA_RESTART};
    const struct itimerval soon = {.it_value = {.tv_usec = 50000}};
    if (pipe(handler_pipe))
        abort();
    sigaction(SIGALRM, &action, &before);
    setitimer(ITIMER_REAL, &soon, NULL);
    ssize_t bytes = read(handler_pipe[0], buffer, 1);
    if (handlers_child == 0) {
        bytes += pread(handler_pipe[0], buffer, 1, 0) < 0;
        _exit(bytes == 2 ? 3 : 4);
    }
    trace->pipe_bytes += bytes;
    say(trace, "read %zd\n", bytes);
    say_child(trace, handlers_child);
    sigaction(SIGALRM, &before, NULL);
    close(handler_pipe[0]);
    close(handler_pipe[1]);
}

/* A child made past libc: no fork handler ran in it. */
void raw_fork_child_reads(struct trace *trace)
{
    struct known known = begin(trace);
    pid_t pid = (pid_t)syscall(SYS_fork);
    if (pid == 0) {
        ssize_t bytes = pread(known.file, buffer, 5000, 0);
        close(known.file);
        syscall(SYS_exit_group, bytes == 5000 ? 3 : 4);
    }
    say_child(trace, pid);
    end(trace, &known);
}

/* What CPython's subprocess does between vfork and exec, in the parent's own memory. */
static pid_t vfork_and(const struct known *known, const char *path)
{
    pid_t pid = vfork();
    if (pid == 0) {
        char *const arguments[] = {(char *)"program", NULL};
        dup2(known->file, 50);
        dup2(known->file, known->pipe[0]);
        close(known->pipe[1]);
        close_range(40, 60, 0);
        close(known->file);
        while (open("/dev/null", O_RDONLY) < known->file) /* until its number is another file's */
            continue;
        execve(path, arguments, environ);
        _exit(9);
    }
    return pid;
}

void vfork_child_closes_and_execs(struct trace *trace)
{
    struct known known = begin(trace);
    say_child(trace, vfork_and(&known, "/bin/true"));
    end(trace, &known);
}

void vfork_child_exits(struct trace *trace)
{
    struct known known = begin(trace);
    say_child(trace, vfork_and(&known, "/nonexistent/program"));
    end(trace, &known);
}

void posix_spawn_with_actions(struct trace *trace)
{
    struct known known = begin(trace);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, known.file, 0);
    posix_spawn_file_actions_adddup2(&actions, known.file, known.pipe[0]);
    posix_spawn_file_actions_addclose(&actions, known.file);
    char *const arguments[] = {(char *)"true", NULL};
    pid_t pid = -1;
    say(trace, "spawned %d\n", posix_spawn(&pid, "/bin/true", &actions, NULL, arguments, environ));
    say_child(trace, pid);
    say(trace, "spawned %d\n",
        posix_spawn(&pid, "/nonexistent/program", &actions, NULL, arguments, environ));
    posix_spawn_file_actions_destroy(&actions);
    end(trace, &known);
}

void system_and_popen(struct trace *trace)
{
    struct known known = begin(trace);
    SAY(trace, system("exit 3"));
    FILE *stream = popen("echo 1234567", "r");
    SAY_POINTER(trace, fgets(buffer, 100, stream));
    trace->pipe_bytes += 8;
    trace->stdio_read_bytes += 8;
    SAY(trace, pclose(stream));
    end(trace, &known);
}

/* A number closed inside libc, and given to a file by libc as well. */
void number_reused_after_pclose(struct trace *trace)
{
    FILE *stream = popen("echo 1234567", "r");
    int number = fileno(stream);
    SAY_POINTER(trace, fgets(buffer, 100, stream));
    trace->pipe_bytes += 8;
    trace->stdio_read_bytes += 8;
    pclose(stream);
    char path[4096];
    snprintf(path, sizeof path, "%s/reused-XXXXXX", trace->scratch);
    int fd = mkstemp(path);
    say(trace, "reused %d\n", fd == number);
    expect_write(trace, SAY(trace, write(fd, buffer, 100)));
    close(fd);
}

/* One number, many files, opened and closed in turn. */
void number_reused_often(struct trace *trace)
{
    for (int i = 0; i < 200; i++) {
        int fd = i % 2 ? open(trace->file, O_RDONLY) : open("/proc/self/status", O_RDONLY);
        ssize_t bytes = read(fd, buffer, 200);
        if (i % 2) {
            expect_read(trace, bytes);
            trace->open_calls++;
        } else {
            trace->other_read_bytes += bytes;
        }
        close(fd);
    }
}

/* ---- other programs, by each name -------------------------------------------------------- */

/* What a program wrote into the pipe, without the two variables that differ. */
static void say_output(struct trace *trace, int fd)
{
    char text[16384];
    size_t used = 0;
    for (ssize_t got; (got = syscall(SYS_read, fd, text + used, sizeof text - 1 - used)) > 0;)
        used += (size_t)got;
    text[used] = '\0';
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n"))
        if (strncmp(line, "LD_PRELOAD=", 11) && strncmp(line, "CUPPING_DIR=", 12) &&
            strncmp(line, "NOTHING=", 8))
            say(trace, "  %s\n", line);
}

static char *setting(const char *name)
{
    for (char **at = environ; *at; at++)
        if (strncmp(*at, name, strlen(name)) == 0)
            return *at;
    return (char *)"NOTHING=";
}

static char *const only_path[] = {(char *)"PATH=/usr/bin:/bin", NULL};
static char **short_environment(void)
{
    static char *variables[5];
    variables[0] = (char *)"FIRST=1";
    variables[1] = setting("LD_PRELOAD=");
    variables[2] = setting("CUPPING_DIR=");
    variables[3] = (char *)"LAST=2";
    return variables;
}

#define PROGRAM "/usr/bin/env"
static char *const env_arguments[] = {(char *)"env", (char *)"ADDED=3", (char *)"env", NULL};

/* Runs CALL, a form of exec, in a child of vfork that writes into a pipe, and says what came. */
#define SAY_EXEC(trace, call)                                                                      \
    do {                                                                                           \
        int ends[2];                                                                               \
        if (pipe(ends))                                                                            \
            abort();                                                                               \
        pid_t pid = vfork();                                                                       \
        if (pid == 0) {                                                                            \
            dup2(ends[1], 1);                                                                      \
            call;                                                                                  \
            _exit(errno);                                                                          \
        }                                                                                          \
        close(ends[1]);                                                                            \
        say(trace, "%s\n", #call);                                                                 \
        say_output(trace, ends[0]);                                                                \
        close(ends[0]);                                                                            \
        say_child(trace, pid);                                                                     \
    } while (0)

void try_execve(struct trace *trace)
{
    SAY_EXEC(trace, execve(PROGRAM, env_arguments, short_environment()));
    SAY_EXEC(trace, execve(PROGRAM, env_arguments, only_path));
    SAY_EXEC(trace, execve(PROGRAM, env_arguments, NULL));
    SAY_EXEC(trace, execve("/nonexistent", env_arguments, short_environment()));
}

void try_execveat(struct trace *trace)
{
    SAY_EXEC(trace, execveat(AT_FDCWD, PROGRAM, env_arguments, short_environment(), 0));
    SAY_EXEC(trace, execveat(-1, "env", env_arguments, short_environment(), 0));
}

void try_execv(struct trace *trace)
{
    SAY_EXEC(trace, execv(PROGRAM, env_arguments));
    SAY_EXEC(trace, execv("/", env_arguments));
}

void try_execvp(struct trace *trace)
{
    SAY_EXEC(trace, execvp("env", env_arguments));
    SAY_EXEC(trace, execvp("no-such-program", env_arguments));
}

void try_execvpe(struct trace *trace)
{
    SAY_EXEC(trace, execvpe("env", env_arguments, short_environment()));
    SAY_EXEC(trace, execvpe("", env_arguments, short_environment()));
}

void try_execl(struct trace *trace)
{
    SAY_EXEC(trace, execl(PROGRAM, "env", "A=1", "B=2", "env", NULL));
    SAY_EXEC(trace, execl("/nonexistent", "env", NULL));
}

void try_execle(struct trace *trace)
{
    SAY_EXEC(trace, execle(PROGRAM, "env", "A=1", "env", NULL, short_environment()));
    SAY_EXEC(trace, execle("/nonexistent", "env", NULL, short_environment()));
}

void try_execlp(struct trace *trace)
{
    SAY_EXEC(trace, execlp("env", "env", "A=1", "B=2", "env", NULL));
    SAY_EXEC(trace, execlp("no-such-program", "env", NULL));
}

void try_fexecve(struct trace *trace)
{
    int fd = quiet_open(PROGRAM, O_RDONLY);
    SAY_EXEC(trace, fexecve(fd, env_arguments, short_environment()));
    SAY_EXEC(trace, fexecve(-1, env_arguments, short_environment()));
    quiet_close(fd);
}

typedef int spawn_function(pid_t *, const char *, const posix_spawn_file_actions_t *,
                           const posix_spawnattr_t *, char *const[], char *const[]);

static void say_spawn(struct trace *trace, spawn_function *spawn, const char *program,
                      char *const environment[])
{
    int ends[2];
    pid_t pid = -1;
    posix_spawn_file_actions_t actions;
    if (pipe(ends))
        abort();
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
    int error = SAY(trace, spawn(&pid, program, &actions, NULL, env_arguments, environment));
    close(ends[1]);
    say_output(trace, ends[0]);
    close(ends[0]);
    if (!error)
        say_child(trace, pid);
    posix_spawn_file_actions_destroy(&actions);
}

void try_posix_spawn(struct trace *trace)
{
    say_spawn(trace, posix_spawn, PROGRAM, short_environment());
    say_spawn(trace, posix_spawn, PROGRAM, environ);
    say_spawn(trace, posix_spawn, PROGRAM, NULL);
    say_spawn(trace, posix_spawn, "/nonexistent", short_environment());
}

void try_posix_spawnp(struct trace *trace)
{
    say_spawn(trace, posix_spawnp, "env", short_environment());
    say_spawn(trace, posix_spawnp, "no-such-program", environ);
}

static void say_signals(struct trace *trace)
{
    sigset_t blocked;
    struct sigaction interrupt, quit;
    sigprocmask(SIG_BLOCK, NULL, &blocked);
    sigaction(SIGINT, NULL, &interrupt);
    sigaction(SIGQUIT, NULL, &quit);
    say(trace, "  SIGCHLD %d SIGINT %d SIGQUIT %d\n", sigismember(&blocked, SIGCHLD),
        interrupt.sa_handler == SIG_IGN, quit.sa_handler == SIG_IGN);
}

void try_system(struct trace *trace)
{
    SAY(trace, system("exit 3") >> 8);
    SAY(trace, system("kill -9 $$"));
    SAY(trace, system("kill -INT $$"));
    SAY(trace, system("no-such-program 2>&1 | grep -q . && exit 7") >> 8);
    SAY(trace, system(""));
    SAY(trace, system(NULL));
    SAY(trace, system("env | grep -q PARENT"));
    signal(SIGINT, SIG_IGN);
    SAY(trace, system("kill -INT $$; exit 4") >> 8);
    signal(SIGINT, SIG_DFL);
    say_signals(trace);
    signal(SIGCHLD, SIG_IGN); /* nobody to wait for: -1, ECHILD */
    SAY(trace, system("exit 3"));
    signal(SIGCHLD, SIG_DFL);
    say_signals(trace);
}

/* ---- waiting ----------------------------------------------------------------------------- */

static pid_t child_that_exits(int status)
{
    pid_t pid = fork();
    if (pid == 0) {
        usleep(1000);
        _exit(status);
    }
    return pid;
}

/* Says what a wait for a child reported; PID differs from run to run. */
#define SAY_WAIT(trace, pid, status, call)                                                         \
    do {                                                                                           \
        status = -1;                                                                               \
        errno = ERRNO_BEFORE;                                                                      \
        pid_t ended_ = (call);                                                                     \
        say(trace, "%s: %d errno %d status %x\n", #call, ended_ > 0 ? ended_ == (pid) : ended_,    \
            errno, (unsigned)status);                                                              \
    } while (0)

void try_wait(struct trace *trace)
{
    int status;
    pid_t pid = child_that_exits(3);
    SAY_WAIT(trace, pid, status, wait(&status));
    SAY_WAIT(trace, pid, status, wait(&status));
    pid = child_that_exits(3);
    SAY_WAIT(trace, pid, status, wait(NULL));
}

pid_t __wait(int *status);
pid_t __waitpid(pid_t pid, int *status, int options);

void try___wait(struct trace *trace)
{
    int status;
    pid_t pid = child_that_exits(4);
    SAY_WAIT(trace, pid, status, __wait(&status));
    SAY_WAIT(trace, pid, status, __wait(&status));
}

void try_wait3(struct trace *trace)
{
    int status;
    struct rusage usage = {.ru_maxrss = -1};
    pid_t pid = child_that_exits(5);
    SAY_WAIT(trace, pid, status, wait3(&status, WNOHANG, &usage));
    SAY_WAIT(trace, pid, status, wait3(&status, 0, &usage));
    say(trace, "usage %d\n", usage.ru_maxrss > 0);
    SAY_WAIT(trace, pid, status, wait3(&status, 0, NULL));
}

void try_wait4(struct trace *trace)
{
    int status;
    struct rusage usage = {.ru_maxrss = -1};
    pid_t pid = child_that_exits(6), other = child_that_exits(7);
    SAY_WAIT(trace, other, status, wait4(other, &status, 0, &usage));
    say(trace, "usage %d\n", usage.ru_maxrss > 0);
    SAY_WAIT(trace, pid, status, wait4(0, &status, 0, NULL));
    SAY_WAIT(trace, pid, status, wait4(pid, &status, 0, NULL));
}

static volatile int alarms;

static void count_alarm(int signal)
{
    (void)signal;
    alarms++;
}

/* A signal comes while the call waits: with and without SA_RESTART. */
static void interrupt(struct trace *trace, int flags)
{
    const struct sigaction action = {.sa_handler = count_alarm, .sa_flags = flags};
    struct sigaction before;
    const struct itimerval soon = {.it_value = {.tv_usec = 20000}};
    int status;
    sigaction(SIGALRM, &action, &before);
    alarms = 0;
    pid_t pid = fork();
    if (pid == 0) {
        usleep(200000);
        _exit(8);
    }
    setitimer(ITIMER_REAL, &soon, NULL);
    SAY_WAIT(trace, pid, status, waitpid(pid, &status, 0));
    say(trace, "alarms %d\n", alarms);
    SAY_WAIT(trace, pid, status, waitpid(pid, &status, 0));
    sigaction(SIGALRM, &before, NULL);
}

/* A handler that reaps whatever has ended, while the call waits for one child. */
static void reap(int signal)
{
    int saved = errno;
    (void)signal;
    while (waitpid(-1, NULL, WNOHANG) > 0)
        continue;
    errno = saved;
}

void waitpid_beside_a_reaping_handler(struct trace *trace)
{
    const struct sigaction action = {.sa_handler = reap, .sa_flags = SA_RESTART};
    sigaction(SIGCHLD, &action, NULL);
    for (int i = 0; i < 5; i++) {
        pid_t pid = fork();
        if (pid == 0) {
            usleep(50000);
            _exit(14);
        }
        say_child(trace, pid);
    }
    signal(SIGCHLD, SIG_DFL);
}

void try_waitpid(struct trace *trace)
{
    int status;
    pid_t pid = fork();
    if (pid == 0) {
        pause();
        _exit(9);
    }
    SAY_WAIT(trace, pid, status, waitpid(pid, &status, WNOHANG));
    kill(pid, SIGSTOP);
    SAY_WAIT(trace, pid, status, waitpid(pid, &status, WUNTRACED));
    SAY_WAIT(trace, pid, status, waitpid(pid, &status, WNOHANG));
    kill(pid, SIGKILL);
    SAY_WAIT(trace, pid, status, waitpid(pid, &status, 0));
    SAY_WAIT(trace, pid, status, waitpid(pid, &status, 0));
    SAY_WAIT(trace, pid, status, waitpid(1, &status, 0));
    SAY_WAIT(trace, pid, status, waitpid(-1, &status, 12345678));
    pid = child_that_exits(10);
    SAY_WAIT(trace, pid, status, waitpid(pid, NULL, 0));
    interrupt(trace, 0);
    interrupt(trace, SA_RESTART);
    signal(SIGCHLD, SIG_IGN);
    pid = child_that_exits(11);
    SAY_WAIT(trace, pid, status, waitpid(pid, &status, 0));
    signal(SIGCHLD, SIG_DFL);
}

/* Only waitid() knows this option. */
void waitpid_refuses_WEXITED(struct trace *trace)
{
    int ends[2], status;
    if (pipe(ends))
        abort();
    pid_t pid = fork();
    if (pid == 0) {
        struct pollfd closed = {.fd = ends[0]};
        close(ends[1]);
        poll(&closed, 1, 10000);
        _exit(9);
    }
    SAY(trace, waitpid(pid, &status, WEXITED));
    SAY(trace, waitpid(pid, &status, WEXITED | WNOHANG));
    close(ends[1]);
    close(ends[0]);
    SAY_WAIT(trace, pid, status, waitpid(pid, &status, 0));
}

void try___waitpid(struct trace *trace)
{
    int status;
    pid_t pid = child_that_exits(12);
    SAY_WAIT(trace, pid, status, __waitpid(pid, &status, 0));
    SAY_WAIT(trace, pid, status, __waitpid(-1, &status, WNOHANG));
}

static void say_info(struct trace *trace, pid_t pid, const siginfo_t *info)
{
    say(trace, "  child %d code %d status %d\n", info->si_pid ? info->si_pid == pid : -1,
        info->si_code, info->si_status);
}

void try_prctl(struct trace *trace)
{
    char name[16] = "";
    SAY(trace, prctl(PR_GET_NAME, name));
    say(trace, "%d\n", name[0] != 0);
    SAY(trace, prctl(PR_SET_NAME, name, 0, 0, 0));
    SAY(trace, prctl(PR_SET_SECCOMP, 99, NULL, 0, 0));
    SAY(trace, prctl(-1, 0, 0, 0, 0));
}

void try_waitid(struct trace *trace)
{
    siginfo_t info = {.si_pid = -5};
    pid_t pid = child_that_exits(13);
    SAY(trace, waitid(P_ALL, 0, &info, WEXITED | WNOWAIT));
    say_info(trace, pid, &info);
    SAY(trace, waitid(P_ALL, 0, &info, WEXITED) == 0);
    say_info(trace, pid, &info);
    SAY(trace, waitid(P_ALL, 0, &info, WEXITED));
    pid = child_that_exits(14);
    info.si_pid = -5;
    SAY(trace, waitid(P_PGID, (id_t)getpgrp(), NULL, WEXITED));
    SAY(trace, waitid(P_ALL, 0, &info, WEXITED | WNOHANG));
    SAY(trace, waitid(P_ALL, 0, &info, 0));
}
