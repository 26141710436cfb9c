#include "preload/dask/dask_tasks.h"

#include "preload/attribution/context.h"
#include "preload/attribution/helper.h"
#include "preload/coffea/coffea_calls.h"
#include "preload/coffea/work_item.h"
#include "preload/dask/servers.h"
#include "preload/dask/task_facts.h"
#include "preload/dask/task_outcome.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/log/python_strings.h"
#include "preload/log/secrets.h"
#include "preload/python/anchors.h"
#include "preload/python/frames.h"
#include "preload/python/python.h"
#include "preload/root/baskets.h"
#include "preload/sys/clock.h"
#include "preload/task/task.h"

#include <string.h>

enum { CARRIERS = 16 };
static uint32_t carriers[CARRIERS]; /* string ids of the prefixes whose tasks have work items */

/* By thread slot: the end of the thread's last task, kept until Dask's message about that task has
 * completed it. `task` is 0: nothing is to be completed. */
static struct cup_r_task_end task_ends[CUP_THREAD_SLOTS];

/* NULL: the thread has no slot, so what the message says of its tasks stays unknown. */
static struct cup_r_task_end *own_end(void)
{
    return cup_self.slot ? &task_ends[cup_self.slot - 1] : NULL;
}

/* Dask makes no message of a task that this thread ended, or has made it. */
static void forget_end(void)
{
    if (own_end())
        own_end()->task = 0;
    cup_self.awaits_lock = false;
}

void cup_dask_child_begins(void)
{
    memset(task_ends, 0, sizeof task_ends);
    cup_spans_reset();
    memset(carriers, 0, sizeof carriers);
}

/* ---- the frames of a task ---------------------------------------------------------------- */

enum border { NEITHER, BEGINS, ENDS };

struct task_frames {
    struct cup_frame simple; /* _run_task_simple, or apply_function_simple in older versions */
    struct cup_frame run;    /* _run_task, or apply_function */
    struct cup_frame
        exit; /* the outermost __exit__ of contextlib above `simple`; at is NULL: none */
    enum border border;
};

static bool is_any(const void *name, enum cup_anchor one, enum cup_anchor other)
{
    return name == cup_anchor_name(one) || name == cup_anchor_name(other);
}

/* Goes from the clock call outwards through the frames of meter and contextlib (two of each), to
 * the function that Dask measures. */
static void skip_meters(struct task_frames *frames)
{
    enum { DEEPEST = 6 };
    enum border border = NEITHER;
    struct cup_frame *frame = &frames->simple;
    for (int depth = 0; depth < DEEPEST; depth++) {
        const void *name = cup_frames_name(*frame);
        if (name == cup_anchor_name(CUP_ANCHOR_ENTER)) {
            border = BEGINS;
        } else if (name == cup_anchor_name(CUP_ANCHOR_EXIT)) {
            border = ENDS;
            frames->exit = *frame;
        } else if (name != cup_anchor_name(CUP_ANCHOR_METER)) {
            frames->border = border;
            return;
        }
        if (!cup_frames_back(frame))
            return;
    }
}

/* False: another user of meter, such as the gc callback, the shuffle, or the user's own code. */
static bool find_task_frames(struct cup_frame top, struct task_frames *frames)
{
    *frames = (struct task_frames){.simple = top};
    skip_meters(frames);
    if (frames->border == NEITHER)
        return false;
    frames->run = frames->simple;
    return cup_frames_back(&frames->run);
}

/* Up to 2023.3.1 there is no meter: the function reads the time itself, and binds `start` first.
 * False: not that function. */
static bool find_unmetered_frames(struct cup_frame top, struct task_frames *frames)
{
    CUP_OWNED cup_object *locals = NULL;
    if (!cup_frames_is_in(top, "distributed/worker.py"))
        return false;
    CUP_OWNED cup_object *start = cup_frames_local(top, "start", &locals);
    *frames = (struct task_frames){.simple = top, .run = top, .border = start ? ENDS : BEGINS};
    return cup_frames_back(&frames->run);
}

static bool is_thread_task(const struct task_frames *frames)
{
    return is_any(cup_frames_name(frames->simple), CUP_ANCHOR_RUN_TASK_SIMPLE,
                  CUP_ANCHOR_APPLY_FUNCTION_SIMPLE) &&
           is_any(cup_frames_name(frames->run), CUP_ANCHOR_RUN_TASK, CUP_ANCHOR_APPLY_FUNCTION);
}

