/* A trace in Chrome's JSON form: tasks on the threads that ran them, counters, and stacks. Times
 * are microseconds since the run began, so that a double holds them to the nanosecond; otherData
 * says when that was. */
#include "analysis/export/export.h"
#include "analysis/export/trace.h"
#include "analysis/log/log_reader.h"
#include "analysis/profile/samples/worker_rows.h"
#include "analysis/tasks/task_columns.h"

/* Index of the run as a whole, which viewers show as one more process. */
static uint32_t run_index(const struct cup_trace *trace)
{
    return (uint32_t)trace->profile->process_count;
}

/* ---- names -------------------------------------------------------------------------------- */

/* The Dask server of a process, if there is but one. */
static struct cup_text server_name(const struct cup_trace *trace, uint32_t process)
{
    struct cup_text name = {0};
    for (size_t i = 0; i < trace->profile->server_count; i++) {
        const struct cup_server *server = &trace->profile->servers[i];
        if (server->process != process)
            continue;
        if (name.length)
            return (struct cup_text){0};
        name = cup_profile_text(trace->profile, server->name ? server->name : server->address);
    }
    return name;
}

/* Adds the pid if the trace uses another number for the process. */
static void put_process(struct cup_trace *trace, uint32_t process)
{
    const struct cup_log_header *header = &trace->profile->processes[process].header;
    struct cup_text name = server_name(trace, process);
    char whole[400], pid[16] = "";
    if (trace->numbers[process] != header->pid)
        snprintf(pid, sizeof pid, ":%u", header->pid);
    snprintf(whole, sizeof whole, "%.*s%s%.*s%s", name.length < 250 ? (int)name.length : 250,
             name.length ? name.bytes : "", name.length ? " " : "", (int)sizeof header->host,
             header->host, pid);
    cup_trace_name_process(trace, process, whole);
}

/* An event for the whole run, so that viewers also show the time before the first task. */
static void put_run(struct cup_trace *trace)
{
    const struct cup_stretch run = trace->totals->run;
    uint32_t number = run_index(trace), thread = trace->numbers[number];
    if (cup_stretch_ns(run) < 0)
        return;
    cup_trace_name_process(trace, number, "run");
    cup_trace_name_thread(trace, number, thread, "run");
    cup_trace_begin(trace, "X", cup_string("run").text, number, thread, run.start_ns);
    cup_trace_put(trace, "dur", cup_trace_duration(cup_stretch_ns(run)));
    cup_trace_end(trace);
}

/* ---- tasks -------------------------------------------------------------------------------- */

static void put_waits(struct cup_trace *trace, size_t index)
{
    const struct cup_profile *profile = trace->profile;
    uint32_t process = cup_task_process(profile, &profile->tasks[index]);
    for (int i = 0; profile->own_waits && i < CUP_WAITED_MEASURED; i++)
        if (cup_process_has(profile, process, cup_wait_parts[i].needs))
            cup_trace_put(trace, cup_wait_parts[i].name,
                          cup_seconds((int64_t)profile->own_waits[index].ns[i]));
}

static void put_item(struct cup_trace *trace, const struct cup_item *item)
{
    const struct cup_profile *profile = trace->profile;
    uint32_t dataset = cup_source_of(profile, item)->dataset;
    if (dataset)
        cup_trace_put(trace, "dataset", cup_text(cup_profile_text(profile, dataset)));
    if (item->file)
        cup_trace_put(trace, "file", cup_text(cup_profile_text(profile, item->file)));
    if (item->entry_start >= 0) {
        cup_trace_put(trace, "entry_start", cup_signed(item->entry_start));
        cup_trace_put(trace, "entry_stop", cup_signed(item->entry_stop));
    }
}

