/* Every sentence rests on figures and states its threshold, and docs/advice.md has them all. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice.h"
#include "tests/analysis/support.h"

static char scratch[SUPPORT_PATH];
static struct log_builder builder;
static struct cup_profile profile;
static struct cup_totals totals;
static struct cup_advice advice[CUP_ADVICE_MOST];
static size_t count;

enum { PREFIX = 1, TRIM, VALUE, PATH_A, PATH_B, SERVER };

static void set_up(void)
{
    make_scratch(scratch);
    builder_start(&builder);
    builder_header(&builder)->log_start_ns = at_second(0);
    builder_header(&builder)->log_stop_ns = at_second(1000);
    builder_header(&builder)->features |=
        CUP_FEATURE_WAITS | CUP_FEATURE_GIL | CUP_FEATURE_RUN_DELAY;
    builder_string(&builder, PREFIX, "Dimuon");
}

static void tear_down(void)
{
    builder_free(&builder);
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    remove_scratch(scratch);
}

TestSuite(advice, .init = set_up, .fini = tear_down);

static void add_worker(uint32_t threads)
{
    struct cup_r_server server = {.id = 1, .role = CUP_ROLE_WORKER, .threads = threads};
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
}

/* A task of 100 s, of which 50 s are CPU; the counters are its own thread's. UNATTRIBUTED: bytes
 * that it may have read, too. */
static void add_unattributed_task(uint32_t task, const uint64_t *counters, uint64_t unattributed)
{
    struct cup_r_unattributed record = {.task = task};
    struct cup_r_counters block = {
        .task = task, .tid = task, .block = 1, .sequence = task, .own = CUP_BLOCK_RUNS};
    struct cup_r_task_begin begin = {.task = task,
                                     .tid = task,
                                     .prefix = PREFIX,
                                     .server = 1,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(0)};
    struct cup_r_task_end end = {.task = task,
                                 .status = CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(100),
                                 .cpu_ns = UINT64_C(50000000000)};
    record.bytes[CUP_UNATTRIBUTED_MIXED] = unattributed;
    builder_begin(&builder, &begin, "key");
    builder_counters(&builder, &block, counters);
    if (unattributed)
        BUILDER_ADD(&builder, CUP_R_UNATTRIBUTED, record);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

static void add_task(uint32_t task, const uint64_t *counters)
{
    add_unattributed_task(task, counters, 0);
}

static void make(void)
{
    struct cup_error error;
    const struct cup_load_options options = {.counters = false};
    builder_finish(&builder);
    save_log(&builder, scratch, "a.cup");
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    count = cup_advice_make(&totals, advice);
    for (size_t i = 0; i < count; i++) {
        bool is_plain = strcmp(advice[i].rule->name, "nothing_stands_out") == 0;
        cr_assert(is_plain || strstr(advice[i].text, "threshold"), "%s", advice[i].text);
        cr_assert_eq(advice[i].text[strlen(advice[i].text) - 1], '.', "cut: %s", advice[i].text);
        cr_assert(i == 0 || advice[i].weight <= advice[i - 1].weight);
    }
}

static const char *text_of(const char *rule)
{
    return advice_text(advice, count, rule);
}

/* The sentence of a rule has all of these in it. */
static void expect(const char *rule, const char *const *parts)
{
    expect_advice(advice, count, rule, parts);
}

#define EXPECT(rule, ...) expect(rule, (const char *const[]){__VA_ARGS__, NULL})

static const uint64_t second = 1000000000;

Test(advice, gil_bound_by_other_threads)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {
        [CUP_C_GIL_WAIT_NS] = 16 * second, [CUP_C_GIL_WAITS] = 1234};
    add_worker(4);
    add_task(1, counters);
    make();
    EXPECT("gil_bound", "16 %", "16.0 s", "threshold 15 %", "1,234 times",
           "4 threads share one interpreter");
}

Test(advice, gil_bound_with_one_thread_is_not_about_threads_that_share)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_GIL_WAIT_NS] = 40 * second};
    add_worker(1);
    add_task(1, counters);
    make();
    EXPECT("gil_bound", "40 %", "event loop", "helper threads");
    cr_expect_null(strstr(text_of("gil_bound"), "share one interpreter"));
}

