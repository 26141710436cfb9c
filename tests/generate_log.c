/* Writes a directory of logs like those of a large job, with all fields filled, to measure the
 * offline program. The same arguments always give the same bytes.
 *
 *     generate_log DIR [TASKS [LOGS [CHILDREN [BRANCHES [SAMPLES [FIRST [COUNT]]]]]]]
 *
 * Defaults: 1,000,000 tasks in 100 logs, no processes that tasks start, 20 branches that each task
 * reads, and the log of a scheduler with an hour of samples (one a second) of one worker for each
 * log, up to 2000. With FIRST and COUNT it writes only COUNT of the workers' logs, from number
 * FIRST on, and the scheduler's log with number 0: so a job that is larger than the disk can be
 * generated and merged in portions. */
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "tests/analysis/log_builder.c" /* the only other writer of logs */

enum {
    EVENTS = 50000, /* in a chunk */
    FILES = 64,     /* in a log */
    THREADS = 4,
    KEY_BYTES = 60,
    FIRST_FILE_STRING = 100,
};

static const int64_t job_start_ns = INT64_C(1750000000000000000);
static const int64_t task_ns = INT64_C(2000000000);

enum { ADDRESS = 1, NAME, DIRECTORY, PREFIX, SPAN, DATASET, TREE, ERROR, WRITTEN, INFO, VALUE };
/* For each branch: baskets that a task reads, and their mean bytes. The last basket of a task is
 * also the first one of the next task. */
enum { BASKETS = 6, BASKET_BYTES = 40000, BASKET_STEP = 3000000, MOST_BRANCHES = 5000 };
enum { FIRST_BRANCH_STRING = 10000 };
static uint32_t branches = 20;

enum { RUNNING = VALUE + 1, EXECUTE, ACTIVITY, SECONDS, FIRST_WORKER_STRING };

/* Samples of Dask's own state, once a second. */
enum { MOST_SAMPLES = 100000, MOST_WORKERS = 2000, BEATS_EVERY = 2, DIGESTS = 16 };
static uint32_t samples = 3600, workers;

static void put_introduction(struct log_builder *builder, unsigned log)
{
    char text[128];
    snprintf(text, sizeof text, "tcp://10.0.%u.%u:%u", log / 256, log % 256, 30000 + log);
    builder_string(builder, ADDRESS, text);
    snprintf(text, sizeof text, "worker-%u", log);
    builder_string(builder, NAME, text);
    builder_string(builder, DIRECTORY, "/scratch/dask-worker-space/worker");
    builder_string(builder, PREFIX, "HiggsProcessor");
    builder_string(builder, SPAN, "default");
    builder_string(builder, DATASET, log % 2 ? "ZZTo4L_13TeV_powheg" : "DYJetsToLL_M-50_amcatnlo");
    builder_string(builder, TREE, "Events");
    builder_string(builder, ERROR, "OSError: [ERROR] Server responded with an error");
    builder_string(builder, WRITTEN, "/scratch/out/histograms.parquet");
    builder_string(builder, INFO, "distributed");
    builder_string(builder, VALUE, "2026.8.0");
    struct cup_r_info info = {.name = INFO, .value = VALUE};
    BUILDER_ADD(builder, CUP_R_INFO, info);
    struct cup_r_server server = {.id = 1,
                                  .role = CUP_ROLE_WORKER,
                                  .address = ADDRESS,
                                  .name = NAME,
                                  .threads = THREADS,
                                  .local_directory = DIRECTORY,
                                  .memory_limit = UINT64_C(8000000000)};
    BUILDER_ADD(builder, CUP_R_SERVER, server);
}

static void put_files(struct log_builder *builder, unsigned log)
{
    for (unsigned i = 0; i < FILES; i++) {
        char text[128];
        snprintf(text, sizeof text, "/eos/cms/store/mc/RunIISummer20UL18/%u/NANOAODSIM/%08u.root",
                 log % 2, log / 2 * FILES + i);
        builder_string(builder, FIRST_FILE_STRING + i, text);
        struct cup_r_file file = {.id = i + 1,
                                  .path = FIRST_FILE_STRING + i,
                                  .class = CUP_FILE_DATA,
                                  .flags = CUP_FILE_IS_ROOT,
                                  .device = 64,
                                  .inode = 1000 + i,
                                  .size = UINT64_C(2000000000)};
        BUILDER_ADD(builder, CUP_R_FILE, file);
    }
    struct cup_r_file written = {.id = FILES + 1,
                                 .path = WRITTEN,
                                 .class = CUP_FILE_DATA,
                                 .device = 64,
                                 .inode = 99,
                                 .size = 1000};
    BUILDER_ADD(builder, CUP_R_FILE, written);
}

