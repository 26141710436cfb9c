/* The data of more plots of a run, against figures worked out by hand. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "plot/plots.h"
#include "plot/shared/curves.h"
#include "plot/shared/density.h"
#include "plot/shared/per_worker.h"
#include "plot/shared/rows.h"
#include "plot/shared/worker_names.h"
#include "plot/tasks/task_plots.h"
#include "tests/plot/loaded.h"

enum { URL_X = 600, URL_Y, PEER, WIRE, SCHEDULER, EXECUTE, SERIALIZE, NETWORK, SECONDS };
enum { ADDRESS = 1, NAME = 2, DIMUON = 3 }; /* of the golden log */

static struct log_builder builder;
static struct loaded run;

static void set_up(void)
{
    static const char *const texts[] = {"root://eos.cern.ch:1094//store/x.root",
                                        "root://eos.cern.ch:1094//store/y.root",
                                        "tcp://10.0.0.9:443",
                                        "tcp://10.0.0.8:1094",
                                        "tcp://10.0.0.1:8786",
                                        "execute",
                                        "serialize",
                                        "network",
                                        "seconds"};
    build_golden_log(&builder);
    for (uint32_t i = 0; i < sizeof texts / sizeof *texts; i++)
        builder_string(&builder, URL_X + i, texts[i]);
}

static void tear_down(void)
{
    unload_run(&run);
    builder_free(&builder);
}

TestSuite(data_more, .init = set_up, .fini = tear_down);

static void expect_row(const struct cup_rows *plot, size_t row, const char *name, double value)
{
    double whole = 0;
    cr_assert_lt(row, plot->count, "%s", name);
    for (size_t kind = 0; kind < plot->kind_count; kind++)
        whole += plot->rows[row].parts[kind];
    cr_expect(plot->names[row].length == strlen(name) &&
                  memcmp(plot->names[row].bytes, name, strlen(name)) == 0,
              "%zu: %.*s", row, (int)plot->names[row].length, plot->names[row].bytes);
    cr_expect_float_eq(whole, value, 1e-9, "%s: %g", name, whole);
}

/* ---- tasks -------------------------------------------------------------------------------- */

/* The third task failed after 1 s. The sixth never ended: its process wrote nothing after its
 * start. */
Test(data_more, wasted_work)
{
    load_run(&run, &builder, false);
    const struct cup_rows *plot = make_plot(&run, "wasted-work");
    cr_assert_eq(plot->count, 2);
    expect_row(plot, 0, "failed", 1);
    expect_row(plot, 1, "never ended: killed", 0);
    cr_expect_str_eq(plot->rows[0].text, "1.00 s, 1 task, 50 B read");
    cr_expect_str_eq(plot->rows[1].text, "0 s, 1 task, 7 B read");
    cr_expect_not_null(strstr(run.input.caption, "2 tasks: 1.00 s, 6.25 %"), "%s",
                       run.input.caption);
}

/* 400, 600, 50 and 100 bytes; the reduction read nothing, the last task has not ended. */
Test(data_more, bytes_of_tasks)
{
    load_run(&run, &builder, false);
    const struct cup_task_bytes *plot = make_plot(&run, "task-bytes");
    double sum = 0;
    for (size_t i = 0; i < plot->bins.count; i++)
        sum += plot->counts[0][i];
    cr_expect_eq(plot->group_count, 1);
    cr_expect_float_eq(sum, 4, 0);
    cr_expect_float_eq(plot->median, 250, 0);
    cr_expect_eq(plot->bins.kind, CUP_BINS_EVEN);
    cr_expect_not_null(strstr(run.input.caption, "4 tasks that read from data files"));
    cr_expect_not_null(strstr(run.input.caption, "1 other one read nothing"));
}

static void add_digest(uint32_t number, uint32_t prefix, uint32_t activity, double value)
{
    struct cup_r_digest_key key = {.key = number,
                                   .server = 1,
                                   .context = EXECUTE,
                                   .span = DIMUON,
                                   .prefix = prefix,
                                   .activity = activity,
                                   .unit = SECONDS};
    struct cup_r_digest digest = {.server = 1, .time_ns = at_second(22)};
    struct cup_digest_value row = {.key = number, .value = value};
    BUILDER_ADD(&builder, CUP_R_DIGEST_KEY, key);
    builder_record(&builder, CUP_R_DIGEST, &digest, sizeof digest, &row, sizeof row);
}

