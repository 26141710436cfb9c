/* A trace of events in Chrome's JSON form, while it is written: what its parts share. */
#ifndef CUPPING_ANALYSIS_EXPORT_TRACE_H
#define CUPPING_ANALYSIS_EXPORT_TRACE_H

#include "analysis/base/pair_map.h"
#include "analysis/metrics/totals.h"
#include "analysis/write/json_writer.h"
#include "analysis/write/output.h"

struct cup_trace {
    const struct cup_totals *totals;
    const struct cup_profile *profile;
    const struct cup_output *output;
    struct cup_key_reader keys;
    int64_t start_ns;            /* what its times count from */
    uint32_t *numbers;           /* owned; of the processes, and after those of the run */
    struct cup_pair_map threads; /* those that have a name, by process and tid */
    bool out_of_memory;
    uint64_t samples;         /* of stacks that were written */
    uint64_t damaged_samples; /* records of stacks, and rows of samples, that cannot be */
    struct cup_json json;
};

/* Viewers tell processes by their pid alone, and those of several hosts may be the same: the first
 * one of each pid keeps it, the others get numbers that are no pid. Returns 0, or -1 without
 * memory; cup_trace_close() it all the same. */
int cup_trace_open(struct cup_trace *trace, const struct cup_totals *totals,
                   const struct cup_output *output);
void cup_trace_close(struct cup_trace *trace);

/* Writes what a process is called; or a thread, once. */
void cup_trace_name_process(struct cup_trace *trace, uint32_t process, const char *name);
void cup_trace_name_thread(struct cup_trace *trace, uint32_t process, uint32_t tid,
                           const char *name);

/* Microseconds since the trace began, never negative: viewers drop such events. */
struct cup_value cup_trace_time(const struct cup_trace *trace, int64_t time_ns);
struct cup_value cup_trace_duration(int64_t ns);

/* An event with what all have ("M": without a time); more may follow, or its arguments, then
 * cup_trace_end() or cup_trace_end_arguments(). */
void cup_trace_begin(struct cup_trace *trace, const char *phase, struct cup_text name,
                     uint32_t process, uint32_t thread, int64_t time_ns);
void cup_trace_put(struct cup_trace *trace, const char *name, struct cup_value value);
void cup_trace_arguments(struct cup_trace *trace);
void cup_trace_end(struct cup_trace *trace);
void cup_trace_end_arguments(struct cup_trace *trace);

/* Index of what is no process: the run as a whole. */
static inline uint32_t cup_trace_run(const struct cup_trace *trace)
{
    return (uint32_t)trace->profile->process_count;
}

static inline struct cup_text cup_trace_text(const char *string)
{
    return (struct cup_text){string, strlen(string)};
}

/* ---- its parts ---------------------------------------------------------------------------- */

/* What a process did over time, as its log has it: rates of the run. */
void cup_trace_rates(struct cup_trace *trace, uint32_t process);

/* What the scheduler told of itself and of its workers during the run; of several, the first one.
 * Returns 0, or -1 without memory. */
int cup_trace_cluster(struct cup_trace *trace);

/* Of a process, at the begin and the end of each task: it is not sampled in between. */
void cup_trace_memory(struct cup_trace *trace, const struct cup_task *task);

/* Stacks of all threads, where and when samples found them. Returns 0, or -1 without memory. */
int cup_trace_samples(struct cup_trace *trace);

#endif
