/* Wrappers of the calls by which a process starts another program, waits for a child, or ends
 * without running destructors. */
#include "preload/attribution/child_processes.h"
#include "preload/dask/digests.h"
#include "preload/hooks/waiting.h"
#include "preload/lifecycle/kernel_count.h"
#include "preload/lifecycle/recording.h"
#include "preload/sys/hook_list.h"
#include "preload/sys/raw.h"

#include <errno.h>
#include <spawn.h>

/* ---- other programs ---------------------------------------------------------------------- */

/* A program that a task starts gets the task's number in one more environment variable. If the
 * kernel finds the environment too long with it, the program is started without. The copy of the
 * environment lies on the stack, because this may be a child of vfork(). libc's forms of exec call
 * each other inside libc, where no hook sees them, so each wrapper calls the form that takes an
 * environment. */
typedef int exec_call(const char *program, char *const arguments[], char *const environment[]);

static bool is_too_long(int result)
{
    return result == -1 && errno == E2BIG;
}

static int execute(exec_call *real, const char *program, char *const arguments[],
                   char *const environment[])
{
    char text[CUP_CHILD_TEXT];
    size_t room = cup_child_room(environment);
    char *copy[room];
    char *const *passed = cup_child_environment(environment, copy, room, text);
    int result = real(program, arguments, passed);
    bool again = passed != environment && is_too_long(result);
    return again ? real(program, arguments, environment) : result;
}

CUP_HOOK int execve(const char *path, char *const arguments[], char *const environment[])
{
    return execute(CUP_REAL(execve), path, arguments, environment);
}

CUP_HOOK int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    return execute(CUP_REAL(execvpe), file, arguments, environment);
}

CUP_HOOK int execv(const char *path, char *const arguments[])
{
    return execute(CUP_REAL(execve), path, arguments, environ);
}

CUP_HOOK int execvp(const char *file, char *const arguments[])
{
    return execute(CUP_REAL(execvpe), file, arguments, environ);
}

CUP_HOOK int fexecve(int fd, char *const arguments[], char *const environment[])
{
    char text[CUP_CHILD_TEXT];
    size_t room = cup_child_room(environment);
    char *copy[room];
    char *const *passed = cup_child_environment(environment, copy, room, text);
    int result = CUP_REAL(fexecve)(fd, arguments, passed);
    bool again = passed != environment && is_too_long(result);
    return again ? real_fexecve(fd, arguments, environment) : result;
}

CUP_HOOK int execveat(int directory, const char *path, char *const arguments[],
                      char *const environment[], int flags)
{
    if (!CUP_HAVE(execveat))
        return cup_missing();
    char text[CUP_CHILD_TEXT];
    size_t room = cup_child_room(environment);
    char *copy[room];
    char *const *passed = cup_child_environment(environment, copy, room, text);
    int result = real_execveat(directory, path, arguments, passed, flags);
    bool again = passed != environment && is_too_long(result);
    return again ? real_execveat(directory, path, arguments, environment, flags) : result;
}

/* Number of arguments in LIST, up to a NULL. LIST itself is not moved. */
static size_t count_arguments(va_list list)
{
    size_t count = 0;
    va_list copy;
    va_copy(copy, list);
    while (va_arg(copy, char *))
        count++;
    va_end(copy);
    return count;
}

/* ARGUMENTS becomes FIRST, the COUNT arguments of LIST, and NULL. LIST is moved behind its NULL. */
static void copy_arguments(char **arguments, const char *first, size_t count, va_list *list)
{
    arguments[0] = (char *)first;
    for (size_t i = 1; i <= count + 1; i++)
        arguments[i] = va_arg(*list, char *);
}

CUP_HOOK int execl(const char *path, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    size_t count = count_arguments(list);
    char *arguments[count + 2];
    copy_arguments(arguments, first, count, &list);
    va_end(list);
    return execute(CUP_REAL(execve), path, arguments, environ);
}

CUP_HOOK int execlp(const char *file, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    size_t count = count_arguments(list);
    char *arguments[count + 2];
    copy_arguments(arguments, first, count, &list);
    va_end(list);
    return execute(CUP_REAL(execvpe), file, arguments, environ);
}

CUP_HOOK int execle(const char *path, const char *first, ...)
{
    va_list list;
    va_start(list, first);
    size_t count = count_arguments(list);
    char *arguments[count + 2];
    copy_arguments(arguments, first, count, &list);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    return execute(CUP_REAL(execve), path, arguments, environment);
}

typedef int spawn_call(pid_t *pid, const char *program, const posix_spawn_file_actions_t *actions,
                       const posix_spawnattr_t *attributes, char *const arguments[],
                       char *const environment[]);

/* The same for posix_spawn(), which returns the error. */
static int spawn(spawn_call *real, pid_t *pid, const char *program,
                 const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *attributes,
                 char *const arguments[], char *const environment[])
{
    char text[CUP_CHILD_TEXT];
    size_t room = cup_child_room(environment);
    char *copy[room];
    char *const *passed = cup_child_environment(environment, copy, room, text);
    int error = real(pid, program, actions, attributes, arguments, passed);
    bool again = passed != environment && error == E2BIG;
    return again ? real(pid, program, actions, attributes, arguments, environment) : error;
}

