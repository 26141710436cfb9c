#include "preload/attribution/child_processes.h"

#include "preload/attribution/attribution.h"
#include "preload/attribution/helper.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/python/anchors.h"
#include "preload/python/frames.h"
#include "preload/python/python.h"
#include "preload/sys/clock.h"
#include "preload/sys/parse_number.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <errno.h>
#include <paths.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

#define VARIABLE "CUPPING_PARENT=" /* PID:TASK */

/* The task for which a process was started. */
struct parent_task {
    uint32_t pid; /* process that ran the task; 0: not known, because this process belongs to a pool
                     that serves several tasks */
    uint32_t task; /* its number there; 0: the task that the CHILD record of `pid` names, if pid is
                      known */
    bool known;    /* a task started the process, or one of its ancestors */
};

static struct {
    struct parent_task parent;
    bool forkserver; /* this is a forkserver: it forks children for any process that asks, so they
                        do not belong to its own parent task */
    int pid;         /* of this process. In a child of vfork or of a bare clone: of its parent */
    struct cup_r_parent *record;
} child;

bool cup_child_waiting;
static bool follows; /* this process was loaded with recording on: so are its children */

/* If several shells run at a time, the first one saves the actions of SIGINT and SIGQUIT, and the
 * last one restores them. */
static struct {
    uint32_t lock, count;
    struct sigaction interrupt, quit;
} shells;

/* ---- whose child ------------------------------------------------------------------------- */

/* The parent task of a process that the calling thread starts now: the task that the thread works
 * for, else the parent task of this process. The pid is taken from the log's header, since this may
 * run in a child of vfork, which has its parent's memory, but a pid of its own. */
static struct parent_task find_parent_task(void)
{
    uint32_t task = cup_attribution_task();
    if (!task)
        return child.parent;
    if (cup_helper_shared_pool_grows())
        return (struct parent_task){0, 0, true};
    return (struct parent_task){cup_log_header()->pid, task, true};
}

static struct parent_task parse_parent_task(const char *text)
{
    uint64_t pid = 0, task = 0;
    const char *colon = cup_number(text, &pid), *end = cup_number(colon + (*colon == ':'), &task);
    bool good =
        *colon == ':' && end > colon + 1 && *end == '\0' && pid <= UINT32_MAX && task <= UINT32_MAX;
    return good ? (struct parent_task){(uint32_t)pid, (uint32_t)task, true}
                : (struct parent_task){0};
}

static bool is_our_variable(const char *variable)
{
    return strncmp(variable, VARIABLE, strlen(VARIABLE)) == 0;
}

static struct parent_task read_variable(void)
{
    struct parent_task parent = {0};
    for (char **at = environ; at && *at; at++)
        if (is_our_variable(*at))
            parent = parse_parent_task(*at + strlen(VARIABLE));
    return parent;
}

/* Removes the variable from `environ` in place, as unsetenv() does. Writes nothing if it is not
 * there. */
static void remove_variable(void)
{
    char **from = environ;
    while (from && *from && !is_our_variable(*from))
        from++;
    if (!from || !*from)
        return;
    char **to = from;
    for (; *from; from++)
        if (!is_our_variable(*from))
            *to++ = *from;
    *to = NULL;
}

static bool is_forkserver(int count, char **arguments)
{
    for (int i = 1; i < count && arguments[i]; i++)
        if (strstr(arguments[i], "from multiprocessing.forkserver import main;"))
            return true;
    return false;
}

static void begin_process(struct parent_task parent, bool waits)
{
    child.parent = parent;
    child.pid = cup_raw_getpid();
    child.record = NULL;
    cup_child_waiting = waits && cup_recording_wanted();
}

void cup_child_loaded(int count, char **arguments)
{
    struct parent_task parent = read_variable();
    remove_variable();
    follows = cup_recording_wanted();
    child.forkserver = parent.known && is_forkserver(count, arguments);
    begin_process(parent, parent.known);
}

/* ---- fork -------------------------------------------------------------------------------- */

/* Parent task of the child that the calling thread is about to fork. Thread-local, since two
 * threads may fork at the same time. */
static __thread struct {
    struct parent_task parent;
    bool recorded; /* it has a log */
} forking __attribute__((tls_model("initial-exec")));

void cup_child_process_forks(void)
{
    forking.parent = find_parent_task();
    forking.recorded = cup_active();
}

