/* Threads and signals around the hooks: cancelled, jumped out of, interrupted, short of stack,
 * ending. The task is the only one, so that threads without a Python context count for it. */
#include "tests/trace/trace.h"

#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>

static void *checked(void *p)
{
    if (!p)
        abort();
    return p;
}

/* ---- threads
 * -------------------------------------------------------------------------------------- */

struct reader {
    const char *file;
    pthread_barrier_t *together; /* NULL: each on its own */
    int times;
};

static void *read_often(void *argument)
{
    struct reader *reader = argument;
    char buffer[1000];
    if (reader->together)
        pthread_barrier_wait(reader->together);
    int fd = open(reader->file, O_RDONLY);
    for (int i = 0; i < reader->times; i++) {
        if (pread(fd, buffer, sizeof buffer, i * 16) != sizeof buffer)
            abort();
        free(checked(malloc(5000)));
    }
    close(fd);
    if (reader->together)
        pthread_barrier_wait(reader->together);
    return NULL;
}

static int signals_each; /* to every thread while it reads */

static void send_signals(const pthread_t *threads, int count)
{
    for (int round = 0; round < signals_each; round++) {
        usleep(100);
        for (int i = 0; i < count; i++)
            pthread_kill(threads[i], SIGALRM);
    }
}

static void read_in_threads(struct trace *trace, int count, int times, int at_once)
{
    pthread_t threads[256];
    pthread_barrier_t barrier;
    pthread_barrier_init(&barrier, NULL, (unsigned)at_once);
    struct reader reader = {trace->file, at_once > 1 ? &barrier : NULL, times};
    for (int first = 0; first < count; first += at_once) {
        for (int i = 0; i < at_once; i++)
            pthread_create(&threads[i], NULL, read_often, &reader);
        send_signals(threads, at_once);
        for (int i = 0; i < at_once; i++)
            pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&barrier);
    trace->read_bytes += 1000L * times * count;
    trace->read_calls += (long)times * count;
    trace->open_calls += count;
}

void four_threads_read(struct trace *trace)
{
    read_in_threads(trace, 4, 1000, 4);
}

void a_hundred_threads_at_once(struct trace *trace)
{
    read_in_threads(trace, 100, 20, 100);
}

void many_short_threads(struct trace *trace)
{
    read_in_threads(trace, 1000, 2, 1);
}

/* Two threads make the first read of a new descriptor at the same time: the open counts once. */
struct first_use {
    int fd, rounds;
    int prepared; /* number of the round whose descriptor is open */
    int done;     /* reads of both threads so far */
};

static void await(const int *count, int wanted)
{
    for (int turns = 0; __atomic_load_n(count, __ATOMIC_ACQUIRE) < wanted; turns++)
        if (turns > 10000)
            sched_yield();
}

static void use_first(struct first_use *use, int round)
{
    char byte;
    await(&use->prepared, round);
    if (pread(use->fd, &byte, 1, 0) != 1)
        abort();
    __atomic_add_fetch(&use->done, 1, __ATOMIC_ACQ_REL);
}

static void *use_each_first(void *argument)
{
    struct first_use *use = argument;
    for (int round = 1; round <= use->rounds; round++)
        use_first(use, round);
    return NULL;
}

void two_threads_use_a_descriptor_first(struct trace *trace)
{
    struct first_use use = {.rounds = 20000};
    pthread_t thread;
    pthread_create(&thread, NULL, use_each_first, &use);
    for (int round = 1; round <= use.rounds; round++) {
        use.fd = open(trace->file, O_RDONLY);
        __atomic_store_n(&use.prepared, round, __ATOMIC_RELEASE);
        use_first(&use, round);
        await(&use.done, 2 * round);
        close(use.fd);
    }
    pthread_join(thread, NULL);
    trace->read_bytes += 2L * use.rounds;
    trace->read_calls += 2L * use.rounds;
    trace->open_calls += use.rounds;
}

/* The smallest stack that a thread may have, and the first read of a descriptor. */
void smallest_stack(struct trace *trace)
{
    pthread_attr_t attributes;
    pthread_attr_init(&attributes);
    SAY(trace, pthread_attr_setstacksize(&attributes, (size_t)sysconf(_SC_THREAD_STACK_MIN)));
    struct reader reader = {trace->file, NULL, 3};
    pthread_t thread;
    SAY(trace, pthread_create(&thread, &attributes, read_often, &reader));
    pthread_join(thread, NULL);
    trace->read_bytes += 3000;
    trace->read_calls += 3;
    trace->open_calls++;
}

