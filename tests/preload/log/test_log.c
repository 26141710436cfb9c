/* The log writer, counter blocks and attribution, without a preload: what is written is read back
 * from the file, limits cost records and nothing else. */
#include "preload/attribution/attribution.h"
#include "preload/attribution/context.h"
#include "preload/attribution/helper.h"
#include "preload/counters/block.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/sys/clock.h"
#include "preload/sys/hook_list.h"
#include "tests/preload/unpacked_record.h"

#include <criterion/criterion.h>
#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

/* The test says what the Python context carries: a thread state of one word, a context, its map and
 * a root node with one variable, laid out as the reader in preload/attribution/context.h expects
 * them. */
struct cup_python cup_py;
struct cup_gil cup_gil;
int cup_python_key = -1;
struct cup_context_layout cup_context;

static struct {
    const void *thread[1], *context[4], *map[3], *root[6], *carrier[4];
} python;

static int not_finalizing(void)
{
    return 0;
}

static cup_object *this_thread(void)
{
    return (cup_object *)python.thread;
}

cup_object *cup_python_thread(void)
{
    return this_thread();
}

uint32_t cup_context_search(const void *const *map)
{
    (void)map;
    return 0;
}

static void set_context(uint32_t task)
{
    static int bitmap_type, variable;
    const uint32_t digits[2] = {task & 0x3fffffff, task >> 30 | 1u << 29};
    cup_py.is_finalizing = not_finalizing;
    cup_py.PyGILState_GetThisThreadState = this_thread;
    cup_context = (struct cup_context_layout){
        .variable = &variable, .root_bit = 1u << 5, .bitmap_type = &bitmap_type, .verified = true};
    python.thread[0] = python.context;
    python.context[CUP_CONTEXT_VARIABLES] = python.map;
    python.map[CUP_MAP_ROOT] = python.root;
    python.root[1] = &bitmap_type;
    python.root[CUP_BITMAP_BITS] = (void *)(uintptr_t)(task ? 1u << 5 : 0);
    python.root[CUP_BITMAP_PAIRS] = &variable;
    python.root[CUP_BITMAP_PAIRS + 1] = python.carrier;
    memcpy(&python.carrier[CUP_INTEGER_DIGITS], digits, sizeof digits);
}

static char directory[] = "/tmp/cupping-unit-XXXXXX";

static void open_log(uint64_t max_bytes)
{
    const char *why = "";
    cup_real_resolve();
    cup_clock_calibrate(true);
    cr_assert(mkdtemp(directory) != NULL);
    cr_assert(cup_log_open(directory, max_bytes, 1, CUP_LOG_FULL, &why) == 0, "%s", why);
    cup_self.tid = 4711;
    cup_self.state = CUP_THREAD_KNOWN;
}

static void open_usual(void)
{
    open_log(64 << 20);
}

static void remove_log(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -rf %s", directory);
    if (system(command))
        return;
}

/* ---- reading back
 * ----------------------------------------------------------------------------------- */

static const char *log_path(void)
{
    static char path[512];
    char command[128];
    snprintf(command, sizeof command, "ls %s/*.cup", directory);
    FILE *list = popen(command, "r");
    cr_assert(fscanf(list, "%511s", path) == 1);
    pclose(list);
    return path;
}

/* The file's bytes as another process finds them. */
static char *file_bytes(size_t *bytes)
{
    FILE *file = fopen(log_path(), "r");
    fseek(file, 0, SEEK_END);
    *bytes = (size_t)ftell(file);
    rewind(file);
    char *all = malloc(*bytes);
    cr_assert(fread(all, 1, *bytes, file) == *bytes);
    fclose(file);
    return all;
}

/* Next whole record of TYPE behind *AT; NULL at the end. */
static const struct cup_record *next_record(const char *log, uint64_t *at, uint16_t type)
{
    const struct cup_log_header *header = (const void *)log;
    while (*at < header->records_end) {
        const struct cup_record *record = (const void *)(log + *at);
        if (!record->length)
            return NULL;
        *at += record->length;
        if (record->type == type)
            return test_unpacked(record);
    }
    return NULL;
}