/* A forkserver does not know for which task it forks a child. The process that asked for the child
 * does, and writes a CHILD record with the child's pid. So the parent task of the child, and of its
 * own children, is task 0 of that pid. */
void cup_child_begins(void)
{
    if (child.forkserver)
        forking.parent = (struct parent_task){(uint32_t)cup_raw_getpid(), 0, true};
    child.forkserver = false;
    shells.lock = 0; /* another thread of the parent may have held it */
    begin_process(forking.parent, forking.parent.known || forking.recorded);
}

/* ---- the log ----------------------------------------------------------------------------- */

static bool is_itself(void)
{
    return cup_raw_getpid() == child.pid;
}

bool cup_child_may_open_log(void)
{
    return !cup_self.guard && is_itself();
}

/* A child of a task gets a small log, since there may be thousands; a worker of a pool a full one.
 */
void cup_child_opens_log(void)
{
    cup_child_waiting = child.parent.known ? cup_recording_open_for_child() : cup_recording_open();
}

bool cup_child_reads_events(void)
{
    return !cup_child_waiting && cup_recording_wanted() && cup_python_usable() && is_itself() &&
           cup_recording_open();
}

void cup_child_log_opened(enum cup_log_size size)
{
    (void)size;
    if (!child.parent.known)
        return;
    bool itself = child.parent.pid == (uint32_t)child.pid && !child.parent.task;
    const struct cup_r_parent record = {.pid = itself ? 0 : child.parent.pid,
                                        .task = child.parent.task};
    child.record = cup_log_write(CUP_R_PARENT, &record, NULL, 0);
    if (child.record)
        cup_log_header()->parent_task = child.parent.task;
}

/* The clock is read, not computed from ticks: the conversion may be off by milliseconds if the
 * thread lost its core while it was calibrated, and then the task would end before its last read.
 */
void cup_child_read(void)
{
    if (child.record)
        __atomic_store_n(&child.record->last_read_ns, cup_clock_realtime_ns(), __ATOMIC_RELAXED);
}

/* ---- forkserver -------------------------------------------------------------------------- */

/* The calling thread reads the pid of a new child. The same function reads the child's exit status,
 * but then another one calls it. */
static bool reads_child_pid(void)
{
    struct cup_frame frame;
    return cup_frames_top(&frame) &&
           cup_frames_name(frame) == cup_anchor_name(CUP_ANCHOR_READ_SIGNED) &&
           cup_frames_back(&frame) && cup_frames_name(frame) == cup_anchor_name(CUP_ANCHOR_LAUNCH);
}

void cup_child_named(const void *answer)
{
    int64_t pid;
    if (cup_self.guard || !reads_child_pid())
        return;
    int saved = cup_enter();
    memcpy(&pid, answer, sizeof pid);
    const struct cup_r_child record = {
        .pid = (uint32_t)pid, .task = cup_attribution_task(), .time_ns = cup_clock_realtime_ns()};
    if (record.task && pid > 0 && pid <= INT32_MAX && !cup_helper_shared_pool_grows())
        cup_log_write(CUP_R_CHILD, &record, NULL, 0);
    cup_leave(saved);
}

/* ---- exec -------------------------------------------------------------------------------- */

