/* What a task waited for while its own thread used no CPU. The measured parts are adjusted so
 * that, for each task, all parts add up to wall time minus CPU time, to the nanosecond. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "include/log_format.h"

/* The parts. X(id, name in JSON, short name, text, features that it needs, how it is measured).
 * The parts up to RUN_DELAY are counters of the log, in the same order. FAULT and OTHER are
 * computed: they are what the measured parts leave. */
#define CUP_WAITS(X)                                                                               \
    X(IO, "io_wait_s", "I/O", "waiting for files", CUP_FEATURE_WAITS, "blocked in calls on files") \
    X(GIL, "gil_wait_s", "GIL", "the interpreter's lock", CUP_FEATURE_WAITS | CUP_FEATURE_GIL,     \
      "blocked for the interpreter's lock; counted under locks if cupping cannot tell them apart") \
    X(LOCK, "lock_wait_s", "locks", "other locks", CUP_FEATURE_WAITS,                              \
      "blocked for locks, conditions, other threads' ends")                                        \
    X(SLEEP, "sleep_s", "sleep", "sleeping", CUP_FEATURE_WAITS, "slept")                           \
    X(POLL, "poll_wait_s", "sockets", "sockets and pipes", CUP_FEATURE_WAITS,                      \
      "blocked on sockets and pipes")                                                              \
    X(RUN_DELAY, "run_delay_s", "no core", "ready, but no core",                                   \
      CUP_FEATURE_WAITS | CUP_FEATURE_RUN_DELAY,                                                   \
      "ready to run, but without a core, as the kernel counts it; included in the other waits "    \
      "if the kernel does not count it")                                                           \
    X(FAULT, "fault_wait_s", "faults", "pages from disk (derived)", CUP_FEATURE_WAITS,             \
      "derived: what all other parts leave of the non-CPU time of tasks with major page faults")   \
    X(OTHER, "other_wait_s", "other", "other waits", CUP_FEATURE_WAITS,                            \
      "what all other parts leave of the non-CPU time of tasks without major page faults")
#define CUP_NO_HELPER_REST                                                                         \
    "a helper's time outside of waits is not known, so its rest cannot be computed"
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
    /* Time by which the measured waits exceed the non-CPU time of the task, and that was cut
     * off: clocks are coarse, and the time of a call includes a little more than the wait. */
    uint64_t excess_ns;
};

/* Splits the non-CPU time of a task. The time that the measured parts leave becomes FAULT if the
 * task had major page faults, else OTHER. If the measured parts exceed the non-CPU time, the
 * largest ones are cut. */
struct cup_wait_split cup_wait_split(uint64_t noncpu_ns, const struct cup_measured_waits *measured,
                                     uint64_t major_faults);

/* Sums over tasks that ended and have a CPU time. If clocks say that a task used more CPU time
 * than wall time, only its wall time counts, so that CPU time and parts always add up to the wall
 * time. All fields are sums of 64 bits. */
struct cup_wait_sums {
    /* Number of tasks with measured waits; the next three fields are sums over these tasks. */
    uint64_t tasks;
    uint64_t cpu_ns;
    uint64_t ns[CUP_WAITED_COUNT];
    uint64_t excess_ns;
    /* Part of the waits for locks: of tasks that may have waited for servers there, because part of
     * what was read while they ran is unattributed. */
    uint64_t unsure_lock_ns;
    uint64_t below_zero_ns; /* CPU time beyond the wall time, over all tasks, measured or not */
    /* Number of tasks without measured waits; the next two fields are sums over these tasks. */
    uint64_t unmeasured_tasks;
    uint64_t unmeasured_cpu_ns;
    uint64_t unmeasured_noncpu_ns; /* wall time minus CPU time, of unknown causes */
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