/* A number near ABOUT, different for each task and number. */
static uint64_t vary(uint64_t task, unsigned number, uint64_t about)
{
    uint64_t mixed = (task * 2654435761u + number * 40503u) % 1000;
    return about / 2 + about * mixed / 1000 + 1;
}

static void put_begin(struct log_builder *builder, unsigned log, uint32_t task)
{
    char key[KEY_BYTES + 1];
    snprintf(key, sizeof key, "HiggsProcessor-%08x%08x%08x%08x-%012u", log * 2654435761u,
             task * 40503u, task ^ 0x5bd1e995u, log ^ 0x1b873593u, task);
    struct cup_r_task_begin begin = {.task = task,
                                     .tid = 7000 + task % THREADS,
                                     .prefix = PREFIX,
                                     .server = 1,
                                     .span = SPAN,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = job_start_ns + task / THREADS * task_ns,
                                     .rss = vary(task, 1, 800000000),
                                     .run_id = (int64_t)log * 1000000 + task};
    builder_begin(builder, &begin, key);
}

static void put_item(struct log_builder *builder, uint32_t task)
{
    int64_t start_ns = job_start_ns + task / THREADS * task_ns;
    int64_t entry = (int64_t)(task / FILES) * EVENTS;
    struct cup_r_item item = {.task = task,
                              .kind = CUP_ITEM_WORK,
                              .dataset = DATASET,
                              .file = FIRST_FILE_STRING + task % FILES,
                              .tree = TREE,
                              .entry_start = entry,
                              .entry_stop = entry + EVENTS};
    BUILDER_ADD(builder, CUP_R_ITEM, item);
    struct cup_r_chunk chunk = {.task = task,
                                .tic_ns = start_ns + 50000000,
                                .toc_ns = start_ns + 50000000 + (int64_t)vary(task, 2, 1000000000),
                                .cpu_ns = vary(task, 3, 800000000)};
    BUILDER_ADD(builder, CUP_R_CHUNK, chunk);
}

static uint64_t wall_ns(uint32_t task)
{
    return 80000000 + vary(task, 2, 1000000000);
}

static uint64_t cpu_ns(uint32_t task)
{
    return vary(task, 4, 850000000);
}

static void put_end(struct log_builder *builder, uint32_t task)
{
    int64_t start_ns = job_start_ns + task / THREADS * task_ns;
    int fails = task % 1000 == 999;
    struct cup_r_task_end end = {.task = task,
                                 .status = fails ? CUP_STATUS_ERRED : CUP_STATUS_FINISHED,
                                 .stop_ns = start_ns + (int64_t)wall_ns(task),
                                 .cpu_ns = cpu_ns(task),
                                 .rss = vary(task, 5, 900000000),
                                 .result_bytes = vary(task, 6, 200000),
                                 .error = fails ? ERROR : 0};
    BUILDER_ADD(builder, CUP_R_TASK_END, end);
}

/* The waits of the task's own thread, in sixteenths of its non-CPU time. */
static void fill_waits(uint32_t task, uint64_t *values)
{
    static const unsigned sixteenths[] = {5, 4, 2, 0, 2, 1}; /* files, GIL, locks, sleep, ... */
    uint64_t noncpu = wall_ns(task) > cpu_ns(task) ? wall_ns(task) - cpu_ns(task) : 0;
    for (unsigned i = 0; i < sizeof sixteenths / sizeof *sixteenths; i++)
        values[CUP_C_IO_WAIT_NS + i] = noncpu / 16 * sixteenths[i];
    values[CUP_C_MAJOR_FAULTS] = task % 10 == 0;
}

