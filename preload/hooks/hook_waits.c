/* Wrappers of calls that block: sleep, sockets and pipes, locks, other threads' ends. Python's own
 * locks are semaphores: hook_threads.c. */
#include "preload/python/gil.h"
#include "preload/sys/hook_list.h"
#include "preload/sys/lazy_symbol.h"
#include "preload/waits/wait.h"

#include <linux/futex.h>
#include <sys/syscall.h>

#define SLEEP(call) return CUP_WAITING(CUP_WAIT_SLEEP, CUP_WAITS, call)
#define POLL(call) return CUP_WAITING(CUP_WAIT_POLL, CUP_WAITS, call)
#define LOOP(looks, call) return CUP_WAITING(CUP_WAIT_POLL, kind_for(looks, CUP_WAITS_LOOP), call)
#define LOCK(call) return CUP_WAITING(CUP_WAIT_LOCK, CUP_WAITS, call)

/* ---- sleep ------------------------------------------------------------------------------- */

CUP_HOOK int nanosleep(const struct timespec *time, struct timespec *left)
{
    SLEEP(CUP_REAL(nanosleep)(time, left));
}

CUP_HOOK int __nanosleep(const struct timespec *time, struct timespec *left)
{
    SLEEP(CUP_HAVE(__nanosleep) ? real___nanosleep(time, left) : cup_missing());
}

CUP_HOOK int clock_nanosleep(clockid_t clock, int flags, const struct timespec *time,
                             struct timespec *left)
{
    SLEEP(CUP_REAL(clock_nanosleep)(clock, flags, time, left));
}

CUP_HOOK int usleep(useconds_t time)
{
    SLEEP(CUP_REAL(usleep)(time));
}

CUP_HOOK unsigned sleep(unsigned seconds)
{
    SLEEP(CUP_REAL(sleep)(seconds));
}

CUP_HOOK int thrd_sleep(const struct timespec *time, struct timespec *left)
{
    SLEEP(CUP_HAVE(thrd_sleep) ? real_thrd_sleep(time, left) : cup_missing());
}

/* ---- sockets and pipes ------------------------------------------------------------------- */

/* Python before 3.11 sleeps by select() without descriptors. */
static enum cup_wait_class class_for(unsigned long descriptors)
{
    return descriptors ? CUP_WAIT_POLL : CUP_WAIT_SLEEP;
}

/* A look that does not wait is cheap, and stays so. */
static enum cup_wait_kind kind_for(bool looks, enum cup_wait_kind otherwise)
{
    return looks ? CUP_MAY_WAIT : otherwise;
}

static bool is_zero(const struct timespec *timeout)
{
    return timeout && !timeout->tv_sec && !timeout->tv_nsec;
}

#define WATCH(descriptors, looks, call)                                                            \
    return CUP_WAITING(class_for(descriptors), kind_for(looks, CUP_WAITS), call)

CUP_HOOK int poll(struct pollfd *descriptors, nfds_t count, int timeout)
{
    WATCH(count, !timeout, CUP_REAL(poll)(descriptors, count, timeout));
}

CUP_HOOK int __poll(struct pollfd *descriptors, nfds_t count, int timeout)
{
    WATCH(count, !timeout,
          CUP_HAVE(__poll) ? real___poll(descriptors, count, timeout) : cup_missing());
}

CUP_HOOK int __poll_chk(struct pollfd *descriptors, nfds_t count, int timeout, size_t room)
{
    WATCH(count, !timeout,
          CUP_HAVE(__poll_chk) ? real___poll_chk(descriptors, count, timeout, room)
                               : cup_missing());
}

CUP_HOOK int ppoll(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout,
                   const sigset_t *signals)
{
    WATCH(count, is_zero(timeout), CUP_REAL(ppoll)(descriptors, count, timeout, signals));
}

CUP_HOOK int __ppoll_chk(struct pollfd *descriptors, nfds_t count, const struct timespec *timeout,
                         const sigset_t *signals, size_t room)
{
    WATCH(count, is_zero(timeout),
          CUP_HAVE(__ppoll_chk) ? real___ppoll_chk(descriptors, count, timeout, signals, room)
                                : cup_missing());
}

CUP_HOOK int select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
    WATCH((unsigned)count, timeout && !timeout->tv_sec && !timeout->tv_usec,
          CUP_REAL(select)(count, in, out, other, timeout));
}

