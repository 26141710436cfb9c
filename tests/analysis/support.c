#include "tests/analysis/support.h"

#include "cli/verbs.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    ADDRESS = 1,
    NAME,
    DIMUON,
    SPAN,
    ZTOMUMU,
    FILE_A,
    EVENTS,
    REDUCE,
    ERROR,
    TTBAR,
    FILE_B,
    NOTE,
    PYTHON,
    VERSION,
};

void make_scratch(char directory[SUPPORT_PATH])
{
    snprintf(directory, SUPPORT_PATH, "%s/cupping-test-XXXXXX",
             getenv("TMPDIR") ? getenv("TMPDIR") : "/tmp");
    if (!mkdtemp(directory)) {
        perror(directory);
        abort();
    }
}

void remove_scratch(const char *directory)
{
    DIR *stream = opendir(directory);
    for (struct dirent *entry; stream && (entry = readdir(stream)) != NULL;) {
        char path[2 * SUPPORT_PATH];
        snprintf(path, sizeof path, "%s/%s", directory, entry->d_name);
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            remove(path);
    }
    if (stream)
        closedir(stream);
    rmdir(directory);
}

void save_log(const struct log_builder *builder, const char *directory, const char *name)
{
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    builder_save(builder, path, builder->size);
}

char *read_text(const char *path)
{
    FILE *file = fopen(path, "rb");
    size_t bytes = 0, room = 1 << 20;
    char *text = calloc(room + 1, 1);
    if (!file || !text)
        abort();
    bytes = fread(text, 1, room, file);
    text[bytes] = '\0';
    fclose(file);
    return text;
}

char *read_text_in(const char *directory, const char *name)
{
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    return read_text(path);
}

size_t lines_of(const char *text)
{
    size_t count = 0;
    for (; *text; text++)
        count += *text == '\n';
    return count;
}

int64_t at_second(double s)
{
    return INT64_C(1700000000000000000) + (int64_t)(s * 1e9);
}

/* Criterion 2.4 and fontconfig keep some bytes to the end, which are no leaks of ours. */
const char *__lsan_default_suppressions(void);
const char *__lsan_default_suppressions(void)
{
    return "leak:libcriterion\nleak:libfontconfig\n";
}

/* ---- the golden run --------------------------------------------------------------------- */

static void add_introduction(struct log_builder *b)
{
    static const char *const texts[] = {
        [ADDRESS] = "tcp://10.0.0.1:40000",
        [NAME] = "worker-a",
        [DIMUON] = "Dimuon",
        [SPAN] = "default",
        [ZTOMUMU] = "ZToMuMu",
        [FILE_A] = "/data/a.root",
        [EVENTS] = "Events",
        [REDUCE] = "reduce",
        [ERROR] = "OSError: gone",
        [TTBAR] = "TTbar",
        [FILE_B] = "/data/b.root",
        [NOTE] = "a note",
        [PYTHON] = "python",
        [VERSION] = "3.11.7",
    };
    for (uint32_t id = 1; id < sizeof texts / sizeof *texts; id++)
        builder_string(b, id, texts[id]);
    struct cup_r_server server = {.id = 1,
                                  .role = CUP_ROLE_WORKER,
                                  .address = ADDRESS,
                                  .name = NAME,
                                  .threads = 2,
                                  .memory_limit = CUP_UNKNOWN64};
    struct cup_r_file a = {
        .id = 1, .path = FILE_A, .class = CUP_FILE_DATA, .flags = CUP_FILE_IS_ROOT, .size = 1000};
    struct cup_r_file b_file = {
        .id = 2, .path = FILE_B, .class = CUP_FILE_DATA, .flags = CUP_FILE_IS_ROOT, .size = 3000};
    struct cup_r_info info = {.name = PYTHON, .value = VERSION};
    struct cup_r_note note = {.text = NOTE};
    BUILDER_ADD(b, CUP_R_SERVER, server);
    BUILDER_ADD(b, CUP_R_FILE, a);
    BUILDER_ADD(b, CUP_R_FILE, b_file);
    BUILDER_ADD(b, CUP_R_INFO, info);
    BUILDER_ADD(b, CUP_R_NOTE, note);
}

