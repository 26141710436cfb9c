#define _POSIX_C_SOURCE 200809L

#include "analysis/profile/process_life.h"

#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/base/process.h"

static int64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
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

static bool is_there(const struct cup_process *process)
{
    return cup_process_is_there(process->header.pid,
                                process->header.log_start_ns - process->clock.shift_ns);
}

static bool is_recent(const struct cup_process *process)
{
    int64_t start_ns = process->header.log_start_ns, sign_ns = cup_process_last_sign_ns(process);
    int64_t age_ns = now_ns() - (sign_ns > start_ns ? sign_ns : start_ns);
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