static void put_arguments(struct cup_trace *trace, size_t index)
{
    const struct cup_task *task = &trace->profile->tasks[index];
    const struct cup_item *item = cup_task_item(trace->profile, task);
    struct cup_text key = cup_key_read(&trace->keys, task);
    cup_trace_arguments(trace);
    cup_trace_put(trace, "key", cup_text(key));
    cup_trace_put(trace, "status", cup_string(cup_task_status_name(trace->profile, task)));
    if (task->cpu_ns != CUP_UNKNOWN64)
        cup_trace_put(trace, "cpu_s", cup_seconds((int64_t)task->cpu_ns));
    cup_trace_put(trace, "read_bytes", cup_count(task->read_bytes));
    put_waits(trace, index);
    if (task->result_bytes != CUP_UNKNOWN64)
        cup_trace_put(trace, "result_bytes", cup_count(task->result_bytes));
    uint32_t error = cup_rare_of(trace->profile, task)->error;
    if (error)
        cup_trace_put(trace, "error", cup_text(cup_profile_text(trace->profile, error)));
    if (item)
        put_item(trace, item);
    cup_trace_end(trace);
}

static int64_t stop_of(const struct cup_trace *trace, const struct cup_task *task)
{
    int64_t last = cup_process_last_sign_ns(
        &trace->profile->processes[cup_task_process(trace->profile, task)]);
    int64_t stop = task->status ? task->stop_ns : last;
    return stop > task->start_ns ? stop : task->start_ns;
}

static void put_slice(struct cup_trace *trace, const struct cup_task *task, const char *name,
                      int64_t from_ns, int64_t to_ns)
{
    cup_trace_begin(trace, "X", cup_string(name).text, cup_task_process(trace->profile, task),
                    task->tid, from_ns);
    cup_trace_put(trace, "cat", cup_string("chunk"));
    cup_trace_put(trace, "dur", cup_trace_duration(to_ns - from_ns));
    cup_trace_end(trace);
}

/* Before and inside of process(), by Coffea's own clock calls; what is left of the task is after
 * it. */
static void put_chunk(struct cup_trace *trace, const struct cup_task *task, int64_t stop_ns)
{
    const struct cup_item *item = cup_task_item(trace->profile, task);
    if (!item || item->tic_ns < task->start_ns || item->toc_ns < item->tic_ns ||
        item->toc_ns > stop_ns)
        return;
    put_slice(trace, task, "before process()", task->start_ns, item->tic_ns);
    put_slice(trace, task, "process()", item->tic_ns, item->toc_ns);
}

/* Begins an event of the task, which must be ended. */
static void begin_task(struct cup_trace *trace, const char *phase, const struct cup_task *task,
                       int64_t time_ns)
{
    const struct cup_profile *profile = trace->profile;
    struct cup_text name =
        cup_profile_text(profile, profile->prefixes[cup_task_prefix(profile, task)].name);
    cup_trace_begin(trace, phase, name, cup_task_process(profile, task), task->tid, time_ns);
    cup_trace_put(trace, "cat", cup_string("task"));
}

/* Tasks of one thread follow each other. */
static void put_task(struct cup_trace *trace, size_t index)
{
    const struct cup_task *task = &trace->profile->tasks[index];
    int64_t stop_ns = stop_of(trace, task);
    begin_task(trace, "X", task, task->start_ns);
    cup_trace_put(trace, "dur", cup_trace_duration(stop_ns - task->start_ns));
    put_arguments(trace, index);
    cup_trace_end(trace);
    put_chunk(trace, task, stop_ns);
    if (task->status != CUP_STATUS_ERRED)
        return;
    cup_trace_begin(trace, "i", cup_string("erred").text, cup_task_process(trace->profile, task),
                    task->tid, stop_ns);
    cup_trace_put(trace, "s", cup_string("t"));
    cup_trace_end(trace);
}

/* On an event loop, or a thread of its own: several may run at a time. */
static void put_async(struct cup_trace *trace, size_t index)
{
    const struct cup_task *task = &trace->profile->tasks[index];
    for (int end = 0; end < 2; end++) {
        begin_task(trace, end ? "e" : "b", task, end ? stop_of(trace, task) : task->start_ns);
        cup_trace_put(trace, "id", cup_count(index + 1));
        if (!end)
            put_arguments(trace, index);
        cup_trace_end(trace);
    }
}