static void add_begin(struct log_builder *b, uint32_t task, uint32_t prefix, const char *key,
                      double start)
{
    struct cup_r_task_begin begin = {.task = task,
                                     .tid = 100 + task % 2,
                                     .prefix = prefix,
                                     .server = 1,
                                     .span = SPAN,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(start),
                                     .rss = 100,
                                     .run_id = -1};
    builder_begin(b, &begin, key);
}

static void add_end(struct log_builder *b, uint32_t task, double stop, double cpu, uint32_t error)
{
    struct cup_r_task_end end = {.task = task,
                                 .status = error ? CUP_STATUS_ERRED : CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(stop),
                                 .cpu_ns = (uint64_t)(cpu * 1e9),
                                 .rss = 150,
                                 .result_bytes = 64,
                                 .error = error};
    BUILDER_ADD(b, CUP_R_TASK_END, end);
}

static void add_item(struct log_builder *b, uint32_t task, uint32_t dataset, uint32_t file,
                     int64_t start, int64_t stop)
{
    struct cup_r_item item = {.task = task,
                              .kind = CUP_ITEM_WORK,
                              .dataset = dataset,
                              .file = file,
                              .tree = EVENTS,
                              .entry_start = start,
                              .entry_stop = stop};
    BUILDER_ADD(b, CUP_R_ITEM, item);
}

static void add_chunk(struct log_builder *b, uint32_t task, double tic, double toc, double cpu)
{
    struct cup_r_chunk chunk = {.task = task,
                                .tic_ns = at_second(tic),
                                .toc_ns = at_second(toc),
                                .cpu_ns = (uint64_t)(cpu * 1e9)};
    BUILDER_ADD(b, CUP_R_CHUNK, chunk);
}

/* `bytes` by one way; with `heap`, allocations too. */
static void add_reads(struct log_builder *b, uint32_t task, int method, uint64_t bytes,
                      uint64_t calls, uint64_t alloc)
{
    uint64_t values[CUP_COUNTER_COUNT] = {0};
    struct cup_r_counters block = {.task = task,
                                   .tid = 100,
                                   .block = 3,
                                   .sequence = task + 1,
                                   .own = method == CUP_C_READ_OWN_BYTES};
    values[method] = bytes;
    values[CUP_C_READ_CALLS] = calls;
    values[CUP_C_READ_NS] = calls * 50000000;
    values[CUP_C_ALLOC_BYTES] = alloc;
    values[CUP_C_PEAK_LIVE_BYTES] = alloc / 2;
    builder_counters(b, &block, values);
}

static void add_use(struct log_builder *b, uint32_t task, uint32_t file, uint64_t bytes,
                    uint64_t calls, uint64_t sequential)
{
    uint64_t values[CUP_FILE_COUNTER_COUNT] = {0};
    struct cup_r_file_use use = {
        .task = task, .tid = 100, .file = file, .block = 3, .file_sequence = task + 1};
    values[CUP_F_READ_BYTES] = bytes;
    values[CUP_F_READ_CALLS] = calls;
    values[CUP_F_SEQUENTIAL_CALLS] = sequential;
    values[CUP_F_OPENS] = 1;
    builder_file_use(b, &use, values);
}

/* Time 4 s, CPU 2 s, before process() 1 s, inside 2 s; read 100 itself, 300 by a helper. */
static void add_first_chunk(struct log_builder *b)
{
    add_begin(b, 1, DIMUON, "Dimuon-1", 10);
    add_item(b, 1, ZTOMUMU, FILE_A, 0, 1000);
    add_chunk(b, 1, 11, 13, 1.5);
    add_end(b, 1, 14, 2, 0);
    add_reads(b, 1, CUP_C_READ_OWN_BYTES, 100, 2, 1000);
    add_reads(b, 1, CUP_C_READ_CONTEXT_BYTES, 300, 3, 50);
    add_use(b, 1, 1, 100, 2, 1);
    add_use(b, 1, 1, 300, 3, 2);
}