/* Four tasks of the prefix: 0.5 s and 0.1 s each. */
Test(data_more, overhead_of_tasks)
{
    add_digest(1, DIMUON, SERIALIZE, 2);
    add_digest(2, DIMUON, NETWORK, 0.4);
    load_run(&run, &builder, false);
    const struct cup_rows *plot = make_plot(&run, "task-overhead");
    cr_assert_eq(plot->count, 1);
    expect_row(plot, 0, "Dimuon", 0.6);
    cr_expect_float_eq(plot->rows[0].parts[0], 0.1, 1e-9);
    cr_expect_float_eq(plot->rows[0].parts[1], 0.5, 1e-9);
    cr_expect_str_eq(plot->rows[0].text, "600 ms, 4 tasks");
}

static void expect_range(struct cup_range values, double low, double high)
{
    const struct cup_range range = cup_dots_range(values);
    cr_expect_float_eq(range.low, low, 1e-9);
    cr_expect_float_eq(range.high, high, 1e-9);
}

/* Chunks of one size fill the axis, as do those of about one size; it begins at 0 for others. */
Test(data_more, axes_begin_near_the_dots)
{
    expect_range((struct cup_range){12500, 12500}, 11875, 13125);
    expect_range((struct cup_range){80, 100}, 79, 101);
    expect_range((struct cup_range){40, 100}, 0, 105);
}

static void add_peak(uint32_t task, uint64_t bytes)
{
    uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_PEAK_LIVE_BYTES] = bytes};
    struct cup_r_counters block = {
        .task = task, .tid = 77, .block = 5, .sequence = task + 1, .own = 0};
    builder_counters(&builder, &block, values);
}

Test(data_more, peaks_of_chunks)
{
    add_peak(1, 10 << 20);
    add_peak(2, 30 << 20);
    load_run(&run, &builder, false);
    const struct cup_peak_memory *plot = make_plot(&run, "peak-memory-events");
    cr_expect_eq(plot->chunks.count, 3);
    cr_expect_float_eq(plot->bytes[1], 30 << 20, 1024);
    cr_expect_float_eq(plot->up.low, 0, 0);
    cr_expect_float_eq(plot->up.high, 1.05 * (30 << 20), 2048);
    cr_expect_gt(plot->across.high, 3000);
    cr_expect_not(plot->fitted, "three chunks are too few");
    cr_expect_float_eq(plot->limit, 0, 0);
    cr_expect_not_null(strstr(run.input.caption, "The memory limit is not known."), "%s",
                       run.input.caption);
}

/* ---- files and servers -------------------------------------------------------------------- */

static void use(uint32_t task, uint32_t file, int counter, uint64_t reads, uint64_t bytes)
{
    uint64_t values[CUP_FILE_COUNTER_COUNT] = {
        [CUP_F_READ_CALLS] = reads, [CUP_F_READ_BYTES] = bytes, [CUP_F_READ_NS] = reads * 1000000};
    struct cup_r_file_use record = {
        .task = task, .tid = 77, .file = file, .block = 6, .file_sequence = task * 10 + file + 1};
    if (counter >= 0)
        values[counter] = reads;
    builder_file_use(&builder, &record, values);
}

/* All sizes between the smallest and the largest are shown. */
Test(data_more, sizes_of_reads)
{
    use(1, 1, CUP_F_SIZE_1K_10K, 3, 12000);
    use(1, 2, CUP_F_SIZE_100K_1M, 1, 500000);
    load_run(&run, &builder, false);
    const struct cup_rows *plot = make_plot(&run, "access-sizes");
    cr_assert_eq(plot->count, 3);
    expect_row(plot, 0, "up to 10.2 kB", 3);
    expect_row(plot, 1, "up to 102 kB", 0);
    expect_row(plot, 2, "up to 1.05 MB", 1);
    cr_expect_str_eq(plot->rows[0].text, "3 reads, 75.0 %; 3.08 kB to 30.7 kB");
    cr_expect_str_eq(plot->rows[2].text, "1 read, 25.0 %; 482 kB to 510 kB",
                     "513 kB in all, less what the other reads can have returned");
}

