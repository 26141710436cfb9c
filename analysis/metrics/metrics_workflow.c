/* How long the run took, how much it did, how fast. */
#include "analysis/metrics/dask/coffea_compare.h"
#include "analysis/metrics/formulas.h"

#include <stdlib.h>

/* ---- workflow: when and how long -------------------------------------------------------- */

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
    return cup_ns_or_null(cup_stretch_ns(t->run));
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
    return cup_ns_or_null(cup_stretch_ns(t->metadata));
}

static struct cup_value process_s(T t)
{
    return cup_ns_or_null(cup_stretch_ns(t->chunks));
}

static struct cup_value tail_s(T t)
{
    return cup_ns_or_null(t->tail_ns);
}

static struct cup_value merge_s(T t)
{
    const struct cup_run *call = cup_run_call(t);
    int64_t end_ns = t->tasks.stop_ns;
    if (call && call->stop_ns > end_ns)
        end_ns = call->stop_ns;
    return t->chunks.stop_ns ? cup_ns_or_null(end_ns - t->chunks.stop_ns) : cup_null();
}

/* ---- workflow: sums --------------------------------------------------------------------- */

static struct cup_value total_cpu_time(T t)
{
    uint64_t ns = cup_coffea_figure(t, CUP_COFFEA_PROCESS);
    return ns == CUP_UNKNOWN64 ? cup_null() : cup_of_ns(ns);
}

/* Seconds; 0 where it is not known. */
static double process_time(T t)
{
    uint64_t ns = cup_coffea_figure(t, CUP_COFFEA_PROCESS);
    return ns == CUP_UNKNOWN64 ? 0 : (double)ns / 1e9;
}

static struct cup_value total_thread_cpu_time(T t)
{
    return cup_ended_with_cpu(t) ? cup_of_ns(cup_all_cpu_ns(t)) : cup_null();
}

static struct cup_value total_helper_cpu_time(T t)
{
    return cup_of_ns(t->counters[CUP_C_HELPER_CPU_NS]);
}

static struct cup_value total_task_time(T t)
{
    return cup_of_ns(t->all.wall_ns);
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
    uint64_t chunks = t->timed_chunks ? t->timed_chunks : cup_coffea_figure(t, CUP_COFFEA_CHUNKS);
    return chunks == CUP_UNKNOWN64 ? cup_null() : cup_ratio(process_time(t), (double)chunks);
}

static struct cup_value total_events(T t)
{
    return cup_events_known(t) ? cup_count(t->events) : cup_null();
}

/* ---- bytes ------------------------------------------------------------------------------ */
static struct cup_value total_bytes_read(T t)
{
    return cup_count(cup_attributed_bytes(t));
}

static struct cup_value wire_bytes(T t)
{
    struct cup_value recv = cup_class_bytes(t, CUP_C_RECV_BYTES);
    recv.count += t->without_task[CUP_C_WIRE_RECV_BYTES];
    return recv;
}

static struct cup_value gbps(double bytes, double seconds)
{
    return cup_ratio(bytes * 8 / 1e9, seconds);
}

static struct cup_value delivered_rate_gbps(T t)
{
    return gbps((double)cup_attributed_bytes(t), cup_run_s(t));
}

static struct cup_value delivered_rate_process_gbps(T t)
{
    return gbps((double)cup_attributed_bytes(t), cup_chunks_s(t));
}

static struct cup_value file_rate_gbps(T t)
{
    return t->chunk_file_size ? gbps((double)t->chunk_file_size, cup_run_s(t)) : cup_null();
}

static struct cup_value file_rate_process_gbps(T t)
{
    return t->chunk_file_size ? gbps((double)t->chunk_file_size, cup_chunks_s(t)) : cup_null();
}

static struct cup_value delivered_rate_mbs(T t)
{
    return cup_ratio((double)cup_attributed_bytes(t) / 1e6, cup_run_s(t));
}

static struct cup_value delivered_rate_process_mbs(T t)
{
    return cup_ratio((double)cup_attributed_bytes(t) / 1e6, cup_chunks_s(t));
}

/* ---- what Coffea reports ---------------------------------------------------------------- */

