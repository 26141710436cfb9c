/* The library with functions that a Python program calls: they begin and end tasks, and count the
 * instructions of calls, with and without the hooks around them. It runs under callgrind: see
 * budget.py.
 *
 * Under callgrind an instruction takes some fifty times as long. So the library's clock runs
 * slower here, by so much that no pause, interval or timeout of the library passes. */
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/clock.h"
#include "preload/sys/hook_list.h"
#include "preload/task/task.h"

#include "include/cupping.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <valgrind/callgrind.h>

#define CALLED __attribute__((visibility("default")))

enum { BLOCKS = 5, CALLS = 32 };

/* ---- tasks ---------------------------------------------------------------------------------- */

/* A tick is a millionth of a nanosecond: ten seconds under callgrind are less than 50 us. */
static void slow_down_clock(void)
{
    cup_ticks_scale = (struct cup_tick_scale){.use_tsc = 1,
                                              .multiplier = (UINT64_C(1) << 32) / 1000000,
                                              .base_ticks = __rdtsc(),
                                              .base_ns = cup_clock_realtime_ns()};
}

static void begin_task(void)
{
    static const char key[] = "budget-0123456789abcdef0123456789abcdef";
    const struct cup_r_task_begin begin = {.prefix = cup_log_cstring("budget"),
                                           .origin = CUP_ORIGIN_DASK,
                                           .run_id = -1,
                                           .start_ns = cup_clock_realtime_ns(),
                                           .key_bytes = sizeof key - 1};
    cup_task_begin(begin, key, cup_clock_thread_cpu_ns());
}

static void end_task(void)
{
    const struct cup_moment now = {cup_clock_realtime_ns(), cup_clock_thread_cpu_ns()};
    cup_task_end(CUP_STATUS_FINISHED, now, 8, 0);
}

/* Returns 0 if the library reads stacks here, as it does in a worker. Needs the GIL. */
CALLED int budget_begin(void)
{
    cup_guard();
    bool open = cup_recording_open();
    if (open) {
        slow_down_clock();
        begin_task();
    }
    cup_unguard();
    return open && cup_stacks_on() ? 0 : -1;
}

CALLED void budget_end(void)
{
    cup_guard();
    end_task();
    cup_unguard();
}

/* ---- the calls ------------------------------------------------------------------------------- */

static char buffer[4096];
static int file, ends[2];
static void *volatile sink; /* the compiler must not remove calls */
static sem_t semaphore;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static FILE *stream;
static const char *path;
static const char request[] = "GET /data.root HTTP/1.1\r\nHost: localhost\r\n\r\n";
static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabcd";

/* Each row: its name; a call as a program makes it; the same without a hook. A row without the
 * latter counts whole. */
#define ROWS(X)                                                                                    \
    X("malloc and free of 64 B", (sink = malloc(64), free(sink)),                                  \
      (sink = CUP_REAL(malloc)(64), CUP_REAL(free)(sink)))                                         \
    X("malloc and free of 1000 B", (sink = malloc(1000), free(sink)),                              \
      (sink = CUP_REAL(malloc)(1000), CUP_REAL(free)(sink)))                                       \
    X("calloc, realloc and free", (sink = realloc(calloc(1, 100), 200), free(sink)),               \
      (sink = CUP_REAL(realloc)(CUP_REAL(calloc)(1, 100), 200), CUP_REAL(free)(sink)))             \
    X("pread of 4 KiB", pread(file, buffer, 4096, 0), CUP_REAL(pread)(file, buffer, 4096, 0))      \
    X("pread of 100 B", pread(file, buffer, 100, 0), CUP_REAL(pread)(file, buffer, 100, 0))        \
    X("pread of 4 KiB from two places by turns", (read_here(), read_deeper()),                     \
      (CUP_REAL(pread)(file, buffer, 4096, 0), CUP_REAL(pread)(file, buffer, 4096, 4096)))         \
    X("lseek and read of 4 KiB", (lseek(file, 0, SEEK_SET), read(file, buffer, 4096)),             \
      (CUP_REAL(lseek)(file, 0, SEEK_SET), CUP_REAL(read)(file, buffer, 4096)))                    \
    X("fread of 4 KiB", (rewind(stream), fread(buffer, 1, 4096, stream)),                          \
      (rewind(stream), CUP_REAL(fread)(buffer, 1, 4096, stream)))                                  \
    X("open and close", close(open(path, O_RDONLY)),                                               \
      CUP_REAL(close)(CUP_REAL(open)(path, O_RDONLY)))                                             \
    X("open, read and close", open_and_read(), open_and_read_plainly())                            \
    X("send and receive an HTTP request", exchange(), exchange_plainly())                          \
    X("clock_gettime(CLOCK_REALTIME)", clock_gettime(CLOCK_REALTIME, &now),                        \
      CUP_REAL(clock_gettime)(CLOCK_REALTIME, &now))                                               \
    X("clock_gettime(CLOCK_MONOTONIC)", clock_gettime(CLOCK_MONOTONIC, &now),                      \
      CUP_REAL(clock_gettime)(CLOCK_MONOTONIC, &now))                                              \
    X("sem_post and sem_wait", (sem_post(&semaphore), sem_wait(&semaphore)),                       \
      (CUP_REAL(sem_post)(&semaphore), CUP_REAL(sem_wait)(&semaphore)))                            \
    X("pthread_mutex_lock and unlock", (pthread_mutex_lock(&mutex), pthread_mutex_unlock(&mutex)), \
      (CUP_REAL(pthread_mutex_lock)(&mutex), CUP_REAL(pthread_mutex_unlock)(&mutex)))              \
    X("poll without waiting", poll(NULL, 0, 0), CUP_REAL(poll)(NULL, 0, 0))                        \
    X("cupping_section_begin() and _end()",                                                        \
      (cupping_section_begin("budget"), cupping_section_end()), (void)0)

