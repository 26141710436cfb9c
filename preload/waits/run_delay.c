#include "preload/waits/run_delay.h"

#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/own_fd.h"
#include "preload/sys/parse_number.h"

#include <string.h>

static size_t read_own(char *text, size_t size)
{
    struct cup_thread *thread = &cup_self;
    size_t bytes = cup_own_fd_read(thread->schedstat, text, size);
    if (bytes || thread->no_schedstat || !cup_thread_known())
        return bytes;
    char path[64] = "/proc/self/task/";
    strcpy(cup_number_write(path + strlen(path), thread->tid), "/schedstat");
    thread->schedstat = cup_own_fd_open(path);
    bytes = cup_own_fd_read(thread->schedstat, text, size);
    thread->no_schedstat = bytes == 0; /* not tried again and again */
    if (!bytes)
        cup_log_health(CUP_H_DELAYS_UNKNOWN, 1);
    return bytes;
}

/* "CPU-time run-delay timeslices" */
uint64_t cup_run_delay_ns(void)
{
    char text[96];
    uint64_t cpu, delay = CUP_UNKNOWN64;
    if (read_own(text, sizeof text))
        cup_number(cup_number(text, &cpu), &delay);
    return delay;
}

void cup_run_delay_ends(void)
{
    cup_own_fd_close(cup_self.schedstat);
    cup_self.schedstat = 0;
}