/* Clears what only the block of a task's own thread has. */
static void empty_own(uint64_t *values)
{
    values[CUP_C_HELD_UP_NS] = values[CUP_C_SYSTEM_CPU_NS] = 0;
    values[CUP_C_MAJOR_FAULTS] = values[CUP_C_MINOR_FAULTS] = 0;
}

/* Fills a few neighbouring buckets, as calls of one kind do. */
static void fill_buckets(uint32_t task, uint64_t *buckets)
{
    enum { FROM = 18, COUNT = 6 };
    for (unsigned histogram = 0; histogram < CUP_HISTOGRAM_COUNT; histogram++)
        for (unsigned i = 0; i < COUNT; i++)
            buckets[histogram * CUP_BUCKETS + FROM + i] = vary(task, 200 + i, 20);
}

/* THREAD: the task's own (0) or a helper (1). */
static void put_counters(struct log_builder *builder, uint32_t task, unsigned thread)
{
    struct cup_r_counters block = {.task = task,
                                   .tid = 7000 + task % THREADS + 100 * thread,
                                   .block = task % THREADS + THREADS * thread,
                                   .sequence = task / THREADS + 1,
                                   .own = thread == 0 ? CUP_BLOCK_RUNS : CUP_BLOCK_HELPS};
    uint64_t values[CUP_COUNTER_COUNT], buckets[CUP_HISTOGRAM_COUNT * CUP_BUCKETS] = {0};
    for (unsigned i = 0; i < CUP_COUNTER_COUNT; i++)
        values[i] = vary(task, 10 + i + 100 * thread, i < 7 ? 3000000 : 40000u << (i % 3 * 4));
    values[CUP_C_READ_NONE_BYTES] = 0; /* a block of a task never has any */
    values[CUP_C_TRANSFER_RECV_BYTES] = values[CUP_C_TRANSFER_SEND_BYTES] = 0;
    values[CUP_C_DASK_READ_BYTES] = 0;
    if (thread == 0)
        fill_waits(task, values);
    else
        empty_own(values);
    fill_buckets(task, buckets);
    builder_counters_and_buckets(builder, &block, values, buckets);
}

static void put_file_uses(struct log_builder *builder, uint32_t task)
{
    for (unsigned entry = 0; entry < 2; entry++) {
        struct cup_r_file_use use = {.task = task,
                                     .tid = 7100 + task % THREADS,
                                     .file = entry ? FILES + 1 : task % FILES + 1,
                                     .block = task % THREADS + THREADS,
                                     .entry = entry,
                                     .file_sequence = task / THREADS + 1};
        uint64_t values[CUP_FILE_COUNTER_COUNT];
        for (unsigned i = 0; i < CUP_FILE_COUNTER_COUNT; i++)
            values[i] = vary(task, 50 + i, i == CUP_F_READ_BYTES ? 30000000 : 20);
        builder_file_use(builder, &use, values);
        struct cup_r_open open = {.task = task,
                                  .file = use.file,
                                  .kind = CUP_OPEN_LOCAL,
                                  .start_ns = job_start_ns + task / THREADS * task_ns,
                                  .ns = 20000 + task * 7919 % 5000000};
        BUILDER_ADD(builder, CUP_R_OPEN, open);
    }
}

/* As many extents as a chunk of the demo has; every third was read before by another task. */
static void put_access(struct log_builder *builder, uint32_t task, int64_t start_ns)
{
    enum { EXTENTS = 14 };
    struct cup_read_extent extents[EXTENTS];
    const struct cup_r_access access = {
        .task = task, .file = task % FILES + 1, .set = 1, .sequence = task};
    for (uint32_t i = 0; i < EXTENTS; i++) {
        uint64_t low = vary(task / 3, 200 + i, 2000000000), bytes = 40000 + vary(task, i, 200000);
        int64_t start = start_ns + (int64_t)i * 300000000;
        extents[i] =
            (struct cup_read_extent){start,    start + 1000000 + (int64_t)vary(task, i, 90000),
                                     low,      low + bytes,
                                     bytes,    1 + i % 3,
                                     i % 3 > 1};
    }
    builder_access(builder, &access, extents, EXTENTS);
}

/* ---- baskets ------------------------------------------------------------------------------ */

