/* Every call that blocks, once, for about as long as WAIT_MS: results and errno are the same with
 * the library, and each wait is counted in its class. A thread that no task started ends each
 * wait; its own sleeps bypass the hooks, so the wait for it is counted as a wait and nothing else.
 */
#include "tests/trace/truth.h"
#include "tests/trace/try.h"

#include <fcntl.h>
#include <linux/futex.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <setjmp.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <threads.h>
#include <time.h>

enum { WAIT_MS = 30 };

/* A function whose waits are all known: those of a class that it does not name are none. */
#define WAITS(name)                                                                                \
    static void body_##name(struct trace *trace);                                                  \
    void name(struct trace *trace)                                                                 \
    {                                                                                              \
        trace->io_wait_ns = trace->gil_wait_ns = trace->lock_wait_ns = trace->sleep_ns =           \
            trace->poll_wait_ns = 0;                                                               \
        body_##name(trace);                                                                        \
    }                                                                                              \
    static void body_##name(struct trace *trace)

/* The same for names that headers keep to themselves. */
#define WAITS_BY_NAME(name, class, prepare, done, ...)                                             \
    WAITS(try_##name)                                                                              \
    {                                                                                              \
        __typeof__(name) *reached = (__typeof__(name) *)reach(trace, #name);                       \
        if (!reached)                                                                              \
            return;                                                                                \
        prepare;                                                                                   \
        trace->class += TRUTH_OF(SAY(trace, reached(__VA_ARGS__)));                                \
        done;                                                                                      \
    }

#define SAY_WAIT(trace, class, call) ((trace)->class += TRUTH_OF(SAY(trace, call)))

/* ---- time --------------------------------------------------------------------------------------
 */

static struct timespec length(long ms)
{
    return (struct timespec){ms / 1000, ms % 1000 * 1000000};
}

static struct timespec moment(clockid_t clock, long ms)
{
    struct timespec at;
    clock_gettime(clock, &at);
    at.tv_nsec += ms * 1000000;
    at.tv_sec += at.tv_nsec / 1000000000;
    at.tv_nsec %= 1000000000;
    return at;
}

static void unseen_nap(long ms)
{
    struct timespec left = length(ms);
    while (syscall(SYS_nanosleep, &left, &left) && errno == EINTR)
        ;
}

/* ---- the other thread --------------------------------------------------------------------------
 */

static void (*_Atomic now)(void), (*_Atomic later)(void);

static void do_errand(void (*_Atomic *errand)(void), long after_ms)
{
    void (*what)(void) = *errand;
    if (!what)
        return;
    unseen_nap(after_ms);
    what();
    *errand = NULL;
}

static void *other_thread(void *unused)
{
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
    for (;; unseen_nap(1)) {
        do_errand(&now, 0);
        do_errand(&later, WAIT_MS);
    }
    return unused;
}

__attribute__((constructor)) static void start_other_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, other_thread, NULL);
    pthread_detach(thread);
}

/* Returns when the other thread has done it. */
static void other_does(void (*what)(void))
{
    now = what;
    while (now)
        unseen_nap(1);
}

static void other_will(void (*what)(void))
{
    later = what;
}

static void until_done(void)
{
    while (later)
        unseen_nap(1);
}

/* ---- sleeping ----------------------------------------------------------------------------------
 */

WAITS(try_nanosleep)
{
    struct timespec nap = length(WAIT_MS), wrong = {0, -1};
    SAY_WAIT(trace, sleep_ns, nanosleep(&nap, NULL));
    SAY(trace, nanosleep(&wrong, NULL));
}

WAITS(try_clock_nanosleep)
{
    struct timespec nap = length(WAIT_MS), until;
    SAY_WAIT(trace, sleep_ns, clock_nanosleep(CLOCK_MONOTONIC, 0, &nap, NULL));
    until = moment(CLOCK_REALTIME, WAIT_MS);
    SAY_WAIT(trace, sleep_ns, clock_nanosleep(CLOCK_REALTIME, TIMER_ABSTIME, &until, NULL));
    SAY(trace, clock_nanosleep(9999, 0, &nap, NULL)); /* EINVAL as a result */
}

WAITS(try_usleep)
{
    SAY_WAIT(trace, sleep_ns, usleep(WAIT_MS * 1000));
}

WAITS(try_thrd_sleep)
{
    struct timespec nap = length(WAIT_MS);
    SAY_WAIT(trace, sleep_ns, thrd_sleep(&nap, NULL));
}

static struct timespec half_length;

WAITS_BY_NAME(__nanosleep, sleep_ns, half_length = length(WAIT_MS / 2), , &half_length, NULL)

static void nothing(int number)
{
    (void)number;
}

static struct sigaction before_alarm;

/* SIGALRM in so many ms, which interrupts. */
static void alarm_in(long ms, void (*handler)(int))
{
    struct sigaction action = {.sa_handler = handler};
    struct itimerval timer = {.it_value = {0, ms * 1000}};
    sigaction(SIGALRM, &action, &before_alarm);
    setitimer(ITIMER_REAL, &timer, NULL);
}

static void no_alarm(void)
{
    sigaction(SIGALRM, &before_alarm, NULL);
}

