#include "preload/dask/runner_calls.h"

#include "preload/coffea/coffea.h"
#include "preload/lifecycle/recording.h"
#include "preload/log/log.h"
#include "preload/python/anchors.h"
#include "preload/python/frames.h"
#include "preload/python/python.h"
#include "preload/sys/clock.h"

#include <string.h>

enum { OFTEN_NS = 1000 * 1000, SELDOM_NS = 50 * OFTEN_NS };
enum { DEEPEST = 1000, CALLS = 8 };
static const int64_t write_back_ns = INT64_C(1000000000);

static struct {
    cup_object *call, *run; /* code of Runner.__call__ and Runner.run, kept for good */
    cup_object *body;       /* code that has the executor: Runner._run_impl, or, older, run */
    cup_object *around;     /* what calls it: Runner._run; NULL: there is none */
} codes;

/* Where a call's frames stand, outermost first: cup_frames_place(), 0 for one that is not there. */
struct progress {
    uint64_t outermost, around, body;
};

/* One on each thread. */
static struct call {
    uint32_t tid;
    bool inside;
    cup_object *executor;     /* weakref to the call's copy of it; NULL: not made yet */
    struct progress progress; /* when it was last seen */
    struct cup_r_run *record; /* in the log; NULL: dropped */
    int64_t seen_ns, written_ns;
} calls[CALLS];
static uint32_t call_count;

void cup_run_child_begins(void)
{
    memset(calls, 0, sizeof calls); /* the parent's: a reference is all that is lost */
    call_count = 0;
    cup_self.run_parents = true; /* until the stack says otherwise */
}

/* ---- code ------------------------------------------------------------------------------- */

static cup_object *code_of(cup_object *type, const char *method)
{
    cup_object *function = cup_python_attribute(type, method);
    cup_object *code = cup_python_attribute(function, "__code__");
    cup_python_drop(function);
    return code;
}

/* False while Coffea is not imported, or its Runner is not as expected. */
static bool find_codes(void)
{
    if (codes.run)
        return true;
    cup_object *runner =
        cup_python_attribute(cup_python_module("coffea.processor.executor"), "Runner");
    if (!runner)
        return false;
    cup_object *run = code_of(runner, "run");
    codes.call = code_of(runner, "__call__");
    codes.body = code_of(runner, "_run_impl");
    codes.around = code_of(runner, "_run");
    if (run && !codes.body) {
        cup_py.Py_IncRef(run);
        codes.body = run;
    }
    codes.run = run;
    cup_python_drop(runner);
    return run != NULL;
}

/* ---- which call ------------------------------------------------------------------------- */

struct place {
    bool inside;
    bool works;            /* on a chunk */
    struct cup_frame body; /* at NULL: not there yet, or not any more */
    struct progress progress;
};

/* The outermost call: a processor might make one of its own. */
static struct place find_place(void)
{
    struct place place = {0};
    struct cup_frame frame;
    bool more = cup_frames_top(&frame);
    for (int depth = 0; more && depth < DEEPEST; depth++, more = cup_frames_back(&frame)) {
        const cup_object *code = cup_frames_code(frame);
        if (code == codes.body) {
            place.body = frame;
            place.progress.body = cup_frames_place(frame);
        }
        if (cup_frames_name(frame) == cup_anchor_name(CUP_ANCHOR_WORK_FUNCTION))
            place.works = true;
        if (code && code == codes.around)
            place.progress.around = cup_frames_place(frame);
        if (code != codes.run && code != codes.call)
            continue;
        place.inside = true;
        place.progress.outermost = cup_frames_place(frame);
    }
    place.works = place.works || more; /* perhaps, further down */
    return place;
}

static cup_object *call_object(cup_object *callable, cup_object *argument)
{
    cup_object *result =
        cup_py.PyObject_CallFunctionObjArgs(callable, argument, (cup_object *)NULL);
    if (!result)
        cup_py.PyErr_Clear();
    return result;
}

static cup_object *weak_reference(cup_object *object)
{
    cup_object *make = cup_python_attribute(cup_python_module("weakref"), "ref");
    cup_object *reference = make ? call_object(make, object) : NULL;
    cup_python_drop(make);
    return reference;
}

static cup_object *executor_in(struct place place)
{
    cup_object *locals = NULL;
    cup_object *executor = place.body.at ? cup_frames_local(place.body, "executor", &locals) : NULL;
    cup_python_drop(locals);
    return executor;
}

/* A call does not go back: this is another one. */
static bool is_behind(const struct progress *now, const struct progress *before)
{
    if (now->outermost != before->outermost)
        return now->outermost < before->outermost;
    if (now->around && before->around && now->around != before->around)
        return now->around < before->around;
    return now->body && now->body < before->body;
}

