/* Hosts and how they compare, worked out by hand; and what the library says of a machine. */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "analysis/metrics/totals.h"
#include "tests/analysis/support.h"

enum { CHUNK = 1, SET, CPU_MODEL, CPUS, MODEL_A, MODEL_B, EIGHT };

static char scratch[SUPPORT_PATH];
static struct cup_profile profile;
static struct cup_totals totals;

static void set_up(void)
{
    make_scratch(scratch);
}

static void tear_down(void)
{
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    remove_scratch(scratch);
}

TestSuite(hosts, .init = set_up, .fini = tear_down);

static void add_chunk(struct log_builder *b, uint32_t number, double start, double time,
                      int64_t events)
{
    char key[120];
    struct cup_r_task_begin begin = {.task = number,
                                     .tid = 1,
                                     .prefix = CHUNK,
                                     .server = 1,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(start)};
    struct cup_r_task_end end = {.task = number,
                                 .status = CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(start + time),
                                 .cpu_ns = (uint64_t)(time * 5e8)};
    struct cup_r_item item = {
        .task = number, .kind = CUP_ITEM_WORK, .dataset = SET, .entry_stop = events};
    snprintf(key, sizeof key, "%s-%g-%u", builder_header(b)->host, time, number);
    builder_begin(b, &begin, key);
    BUILDER_ADD(b, CUP_R_ITEM, item);
    BUILDER_ADD(b, CUP_R_TASK_END, end);
}

static int64_t chunk_events = 100; /* -1: not known */

/* A worker of two threads that is there for 100 s and does CHUNKS, TIME s each. */
static void add_host(const char *host, uint32_t model, uint32_t chunks, double time)
{
    struct log_builder b;
    char name[80];
    struct cup_r_server server = {.id = 1, .role = CUP_ROLE_WORKER, .threads = 2};
    struct cup_r_info about_model = {.name = CPU_MODEL, .value = model},
                      about_cpus = {.name = CPUS, .value = EIGHT};
    builder_start(&b);
    builder_header(&b)->log_start_ns = at_second(0);
    builder_header(&b)->log_stop_ns = at_second(100);
    strcpy(builder_header(&b)->host, host);
    static const char *const texts[] = {
        [CHUNK] = "chunk", [SET] = "Z",     [CPU_MODEL] = "cpu_model",
        [CPUS] = "cpus",   [MODEL_A] = "A", [MODEL_B] = "B",
        [EIGHT] = "8"};
    for (uint32_t id = 1; id < sizeof texts / sizeof *texts; id++)
        builder_string(&b, id, texts[id]);
    BUILDER_ADD(&b, CUP_R_SERVER, server);
    if (model) {
        BUILDER_ADD(&b, CUP_R_INFO, about_model);
        BUILDER_ADD(&b, CUP_R_INFO, about_cpus);
    }
    for (uint32_t i = 0; i < chunks; i++)
        add_chunk(&b, i + 1, i * time, time, chunk_events);
    builder_finish(&b);
    snprintf(name, sizeof name, "%s-%u.cup", host, chunks);
    save_log(&b, scratch, name);
    builder_free(&b);
}

static void load(void)
{
    struct cup_error error;
    const struct cup_load_options options = {.counters = false};
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
}

static const struct cup_host *host_of(const char *name)
{
    const struct cup_hosts *hosts = totals.hosts;
    for (size_t i = 0; i < hosts->count; i++) {
        struct cup_text text = cup_intern_text(&hosts->names, hosts->rows[i].name);
        if (text.length == strlen(name) && memcmp(text.bytes, name, text.length) == 0)
            return &hosts->rows[i];
    }
    cr_assert_fail("no host %s", name);
    return NULL;
}

/* Rates 100, 100/1.1, 100/0.9, 50: the median is (100 + 90.91) / 2, the distances from it 4.55,
 * 4.55, 15.66, 45.45, their median (4.55 + 15.66) / 2. */
Test(hosts, one_that_is_slow)
{
    add_host("a", MODEL_A, 20, 1);
    add_host("b", MODEL_A, 20, 1.1);
    add_host("c", MODEL_A, 20, 0.9);
    add_host("slow", MODEL_A, 20, 2);
    load();
    double median = (100 + 100 / 1.1) / 2;
    double spread = 1.4826 * ((100 - median) + (100 / 0.9 - median)) / 2;
    const struct cup_host *slow = host_of("slow");
    cr_expect_eq(slow->verdict, CUP_HOST_ORDINARY, "45.45 is 3.03 deviations");
    cr_expect_float_eq(slow->median, median, 1e-6);
    cr_expect_float_eq(slow->deviations, (50 - median) / spread, 1e-6);
}

