/* Wrappers of calls that block: sleep, sockets and pipes, locks, and the end of other threads.
 * Python's own locks are semaphores: hook_threads.c. */
#include "preload/hooks/waiting.h"
#include "preload/io/peer.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/python/python.h"
#include "preload/sys/hook_list.h"
#include "preload/sys/raw.h"
#include "preload/waits/gil_wait.h"

#include <errno.h>
#include <gnu/libc-version.h>
#include <linux/futex.h>
#include <string.h>
#include <sys/syscall.h>

/* Calls a function of libpthread that may be resolved lazily, and returns an error where libc has
 * none: POSIX threads return an errno value, C11 threads thrd_error. */
#define CALL_PTHREAD(name, ...) (CUP_LATER(name) ? real_##name(__VA_ARGS__) : ENOSYS)
#define CALL_C11(name, ...) (CUP_LATER(name) ? real_##name(__VA_ARGS__) : thrd_error)

/* ---- sleep ------------------------------------------------------------------------------- */

#define SLEEP_HOOK(type, name, parameters, call)                                                   \
    WAIT_HOOK(type, name, parameters, CUP_WAIT_SLEEP, CUP_WAITS, call)

SLEEP_HOOK(int, nanosleep, (const struct timespec *time, struct timespec *left),
           CUP_REAL(nanosleep)(time, left))
SLEEP_HOOK(int, __nanosleep, (const struct timespec *time, struct timespec *left),
           CUP_CALL_OPTIONAL(__nanosleep, time, left))
SLEEP_HOOK(int, clock_nanosleep,
           (clockid_t clock, int flags, const struct timespec *time, struct timespec *left),
           CUP_REAL(clock_nanosleep)(clock, flags, time, left))
SLEEP_HOOK(int, usleep, (useconds_t time), CUP_REAL(usleep)(time))
SLEEP_HOOK(unsigned, sleep, (unsigned seconds), CUP_REAL(sleep)(seconds))
SLEEP_HOOK(int, thrd_sleep, (const struct timespec *time, struct timespec *left),
           CUP_CALL_OPTIONAL(thrd_sleep, time, left))

/* ---- sockets and pipes ------------------------------------------------------------------- */

/* With a timeout of zero these calls do not wait: then their CPU time is not measured, which would
 * take longer than they do. */
static enum cup_wait_kind choose_kind(bool returns_at_once, enum cup_wait_kind otherwise)
{
    return returns_at_once ? CUP_MAY_WAIT : otherwise;
}

static bool is_zero(const struct timespec *timeout)
{
    return timeout && !timeout->tv_sec && !timeout->tv_nsec;
}

static bool is_zero_timeval(const struct timeval *timeout)
{
    return timeout && !timeout->tv_sec && !timeout->tv_usec;
}

/* COUNT: of descriptors. A call without any is a sleep: time.sleep() of Python before 3.11 is such
 * a select(). */
#define WATCH_HOOK(name, parameters, count, returns_at_once, call)                                 \
    WAIT_HOOK(int, name, parameters, (count) ? CUP_WAIT_POLL : CUP_WAIT_SLEEP,                     \
              choose_kind(returns_at_once, CUP_WAITS), call)

/* clang-format off */
WATCH_HOOK(poll, (struct pollfd *descriptors, nfds_t count, int timeout), count, !timeout,
           CUP_REAL(poll)(descriptors, count, timeout))
WATCH_HOOK(__poll, (struct pollfd *descriptors, nfds_t count, int timeout), count, !timeout,
           CUP_CALL_OPTIONAL(__poll, descriptors, count, timeout))
WATCH_HOOK(__poll_chk, (struct pollfd *descriptors, nfds_t count, int timeout, size_t capacity),
           count, !timeout, CUP_CALL_OPTIONAL(__poll_chk, descriptors, count, timeout, capacity))
WATCH_HOOK(ppoll,
           (struct pollfd *descriptors, nfds_t count, const struct timespec *timeout,
            const sigset_t *signals),
           count, is_zero(timeout), CUP_REAL(ppoll)(descriptors, count, timeout, signals))