WAITS(try_sleep)
{
    alarm_in(WAIT_MS, nothing);
    SAY_WAIT(trace, sleep_ns, sleep(1)); /* 1: not slept in full */
    no_alarm();
}

/* Waiting for no descriptor is sleeping. */
WAITS(poll_of_nothing)
{
    struct timeval half = {0, WAIT_MS * 1000};
    struct timespec nap = length(WAIT_MS);
    SAY_WAIT(trace, sleep_ns, poll(NULL, 0, WAIT_MS));
    SAY_WAIT(trace, sleep_ns, ppoll(NULL, 0, &nap, NULL));
    SAY_WAIT(trace, sleep_ns, select(0, NULL, NULL, NULL, &half));
    SAY_WAIT(trace, sleep_ns, pselect(0, NULL, NULL, NULL, &nap, NULL));
}

/* ---- locks -------------------------------------------------------------------------------------
 */

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t condition = PTHREAD_COND_INITIALIZER;

static void lock_mutex(void)
{
    pthread_mutex_lock(&mutex);
}

static void unlock_mutex(void)
{
    pthread_mutex_unlock(&mutex);
}

static void signal_condition(void)
{
    pthread_mutex_lock(&mutex);
    pthread_cond_signal(&condition);
    pthread_mutex_unlock(&mutex);
}

static void begin_mutex(void)
{
    other_does(lock_mutex);
    other_will(unlock_mutex);
}

WAITS(try_pthread_mutex_unlock)
{
    pthread_mutex_t checked = PTHREAD_MUTEX_INITIALIZER;
    SAY(trace, pthread_mutex_lock(&checked));
    SAY(trace, pthread_mutex_unlock(&checked));
    SAY(trace, pthread_mutex_trylock(&checked));
    SAY(trace, pthread_mutex_unlock(&checked));
}

WAITS(try_pthread_mutex_lock)
{
    begin_mutex();
    SAY_WAIT(trace, lock_wait_ns, pthread_mutex_lock(&mutex));
    SAY(trace, pthread_mutex_unlock(&mutex));
}

WAITS_BY_NAME(__pthread_mutex_lock, lock_wait_ns, begin_mutex(), pthread_mutex_unlock(&mutex),
              &mutex)

WAITS(try_pthread_mutex_timedlock)
{
    other_does(lock_mutex);
    struct timespec end = moment(CLOCK_REALTIME, WAIT_MS);
    SAY_WAIT(trace, lock_wait_ns, pthread_mutex_timedlock(&mutex, &end)); /* ETIMEDOUT */
    other_does(unlock_mutex);
    SAY(trace, pthread_mutex_timedlock(&mutex, &end));
    SAY(trace, pthread_mutex_unlock(&mutex));
}

WAITS(try_pthread_cond_wait)
{
    pthread_mutex_lock(&mutex);
    other_will(signal_condition);
    SAY_WAIT(trace, lock_wait_ns, pthread_cond_wait(&condition, &mutex));
    SAY(trace, pthread_mutex_unlock(&mutex));
    until_done();
}

WAITS(try_pthread_cond_timedwait)
{
    pthread_mutex_lock(&mutex);
    struct timespec end = moment(CLOCK_REALTIME, WAIT_MS);
    SAY_WAIT(trace, lock_wait_ns, pthread_cond_timedwait(&condition, &mutex, &end));
    other_will(signal_condition);
    end = moment(CLOCK_REALTIME, 5000);
    SAY_WAIT(trace, lock_wait_ns, pthread_cond_timedwait(&condition, &mutex, &end));
    SAY(trace, pthread_mutex_unlock(&mutex));
    until_done();
}

/* Seldom a wait, and none here. */
WAITS(try_pthread_cond_signal)
{
    SAY(trace, pthread_cond_signal(&condition));
}

WAITS(try_pthread_cond_broadcast)
{
    SAY(trace, pthread_cond_broadcast(&condition));
}

#if __GLIBC_PREREQ(2, 30)
WAITS(try_pthread_mutex_clocklock)
{
    other_does(lock_mutex);
    struct timespec end = moment(CLOCK_MONOTONIC, WAIT_MS);
    SAY_WAIT(trace, lock_wait_ns, pthread_mutex_clocklock(&mutex, CLOCK_MONOTONIC, &end));
    other_does(unlock_mutex);
}

WAITS(try_pthread_cond_clockwait)
{
    pthread_mutex_lock(&mutex);
    struct timespec end = moment(CLOCK_MONOTONIC, WAIT_MS);
    SAY_WAIT(trace, lock_wait_ns,
             pthread_cond_clockwait(&condition, &mutex, CLOCK_MONOTONIC, &end));
    SAY(trace, pthread_mutex_unlock(&mutex));
}
#endif

static pthread_rwlock_t rwlock = PTHREAD_RWLOCK_INITIALIZER;

static void write_lock(void)
{
    pthread_rwlock_wrlock(&rwlock);
}

static void unlock_rwlock(void)
{
    pthread_rwlock_unlock(&rwlock);
}

static void begin_rwlock(void)
{
    other_does(write_lock);
    other_will(unlock_rwlock);
}