/* Time 8 s, CPU 6 s, before process() 2 s, inside 5 s; read 600. */
static void add_second_chunk(struct log_builder *b)
{
    add_begin(b, 2, DIMUON, "Dimuon-2", 10);
    add_item(b, 2, TTBAR, FILE_B, 0, 3000);
    add_chunk(b, 2, 12, 17, 4.5);
    add_end(b, 2, 18, 6, 0);
    add_reads(b, 2, CUP_C_READ_OWN_BYTES, 600, 6, 0);
    add_use(b, 2, 2, 600, 6, 6);
}

/* The same key twice: 1 s in vain (50 bytes), then 2 s, before process() 0.5 s, inside 1 s. */
static void add_retried_chunk(struct log_builder *b)
{
    add_begin(b, 3, DIMUON, "Dimuon-3", 18);
    add_item(b, 3, ZTOMUMU, FILE_A, 1000, 2000);
    add_end(b, 3, 19, 0.5, ERROR);
    add_reads(b, 3, CUP_C_READ_OWN_BYTES, 50, 1, 0);
    add_begin(b, 4, DIMUON, "Dimuon-3", 19);
    add_item(b, 4, ZTOMUMU, FILE_A, 1000, 2000);
    add_chunk(b, 4, 19.5, 20.5, 0.75);
    add_end(b, 4, 21, 1, 0);
    add_reads(b, 4, CUP_C_READ_OWN_BYTES, 100, 1, 0);
    add_use(b, 4, 1, 100, 1, 0);
}

/* One that ends (1 s, CPU 0.5 s) and one that does not, its block still open with 7 bytes. */
static void add_reductions(struct log_builder *b)
{
    add_begin(b, 5, REDUCE, "reduce-1", 21);
    add_end(b, 5, 22, 0.5, 0);
    add_begin(b, 6, REDUCE, "reduce-2", 22);
    struct cup_block *block = builder_block(b, 0);
    *block = (struct cup_block){.used = 1, .task = 6, .tid = 100, .sequence = 9, .own = 1};
    block->counters[CUP_C_READ_OWN_BYTES] = 7;
}

static void add_taskless_reads(struct log_builder *b)
{
    uint64_t values[CUP_COUNTER_COUNT] = {0};
    struct cup_r_counters none = {.tid = 99, .block = 2, .sequence = 1};
    values[CUP_C_READ_NONE_BYTES] = 57;
    values[CUP_C_IMPORT_BYTES] = 20;
    builder_counters(b, &none, values);
}

void build_golden_log(struct log_builder *b)
{
    builder_start(b);
    builder_header(b)->log_stop_ns = at_second(12); /* with the last task */
    add_introduction(b);
    add_first_chunk(b);
    add_second_chunk(b);
    add_retried_chunk(b);
    add_reductions(b);
    add_taskless_reads(b);
    builder_finish(b);
}

void make_golden(char profile[SUPPORT_PATH], char outside[SUPPORT_PATH])
{
    struct log_builder builder;
    make_scratch(profile);
    make_scratch(outside);
    build_golden_log(&builder);
    save_log(&builder, profile, "a.cup");
    builder_free(&builder);
}

void load_golden(struct cup_profile *profile)
{
    char directory[SUPPORT_PATH];
    struct log_builder builder;
    struct cup_error error;
    const struct cup_load_options options = {.counters = true};
    make_scratch(directory);
    build_golden_log(&builder);
    save_log(&builder, directory, "golden.cup");
    builder_free(&builder);
    if (cup_profile_load(profile, directory, &options, &error) != 0) {
        cup_error_print(stderr, &error);
        abort();
    }
    remove_scratch(directory);
}

