#include "preload/coffea/coffea_calls.h"

#include "preload/coffea/coffea.h"
#include "preload/coffea/requested_baskets.h"
#include "preload/coffea/work_item.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/releases.h"
#include "preload/log/log.h"
#include "preload/log/python_strings.h"
#include "preload/log/secrets.h"
#include "preload/python/anchors.h"
#include "preload/root/baskets.h"
#include "preload/sys/clock.h"
#include "preload/sys/hook_list.h"

#include <stdio.h>
#include <string.h>

#define EXECUTOR_FILE "coffea/processor/executor.py"

/* The call that the calling thread is in, or was in last. */
struct call {
    const char *frame; /* of the interpreter; NULL: none */
    const cup_object *code;
    uint64_t place; /* cup_frames_place() when the call was last seen */
    cup_object
        *item; /* while its task is open: a reference, so that no other item has its address */
    const char
        *retries;    /* frame of automatic_retries, which called it; NULL: another function did */
    int64_t attempt; /* Coffea tries an item again if the call raised an exception */
    bool is_processing;  /* it has read the clock before process() */
    bool may_return;     /* before it reads the clock after process() */
    bool is_tried_again; /* if it raises an exception */
    bool is_skipped;     /* if it raises an exception, and is not tried again */
    bool is_pool_job;    /* a process of a pool runs it */
};
static __thread struct call *own __attribute__((tls_model("initial-exec"))); /* NULL: none yet */

static bool sees_returns; /* cup_coffea_returns() and cup_coffea_given_up() are called */

/* In a forked child: the innermost call that was on the stack of the thread that forked. It and its
 * callers are the parent's calls. */
static struct {
    const char *frame;         /* NULL: none, or it is over */
    struct call *const *owner; /* &own of that thread */
} parents;

static const char *find_parents_frame(void)
{
    return parents.owner == &own ? parents.frame : NULL;
}

/* ---- the stack --------------------------------------------------------------------------- */

enum { DEEPEST = 1000 };

static bool is_function(const void *name)
{
    return name && (name == cup_anchor_name(CUP_ANCHOR_WORK_FUNCTION) ||
                    name == cup_anchor_name(CUP_ANCHOR_FETCH_METADATA_ROOT) ||
                    name == cup_anchor_name(CUP_ANCHOR_FETCH_METADATA_PARQUET) ||
                    name == cup_anchor_name(CUP_ANCHOR_FETCH_METADATA));
}

/* The parent's item is not given back: the child may not hold the GIL. */
void cup_coffea_calls_child_begins(void)
{
    struct cup_frame frame;
    bool more = cup_frames_top(&frame);
    if (own)
        *own = (struct call){0};
    while (more && !is_function(cup_frames_name(frame)))
        more = cup_frames_back(&frame);
    parents.frame = frame.at;
    parents.owner = &own;
}

/* Finds the outermost call: process() may use a Runner itself, whose chunks belong to the outer
 * one. Calls of the parent of a forked child do not count. Sets *FOUND, whose `at` is NULL if there
 * is no call. False: the stack is too deep. Needs no GIL. */
static bool find_call(struct cup_frame *found)
{
    struct cup_frame frame;
    const char *end = find_parents_frame();
    bool more = cup_frames_top(&frame);
    int depth = 0;
    *found = (struct cup_frame){NULL, 0};
    for (; more && frame.at != end && depth < DEEPEST; depth++, more = cup_frames_back(&frame))
        if (is_function(cup_frames_name(frame)))
            *found = frame;
    if (end && depth && !more)
        parents.frame = NULL;
    return !more || frame.at == end;
}

/* As cup_frames_top() and cup_frames_back(), but the stack of a forked child ends where the call of
 * its parent begins: what called that one waits for the parent. */
static bool find_top(struct cup_frame *frame)
{
    return cup_frames_top(frame) && frame->at != find_parents_frame();
}

static bool go_to_caller(struct cup_frame *frame)
{
    return cup_frames_back(frame) && frame->at != find_parents_frame();
}

