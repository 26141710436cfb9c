#include "analysis/metrics.h"

#include <stdlib.h>
#include <string.h>

typedef const struct cup_totals *T;

static struct cup_value ns_or_null(int64_t ns)
{
    return ns < 0 ? cup_null() : cup_seconds(ns);
}

static struct cup_value of_ns(uint64_t ns)
{
    return cup_seconds((int64_t)ns);
}

/* A sum over chunks: with none of them there is nothing to tell. */
static struct cup_value of_chunks(T t, struct cup_value value)
{
    return t->used_chunks ? value : cup_null();
}

/* ---- workflow: when and how long -------------------------------------------------------- */

static double wall_s(T t)
{
    int64_t ns = cup_stretch_ns(t->run);
    return ns < 0 ? 0 : (double)ns / 1e9;
}

static struct cup_value t_start(T t)
{
    return t->run.start_ns ? cup_time(t->run.start_ns) : cup_null();
}

static struct cup_value t_stop(T t)
{
    return t->run.stop_ns ? cup_time(t->run.stop_ns) : cup_null();
}

static struct cup_value wall_time(T t)
{
    return ns_or_null(cup_stretch_ns(t->run));
}

/* Before the first task, and between metadata and chunks. */
static struct cup_value graph_s(T t)
{
    int64_t ns = t->tasks.start_ns - t->run.start_ns;
    if (t->metadata.stop_ns && t->chunks.start_ns > t->metadata.stop_ns)
        ns += t->chunks.start_ns - t->metadata.stop_ns;
    return cup_run_call(t) ? cup_seconds(ns) : cup_null();
}

static struct cup_value preprocess_s(T t)
{
    return ns_or_null(cup_stretch_ns(t->metadata));
}

static struct cup_value process_s(T t)
{
    return ns_or_null(cup_stretch_ns(t->chunks));
}

static struct cup_value tail_s(T t)
{
    return ns_or_null(t->tail_ns);
}

static struct cup_value merge_s(T t)
{
    const struct cup_run *call = cup_run_call(t);
    int64_t end_ns = t->tasks.stop_ns;
    if (call && call->stop_ns > end_ns)
        end_ns = call->stop_ns;
    return t->chunks.stop_ns ? ns_or_null(end_ns - t->chunks.stop_ns) : cup_null();
}

/* ---- workflow: sums --------------------------------------------------------------------- */

static struct cup_value total_cpu_time(T t)
{
    return t->timed_chunks ? of_ns(t->process_ns) : cup_null();
}

static bool ended_with_cpu(T t)
{
    return cup_sums_have_cpu(&t->all);
}

/* Of the tasks' own threads and of those that helped them. */
static uint64_t all_cpu_ns(T t)
{
    return t->all.cpu_ns + t->counters[CUP_C_HELPER_CPU_NS];
}

static struct cup_value total_thread_cpu_time(T t)
{
    return ended_with_cpu(t) ? of_ns(all_cpu_ns(t)) : cup_null();
}

static struct cup_value total_helper_cpu_time(T t)
{
    return of_ns(t->counters[CUP_C_HELPER_CPU_NS]);
}

static struct cup_value total_task_time(T t)
{
    return of_ns(t->all.wall_ns);
}

static struct cup_value num_chunks(T t)
{
    return cup_count(t->used_chunks);
}

static struct cup_value num_failed_chunks(T t)
{
    return cup_count(t->failed_chunks);
}

static struct cup_value num_retried_chunks(T t)
{
    return cup_count(t->retried_chunks);
}

static struct cup_value avg_cpu_time_per_chunk(T t)
{
    return cup_ratio((double)t->process_ns / 1e9, (double)t->timed_chunks);
}

static bool events_known(T t)
{
    return t->used_chunks > t->chunks_without_events;
}

static struct cup_value total_events(T t)
{
    return events_known(t) ? cup_count(t->events) : cup_null();
}

/* ---- bytes ------------------------------------------------------------------------------ */

/* Data files, mapped files, sockets: each byte is one of them. */
static uint64_t attributed_bytes(T t)
{
    uint64_t sum = t->counters[CUP_C_MAPPED_BYTES] + t->counters[CUP_C_RECV_BYTES];
    for (int way = 0; way < CUP_WAY_NONE; way++)
        sum += cup_way_bytes(t, way);
    return sum;
}

static uint64_t all_bytes(T t)
{
    return attributed_bytes(t) + cup_way_bytes(t, CUP_WAY_NONE) +
           t->without_task[CUP_C_MAPPED_BYTES] + t->without_task[CUP_C_RECV_BYTES];
}

static struct cup_value total_bytes_read(T t)
{
    return cup_count(attributed_bytes(t));
}

static struct cup_value gbps(double bytes, double seconds)
{
    return cup_ratio(bytes * 8 / 1e9, seconds);
}

static double chunks_s(T t)
{
    int64_t ns = cup_stretch_ns(t->chunks);
    return ns < 0 ? 0 : (double)ns / 1e9;
}

static struct cup_value delivered_rate_gbps(T t)
{
    return gbps((double)attributed_bytes(t), wall_s(t));
}

static struct cup_value delivered_rate_process_gbps(T t)
{
    return gbps((double)attributed_bytes(t), chunks_s(t));
}

static struct cup_value file_rate_gbps(T t)
{
    return t->chunk_file_size ? gbps((double)t->chunk_file_size, wall_s(t)) : cup_null();
}

static struct cup_value file_rate_process_gbps(T t)
{
    return t->chunk_file_size ? gbps((double)t->chunk_file_size, chunks_s(t)) : cup_null();
}

static struct cup_value delivered_rate_mbs(T t)
{
    return cup_ratio((double)attributed_bytes(t) / 1e6, wall_s(t));
}

static struct cup_value delivered_rate_process_mbs(T t)
{
    return cup_ratio((double)attributed_bytes(t) / 1e6, chunks_s(t));
}

