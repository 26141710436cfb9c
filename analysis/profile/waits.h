/* Where a task's time went while its own thread used no CPU. The measured parts are adjusted so
 * that, for each task, they add up to wall time less CPU time, to the nanosecond. */
#ifndef CUPPING_ANALYSIS_PROFILE_WAITS_H
#define CUPPING_ANALYSIS_PROFILE_WAITS_H

#include <stdbool.h>
#include <stdint.h>

#include "include/log_format.h"

/* The parts. X(id, name in JSON, short name, text, features that it needs, what it is). The parts
 * up to RUN_DELAY are counters of the log, in the same order; FAULT is derived, OTHER is the rest.
 */
#define CUP_WAITS(X)                                                                               \
    X(IO, "io_wait_s", "I/O", "waiting for files", CUP_FEATURE_WAITS, "blocked in calls on files") \
    X(GIL, "gil_wait_s", "GIL", "the interpreter's lock", CUP_FEATURE_WAITS | CUP_FEATURE_GIL,     \
      "blocked for the interpreter's lock; where that is not told from others, it is among the "   \
      "locks")                                                                                     \
    X(LOCK, "lock_wait_s", "locks", "other locks", CUP_FEATURE_WAITS,                              \
      "blocked for locks, conditions, other threads' ends")                                        \
    X(SLEEP, "sleep_s", "sleep", "sleeping", CUP_FEATURE_WAITS, "slept")                           \
    X(POLL, "poll_wait_s", "sockets", "sockets and pipes", CUP_FEATURE_WAITS,                      \
      "blocked on sockets and pipes")                                                              \
    X(RUN_DELAY, "run_delay_s", "no core", "ready, but no core",                                   \
      CUP_FEATURE_WAITS | CUP_FEATURE_RUN_DELAY,                                                   \
      "ready, but without a core, as the kernel says; where it does not, that is inside the "      \
      "waits")                                                                                     \
    X(FAULT, "fault_wait_s", "faults", "pages from disk (derived)", CUP_FEATURE_WAITS,             \
      "derived: what all other parts leave of the non-CPU time of tasks with major page faults")   \
    X(OTHER, "other_wait_s", "other", "what is left", CUP_FEATURE_WAITS,                           \
      "what all other parts leave of the non-CPU time of tasks without major page faults")
#define CUP_NO_HELPER_REST                                                                         \
    "a helper's time outside of waits is not known, so nothing can be left of it"
enum cup_waited {
#define X(id, name, label, text, needs, source) CUP_WAITED_##id,
    CUP_WAITS(X)
#undef X
        CUP_WAITED_COUNT
};
enum { CUP_WAITED_MEASURED = CUP_WAITED_FAULT };
_Static_assert((int)CUP_C_RUN_DELAY_NS - (int)CUP_C_IO_WAIT_NS == (int)CUP_WAITED_RUN_DELAY &&
                   (int)CUP_WAIT_POLL == (int)CUP_WAITED_POLL,
               "counters of waits must be in the order of the parts");

struct cup_wait_part {
    const char *name, *helper_name, *label, *text;
    uint64_t needs; /* enum cup_feature */
};
extern const struct cup_wait_part cup_wait_parts[CUP_WAITED_COUNT];

/* The measured parts of one thread. */
struct cup_measured_waits {
    uint64_t ns[CUP_WAITED_MEASURED];
};

/* All parts of one task. */
struct cup_wait_split {
    uint64_t ns[CUP_WAITED_COUNT];
    uint64_t
        excess_ns; /* measured waits beyond the task's non-CPU time, which were cut off: clocks are
                      coarse, and the time of a call includes a little more than the wait */
};

/* Splits the non-CPU time of a task. What the measured parts leave is FAULT if the task had major
 * page faults, else OTHER. If they exceed it, the largest parts are cut. */
struct cup_wait_split cup_wait_split(uint64_t noncpu_ns, const struct cup_measured_waits *measured,
                                     uint64_t major_faults);

/* Sums over tasks that ended and have a CPU time. A task's CPU time counts up to its wall time, so
 * that CPU time and parts add up to the wall time. */
struct cup_wait_sums {
    uint64_t tasks; /* whose waits were measured; so are those of the next four fields */
    uint64_t cpu_ns;
    uint64_t ns[CUP_WAITED_COUNT];
    uint64_t excess_ns;
    uint64_t below_zero_ns; /* CPU time beyond wall time, over all tasks */
    uint64_t untold_tasks;  /* whose waits were not measured; so are those of the next two fields */
    uint64_t untold_cpu_ns;
    uint64_t untold_ns; /* their non-CPU time */
};

/* Adds a task. MEASURED is NULL if waits were not measured. */
void cup_wait_sums_add_task(struct cup_wait_sums *sums, uint64_t wall_ns, uint64_t cpu_ns,
                            const struct cup_measured_waits *measured, uint64_t major_faults);

void cup_wait_sums_add(struct cup_wait_sums *sums, const struct cup_wait_sums *others);

/* Wall time of the tasks whose waits were measured. */
uint64_t cup_wait_sums_wall_ns(const struct cup_wait_sums *sums);

static inline void cup_measured_waits_add(struct cup_measured_waits *sums,
                                          const struct cup_measured_waits *others)
{
    for (int i = 0; i < CUP_WAITED_MEASURED; i++)
        sums->ns[i] += others->ns[i];
}

/* The waits in the counters of a block. */
static inline struct cup_measured_waits cup_measured_waits_of(const uint64_t *counters)
{
    struct cup_measured_waits measured;
    for (int i = 0; i < CUP_WAITED_MEASURED; i++)
        measured.ns[i] = counters[CUP_C_IO_WAIT_NS + i];
    return measured;
}

/* True if the counter is one of the measured parts. */
static inline bool cup_counter_is_wait(int counter)
{
    return counter >= CUP_C_IO_WAIT_NS && counter <= CUP_C_RUN_DELAY_NS;
}

#endif
