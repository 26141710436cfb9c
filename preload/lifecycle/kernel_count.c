#include "preload/lifecycle/kernel_count.h"

#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/hook_list.h"
#include "preload/sys/parse_number.h"
#include "preload/sys/raw.h"

#include <errno.h>
#include <signal.h>
#include <string.h>

static uint64_t own_at_start;

static uint64_t own(void)
{
    return __atomic_load_n(&cup_raw_bytes_read, __ATOMIC_RELAXED);
}

/* "rchar: 123", the first line. */
static uint64_t read_count(const char *path)
{
    char text[256] = "";
    int fd = cup_raw_open(path, O_RDONLY | O_CLOEXEC, 0);
    ssize_t bytes = fd < 0 ? 0 : cup_raw_read(fd, text, sizeof text - 1);
    if (fd >= 0)
        cup_raw_close(fd);
    text[bytes > 0 ? bytes : 0] = '\0';
    uint64_t count = CUP_UNKNOWN64;
    if (strncmp(text, "rchar:", 6) == 0)
        cup_number(text + 6, &count);
    return count;
}

void cup_kernel_log_opened(enum cup_log_size size)
{
    (void)size;
    own_at_start = own();
    uint64_t count = read_count("/proc/self/io");
    if (count != CUP_UNKNOWN64)
        cup_log_header()->health[CUP_H_KERNEL_READ_START] = count;
}

/* The read that tells is not in what it tells. */
void cup_kernel_end(void)
{
    struct cup_log_header *header = cup_log_header();
    uint64_t read_by_us = own() - own_at_start, count = read_count("/proc/self/io");
    if (count == CUP_UNKNOWN64)
        return;
    header->health[CUP_H_OWN_READ_BYTES] = read_by_us;
    header->health[CUP_H_KERNEL_READ_STOP] = count;
}

/* ---- children ---------------------------------------------------------------------------- */

/* Not in a child of vfork, which has our memory and children of its own. */
static bool is_ours(void)
{
    return cup_active() && cup_raw_getpid() == (int)cup_log_header()->pid;
}

/* Without a log, too: a nanny begins to wait for its worker before it has one, and waits long. */
static bool counts(int options)
{
    return cup_recording_wanted() && !cup_self.guard && !(options & ~(WNOHANG | WEXITED)) &&
           (!cup_active() || is_ours());
}

static bool has_ended(const siginfo_t *child)
{
    return child->si_pid > 0 && (child->si_code == CLD_EXITED || child->si_code == CLD_KILLED ||
                                 child->si_code == CLD_DUMPED);
}

/* A child that has ended belongs to root in /proc: others ask how much more is their own. What
 * their other threads read in these microseconds is then counted too. */
static void look_at(struct cup_reaping *reaping)
{
    char path[32] = "/proc/";
    strcpy(cup_number_write(path + strlen(path), (uint32_t)reaping->child), "/io");
    reaping->bytes = read_count(path);
    if (reaping->bytes != CUP_UNKNOWN64)
        return;
    reaping->own = own();
    reaping->before = read_count("/proc/self/io");
}

/* A handler of SIGCHLD may reap whoever ended. A program's own wait comes before it, since the
 * kernel gives it the child in the very call; a look would not: the handler runs when that returns.
 */
static bool is_rivalled(void)
{
    struct sigaction action;
    sigset_t blocked;
    return sigaction(SIGCHLD, NULL, &action) == 0 && action.sa_handler != SIG_DFL &&
           action.sa_handler != SIG_IGN && sigprocmask(SIG_BLOCK, NULL, &blocked) == 0 &&
           !sigismember(&blocked, SIGCHLD);
}

bool cup_kernel_reaping_begins(struct cup_reaping *reaping, idtype_t type, id_t id, int options)
{
    siginfo_t child = {.si_pid = 0};
    int saved = errno;
    reaping->child = 0;
    if (!counts(options))
        return true;
    int waits = is_rivalled() ? WNOHANG : options & WNOHANG;
    int result = CUP_REAL(waitid)(type, id, &child, WEXITED | WNOWAIT | waits);
    if (result && errno == EINTR)
        return false;
    cup_guard();
    if (result == 0 && has_ended(&child) && is_ours()) {
        reaping->child = child.si_pid;
        look_at(reaping);
    }
    cup_unguard();
    errno = saved;
    return true;
}

void cup_kernel_reaping_ends(const struct cup_reaping *reaping, pid_t reaped)
{
    if (!reaping->child || reaped != reaping->child)
        return;
    int saved = errno;
    cup_guard();
    uint64_t bytes = reaping->bytes;
    if (bytes == CUP_UNKNOWN64 && reaping->before != CUP_UNKNOWN64) {
        uint64_t read_by_us = own() - reaping->own;
        bytes = read_count("/proc/self/io") - reaping->before - read_by_us;
    }
    if (bytes != CUP_UNKNOWN64)
        cup_log_health(CUP_H_REAPED_READ_BYTES, bytes);
    cup_unguard();
    errno = saved;
}