/* Each call copies its executor: another copy, or none yet, is another call, even if the clock was
 * not read in between. */
static bool is_same_call(const struct call *call, const struct place *place, cup_object *executor)
{
    if (!call->inside || is_behind(&place->progress, &call->progress))
        return false;
    if (!call->executor || !place->body.at)
        return true;
    cup_object *before = call_object(call->executor, NULL);
    bool same = before && before == executor;
    cup_python_drop(before);
    return same;
}

/* This thread's; a thread that has ended in a call gives way to others, at need. */
static struct call *own_call(bool make)
{
    struct call *oldest = &calls[0];
    if (!cup_thread_known())
        return NULL;
    if (cup_self.run_call && calls[cup_self.run_call - 1].tid == cup_self.tid)
        return &calls[cup_self.run_call - 1];
    if (!make)
        return NULL;
    for (int i = 1; i < CALLS; i++)
        if (calls[i].seen_ns < oldest->seen_ns)
            oldest = &calls[i];
    cup_python_drop(oldest->executor);
    *oldest = (struct call){.tid = cup_self.tid};
    cup_self.run_call = (uint32_t)(oldest - calls) + 1;
    return oldest;
}

/* ---- records ---------------------------------------------------------------------------- */

static void ended_before(struct call *call, int64_t now_ns)
{
    if (!call->inside || !call->record || !cup_active())
        return;
    call->record->not_after_ns = now_ns;
    cup_log_commit(call->record, CUP_R_RUN);
}

static void begin(struct call *call, int64_t now_ns)
{
    ended_before(call, now_ns);
    if (call->inside && call->record)
        cup_self.run_outside_ns = call->record->stop_ns; /* somewhere between the two */
    cup_python_drop(call->executor);
    call->executor = NULL;
    call->record = NULL;
    call->inside = cup_recording_open();
    if (!call->inside)
        return;
    cup_coffea_note_versions();
    struct cup_r_run *record = cup_log_reserve(sizeof *record, 0);
    if (!record)
        return;
    record->run = ++call_count;
    record->tid = cup_self.tid;
    record->start_ns = record->stop_ns = now_ns;
    record->not_before_ns = cup_self.run_outside_ns;
    cup_log_commit(record, CUP_R_RUN);
    cup_log_health(CUP_H_RUNS, 1);
    call->record = record;
    call->written_ns = now_ns;
}

/* Committed again now and then: for a log that is not mapped. */
static void go_on(struct call *call, int64_t now_ns)
{
    if (!call->record || !cup_active()) /* a child that no handler saw forked: its parent's */
        return;
    __atomic_store_n(&call->record->stop_ns, now_ns, __ATOMIC_RELAXED);
    if (now_ns - call->written_ns < write_back_ns)
        return;
    cup_log_commit(call->record, CUP_R_RUN);
    call->written_ns = now_ns;
}

static void look_inside(struct call *call, struct place place, int64_t now_ns)
{
    cup_object *executor = executor_in(place);
    if (is_same_call(call, &place, executor))
        go_on(call, now_ns);
    else
        begin(call, now_ns);
    if (call->inside && executor && !call->executor)
        call->executor = weak_reference(executor);
    call->progress = place.progress;
    call->seen_ns = now_ns;
    cup_python_drop(executor);
}

static void look_outside(struct call *call, int64_t now_ns)
{
    if (call) {
        ended_before(call, now_ns);
        call->inside = false;
    }
    cup_self.run_parents = false;
    cup_self.run_outside_ns = now_ns;
}

int64_t cup_runner_call_check(int64_t now_ns)
{
    if (cup_self.server_loop || !find_codes())
        return SELDOM_NS;
    struct place place = find_place();
    struct call *call = own_call(place.inside);
    if (!place.works)
        cup_coffea_left(now_ns);
    if (!place.inside)
        look_outside(call, now_ns);
    else if (call && !cup_self.run_parents)
        look_inside(call, place, now_ns);
    return OFTEN_NS;
}

void cup_run_woken(void)
{
    enum { LOOK_EVERY_NS = 50 * 1000 };
    struct call *call = own_call(false);
    int64_t now_ns = cup_clock_realtime_ns();
    cup_self.run_woken--;
    if (!call || !call->inside || !call->record || now_ns - call->record->stop_ns < LOOK_EVERY_NS ||
        !cup_python_has_gil())
        return;
    struct place place = find_place();
    if (place.inside && !is_behind(&place.progress, &call->progress))
        go_on(call, now_ns);
}
