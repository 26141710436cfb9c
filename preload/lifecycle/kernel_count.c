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

/* The number in the first line, "rchar: 123"; CUP_UNKNOWN64: the file cannot be read. */
static uint64_t read_count(const char *path)
{
    char text[256] = "";
    uint64_t count = CUP_UNKNOWN64;
    cup_raw_read_text(path, text, sizeof text);
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

/* True also while no log is open: a nanny begins to wait for its worker long before it opens one.
 */
static bool is_counted(int options)
{
    return cup_recording_wanted() && !cup_self.guard && !(options & ~WNOHANG) &&
           (!cup_active() || is_our_process());
}

static bool has_ended(const siginfo_t *child)
{
    return child->si_pid > 0 && (child->si_code == CLD_EXITED || child->si_code == CLD_KILLED ||
                                 child->si_code == CLD_DUMPED);
}

/* The /proc entry of a child that has ended belongs to the user root. Any other user can only see
 * by how much the count of this process grows when it reaps the child; what its other threads read
 * during that call, which takes microseconds, is then counted as the child's. */
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

/* The program handles SIGCHLD, and this thread does not block it: the handler may reap any child
 * that has ended. Without cupping, a wait of the program gets the child before the handler runs,
 * because the kernel reaps it inside that call. A wait of ours that does not reap would return
 * first, then the handler would run and reap the child, and the program's wait would find none. */
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
    cup_leave(saved);
    return true;
}

void cup_kernel_reaping_ends(const struct cup_reaping *reaping, pid_t reaped)
{
    if (!reaping->child || reaped != reaping->child)
        return;
    int saved = cup_enter();
    uint64_t bytes = reaping->bytes;
    if (bytes == CUP_UNKNOWN64 && reaping->before != CUP_UNKNOWN64) {
        uint64_t read_by_us = own_bytes() - reaping->own;
        bytes = read_count("/proc/self/io") - reaping->before - read_by_us;
    }
    if (bytes != CUP_UNKNOWN64)
        cup_log_health(CUP_H_REAPED_READ_BYTES, bytes);
    cup_leave(saved);
}