static void add_remote(uint32_t id, uint32_t path, uint32_t class)
{
    struct cup_r_file file = {.id = id, .path = path, .class = class};
    BUILDER_ADD(&builder, CUP_R_FILE, file);
}

/* Two files of one server make one row; the client's own socket carries the same bytes again and is
 * left out. */
Test(data_more, servers)
{
    add_remote(3, URL_X, CUP_FILE_DATA);
    add_remote(4, URL_Y, CUP_FILE_DATA);
    add_remote(5, PEER, CUP_FILE_SOCKET);
    add_remote(6, WIRE, CUP_FILE_SOCKET);
    use(1, 3, -1, 2, 3000);
    use(2, 4, -1, 1, 3000);
    use(1, 5, -1, 1, 500);
    use(0, 6, -1, 9, 6100);
    load_run(&run, &builder, false);
    const struct cup_rows *plot = make_plot(&run, "servers");
    cr_assert_eq(plot->count, 2);
    expect_row(plot, 0, "root://eos.cern.ch:1094", 6000);
    expect_row(plot, 1, "tcp://10.0.0.9:443", 500);
    cr_expect_str_eq(plot->rows[0].text, "6 kB, 3 requests, waited 3.00 ms");
    cr_expect_not_null(strstr(run.input.caption, "Left out: 1 peer of"), "%s", run.input.caption);
}

/* Two points in the lowest cell at the left, one in the highest at the right, one outside. */
Test(data_more, densities)
{
    struct cup_density density = {.most = 0};
    cr_assert_eq(cup_density_make(&density, &run.arena), 0);
    cup_density_add(&density, 0, 0);
    cup_density_add(&density, 0, 0);
    cup_density_add(&density, 1, 1);
    cup_density_add(&density, 1.1, 0);
    cup_density_add(&density, NAN, 0);
    cr_expect_float_eq(density.most, 2, 0);
    cr_expect_float_eq(cup_density_strength(&density, (CUP_DENSITY_Y - 1) * CUP_DENSITY_X), 1,
                       1e-9);
    cr_expect_float_eq(cup_density_strength(&density, CUP_DENSITY_X - 1), 0.15, 1e-9);
    cr_expect_float_eq(cup_density_strength(&density, 1), 0, 0);
}

/* ---- over time ---------------------------------------------------------------------------- */

static const struct cup_curve *curve(const struct cup_curves *plot, const char *name)
{
    for (size_t i = 0; i < plot->count; i++)
        if (strcmp(plot->curves[i].name, name) == 0)
            return &plot->curves[i];
    cr_assert_fail("no curve %s", name);
    return NULL;
}

/* The series of a log, with bins of so many nanoseconds. */
static struct cup_series *series_of(struct log_builder *log, uint64_t bin_ns)
{
    const struct cup_region *region = &builder_header(log)->regions[1];
    struct cup_series *series = (struct cup_series *)(log->bytes + region->offset);
    series->bin_ns = bin_ns;
    series->rows = CUP_SERIES_COUNT;
    return series;
}

static void expect_caption(const char *part)
{
    cr_expect_not_null(strstr(run.input.caption, part), "%s", run.input.caption);
}

/* The run is from 10 s to 22 s, and the log begins at 0.5 s. */
Test(data_more, bytes_at_the_time_when_they_were_read)
{
    struct cup_series *series = series_of(&builder, 100000000);
    series->values[CUP_S_READ_BYTES][110] = 120;
    series->values[CUP_S_READ_BYTES][120] = 60;
    load_run(&run, &builder, false);
    const struct cup_curves *plot = make_plot(&run, "data-rate");
    cr_assert_eq(plot->count, 2, "nothing was written");
    cr_expect_float_eq(plot->curves[0].values[15], 1200, 1e-6);
    cr_expect_float_eq(plot->curves[0].values[25], 600, 1e-6);
    cr_expect_float_eq(plot->curves[0].values[35], 0, 1e-6);
    cr_expect_float_eq(plot->most, 1200, 1e-6);
    expect_caption("in bins of 0.1 s");
}

/* The bins of a log double with its age: those of 2 s leave six in a run of 12 s, and one of them
 * reaches beyond its begin. The mean is the report's, that of the bytes of tasks. */
