/* Dask's own state in logs: samples, heartbeats, spans, fine metrics. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/files.h"
#include "analysis/verbs/verbs.h"
#include "preload/pairs.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH];
static struct log_builder builder;
static struct cup_profile profile;

static void set_up(void)
{
    make_scratch(scratch);
    builder_start(&builder);
}

static void tear_down(void)
{
    cup_profile_free(&profile);
    builder_free(&builder);
    remove_scratch(scratch);
}

TestSuite(samples, .init = set_up, .fini = tear_down);

/* ---- logs -------------------------------------------------------------------------------- */

enum { ADDRESS = 1, NAME, RUNNING, CLOSING, EXECUTE, SPAN, SPAN_NAME, PREFIX, CPU, SECONDS };

static void add_strings(void)
{
    static const char *const texts[] = {
        NULL,   "tcp://10.0.0.1:4000", "w1",     "running",    "closing", "execute",
        "5f-1", "phase1/sub",          "Dimuon", "thread-cpu", "seconds"};
    for (uint32_t id = 1; id < sizeof texts / sizeof *texts; id++)
        builder_string(&builder, id, texts[id]);
}

static void add_server(uint32_t role)
{
    struct cup_r_server server = {.id = 1, .role = role, .address = ADDRESS};
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
}

static void unknown(uint64_t *values, int count)
{
    for (int i = 0; i < count; i++)
        values[i] = CUP_UNKNOWN64;
}

static void add_sample(uint32_t number, double second, uint64_t workers)
{
    unsigned char tail[64];
    uint64_t values[CUP_SV_COUNT];
    unknown(values, CUP_SV_COUNT);
    values[CUP_SV_WORKERS] = workers;
    values[CUP_SV_QUEUED] = 0;
    struct cup_r_sample sample = {.sample = number, .server = 1, .time_ns = at_second(second)};
    size_t bytes = cup_pairs_known(tail, values, CUP_SV_COUNT, 0);
    memset(tail + bytes, CUP_PAIR_PADDING, 8);
    builder_record(&builder, CUP_R_SAMPLE, &sample, sizeof sample, tail, (bytes + 7) / 8 * 8);
}

/* HEARTBEAT 0: not told again. */
static void add_worker(uint32_t sample, uint32_t status, uint64_t executing, uint64_t heartbeat)
{
    unsigned char tail[256];
    uint64_t values[CUP_WV_COUNT], told[CUP_HV_COUNT];
    unknown(values, CUP_WV_COUNT);
    unknown(told, CUP_HV_COUNT);
    values[CUP_WV_THREADS] = 4;
    values[CUP_WV_EXECUTING] = executing;
    if (heartbeat) {
        told[CUP_HV_TIME_NS] = heartbeat;
        told[CUP_HV_RSS] = heartbeat * 1000;
        told[CUP_HV_NUM_FDS] = 0;
    }
    struct cup_r_sample_worker worker = {
        .sample = sample, .address = ADDRESS, .name = NAME, .status = status};
    size_t bytes = cup_pairs_known(tail, values, CUP_WV_COUNT, 0);
    bytes += cup_pairs_known(tail + bytes, told, CUP_HV_COUNT, CUP_PAIR_HEARTBEAT);
    memset(tail + bytes, CUP_PAIR_PADDING, 8);
    builder_record(&builder, CUP_R_SAMPLE_WORKER, &worker, sizeof worker, tail,
                   (bytes + 7) / 8 * 8);
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
    struct cup_error error;
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
}

static void expect_text(uint32_t id, const char *expected)
{
    struct cup_text text = cup_profile_text(&profile, id);
    cr_expect(text.length == strlen(expected) && memcmp(text.bytes, expected, text.length) == 0,
              "%.*s is not %s", (int)text.length, text.bytes, expected);
}

/* ---- samples ----------------------------------------------------------------------------- */

static void add_run(void)
{
    add_strings();
    add_server(CUP_ROLE_SCHEDULER);
    add_sample(1, 10, 1);
    add_worker(1, RUNNING, 3, 500);
    add_sample(2, 11, 1);
    add_worker(2, RUNNING, 0, 0);
    add_sample(3, 12, 1);
    add_worker(3, CLOSING, 1, 700);
}

Test(samples, hold_what_the_log_says)
{
    add_run();
    save("a.cup");
    load();
    cr_assert_eq(profile.sample_count, 3);
    cr_assert_eq(profile.worker_sample_count, 3);
    cr_assert_eq(profile.orphan_records, 0);
    cr_expect_eq(profile.samples[1].time_ns, at_second(11));
    cr_expect_eq(profile.samples[1].server, 1);
    cr_expect_eq(profile.samples[1].values[CUP_SV_WORKERS], 1);
    const struct cup_worker_sample *row = &profile.worker_samples[2];
    cr_expect_eq(row->sample, 2);
    cr_expect_eq(row->values[CUP_WV_THREADS], 4);
    cr_expect_eq(row->values[CUP_WV_EXECUTING], 1);
    expect_text(row->address, "tcp://10.0.0.1:4000");
    expect_text(row->name, "w1");
    expect_text(row->status, "closing");
}

