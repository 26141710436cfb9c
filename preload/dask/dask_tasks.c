#include "preload/dask/dask_tasks.h"

#include "preload/attribution/attribution.h"
#include "preload/attribution/context.h"
#include "preload/coffea/work_item.h"
#include "preload/dask/digests.h"
#include "preload/dask/server_samples.h"
#include "preload/dask/spans.h"
#include "preload/dask/task_inputs.h"
#include "preload/io/dask_addresses.h"
#include "preload/io/file_class.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/log/python_strings.h"
#include "preload/python/anchors.h"
#include "preload/python/frames.h"
#include "preload/python/python.h"
#include "preload/sys/clock.h"
#include "preload/task/task.h"

#include <errno.h>
#include <string.h>

/* ---- servers ----------------------------------------------------------------------------- */

enum { SERVERS = CUP_SAMPLES_SERVERS, ADDRESS_LONGEST = 128 };

static struct {
    char addresses[SERVERS][ADDRESS_LONGEST]; /* index + 1 is the server's id in the log */
    uint8_t roles[SERVERS];                   /* enum cup_role */
    uint32_t count;
    bool versions_noted;
} seen;

enum { CARRIERS = 16 };
static uint32_t carriers[CARRIERS]; /* prefixes (string ids) whose tasks carry work items */

void cup_dask_child_begins(void)
{
    memset(&seen, 0, sizeof seen);
    cup_samples_reset();
    cup_digests_reset();
    cup_spans_reset();
    memset(carriers, 0, sizeof carriers);
}

static enum cup_role role_of(cup_object *server)
{
    cup_object *state = cup_python_attribute(server, "execution_state");
    cup_object *workers = state ? NULL : cup_python_attribute(server, "workers");
    enum cup_role role = state ? CUP_ROLE_WORKER : workers ? CUP_ROLE_SCHEDULER : CUP_ROLE_NANNY;
    cup_python_drop(state);
    cup_python_drop(workers);
    return role;
}

static void note_spill_directory(cup_object *worker)
{
    char path[ADDRESS_LONGEST * 2];
    cup_object *directory = cup_python_attribute(worker, "local_directory");
    size_t bytes = cup_python_text(directory, path, sizeof path - sizeof "/storage");
    strcpy(path + bytes, "/storage");
    if (bytes)
        cup_file_class_add_spill_directory(path);
    cup_python_drop(directory);
}

/* A server's own address, and its scheduler's: what goes there is Dask's. */
static void note_addresses(cup_object *server, const char *address)
{
    char of_scheduler[ADDRESS_LONGEST];
    cup_object *scheduler = cup_python_attribute(server, "scheduler");
    cup_object *value = cup_python_attribute(scheduler, "addr");
    cup_dask_address_add(address);
    if (cup_python_text(value, of_scheduler, sizeof of_scheduler))
        cup_dask_address_add(of_scheduler);
    cup_python_drop(value);
    cup_python_drop(scheduler);
}

static void write_server(cup_object *server, uint32_t id, enum cup_role role, const char *address)
{
    uint32_t name = cup_log_python_attribute(server, "name"),
             directory = cup_log_python_attribute(server, "local_directory");
    uint32_t address_id = cup_log_cstring(address);
    cup_object *state = role == CUP_ROLE_WORKER ? cup_python_attribute(server, "state") : NULL;
    cup_object *memory =
        role == CUP_ROLE_WORKER ? cup_python_attribute(server, "memory_manager") : NULL;
    uint32_t threads = (uint32_t)cup_python_integer_at(state, "nthreads", 0);
    int64_t limit = cup_python_integer_at(memory, "memory_limit", -1);
    cup_python_drop(memory);
    cup_python_drop(state);
    struct cup_r_server *record = cup_log_reserve(sizeof *record, 0);
    if (!record)
        return;
    record->id = id;
    record->role = role;
    record->address = address_id;
    record->name = name;
    record->local_directory = directory;
    record->threads = threads;
    record->memory_limit = limit > 0 ? (uint64_t)limit : CUP_UNKNOWN64;
    cup_log_commit(record, CUP_R_SERVER);
}

static void note_versions(void)
{
    if (seen.versions_noted)
        return;
    seen.versions_noted = true;
    cup_log_python_version("dask");
    cup_log_python_version("distributed");
}