Test(data_more, bins_are_as_wide_as_those_of_the_oldest_worker)
{
    series_of(&builder, 2000000000)->values[CUP_S_READ_BYTES][4] = 4000; /* 8.5 s to 10.5 s */
    series_of(&builder, 2000000000)->values[CUP_S_READ_BYTES][7] = 4000; /* 14.5 s to 16.5 s */
    load_run(&run, &builder, false);
    const struct cup_curves *plot = make_plot(&run, "data-rate");
    double mean = (double)run.totals.all.read_bytes / 12;
    cr_assert_eq(plot->curves[0].count, 7);
    cr_expect_float_eq(plot->curves[0].values[0], 500, 1e-6);
    cr_expect_float_eq(plot->curves[0].values[2], 1500, 1e-6);
    cr_expect_float_eq(plot->curves[0].values[3], 500, 1e-6);
    cr_expect_float_eq(plot->curves[1].values[0], mean, 1e-6);
    expect_caption("in bins of 2 s");
    make_plot(&run, "worker-count");
    expect_caption("in bins of 2 s");
}

Test(data_more, bins_too_wide_for_the_run)
{
    builder_header(&builder)->features |= CUP_FEATURE_WAITS | CUP_FEATURE_GIL;
    series_of(&builder, 3200000000)->values[CUP_S_READ_BYTES][4] = 4000;
    series_of(&builder, 3200000000)->values[CUP_S_GIL_WAIT_NS][4] = 4000;
    load_run(&run, &builder, false);
    expect_no_plot(&run, "data-rate",
                   "a worker is much older than the run: its log has rates in bins of 3.20 s, and "
                   "the run took 12.0 s");
    expect_no_plot(&run, "gil-pressure", "a worker is much older than the run");
    const struct cup_curves *plot = make_plot(&run, "worker-count");
    cr_expect_eq(plot->right_name, NULL);
    expect_caption("No data rate: a worker is much older than the run");
}

/* The width is that in the log, not that of the plot, which is no wider than the run. */
Test(data_more, bins_of_a_worker_that_is_ten_hours_old)
{
    series_of(&builder, 204800000000)->values[CUP_S_READ_BYTES][0] = 4000;
    load_run(&run, &builder, false);
    expect_no_plot(&run, "data-rate",
                   "a worker is much older than the run: its log has rates in bins of 3 min 24 s, "
                   "and the run took 12.0 s");
}

/* The second worker ended before the run: its wide bins do not count, and neither does it. */
Test(data_more, workers_of_other_times_are_left_out)
{
    const struct cup_r_server worker = {.id = 1, .role = CUP_ROLE_WORKER};
    struct log_builder second;
    series_of(&builder, 100000000)->values[CUP_S_READ_BYTES][110] = 120;
    builder_start(&second);
    builder_header(&second)->pid = 4243;
    builder_header(&second)->process_start_ns = builder_header(&second)->log_start_ns =
        at_second(-900);
    builder_header(&second)->log_stop_ns = at_second(-100);
    series_of(&second, 3200000000)->values[CUP_S_READ_BYTES][4] = 4000;
    BUILDER_ADD(&second, CUP_R_SERVER, worker);
    builder_finish(&second);
    run.second = &second;
    load_run(&run, &builder, false);
    make_plot(&run, "data-rate");
    expect_caption("in 1 worker process: ");
    expect_caption("in bins of 0.1 s");
    run.second = NULL;
    builder_free(&second);
}

/* The curves have the waits of all threads, the report's share those of the task threads: the
 * caption says both. */
Test(data_more, waits_for_the_gil_and_the_reports_share)
{
    uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_GIL_WAIT_NS] = 1000000000};
    struct cup_r_counters block = {.task = 1, .tid = 77, .block = 5, .sequence = 3, .own = 1};
    builder_header(&builder)->features |= CUP_FEATURE_WAITS | CUP_FEATURE_GIL;
    series_of(&builder, 1000000000)->values[CUP_S_GIL_WAIT_NS][11] = 1500000000;
    builder_counters(&builder, &block, values);
    load_run(&run, &builder, false);
    make_plot(&run, "gil-pressure");
    expect_caption("task threads waited for the GIL for 1.00 s, 4.2 % of their time; helper "
                   "threads and threads without a task for 500 ms.");
}

