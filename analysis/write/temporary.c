#include "analysis/write/temporary.h"

#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* protects the list */

static struct temporary {
    struct temporary *next;
    char path[];
} * list;

void cup_temporary_add(const char *path)
{
    size_t bytes = strlen(path) + 1;
    struct temporary *one = malloc(sizeof *one + bytes);
    if (!one)
        return; /* then it may stay */
    memcpy(one->path, path, bytes);
    pthread_mutex_lock(&lock);
    one->next = list;
    list = one;
    pthread_mutex_unlock(&lock);
}

void cup_temporary_drop(const char *path)
{
    pthread_mutex_lock(&lock);
    struct temporary **at = &list, *one;
    while (*at && strcmp((*at)->path, path) != 0)
        at = &(*at)->next;
    one = *at;
    if (one)
        *at = one->next;
    pthread_mutex_unlock(&lock);
    free(one);
}

static int remove_entry(const char *path, const struct stat *status, int kind, struct FTW *place)
{
    (void)status, (void)kind, (void)place;
    return remove(path) == 0 ? 0 : 1;
}

/* Other threads may still add files to a directory until it is gone. */
static void remove_path(const char *path)
{
    enum { MOST_TIMES = 1000 };
    for (int i = 0; i < MOST_TIMES && access(path, F_OK) == 0; i++)
        nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

static void *await_signal(void *set)
{
    int number = 0;
    while (sigwait(set, &number) != 0)
        continue;
    pthread_mutex_lock(&lock); /* for good: the list does not change any more */
    for (const struct temporary *one = list; one; one = one->next)
        remove_path(one->path);
    pthread_sigmask(SIG_UNBLOCK, set, NULL);
    raise(number);
    return NULL;
}

void cup_temporary_remove_at_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    static sigset_t set;
    pthread_t thread;
    static bool done;
    if (done)
        return;
    done = true;
    sigemptyset(&set);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction now;
        if (sigaction(numbers[i], NULL, &now) == 0 && now.sa_handler == SIG_DFL)
            sigaddset(&set, numbers[i]);
    }
    pthread_sigmask(SIG_BLOCK, &set, NULL);
    if (pthread_create(&thread, NULL, await_signal, &set) == 0)
        pthread_detach(thread);
    else
        pthread_sigmask(SIG_UNBLOCK, &set, NULL);
}