static unsigned long count_records(const char *log, uint16_t type)
{
    uint64_t at = ((const struct cup_log_header *)log)->records_offset;
    unsigned long count = 0;
    while (next_record(log, &at, type))
        count++;
    return count;
}

static const unsigned char *tail_of(const struct cup_record *record)
{
    return (const unsigned char *)record + record->fixed;
}

/* Pairs of a record from AT on into COUNTERS, up to the next file. There are no buckets. Returns
 * their end. */
static const unsigned char *read_pairs_at(const struct cup_record *record, const unsigned char *at,
                                          uint64_t *counters, unsigned room)
{
    const unsigned char *end = (const unsigned char *)record + record->length;
    memset(counters, 0, room * sizeof *counters);
    while (at < end && *at != CUP_PAIR_FILE) {
        unsigned index = *at++, shift = 0;
        cr_assert(index < room);
        do
            counters[index] |= (uint64_t)(*at & 0x7f) << shift;
        while (shift += 7, *at++ & 0x80);
    }
    return at;
}

static const unsigned char *read_pairs(const struct cup_record *record, uint64_t *counters,
                                       unsigned room)
{
    return read_pairs_at(record, tail_of(record), counters, room);
}

/* The first file in the tail of a COUNTERS record, from AT on; NULL: there is none. */
static const unsigned char *next_file(const struct cup_record *record, const unsigned char *at)
{
    uint64_t ignored[CUP_COUNTER_ROOM];
    at = read_pairs_at(record, at, ignored, CUP_COUNTER_ROOM);
    return at < (const unsigned char *)record + record->length ? at : NULL;
}

/* ---- blocks
 * ------------------------------------------------------------------------------------------- */

Test(log, pairs_keep_every_value, .init = open_usual, .fini = remove_log)
{
    static const uint64_t values[] = {
        1, 127, 128, 16383, 16384, 1 << 21, (1u << 28) - 1, UINT64_C(1) << 35, UINT64_MAX};
    struct cup_block *block = cup_block_open(7, 1);
    cr_assert(block != NULL);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        block->counters[i * 2] = values[i];
    struct cup_file_use *use = cup_block_file(block, 3);
    use->counters[CUP_F_READ_BYTES] = 123456789;
    cup_block_close(block);

    size_t bytes;
    char *log = file_bytes(&bytes);
    uint64_t at = ((struct cup_log_header *)log)->records_offset, counters[CUP_COUNTER_ROOM];
    const struct cup_r_counters *record = (const void *)next_record(log, &at, CUP_R_COUNTERS);
    cr_assert(record != NULL);
    cr_expect(record->task == 7 && record->tid == 4711 && record->own == 1);
    read_pairs(&record->head, counters, CUP_COUNTER_ROOM);
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        cr_expect(counters[2 * i] == values[i] && counters[2 * i + 1] == 0, "value %zu", i);
    const unsigned char *file = next_file(&record->head, tail_of(&record->head));
    cr_assert(file != NULL && file[1] == 3);
    read_pairs_at(&record->head, file + 2, counters, CUP_FILE_COUNTER_COUNT);
    cr_expect(counters[CUP_F_READ_BYTES] == 123456789);
    free(log);
}

/* More files than a block has room for: each one's bytes are in some record, none twice. */
Test(log, a_block_gives_way_to_more_files, .init = open_usual, .fini = remove_log)
{
    enum { FILES = 20, ROUNDS = 50 };
    struct cup_block *block = cup_block_open(1, 1);
    for (uint32_t i = 0; i < FILES * ROUNDS; i++)
        cup_block_file(block, 1 + i * 7 % FILES)->counters[CUP_F_READ_BYTES] += 10 + i * 7 % FILES;
    cup_block_close(block);

    size_t bytes;
    char *log = file_bytes(&bytes);
    uint64_t at = ((struct cup_log_header *)log)->records_offset, sums[FILES + 1] = {0};
    uint64_t counters[CUP_FILE_COUNTER_COUNT];
    for (const struct cup_record *record; (record = next_record(log, &at, CUP_R_FILE_USE));) {
        read_pairs(record, counters, CUP_FILE_COUNTER_COUNT);
        sums[((const struct cup_r_file_use *)record)->file] += counters[CUP_F_READ_BYTES];
    }
    at = ((struct cup_log_header *)log)->records_offset;
    const struct cup_record *closed = next_record(log, &at, CUP_R_COUNTERS);
    cr_assert_not_null(closed);
    for (const unsigned char *file = tail_of(closed); (file = next_file(closed, file));) {
        uint32_t id = file[1];
        file = read_pairs_at(closed, file + 2, counters, CUP_FILE_COUNTER_COUNT);
        sums[id] += counters[CUP_F_READ_BYTES];
    }
    for (int i = 0; i < FILES; i++)
        cr_expect(sums[i + 1] == (uint64_t)(10 + i) * ROUNDS, "file %d: %lu", i, sums[i + 1]);
    free(log);
}