static struct cup_value num_chunks_coffea(T t)
{
    return cup_known_worker_count(cup_coffea_figure(t, CUP_COFFEA_CHUNKS));
}

static struct cup_value total_events_coffea(T t)
{
    return cup_known_worker_count(cup_coffea_figure(t, CUP_COFFEA_ENTRIES));
}

static struct cup_value total_bytes_read_coffea(T t)
{
    return cup_known_worker_count(cup_coffea_figure(t, CUP_COFFEA_BYTES));
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

/* Per second, in so many bytes a unit. */
static struct cup_value requested_rate(T t, double seconds, double unit)
{
    uint64_t bytes = cup_coffea_figure(t, CUP_COFFEA_BYTES);
    return bytes == CUP_UNKNOWN64 ? cup_null() : cup_ratio((double)bytes / unit, seconds);
}

static const double gigabit = 1e9 / 8, megabyte = 1e6;

static struct cup_value requested_rate_gbps(T t)
{
    return requested_rate(t, cup_run_s(t), gigabit);
}

static struct cup_value requested_rate_process_gbps(T t)
{
    return requested_rate(t, cup_chunks_s(t), gigabit);
}

static struct cup_value requested_rate_mbs(T t)
{
    return requested_rate(t, cup_run_s(t), megabyte);
}

static struct cup_value requested_rate_process_mbs(T t)
{
    return requested_rate(t, cup_chunks_s(t), megabyte);
}

static struct cup_value memory_read_dask(T t)
{
    return cup_fine_of(&t->fine, t->profile, &t->fine.all, CUP_FINE_MEMORY_READ);
}

/* ---- baskets: metrics_branches.c has all of them ------------------------------------------ */

static struct cup_value baskets_compressed(T t)
{
    return cup_metric_named(t, "branches", "compressed_bytes");
}

static struct cup_value baskets_uncompressed(T t)
{
    return cup_metric_named(t, "branches", "uncompressed_bytes");
}

static struct cup_value baskets_ratio(T t)
{
    return cup_metric_named(t, "branches", "compression_ratio");
}

static struct cup_value amplification_baskets(T t)
{
    return cup_metric_named(t, "branches", "read_amplification");
}

/* ---- event rates ------------------------------------------------------------------------ */

static struct cup_value event_rate(T t, double seconds, double scale)
{
    return cup_events_known(t) ? cup_ratio((double)t->events / scale, seconds) : cup_null();
}

static struct cup_value event_rate_wall_khz(T t)
{
    return event_rate(t, cup_run_s(t), 1e3);
}

static struct cup_value event_rate_agg_khz(T t)
{
    return event_rate(t, process_time(t), 1e3);
}

static struct cup_value event_rate_agg_thread_cpu_khz(T t)
{
    return event_rate(t, (double)cup_all_cpu_ns(t) / 1e9, 1e3);
}

static struct cup_value event_rate_core_hz(T t)
{
    return event_rate(t, cup_run_s(t) * cup_total_cores(t), 1);
}

static struct cup_value event_rate_core_avg_cores_hz(T t)
{
    return event_rate(t, cup_run_s(t) * cup_run_cores(t), 1);
}

/* ---- the table -------------------------------------------------------------------------- */

#define CHUNK_C                                                                                    \
    "C: what Coffea reports of each chunk, read where it reads it itself, added up over the "      \
    "chunks whose result was used: its "
#define NO_BASKETS "branches.compressed_bytes, or branches.uncompressed_bytes, says why"
#define FILES CUP_FEATURE_FILES
#define BASKETS CUP_FEATURE_BASKETS
#define HANDOFF CUP_FEATURE_HANDOFF

/* clang-format off */
static const struct cup_metric metrics[] = {
    {"t_start", "start (UTC)", CUP_UNIT_NONE, t_start, "C: first clock call of the client's Runner call, where that was seen; else, or where that is earlier, P: first task start", 0, NULL},
    {"t_stop", "stop (UTC)", CUP_UNIT_NONE, t_stop, "C: last clock call of the client's Runner call, where that was seen; else, or where that is later, P: last task stop; where tasks never ended and held their threads, the last sign of their process, if that is later", 0, NULL},
    {"wall_time", "wall time", CUP_UNIT_SECONDS, wall_time, "P: t_stop - t_start", 0, NULL},
    {"graph_s", "stage: building the graph", CUP_UNIT_SECONDS, graph_s, "C and P: from the Runner call's start to the first task, and from the last metadata task to the first chunk", 0, NULL},
    {"preprocess_s", "stage: metadata tasks", CUP_UNIT_SECONDS, preprocess_s, "P: first to last metadata task", 0, NULL},
    {"process_s", "stage: chunks", CUP_UNIT_SECONDS, process_s, "P: first start to last stop of a chunk", 0, NULL},
    {"tail_s", "  after 90 % of them", CUP_UNIT_SECONDS, tail_s, "P: last chunk's stop less that of the 90 % mark", 0, NULL},
    {"merge_s", "stage: merging", CUP_UNIT_SECONDS, merge_s, "P and C: end of the Runner call, where it was seen, or last task stop, less last chunk stop", 0, NULL},
    {"total_cpu_time", "inside process(), summed", CUP_UNIT_SECONDS, total_cpu_time, "C: Coffea's own clock calls around process(), which its report adds up as processtime; wall time, in spite of the name", 0, NULL},
    {"total_thread_cpu_time", "CPU time of tasks", CUP_UNIT_SECONDS, total_thread_cpu_time, "P: CPU clocks of the tasks' own threads, and of their helper threads where those are known; async tasks have no clock of their own", 0, NULL},
    {"total_helper_cpu_time", "  of helper threads", CUP_UNIT_SECONDS, total_helper_cpu_time, "P: CPU time that other threads used for tasks", HANDOFF, NULL},
    {"total_task_time", "inside tasks, summed", CUP_UNIT_SECONDS, total_task_time, "P: sum over ended tasks", 0, NULL},
    {"num_chunks", "chunks", CUP_UNIT_COUNT, num_chunks, "P: different chunks that succeeded", 0, NULL},
    {"num_chunks_coffea", "  as Coffea counts them", CUP_UNIT_COUNT, num_chunks_coffea, CHUNK_C "chunks", 0, NULL},
    {"num_failed_chunks", "failed attempts", CUP_UNIT_COUNT, num_failed_chunks, "P: attempts at chunks that erred", 0, NULL},
    {"num_retried_chunks", "retried chunks", CUP_UNIT_COUNT, num_retried_chunks, "P: the same key seen twice or more", 0, NULL},
    {"avg_cpu_time_per_chunk", "process() per chunk", CUP_UNIT_SECONDS, avg_cpu_time_per_chunk, "C: total_cpu_time / chunks that have it", 0, NULL},
    {"total_events", "events", CUP_UNIT_COUNT, total_events, "P: entry ranges of the chunks that succeeded", 0, NULL},
    {"total_events_coffea", "  as Coffea counts them", CUP_UNIT_COUNT, total_events_coffea, CHUNK_C "entries", 0, NULL},
    {"num_columns", "columns", CUP_UNIT_COUNT, num_columns, CHUNK_C "columns, each once", 0, NULL},
    {"total_bytes_read_coffea", "bytes asked for by uproot", CUP_UNIT_BYTES, total_bytes_read_coffea, CHUNK_C "bytesread", 0, NULL},
    {"total_bytes_read", "bytes delivered to tasks", CUP_UNIT_BYTES, total_bytes_read, "P: data files, mapped files and sockets, to the task and its helpers; children apart", FILES, NULL},
    {"wire_bytes", "bytes from sockets", CUP_UNIT_BYTES, wire_bytes, "P: what sockets delivered in worker processes, Dask's own apart; what came by XRootD is in total_bytes_read as file reads", FILES, NULL},
    {"read_amplification", "read amplification", CUP_UNIT_RATIO, read_amplification, "P and C: read by the chunks whose result was used (and mapped and received by all attempts at chunks) / what Coffea reports of these chunks as seen, also where a given report has another total", FILES, NULL},
    {"total_bytes_memory_read_dask", "task inputs from memory", CUP_UNIT_BYTES, memory_read_dask, "D: fine.memory_read_bytes", 0, "fine.memory_read_bytes says why"},
    {"read_amplification_baskets", "  over different baskets", CUP_UNIT_RATIO, amplification_baskets, "P: branches.read_amplification: read by tasks from the files whose baskets were seen / compressed bytes of different baskets", BASKETS, "branches.read_amplification says why"},
    {"bytes_read_compressed", "baskets, compressed", CUP_UNIT_BYTES, baskets_compressed, "P: branches.compressed_bytes: baskets that were asked for or requested, keys too", BASKETS, NO_BASKETS},
    {"bytes_read_uncompressed", "baskets, uncompressed", CUP_UNIT_BYTES, baskets_uncompressed, "P: branches.uncompressed_bytes: of those whose keys were seen", BASKETS, NO_BASKETS},
    {"compression_ratio", "compression ratio", CUP_UNIT_RATIO, baskets_ratio, "P: uncompressed / compressed, of the baskets whose keys were seen", BASKETS, NO_BASKETS},
    {"overall_rate_gbps", NULL, CUP_UNIT_GBPS, delivered_rate_gbps, "P: delivered, total_bytes_read over wall_time", FILES, NULL},
    {"overall_rate_mbs", NULL, CUP_UNIT_MBS, delivered_rate_mbs, "P: delivered, total_bytes_read over wall_time", FILES, NULL},
    {"requested_rate_gbps", "rate, requested", CUP_UNIT_GBPS, requested_rate_gbps, "C: total_bytes_read_coffea over wall_time", 0, NULL},
    {"requested_rate_mbs", "rate, requested", CUP_UNIT_MBS, requested_rate_mbs, "C: total_bytes_read_coffea over wall_time", 0, NULL},
    {"requested_rate_process_gbps", "  during the chunks", CUP_UNIT_GBPS, requested_rate_process_gbps, "C: total_bytes_read_coffea over process_s", 0, NULL},
    {"requested_rate_process_mbs", "  during the chunks", CUP_UNIT_MBS, requested_rate_process_mbs, "C: total_bytes_read_coffea over process_s", 0, NULL},
    {"delivered_rate_gbps", "rate, delivered", CUP_UNIT_GBPS, delivered_rate_gbps, "P: total_bytes_read over wall_time", FILES, NULL},
    {"delivered_rate_mbs", "rate, delivered", CUP_UNIT_MBS, delivered_rate_mbs, "P: total_bytes_read over wall_time", FILES, NULL},
    {"delivered_rate_process_gbps", "  during the chunks", CUP_UNIT_GBPS, delivered_rate_process_gbps, "P: total_bytes_read over process_s", FILES, NULL},
    {"delivered_rate_process_mbs", "  during the chunks", CUP_UNIT_MBS, delivered_rate_process_mbs, "P: total_bytes_read over process_s", FILES, NULL},
    {"file_rate_gbps", "rate, file-equivalent", CUP_UNIT_GBPS, file_rate_gbps, "P: size of the .root files that chunks read, over wall_time", 0, NULL},
    {"file_rate_process_gbps", "  during the chunks", CUP_UNIT_GBPS, file_rate_process_gbps, "P: size of the .root files that chunks read, over process_s", 0, NULL},
    {"event_rate_wall_khz", "events per wall time", CUP_UNIT_KHZ, event_rate_wall_khz, "P: total_events / wall_time", 0, NULL},
    {"event_rate_agg_khz", "events per process() time", CUP_UNIT_KHZ, event_rate_agg_khz, "P and C: total_events / total_cpu_time", 0, NULL},
    {"event_rate_agg_thread_cpu_khz", "events per CPU time", CUP_UNIT_KHZ, event_rate_agg_thread_cpu_khz, "P: total_events / total_thread_cpu_time", 0, NULL},
    {"event_rate_core_hz", "events per core", CUP_UNIT_HZ, event_rate_core_hz, "P: total_events / (wall_time * total_cores); threads: #", 0, NULL},
    {"event_rate_core_avg_cores_hz", NULL, CUP_UNIT_HZ, event_rate_core_avg_cores_hz, "P: total_events / (wall_time * avg_cores); threads: #", 0, NULL},
};
/* clang-format on */

const struct cup_metric_section cup_workflow_metrics = {"workflow", metrics,
                                                        sizeof metrics / sizeof *metrics};
