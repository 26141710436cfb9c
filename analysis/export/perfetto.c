/* A trace in Chrome's JSON form: tasks on the threads that ran them. Times are microseconds since
 * the run began, so that a double holds them to the nanosecond; otherData says when that was. */
#include <stdlib.h>
#include <string.h>

#include "analysis/export/export.h"
#include "analysis/export/export_directory.h"
#include "analysis/log/log_reader.h"
#include "analysis/write/json_writer.h"

struct writer {
    const struct cup_totals *totals;
    const struct cup_profile *profile;
    const struct cup_output *output;
    struct cup_key_reader keys;
    int64_t start_ns; /* of the trace */
    struct cup_json json;
};

static void put(struct writer *writer, const char *name, struct cup_value value)
{
    cup_json_value(&writer->json, name, value);
}

/* Also before the run: what is drawn then has negative times. */
static struct cup_value microseconds(int64_t ns)
{
    return cup_real((double)ns / 1e3);
}

/* An event with what all have; its arguments follow, then end_event(). Processes are numbered from
 * 1 on: pids of several hosts may be the same. */
static void begin_event(struct writer *writer, const char *phase, struct cup_text name,
                        uint32_t process, uint32_t thread, int64_t time_ns)
{
    cup_json_row(&writer->json, NULL);
    put(writer, "ph", cup_string(phase));
    put(writer, "name", name.length ? cup_text(name) : cup_string("(not known)"));
    put(writer, "pid", cup_count(process + 1));
    put(writer, "tid", cup_count(thread));
    if (*phase != 'M')
        put(writer, "ts", microseconds(time_ns - writer->start_ns));
}

static void begin_arguments(struct writer *writer)
{
    cup_json_object(&writer->json, "args");
}

static void end_event(struct writer *writer)
{
    cup_json_end_object(&writer->json);
    cup_json_end_object(&writer->json);
}

static struct cup_text text(const char *string)
{
    return (struct cup_text){string, strlen(string)};
}

/* ---- names -------------------------------------------------------------------------------- */

/* The Dask server of a process, if there is but one. */
static struct cup_text server_name(const struct writer *writer, uint32_t process)
{
    struct cup_text name = {0};
    for (size_t i = 0; i < writer->profile->server_count; i++) {
        const struct cup_server *server = &writer->profile->servers[i];
        if (server->process != process)
            continue;
        if (name.length)
            return (struct cup_text){0};
        name = cup_profile_text(writer->profile, server->name ? server->name : server->address);
    }
    return name;
}

static void put_process(struct writer *writer, uint32_t process)
{
    const struct cup_log_header *header = &writer->profile->processes[process].header;
    struct cup_text name = server_name(writer, process);
    char whole[400];
    snprintf(whole, sizeof whole, "%.*s%s%.*s:%u", name.length < 250 ? (int)name.length : 250,
             name.length ? name.bytes : "", name.length ? " " : "", (int)sizeof header->host,
             header->host, header->pid);
    begin_event(writer, "M", text("process_name"), process, 0, 0);
    begin_arguments(writer);
    put(writer, "name", cup_string(whole));
    end_event(writer);
}

/* ---- tasks -------------------------------------------------------------------------------- */

static void put_known(struct writer *writer, const char *name, uint64_t value)
{
    if (value != CUP_UNKNOWN64)
        put(writer, name, cup_count(value));
}

static void put_waits(struct writer *writer, size_t index)
{
    const struct cup_profile *profile = writer->profile;
    uint32_t process = profile->tasks[index].process;
    for (int i = 0; profile->own_waits && i < CUP_WAITED_MEASURED; i++)
        if (cup_process_has(profile, process, cup_wait_parts[i].needs))
            put(writer, cup_wait_parts[i].name,
                cup_seconds((int64_t)profile->own_waits[index].ns[i]));
}

static void put_item(struct writer *writer, const struct cup_item *item)
{
    const struct cup_profile *profile = writer->profile;
    if (item->dataset)
        put(writer, "dataset", cup_text(cup_profile_text(profile, item->dataset)));
    if (item->file)
        put(writer, "file", cup_text(cup_profile_text(profile, item->file)));
    if (item->entry_start >= 0) {
        put(writer, "entry_start", cup_signed(item->entry_start));
        put(writer, "entry_stop", cup_signed(item->entry_stop));
    }
}

