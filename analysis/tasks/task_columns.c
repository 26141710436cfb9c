#include "analysis/tasks/task_columns.h"

#include <stdlib.h>
#include <string.h>

const char *cup_task_status_name(const struct cup_profile *profile, const struct cup_task *task)
{
    switch (task->status) {
    case CUP_STATUS_FINISHED:
        return "finished";
    case CUP_STATUS_ERRED:
        return "erred";
    case CUP_STATUS_UNKNOWN:
        return "unknown";
    default:
        return cup_task_runs(profile, task)         ? "running"
               : cup_task_was_killed(profile, task) ? "unfinished"
                                                    : "unknown";
    }
}

/* ---- who, where, when ------------------------------------------------------------------- */

static struct cup_value of_string(const struct cup_task_row *row, uint32_t string)
{
    return cup_text(cup_profile_text(row->profile, string));
}

enum { KEY, PREFIX, SPAN, WORKER, HOST, PID, THREAD, STATUS, ATTEMPT };

static struct cup_value identity(const struct cup_task_row *row, int which)
{
    const struct cup_task *task = row->task;
    const struct cup_log_header *header =
        &row->profile->processes[cup_task_process(row->profile, task)].header;
    const struct cup_server *server = cup_task_server(row->profile, task);
    switch (which) {
    case KEY:
        return cup_text(row->key);
    case PREFIX:
        return of_string(row, row->profile->prefixes[cup_task_prefix(row->profile, task)].name);
    case SPAN:
        return of_string(row, cup_scope_of(row->profile, task)->span);
    case WORKER:
        return of_string(
            row, server
                     ? server->address
                     : row->profile->processes[cup_task_process(row->profile, task)].parsl_worker);
    case HOST:
        return cup_string(header->host);
    case PID:
        return cup_count(header->pid);
    case THREAD:
        return cup_count(task->tid);
    case STATUS:
        return cup_string(cup_task_status_name(row->profile, task));
    default:
        return row->attempt ? cup_count(row->attempt) : cup_null();
    }
}

/* ---- time and memory -------------------------------------------------------------------- */

static struct cup_value seconds_or_null(uint64_t ns)
{
    return ns == CUP_UNKNOWN64 ? cup_null() : cup_seconds((int64_t)ns);
}

enum { START, STOP, WALL, CPU, NONCPU };

/* NONCPU, wall time minus CPU time, may be negative by microseconds, because the two clocks are not
 * read at the same time. */
static struct cup_value seconds(const struct cup_task_row *row, int which)
{
    const struct cup_task *task = row->task;
    uint64_t wall_ns = cup_task_wall_ns(task), cpu_ns = task->cpu_ns;
    bool both = wall_ns != CUP_UNKNOWN64 && cpu_ns != CUP_UNKNOWN64;
    switch (which) {
    case START:
        return cup_epoch(task->start_ns);
    case STOP:
        return task->status ? cup_epoch(task->stop_ns) : cup_null();
    case WALL:
        return seconds_or_null(wall_ns);
    case CPU:
        return seconds_or_null(cpu_ns);
    default:
        return both ? cup_seconds((int64_t)(wall_ns - cpu_ns)) : cup_null();
    }
}

enum { RSS_START, RSS_STOP, RESULT };

static struct cup_value memory(const struct cup_task_row *row, int which)
{
    const uint64_t values[] = {cup_rss_bytes(row->task->rss_start),
                               cup_rss_bytes(row->task->rss_stop), row->task->result_bytes};
    return cup_count_or_null(values[which]);
}

/* ---- counters --------------------------------------------------------------------------- */

static bool has_counter(const struct cup_task_row *row, int counter)
{
    return row->profile->counters &&
           cup_process_has(row->profile, cup_task_process(row->profile, row->task),
                           cup_counter_needs(counter));
}

static uint64_t counter_of(const struct cup_task_row *row, int counter)
{
    return row->profile->counters[row->task - row->profile->tasks][counter];
}

static struct cup_value counter_count(const struct cup_task_row *row, int counter)
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

/* Not known of a task that did not end. */
static struct cup_value unattributed_bytes(const struct cup_task_row *row, int argument)
{
    (void)argument;
    uint64_t needs = CUP_FEATURE_FILES | CUP_FEATURE_UNATTRIBUTED;
    bool known = row->task->status &&
                 cup_process_has(row->profile, cup_task_process(row->profile, row->task), needs);
    return known ? cup_count(cup_rare_of(row->profile, row->task)->unattributed_bytes) : cup_null();
}