WATCH_HOOK(__ppoll_chk,
           (struct pollfd *descriptors, nfds_t count, const struct timespec *timeout,
            const sigset_t *signals, size_t capacity),
           count, is_zero(timeout),
           CUP_CALL_OPTIONAL(__ppoll_chk, descriptors, count, timeout, signals, capacity))
WATCH_HOOK(select, (int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout),
           count, is_zero_timeval(timeout), CUP_REAL(select)(count, in, out, other, timeout))
WATCH_HOOK(__select, (int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout),
           count, is_zero_timeval(timeout),
           CUP_CALL_OPTIONAL(__select, count, in, out, other, timeout))
WATCH_HOOK(pselect,
           (int count, fd_set *in, fd_set *out, fd_set *other, const struct timespec *timeout,
            const sigset_t *signals),
           count, is_zero(timeout), CUP_REAL(pselect)(count, in, out, other, timeout, signals))
/* clang-format on */

#define LOOP_HOOK(name, parameters, returns_at_once, call)                                         \
    WAIT_HOOK(int, name, parameters, CUP_WAIT_POLL, choose_kind(returns_at_once, CUP_WAITS_LOOP),  \
              call)

LOOP_HOOK(epoll_wait, (int fd, struct epoll_event *events, int most, int timeout), !timeout,
          CUP_REAL(epoll_wait)(fd, events, most, timeout))
LOOP_HOOK(epoll_pwait,
          (int fd, struct epoll_event *events, int most, int timeout, const sigset_t *signals),
          !timeout, CUP_REAL(epoll_pwait)(fd, events, most, timeout, signals))
/* The timeout is not read: unlike those of ppoll() and select(), which libc reads itself, it may be
 * unreadable (EFAULT). */
LOOP_HOOK(epoll_pwait2,
          (int fd, struct epoll_event *events, int most, const struct timespec *timeout,
           const sigset_t *signals),
          false, CUP_CALL_OPTIONAL(epoll_pwait2, fd, events, most, timeout, signals))

static int note_accepted(int fd)
{
    cup_peer_accepted(fd);
    return fd;
}

#define POLL_HOOK(name, parameters, call)                                                          \
    WAIT_HOOK(int, name, parameters, CUP_WAIT_POLL, CUP_WAITS, call)

POLL_HOOK(accept, (int fd, __SOCKADDR_ARG address, socklen_t *bytes),
          note_accepted(CUP_REAL(accept)(fd, address, bytes)))
POLL_HOOK(accept4, (int fd, __SOCKADDR_ARG address, socklen_t *bytes, int flags),
          note_accepted(CUP_REAL(accept4)(fd, address, bytes, flags)))
/* Measured as a whole: libc queries the name server by calls of its own, which no hook sees. */
POLL_HOOK(getaddrinfo,
          (const char *host, const char *service, const struct addrinfo *hints,
           struct addrinfo **found),
          CUP_REAL(getaddrinfo)(host, service, hints, found))

/* ---- conditions -------------------------------------------------------------------------- */

static struct cup_wait *begin_condition_wait(struct cup_wait *room)
{
    if (cup_self.task)
        __atomic_store_n(&cup_native_waiter, cup_self.task, __ATOMIC_RELAXED);
    return begin_lock_wait(room);
}

static int end_condition_wait(struct cup_wait *wait, int result)
{
    uint32_t task = cup_self.task;
    if (task)
        __atomic_compare_exchange_n(&cup_native_waiter, &task, 0, false, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED);
    return end_wait(wait, result);
}