static void put_arguments(struct writer *writer, size_t index)
{
    static const char *const statuses[] = {"unfinished", "finished", "erred"};
    const struct cup_task *task = &writer->profile->tasks[index];
    const struct cup_item *item = cup_task_item(writer->profile, task);
    struct cup_text key = cup_key_read(&writer->keys, task);
    begin_arguments(writer);
    put(writer, "key", cup_text(key));
    put(writer, "status", cup_string(task->status < 3 ? statuses[task->status] : "unfinished"));
    if (task->cpu_ns != CUP_UNKNOWN64)
        put(writer, "cpu_s", cup_seconds((int64_t)task->cpu_ns));
    put(writer, "read_bytes", cup_count(task->read_bytes));
    put_waits(writer, index);
    put_known(writer, "result_bytes", task->result_bytes);
    if (task->error)
        put(writer, "error", cup_text(cup_profile_text(writer->profile, task->error)));
    if (item)
        put_item(writer, item);
    cup_json_end_object(&writer->json);
}

static int64_t stop_of(const struct writer *writer, const struct cup_task *task)
{
    int64_t last = cup_process_last_sign_ns(&writer->profile->processes[task->process]);
    int64_t stop = task->status ? task->stop_ns : last;
    return stop > task->start_ns ? stop : task->start_ns;
}

static void put_slice(struct writer *writer, const struct cup_task *task, const char *name,
                      int64_t from_ns, int64_t to_ns)
{
    begin_event(writer, "X", text(name), task->process, task->tid, from_ns);
    put(writer, "cat", cup_string("chunk"));
    put(writer, "dur", microseconds(to_ns - from_ns));
    cup_json_end_object(&writer->json);
}

/* Before and inside of process(), by Coffea's own clock calls; what is left of the task is after
 * it. */
static void put_chunk(struct writer *writer, const struct cup_task *task, int64_t stop_ns)
{
    const struct cup_item *item = cup_task_item(writer->profile, task);
    if (!item || item->tic_ns < task->start_ns || item->toc_ns < item->tic_ns ||
        item->toc_ns > stop_ns)
        return;
    put_slice(writer, task, "before process()", task->start_ns, item->tic_ns);
    put_slice(writer, task, "process()", item->tic_ns, item->toc_ns);
}

/* Tasks of one thread follow each other. */
static void put_task(struct writer *writer, size_t index)
{
    const struct cup_task *task = &writer->profile->tasks[index];
    struct cup_text name =
        cup_profile_text(writer->profile, writer->profile->prefixes[task->prefix].name);
    int64_t stop_ns = stop_of(writer, task);
    begin_event(writer, "X", name, task->process, task->tid, task->start_ns);
    put(writer, "cat", cup_string("task"));
    put(writer, "dur", microseconds(stop_ns - task->start_ns));
    put_arguments(writer, index);
    cup_json_end_object(&writer->json);
    put_chunk(writer, task, stop_ns);
    if (task->status != CUP_STATUS_ERRED)
        return;
    begin_event(writer, "i", text("erred"), task->process, task->tid, stop_ns);
    put(writer, "s", cup_string("t"));
    cup_json_end_object(&writer->json);
}

/* On an event loop, or a thread of its own: several may run at a time. */
static void put_async(struct writer *writer, size_t index)
{
    const struct cup_task *task = &writer->profile->tasks[index];
    struct cup_text name =
        cup_profile_text(writer->profile, writer->profile->prefixes[task->prefix].name);
    for (int end = 0; end < 2; end++) {
        begin_event(writer, end ? "e" : "b", name, task->process, task->tid,
                    end ? stop_of(writer, task) : task->start_ns);
        put(writer, "cat", cup_string("task"));
        put(writer, "id", cup_count(index + 1));
        if (!end)
            put_arguments(writer, index);
        cup_json_end_object(&writer->json);
    }
}

/* ---- counters ----------------------------------------------------------------------------- */

static void put_counter(struct writer *writer, uint32_t process, const char *name, int64_t time_ns,
                        const char *unit, struct cup_value value)
{
    begin_event(writer, "C", text(name), process, 0, time_ns);
    begin_arguments(writer);
    put(writer, unit, value);
    end_event(writer);
}

