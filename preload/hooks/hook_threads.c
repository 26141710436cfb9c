/* Wrappers of semaphores, of which CPython makes its locks, and of pthread_create(). Both hand work
 * from one thread to another. */
#include "preload/attribution/helper.h"
#include "preload/coffea/coffea_calls.h"
#include "preload/coffea/requested_baskets.h"
#include "preload/dask/clock_calls.h"
#include "preload/dask/dask_tasks.h"
#include "preload/dask/runner_calls.h"
#include "preload/hooks/waiting.h"
#include "preload/python/lock_calls.h"
#include "preload/sys/hook_list.h"

#include <errno.h>

/* ---- locks ------------------------------------------------------------------------------- */

/* Calls a function of libpthread that may be resolved lazily; fails with ENOSYS where libc has
 * none. */
#define CALL_SEM(name, ...) (CUP_LATER(name) ? real_##name(__VA_ARGS__) : cup_missing())

static void note_lock_made(const sem_t *lock)
{
    if (cup_coffea_may_look())
        cup_clock_call_before_file();
    uint32_t task = cup_helper_made(lock);
    if (task)
        cup_requested_baskets_lock(task);
}

CUP_HOOK int sem_init(sem_t *lock, int shared, unsigned value)
{
    int result = CALL_SEM(sem_init, lock, shared, value);
    if (result == 0)
        note_lock_made(lock);
    return result;
}

CUP_HOOK int sem_destroy(sem_t *lock)
{
    if (cup_active())
        cup_lock_origin_gone(cup_lock_origins, (uintptr_t)lock);
    return CALL_SEM(sem_destroy, lock);
}

/* Locks of Python's multiprocessing are named semaphores. */
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
        note_lock_made(lock);
    return lock;
}

CUP_HOOK int sem_close(sem_t *lock)
{
    if (cup_active())
        cup_lock_origin_gone(cup_lock_origins, (uintptr_t)lock);
    return CALL_SEM(sem_close, lock);
}

/* The thread has just waited: looks for calls of Coffea's Runner on its stack. Keeps errno. */
static __attribute__((noinline)) void find_runner_calls(void)
{
    if (cup_self.guard)
        return;
    int saved = cup_enter();
    cup_run_woken();
    cup_leave(saved);
}

/* CPython first tries a lock while it holds the GIL. If that fails, it waits without the GIL, where
 * frames cannot be read. So they are read at the try that fails. */
static __attribute__((noinline)) void note_lock_busy(const sem_t *lock)
{
    if (cup_self.guard)
        return;
    cup_helper_found_busy(lock);
    if (cup_self.awaits_lock)
        cup_dask_lock_taken();
}

/* LOCK was taken if RESULT is 0. WAITS: by a call that waits, and does not only try. */
static inline int note_lock_taken(sem_t *lock, bool waits, int result)
{
    if (!cup_active())
        return result;
    if (result == 0 && cup_helper_took(lock, waits) && cup_self.awaits_lock)
        cup_dask_lock_taken();
    else if (result != 0 && !waits)
        note_lock_busy(lock);
    if (waits)
        cup_run_waited();
    else if (__builtin_expect(cup_runner_self.woken, 0))
        find_runner_calls();
    return result;
}

/* CPython tries a lock before it waits, other programs may not: a free lock is not measured. It is
 * only looked at, not taken, because the call itself has to run: a thread may be cancelled in
 * sem_wait() even if the lock is free. */
static inline bool is_free(sem_t *lock)
{
    int value = 0;
    return cup_active() && real_sem_getvalue && real_sem_getvalue(lock, &value) == 0 && value > 0;
}

static inline struct cup_wait *begin_sem_wait(struct cup_wait *room, sem_t *lock)
{
    return is_free(lock) ? NULL : begin_lock_wait(room);
}

static inline int end_sem_wait(struct cup_wait *wait, int result, sem_t *lock)
{
    if (__builtin_expect(cup_lock_calls_probing, 0))
        cup_lock_calls_probe(lock);
    return note_lock_taken(lock, true, end_wait(wait, result));
}

CUP_HOOK int sem_wait(sem_t *lock)
{
    struct cup_wait room, *wait = begin_sem_wait(&room, lock);
    return end_sem_wait(wait, CALL_SEM(sem_wait, lock), lock);
}

CUP_HOOK int sem_trywait(sem_t *lock)
{
    return note_lock_taken(lock, false, CALL_SEM(sem_trywait, lock));
}

CUP_HOOK int sem_timedwait(sem_t *lock, const struct timespec *until)
{
    struct cup_wait room, *wait = begin_sem_wait(&room, lock);
    return end_sem_wait(wait, CALL_SEM(sem_timedwait, lock, until), lock);
}

CUP_HOOK int sem_clockwait(sem_t *lock, clockid_t clock, const struct timespec *until)
{
    struct cup_wait room, *wait = begin_sem_wait(&room, lock);
    return end_sem_wait(wait, CALL_SEM(sem_clockwait, lock, clock, until), lock);
}

/* Noted before the call: afterwards the thread that waited may have destroyed the lock. */
CUP_HOOK int sem_post(sem_t *lock)
{
    if (cup_active()) {
        cup_helper_gives(lock);
        if (__builtin_expect(cup_runner_self.woken, 0))
            find_runner_calls();
    }
    return CALL_SEM(sem_post, lock);
}

/* ---- threads ----------------------------------------------------------------------------- */

/* What a new thread runs that inherits TASK from its creator. */
struct heir {
    void *(*routine)(void *);
    void *argument;
    uint32_t task;
};

/* First function of such a thread. ON_HEAP: a struct heir, which is freed. */
static void *run_heir(void *on_heap)
{
    struct heir heir = *(struct heir *)on_heap;
    CUP_REAL(free)(on_heap);
    cup_helper_starts(heir.task);
    return heir.routine(heir.argument);
}

static int create_heir(pthread_t *thread, const pthread_attr_t *attributes, struct heir heir)
{
    struct heir *on_heap = CUP_REAL(malloc)(sizeof *on_heap);
    if (!on_heap)
        return real_pthread_create(thread, attributes, heir.routine, heir.argument);
    *on_heap = heir;
    int result = real_pthread_create(thread, attributes, run_heir, on_heap);
    if (result)
        CUP_REAL(free)(on_heap);
    return result;
}

CUP_HOOK int pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                            void *(*routine)(void *), void *argument)
{
    if (!CUP_LATER(pthread_create))
        return ENOSYS;
    uint32_t task = cup_active() && !cup_self.guard ? cup_helper_heir((void *)routine) : 0;
    if (task)
        return create_heir(thread, attributes, (struct heir){routine, argument, task});
    return real_pthread_create(thread, attributes, routine, argument);
}
