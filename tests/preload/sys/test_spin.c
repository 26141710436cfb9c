#include <criterion/criterion.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "preload/sys/spin.h"

static uint32_t lock, waiter;

static void *wait_for_lock(void *unused)
{
    (void)unused;
    __atomic_store_n(&waiter, (uint32_t)syscall(SYS_gettid), __ATOMIC_RELEASE);
    cup_spin_lock(&lock);
    cup_spin_unlock(&lock);
    return NULL;
}

/* The state of a thread, as in /proc: R runs or may run, S sleeps. */
static char state_of(uint32_t tid)
{
    char path[64], state = 0;
    snprintf(path, sizeof path, "/proc/self/task/%u/stat", tid);
    FILE *file = fopen(path, "r");
    if (file && fscanf(file, "%*d (%*[^)]) %c", &state) != 1)
        state = 0;
    if (file)
        fclose(file);
    return state;
}

/* The lock's owner may wait for a file system for minutes. */
Test(spin, a_thread_that_waits_for_long_sleeps, .timeout = 60)
{
    pthread_t thread;
    cup_spin_lock(&lock);
    cr_assert_eq(pthread_create(&thread, NULL, wait_for_lock, NULL), 0);
    uint32_t tid;
    while (!(tid = __atomic_load_n(&waiter, __ATOMIC_ACQUIRE)))
        usleep(100);
    while (state_of(tid) != 'S')
        usleep(100);
    cup_spin_unlock(&lock);
    cr_expect_eq(pthread_join(thread, NULL), 0);
}