/* CPython's GIL is made of conditions and mutexes. A wait for any of them is a wait for the GIL. */
#define CONDITION_HOOK(name, parameters, call)                                                     \
    CUP_HOOK int name parameters                                                                   \
    {                                                                                              \
        struct cup_wait room, *wait = NULL;                                                        \
        bool gil = cup_gil_is(condition) && cup_gil_wait_begins(&room, mutex);                     \
        if (!cup_gil_is(condition))                                                                \
            wait = begin_condition_wait(&room);                                                    \
        int result = call;                                                                         \
        if (gil)                                                                                   \
            cup_gil_wait_ends();                                                                   \
        return gil ? result : end_condition_wait(wait, result);                                    \
    }

/* clang-format off */
CONDITION_HOOK(pthread_cond_wait, (pthread_cond_t *condition, pthread_mutex_t *mutex),
               CUP_REAL(pthread_cond_wait)(condition, mutex))
CONDITION_HOOK(pthread_cond_timedwait,
               (pthread_cond_t *condition, pthread_mutex_t *mutex, const struct timespec *until),
               CUP_REAL(pthread_cond_timedwait)(condition, mutex, until))
CONDITION_HOOK(pthread_cond_clockwait,
               (pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                const struct timespec *until),
               CALL_PTHREAD(pthread_cond_clockwait, condition, mutex, clock, until))
/* clang-format on */

/* pthread_cond_signal() may block until threads that were signalled before have run. If no thread
 * waits for the condition, as is usual, it takes nanoseconds and is not measured. Nor is it for the
 * GIL, whose mutex is locked. CPython signals the conditions of the GIL ten thousand times a
 * second. */
static inline bool may_have_waiters(const pthread_cond_t *condition)
{
#if __GLIBC_PREREQ(2, 25)
    return __builtin_expect(__atomic_load_n(&condition->__data.__wrefs, __ATOMIC_RELAXED) >> 3,
                            0) &&
           !cup_gil_is(condition);
#else
    (void)condition;
    return false;
#endif
}

/* Older libraries have no such field. */
static bool counts_waiters(void)
{
    return cup_active() && strverscmp(gnu_get_libc_version(), "2.25") >= 0;
}

static inline struct cup_wait *begin_signal(struct cup_wait *room, const pthread_cond_t *condition)
{
    return may_have_waiters(condition) && counts_waiters()
               ? begin_wait(room, CUP_WAIT_LOCK, CUP_MAY_WAIT)
               : NULL;
}

CUP_HOOK int pthread_cond_signal(pthread_cond_t *condition)
{
    struct cup_wait room, *wait = begin_signal(&room, condition);
    return end_wait(wait, CUP_REAL(pthread_cond_signal)(condition));
}

CUP_HOOK int pthread_cond_broadcast(pthread_cond_t *condition)
{
    struct cup_wait room, *wait = begin_signal(&room, condition);
    return end_wait(wait, CUP_REAL(pthread_cond_broadcast)(condition));
}

/* clang-format off */
LOCK_WAIT_HOOK(cnd_wait, (cnd_t *condition, mtx_t *mutex), CALL_C11(cnd_wait, condition, mutex))
LOCK_WAIT_HOOK(cnd_timedwait, (cnd_t *condition, mtx_t *mutex, const struct timespec *until),
               CALL_C11(cnd_timedwait, condition, mutex, until))
/* clang-format on */

/* ---- mutexes ----------------------------------------------------------------------------- */

/* Most locks are free when a thread wants them, so they are tried first: a try that fails takes a
 * few nanoseconds, and only then is there a wait to measure. Any answer other than "busy" is what
 * the call itself would return. NOT_TRIED: nothing is recorded, or libc has no such function. */
enum { NOT_TRIED = -1 };

static inline int try_mutex(pthread_mutex_t *lock)
{
    return cup_active() && real_pthread_mutex_trylock ? real_pthread_mutex_trylock(lock)
                                                      : NOT_TRIED;
}

static inline int try_mtx(mtx_t *lock)
{
    int tried = cup_active() && real_mtx_trylock ? real_mtx_trylock(lock) : NOT_TRIED;
    return tried == thrd_busy ? EBUSY : tried;
}

static inline bool is_settled(int tried)
{
    return __builtin_expect(tried != NOT_TRIED && tried != EBUSY, 1);
}

