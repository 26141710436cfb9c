/* Dask's own state in logs: samples, heartbeats, spans, fine metrics. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/files.h"
#include "analysis/profile/samples/worker_rows.h"
#include "cli/verbs.h"
#include "tests/analysis/fixture.h"

TestSuite(samples, .init = start_fixture, .fini = end_fixture);

/* ---- logs -------------------------------------------------------------------------------- */

enum { ADDRESS = 1, NAME, RUNNING, CLOSING, EXECUTE, SPAN, SPAN_NAME, PREFIX, CPU, SECONDS, OTHER };

static void add_strings(void)
{
    static const char *const texts[] = {
        NULL,   "tcp://10.0.0.1:4000", "w1",     "running",    "closing", "execute",
        "5f-1", "phase1/sub",          "Dimuon", "thread-cpu", "seconds", "tcp://10.0.0.2:4000"};
    for (uint32_t id = 1; id < sizeof texts / sizeof *texts; id++)
        builder_string(&builder, id, texts[id]);
}

static void add_server(uint32_t role)
{
    struct cup_r_server server = {.id = 1, .role = role, .address = ADDRESS};
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
}

static void add_sample(uint32_t number, double second, uint64_t workers)
{
    uint64_t values[CUP_SV_COUNT];
    builder_unknown(values, CUP_SV_COUNT);
    values[CUP_SV_WORKERS] = workers;
    values[CUP_SV_QUEUED] = 0;
    builder_sample(&builder, number, 1, at_second(second), values);
}

/* HEARTBEAT 0: not told again. */
static void add_row(uint32_t sample, uint32_t worker, uint64_t executing, uint64_t heartbeat)
{
    uint64_t values[CUP_WV_COUNT], told[CUP_HV_COUNT];
    builder_unknown(values, CUP_WV_COUNT);
    builder_unknown(told, CUP_HV_COUNT);
    values[CUP_WV_THREADS] = 4;
    values[CUP_WV_EXECUTING] = executing;
    values[CUP_WV_STATUS] = executing == 1 ? 2 : 1;
    told[CUP_HV_TIME_NS] = heartbeat;
    told[CUP_HV_RSS] = heartbeat * 1000;
    told[CUP_HV_NUM_FDS] = 0;
    builder_row(&builder, sample, worker, values, heartbeat ? told : NULL);
}

static void add_workers(void)
{
    struct cup_r_status running = {.status = 1, .name = RUNNING},
                        closing = {.status = 2, .name = CLOSING};
    BUILDER_ADD(&builder, CUP_R_STATUS, running);
    BUILDER_ADD(&builder, CUP_R_STATUS, closing);
    builder_worker(&builder, 1, 1, ADDRESS, NAME);
    builder_worker(&builder, 2, 1, OTHER, CPU);
}

static void add_span(void)
{
    struct cup_r_span span = {.id = SPAN, .name = SPAN_NAME};
    BUILDER_ADD(&builder, CUP_R_SPAN, span);
}

static void add_key(uint32_t key)
{
    struct cup_r_digest_key told = {.key = key,
                                    .server = 1,
                                    .context = EXECUTE,
                                    .span = SPAN,
                                    .prefix = PREFIX,
                                    .activity = CPU,
                                    .unit = SECONDS};
    BUILDER_ADD(&builder, CUP_R_DIGEST_KEY, told);
}

static void add_digest(double second, uint32_t key, double value, bool last)
{
    struct cup_digest_value values[] = {{.key = key, .value = value}};
    struct cup_r_digest digest = {.server = 1, .last = last, .time_ns = at_second(second)};
    builder_record(&builder, CUP_R_DIGEST, &digest, sizeof digest, values, sizeof values);
}

static void save(const char *name)
{
    builder_finish(&builder);
    save_log(&builder, scratch, name);
    builder_free(&builder);
    builder_start(&builder);
}

static void load(void)
{
    const struct cup_load_options options = {.counters = true};
    load_fixture_profile(&options);
}