static void put_branch_names(struct log_builder *builder)
{
    for (uint32_t i = 1; i <= branches; i++) {
        char text[32];
        struct cup_r_branch branch = {.branch = i, .tree = TREE, .name = FIRST_BRANCH_STRING + i};
        snprintf(text, sizeof text, "Muon_branch%u", i);
        builder_string(builder, branch.name, text);
        BUILDER_ADD(builder, CUP_R_BRANCH, branch);
    }
}

static void put_trees(struct log_builder *builder)
{
    for (uint32_t file = 1; file <= FILES && branches; file++) {
        struct cup_r_root_file head = {
            .file = file, .version = 1062400, .compression = 505, .end = UINT64_C(2000000000)};
        struct cup_r_tree tree = {.file = file,
                                  .tree = TREE,
                                  .branches = 1500,
                                  .entries = UINT64_C(100000000),
                                  .compressed_bytes = UINT64_C(1900000000),
                                  .uncompressed_bytes = UINT64_C(7000000000),
                                  .auto_flush = EVENTS / BASKETS};
        BUILDER_ADD(builder, CUP_R_ROOT_FILE, head);
        BUILDER_ADD(builder, CUP_R_TREE, tree);
    }
}

/* Baskets of a branch are in the order of entries, with those of other branches between them. */
static void fill_baskets(uint32_t task, uint32_t branch, uint64_t *values)
{
    uint64_t chunk = task / FILES, first = chunk * BASKETS, last = first + BASKETS;
    values[CUP_BV_BASKETS] = BASKETS + 1;
    values[CUP_BV_FIRST] = 300 + first * BASKET_STEP + branch * BASKET_BYTES;
    values[CUP_BV_LAST] = (last - first) * BASKET_STEP;
    values[CUP_BV_FIRST_BYTES] = vary(first, branch, BASKET_BYTES);
    values[CUP_BV_LAST_BYTES] = vary(last, branch, BASKET_BYTES);
    for (uint64_t i = first; i <= last; i++)
        values[CUP_BV_COMPRESSED] += vary(i, branch, BASKET_BYTES);
    values[CUP_BV_UNCOMPRESSED] = values[CUP_BV_COMPRESSED] * 5 / 2 + task % 7;
    values[CUP_BV_KEYS] = 75 * (BASKETS + 1);
    values[CUP_BV_ENTRIES] = EVENTS + EVENTS / BASKETS;
    values[CUP_BV_ALGORITHMS] = CUP_ALGORITHM_ZSTD;
}

static void put_baskets(struct log_builder *builder, uint32_t task)
{
    static uint32_t numbers[MOST_BRANCHES];
    static uint64_t values[MOST_BRANCHES][CUP_BV_COUNT];
    struct cup_r_baskets baskets = {.task = task,
                                    .file = task % FILES + 1,
                                    .source = CUP_BASKETS_REQUESTED,
                                    .incidental = 3,
                                    .incidental_bytes = 9000};
    memset(values, 0, branches * sizeof *values);
    for (uint32_t i = 0; i < branches; i++) {
        numbers[i] = i + 1;
        fill_baskets(task, i + 1, values[i]);
    }
    if (branches)
        builder_baskets(builder, &baskets, numbers, values, branches);
}

/* ---- Dask's own state ------------------------------------------------------------------- */

static int64_t sample_time(uint32_t sample)
{
    return job_start_ns + sample * INT64_C(1000000000);
}

static void put_status(struct log_builder *builder)
{
    struct cup_r_status status = {.status = 1, .name = RUNNING};
    builder_string(builder, RUNNING, "running");
    BUILDER_ADD(builder, CUP_R_STATUS, status);
}

static void fill_worker(uint64_t *values, uint32_t worker, uint32_t sample)
{
    builder_unknown(values, CUP_WV_COUNT);
    values[CUP_WV_THREADS] = THREADS;
    values[CUP_WV_MEMORY_LIMIT] = UINT64_C(8000000000);
    values[CUP_WV_PROCESSING] = THREADS + vary(worker, sample, 6);
    values[CUP_WV_EXECUTING] = vary(worker, sample / 3, 4);
    values[CUP_WV_LONG_RUNNING] = 0;
    values[CUP_WV_HAS] = 10 + sample / 20;
    values[CUP_WV_NBYTES] = 100000 * (10 + sample / 20);
    values[CUP_WV_SEEN_NS] = (uint64_t)sample_time(sample - (sample + worker) % BEATS_EVERY);
    values[CUP_WV_STATUS] = 1;
}

