/* How long the run took, how much it did, how fast. */
#include "analysis/metrics/dask/coffea_compare.h"
#include "analysis/metrics/formulas.h"
#include "analysis/profile/summed_text.h"

/* ---- workflow: when and how long -------------------------------------------------------- */

/* Of several calls, those of one are within those of another. */
static struct cup_value stage_s(T t, int64_t ns)
{
    return cup_value_if(!cup_stages_overlap(t->profile), cup_ns_or_null(ns));
}

/* Before the first task, and between metadata and chunks. */
static struct cup_value graph_s(T t)
{
    int64_t ns = t->tasks.start_ns - t->run.start_ns;
    if (t->metadata.stop_ns && t->chunks.start_ns > t->metadata.stop_ns)
        ns += t->chunks.start_ns - t->metadata.stop_ns;
    return cup_value_if(cup_run_call(t) && !t->call_left_out, stage_s(t, ns));
}

static struct cup_value merge_s(T t)
{
    return cup_value_if(t->chunks.stop_ns, stage_s(t, cup_merge_end_ns(t) - t->chunks.stop_ns));
}

/* ---- workflow: sums --------------------------------------------------------------------- */

static struct cup_value total_cpu_time(T t)
{
    uint64_t ns = cup_coffea_figure(t, CUP_COFFEA_PROCESS);
    return ns == CUP_UNKNOWN64 ? cup_null() : cup_ns(ns);
}

static struct cup_value avg_cpu_time_per_chunk(T t)
{
    const struct cup_coffea_file *given = t->given;
    enum cup_coffea_origin origin = cup_coffea_origin(t, CUP_COFFEA_PROCESS);
    uint64_t chunks =
        origin == CUP_COFFEA_SEEN ? t->timed_chunks : given->report.of[CUP_COFFEA_CHUNKS];
    return chunks == CUP_UNKNOWN64 ? cup_null()
                                   : cup_ratio(cup_number(total_cpu_time(t)), (double)chunks);
}

static struct cup_value wire_bytes(T t)
{
    const uint64_t *none = t->without_task;
    uint64_t outside = none[CUP_C_RECV_BYTES] + none[CUP_C_WIRE_RECV_BYTES];
    return cup_value_if(!t->profile->selective || outside == 0,
                        cup_count(t->counters[CUP_C_RECV_BYTES] + outside));
}

/* ---- what Coffea reports ---------------------------------------------------------------- */

/* What the processor's tasks were given that is not in read_bytes; of all attempts. */
static uint64_t otherwise_read(T t)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < t->profile->prefix_count; i++)
        if (cup_prefix_is_processor(t, i))
            sum += cup_otherwise_read(t->profile->prefixes[i].counters);
    return sum;
}

static struct cup_value read_amplification(T t)
{
    return cup_ratio((double)(t->coffea.read_bytes + otherwise_read(t)),
                     cup_number(cup_count_or_null(cup_coffea_bytes(&t->coffea))));
}

/* NAN where it is not known. */
static double requested_bytes(T t)
{
    return cup_number(cup_count_or_null(cup_coffea_figure(t, CUP_COFFEA_BYTES)));
}

static const double gigabit = 1e9 / 8, megabyte = 1e6;

/* ---- event rates ------------------------------------------------------------------------ */

static struct cup_value event_rate(T t, double seconds, double scale)
{
    return cup_value_if(cup_events_known(t), cup_ratio((double)t->events / scale, seconds));
}

/* The time inside process() is known of some chunks only if others were not Coffea's, or if a
 * worker lacked the feature. */
static struct cup_value process_event_rate(T t)
{
    bool whole = cup_coffea_origin(t, CUP_COFFEA_PROCESS) != CUP_COFFEA_SEEN ||
                 t->timed_chunks == t->used_chunks;
    return cup_value_if(whole, event_rate(t, cup_number(total_cpu_time(t)), 1e3));
}

/* Per core of all workers. */
static struct cup_value core_event_rate(T t, double cores)
{
    return cup_value_if(cup_tasks_known(t), event_rate(t, cup_run_s(t) * cores, 1));
}

/* ---- sources and reasons that several rows share ---------------------------------------- */

#define NO_CORE_RATE CUP_EVENTS_MISSING "; or " CUP_LOG_MISSING

#define CHUNK_C                                                                                    \
    "C: from Coffea's report of each chunk, read in the worker, added up over the chunks whose "   \
    "result was used: "
#define NO_REPORTS "no chunk's report was seen, or " CUP_SUMMED
#define NO_BASKETS "branches.compressed_bytes, or branches.uncompressed_bytes, says why"

#define METRIC_SECTION workflow
#define METRIC_ROWS "analysis/metrics/rows_workflow.h"
#include "analysis/metrics/section_table.h"
