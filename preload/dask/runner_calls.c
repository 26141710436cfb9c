#include "preload/dask/runner_calls.h"

#include "preload/coffea/coffea.h"
#include "preload/coffea/coffea_calls.h"
#include "preload/dask/runner_plan.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/releases.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/log/log.h"
#include "preload/python/anchors.h"
#include "preload/python/frames.h"
#include "preload/python/python.h"
#include "preload/sys/clock.h"

#include <string.h>

__thread struct cup_runner_thread cup_runner_self __attribute__((tls_model("initial-exec")));

enum { OFTEN_NS = 1000 * 1000, LESS_OFTEN_NS = 10 * OFTEN_NS };
enum { DEEPEST = 1000, CALLS = 8 };
static const int64_t write_back_ns = INT64_C(1000000000);

static struct {
    cup_object *call, *run; /* code of Runner.__call__ and Runner.run; never given back */
    cup_object *body;   /* with the variable executor: Runner._run_impl, in older versions run */
    cup_object *around; /* its caller: Runner._run; NULL: there is none */
} codes;

/* How far a call has come: cup_frames_place() of its frames, outermost first; 0: no such frame. */
struct progress {
    uint64_t outermost, around, body;
    uint64_t called; /* what the body called: usually the executor */
};

/* The calls under way; at most one per thread. */
static struct call {
    uint32_t tid;
    bool inside;
    cup_object *executor;     /* weakref to the call's copy of the executor; NULL: not made yet */
    struct progress progress; /* at the last look */
    struct cup_r_run *record; /* in the log; NULL: the log is full */
    int64_t seen_ns, written_ns;
} calls[CALLS];
static uint32_t call_count;

void cup_run_child_begins(void)
{
    memset(calls, 0, sizeof calls); /* leaks references: the child may not hold the GIL */
    call_count = 0;
    cup_runner_self =
        (struct cup_runner_thread){.parents = true}; /* until the stack shows that it has ended */
}

/* ---- code ------------------------------------------------------------------------------- */

static cup_object *find_code(cup_object *type, const char *method)
{
    CUP_OWNED cup_object *function = cup_python_attribute(type, method);
    return cup_python_attribute(function, "__code__");
}

/* False: Coffea is not imported, or its Runner is not as expected. */
static bool find_codes(void)
{
    if (codes.run)
        return true;
    CUP_OWNED cup_object *runner =
        cup_python_attribute(cup_python_module("coffea.processor.executor"), "Runner");
    if (!runner || !cup_release_supported(CUP_RELEASE_COFFEA))
        return false;
    cup_object *run = find_code(runner, "run");
    codes.call = find_code(runner, "__call__");
    codes.body = find_code(runner, "_run_impl");
    codes.around = find_code(runner, "_run");
    if (!codes.body)
        codes.body = cup_python_hold(run);
    codes.run = run;
    return run != NULL;
}

/* ---- which call ------------------------------------------------------------------------- */

struct place {
    bool inside;
    struct cup_frame body; /* at is NULL: not called yet, or it has returned */
    struct progress progress;
};

/* Finds the outermost call of a Runner on the stack: a processor might call another one. */
static struct place find_place(void)
{
    struct place place = {0};
    struct cup_frame frame;
    uint64_t called = 0;
    bool more = cup_frames_top(&frame);
    for (int depth = 0; more && depth < DEEPEST; depth++, more = cup_frames_back(&frame)) {
        const cup_object *code = cup_frames_code(frame);
        if (code == codes.body) {
            place.body = frame;
            place.progress.body = cup_frames_place(frame);
            place.progress.called = called;
        }
        called = cup_frames_place(frame);
        if (code && code == codes.around)
            place.progress.around = cup_frames_place(frame);
        if (code != codes.run && code != codes.call)
            continue;
        place.inside = true;
        place.progress.outermost = cup_frames_place(frame);
    }
    return place;
}

static cup_object *find_executor(struct place place)
{
    CUP_OWNED cup_object *locals = NULL;
    return place.body.at ? cup_frames_local(place.body, "executor", &locals) : NULL;
}

/* Within one call the frames only move forward: if NOW is behind BEFORE, it is another call. */
static bool is_behind(const struct progress *now, const struct progress *before)
{
    if (now->outermost != before->outermost)
        return now->outermost < before->outermost;
    if (now->around && before->around && now->around != before->around)
        return now->around < before->around;
    return now->body && now->body < before->body;
}

/* The next call, too, can stand at the instruction that calls its executor, and no object may be
 * asked here. An executor that loops is behind itself at times: then a clock call will show that
 * the call goes on. */
static bool has_certainly_advanced(const struct progress *now, const struct progress *before)
{
    return now->body && !is_behind(now, before) &&
           (now->body > before->body || now->called >= before->called);
}

/* Each call makes its own copy of the executor. So a different copy, or no copy yet, is another
 * call, even if no clock was read between the two. */
static bool is_same_call(const struct call *call, const struct place *place, cup_object *executor)
{
    if (!call->inside || is_behind(&place->progress, &call->progress))
        return false;
    if (!call->executor || !place->body.at)
        return true;
    CUP_OWNED cup_object *before = cup_python_call(call->executor, NULL, NULL);
    return before && before == executor;
}

