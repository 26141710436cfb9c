#include "cli/group_signals.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- the helper --------------------------------------------------------------------------- */

/* The parent sends SIGRTMAX to ask which signals have come. The kernel delivers it after all others
 * that are pending; then 0 is written. */
static void write_numbers(pid_t parent, int to)
{
    sigset_t all;
    siginfo_t signal;
    sigfillset(&all);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    close(STDERR_FILENO);
    while (getppid() == parent) {
        int number = sigwaitinfo(&all, &signal);
        bool asked = number > 0 && signal.si_pid == parent;
        unsigned char byte = asked ? 0 : (unsigned char)number;
        if (number <= 0 || (asked && number != SIGRTMAX))
            continue;
        if (write(to, &byte, 1) != 1)
            break;
    }
    _exit(0);
}

void cup_group_signals_start(struct cup_group_signals *group)
{
    int ends[2];
    pid_t self = getpid();
    *group = (struct cup_group_signals){.helper = -1, .numbers = -1};
    if (pipe2(ends, O_CLOEXEC) != 0)
        return;
    group->numbers = ends[0];
    group->helper = fork();
    if (group->helper == 0)
        write_numbers(self, ends[1]);
    close(ends[1]);
}

void cup_group_signals_end(struct cup_group_signals *group)
{
    close(group->numbers);
    if (group->helper < 0)
        return;
    kill(group->helper, SIGKILL);
    while (waitpid(group->helper, NULL, 0) < 0 && errno == EINTR)
        continue;
}

/* ---- this process ------------------------------------------------------------------------- */

static void read_numbers(struct cup_group_signals *group)
{
    unsigned char number;
    ssize_t got;
    /* The kernel holds a lock while it sends a signal to the processes of a group, and setpgid()
     * waits for the lock. So the helper has each signal that this process has. */
    setpgid(0, getpgrp());
    kill(group->helper, SIGCONT); /* it may have been stopped with the group */
    if (kill(group->helper, SIGRTMAX) != 0)
        return;
    while ((got = read(group->numbers, &number, 1)) == 1 || (got < 0 && errno == EINTR)) {
        if (got == 1 && number == 0)
            break;
        if (got == 1 && number < CUP_SIGNALS)
            group->received[number]++;
    }
}

bool cup_group_signals_take(struct cup_group_signals *group, int number)
{
    sigset_t pending;
    if (group->helper < 0)
        return false;
    read_numbers(group);
    bool taken = group->received[number] > 0;
    if (taken)
        group->received[number]--;
    /* One signal here may be several of the helper's: a process has a signal below SIGRTMIN pending
     * only once. */
    sigpending(&pending);
    for (int i = 1; i < CUP_SIGNALS; i++)
        if (sigismember(&pending, i) != 1)
            group->received[i] = 0;
    return taken;
}