static void expect_text(uint32_t id, const char *expected)
{
    struct cup_text text = cup_profile_text(&profile, id);
    cr_expect(text.length == strlen(expected) && memcmp(text.bytes, expected, text.length) == 0,
              "%.*s is not %s", (int)text.length, text.bytes, expected);
}

/* ---- samples ----------------------------------------------------------------------------- */

static struct cup_worker_rows rows;

static void start(void)
{
    load();
    cup_worker_rows_start(&rows, &profile, CUP_ROLE_SCHEDULER);
}

static void end(void)
{
    cr_expect_not(cup_worker_rows_next(&rows));
    cr_expect_eq(rows.lost, 0);
    cr_expect_eq(cup_worker_rows_finish(&rows), 0);
}

/* The next sample holds as many workers. */
static void expect_sample(double second, size_t count)
{
    cr_assert(cup_worker_rows_next(&rows), "no sample at %g", second);
    cr_expect_eq(rows.sample.time_ns, at_second(second));
    cr_assert_eq(rows.count, count, "%zu workers at %g", rows.count, second);
}

static void expect_row(size_t at, uint64_t executing, uint64_t heartbeat, bool beat)
{
    const struct cup_worker_row *row = rows.rows[at];
    uint64_t rss = heartbeat == CUP_UNKNOWN64 ? heartbeat : heartbeat * 1000;
    cr_expect_eq(row->values[CUP_WV_THREADS], 4);
    cr_expect_eq(row->values[CUP_WV_EXECUTING], executing);
    cr_expect_eq(row->heartbeat[CUP_HV_TIME_NS], heartbeat);
    cr_expect_eq(row->heartbeat[CUP_HV_RSS], rss);
    cr_expect_eq(row->new_heartbeat, beat);
}

static void add_run(void)
{
    add_strings();
    add_server(CUP_ROLE_SCHEDULER);
    add_workers();
    add_row(1, 1, 3, 500);
    add_sample(1, 10, 1);
    add_row(2, 1, 0, 0);
    add_sample(2, 11, 1);
    add_row(3, 1, 1, 700);
    add_row(3, 2, 5, 0);
    add_sample(3, 12, 2);
    add_sample(4, 13, 2);
    builder_gone(&builder, 5, 1);
    add_sample(5, 14, 1);
}

Test(samples, hold_what_the_log_says)
{
    add_run();
    save("a.cup");
    start();
    cr_assert_eq(profile.sample_count, 5);
    cr_assert_eq(profile.sampled_worker_count, 2);
    cr_assert_eq(profile.orphan_records, 0);
    expect_sample(10, 1);
    expect_row(0, 3, 500, true);
    expect_text(rows.rows[0]->address, "tcp://10.0.0.1:4000");
    expect_text(rows.rows[0]->name, "w1");
    expect_text(rows.rows[0]->status, "running");
    cr_expect_eq(rows.sample.server, 1);
    cr_expect_eq(rows.sample.values[CUP_SV_WORKERS], 1);
    expect_sample(11, 1);
    expect_row(0, 0, 500, false);
    expect_sample(12, 2);
    expect_row(0, 1, 700, true);
    expect_text(rows.rows[0]->status, "closing");
    expect_row(1, 5, CUP_UNKNOWN64, false);
    expect_text(rows.rows[1]->address, "tcp://10.0.0.2:4000");
    expect_sample(13, 2);
    expect_row(0, 1, 700, false);
    expect_row(1, 5, CUP_UNKNOWN64, false);
    expect_sample(14, 1);
    expect_row(0, 5, CUP_UNKNOWN64, false);
    cr_expect_eq(rows.rows[0]->worker, 1);
    end();
}

Test(samples, nothing_is_not_unknown)
{
    add_run();
    save("a.cup");
    start();
    expect_sample(10, 1);
    cr_expect_eq(rows.sample.values[CUP_SV_QUEUED], 0);
    cr_expect_eq(rows.sample.values[CUP_SV_TASKS], CUP_UNKNOWN64);
    cr_expect_eq(rows.rows[0]->values[CUP_WV_MEMORY_LIMIT], CUP_UNKNOWN64);
    cr_expect_eq(rows.rows[0]->heartbeat[CUP_HV_NUM_FDS], 0);
    cr_expect_eq(rows.rows[0]->heartbeat[CUP_HV_MANAGED_BYTES], CUP_UNKNOWN64);
    cup_worker_rows_finish(&rows);
}