Test(advice, below_the_thresholds_nothing_is_said)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {
        [CUP_C_GIL_WAIT_NS] = 14 * second, [CUP_C_IO_WAIT_NS] = 19 * second,
        [CUP_C_SLEEP_NS] = 4 * second,     [CUP_C_RUN_DELAY_NS] = 9 * second,
        [CUP_C_POLL_WAIT_NS] = 1 * second, [CUP_C_LOCK_WAIT_NS] = 1 * second};
    add_worker(1);
    add_task(1, counters);
    make();
    cr_assert_eq(count, 1);
    cr_assert_str_eq(advice[0].rule->name, "nothing_stands_out");
    EXPECT("nothing_stands_out", "rules could not judge", "--only sources");
}

static void add_file_use(uint32_t id, uint32_t path, const char *name, uint32_t class,
                         const uint64_t *values)
{
    struct cup_r_file file = {.id = id, .path = path, .class = class};
    struct cup_r_file_use use = {
        .task = 1, .file = id, .block = 1, .entry = 0, .file_sequence = id};
    builder_string(&builder, path, name);
    BUILDER_ADD(&builder, CUP_R_FILE, file);
    builder_file_use(&builder, &use, values);
}

static void add_file(uint32_t id, uint32_t path, const char *name, uint32_t class, uint64_t bytes)
{
    const uint64_t values[CUP_FILE_COUNTER_COUNT] = {[CUP_F_READ_BYTES] = bytes,
                                                     [CUP_F_WRITE_CALLS] = 7,
                                                     [CUP_F_WAIT_NS] =
                                                         class == CUP_FILE_SOCKET ? bytes : 0};
    add_file_use(id, path, name, class, values);
}

Test(advice, io_bound_names_rate_and_place)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {
        [CUP_C_IO_WAIT_NS] = 25 * second,
        [CUP_C_READ_OWN_BYTES] = 300000000,
        [CUP_C_READ_NS] = 30 * second,
    };
    add_worker(1);
    add_task(1, counters);
    add_file(1, PATH_A, "/eos/cms/store/a/1.root", CUP_FILE_DATA, 200000000);
    add_file(2, PATH_B, "/eos/cms/store/b/2.root", CUP_FILE_DATA, 100000000);
    make();
    EXPECT("io_bound", "25 %", "threshold 20 %", "10.0 MB/s per thread",
           "100 % of the bytes came from /eos/cms/store/.");
}

Test(advice, io_bound_by_one_file)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_IO_WAIT_NS] = 25 * second};
    add_worker(1);
    add_task(1, counters);
    add_file(1, PATH_A, "/a/1.root", CUP_FILE_DATA, 750);
    add_file(2, PATH_B, "/b/2.root", CUP_FILE_DATA, 250);
    make();
    EXPECT("io_bound", "75 % of the bytes came from /a/1.root.");
}

Test(advice, network_bound_names_the_server)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_POLL_WAIT_NS] = 30 * second};
    add_worker(1);
    add_task(1, counters);
    add_file(1, SERVER, "tcp://10.0.0.9:1094", CUP_FILE_SOCKET, 5000000);
    add_file(2, SERVER + 1, "tcp://10.0.0.8:1094", CUP_FILE_SOCKET, 3000000);
    make();
    EXPECT(
        "network_bound", "30 %",
        "longest for tcp://10.0.0.9:1094: 5.00 ms of 8.00 ms for all servers, for 7 requests and "
        "5.00 MB received");
}

Test(advice, network_bound_names_no_server_that_answered_nothing)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_POLL_WAIT_NS] = 30 * second};
    add_worker(1);
    add_task(1, counters);
    add_file(1, SERVER, "tcp://10.0.0.9:1094", CUP_FILE_SOCKET, 5000000);
    const uint64_t silent[CUP_FILE_COUNTER_COUNT] = {[CUP_F_WAIT_NS] = 900 * 1000000};
    add_file_use(2, SERVER + 1, "tcp://10.0.0.8:1094", CUP_FILE_SOCKET, silent);
    make();
    EXPECT("network_bound", "longest for tcp://10.0.0.9:1094");
}

/* What a task waits for behind a lock is not known while bytes of servers have no task. */
Test(advice, locks_of_tasks_that_may_have_waited_for_servers_are_left_out)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_LOCK_WAIT_NS] = 49 * second};
    add_worker(1);
    add_unattributed_task(1, counters, 1000);
    make();
    cr_expect_null(text_of("lock_bound"));
}

