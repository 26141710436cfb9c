/* Waits whose length is known from inside, for tests/workloads/waits_tasks.py. A wait that Python
 * makes ends with one more, for the GIL, and from Python the two cannot be told
 * apart; in here the lock is not held. Every function returns how long it was blocked, in ns. */
#include "tests/trace/truth.h"

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>

static struct timespec later(clockid_t clock, long ns)
{
    struct timespec at;
    clock_gettime(clock, &at);
    at.tv_nsec += ns;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

void truth_clocks(struct truth *now)
{
    *now = truth_now();
}

int64_t truth_sleep(long ns)
{
    struct timespec left = {ns / 1000000000, ns % 1000000000};
    return TRUTH_OF(nanosleep(&left, NULL));
}

/* As Rust's standard library waits. */
int64_t truth_futex(long ns)
{
    int word = 0;
    struct timespec patience = {ns / 1000000000, ns % 1000000000};
    return TRUTH_OF(syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &patience, NULL, 0));
}

int64_t truth_condition(long ns)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_cond_t condition = PTHREAD_COND_INITIALIZER;
    struct timespec end = later(CLOCK_REALTIME, ns);
    pthread_mutex_lock(&mutex);
    int64_t blocked = TRUTH_OF(while (pthread_cond_timedwait(&condition, &mutex, &end) == 0));
    pthread_mutex_unlock(&mutex);
    return blocked;
}

/* ---- a mutex that somebody else holds, most of the time ---- */

static pthread_mutex_t held = PTHREAD_MUTEX_INITIALIZER;

/* Runs in a thread that no task started, until *END. */
void truth_hold(volatile int *end, long ns)
{
    const struct timespec holding = {0, ns}, pause = {0, ns / 20};
    while (!*end) {
        pthread_mutex_lock(&held);
        nanosleep(&holding, NULL);
        pthread_mutex_unlock(&held);
        nanosleep(&pause, NULL);
    }
}

int64_t truth_mutex(void)
{
    int64_t blocked = TRUTH_OF(pthread_mutex_lock(&held));
    pthread_mutex_unlock(&held);
    return blocked;
}

/* ---- memory ---- */

/* Touches the pages of a mapping that a disk must bring. */
int64_t truth_touch(const volatile char *bytes, long size, long stride)
{
    return TRUTH_OF(for (long at = 0; at < size; at += stride)(void) bytes[at]);
}
