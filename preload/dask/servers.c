#include "preload/dask/servers.h"

#include "include/gaps.h"
#include "preload/dask/server_samples.h"
#include "preload/io/file_class.h"
#include "preload/io/peer.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/log/python_strings.h"
#include "preload/sys/clock.h"

#include <string.h>

enum { ADDRESS_LONGEST = 128, WRITE_BACK_NS = 1000000000 };

struct seen {
    char address[ADDRESS_LONGEST];
    uint32_t id; /* its SERVER record; 0: this slot was never used */
    enum cup_role role;
    struct cup_r_server *record; /* in the log; NULL: the log was full */
    int64_t written_ns;          /* when it was last written back, or could not be written */
    int64_t tick_ns;             /* when it last showed that it lives */
};

/* By cup_server_slot(). */
static struct seen seen[CUP_SERVERS];
static uint32_t last_id;
static bool too_many_noted;
_Static_assert(CUP_SERVERS == 64, "CUP_GAP_SERVERS names the number");

enum { SEVERAL_SERVERS = UINT32_MAX };
static __thread struct {
    uint32_t ticks;  /* seen on this thread: looked at often at first, then seldom */
    uint32_t server; /* whose ticks these are; 0: not known yet, or SEVERAL_SERVERS */
} own __attribute__((tls_model("initial-exec")));

void cup_servers_reset(void)
{
    memset(&own, 0, sizeof own);
    memset(seen, 0, sizeof seen);
    last_id = 0;
    too_many_noted = false;
    cup_samples_reset();
}

/* ---- a new server ------------------------------------------------------------------------ */

static enum cup_role find_role(cup_object *server)
{
    CUP_OWNED cup_object *state = cup_python_attribute(server, "execution_state");
    CUP_OWNED cup_object *workers = state ? NULL : cup_python_attribute(server, "workers");
    return state ? CUP_ROLE_WORKER : workers ? CUP_ROLE_SCHEDULER : CUP_ROLE_NANNY;
}

static void note_spill_directory(cup_object *worker)
{
    char path[ADDRESS_LONGEST * 2];
    CUP_OWNED cup_object *directory = cup_python_attribute(worker, "local_directory");
    size_t bytes = cup_python_text(directory, path, sizeof path - sizeof "/storage");
    strcpy(path + bytes, "/storage");
    if (bytes)
        cup_file_class_add_spill_directory(path);
}

/* Registers the server's and its scheduler's address: bytes sent there are Dask's own traffic. */
static void note_addresses(cup_object *server, const char *address)
{
    char of_scheduler[ADDRESS_LONGEST];
    CUP_OWNED cup_object *scheduler = cup_python_attribute(server, "scheduler");
    CUP_OWNED cup_object *value = cup_python_attribute(scheduler, "addr");
    cup_dask_address_add(address);
    if (cup_python_text(value, of_scheduler, sizeof of_scheduler))
        cup_dask_address_add(of_scheduler);
}

/* Dask runs tasks in an executor of another type without the function by which tasks are found. */
static void note_executors(cup_object *worker)
{
    ssize_t at = 0;
    cup_object *name, *executor;
    CUP_OWNED cup_object *executors = cup_python_attribute(worker, "executors");
    if (!executors || cup_python_type(executors) != cup_py.dict_type)
        return;
    while (cup_py.PyDict_Next(executors, &at, &name, &executor)) {
        const char *type = cup_python_type_name(cup_python_type(executor));
        if (!strstr(type, "ThreadPoolExecutor"))
            cup_recording_note(CUP_GAP_EXECUTOR, type);
    }
}

cup_object *cup_server_part(cup_object *worker, const char *name)
{
    cup_object *part = cup_python_attribute(worker, name);
    return part ? part : cup_python_hold(worker);
}

static struct cup_r_server *write_server(cup_object *server, uint32_t id, enum cup_role role,
                                         const char *address)
{
    cup_object *worker = role == CUP_ROLE_WORKER ? server : NULL;
    CUP_OWNED cup_object *state = cup_server_part(worker, "state");
    CUP_OWNED cup_object *memory = cup_server_part(worker, "memory_manager");
    int64_t limit = cup_python_integer_at(memory, "memory_limit", -1);
    const struct cup_r_server record = {
        .id = id,
        .role = role,
        .address = cup_log_cstring(address),
        .name = cup_log_python_attribute(server, "name"),
        .local_directory = cup_log_python_attribute(server, "local_directory"),
        .threads = (uint32_t)cup_python_integer_at(state, "nthreads", 0),
        .memory_limit = limit > 0 ? (uint64_t)limit : CUP_UNKNOWN64};
    return cup_log_write(CUP_R_SERVER, &record, NULL, 0);
}

/* A server ticks many times a second, and some of its ticks are read, at the latest with its next
 * sample. One that was not seen for so long was closed, or its event loop is blocked: then it gets
 * a new record when it ticks again. */
static bool is_gone(const struct seen *server, int64_t now_ns)
{
    static const int64_t GONE_NS = INT64_C(10000000000);
    int64_t samples_ns = 2 * cup_samples_interval_ns;
    return now_ns - server->tick_ns > (samples_ns > GONE_NS ? samples_ns : GONE_NS);
}

/* The next id whose slot is free, or else the one of the server that was silent for longest, if it
 * is gone. 0: none. */
