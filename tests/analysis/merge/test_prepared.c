/* Prepared logs: the profile is the same with and without them, and nothing in them is trusted. */
#include <criterion/criterion.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/log/packed_block.h"
#include "analysis/merge/merge.h"
#include "analysis/profile/load/prepared_log.h"
#include "analysis/profile/record_taker.h"
#include "cli/verbs.h"
#include "tests/analysis/fixture.h"

enum { LOGS = 3, PATH = 2 * SUPPORT_PATH };

static char merged[PATH], other[PATH];

enum { FIRST_TASK = 100, TASKS = 2000, TREE = 900, BRANCH, CODE_FILE };

static void add_task(struct log_builder *log, uint32_t task)
{
    const uint32_t branch = 1;
    const uint64_t baskets[1][CUP_BV_COUNT] = {
        {[CUP_BV_BASKETS] = 2, [CUP_BV_COMPRESSED] = 1000 + task, [CUP_BV_UNCOMPRESSED] = 5000}};
    const struct cup_stack_use_row use = {1, CUP_U_CPU, 3, 0, 1000 * task};
    const struct cup_r_task_begin begin = {.task = task,
                                           .tid = 7,
                                           .prefix = 1,
                                           .start_ns = at_second(20 + task / 1e3),
                                           .rss = CUP_UNKNOWN64};
    const struct cup_r_task_end end = {
        .task = task, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(21 + task / 1e3)};
    char key[64];
    snprintf(key, sizeof key, "work-%u-%u", task * 2654435761u, task * 40503u);
    builder_begin(log, &begin, key);
    builder_baskets(log, &(struct cup_r_baskets){.task = task, .file = 1, .source = 1}, &branch,
                    baskets, 1);
    builder_uses(log, task, &use, 1);
    BUILDER_ADD(log, CUP_R_TASK_END, end);
}

/* More than the golden log has: so many tasks that it takes several blocks, with baskets and a
 * stack. */
static void add_tasks(struct log_builder *log)
{
    const struct cup_r_branch branch = {.branch = 1, .tree = TREE, .name = BRANCH};
    const struct cup_stack_node node = {0, 1, 0};
    builder_string(log, TREE, "Events");
    builder_string(log, BRANCH, "Muon_pt");
    BUILDER_ADD(log, CUP_R_BRANCH, branch);
    builder_string(log, CODE_FILE, "/home/me/analysis.py");
    builder_code(log, 1, CODE_FILE, "process", 10, "", 0);
    builder_stacks(log, 1, &node, 1);
    for (uint32_t task = FIRST_TASK; task < FIRST_TASK + TASKS; task++)
        add_task(log, task);
    builder_header(log)->features |= CUP_FEATURE_STACKS | CUP_FEATURE_CPU | CUP_FEATURE_BASKETS;
    builder_finish(log);
}

static void merge_golden_logs(void)
{
    struct cup_merge_result result;
    struct cup_error error;
    start_fixture();
    snprintf(merged, PATH, "%s/all.cup", outside);
    snprintf(other, PATH, "%s/other.cup", outside);
    for (int i = 0; i < LOGS; i++) {
        struct log_builder log;
        char name[64];
        build_golden_log(&log);
        add_tasks(&log);
        builder_header(&log)->pid = 4000000 + (uint32_t)i;
        snprintf(name, sizeof name, "node-%d-1750000000000000000.cup", 100 + i);
        save_log(&log, scratch, name);
        builder_free(&log);
    }
    const char *const inputs[] = {scratch};
    const struct cup_merge_request request = {
        .inputs = inputs, .count = 1, .output = merged, .memory = CUP_MERGE_LEAST_MEMORY};
    cr_assert_eq(cup_merge(&request, &result, &error), 0, "%s", error.text);
}

TestSuite(prepared, .init = merge_golden_logs, .fini = end_fixture);

/* ---- the file ------------------------------------------------------------------------------- */

struct whole {
    unsigned char *bytes; /* owned */
    size_t count;
    struct cup_merged_header header;
    struct cup_merged_log logs[LOGS];
};

static struct whole read_whole(void)
{
    struct whole whole = {0};
    FILE *file = fopen(merged, "r");
    fseek(file, 0, SEEK_END);
    whole.count = (size_t)ftell(file);
    rewind(file);
    whole.bytes = malloc(whole.count);
    cr_assert_eq(fread(whole.bytes, 1, whole.count, file), whole.count);
    fclose(file);
    memcpy(&whole.header, whole.bytes, sizeof whole.header);
    memcpy(whole.logs, whole.bytes + whole.header.index_at, sizeof whole.logs);
    return whole;
}

/* Writes the file to `other`, with these bytes before the index, and with the header and the logs
 * that `whole` has now. */