Test(samples, what_is_known_no_more_is_unknown)
{
    uint64_t values[CUP_WV_COUNT];
    add_strings();
    add_server(CUP_ROLE_SCHEDULER);
    add_workers();
    for (uint32_t sample = 1; sample <= 3; sample++) {
        builder_unknown(values, CUP_WV_COUNT);
        values[CUP_WV_HAS] = 0;
        values[CUP_WV_OCCUPANCY_NS] = sample == 2 ? CUP_UNKNOWN64 : 1000000 + sample;
        builder_row(&builder, sample, 1, values, NULL);
        add_sample(sample, sample, 1);
    }
    save("a.cup");
    start();
    expect_sample(1, 1);
    cr_expect_eq(rows.rows[0]->values[CUP_WV_OCCUPANCY_NS], 1000001);
    expect_sample(2, 1);
    cr_expect_eq(rows.rows[0]->values[CUP_WV_OCCUPANCY_NS], CUP_UNKNOWN64);
    cr_expect_eq(rows.rows[0]->values[CUP_WV_HAS], 0);
    expect_sample(3, 1);
    cr_expect_eq(rows.rows[0]->values[CUP_WV_OCCUPANCY_NS], 1000003);
    end();
}

/* What stands in a ROWS record that is missing may have changed any worker of that server: none is
 * shown before it is told in full again. */
Test(samples, after_a_gap_only_whole_rows_count)
{
    add_run();
    builder.rows[1]++;
    add_row(6, 2, 6, 0);
    add_sample(6, 15, 1);
    add_workers(); /* all are told in full again */
    add_row(7, 1, 7, 900);
    add_sample(7, 16, 1);
    save("a.cup");
    start();
    for (int second = 10; second < 15; second++)
        cr_assert(cup_worker_rows_next(&rows));
    expect_sample(15, 0);
    expect_sample(16, 1);
    expect_row(0, 7, 900, true);
    end();
}

/* Killed between the rows and their sample. */
Test(samples, rows_without_a_sample_do_not_count)
{
    add_run();
    add_row(6, 2, 9, 900);
    save("a.cup");
    start();
    for (int second = 10; second < 15; second++)
        cr_assert(cup_worker_rows_next(&rows));
    end();
}

Test(samples, a_row_of_an_unknown_worker_is_nobodys)
{
    add_strings();
    add_server(CUP_ROLE_SCHEDULER);
    add_workers();
    struct cup_r_rows record = {.sample = 1, .rows = 1};
    const unsigned char tail[] = {7, 1, 2, 8 + CUP_ROW_WHOLE, CUP_WV_HAS, 1, 9, 120, 1, 1, 1, 1};
    builder_record(&builder, CUP_R_ROWS, &record, sizeof record, tail, sizeof tail);
    builder.rows[1] = 1;
    add_sample(1, 10, 1);
    save("a.cup");
    start();
    expect_sample(10, 1);
    cr_expect_eq(rows.rows[0]->worker, 1);
    cr_expect_eq(rows.rows[0]->values[CUP_WV_HAS], 1);
    end();
}