Test(advice, locks_of_other_tasks_are_judged)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_LOCK_WAIT_NS] = 49 * second};
    add_worker(1);
    add_unattributed_task(1, counters, 1000);
    add_task(2, counters);
    make();
    EXPECT("lock_bound", "24 %", "Another 49.0 s in locks may have been waits for servers");
}

static void add_bytes(uint64_t attributed, uint64_t others)
{
    const uint64_t with[CUP_COUNTER_COUNT] = {[CUP_C_READ_OWN_BYTES] = attributed};
    const uint64_t without[CUP_COUNTER_COUNT] = {[CUP_C_READ_NONE_BYTES] = others};
    struct cup_r_counters block = {.block = 2, .sequence = 99};
    add_worker(1);
    add_task(1, with);
    builder_counters(&builder, &block, without);
}

Test(advice, unattributed_bytes_need_a_share_and_a_size)
{
    add_bytes(10000000, 1100000);
    make();
    EXPECT("unattributed", "1.10 MB, 9.9 %", "threshold 1 % and 1 MB");
}

Test(advice, a_few_unattributed_bytes_are_no_finding)
{
    add_bytes(1000000, 900000);
    make();
    cr_expect_null(text_of("unattributed"));
}

Test(advice, locks_sleep_cores_and_pages)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {
        [CUP_C_LOCK_WAIT_NS] = 21 * second,
        [CUP_C_SLEEP_NS] = 6 * second,
        [CUP_C_RUN_DELAY_NS] = 11 * second,
        [CUP_C_MAJOR_FAULTS] = 77, /* what is left, 12 s, is theirs */
    };
    add_worker(1);
    add_task(1, counters);
    make();
    EXPECT("lock_bound", "21 %", "threshold 20 %");
    EXPECT("sleeping", "6 %", "threshold 5 %");
    EXPECT("no_core", "11 %", "threshold 10 %", "more runnable threads than cores");
    EXPECT("page_faults", "12 %", "derived", "77 major");
    cr_expect_null(text_of("waits_unexplained"));
}

/* The CPU use of the worker's process in a sample that it takes of itself, in cores. */
static void add_own_sample(uint32_t number, double time, double cores)
{
    uint64_t heartbeat[CUP_HV_COUNT], state[CUP_WV_COUNT], values[CUP_SV_COUNT];
    builder_unknown(heartbeat, CUP_HV_COUNT);
    builder_unknown(state, CUP_WV_COUNT);
    builder_unknown(values, CUP_SV_COUNT);
    heartbeat[CUP_HV_TIME_NS] = number;
    heartbeat[CUP_HV_CPU_NS_PER_S] = (uint64_t)(cores * 1e9);
    state[CUP_WV_THREADS] = 2;
    builder_row(&builder, number, 1, state, heartbeat);
    builder_sample(&builder, number, 1, at_second(time), values);
}

/* Two threads waited for a core for 50 s each, on a host with CORES. The worker's process used
 * USED of them for 100 s. */
static void add_waits_for_cores(const char *cores, double used)
{
    enum { NAME = 20, NUMBER, ADDRESS };
    const struct cup_r_server server = {
        .id = 1, .role = CUP_ROLE_WORKER, .threads = 2, .address = ADDRESS};
    const struct cup_r_info info = {.name = NAME, .value = NUMBER};
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_RUN_DELAY_NS] = 50 * second};
    builder_string(&builder, NAME, "cpus_usable");
    builder_string(&builder, NUMBER, cores);
    builder_string(&builder, ADDRESS, "tcp://10.0.0.1:4000");
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
    BUILDER_ADD(&builder, CUP_R_INFO, info);
    builder_worker(&builder, 1, 1, ADDRESS, 0);
    add_own_sample(1, 0, used);
    add_own_sample(2, 100, used);
    add_task(1, counters);
    add_task(2, counters);
}

Test(advice, cores_that_the_workers_kept_busy)
{
    add_waits_for_cores("2", 1.5);
    make();
    EXPECT("no_core", "50 %", "of this job or of other programs", "Set OMP_NUM_THREADS");
}

/* The tasks alone have 100 s of CPU time, and 8 cores give 400 s in 50 s. */
Test(advice, cores_that_other_programs_had)
{
    add_waits_for_cores("8", 1.2);
    make();
    EXPECT("no_core", "50 %", "used 2 min 00 s of CPU time", "less than half of the 6 min 40 s",
           "other processes had the cores", "Ask for cores of your own",
           "below a limit, set OMP_NUM_THREADS");
}