static struct cup_value unattributed_because(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return cup_rare_of(row->profile, row->task)->unattributed_bytes
               ? cup_string(cup_unattributed_text(row->profile, row->task))
               : cup_null();
}

static struct cup_value child_read_bytes(const struct cup_task_row *row, int argument)
{
    (void)argument;
    return cup_process_has(row->profile, cup_task_process(row->profile, row->task),
                           CUP_FEATURE_FILES)
               ? cup_count(cup_rare_of(row->profile, row->task)->child_read_bytes)
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
    if (!cup_process_has(row->profile, cup_task_process(row->profile, task),
                         cup_wait_parts[part].needs) ||
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
        !cup_process_has(row->profile, cup_task_process(row->profile, row->task),
                         cup_wait_parts[part].needs))
        return cup_null();
    return cup_seconds((int64_t)(row->profile->counters[index][CUP_C_IO_WAIT_NS + part] -
                                 row->profile->own_waits[index].ns[part]));
}

/* ---- the work item ---------------------------------------------------------------------- */

enum { DATASET, PATH, TREE, ENTRY_START, ENTRY_STOP, EVENTS };

static struct cup_value work_item(const struct cup_task_row *row, int which)
{
    static const struct cup_item none = {.entry_start = -1, .entry_stop = -1};
    const struct cup_item *held = cup_task_item(row->profile, row->task);
    const struct cup_item *item = held ? held : &none;
    switch (which) {
    case DATASET:
        return of_string(row, cup_source_of(row->profile, item)->dataset);
    case PATH:
        return of_string(row, item->file);
    case TREE:
        return of_string(row, cup_source_of(row->profile, item)->tree);
    case ENTRY_START:
        return item->entry_start >= 0 ? cup_signed(item->entry_start) : cup_null();
    case ENTRY_STOP:
        return item->entry_stop >= 0 ? cup_signed(item->entry_stop) : cup_null();
    default:
        return cup_count_or_null(cup_item_events(item));
    }
}

/* ---- what it read of ROOT files ----------------------------------------------------------- */

enum { COMPRESSED, UNCOMPRESSED, BASKETS, BRANCHES, INCIDENTAL };

static struct cup_value baskets(const struct cup_task_row *row, int which)
{
    const struct cup_profile *profile = row->profile;
    if (!profile->baskets ||
        !cup_process_has(profile, cup_task_process(profile, row->task), CUP_FEATURE_BASKETS))
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
        name, counter_count, CUP_C_##id                                                            \
    }
#define SECONDS(name, id)                                                                          \
    {                                                                                              \
        name, counter_seconds, CUP_C_##id                                                          \
    }

/* clang-format off */
const struct cup_task_column cup_task_columns[] = {
    {"key", identity, KEY}, {"prefix", identity, PREFIX}, {"span", identity, SPAN},
    {"worker", identity, WORKER}, {"host", identity, HOST}, {"pid", identity, PID},
    {"thread", identity, THREAD}, {"status", identity, STATUS},
    {"start", seconds, START}, {"stop", seconds, STOP}, {"wall_s", seconds, WALL},
    {"cpu_s", seconds, CPU}, SECONDS("helper_cpu_s", HELPER_CPU_NS),
    {"noncpu_s", seconds, NONCPU},

    {"read_bytes", read_bytes, 0},
    COUNTER("read_calls", READ_CALLS), SECONDS("read_s", READ_NS),
    COUNTER("write_bytes", WRITE_BYTES), COUNTER("write_calls", WRITE_CALLS),
    SECONDS("write_s", WRITE_NS),
    COUNTER("server_read_bytes", SERVER_READ_BYTES),
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
    {"rss_start_bytes", memory, RSS_START}, {"rss_stop_bytes", memory, RSS_STOP},

#define X(id, name, label, text, needs, source) {name, own_wait, CUP_WAITED_##id},
    CUP_WAITS(X)
#undef X

    {"dataset", work_item, DATASET}, {"file", work_item, PATH}, {"tree", work_item, TREE},
    {"entry_start", work_item, ENTRY_START}, {"entry_stop", work_item, ENTRY_STOP}, {"events", work_item, EVENTS},

    {"child_read_bytes", child_read_bytes, 0}, COUNTER("import_bytes", IMPORT_BYTES),
    COUNTER("pipe_bytes", PIPE_BYTES), COUNTER("read_none_bytes", READ_NONE_BYTES),
    {"result_bytes", memory, RESULT}, {"attempt", identity, ATTEMPT},
    {"bytes_read_compressed", baskets, COMPRESSED},
    {"bytes_read_uncompressed", baskets, UNCOMPRESSED},
    {"baskets_read", baskets, BASKETS}, {"branches_read", baskets, BRANCHES},
    {"incidental_bytes", baskets, INCIDENTAL},
#define X(id, name, label, text, needs, source) {"helper_" name, helper_wait, CUP_WAITED_##id},
    CUP_WAITS(X)
#undef X
    SECONDS("file_open_s", OPEN_NS), COUNTER("failed_opens", FAILED_OPENS),
    {"unattributed_bytes", unattributed_bytes, 0},
    {"unattributed_because", unattributed_because, 0},
};
/* clang-format on */
const size_t cup_task_column_count = sizeof cup_task_columns / sizeof *cup_task_columns;