/* Two servers on one loop, whose records are mixed. */
Test(samples, of_two_servers_in_one_process_keep_apart)
{
    struct cup_r_server second = {.id = 2, .role = CUP_ROLE_WORKER, .address = OTHER};
    uint64_t values[CUP_SV_COUNT];
    builder_unknown(values, CUP_SV_COUNT);
    add_strings();
    add_server(CUP_ROLE_SCHEDULER);
    BUILDER_ADD(&builder, CUP_R_SERVER, second);
    add_workers();
    builder_worker(&builder, 3, 2, OTHER, NAME);
    for (uint32_t i = 1; i <= 3; i++) {
        add_row(2 * i, 1, i, 100 * i);
        add_row(2 * i + 1, 3, 10 * i, 1000 * i);
        builder_sample(&builder, 2 * i + 1, 2, at_second(i), values);
        add_sample(2 * i, i, 1);
    }
    save("a.cup");
    start();
    for (uint32_t i = 1; i <= 3; i++) {
        expect_sample(i, 1);
        expect_row(0, i, 100 * i, true);
    }
    end();
    cup_worker_rows_start(&rows, &profile, CUP_ROLE_WORKER);
    for (uint32_t i = 1; i <= 3; i++) {
        expect_sample(i, 1);
        expect_row(0, 10 * i, 1000 * i, true);
        cr_expect_eq(rows.rows[0]->worker, 2);
    }
    end();
}

Test(samples, of_the_version_before_are_left_out)
{
    add_run();
    builder_header(&builder)->version = builder_header(&builder)->min_reader = 2;
    save("a.cup");
    load();
    cr_expect_eq(profile.sample_count, 0);
}

Test(samples, a_log_that_is_gone_is_counted)
{
    add_run();
    save("a.cup");
    start();
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/a.cup", scratch);
    remove(path);
    cr_expect_not(cup_worker_rows_next(&rows));
    cr_expect_eq(rows.lost, 5);
    cup_worker_rows_finish(&rows);
}

Test(samples, a_newer_writer_may_know_more)
{
    const unsigned char tail[8] = {CUP_SV_WORKERS, 5, 60, 9, 61, 9, CUP_SV_TASKS, 8};
    struct cup_r_sample sample = {.sample = 1, .server = 1, .time_ns = at_second(1)};
    add_server(CUP_ROLE_SCHEDULER);
    builder_record(&builder, CUP_R_SAMPLE, &sample, sizeof sample, tail, sizeof tail);
    save("a.cup");
    start();
    expect_sample(1, 0);
    cr_expect_eq(rows.sample.values[CUP_SV_WORKERS], 5);
    cr_expect_eq(rows.sample.values[CUP_SV_TASKS], 8);
    end();
}

Test(samples, tell_how_long_a_killed_process_lived)
{
    add_run();
    builder_header(&builder)->log_stop_ns = 0;
    save("a.cup");
    load();
    cr_expect_eq(profile.processes[0].last_ns, at_second(14));
}

/* ---- several logs ------------------------------------------------------------------------ */

Test(samples, of_two_logs_keep_apart)
{
    add_run();
    save("a.cup");
    builder_string(&builder, 40, "something else first");
    add_run();
    save("b.cup");
    start();
    cr_assert_eq(profile.sample_count, 10);
    cr_assert_eq(profile.sampled_worker_count, 4);
    for (int second = 10; second < 15; second++)
        cr_assert(cup_worker_rows_next(&rows));
    expect_sample(10, 1);
    expect_row(0, 3, 500, true);
    cr_expect_eq(rows.rows[0]->worker, 2);
    cr_expect_eq(rows.sample.process, 1);
    cr_expect_eq(rows.sample.server, 2);
    cr_expect_eq(profile.sampled_workers[2].address, profile.sampled_workers[0].address);
    expect_text(rows.rows[0]->status, "running");
    for (int second = 11; second < 15; second++)
        cr_assert(cup_worker_rows_next(&rows));
    end();
}

/* A worker's log has the metric, the scheduler's the name of its span. */
Test(samples, a_span_is_named_by_any_log)
{
    add_strings();
    add_server(CUP_ROLE_WORKER);
    add_key(1);
    add_digest(3, 1, 0.5, false);
    save("a.cup");
    builder_string(&builder, 30, "shifts the ids");
    add_strings();
    add_span();
    save("b.cup");
    load();
    cr_assert_eq(profile.digest_count, 1);
    expect_text(profile.digests[0].span, "5f-1");
    expect_text(profile.digests[0].span_name, "phase1/sub");
}

