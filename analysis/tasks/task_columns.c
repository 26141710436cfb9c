#include "analysis/tasks/task_columns.h"

#include <string.h>

const char *cup_task_status_name(const struct cup_task *task)
{
    switch (task->status) {
    case CUP_STATUS_FINISHED:
        return "finished";
    case CUP_STATUS_ERRED:
        return "erred";
    default:
        return "unfinished";
    }
}

/* ---- who, where, when ------------------------------------------------------------------- */

static struct cup_value of_string(const struct cup_task_row *row, uint32_t string)
{
    return cup_text(cup_profile_text(row->profile, string));
}

static const struct cup_log_header *process_header(const struct cup_task_row *row)
{
    return &row->profile->processes[row->task->process].header;
}

static struct cup_value key(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return cup_text(row->key);
}

static struct cup_value prefix(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return of_string(row, row->profile->prefixes[row->task->prefix].name);
}

static struct cup_value span(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return of_string(row, row->task->span);
}

static struct cup_value worker(const struct cup_task_row *row, int argument)
{
    (void)argument;
    const struct cup_server *server = cup_task_server(row->profile, row->task);
    return server ? of_string(row, server->address) : cup_null();
}

static struct cup_value host(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return cup_string(process_header(row)->host);
}

static struct cup_value pid(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return cup_count(process_header(row)->pid);
}

static struct cup_value thread(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return cup_count(row->task->tid);
}

static struct cup_value status(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return cup_string(cup_task_status_name(row->task));
}

static struct cup_value attempt(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return row->attempt ? cup_count(row->attempt) : cup_null();
}

/* ---- time and memory -------------------------------------------------------------------- */

static struct cup_value start(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return cup_seconds(row->task->start_ns);
}

static struct cup_value stop(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return row->task->status ? cup_seconds(row->task->stop_ns) : cup_null();
}

static struct cup_value wall(const struct cup_task_row *row, int argument)
{
    (void)argument;
    uint64_t ns = cup_task_wall_ns(row->task);
    return ns == CUP_UNKNOWN64 ? cup_null() : cup_seconds((int64_t)ns);
}

static struct cup_value cpu(const struct cup_task_row *row, int argument)
{
    (void)argument;
    uint64_t ns = row->task->cpu_ns;
    return ns == CUP_UNKNOWN64 ? cup_null() : cup_seconds((int64_t)ns);
}

/* Wall time minus CPU time. It may be negative by microseconds, because the two clocks are not
 * read at the same time. */
static struct cup_value noncpu(const struct cup_task_row *row, int argument)
{
    (void)argument;
    uint64_t wall_ns = cup_task_wall_ns(row->task), cpu_ns = row->task->cpu_ns;
    if (wall_ns == CUP_UNKNOWN64 || cpu_ns == CUP_UNKNOWN64)
        return cup_null();
    return cup_seconds((int64_t)(wall_ns - cpu_ns));
}

static struct cup_value rss_start(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return cup_count_or_null(row->task->rss_start);
}

static struct cup_value rss_stop(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return cup_count_or_null(row->task->rss_stop);
}

static struct cup_value result_bytes(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return cup_count_or_null(row->task->result_bytes);
}

/* ---- counters --------------------------------------------------------------------------- */

static bool has_counter(const struct cup_task_row *row, int counter)
{
    return row->profile->counters &&
           cup_process_has(row->profile, row->task->process, cup_counter_needs(counter));
}

static uint64_t counter_of(const struct cup_task_row *row, int counter)
{
    return row->profile->counters[row->task - row->profile->tasks][counter];
}

struct cup_value cup_task_counter(const struct cup_task_row *row, int counter)
{
    return has_counter(row, counter) ? cup_count(counter_of(row, counter)) : cup_null();
}

static struct cup_value counter_seconds(const struct cup_task_row *row, int counter)
{
    return has_counter(row, counter) ? cup_seconds((int64_t)counter_of(row, counter)) : cup_null();
}

static struct cup_value read_bytes(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return has_counter(row, CUP_C_READ_OWN_BYTES) ? cup_count(row->task->read_bytes) : cup_null();
}