/* Of the process, where tasks began and ended: nobody looks at it between. */
static void put_memory(struct writer *writer, const struct cup_task *task)
{
    if (task->rss_start != CUP_UNKNOWN64)
        put_counter(writer, task->process, "memory (RSS)", task->start_ns, "bytes",
                    cup_count(task->rss_start));
    if (task->status && task->rss_stop != CUP_UNKNOWN64)
        put_counter(writer, task->process, "memory (RSS)", task->stop_ns, "bytes",
                    cup_count(task->rss_stop));
}

static void put_rates(struct writer *writer, uint32_t process, const struct cup_series *series)
{
    static const struct {
        const char *name, *unit;
        enum cup_series_row row;
    } rates[] = {
        {"data files read", "bytes/s", CUP_S_READ_BYTES},
        {"files written", "bytes/s", CUP_S_WRITE_BYTES},
        {"threads that wait for the GIL", "threads", CUP_S_GIL_WAIT_NS},
    };
    int64_t start_ns = writer->profile->processes[process].header.log_start_ns;
    for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
        bool before = false;
        for (int bin = 0; bin < CUP_SERIES_BINS; bin++) {
            uint64_t value = series->values[rates[i].row][bin];
            double scale = rates[i].row == CUP_S_GIL_WAIT_NS ? 1 : 1e9;
            if (value || before) /* and the zero after the last of some */
                put_counter(writer, process, rates[i].name,
                            start_ns + bin * (int64_t)series->bin_ns, rates[i].unit,
                            cup_ratio((double)value * scale, (double)series->bin_ns));
            before = value != 0;
        }
    }
}

static void put_series(struct writer *writer, uint32_t process)
{
    enum { BIN_MOST_S = 100000 };
    const struct cup_process *of = &writer->profile->processes[process];
    struct cup_series series;
    struct cup_error error;
    struct cup_log log;
    if (!of->log_path || cup_log_open(&log, of->log_path, &error) != 0)
        return;
    if (cup_log_series(&log, &series) == 0 && series.bin_ns &&
        series.bin_ns < BIN_MOST_S * UINT64_C(1000000000))
        put_rates(writer, process, &series);
    cup_log_close(&log);
}

/* ---- all of it ---------------------------------------------------------------------------- */

static void put_events(struct writer *writer)
{
    const struct cup_profile *profile = writer->profile;
    cup_json_array(&writer->json, "traceEvents");
    for (uint32_t i = 0; i < profile->process_count; i++) {
        if (!cup_process_is_worker(&profile->processes[i]))
            continue;
        put_process(writer, i);
        put_series(writer, i);
    }
    for (size_t i = 0; i < profile->task_count && !cup_output_failed(writer->output); i++) {
        if (cup_task_place(&profile->tasks[i]) == CUP_PLACE_POOL)
            put_task(writer, i);
        else
            put_async(writer, i);
        put_memory(writer, &profile->tasks[i]);
    }
    cup_json_end_array(&writer->json);
}

static int write_perfetto(const struct cup_totals *totals, const struct cup_output *output)
{
    struct writer writer = {.totals = totals,
                            .profile = totals->profile,
                            .output = output,
                            .start_ns = totals->run.start_ns};
    cup_key_reader_open(&writer.keys, totals->profile);
    cup_json_start(&writer.json, output->file);
    cup_json_object(&writer.json, NULL);
    put(&writer, "displayTimeUnit", cup_string("ms"));
    cup_json_object(&writer.json, "otherData");
    put(&writer, "exporter", cup_string("cupping " CUP_VERSION));
    put(&writer, "profile", cup_string(totals->profile->path));
    put(&writer, "start", totals->run.start_ns ? cup_time(totals->run.start_ns) : cup_null());
    cup_json_end_object(&writer.json);
    put_events(&writer);
    cup_json_end_object(&writer.json);
    cup_key_reader_close(&writer.keys);
    return 0;
}

int cup_export_perfetto(const struct cup_totals *totals, const char *path, struct cup_error *error)
{
    return cup_export_file(totals, path, write_perfetto, error);
}
