#include "tests/analysis/stack_logs.h"

#include <stdio.h>

#include "include/cpu_rows.h"
#include "tests/analysis/support.h"

enum { EXECUTOR = 1, MINE, TBRANCH, FSSPEC, COMPRESSION, READING };
enum { CHUNK = 20, MERGE, TT, DY, ADDRESS, NAME };

#define MS(n) ((uint64_t)(n)*1000000)

/* Eight instructions of one code unit, each a line after the one before. */
static const unsigned char table[] = {0xe8, 0, 0xe8, 2, 0xe8, 2, 0xe8, 2,
                                      0xe8, 2, 0xe8, 2, 0xe8, 2, 0xe8, 2};

/* VENV and USER differ from worker to worker. */
static void add_functions(struct log_builder *b, const char *venv, const char *user)
{
    static const struct {
        uint32_t id, file;
        const char *name;
        uint32_t line;
    } codes[] = {
        {WORK, EXECUTOR, "Runner._work_function", 1621},
        {PROCESS, MINE, "Processor.process", 10},
        {SELECT, MINE, "select", 30},
        {ARRAY, TBRANCH, "TBranch.array", 2231},
        {FETCH, FSSPEC, "_fetch", 7},
        {DECOMPRESS, COMPRESSION, "decompress", 365},
        {OPEN, READING, "open", 27},
    };
    static const char *const files[] = {[EXECUTOR] = "coffea/processor/executor.py",
                                        [TBRANCH] = "uproot/behaviors/TBranch.py",
                                        [FSSPEC] = "fsspec/implementations/local.py",
                                        [COMPRESSION] = "uproot/compression.py",
                                        [READING] = "uproot/reading.py"};
    for (uint32_t i = 1; i < sizeof files / sizeof *files; i++) {
        char path[200];
        snprintf(path, sizeof path, "%s/lib/python3.11/site-packages/%s", venv,
                 files[i] ? files[i] : "");
        builder_string(b, i, i == MINE ? user : path);
    }
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        builder_code(b, codes[i].id, codes[i].file, codes[i].name, codes[i].line, table,
                     sizeof table);
}

static void add_nodes(struct log_builder *b)
{
    static const struct cup_stack_node nodes[] = {
        {0, WORK, 6},
        {N_WORK, PROCESS, 4},
        {N_PROCESS, SELECT, 2},
        {N_SELECT, SELECT, 4},
        {N_WORK, PROCESS, 8},
        {N_PROCESS_4, ARRAY, 0},
        {N_ARRAY, CUP_NODE_HELPER, 0},
        {N_HELPER, FETCH, 0},
        {N_ARRAY, DECOMPRESS, 0},
        {N_WORK, OPEN, 2},
    };
    builder_stacks(b, 1, nodes, sizeof nodes / sizeof *nodes);
}

static void add_task(struct log_builder *b, uint32_t task, uint32_t prefix, uint32_t seconds,
                     uint32_t dataset)
{
    char key[40];
    struct cup_r_task_begin begin = {.task = task,
                                     .tid = 100,
                                     .prefix = prefix,
                                     .server = 1,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(task),
                                     .rss = CUP_UNKNOWN64};
    struct cup_r_item item = {.task = task,
                              .kind = CUP_ITEM_WORK,
                              .dataset = dataset,
                              .entry_start = 0,
                              .entry_stop = 1000};
    struct cup_r_task_end end = {.task = task,
                                 .status = CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(task + seconds),
                                 .cpu_ns = MS(900),
                                 .rss = CUP_UNKNOWN64,
                                 .result_bytes = CUP_UNKNOWN64};
    snprintf(key, sizeof key, "task-%u", task);
    builder_begin(b, &begin, key);
    if (dataset)
        BUILDER_ADD(b, CUP_R_ITEM, item);
    BUILDER_ADD(b, CUP_R_TASK_END, end);
}

void add_stack_task(struct log_builder *b, uint32_t task, uint32_t seconds, uint32_t dataset)
{
    add_task(b, task, CHUNK, seconds, dataset);
}