static inline struct cup_wait *begin_if_busy(struct cup_wait *room, int tried)
{
    return tried == EBUSY ? begin_lock_wait(room) : NULL;
}

/* CPython takes the mutex of the GIL a million times a second. So a load comes before the try: if
 * the mutex is free, the call itself runs and is not measured, even if another thread takes the
 * mutex in between. */
static inline bool is_free(const pthread_mutex_t *lock)
{
    return __atomic_load_n(&lock->__data.__lock, __ATOMIC_RELAXED) == 0;
}

static int wait_for_gil(pthread_mutex_t *lock)
{
    struct cup_wait room;
    bool gil = cup_gil_wait_begins(&room, lock);
    int result = CUP_REAL(pthread_mutex_lock)(lock);
    if (gil)
        cup_gil_wait_ends();
    return result;
}

CUP_HOOK int pthread_mutex_lock(pthread_mutex_t *lock)
{
    if (__builtin_expect(is_free(lock), 1))
        return CUP_REAL(pthread_mutex_lock)(lock);
    int tried = try_mutex(lock);
    if (is_settled(tried))
        return tried;
    if (cup_gil_is(lock))
        return wait_for_gil(lock);
    struct cup_wait room, *wait = begin_if_busy(&room, tried);
    return end_wait(wait, CUP_REAL(pthread_mutex_lock)(lock));
}

CUP_HOOK int pthread_mutex_unlock(pthread_mutex_t *lock)
{
    int result = CUP_REAL(pthread_mutex_unlock)(lock);
    cup_gil_wait_unlocked(lock);
    return result;
}

/* libc refuses other clocks even if the lock is free, and then the call must not be tried. */
static inline bool is_lock_clock(clockid_t clock)
{
    return clock == CLOCK_REALTIME || clock == CLOCK_MONOTONIC;
}

/* As TRY_LOCK below: a try that is made only if CONDITION holds. */
#define TRY_IF(condition, try_lock) !(condition) ? NOT_TRIED : try_lock

/* The wrapper of a function whose first argument is LOCK. TRY_LOCK: the try that goes before the
 * wait. */
#define LOCK_HOOK(name, parameters, try_lock, call)                                                \
    CUP_HOOK int name parameters                                                                   \
    {                                                                                              \
        int tried = try_lock(lock);                                                                \
        if (is_settled(tried))                                                                     \
            return tried;                                                                          \
        struct cup_wait room, *wait = begin_if_busy(&room, tried);                                 \
        return end_wait(wait, call);                                                               \
    }

/* clang-format off */
LOCK_HOOK(__pthread_mutex_lock, (pthread_mutex_t *lock), try_mutex,
          CUP_HAVE(__pthread_mutex_lock) ? real___pthread_mutex_lock(lock)
                                         : CUP_REAL(pthread_mutex_lock)(lock))
LOCK_HOOK(pthread_mutex_timedlock, (pthread_mutex_t *lock, const struct timespec *until),
          try_mutex, CALL_PTHREAD(pthread_mutex_timedlock, lock, until))
LOCK_HOOK(pthread_mutex_clocklock,
          (pthread_mutex_t *lock, clockid_t clock, const struct timespec *until),
          TRY_IF(is_lock_clock(clock), try_mutex), CALL_PTHREAD(pthread_mutex_clocklock, lock, clock, until))
LOCK_HOOK(mtx_lock, (mtx_t *lock), try_mtx, CALL_C11(mtx_lock, lock))
LOCK_HOOK(mtx_timedlock, (mtx_t *lock, const struct timespec *until), try_mtx,
          CALL_C11(mtx_timedlock, lock, until))
/* clang-format on */

/* ---- read-write locks and barriers ------------------------------------------------------- */

/* These locks are not tried: in glibc 2.25 to 2.29 a try that succeeds may leave threads that wait
 * for the lock asleep for ever (bug 23844 of glibc). If the lock's fields show that no other thread
 * is in the way, the call runs and is not measured. Before 2.25, the fields have other names, but
 * at the same places: __writers is the number of readers, and the first field is below 8. */
