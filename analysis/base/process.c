#include "analysis/base/process.h"

#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static const int64_t second_ns = INT64_C(1000000000);

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * second_ns + now.tv_nsec;
}

/* When a process of this host began, since the epoch; -1: there is none of that number, or it has
 * ended and only its parent has not asked for its status. */
static int64_t find_process_start(uint32_t pid)
{
    char path[64], line[1024];
    snprintf(path, sizeof path, "/proc/%u/stat", pid);
    FILE *file = fopen(path, "re");
    size_t bytes = file ? fread(line, 1, sizeof line - 1, file) : 0;
    if (file)
        fclose(file);
    line[bytes] = '\0';
    char *after_name = strrchr(line, ')'), state;
    unsigned long long ticks;
    if (!after_name ||
        sscanf(after_name + 1,
               " %c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u "
               "%*d %*d %*d %*d %*d %*d %llu",
               &state, &ticks) != 2 ||
        state == 'Z' || state == 'X')
        return -1;
    int64_t since_boot_ns = (int64_t)(ticks * (uint64_t)(second_ns / sysconf(_SC_CLK_TCK)));
    return clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_BOOTTIME) + since_boot_ns;
}

/* The kernel's start time is rounded to its tick, and the clock may have been set since. */
bool cup_process_is_there(uint32_t pid, int64_t ns)
{
    int64_t start_ns = find_process_start(pid);
    return start_ns >= 0 && start_ns <= ns + second_ns;
}