static uint64_t blocks_dropped(void)
{
    return cup_log_header()->health[CUP_H_BLOCKS_DROPPED];
}

/* The header has room for so many regions. Then blocks outside of the log are used. */
Test(log, no_block_is_free, .init = open_usual, .fini = remove_log)
{
    uint64_t opened = 0, logged = 0;
    while (cup_block_open(1, CUP_BLOCK_RUNS))
        logged = ++opened - blocks_dropped();
    cr_expect_eq(opened, CUP_LOG_MOST_BLOCKS);
    cr_expect_eq(logged, CUP_LOG_BLOCK_COUNT + 13 * CUP_LOG_MORE_BLOCKS);
    cr_expect_eq(blocks_dropped(), opened - logged + 1);
}

/* Every block is another one, is found by its number, and can be used again. */
Test(log, blocks_are_added, .init = open_usual, .fini = remove_log)
{
    enum { COUNT = CUP_LOG_BLOCK_COUNT + 100 };
    struct cup_block *blocks[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
        blocks[i] = cup_block_open(i + 1, CUP_BLOCK_RUNS);
        cr_assert(blocks[i] != NULL);
        cr_expect(cup_log_block(cup_log_block_index(blocks[i])) == blocks[i]);
    }
    for (uint32_t i = 0; i < COUNT; i++)
        cr_expect(blocks[i]->task == i + 1, "block %u was given twice", i);
    cr_expect(cup_log_header()->region_count == 8, "one more whenever half of all are in use");
    cr_expect_eq(blocks_dropped(), 0);
    cup_block_close(blocks[COUNT - 1]);
    cr_expect(cup_block_open(7, CUP_BLOCK_RUNS) == blocks[COUNT - 1]);
}

/* ---- blocks of helpers that are done with a task
 * ----------------------------------------------------------------------------------- */

static struct cup_block *helper_of(uint32_t task, uint64_t bytes, uint64_t longest)
{
    struct cup_block *block = cup_block_open(task, CUP_BLOCK_HELPS);
    block->tid = (uint32_t)bytes;
    block->counters[CUP_C_READ_CONTEXT_BYTES] = bytes;
    block->counters[CUP_C_READ_LONGEST_NS] = longest;
    block->histograms[CUP_HISTOGRAM_READ][3] = 1;
    cup_block_file(block, (uint32_t)bytes % 2 + 1)->counters[CUP_F_READ_BYTES] = bytes;
    return block;
}

static uint32_t records(void)
{
    const struct cup_log_header *header = cup_log_header();
    return (uint32_t)(header->records_end - header->records_offset);
}

Test(log, helpers_of_a_task_are_added_up, .init = open_usual, .fini = remove_log)
{
    struct cup_block *first = helper_of(5, 100, 30), *second = helper_of(5, 40, 90),
                     *third = helper_of(5, 7, 20), *other = helper_of(6, 1, 1);
    uint32_t before = records();
    cup_block_close(first);
    cup_block_close(second);
    cup_block_close(third);
    cup_block_close(other);
    cr_expect_eq(records(), before, "nothing is written yet");
    cr_expect(first->used && !second->used && !third->used && other->used);
    cr_expect_eq(first->counters[CUP_C_READ_CONTEXT_BYTES], 147);
    cr_expect_eq(first->counters[CUP_C_READ_LONGEST_NS], 90, "the largest, not the sum");
    cr_expect_eq(first->histograms[CUP_HISTOGRAM_READ][3], 3);
    cr_expect_eq(first->tid, 0, "of several threads");
    cr_expect_eq(cup_block_file(first, 1)->counters[CUP_F_READ_BYTES], 140);
    cr_expect_eq(cup_block_file(first, 2)->counters[CUP_F_READ_BYTES], 7);
    cr_expect_eq(second->counters[CUP_C_READ_CONTEXT_BYTES], 0);
    cr_expect_eq(second->files[0].file, 0);
}