/* Id of a server's record, written on first sight; 0 while it has no address yet. */
static uint32_t server_id(cup_object *server)
{
    char address[ADDRESS_LONGEST];
    cup_object *value = cup_python_attribute(server, "_address");
    size_t bytes = cup_python_text(value, address, sizeof address);
    cup_python_drop(value);
    if (!bytes || strcmp(address, "None") == 0)
        return 0;
    for (uint32_t i = 0; i < seen.count; i++)
        if (strcmp(seen.addresses[i], address) == 0)
            return i + 1;
    if (seen.count == SERVERS)
        return 0;
    memcpy(seen.addresses[seen.count++], address, bytes + 1);
    uint32_t id = seen.count; /* what follows may run Python code, and other threads meanwhile */
    enum cup_role role = role_of(server);
    seen.roles[id - 1] = (uint8_t)role;
    write_server(server, id, role, address);
    note_versions();
    note_addresses(server, address);
    if (role == CUP_ROLE_WORKER)
        note_spill_directory(server);
    return id;
}

enum { TICKS_CLOSELY = 256, THEN_EVERY = 64 };

bool cup_dask_tick_wanted(int64_t now_ns)
{
    uint32_t ticks = cup_self.ticks++;
    return cup_samples_due(now_ns) || ticks < TICKS_CLOSELY || ticks % THEN_EVERY == 0;
}

void cup_dask_tick(struct cup_frame top, int64_t now_ns)
{
    cup_object *locals = NULL;
    if (!cup_frames_is_in(top, "distributed/core.py"))
        return;
    cup_object *server = cup_frames_local(top, "self", &locals);
    if (server && cup_recording_open()) {
        cup_self.server_loop = true;
        uint32_t id = server_id(server);
        if (id)
            cup_samples_tick(server, id, seen.roles[id - 1], now_ns);
    }
    cup_python_drop(server);
    cup_python_drop(locals);
}

/* ---- the frames of a task ---------------------------------------------------------------- */

enum border { NEITHER, BEGINS, ENDS };

struct task_frames {
    struct cup_frame simple; /* _run_task_simple, or its older name */
    struct cup_frame run;    /* _run_task, or its older name */
    enum border border;
};

static bool is_any(const void *name, enum cup_anchor one, enum cup_anchor other)
{
    return name == cup_anchor_name(one) || name == cup_anchor_name(other);
}

/* Skips meter and contextlib (two of each); tells what the outermost of contextlib's is. */
static enum border leave_meters(struct cup_frame *frame)
{
    enum { DEEPEST = 6 };
    enum border border = NEITHER;
    for (int depth = 0; depth < DEEPEST; depth++) {
        const void *name = cup_frames_name(*frame);
        if (name == cup_anchor_name(CUP_ANCHOR_ENTER))
            border = BEGINS;
        else if (name == cup_anchor_name(CUP_ANCHOR_EXIT))
            border = ENDS;
        else if (name != cup_anchor_name(CUP_ANCHOR_METER))
            return border;
        if (!cup_frames_back(frame))
            return NEITHER;
    }
    return NEITHER;
}

/* The gc callback's clock pair, the shuffle's meters and the user's own end here: they are called
 * from other functions. */
static bool find_task_frames(struct cup_frame top, struct task_frames *frames)
{
    frames->simple = top;
    frames->border = leave_meters(&frames->simple);
    if (frames->border == NEITHER)
        return false;
    frames->run = frames->simple;
    return cup_frames_back(&frames->run);
}

static bool is_threads_task(const struct task_frames *frames)
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

static uint32_t prefix_of(cup_object *state, cup_object *key)
{
    uint32_t prefix = cup_log_python_attribute(state, "prefix");
    if (prefix)
        return prefix;
    cup_object *split = cup_python_attribute(cup_python_module("dask.utils"), "key_split");
    cup_object *result =
        split ? cup_py.PyObject_CallFunctionObjArgs(split, key, (cup_object *)NULL) : NULL;
    if (!result)
        cup_py.PyErr_Clear();
    prefix = cup_log_python_text(result);
    cup_python_drop(result);
    cup_python_drop(split);
    return prefix;
}

/* Returns what Dask knows of the task, or NULL. */
static cup_object *describe(struct cup_task_info *info, cup_object *key, cup_object *worker)
{
    cup_object *machine = cup_python_attribute(worker, "state");
    cup_object *tasks = cup_python_attribute(machine, "tasks");
    cup_object *state = cup_python_get(tasks, key);
    info->server = worker ? server_id(worker) : 0;
    info->prefix = prefix_of(state, key);
    const struct cup_span_strings span =
        state ? cup_spans_of_task(state) : (struct cup_span_strings){0, 0};
    info->span = span.name;
    info->span_id = span.id;
    info->run_id = state ? cup_python_integer_at(state, "run_id", -1) : -1;
    cup_python_drop(tasks);
    cup_python_drop(machine);
    return state;
}

/* The work item stands in the task's arguments: of a dask Task, or (older) in args itself. To
 * look there means a dict of the frame's locals, so at a task's begin only prefixes that carried
 * one before are asked; the others are asked at the end, where the locals are needed anyway. A
 * chunk that is killed in between is known by Coffea's own clock call. */
