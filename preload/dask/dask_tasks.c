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
    char addresses[SERVERS][ADDRESS_LONGEST]; /* of server index + 1 (SERVER record) */
    uint8_t roles[SERVERS];                   /* enum cup_role */
    uint32_t count;
    bool versions_noted;
} seen;

enum { CARRIERS = 16 };
static uint32_t carriers[CARRIERS]; /* string ids of the prefixes whose tasks have work items */

/* On this thread: ticks are looked at often at first, then seldom. */
static __thread uint32_t ticks_seen __attribute__((tls_model("initial-exec")));

void cup_dask_child_begins(void)
{
    ticks_seen = 0;
    memset(&seen, 0, sizeof seen);
    cup_samples_reset();
    cup_digests_reset();
    cup_spans_reset();
    memset(carriers, 0, sizeof carriers);
}

static enum cup_role find_role(cup_object *server)
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

/* Registers the server's and its scheduler's address: bytes sent there are Dask's own traffic. */
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

/* The id of the server's SERVER record, which is written on the first call; 0: the server has no
 * address yet, or there are too many servers. */
static uint32_t find_server(cup_object *server)
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
    uint32_t id = seen.count; /* now: what follows may run Python code, and let other threads in */
    enum cup_role role = find_role(server);
    seen.roles[id - 1] = (uint8_t)role;
    write_server(server, id, role, address);
    note_versions();
    note_addresses(server, address);
    if (role == CUP_ROLE_WORKER)
        note_spill_directory(server);
    return id;
}

/* The first ticks of a thread are all read, later ones one in THEN_EVERY. */
enum { TICKS_CLOSELY = 256, THEN_EVERY = 64 };

bool cup_dask_tick_wanted(int64_t now_ns)
{
    uint32_t ticks = ticks_seen++;
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
        uint32_t id = find_server(server);
        if (id)
            cup_samples_tick(server, id, seen.roles[id - 1], now_ns);
    }
    cup_python_drop(server);
    cup_python_drop(locals);
}

/* ---- the frames of a task ---------------------------------------------------------------- */

enum border { NEITHER, BEGINS, ENDS };

struct task_frames {
    struct cup_frame simple; /* _run_task_simple, or apply_function_simple in older versions */
    struct cup_frame run;    /* _run_task, or apply_function */
    enum border border;
};

static bool is_any(const void *name, enum cup_anchor one, enum cup_anchor other)
{
    return name == cup_anchor_name(one) || name == cup_anchor_name(other);
}

/* Goes from the clock call outwards through the frames of meter and contextlib (two of each).
 * Returns whether the outermost one of contextlib is __enter__ or __exit__. */
static enum border skip_meters(struct cup_frame *frame)
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

/* False: another user of meter, such as the gc callback, the shuffle, or the user's own code. */
static bool find_task_frames(struct cup_frame top, struct task_frames *frames)
{
    frames->simple = top;
    frames->border = skip_meters(&frames->simple);
    if (frames->border == NEITHER)
        return false;
    frames->run = frames->simple;
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
    uint32_t prefix = cup_log_python_attribute(state, "prefix");
    if (prefix)
        return prefix;
    cup_object *result = cup_python_call(cup_python_module("dask.utils"), "key_split", key);
    prefix = cup_log_python_text(result);
    cup_python_drop(result);
    return prefix;
}

/* Fills in what Dask knows of the task. Returns the worker's TaskState, a new reference; NULL:
 * none. */
static cup_object *describe_task(struct cup_task_info *info, cup_object *key, cup_object *worker)
{
    cup_object *machine = cup_python_attribute(worker, "state");
    cup_object *tasks = cup_python_attribute(machine, "tasks");
    cup_object *state = cup_python_get(tasks, key);
    info->server = worker ? find_server(worker) : 0;
    info->prefix = find_prefix(state, key);
    const struct cup_span_strings span =
        state ? cup_spans_of_task(state) : (struct cup_span_strings){0, 0};
    info->span = span.name;
    info->span_id = span.id;
    info->run_id = state ? cup_python_integer_at(state, "run_id", -1) : -1;
    cup_python_drop(tasks);
    cup_python_drop(machine);
    return state;
}