/* ---- verbs ------------------------------------------------------------------------------ */

static void redirect(const char *directory, const char *name, FILE *stream)
{
    char path[2 * SUPPORT_PATH];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    if (!freopen(path, "w", stream))
        abort();
}

int run_verb(const char *directory, int (*verb)(int, char **), const char *const *arguments)
{
    int count = 0, status = 0;
    while (arguments[count])
        count++;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        redirect(directory, "out", stdout);
        redirect(directory, "err", stderr);
        status = verb(count, (char **)(uintptr_t)arguments);
        fflush(NULL);
        _exit(status); /* a leak checker would not find its way in a fork of Criterion's fork */
    }
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static uint32_t add_node(struct cup_call_tree *tree, uint32_t parent, const char *name,
                         const char *path, uint32_t line, enum cup_frame_kind kind)
{
    uint32_t function =
        cup_call_add_function(tree, (struct cup_text){name, strlen(name)},
                              (struct cup_text){path, strlen(path)}, line ? 1 : 0, kind);
    return cup_call_add_node(tree, parent, cup_call_add_frame(tree, function, line));
}

void start_calls(struct cup_call_tree *tree, const struct cup_profile *profile)
{
    *tree = (struct cup_call_tree){.profile = profile};
    tree->nodes = calloc(1, sizeof *tree->nodes);
    tree->node_count = tree->node_room = 1;
    add_node(tree, 0, "(not known)", "", 0, CUP_FRAME_UNKNOWN);
}

uint32_t add_user_line(struct cup_call_tree *tree, uint32_t parent, const char *path, uint32_t line)
{
    return add_node(tree, parent, "process", path, line, CUP_FRAME_PYTHON);
}

uint32_t add_helper(struct cup_call_tree *tree, uint32_t parent)
{
    return add_node(tree, parent, "(helper thread)", "", 0, CUP_FRAME_HELPER);
}

json_t *report_json(const char *scratch, const char *outside)
{
    char path[2 * SUPPORT_PATH];
    json_error_t error;
    snprintf(path, sizeof path, "%s/report", outside);
    cr_assert_eq(run_verb(outside, cup_verb_report,
                          (const char *const[]){"report", scratch, "--json", path, NULL}),
                 0);
    char *text = read_text(path);
    json_t *root = json_loads(text, JSON_REJECT_DUPLICATES, &error);
    cr_assert_not_null(root, "%s at line %d", error.text, error.line);
    free(text);
    return root;
}

struct cup_value named_metric(const struct cup_totals *totals, const char *section,
                              const char *name)
{
    const struct cup_metric *metric = cup_metric_find(section, name);
    cr_assert_not_null(metric, "%s.%s", section, name);
    return cup_metric_value(metric->id, totals);
}

const char *advice_text(const struct cup_advice *advice, size_t count, const char *rule)
{
    for (size_t i = 0; i < count; i++)
        if (strcmp(advice[i].rule->name, rule) == 0)
            return advice[i].text;
    return NULL;
}

void expect_advice(const struct cup_advice *advice, size_t count, const char *rule,
                   const char *const *parts)
{
    const char *text = advice_text(advice, count, rule);
    cr_assert_not_null(text, "%s is not said", rule);
    cr_expect_eq(text[strlen(text) - 1], '.', "cut: %s", text);
    for (; *parts; parts++)
        cr_expect_not_null(strstr(text, *parts), "no %s in: %s", *parts, text);
}

json_t *json_row(const json_t *rows, const char *key, const char *value)
{
    size_t i;
    json_t *row;
    json_array_foreach((json_t *)rows, i, row)
    {
        const char *is = json_string_value(json_object_get(row, key));
        if (is && strcmp(is, value) == 0)
            return row;
    }
    cr_assert(false, "no %s of %s", key, value);
    return NULL;
}
