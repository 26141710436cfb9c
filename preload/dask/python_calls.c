#include "preload/dask/python_calls.h"

#include "preload/attribution/helper.h"
#include "preload/coffea/coffea_calls.h"
#include "preload/coffea/requested_baskets.h"
#include "preload/dask/dask_tasks.h"
#include "preload/python/anchors.h"
#include "preload/python/monitored.h"

/* Passes on what the method in FRAME does with its object. */
static void use_self(struct cup_frame frame, enum cup_helper_use use)
{
    if (cup_self.guard || !cup_active() || !cup_anchors_may_ask())
        return;
    CUP_OWNED cup_object *locals = NULL;
    CUP_OWNED cup_object *self = cup_frames_local(frame, "self", &locals);
    if (self)
        cup_helper_object(self, frame, use);
}

#define HANDLER(name, use)                                                                         \
    static void name(struct cup_frame frame)                                                       \
    {                                                                                              \
        use_self(frame, use);                                                                      \
    }
HANDLER(object_made, CUP_USE_MADE)
HANDLER(object_used, CUP_USE_USED)
HANDLER(job_begins, CUP_USE_JOB_BEGINS)
HANDLER(item_taken, CUP_USE_TAKES_ITEM)
HANDLER(job_submitted, CUP_USE_SUBMITS)
HANDLER(thread_woken, CUP_USE_WOKEN)
HANDLER(thread_enters, CUP_USE_ENTERS)

/* ---- conditions ---------------------------------------------------------------------------- */

/* The condition in FRAME, a new reference, and whether threads wait for it. NULL: it is not to be
 * noted. */
static cup_object *find_condition(struct cup_frame frame, bool *has_waiters)
{
    if (cup_self.guard || !cup_active() || !cup_anchors_may_ask())
        return NULL;
    CUP_OWNED cup_object *locals = NULL;
    cup_object *condition = cup_frames_local(frame, "self", &locals);
    CUP_OWNED cup_object *waiters = cup_python_kept(condition, "_waiters");
    ssize_t count = waiters ? cup_py.PyObject_Size(waiters) : -1;
    if (count < 0)
        cup_py.PyErr_Clear();
    *has_waiters = count != 0;
    return condition;
}

/* A condition was made, and may have made its lock. */
static void condition_made(struct cup_frame frame)
{
    bool others;
    CUP_OWNED cup_object *condition = find_condition(frame, &others);
    CUP_OWNED cup_object *lock = cup_python_kept(condition, "_lock");
    if (lock)
        cup_helper_object(lock, frame, CUP_USE_MADE);
}

static void thread_waits(struct cup_frame frame)
{
    bool others = true;
    CUP_OWNED cup_object *condition = find_condition(frame, &others);
    if (condition)
        cup_helper_object(condition, frame, others ? CUP_USE_WAITS_TOO : CUP_USE_WAITS);
}

static void thread_notifies(struct cup_frame frame)
{
    bool others = true;
    CUP_OWNED cup_object *condition = find_condition(frame, &others);
    if (condition && others)
        cup_helper_object(condition, frame, CUP_USE_NOTIFIES);
}

/* ---- actors -------------------------------------------------------------------------------- */

static void actor_returns(struct cup_frame frame)
{
    (void)frame;
    if (cup_self.origin == CUP_ORIGIN_ACTOR && !cup_self.guard)
        cup_dask_actor_ends(CUP_STATUS_FINISHED);
}

/* ---- jobs that end ------------------------------------------------------------------------- */

/* Ends the calling thread's task if that is the job which sets its Future in FRAME. */
static void end_task_of_job(struct cup_frame frame, bool raised)
{
    struct cup_frame setter = frame;
    if (cup_self.guard || !cup_frames_back(&frame) ||
        cup_frames_name(frame) != cup_anchor_name(CUP_ANCHOR_JOB_RUN))
        return;
    if (cup_self.origin == CUP_ORIGIN_ACTOR && raised)
        cup_dask_actor_ends(CUP_STATUS_ERRED);
    int saved = cup_enter();
    cup_coffea_job_ends(setter, raised);
    cup_leave(saved);
}

static void job_returns(struct cup_frame frame)
{
    end_task_of_job(frame, false);
    use_self(frame, CUP_USE_JOB_ENDS);
}

