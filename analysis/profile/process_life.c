#define _POSIX_C_SOURCE 200809L

#include "analysis/profile/process_life.h"

#include <stdio.h>
#include <stdlib.h>
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

/* A program that the same process started later with exec has a log of its own. */
static bool is_replaced(const struct cup_profile *profile, const struct cup_process *process)
{
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct cup_log_header *other = &profile->processes[i].header;
        if (other->pid == process->header.pid &&
            other->log_start_ns > process->header.log_start_ns &&
            strcmp(other->host, process->header.host) == 0)
            return true;
    }
    return false;
}

/* The kernel's start time is rounded to its tick, and the clock may have been set since. */
static bool is_there(const struct cup_process *process)
{
    int64_t start_ns = find_process_start(process->header.pid);
    int64_t log_start_ns = process->header.log_start_ns - process->clock.shift_ns;
    return start_ns >= 0 && start_ns <= log_start_ns + second_ns;
}

static bool is_recent(const struct cup_process *process)
{
    int64_t start_ns = process->header.log_start_ns, sign_ns = cup_process_last_sign_ns(process);
    int64_t age_ns = clock_ns(CLOCK_REALTIME) - (sign_ns > start_ns ? sign_ns : start_ns);
    return age_ns <= CUP_RECENT_NS;
}

void cup_processes_judge(struct cup_profile *profile)
{
    char host[sizeof profile->processes->header.host] = "";
    gethostname(host, sizeof host - 1);
    for (size_t i = 0; i < profile->process_count; i++) {
        struct cup_process *process = &profile->processes[i];
        bool here = strcmp(process->header.host, host) == 0;
        process->life =
            process->header.log_stop_ns ? CUP_LIFE_ENDED
            : (here ? is_there(process) : is_recent(process)) && !is_replaced(profile, process)
                ? CUP_LIFE_RUNS
                : CUP_LIFE_VANISHED;
    }
}

bool cup_profile_runs(const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->process_count; i++)
        if (cup_process_runs(&profile->processes[i]))
            return true;
    return false;
}