CUP_HOOK int __select(int count, fd_set *in, fd_set *out, fd_set *other, struct timeval *timeout)
{
    WATCH((unsigned)count, timeout && !timeout->tv_sec && !timeout->tv_usec,
          CUP_HAVE(__select) ? real___select(count, in, out, other, timeout) : cup_missing());
}

CUP_HOOK int pselect(int count, fd_set *in, fd_set *out, fd_set *other,
                     const struct timespec *timeout, const sigset_t *signals)
{
    WATCH((unsigned)count, is_zero(timeout),
          CUP_REAL(pselect)(count, in, out, other, timeout, signals));
}

CUP_HOOK int epoll_wait(int fd, struct epoll_event *events, int most, int timeout)
{
    LOOP(!timeout, CUP_REAL(epoll_wait)(fd, events, most, timeout));
}

CUP_HOOK int epoll_pwait(int fd, struct epoll_event *events, int most, int timeout,
                         const sigset_t *signals)
{
    LOOP(!timeout, CUP_REAL(epoll_pwait)(fd, events, most, timeout, signals));
}

CUP_HOOK int epoll_pwait2(int fd, struct epoll_event *events, int most,
                          const struct timespec *timeout, const sigset_t *signals)
{
    LOOP(is_zero(timeout), CUP_HAVE(epoll_pwait2)
                               ? real_epoll_pwait2(fd, events, most, timeout, signals)
                               : cup_missing());
}

CUP_HOOK int accept(int fd, __SOCKADDR_ARG address, socklen_t *bytes)
{
    POLL(CUP_REAL(accept)(fd, address, bytes));
}

CUP_HOOK int accept4(int fd, __SOCKADDR_ARG address, socklen_t *bytes, int flags)
{
    POLL(CUP_REAL(accept4)(fd, address, bytes, flags));
}

/* Its own sockets are out of sight. */
CUP_HOOK int getaddrinfo(const char *host, const char *service, const struct addrinfo *hints,
                         struct addrinfo **found)
{
    POLL(CUP_REAL(getaddrinfo)(host, service, hints, found));
}

/* ---- conditions -------------------------------------------------------------------------- */

/* The GIL is a condition with a mutex around it: both lie there. */
static enum cup_wait_class class_of(const void *lock)
{
    return cup_gil_is(lock) ? CUP_WAIT_GIL : CUP_WAIT_LOCK;
}

#define CONDITION(condition, call) return CUP_WAITING(class_of(condition), CUP_WAITS, call)

CUP_HOOK int pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    CONDITION(condition, CUP_REAL(pthread_cond_wait)(condition, mutex));
}

CUP_HOOK int pthread_cond_timedwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                    const struct timespec *until)
{
    CONDITION(condition, CUP_REAL(pthread_cond_timedwait)(condition, mutex, until));
}

CUP_HOOK int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex,
                                    clockid_t clock, const struct timespec *until)
{
    CONDITION(condition, CUP_LATER(pthread_cond_clockwait)
                             ? real_pthread_cond_clockwait(condition, mutex, clock, until)
                             : ENOSYS);
}

/* To signal may mean to wait: until threads that were signalled before have gone on. Without
 * anybody who waits, the usual case, it is a matter of nanoseconds. */
static bool is_awaited(const pthread_cond_t *condition)
{
#if __GLIBC_PREREQ(2, 25)
    return cup_active() && __atomic_load_n(&condition->__data.__wrefs, __ATOMIC_RELAXED) >> 3 &&
           cup_lazy_symbol_shows_waiters();
#else
    (void)condition;
    return false;
#endif
}

#define SIGNAL(condition, call)                                                                    \
    if (!is_awaited(condition))                                                                    \
        return call;                                                                               \
    return CUP_WAITING(class_of(condition), CUP_MAY_WAIT, call)

CUP_HOOK int pthread_cond_signal(pthread_cond_t *condition)
{
    SIGNAL(condition, CUP_REAL(pthread_cond_signal)(condition));
}

CUP_HOOK int pthread_cond_broadcast(pthread_cond_t *condition)
{
    SIGNAL(condition, CUP_REAL(pthread_cond_broadcast)(condition));
}

CUP_HOOK int cnd_wait(cnd_t *condition, mtx_t *mutex)
{
    LOCK(CUP_LATER(cnd_wait) ? real_cnd_wait(condition, mutex) : thrd_error);
}

CUP_HOOK int cnd_timedwait(cnd_t *condition, mtx_t *mutex, const struct timespec *until)
{
    LOCK(CUP_LATER(cnd_timedwait) ? real_cnd_timedwait(condition, mutex, until) : thrd_error);
}

