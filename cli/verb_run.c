/* `cupping run`: wrappers/cupping-run, which is next to this program, prepares the environment;
 * then the command runs as a child of this process, so that a last line can say where the profile
 * is.
 *
 * The child stays in this process group, with the terminal, the descriptors, the signal mask and
 * the ignored signals that this process was started with. This process blocks all signals, keeps
 * only standard error open, and ends as the command ended. */

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "analysis/base/units.h"
#include "analysis/profile/log_names.h"
#include "cli/verbs.h"

enum { DESCRIBE_DESCRIPTOR = 3, DESCRIPTION_ROOM = 65536, MOST_DESCRIPTORS = 4096 };

/* ---- the wrapper -------------------------------------------------------------------------- */

/* Writes DIRECTORY/NAME to TO. Returns 0, or -1 if there is no such program or it cannot be
 * executed. */
static int join_program(char *to, const char *directory, const char *name)
{
    int length = snprintf(to, PATH_MAX, "%s/%s", directory, name);
    return length < PATH_MAX && access(to, X_OK) == 0 ? 0 : -1;
}

char *cup_find_own_folder(void)
{
    char *program = realpath("/proc/self/exe", NULL);
    if (!program) /* /proc is not mounted */
        program = realpath((const char *)getauxval(AT_EXECFN), NULL);
    if (program)
        *strrchr(program, '/') = '\0';
    return program;
}

int cup_find_wrapper(char *wrapper)
{
    char *folder = cup_find_own_folder();
    int found = folder && (join_program(wrapper, folder, "cupping-run") == 0 ||
                           join_program(wrapper, folder, "../wrappers/cupping-run") == 0)
                    ? 0
                    : -1;
    free(folder);
    return found;
}

/* What the wrapper described: texts, each with its NUL at the end. */
struct description {
    char text[DESCRIPTION_ROOM];
    size_t bytes;
};

static int fail(const char *what)
{
    fprintf(stderr, "cupping: run: cannot %s: %s\n", what, strerror(errno));
    return CUP_EXIT_FAILED;
}

static void execute_wrapper(const char *wrapper, int argc, char **argv, int to)
{
    char **words = calloc((size_t)argc + 2, sizeof *words);
    if (!words ||
        (to != DESCRIBE_DESCRIPTOR ? dup2(to, DESCRIBE_DESCRIPTOR) : fcntl(to, F_SETFD, 0)) < 0)
        _exit(fail("prepare cupping-run"));
    words[0] = (char *)wrapper;
    words[1] = "--describe";
    memcpy(words + 2, argv + 1, (size_t)(argc - 1) * sizeof *words);
    execv(wrapper, words);
    _exit(fail("execute cupping-run"));
}

static void read_description(struct description *description, int from)
{
    ssize_t got;
    while ((got = read(from, description->text + description->bytes,
                       DESCRIPTION_ROOM - 1 - description->bytes)) > 0 ||
           (got < 0 && errno == EINTR))
        description->bytes += got > 0 ? (size_t)got : 0;
    description->text[description->bytes] = '\0';
}

/* Has the wrapper check its arguments and make the directory. Returns its exit status. Without a
 * command, as with --help, the description stays empty. */