Test(samples, nothing_is_not_unknown)
{
    add_run();
    save("a.cup");
    load();
    cr_expect_eq(profile.samples[0].values[CUP_SV_QUEUED], 0);
    cr_expect_eq(profile.samples[0].values[CUP_SV_TASKS], CUP_UNKNOWN64);
    cr_expect_eq(profile.worker_samples[1].values[CUP_WV_EXECUTING], 0);
    cr_expect_eq(profile.worker_samples[1].values[CUP_WV_MEMORY_LIMIT], CUP_UNKNOWN64);
    cr_expect_eq(profile.heartbeats[0].values[CUP_HV_NUM_FDS], 0);
    cr_expect_eq(profile.heartbeats[0].values[CUP_HV_MANAGED_BYTES], CUP_UNKNOWN64);
}

Test(samples, a_heartbeat_holds_until_the_next)
{
    add_run();
    save("a.cup");
    load();
    cr_assert_eq(profile.heartbeat_count, 2);
    cr_expect_eq(profile.worker_samples[0].heartbeat, 1);
    cr_expect_eq(profile.worker_samples[1].heartbeat, 1);
    cr_expect_eq(profile.worker_samples[2].heartbeat, 2);
    cr_expect_eq(profile.heartbeats[1].values[CUP_HV_RSS], 700000);
}

Test(samples, before_the_first_heartbeat_there_is_none)
{
    add_strings();
    add_server(CUP_ROLE_SCHEDULER);
    add_sample(1, 10, 1);
    add_worker(1, RUNNING, 0, 0);
    save("a.cup");
    load();
    cr_assert_eq(profile.worker_sample_count, 1);
    cr_expect_eq(profile.worker_samples[0].heartbeat, 0);
}

Test(samples, a_worker_without_its_sample_is_an_orphan)
{
    add_strings();
    add_worker(7, RUNNING, 0, 500);
    save("a.cup");
    load();
    cr_expect_eq(profile.worker_sample_count, 0);
    cr_expect_eq(profile.orphan_records, 1);
}

Test(samples, a_newer_writer_may_know_more)
{
    const unsigned char tail[8] = {CUP_SV_WORKERS, 5, 60, 9, 61, 9, CUP_SV_TASKS, 8};
    struct cup_r_sample sample = {.sample = 1, .time_ns = at_second(1)};
    builder_record(&builder, CUP_R_SAMPLE, &sample, sizeof sample, tail, sizeof tail);
    save("a.cup");
    load();
    cr_assert_eq(profile.sample_count, 1);
    cr_expect_eq(profile.samples[0].values[CUP_SV_WORKERS], 5);
    cr_expect_eq(profile.samples[0].values[CUP_SV_TASKS], 8);
    cr_expect_eq(profile.samples[0].server, 0);
}

Test(samples, tell_how_long_a_killed_process_lived)
{
    add_run();
    builder_header(&builder)->log_stop_ns = 0;
    save("a.cup");
    load();
    cr_expect_eq(profile.processes[0].last_ns, at_second(12));
}

/* ---- several logs ------------------------------------------------------------------------ */

Test(samples, of_two_logs_keep_apart)
{
    add_run();
    save("a.cup");
    builder_string(&builder, 40, "something else first");
    add_run();
    save("b.cup");
    load();
    cr_assert_eq(profile.sample_count, 6);
    cr_assert_eq(profile.worker_sample_count, 6);
    cr_assert_eq(profile.heartbeat_count, 4);
    cr_expect_eq(profile.samples[3].process, 1);
    cr_expect_eq(profile.samples[3].server, 2);
    cr_expect_eq(profile.worker_samples[5].sample, 5);
    cr_expect_eq(profile.worker_samples[5].heartbeat, 4);
    cr_expect_eq(profile.worker_samples[5].address, profile.worker_samples[2].address);
    expect_text(profile.worker_samples[5].status, "closing");
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
        "SAMPLE sample=1 server=1 time=",
        " workers=1 queued=0\n",
        "SAMPLE_WORKER sample=1 address=#1 name=#2 status=#3 threads=4 executing=3 "
        "heartbeat_time_ns=500 heartbeat_rss=500000 heartbeat_num_fds=0\n",
        "SAMPLE_WORKER sample=2 address=#1 name=#2 status=#3 threads=4 executing=0\n",
        "SPAN id=#6 name=#7",
        "DIGEST_KEY key=1 server=1 context=#5 span=#6 prefix=#8 activity=#9 unit=#10",
        " 1:0.5\n",
    };
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++)
        cr_expect(strstr(text, needed[i]), "%s", needed[i]);
    free(text);
}