static inline bool may_block_writer(const pthread_rwlock_t *lock)
{
    enum { READER_SHIFT = 3 };
    return __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED) ||
           __atomic_load_n(&lock->__data.__writers, __ATOMIC_RELAXED) ||
           __atomic_load_n(&lock->__data.__readers, __ATOMIC_RELAXED) >> READER_SHIFT;
}

/* Where writers come first, the first of them that waits sets a bit of __readers, and the others
 * are counted in __writers. */
static inline bool may_block_reader(const pthread_rwlock_t *lock)
{
    enum { WRITER_WAITS = 2 };
    return __atomic_load_n(&lock->__data.__cur_writer, __ATOMIC_RELAXED) ||
           (lock->__data.__flags == PTHREAD_RWLOCK_PREFER_WRITER_NONRECURSIVE_NP &&
            (__atomic_load_n(&lock->__data.__writers, __ATOMIC_RELAXED) ||
             __atomic_load_n(&lock->__data.__readers, __ATOMIC_RELAXED) & WRITER_WAITS));
}

/* The wrapper of a function whose first argument is LOCK. */
#define RWLOCK_HOOK(name, parameters, may_block, ...)                                              \
    CUP_HOOK int name parameters                                                                   \
    {                                                                                              \
        struct cup_wait room, *wait = may_block(lock) ? begin_lock_wait(&room) : NULL;             \
        return end_wait(wait, CALL_PTHREAD(name, __VA_ARGS__));                                    \
    }

/* clang-format off */
RWLOCK_HOOK(pthread_rwlock_rdlock, (pthread_rwlock_t *lock), may_block_reader, lock)
RWLOCK_HOOK(__pthread_rwlock_rdlock, (pthread_rwlock_t *lock), may_block_reader, lock)
RWLOCK_HOOK(pthread_rwlock_timedrdlock, (pthread_rwlock_t *lock, const struct timespec *until),
            may_block_reader, lock, until)
RWLOCK_HOOK(pthread_rwlock_clockrdlock,
            (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until),
            may_block_reader, lock, clock, until)
RWLOCK_HOOK(pthread_rwlock_wrlock, (pthread_rwlock_t *lock), may_block_writer, lock)
RWLOCK_HOOK(__pthread_rwlock_wrlock, (pthread_rwlock_t *lock), may_block_writer, lock)
RWLOCK_HOOK(pthread_rwlock_timedwrlock, (pthread_rwlock_t *lock, const struct timespec *until),
            may_block_writer, lock, until)
RWLOCK_HOOK(pthread_rwlock_clockwrlock,
            (pthread_rwlock_t *lock, clockid_t clock, const struct timespec *until),
            may_block_writer, lock, clock, until)

LOCK_WAIT_HOOK(pthread_barrier_wait, (pthread_barrier_t *barrier),
               CALL_PTHREAD(pthread_barrier_wait, barrier))
/* clang-format on */

/* ---- other threads' ends ----------------------------------------------------------------- */

LOCK_WAIT_HOOK(pthread_join, (pthread_t thread, void **answer),
               CALL_PTHREAD(pthread_join, thread, answer))
LOCK_WAIT_HOOK(pthread_timedjoin_np,
               (pthread_t thread, void **answer, const struct timespec *until),
               CALL_PTHREAD(pthread_timedjoin_np, thread, answer, until))
LOCK_WAIT_HOOK(pthread_clockjoin_np,
               (pthread_t thread, void **answer, clockid_t clock, const struct timespec *until),
               CALL_PTHREAD(pthread_clockjoin_np, thread, answer, clock, until))
LOCK_WAIT_HOOK(thrd_join, (thrd_t thread, int *answer), CALL_C11(thrd_join, thread, answer))

/* ---- locks of files ---------------------------------------------------------------------- */