static struct timespec now;

static __attribute__((noinline)) void read_here(void)
{
    pread(file, buffer, 4096, 0);
    sink = buffer;
}

static __attribute__((noinline)) void read_deeper(void)
{
    char room[512];
    sink = room;
    pread(file, buffer, 4096, 4096);
    sink = buffer;
}

static void open_and_read(void)
{
    int fd = open(path, O_RDONLY);
    read(fd, buffer, 4096);
    close(fd);
}

static void open_and_read_plainly(void)
{
    int fd = CUP_REAL(open)(path, O_RDONLY);
    CUP_REAL(read)(fd, buffer, 4096);
    CUP_REAL(close)(fd);
}

static void exchange(void)
{
    send(ends[0], request, sizeof request - 1, 0);
    recv(ends[1], buffer, sizeof buffer, 0);
    send(ends[1], answer, sizeof answer - 1, 0);
    recv(ends[0], buffer, sizeof buffer, 0);
}

static void exchange_plainly(void)
{
    CUP_REAL(send)(ends[0], request, sizeof request - 1, 0);
    CUP_REAL(recv)(ends[1], buffer, sizeof buffer, 0);
    CUP_REAL(send)(ends[1], answer, sizeof answer - 1, 0);
    CUP_REAL(recv)(ends[0], buffer, sizeof buffer, 0);
}

/* ---- counting -------------------------------------------------------------------------------- */

/* Callgrind writes a file for each block, with NAME as the reason. */
#define COUNT(name, call)                                                                          \
    do {                                                                                           \
        for (int i = 0; i < CALLS; i++)                                                            \
            (void)(call); /* the first ones fill caches */                                         \
        for (int block = 0; block < BLOCKS; block++) {                                             \
            CALLGRIND_ZERO_STATS;                                                                  \
            for (int i = 0; i < CALLS; i++)                                                        \
                (void)(call);                                                                      \
            CALLGRIND_DUMP_STATS_AT(name);                                                         \
        }                                                                                          \
    } while (0)

static int open_connection(void)
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof here;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    int failed = bind(listener, (struct sockaddr *)&here, bytes) || listen(listener, 1) ||
                 getsockname(listener, (struct sockaddr *)&here, &bytes) ||
                 connect(ends[0], (struct sockaddr *)&here, bytes);
    ends[1] = failed ? -1 : accept(listener, NULL, NULL);
    close(listener);
    return ends[1] < 0;
}

/* FROM: a file of 8 KiB or more. Returns 0 if all is open that the rows use. */
CALLED int budget_open(const char *from)
{
    path = strdup(from);
    file = open(path, O_RDONLY);
    stream = fopen(path, "r");
    return file < 0 || !stream || sem_init(&semaphore, 0, 0) || open_connection();
}

CALLED const char *budget_compiler(void)
{
#ifdef __clang__
    return __VERSION__;
#else
    return "gcc " __VERSION__;
#endif
}

/* The rows of calls, in the calling thread as it is. */
CALLED void budget_count(void)
{
    CALLGRIND_START_INSTRUMENTATION;
#define X(name, hooked, plain)                                                                     \
    COUNT("hooked " name, hooked);                                                                 \
    COUNT("plain " name, plain);
    ROWS(X)
#undef X
    CALLGRIND_STOP_INSTRUMENTATION;
}

/* Begin and end of a task of its own. Needs the GIL; no task runs. */
CALLED void budget_count_tasks(void)
{
    cup_guard();
    CALLGRIND_START_INSTRUMENTATION;
    COUNT("hooked begin and end of a task", (begin_task(), end_task()));
    CALLGRIND_STOP_INSTRUMENTATION;
    cup_unguard();
}