/* ---- mutexes ----------------------------------------------------------------------------- */

/* Most are free: then nothing is to be measured. A try that fails costs a few nanoseconds, and then
 * the thread waits. What the try says but "busy" is what the call itself would have said. */
#define LOCK_UNLESS(busy, try, call)                                                               \
    if (!cup_active() || !real_##try)                                                              \
        return call;                                                                               \
    int tried = real_##try(lock);                                                                  \
    if (__builtin_expect(tried != (busy), 1))                                                      \
        return tried;                                                                              \
    return CUP_WAITING(class_of(lock), CUP_WAITS, call)

#define LOCK_IF_BUSY(try, call) LOCK_UNLESS(EBUSY, try, call)

/* Looked at before it is tried: the interpreter's lock has mutexes around it that are taken a
 * million times a second. */
static inline bool is_free(const pthread_mutex_t *lock)
{
    return __atomic_load_n(&lock->__data.__lock, __ATOMIC_RELAXED) == 0;
}

CUP_HOOK int pthread_mutex_lock(pthread_mutex_t *lock)
{
    if (__builtin_expect(is_free(lock), 1))
        return CUP_REAL(pthread_mutex_lock)(lock);
    LOCK_IF_BUSY(pthread_mutex_trylock, CUP_REAL(pthread_mutex_lock)(lock));
}

CUP_HOOK int __pthread_mutex_lock(pthread_mutex_t *lock)
{
    LOCK_IF_BUSY(pthread_mutex_trylock, CUP_HAVE(__pthread_mutex_lock)
                                            ? real___pthread_mutex_lock(lock)
                                            : CUP_REAL(pthread_mutex_lock)(lock));
}

CUP_HOOK int pthread_mutex_timedlock(pthread_mutex_t *lock, const struct timespec *until)
{
    LOCK_IF_BUSY(pthread_mutex_trylock, CUP_LATER(pthread_mutex_timedlock)
                                            ? real_pthread_mutex_timedlock(lock, until)
                                            : ENOSYS);
}

CUP_HOOK int pthread_mutex_clocklock(pthread_mutex_t *lock, clockid_t clock,
                                     const struct timespec *until)
{
    LOCK_IF_BUSY(pthread_mutex_trylock, CUP_LATER(pthread_mutex_clocklock)
                                            ? real_pthread_mutex_clocklock(lock, clock, until)
                                            : ENOSYS);
}

CUP_HOOK int mtx_lock(mtx_t *lock)
{
    LOCK_UNLESS(thrd_busy, mtx_trylock, CUP_LATER(mtx_lock) ? real_mtx_lock(lock) : thrd_error);
}

CUP_HOOK int mtx_timedlock(mtx_t *lock, const struct timespec *until)
{
    LOCK_UNLESS(thrd_busy, mtx_trylock,
                CUP_LATER(mtx_timedlock) ? real_mtx_timedlock(lock, until) : thrd_error);
}

CUP_HOOK int pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    LOCK_IF_BUSY(pthread_rwlock_tryrdlock,
                 CUP_LATER(pthread_rwlock_rdlock) ? real_pthread_rwlock_rdlock(lock) : ENOSYS);
}

CUP_HOOK int pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    LOCK_IF_BUSY(pthread_rwlock_trywrlock,
                 CUP_LATER(pthread_rwlock_wrlock) ? real_pthread_rwlock_wrlock(lock) : ENOSYS);
}

CUP_HOOK int __pthread_rwlock_rdlock(pthread_rwlock_t *lock)
{
    LOCK_IF_BUSY(pthread_rwlock_tryrdlock,
                 CUP_LATER(__pthread_rwlock_rdlock) ? real___pthread_rwlock_rdlock(lock) : ENOSYS);
}

CUP_HOOK int pthread_rwlock_timedrdlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    LOCK_IF_BUSY(pthread_rwlock_tryrdlock, CUP_LATER(pthread_rwlock_timedrdlock)
                                               ? real_pthread_rwlock_timedrdlock(lock, until)
                                               : ENOSYS);
}

CUP_HOOK int __pthread_rwlock_wrlock(pthread_rwlock_t *lock)
{
    LOCK_IF_BUSY(pthread_rwlock_trywrlock,
                 CUP_LATER(__pthread_rwlock_wrlock) ? real___pthread_rwlock_wrlock(lock) : ENOSYS);
}