Test(advice, what_is_not_explained_is_said)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_MINOR_FAULTS] = 1};
    add_worker(1);
    add_task(1, counters);
    make();
    EXPECT("waits_unexplained", "50 %", "threshold 20 %");
}

/* ---- lines of the user's code ------------------------------------------------------------ */

static struct cup_call_tree calls;

static void add_sleep(uint32_t node, uint64_t ns)
{
    uint32_t row = cup_call_row(&calls, node, 0);
    calls.rows[row].weights.of[CUP_W_SLEEP] += ns;
}

/* A task that slept for 10 s, and its stacks. */
static void make_sleeper(void)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_SLEEP_NS] = 10 * second};
    add_worker(1);
    add_task(1, counters);
    make();
    start_calls(&calls, &profile);
}

static void advise_with_calls(void)
{
    totals.calls = &calls;
    count = cup_advice_make(&totals, advice);
    cup_call_tree_free(&calls);
    totals.calls = NULL;
}

Test(advice, the_line_that_slept_most_is_named)
{
    make_sleeper();
    cr_expect_null(strstr(text_of("sleeping"), "Most of that"), "stacks are not known");
    add_sleep(add_user_line(&calls, 0, "/home/me/processor.py", 5), 6 * second);
    add_sleep(add_user_line(&calls, 0, "/home/me/processor.py", 7), 4 * second);
    advise_with_calls();
    EXPECT("sleeping", "10 %", "Most of that, 6.00 s, was at me/processor.py:5.",
           "Look for a sleep()");
}

Test(advice, a_line_with_half_of_it_is_not_named)
{
    make_sleeper();
    add_sleep(add_user_line(&calls, 0, "/home/me/processor.py", 5), 5 * second);
    advise_with_calls();
    cr_expect_null(strstr(text_of("sleeping"), "processor.py"));
}

/* What helper threads waited for is not in the tasks' waits. */
Test(advice, waits_of_helper_threads_name_no_line)
{
    make_sleeper();
    uint32_t line = add_user_line(&calls, 0, "/home/me/processor.py", 5);
    add_sleep(add_helper(&calls, line), 9 * second);
    advise_with_calls();
    cr_expect_null(strstr(text_of("sleeping"), "processor.py"));
}

static void add_trim(const char *value)
{
    struct cup_r_info info = {.name = TRIM, .value = VALUE};
    builder_string(&builder, TRIM, "MALLOC_TRIM_THRESHOLD_");
    builder_string(&builder, VALUE, value);
    BUILDER_ADD(&builder, CUP_R_INFO, info);
}

/* Faults and time in the kernel as a worker under a nanny has them. */
static void add_churning_task(uint64_t faults)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {
        [CUP_C_MINOR_FAULTS] = faults, [CUP_C_SYSTEM_CPU_NS] = 24 * second};
    add_worker(1);
    add_task(1, counters);
}

Test(advice, trim_churn)
{
    add_trim("65536");
    add_churning_task(250000);
    make();
    EXPECT("trim_churn", "MALLOC_TRIM_THRESHOLD_=65536", "Dask's default", "250,000 minor",
           "24.0 s in the kernel", "24 %", "threshold 10 %", "threshold 1,000",
           "distributed.nanny.pre-spawn-environ.MALLOC_TRIM_THRESHOLD_");
}

Test(advice, no_trim_churn_without_the_variable)
{
    add_churning_task(250000);
    make();
    cr_expect_null(text_of("trim_churn"));
}

Test(advice, no_trim_churn_with_a_large_threshold_or_few_faults)
{
    add_trim("1000000000");
    add_churning_task(250000);
    make();
    cr_expect_null(text_of("trim_churn"));
    cup_totals_free(&totals);
    cup_profile_free(&profile);
    builder_free(&builder);
    set_up();
    add_trim("65536");
    add_churning_task(900);
    make();
    cr_expect_null(text_of("trim_churn"));
}

Test(advice, starved_workers)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_MINOR_FAULTS] = 1};
    add_worker(4);
    add_task(1, counters);
    make();
    EXPECT("starved", "4 threads", "75 %", "5 min 00 s", "threshold 30 %");
}

/* Whatever is not known of a run, one worker is not advised away. */
static void expect_no_fewer_workers(void)
{
    const char *text = text_of("starved");
    cr_assert_not_null(text);
    cr_expect_null(strstr(text, "fewer workers"), "%s", text);
}