/* A function named ANCHOR in FILE is on the stack. */
static bool is_within(enum cup_anchor anchor, const char *file)
{
    struct cup_frame frame;
    bool more = find_top(&frame);
    for (int depth = 0; more && depth < DEEPEST; depth++, more = go_to_caller(&frame))
        if (cup_frames_name(frame) == cup_anchor_name(anchor) && cup_frames_is_in(frame, file))
            return true;
    return false;
}

/* ---- attempts ---------------------------------------------------------------------------- */

static bool is_false(cup_object *object)
{
    return object && strcmp(cup_python_type_name(cup_python_type(object)), "bool") == 0 &&
           cup_python_integer(object, 1) == 0;
}

/* The number of the attempt; -1: the function's caller is not Coffea's automatic_retries. */
static int64_t read_attempt(struct cup_frame frame)
{
    CUP_OWNED cup_object *locals = NULL;
    if (!go_to_caller(&frame) || cup_frames_name(frame) != cup_anchor_name(CUP_ANCHOR_RETRIES))
        return -1;
    CUP_OWNED cup_object *count = cup_frames_local(frame, "retry_count", &locals);
    return cup_python_integer(count, -1);
}

/* What Coffea does if the function in FRAME raises an exception. Releases that have no
 * `use_result_type` give some exceptions up at once. */
static void read_retries(struct call *call, struct cup_frame frame)
{
    CUP_OWNED cup_object *locals = NULL;
    call->attempt = read_attempt(frame);
    if (call->attempt < 0 || !go_to_caller(&frame))
        return;
    call->retries = frame.at;
    CUP_OWNED cup_object *most = cup_frames_local(frame, "retries", &locals);
    CUP_OWNED cup_object *skips = cup_frames_local(frame, "skipbadfiles", &locals);
    call->is_tried_again = cup_frames_has_local(frame, "use_result_type") &&
                           call->attempt < cup_python_integer(most, 0);
    call->is_skipped = skips && !is_false(skips);
}

static bool is_handling_exception(void)
{
    CUP_OWNED cup_object *handled = cup_python_call(cup_python_module("sys"), "exc_info", NULL);
    return !handled || cup_py.PyTuple_GetItem(handled, 0) != cup_py.none;
}

/* The function in which a process of a pool waits for jobs and runs them; its `at` is NULL if this
 * is no such process. */
static struct cup_frame find_pool_worker(void)
{
    struct cup_frame frame;
    bool more = find_top(&frame);
    for (int depth = 0; more && depth < DEEPEST; depth++, more = go_to_caller(&frame)) {
        const void *name = cup_frames_name(frame);
        if ((name == cup_anchor_name(CUP_ANCHOR_POOL_WORKER) &&
             (cup_frames_is_in(frame, "concurrent/futures/process.py") ||
              cup_frames_is_in(frame, "loky/process_executor.py"))) ||
            (name == cup_anchor_name(CUP_ANCHOR_PARSL_WORKER) &&
             cup_frames_is_in(frame, "process_worker_pool.py")))
            return frame;
    }
    return (struct cup_frame){NULL, 0};
}

/* Parsl's worker puts the exception of a job into a dict, and then goes on. */
static bool has_parsl_exception(struct cup_frame worker)
{
    CUP_OWNED cup_object *locals = NULL;
    CUP_OWNED cup_object *package =
        cup_frames_name(worker) == cup_anchor_name(CUP_ANCHOR_PARSL_WORKER)
            ? cup_frames_local(worker, "result_package", &locals)
            : NULL;
    CUP_OWNED cup_object *exception = cup_python_item(package, "exception");
    return exception != NULL;
}

/* EXCEPTION was caught by the pool's function of CODE: a traceback begins where the exception was
 * caught. Pools remove it (None) before they send the exception. */
static bool was_caught_in(cup_object *exception, const cup_object *code)
{
    CUP_OWNED cup_object *traceback = cup_python_attribute(exception, "__traceback__");
    if (traceback == cup_py.none)
        return true;
    CUP_OWNED cup_object *frame = cup_python_attribute(traceback, "tb_frame");
    CUP_OWNED cup_object *caught_in = cup_python_attribute(frame, "f_code");
    return caught_in == code;
}

/* True if the function in FRAME handles an exception. A function that it calls from its handler may
 * handle another one; then the exception of FRAME is that one's context. */
