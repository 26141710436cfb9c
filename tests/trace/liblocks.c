/* Semaphores, which Python's locks are, and threads: a program must not notice that the library
 * watches them. */
#include "tests/trace/trace.h"

#include <limits.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdlib.h>
#include <time.h>

static struct timespec moment(clockid_t clock, long ms)
{
    struct timespec at;
    clock_gettime(clock, &at);
    at.tv_nsec += ms * 1000000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

void try_sem_init(struct trace *trace)
{
    sem_t lock;
    SAY(trace, sem_init(&lock, 0, 3));
    SAY(trace, sem_init(&lock, 0, (unsigned)SEM_VALUE_MAX + 1u));
    SAY(trace, sem_destroy(&lock));
}

void try_sem_open(struct trace *trace)
{
    char name[64];
    snprintf(name, sizeof name, "/cupping-%d", getpid());
    sem_t *lock = SAY_POINTER(trace, sem_open(name, O_CREAT | O_EXCL, 0600, 2));
    sem_t *again = SAY_POINTER(trace, sem_open(name, 0));
    say(trace, "the same %d\n", lock == again);
    errno = ERRNO_BEFORE;
    say(trace, "%d %d\n", sem_open(name, O_CREAT | O_EXCL, 0600, 2) == SEM_FAILED, errno);
    int value = 0;
    sem_getvalue(lock, &value);
    say(trace, "value %d\n", value);
    sem_close(again);
    sem_close(lock);
    sem_unlink(name);
}

void try_sem_close(struct trace *trace)
{
    char name[64];
    snprintf(name, sizeof name, "/cupping-close-%d", getpid());
    sem_t *lock = sem_open(name, O_CREAT, 0600, 1);
    SAY(trace, sem_wait(lock));
    SAY(trace, sem_post(lock));
    SAY(trace, sem_close(lock));
    SAY(trace, sem_unlink(name));
}

void try_sem_destroy(struct trace *trace)
{
    sem_t lock;
    for (int i = 0; i < 3; i++) { /* the same memory, again and again */
        SAY(trace, sem_init(&lock, 0, 1));
        SAY(trace, sem_trywait(&lock));
        SAY(trace, sem_destroy(&lock));
    }
}

void try_sem_trywait(struct trace *trace)
{
    sem_t lock;
    sem_init(&lock, 0, 1);
    SAY(trace, sem_trywait(&lock));
    SAY(trace, sem_trywait(&lock)); /* EAGAIN */
    SAY(trace, sem_post(&lock));
    SAY(trace, sem_trywait(&lock));
}

void try_sem_timedwait(struct trace *trace)
{
    sem_t lock;
    sem_init(&lock, 0, 1);
    struct timespec soon = moment(CLOCK_REALTIME, 5), wrong = {0, -1};
    SAY(trace, sem_timedwait(&lock, &soon));
    SAY(trace, sem_timedwait(&lock, &soon)); /* ETIMEDOUT */
    SAY(trace, sem_timedwait(&lock, &wrong));
}

void try_sem_clockwait(struct trace *trace)
{
#if __GLIBC_PREREQ(2, 30)
    sem_t lock;
    sem_init(&lock, 0, 1);
    struct timespec soon = moment(CLOCK_MONOTONIC, 5);
    SAY(trace, sem_clockwait(&lock, CLOCK_MONOTONIC, &soon));
    SAY(trace, sem_clockwait(&lock, CLOCK_MONOTONIC, &soon));
    SAY(trace, sem_clockwait(&lock, CLOCK_THREAD_CPUTIME_ID, &soon));
#else
    say(trace, "none here\n");
#endif
}

void try_sem_post(struct trace *trace)
{
    sem_t lock;
    sem_init(&lock, 0, SEM_VALUE_MAX);
    SAY(trace, sem_post(&lock)); /* EOVERFLOW */
    int value = 0;
    sem_getvalue(&lock, &value);
    say(trace, "value %d\n", value);
}

static sem_t ask, answer;

static void *answers(void *unused)
{
    errno = ERRNO_BEFORE;
    for (int i = 0; i < 1000; i++) {
        sem_wait(&ask);
        sem_post(&answer);
    }
    return errno == ERRNO_BEFORE ? unused : NULL;
}

void try_sem_wait(struct trace *trace)
{
    pthread_t thread;
    void *result = NULL;
    sem_init(&ask, 0, 0);
    sem_init(&answer, 0, 0);
    SAY(trace, pthread_create(&thread, NULL, answers, &ask));
    for (int i = 0; i < 1000; i++) {
        sem_post(&ask);
        sem_wait(&answer);
    }
    SAY(trace, pthread_join(thread, &result));
    say(trace, "%s\n", result == &ask ? "errno kept" : "errno changed");
}

static void *returns_twice(void *number)
{
    *(int *)number *= 2;
    return number;
}

void try_pthread_create(struct trace *trace)
{
    pthread_t thread;
    pthread_attr_t attributes;
    int number = 21;
    void *result = NULL;
    SAY(trace, pthread_create(&thread, NULL, returns_twice, &number));
    SAY(trace, pthread_join(thread, &result));
    say(trace, "%d %d\n", number, result == &number);
    pthread_attr_init(&attributes);
    pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    sem_init(&ask, 0, 0);
    SAY(trace, pthread_create(&thread, &attributes, answers, NULL));
    for (int i = 0; i < 1000; i++)
        sem_post(&ask);
    SAY(trace, pthread_attr_setstacksize(&attributes, 1)); /* EINVAL */
    for (int i = 0; i < 1000; i++)
        sem_wait(&answer);
}

#if __GLIBC_PREREQ(2, 30)
/* Arguments that libc refuses although the lock is free: the lock stays free. */
void refused_arguments_of_locks(struct trace *trace)
{
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_rwlock_t lock = PTHREAD_RWLOCK_INITIALIZER;
    struct timespec later = moment(CLOCK_REALTIME, 100), no_time = {later.tv_sec, 2000000000};
    SAY(trace, pthread_mutex_clocklock(&mutex, CLOCK_PROCESS_CPUTIME_ID, &later));
    SAY(trace, pthread_mutex_trylock(&mutex));
    SAY(trace, pthread_mutex_unlock(&mutex));
    SAY(trace, pthread_mutex_timedlock(&mutex, &no_time));
    SAY(trace, pthread_mutex_timedlock(&mutex, &no_time));
    SAY(trace, pthread_mutex_unlock(&mutex));
    SAY(trace, pthread_rwlock_timedrdlock(&lock, &no_time));
    SAY(trace, pthread_rwlock_timedwrlock(&lock, &no_time));
    SAY(trace, pthread_rwlock_clockrdlock(&lock, CLOCK_REALTIME, &no_time));
    SAY(trace, pthread_rwlock_clockwrlock(&lock, CLOCK_REALTIME, &no_time));
    SAY(trace, pthread_rwlock_clockrdlock(&lock, CLOCK_THREAD_CPUTIME_ID, &later));
    SAY(trace, pthread_rwlock_clockwrlock(&lock, CLOCK_THREAD_CPUTIME_ID, &later));
    SAY(trace, pthread_rwlock_trywrlock(&lock));
    SAY(trace, pthread_rwlock_unlock(&lock));
}
#endif
