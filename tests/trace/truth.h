/* What a stretch of a thread's life went to, by the kernel's own clocks: the truth that tests of
 * waits hold the library against. Raw system calls, so that no hook has a part in it. */
#pragma once

#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

struct truth {
    int64_t wall_ns, cpu_ns;
    int64_t delay_ns; /* ready to run, but without a core */
};

static inline int64_t truth_clock(clockid_t clock)
{
    struct timespec now;
    syscall(SYS_clock_gettime, clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* The second number of schedstat; 0 where the kernel does not tell. */
static inline int64_t truth_delay(void)
{
    char text[96] = "", *second = text;
    int fd =
        (int)syscall(SYS_openat, AT_FDCWD, "/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return 0;
    if (syscall(SYS_read, fd, text, sizeof text - 1) > 0)
        strtoll(text, &second, 10);
    syscall(SYS_close, fd);
    return strtoll(second, NULL, 10);
}

/* The clocks are read one after the other: once more if the thread lost its core in between. */
static inline struct truth truth_now(void)
{
    struct truth now = {0, 0, truth_delay()};
    for (int i = 0; i < 10; i++) {
        int64_t delay = now.delay_ns;
        now.wall_ns = truth_clock(CLOCK_MONOTONIC);
        now.cpu_ns = truth_clock(CLOCK_THREAD_CPUTIME_ID);
        now.delay_ns = truth_delay();
        if (now.delay_ns == delay)
            break;
    }
    return now;
}

/* Neither on a core nor ready for one. */
static inline int64_t truth_blocked_ns(const struct truth *from, const struct truth *to)
{
    return (to->wall_ns - from->wall_ns) - (to->cpu_ns - from->cpu_ns) -
           (to->delay_ns - from->delay_ns);
}

/* How long CALL kept the thread blocked. */
#define TRUTH_OF(call)                                                                             \
    ({                                                                                             \
        struct truth before_ = truth_now();                                                        \
        call;                                                                                      \
        struct truth after_ = truth_now();                                                         \
        truth_blocked_ns(&before_, &after_);                                                       \
    })