static int describe_run(const char *wrapper, int argc, char **argv, struct description *description)
{
    int ends[2], status;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return fail("make a pipe");
    pid_t child = fork();
    if (child < 0)
        return fail("start a process");
    if (child == 0)
        execute_wrapper(wrapper, argc, argv, ends[1]);
    close(ends[1]);
    read_description(description, ends[0]);
    close(ends[0]);
    while (waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return fail("wait for cupping-run");
    return WIFEXITED(status) ? WEXITSTATUS(status) : CUP_EXIT_FAILED;
}

/* ---- the run ------------------------------------------------------------------------------ */

struct run {
    char **command;
    bool quiet;
    const char *directory; /* absolute */
    sigset_t mask;         /* that this process was started with */
    struct sigaction child_action;
    pid_t child;
    size_t logs; /* in the directory, before the run */
};

/* The number of the command's words, "yes" or "" for --quiet, then NAME=VALUE. */
static void apply_description(struct run *run, struct description *description, int argc,
                              char **argv)
{
    char *text = description->text, *end = text + description->bytes;
    int words = atoi(text);
    run->command = argv + (argc - words);
    text += strlen(text) + 1;
    run->quiet = *text != '\0';
    for (text += strlen(text) + 1; text < end; text += strlen(text) + 1)
        putenv(text);
    run->directory = getenv("CUPPING_DIR");
}

/* ---- the child ---------------------------------------------------------------------------- */

static void become_command(const struct run *run, pid_t parent)
{
    /* SIGKILL ends the command also if only this program's process gets it. */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent)
        raise(SIGKILL);
    sigaction(SIGCHLD, &run->child_action, NULL);
    sigprocmask(SIG_SETMASK, &run->mask, NULL);
    execvp(run->command[0], run->command);
    int status = errno == ENOENT ? 127 : 126;
    fprintf(stderr, "cupping: run: cannot execute %s: %s\n", run->command[0], strerror(errno));
    _exit(status);
}

static int start_command(struct run *run)
{
    sigset_t all;
    pid_t self = getpid();
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &run->mask);
    run->child = fork();
    if (run->child == 0)
        become_command(run, self);
    return run->child < 0 ? -1 : 0;
}

/* ---- waiting ------------------------------------------------------------------------------ */

/* Pipes and sockets must close when the command closes them. */
static void close_descriptors(void)
{
    struct rlimit most;
    bool known = getrlimit(RLIMIT_NOFILE, &most) == 0 && most.rlim_cur < MOST_DESCRIPTORS;
    for (int i = 0, end = known ? (int)most.rlim_cur : MOST_DESCRIPTORS; i < end; i++)
        if (i != STDERR_FILENO)
            close(i);
}

/* A signal of the terminal reached the command, too, because it is in the same process group. One
 * that a process sent to this process is passed on, except by the command itself. */
static void pass_signal_on(const struct run *run, const siginfo_t *signal)
{
    bool sent =
        signal->si_code == SI_USER || signal->si_code == SI_QUEUE || signal->si_code == SI_TKILL;
    if (sent && signal->si_pid != run->child)
        kill(run->child, signal->si_signo);
}

/* Stops this process by SIGNAL, of job control: all are blocked here. */
static void stop_by(int signal)
{
    sigset_t one;
    struct sigaction before;
    const struct sigaction stops = {.sa_handler = SIG_DFL};
    sigemptyset(&one);
    sigaddset(&one, signal);
    sigaction(signal, &stops, &before);
    raise(signal);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    sigprocmask(SIG_BLOCK, &one, NULL);
    sigaction(signal, &before, NULL);
}

/* Returns true and *status when the command has ended. If job control stopped it, as with Ctrl-Z,
 * this process stops by the same signal, so that whoever started it notices: a shell, or another
 * `cupping run`. SIGSTOP comes from a process that will continue the command itself. */
static bool has_ended(const struct run *run, int *status)
{
    while (waitpid(run->child, status, WNOHANG | WUNTRACED) == run->child) {
        if (!WIFSTOPPED(*status))
            return true;
        if (WSTOPSIG(*status) == SIGSTOP)
            continue;
        stop_by(WSTOPSIG(*status));
        kill(run->child, SIGCONT);
    }
    return false;
}

static int await_command(const struct run *run)
{
    sigset_t all;
    siginfo_t signal;
    int status;
    sigfillset(&all);
    while (!has_ended(run, &status))
        if (sigwaitinfo(&all, &signal) > 0 && signal.si_signo != SIGCHLD)
            pass_signal_on(run, &signal);
    return status;
}

/* ---- the end ------------------------------------------------------------------------------ */