WAITS_BY_NAME(__pthread_rwlock_rdlock, lock_wait_ns, begin_rwlock(), pthread_rwlock_unlock(&rwlock),
              &rwlock)
WAITS_BY_NAME(__pthread_rwlock_wrlock, lock_wait_ns, begin_rwlock(), pthread_rwlock_unlock(&rwlock),
              &rwlock)

WAITS(try_pthread_rwlock_rdlock)
{
    begin_rwlock();
    SAY_WAIT(trace, lock_wait_ns, pthread_rwlock_rdlock(&rwlock));
    SAY(trace, pthread_rwlock_unlock(&rwlock));
}

WAITS(try_pthread_rwlock_wrlock)
{
    begin_rwlock();
    SAY_WAIT(trace, lock_wait_ns, pthread_rwlock_wrlock(&rwlock));
    SAY(trace, pthread_rwlock_unlock(&rwlock));
}

static void read_lock(void)
{
    pthread_rwlock_rdlock(&rwlock);
}

WAITS(writer_waits_for_readers)
{
    other_does(read_lock);
    other_will(unlock_rwlock);
    SAY_WAIT(trace, lock_wait_ns, pthread_rwlock_wrlock(&rwlock));
    SAY(trace, pthread_rwlock_unlock(&rwlock));
}

WAITS(try_pthread_rwlock_timedrdlock)
{
    other_does(write_lock);
    struct timespec end = moment(CLOCK_REALTIME, WAIT_MS);
    SAY_WAIT(trace, lock_wait_ns, pthread_rwlock_timedrdlock(&rwlock, &end));
    other_does(unlock_rwlock);
}

WAITS(try_pthread_rwlock_timedwrlock)
{
    other_does(write_lock);
    struct timespec end = moment(CLOCK_REALTIME, WAIT_MS);
    SAY_WAIT(trace, lock_wait_ns, pthread_rwlock_timedwrlock(&rwlock, &end));
    other_does(unlock_rwlock);
}

#if __GLIBC_PREREQ(2, 30)
WAITS(try_pthread_rwlock_clockrdlock)
{
    other_does(write_lock);
    struct timespec end = moment(CLOCK_MONOTONIC, WAIT_MS);
    SAY_WAIT(trace, lock_wait_ns, pthread_rwlock_clockrdlock(&rwlock, CLOCK_MONOTONIC, &end));
    other_does(unlock_rwlock);
}

WAITS(try_pthread_rwlock_clockwrlock)
{
    other_does(write_lock);
    struct timespec end = moment(CLOCK_MONOTONIC, WAIT_MS);
    SAY_WAIT(trace, lock_wait_ns, pthread_rwlock_clockwrlock(&rwlock, CLOCK_MONOTONIC, &end));
    other_does(unlock_rwlock);
}
#endif

static pthread_barrier_t barrier;

static void come_to_barrier(void)
{
    pthread_barrier_wait(&barrier);
}

WAITS(try_pthread_barrier_wait)
{
    pthread_barrier_init(&barrier, NULL, 2);
    other_will(come_to_barrier);
    int64_t blocked =
        TRUTH_OF(pthread_barrier_wait(&barrier)); /* which is the serial one differs */
    trace->lock_wait_ns += blocked;
    until_done();
    SAY(trace, pthread_barrier_destroy(&barrier));
}

static sem_t semaphore;

static void post(void)
{
    sem_post(&semaphore);
}

WAITS(wait_for_semaphore)
{
    sem_init(&semaphore, 0, 0);
    other_will(post);
    SAY_WAIT(trace, lock_wait_ns, sem_wait(&semaphore));
    until_done();
    struct timespec end = moment(CLOCK_REALTIME, WAIT_MS);
    SAY_WAIT(trace, lock_wait_ns, sem_timedwait(&semaphore, &end));
#if __GLIBC_PREREQ(2, 30)
    end = moment(CLOCK_MONOTONIC, WAIT_MS);
    SAY_WAIT(trace, lock_wait_ns, sem_clockwait(&semaphore, CLOCK_MONOTONIC, &end));
#endif
}

static void *naps(void *result)
{
    unseen_nap(WAIT_MS);
    return result;
}

static pthread_t napping_thread(void)
{
    pthread_t thread;
    pthread_create(&thread, NULL, naps, &semaphore);
    return thread;
}

WAITS(try_pthread_join)
{
    void *result = NULL;
    pthread_t thread = napping_thread();
    SAY_WAIT(trace, lock_wait_ns, pthread_join(thread, &result));
    say(trace, "result %d\n", result == &semaphore);
}

WAITS(try_pthread_timedjoin_np)
{
    void *result = NULL;
    pthread_t thread = napping_thread();
    struct timespec soon = moment(CLOCK_REALTIME, WAIT_MS / 3), end = moment(CLOCK_REALTIME, 5000);
    SAY_WAIT(trace, lock_wait_ns, pthread_timedjoin_np(thread, &result, &soon)); /* ETIMEDOUT */
    SAY_WAIT(trace, lock_wait_ns, pthread_timedjoin_np(thread, &result, &end));
    say(trace, "result %d\n", result == &semaphore);
}

