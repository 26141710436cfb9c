#include "preload/waits/run_delay.h"

#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/own_fd.h"
#include "preload/sys/parse_number.h"

#include <string.h>

static __thread struct {
    uint32_t schedstat; /* entry of own_fd.h; 0: not open */
    bool refused;       /* the file could not be read: it is not opened again */
} own __attribute__((tls_model("initial-exec")));

static size_t read_schedstat(char *text, size_t size)
{
    size_t bytes = cup_own_fd_read(own.schedstat, text, size);
    if (bytes || own.refused || !cup_thread_known())
        return bytes;
    char path[64] = "/proc/self/task/";
    strcpy(cup_number_write(path + strlen(path), cup_self.tid), "/schedstat");
    own.schedstat = cup_own_fd_open(path);
    bytes = cup_own_fd_read(own.schedstat, text, size);
    own.refused = bytes == 0;
    if (!bytes)
        cup_log_health(CUP_H_DELAYS_UNKNOWN, 1);
    return bytes;
}

/* The file has one line: CPU time, run delay (both in nanoseconds), number of time slices. */
uint64_t cup_run_delay_ns(void)
{
    char text[96];
    uint64_t cpu, delay = CUP_UNKNOWN64;
    if (read_schedstat(text, sizeof text))
        cup_number(cup_number(text, &cpu), &delay);
    return delay;
}

void cup_run_delay_thread_ends(void)
{
    cup_own_fd_close(own.schedstat);
    own.schedstat = 0;
}

/* sys/own_fd, whose row is above this one, has closed the descriptor. */
void cup_run_delay_child_begins(void)
{
    own.schedstat = 0;
    own.refused = false;
}