static void fill_heartbeat(uint64_t *heartbeat, uint32_t worker, uint32_t sample)
{
    for (unsigned i = 0; i < CUP_HV_COUNT; i++)
        heartbeat[i] = 0;
    heartbeat[CUP_HV_TIME_NS] = (uint64_t)sample_time(sample) - vary(worker, sample, 3000000);
    heartbeat[CUP_HV_RSS] = vary(worker, sample, 800000000);
    heartbeat[CUP_HV_CPU_NS_PER_S] = vary(worker, sample + 1, UINT64_C(3500000000));
    heartbeat[CUP_HV_MANAGED_BYTES] = 100000 * (10 + sample / 20);
    heartbeat[CUP_HV_OUTGOING_TOTAL] = sample / 2;
    heartbeat[CUP_HV_BANDWIDTH_BPS] = vary(worker, sample + 2, 100000000);
    for (unsigned i = CUP_HV_HOST_NET_READ_BPS; i <= CUP_HV_HOST_DISK_WRITE_BPS; i++)
        heartbeat[i] = vary(worker, sample + i, 50000000);
    heartbeat[CUP_HV_LOOP_INTERVAL_NS] = 20000000 + vary(worker, sample + 3, 1000000);
    heartbeat[CUP_HV_NUM_FDS] = 70 + vary(worker, sample / 10, 4);
    heartbeat[CUP_HV_TASKS_EXECUTING] = vary(worker, sample / 3, 4);
    heartbeat[CUP_HV_TASKS_MEMORY] = 10 + sample / 20;
}

static void fill_server(uint64_t *values, uint32_t sample)
{
    builder_unknown(values, CUP_SV_COUNT);
    values[CUP_SV_LOOP_INTERVAL_NS] = 20000000 + vary(sample, 4, 500000);
    values[CUP_SV_LOOP_LONGEST_NS] = 25000000 + vary(sample, 5, 30000000);
    values[CUP_SV_TICK_NS] = 20000000;
    values[CUP_SV_TOOK_NS] = vary(sample, 6, 60000);
    values[CUP_SV_MISSED] = 0;
    values[CUP_SV_INTERVAL_NS] = 1000000000;
}

/* A row of one worker in a scheduler's sample. */
static void put_scheduled(struct log_builder *builder, uint32_t sample, uint32_t worker)
{
    uint64_t values[CUP_WV_COUNT], heartbeat[CUP_HV_COUNT];
    bool beats = sample == 1 || (sample + worker) % BEATS_EVERY == 0;
    fill_worker(values, worker, sample);
    fill_heartbeat(heartbeat, worker, sample);
    builder_row(builder, sample, worker, values, beats ? heartbeat : NULL);
}

/* A worker's sample of itself, and its fine metrics that changed. */
static void put_own_sample(struct log_builder *builder, unsigned log, uint32_t sample)
{
    uint64_t server[CUP_SV_COUNT], values[CUP_WV_COUNT], heartbeat[CUP_HV_COUNT];
    struct cup_digest_value digests[DIGESTS];
    struct cup_r_digest digest = {
        .server = 1, .last = sample == samples, .time_ns = sample_time(sample)};
    fill_server(server, sample);
    fill_worker(values, log + 1, sample);
    fill_heartbeat(heartbeat, log + 1, sample);
    values[CUP_WV_SEEN_NS] = CUP_UNKNOWN64;
    heartbeat[CUP_HV_TIME_NS] = (uint64_t)sample_time(sample);
    builder_row(builder, sample, 1, values, heartbeat);
    builder_sample(builder, sample, 1, sample_time(sample), server);
    for (uint32_t i = 0; i < DIGESTS; i++)
        digests[i] = (struct cup_digest_value){.key = i + 1, .value = 0.25 * sample * (i + 1)};
    builder_record(builder, CUP_R_DIGEST, &digest, sizeof digest, digests, sizeof digests);
}

