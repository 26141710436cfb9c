#include "preload/dask/clock_calls.h"

#include "preload/attribution/context.h"
#include "preload/attribution/helper.h"
#include "preload/coffea/coffea_calls.h"
#include "preload/dask/dask_tasks.h"
#include "preload/dask/python_calls.h"
#include "preload/dask/runner_calls.h"
#include "preload/dask/server_samples.h"
#include "preload/dask/servers.h"
#include "preload/io/file_class.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/releases.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/python/anchors.h"
#include "preload/python/frames.h"
#include "preload/python/layout.h"
#include "preload/python/python.h"
#include "preload/python/stack_frames.h"
#include "preload/stacks/native.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/clock.h"
#include "preload/sys/raw.h"

#include <string.h>

static enum { UNTRIED, READY, OFF } state;
static int64_t next_look_ns;

/* ---- getting ready ----------------------------------------------------------------------- */

/* A process without Dask and Coffea pays for one look-up in sys.modules per 50 ms in which it reads
 * a clock, and for nothing else. */
enum { LOOK_EVERY_NS = 50 * 1000 * 1000 };

static bool is_worth_looking(void)
{
    return cup_python_module("distributed.core") || cup_python_module("coffea.processor.executor");
}

/* Called by Py_AtExit: no thread may touch the interpreter any more. */
static void end_interpreter(void)
{
    cup_context_off();
    cup_frames_off();
    cup_python_gone();
}

/* WHY: NULL if FEATURE works; "" if it is switched off by a setting, which needs no remark. */
static void report_feature(uint64_t feature, const char *remark, const char *why)
{
    if (!why)
        cup_recording_add_feature(feature);
    else if (*why)
        cup_recording_note(remark, why);
}

static const char no_requests[] = "baskets that uproot requests are not recorded";

/* Called if locks are not seen. Returns NULL if calls of functions are, else why not: before 3.14
 * the library needs the locks for that. */
static const char *notice_calls(void)
{
    const char *why = cup_python_calls_start();
    if (why && !*why)
        why = "locks of this Python are no POSIX semaphores";
    if (why) {
        cup_recording_note(no_requests, why);
        cup_recording_note("exact times of Coffea's calls without Dask are not recorded", why);
    }
    return why;
}

/* Jobs that are handed over are seen by their locks, or else by the functions that take them.
 * UNKNOWN: why neither is tried; NULL: they are. */
static void report_handoff(const char *unknown)
{
    const char *why = unknown ? unknown : cup_helper_verify() ? NULL : notice_calls();
    report_feature(CUP_FEATURE_HANDOFF, "attribution methods 'handoff' and 'inherited' are off",
                   why);
}

/* What else needs more than frames. */
static void note_unknown(const char *why)
{
    cup_recording_note("waits for the GIL are not recognised", why);
    cup_recording_note(no_requests, why);
}

static void verify_features(void)
{
    cup_recording_add_feature(CUP_FEATURE_BRIDGE | CUP_FEATURE_CHUNKS);
    if (cup_samples_interval_ns)
        cup_recording_add_feature(CUP_FEATURE_SAMPLES | CUP_FEATURE_DIGESTS);
    report_feature(CUP_FEATURE_CONTEXT, "attribution method 'context' is off",
                   cup_context_verify());
    const char *why = cup_layout_is_listed(cup_py.minor) ? NULL : "unknown interpreter";
    report_handoff(why);
    if (why)
        note_unknown(why);
    else
        why = cup_stacks_verify();
    report_feature(CUP_FEATURE_STACKS, "Python functions are not recorded", why);
    if (!why && cup_stack_layout_lacks())
        cup_recording_note("stacks are read more slowly", cup_stack_layout_lacks());
    why = why ? "" : cup_native_verify();
    report_feature(CUP_FEATURE_NATIVE, "native functions are not recorded", why);
}

/* The log opens, so that the report says why it has no tasks. */
static void turn_off(const char *why)
{
    state = OFF;
    cup_recording_note("Dask and Coffea are not recorded", why);
    cup_recording_open();
}