Test(samples, digests_of_two_logs_keep_apart)
{
    for (int log = 0; log < 2; log++) {
        if (log)
            builder_string(&builder, 30, "shifts the ids");
        add_strings();
        add_server(CUP_ROLE_WORKER);
        add_key(1);
        add_digest(3, 1, 1 + log, log != 0);
        save(log ? "b.cup" : "a.cup");
    }
    load();
    cr_assert_eq(profile.digest_count, 2);
    cr_expect_eq(profile.digests[1].value, 2);
    cr_expect_eq(profile.digests[1].process, 1);
    cr_expect_eq(profile.digests[1].server, 2);
    cr_expect_eq(profile.digests[1].unit, profile.digests[0].unit);
    cr_expect_not(profile.servers[0].digests_complete);
    cr_expect(profile.servers[1].digests_complete);
}

/* ---- fine metrics ------------------------------------------------------------------------ */

Test(samples, the_last_value_of_a_metric_counts)
{
    add_strings();
    add_server(CUP_ROLE_WORKER);
    add_span();
    add_key(1);
    add_key(2);
    add_digest(3, 1, 0.5, false);
    add_digest(4, 2, 7, false);
    add_digest(5, 1, 1.25, true);
    save("a.cup");
    load();
    cr_assert_eq(profile.digest_count, 2);
    cr_expect_eq(profile.digests[0].value, 1.25);
    cr_expect_eq(profile.digests[0].time_ns, at_second(5));
    cr_expect_eq(profile.digests[1].value, 7);
    expect_text(profile.digests[0].context, "execute");
    expect_text(profile.digests[0].prefix, "Dimuon");
    expect_text(profile.digests[0].activity, "thread-cpu");
    expect_text(profile.digests[0].unit, "seconds");
    expect_text(profile.digests[0].span_name, "phase1/sub");
    cr_expect(profile.servers[0].digests_complete);
}

Test(samples, a_value_without_its_key_is_an_orphan)
{
    add_strings();
    add_digest(3, 9, 0.5, false);
    save("a.cup");
    load();
    cr_expect_eq(profile.digest_count, 0);
    cr_expect_eq(profile.orphan_records, 1);
}

Test(samples, what_is_no_number_is_not_believed)
{
    add_strings();
    add_server(CUP_ROLE_WORKER);
    add_key(1);
    add_digest(3, 1, 2, false);
    add_digest(4, 1, NAN, false);
    add_digest(5, 1, INFINITY, false);
    save("a.cup");
    load();
    cr_expect_eq(profile.digests[0].value, 2);
    cr_expect_eq(profile.digests[0].time_ns, at_second(3));
}

/* ---- dump -------------------------------------------------------------------------------- */

Test(samples, are_dumped)
{
    char path[2 * SUPPORT_PATH];
    add_run();
    add_span();
    add_key(1);
    add_digest(3, 1, 0.5, true);
    save("a.cup");
    snprintf(path, sizeof path, "%s/a.cup", scratch);
    cr_assert_eq(run_verb(scratch, cup_verb_dump, (const char *const[]){"dump", path, NULL}), 0);
    snprintf(path, sizeof path, "%s/out", scratch);
    char *text = read_text(path);
    static const char *const needed[] = {
        "WORKER worker=1 server=1 address=#1 name=#2\n",
        "STATUS status=2 name=#4\n",
        "ROWS sample=1 rows=1\n",
        "ROW worker=1 whole threads=4 executing=3 status=1 heartbeat_time_ns=500 "
        "heartbeat_rss=500000 heartbeat_num_fds=0\n",
        "SAMPLE sample=1 server=1 time=",
        " workers=1 queued=0\n",
        "ROW worker=1 changed executing-3\n",
        "ROW worker=1 changed executing+1 status+1 heartbeat_time_ns+200 heartbeat_rss+200000\n",
        "ROW worker=1 gone\n",
        "SPAN id=#6 name=#7",
        "DIGEST_KEY key=1 server=1 context=#5 span=#6 prefix=#8 activity=#9 unit=#10",
        " 1:0.5\n",
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        cr_expect(strstr(text, needed[i]), "%s", needed[i]);
    free(text);
}