static void find_item(struct cup_frame simple_frame, cup_object **locals)
{
    cup_object *node = cup_frames_local(simple_frame, "task", locals);
    cup_object *function = node ? NULL : cup_frames_local(simple_frame, "function", locals);
    cup_object *args = node ? NULL : cup_frames_local(simple_frame, "args", locals);
    cup_object *kwargs = node ? NULL : cup_frames_local(simple_frame, "kwargs", locals);
    cup_object *const what[] = {node, function, args, kwargs};
    cup_item_find(what, sizeof what / sizeof *what);
    cup_python_drop(kwargs);
    cup_python_drop(args);
    cup_python_drop(function);
    cup_python_drop(node);
}

static bool is_carrier(uint32_t prefix)
{
    for (int i = 0; i < CARRIERS && carriers[i]; i++)
        if (carriers[i] == prefix)
            return true;
    return false;
}

static void remember_carrier(uint32_t prefix)
{
    for (int i = 0; i < CARRIERS && prefix && !is_carrier(prefix); i++)
        if (!carriers[i])
            carriers[i] = prefix;
}

/* distributed.worker.thread_state, a threading.local: Dask puts key and execution_state there
 * right before the task. Asking it costs a tenth of making a dict of a frame's locals. */
static cup_object *thread_state(void)
{
    static cup_object *state; /* kept for good: the module keeps it too */
    if (!state)
        state = cup_python_attribute(cup_python_module("distributed.worker"), "thread_state");
    return state;
}

enum { KEY_LONGEST = 4096 };

static void begin(const struct task_frames *frames, struct cup_moment now)
{
    char key_text[KEY_LONGEST];
    cup_object *locals = NULL, *locals_of_simple = NULL;
    cup_object *key = cup_python_attribute(thread_state(), "key");
    cup_object *execution = cup_python_attribute(thread_state(), "execution_state");
    if (!key)
        key = cup_frames_local(frames->run, "key", &locals);
    if (!execution)
        execution = cup_frames_local(frames->run, "execution_state", &locals);
    cup_object *worker = cup_python_item(execution, "worker");
    if (key && cup_recording_open()) {
        struct cup_task_info info = {.key = key_text, .origin = CUP_ORIGIN_DASK, .start = now};
        info.key_bytes = cup_python_text(key, key_text, sizeof key_text);
        cup_object *state = describe(&info, key, worker);
        uint32_t task = cup_task_begin(&info);
        cup_self.token = cup_context_set(task);
        if (is_carrier(info.prefix))
            find_item(frames->simple, &locals_of_simple);
        else /* what a chunk is made from, the processor as a rule, says nothing */
            cup_inputs_of_task(state, task);
        cup_python_drop(state);
    } else if (!key) {
        cup_log_health(CUP_H_ANCHOR_ERRORS, 1);
    }
    cup_python_drop(worker);
    cup_python_drop(execution);
    cup_python_drop(key);
    cup_python_drop(locals_of_simple);
    cup_python_drop(locals);
}

/* ---- end --------------------------------------------------------------------------------- */

/* What Dask itself says of the end, in a message that it is about to return. */
struct outcome {
    enum cup_task_status status;
    uint64_t result_bytes;
    uint32_t error;
};

static struct outcome outcome_of(struct cup_frame frame, cup_object **locals)
{
    char operation[32] = "";
    /* msg is absent after sys.exit() in a task */
    cup_object *message = cup_frames_local(frame, "msg", locals);
    cup_object *op = cup_python_item(message, "op");
    cup_object *bytes = cup_python_item(message, "nbytes");
    cup_object *error = cup_python_item(message, "exception_text");
    cup_python_text(op, operation, sizeof operation);
    int64_t result_bytes = cup_python_integer(bytes, -1);
    struct outcome outcome = {
        strcmp(operation, "task-finished") ? CUP_STATUS_ERRED : CUP_STATUS_FINISHED,
        result_bytes < 0 ? CUP_UNKNOWN64 : (uint64_t)result_bytes, cup_log_python_text(error)};
    cup_python_drop(error);
    cup_python_drop(bytes);
    cup_python_drop(op);
    cup_python_drop(message);
    return outcome;
}

static void end(const struct task_frames *frames, struct cup_moment now)
{
    cup_context_reset(cup_self.token);
    cup_self.token = NULL;
    cup_object *locals = NULL;
    if (!cup_self.item_known)
        find_item(frames->simple, &locals);
    if (cup_self.item_known)
        remember_carrier(cup_self.prefix);
    struct outcome outcome = outcome_of(frames->simple, &locals);
    cup_task_end(outcome.status, now, outcome.result_bytes, outcome.error);
    cup_python_drop(locals);
}

