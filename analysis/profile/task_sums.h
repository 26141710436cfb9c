/* Tasks that a merge summed up (`cupping merge --per-prefix`), or that began when their log was
 * full: they have no entry in the profile's tasks. Sums that the profile has anyway (by prefix,
 * file, branch, server, process) include them.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "analysis/profile/waits.h"
#include "include/log_format.h"

/* The summed tasks of one process that have all of the following in common. */
struct cup_task_sum {
    uint32_t process;
    uint32_t prefix; /* index in prefixes */
    uint32_t server; /* index + 1 in servers; 0: not known */
    uint32_t span, span_id;
    uint32_t dataset;
    uint32_t what;    /* as in struct cup_r_sum */
    uint32_t number;  /* of STACK_USE records in the log of the process */
    bool in_full_log; /* as in struct cup_process_sum */
    bool bytes_mixed; /* READ_BYTES are also those of tasks that ended otherwise, or that run */
    uint64_t values[CUP_TASK_SUM_COUNT];
};

/* All summed tasks of one process. */
struct cup_process_sum {
    uint64_t tasks;   /* 0: none are summed up */
    uint64_t kept;    /* tasks of the process that are not */
    bool in_full_log; /* no merge summed them up: they began when the log was full */
    uint64_t threads; /* that ran tasks, of the whole process */
    /* The gaps between tasks, summed up or not: see CUP_BUDGET_BETWEEN. */
    uint64_t gaps, between_ns;
    int64_t first_ns, last_start_ns; /* begin of the first and the last of the summed tasks */
    uint32_t first_key, keys;        /* in summed_keys */
    uint64_t with_task[CUP_COUNTER_COUNT];
    struct cup_wait_sums waits[2]; /* by enum cup_place */
    struct cup_measured_waits helper_waits;
};

static inline unsigned cup_task_sum_kind(const struct cup_task_sum *sum)
{
    return sum->what & 0xff;
}

static inline unsigned cup_task_sum_status(const struct cup_task_sum *sum)
{
    return sum->what >> 8 & 0xff;
}

static inline unsigned cup_task_sum_origin(const struct cup_task_sum *sum)
{
    return sum->what >> 16 & 0xff;
}