static struct cup_value child_read_bytes(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return cup_process_has(row->profile, row->task->process, CUP_FEATURE_FILES)
               ? cup_count(row->task->child_read_bytes)
               : cup_null();
}

/* ---- waits ------------------------------------------------------------------------------ */

/* A task without CPU time has no waits of its own: it shares its thread with others. A task that
 * never ended has its measured waits, but the rest of its time is not known. */
static struct cup_value own_wait(const struct cup_task_row *row, int part)
{
    const struct cup_task *task = row->task;
    size_t index = (size_t)(task - row->profile->tasks);
    const struct cup_measured_waits *own = &row->profile->own_waits[index];
    if (!cup_process_has(row->profile, task->process, cup_wait_parts[part].needs) ||
        task->origin == CUP_ORIGIN_ASYNC)
        return cup_null();
    if (task->status == 0)
        return part < CUP_WAITED_MEASURED ? cup_seconds((int64_t)own->ns[part]) : cup_null();
    if (task->cpu_ns == CUP_UNKNOWN64)
        return cup_null();
    uint64_t wall_ns = cup_task_wall_ns(task);
    const struct cup_wait_split split =
        cup_wait_split(wall_ns > task->cpu_ns ? wall_ns - task->cpu_ns : 0, own,
                       row->profile->counters[index][CUP_C_MAJOR_FAULTS]);
    return cup_seconds((int64_t)split.ns[part]);
}

/* Waits of the helper threads: those of all threads that worked for the task, minus those of its
 * own thread. The time of helpers outside of waits is not known, so FAULT and OTHER are null. */
static struct cup_value helper_wait(const struct cup_task_row *row, int part)
{
    size_t index = (size_t)(row->task - row->profile->tasks);
    if (part >= CUP_WAITED_MEASURED ||
        !cup_process_has(row->profile, row->task->process, cup_wait_parts[part].needs))
        return cup_null();
    return cup_seconds((int64_t)(row->profile->counters[index][CUP_C_IO_WAIT_NS + part] -
                                 row->profile->own_waits[index].ns[part]));
}

/* ---- the work item ---------------------------------------------------------------------- */

static const struct cup_item *item_of(const struct cup_task_row *row)
{
    return cup_task_item(row->profile, row->task);
}

static struct cup_value dataset(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return item_of(row) ? of_string(row, item_of(row)->dataset) : cup_null();
}

static struct cup_value file(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return item_of(row) ? of_string(row, item_of(row)->file) : cup_null();
}

static struct cup_value tree(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return item_of(row) ? of_string(row, item_of(row)->tree) : cup_null();
}

static struct cup_value entry_start(const struct cup_task_row *row, int argument)
{
    (void)argument;
    const struct cup_item *item = item_of(row);
    return item && item->entry_start >= 0 ? cup_signed(item->entry_start) : cup_null();
}

static struct cup_value entry_stop(const struct cup_task_row *row, int argument)
{
    (void)argument;
    const struct cup_item *item = item_of(row);
    return item && item->entry_stop >= 0 ? cup_signed(item->entry_stop) : cup_null();
}

static struct cup_value events(const struct cup_task_row *row, int argument)
{
    (void)argument;
    const struct cup_item *item = item_of(row);
    uint64_t count = item ? cup_item_events(item) : CUP_UNKNOWN64;
    return cup_count_or_null(count);
}

/* ---- what it read of ROOT files ----------------------------------------------------------- */

enum { COMPRESSED, UNCOMPRESSED, BASKETS, BRANCHES, INCIDENTAL };

static struct cup_value baskets(const struct cup_task_row *row, int which)
{
    const struct cup_profile *profile = row->profile;
    if (!profile->baskets || !cup_process_has(profile, row->task->process, CUP_FEATURE_BASKETS))
        return cup_null();
    const struct cup_task_baskets *read = &profile->baskets[row->task - profile->tasks];
    bool seen = read->compressed == 0 || read->compressed > read->unseen_compressed;
    const uint64_t values[] = {read->compressed, seen ? read->uncompressed : CUP_UNKNOWN64,
                               read->baskets, read->branches, read->incidental_bytes};
    return cup_count_or_null(values[which]);
}

