/* The calls whose cost is measured, in loops that a Python task calls through ctypes. Each
 * returns nanoseconds a call: the best of several rounds, since everything that disturbs a round
 * makes it longer. */
#include <dlfcn.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 20 };

static double now_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e9 + (double)t.tv_nsec;
}

/* Seen by the compiler as changing anything: keeps the loops' calls. */
static void *volatile sink;

#define BEST(count, body)                                                                          \
    double best = 1e30;                                                                            \
    for (int round = 0; round < ROUNDS; round++) {                                                 \
        double start = now_ns();                                                                   \
        for (int i = 0; i < (count); i++) {                                                        \
            body;                                                                                  \
        }                                                                                          \
        double each = (now_ns() - start) / (count);                                                \
        best = each < best ? each : best;                                                          \
    }                                                                                              \
    return best

double bench_malloc(int bytes)
{
    BEST(20000, sink = malloc((size_t)bytes); free(sink));
}

double bench_pread(const char *path, int bytes)
{
    char buffer[4096];
    int fd = open(path, O_RDONLY);
    BEST(2000, if (pread(fd, buffer, (size_t)bytes, 0) != bytes) return -1);
}

/* READS: of the file that is opened; one makes it a data file. */
double bench_open(const char *path, int reads)
{
    char byte;
    BEST(1000, int fd = open(path, O_RDONLY);
         for (int j = 0; j < reads; j++) if (pread(fd, &byte, 1, 0) != 1) return -1; close(fd));
}

/* ---- sockets ------------------------------------------------------------------------------ */

static const char request[] = "GET /data.root HTTP/1.1\r\nHost: localhost\r\n"
                              "Range: bytes=0-4095\r\nAccept: */*\r\n\r\n";
static const char head[] = "HTTP/1.1 206 Partial Content\r\nContent-Type: application/octet\r\n"
                           "Content-Length: 4096\r\n\r\n";
enum { CONNECTIONS = 4, REQUESTS = 2000, ANSWER = sizeof head - 1 + 4096 };

/* Both ends of a TCP connection. */
static int connect_pair(int ends[2])
{
    struct sockaddr_in here = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t bytes = sizeof here;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    int failed = bind(listener, (struct sockaddr *)&here, bytes) || listen(listener, 1) ||
                 getsockname(listener, (struct sockaddr *)&here, &bytes);
    ends[0] = socket(AF_INET, SOCK_STREAM, 0);
    failed = failed || connect(ends[0], (struct sockaddr *)&here, bytes);
    ends[1] = failed ? -1 : accept(listener, NULL, NULL);
    close(listener);
    return ends[1] < 0 ? -1 : 0;
}

/* Sends requests and answers them: four calls each. Returns NULL if one failed. */
static void *exchange(void *ends)
{
    const int *fd = ends;
    char answer[ANSWER] = "", to[ANSWER];
    memcpy(answer, head, sizeof head - 1);
    for (int i = 0; i < REQUESTS; i++)
        if (send(fd[0], request, sizeof request - 1, 0) != sizeof request - 1 ||
            recv(fd[1], to, sizeof request - 1, MSG_WAITALL) != sizeof request - 1 ||
            send(fd[1], answer, ANSWER, 0) != ANSWER ||
            recv(fd[0], to, ANSWER, MSG_WAITALL) != ANSWER)
            return NULL;
    return ends;
}

/* THREADS at a time, each with a connection of its own. Returns nanoseconds of one call of one
 * thread. */
double bench_sockets(int threads)
{
    int ends[CONNECTIONS][2];
    double best = 1e30;
    for (int i = 0; i < threads; i++)
        if (connect_pair(ends[i]))
            return -1;
    for (int round = 0; round < ROUNDS / 2; round++) {
        pthread_t others[CONNECTIONS];
        double start = now_ns();
        for (int i = 1; i < threads; i++)
            pthread_create(&others[i], NULL, exchange, ends[i]);
        void *done = exchange(ends[0]);
        for (int i = 1; i < threads; i++)
            pthread_join(others[i], NULL);
        double each = (now_ns() - start) / REQUESTS / 4;
        best = done && each < best ? each : best;
    }
    for (int i = 0; i < threads * 2; i++)
        close(ends[i / 2][i % 2]);
    return best;
}

/* Listens, connects, accepts, and closes all. */
double bench_connect(void)
{
    int ends[2];
    BEST(50, if (connect_pair(ends)) return -1; close(ends[0]); close(ends[1]));
}

/* ---- processes ----------------------------------------------------------------------------- */

/* Forks a child that ends at once, and waits for it. */
double bench_fork(void)
{
    BEST(10, pid_t pid = fork(); if (pid == 0) _exit(0);
         if (waitpid(pid, NULL, 0) != pid) return -1);
}

/* bench_connect() in a forked child, where the library cannot ask the loader who connects. */
double bench_connect_forked(void)
{
    double each = -1;
    int ends[2];
    if (pipe(ends))
        return -1;
    pid_t pid = fork();
    if (pid < 0)
        return -1;
    if (pid == 0) {
        each = bench_connect();
        _exit(write(ends[1], &each, sizeof each) != sizeof each);
    }
    close(ends[1]);
    if (read(ends[0], &each, sizeof each) != sizeof each)
        each = -1;
    close(ends[0]);
    waitpid(pid, NULL, 0);
    return each;
}

/* ---- clocks and locks ---------------------------------------------------------------------- */

double bench_clock(int id)
{
    struct timespec t;
    BEST(20000, clock_gettime(id, &t));
}

/* A lock of Python that nobody else wants. */
double bench_lock(void)
{
    sem_t lock;
    sem_init(&lock, 0, 0);
    BEST(20000, sem_post(&lock); sem_wait(&lock));
}

/* The same, made where the library did not see it. */
double bench_unknown_lock(void)
{
    static sem_t lock; /* zero: nothing to take, as sem_init(&lock, 0, 0) leaves it */
    BEST(20000, sem_post(&lock); sem_wait(&lock));
}

/* A mutex that nobody else wants. */
double bench_mutex(void)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    BEST(20000, pthread_mutex_lock(&lock); pthread_mutex_unlock(&lock));
}

/* The GIL, given up and taken again, which nobody else wants. The caller holds it.
 */
double bench_gil(void)
{
    void *(*release)(void);
    void (*acquire)(void *);
    *(void **)&release = dlsym(RTLD_DEFAULT, "PyEval_SaveThread");
    *(void **)&acquire = dlsym(RTLD_DEFAULT, "PyEval_RestoreThread");
    BEST(20000, acquire(release()));
}