static struct {
    int count;       /* of those LOOK_EVERY_NS apart */
    int64_t next_ns; /* an earlier one is not counted */
} failed_attempts;

/* The stack may differ from what the C API says just now, as in a finalizer that runs while its
 * caller's frame is being set up: so one attempt does not decide, nor do several in that moment. */
static bool verify_frames(void)
{
    enum { ATTEMPTS = 3 };
    const char *why = cup_frames_verify();
    int64_t now_ns = cup_clock_realtime_ns();
    if (!why || !cup_clock_pause_is_over(failed_attempts.next_ns, now_ns, LOOK_EVERY_NS))
        return !why;
    failed_attempts.next_ns = now_ns + LOOK_EVERY_NS;
    if (++failed_attempts.count == ATTEMPTS)
        turn_off(why);
    return false;
}

void cup_clock_calls_child_begins(void)
{
    failed_attempts.count = 0;
    failed_attempts.next_ns = 0;
}

static void get_ready(void)
{
    const char *refused = cup_python_refused();
    if (refused)
        turn_off(refused);
    if (refused || !verify_frames())
        return;
    cup_python_learn();
    cup_anchors_intern();
    verify_features();
    cup_py.Py_AtExit(end_interpreter);
    __atomic_store_n(&state, READY, __ATOMIC_RELEASE);
}

static bool try_to_get_ready(clockid_t id, int64_t now_ns)
{
    if (state == OFF || (id == CLOCK_REALTIME &&
                         !cup_clock_pause_is_over(__atomic_load_n(&next_look_ns, __ATOMIC_RELAXED),
                                                  now_ns, LOOK_EVERY_NS)))
        return false;
    if (id == CLOCK_REALTIME)
        __atomic_store_n(&next_look_ns, now_ns + LOOK_EVERY_NS, __ATOMIC_RELAXED);
    /* Searching for an interpreter may allocate, and a signal handler may read the time of day,
     * where allocating is forbidden. So CLOCK_REALTIME only uses an interpreter that was found at
     * load; one that is loaded later is found when its first task reads the thread's CPU clock. */
    bool found = id == CLOCK_REALTIME ? cup_python_usable() : cup_python_find();
    bool refused = cup_python_refused();
    if (!refused && (!found || !cup_python_has_gil()))
        return false;
    if (is_worth_looking() && (refused || cup_py.PyEval_GetFrame()))
        get_ready();
    return state == READY;
}

/* ---- which anchor called ----------------------------------------------------------------- */

/* Dask's functions that read the time around a task themselves: up to 2023.3.1. */
static bool is_unmetered(const void *name)
{
    return name == cup_anchor_name(CUP_ANCHOR_APPLY_FUNCTION_SIMPLE) ||
           name == cup_anchor_name(CUP_ANCHOR_APPLY_FUNCTION_ASYNC);
}

static void read_clock_call(clockid_t id, int64_t now_ns, const void *name, struct cup_frame frame)
{
    if (name != cup_anchor_name(CUP_ANCHOR_WORK_FUNCTION) &&
        !cup_release_supported(CUP_RELEASE_DISTRIBUTED))
        return;
    if (id == CLOCK_THREAD_CPUTIME_ID)
        cup_dask_thread_clock(frame,
                              (struct cup_moment){cup_clock_realtime_ns(), (uint64_t)now_ns});
    else if (name == cup_anchor_name(CUP_ANCHOR_REGISTERS))
        cup_server_registers(frame);
    else if (name == cup_anchor_name(CUP_ANCHOR_TICK))
        cup_server_tick(frame, now_ns);
    else if (name == cup_anchor_name(CUP_ANCHOR_METER))
        cup_dask_async_clock(frame, now_ns);
    else if (is_unmetered(name))
        cup_dask_unmetered_clock(frame, (struct cup_moment){now_ns, cup_clock_thread_cpu_ns()});
    else if (name == cup_anchor_name(CUP_ANCHOR_RUN_ACTOR) ||
             name == cup_anchor_name(CUP_ANCHOR_APPLY_FUNCTION_ACTOR))
        cup_dask_actor_clock(frame, (struct cup_moment){now_ns, cup_clock_thread_cpu_ns()});
    else
        cup_coffea_clock(frame, (struct cup_moment){now_ns, cup_clock_thread_cpu_ns()});
}

