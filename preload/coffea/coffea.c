#include "preload/coffea/coffea.h"

#include "preload/attribution/context.h"
#include "preload/coffea/coffea_columns.h"
#include "preload/coffea/work_item.h"
#include "preload/lifecycle/recording.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/log/python_strings.h"
#include "preload/sys/clock.h"
#include "preload/task/task.h"

#include <stdio.h>
#include <string.h>

/* ---- work items -------------------------------------------------------------------------- */

static int64_t read_entry(cup_object *item, const char *name)
{
    return cup_python_integer_at(item, name, -1);
}

static void record_item(cup_object *item, enum cup_item_kind kind)
{
    bool work = kind == CUP_ITEM_WORK;
    struct cup_item_found found = {.kind = kind,
                                   .dataset = cup_log_python_attribute(item, "dataset"),
                                   .file = cup_log_python_attribute(item, "filename"),
                                   .tree = cup_log_python_attribute(item, "treename"),
                                   .entry_start = work ? read_entry(item, "entrystart") : -1,
                                   .entry_stop = work ? read_entry(item, "entrystop") : -1};
    cup_item_record(&found);
}

bool cup_coffea_is_item(cup_object *object, const char *type_name)
{
    bool work = strcmp(type_name, "WorkItem") == 0;
    if (!work && strcmp(type_name, "FileMeta") != 0)
        return false;
    record_item(object, work ? CUP_ITEM_WORK : CUP_ITEM_METADATA);
    return true;
}

/* ---- what Coffea reports of a chunk ------------------------------------------------------ */

/* object.NAME, or, if there is no such attribute, object.PROPERTY, whose getter may run Python
 * code. */
static cup_object *read_part(cup_object *object, const char *name, const char *property)
{
    cup_object *part = cup_python_attribute(object, name);
    return part ? part : cup_python_attribute(object, property);
}

/* The bytes that uproot requested so far: the count from which Coffea computes its bytesread.
 * Unknown for a file that is no uproot directory (Parquet). */
static uint64_t read_requested_bytes(cup_object *directory)
{
    cup_object *file = read_part(directory, "_file", "file");
    cup_object *source = file ? read_part(file, "_source", "source") : NULL;
    int64_t bytes = cup_python_integer_at(source, "_num_requested_bytes", -1);
    cup_python_drop(source);
    cup_python_drop(file);
    return bytes < 0 ? CUP_UNKNOWN64 : (uint64_t)bytes;
}

static uint64_t count_entries(cup_object *item)
{
    int64_t start = item ? read_entry(item, "entrystart") : -1;
    int64_t stop = item ? read_entry(item, "entrystop") : -1;
    return start < 0 || stop < start ? CUP_UNKNOWN64 : (uint64_t)(stop - start);
}

static void record_report(struct cup_frame frame, cup_object *item, cup_object **locals)
{
    cup_object *file = cup_frames_local(frame, "file", locals);
    cup_object *accessed = cup_frames_local(frame, "materialized", locals);
    uint64_t requested = read_requested_bytes(file), entries = count_entries(item);
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
        cup_log_python_version(modules[i]);
}

/* A chunk that is no Dask task gets the key "dataset:file:tree:start-stop". */
static size_t make_key(cup_object *item, char *key, size_t size)
{
    char parts[3][512];
    static const char *const names[] = {"dataset", "filename", "treename"};
    for (int i = 0; i < 3; i++) {
        cup_object *value = cup_python_attribute(item, names[i]);
        cup_python_text(value, parts[i], sizeof parts[i]);
        cup_python_drop(value);
    }
    int bytes = snprintf(key, size, "%s:%s:%s:%lld-%lld", parts[0], parts[1], parts[2],
                         (long long)read_entry(item, "entrystart"),
                         (long long)read_entry(item, "entrystop"));
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
    cup_context_enter(cup_task_begin(&info));
}

static void end_task(enum cup_task_status status, struct cup_moment now)
{
    cup_context_leave();
    cup_task_end(status, now, CUP_UNKNOWN64, 0);
}

void cup_coffea_left(int64_t now_ns)
{
    if (cup_self.task && cup_self.origin == CUP_ORIGIN_COFFEA)
        end_task(CUP_STATUS_ERRED, (struct cup_moment){now_ns, cup_clock_thread_cpu_ns()});
}

static void begin_process(cup_object *item, struct cup_moment now)
{
    if (cup_self.task &&
        cup_self.origin == CUP_ORIGIN_COFFEA) /* the last chunk raised an exception */
        end_task(CUP_STATUS_ERRED, now);
    if (!cup_self.task)
        open_task(item, now);
    if (!cup_work_item_known())
        record_item(item, CUP_ITEM_WORK);
    cup_task_tic(now);
}

static void end_process(struct cup_frame frame, cup_object *item, cup_object **locals,
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
    if (!cup_frames_is_in(top, "coffea/processor/executor.py") || !cup_recording_open())
        return;
    cup_object *locals = NULL;
    cup_object *item = cup_frames_local(top, "item", &locals);
    cup_object *before =
        cup_frames_local(top, "tic", &locals); /* bound after the first clock call */
    if (before)
        end_process(top, item, &locals, now);
    else if (item)
        begin_process(item, now);
    else
        cup_log_health(CUP_H_ANCHOR_ERRORS, 1);
    cup_coffea_note_versions();
    cup_python_drop(before);
    cup_python_drop(item);
    cup_python_drop(locals);
}