#if __GLIBC_PREREQ(2, 31)
WAITS(try_pthread_clockjoin_np)
{
    void *result = NULL;
    pthread_t thread = napping_thread();
    struct timespec end = moment(CLOCK_MONOTONIC, 5000);
    SAY_WAIT(trace, lock_wait_ns, pthread_clockjoin_np(thread, &result, CLOCK_MONOTONIC, &end));
    say(trace, "result %d\n", result == &semaphore);
}
#endif

/* ---- the same by the names of C11 --------------------------------------------------------------
 */

static mtx_t c_mutex;
static cnd_t c_condition;

static void lock_c_mutex(void)
{
    mtx_lock(&c_mutex);
}

static void unlock_c_mutex(void)
{
    mtx_unlock(&c_mutex);
}

static void signal_c_condition(void)
{
    mtx_lock(&c_mutex);
    cnd_signal(&c_condition);
    mtx_unlock(&c_mutex);
}

WAITS(try_mtx_lock)
{
    mtx_init(&c_mutex, mtx_plain);
    other_does(lock_c_mutex);
    other_will(unlock_c_mutex);
    SAY_WAIT(trace, lock_wait_ns, mtx_lock(&c_mutex));
    SAY(trace, mtx_unlock(&c_mutex));
    until_done();
}

WAITS(try_mtx_timedlock)
{
    mtx_init(&c_mutex, mtx_timed);
    other_does(lock_c_mutex);
    struct timespec end = moment(CLOCK_REALTIME, WAIT_MS);
    SAY_WAIT(trace, lock_wait_ns, mtx_timedlock(&c_mutex, &end));
    other_does(unlock_c_mutex);
}

WAITS(try_cnd_wait)
{
    mtx_init(&c_mutex, mtx_plain);
    cnd_init(&c_condition);
    mtx_lock(&c_mutex);
    other_will(signal_c_condition);
    SAY_WAIT(trace, lock_wait_ns, cnd_wait(&c_condition, &c_mutex));
    mtx_unlock(&c_mutex);
    until_done();
}

WAITS(try_cnd_timedwait)
{
    mtx_init(&c_mutex, mtx_plain);
    cnd_init(&c_condition);
    mtx_lock(&c_mutex);
    struct timespec end = moment(CLOCK_REALTIME, WAIT_MS);
    SAY_WAIT(trace, lock_wait_ns, cnd_timedwait(&c_condition, &c_mutex, &end));
    mtx_unlock(&c_mutex);
}

static int naps_in_c(void *unused)
{
    (void)unused;
    unseen_nap(WAIT_MS);
    return 42;
}

WAITS(try_thrd_join)
{
    thrd_t thread;
    int result = 0;
    SAY(trace, thrd_create(&thread, naps_in_c, NULL));
    SAY_WAIT(trace, lock_wait_ns, thrd_join(thread, &result));
    say(trace, "result %d\n", result);
}

/* ---- futexes, files' locks, children -----------------------------------------------------------
 */

WAITS(try_syscall)
{
    int word = 0;
    struct timespec patience = length(WAIT_MS), end = moment(CLOCK_MONOTONIC, WAIT_MS);
    SAY_WAIT(trace, lock_wait_ns,
             syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 0, &patience, NULL, 0));
    SAY_WAIT(trace, lock_wait_ns,
             syscall(SYS_futex, &word, FUTEX_WAIT_BITSET_PRIVATE, 0, &end, NULL, -1));
    SAY(trace, syscall(SYS_futex, &word, FUTEX_WAIT_PRIVATE, 1, &patience, NULL, 0)); /* EAGAIN */
    SAY(trace, syscall(SYS_futex, &word, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0));
    SAY(trace, syscall(SYS_getpid) == getpid());
    SAY(trace, syscall(-1)); /* ENOSYS */
}

static int lock_file;

static void unlock_file(void)
{
    flock(lock_file, LOCK_UN);
}

WAITS(try_flock)
{
    const char *path = scratch_file(trace, "flock");
    lock_file = open(path, O_RDWR | O_CREAT, 0600);
    int fd = open(path, O_RDWR);
    flock(lock_file, LOCK_EX);
    SAY(trace, flock(fd, LOCK_EX | LOCK_NB)); /* EWOULDBLOCK */
    other_will(unlock_file);
    SAY_WAIT(trace, lock_wait_ns, flock(fd, LOCK_EX));
    close(fd);
    close(lock_file);
}

/* A child that holds the record lock of a file, for a while from when this returns. */
static pid_t locking_child(int fd)
{
    int ready[2];
    char byte;
    if (pipe(ready))
        abort();
    pid_t child = fork();
    if (child == 0) {
        struct flock whole = {.l_type = F_WRLCK};
        fcntl(fd, F_SETLKW, &whole);
        if (write(ready[1], "x", 1) == 1)
            unseen_nap(WAIT_MS);
        _exit(0);
    }
    syscall(SYS_read, ready[0], &byte, 1);
    close(ready[0]);
    close(ready[1]);
    return child;
}

static void reap(struct trace *trace, pid_t child)
{
    trace->lock_wait_ns += TRUTH_OF(waitpid(child, NULL, 0));
}