/* ---- counters: viewers show an argument's name after the counter's ------------------------- */

static void put_counter(struct cup_trace *trace, uint32_t process, const char *name,
                        int64_t time_ns, const char *unit, struct cup_value value)
{
    cup_trace_begin(trace, "C", cup_string(name).text, process, 0, time_ns);
    cup_trace_arguments(trace);
    cup_trace_put(trace, unit, value);
    cup_trace_end_arguments(trace);
}

/* The memory of the task's process at the task's begin and end: the log has no values in between.
 */
static void put_memory(struct cup_trace *trace, const struct cup_task *task)
{
    static const char name[] = "memory, RSS", unit[] = "(bytes)";
    uint32_t process = cup_task_process(trace->profile, task);
    if (cup_rss_bytes(task->rss_start) != CUP_UNKNOWN64)
        put_counter(trace, process, name, task->start_ns, unit,
                    cup_count(cup_rss_bytes(task->rss_start)));
    if (task->status && cup_rss_bytes(task->rss_stop) != CUP_UNKNOWN64)
        put_counter(trace, process, name, task->stop_ns, unit,
                    cup_count(cup_rss_bytes(task->rss_stop)));
}

/* One row of a series: the bins that are in the run. */
struct rate {
    const char *name, *unit;
    enum cup_series_row row;
    double scale; /* from a bin's value by its nanoseconds */
};

static void put_rate(struct cup_trace *trace, uint32_t process, const struct cup_series *series,
                     const struct rate *rate)
{
    const struct cup_stretch run = trace->totals->run;
    int64_t from_ns = trace->profile->processes[process].header.log_start_ns;
    bool before = false;
    for (int bin = 0; bin < CUP_SERIES_BINS; bin++, from_ns += (int64_t)series->bin_ns) {
        uint64_t value = series->values[rate->row][bin];
        if (from_ns + (int64_t)series->bin_ns <= run.start_ns || from_ns >= run.stop_ns)
            continue;
        if (value || before) /* and the zero after the last of some */
            put_counter(trace, process, rate->name, from_ns, rate->unit,
                        cup_ratio((double)value * rate->scale, (double)series->bin_ns));
        before = value != 0;
    }
    if (before)
        put_counter(trace, process, rate->name, run.stop_ns, rate->unit, cup_count(0));
}

static void put_rates(struct cup_trace *trace, uint32_t process, const struct cup_series *series)
{
    static const struct rate rates[] = {
        {"files and servers read", "(bytes/s)", CUP_S_READ_BYTES, 1e9},
        {"files written", "(bytes/s)", CUP_S_WRITE_BYTES, 1e9},
        {"waiting for files", "(threads)", CUP_S_IO_WAIT_NS, 1},
        {"waiting for the GIL", "(threads)", CUP_S_GIL_WAIT_NS, 1},
    };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        put_rate(trace, process, series, &rates[i]);
}

/* Counters of a process over time: rates from its log, within the run. */
static void put_process_rates(struct cup_trace *trace, uint32_t process)
{
    enum { BIN_MOST_S = 100000 };
    const struct cup_process *of = &trace->profile->processes[process];
    struct cup_series series;
    struct cup_error error;
    struct cup_log log;
    if (!of->log_path || cup_log_open(&log, of->log_path, &error) != 0)
        return;
    if (cup_log_series(&log, &series) == 0 && series.bin_ns &&
        series.bin_ns < BIN_MOST_S * UINT64_C(1000000000))
        put_rates(trace, process, &series);
    cup_log_close(&log);
}

/* ---- counters of the cluster
 * -------------------------------------------------------------------------- */

