#include "preload/coffea.h"

#include "preload/clock.h"
#include "preload/columns.h"
#include "preload/context.h"
#include "preload/log.h"
#include "preload/process.h"
#include "preload/task.h"
#include "preload/thread.h"

#include <stdio.h>
#include <string.h>

/* ---- work items -------------------------------------------------------------------------- */

static int64_t entry_of(cup_object *item, const char *name)
{
    return cup_python_integer_at(item, name, -1);
}

static void record_item(cup_object *item, enum cup_item_kind kind)
{
    cup_self.item_known = true;
    uint32_t dataset = cup_python_string_at(item, "dataset"),
             file = cup_python_string_at(item, "filename");
    uint32_t tree = cup_python_string_at(item, "treename");
    int64_t start = kind == CUP_ITEM_WORK ? entry_of(item, "entrystart") : -1;
    int64_t stop = kind == CUP_ITEM_WORK ? entry_of(item, "entrystop") : -1;
    struct cup_r_item *record = cup_log_reserve(sizeof *record, 0);
    if (!record)
        return;
    record->task = cup_self.task;
    record->kind = kind;
    record->dataset = dataset;
    record->file = file;
    record->tree = tree;
    record->entry_start = start;
    record->entry_stop = stop;
    cup_log_commit(record, CUP_R_ITEM);
}

/* A type's C name stands behind its size word, in every version of the layout so far. */
static const char *type_name(cup_object *object)
{
    return ((const char *const *)cup_python_type(object))[3];
}

enum { MOST_OBJECTS = 64, DEEPEST = 4, MOST_ELEMENTS = 16 };

static bool search(int *left, cup_object *object, int depth);

static bool search_elements(int *left, cup_object *sequence, int depth)
{
    ssize_t size = cup_py.PySequence_Size(sequence);
    bool found = false;
    for (ssize_t i = 0; i < size && i < MOST_ELEMENTS && !found; i++) {
        cup_object *element = cup_py.PySequence_GetItem(sequence, i);
        if (!element) {
            cup_py.PyErr_Clear();
            break;
        }
        found = search(left, element, depth);
        cup_python_drop(element);
    }
    return found;
}

static bool search_attribute(int *left, cup_object *object, const char *name, int depth)
{
    cup_object *value = cup_python_attribute(object, name);
    bool found = value && search(left, value, depth);
    cup_python_drop(value);
    return found;
}

/* Dask's graph nodes hold their arguments in `args` (Task, List, Dict, ...) or `value`. */
static bool search_node(int *left, cup_object *object, const char *name, int depth)
{
    static const char *const with_arguments[] = {"Task", "List", "Tuple", "Dict", "Set"};
    for (size_t i = 0; i < sizeof with_arguments / sizeof *with_arguments; i++)
        if (strcmp(name, with_arguments[i]) == 0)
            return search_attribute(left, object, "args", depth);
    return strcmp(name, "DataNode") == 0 && search_attribute(left, object, "value", depth);
}

static bool search(int *left, cup_object *object, int depth)
{
    if (depth > DEEPEST || (*left)-- <= 0)
        return false;
    cup_object *type = cup_python_type(object);
    if (type == cup_py.tuple_type || type == cup_py.list_type)
        return search_elements(left, object, depth + 1);
    const char *name = type_name(object);
    bool work = strcmp(name, "WorkItem") == 0;
    if (work || strcmp(name, "FileMeta") == 0) {
        record_item(object, work ? CUP_ITEM_WORK : CUP_ITEM_METADATA);
        return true;
    }
    return search_node(left, object, name, depth + 1);
}

void cup_coffea_find_item(cup_object *arguments)
{
    int left = MOST_OBJECTS; /* objects that may still be looked at */
    if (arguments)
        search(&left, arguments, 0);
}

/* ---- what Coffea reports of a chunk ------------------------------------------------------ */

/* object.name, or, where it has none, object.property, whose getter may be Python code. */
static cup_object *part_of(cup_object *object, const char *name, const char *property)
{
    cup_object *part = cup_python_attribute(object, name);
    return part ? part : cup_python_attribute(object, property);
}

/* What uproot asked for so far, by the count that Coffea takes its own from. A file that is no
 * uproot directory (Parquet) has none. */
static uint64_t requested_bytes(cup_object *directory)
{
    cup_object *file = part_of(directory, "_file", "file");
    cup_object *source = file ? part_of(file, "_source", "source") : NULL;
    int64_t bytes = cup_python_integer_at(source, "_num_requested_bytes", -1);
    cup_python_drop(source);
    cup_python_drop(file);
    return bytes < 0 ? CUP_UNKNOWN64 : (uint64_t)bytes;
}