static bool is_async_task(const struct task_frames *frames)
{
    return is_any(cup_frames_name(frames->simple), CUP_ANCHOR_RUN_TASK_ASYNC,
                  CUP_ANCHOR_APPLY_FUNCTION_ASYNC) &&
           cup_frames_name(frames->run) == cup_anchor_name(CUP_ANCHOR_EXECUTE);
}

/* ---- begin ------------------------------------------------------------------------------- */

static uint32_t find_prefix(cup_object *state, cup_object *key)
{
    CUP_OWNED cup_object *known = cup_python_attribute(state, "prefix");
    uint32_t prefix = cup_log_python_name(known);
    if (prefix)
        return prefix;
    CUP_OWNED cup_object *split =
        cup_python_call(cup_python_module("dask.utils"), "key_split", key);
    return cup_log_python_name(split);
}

/* Fills in what Dask knows of the task. Returns the worker's TaskState, a new reference; NULL:
 * none. */
static cup_object *describe_task(struct cup_r_task_begin *info, cup_object *key, cup_object *worker)
{
    CUP_OWNED cup_object *machine = cup_server_part(worker, "state");
    CUP_OWNED cup_object *tasks = cup_python_attribute(machine, "tasks");
    cup_object *state = cup_python_get(tasks, key);
    info->server = worker ? cup_server_find(worker) : 0;
    info->prefix = find_prefix(state, key);
    cup_spans_of_task(state, &info->span, &info->span_id);
    info->run_id = cup_python_integer_at(state, "run_id", -1);
    return state;
}

/* Searches the task's arguments for a work item: those of a dask Task, or (older versions) args.
 * Reading them creates a dict of the frame's local variables, which is slow. So at a task's begin
 * it is done only for prefixes whose tasks had a work item before; for others at the end, where the
 * local variables are needed anyway. A chunk that is killed in between is known from Coffea's own
 * clock call. */
static void find_item(struct cup_frame simple_frame, cup_object **locals)
{
    static const char *const names[] = {"task", "function", "args", "kwargs"};
    enum { COUNT = sizeof names / sizeof *names };
    cup_object *what[COUNT] = {NULL};
    for (int i = 0; i < COUNT && !what[0]; i++)
        what[i] = cup_frames_local(simple_frame, names[i], locals);
    cup_item_find(what, COUNT);
    for (int i = 0; i < COUNT; i++)
        cup_python_drop(what[i]);
}

static bool is_carrier(uint32_t prefix)
{
    for (int i = 0; i < CARRIERS && carriers[i]; i++)
        if (carriers[i] == prefix)
            return true;
    return false;
}

static void add_carrier(uint32_t prefix)
{
    for (int i = 0; i < CARRIERS && prefix && !is_carrier(prefix); i++)
        if (!carriers[i])
            carriers[i] = prefix;
}

/* distributed.worker.thread_state, a threading.local in which Dask stores key and execution_state
 * just before the task. Reading it costs a tenth of creating a dict of local variables. */
static cup_object *find_thread_state(void)
{
    static cup_object *state; /* never given back: the module keeps it, too */
    if (!state)
        state = cup_python_attribute(cup_python_module("distributed.worker"), "thread_state");
    return state;
}

/* A task, as a function of Dask's worker knows it. References, or NULL. */
struct dask_task {
    cup_object *key, *worker, *locals;
    cup_object *state; /* its TaskState; once it began */
};

static void drop_task(struct dask_task *task)
{
    cup_python_drop(task->state);
    cup_python_drop(task->worker);
    cup_python_drop(task->key);
    cup_python_drop(task->locals);
}

/* Reads key and execution_state from STATE, and where that has none, from FRAME's local
 * variables. */
static struct dask_task read_task(struct cup_frame frame, cup_object *state)
{
    struct dask_task task = {.key = cup_python_attribute(state, "key")};
    CUP_OWNED cup_object *execution = cup_python_attribute(state, "execution_state");
    if (!task.key)
        task.key = cup_frames_local(frame, "key", &task.locals);
    if (!execution)
        execution = cup_frames_local(frame, "execution_state", &task.locals);
    task.worker = cup_python_item(execution, "worker");
    return task;
}

