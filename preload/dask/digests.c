#include "preload/dask/digests.h"

#include "preload/dask/server_slot.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/log/python_strings.h"
#include "preload/sys/clock.h"
#include "preload/sys/raw.h"

#include <string.h>

struct entry {
    cup_object *key;     /* a reference is held: compared with the dict's own key objects */
    cup_object *unusual; /* a value that is neither int nor float: a reference, until converted */
    double value, written;
    uint32_t id; /* its DIGEST_KEY record; 0: none yet */
    bool
        plain; /* its key is a plain name: it is about the event loop, and changes with each tick */
};

struct watched {
    uint32_t server;       /* its SERVER record */
    cup_object *dict;      /* a reference is held */
    struct entry *entries; /* in the order of the dict, from which Dask removes nothing */
    size_t count, room;
    int64_t written_ns; /* when the last DIGEST record was written */
    bool busy;          /* a snapshot is under way; str() of a key may let another thread run */
};

static struct watched watched[CUP_SERVERS]; /* by cup_server_slot() */
static uint32_t keys;                       /* DIGEST_KEY records so far */
static bool no_dict_noted;
static cup_object *interpreter; /* of the dicts; NULL: none is watched */

/* ---- reading ----------------------------------------------------------------------------- */

/* Memory from mmap: the library never uses the program's allocator. */
static void make_room(struct watched *digests, size_t count)
{
    void *larger = count <= digests->room
                       ? NULL
                       : cup_raw_grow(digests->entries, digests->room * sizeof(struct entry),
                                      2 * count * sizeof(struct entry));
    if (!larger)
        return;
    digests->entries = larger;
    digests->room = 2 * count;
}

/* Runs no Python code and allocates no object, so the dict cannot change while it is iterated. */
static void read_value(struct entry *entry, cup_object *value)
{
    cup_object *type = cup_python_type(value);
    if (type == cup_py.float_type || type == cup_py.int_type)
        entry->value = cup_python_number(value);
    else
        entry->unusual = cup_python_hold(value);
}

/* Returns how many entries were read: fewer than are known if the dict was cleared. */
static size_t read_all(struct watched *digests)
{
    ssize_t at = 0;
    size_t n = 0;
    cup_object *key, *value;
    while (n < digests->room && cup_py.PyDict_Next(digests->dict, &at, &key, &value)) {
        struct entry *entry = &digests->entries[n];
        if (n == digests->count) {
            *entry = (struct entry){.key = cup_python_hold(key)};
            digests->count++;
        }
        if (entry->key != key)
            break;
        read_value(entry, value);
        n++;
    }
    return n;
}

static void drop_from(struct watched *digests, size_t first)
{
    for (size_t i = first; i < digests->count; i++) {
        cup_python_drop(digests->entries[i].unusual);
        cup_python_drop(digests->entries[i].key);
    }
    digests->count = first;
}

/* ---- what a key means -------------------------------------------------------------------- */

/* The string of one element of a key; 0: None. */
static uint32_t string_of_part(cup_object *key, ssize_t index)
{
    CUP_OWNED cup_object *value = cup_py.PySequence_GetItem(key, index);
    if (!value)
        cup_py.PyErr_Clear();
    return value && value != cup_py.none ? cup_log_python_text(value) : 0;
}

static bool is_word(cup_object *key, ssize_t index, const char *word)
{
    CUP_OWNED cup_object *value = cup_py.PySequence_GetItem(key, index);
    char text[16];
    return cup_python_text(value, text, sizeof text) && strcmp(text, word) == 0;
}

/* Dask's keys are (context, [span, [prefix,]] activity..., unit), or a plain name. */
static struct cup_r_digest_key parse_key(cup_object *key)
{
    struct cup_r_digest_key parsed = {.unit = 0};
    ssize_t size = cup_python_type(key) == cup_py.tuple_type ? cup_py.PySequence_Size(key) : 0;
    if (size < 3) {
        parsed.activity = cup_log_python_text(key);
        return parsed;
    }
    bool of_task = is_word(key, 0, "execute") && size >= 5;
    bool of_shuffle = is_word(key, 0, "p2p") && size >= 4;
    ssize_t next = 1;
    parsed.context = string_of_part(key, 0);
    if (of_task || of_shuffle)
        parsed.span = string_of_part(key, next++);
    if (of_task)
        parsed.prefix = string_of_part(key, next++);
    parsed.activity = cup_log_python_joined(key, next, size - 1);
    parsed.unit = string_of_part(key, size - 1);
    return parsed;
}

static bool write_key(struct entry *entry, uint32_t server)
{
    struct cup_r_digest_key record = parse_key(entry->key);
    record.key = keys + 1;
    record.server = server;
    entry->plain = !record.context;
    if (cup_log_write(CUP_R_DIGEST_KEY, &record, NULL, 0))
        entry->id = ++keys;
    return entry->id != 0;
}

/* ---- writing ----------------------------------------------------------------------------- */

enum { BATCH = 256 };

struct batch {
    struct cup_r_digest record;
    size_t count;
    struct entry *entries[BATCH];
    struct cup_digest_value values[BATCH];
};

static void add_value(struct batch *batch, struct entry *entry)
{
    batch->values[batch->count] = (struct cup_digest_value){entry->id, 0, entry->value};
    batch->entries[batch->count++] = entry;
}