static void put_digest_keys(struct log_builder *builder)
{
    char text[32];
    builder_string(builder, EXECUTE, "execute");
    builder_string(builder, SECONDS, "seconds");
    for (uint32_t i = 0; i < DIGESTS; i++) {
        struct cup_r_digest_key key = {.key = i + 1,
                                       .server = 1,
                                       .context = EXECUTE,
                                       .span = SPAN,
                                       .prefix = PREFIX,
                                       .activity = FIRST_WORKER_STRING + i,
                                       .unit = SECONDS};
        snprintf(text, sizeof text, "activity-%u", i);
        builder_string(builder, key.activity, text);
        BUILDER_ADD(builder, CUP_R_DIGEST_KEY, key);
    }
}

/* The worker's samples up to a task, in the order of time. */
static void put_own_samples(struct log_builder *builder, unsigned log, uint32_t task,
                            uint32_t tasks)
{
    uint32_t from = (uint32_t)((uint64_t)(task - 1) * samples / tasks),
             to = (uint32_t)((uint64_t)task * samples / tasks);
    for (uint32_t sample = from + 1; sample <= to; sample++)
        put_own_sample(builder, log, sample);
}

/* ---- stacks -------------------------------------------------------------------------------- */

enum { WORK = 1, PROCESS, ARRAY, DECOMPRESS, CODES = DECOMPRESS };
enum { ON_WORK = 1, ON_MUONS, ON_JETS, ON_ARRAY, ON_HELPER, ON_DECOMPRESS };
enum { FIRST_CODE_STRING = 20000, SAMPLES_OF_MUONS = 30, SAMPLES_OF_JETS = 10 };

static void put_codes(struct log_builder *builder)
{
    static const char packages[] = "/venv/lib/python3.11/site-packages";
    static const struct {
        const char *name, *directory, *file;
        uint32_t line;
    } codes[CODES] = {
        {"Runner._work_function", packages, "/coffea/processor/executor.py", 1621},
        {"HiggsProcessor.process", "/home/me", "/higgs.py", 10},
        {"TBranch.array", packages, "/uproot/behaviors/TBranch.py", 2231},
        {"decompress", packages, "/uproot/compression.py", 365},
    };
    /* Instructions of one code unit, one on each line. */
    static const unsigned char lines[] = {0xe8, 0, 0xe8, 2, 0xe8, 2, 0xe8, 2};
    for (uint32_t i = 0; i < CODES; i++) {
        char path[128];
        snprintf(path, sizeof path, "%s%s", codes[i].directory, codes[i].file);
        builder_string(builder, FIRST_CODE_STRING + i, path);
        builder_code(builder, i + 1, FIRST_CODE_STRING + i, codes[i].name, codes[i].line, lines,
                     sizeof lines);
    }
}

/* process() at two lines, one of which reads on a helper thread. */
static void put_nodes(struct log_builder *builder)
{
    static const struct cup_stack_node nodes[] = {
        {0, WORK, 0},        {ON_WORK, PROCESS, 2},          {ON_WORK, PROCESS, 4},
        {ON_JETS, ARRAY, 0}, {ON_ARRAY, CUP_NODE_HELPER, 0}, {ON_HELPER, DECOMPRESS, 0},
    };
    builder_stacks(builder, 1, nodes, sizeof nodes / sizeof *nodes);
}

static void put_uses(struct log_builder *builder, uint32_t task)
{
    const struct cup_stack_use_row uses[] = {
        {ON_MUONS, CUP_U_CPU, SAMPLES_OF_MUONS, 0, vary(task, 8, 300000000)},
        {ON_JETS, CUP_U_ALLOC, 4, vary(task, 9, 2000000), 0},
        {ON_ARRAY, CUP_U_LOCK_WAIT, 2, 0, vary(task, 10, 100000000)},
        {ON_HELPER, CUP_U_READ, 7, vary(task, 11, 3000000), vary(task, 12, 40000000)},
        {ON_DECOMPRESS, CUP_U_CPU, SAMPLES_OF_JETS, 0, vary(task, 13, 100000000)},
    };
    builder_uses(builder, task, uses, sizeof uses / sizeof *uses);
}