static uint32_t choose_id(int64_t now_ns)
{
    uint32_t silent = last_id + 1;
    for (uint32_t id = last_id + 1; id <= last_id + CUP_SERVERS; id++) {
        const struct seen *slot = &seen[cup_server_slot(id)];
        if (!slot->id)
            return last_id = id;
        if (slot->tick_ns < seen[cup_server_slot(silent)].tick_ns)
            silent = id;
    }
    struct seen *slot = &seen[cup_server_slot(silent)], before = *slot;
    if (!is_gone(slot, now_ns))
        return 0;
    /* The slot and the number are taken at once: what follows may let another thread in, which
     * also looks for a slot. */
    *slot = (struct seen){.id = silent, .tick_ns = now_ns};
    last_id = silent;
    if (cup_samples_evict(before.id))
        return silent;
    *slot = before;
    return 0;
}

static uint32_t note_too_many(void)
{
    if (!too_many_noted)
        cup_log_note(CUP_GAP_SERVERS ": for the others, no worker is known for their tasks, and no "
                                     "samples are taken");
    too_many_noted = true;
    return 0;
}

static uint32_t add_server(cup_object *server, const char *address, int64_t now_ns)
{
    uint32_t id = choose_id(now_ns);
    if (!id)
        return note_too_many();
    struct seen *entry = &seen[cup_server_slot(id)];
    *entry = (struct seen){.id = id, .tick_ns = now_ns};
    strcpy(entry->address, address); /* now: what follows may run Python code, and let other threads
                                        in */
    enum cup_role role = find_role(server);
    entry->role = role;
    entry->written_ns = now_ns;
    entry->record = write_server(server, id, role, address);
    if (id == 1) {
        cup_log_python_version("dask");
        cup_log_python_version("distributed");
    }
    note_addresses(server, address);
    if (role == CUP_ROLE_WORKER) {
        note_spill_directory(server);
        note_executors(server);
    }
    return id;
}

/* The log was full, and may have room again. */
static void write_again(cup_object *server, struct seen *entry, int64_t now_ns)
{
    uint32_t id = entry->id;
    if (entry->record || now_ns - entry->written_ns < WRITE_BACK_NS)
        return;
    entry->written_ns = now_ns; /* now, as in add_server() */
    struct cup_r_server *record = write_server(server, id, entry->role, entry->address);
    if (entry->id == id)
        entry->record = record;
}

static uint32_t find_server(cup_object *server, int64_t now_ns)
{
    char address[ADDRESS_LONGEST];
    CUP_OWNED cup_object *value = cup_python_attribute(server, "_address");
    size_t bytes = cup_python_text(value, address, sizeof address);
    if (!bytes || strcmp(address, "None") == 0)
        return 0;
    for (uint32_t i = 0; i < CUP_SERVERS && seen[i].id; i++)
        if (strcmp(seen[i].address, address) == 0) {
            seen[i].tick_ns = now_ns;
            write_again(server, &seen[i], now_ns);
            return seen[i].id;
        }
    return add_server(server, address, now_ns);
}

uint32_t cup_server_find(cup_object *server)
{
    return find_server(server, cup_clock_realtime_ns());
}

/* ---- ticks ------------------------------------------------------------------------------- */

/* The first ticks of a thread are all read, later ones one in THEN_EVERY. That is a prime number,
 * so that of several servers on one loop each has its turn. */
enum { TICKS_CLOSELY = 256, THEN_EVERY = 61 };

/* NOW_NS 0: the time is not known. A log that is written by write(2) gets it once per second. */
static void set_stop(uint32_t id, int64_t now_ns)
{
    struct seen *server = id && id != SEVERAL_SERVERS ? &seen[cup_server_slot(id)] : NULL;
    if (!server || server->id != id || !server->record || !cup_active())
        return;
    __atomic_store_n(&server->record->stop_ns, now_ns, __ATOMIC_RELAXED);
    if (now_ns && now_ns - server->written_ns < WRITE_BACK_NS)
        return;
    cup_log_commit(server->record, CUP_R_SERVER);
    server->written_ns = now_ns;
}

/* Where several servers share an event loop, most ticks do not say whose they are. */
static void note_tick(uint32_t id, int64_t now_ns)
{
    bool is_other = own.server && own.server != id;
    if (is_other)
        set_stop(own.server, 0);
    own.server = is_other ? SEVERAL_SERVERS : id;
    set_stop(own.server, now_ns);
}

bool cup_server_tick_wanted(int64_t now_ns)
{
    uint32_t ticks = own.ticks++;
    set_stop(own.server, now_ns);
    return cup_samples_due(now_ns) || ticks < TICKS_CLOSELY || ticks % THEN_EVERY == 0;
}

void cup_server_registers(struct cup_frame top)
{
    if (cup_frames_is_in(top, "distributed/worker.py") && cup_recording_open())
        cup_self.server_loop = true;
}

void cup_server_tick(struct cup_frame top, int64_t now_ns)
{
    CUP_OWNED cup_object *locals = NULL;
    if (!cup_frames_is_in(top, "distributed/core.py"))
        return;
    CUP_OWNED cup_object *server = cup_frames_local(top, "self", &locals);
    if (!server || !cup_recording_open())
        return;
    cup_self.server_loop = true;
    uint32_t id = find_server(server, now_ns);
    if (!id)
        return;
    note_tick(id, now_ns);
    cup_samples_tick(server, id, seen[cup_server_slot(id)].role, now_ns);
}