static void read_anchor(clockid_t id, int64_t now_ns, const void *name)
{
    struct cup_frame frame;
    if (!cup_anchors_may_ask() || !cup_frames_top(&frame))
        return;
    if (cup_python_key == CUP_KEY_LOST)
        cup_python_learn();
    bool timed = cup_active(); /* opening the log recalibrates the ticks: START would be wrong */
    uint64_t start = cup_ticks();
    read_clock_call(id, now_ns, name, frame);
    /* An executor that runs chunks in the client's own thread: the Runner's call goes on. */
    if (name == cup_anchor_name(CUP_ANCHOR_WORK_FUNCTION))
        cup_runner_self.next_ns = now_ns + cup_runner_call_check(now_ns);
    cup_log_health(CUP_H_ANCHOR_CALLS, 1);
    if (timed)
        cup_log_health(CUP_H_ANCHOR_NS, cup_ticks_ns(cup_ticks() - start));
}

/* A thread that runs a server's event loop ticks every 20 ms, so not every tick is read. */
static bool is_anchor(clockid_t id, const struct timespec *now, const void *name)
{
    if (id == CLOCK_THREAD_CPUTIME_ID)
        return name == cup_anchor_name(CUP_ANCHOR_METER);
    return name == cup_anchor_name(CUP_ANCHOR_WORK_FUNCTION) ||
           name == cup_anchor_name(CUP_ANCHOR_METER) ||
           name == cup_anchor_name(CUP_ANCHOR_RUN_ACTOR) ||
           name == cup_anchor_name(CUP_ANCHOR_APPLY_FUNCTION_ACTOR) || is_unmetered(name) ||
           name == cup_anchor_name(CUP_ANCHOR_REGISTERS) ||
           (name == cup_anchor_name(CUP_ANCHOR_TICK) &&
            cup_server_tick_wanted(cup_clock_call_ns(now)));
}

/* The rare cases are functions that are not inlined, so that the frequent one (no anchor) saves no
 * registers. */
static __attribute__((noinline)) bool become_ready(clockid_t id, int64_t now_ns)
{
    if (!cup_recording_wanted())
        return false;
    int saved = cup_enter();
    bool ready = try_to_get_ready(id, now_ns);
    cup_leave(saved);
    return ready;
}

static __attribute__((noinline)) void enter_anchor(clockid_t id, const struct timespec *now,
                                                   const void *name)
{
    int saved = cup_enter();
    read_anchor(id, cup_clock_call_ns(now), name);
    cup_leave(saved);
}

/* ---- other clock calls, which show that a Runner's call goes on -------------------------- */

/* Returns for how many nanoseconds this thread's clock calls need not be looked at. */
static int64_t check_runner_call(int64_t realtime_ns)
{
    enum { RETRY_NS = 200 * 1000 };
    bool timed = cup_active();
    uint64_t start = cup_ticks();
    if (!cup_anchors_may_ask())
        return RETRY_NS;
    int64_t pause_ns = cup_runner_call_check(realtime_ns);
    if (timed)
        cup_log_health(CUP_H_ANCHOR_NS, cup_ticks_ns(cup_ticks() - start));
    return pause_ns;
}

static __attribute__((noinline)) void enter_runner_check(const struct timespec *now)
{
    int saved = cup_enter();
    cup_runner_self.next_ns = cup_clock_call_ns(now) + check_runner_call(cup_clock_call_ns(now));
    cup_leave(saved);
}

/* An executor makes a lock for each job that it submits: a thread of its pool may begin the job
 * long before this thread reads a clock again. So locks are looked at more often than clock calls.
 */