CUP_HOOK int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes, char *const arguments[],
                         char *const environment[])
{
    return spawn(CUP_REAL(posix_spawn), pid, path, actions, attributes, arguments, environment);
}

CUP_HOOK int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attributes, char *const arguments[],
                          char *const environment[])
{
    return spawn(CUP_REAL(posix_spawnp), pid, file, actions, attributes, arguments, environment);
}

CUP_HOOK int system(const char *command)
{
    return cup_shell_is_ours(command) ? cup_shell_run(command) : CUP_REAL(system)(command);
}

/* ---- children that ended ----------------------------------------------------------------- */

/* A call that waits for a child. It is measured like a wait for another thread. The child's reads
 * are noted, too: when it is reaped, the kernel adds them to its count of this process's reads. */
struct child_wait {
    struct cup_wait room, *wait;
    struct cup_reaping reaped;
    bool goes_on; /* false: the call must not be made, and fails */
};

/* OPTIONS: those of the call; -1: no child's reads are noted, because the call reaps no child, or
 * waits for a group of processes. */
static void begin_child_wait(struct child_wait *call, bool waits, idtype_t type, id_t id,
                             int options)
{
    call->wait = waits ? begin_lock_wait(&call->room) : NULL;
    call->goes_on = cup_kernel_reaping_begins(&call->reaped, type, id, options);
}

static void end_child_wait(struct child_wait *call, pid_t child)
{
    if (call->goes_on)
        cup_kernel_reaping_ends(&call->reaped, child);
    end_wait(call->wait, child);
}

/* Begins wait() or one of its siblings. PID: as for waitpid(). What a group of processes (0, or
 * below -1) has read is not noted. */
static void begin_wait_for(struct child_wait *call, pid_t pid, int options)
{
    bool is_child = pid > 0 || pid == -1;
    begin_child_wait(call, !(options & WNOHANG), pid > 0 ? P_PID : P_ALL, (id_t)pid,
                     is_child ? options : -1);
}

/* WHICH: as for waitpid(). */
#define CHILD_WAIT_HOOK(name, parameters, which, options, call)                                    \
    CUP_HOOK pid_t name parameters                                                                 \
    {                                                                                              \
        struct child_wait waiting;                                                                 \
        begin_wait_for(&waiting, which, options);                                                  \
        pid_t child = waiting.goes_on ? (call) : -1;                                               \
        end_child_wait(&waiting, child);                                                           \
        return child;                                                                              \
    }

CHILD_WAIT_HOOK(wait, (int *status), -1, 0, CUP_REAL(wait)(status))
CHILD_WAIT_HOOK(__wait, (int *status), -1, 0, CUP_CALL_OPTIONAL(__wait, status))
CHILD_WAIT_HOOK(wait3, (int *status, int options, struct rusage *usage), -1, options,
                CUP_REAL(wait3)(status, options, usage))
CHILD_WAIT_HOOK(wait4, (pid_t pid, int *status, int options, struct rusage *usage), pid, options,
                CUP_REAL(wait4)(pid, status, options, usage))
CHILD_WAIT_HOOK(waitpid, (pid_t pid, int *status, int options), pid, options,
                CUP_REAL(waitpid)(pid, status, options))
CHILD_WAIT_HOOK(__waitpid, (pid_t pid, int *status, int options), pid, options,
                CUP_CALL_OPTIONAL(__waitpid, pid, status, options))

CUP_HOOK int waitid(idtype_t type, id_t id, siginfo_t *child, int options)
{
    struct child_wait call;
    bool reaps = (options & WEXITED) && !(options & WNOWAIT);
    begin_child_wait(&call, !(options & WNOHANG), type, id, reaps ? options & ~WEXITED : -1);
    int result = call.goes_on ? CUP_REAL(waitid)(type, id, child, options) : -1;
    end_child_wait(&call, result ? -1 : child ? child->si_pid : call.reaped.child);
    return result;
}

/* ---- seccomp filters ---------------------------------------------------------------------- */

CUP_HOOK int prctl(int option, ...)
{
    unsigned long argument[4];
    va_list arguments;
    va_start(arguments, option);
    for (int i = 0; i < 4; i++)
        argument[i] = va_arg(arguments, unsigned long);
    va_end(arguments);
    if (option == PR_SET_SECCOMP)
        cup_filter_comes();
    return CUP_REAL(prctl)(option, argument[0], argument[1], argument[2], argument[3]);
}

/* ---- ends -------------------------------------------------------------------------------- */

CUP_HOOK void _exit(int status)
{
    cup_digests_exit(__builtin_return_address(0));
    cup_recording_end();
    CUP_REAL(_exit)(status);
    __builtin_unreachable();
}

CUP_HOOK void _Exit(int status)
{
    cup_digests_exit(__builtin_return_address(0));
    cup_recording_end();
    CUP_REAL(_Exit)(status);
    __builtin_unreachable();
}
