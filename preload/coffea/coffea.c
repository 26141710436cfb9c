#include "preload/coffea/coffea.h"

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
    CUP_OWNED cup_object *file = read_part(directory, "_file", "file");
    CUP_OWNED cup_object *source = read_part(file, "_source", "source");
    int64_t bytes = cup_python_integer_at(source, "_num_requested_bytes", -1);
    return bytes < 0 ? CUP_UNKNOWN64 : (uint64_t)bytes;
}

static uint64_t count_entries(cup_object *item)
{
    int64_t start = cup_python_integer_at(item, "entrystart", -1);
    int64_t stop = cup_python_integer_at(item, "entrystop", -1);
    return start < 0 || stop < start ? CUP_UNKNOWN64 : (uint64_t)(stop - start);
}

static void record_report(struct cup_frame frame, cup_object *item, cup_object **locals)
{
    CUP_OWNED cup_object *file = cup_frames_local(frame, "file", locals);
    CUP_OWNED cup_object *accessed = cup_frames_local(frame, "materialized", locals);
    const struct cup_r_chunk_report record = {.task = cup_self.task,
                                              .columns = cup_columns_of(accessed),
                                              .requested_bytes = read_requested_bytes(file),
                                              .entries = count_entries(item)};
    cup_log_write(CUP_R_CHUNK_REPORT, &record, NULL, 0);
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
        CUP_OWNED cup_object *value = cup_python_attribute(item, names[i]);
        cup_python_text(value, parts[i], sizeof parts[i]);
    }
    int bytes = snprintf(key, size, "%s:%s:%s:%lld-%lld", parts[0], parts[1], parts[2],
                         (long long)cup_python_integer_at(item, "entrystart", -1),
                         (long long)cup_python_integer_at(item, "entrystop", -1));
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
    cup_task_begin(&info);
}

void cup_coffea_left(int64_t now_ns)
{
    if (cup_self.origin == CUP_ORIGIN_COFFEA)
        cup_task_end(CUP_STATUS_ERRED, (struct cup_moment){now_ns, cup_clock_thread_cpu_ns()},
                     CUP_UNKNOWN64, 0);
}

static void begin_process(cup_object *item, struct cup_moment now)
{
    if (cup_self.origin == CUP_ORIGIN_COFFEA) /* the last chunk raised an exception */
        cup_task_end(CUP_STATUS_ERRED, now, CUP_UNKNOWN64, 0);
    if (!cup_self.task)
        open_task(item, now);
    if (!cup_work_item_known())
        cup_item_is_coffea(item, "WorkItem");
    cup_task_tic(now);
}

static void end_process(struct cup_frame frame, cup_object *item, cup_object **locals,
                        struct cup_moment now)
{
    cup_task_toc(now);
    if (cup_self.task)
        record_report(frame, item, locals);
    if (cup_self.origin == CUP_ORIGIN_COFFEA)
        cup_task_end(CUP_STATUS_FINISHED, now, CUP_UNKNOWN64, 0);
}

void cup_coffea_clock(struct cup_frame top, struct cup_moment now)
{
    if (!cup_frames_is_in(top, "coffea/processor/executor.py") || !cup_recording_open())
        return;
    CUP_OWNED cup_object *locals = NULL;
    CUP_OWNED cup_object *item = cup_frames_local(top, "item", &locals);
    CUP_OWNED cup_object *before =
        cup_frames_local(top, "tic", &locals); /* bound after the first clock call */
    if (before)
        end_process(top, item, &locals, now);
    else if (item)
        begin_process(item, now);
    else
        cup_log_health(CUP_H_ANCHOR_ERRORS, 1);
    cup_coffea_note_versions();
}