static void add_chunk(uint32_t task, uint32_t tid, double start, double stop)
{
    const struct cup_r_item item = {.task = task,
                                    .kind = CUP_ITEM_WORK,
                                    .dataset = PREFIX,
                                    .entry_start = (int64_t)task * 1000,
                                    .entry_stop = (int64_t)task * 1000 + 1000};
    struct cup_r_task_begin begin = {.task = task,
                                     .tid = tid,
                                     .prefix = PREFIX,
                                     .server = 1,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(start)};
    struct cup_r_task_end end = {
        .task = task, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(stop), .cpu_ns = second};
    builder_begin(&builder, &begin, "key");
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

static void add_runner_call(double start, double stop)
{
    struct cup_r_run run = {.run = 1, .start_ns = at_second(start), .stop_ns = at_second(stop)};
    BUILDER_ADD(&builder, CUP_R_RUN, run);
    builder_header(&builder)->health[CUP_H_RUNS]++;
}

Test(advice, starved_while_the_client_prepares_the_work)
{
    add_worker(1);
    add_runner_call(0, 205);
    for (uint32_t i = 1; i <= 10; i++)
        add_chunk(i, 9, 90 + 10 * i, 100 + 10 * i);
    make();
    EXPECT("starved", "the worker's only thread was idle for 51 % of its time (1 min 45 s",
           "1 min 40 s while the client prepared and sent work", "0 s while the chunks ran",
           "5.00 s after the last chunk", "more workers do not shorten it");
    expect_no_fewer_workers();
}

Test(advice, starved_in_the_tail)
{
    add_worker(2);
    for (uint32_t i = 1; i <= 19; i++)
        add_chunk(i, i % 2 + 1, i, i + 1);
    add_chunk(20, 9, 20, 110);
    make();
    EXPECT("starved", "the worker's 2 threads were idle",
           "1 min 49 s while the chunks ran (91.0 s of it in the last 10 % of them)",
           "Use smaller or more even chunks.");
    expect_no_fewer_workers();
}

/* Others may follow the chunks that are the last so far. */
Test(advice, no_tail_while_the_run_goes_on)
{
    add_worker(2);
    add_runner_call(0, 0);
    for (uint32_t i = 1; i <= 19; i++)
        add_chunk(i, i % 2 + 1, i, i + 1);
    add_chunk(20, 9, 20, 110);
    make();
    profile.processes[0].life = CUP_LIFE_RUNS;
    cup_totals_free(&totals);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    count = cup_advice_make(&totals, advice);
    cr_expect(totals.tail_ns < 0);
    EXPECT("starved", "1 min 49 s while the chunks ran (`--only stages`)",
           "Check that the client and the scheduler");
    cr_expect_null(strstr(text_of("starved"), "last 10 %"), "%s", text_of("starved"));
    cr_expect_null(strstr(text_of("starved"), "after the last chunk"));
    cr_expect_null(strstr(text_of("starved"), "more even"));
}

Test(advice, starved_between_chunks)
{
    add_worker(1);
    for (uint32_t i = 1; i <= 20; i++)
        add_chunk(i, 9, 10 * i, 10 * i + 1);
    make();
    EXPECT("starved", "2 min 51 s while the chunks ran (",
           "Check that the client and the scheduler");
    cr_expect_null(strstr(text_of("starved"), "client prepared"), "the client is not known");
    expect_no_fewer_workers();
}

Test(advice, starved_workers_may_be_too_many)
{
    const struct cup_r_server second_worker = {.id = 2, .role = CUP_ROLE_WORKER, .threads = 1};
    add_worker(1);
    BUILDER_ADD(&builder, CUP_R_SERVER, second_worker);
    for (uint32_t i = 1; i <= 20; i++)
        add_chunk(i, 9, 10 * i, 10 * i + 8);
    make();
    EXPECT("starved", "the workers' 2 threads were idle", "Use fewer workers, and check that");
}

/* Without stages, where the idle time was is not known. */
Test(advice, starved_in_no_known_stage)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_MINOR_FAULTS] = 1};
    add_worker(2);
    add_task(1, counters);
    make();
    EXPECT("starved", "the worker's 2 threads", "Check that the client and the scheduler");
    cr_expect_null(strstr(text_of("starved"), "--only stages"));
    expect_no_fewer_workers();
}