/* ---- ends of threads
 * -------------------------------------------------------------------------------- */

static pthread_key_t late_key;
static struct trace *late_trace;

/* Runs after the library's own destructor, and again and again. */
static void read_late(void *value)
{
    char buffer[100];
    long left = (long)value;
    int fd = open(late_trace->file, O_RDONLY);
    if (read(fd, buffer, 100) != 100)
        abort();
    close(fd);
    free(checked(malloc(3000)));
    if (left > 1)
        pthread_setspecific(late_key, (void *)(left - 1));
}

static void *end_with_key(void *unused)
{
    (void)unused;
    char byte;
    int fd = open(late_trace->file, O_RDONLY);
    if (read(fd, &byte, 1) != 1)
        abort();
    close(fd);
    pthread_setspecific(late_key, (void *)3);
    return NULL;
}

void read_in_key_destructors(struct trace *trace)
{
    late_trace = trace;
    pthread_key_create(&late_key, read_late);
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        pthread_create(&thread, NULL, end_with_key, NULL);
        pthread_join(thread, NULL);
    }
    pthread_key_delete(late_key);
    trace->read_bytes = -1; /* what is read after our end is not counted: only no harm is asked */
    trace->read_calls = trace->open_calls = -1;
}

static void *block_in_read(void *argument)
{
    char byte;
    if (read(*(int *)argument, &byte, 1) < 0)
        abort();
    return NULL;
}

static void use_file(struct trace *trace)
{
    char buffer[100];
    int fd = open(trace->file, O_RDONLY);
    expect_read(trace, SAY(trace, read(fd, buffer, 100)));
    trace->open_calls++;
    close(fd);
}

void cancelled_in_read(struct trace *trace)
{
    int ends[2];
    if (pipe(ends))
        abort();
    for (int i = 0; i < 20; i++) {
        pthread_t thread;
        void *result = NULL;
        pthread_create(&thread, NULL, block_in_read, &ends[0]);
        usleep(1000);
        pthread_cancel(thread);
        pthread_join(thread, &result);
        if (result != PTHREAD_CANCELED)
            say(trace, "not cancelled\n");
    }
    close(ends[0]);
    close(ends[1]);
    use_file(trace);
}

/* ---- signals
 * ------------------------------------------------------------------------------------------ */

static void handle_by(int number, void (*handler)(int), int flags)
{
    struct sigaction action = {.sa_handler = handler, .sa_flags = flags};
    sigaction(number, &action, NULL);
}

/* SIGALRM for the calling thread alone, until stop_ticking. */
static timer_t tick_every(long microseconds)
{
    timer_t timer;
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGALRM};
    struct itimerspec times = {{0, microseconds * 1000}, {0, microseconds * 1000}};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    if (timer_create(CLOCK_MONOTONIC, &event, &timer) || timer_settime(timer, 0, &times, NULL))
        abort();
    return timer;
}

static void stop_ticking(timer_t timer)
{
    timer_delete(timer);
    handle_by(SIGALRM, SIG_IGN, 0);
    handle_by(SIGALRM, SIG_DFL, 0);
}

static sigjmp_buf out;

static void jump_out(int number)
{
    (void)number;
    siglongjmp(out, 1);
}

/* The way out of a blocking read before there were better ones. */
void jumped_out_of_read(struct trace *trace)
{
    int ends[2];
    volatile int jumps = 0;
    char byte;
    if (pipe(ends))
        abort();
    handle_by(SIGALRM, jump_out, 0);
    for (volatile int i = 0; i < 20; i++) {
        if (sigsetjmp(out, 1)) {
            jumps++;
            continue;
        }
        ualarm(2000, 0);
        if (read(ends[0], &byte, 1) != 1)
            abort();
    }
    handle_by(SIGALRM, SIG_DFL, 0);
    say(trace, "jumps %d\n", jumps);
    close(ends[0]);
    close(ends[1]);
    use_file(trace);
}

static const char *handler_file;
static volatile long handled;
static volatile int errno_changed;

static void read_in_handler(int number)
{
    (void)number;
    char buffer[50];
    int fd = open(handler_file, O_RDONLY);
    if (read(fd, buffer, 50) != 50)
        abort();
    close(fd);
    handled++;
}