/* ---- what Coffea reports ---------------------------------------------------------------- */

static struct cup_value num_chunks_coffea(T t)
{
    return t->coffea.chunks ? cup_count(t->coffea.chunks) : cup_null();
}

static struct cup_value total_events_coffea(T t)
{
    return t->coffea.with_entries ? cup_count(t->coffea.entries) : cup_null();
}

static struct cup_value total_bytes_read_coffea(T t)
{
    return t->coffea.with_bytes ? cup_count(t->coffea.bytes) : cup_null();
}

static struct cup_value num_columns(T t)
{
    size_t count = 0;
    uint32_t *names = t->coffea.with_columns ? cup_columns_used(t, &count) : NULL;
    free(names);
    return names ? cup_count(count) : cup_null();
}

/* What the processor's tasks were given other than by calls on files; of all attempts. */
static uint64_t otherwise_read(T t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->profile->prefix_count; i++)
        if (cup_prefix_is_processor(t, i))
            sum += t->profile->prefixes[i].counters[CUP_C_MAPPED_BYTES] +
                   t->profile->prefixes[i].counters[CUP_C_RECV_BYTES];
    return sum;
}

static struct cup_value read_amplification(T t)
{
    return cup_ratio((double)(t->coffea.read_bytes + otherwise_read(t)), (double)t->coffea.bytes);
}

static struct cup_value requested_rate_gbps(T t)
{
    return t->coffea.with_bytes ? gbps((double)t->coffea.bytes, wall_s(t)) : cup_null();
}

static struct cup_value requested_rate_process_gbps(T t)
{
    return t->coffea.with_bytes ? gbps((double)t->coffea.bytes, chunks_s(t)) : cup_null();
}

static struct cup_value requested_rate_mbs(T t)
{
    return t->coffea.with_bytes ? cup_ratio((double)t->coffea.bytes / 1e6, wall_s(t)) : cup_null();
}

static struct cup_value requested_rate_process_mbs(T t)
{
    return t->coffea.with_bytes ? cup_ratio((double)t->coffea.bytes / 1e6, chunks_s(t))
                                : cup_null();
}

/* ---- event rates ------------------------------------------------------------------------ */

static struct cup_value event_rate(T t, double seconds, double scale)
{
    return events_known(t) ? cup_ratio((double)t->events / scale, seconds) : cup_null();
}

static struct cup_value event_rate_wall_khz(T t)
{
    return event_rate(t, wall_s(t), 1e3);
}

static struct cup_value event_rate_agg_khz(T t)
{
    return event_rate(t, (double)t->process_ns / 1e9, 1e3);
}

static struct cup_value event_rate_agg_thread_cpu_khz(T t)
{
    return event_rate(t, (double)all_cpu_ns(t) / 1e9, 1e3);
}

/* The run's threads, averaged over its time. */
static double cores(T t)
{
    int64_t ns = cup_stretch_ns(t->run);
    return ns > 0 ? (double)t->budget.threads_ns / (double)ns : (double)t->budget.threads;
}

static struct cup_value event_rate_core_hz(T t)
{
    return event_rate(t, wall_s(t) * cores(t), 1);
}

/* ---- workers and efficiency ------------------------------------------------------------- */

static struct cup_value avg_cores(T t)
{
    return t->workers ? cup_real(cores(t)) : cup_null();
}

static struct cup_value thread_cpu_efficiency(T t)
{
    return ended_with_cpu(t) ? cup_ratio((double)all_cpu_ns(t) / 1e9, wall_s(t) * cores(t))
                             : cup_null();
}

static struct cup_value speedup_factor(T t)
{
    return t->timed_chunks ? cup_ratio((double)t->process_ns / 1e9, wall_s(t)) : cup_null();
}

static struct cup_value io_overhead_pct(T t)
{
    double noncpu_s = ((double)t->chunk_wall_ns - (double)t->chunk_cpu_ns) / 1e9;
    return of_chunks(t, cup_ratio(noncpu_s * 100, wall_s(t)));
}

static struct cup_value wasted_wall_s(T t)
{
    return of_ns(t->failed.wall_ns + t->repeated.wall_ns);
}

static struct cup_value wasted_cpu_s(T t)
{
    return of_ns(t->failed.cpu_ns + t->repeated.cpu_ns);
}

static struct cup_value wasted_bytes(T t)
{
    return cup_count(t->failed.read_bytes + t->repeated.read_bytes + t->killed.read_bytes);
}

/* ---- time budget: threads x wall time --------------------------------------------------- */

static struct cup_value threads_s(T t)
{
    return t->workers ? of_ns(t->budget.threads_ns) : cup_null();
}

/* Helper threads are none of the threads that the budget splits. */
static struct cup_value task_cpu_s(T t)
{
    return ended_with_cpu(t) ? of_ns(t->budget.ns[CUP_BUDGET_TASK_CPU]) : cup_null();
}

static struct cup_value of_budget(T t, enum cup_budget_part part)
{
    return t->workers ? of_ns(t->budget.ns[part]) : cup_null();
}

static struct cup_value other_task_s(T t)
{
    return ended_with_cpu(t) ? of_budget(t, CUP_BUDGET_UNTOLD) : cup_null();
}

static struct cup_value unfinished_task_s(T t)
{
    return of_budget(t, CUP_BUDGET_UNFINISHED);
}

static struct cup_value dask_between_tasks_s(T t)
{
    return of_budget(t, CUP_BUDGET_BETWEEN);
}

static struct cup_value idle_s(T t)
{
    return of_budget(t, CUP_BUDGET_IDLE);
}

static struct cup_value outside_tasks_s(T t)
{
    const uint64_t *ns = t->budget.ns;
    return t->workers ? of_ns(ns[CUP_BUDGET_BETWEEN] + ns[CUP_BUDGET_IDLE]) : cup_null();
}

