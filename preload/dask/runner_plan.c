#include "preload/dask/runner_plan.h"

#include "preload/coffea/work_item.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/python/python.h"
#include "preload/sys/id_table.h"

#include <string.h>

enum {
    MOST_ITEMS = 4096,          /* in one look: some ms */
    MOST_KNOWN_ITEMS = 1 << 20, /* those after them count as different from all others */
};

/* The items of the plan that is read, by their content. */
static struct cup_id_table known_items;

/* Coffea's class of work items; a reference is held. NULL: there is none. */
static cup_object *find_item_type(void)
{
    static cup_object *type;
    if (!type)
        type = cup_item_type("WorkItem");
    return type;
}

/* ---- the Runner's options ---------------------------------------------------------------- */

/* True for True and for a tuple that is not empty, which names exceptions. */
static bool is_on(cup_object *option)
{
    cup_object *type = option ? cup_python_type(option) : NULL;
    if (type && type == cup_py.tuple_type)
        return cup_py.PyTuple_Size(option) > 0;
    return type && strcmp(cup_python_type_name(type), "bool") == 0 &&
           cup_python_integer(option, 0) == 1;
}

static void read_options(struct cup_r_run *record, struct cup_frame body)
{
    CUP_OWNED cup_object *locals = NULL;
    CUP_OWNED cup_object *runner = cup_frames_local(body, "self", &locals);
    CUP_OWNED cup_object *most = cup_python_kept(runner, "maxchunks");
    CUP_OWNED cup_object *skips = cup_python_kept(runner, "skipbadfiles");
    int64_t chunks =
        most && cup_python_type(most) == cup_py.int_type ? cup_python_integer(most, 0) : 0;
    record->max_chunks = chunks > 0 && chunks < UINT32_MAX ? (uint32_t)chunks : 0;
    record->skips_bad_files = is_on(skips);
}

/* ---- the work items ---------------------------------------------------------------------- */

static struct cup_hash hash_attribute(struct cup_hash hash, cup_object *item, const char *name)
{
    char text[4096];
    CUP_OWNED cup_object *value = cup_python_attribute(item, name);
    return cup_hash_bytes(hash, text, value ? cup_python_text(value, text, sizeof text) : 0);
}

/* True if an equal item was seen before. */
static bool is_repeated(cup_object *item, int64_t start, int64_t stop)
{
    struct cup_hash hash = {(uint64_t)start, (uint64_t)stop};
    hash = hash_attribute(hash, item, "dataset");
    hash = hash_attribute(hash, item, "treename");
    hash = hash_attribute(hash, item, "filename");
    if (cup_id_find(&known_items, hash.key, hash.more))
        return true;
    if (cup_id_room(&known_items, 1, MOST_KNOWN_ITEMS))
        cup_id_add(&known_items, hash.key, hash.more, 1);
    return false;
}

/* Adds the events of one work item; false: it is none. */
static bool add_item(struct cup_r_run *record, cup_object *item)
{
    if (!item || cup_python_type(item) != find_item_type())
        return false;
    int64_t start = cup_python_integer_at(item, "entrystart", -1);
    int64_t stop = cup_python_integer_at(item, "entrystop", -1);
    if (start < 0 || stop < start)
        return false;
    record->events += (uint64_t)(stop - start);
    record->chunks_read++;
    if (is_repeated(item, start, stop)) {
        record->events_repeated += (uint64_t)(stop - start);
        record->chunks_repeated++;
    }
    return true;
}

static void read_items(struct cup_r_run *record, cup_object *chunks)
{
    ssize_t count = cup_py.PySequence_Size(chunks);
    if (record->plan == CUP_PLAN_NONE)
        record->chunks = (uint64_t)count;
    record->plan = CUP_PLAN_READING;
    for (int i = 0; i < MOST_ITEMS && record->chunks_read < record->chunks; i++)
        if (record->chunks != (uint64_t)count ||
            !add_item(record, cup_py.PyList_GetItem(chunks, (ssize_t)record->chunks_read))) {
            cup_py.PyErr_Clear();
            record->plan = CUP_PLAN_UNREADABLE;
            return;
        }
    if (record->chunks_read == record->chunks)
        record->plan = CUP_PLAN_KNOWN;
}

bool cup_runner_plan_read(struct cup_r_run *record, struct cup_frame body)
{
    if (record->plan == CUP_PLAN_KNOWN || record->plan == CUP_PLAN_UNREADABLE)
        return false;
    CUP_OWNED cup_object *locals = NULL;
    CUP_OWNED cup_object *chunks = cup_frames_local(body, "chunks", &locals);
    if (record->plan == CUP_PLAN_NONE) {
        read_options(record, body);
        cup_id_table_reset(&known_items);
    }
    if (chunks && cup_python_type(chunks) == cup_py.list_type)
        read_items(record, chunks);
    else
        record->plan = CUP_PLAN_UNREADABLE;
    return true;
}

/* ---- how the program ends ---------------------------------------------------------------- */

/* The interpreter keeps the type of an exception that nothing caught in sys.last_type. */
static void write_exception(void)
{
    CUP_OWNED cup_object *type = cup_python_attribute(cup_python_module("sys"), "last_type");
    CUP_OWNED cup_object *name = type ? cup_python_attribute(type, "__name__") : NULL;
    const char *text = cup_python_utf8(name, &(size_t){0});
    if (text)
        cup_log_info("uncaught_exception", text);
}

static cup_object *end_interpreter(cup_object *self, cup_object *none)
{
    (void)self, (void)none;
    int saved = cup_enter();
    if (cup_active() && cup_python_has_gil())
        write_exception();
    cup_leave(saved);
    return cup_python_nothing();
}

void cup_runner_plan_end(void)
{
    static const struct cup_python_method method = {"cupping_last_exception", end_interpreter,
                                                    CUP_METHOD_WITHOUT_ARGUMENTS, NULL};
    static bool registered;
    if (!registered)
        cup_python_at_exit(&method);
    registered = true;
}