/* Half of the bin, which is 1 s wide, is before the run. */
Test(data_more, waits_of_helpers_that_are_not_known)
{
    uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_GIL_WAIT_NS] = 1000000000};
    struct cup_r_counters block = {.task = 1, .tid = 77, .block = 5, .sequence = 3, .own = 1};
    builder_header(&builder)->features |= CUP_FEATURE_WAITS | CUP_FEATURE_GIL;
    series_of(&builder, 1000000000)->values[CUP_S_GIL_WAIT_NS][9] = 1500000000;
    builder_counters(&builder, &block, values);
    load_run(&run, &builder, false);
    make_plot(&run, "gil-pressure");
    expect_caption("threads without a task for a time that is not known.");
}

/* The second task runs from the first to the eighth second. What servers sent is in the series. */
Test(data_more, what_other_sockets_delivered_is_spread_over_the_task)
{
    uint64_t values[CUP_COUNTER_COUNT] = {
        [CUP_C_RECV_BYTES] = 9000, [CUP_C_SERVER_READ_BYTES] = 1000};
    struct cup_r_counters block = {.task = 2, .tid = 77, .block = 5, .sequence = 3, .own = 0};
    builder_counters(&builder, &block, values);
    load_run(&run, &builder, false);
    const struct cup_curves *plot = make_plot(&run, "data-rate");
    const struct cup_curve *sockets = curve(plot, "other sockets, spread over tasks");
    cr_expect_float_eq(sockets->values[0], 1000, 1e-6);
    cr_expect_float_eq(sockets->values[79], 1000, 1e-6);
    cr_expect_float_eq(sockets->values[80], 0, 1e-6);
    cr_expect_not_null(strstr(run.input.caption, "When 1.16 kB were read is not recorded; "), "%s",
                       run.input.caption);
    const struct cup_task_bytes *bytes = make_plot(&run, "task-bytes");
    cr_expect_geq(bytes->bins.edges[bytes->bins.count], 8600, "600 of a file, too");
}

/* Adds a sample of one worker with two threads; one runs a task. */
static void add_sample(uint32_t number, double second)
{
    uint64_t values[CUP_WV_COUNT], told[CUP_HV_COUNT], sample[CUP_SV_COUNT];
    builder_unknown(values, CUP_WV_COUNT);
    builder_unknown(told, CUP_HV_COUNT);
    builder_unknown(sample, CUP_SV_COUNT);
    values[CUP_WV_THREADS] = 2;
    values[CUP_WV_MEMORY_LIMIT] = 400 << 20;
    values[CUP_WV_EXECUTING] = 1;
    told[CUP_HV_TIME_NS] = number;
    told[CUP_HV_RSS] = 100 << 20;
    told[CUP_HV_CPU_NS_PER_S] = 1500000000;
    told[CUP_HV_MANAGED_BYTES] = 5 << 20;
    told[CUP_HV_SPILLED_MEMORY_BYTES] = 0;
    sample[CUP_SV_WORKERS] = 1;
    sample[CUP_SV_THREADS] = 2;
    builder_row(&builder, number, 1, values, told);
    builder_sample(&builder, number, 2, at_second(second), sample);
}

static void load_sampled(void)
{
    struct cup_r_server server = {.id = 2, .role = CUP_ROLE_SCHEDULER, .address = SCHEDULER};
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
    builder_worker(&builder, 1, 2, ADDRESS, NAME);
    for (uint32_t i = 1; i <= 13; i++)
        add_sample(i, 9 + i);
    load_run(&run, &builder, false);
}

Test(data_more, use_of_the_workers)
{
    load_sampled();
    const struct cup_curves *plot = make_plot(&run, "resource-utilization");
    cr_expect_eq(plot->count, 3);
    const struct cup_curve *busy = curve(plot, "threads with a task");
    cr_expect_float_eq(busy->values[10], 100, 1e-6, "by the tasks, where samples say 50");
    cr_expect_float_eq(busy->values[50], 50, 1e-6);
    cr_expect_float_eq(curve(plot, "CPU / threads")->values[0], 75, 1e-6);
    cr_expect_float_eq(curve(plot, "memory / its limit")->values[0], 25, 1e-6);
}

