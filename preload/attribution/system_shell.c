#include "preload/attribution/system_shell.h"

#include "preload/attribution/child_processes.h"
#include "preload/sys/hook_list.h"
#include "preload/sys/spin.h"

#include <errno.h>
#include <paths.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <string.h>
#include <sys/wait.h>

/* ---- system() ---------------------------------------------------------------------------- */

/* If several shells run at a time, the first one saves the actions of SIGINT and SIGQUIT, and the
 * last one restores them. */
static struct {
    uint32_t lock, count;
    struct sigaction interrupt, quit;
} shells;

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
    return cup_child_follows() && command && *command != '-' && *command != '+';
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

void cup_shell_forked(void)
{
    shells.lock = 0;
}