static void put_sample(struct cup_trace *trace, const struct cup_sample *sample)
{
    static const struct {
        const char *name, *unit;
        enum cup_sample_value value;
        double divisor;
    } shown[] = {{"workers", "(count)", CUP_SV_WORKERS, 1},
                 {"idle workers", "(count)", CUP_SV_IDLE, 1},
                 {"queued tasks", "(count)", CUP_SV_QUEUED, 1},
                 {"event loop's longest tick", "(ms)", CUP_SV_LOOP_LONGEST_NS, 1e6}};
    for (size_t i = 0; i < sizeof shown / sizeof *shown; i++) {
        uint64_t value = sample->values[shown[i].value];
        if (value != CUP_UNKNOWN64)
            put_counter(trace, run_index(trace), shown[i].name, sample->time_ns, shown[i].unit,
                        cup_ratio((double)value, shown[i].divisor));
    }
}

/* Counters of the scheduler and its workers during the run; of several schedulers, the first.
 * Returns 0, or -1 without memory. */
static int put_cluster(struct cup_trace *trace)
{
    const struct cup_stretch run = trace->totals->run;
    struct cup_worker_rows rows;
    uint32_t server = 0;
    cup_worker_rows_start(&rows, trace->profile, CUP_ROLE_SCHEDULER);
    while (cup_worker_rows_next(&rows)) {
        server = server ? server : rows.sample.server;
        if (rows.sample.server == server && rows.sample.time_ns >= run.start_ns &&
            rows.sample.time_ns <= run.stop_ns)
            put_sample(trace, &rows.sample);
    }
    return cup_worker_rows_finish(&rows);
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void put_processes(struct cup_trace *trace)
{
    const struct cup_profile *profile = trace->profile;
    for (uint32_t i = 0; i < profile->process_count; i++) {
        if (!cup_process_is_worker(&profile->processes[i]))
            continue;
        put_process(trace, i);
        put_process_rates(trace, i);
    }
}

static void put_tasks(struct cup_trace *trace)
{
    const struct cup_profile *profile = trace->profile;
    for (size_t i = 0; i < profile->task_count && !cup_output_failed(trace->output); i++) {
        const struct cup_task *task = &profile->tasks[i];
        bool pool = cup_task_place(task) == CUP_PLACE_POOL;
        cup_trace_name_thread(trace, cup_task_process(profile, task), task->tid,
                              pool ? "tasks" : "other tasks");
        if (pool)
            put_task(trace, i);
        else
            put_async(trace, i);
        put_memory(trace, task);
    }
}

static int put_events(struct cup_trace *trace)
{
    cup_json_array(&trace->json, "traceEvents");
    put_run(trace);
    bool failed = put_cluster(trace) != 0;
    put_processes(trace);
    put_tasks(trace);
    failed |= cup_trace_samples(trace) != 0;
    cup_json_end_array(&trace->json);
    return failed || trace->out_of_memory ? -1 : 0;
}

/* At the end, when all is counted. */
static void put_other(struct cup_trace *trace)
{
    const struct cup_profile *profile = trace->profile;
    cup_json_object(&trace->json, "otherData");
    cup_trace_put(trace, "exporter", cup_string("cupping " CUP_VERSION));
    cup_trace_put(trace, "profile", cup_string(profile->path));
    cup_trace_put(trace, "start", trace->start_ns ? cup_time(trace->start_ns) : cup_null());
    cup_trace_put(trace, "samples", cup_count(trace->samples));
    cup_trace_put(trace, "samples_dropped", cup_count(profile->health[CUP_H_CPU_SAMPLES_DROPPED]));
    cup_trace_put(trace, "damaged_stack_records", cup_count(trace->damaged_samples));
    cup_json_end_object(&trace->json);
}

int cup_export_perfetto(const struct cup_totals *totals, const struct cup_output *output)
{
    struct cup_trace trace;
    int result = cup_trace_open(&trace, totals, output);
    if (result == 0) {
        cup_json_object(&trace.json, NULL);
        cup_trace_put(&trace, "displayTimeUnit", cup_string("ms"));
        result = put_events(&trace);
        put_other(&trace);
        cup_json_end_object(&trace.json);
    }
    cup_trace_close(&trace);
    return result;
}