/* Where the idle time was is not known, so the workers are not the first to blame. */
Test(advice, several_starved_workers_in_no_known_stage)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_MINOR_FAULTS] = 1};
    const struct cup_r_server second_worker = {.id = 2, .role = CUP_ROLE_WORKER, .threads = 1};
    add_worker(1);
    BUILDER_ADD(&builder, CUP_R_SERVER, second_worker);
    add_task(1, counters);
    make();
    EXPECT("starved", "the workers' 2 threads",
           "Check that the client and the scheduler send work fast enough; then use smaller or "
           "more even tasks, so that fewer threads wait for the last ones; use fewer workers only "
           "if that does not help.");
}

/* The call of an executor without Dask, which waits for a long time between two chunks. */
Test(advice, starved_without_dask)
{
    for (uint32_t i = 1; i <= 2; i++) {
        const struct cup_r_item item = {.task = i, .kind = CUP_ITEM_WORK, .dataset = PREFIX};
        const struct cup_r_task_begin begin = {.task = i,
                                               .tid = 9,
                                               .prefix = PREFIX,
                                               .origin = CUP_ORIGIN_COFFEA,
                                               .start_ns = at_second(100 * i)};
        const struct cup_r_task_end end = {.task = i,
                                           .status = CUP_STATUS_FINISHED,
                                           .stop_ns = at_second(100 * i + 1),
                                           .cpu_ns = second};
        builder_begin(&builder, &begin, "key");
        BUILDER_ADD(&builder, CUP_R_ITEM, item);
        BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    }
    make();
    EXPECT("starved", "See what the executor does between chunks.");
    cr_expect_null(strstr(text_of("starved"), "scheduler"));
}

static void add_async_task(uint32_t task, double stop)
{
    struct cup_r_task_begin begin = {.task = task,
                                     .tid = 999,
                                     .prefix = PREFIX,
                                     .server = 1,
                                     .origin = CUP_ORIGIN_ASYNC,
                                     .start_ns = at_second(0)};
    struct cup_r_task_end end = {.task = task,
                                 .status = CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(stop),
                                 .cpu_ns = CUP_UNKNOWN64};
    builder_begin(&builder, &begin, "key");
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

Test(advice, a_few_async_tasks_leave_workers_starved)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_MINOR_FAULTS] = 1};
    add_worker(4);
    add_task(1, counters);
    add_async_task(2, 10);
    make();
    cr_expect_not_null(text_of("starved"));
}

Test(advice, with_many_async_tasks_idle_threads_say_little)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_MINOR_FAULTS] = 1};
    add_worker(4);
    add_task(1, counters);
    add_async_task(2, 20);
    make();
    cr_expect_null(text_of("starved"));
}

Test(advice, waits_that_were_not_measured)
{
    const uint64_t counters[CUP_COUNTER_COUNT] = {[CUP_C_READ_NS] = second};
    builder_header(&builder)->features &= ~(uint64_t)CUP_FEATURE_WAITS;
    add_worker(1);
    add_task(1, counters);
    make();
    EXPECT("waits_not_told_apart", "50 %", "threshold 30 %");
    cr_assert_eq(count, 1);
}

Test(advice, dask_between_tasks)
{
    add_worker(1);
    for (uint32_t task = 1; task <= 100; task++) {
        struct cup_r_task_begin begin = {.task = task,
                                         .tid = 9,
                                         .prefix = PREFIX,
                                         .server = 1,
                                         .origin = CUP_ORIGIN_DASK,
                                         .start_ns = at_second(task * 0.1)};
        struct cup_r_task_end end = {.task = task,
                                     .status = CUP_STATUS_FINISHED,
                                     .stop_ns = at_second(task * 0.1 + 0.08),
                                     .cpu_ns = 80000000};
        builder_begin(&builder, &begin, "key");
        BUILDER_ADD(&builder, CUP_R_TASK_END, end);
    }
    make();
    EXPECT("between_tasks", "20 %", "threshold 10 %",
           "The mean gap is 20.0 ms, the mean task 80.0 ms");
}

Test(advice, the_document_names_every_rule)
{
    char *text = read_text(CUP_TOP "/docs/advice.md");
    for (size_t i = 0; i < cup_rule_count; i++) {
        char name[80];
        snprintf(name, sizeof name, "`%s`", cup_rules[i].name);
        cr_expect_not_null(strstr(text, name), "docs/advice.md: no word of %s", name);
    }
    free(text);
}
