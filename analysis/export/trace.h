/* A trace in Chrome's JSON format while it is written: shared by the files that write its parts. */
#pragma once

#include "analysis/base/pair_map.h"
#include "analysis/metrics/totals.h"
#include "analysis/write/json_writer.h"
#include "analysis/write/output.h"

struct cup_trace {
    const struct cup_totals *totals;
    const struct cup_profile *profile;
    const struct cup_output *output;
    struct cup_record_reader keys;
    int64_t start_ns;  /* time 0 of the trace */
    uint32_t *numbers; /* owned; pid in the trace of each process, then of the run as a whole */
    struct cup_pair_map threads; /* threads that were already named, by process and tid */
    bool out_of_memory;
    uint64_t samples;         /* samples of stacks that were written */
    uint64_t damaged_samples; /* records and rows that cannot be written */
    struct cup_json json;
};

/* Opens a trace. Viewers identify a process by its pid alone, and two hosts may use the same pid:
 * the first process keeps it, the others get numbers above any pid. Returns 0, or -1 without
 * memory; cup_trace_close() in both cases. */
int cup_trace_open(struct cup_trace *trace, const struct cup_totals *totals,
                   const struct cup_output *output);
void cup_trace_close(struct cup_trace *trace);

/* Write the name of a process, or of a thread (only the first time). */
void cup_trace_name_process(struct cup_trace *trace, uint32_t process, const char *name);
void cup_trace_name_thread(struct cup_trace *trace, uint32_t process, uint32_t tid,
                           const char *name);

/* In microseconds. */
struct cup_value cup_trace_duration(int64_t ns);

/* Begins an event with the keys that all events have (no time for phase "M"). Then call
 * cup_trace_put() for more keys, and cup_trace_end(); or cup_trace_arguments(), cup_trace_put() for
 * each argument, and cup_trace_end_arguments(). */
void cup_trace_begin(struct cup_trace *trace, const char *phase, struct cup_text name,
                     uint32_t process, uint32_t thread, int64_t time_ns);
void cup_trace_put(struct cup_trace *trace, const char *name, struct cup_value value);
void cup_trace_arguments(struct cup_trace *trace);
void cup_trace_end(struct cup_trace *trace);
void cup_trace_end_arguments(struct cup_trace *trace);

/* Writes the stack of each sample, on its thread. Returns 0, or -1 without memory. */
int cup_trace_samples(struct cup_trace *trace);