CUP_HOOK int pthread_rwlock_timedwrlock(pthread_rwlock_t *lock, const struct timespec *until)
{
    LOCK_IF_BUSY(pthread_rwlock_trywrlock, CUP_LATER(pthread_rwlock_timedwrlock)
                                               ? real_pthread_rwlock_timedwrlock(lock, until)
                                               : ENOSYS);
}

CUP_HOOK int pthread_rwlock_clockrdlock(pthread_rwlock_t *lock, clockid_t clock,
                                        const struct timespec *until)
{
    LOCK_IF_BUSY(pthread_rwlock_tryrdlock, CUP_LATER(pthread_rwlock_clockrdlock)
                                               ? real_pthread_rwlock_clockrdlock(lock, clock, until)
                                               : ENOSYS);
}

CUP_HOOK int pthread_rwlock_clockwrlock(pthread_rwlock_t *lock, clockid_t clock,
                                        const struct timespec *until)
{
    LOCK_IF_BUSY(pthread_rwlock_trywrlock, CUP_LATER(pthread_rwlock_clockwrlock)
                                               ? real_pthread_rwlock_clockwrlock(lock, clock, until)
                                               : ENOSYS);
}

CUP_HOOK int pthread_barrier_wait(pthread_barrier_t *barrier)
{
    LOCK(CUP_LATER(pthread_barrier_wait) ? real_pthread_barrier_wait(barrier) : ENOSYS);
}

/* ---- other threads' ends ----------------------------------------------------------------- */

CUP_HOOK int pthread_join(pthread_t thread, void **result)
{
    LOCK(CUP_LATER(pthread_join) ? real_pthread_join(thread, result) : ENOSYS);
}

CUP_HOOK int pthread_timedjoin_np(pthread_t thread, void **result, const struct timespec *until)
{
    LOCK(CUP_LATER(pthread_timedjoin_np) ? real_pthread_timedjoin_np(thread, result, until)
                                         : ENOSYS);
}

CUP_HOOK int pthread_clockjoin_np(pthread_t thread, void **result, clockid_t clock,
                                  const struct timespec *until)
{
    LOCK(CUP_LATER(pthread_clockjoin_np) ? real_pthread_clockjoin_np(thread, result, clock, until)
                                         : ENOSYS);
}

CUP_HOOK int thrd_join(thrd_t thread, int *result)
{
    LOCK(CUP_LATER(thrd_join) ? real_thrd_join(thread, result) : thrd_error);
}

/* ---- locks of files ---------------------------------------------------------------------- */

CUP_HOOK int flock(int fd, int operation)
{
    LOCK(CUP_REAL(flock)(fd, operation));
}

CUP_HOOK int lockf(int fd, int command, off_t bytes)
{
    LOCK(CUP_REAL(lockf)(fd, command, bytes));
}

CUP_HOOK int lockf64(int fd, int command, off64_t bytes)
{
    LOCK(CUP_REAL(lockf64)(fd, command, bytes));
}

/* ---- the disk is waited for -------------------------------------------------------------- */

#define DISK(call) return CUP_WAITING(CUP_WAIT_IO, CUP_WAITS, call)

CUP_HOOK int fsync(int fd)
{
    DISK(CUP_REAL(fsync)(fd));
}

CUP_HOOK int fdatasync(int fd)
{
    DISK(CUP_REAL(fdatasync)(fd));
}

CUP_HOOK int msync(void *at, size_t bytes, int flags)
{
    DISK(CUP_REAL(msync)(at, bytes, flags));
}

CUP_HOOK int sync_file_range(int fd, off64_t offset, off64_t bytes, unsigned flags)
{
    DISK(CUP_REAL(sync_file_range)(fd, offset, bytes, flags));
}

/* ---- futexes, by Rust's standard library ------------------------------------------------- */

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
    if (waits((int)operation))
        LOCK(CUP_REAL(syscall)(number, word, operation, value, timeout, other, third));
    return CUP_REAL(syscall)(number, word, operation, value, timeout, other, third);
}

static __attribute__((used)) void find_syscall(void)
{
    (void)CUP_REAL(syscall);
}

#if defined(__x86_64__)
/* Every other call goes on as it came, with nothing of ours on the stack: its child may come back
 * from it (vfork). */
_Static_assert(SYS_futex == 202, "the number below");
__asm__(".text\n"
        ".globl syscall\n"
        ".type syscall, @function\n"
        "syscall:\n"
        "    endbr64\n"
        "    cmpl $202, %edi\n"
        "    je call_futex\n"
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
    find_syscall();
    return real_syscall(number, argument[0], argument[1], argument[2], argument[3], argument[4],
                        argument[5]);
}
#endif