static bool is_handling_exception_of(struct cup_frame frame)
{
    enum { EXCEPTIONS_MOST = 8 };
    const cup_object *code = cup_frames_code(frame);
    CUP_OWNED cup_object *handled = cup_python_call(cup_python_module("sys"), "exc_info", NULL);
    cup_object *exception = handled ? cup_python_hold(cup_py.PyTuple_GetItem(handled, 1)) : NULL;
    bool found = false;
    for (int i = 0; exception && exception != cup_py.none && i < EXCEPTIONS_MOST && !found; i++) {
        cup_object *context = cup_python_attribute(exception, "__context__");
        found = was_caught_in(exception, code);
        cup_python_drop(exception);
        exception = context;
    }
    cup_python_drop(exception);
    return found;
}

/* The thread's call is over, and no exception has left the function that ran it. */
static bool has_job_returned(void)
{
    struct cup_frame worker = find_pool_worker();
    if (worker.at)
        return !is_handling_exception_of(worker) && !has_parsl_exception(worker);
    return is_within(CUP_ANCHOR_RUNNER, EXECUTOR_FILE) && !is_handling_exception();
}

/* How a call ended. */
enum ending { RETURNED, FAILED, SKIPPED, UNKNOWN };

/* How a call ended that is not on the stack any more. */
static enum ending judge_end(const struct call *call)
{
    if (sees_returns)
        return FAILED;
    bool returned = has_job_returned();
    if (!call->may_return)
        return call->is_skipped && returned ? SKIPPED : FAILED;
    return call->is_tried_again || (!call->is_skipped && returned) ? RETURNED : UNKNOWN;
}

/* ---- its task ---------------------------------------------------------------------------- */

/* "dataset:file:tree:start-stop", or "dataset:file:tree". */
static uint32_t make_key(cup_object *item, bool is_chunk, char *key, size_t size)
{
    char parts[3][512], range[64] = "";
    static const char *const names[] = {"dataset", "filename", "treename"};
    for (int i = 0; i < 3; i++) {
        CUP_OWNED cup_object *value = cup_python_attribute(item, names[i]);
        size_t bytes = cup_python_text(value, parts[i], sizeof parts[i]);
        parts[i][cup_secrets_leave_out(parts[i], bytes)] = '\0';
    }
    if (is_chunk)
        snprintf(range, sizeof range, ":%lld-%lld",
                 (long long)cup_python_integer_at(item, "entrystart", -1),
                 (long long)cup_python_integer_at(item, "entrystop", -1));
    int bytes = snprintf(key, size, "%s:%s:%s%s", parts[0], parts[1], parts[2], range);
    return bytes < 0 ? 0 : (uint32_t)((size_t)bytes < size ? (size_t)bytes : size - 1);
}

/* The prefixes are those that Coffea gives Dask for such tasks. */
static void open_task(cup_object *item, bool is_chunk, struct cup_moment now)
{
    char key[2048];
    const struct cup_r_task_begin begin = {
        .prefix = cup_log_cstring(is_chunk ? "process" : "get_metadata"),
        .origin = CUP_ORIGIN_COFFEA,
        .start_ns = now.time_ns,
        .run_id = own->attempt,
        .key_bytes = make_key(item, is_chunk, key, sizeof key)};
    cup_task_begin(begin, key, now.cpu_ns);
    cup_self.awaits_lock = true;
    cup_coffea_note_versions();
}

/* A call that was skipped ends as Dask's task does: it finished, and its result is None, to which
 * Dask gives a size of 16 bytes. */
static void end_task(enum ending ending, struct cup_moment now)
{
    enum cup_task_status status = ending == FAILED    ? CUP_STATUS_ERRED
                                  : ending == UNKNOWN ? CUP_STATUS_UNKNOWN
                                                      : CUP_STATUS_FINISHED;
    if (ending == FAILED || ending == SKIPPED)
        cup_baskets_task_fails(cup_self.task);
    cup_task_end(status, now, ending == SKIPPED ? CUP_BYTES_OF_NONE : CUP_UNKNOWN64, 0);
    cup_self.awaits_lock = false;
    cup_python_drop(own->item);
    own->item = NULL;
}

/* ---- a call begins or is over ------------------------------------------------------------ */