/* A handler that reads and opens whenever it comes, the program being in any hook. */
void handler_reads(struct trace *trace)
{
    char buffer[100];
    handler_file = trace->file;
    handled = 0;
    handle_by(SIGALRM, read_in_handler, SA_RESTART);
    timer_t timer = tick_every(200);
    long reads = 0;
    for (int fd; handled < 500; reads++) {
        fd = open(trace->file, O_RDONLY);
        errno = ERRNO_BEFORE;
        if (pread(fd, buffer, 100, reads % 1000) != 100 || errno != ERRNO_BEFORE)
            abort();
        close(fd);
        free(checked(malloc((size_t)(reads % 9000))));
    }
    stop_ticking(timer);
    trace->read_bytes = trace->read_calls = trace->open_calls = -1;
    say(trace, "handled\n");
}

static void allocate_in_handler(int number)
{
    (void)number;
    int saved = errno;
    free(checked(malloc(700)));
    handled++;
    errno = saved;
}

/* Here the program does not allocate, so that its handler may. */
void handler_allocates(struct trace *trace)
{
    char buffer[100];
    handled = 0;
    int fd = open(trace->file, O_RDONLY);
    handle_by(SIGALRM, allocate_in_handler, SA_RESTART);
    timer_t timer = tick_every(200);
    while (handled < 500) {
        if (read(fd, buffer, 16) != 16)
            lseek(fd, 0, SEEK_SET);
    }
    stop_ticking(timer);
    close(fd);
    trace->read_bytes = trace->read_calls = trace->open_calls = -1;
    say(trace, "handled\n");
}

static int handler_descriptor;

static void write_in_handler(int number)
{
    (void)number;
    if (write(handler_descriptor, "x", 1) == 1)
        handled++;
}

/* HANDLER runs on an alternate stack of SIGSTKSZ. True if the memory below the stack is untouched.
 */
static bool handled_on_a_small_stack(void (*handler)(int))
{
    size_t bytes = 8192; /* SIGSTKSZ as programs were compiled with it */
    char *memory = aligned_alloc(4096, 4096 + bytes);
    memset(memory, 0x5a, 4096);
    stack_t stack = {.ss_sp = memory + 4096, .ss_size = bytes}, before;
    sigaltstack(&stack, &before);
    handle_by(SIGUSR1, handler, SA_ONSTACK);
    raise(SIGUSR1);
    handle_by(SIGUSR1, SIG_DFL, 0);
    sigaltstack(&before, NULL);
    bool untouched = true;
    for (int i = 0; i < 4096; i++)
        untouched &= memory[i] == 0x5a;
    free(memory);
    return untouched;
}

/* A crash handler's classic: one write, the descriptor's first. */
void handler_on_a_small_stack(struct trace *trace)
{
    char path[4096];
    snprintf(path, sizeof path, "%s/from-handler", trace->scratch);
    handler_descriptor = quiet_open(path, O_WRONLY | O_CREAT);
    handled = 0;
    bool untouched = handled_on_a_small_stack(write_in_handler);
    close(handler_descriptor);
    say(trace, "handled %ld, memory below untouched %d\n", handled, untouched);
    expect_write(trace, 1);
}

enum { VARIABLES = 900 };
static char *many_variables[VARIABLES + 1];

static void spawn_in_handler(int number)
{
    (void)number;
    char *const arguments[] = {(char *)"true", NULL};
    pid_t pid;
    int status;
    if (posix_spawn(&pid, "/bin/true", NULL, NULL, arguments, many_variables) == 0 &&
        waitpid(pid, &status, 0) == pid && status == 0)
        handled++;
}

/* A handler starts a program with many variables, one of which the library replaces: there is no
 * room for a copy of them. */
void handler_spawns_on_a_small_stack(struct trace *trace)
{
    for (int i = 0; i < VARIABLES; i++)
        many_variables[i] = (char *)(i ? "NAME=value" : "CUPPING_PARENT=1:1");
    handled = 0;
    bool untouched = handled_on_a_small_stack(spawn_in_handler);
    say(trace, "handled %ld, memory below untouched %d\n", handled, untouched);
}

/* Signals hit threads that open, read, allocate and close. */
void everything_at_once(struct trace *trace)
{
    handler_file = trace->file;
    handled = 0;
    handle_by(SIGALRM, read_in_handler, SA_RESTART);
    signals_each = 50;
    read_in_threads(trace, 60, 300, 20);
    signals_each = 0;
    handle_by(SIGALRM, SIG_DFL, 0);
    trace->read_bytes = trace->read_calls = trace->open_calls = -1;
}
