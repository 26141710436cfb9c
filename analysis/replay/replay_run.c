#include "analysis/replay/replay_run.h"

#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "analysis/replay/replay_client.h"

/* Shared by all processes; the results follow it. */
struct shared {
    uint32_t ready;   /* processes that can begin */
    int64_t start_ns; /* CLOCK_MONOTONIC; 0: not yet; -1: never */
    int64_t stop_ns;  /* of the last request */
    struct cup_error error;
    struct cup_replay_result results[];
};

struct open_file {
    pthread_mutex_t mutex;
    bool tried;
    int file, error;
};

/* One process. */
struct replay {
    const struct cup_replay_table *table;
    const struct cup_replay_options *options;
    struct shared *shared;
    struct cup_replay_client clients[2]; /* of local and remote files */
    struct open_file *files;             /* by file of the table */
};

struct stream {
    struct replay *replay;
    size_t first; /* request */
    pthread_t thread;
};

/* ---- a stream ----------------------------------------------------------------------------- */

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void wait_until(int64_t ns)
{
    const struct timespec until = {ns / 1000000000, ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, NULL) == EINTR)
        ;
}

/* The first stream that needs the file opens it; it stays open. */
static const struct open_file *open_once(struct replay *replay, uint32_t number)
{
    struct open_file *file = &replay->files[number];
    const char *target = replay->options->targets[number];
    pthread_mutex_lock(&file->mutex);
    if (!file->tried) {
        file->file = replay->clients[cup_replay_is_remote(target)].open(target);
        file->error = file->file < 0 ? errno : 0;
        file->tried = true;
    }
    pthread_mutex_unlock(&file->mutex);
    return file;
}

static void note_stop(struct shared *shared, int64_t ns)
{
    int64_t last = __atomic_load_n(&shared->stop_ns, __ATOMIC_RELAXED);
    while (last < ns && !__atomic_compare_exchange_n(&shared->stop_ns, &last, ns, false,
                                                     __ATOMIC_RELAXED, __ATOMIC_RELAXED))
        ;
}

/* Opening the file is not a part of the request, as in the record. */
static void repeat_request(struct replay *replay, size_t index, char *buffer)
{
    const struct cup_replay_request *request = &replay->table->requests[index];
    struct cup_replay_result *result = &replay->shared->results[index];
    const char *target = replay->options->targets[request->file];
    int64_t planned = replay->shared->start_ns +
                      (int64_t)((double)(request->start_ns - replay->table->requests[0].start_ns) /
                                replay->options->speed);
    wait_until(planned);
    const struct open_file *file = open_once(replay, request->file);
    int64_t start = now_ns();
    ssize_t bytes = -1;
    errno = file->error;
    if (!file->error)
        bytes = replay->clients[cup_replay_is_remote(target)].read(
            file->file, &replay->table->parts[request->first_part], request->parts, buffer);
    result->error = bytes < 0 ? errno : 0;
    int64_t stop = now_ns();
    result->is_open_error = file->error != 0;
    result->bytes = bytes < 0 ? 0 : (uint64_t)bytes;
    result->late_ns = start - planned;
    result->ns = stop - start;
    note_stop(replay->shared, stop);
}

static void *repeat_stream(void *of)
{
    struct stream *stream = of;
    const struct cup_replay_request *requests = stream->replay->table->requests;
    uint64_t most = 0;
    for (size_t at = stream->first + 1; at; at = requests[at - 1].next)
        most = requests[at - 1].bytes > most ? requests[at - 1].bytes : most;
    char *buffer = malloc(most + 1);
    for (size_t at = stream->first + 1; at && buffer; at = requests[at - 1].next)
        repeat_request(stream->replay, at - 1, buffer);
    free(buffer);
    return buffer ? NULL : stream;
}

/* ---- a process ---------------------------------------------------------------------------- */

static int prepare_files(struct replay *replay)
{
    size_t count = replay->table->files.count;
    replay->files = calloc(count, sizeof *replay->files);
    for (size_t i = 0; replay->files && i < count; i++)
        pthread_mutex_init(&replay->files[i].mutex, NULL);
    return replay->files ? 0 : -1;
}

static int load_clients(struct replay *replay, struct cup_error *error)
{
    bool used[2] = {false, false};
    for (size_t i = 1; i < replay->table->files.count; i++)
        used[cup_replay_is_remote(replay->options->targets[i])] = true;
    for (int remote = 0; remote < 2; remote++)
        if (used[remote] && cup_replay_client_load(&replay->clients[remote], remote,
                                                   replay->options->client, error) != 0)
            return -1;
    return 0;
}