/* Chunks alone, without Dask's other tasks, would look like idle workers. */
static bool is_supported(void)
{
    return !cup_release_refused(CUP_RELEASE_DISTRIBUTED) &&
           cup_release_supported(CUP_RELEASE_COFFEA);
}

static struct call *find_own(void)
{
    if (!own)
        own = CUP_REAL(calloc)(1, sizeof *own);
    return own;
}

static bool has_begun(const struct call *call, struct cup_frame frame)
{
    return call && call->frame == frame.at && call->code == cup_frames_code(frame) &&
           call->place <= cup_frames_place(frame);
}

static void begin_call(struct call *call, struct cup_frame frame, cup_object *item,
                       struct cup_moment now)
{
    CUP_OWNED cup_object *locals = NULL;
    CUP_OWNED cup_object *checkpointer = cup_frames_local(frame, "checkpointer", &locals);
    bool is_chunk = cup_frames_name(frame) == cup_anchor_name(CUP_ANCHOR_WORK_FUNCTION);
    *call = (struct call){.frame = frame.at,
                          .code = cup_frames_code(frame),
                          .item = cup_python_hold(item),
                          /* a checkpoint may have the chunk's result */
                          .may_return = !is_chunk || (checkpointer && checkpointer != cup_py.none)};
    read_retries(call, frame);
    call->is_pool_job = find_pool_worker().at != NULL;
    if (!is_chunk) /* a process that only reads metadata requests no baskets, and that is known */
        cup_requested_baskets_expect();
    open_task(item, is_chunk, now);
    cup_item_is_coffea(item, is_chunk ? "WorkItem" : "FileMeta");
}

/* The call in FRAME began after the last one, which is over. */
static void replace_call(struct cup_frame frame, cup_object *item, int64_t attempt,
                         struct cup_moment now)
{
    struct call *call = find_own();
    if (cup_self.task)
        end_task(item == call->item && attempt > call->attempt ? FAILED : judge_end(call), now);
    if (call && is_supported() && cup_recording_open())
        begin_call(call, frame, item, now);
}

static bool is_item(cup_object *item)
{
    const char *name = item ? cup_python_type_name(cup_python_type(item)) : "";
    return strcmp(name, "WorkItem") == 0 || strcmp(name, "FileMeta") == 0;
}

static void look_at_call(struct cup_frame frame, struct cup_moment now)
{
    bool begun = has_begun(own, frame);
    if (!begun || (cup_self.task && !own->is_processing)) {
        CUP_OWNED cup_object *locals = NULL;
        CUP_OWNED cup_object *item = cup_frames_local(frame, "item", &locals);
        int64_t attempt = read_attempt(frame);
        if (!is_item(item))
            return;
        if (!begun || item != own->item || attempt != own->attempt)
            replace_call(frame, item, attempt, now);
    }
    if (own && own->frame == frame.at)
        own->place = cup_frames_place(frame);
}

/* No call is on the stack. While Coffea's automatic_retries is, the item may be tried again; while
 * a job of a pool is, cup_coffea_job_ends() will be called. */
static void leave_call(struct cup_moment now)
{
    if (is_within(CUP_ANCHOR_RETRIES, EXECUTOR_FILE) ||
        is_within(CUP_ANCHOR_JOB_RUN, "concurrent/futures/thread.py"))
        return;
    if (cup_self.task)
        end_task(judge_end(own), now);
    if (own)
        own->frame = NULL;
}

/* There is a call on the stack, FRAME, or the thread's last one may be over. */
static bool needs_look(struct cup_frame *frame)
{
    return cup_coffea_may_look() && find_call(frame) && (frame->at || cup_self.task) &&
           cup_anchors_may_ask();
}

static void look_at(struct cup_frame frame, struct cup_moment now)
{
    if (!frame.at)
        leave_call(now);
    else if (has_begun(own, frame) || cup_frames_is_in(frame, EXECUTOR_FILE))
        look_at_call(frame, now);
}

void cup_coffea_look(struct cup_moment now)
{
    struct cup_frame frame;
    if (needs_look(&frame))
        look_at(frame, now);
}