Test(hosts, outliers_among_those_of_one_model)
{
    add_host("a", MODEL_A, 20, 1);
    add_host("b", MODEL_A, 20, 1.01);
    add_host("c", MODEL_A, 20, 0.99);
    add_host("slow", MODEL_A, 20, 2);
    add_host("fast", MODEL_A, 20, 0.5);
    add_host("other", MODEL_B, 20, 4);
    load();
    cr_expect_eq(host_of("slow")->verdict, CUP_HOST_SLOW);
    cr_expect_eq(host_of("fast")->verdict, CUP_HOST_FAST);
    cr_expect_eq(host_of("a")->verdict, CUP_HOST_ORDINARY);
    cr_expect_eq(host_of("other")->verdict, CUP_HOST_FEW_HOSTS);
    cr_assert_eq(totals.hosts->model_count, 2);
    cr_expect_eq(totals.hosts->models[0].hosts + totals.hosts->models[1].hosts, 6);
}

/* Three that are alike have no spread at all: then 10 % of the median decide. */
Test(hosts, without_a_spread_a_share_decides)
{
    add_host("a", MODEL_A, 20, 1);
    add_host("b", MODEL_A, 20, 1);
    add_host("c", MODEL_A, 20, 1);
    add_host("near", MODEL_A, 20, 1.1); /* 90.9: 9.1 % below */
    add_host("far", MODEL_A, 20, 1.2);  /* 83.3: 16.7 % below */
    load();
    cr_expect_eq(host_of("near")->verdict, CUP_HOST_ORDINARY);
    cr_expect_eq(host_of("far")->verdict, CUP_HOST_SLOW);
    cr_expect(isnan(host_of("far")->deviations));
}

Test(hosts, too_little_to_compare)
{
    add_host("a", MODEL_A, 20, 1);
    add_host("b", MODEL_A, 20, 1);
    add_host("few", MODEL_A, CUP_HOST_CHUNKS - 1, 9);
    add_host("nameless", 0, 20, 1);
    add_host("both", MODEL_A, 20, 1);
    add_host("both", MODEL_B, 21, 1);
    load();
    cr_expect_eq(host_of("a")->verdict, CUP_HOST_FEW_HOSTS, "b alone is no company");
    cr_expect_eq(host_of("few")->verdict, CUP_HOST_FEW_CHUNKS);
    cr_expect_eq(host_of("nameless")->verdict, CUP_HOST_NO_MODEL);
    cr_expect_eq(host_of("both")->verdict, CUP_HOST_NO_MODEL, "two models under one name");
}

/* From 0 to 20 s: the run. */
Test(hosts, sums_of_a_host)
{
    add_host("a", MODEL_A, 20, 1);
    add_host("a", MODEL_A, 10, 1.5);
    load();
    const struct cup_host *host = host_of("a");
    cr_assert_eq(totals.hosts->count, 1);
    cr_expect_eq(host->cpus, 8);
    cr_expect_eq(host->usable_cpus, 0, "not known");
    cr_expect_eq(host->workers, 2);
    cr_expect_eq(host->threads, 4);
    cr_expect_eq(host->threads_ns, 4 * UINT64_C(20000000000));
    cr_expect_eq(host->tasks, 30);
    cr_expect_eq(host->chunks, 30);
    cr_expect_eq(host->events, 3000);
    cr_expect_eq(host->wall_ns, UINT64_C(35000000000));
    cr_expect_eq(host->cpu_ns, UINT64_C(17500000000));
    cr_expect_float_eq(cup_host_rate(host), 3000.0 / 35, 1e-9);
    cr_expect_eq(host->failed, 0);
}

/* Without open_files, uproot.dask makes partitions whose events are not known. */
Test(hosts, sums_over_chunks_without_known_events_are_null)
{
    char outside[SUPPORT_PATH];
    make_scratch(outside);
    add_host("all", MODEL_A, 2, 1);
    chunk_events = -1;
    add_host("none", MODEL_A, 2, 1);
    add_host("some", MODEL_A, 2, 1);
    chunk_events = 100;
    add_host("some", MODEL_A, 3, 2);
    json_t *report = report_json(scratch, outside);
    json_t *rows = json_object_get(json_object_get(report, "hosts"), "rows");
    json_t *all = json_row(rows, "host", "all"), *some = json_row(rows, "host", "some");
    json_t *none = json_row(rows, "host", "none");
    cr_expect_eq(json_integer_value(json_object_get(all, "events")), 200);
    cr_expect_eq(json_real_value(json_object_get(all, "chunk_wall_s")), 2);
    cr_expect_eq(json_real_value(json_object_get(all, "chunk_cpu_s")), 1);
    cr_expect_eq(json_integer_value(json_object_get(none, "chunks")), 2);
    cr_expect(json_is_null(json_object_get(none, "events")));
    cr_expect(json_is_null(json_object_get(none, "chunk_wall_s")));
    cr_expect(json_is_null(json_object_get(none, "chunk_cpu_s")));
    cr_expect_eq(json_integer_value(json_object_get(some, "chunks")), 5);
    cr_expect(json_is_null(json_object_get(some, "events")));
    cr_expect_eq(json_real_value(json_object_get(some, "chunk_wall_s")), 6);
    json_decref(report);
    remove_scratch(outside);
}