Test(log, many_tasks_push_the_oldest_out, .init = open_usual, .fini = remove_log)
{
    struct cup_block *oldest = helper_of(1, 10, 1);
    cup_block_close(oldest);
    uint32_t before = records();
    for (uint32_t task = 2; task < 40 && oldest->used; task++)
        cup_block_close(helper_of(task, 10, 1));
    cr_expect(!oldest->used && records() > before);
}

/* ---- strings and room
 * ----------------------------------------------------------------------------------- */

Test(log, strings_are_interned_until_the_table_is_full, .init = open_usual, .fini = remove_log)
{
    char text[32];
    uint32_t first = cup_log_cstring("same");
    cr_expect(first != 0 && cup_log_cstring("same") == first && cup_log_cstring(NULL) == 0);
    uint32_t stored = 0;
    for (int i = 0; i < 40000; i++) {
        snprintf(text, sizeof text, "string %d", i);
        stored += cup_log_cstring(text) != 0;
    }
    cr_expect(stored > 1000 && stored < 40000);
    cr_expect(cup_log_header()->health[CUP_H_STRINGS_DROPPED] == 40000 - stored);
    cr_expect(cup_log_cstring("same") == first, "a full table still knows what it has");
    cr_expect(cup_log_name("prefix", 6) != 0, "and has room for names");
    size_t bytes;
    char *log = file_bytes(&bytes);
    cr_expect(count_records(log, CUP_R_STRING) == stored + 2);
    free(log);
}

static void open_small(void)
{
    open_log(1 << 20);
}

Test(log, limit_costs_records_alone, .init = open_small, .fini = remove_log)
{
    unsigned long written = 0, dropped = 0;
    for (int i = 0; i < 50000; i++) {
        struct cup_r_note *note = cup_log_reserve(sizeof *note, 100);
        if (note)
            cup_log_commit(note, CUP_R_NOTE);
        *(note ? &written : &dropped) += 1;
    }
    cr_expect(written > 100 && dropped > 100);
    cr_expect(cup_log_header()->health[CUP_H_RECORDS_DROPPED] == dropped);
    size_t bytes;
    char *log = file_bytes(&bytes);
    cr_expect(bytes <= 1 << 20, "%zu bytes", bytes);
    cr_expect(count_records(log, CUP_R_NOTE) == written);
    free(log);
}

/* The file is not touched that another program has put in the log's place. */
static void expect_no_log(int error, const char *expected)
{
    const struct rlimit none = {3, 3};
    const char *why = "";
    if (error == EMFILE)
        setrlimit(RLIMIT_NOFILE, &none);
    cr_expect(cup_log_open(error == EMFILE ? directory : "/dev/null/none", 64 << 20, 1,
                           CUP_LOG_FULL, &why) != 0);
    cr_expect(strncmp(why, expected, strlen(expected)) == 0, "%s", why);
}

Test(log, why_there_is_none)
{
    cup_real_resolve();
    cr_assert(mkdtemp(directory) != NULL);
    expect_no_log(ENOTDIR, "CUPPING_DIR is no directory: ");
    expect_no_log(EMFILE, "no file descriptor is left (ulimit -n) for a log in CUPPING_DIR, ");
    rmdir(directory);
}

