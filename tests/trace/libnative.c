/* cflags: -fno-inline -fno-optimize-sibling-calls */
/* Native functions with names, which read, allocate and call back. What they are called is looked
 * up in the symbols of this library by tests/workloads/native_check.py. */
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

#define CALLED __attribute__((visibility("default")))

/* ---- reads ------------------------------------------------------------------------------- */

static long read_all(int fd, char *buffer, size_t bytes)
{
    long all = 0;
    for (ssize_t got; (got = read(fd, buffer, bytes)) > 0;)
        all += got;
    return all;
}

CALLED long native_reads(const char *path)
{
    char *buffer = malloc(1 << 20);
    int fd = open(path, O_RDONLY);
    long all = fd < 0 ? -1 : read_all(fd, buffer, 1 << 20);
    if (fd >= 0)
        close(fd);
    free(buffer);
    return all;
}

/* ---- allocations ------------------------------------------------------------------------- */

static void *take_some(size_t bytes)
{
    void *volatile taken = malloc(bytes);
    return taken;
}

CALLED long native_allocates(size_t bytes)
{
    void *taken = take_some(bytes);
    free(taken);
    return taken != NULL;
}

/* ---- and back ---------------------------------------------------------------------------- */

static long call(long (*back)(long value), long value)
{
    return back(value) + 1;
}

CALLED long native_calls_back(long (*back)(long value), long value)
{
    return call(back, value) + 1;
}

/* ---- threads ----------------------------------------------------------------------------- */

static void *in_thread(void *path)
{
    return (void *)native_reads(path);
}

/* In a thread that knows nothing of Python. */
CALLED long native_reads_in_thread(const char *path)
{
    pthread_t thread;
    void *all = NULL;
    if (pthread_create(&thread, NULL, in_thread, (void *)path))
        return -1;
    pthread_join(thread, &all);
    return (long)all;
}
