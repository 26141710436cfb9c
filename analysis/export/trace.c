#include "analysis/export/trace.h"

#include <stdlib.h>

#include "analysis/base/id_map.h"

/* ---- processes ---------------------------------------------------------------------------- */

enum { FIRST_OTHER = 1 << 22 }; /* Linux has no pid from here on */

static int number_processes(struct cup_trace *trace)
{
    const struct cup_profile *profile = trace->profile;
    struct cup_id_map seen = {0};
    uint32_t others = 0;
    int result = 0;
    trace->numbers = calloc(profile->process_count + 1, sizeof *trace->numbers);
    if (!trace->numbers)
        return -1;
    for (size_t i = 0; i < profile->process_count && result == 0; i++) {
        uint32_t pid = profile->processes[i].header.pid;
        bool taken = pid >= FIRST_OTHER || cup_id_map_get(&seen, pid);
        trace->numbers[i] = taken ? FIRST_OTHER + others++ : pid;
        if (!taken)
            result = cup_id_map_set(&seen, pid, 1);
    }
    trace->numbers[profile->process_count] = FIRST_OTHER + others;
    cup_id_map_clear(&seen);
    return result;
}

/* Clocks of hosts differ a little: the first task may have begun before the run. */
static int64_t first_ns(const struct cup_totals *totals)
{
    const struct cup_profile *profile = totals->profile;
    int64_t first = totals->run.start_ns;
    for (size_t i = 0; i < profile->task_count; i++)
        if (profile->tasks[i].start_ns < first)
            first = profile->tasks[i].start_ns;
    return first;
}

int cup_trace_open(struct cup_trace *trace, const struct cup_totals *totals,
                   const struct cup_output *output)
{
    *trace = (struct cup_trace){.totals = totals,
                                .profile = totals->profile,
                                .output = output,
                                .start_ns = first_ns(totals)};
    cup_record_reader_open(&trace->keys, totals->profile);
    cup_json_start(&trace->json, output->file);
    return number_processes(trace);
}

void cup_trace_close(struct cup_trace *trace)
{
    cup_record_reader_close(&trace->keys);
    cup_pair_map_clear(&trace->threads);
    free(trace->numbers);
}

/* ---- events ------------------------------------------------------------------------------- */

struct cup_value cup_trace_duration(int64_t ns)
{
    return cup_real((double)ns / 1e3);
}

void cup_trace_put(struct cup_trace *trace, const char *name, struct cup_value value)
{
    cup_json_value(&trace->json, name, value);
}

void cup_trace_begin(struct cup_trace *trace, const char *phase, struct cup_text name,
                     uint32_t process, uint32_t thread, int64_t time_ns)
{
    cup_json_row(&trace->json, NULL);
    cup_trace_put(trace, "ph", cup_string(phase));
    cup_trace_put(trace, "name", name.length ? cup_text(name) : cup_string("(not known)"));
    cup_trace_put(trace, "pid", cup_count(trace->numbers[process]));
    cup_trace_put(trace, "tid", cup_count(thread));
    int64_t since_ns = time_ns - trace->start_ns;
    if (*phase != 'M') /* viewers drop events with negative times */
        cup_trace_put(trace, "ts", cup_trace_duration(since_ns > 0 ? since_ns : 0));
}

void cup_trace_arguments(struct cup_trace *trace)
{
    cup_json_object(&trace->json, "args");
}

void cup_trace_end(struct cup_trace *trace)
{
    cup_json_end_object(&trace->json);
}

void cup_trace_end_arguments(struct cup_trace *trace)
{
    cup_json_end_object(&trace->json);
    cup_json_end_object(&trace->json);
}

/* ---- names -------------------------------------------------------------------------------- */

static void put_name(struct cup_trace *trace, const char *kind, uint32_t process, uint32_t tid,
                     const char *name)
{
    cup_trace_begin(trace, "M", cup_string(kind).text, process, tid, 0);
    cup_trace_arguments(trace);
    cup_trace_put(trace, "name", cup_string(name));
    cup_trace_end_arguments(trace);
}

void cup_trace_name_process(struct cup_trace *trace, uint32_t process, const char *name)
{
    put_name(trace, "process_name", process, 0, name);
}

void cup_trace_name_thread(struct cup_trace *trace, uint32_t process, uint32_t tid,
                           const char *name)
{
    if (cup_pair_map_get(&trace->threads, process, tid))
        return;
    if (cup_pair_map_set(&trace->threads, process, tid, 1) != 0)
        trace->out_of_memory = true;
    put_name(trace, "thread_name", process, tid, name);
}