/* Begins behind the column found last: a table asks for its columns of each row in the same order,
 * most of which is the order here. */
static const struct cup_task_column *find_column(const char *name)
{
    static _Thread_local size_t last;
    for (size_t i = 1; i <= cup_task_column_count; i++) {
        size_t at = (last + i) % cup_task_column_count;
        if (strcmp(cup_task_columns[at].name, name) == 0) {
            last = at;
            return &cup_task_columns[at];
        }
    }
    return NULL;
}

struct cup_value cup_task_value(const struct cup_task_row *row, const char *name)
{
    const struct cup_task_column *column = find_column(name);
    return column ? column->get(row, column->argument) : cup_null();
}

/* ---- attempts --------------------------------------------------------------------------- */

/* A task as an attempt at its key. */
struct attempt {
    uint64_t key_hash;
    int64_t start_ns;
    uint32_t task;
};

static int by_key_and_start(const void *left, const void *right)
{
    const struct attempt *a = left, *b = right;
    if (a->key_hash != b->key_hash)
        return a->key_hash < b->key_hash ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return a->task < b->task ? -1 : a->task > b->task;
}

/* Marks the keys that several tasks have: the value of their hash becomes 2 or more. Returns 0, or
 * -1 without memory. */
enum { AHEAD = 8 };
static int count_keys(const struct cup_profile *profile, struct cup_hash_map *counts)
{
    if (cup_hash_map_reserve(counts, profile->task_count) != 0)
        return -1;
    for (size_t i = 0; i < profile->task_count; i++) {
        if (i + AHEAD < profile->task_count)
            cup_hash_map_prefetch(counts, profile->tasks[i + AHEAD].key_hash);
        ++*cup_hash_map_put(counts, profile->tasks[i].key_hash);
    }
    return 0;
}

static void number_attempts(const struct cup_profile *profile, const struct cup_hash_map *counts,
                            struct attempt *sorted, uint32_t *attempts)
{
    bool differ = counts->count == profile->task_count;
    size_t count = 0;
    for (size_t i = 0; i < profile->task_count; i++) {
        const struct cup_task *task = &profile->tasks[i];
        attempts[i] = 1;
        if (!differ && *cup_hash_map_find(counts, task->key_hash) > 1)
            sorted[count++] = (struct attempt){task->key_hash, task->start_ns, (uint32_t)i};
    }
    qsort(sorted, count, sizeof *sorted, by_key_and_start);
    for (size_t i = 1; i < count; i++)
        if (sorted[i - 1].key_hash == sorted[i].key_hash)
            attempts[sorted[i].task] = attempts[sorted[i - 1].task] + 1;
}

/* Few keys have several attempts: only these are sorted. */
uint32_t *cup_task_attempts(const struct cup_profile *profile)
{
    uint32_t *attempts = calloc(profile->task_count + 1, sizeof *attempts);
    struct attempt *sorted = calloc(profile->task_count + 1, sizeof *sorted);
    struct cup_hash_map counts = {0};
    if (attempts && sorted && count_keys(profile, &counts) == 0) {
        number_attempts(profile, &counts, sorted, attempts);
    } else {
        free(attempts);
        attempts = NULL;
    }
    cup_hash_map_clear(&counts);
    free(sorted);
    return attempts;
}