void cup_dask_thread_clock(struct cup_frame top, struct cup_moment now)
{
    struct task_frames frames;
    if (!find_task_frames(top, &frames) || !is_threads_task(&frames))
        return;
    if (frames.border == BEGINS && !cup_self.task) /* a task within a task is the outer one's */
        begin(&frames, now);
    else if (frames.border == ENDS && cup_self.task && cup_self.origin == CUP_ORIGIN_DASK)
        end(&frames, now);
}

/* ---- async tasks: on the event loop, many at a time ------------------------------------------ */

/* The variable stays set in the context of the asyncio task that executes it. */
static void begin_async(const struct task_frames *frames, int64_t now_ns)
{
    char key_text[KEY_LONGEST];
    cup_object *locals = NULL;
    cup_object *key = cup_frames_local(frames->run, "key", &locals);
    cup_object *worker = cup_frames_local(frames->run, "self", &locals);
    if (key && worker && cup_recording_open()) {
        struct cup_task_info info = {
            .key = key_text, .origin = CUP_ORIGIN_ASYNC, .start = {now_ns, 0}};
        info.key_bytes = cup_python_text(key, key_text, sizeof key_text);
        cup_python_drop(describe(&info, key, worker));
        cup_python_drop(cup_context_set(cup_task_begin_async(&info)));
    } else {
        cup_log_health(CUP_H_ANCHOR_ERRORS, 1);
    }
    cup_python_drop(worker);
    cup_python_drop(key);
    cup_python_drop(locals);
}

static void end_async(const struct task_frames *frames, int64_t now_ns)
{
    cup_object *locals = NULL;
    struct outcome outcome = outcome_of(frames->simple, &locals);
    cup_task_end_async(cup_context_task(), outcome.status, now_ns, outcome.result_bytes,
                       outcome.error);
    cup_python_drop(cup_context_set(0));
    cup_python_drop(locals);
}

void cup_dask_async_clock(struct cup_frame top, int64_t now_ns)
{
    struct task_frames frames;
    if (!find_task_frames(top, &frames) || !is_async_task(&frames))
        return;
    if (frames.border == BEGINS)
        begin_async(&frames, now_ns);
    else if (cup_context_task())
        end_async(&frames, now_ns);
}

/* ---- actors: each call of a method is a task ------------------------------------------------- */

static void end_actor(enum cup_task_status status)
{
    cup_context_reset(cup_self.token);
    cup_self.token = NULL;
    cup_task_end(status, (struct cup_moment){cup_clock_realtime_ns(), cup_clock_thread_cpu_ns()},
                 CUP_UNKNOWN64, 0);
}

void cup_dask_actor_clock(struct cup_frame top, struct cup_moment now)
{
    char key_text[KEY_LONGEST];
    cup_object *locals = NULL;
    if (cup_self.task)
        return;
    cup_object *key = cup_frames_local(top, "key", &locals);
    cup_object *execution = cup_frames_local(top, "execution_state", &locals);
    cup_object *worker = cup_python_item(execution, "worker");
    if (key && worker && cup_recording_open()) {
        struct cup_task_info info = {.key = key_text, .origin = CUP_ORIGIN_ACTOR, .start = now};
        info.key_bytes = cup_python_text(key, key_text, sizeof key_text);
        cup_python_drop(describe(&info, key, worker));
        cup_self.token = cup_context_set(cup_task_begin(&info));
    }
    cup_python_drop(worker);
    cup_python_drop(execution);
    cup_python_drop(key);
    cup_python_drop(locals);
}

/* Dask takes its lock again when the method came back; when it raised, the Future's is taken. */
static void look_at_actor(void)
{
    struct cup_frame frame;
    if (!cup_frames_top(&frame) || !cup_python_has_gil())
        return;
    const void *name = cup_frames_name(frame);
    if (is_any(name, CUP_ANCHOR_RUN_ACTOR, CUP_ANCHOR_APPLY_FUNCTION_ACTOR))
        end_actor(CUP_STATUS_FINISHED);
    else if (name == cup_anchor_name(CUP_ANCHOR_ENTER) && cup_frames_back(&frame) &&
             cup_frames_name(frame) == cup_anchor_name(CUP_ANCHOR_JOB_RAISED) &&
             cup_frames_back(&frame) &&
             cup_frames_name(frame) == cup_anchor_name(CUP_ANCHOR_JOB_RUN))
        end_actor(CUP_STATUS_ERRED);
}

void cup_dask_actor_lock(void)
{
    int saved = errno;
    cup_guard();
    look_at_actor();
    cup_unguard();
    errno = saved;
}