/* Begins TASK, and returns its number. */
static uint32_t begin_task(struct dask_task *task, enum cup_task_origin origin,
                           struct cup_moment start)
{
    char key[4096];
    struct cup_r_task_begin begin = {.origin = origin, .start_ns = start.time_ns};
    size_t bytes = cup_python_text(task->key, key, sizeof key);
    begin.key_bytes = (uint32_t)cup_secrets_leave_out(key, bytes);
    task->state = describe_task(&begin, task->key, task->worker);
    return cup_task_begin(begin, key, start.cpu_ns);
}

static void begin_on_thread(const struct task_frames *frames, struct cup_moment now)
{
    struct dask_task task = read_task(frames->run, find_thread_state());
    CUP_OWNED cup_object *locals_of_simple = NULL;
    forget_end();
    if (!task.key) {
        cup_log_health(CUP_H_ANCHOR_ERRORS, 1);
    } else if (cup_recording_open()) {
        uint32_t number = begin_task(&task, CUP_ORIGIN_DASK, now);
        if (is_carrier(cup_task_prefix()))
            find_item(frames->simple, &locals_of_simple);
        else /* the input of a chunk is mostly the processor, which is of no interest */
            cup_inputs_of_task(task.state, number);
    }
    drop_task(&task);
}

/* ---- end --------------------------------------------------------------------------------- */

static void end_task(const struct task_frames *frames, struct cup_moment now)
{
    CUP_OWNED cup_object *locals = NULL;
    if (!cup_work_item_known())
        find_item(frames->simple, &locals);
    if (cup_work_item_known())
        add_carrier(cup_task_prefix());
    struct cup_outcome outcome =
        cup_outcome_read(frames->simple, frames->exit.at ? &frames->exit : NULL, &locals);
    if (outcome.status == CUP_STATUS_ERRED || cup_task_failed_in_process())
        cup_baskets_task_fails(cup_self.task);
    struct cup_r_task_end end =
        cup_task_end(outcome.status, now, outcome.result_bytes, outcome.error);
    cup_self.awaits_lock = !outcome.has_message && end.task && own_end();
    if (cup_self.awaits_lock)
        *own_end() = end;
}

static void pass_border(const struct task_frames *frames, struct cup_moment now)
{
    if (!is_thread_task(frames))
        return;
    if (frames->border == BEGINS && !cup_self.task) /* one inside a task belongs to the outer one */
        begin_on_thread(frames, now);
    else if (frames->border == ENDS && cup_self.task && cup_self.origin == CUP_ORIGIN_DASK)
        end_task(frames, now);
}

void cup_dask_thread_clock(struct cup_frame top, struct cup_moment now)
{
    struct task_frames frames;
    if (find_task_frames(top, &frames))
        pass_border(&frames, now);
}

/* Dask has made the message of the thread's last task, and takes the lock of active_threads. */
static void complete_end(struct cup_frame top)
{
    CUP_OWNED cup_object *locals = NULL;
    CUP_OWNED cup_object *message = cup_frames_local(top, "msg", &locals);
    if (!message || !cup_active())
        return;
    struct cup_outcome outcome = cup_outcome_of_message(message);
    struct cup_r_task_end *end = own_end();
    if (outcome.status == end->status) {
        end->result_bytes = outcome.result_bytes;
        end->error = outcome.error;
        cup_task_end_again(end);
    }
    forget_end();
}

/* ---- async tasks: on the event loop, many at the same time --------------------------------- */

/* The context variable stays set in the context of the asyncio task that executes this task. */
static void begin_async(const struct task_frames *frames, int64_t now_ns)
{
    struct dask_task task = {.locals = NULL};
    task.key = cup_frames_local(frames->run, "key", &task.locals);
    task.worker = cup_frames_local(frames->run, "self", &task.locals);
    if (task.key && task.worker && cup_recording_open())
        cup_python_drop(
            cup_context_set(begin_task(&task, CUP_ORIGIN_ASYNC, (struct cup_moment){now_ns, 0})));
    else
        cup_log_health(CUP_H_ANCHOR_ERRORS, 1);
    drop_task(&task);
}

static void end_async(const struct task_frames *frames, int64_t now_ns)
{
    CUP_OWNED cup_object *locals = NULL;
    struct cup_outcome outcome =
        cup_outcome_read(frames->simple, frames->exit.at ? &frames->exit : NULL, &locals);
    if (outcome.status == CUP_STATUS_ERRED)
        cup_baskets_task_fails(cup_context_task());
    cup_task_end_async(cup_context_task(), outcome.status, now_ns, outcome.result_bytes,
                       outcome.error);
    cup_python_drop(cup_context_set(0));
}