/* Of 0.4 ms, while a bin has 100 ms: its one point stands in the middle of the run. */
Test(data_more, use_of_the_workers_in_a_run_that_is_shorter_than_a_bin)
{
    struct cup_r_task_begin begin = {
        .task = 1, .tid = 100, .origin = CUP_ORIGIN_DASK, .start_ns = at_second(10)};
    struct cup_r_task_end end = {
        .task = 1, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(10.0004)};
    builder_free(&builder);
    builder_start(&builder);
    builder_begin(&builder, &begin, "short");
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    load_run(&run, &builder, false);
    const struct cup_curves *plot = make_plot(&run, "resource-utilization");
    const struct cup_curve *busy = curve(plot, "threads with a task");
    cr_assert_eq(busy->count, 1);
    cr_expect_float_eq(plot->seconds, 0.0004, 1e-9);
    cr_expect_float_eq(busy->time_s[0], 0.0002, 1e-9);
    cr_expect_float_eq(busy->values[0], 100, 1e-6);
}

/* One worker has no range of workers, and no second plot of its own. */
Test(data_more, memory_of_one_worker_against_its_limit)
{
    load_sampled();
    const struct cup_curves *plot = make_plot(&run, "memory-utilization");
    cr_assert_eq(plot->count, 2);
    cr_expect_float_eq(plot->curves[0].values[0], 100 << 20, 1e-6, "bytes");
    cr_expect_float_eq(curve(plot, "limit of a worker: 419 MB")->values[0], 400 << 20, 1e-6);
    cr_expect_eq(plot->curves[1].kind, CUP_CURVE_LEVEL);
    const struct cup_text *names = cup_process_names(&run.input);
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)names[0].length, names[0].bytes);
    plot = make_plot(&run, "cpu-utilization");
    cr_assert_eq(plot->count, 1);
    cr_expect_str_eq(plot->curves[0].name, name, "one name in all plots");
    expect_no_plot(&run, "worker-activity", "there was one worker: executing-tasks shows it");
    expect_no_plot(&run, "memory-per-worker", "there was one worker: memory-utilization shows it");
    expect_no_plot(&run, "cpu-per-worker", "there was one worker: cpu-utilization shows it");
}

/* The samples say that one task ran all the time. */
Test(data_more, running_tasks)
{
    load_sampled();
    const struct cup_curves *plot = make_plot(&run, "executing-tasks");
    const struct cup_curve *tasks = curve(plot, "running tasks");
    cr_expect_float_eq(tasks->values[10], 2, 1e-6);
    cr_expect_float_eq(tasks->values[50], 1, 1e-6);
    cr_expect_float_eq(curve(plot, "task threads")->values[50], 2, 1e-6);
}

/* Two workers with two threads each: both run tasks for four seconds, then one does until the end.
 */
Test(data_more, activity_of_each_worker)
{
    struct log_builder second;
    build_golden_log(&second);
    builder_header(&second)->pid++;
    run.second = &second;
    load_run(&run, &builder, false);
    const struct cup_per_worker *plot = make_plot(&run, "worker-activity");
    cr_expect_eq(plot->worker_count, 2);
    cr_expect_float_eq(plot->values[120 + 50], 50, 1e-6);
    cr_expect_eq(plot->bin_count, 120);
    cr_expect_float_eq(plot->values[10], 100, 1e-6);
    cr_expect_float_eq(plot->values[50], 50, 1e-6);
    cr_expect_float_eq(plot->values[100], 50, 1e-6);
    builder_free(&second);
    run.second = NULL;
}

Test(data_more, activity_by_samples)
{
    load_sampled();
    const struct cup_per_worker *plot = cup_activity_by_samples(&run.input);
    cr_assert_not_null(plot);
    cr_expect_eq(plot->worker_count, 1);
    cr_expect_float_eq(plot->values[0], 50, 1e-6);
}

static int order(const char *one, const char *two)
{
    return cup_names_compare((struct cup_text){one, strlen(one)},
                             (struct cup_text){two, strlen(two)});
}

Test(data_more, names_are_sorted_as_people_count)
{
    cr_expect_lt(order("w2", "w10"), 0);
    cr_expect_gt(order("w10", "w2"), 0);
    cr_expect_eq(order("w2", "w2"), 0);
    cr_expect_lt(order("tcp://10.0.0.9:443", "tcp://10.0.0.10:22"), 0);
    cr_expect_lt(order("a", "b1"), 0);
    cr_expect_lt(order("w", "w1"), 0);
    cr_expect_lt(order("w1", "w1-a"), 0);
    cr_expect_lt(order("99999999999999999999", "99999999999999999999a"), 0);
}