static bool starts_with(const char *text, const char *prefix)
{
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

struct survey {
    size_t count;
    bool preloaded, recorded, marked;
};

static struct survey survey_environment(char *const environment[])
{
    struct survey found = {0};
    for (; environment[found.count] && found.count <= CUP_CHILD_MOST_VARIABLES; found.count++) {
        const char *variable = environment[found.count];
        found.preloaded |= starts_with(variable, "LD_PRELOAD=") && strstr(variable, "libcupping");
        found.recorded |= starts_with(variable, "CUPPING_DIR=") && variable[strlen("CUPPING_DIR=")];
        found.marked |= is_our_variable(variable);
    }
    return found;
}

/* The program will load the library, which removes the variable again, and there is a parent task
 * to pass on. */
static bool will_follow(struct survey found)
{
    return found.preloaded && found.recorded && find_parent_task().known;
}

/* A seccomp filter may forbid to ask. */
static bool may_be_on_signal_stack(void)
{
    stack_t stack;
    return cup_below_filter() || (sigaltstack(NULL, &stack) == 0 && stack.ss_flags & SS_ONSTACK);
}

/* If the variable is there already, a statically linked program passed it on, or another thread is
 * about to start a shell: it is replaced. The copy is on a stack, and that of a signal handler may
 * have few KiB, so an environment of more than CUP_CHILD_MOST_VARIABLES, or there of more than
 * CUP_CHILD_MOST_ON_SIGNAL_STACK, is passed on unchanged. */
size_t cup_child_room(char *const environment[])
{
    if (!follows || !environment)
        return 1;
    struct survey found = survey_environment(environment);
    bool fits = found.count <= CUP_CHILD_MOST_ON_SIGNAL_STACK ||
                (found.count <= CUP_CHILD_MOST_VARIABLES && !may_be_on_signal_stack());
    return fits && (found.marked || will_follow(found)) ? found.count + 2 : 1;
}

static char *write_variable(char *text, struct parent_task parent)
{
    strcpy(text, VARIABLE);
    char *colon = cup_number_write(text + strlen(VARIABLE), parent.pid);
    *colon = ':';
    cup_number_write(colon + 1, parent.task);
    return text;
}

char *const *cup_child_environment(char *const environment[], char **copy, size_t room,
                                   char text[CUP_CHILD_TEXT])
{
    if (room < 2)
        return environment;
    char **to = copy;
    for (size_t i = 0; environment[i] && i + 2 < room; i++)
        if (!is_our_variable(environment[i]))
            *to++ = environment[i];
    if (will_follow(survey_environment(environment)))
        *to++ = write_variable(text, find_parent_task());
    *to = NULL;
    return copy;
}

/* ---- system() ---------------------------------------------------------------------------- */

static void ignore_signals(sigset_t *defaults)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    cup_spin_lock(&shells.lock);
    if (shells.count++ == 0) {
        sigaction(SIGINT, &ignore, &shells.interrupt);
        sigaction(SIGQUIT, &ignore, &shells.quit);
    }
    sigemptyset(defaults);
    if (shells.interrupt.sa_handler != SIG_IGN)
        sigaddset(defaults, SIGINT);
    if (shells.quit.sa_handler != SIG_IGN)
        sigaddset(defaults, SIGQUIT);
    cup_spin_unlock(&shells.lock);
}

static void restore_signals(void)
{
    cup_spin_lock(&shells.lock);
    if (--shells.count == 0) {
        sigaction(SIGINT, &shells.interrupt, NULL);
        sigaction(SIGQUIT, &shells.quit, NULL);
    }
    cup_spin_unlock(&shells.lock);
}

/* Returns 0, or an error number. */
static int spawn_shell(pid_t *pid, const char *command, const sigset_t *mask,
                       const sigset_t *defaults)
{
    char *const arguments[] = {(char *)"sh", (char *)"-c", (char *)command, NULL};
    posix_spawnattr_t attributes;
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setsigmask(&attributes, mask);
    posix_spawnattr_setsigdefault(&attributes, defaults);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF | POSIX_SPAWN_SETSIGMASK);
    int error = posix_spawn(pid, _PATH_BSHELL, NULL, &attributes, arguments, environ);
    posix_spawnattr_destroy(&attributes);
    return error;
}

static int wait_for_shell(pid_t pid)
{
    int status;
    pid_t ended;
    do
        ended = waitpid(pid, &status, 0);
    while (ended < 0 && errno == EINTR);
    return ended == pid ? status : -1;
}

/* Commands like "-x" are left to libc, whose treatment of them depends on its version. */
bool cup_shell_is_ours(const char *command)
{
    return follows && command && *command != '-' && *command != '+';
}

/* A thread that is cancelled during the call goes on until the command has ended. */
int cup_shell_run(const char *command)
{
    enum { NO_SHELL = 127 << 8 }; /* as if the shell had been started and had returned 127 */
    sigset_t child_ends, before, defaults;
    int cancellation;
    pid_t pid;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &cancellation);
    ignore_signals(&defaults);
    sigemptyset(&child_ends);
    sigaddset(&child_ends, SIGCHLD);
    sigprocmask(SIG_BLOCK, &child_ends, &before);
    int error = spawn_shell(&pid, command, &before, &defaults);
    int status = error ? NO_SHELL : wait_for_shell(pid);
    restore_signals();
    int saved = error ? error : errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    pthread_setcancelstate(cancellation, NULL);
    errno = saved;
    return status;
}
