/* Threads that each run tasks, and do at the same time all that the library records: reads,
 * allocations, waits for each other, opens, mappings, connections, threads of their own. races.sh
 * links this with the library's objects, built with ThreadSanitizer, so that it reports races of
 * the library's own code.
 *
 *     races THREADS ROUNDS DIRECTORY
 *
 * The calls below reach the library's functions under other names: ThreadSanitizer itself must
 * reach those of libc. Exit status 1 if anything fails; 66, by ThreadSanitizer, if there was a
 * race. */
#include "include/cupping.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/task/task.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BYTES = 100000, SHARED = 4 };

static int rounds;
static const char *directory;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static sem_t turns;
static unsigned turn;
static char paths[SHARED][512]; /* all threads read these */

static void check(bool fine, const char *what)
{
    if (!fine) {
        perror(what);
        exit(1);
    }
}

/* ---- what a task does
 * -------------------------------------------------------------------------------- */

static void read_file(const char *path)
{
    char buffer[4096];
    int fd = open(path, O_RDONLY), other = dup(fd);
    check(pread(fd, buffer, sizeof buffer, 100) == sizeof buffer, "pread");
    check(read(other, buffer, 1000) == 1000, "read");
    check(lseek(fd, 10, SEEK_SET) == 10, "lseek");
    close(other);
    close(fd);
}

static void read_stream(const char *path)
{
    char buffer[1000];
    FILE *file = fopen(path, "r");
    check(file && fread(buffer, 1, sizeof buffer, file) == sizeof buffer, "fread");
    fclose(file);
}

static void read_mapping(const char *path)
{
    int fd = open(path, O_RDONLY);
    char *bytes = mmap(NULL, BYTES, PROT_READ, MAP_PRIVATE, fd, 0);
    check(bytes != MAP_FAILED, "mmap");
    volatile char sum = 0;
    for (int i = 0; i < BYTES; i += 4096)
        sum = (char)(sum + bytes[i]);
    munmap(bytes, BYTES);
    close(fd);
}

static void allocate(int round)
{
    void *blocks[16];
    for (int i = 0; i < 16; i++)
        check((blocks[i] = malloc((size_t)(100 << i % 12) + (size_t)round)) != NULL, "malloc");
    for (int i = 0; i < 16; i++)
        free(realloc(blocks[i], 3000));
    free(calloc(1000, 100));
}

/* Each waits until another thread has had a turn, for a millisecond at most. */
static void wait_for_others(void)
{
    struct timespec limit;
    clock_gettime(CLOCK_REALTIME, &limit);
    limit.tv_nsec += 1000000;
    limit.tv_sec += limit.tv_nsec / 1000000000;
    limit.tv_nsec %= 1000000000;
    pthread_mutex_lock(&mutex);
    unsigned before = ++turn;
    pthread_cond_broadcast(&changed);
    while (turn == before && pthread_cond_timedwait(&changed, &mutex, &limit) == 0)
        ;
    pthread_mutex_unlock(&mutex);
    sem_post(&turns);
    sem_wait(&turns);
}

static void exchange(void)
{
    char buffer[1000] = {0};
    int ends[2];
    check(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0, "socketpair");
    check(send(ends[0], buffer, sizeof buffer, 0) == sizeof buffer, "send");
    struct pollfd ready = {.fd = ends[1], .events = POLLIN};
    check(poll(&ready, 1, 1000) == 1, "poll");
    check(recv(ends[1], buffer, sizeof buffer, MSG_WAITALL) == sizeof buffer, "recv");
    close(ends[0]);
    close(ends[1]);
}

static void *help(void *path)
{
    read_file(path);
    allocate(1);
    return NULL;
}

static void ask_for_help(char *path)
{
    pthread_t helper;
    check(pthread_create(&helper, NULL, help, path) == 0, "pthread_create");
    pthread_join(helper, NULL);
}

/* A file that only this thread reads, so that tables of files grow. */
static void read_own_file(int thread, int round)
{
    char path[600], bytes[2000] = {0};
    snprintf(path, sizeof path, "%s/own-%d-%d", directory, thread, round);
    int fd = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);
    check(write(fd, bytes, sizeof bytes) == sizeof bytes, "write");
    check(pread(fd, bytes, sizeof bytes, 0) == sizeof bytes, "pread");
    close(fd);
    unlink(path);
}

/* ---- tasks
 * -------------------------------------------------------------------------------------------- */

static void begin_task(int thread, int round)
{
    char key[64], prefix[32];
    snprintf(key, sizeof key, "race-%d-%d", thread, round);
    snprintf(prefix, sizeof prefix, "race%d", round % 50);
    cup_guard();
    const struct cup_r_task_begin begin = {.prefix = cup_log_cstring(prefix),
                                           .origin = CUP_ORIGIN_DASK,
                                           .run_id = -1,
                                           .start_ns = cup_clock_realtime_ns(),
                                           .key_bytes = (uint32_t)strlen(key)};
    cup_task_begin(begin, key, cup_clock_thread_cpu_ns());
    cup_unguard();
}

static void end_task(void)
{
    cup_guard();
    const struct cup_moment now = {cup_clock_realtime_ns(), cup_clock_thread_cpu_ns()};
    cup_task_end(CUP_STATUS_FINISHED, now, 8, 0);
    cup_unguard();
}

static void *run_tasks(void *number)
{
    int thread = (int)(intptr_t)number;
    for (int round = 0; round < rounds; round++) {
        char *path = paths[(thread + round) % SHARED];
        begin_task(thread, round);
        cupping_section_begin(round % 2 ? "odd" : "even");
        read_file(path);
        read_stream(path);
        read_mapping(path);
        allocate(round);
        cupping_section_end();
        wait_for_others();
        exchange();
        ask_for_help(path);
        read_own_file(thread, round);
        end_task();
    }
    return NULL;
}

static void write_files(void)
{
    static char bytes[BYTES];
    for (int i = 0; i < SHARED; i++) {
        snprintf(paths[i], sizeof paths[i], "%s/shared-%d", directory, i);
        int fd = open(paths[i], O_WRONLY | O_CREAT | O_TRUNC, 0600);
        check(write(fd, bytes, sizeof bytes) == sizeof bytes, "write");
        close(fd);
    }
}

int main(int count, char **arguments)
{
    check(count == 4, "races THREADS ROUNDS DIRECTORY");
    int threads = atoi(arguments[1]);
    pthread_t *started = calloc((size_t)threads, sizeof *started);
    rounds = atoi(arguments[2]);
    directory = arguments[3];
    write_files();
    check(sem_init(&turns, 0, 0) == 0, "sem_init");
    cup_guard();
    check(cup_recording_open(), "the library records nothing");
    cup_unguard();
    for (int i = 0; i < threads; i++)
        check(pthread_create(&started[i], NULL, run_tasks, (void *)(intptr_t)i) == 0,
              "pthread_create");
    for (int i = 0; i < threads; i++)
        pthread_join(started[i], NULL);
    free(started);
    printf("%d threads ran %d tasks each\n", threads, rounds);
    return 0;
}