/* Only the second task has a large heap: 30 MiB from 10 s to 18 s, on top of 5 MiB. */
Test(data_more, whose_the_memory_is)
{
    add_peak(2, 30 << 20);
    load_sampled();
    const struct cup_curves *plot = make_plot(&run, "heap-rss");
    const struct cup_curve *heap = curve(plot, "heap of tasks, at their peaks");
    cr_expect_float_eq(curve(plot, "resident (RSS)")->values[4], 100 << 20, 1);
    cr_expect_float_eq(curve(plot, "results that Dask holds")->values[4], 5 << 20, 1);
    cr_expect_float_eq(heap->low[4], 5 << 20, 1);
    cr_expect_float_eq(heap->values[4], 35 << 20, 4096);
    cr_expect_float_eq(heap->values[heap->count - 1], 5 << 20, 4096);
    cr_expect_not_null(strstr(run.input.caption, "what earlier tasks left behind"), "%s",
                       run.input.caption);
}

Test(data_more, efficiency)
{
    load_sampled();
    const struct cup_rows *plot = make_plot(&run, "efficiency-summary");
    double cpu = cup_number(named_metric(&run.totals, "efficiency", "thread_cpu_efficiency"));
    cr_assert_eq(plot->count, 6, "all are known but what was waited for");
    expect_row(plot, 1, "threads with a task", 200 / 3.0);
    expect_row(plot, 2, "CPU of tasks / threads", 100 * cpu);
    expect_row(plot, 4, "memory / its limit", 25);
    expect_row(plot, 5, "wasted task time", 6.25);
}

/* ---- what is not there -------------------------------------------------------------------- */

Test(data_more, what_cannot_be_drawn_says_why)
{
    load_run(&run, &builder, false);
    expect_no_plot(&run, "data-rate", "when data files were read is not recorded");
    expect_no_plot(&run, "cpu-per-worker", "sample");
    expect_no_plot(&run, "heap-rss", "sample");
    expect_no_plot(&run, "task-overhead", "fine metrics");
    expect_no_plot(&run, "hosts", "one host");
    expect_no_plot(&run, "access-sizes", "no read");
    expect_no_plot(&run, "servers", "local or mounted");
    const struct cup_rows *plot = make_plot(&run, "efficiency-summary");
    cr_expect_lt(plot->count, 7);
    cr_expect_not_null(strstr(run.input.caption, "Unknown and left out: "), "%s",
                       run.input.caption);
}

/* ---- hosts -------------------------------------------------------------------------------- */

static struct cup_host host_of(struct cup_hosts *hosts, const char *name, uint64_t events,
                               uint8_t verdict)
{
    uint32_t id = cup_intern_add(&hosts->names, name, strlen(name));
    return (struct cup_host){.name = id,
                             .events = events,
                             .timed_chunks = 20,
                             .wall_ns = 1000000000,
                             .verdict = verdict,
                             .median = 100};
}

/* The slowest hosts first, with the median of all. */
Test(data_more, hosts)
{
    load_run(&run, &builder, false);
    struct cup_hosts made = {.count = 3, .model_count = 1}, *hosts = &made;
    struct cup_host rows[3];
    run.totals.hosts = hosts;
    rows[0] = host_of(hosts, "b", 100, CUP_HOST_ORDINARY);
    rows[1] = host_of(hosts, "a", 50, CUP_HOST_SLOW);
    rows[2] = host_of(hosts, "c", 200, CUP_HOST_FEW_CHUNKS);
    hosts->rows = rows;
    const struct cup_rows *plot = make_plot(&run, "hosts");
    cr_assert_eq(plot->count, 3);
    expect_row(plot, 0, "a", 50);
    expect_row(plot, 2, "c", 200);
    cr_expect_float_eq(plot->rows[0].parts[0], 50, 1e-9, "slow");
    cr_expect_float_eq(plot->rows[2].parts[3], 200, 1e-9, "not compared");
    cr_expect_float_eq(plot->mark, 100, 1e-9);
    cup_intern_clear(&made.names);
}