/* Seven samples of the task's own thread in three quarters of a second. */
static void put_cpu_samples(struct log_builder *builder, uint32_t task)
{
    const struct cup_cpu_run runs[] = {{task, ON_MUONS, true, 0, 357, 4},
                                       {task, ON_ARRAY, false, 476, 595, 2},
                                       {task, ON_JETS, true, 714, 714, 1}};
    builder_cpu_samples(builder, 7000 + task % THREADS, job_start_ns + task / THREADS * task_ns,
                        runs, sizeof runs / sizeof *runs);
}

static void put_task(struct log_builder *builder, unsigned log, uint32_t task)
{
    put_begin(builder, log, task);
    put_item(builder, task);
    put_counters(builder, task, 0);
    put_baskets(builder, task);
    put_end(builder, task);
    put_counters(builder, task, 1);
    put_file_uses(builder, task);
    put_access(builder, task, job_start_ns + task / THREADS * task_ns);
    put_uses(builder, task);
    put_cpu_samples(builder, task);
}

/* The header of process PID on the host of worker LOG. */
static void put_header(struct log_builder *builder, unsigned log, uint32_t pid)
{
    struct cup_log_header *header = builder_header(builder);
    header->pid = pid;
    header->features |= CUP_FEATURE_OPENS | CUP_FEATURE_HANDOFF | CUP_FEATURE_MAPPED |
                        CUP_FEATURE_WAITS | CUP_FEATURE_GIL | CUP_FEATURE_RUN_DELAY |
                        CUP_FEATURE_BASKETS | CUP_FEATURE_REQUESTED | CUP_FEATURE_ACCESS |
                        CUP_FEATURE_STACKS | CUP_FEATURE_CPU;
    snprintf(header->host, sizeof header->host, "node%03u", log / 16);
}

static void save(struct log_builder *builder, const char *directory)
{
    const struct cup_log_header *header = builder_header(builder);
    char path[4096];
    builder_finish(builder);
    snprintf(path, sizeof path, "%s/%s-%u-%lld.cup", directory, header->host, header->pid,
             (long long)header->process_start_ns);
    builder_save(builder, path, builder->size);
    builder_free(builder);
}

/* The log of a process that a task of worker LOG started, and that read a file. */
static void write_child(const char *directory, unsigned child, unsigned log, uint32_t task)
{
    struct log_builder builder;
    int64_t start_ns = job_start_ns + task / THREADS * task_ns + 1000000;
    const uint64_t values[CUP_COUNTER_COUNT] = {[CUP_C_READ_NONE_BYTES] = vary(task, 7, 5000000)};
    struct cup_r_counters block = {.block = 1, .sequence = 1};
    struct cup_r_parent parent = {
        .pid = 10000 + log, .task = task, .last_read_ns = start_ns + 1000000};
    builder_start(&builder);
    put_header(&builder, log, 100000 + child);
    struct cup_log_header *header = builder_header(&builder);
    header->log_start_ns = header->process_start_ns = start_ns;
    header->log_stop_ns = start_ns + 2000000;
    header->parent_task = task;
    BUILDER_ADD(&builder, CUP_R_PARENT, parent);
    builder_counters(&builder, &block, values);
    save(&builder, directory);
}

static void write_log(const char *directory, unsigned log, uint32_t tasks)
{
    struct log_builder builder;
    builder_start(&builder);
    put_header(&builder, log, 10000 + log);
    struct cup_log_header *header = builder_header(&builder);
    header->log_start_ns = header->process_start_ns = job_start_ns - 5000000000;
    header->log_stop_ns = job_start_ns + tasks / THREADS * task_ns + 5000000000;
    header->health[CUP_H_TASKS_BEGUN] = header->health[CUP_H_TASKS_ENDED] = tasks;
    header->health[CUP_H_CPU_SAMPLES] = (uint64_t)tasks * (SAMPLES_OF_MUONS + SAMPLES_OF_JETS);
    put_introduction(&builder, log);
    put_files(&builder, log);
    put_branch_names(&builder);
    put_trees(&builder);
    put_codes(&builder);
    put_nodes(&builder);
    put_status(&builder);
    put_digest_keys(&builder);
    builder_worker(&builder, 1, 1, ADDRESS, NAME);
    for (uint32_t task = 1; task <= tasks; task++) {
        put_task(&builder, log, task);
        put_own_samples(&builder, log, task, tasks);
    }
    save(&builder, directory);
}