static uint64_t entries_of(cup_object *item)
{
    int64_t start = item ? entry_of(item, "entrystart") : -1;
    int64_t stop = item ? entry_of(item, "entrystop") : -1;
    return start < 0 || stop < start ? CUP_UNKNOWN64 : (uint64_t)(stop - start);
}

static void record_report(struct cup_frame frame, cup_object *item, cup_object **locals)
{
    cup_object *file = cup_frames_local(frame, "file", locals);
    cup_object *accessed = cup_frames_local(frame, "materialized", locals);
    uint64_t requested = requested_bytes(file), entries = entries_of(item);
    uint32_t columns = cup_columns_of(accessed);
    cup_python_drop(accessed);
    cup_python_drop(file);
    struct cup_r_chunk_report *record = cup_log_reserve(sizeof *record, 0);
    if (!record)
        return;
    record->task = cup_self.task;
    record->columns = columns;
    record->requested_bytes = requested;
    record->entries = entries;
    cup_log_commit(record, CUP_R_CHUNK_REPORT);
}

/* ---- the clock around process() ---------------------------------------------------------- */

void cup_coffea_note_versions(void)
{
    static const char *const modules[] = {"coffea", "uproot", "awkward", "numpy"};
    static uint32_t noted_for; /* process whose log has them */
    uint32_t pid = cup_log_header()->pid;
    if (noted_for == pid)
        return;
    noted_for = pid;
    for (size_t i = 0; i < sizeof modules / sizeof *modules; i++)
        cup_python_note_version(modules[i]);
}

/* dataset:file:tree:start-stop, unlike any key of Dask's. */
static size_t make_key(cup_object *item, char *key, size_t size)
{
    char parts[3][512];
    static const char *const names[] = {"dataset", "filename", "treename"};
    for (int i = 0; i < 3; i++) {
        cup_object *value = cup_python_attribute(item, names[i]);
        cup_python_text(value, parts[i], sizeof parts[i]);
        cup_python_drop(value);
    }
    int bytes =
        snprintf(key, size, "%s:%s:%s:%lld-%lld", parts[0], parts[1], parts[2],
                 (long long)entry_of(item, "entrystart"), (long long)entry_of(item, "entrystop"));
    return bytes < 0 ? 0 : (size_t)bytes < size ? (size_t)bytes : size - 1;
}

static void open_task(cup_object *item, struct cup_moment now)
{
    char key[2048];
    struct cup_task_info info = {.key = key,
                                 .key_bytes = make_key(item, key, sizeof key),
                                 .prefix = cup_log_cstring("process"),
                                 .origin = CUP_ORIGIN_COFFEA,
                                 .run_id = -1,
                                 .start = now};
    cup_self.token = cup_context_set(cup_task_begin(&info));
}

static void end_task(enum cup_task_status status, struct cup_moment now)
{
    cup_context_reset(cup_self.token);
    cup_self.token = NULL;
    cup_task_end(status, now, CUP_UNKNOWN64, 0);
}

void cup_coffea_left(int64_t now_ns)
{
    if (cup_self.task && cup_self.origin == CUP_ORIGIN_COFFEA)
        end_task(CUP_STATUS_ERRED, (struct cup_moment){now_ns, cup_clock_thread_cpu_ns()});
}

static void tic(cup_object *item, struct cup_moment now)
{
    if (cup_self.task && cup_self.origin == CUP_ORIGIN_COFFEA) /* the last one raised */
        end_task(CUP_STATUS_ERRED, now);
    if (!cup_self.task)
        open_task(item, now);
    if (!cup_self.item_known)
        record_item(item, CUP_ITEM_WORK);
    cup_task_tic(now);
}

static void toc(struct cup_frame frame, cup_object *item, cup_object **locals,
                struct cup_moment now)
{
    cup_task_toc(now);
    if (cup_self.task)
        record_report(frame, item, locals);
    if (cup_self.origin == CUP_ORIGIN_COFFEA)
        end_task(CUP_STATUS_FINISHED, now);
}

void cup_coffea_clock(struct cup_frame top, struct cup_moment now)
{
    if (!cup_frames_is_in(top, "coffea/processor/executor.py") || !cup_process_log())
        return;
    cup_object *locals = NULL;
    cup_object *item = cup_frames_local(top, "item", &locals);
    cup_object *before = cup_frames_local(top, "tic", &locals); /* bound once tic was read */
    if (before)
        toc(top, item, &locals, now);
    else if (item)
        tic(item, now);
    else
        cup_log_health(CUP_H_ANCHOR_ERRORS, 1);
    cup_coffea_note_versions();
    cup_python_drop(before);
    cup_python_drop(item);
    cup_python_drop(locals);
}