WAITS(try_fcntl)
{
    int fd = open(scratch_file(trace, "fcntl"), O_RDWR | O_CREAT, 0600);
    struct flock whole = {.l_type = F_WRLCK}, none = {.l_type = F_UNLCK};
    pid_t child = locking_child(fd);
    SAY(trace, fcntl(fd, F_SETLK, &whole)); /* EAGAIN */
    SAY_WAIT(trace, lock_wait_ns, fcntl(fd, F_SETLKW, &whole));
    SAY(trace, fcntl(fd, F_SETLK, &none));
    SAY(trace, fcntl(fd, F_GETFL) & O_ACCMODE);
    reap(trace, child);
    child = locking_child(fd);
    SAY_WAIT(trace, lock_wait_ns, fcntl(fd, F_OFD_SETLKW, &whole));
    reap(trace, child);
    close(fd);
}

static int locked_file(struct trace *trace, pid_t *child)
{
    int fd = open(scratch_file(trace, "lockf"), O_RDWR | O_CREAT, 0600);
    *child = locking_child(fd);
    return fd;
}

WAITS(try_lockf)
{
    pid_t child;
    int fd = locked_file(trace, &child);
    SAY(trace, lockf(fd, F_TLOCK, 0)); /* EAGAIN */
    SAY_WAIT(trace, lock_wait_ns, lockf(fd, F_LOCK, 0));
    SAY(trace, lockf(fd, F_ULOCK, 0));
    reap(trace, child);
    close(fd);
}

static pid_t locker;

WAITS_BY_NAME(lockf64, lock_wait_ns, int fd = locked_file(trace, &locker),
              (reap(trace, locker), close(fd)), fd, F_LOCK, 0)

static pid_t napping_child(void)
{
    pid_t child = fork();
    if (child == 0) {
        unseen_nap(WAIT_MS);
        _exit(7);
    }
    return child;
}

static int status;

static const char *said(bool right)
{
    return right && WEXITSTATUS(status) == 7 ? "right" : "wrong";
}

WAITS(try_wait)
{
    pid_t child = napping_child(), found = 0;
    trace->lock_wait_ns += TRUTH_OF(found = wait(&status));
    say(trace, "%s\n", said(found == child));
    SAY(trace, wait(&status)); /* ECHILD */
}

WAITS(try_waitpid)
{
    pid_t child = napping_child(), found = 0;
    SAY(trace, waitpid(child, &status, WNOHANG));
    trace->lock_wait_ns += TRUTH_OF(found = waitpid(child, &status, 0));
    say(trace, "%s\n", said(found == child));
}

WAITS(try_wait3)
{
    struct rusage usage;
    pid_t child = napping_child(), found = 0;
    trace->lock_wait_ns += TRUTH_OF(found = wait3(&status, 0, &usage));
    say(trace, "%s\n", said(found == child));
}

WAITS(try_wait4)
{
    struct rusage usage;
    pid_t child = napping_child(), found = 0;
    trace->lock_wait_ns += TRUTH_OF(found = wait4(child, &status, 0, &usage));
    say(trace, "%s\n", said(found == child));
}

WAITS(try_waitid)
{
    siginfo_t info = {0};
    pid_t child = napping_child();
    trace->lock_wait_ns += TRUTH_OF(waitid(P_PID, (id_t)child, &info, WEXITED));
    say(trace, "%d\n", info.si_status);
}

/* ---- pipes and sockets -------------------------------------------------------------------------
 */

static int ends[2], accepted;

static void feed(void)
{
    syscall(SYS_write, ends[1], "x", 1);
}

static void drain(void)
{
    static char buffer[1 << 16];
    syscall(SYS_read, ends[0], buffer, sizeof buffer);
}

/* Who waits to send is woken when most of the room is free again. */
static void drain_socket(void)
{
    static char buffer[1 << 16];
    while (syscall(SYS_recvfrom, ends[0], buffer, sizeof buffer, MSG_DONTWAIT, NULL, NULL) > 0)
        ;
}

static void open_pipe(void)
{
    if (pipe(ends))
        abort();
}

static void open_sockets(void)
{
    if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends))
        abort();
}

static void close_ends(void)
{
    until_done();
    close(ends[0]);
    close(ends[1]);
}

#define POLLED(name, call)                                                                         \
    WAITS(name)                                                                                    \
    {                                                                                              \
        open_pipe();                                                                               \
        struct pollfd at __attribute__((unused)) = {.fd = ends[0], .events = POLLIN};              \
        struct timespec nap __attribute__((unused)) = length(WAIT_MS);                             \
        struct timespec patience __attribute__((unused)) = length(5000);                           \
        struct timeval half __attribute__((unused)) = {0, WAIT_MS * 1000};                         \
        fd_set set;                                                                                \
        FD_ZERO(&set);                                                                             \
        FD_SET(ends[0], &set);                                                                     \
        int epoll __attribute__((unused)) = epoll_create1(0);                                      \
        struct epoll_event event = {.events = EPOLLIN};                                            \
        epoll_ctl(epoll, EPOLL_CTL_ADD, ends[0], &event);                                          \
        SAY_WAIT(trace, poll_wait_ns, call);                                                       \
        close(epoll);                                                                              \
        close_ends();                                                                              \
    }

