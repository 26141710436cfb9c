/* Counters of a trace. Viewers show an argument's name after the counter's. */
#include "analysis/export/trace.h"
#include "analysis/log/log_reader.h"
#include "analysis/profile/samples/worker_rows.h"

static void put_counter(struct cup_trace *trace, uint32_t process, const char *name,
                        int64_t time_ns, const char *unit, struct cup_value value)
{
    cup_trace_begin(trace, "C", cup_trace_text(name), process, 0, time_ns);
    cup_trace_arguments(trace);
    cup_trace_put(trace, unit, value);
    cup_trace_end_arguments(trace);
}

void cup_trace_memory(struct cup_trace *trace, const struct cup_task *task)
{
    static const char name[] = "memory, RSS", unit[] = "(bytes)";
    if (task->rss_start != CUP_UNKNOWN64)
        put_counter(trace, task->process, name, task->start_ns, unit, cup_count(task->rss_start));
    if (task->status && task->rss_stop != CUP_UNKNOWN64)
        put_counter(trace, task->process, name, task->stop_ns, unit, cup_count(task->rss_stop));
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
        {"data files read", "(bytes/s)", CUP_S_READ_BYTES, 1e9},
        {"files written", "(bytes/s)", CUP_S_WRITE_BYTES, 1e9},
        {"waiting for files", "(threads)", CUP_S_IO_WAIT_NS, 1},
        {"waiting for the GIL", "(threads)", CUP_S_GIL_WAIT_NS, 1},
    };
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++)
        put_rate(trace, process, series, &rates[i]);
}

void cup_trace_rates(struct cup_trace *trace, uint32_t process)
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

/* ---- the cluster -------------------------------------------------------------------------- */

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
            put_counter(trace, cup_trace_run(trace), shown[i].name, sample->time_ns, shown[i].unit,
                        cup_ratio((double)value, shown[i].divisor));
    }
}

int cup_trace_cluster(struct cup_trace *trace)
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
