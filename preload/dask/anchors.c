#include "preload/dask/anchors.h"

#include "preload/attribution/context.h"
#include "preload/attribution/helper.h"
#include "preload/coffea/coffea.h"
#include "preload/dask/dask_tasks.h"
#include "preload/dask/runner_calls.h"
#include "preload/dask/server_samples.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/process.h"
#include "preload/python/frames.h"
#include "preload/python/python.h"
#include "preload/stacks/native.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/clock.h"

#include <errno.h>
#include <stdio.h>

static const char *const functions[] = {
#define X(id, module, function, reads, versions) function,
    CUP_ANCHORS(X)
#undef X
};

static enum { UNTRIED, READY, OFF } state;
static const void *names[CUP_ANCHOR_COUNT]; /* references held for good */
static cup_object *interpreter;
static int64_t next_look_ns;

const void *cup_anchor_name(enum cup_anchor anchor)
{
    return names[anchor];
}

bool cup_anchors_may_ask(void)
{
    return __atomic_load_n(&state, __ATOMIC_ACQUIRE) == READY && cup_python_has_gil() &&
           cup_py.PyInterpreterState_Get() == interpreter;
}

/* ---- getting ready ----------------------------------------------------------------------- */

/* A process without Dask and Coffea pays for one look into sys.modules every 50 ms of clock
 * reads, and nothing else. */
enum { LOOK_EVERY_NS = 50 * 1000 * 1000 };

static bool worth_looking(void)
{
    return cup_python_module("distributed.core") || cup_python_module("coffea.processor.executor");
}

static void intern_names(void)
{
    for (int i = 0; i < CUP_ANCHOR_COUNT; i++)
        names[i] = cup_py.PyUnicode_InternFromString(functions[i]);
}

/* Py_AtExit: the interpreter is gone for good. */
static void interpreter_ends(void)
{
    cup_context_off();
    cup_frames_off();
    cup_python_gone();
}

static void get_ready(void)
{
    const char *why = cup_frames_verify();
    if (why) {
        cup_process_remark("Dask and Coffea are not seen", why);
        state = OFF;
        return;
    }
    cup_python_learn();
    intern_names();
    cup_process_feature(CUP_FEATURE_BRIDGE | CUP_FEATURE_CHUNKS);
    if (cup_samples_wanted())
        cup_process_feature(CUP_FEATURE_SAMPLES | CUP_FEATURE_DIGESTS);
    why = cup_context_verify();
    if (why)
        cup_process_remark("way 'context' is off", why);
    else
        cup_process_feature(CUP_FEATURE_CONTEXT);
    if (cup_helper_verify())
        cup_process_feature(CUP_FEATURE_HANDOFF);
    else
        cup_process_remark("ways 'handoff' and 'inherited' are off",
                           "this Python's locks are no semaphores");
    why = cup_stacks_wanted() ? cup_stacks_verify() : "";
    if (!why)
        cup_process_feature(CUP_FEATURE_STACKS);
    else if (*why)
        cup_process_remark("functions are not seen", why);
    why = why || !cup_native_wanted() ? "" : cup_native_verify();
    if (!why)
        cup_process_feature(CUP_FEATURE_NATIVE);
    else if (*why)
        cup_process_remark("native functions are not seen", why);
    interpreter = cup_py.PyInterpreterState_Get();
    cup_py.Py_AtExit(interpreter_ends);
    __atomic_store_n(&state, READY, __ATOMIC_RELEASE);
}

static bool try_to_get_ready(clockid_t id, int64_t now_ns)
{
    if (state == OFF || (id == CLOCK_REALTIME && now_ns < next_look_ns))
        return false;
    if (id == CLOCK_REALTIME)
        next_look_ns = now_ns + LOOK_EVERY_NS;
    /* Looking for an interpreter may allocate, which a signal handler that reads the time of day
     * must not: that was done at load. One that is loaded later is found at its first task. */
    bool found = id == CLOCK_REALTIME ? cup_python_usable() : cup_python_find();
    if (!found || !cup_python_has_gil())
        return false;
    if (worth_looking() && cup_py.PyEval_GetFrame())
        get_ready();
    return state == READY;
}

/* ---- which anchor is it ------------------------------------------------------------------ */