static struct cup_value overbooked_s(T t)
{
    return t->workers ? of_ns(t->budget.overbooked_ns) : cup_null();
}

static struct cup_value gap_threshold_s(T t)
{
    (void)t;
    return cup_seconds(CUP_GAP_THRESHOLD_NS);
}

static struct cup_value elsewhere_tasks(T t)
{
    return cup_count(t->elsewhere_tasks);
}

static struct cup_value elsewhere_s(T t)
{
    return of_ns(t->elsewhere_ns);
}

/* ---- waits: of the budget's threads, of all tasks, of helpers --------------------------- */

#define X(id, name, label, text, needs, source)                                                    \
    static struct cup_value budget_##id(T t)                                                       \
    {                                                                                              \
        return t->pool_tasks_measured ? of_budget(t, CUP_BUDGET_##id) : cup_null();                \
    }                                                                                              \
    static struct cup_value wait_##id(T t)                                                         \
    {                                                                                              \
        return t->waits.tasks ? of_ns(t->waits.ns[CUP_WAITED_##id]) : cup_null();                  \
    }
CUP_WAITS(X)
#undef X

#define X(id)                                                                                      \
    static struct cup_value helper_##id(T t)                                                       \
    {                                                                                              \
        return of_ns(t->helper_waits.ns[CUP_WAITED_##id]);                                         \
    }
X(IO)
X(GIL)
X(LOCK)
X(SLEEP)
X(POLL)
X(RUN_DELAY)
#undef X

static struct cup_value io_wait_pct(T t)
{
    return cup_ratio(100 * (double)t->waits.ns[CUP_WAITED_IO],
                     (double)cup_wait_sums_wall_ns(&t->waits));
}

static struct cup_value waits_excess_s(T t)
{
    return of_ns(t->waits.excess_ns);
}

static struct cup_value noncpu_below_zero_s(T t)
{
    return of_ns(t->waits.below_zero_ns);
}

/* ---- fine: the processor against the rest ----------------------------------------------- */

/* Sum over the prefixes that are the processor, or over the others. */
static struct cup_task_sums sums_where(T t, bool processor)
{
    struct cup_task_sums sum = {0};
    for (uint32_t i = 0; i < t->profile->prefix_count; i++) {
        if (cup_prefix_is_processor(t, i) != processor)
            continue;
        sum.tasks += t->prefixes[i].tasks;
        sum.with_cpu_ns += t->prefixes[i].with_cpu_ns;
        sum.cpu_ns += t->prefixes[i].cpu_ns;
    }
    return sum;
}

static struct cup_value cpu_of(T t, bool processor)
{
    struct cup_task_sums sum = sums_where(t, processor);
    return ended_with_cpu(t) && sum.tasks ? of_ns(sum.cpu_ns) : cup_null();
}

static struct cup_value noncpu_of(T t, bool processor)
{
    struct cup_task_sums sum = sums_where(t, processor);
    return ended_with_cpu(t) && sum.tasks ? cup_seconds((int64_t)(sum.with_cpu_ns - sum.cpu_ns))
                                          : cup_null();
}

static struct cup_value processor_cpu(T t)
{
    return cpu_of(t, true);
}

static struct cup_value processor_noncpu(T t)
{
    return noncpu_of(t, true);
}

static struct cup_value overhead_cpu(T t)
{
    return cpu_of(t, false);
}

static struct cup_value overhead_noncpu(T t)
{
    return noncpu_of(t, false);
}

static struct cup_value processor_cpu_percentage(T t)
{
    struct cup_task_sums sum = sums_where(t, true);
    return ended_with_cpu(t) ? cup_ratio(100.0 * (double)sum.cpu_ns, (double)sum.with_cpu_ns)
                             : cup_null();
}

static struct cup_value processor_noncpu_percentage(T t)
{
    double cpu = cup_number(processor_cpu_percentage(t));
    return cup_real(100 - cpu);
}

/* ---- attribution ------------------------------------------------------------------------ */

static struct cup_value bytes_total(T t)
{
    return cup_count(all_bytes(t));
}

static struct cup_value bytes_attributed(T t)
{
    return cup_count(attributed_bytes(t));
}

static struct cup_value attributed_share(T t)
{
    return cup_ratio((double)attributed_bytes(t), (double)all_bytes(t));
}

/* Both halves: of tasks, and in worker processes outside of any. */
static struct cup_value class_bytes(T t, int counter)
{
    return cup_count(t->counters[counter] + t->without_task[counter]);
}

static struct cup_value read_bytes(T t)
{
    return cup_count(cup_all_way_bytes(t));
}

static struct cup_value read_none_bytes(T t)
{
    return cup_count(cup_way_bytes(t, CUP_WAY_NONE));
}

static struct cup_value mapped_bytes(T t)
{
    return class_bytes(t, CUP_C_MAPPED_BYTES);
}

static struct cup_value mapped_none_bytes(T t)
{
    return cup_count(t->without_task[CUP_C_MAPPED_BYTES]);
}

static struct cup_value recv_bytes(T t)
{
    return class_bytes(t, CUP_C_RECV_BYTES);
}

static struct cup_value recv_none_bytes(T t)
{
    return cup_count(t->without_task[CUP_C_RECV_BYTES]);
}

static struct cup_value send_bytes(T t)
{
    return class_bytes(t, CUP_C_SEND_BYTES);
}

static struct cup_value send_none_bytes(T t)
{
    return cup_count(t->without_task[CUP_C_SEND_BYTES]);
}

static struct cup_value import_bytes(T t)
{
    return class_bytes(t, CUP_C_IMPORT_BYTES);
}

static struct cup_value pipe_bytes(T t)
{
    return class_bytes(t, CUP_C_PIPE_BYTES);
}

static struct cup_value spill_read_bytes(T t)
{
    return class_bytes(t, CUP_C_SPILL_READ_BYTES);
}

static struct cup_value spill_write_bytes(T t)
{
    return class_bytes(t, CUP_C_SPILL_WRITE_BYTES);
}

static struct cup_value transfer_recv_bytes(T t)
{
    return class_bytes(t, CUP_C_TRANSFER_RECV_BYTES);
}

static struct cup_value transfer_send_bytes(T t)
{
    return class_bytes(t, CUP_C_TRANSFER_SEND_BYTES);
}

static struct cup_value dask_read_bytes(T t)
{
    return class_bytes(t, CUP_C_DASK_READ_BYTES);
}

static struct cup_value child_read_bytes(T t)
{
    return cup_count(t->children[CUP_DESCENT_KNOWN].bytes);
}

static struct cup_value child_read_none_bytes(T t)
{
    return cup_count(t->children[CUP_DESCENT_UNNAMED].bytes + t->children[CUP_DESCENT_LOST].bytes +
                     t->children[CUP_DESCENT_LATE].bytes + t->children[CUP_DESCENT_SHARED].bytes);
}

static struct cup_value child_late_bytes(T t)
{
    return cup_count(t->children[CUP_DESCENT_LATE].bytes);
}

static struct cup_value kernel_read_bytes(T t)
{
    return t->kernel.processes ? cup_count(t->kernel.kernel_bytes) : cup_null();
}

static struct cup_value elsewhere_bytes(T t)
{
    return cup_count(t->elsewhere[CUP_C_READ_NONE_BYTES]);
}

/* ---- health ----------------------------------------------------------------------------- */

static struct cup_value logs_read(T t)
{
    return cup_count(t->profile->logs_read);
}

static struct cup_value logs_damaged(T t)
{
    return cup_count(t->profile->logs_damaged);
}

static struct cup_value logs_unreadable(T t)
{
    return cup_count(t->profile->logs_unreadable);
}

static struct cup_value bytes_lost(T t)
{
    return cup_count(t->profile->skipped_bytes);
}

static struct cup_value records_unfinished(T t)
{
    return cup_count(t->profile->unfinished_records);
}

static struct cup_value records_orphaned(T t)
{
    return cup_count(t->profile->orphan_records);
}

static struct cup_value tasks_without_cpu(T t)
{
    return cup_count(t->all.without_cpu);
}

static struct cup_value tasks_unfinished(T t)
{
    return cup_count(t->all.unfinished);
}

static struct cup_value logs_not_closed(T t)
{
    uint64_t count = 0;
    for (size_t i = 0; i < t->profile->process_count; i++)
        count += t->profile->processes[i].header.log_stop_ns == 0;
    return cup_count(count);
}

/* Calls that were counted, so that their cost can be bounded. */
static struct cup_value counted_calls(T t)
{
    static const int calls[] = {CUP_C_READ_CALLS,   CUP_C_WRITE_CALLS, CUP_C_OPEN_CALLS,
                                CUP_C_IMPORT_CALLS, CUP_C_ALLOC_CALLS, CUP_C_FREE_CALLS};
    uint64_t sum = 0;
    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++)
        sum += t->counters[calls[i]] + t->without_task[calls[i]] + t->elsewhere[calls[i]];
    return cup_count(sum);
}

static struct cup_value anchor_s(T t)
{
    return of_ns(t->profile->health[CUP_H_ANCHOR_NS]);
}

static struct cup_value mapping_s(T t)
{
    return of_ns(t->profile->health[CUP_H_MAPPING_NS]);
}

static struct cup_value anchor_share(T t)
{
    return cup_ratio((double)t->profile->health[CUP_H_ANCHOR_NS], (double)t->all.wall_ns);
}

/* ---- the table -------------------------------------------------------------------------- */

#define CHUNK_C                                                                                    \
    "C: what Coffea reports of each chunk, read where it reads it itself, added up over the "      \
    "chunks whose result was used: its "
#define NO_D "Dask's own figures are not read by this version"
#define NO_BASKETS "baskets are not looked at by this version"
#define CORES_P                                                                                    \
    "P: estimated from the thread counts of the workers, each for the time of the run that its "   \
    "log was open"
#define BETWEEN_P                                                                                  \
    "P: gaps of up to gap_threshold_s between two tasks of a thread: deserialising, scheduling, "  \
    "transfers"

#define HELPER_P "P: threads that helped tasks, by the same ways as bytes"

#define FILES CUP_FEATURE_FILES
#define WAITS CUP_FEATURE_WAITS
#define MAPPED CUP_FEATURE_MAPPED
#define HANDOFF CUP_FEATURE_HANDOFF

/* clang-format off */
const struct cup_metric cup_metrics[] = {
    {"workflow", "t_start", "start (UTC)", CUP_UNIT_NONE, t_start, "C: first clock call of the client's Runner call, where that was seen; else, or where that is earlier, P: first task start", 0},
    {"workflow", "t_stop", "stop (UTC)", CUP_UNIT_NONE, t_stop, "C: last clock call of the client's Runner call, where that was seen; else, or where that is later, P: last task stop; where tasks never ended and held their threads, the last sign of their process, if that is later", 0},
    {"workflow", "wall_time", "wall time", CUP_UNIT_SECONDS, wall_time, "P: t_stop - t_start", 0},
    {"workflow", "graph_s", "stage: building the graph", CUP_UNIT_SECONDS, graph_s, "C and P: from the Runner call's start to the first task, and from the last metadata task to the first chunk", 0},
    {"workflow", "preprocess_s", "stage: metadata tasks", CUP_UNIT_SECONDS, preprocess_s, "P: first to last metadata task", 0},
    {"workflow", "process_s", "stage: chunks", CUP_UNIT_SECONDS, process_s, "P: first start to last stop of a chunk", 0},
    {"workflow", "tail_s", "  after 90 % of them", CUP_UNIT_SECONDS, tail_s, "P: last chunk's stop less that of the 90 % mark", 0},
    {"workflow", "merge_s", "stage: merging", CUP_UNIT_SECONDS, merge_s, "P and C: end of the Runner call, where it was seen, or last task stop, less last chunk stop", 0},
    {"workflow", "total_cpu_time", "inside process(), summed", CUP_UNIT_SECONDS, total_cpu_time, "C: Coffea's own clock calls around process(), which its report adds up as processtime; wall time, in spite of the name", 0},
    {"workflow", "total_thread_cpu_time", "CPU time of tasks", CUP_UNIT_SECONDS, total_thread_cpu_time, "P: CPU clocks of the tasks' own threads, and of their helper threads where those are known; async tasks have no clock of their own", 0},
    {"workflow", "total_helper_cpu_time", "  of helper threads", CUP_UNIT_SECONDS, total_helper_cpu_time, "P: CPU time that other threads used for tasks", HANDOFF},
    {"workflow", "total_task_time", "inside tasks, summed", CUP_UNIT_SECONDS, total_task_time, "P: sum over ended tasks", 0},
    {"workflow", "num_chunks", "chunks", CUP_UNIT_COUNT, num_chunks, "P: different chunks that succeeded", 0},
    {"workflow", "num_chunks_coffea", "  as Coffea counts them", CUP_UNIT_COUNT, num_chunks_coffea, CHUNK_C "chunks", 0},
    {"workflow", "num_failed_chunks", "failed attempts", CUP_UNIT_COUNT, num_failed_chunks, "P: attempts at chunks that erred", 0},
    {"workflow", "num_retried_chunks", "retried chunks", CUP_UNIT_COUNT, num_retried_chunks, "P: the same key seen twice or more", 0},
    {"workflow", "avg_cpu_time_per_chunk", "process() per chunk", CUP_UNIT_SECONDS, avg_cpu_time_per_chunk, "P: total_cpu_time / chunks that have it", 0},
    {"workflow", "total_events", "events", CUP_UNIT_COUNT, total_events, "P: entry ranges of the chunks that succeeded", 0},
    {"workflow", "total_events_coffea", "  as Coffea counts them", CUP_UNIT_COUNT, total_events_coffea, CHUNK_C "entries", 0},
    {"workflow", "num_columns", "columns", CUP_UNIT_COUNT, num_columns, CHUNK_C "columns, each once", 0},
    {"workflow", "total_bytes_read_coffea", "bytes asked for by uproot", CUP_UNIT_BYTES, total_bytes_read_coffea, CHUNK_C "bytesread", 0},
    {"workflow", "total_bytes_read", "bytes delivered to tasks", CUP_UNIT_BYTES, total_bytes_read, "P: data files, mapped files and sockets, to the task and its helpers; children apart", FILES},
    {"workflow", "wire_bytes", "bytes from sockets", CUP_UNIT_BYTES, recv_bytes, "P: what sockets delivered in worker processes, Dask's own apart", FILES},
    {"workflow", "read_amplification", "read amplification", CUP_UNIT_RATIO, read_amplification, "P and C: read by the chunks whose result was used (and mapped and received by all attempts at chunks) / total_bytes_read_coffea", FILES},
    {"workflow", "total_bytes_memory_read_dask", "task inputs from memory", CUP_UNIT_BYTES, NULL, NO_D, 0},
    {"workflow", "bytes_read_compressed", "baskets, compressed", CUP_UNIT_BYTES, NULL, NO_BASKETS, 0},
    {"workflow", "bytes_read_uncompressed", "baskets, uncompressed", CUP_UNIT_BYTES, NULL, NO_BASKETS, 0},
    {"workflow", "compression_ratio", "compression ratio", CUP_UNIT_RATIO, NULL, NO_BASKETS, 0},
    {"workflow", "overall_rate_gbps", NULL, CUP_UNIT_GBPS, delivered_rate_gbps, "P: delivered, total_bytes_read over wall_time", FILES},
    {"workflow", "overall_rate_mbs", NULL, CUP_UNIT_MBS, delivered_rate_mbs, "P: delivered, total_bytes_read over wall_time", FILES},
    {"workflow", "requested_rate_gbps", "rate, requested", CUP_UNIT_GBPS, requested_rate_gbps, "C: total_bytes_read_coffea over wall_time", 0},
    {"workflow", "requested_rate_mbs", "rate, requested", CUP_UNIT_MBS, requested_rate_mbs, "C: total_bytes_read_coffea over wall_time", 0},
    {"workflow", "requested_rate_process_gbps", "  during the chunks", CUP_UNIT_GBPS, requested_rate_process_gbps, "C: total_bytes_read_coffea over process_s", 0},
    {"workflow", "requested_rate_process_mbs", "  during the chunks", CUP_UNIT_MBS, requested_rate_process_mbs, "C: total_bytes_read_coffea over process_s", 0},
    {"workflow", "delivered_rate_gbps", "rate, delivered", CUP_UNIT_GBPS, delivered_rate_gbps, "P: total_bytes_read over wall_time", FILES},
    {"workflow", "delivered_rate_mbs", "rate, delivered", CUP_UNIT_MBS, delivered_rate_mbs, "P: total_bytes_read over wall_time", FILES},
    {"workflow", "delivered_rate_process_gbps", "  during the chunks", CUP_UNIT_GBPS, delivered_rate_process_gbps, "P: total_bytes_read over process_s", FILES},
    {"workflow", "delivered_rate_process_mbs", "  during the chunks", CUP_UNIT_MBS, delivered_rate_process_mbs, "P: total_bytes_read over process_s", FILES},
    {"workflow", "file_rate_gbps", "rate, file-equivalent", CUP_UNIT_GBPS, file_rate_gbps, "P: size of the .root files that chunks read, over wall_time", 0},
    {"workflow", "file_rate_process_gbps", "  during the chunks", CUP_UNIT_GBPS, file_rate_process_gbps, "P: size of the .root files that chunks read, over process_s", 0},
    {"workflow", "event_rate_wall_khz", "events per wall time", CUP_UNIT_KHZ, event_rate_wall_khz, "P: total_events / wall_time", 0},
    {"workflow", "event_rate_agg_khz", "events per process() time", CUP_UNIT_KHZ, event_rate_agg_khz, "P: total_events / total_cpu_time", 0},
    {"workflow", "event_rate_agg_thread_cpu_khz", "events per CPU time", CUP_UNIT_KHZ, event_rate_agg_thread_cpu_khz, "P: total_events / total_thread_cpu_time", 0},
    {"workflow", "event_rate_core_hz", "events per core", CUP_UNIT_HZ, event_rate_core_hz, "P: total_events / (wall_time * avg_cores); " CORES_P, 0},

    {"workers", "avg_cores", NULL, CUP_UNIT_RATIO, avg_cores, CORES_P, 0},
    {"workers", "avg_workers", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0},
    {"workers", "mean_workers", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0},
    {"workers", "peak_workers", NULL, CUP_UNIT_COUNT, NULL, NO_D, 0},
    {"workers", "cores_per_worker", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0},
    {"workers", "total_cores", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0},
    {"workers", "peak_memory_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0},
    {"workers", "avg_memory_per_worker_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0},
    {"workers", "memory_utilization_pct", NULL, CUP_UNIT_PERCENT, NULL, NO_D, 0},
    {"workers", "cpu_utilization_pct", NULL, CUP_UNIT_PERCENT, NULL, NO_D, 0},
    {"workers", "executing_utilization_pct", NULL, CUP_UNIT_PERCENT, NULL, NO_D, 0},
    {"workers", "real_cpu_utilization_pct", NULL, CUP_UNIT_PERCENT, NULL, NO_D, 0},
    {"workers", "spilled_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0},
    {"workers", "managed_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0},
    {"workers", "unmanaged_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0},
    {"workers", "host_net_read_bps", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0},
    {"workers", "host_net_write_bps", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0},
    {"workers", "host_disk_read_bps", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0},
    {"workers", "host_disk_write_bps", NULL, CUP_UNIT_RATIO, NULL, NO_D, 0},
    {"workers", "event_loop_stall_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"workers", "num_fds", NULL, CUP_UNIT_COUNT, NULL, NO_D, 0},
    {"workers", "tracking_data", NULL, CUP_UNIT_NONE, NULL, NO_D, 0},

    {"efficiency", "thread_cpu_efficiency", "CPU share of all threads", CUP_UNIT_SHARE, thread_cpu_efficiency, "P: total_thread_cpu_time / (wall_time * avg_cores), helper threads in the first, not in the second; " CORES_P, 0},
    {"efficiency", "core_efficiency", "slots busy in process()", CUP_UNIT_SHARE, NULL, NO_D, 0},
    {"efficiency", "cpu_efficiency", NULL, CUP_UNIT_SHARE, NULL, NO_D, 0},
    {"efficiency", "speedup_factor", "speed-up factor", CUP_UNIT_RATIO, speedup_factor, "P: total_cpu_time / wall_time", 0},
    {"efficiency", "efficiency_ratio", NULL, CUP_UNIT_RATIO, speedup_factor, "P: the same number as speedup_factor", 0},
    {"efficiency", "io_overhead_pct", NULL, CUP_UNIT_PERCENT, io_overhead_pct, "P: non-CPU time of the processor's tasks / wall_time", 0},
    {"efficiency", "io_wait_pct", "I/O wait", CUP_UNIT_PERCENT, io_wait_pct, "P: io_wait_s of all tasks over their time, where waits were measured", WAITS},
    {"efficiency", "wasted_wall_s", "task time without use", CUP_UNIT_SECONDS, wasted_wall_s, "P: tasks that erred, and all but one success of a chunk", 0},
    {"efficiency", "wasted_cpu_s", "CPU time without use", CUP_UNIT_SECONDS, wasted_cpu_s, "P: likewise, of the tasks' own threads", 0},
    {"efficiency", "wasted_bytes", "bytes read without use", CUP_UNIT_BYTES, wasted_bytes, "P: likewise, and tasks that never ended", FILES},
    {"efficiency", "scaling_efficiency", NULL, CUP_UNIT_RATIO, NULL, "needs two runs; comparing is not in this version", 0},

    {"time_budget", "threads_s", "threads x wall time", CUP_UNIT_SECONDS, threads_s, CORES_P, 0},
    {"time_budget", "task_cpu_s", "CPU in tasks", CUP_UNIT_SECONDS, task_cpu_s, "P: CPU clocks of the tasks' own threads, in each task no more than its time; helper threads are none of the threads counted here", 0},
#define X(id, name, label, text, needs, source) {"time_budget", name, "  " text, CUP_UNIT_SECONDS, budget_##id, "P: " source, needs},
    CUP_WAITS(X)
#undef X
    {"time_budget", "other_task_s", "  not told apart", CUP_UNIT_SECONDS, other_task_s, "P: task time less task CPU where waits were not measured", 0},
    {"time_budget", "unfinished_task_s", "tasks that never ended", CUP_UNIT_SECONDS, unfinished_task_s, "P: from their start to the last sign of their process: its end, or, where it was killed, the last thing that its log tells; what of it was CPU time is not known", 0},
    {"time_budget", "dask_between_tasks_s", "Dask between tasks", CUP_UNIT_SECONDS, dask_between_tasks_s, BETWEEN_P, 0},
    {"time_budget", "dask_overhead_s", NULL, CUP_UNIT_SECONDS, dask_between_tasks_s, "P: the same number as dask_between_tasks_s", 0},
    {"time_budget", "idle_s", "idle", CUP_UNIT_SECONDS, idle_s, "P: threads_s less all other parts: longer gaps, before the first and after the last task of a thread, threads that ran none", 0},
    {"time_budget", "outside_tasks_s", NULL, CUP_UNIT_SECONDS, outside_tasks_s, "P: dask_between_tasks_s + idle_s", 0},
    {"time_budget", "overbooked_s", "beyond the threads", CUP_UNIT_SECONDS, overbooked_s, "P: tasks' time beyond threads_s: tasks that left the pool to wait for others, whose place another one takes; all parts add up to threads_s + overbooked_s", 0},
    {"time_budget", "gap_threshold_s", "gaps up to this are Dask's", CUP_UNIT_SECONDS, gap_threshold_s, "a fixed number: what lies between two tasks of a thread is Dask's work up to this long, else idleness", 0},
    {"time_budget", "elsewhere_tasks", "tasks on no pool thread", CUP_UNIT_COUNT, elsewhere_tasks, "P: async tasks and calls of actors' methods, left out of all of the above", 0},
    {"time_budget", "elsewhere_s", NULL, CUP_UNIT_SECONDS, elsewhere_s, "P: their time", 0},

    {"fine", "thread_cpu_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "thread_noncpu_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "disk_read_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0},
    {"fine", "disk_write_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0},
    {"fine", "memory_read_bytes", NULL, CUP_UNIT_BYTES, NULL, NO_D, 0},
    {"fine", "memory_read_count", NULL, CUP_UNIT_COUNT, NULL, NO_D, 0},
    {"fine", "compress_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "decompress_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "serialize_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "deserialize_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "network_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "executor_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "other_s", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "cpu_time_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "io_time_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "compression_time_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "decompression_time_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "serialization_time_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "deserialization_time_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "processor_cpu_time_seconds", NULL, CUP_UNIT_SECONDS, processor_cpu, "P: tasks of the prefixes that carried chunks", 0},
    {"fine", "processor_noncpu_time_seconds", NULL, CUP_UNIT_SECONDS, processor_noncpu, "P: likewise", 0},
    {"fine", "processor_cpu_percentage", NULL, CUP_UNIT_PERCENT, processor_cpu_percentage, "P: of the time of these tasks", 0},
    {"fine", "processor_noncpu_percentage", NULL, CUP_UNIT_PERCENT, processor_noncpu_percentage, "P: likewise", 0},
    {"fine", "overhead_cpu_time_seconds", NULL, CUP_UNIT_SECONDS, overhead_cpu, "P: tasks of all other prefixes", 0},
    {"fine", "overhead_noncpu_time_seconds", NULL, CUP_UNIT_SECONDS, overhead_noncpu, "P: likewise", 0},
    {"fine", "total_compression_overhead_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
    {"fine", "total_serialization_overhead_seconds", NULL, CUP_UNIT_SECONDS, NULL, NO_D, 0},
#define X(id, name, label, text, needs, source) {"fine", name, NULL, CUP_UNIT_SECONDS, wait_##id, "P: of all tasks: " source, needs},
    CUP_WAITS(X)
#undef X
    {"fine", "helper_io_wait_s", NULL, CUP_UNIT_SECONDS, helper_IO, HELPER_P, WAITS},
    {"fine", "helper_gil_wait_s", NULL, CUP_UNIT_SECONDS, helper_GIL, HELPER_P, WAITS | CUP_FEATURE_GIL},
    {"fine", "helper_lock_wait_s", NULL, CUP_UNIT_SECONDS, helper_LOCK, HELPER_P, WAITS},
    {"fine", "helper_sleep_s", NULL, CUP_UNIT_SECONDS, helper_SLEEP, HELPER_P, WAITS},
    {"fine", "helper_poll_wait_s", NULL, CUP_UNIT_SECONDS, helper_POLL, HELPER_P, WAITS},
    {"fine", "helper_run_delay_s", NULL, CUP_UNIT_SECONDS, helper_RUN_DELAY, HELPER_P "; only where a wait ended so", WAITS | CUP_FEATURE_RUN_DELAY},
    {"fine", "helper_fault_wait_s", NULL, CUP_UNIT_SECONDS, NULL, CUP_NO_HELPER_REST, 0},
    {"fine", "helper_other_wait_s", NULL, CUP_UNIT_SECONDS, NULL, CUP_NO_HELPER_REST, 0},

    {"attribution", "bytes_total", "data read in workers", CUP_UNIT_BYTES, bytes_total, "P: data files, mapped files and sockets, in the processes that ran tasks", FILES},
    {"attribution", "bytes_attributed", "of it, with a task", CUP_UNIT_BYTES, bytes_attributed, "P: likewise, what has a task", FILES},
    {"attribution", "share_attributed", "  share", CUP_UNIT_SHARE, attributed_share, "P: bytes_attributed / bytes_total", FILES},
    {"attribution", "read_bytes", "of it, data files", CUP_UNIT_BYTES, read_bytes, "P: what calls delivered from regular files, by all ways", FILES},
    {"attribution", "read_none_bytes", NULL, CUP_UNIT_BYTES, read_none_bytes, "P: of it, without a task", FILES},
    {"attribution", "mapped_bytes", "of it, mapped files", CUP_UNIT_BYTES, mapped_bytes, "P: pages of mapped files made present: an upper bound", MAPPED},
    {"attribution", "mapped_none_bytes", NULL, CUP_UNIT_BYTES, mapped_none_bytes, "P: of it, without a task", MAPPED},
    {"attribution", "recv_bytes", "of it, from sockets", CUP_UNIT_BYTES, recv_bytes, "P: what sockets delivered, Dask's own apart", FILES},
    {"attribution", "recv_none_bytes", NULL, CUP_UNIT_BYTES, recv_none_bytes, "P: of it, without a task", FILES},
    {"attribution", "send_bytes", "besides: sent to sockets", CUP_UNIT_BYTES, send_bytes, "P: what sockets accepted, Dask's own apart", FILES},
    {"attribution", "send_none_bytes", NULL, CUP_UNIT_BYTES, send_none_bytes, "P: of it, without a task", FILES},
    {"attribution", "import_bytes", "besides: imports", CUP_UNIT_BYTES, import_bytes, "P: .py, .pyc, .so and package metadata", FILES},
    {"attribution", "pipe_bytes", "besides: pipes, terminals", CUP_UNIT_BYTES, pipe_bytes, "P: what pipes and terminals delivered", FILES},
    {"attribution", "spill_read_bytes", "besides: spilling, read", CUP_UNIT_BYTES, spill_read_bytes, "P: files below a worker's own directory", FILES},
    {"attribution", "spill_write_bytes", "besides: spilling, written", CUP_UNIT_BYTES, spill_write_bytes, "P: likewise", FILES},
    {"attribution", "dask_transfer_recv_bytes", "besides: Dask's own, received", CUP_UNIT_BYTES, transfer_recv_bytes, "P: sockets of Dask itself; by_worker has it for each", FILES},
    {"attribution", "dask_transfer_send_bytes", "besides: Dask's own, sent", CUP_UNIT_BYTES, transfer_send_bytes, "P: likewise", FILES},
    {"attribution", "dask_read_bytes", "besides: Dask's own, files", CUP_UNIT_BYTES, dask_read_bytes, "P: data files read by Dask's own threads: deserialising, its event loop", FILES},
    {"attribution", "child_read_bytes", "besides: children of tasks", CUP_UNIT_BYTES, child_read_bytes, "P: data files read by processes that descend from a task", FILES},
    {"attribution", "child_read_none_bytes", "besides: children, no task", CUP_UNIT_BYTES, child_read_none_bytes, "P: likewise, where no task is known, or it had ended before they last read", FILES},
    {"attribution", "child_read_late_bytes", NULL, CUP_UNIT_BYTES, child_late_bytes, "P: of child_read_none_bytes, read after the task had ended: perhaps for others", FILES},
    {"attribution", "other_process_bytes", "besides: other processes", CUP_UNIT_BYTES, elsewhere_bytes, "P: data files read by clients, schedulers and nannies", FILES},
    {"attribution", "kernel_read_bytes", NULL, CUP_UNIT_BYTES, kernel_read_bytes, "P: /proc/self/io of all processes that ended in good order; kernel_check compares it", 0},

    {"health", "logs_read", "logs read", CUP_UNIT_COUNT, logs_read, "files of the profile directory", 0},
    {"health", "logs_damaged", "of them, damaged", CUP_UNIT_COUNT, logs_damaged, "read as far as possible", 0},
    {"health", "logs_unreadable", "logs that cannot be read", CUP_UNIT_COUNT, logs_unreadable, "told on standard error", 0},
    {"health", "logs_not_closed", "logs not closed", CUP_UNIT_COUNT, logs_not_closed, "processes killed, crashed or still running", 0},
    {"health", "bytes_lost", "bytes lost to damage", CUP_UNIT_BYTES, bytes_lost, "between sound records", 0},
    {"health", "records_unfinished", "records never completed", CUP_UNIT_COUNT, records_unfinished, "their process died while it wrote", 0},
    {"health", "records_orphaned", "records without their task", CUP_UNIT_COUNT, records_orphaned, "what they refer to is lost", 0},
    {"health", "tasks_unfinished", "tasks unfinished", CUP_UNIT_COUNT, tasks_unfinished, "no end in the log: killed, crashed or still running", 0},
    {"health", "tasks_without_cpu", "tasks without CPU time", CUP_UNIT_COUNT, tasks_without_cpu, "async tasks share the event loop's thread: their cpu_s is not known", 0},
    {"health", "waits_excess_s", "waits beyond non-CPU time", CUP_UNIT_SECONDS, waits_excess_s, "P: measured waits beyond the non-CPU time of their task, cut off from its largest part: clocks have grains", WAITS},
    {"health", "noncpu_below_zero_s", "CPU beyond wall time", CUP_UNIT_SECONDS, noncpu_below_zero_s, "P: CPU time beyond the wall time of its task: two clocks; counts as 0 s of non-CPU time", 0},
    {"health", "counted_calls", "calls counted by hooks", CUP_UNIT_COUNT, counted_calls, "reads, writes, opens, allocations and frees", 0},
    {"health", "measuring_s", "cost of begins and ends", CUP_UNIT_SECONDS, anchor_s, "P: anchor_ns of all processes", 0},
    {"health", "measuring_share", "  share of task time", CUP_UNIT_SHARE, anchor_share, "P: measuring_s / total_task_time", 0},
    {"health", "mapping_s", "cost of asking for pages", CUP_UNIT_SECONDS, mapping_s, "P: mapping_ns of all processes: which pages of mapped files are there", MAPPED},
};
/* clang-format on */
#undef FILES
#undef WAITS
#undef MAPPED
#undef HANDOFF
const size_t cup_metric_count = sizeof cup_metrics / sizeof *cup_metrics;

static bool is_measured(const struct cup_metric *metric, const struct cup_totals *totals)
{
    return cup_profile_measured(totals->profile, metric->needs);
}

struct cup_value cup_metric_value(const struct cup_metric *metric, const struct cup_totals *totals)
{
    return metric->compute && is_measured(metric, totals) ? metric->compute(totals) : cup_null();
}

const char *cup_metric_missing(const struct cup_metric *metric, const struct cup_totals *totals)
{
    if (!metric->compute)
        return metric->source;
    if (!is_measured(metric, totals))
        return "the library could not measure it: health says which feature is off";
    return metric->needs & CUP_FEATURE_WAITS
               ? "no task ended that has a CPU clock of its own: async ones have none"
               : "nothing of the kind was seen";
}

struct cup_value cup_metric_named(const struct cup_totals *totals, const char *section,
                                  const char *name)
{
    for (size_t i = 0; i < cup_metric_count; i++)
        if (strcmp(cup_metrics[i].name, name) == 0 && strcmp(cup_metrics[i].section, section) == 0)
            return cup_metric_value(&cup_metrics[i], totals);
    return cup_null();
}