/* Returns false if another process could not be started, so that none shall begin. */
static bool wait_for_start(struct shared *shared)
{
    int64_t start_ns;
    __atomic_add_fetch(&shared->ready, 1, __ATOMIC_RELEASE);
    while ((start_ns = __atomic_load_n(&shared->start_ns, __ATOMIC_ACQUIRE)) == 0)
        usleep(1000);
    return start_ns > 0;
}

static int repeat_streams(struct replay *replay, uint32_t process)
{
    const struct cup_replay_table *table = replay->table;
    struct stream *streams = calloc(table->stream_count, sizeof *streams);
    size_t count = 0;
    int failed = !wait_for_start(replay->shared) || streams == NULL;
    for (size_t i = 0; !failed && i < table->stream_count; i++) {
        if (table->streams[i].process != process)
            continue;
        streams[count] = (struct stream){.replay = replay, .first = table->streams[i].first};
        failed = pthread_create(&streams[count].thread, NULL, repeat_stream, &streams[count]);
        count += !failed;
    }
    for (size_t i = 0; i < count; i++) {
        void *without_memory = NULL;
        pthread_join(streams[i].thread, &without_memory);
        failed |= without_memory != NULL;
    }
    free(streams);
    return failed;
}

static void run_process(struct replay *replay, uint32_t process)
{
    struct rlimit limit;
    signal(SIGINT, SIG_DFL);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) {
        limit.rlim_cur = limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
    if (prepare_files(replay) != 0 || load_clients(replay, &replay->shared->error) != 0)
        _exit(1);
    /* The client's threads may never end: they are not waited for. */
    _exit(repeat_streams(replay, process));
}

/* ---- all processes ------------------------------------------------------------------------ */

static bool has_stream(const struct cup_replay_table *table, uint32_t process)
{
    for (size_t i = 0; i < table->stream_count; i++)
        if (table->streams[i].process == process)
            return true;
    return false;
}

/* Waits until all COUNT processes can begin, or one has ended, and starts the clock. */
static void start_clock(struct shared *shared, uint32_t count)
{
    siginfo_t ended = {0};
    while (__atomic_load_n(&shared->ready, __ATOMIC_ACQUIRE) < count && !ended.si_pid) {
        usleep(1000);
        if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0)
            break;
    }
    shared->stop_ns = now_ns();
    __atomic_store_n(&shared->start_ns, shared->stop_ns, __ATOMIC_RELEASE);
}

static int wait_for_all(uint32_t count)
{
    int failed = 0, status;
    for (; count && wait(&status) > 0; count--)
        failed |= status;
    return failed || count;
}

static int run_processes(struct replay *replay, struct cup_error *error)
{
    uint32_t count = 0;
    pid_t pid = 0;
    for (uint32_t process = 0; process <= replay->table->processes.count && pid >= 0; process++) {
        if (!has_stream(replay->table, process))
            continue;
        pid = fork();
        if (pid == 0)
            run_process(replay, process);
        count += pid > 0;
    }
    if (pid >= 0)
        start_clock(replay->shared, count);
    else
        __atomic_store_n(&replay->shared->start_ns, -1, __ATOMIC_RELEASE);
    if (wait_for_all(count) == 0 && pid >= 0)
        return 0;
    if (!replay->shared->error.text[0])
        return cup_error_set(error, "replay", CUP_NO_OFFSET,
                             "a process or thread could not be started, or crashed: are there "
                             "limits of memory or processes (ulimit -a)?");
    *error = replay->shared->error;
    return -1;
}

int cup_replay_run(const struct cup_replay_table *table, const struct cup_replay_options *options,
                   struct cup_replay_outcome *outcome, struct cup_error *error)
{
    size_t bytes = sizeof(struct shared) + table->request_count * sizeof(struct cup_replay_result);
    struct shared *shared =
        mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (shared == MAP_FAILED)
        return cup_error_memory(error, "replay");
    struct replay replay = {.table = table, .options = options, .shared = shared};
    if (run_processes(&replay, error) != 0) {
        munmap(shared, bytes);
        return -1;
    }
    *outcome = (struct cup_replay_outcome){
        .results = shared->results, .bytes = bytes, .ns = shared->stop_ns - shared->start_ns};
    return 0;
}

void cup_replay_outcome_free(struct cup_replay_outcome *outcome)
{
    munmap((char *)outcome->results - offsetof(struct shared, results), outcome->bytes);
}