/* Values that could not be written count as changed at the next snapshot. */
static bool write_batch(struct batch *batch)
{
    if (!cup_log_write(CUP_R_DIGEST, &batch->record, batch->values,
                       batch->count * sizeof *batch->values))
        return false;
    for (size_t i = 0; i < batch->count; i++)
        batch->entries[i]->written = batch->values[i].value;
    batch->count = 0;
    return true;
}

static bool has_changed(struct entry *entry)
{
    if (entry->unusual) {
        entry->value = cup_python_number(entry->unusual);
        cup_python_drop(entry->unusual);
        entry->unusual = NULL;
    }
    return !entry->id || entry->value != entry->written;
}

/* If only plain values have changed, a record every 10 s is enough. */
static bool is_due(const struct watched *digests, size_t count, const struct cup_r_digest *record)
{
    static const int64_t ENOUGH_NS = 10000000000;
    bool due = record->last || record->time_ns - digests->written_ns >= ENOUGH_NS;
    for (size_t i = 0; i < count && !due; i++)
        due = has_changed(&digests->entries[i]) && !digests->entries[i].plain;
    return due;
}

static void write_changed(struct watched *digests, size_t count, struct batch *batch)
{
    bool room = true; /* in the log */
    for (size_t i = 0; i < count; i++) {
        struct entry *entry = &digests->entries[i];
        if (!has_changed(entry) || !room)
            continue;
        room = (entry->id || write_key(entry, batch->record.server));
        if (room)
            add_value(batch, entry);
        if (batch->count == BATCH)
            room = write_batch(batch);
    }
    if (room && (batch->count || batch->record.last))
        write_batch(batch);
}

static void take_snapshot(struct watched *digests, int64_t now_ns, bool last)
{
    struct batch batch;
    if (digests->busy)
        return;
    batch.count = 0;
    batch.record =
        (struct cup_r_digest){.server = digests->server, .last = last, .time_ns = now_ns};
    digests->busy = true;
    ssize_t size = cup_py.PyDict_Size(digests->dict);
    make_room(digests, size > 0 ? (size_t)size : 0);
    size_t count = read_all(digests);
    if (is_due(digests, count, &batch.record)) {
        write_changed(digests, count, &batch);
        digests->written_ns = now_ns;
    }
    drop_from(digests, count);
    digests->busy = false;
}

/* ---- the end ----------------------------------------------------------------------------- */

static void take_last_snapshots(void)
{
    int64_t now_ns = cup_clock_realtime_ns();
    for (int i = 0; i < CUP_SERVERS; i++)
        if (watched[i].dict)
            take_snapshot(&watched[i], now_ns, true);
}

static cup_object *end_interpreter(cup_object *self, cup_object *none)
{
    (void)self, (void)none;
    int saved = cup_enter();
    if (cup_active() && cup_python_has_gil())
        take_last_snapshots();
    cup_leave(saved);
    return cup_python_nothing();
}

/* Once in a process and its forked children: they inherit atexit's list. */
static void register_end(void)
{
    static const struct cup_python_method method = {"cupping_last_metrics", end_interpreter,
                                                    CUP_METHOD_WITHOUT_ARGUMENTS, NULL};
    static bool registered;
    if (!registered)
        cup_python_at_exit(&method);
    registered = true;
}

/* os._exit() holds the GIL and leaves all objects in a valid state. Any other caller of _exit() may
 * be a signal handler that interrupted the interpreter in the middle of a change. */
void cup_digests_exit(const void *caller)
{
    if (!interpreter || cup_self.guard || !cup_active() ||
        cup_raw_getpid() != (int)cup_log_header()->pid)
        return;
    int saved = cup_enter();
    if (cup_python_has_gil() && cup_py.PyInterpreterState_Get() == interpreter &&
        cup_python_is_code(caller))
        take_last_snapshots();
    cup_leave(saved);
}

/* ---- ticks ------------------------------------------------------------------------------- */

static void note_no_dict(void)
{
    if (!no_dict_noted)
        cup_recording_drop_feature(CUP_FEATURE_DIGESTS, "Dask's fine metrics are not recorded",
                                   "a worker has no dict digests_total");
    no_dict_noted = true;
}

void cup_digests_tick(cup_object *worker, uint32_t id, int64_t now_ns)
{
    struct watched *digests = &watched[cup_server_slot(id)];
    if (!digests->dict) {
        cup_object *dict = cup_python_attribute(worker, "digests_total");
        if (!dict || cup_py.PyDict_Size(dict) < 0) { /* no dict: a Dask that we do not know */
            cup_py.PyErr_Clear();
            cup_python_drop(dict);
            note_no_dict();
            return;
        }
        digests->dict = dict;
        digests->server = id;
        interpreter = cup_py.PyInterpreterState_Get();
        register_end();
    }
    take_snapshot(digests, now_ns, false);
}

bool cup_digests_evict(uint32_t id)
{
    struct watched *digests = &watched[cup_server_slot(id)];
    if (digests->busy)
        return false;
    if (!digests->dict)
        return true;
    take_snapshot(digests, cup_clock_realtime_ns(), true);
    drop_from(digests, 0);
    cup_python_drop(digests->dict);
    digests->dict = NULL; /* its entries' memory serves the next worker */
    return true;
}

/* References are not given back: the child may not hold the GIL. */
void cup_digests_reset(void)
{
    memset(watched, 0, sizeof watched);
    keys = 0;
    interpreter = NULL;
    no_dict_noted = false;
}
