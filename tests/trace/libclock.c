/* A clock that is wrong by CUP_TEST_CLOCK_S seconds, on a host that is called CUP_TEST_HOST: behind
 * libcupping.so in LD_PRELOAD it is that of another machine, before it that of a library that fakes
 * the time (as faketime does). */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double seconds_wrong(void)
{
    const char *text = getenv("CUP_TEST_CLOCK_S");
    return text ? atof(text) : 0;
}

int clock_gettime(clockid_t id, struct timespec *now)
{
    static int (*real)(clockid_t, struct timespec *);
    if (!real)
        real = (int (*)(clockid_t, struct timespec *))dlsym(RTLD_NEXT, "clock_gettime");
    int result = real(id, now);
    if (id == CLOCK_REALTIME && result == 0)
        now->tv_sec += (time_t)seconds_wrong();
    return result;
}

int gethostname(char *name, size_t size)
{
    static int (*real)(char *, size_t);
    const char *host = getenv("CUP_TEST_HOST");
    if (!real)
        real = (int (*)(char *, size_t))dlsym(RTLD_NEXT, "gethostname");
    if (!host)
        return real(name, size);
    snprintf(name, size, "%s", host);
    return 0;
}