POLLED(try_poll, poll(&at, 1, WAIT_MS))
POLLED(try_ppoll, ppoll(&at, 1, &nap, NULL))
POLLED(try_select, select(ends[0] + 1, &set, NULL, NULL, &half))
POLLED(try_pselect, pselect(ends[0] + 1, &set, NULL, NULL, &nap, NULL))
POLLED(try_epoll_wait, epoll_wait(epoll, &event, 1, WAIT_MS))
POLLED(try_epoll_pwait, epoll_pwait(epoll, &event, 1, WAIT_MS, NULL))
#if __GLIBC_PREREQ(2, 35)
POLLED(try_epoll_pwait2, epoll_pwait2(epoll, &event, 1, &nap, NULL))

/* The kernel reads the timeout, and refuses one that cannot be read. */
WAITS(epoll_pwait2_with_an_unreadable_timeout)
{
    struct epoll_event event;
    int epoll = epoll_create1(0);
    SAY(trace, epoll_pwait2(epoll, &event, 1, (const struct timespec *)8, NULL));
    close(epoll);
}
#endif
POLLED(poll_until_ready, (other_will(feed), poll(&at, 1, 5000)))
POLLED(ppoll_until_ready, (other_will(feed), ppoll(&at, 1, &patience, NULL)))
POLLED(poll_for_ever, (other_will(feed), poll(&at, 1, -1)))
POLLED(select_for_ever, (other_will(feed), select(ends[0] + 1, &set, NULL, NULL, NULL)))
POLLED(epoll_for_ever, (other_will(feed), epoll_wait(epoll, &event, 1, -1)))

static struct pollfd polled;
static fd_set selected;
static struct timeval half = {0, WAIT_MS * 1000 / 2};

static void begin_polling(void)
{
    open_pipe();
    polled = (struct pollfd){.fd = ends[0], .events = POLLIN};
    FD_ZERO(&selected);
    FD_SET(ends[0], &selected);
    half_length = length(WAIT_MS / 2);
}

WAITS_BY_NAME(__poll, poll_wait_ns, begin_polling(), close_ends(), &polled, 1, WAIT_MS)
WAITS_BY_NAME(__poll_chk, poll_wait_ns, begin_polling(), close_ends(), &polled, 1, WAIT_MS,
              sizeof polled)
WAITS_BY_NAME(__ppoll_chk, poll_wait_ns, begin_polling(), close_ends(), &polled, 1, &half_length,
              NULL, sizeof polled)
WAITS_BY_NAME(__select, poll_wait_ns, begin_polling(), close_ends(), ends[0] + 1, &selected, NULL,
              NULL, &half)

WAITS(read_of_a_pipe)
{
    char byte;
    open_pipe();
    other_will(feed);
    SAY_WAIT(trace, poll_wait_ns, read(ends[0], &byte, 1));
    trace->pipe_bytes += 1;
    close_ends();
}

WAITS(write_to_a_full_pipe)
{
    static char buffer[1 << 16];
    open_pipe();
    fcntl(ends[1], F_SETPIPE_SZ, sizeof buffer);
    SAY(trace, syscall(SYS_write, ends[1], buffer, sizeof buffer));
    other_will(drain);
    SAY_WAIT(trace, poll_wait_ns, write(ends[1], buffer, 100));
    close_ends();
}

#define RECEIVED(name, call)                                                                       \
    WAITS(name)                                                                                    \
    {                                                                                              \
        char byte;                                                                                 \
        struct iovec part __attribute__((unused)) = {&byte, 1};                                    \
        struct msghdr message __attribute__((unused)) = {.msg_iov = &part, .msg_iovlen = 1};       \
        struct mmsghdr messages __attribute__((unused)) = {message, 0};                            \
        open_sockets();                                                                            \
        other_will(feed);                                                                          \
        SAY_WAIT(trace, poll_wait_ns, call);                                                       \
        trace->recv_bytes = trace->recv_calls = trace->socket_read_bytes = -1;                     \
        close_ends();                                                                              \
    }

RECEIVED(wait_in_read, read(ends[0], &byte, 1))
RECEIVED(wait_in_readv, readv(ends[0], &part, 1))
RECEIVED(wait_in_recv, recv(ends[0], &byte, 1, 0))
RECEIVED(wait_in_recvfrom, recvfrom(ends[0], &byte, 1, 0, NULL, NULL))
RECEIVED(wait_in_recvmsg, recvmsg(ends[0], &message, 0))
RECEIVED(wait_in_recvmmsg, recvmmsg(ends[0], &messages, 1, 0, NULL))

WAITS(wait_in_send)
{
    static char buffer[1 << 16];
    open_sockets();
    while (syscall(SYS_sendto, ends[1], buffer, sizeof buffer, MSG_DONTWAIT, NULL, 0) > 0)
        ;
    other_will(drain_socket);
    SAY_WAIT(trace, poll_wait_ns, send(ends[1], buffer, 100, 0));
    trace->send_bytes = trace->send_calls = -1;
    close_ends();
}

static struct sockaddr_in6 address;
static socklen_t address_size;

/* A server's socket that listens; IPv4 in the room for either. */
static int listener(void)
{
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_addr = {htonl(INADDR_LOOPBACK)}};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    if (bind(fd, (struct sockaddr *)&local, sizeof local) || listen(fd, 1))
        abort();
    address_size = sizeof address;
    getsockname(fd, (struct sockaddr *)&address, &address_size);
    return fd;
}

