/* Wrappers of semaphores, which Python's locks are, and of the start of a thread: by both, work
 * goes from one thread to another. */
#include "preload/attribution/helper.h"
#include "preload/dask/runner_calls.h"
#include "preload/sys/hook_list.h"
#include "preload/sys/lazy_symbol.h"
#include "preload/waits/wait.h"

#include <errno.h>

/* ---- locks ------------------------------------------------------------------------------- */

CUP_HOOK int sem_init(sem_t *lock, int shared, unsigned value)
{
    int result = CUP_LATER(sem_init) ? real_sem_init(lock, shared, value) : cup_missing();
    if (result == 0)
        cup_helper_made(lock);
    return result;
}

CUP_HOOK int sem_destroy(sem_t *lock)
{
    if (cup_active())
        cup_lock_origin_gone(cup_lock_origins, (uintptr_t)lock);
    return CUP_LATER(sem_destroy) ? real_sem_destroy(lock) : cup_missing();
}

/* The locks of multiprocessing. */
CUP_HOOK sem_t *sem_open(const char *name, int flags, ...)
{
    va_list arguments;
    va_start(arguments, flags);
    mode_t mode = flags & O_CREAT ? va_arg(arguments, mode_t) : 0;
    unsigned value = flags & O_CREAT ? va_arg(arguments, unsigned) : 0;
    va_end(arguments);
    if (!CUP_LATER(sem_open)) {
        cup_missing();
        return SEM_FAILED;
    }
    sem_t *lock = real_sem_open(name, flags, mode, value);
    if (lock != SEM_FAILED && flags & O_CREAT)
        cup_helper_made(lock);
    return lock;
}

CUP_HOOK int sem_close(sem_t *lock)
{
    if (cup_active())
        cup_lock_origin_gone(cup_lock_origins, (uintptr_t)lock);
    return CUP_LATER(sem_close) ? real_sem_close(lock) : cup_missing();
}

static __attribute__((noinline)) void look_after_wait(void)
{
    int saved = errno;
    if (cup_self.guard)
        return;
    cup_guard();
    cup_run_woken();
    cup_unguard();
    errno = saved;
}

static inline int took(sem_t *lock, bool waited, int result)
{
    if (!cup_active())
        return result;
    if (result == 0)
        cup_helper_took(lock, waited);
    if (waited)
        cup_run_waited();
    else if (__builtin_expect(cup_self.run_woken, 0))
        look_after_wait();
    return result;
}

/* CPython has tried before it waits; others may not have. Looked at, not taken: sem_wait() is a
 * place where a thread may be cancelled, also if the lock is free. */
static inline bool is_free(sem_t *lock)
{
    int value = 0;
    return cup_active() && real_sem_getvalue && real_sem_getvalue(lock, &value) == 0 && value > 0;
}

#define TAKE(lock, call) (is_free(lock) ? (call) : CUP_WAITING(CUP_WAIT_LOCK, CUP_WAITS, call))

CUP_HOOK int sem_wait(sem_t *lock)
{
    return took(lock, true, CUP_LATER(sem_wait) ? TAKE(lock, real_sem_wait(lock)) : cup_missing());
}

CUP_HOOK int sem_trywait(sem_t *lock)
{
    return took(lock, false, CUP_LATER(sem_trywait) ? real_sem_trywait(lock) : cup_missing());
}

CUP_HOOK int sem_timedwait(sem_t *lock, const struct timespec *until)
{
    return took(lock, true,
                CUP_LATER(sem_timedwait) ? TAKE(lock, real_sem_timedwait(lock, until))
                                         : cup_missing());
}

CUP_HOOK int sem_clockwait(sem_t *lock, clockid_t clock, const struct timespec *until)
{
    return took(lock, true,
                CUP_LATER(sem_clockwait) ? TAKE(lock, real_sem_clockwait(lock, clock, until))
                                         : cup_missing());
}

/* Before the call: afterwards whoever waited may have destroyed the lock. */
CUP_HOOK int sem_post(sem_t *lock)
{
    if (cup_active()) {
        cup_helper_gives(lock);
        if (__builtin_expect(cup_self.run_woken, 0))
            look_after_wait();
    }
    return CUP_LATER(sem_post) ? real_sem_post(lock) : cup_missing();
}

/* ---- threads ----------------------------------------------------------------------------- */

struct start {
    void *(*routine)(void *);
    void *argument;
    uint32_t task;
};

static void *start(void *what)
{
    struct start start = *(struct start *)what;
    CUP_REAL(free)(what);
    cup_helper_starts(start.task);
    return start.routine(start.argument);
}

static int create_heir(pthread_t *thread, const pthread_attr_t *attributes, struct start heir)
{
    struct start *what = CUP_REAL(malloc)(sizeof *what);
    if (!what)
        return real_pthread_create(thread, attributes, heir.routine, heir.argument);
    *what = heir;
    int result = real_pthread_create(thread, attributes, start, what);
    if (result)
        CUP_REAL(free)(what);
    return result;
}

CUP_HOOK int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*routine)(void *), void *argument)
{
    if (!CUP_LATER(pthread_create))
        return ENOSYS;
    uint32_t task = cup_active() && !cup_self.guard ? cup_helper_heir((void *)routine) : 0;
    if (task)
        return create_heir(thread, attributes, (struct start){routine, argument, task});
    return real_pthread_create(thread, attributes, routine, argument);
}