/* Searches the task's arguments for a work item: those of a dask Task, or (older versions) args.
 * Reading them creates a dict of the frame's local variables, which is slow. So at a task's begin
 * it is done only for prefixes whose tasks had a work item before; for others at the end, where the
 * local variables are needed anyway. A chunk that is killed in between is known from Coffea's own
 * clock call. */
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

enum { KEY_LONGEST = 4096 };

static void begin_task(const struct task_frames *frames, struct cup_moment now)
{
    char key_text[KEY_LONGEST];
    cup_object *locals = NULL, *locals_of_simple = NULL;
    cup_object *key = cup_python_attribute(find_thread_state(), "key");
    cup_object *execution = cup_python_attribute(find_thread_state(), "execution_state");
    if (!key)
        key = cup_frames_local(frames->run, "key", &locals);
    if (!execution)
        execution = cup_frames_local(frames->run, "execution_state", &locals);
    cup_object *worker = cup_python_item(execution, "worker");
    if (key && cup_recording_open()) {
        struct cup_task_info info = {.key = key_text, .origin = CUP_ORIGIN_DASK, .start = now};
        info.key_bytes = cup_python_text(key, key_text, sizeof key_text);
        cup_object *state = describe_task(&info, key, worker);
        uint32_t task = cup_task_begin(&info);
        cup_context_enter(task);
        if (is_carrier(info.prefix))
            find_item(frames->simple, &locals_of_simple);
        else /* the input of a chunk is mostly the processor, which is of no interest */
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

/* The result of a task as Dask reports it, in the message that it is about to return. */
struct outcome {
    enum cup_task_status status;
    uint64_t result_bytes;
    uint32_t error;
};

static struct outcome read_outcome(struct cup_frame frame, cup_object **locals)
{
    char operation[32] = "";
    /* there is no msg after sys.exit() in a task */
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

static void end_task(const struct task_frames *frames, struct cup_moment now)
{
    cup_context_leave();
    cup_object *locals = NULL;
    if (!cup_work_item_known())
        find_item(frames->simple, &locals);
    if (cup_work_item_known())
        add_carrier(cup_task_prefix());
    struct outcome outcome = read_outcome(frames->simple, &locals);
    cup_task_end(outcome.status, now, outcome.result_bytes, outcome.error);
    cup_python_drop(locals);
}

void cup_dask_thread_clock(struct cup_frame top, struct cup_moment now)
{
    struct task_frames frames;
    if (!find_task_frames(top, &frames) || !is_thread_task(&frames))
        return;
    if (frames.border == BEGINS &&
        !cup_self.task) /* a task inside a task belongs to the outer one */
        begin_task(&frames, now);
    else if (frames.border == ENDS && cup_self.task && cup_self.origin == CUP_ORIGIN_DASK)
        end_task(&frames, now);
}

/* ---- async tasks: on the event loop, many at the same time --------------------------------- */

/* The context variable stays set in the context of the asyncio task that executes this task. */
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
        cup_python_drop(describe_task(&info, key, worker));
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
    struct outcome outcome = read_outcome(frames->simple, &locals);
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

/* ---- actors: each call of a method is a task ------------------------------------------------ */

static void end_actor(enum cup_task_status status)
{
    cup_context_leave();
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
        cup_python_drop(describe_task(&info, key, worker));
        cup_context_enter(cup_task_begin(&info));
    }
    cup_python_drop(worker);
    cup_python_drop(execution);
    cup_python_drop(key);
    cup_python_drop(locals);
}

/* After the method has returned, Dask's _run_actor takes a lock; after it raised an exception,
 * concurrent.futures takes the Future's lock. */
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