/* ---- the table -------------------------------------------------------------------------- */

#define COUNTER(name, id)                                                                          \
    {                                                                                              \
        name, cup_task_counter, CUP_C_##id                                                         \
    }
#define SECONDS(name, id)                                                                          \
    {                                                                                              \
        name, counter_seconds, CUP_C_##id                                                          \
    }

/* clang-format off */
const struct cup_task_column cup_task_columns[] = {
    {"key", key, 0}, {"prefix", prefix, 0}, {"span", span, 0}, {"worker", worker, 0},
    {"host", host, 0}, {"pid", pid, 0}, {"thread", thread, 0}, {"status", status, 0},
    {"start", start, 0}, {"stop", stop, 0},
    {"wall_s", wall, 0}, {"cpu_s", cpu, 0}, SECONDS("helper_cpu_s", HELPER_CPU_NS),
    {"noncpu_s", noncpu, 0},

    {"read_bytes", read_bytes, 0},
    COUNTER("read_calls", READ_CALLS), SECONDS("read_s", READ_NS),
    COUNTER("write_bytes", WRITE_BYTES), COUNTER("write_calls", WRITE_CALLS),
    SECONDS("write_s", WRITE_NS),
    COUNTER("recv_bytes", RECV_BYTES), COUNTER("send_bytes", SEND_BYTES), SECONDS("net_s", NET_NS),
    COUNTER("mapped_bytes", MAPPED_BYTES),
    COUNTER("open_calls", OPEN_CALLS),

    COUNTER("read_own_bytes", READ_OWN_BYTES), COUNTER("read_context_bytes", READ_CONTEXT_BYTES),
    COUNTER("read_descriptor_bytes", READ_DESCRIPTOR_BYTES),
    COUNTER("read_handoff_bytes", READ_HANDOFF_BYTES),
    COUNTER("read_inherited_bytes", READ_INHERITED_BYTES),
    COUNTER("read_sole_bytes", READ_SOLE_BYTES),

    COUNTER("alloc_bytes", ALLOC_BYTES), COUNTER("alloc_calls", ALLOC_CALLS),
    COUNTER("freed_bytes", FREED_BYTES), COUNTER("peak_live_bytes", PEAK_LIVE_BYTES),
    {"rss_start_bytes", rss_start, 0}, {"rss_stop_bytes", rss_stop, 0},

#define X(id, name, label, text, needs, source) {name, own_wait, CUP_WAITED_##id},
    CUP_WAITS(X)
#undef X

    {"dataset", dataset, 0}, {"file", file, 0}, {"tree", tree, 0},
    {"entry_start", entry_start, 0}, {"entry_stop", entry_stop, 0}, {"events", events, 0},

    {"child_read_bytes", child_read_bytes, 0}, COUNTER("import_bytes", IMPORT_BYTES),
    COUNTER("pipe_bytes", PIPE_BYTES), COUNTER("read_none_bytes", READ_NONE_BYTES),
    {"result_bytes", result_bytes, 0}, {"attempt", attempt, 0},
    {"bytes_read_compressed", baskets, COMPRESSED},
    {"bytes_read_uncompressed", baskets, UNCOMPRESSED},
    {"baskets_read", baskets, BASKETS}, {"branches_read", baskets, BRANCHES},
    {"incidental_bytes", baskets, INCIDENTAL},
#define X(id, name, label, text, needs, source) {"helper_" name, helper_wait, CUP_WAITED_##id},
    CUP_WAITS(X)
#undef X
    SECONDS("file_open_s", OPEN_NS), COUNTER("failed_opens", FAILED_OPENS),
};
/* clang-format on */
const size_t cup_task_column_count = sizeof cup_task_columns / sizeof *cup_task_columns;

struct cup_value cup_task_value(const struct cup_task_row *row, const char *name)
{
    for (size_t i = 0; i < cup_task_column_count; i++)
        if (strcmp(cup_task_columns[i].name, name) == 0)
            return cup_task_columns[i].get(row, cup_task_columns[i].argument);
    return cup_null();
}