static void call_server(void)
{
    accepted = socket(AF_INET, SOCK_STREAM, 0);
    connect(accepted, (struct sockaddr *)&address, address_size);
}

static void accept_call(struct trace *trace, bool by_the_new_name)
{
    int fd = listener(), one;
    other_will(call_server);
    trace->poll_wait_ns += TRUTH_OF(one = by_the_new_name ? accept4(fd, NULL, NULL, SOCK_CLOEXEC)
                                                          : accept(fd, NULL, NULL));
    say(trace, "accepted %d\n", one >= 0);
    until_done();
    close(one);
    close(accepted);
    close(fd);
    SAY(trace, by_the_new_name ? accept4(-1, NULL, NULL, 0) : accept(-1, NULL, NULL)); /* EBADF */
}

WAITS(try_accept)
{
    accept_call(trace, false);
}

WAITS(try_accept4)
{
    accept_call(trace, true);
}

static int unix_listener;

static void accept_one(void)
{
    accepted = accept(unix_listener, NULL, NULL);
}

/* A queue that is full: connect() waits until somebody is let in. */
static void full_queue(struct trace *trace, __typeof__(connect) *call)
{
    struct sockaddr_un local = {.sun_family = AF_UNIX};
    snprintf(local.sun_path, sizeof local.sun_path, "%ccupping-waits-%d", 0, getpid());
    int clients[2] = {socket(AF_UNIX, SOCK_STREAM, 0), socket(AF_UNIX, SOCK_STREAM, 0)};
    unix_listener = socket(AF_UNIX, SOCK_STREAM, 0);
    SAY(trace, bind(unix_listener, (struct sockaddr *)&local, sizeof local));
    SAY(trace, listen(unix_listener, 0));
    SAY(trace, connect(clients[0], (struct sockaddr *)&local, sizeof local));
    other_will(accept_one);
    SAY_WAIT(trace, poll_wait_ns, call(clients[1], (struct sockaddr *)&local, sizeof local));
    until_done();
    for (int i = 0; i < 2; i++)
        close(clients[i]);
    close(accepted);
    close(unix_listener);
}

WAITS(try_connect)
{
    full_queue(trace, connect);
}

WAITS(try___connect)
{
    __typeof__(connect) *reached = (__typeof__(connect) *)reach(trace, "__connect");
    if (reached)
        full_queue(trace, reached);
}

/* What it reads and asks is the machine's affair. */
void try_getaddrinfo(struct trace *trace)
{
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST}, *found;
    SAY(trace, getaddrinfo("127.0.0.1", "80", &hints, &found));
    say(trace, "family %d\n", found->ai_family == AF_INET);
    freeaddrinfo(found);
    SAY(trace, getaddrinfo("no number", NULL, &hints, &found)); /* EAI_NONAME */
    trace->read_bytes = trace->read_calls = trace->open_calls = -1;
}

/* ---- files -------------------------------------------------------------------------------------
 */

enum { WRITTEN = 1 << 20 };

/* A file with a megabyte that is on no disk yet; how long that takes is the disk's affair. */
static int dirty_file(struct trace *trace)
{
    static char buffer[WRITTEN];
    int fd = open(scratch_file(trace, "written"), O_RDWR | O_CREAT, 0600);
    trace->io_wait_ns += TRUTH_OF(SAY(trace, write(fd, buffer, sizeof buffer)));
    trace->write_bytes = WRITTEN;
    trace->write_calls = trace->open_calls = 1;
    return fd;
}

#define FLUSHED(name, call)                                                                        \
    WAITS(name)                                                                                    \
    {                                                                                              \
        int fd = dirty_file(trace);                                                                \
        SAY_WAIT(trace, io_wait_ns, call);                                                         \
        close(fd);                                                                                 \
        fd = -1;                                                                                   \
        SAY(trace, call); /* EBADF */                                                              \
    }

FLUSHED(try_fsync, fsync(fd))
FLUSHED(try_fdatasync, fdatasync(fd))
FLUSHED(try_sync_file_range, sync_file_range(fd, 0, WRITTEN, SYNC_FILE_RANGE_WRITE_AND_WAIT))

