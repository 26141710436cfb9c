/* Wrappers of how a process starts another program, and of its ends that run no destructor. */
#include "preload/attribution/child_processes.h"
#include "preload/attribution/system_shell.h"
#include "preload/dask/digests.h"
#include "preload/kernel_count.h"
#include "preload/process.h"
#include "preload/sys/hook_list.h"
#include "preload/waits/wait.h"

#include <errno.h>
#include <spawn.h>

/* ---- other programs ---------------------------------------------------------------------- */

/* CALL starts a program with the environment `passed`: what the program asked for, with one
 * variable more if a task started this. Should that be too much for the kernel, without. libc's
 * own forms of exec call each other past us, so each is taken here to the one that can pass an
 * environment. All of it lives on the stack, since this may be a child of vfork. */
#define EXECUTE(environment, is_too_long, call)                                                    \
    char text[CUP_CHILD_TEXT];                                                                     \
    size_t room = cup_child_room(environment);                                                     \
    char *copy[room];                                                                              \
    char *const *passed = cup_child_environment(environment, copy, room, text);                    \
    int result = call;                                                                             \
    if (__builtin_expect(passed != (environment) && (is_too_long), 0)) {                           \
        passed = environment;                                                                      \
        result = call;                                                                             \
    }                                                                                              \
    return result

#define EXEC_FAILED (result == -1 && errno == E2BIG)
#define SPAWN_FAILED (result == E2BIG)

CUP_HOOK int execve(const char *path, char *const arguments[], char *const environment[])
{
    EXECUTE(environment, EXEC_FAILED, CUP_REAL(execve)(path, arguments, passed));
}

CUP_HOOK int execvpe(const char *file, char *const arguments[], char *const environment[])
{
    EXECUTE(environment, EXEC_FAILED, CUP_REAL(execvpe)(file, arguments, passed));
}

CUP_HOOK int fexecve(int fd, char *const arguments[], char *const environment[])
{
    EXECUTE(environment, EXEC_FAILED, CUP_REAL(fexecve)(fd, arguments, passed));
}

static int missing(void)
{
    errno = ENOSYS;
    return -1;
}

CUP_HOOK int execveat(int directory, const char *path, char *const arguments[],
                      char *const environment[], int flags)
{
    if (!CUP_HAVE(execveat))
        return missing();
    EXECUTE(environment, EXEC_FAILED, real_execveat(directory, path, arguments, passed, flags));
}

CUP_HOOK int execv(const char *path, char *const arguments[])
{
    EXECUTE(environ, EXEC_FAILED, CUP_REAL(execve)(path, arguments, passed));
}

CUP_HOOK int execvp(const char *file, char *const arguments[])
{
    EXECUTE(environ, EXEC_FAILED, CUP_REAL(execvpe)(file, arguments, passed));
}

static size_t count_arguments(va_list list)
{
    size_t count = 1;
    while (va_arg(list, char *))
        count++;
    return count;
}

/* FIRST and what follows it, up to NULL, as an array; LIST then stands behind the NULL. */
#define ARGUMENTS(first)                                                                           \
    va_list list;                                                                                  \
    va_start(list, first);                                                                         \
    size_t count = count_arguments(list);                                                          \
    va_end(list);                                                                                  \
    char *arguments[count + 1];                                                                    \
    arguments[0] = (char *)(first);                                                                \
    va_start(list, first);                                                                         \
    for (size_t i = 1; i <= count; i++)                                                            \
    arguments[i] = va_arg(list, char *)

CUP_HOOK int execl(const char *path, const char *first, ...)
{
    ARGUMENTS(first);
    va_end(list);
    EXECUTE(environ, EXEC_FAILED, CUP_REAL(execve)(path, arguments, passed));
}

CUP_HOOK int execlp(const char *file, const char *first, ...)
{
    ARGUMENTS(first);
    va_end(list);
    EXECUTE(environ, EXEC_FAILED, CUP_REAL(execvpe)(file, arguments, passed));
}

CUP_HOOK int execle(const char *path, const char *first, ...)
{
    ARGUMENTS(first);
    char *const *environment = va_arg(list, char *const *);
    va_end(list);
    EXECUTE(environment, EXEC_FAILED, CUP_REAL(execve)(path, arguments, passed));
}

