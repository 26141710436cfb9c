#include "analysis/base/parallel.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <unistd.h>

/* Each thread holds the profile of one log in memory; more threads would only wait for the disk. */
enum { MOST_THREADS = 8 };

struct share {
    void (*work)(void *context);
    void *context;
};

static void *run_share(void *argument)
{
    const struct share *share = argument;
    share->work(share->context);
    return NULL;
}

static size_t thread_count(size_t most)
{
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    size_t threads = processors < 1 ? 1 : (size_t)processors;
    if (threads > MOST_THREADS)
        threads = MOST_THREADS;
    return threads < most ? threads : most;
}

void cup_parallel(size_t most, void (*work)(void *context), void *context)
{
    struct share share = {work, context};
    pthread_t helpers[MOST_THREADS];
    size_t threads = thread_count(most), started = 0;
    while (started + 1 < threads && pthread_create(&helpers[started], NULL, run_share, &share) == 0)
        started++;
    work(context);
    for (size_t i = 0; i < started; i++)
        pthread_join(helpers[i], NULL);
}

struct parts {
    int (*const *parts)(void *context);
    size_t count;
    void *context;
    atomic_size_t next;
    atomic_bool failed;
};

static void call_parts(void *context)
{
    struct parts *of = context;
    for (size_t i; (i = of->next++) < of->count;)
        if (of->parts[i](of->context) != 0)
            of->failed = true;
}

int cup_parallel_parts(int (*const *parts)(void *context), size_t count, void *context)
{
    struct parts of = {.parts = parts, .count = count, .context = context};
    cup_parallel(count, call_parts, &of);
    return of.failed ? -1 : 0;
}

void cup_turns_start(struct cup_turns *turns, size_t count)
{
    *turns = (struct cup_turns){.count = count};
    pthread_mutex_init(&turns->lock, NULL);
    pthread_cond_init(&turns->changed, NULL);
}

void cup_turns_finish(struct cup_turns *turns)
{
    pthread_cond_destroy(&turns->changed);
    pthread_mutex_destroy(&turns->lock);
}

bool cup_turns_take(struct cup_turns *turns, size_t *piece)
{
    pthread_mutex_lock(&turns->lock);
    *piece = turns->next++;
    pthread_mutex_unlock(&turns->lock);
    return *piece < turns->count;
}

void cup_turns_await(struct cup_turns *turns, size_t piece)
{
    pthread_mutex_lock(&turns->lock);
    while (turns->turn != piece)
        pthread_cond_wait(&turns->changed, &turns->lock);
    pthread_mutex_unlock(&turns->lock);
}

void cup_turns_end(struct cup_turns *turns)
{
    pthread_mutex_lock(&turns->lock);
    turns->turn++;
    pthread_cond_broadcast(&turns->changed);
    pthread_mutex_unlock(&turns->lock);
}