void cup_clock_call_before_file(void)
{
    enum { SOONER_NS = 900 * 1000 };
    if (cup_self.guard || state == OFF || !cup_recording_wanted())
        return;
    int64_t now_ns = cup_clock_realtime_ns();
    if (state != READY && !become_ready(CLOCK_REALTIME, now_ns))
        return;
    int saved = cup_enter();
    uint32_t task = cup_self.task;
    cup_coffea_look_now(now_ns);
    if (cup_self.task != task || cup_run_due(now_ns + SOONER_NS))
        cup_runner_self.next_ns = now_ns + check_runner_call(now_ns);
    cup_leave(saved);
}

/* The path is copied by the kernel, page by page: if it cannot be read, open() will fail. */
static bool is_called_events(const char *path)
{
    enum { PAGE = 4096 };
    char copy[CUP_PATH_LONGEST];
    for (size_t used = 0, part; used < sizeof copy; used += part) {
        size_t left = sizeof copy - used, in_page = PAGE - (uintptr_t)(path + used) % PAGE;
        part = in_page < left ? in_page : left;
        if (!cup_memory_read(path + used, copy + used, part))
            return false;
        if (memchr(copy + used, '\0', part))
            return cup_file_is_called_events(copy);
    }
    return false;
}

/* It takes the GIL seldom: a call of Coffea's opens its file once or twice before it processes it.
 */
void cup_clock_call_before_open(const char *path)
{
    if (cup_self.guard || __atomic_load_n(&state, __ATOMIC_ACQUIRE) != READY ||
        !cup_recording_wanted() || !cup_coffea_may_begin())
        return;
    int saved = cup_enter();
    if (is_called_events(path)) {
        const struct cup_moment now = {cup_clock_realtime_ns(), cup_clock_thread_cpu_ns()};
        bool taken = cup_python_take_gil();
        cup_coffea_look(now);
        if (taken)
            cup_python_give_gil();
    }
    cup_leave(saved);
}

/* The longest pause that the situation allows: tasks read this clock millions of times. */
static int64_t pause_of_monotonic(const void *caller)
{
    enum { IN_TASK_NS = 1000 * 1000 };
    /* Before this library's own constructor has run (constructors of others run earlier) nothing
     * is wanted yet. */
    if (!cup_recording_wanted() || state == OFF)
        return LOOK_EVERY_NS;
    if (!cup_runner_call_may_check() || !cup_python_reads_clock(caller))
        return IN_TASK_NS;
    int64_t now_ns = cup_clock_realtime_ns();
    if (state != READY && !try_to_get_ready(CLOCK_REALTIME, now_ns))
        return LOOK_EVERY_NS / 10;
    return check_runner_call(now_ns);
}

void cup_clock_call_monotonic(const struct timespec *now, const void *caller)
{
    if (cup_self.guard)
        return;
    int saved = cup_enter();
    cup_runner_self.next_monotonic_ns = cup_clock_call_ns(now) + pause_of_monotonic(caller);
    cup_leave(saved);
}

/* ---- the hook's entry -------------------------------------------------------------------- */

/* May this call be looked at? That creates objects of Python, and a signal handler may read the
 * time of day in the middle of an allocation of Python's. So CLOCK_REALTIME counts only if Python
 * itself reads it. */
static inline bool may_look(clockid_t id, const void *caller)
{
    return id != CLOCK_REALTIME || cup_python_reads_time(caller);
}

void cup_clock_call(clockid_t id, const struct timespec *now, const void *caller)
{
    if (cup_self.guard || (__builtin_expect(state != READY, 0) &&
                           (!may_look(id, caller) || !become_ready(id, cup_clock_call_ns(now)))))
        return;
    const void *name = cup_frames_top_name();
    if (__builtin_expect(name && is_anchor(id, now, name), 0)) {
        if (may_look(id, caller))
            enter_anchor(id, now, name);
    } else if (id == CLOCK_REALTIME && name && cup_runner_call_may_check() &&
               cup_run_due(cup_clock_call_ns(now)) && may_look(id, caller)) {
        enter_runner_check(now);
    }
}