static void write_other(struct whole *whole, const void *more, size_t more_bytes)
{
    struct cup_merged_header *header = &whole->header;
    size_t index_at = header->index_at;
    unsigned char *index = whole->bytes + index_at;
    FILE *file = fopen(other, "w");
    memcpy(index, whole->logs, sizeof whole->logs);
    header->index_hash = cup_text_hash((struct cup_text){(char *)index, header->index_bytes});
    header->index_at += more_bytes;
    header->file_bytes += more_bytes;
    fwrite(header, 1, sizeof *header, file);
    fwrite(whole->bytes + sizeof *header, 1, index_at - sizeof *header, file);
    if (more_bytes)
        fwrite(more, 1, more_bytes, file);
    fwrite(index, 1, header->index_bytes, file);
    fclose(file);
}

static void load(struct cup_profile *into, const char *path, const struct cup_load_options *options)
{
    struct cup_error error;
    cr_assert_eq(cup_profile_load(into, path, options, &error), 0, "%s", error.text);
}

/* ---- equal profiles ------------------------------------------------------------------------- */

#if defined __GNUC__ && !defined __clang__
#define CLEAR_PADDING(entry) __builtin_clear_padding(entry)
#else
#define CLEAR_PADDING(entry) ((void)(entry))
#endif

static void expect_equal_profiles(struct cup_profile *a, struct cup_profile *b)
{
    for (size_t i = 0; i < a->process_count && i < b->process_count; i++) {
        cr_expect_eq(a->processes[i].tasks, b->processes[i].tasks);
        cr_expect_arr_eq(a->processes[i].with_task, b->processes[i].with_task,
                         sizeof a->processes[i].with_task);
        cr_expect_eq(a->processes[i].last_ns, b->processes[i].last_ns);
    }
#define X(entries, entry, type, merge, what)                                                       \
    cr_expect_eq(a->entry##_count, b->entry##_count, "%s: %zu, %zu", #entries, a->entry##_count,   \
                 b->entry##_count);                                                                \
    for (size_t i = 0; i < a->entry##_count && i < b->entry##_count; i++) {                        \
        CLEAR_PADDING(&a->entries[i]);                                                             \
        CLEAR_PADDING(&b->entries[i]);                                                             \
        cr_expect(strcmp(#entries, "processes") == 0 ||                                            \
                      memcmp(&a->entries[i], &b->entries[i], sizeof(type)) == 0,                   \
                  "%s: %zu", #entries, i);                                                         \
    }
    CUP_PROFILE_ARRAYS(X)
#undef X
    cr_expect_eq(a->strings.count, b->strings.count);
    for (uint32_t id = 1; id < a->strings.count; id++)
        cr_expect_eq(cup_text_compare(cup_profile_text(a, id), cup_profile_text(b, id)), 0);
    cr_expect_arr_eq(a->health, b->health, sizeof a->health);
    cr_expect_eq(a->features, b->features);
    cr_expect_eq(a->basket_rows, b->basket_rows);
}

Test(prepared, the_profile_is_the_same_as_from_the_records)
{
    struct cup_profile with, without;
    struct whole whole = read_whole();
    cr_assert(!cup_can_compress || whole.header.prepared_maker == cup_prepared_maker());
    for (int i = 0; i < LOGS; i++)
        cr_expect(!cup_can_compress || whole.logs[i].prepared_packed > 0);
    load(&with, merged, &(struct cup_load_options){0});
    whole.header.prepared_maker++; /* another build of the program */
    write_other(&whole, NULL, 0);
    load(&without, other, &(struct cup_load_options){0});
    cr_assert_gt(with.task_count, 0);
    cr_assert_gt(with.basket_place_count, 0);
    expect_equal_profiles(&with, &without);
    cup_profile_free(&with);
    cup_profile_free(&without);
    free(whole.bytes);
}

#define RUN(verb, ...)                                                                             \
    run_verb(outside, cup_verb_##verb, (const char *const[]){#verb, __VA_ARGS__, NULL})

/* The report without its first line, which has the path. */
static char *report_of(const char *path)
{
    cr_expect_eq(RUN(report, "--full", path), 0);
    char *out = read_text_in(outside, "out"), *line = strchr(out, '\n');
    cr_assert_not_null(line);
    memmove(out, line, strlen(line) + 1);
    return out;
}

Test(prepared, the_report_is_the_same_as_that_of_the_logs)
{
    char *one = report_of(merged), *logs = report_of(scratch);
    cr_expect_str_eq(one, logs);
    free(one);
    free(logs);
}

/* ---- it is used, and only where it is all that is needed --------------------------------------
 */

static void take_nothing(void *context, uint32_t process, struct cup_kept_records *records)
{
    (void)context, (void)process;
    while (cup_kept_next(records))
        ;
}

static size_t damages_with(const struct cup_load_options *options)
{
    struct cup_profile loaded;
    load(&loaded, other, options);
    size_t damages = loaded.damage_count;
    cup_profile_free(&loaded);
    return damages;
}

/* Every block of a log that holds records is damaged, so that they cannot be read. */
Test(prepared, blocks_are_read_only_for_what_is_not_prepared)
{
    struct whole whole = read_whole();
    if (!cup_can_compress)
        return;
    const struct cup_record_taker stacks = {CUP_STACK_TYPES, take_nothing, NULL},
                                  samples = {CUP_STACK_TYPES | UINT64_C(1) << CUP_R_CPU_SAMPLES,
                                             take_nothing, NULL};
    const unsigned char *blocks = whole.bytes + whole.header.index_at + sizeof whole.logs;
    uint64_t first = whole.logs[1].first_block, end = whole.logs[2].first_block;
    for (uint64_t i = first + 1; i < end; i++) {
        struct cup_merged_block block;
        memcpy(&block, blocks + i * sizeof block, sizeof block);
        if (block.packed) /* else all its bytes are 0, and the file has none of them */
            whole.bytes[block.at + block.packed / 2] ^= 0x5a;
    }
    cr_assert_gt(end, first + 1, "the log has one block");
    write_other(&whole, NULL, 0);
    cr_expect_eq(damages_with(&(struct cup_load_options){0}), 0);
    cr_expect_eq(damages_with(&(struct cup_load_options){.counters = true}), 1);
    cr_expect_eq(damages_with(&(struct cup_load_options){.baskets = true}), 0);
    cr_expect_eq(damages_with(&(struct cup_load_options){.accesses = true}), 1);
    cr_expect_eq(damages_with(&(struct cup_load_options){.span = "default"}), 1);
    cr_expect_eq(damages_with(&(struct cup_load_options){.from_ns = 1, .to_ns = INT64_MAX}), 1);
    cr_expect_eq(damages_with(&(struct cup_load_options){.taker = &stacks}), 0);
    cr_expect_eq(damages_with(&(struct cup_load_options){.taker = &samples}), 1);
    free(whole.bytes);
}

/* ---- damage --------------------------------------------------------------------------------- */

/* Loads `other`, and makes a report of it. */
static void use_other(void)
{
    static const struct cup_record_taker taker = {CUP_STACK_TYPES, take_nothing, NULL};
    struct cup_profile loaded;
    struct cup_error error;
    if (cup_profile_load(&loaded, other, &(struct cup_load_options){.taker = &taker}, &error) == 0)
        cup_profile_free(&loaded);
}

Test(prepared, a_changed_byte_is_found_and_the_records_are_read)
{
    struct cup_profile with, without;
    struct whole whole = read_whole();
    if (!cup_can_compress)
        return;
    for (int i = 0; i < LOGS; i++)
        whole.bytes[whole.logs[i].prepared_at + whole.logs[i].prepared_packed / 2] ^= 0x5a;
    write_other(&whole, NULL, 0);
    load(&with, merged, &(struct cup_load_options){0});
    load(&without, other, &(struct cup_load_options){0});
    expect_equal_profiles(&with, &without);
    cup_profile_free(&with);
    cup_profile_free(&without);
    free(whole.bytes);
}

static unsigned char *unpack_first(const struct whole *whole, struct cup_packer *packer)
{
    const struct cup_merged_log *log = &whole->logs[0];
    unsigned char *plain = malloc(log->prepared_bytes);
    cr_assert(cup_unpack(packer, whole->bytes + log->prepared_at, log->prepared_packed, plain,
                         log->prepared_bytes));
    return plain;
}

/* Gives the first log another prepared form, with a sound checksum. */
static void write_other_prepared(const unsigned char *plain, struct cup_packer *packer)
{
    struct whole whole = read_whole();
    struct cup_merged_log *log = &whole.logs[0];
    size_t room = cup_packed_room(log->prepared_bytes);
    unsigned char *packed = malloc(room);
    size_t bytes = cup_pack(packer, plain, log->prepared_bytes, packed, room);
    cr_assert_gt(bytes, 0);
    log->prepared_at = whole.header.index_at;
    log->prepared_packed = bytes;
    write_other(&whole, packed, bytes);
    free(packed);
    free(whole.bytes);
}

Test(prepared, no_number_in_it_is_trusted, .timeout = 300)
{
    enum { ROUNDS = 1500 };
    if (!cup_can_compress)
        return;
    struct whole whole = read_whole();
    struct cup_packer *packer = cup_packer_new(NULL);
    unsigned char *plain = unpack_first(&whole, packer);
    size_t bytes = whole.logs[0].prepared_bytes;
    srand(1);
    for (int i = 0; i < ROUNDS; i++) {
        /* The counts at the beginning as often as the entries. */
        size_t at = (size_t)rand() % (i % 2 ? bytes : sizeof(struct cup_profile));
        unsigned char before = plain[at], most[] = {1, 0x80, 0xff, (unsigned char)rand()};
        plain[at] ^= most[i / 2 % 4];
        write_other_prepared(plain, packer);
        use_other();
        plain[at] = before;
    }
    cup_packer_free(packer);
    free(plain);
    free(whole.bytes);
}