WAITS(try_msync)
{
    int fd = dirty_file(trace);
    char *bytes = mmap(NULL, WRITTEN, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (int at = 0; at < WRITTEN; at += 4096)
        bytes[at] = 1;
    SAY_WAIT(trace, io_wait_ns, msync(bytes, WRITTEN, MS_SYNC));
    SAY(trace, msync(bytes + 1, WRITTEN, MS_SYNC)); /* EINVAL */
    munmap(bytes, WRITTEN);
    close(fd);
    trace->mapped_bytes = -1;
}

/* ---- interrupted, cancelled, left --------------------------------------------------------------
 */

WAITS(interrupted)
{
    struct timespec nap = length(1000), left = {0};
    struct pollfd at;
    char byte;
    alarm_in(WAIT_MS, nothing);
    SAY_WAIT(trace, sleep_ns, nanosleep(&nap, &left)); /* EINTR */
    say(trace, "left %d\n", left.tv_sec == 0 && left.tv_nsec > 900000000);
    no_alarm();
    open_pipe();
    at = (struct pollfd){.fd = ends[0], .events = POLLIN};
    alarm_in(WAIT_MS, nothing);
    SAY_WAIT(trace, poll_wait_ns, poll(&at, 1, 1000));
    alarm_in(WAIT_MS, nothing);
    SAY_WAIT(trace, poll_wait_ns, read(ends[0], &byte, 1));
    close_ends();
    sem_init(&semaphore, 0, 0);
    alarm_in(WAIT_MS, nothing);
    SAY_WAIT(trace, lock_wait_ns, sem_wait(&semaphore));
    no_alarm();
}

static void sleep_in_handler(int number)
{
    (void)number;
    struct timespec nap = length(WAIT_MS);
    nanosleep(&nap, NULL);
}

WAITS(wait_in_a_handler_of_a_wait)
{
    struct timespec nap = length(1000);
    alarm_in(WAIT_MS, sleep_in_handler);
    SAY_WAIT(trace, sleep_ns, nanosleep(&nap, NULL));
    no_alarm();
}

static sigjmp_buf back;

static void jump(int number)
{
    (void)number;
    siglongjmp(back, 1);
}

/* The waits that are left were short, whether they are counted or not. */
WAITS(left_by_a_jump)
{
    struct timespec nap = length(1000), after = length(3 * WAIT_MS);
    struct pollfd at;
    if (sigsetjmp(back, 1) == 0) {
        alarm_in(1, jump);
        nanosleep(&nap, NULL);
    }
    SAY_WAIT(trace, sleep_ns, nanosleep(&after, NULL));
    open_pipe();
    at = (struct pollfd){.fd = ends[0], .events = POLLIN};
    if (sigsetjmp(back, 1) == 0) {
        alarm_in(1, jump);
        poll(&at, 1, 1000);
    }
    no_alarm();
    SAY_WAIT(trace, poll_wait_ns, poll(&at, 1, 3 * WAIT_MS));
    SAY_WAIT(trace, sleep_ns, nanosleep(&after, NULL));
    close_ends();
}

static atomic_int arrived, cleaned;

static void clean(void *unused)
{
    (void)unused;
    cleaned++;
}

static void *sleeps_for_ever(void *unused)
{
    struct timespec nap = length(100000);
    pthread_cleanup_push(clean, NULL);
    arrived++;
    nanosleep(&nap, NULL);
    pthread_cleanup_pop(0);
    return unused;
}

static void unlock(void *one)
{
    cleaned += pthread_mutex_unlock(one) == 0; /* a cancelled wait has its mutex back */
}

static void *waits_for_ever(void *unused)
{
    pthread_mutex_lock(&mutex);
    pthread_cleanup_push(unlock, &mutex);
    arrived++;
    pthread_cond_wait(&condition, &mutex);
    pthread_cleanup_pop(0);
    return unused;
}

static void *reads_for_ever(void *unused)
{
    char byte;
    pthread_cleanup_push(clean, NULL);
    arrived++;
    cleaned += (int)read(ends[0], &byte, 1);
    pthread_cleanup_pop(0);
    return unused;
}

static void *polls_for_ever(void *unused)
{
    pthread_cleanup_push(clean, NULL);
    arrived++;
    poll(NULL, 0, -1);
    pthread_cleanup_pop(0);
    return unused;
}

static void cancel(struct trace *trace, void *(*body)(void *))
{
    pthread_t thread;
    void *result;
    arrived = cleaned = 0;
    pthread_create(&thread, NULL, body, NULL);
    while (!arrived)
        unseen_nap(1);
    unseen_nap(5);
    SAY(trace, pthread_cancel(thread));
    SAY(trace, pthread_join(thread, &result));
    say(trace, "cancelled %d cleaned %d\n", result == PTHREAD_CANCELED, cleaned);
}

WAITS(cancelled_threads)
{
    struct timespec nap = length(WAIT_MS);
    open_pipe();
    cancel(trace, sleeps_for_ever);
    cancel(trace, waits_for_ever);
    cancel(trace, reads_for_ever);
    cancel(trace, polls_for_ever);
    close_ends();
    SAY_WAIT(trace, sleep_ns, nanosleep(&nap, NULL));
}

/* ---- signals: of no class that is promised -----------------------------------------------------
 */

static sigset_t only_alarm(void)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGALRM);
    return set;
}

void waits_for_signals(struct trace *trace)
{
    sigset_t set = only_alarm(), old;
    struct timespec patience = length(WAIT_MS);
    int number = 0;
    pthread_sigmask(SIG_BLOCK, &set, &old);
    SAY(trace, sigtimedwait(&set, NULL, &patience)); /* EAGAIN */
    alarm_in(WAIT_MS, nothing);
    SAY(trace, sigwaitinfo(&set, NULL));
    alarm_in(WAIT_MS, nothing);
    SAY(trace, sigwait(&set, &number));
    alarm_in(WAIT_MS, nothing);
    SAY(trace, sigsuspend(&old));
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    alarm_in(WAIT_MS, nothing);
    SAY(trace, pause());
    no_alarm();
}