static void pass_async_border(const struct task_frames *frames, int64_t now_ns)
{
    if (frames->border == BEGINS)
        begin_async(frames, now_ns);
    else if (cup_context_task())
        end_async(frames, now_ns);
}

void cup_dask_async_clock(struct cup_frame top, int64_t now_ns)
{
    struct task_frames frames;
    if (find_task_frames(top, &frames) && is_async_task(&frames))
        pass_async_border(&frames, now_ns);
}

/* ---- tasks of both kinds, without meters -------------------------------------------------- */

void cup_dask_unmetered_clock(struct cup_frame top, struct cup_moment now)
{
    struct task_frames frames;
    if (!find_unmetered_frames(top, &frames))
        return;
    if (is_async_task(&frames))
        pass_async_border(&frames, now.time_ns);
    else
        pass_border(&frames, now);
}

/* ---- actors: each call of a method is a task ------------------------------------------------ */

/* Where no locks are seen, the end of the call would not be seen either. */
void cup_dask_actor_clock(struct cup_frame top, struct cup_moment now)
{
    if (cup_self.task || !cup_helper_sees_jobs())
        return;
    struct dask_task task = read_task(top, NULL);
    if (task.key && task.worker && cup_recording_open()) {
        begin_task(&task, CUP_ORIGIN_ACTOR, now);
        cup_self.awaits_lock = true;
    }
    drop_task(&task);
}

static void end_actor(enum cup_task_status status)
{
    cup_task_end(status, (struct cup_moment){cup_clock_realtime_ns(), cup_clock_thread_cpu_ns()},
                 CUP_UNKNOWN64, 0);
    cup_self.awaits_lock = false;
}

/* After the method has returned, Dask's _run_actor takes a lock; after it raised an exception,
 * concurrent.futures takes the Future's lock. */
static void look_at_actor(struct cup_frame frame)
{
    const void *name = cup_frames_name(frame);
    bool returned = is_any(name, CUP_ANCHOR_RUN_ACTOR, CUP_ANCHOR_APPLY_FUNCTION_ACTOR);
    bool raised = name == cup_anchor_name(CUP_ANCHOR_ENTER) && cup_frames_back(&frame) &&
                  cup_frames_name(frame) == cup_anchor_name(CUP_ANCHOR_JOB_RAISED) &&
                  cup_frames_back(&frame) &&
                  cup_frames_name(frame) == cup_anchor_name(CUP_ANCHOR_JOB_RUN);
    if (returned || raised)
        end_actor(returned ? CUP_STATUS_FINISHED : CUP_STATUS_ERRED);
}

void cup_dask_actor_ends(enum cup_task_status status)
{
    int saved = cup_enter();
    end_actor(status);
    cup_leave(saved);
}

/* concurrent.futures takes the Future's lock when a job has ended. */
static void look_at_job(struct cup_frame frame)
{
    if (cup_frames_name(frame) != cup_anchor_name(CUP_ANCHOR_ENTER) || !cup_frames_back(&frame))
        return;
    const void *name = cup_frames_name(frame);
    struct cup_frame setter = frame;
    if (is_any(name, CUP_ANCHOR_JOB_RETURNED, CUP_ANCHOR_JOB_RAISED) && cup_frames_back(&frame) &&
        cup_frames_name(frame) == cup_anchor_name(CUP_ANCHOR_JOB_RUN) && cup_anchors_may_ask())
        cup_coffea_job_ends(setter, name == cup_anchor_name(CUP_ANCHOR_JOB_RAISED));
}

static void look_at_coffea(struct cup_frame frame)
{
    look_at_job(frame);
    if (cup_self.origin == CUP_ORIGIN_COFFEA)
        cup_coffea_lock_taken();
}

static void look_at_lock(struct cup_frame frame)
{
    if (cup_self.origin == CUP_ORIGIN_ACTOR)
        look_at_actor(frame);
    else if (cup_self.origin == CUP_ORIGIN_COFFEA)
        look_at_coffea(frame);
    else if (own_end() && own_end()->task &&
             cup_frames_name(frame) == cup_anchor_name(CUP_ANCHOR_APPLY_FUNCTION) &&
             cup_anchors_may_ask())
        complete_end(frame);
}

void cup_dask_lock_taken(void)
{
    struct cup_frame frame;
    int saved = cup_enter();
    if (cup_frames_top(&frame) && cup_python_has_gil())
        look_at_lock(frame);
    cup_leave(saved);
}