static void put_worker(struct log_builder *builder, uint32_t worker)
{
    char text[64];
    uint32_t string = FIRST_WORKER_STRING + 2 * worker;
    snprintf(text, sizeof text, "tcp://10.0.%u.%u:%u", (worker - 1) / 256, (worker - 1) % 256,
             29999 + worker);
    builder_string(builder, string, text);
    snprintf(text, sizeof text, "worker-%u", worker - 1);
    builder_string(builder, string + 1, text);
    builder_worker(builder, worker, 1, string, string + 1);
}

/* The scheduler's log, with an hour of samples of its workers. */
static void write_scheduler(const char *directory)
{
    struct log_builder builder;
    struct cup_r_server server = {.id = 1, .role = CUP_ROLE_SCHEDULER, .address = ADDRESS};
    builder_start(&builder);
    put_header(&builder, 0, 9999);
    struct cup_log_header *header = builder_header(&builder);
    header->log_start_ns = header->process_start_ns = job_start_ns - 6000000000;
    header->log_stop_ns = sample_time(samples + 5);
    builder_string(&builder, ADDRESS, "tcp://10.0.255.1:8786");
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
    put_status(&builder);
    for (uint32_t worker = 1; worker <= workers; worker++)
        put_worker(&builder, worker);
    for (uint32_t sample = 1; sample <= samples; sample++) {
        uint64_t values[CUP_SV_COUNT];
        fill_server(values, sample);
        values[CUP_SV_WORKERS] = workers;
        values[CUP_SV_THREADS] = workers * THREADS;
        values[CUP_SV_TASKS] = vary(sample, 7, 100000);
        for (uint32_t worker = 1; worker <= workers; worker++)
            put_scheduled(&builder, sample, worker);
        builder_sample(&builder, sample, 1, sample_time(sample), values);
    }
    save(&builder, directory);
}

static unsigned long number(const char *text, const char *what)
{
    char *end;
    errno = 0;
    unsigned long value = strtoul(text, &end, 10);
    if (errno || *end || !*text || value > UINT32_MAX) {
        fprintf(stderr, "generate_log: %s: not a number of %s\n", text, what);
        exit(2);
    }
    return value;
}

int main(int argc, char **argv)
{
    if (argc < 2 || argc > 9 || argv[1][0] == '-') {
        fprintf(stderr, "usage: generate_log DIR [TASKS [LOGS [CHILDREN [BRANCHES [SAMPLES [FIRST "
                        "[COUNT]]]]]]]\n");
        return 2;
    }
    unsigned long tasks = argc > 2 ? number(argv[2], "tasks") : 1000000;
    unsigned long logs = argc > 3 ? number(argv[3], "logs") : 100;
    unsigned long children = argc > 4 ? number(argv[4], "children") : 0;
    branches = argc > 5 ? (uint32_t)number(argv[5], "branches") : branches;
    samples = argc > 6 ? (uint32_t)number(argv[6], "samples") : samples;
    unsigned long first = argc > 7 ? number(argv[7], "the first log") : 0;
    unsigned long count = argc > 8 ? number(argv[8], "logs") : logs;
    workers = logs < MOST_WORKERS ? (uint32_t)logs : MOST_WORKERS;
    if (tasks == 0 || logs == 0 || branches > MOST_BRANCHES || samples > MOST_SAMPLES) {
        fprintf(stderr, "generate_log: no tasks, no logs, or more than %d branches or %d samples\n",
                MOST_BRANCHES, MOST_SAMPLES);
        return 2;
    }
    if (mkdir(argv[1], 0777) != 0 && errno != EEXIST) {
        perror(argv[1]);
        return 1;
    }
    if (first == 0)
        write_scheduler(argv[1]);
    for (unsigned long log = first; log < logs && log < first + count; log++)
        write_log(argv[1], (unsigned)log, (uint32_t)(tasks / logs + (log < tasks % logs ? 1 : 0)));
    for (unsigned long i = 0; i < children && tasks >= logs; i++)
        write_child(argv[1], (unsigned)i, (unsigned)(i % logs),
                    (uint32_t)(i / logs % (tasks / logs) + 1));
    return 0;
}