static void job_raises(struct cup_frame frame)
{
    end_task_of_job(frame, true);
    use_self(frame, CUP_USE_JOB_ENDS);
}

/* ---- calls of Coffea's --------------------------------------------------------------------- */

static void call_begins(struct cup_frame frame)
{
    if (cup_self.guard || !cup_coffea_may_look())
        return;
    int saved = cup_enter();
    cup_coffea_begins(frame);
    cup_leave(saved);
}

static void call_returns(struct cup_frame frame)
{
    if (cup_self.guard || cup_self.origin != CUP_ORIGIN_COFFEA)
        return;
    int saved = cup_enter();
    cup_coffea_returns(frame);
    cup_leave(saved);
}

static void retries_return(struct cup_frame frame)
{
    if (cup_self.guard || cup_self.origin != CUP_ORIGIN_COFFEA)
        return;
    int saved = cup_enter();
    cup_coffea_given_up(frame);
    cup_leave(saved);
}

/* ---- all of them --------------------------------------------------------------------------- */

#define FUTURE(name, handler)                                                                      \
    {                                                                                              \
        "concurrent.futures._base", "Future", name, .file = "concurrent/futures/_base.py",         \
                                                    .required = true, .begins = handler            \
    }
#define QUEUE(name, handler)                                                                       \
    {                                                                                              \
        "queue", "Queue", name, .file = "/queue.py", .required = true, .begins = handler           \
    }
#define CONDITION(name, ...)                                                                       \
    {                                                                                              \
        "threading", "Condition", name, .file = "/threading.py", .required = true, __VA_ARGS__     \
    }
#define POOL(module, path)                                                                         \
    {module, "ProcessPoolExecutor", "__init__", .file = (path), .begins = object_made},            \
    {                                                                                              \
        module, "ProcessPoolExecutor", "submit", .file = (path), .begins = job_submitted           \
    }
#define COFFEA(function, ...)                                                                      \
    {                                                                                              \
        "coffea.processor.executor", "Runner", function, .file = "coffea/processor/executor.py",   \
                                                         __VA_ARGS__                               \
    }
#define COFFEA_CALL(function) COFFEA(function, .begins = call_begins, .returns = call_returns)
static const struct cup_monitored functions[] = {
    FUTURE("__init__", object_made),
    FUTURE("set_running_or_notify_cancel", job_begins),
    FUTURE("set_result", job_returns),
    FUTURE("set_exception", job_raises),
    FUTURE("result", object_used),
    FUTURE("exception", object_used),
    FUTURE("add_done_callback", object_used),
    FUTURE("cancel", object_used),
    FUTURE("cancelled", object_used),
    FUTURE("running", object_used),
    FUTURE("done", object_used),
    QUEUE("__init__", object_made),
    QUEUE("get", item_taken),
    QUEUE("put", object_used),
    CONDITION("__init__", .begins = object_made, .returns = condition_made),
    CONDITION("__enter__", .begins = thread_enters),
    CONDITION("wait", .begins = thread_waits, .returns = thread_woken),
    CONDITION("notify", .begins = thread_notifies),
    POOL("concurrent.futures.process", "concurrent/futures/process.py"),
    POOL("loky.process_executor", "loky/process_executor.py"),
    {"distributed.worker", NULL, "_run_actor", .file = "distributed/worker.py",
     .returns = actor_returns},
    {"distributed.worker", NULL, "apply_function_actor", .file = "distributed/worker.py",
     .returns = actor_returns},
    {"uproot.behaviors.TBranch", NULL, "_ranges_or_baskets_to_arrays",
     .file = "uproot/behaviors/TBranch.py", .begins = cup_requested_baskets_begin},
    COFFEA_CALL("_work_function"),
    COFFEA_CALL("metadata_fetcher"),
    COFFEA_CALL("metadata_fetcher_root"),
    COFFEA_CALL("metadata_fetcher_parquet"),
    COFFEA("automatic_retries", .returns = retries_return),
    {NULL},
};

const char *cup_python_calls_start(void)
{
    const char *why = cup_monitored_start(functions);
    if (!why)
        cup_helper_watches_objects();
    return why;
}