Test(log, another_file_has_its_name, .init = open_usual, .fini = remove_log)
{
    size_t before, after;
    free(file_bytes(&before));
    char *path = strdup(log_path()), aside[4096];
    snprintf(aside, sizeof aside, "%s.aside", path);
    cr_assert(rename(path, aside) == 0);
    FILE *other = fopen(path, "w");
    cr_assert(other && fputs("not a log", other) >= 0 && fclose(other) == 0);
    unsigned dropped = 0;
    for (int i = 0; i < 5000; i++) {
        struct cup_r_note *note = cup_log_reserve(sizeof *note, 100);
        dropped += !note;
        if (note)
            cup_log_commit(note, CUP_R_NOTE);
    }
    free(file_bytes(&after));
    cr_expect(after == strlen("not a log"), "%zu bytes", after);
    cr_expect(dropped > 0 && dropped < 5000, "%u records dropped", dropped);
    cr_assert(rename(aside, path) == 0);
    free(path);
}

/* ---- series
 * ------------------------------------------------------------------------------------------------
 */

static uint64_t series_sum(enum cup_series_row row)
{
    uint64_t sum = 0;
    for (int bin = 0; bin < CUP_SERIES_BINS; bin++)
        sum += cup_log_series()->values[row][bin];
    return sum;
}

Test(log, series_doubles_and_loses_nothing, .init = open_usual, .fini = remove_log)
{
    int64_t start = cup_log_header()->log_start_ns;
    uint64_t sum = 0;
    for (int64_t second = 0; second < 1000; second++, sum += 3)
        cup_log_series_add(CUP_S_TASKS, start + second * INT64_C(1000000000), 3);
    cr_expect(series_sum(CUP_S_TASKS) == sum);
    cr_expect(cup_log_series()->bin_ns > UINT64_C(1000000000) * 1000 / CUP_SERIES_BINS);
    cr_expect(cup_log_series()->values[CUP_S_TASKS][0] > 3);
    cup_log_series_add(CUP_S_TASKS, start - 5, 1); /* a clock set back */
    cr_expect(series_sum(CUP_S_TASKS) == sum + 1);
}

/* ---- fork
 * --------------------------------------------------------------------------------------------------
 */

Test(log, a_child_forgets_and_leaves_the_file_alone, .init = open_usual, .fini = remove_log)
{
    cup_log_note("parent");
    uint64_t end = cup_log_header()->records_end;
    pid_t pid = fork();
    if (pid == 0) {
        cup_log_forget();
        cup_log_note("child");
        _exit(cup_log_header() == NULL && cup_log_cstring("child") == 0 ? 0 : 1);
    }
    int status = -1;
    cr_expect(waitpid(pid, &status, 0) == pid && status == 0);
    cr_expect(cup_log_header()->records_end == end);
}

/* ---- attribution
 * ------------------------------------------------------------------------------------------- */

static void expect_way(enum cup_method method, uint32_t task)
{
    struct cup_owner owner = cup_attribution(NULL);
    cr_assert(owner.block != NULL);
    cr_expect(owner.method == method && owner.block->task == task, "way %d task %u, must be %d %u",
              owner.method, owner.block->task, method, task);
}

Test(attribution, strongest_way_first, .init = open_usual, .fini = remove_log)
{
    expect_way(CUP_METHOD_NONE, 0);
    cup_running_add(5);
    expect_way(CUP_METHOD_SOLE, 5);
    cup_running_add(9);
    expect_way(CUP_METHOD_NONE, 0); /* one of two: not guessed */
    set_context(9);
    expect_way(CUP_METHOD_CONTEXT, 9);
    cup_self.own = cup_block_open(5, 1);
    expect_way(CUP_METHOD_OWN, 5);
    cup_self.own = NULL;
    set_context(0);
    cup_running_remove(5);
    expect_way(CUP_METHOD_SOLE, 9);
    cup_self.server_loop = true;
    expect_way(CUP_METHOD_NONE, 0);
    cup_self.server_loop = false;
}

/* A task that began or ended during the call: whose it was cannot be said. */
Test(attribution, sole_must_last, .init = open_usual, .fini = remove_log)
{
    cup_running_add(5);
    struct cup_owner owner = cup_attribution(NULL);
    cup_attribution_confirm(&owner);
    cr_expect(owner.method == CUP_METHOD_SOLE);
    cup_running_add(6);
    cup_running_remove(6);
    cup_attribution_confirm(&owner);
    cr_expect(owner.method == CUP_METHOD_NONE && owner.block->task == 0);
}