/* The entry of the calling thread. MAKE: takes one if it has none; if all are taken, the one that
 * was not seen for the longest time (its thread has probably ended). NULL: none. */
static struct call *find_own_call(bool make)
{
    struct call *oldest = &calls[0];
    if (!cup_thread_known())
        return NULL;
    if (cup_runner_self.call && calls[cup_runner_self.call - 1].tid == cup_self.tid)
        return &calls[cup_runner_self.call - 1];
    if (!make)
        return NULL;
    for (int i = 1; i < CALLS; i++)
        if (calls[i].seen_ns < oldest->seen_ns)
            oldest = &calls[i];
    cup_python_drop(oldest->executor);
    *oldest = (struct call){.tid = cup_self.tid};
    cup_runner_self.call = (uint32_t)(oldest - calls) + 1;
    return oldest;
}

/* ---- records ---------------------------------------------------------------------------- */

/* Records that the call under way ended at NOW_NS at the latest. */
static void limit_end(struct call *call, int64_t now_ns)
{
    if (!call->inside || !call->record || !cup_active())
        return;
    call->record->not_after_ns = now_ns;
    cup_log_commit(call->record, CUP_R_RUN);
}

static void begin_call(struct call *call, int64_t now_ns)
{
    limit_end(call, now_ns);
    if (call->inside && call->record)
        cup_runner_self.outside_ns = call->record->stop_ns; /* it ended between this and now */
    cup_python_drop(call->executor);
    call->executor = NULL;
    call->inside = cup_recording_open();
    call->record = NULL;
    if (!call->inside)
        return;
    cup_coffea_note_versions();
    const struct cup_r_run record = {.run = call_count + 1,
                                     .tid = cup_self.tid,
                                     .start_ns = now_ns,
                                     .stop_ns = now_ns,
                                     .not_before_ns = cup_runner_self.outside_ns};
    call->record = cup_log_write(CUP_R_RUN, &record, NULL, 0);
    if (!call->record)
        return;
    call_count++;
    cup_log_health(CUP_H_RUNS, 1);
    cup_runner_plan_end();
    call->written_ns = now_ns;
}

/* Moves the call's end to NOW_NS. Where the log cannot be mapped it is written with write(2): then
 * the record is committed again once per second. */
static void continue_call(struct call *call, int64_t now_ns)
{
    if (!call->record || !cup_active()) /* a child created without pthread_atfork() handlers: the
                                           record is its parent's */
        return;
    __atomic_store_n(&call->record->stop_ns, now_ns, __ATOMIC_RELAXED);
    if (now_ns - call->written_ns < write_back_ns)
        return;
    cup_log_commit(call->record, CUP_R_RUN);
    call->written_ns = now_ns;
}

static void look_inside_call(struct call *call, struct place place, int64_t now_ns)
{
    CUP_OWNED cup_object *executor = find_executor(place);
    if (is_same_call(call, &place, executor))
        continue_call(call, now_ns);
    else
        begin_call(call, now_ns);
    if (call->inside && executor && !call->executor)
        call->executor = cup_python_call(cup_python_module("weakref"), "ref", executor);
    if (executor && call->record && cup_active() && cup_runner_plan_read(call->record, place.body))
        cup_log_commit(call->record, CUP_R_RUN);
    call->progress = place.progress;
    call->seen_ns = now_ns;
}

static void look_outside_call(struct call *call, int64_t now_ns)
{
    if (call) {
        limit_end(call, now_ns);
        call->inside = false;
    }
    cup_runner_self.parents = false;
    cup_runner_self.outside_ns = now_ns;
}

/* The thread runs neither a Runner's call nor a task. If this process runs tasks, and this is not
 * its main thread, it most likely helps them. */
static bool may_be_helper(void)
{
    return cup_active() && !cup_self.task && cup_self.tid != cup_log_header()->pid &&
           cup_any_task_runs();
}

int64_t cup_runner_call_check(int64_t now_ns)
{
    if (cup_self.server_loop || !find_codes())
        return CUP_RUN_SELDOM_NS;
    struct place place = find_place();
    struct call *call = find_own_call(place.inside);
    cup_coffea_look_now(now_ns);
    if (!place.inside)
        look_outside_call(call, now_ns);
    else if (call && !cup_runner_self.parents)
        look_inside_call(call, place, now_ns);
    return !place.inside && may_be_helper() ? LESS_OFTEN_NS : OFTEN_NS;
}

void cup_run_woken(void)
{
    enum { LOOK_EVERY_NS = 50 * 1000 };
    struct call *call = find_own_call(false);
    int64_t now_ns = cup_clock_realtime_ns();
    cup_runner_self.woken--;
    if (!call || !call->inside || !call->record || now_ns - call->record->stop_ns < LOOK_EVERY_NS ||
        !cup_python_has_gil())
        return;
    struct place place = find_place();
    if (has_certainly_advanced(&place.progress, &call->progress)) {
        call->progress = place.progress;
        continue_call(call, now_ns);
    } else {
        cup_runner_self.woken = 0; /* no more until the thread waits again */
    }
}
