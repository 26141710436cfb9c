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

static uint64_t own_bytes(void)
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
    own_at_start = own_bytes();
    uint64_t count = read_count("/proc/self/io");
    if (count != CUP_UNKNOWN64)
        cup_log_header()->health[CUP_H_KERNEL_READ_START] = count;
}

/* The read of /proc/self/io itself is not in the count that it returns. */
void cup_kernel_end(void)
{
    struct cup_log_header *header = cup_log_header();
    uint64_t read_by_us = own_bytes() - own_at_start, count = read_count("/proc/self/io");
    if (count == CUP_UNKNOWN64)
        return;
    header->health[CUP_H_OWN_READ_BYTES] = read_by_us;
    header->health[CUP_H_KERNEL_READ_STOP] = count;
}

/* ---- children ---------------------------------------------------------------------------- */

/* False in a child of vfork, which shares our memory but has children of its own. */
static bool is_our_process(void)
{
    return cup_active() && cup_raw_getpid() == (int)cup_log_header()->pid;
}

/* Also before there is a log: a nanny begins to wait for its worker long before it has one. */
static bool is_counted(int options)
{
    return cup_recording_wanted() && !cup_self.guard && !(options & ~(WNOHANG | WEXITED)) &&
           (!cup_active() || is_our_process());
}

static bool has_ended(const siginfo_t *child)
{
    return child->si_pid > 0 && (child->si_code == CLD_EXITED || child->si_code == CLD_KILLED ||
                                 child->si_code == CLD_DUMPED);
}

/* In /proc a child that has ended belongs to root. Other users can only see by how much their own
 * count grows when the child is reaped; what their other threads read in these microseconds is then
 * counted as the child's. */
static void read_child_count(struct cup_reaping *reaping)
{
    char path[32] = "/proc/";
    strcpy(cup_number_write(path + strlen(path), (uint32_t)reaping->child), "/io");
    reaping->bytes = read_count(path);
    if (reaping->bytes != CUP_UNKNOWN64)
        return;
    reaping->own = own_bytes();
    reaping->before = read_count("/proc/self/io");
}

/* A handler of SIGCHLD may reap any child that has ended. The program's own wait is served before
 * the handler runs, because the kernel hands it the child inside the call. A wait of ours that does
 * not reap would return first, and then the handler would take the child. */
static bool has_rival_handler(void)
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
    if (!is_counted(options))
        return true;
    int waits = has_rival_handler() ? WNOHANG : options & WNOHANG;
    int result = CUP_REAL(waitid)(type, id, &child, WEXITED | WNOWAIT | waits);
    if (result && errno == EINTR)
        return false;
    cup_guard();
    if (result == 0 && has_ended(&child) && is_our_process()) {
        reaping->child = child.si_pid;
        read_child_count(reaping);
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
        uint64_t read_by_us = own_bytes() - reaping->own;
        bytes = read_count("/proc/self/io") - reaping->before - read_by_us;
    }
    if (bytes != CUP_UNKNOWN64)
        cup_log_health(CUP_H_REAPED_READ_BYTES, bytes);
    cup_unguard();
    errno = saved;
}