static void look_closely(clockid_t id, int64_t now_ns, const void *name)
{
    struct cup_frame frame;
    if (!cup_python_has_gil() || cup_py.PyInterpreterState_Get() != interpreter ||
        !cup_frames_top(&frame))
        return;
    bool timed = cup_active(); /* opening the log changes what a tick is */
    uint64_t start = cup_ticks();
    if (id == CLOCK_THREAD_CPUTIME_ID)
        cup_dask_thread_clock(frame,
                              (struct cup_moment){cup_clock_realtime_ns(), (uint64_t)now_ns});
    else if (name == names[CUP_ANCHOR_TICK])
        cup_dask_tick(frame, now_ns);
    else if (name == names[CUP_ANCHOR_METER])
        cup_dask_async_clock(frame, now_ns);
    else if (name == names[CUP_ANCHOR_RUN_ACTOR] || name == names[CUP_ANCHOR_APPLY_FUNCTION_ACTOR])
        cup_dask_actor_clock(frame, (struct cup_moment){now_ns, cup_clock_thread_cpu_ns()});
    else
        cup_coffea_clock(frame, (struct cup_moment){now_ns, cup_clock_thread_cpu_ns()});
    if (name == names[CUP_ANCHOR_WORK_FUNCTION]) /* the executor that runs chunks itself */
        cup_self.run_next_ns = now_ns + cup_runner_call_check(now_ns);
    cup_log_health(CUP_H_ANCHOR_CALLS, 1);
    if (timed)
        cup_log_health(CUP_H_ANCHOR_NS, cup_ticks_ns(cup_ticks() - start));
}

/* The thread that runs a server's loop ticks every 20 ms: known after its first. */
static bool is_anchor(clockid_t id, const struct timespec *now, const void *name)
{
    if (id == CLOCK_THREAD_CPUTIME_ID)
        return name == names[CUP_ANCHOR_METER];
    return name == names[CUP_ANCHOR_WORK_FUNCTION] || name == names[CUP_ANCHOR_METER] ||
           name == names[CUP_ANCHOR_RUN_ACTOR] || name == names[CUP_ANCHOR_APPLY_FUNCTION_ACTOR] ||
           (name == names[CUP_ANCHOR_TICK] && cup_dask_tick_wanted(cup_anchors_ns(now)));
}

/* The two rare cases are functions of their own, so that the frequent one saves no registers. */
static __attribute__((noinline)) bool came(clockid_t id, const struct timespec *now)
{
    if (!cup_process_wanted())
        return false;
    int saved = errno;
    cup_guard();
    bool ready = try_to_get_ready(id, cup_anchors_ns(now));
    cup_unguard();
    errno = saved;
    return ready;
}

static __attribute__((noinline)) void at_anchor(clockid_t id, const struct timespec *now,
                                                const void *name)
{
    int saved = errno;
    cup_guard();
    look_closely(id, cup_anchors_ns(now), name);
    cup_unguard();
    errno = saved;
}

/* Any clock call of a Runner's tells that it still runs; those inside of tasks need not, which come
 * in millions. Returns for how long none need be looked at. */
static int64_t look_for_run(int64_t realtime_ns)
{
    enum { NO_GIL_NS = 200 * 1000 };
    bool timed = cup_active();
    uint64_t start = cup_ticks();
    if (!cup_python_has_gil())
        return NO_GIL_NS;
    if (cup_py.PyInterpreterState_Get() != interpreter)
        return NO_GIL_NS;
    int64_t pause_ns = cup_runner_call_check(realtime_ns);
    if (timed)
        cup_log_health(CUP_H_ANCHOR_NS, cup_ticks_ns(cup_ticks() - start));
    return pause_ns;
}

static __attribute__((noinline)) void in_between(const struct timespec *now)
{
    int saved = errno;
    cup_guard();
    cup_self.run_next_ns = cup_anchors_ns(now) + look_for_run(cup_anchors_ns(now));
    cup_unguard();
    errno = saved;
}

/* In a process without Dask and Coffea, or in a task: as seldom as that is worth. */
static int64_t pause_of_monotonic(const void *caller)
{
    enum { IN_TASK_NS = 1000 * 1000 };
    if (!cup_process_wanted() ||
        state == OFF) /* or not loaded yet: constructors come before ours */
        return LOOK_EVERY_NS;
    if (!cup_runner_call_may_check() || !cup_python_is_code(caller))
        return IN_TASK_NS;
    int64_t now_ns = cup_clock_realtime_ns();
    if (state != READY && !try_to_get_ready(CLOCK_REALTIME, now_ns))
        return LOOK_EVERY_NS / 10;
    return look_for_run(now_ns);
}

void cup_anchors_monotonic(const struct timespec *now, const void *caller)
{
    if (cup_self.guard)
        return;
    int saved = errno;
    cup_guard();
    cup_self.run_next_monotonic_ns = cup_anchors_ns(now) + pause_of_monotonic(caller);
    cup_unguard();
    errno = saved;
}

void cup_anchors_clock(clockid_t id, const struct timespec *now)
{
    if (cup_self.guard || (__builtin_expect(state != READY, 0) && !came(id, now)))
        return;
    const void *name = cup_frames_top_name();
    if (__builtin_expect(name && is_anchor(id, now, name), 0))
        at_anchor(id, now, name);
    else if (id == CLOCK_REALTIME && name && cup_runner_call_may_check() &&
             cup_run_due(cup_anchors_ns(now)))
        in_between(now);
}
