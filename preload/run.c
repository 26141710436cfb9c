#include "preload/run.h"

#include "preload/coffea.h"
#include "preload/frames.h"
#include "preload/log.h"
#include "preload/process.h"
#include "preload/python.h"
#include "preload/raw.h"

enum { OFTEN_NS = 1000 * 1000, SELDOM_NS = 50 * 1000 * 1000, DEEPEST = 1000 };
static const int64_t write_back_ns = INT64_C(1000000000);

int64_t cup_run_next_ns;

static struct {
    cup_object *call, *run; /* code of Runner.__call__ and Runner.run, kept for good */
    cup_object *body;       /* code that has the executor: Runner._run_impl, or, older, run */
} codes;

static struct {
    bool inside;
    bool parents;             /* forked: a call below us on the stack is not ours */
    cup_object *executor;     /* weakref to the call's copy of it; NULL: not made yet */
    struct cup_r_run *record; /* in the log; NULL: dropped */
    int64_t written_ns;
    uint32_t count;
} current;

void cup_run_reset(void)
{
    current.inside = false;
    current.parents = true;  /* until the stack says otherwise */
    current.executor = NULL; /* the parent's: a reference is all that is lost */
    current.record = NULL;
    current.count = 0;
    __atomic_store_n(&cup_run_next_ns, 0, __ATOMIC_RELAXED);
}

static bool on_main_thread(void)
{
    if (!cup_self.is_main)
        cup_self.is_main = (uint32_t)cup_raw_gettid() == (uint32_t)cup_raw_getpid() ? 1 : 2;
    return cup_self.is_main == 1;
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
    struct cup_frame body; /* at NULL: not there yet, or not any more */
};

/* The outermost call: a processor might make one of its own. */
static struct place find_place(void)
{
    struct place place = {false, {NULL, 0}};
    struct cup_frame frame;
    bool more = cup_frames_top(&frame);
    for (int depth = 0; more && depth < DEEPEST; depth++, more = cup_frames_back(&frame)) {
        const cup_object *code = cup_frames_code(frame);
        if (code == codes.body)
            place.body = frame;
        place.inside = place.inside || code == codes.run || code == codes.call;
    }
    return place;
}

static cup_object *call(cup_object *callable, cup_object *argument)
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
    cup_object *reference = make ? call(make, object) : NULL;
    cup_python_drop(make);
    return reference;
}

/* Each call copies its executor: another copy, or none yet, is another call, even if the clock was
 * not read in between. */
static bool is_same_call(cup_object *executor)
{
    if (!current.inside || !current.executor)
        return current.inside;
    cup_object *before = call(current.executor, NULL);
    bool same = before && before == executor;
    cup_python_drop(before);
    return same;
}

static cup_object *executor_in(struct place place)
{
    cup_object *locals = NULL;
    cup_object *executor = place.body.at ? cup_frames_local(place.body, "executor", &locals) : NULL;
    cup_python_drop(locals);
    return executor;
}

/* ---- records ---------------------------------------------------------------------------- */

static void begin(int64_t now_ns)
{
    cup_python_drop(current.executor);
    current.executor = NULL;
    current.record = NULL;
    current.inside = cup_process_log();
    if (!current.inside)
        return;
    cup_coffea_note_versions();
    struct cup_r_run *record = cup_log_reserve(sizeof *record, 0);
    if (!record)
        return;
    record->run = ++current.count;
    record->start_ns = record->stop_ns = now_ns;
    cup_log_commit(record, CUP_R_RUN);
    cup_log_health(CUP_H_RUNS, 1);
    current.record = record;
    current.written_ns = now_ns;
}

/* Committed again now and then: for a log that is not mapped. */
static void go_on(int64_t now_ns)
{
    if (!current.record)
        return;
    __atomic_store_n(&current.record->stop_ns, now_ns, __ATOMIC_RELAXED);
    if (now_ns - current.written_ns < write_back_ns)
        return;
    cup_log_commit(current.record, CUP_R_RUN);
    current.written_ns = now_ns;
}

static void look_inside(struct place place, int64_t now_ns)
{
    cup_object *executor = executor_in(place);
    if (is_same_call(executor))
        go_on(now_ns);
    else
        begin(now_ns);
    if (current.inside && executor && !current.executor)
        current.executor = weak_reference(executor);
    cup_python_drop(executor);
}

void cup_run_look(int64_t now_ns)
{
    if (!on_main_thread())
        return;
    bool worth = !cup_self.server_loop && find_codes();
    __atomic_store_n(&cup_run_next_ns, now_ns + (worth ? OFTEN_NS : SELDOM_NS), __ATOMIC_RELAXED);
    if (!worth)
        return;
    struct place place = find_place();
    if (!place.inside)
        current.inside = current.parents = false;
    else if (!current.parents)
        look_inside(place, now_ns);
}