LOCK_WAIT_HOOK(flock, (int fd, int operation), CUP_REAL(flock)(fd, operation))
LOCK_WAIT_HOOK(lockf, (int fd, int command, off_t bytes), CUP_REAL(lockf)(fd, command, bytes))
LOCK_WAIT_HOOK(lockf64, (int fd, int command, off64_t bytes), CUP_REAL(lockf64)(fd, command, bytes))

/* ---- writes that reach the disk --------------------------------------------------------- */

#define SYNC_HOOK(name, parameters, call)                                                          \
    WAIT_HOOK(int, name, parameters, CUP_WAIT_IO, CUP_WAITS, call)

SYNC_HOOK(fsync, (int fd), CUP_REAL(fsync)(fd))
SYNC_HOOK(fdatasync, (int fd), CUP_REAL(fdatasync)(fd))
SYNC_HOOK(msync, (void *at, size_t bytes, int flags), CUP_REAL(msync)(at, bytes, flags))
SYNC_HOOK(sync_file_range, (int fd, off64_t offset, off64_t bytes, unsigned flags),
          CUP_REAL(sync_file_range)(fd, offset, bytes, flags))

/* ---- futexes: locks of Rust's standard library ------------------------------------------- */

static bool waits(int operation)
{
    switch (operation & FUTEX_CMD_MASK) {
    case FUTEX_WAIT:
    case FUTEX_WAIT_BITSET:
    case FUTEX_LOCK_PI:
#ifdef FUTEX_LOCK_PI2
    case FUTEX_LOCK_PI2:
#endif
    case FUTEX_WAIT_REQUEUE_PI:
        return true;
    default:
        return false;
    }
}

static __attribute__((used)) long call_futex(long number, long word, long operation, long value,
                                             long timeout, long other, long third)
{
    struct cup_wait room, *wait = waits((int)operation) ? begin_lock_wait(&room) : NULL;
    long result = CUP_REAL(syscall)(number, word, operation, value, timeout, other, third);
    if (wait)
        cup_wait_end(wait);
    return result;
}

/* libseccomp installs its filters so, prctl() others: hook_process.c. */
static __attribute__((used)) long call_seccomp(long number, long operation, long flags,
                                               long argument)
{
    cup_filter_comes();
    return CUP_REAL(syscall)(number, operation, flags, argument);
}

static __attribute__((used)) void find_syscall(void)
{
    (void)CUP_REAL(syscall);
}

#if defined(__x86_64__)
/* Any other system call jumps to libc's syscall() with the stack as it was: it may be a vfork(),
 * which returns twice. */
_Static_assert(SYS_futex == 202 && SYS_seccomp == 317, "the numbers below");
__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        "    endbr64\n"
        "    cmpl $202, %edi\n"
        "    je call_futex\n"
        "    cmpl $317, %edi\n"
        "    je call_seccomp\n"
        "    movq real_syscall(%rip), %rax\n"
        "    testq %rax, %rax\n"
        "    je 1f\n"
        "    jmp *%rax\n"
        "1:  push %rdi\n    push %rsi\n    push %rdx\n    push %rcx\n    push %r8\n    push %r9\n"
        "    sub $8, %rsp\n"
        "    call find_syscall\n"
        "    add $8, %rsp\n"
        "    pop %r9\n    pop %r8\n    pop %rcx\n    pop %rdx\n    pop %rsi\n    pop %rdi\n"
        "    jmp *real_syscall(%rip)\n"
        ".size syscall, . - syscall\n");
#else
CUP_HOOK long syscall(long number, ...)
{
    long argument[6];
    va_list arguments;
    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        argument[i] = va_arg(arguments, long);
    va_end(arguments);
    if (number == SYS_futex)
        return call_futex(number, argument[0], argument[1], argument[2], argument[3], argument[4],
                          argument[5]);
    if (number == SYS_seccomp)
        return call_seccomp(number, argument[0], argument[1], argument[2]);
    find_syscall();
    return real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4],
                        argument[5]);
}
#endif