CUP_HOOK int posix_spawn(pid_t *pid, const char *path, const posix_spawn_file_actions_t *actions,
                         const posix_spawnattr_t *attributes, char *const arguments[],
                         char *const environment[])
{
    EXECUTE(environment, SPAWN_FAILED,
            CUP_REAL(posix_spawn)(pid, path, actions, attributes, arguments, passed));
}

CUP_HOOK int posix_spawnp(pid_t *pid, const char *file, const posix_spawn_file_actions_t *actions,
                          const posix_spawnattr_t *attributes, char *const arguments[],
                          char *const environment[])
{
    EXECUTE(environment, SPAWN_FAILED,
            CUP_REAL(posix_spawnp)(pid, file, actions, attributes, arguments, passed));
}

CUP_HOOK int system(const char *command)
{
    return cup_shell_is_ours(command) ? cup_shell_run(command) : CUP_REAL(system)(command);
}

/* ---- children that ended ----------------------------------------------------------------- */

/* Groups of processes are not looked for: whoever waits so knows no single child. */
static idtype_t kind_of(pid_t pid)
{
    return pid > 0 ? P_PID : P_ALL;
}

static int looks(pid_t pid, int options)
{
    enum { NOT_KNOWN = -1 }; /* options that no call of ours takes */
    return pid > 0 || pid == -1 ? options : NOT_KNOWN;
}

/* A child is waited for like another thread. */
#define WAIT(pid, options, call)                                                                   \
    struct cup_wait blocked;                                                                       \
    struct cup_reaping reaped;                                                                     \
    bool waits = waits_for_child(&blocked, options);                                               \
    bool goes_on =                                                                                 \
        cup_kernel_reaping_begins(&reaped, kind_of(pid), (id_t)(pid), looks(pid, options));        \
    pid_t result = goes_on ? (call) : -1;                                                          \
    if (goes_on)                                                                                   \
        cup_kernel_reaping_ends(&reaped, result);                                                  \
    if (waits)                                                                                     \
        cup_wait_end(&blocked);                                                                    \
    return result

static bool waits_for_child(struct cup_wait *wait, int options)
{
    return !(options & WNOHANG) && cup_wait_begin(wait, CUP_WAIT_LOCK, CUP_WAITS);
}

CUP_HOOK pid_t wait(int *status)
{
    WAIT(-1, 0, CUP_REAL(wait)(status));
}

CUP_HOOK pid_t __wait(int *status)
{
    WAIT(-1, 0, CUP_HAVE(__wait) ? real___wait(status) : missing());
}

CUP_HOOK pid_t wait3(int *status, int options, struct rusage *usage)
{
    WAIT(-1, options, CUP_REAL(wait3)(status, options, usage));
}

CUP_HOOK pid_t wait4(pid_t pid, int *status, int options, struct rusage *usage)
{
    WAIT(pid, options, CUP_REAL(wait4)(pid, status, options, usage));
}

CUP_HOOK pid_t waitpid(pid_t pid, int *status, int options)
{
    WAIT(pid, options, CUP_REAL(waitpid)(pid, status, options));
}

CUP_HOOK pid_t __waitpid(pid_t pid, int *status, int options)
{
    WAIT(pid, options, CUP_HAVE(__waitpid) ? real___waitpid(pid, status, options) : missing());
}

CUP_HOOK int waitid(idtype_t type, id_t id, siginfo_t *child, int options)
{
    struct cup_wait blocked;
    struct cup_reaping reaped;
    bool reaps = (options & WEXITED) && !(options & WNOWAIT);
    bool waits = waits_for_child(&blocked, options);
    bool goes_on = cup_kernel_reaping_begins(&reaped, type, id, reaps ? options : -1);
    int result = goes_on ? CUP_REAL(waitid)(type, id, child, options) : -1;
    if (goes_on)
        cup_kernel_reaping_ends(&reaped, result ? -1 : child ? child->si_pid : reaped.child);
    if (waits)
        cup_wait_end(&blocked);
    return result;
}

/* ---- ends -------------------------------------------------------------------------------- */

CUP_HOOK void _exit(int status)
{
    cup_digests_exit(__builtin_return_address(0));
    cup_process_ends();
    CUP_REAL(_exit)(status);
    __builtin_unreachable();
}

CUP_HOOK void _Exit(int status)
{
    cup_digests_exit(__builtin_return_address(0));
    cup_process_ends();
    CUP_REAL(_Exit)(status);
    __builtin_unreachable();
}
