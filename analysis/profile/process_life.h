/* Whether the processes of a profile still run. A log that was closed says so itself. A log that
 * was not closed is of a process that runs, or that was killed, crashed, or was replaced by another
 * program (exec).
 *
 * On the host that reads the profile the kernel knows: the process runs if there is one of that
 * number that began before the log. Of other hosts only the log is known: the process counts as
 * running if its last sign is at most CUP_RECENT_NS old. Dask's servers give one every
 * CUPPING_INTERVAL; a client that waits, or a host whose clock is wrong, may be judged wrongly. */
#pragma once

#include "analysis/profile/profile.h"

#define CUP_RECENT_NS (INT64_C(120) * 1000 * 1000 * 1000)

/* Sets `life` of every process. Called once the profile is loaded. */
void cup_processes_judge(struct cup_profile *profile);

/* True if the process still ran when the profile was loaded: its unfinished tasks are running. */
static inline bool cup_process_runs(const struct cup_process *process)
{
    return process->life == CUP_LIFE_RUNS;
}

/* When the worker of a process ended. It closes some time before its process ends, unless it is
 * killed in a task. */
static inline int64_t cup_worker_end_ns(const struct cup_process *process)
{
    const uint64_t *health = process->header.health;
    bool has_closed =
        process->worker_tick_ns && health[CUP_H_TASKS_ENDED] >= health[CUP_H_TASKS_BEGUN];
    return has_closed ? process->worker_ns : cup_process_last_sign_ns(process);
}

/* True if the task was running when the profile was loaded; false if it ended, or was killed. */
static inline bool cup_task_runs(const struct cup_profile *profile, const struct cup_task *task)
{
    return task->status == 0 &&
           cup_process_runs(&profile->processes[cup_task_process(profile, task)]);
}

/* True if the task has ended, but the record of its end is lost: by the count in the log's header,
 * all tasks of the process have ended. */
static inline bool cup_task_end_is_lost(const struct cup_profile *profile,
                                        const struct cup_task *task)
{
    const uint64_t *health = profile->processes[cup_task_process(profile, task)].header.health;
    return task->status == 0 && health[CUP_H_RECORDS_DROPPED] > 0 &&
           health[CUP_H_TASKS_ENDED] >= health[CUP_H_TASKS_BEGUN];
}

/* True if the task never ended, because its process was killed. */
static inline bool cup_task_was_killed(const struct cup_profile *profile,
                                       const struct cup_task *task)
{
    return task->status == 0 && !cup_task_runs(profile, task) &&
           !cup_task_end_is_lost(profile, task);
}

/* True if the task failed, or never ended because its process was killed. */
static inline bool cup_task_is_bad(const struct cup_profile *profile, const struct cup_task *task)
{
    return task->status == CUP_STATUS_ERRED || cup_task_was_killed(profile, task);
}

/* True if any process of the profile still runs. */
bool cup_profile_runs(const struct cup_profile *profile);