/* The directory as the user would type it. */
static const char *shorten_path(const char *directory)
{
    char here[PATH_MAX];
    size_t length = getcwd(here, sizeof here) ? strlen(here) : 0;
    bool below = length > 1 && strncmp(directory, here, length) == 0 && directory[length] == '/';
    return below ? directory + length + 1 : directory;
}

/* ./cupping-latest is a convenience: it is replaced in one step, and failing to is no error. */
static void move_latest(const char *directory)
{
    struct stat status;
    char link[64];
    if (lstat("cupping-latest", &status) == 0 && !S_ISLNK(status.st_mode))
        return;
    snprintf(link, sizeof link, ".cupping-latest.%ld", (long)getpid());
    if (symlink(directory, link) == 0 && rename(link, "cupping-latest") != 0)
        unlink(link);
}

/* "python ended with status 1" */
static const char *describe_end(const struct run *run, int status, char to[CUP_LINE_ROOM])
{
    const char *command = run->command[0];
    return WIFEXITED(status)
               ? cup_format(to, "%s ended with status %d", command, WEXITSTATUS(status))
               : cup_format(to, "%s was ended by signal %d (%s)", command, WTERMSIG(status),
                            strsignal(WTERMSIG(status)));
}

static void print_end(const struct run *run, int status)
{
    char end[CUP_LINE_ROOM];
    const char *directory = shorten_path(run->directory);
    size_t logs = cup_log_names_count(run->directory);
    bool recorded = logs > run->logs;
    if (recorded)
        move_latest(directory);
    if (run->quiet)
        return;
    if (recorded)
        fprintf(stderr, "cupping: the profile is in %s (%s); next: cupping report %s\n", directory,
                CUP_SHOW_COUNTED(logs - run->logs, "log"), directory);
    else if (status != 0)
        fprintf(stderr, "cupping: %s before anything was recorded in %s\n",
                describe_end(run, status, end), directory);
    else
        fprintf(stderr,
                "cupping: nothing was recorded in %s: " CUP_WHY_NO_LOG
                "; check that workers elsewhere have LD_PRELOAD and CUPPING_DIR, and that "
                "CUPPING_DISABLE is not set; `cupping doctor` examines this machine and Python\n",
                directory);
}

/* Ends this process as the command ended: with its exit status, or by the same signal. */
static int end_as(int status)
{
    const struct rlimit no_core = {0, 0};
    sigset_t one;
    if (WIFEXITED(status))
        return WEXITSTATUS(status);
    int number = WTERMSIG(status);
    setrlimit(RLIMIT_CORE, &no_core); /* the command has left its own */
    signal(number, SIG_DFL);
    raise(number);
    sigemptyset(&one);
    sigaddset(&one, number);
    sigprocmask(SIG_UNBLOCK, &one, NULL);
    return 128 + number;
}

int cup_verb_run(int argc, char **argv)
{
    static struct description description; /* the environment points into it */
    char wrapper[PATH_MAX];
    struct run run = {0};
    /* argv[0] is the verb, because main() passes its arguments from there on: argv[-1] is the
     * name of this program. */
    if (cup_find_wrapper(wrapper) != 0) {
        fprintf(stderr,
                "cupping: run: cannot find cupping-run next to %s; reinstall, or call "
                "wrappers/cupping-run by its path\n",
                argv[-1]);
        return CUP_EXIT_FAILED;
    }
    const struct sigaction by_default = {.sa_handler = SIG_DFL};
    sigaction(SIGCHLD, &by_default, &run.child_action); /* if it is ignored, waitpid() fails */
    int status = describe_run(wrapper, argc, argv, &description);
    if (status != CUP_EXIT_DONE || description.bytes == 0)
        return status;
    apply_description(&run, &description, argc, argv);
    run.logs = cup_log_names_count(run.directory);
    if (start_command(&run) != 0)
        return fail("start a process");
    close_descriptors();
    status = await_command(&run);
    print_end(&run, status);
    return end_as(status);
}