void cup_coffea_look_now(int64_t now_ns)
{
    struct cup_frame frame;
    if (needs_look(&frame))
        look_at(frame, (struct cup_moment){now_ns, cup_clock_thread_cpu_ns()});
}

bool cup_coffea_may_begin(void)
{
    struct cup_frame frame;
    if (!cup_coffea_may_look() || !find_call(&frame) || !frame.at)
        return false;
    return !has_begun(own, frame) || (cup_self.task && !own->is_processing);
}

void cup_coffea_begins(struct cup_frame frame)
{
    sees_returns = true;
    if (own && own->frame == frame.at)
        own->frame = NULL;
    if (find_parents_frame() == frame.at)
        parents.frame = NULL;
    cup_coffea_look_now(cup_clock_realtime_ns());
}

void cup_coffea_returns(struct cup_frame frame)
{
    if (cup_self.origin == CUP_ORIGIN_COFFEA && own && own->frame == frame.at)
        end_task(RETURNED, (struct cup_moment){cup_clock_realtime_ns(), cup_clock_thread_cpu_ns()});
}

void cup_coffea_given_up(struct cup_frame retries)
{
    if (cup_self.origin == CUP_ORIGIN_COFFEA && own && own->retries == retries.at)
        end_task(SKIPPED, (struct cup_moment){cup_clock_realtime_ns(), cup_clock_thread_cpu_ns()});
}

void cup_coffea_lock_taken(void)
{
    struct cup_frame frame;
    if (own && own->is_pool_job && find_call(&frame) && !frame.at && cup_anchors_may_ask())
        leave_call((struct cup_moment){cup_clock_realtime_ns(), cup_clock_thread_cpu_ns()});
}

void cup_coffea_job_ends(struct cup_frame setter, bool raised)
{
    CUP_OWNED cup_object *locals = NULL;
    if (cup_self.origin != CUP_ORIGIN_COFFEA || !own)
        return;
    CUP_OWNED cup_object *result = raised ? NULL : cup_frames_local(setter, "result", &locals);
    end_task(raised                                      ? FAILED
             : result == cup_py.none || !own->may_return ? SKIPPED
                                                         : RETURNED,
             (struct cup_moment){cup_clock_realtime_ns(), cup_clock_thread_cpu_ns()});
    own->frame = NULL;
}

/* ---- the clock around process() ---------------------------------------------------------- */

/* The call is part of another task: of Dask's, or of the chunk whose process() called a Runner. */
static bool is_part(struct cup_frame top)
{
    return cup_self.task && (cup_self.origin != CUP_ORIGIN_COFFEA || own->frame != top.at);
}

static void begin_process(struct cup_frame top, cup_object *item, struct cup_moment now)
{
    cup_coffea_look(now);
    if (is_part(top) && cup_self.origin == CUP_ORIGIN_COFFEA)
        return;
    if (!is_part(top) && own) {
        own->is_processing = true;
        own->may_return = false;
    }
    if (!cup_work_item_known())
        cup_item_is_coffea(item, "WorkItem");
    cup_task_tic(now);
}

static void end_process(struct cup_frame top, cup_object *item, cup_object **locals,
                        struct cup_moment now)
{
    bool is_coffea = cup_self.origin == CUP_ORIGIN_COFFEA;
    if (is_coffea && is_part(top))
        return;
    cup_task_toc(now);
    if (cup_self.task)
        cup_coffea_report(top, item, locals);
    if (is_coffea) {
        end_task(RETURNED, now);
        own->place = cup_frames_place(top);
    }
}

void cup_coffea_clock(struct cup_frame top, struct cup_moment now)
{
    if (top.at == find_parents_frame() || !cup_frames_is_in(top, EXECUTOR_FILE) ||
        !is_supported() || !cup_recording_open())
        return;
    CUP_OWNED cup_object *locals = NULL;
    CUP_OWNED cup_object *item = cup_frames_local(top, "item", &locals);
    CUP_OWNED cup_object *before =
        cup_frames_local(top, "tic", &locals); /* bound after the first clock call */
    if (before)
        end_process(top, item, &locals, now);
    else if (item)
        begin_process(top, item, now);
    else
        cup_log_health(CUP_H_ANCHOR_ERRORS, 1);
    cup_coffea_note_versions();
}