static void start(struct log_builder *b, uint32_t pid, const char *address, const char *name)
{
    builder_start(b);
    builder_header(b)->pid = pid;
    builder_header(b)->features |= CUP_FEATURE_STACKS | CUP_FEATURE_CPU;
    builder_header(b)->health[CUP_H_CPU_SAMPLES] = 100;
    builder_header(b)->health[CUP_H_CPU_SAMPLES_TORN] = 3;
    builder_string(b, CHUNK, "chunk");
    builder_string(b, MERGE, "merge");
    builder_string(b, TT, "TT");
    builder_string(b, DY, "DY");
    builder_string(b, ADDRESS, address);
    builder_string(b, NAME, name);
    struct cup_r_server server = {.id = 1,
                                  .role = CUP_ROLE_WORKER,
                                  .address = ADDRESS,
                                  .name = NAME,
                                  .threads = 1,
                                  .memory_limit = CUP_UNKNOWN64};
    BUILDER_ADD(b, CUP_R_SERVER, server);
}

#define USES(builder, task, ...)                                                                   \
    builder_uses(builder, task, (const struct cup_stack_use_row[]){__VA_ARGS__},                   \
                 sizeof((const struct cup_stack_use_row[]){__VA_ARGS__}) /                         \
                     sizeof(struct cup_stack_use_row))

void build_stack_log(struct log_builder *b)
{
    start(b, 4242, "tcp://10.0.0.1:40000", "one");
    add_functions(b, "/venvs/a", "/scratch/dask-scratch-space/worker-x1/mine.py");
    add_task(b, 1, CHUNK, 1, TT);
    add_task(b, 2, CHUNK, 1, DY);
    add_task(b, 3, MERGE, 1, 0);
    add_nodes(b);
    static const struct cup_cpu_run runs[] = {{1, N_SELECT, true, 0, 0, 1},
                                              {1, N_ARRAY, false, 119, 357, 3}};
    builder_cpu_samples(b, 77, 1000, runs, sizeof runs / sizeof *runs);
    USES(b, 1, {N_SELECT, CUP_U_ALLOC, 1, 4096, 0}, {N_SELECT, CUP_U_CPU, 20, 0, MS(200)});
    USES(b, 1, {N_SELECT, CUP_U_CPU, 10, 0, MS(100)}, {N_AGAIN, CUP_U_CPU, 10, 0, MS(100)},
         {N_ARRAY, CUP_U_LOCK_WAIT, 2, 0, MS(20)}, {N_FETCH, CUP_U_READ, 4, 1000, 2000},
         {N_DECOMPRESS, CUP_U_CPU, 10, 0, MS(100)});
    USES(b, 2, {0, CUP_U_CPU, 3, 0, MS(30)}, {N_PROCESS, CUP_U_SLEEP, 1, 0, MS(5)},
         {N_PROCESS, CUP_U_CPU, 5, 0, MS(50)});
    USES(b, 3, {N_OPEN, CUP_U_WRITE, 1, 10, 50}, {N_OPEN, CUP_U_CPU, 4, 0, MS(40)});
    USES(b, 0, {N_FETCH, CUP_U_SERVER_RECV, 1, 7, 10});
}

static void build_other_log(struct log_builder *b)
{
    start(b, 4243, "tcp://10.0.0.2:40000", "two");
    add_functions(b, "/opt/other", "/tmp/dask-scratch-space/worker-y2/mine.py");
    add_task(b, 1, CHUNK, 1, TT);
    add_nodes(b);
    USES(b, 1, {N_SELECT, CUP_U_CPU, 6, 0, MS(60)}, {N_OPEN, CUP_U_READ, 1, 500, 100});
}

void save_log_of_function(const char *directory, const char *name, uint64_t cpu_ns)
{
    enum { ODD = 60 };
    const struct cup_stack_node node = {0, ODD, 0};
    struct log_builder b;
    build_stack_log(&b);
    builder_code(&b, ODD, MINE, name, 5, NULL, 0);
    builder_stacks(&b, ODD, &node, 1);
    USES(&b, 1, {ODD, CUP_U_CPU, 1, 0, cpu_ns});
    builder_finish(&b);
    save_log(&b, directory, "one.cup");
    builder_free(&b);
}

void save_stack_logs(const char *directory)
{
    struct log_builder b;
    build_stack_log(&b);
    builder_finish(&b);
    save_log(&b, directory, "one.cup");
    builder_free(&b);
    build_other_log(&b);
    builder_finish(&b);
    save_log(&b, directory, "two.cup");
    builder_free(&b);
}
