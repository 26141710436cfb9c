/* Losses, wasted work, stages and merges of a run of three processes, worked out by hand:
 *
 *   a, on host one, 0 s to 100 s, two threads
 *     metadata-1  0 to  1   of root://s1:1094//x.root; metadata-2 of /local/y.root fails, 0 to 1
 *     meta-merge  1 to  2   made of the two
 *     chunk-1     4 to  8   x.root, 0 to 100 of set Z
 *     chunk-2     8 to 12   x.root, 100 to 200 of Z: fails
 *     chunk-3     4 to  6   y.root, 0 to 50 of T: fails, and so it does again, 6 to 7, without CPU
 *     merge-1    20 to 22   made of chunk-1 and chunk-4: 30 bytes
 *     merge-2    22 to 23   made of merge-1 and merge-9, of which nobody knows
 *   b, on host two, gone at 16 s, one thread
 *     chunk-4     4 to 10   y.root, 50 to 100 of T
 *     chunk-5    10 to  -   y.root, 100 to 150 of T: never ends
 *     other      11 to 12   no chunk, by a thread that was not counted; done again by c
 *   c, on host one, 17 s to 100 s, one thread
 *     chunk-2    17 to 19   succeeds
 *     chunk-4    17 to 20   again, for b was gone with its result
 *     other      20 to 21
 *     chunk-6    19 to 20   x.root, 200 to 300 of Z: succeeds, but process() never returned */
#include <criterion/criterion.h>

#include <math.h>
#include <string.h>

#include "analysis/metrics/reads/open_ranks.h"
#include "analysis/metrics/time/tail.h"
#include "analysis/metrics/totals.h"
#include "tests/analysis/support.h"

enum { CHUNK = 1, REDUCE, META, X, Y, Z, T, EVENTS, OOPS, GONE, OTHER };

static char scratch[SUPPORT_PATH];
static struct cup_profile profile;
static struct cup_totals totals;
static struct log_builder builder;

/* ---- writing logs ----------------------------------------------------------------------- */

static void begin_log(const char *host, uint32_t pid, double start, double stop, uint32_t threads)
{
    static const char *const texts[] = {[CHUNK] = "chunk",
                                        [REDUCE] = "reduce",
                                        [META] = "metadata",
                                        [Z] = "Z",
                                        [X] = "root://s1:1094//x.root",
                                        [Y] = "/local/y.root",
                                        [T] = "T",
                                        [EVENTS] = "Events",
                                        [OOPS] = "OSError: oops",
                                        [GONE] = "OSError: gone",
                                        [OTHER] = "other"};
    struct cup_r_server server = {.id = 1, .role = CUP_ROLE_WORKER, .threads = threads};
    builder_start(&builder);
    builder_header(&builder)->pid = pid;
    builder_header(&builder)->log_start_ns = at_second(start);
    builder_header(&builder)->log_stop_ns = at_second(stop);
    strcpy(builder_header(&builder)->host, host);
    for (uint32_t id = 1; id < sizeof texts / sizeof *texts; id++)
        builder_string(&builder, id, texts[id]);
    BUILDER_ADD(&builder, CUP_R_SERVER, server);
}

static void end_log(const char *name)
{
    builder_finish(&builder);
    save_log(&builder, scratch, name);
    builder_free(&builder);
}

/* STOP 0: it never ends. "chunk-6" is skipped: its result is None. */
static void task(uint32_t number, const char *key, uint32_t prefix, double start, double stop,
                 double cpu, uint32_t error)
{
    struct cup_r_task_begin begin = {.task = number,
                                     .tid = number,
                                     .prefix = prefix,
                                     .server = 1,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(start),
                                     .rss = 1000 * number};
    struct cup_r_task_end end = {.task = number,
                                 .status = error ? CUP_STATUS_ERRED : CUP_STATUS_FINISHED,
                                 .stop_ns = at_second(stop),
                                 .cpu_ns = (uint64_t)(cpu * 1e9),
                                 .rss = 1000 * number,
                                 .result_bytes = strcmp(key, "chunk-6") == 0 ? 16 : 10 * number,
                                 .error = error};
    builder_begin(&builder, &begin, key);
    if (stop > 0)
        BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

static void item(uint32_t number, uint32_t kind, uint32_t dataset, uint32_t file, int64_t from,
                 int64_t to)
{
    struct cup_r_item record = {.task = number,
                                .kind = kind,
                                .dataset = dataset,
                                .file = file,
                                .tree = EVENTS,
                                .entry_start = from,
                                .entry_stop = to};
    BUILDER_ADD(&builder, CUP_R_ITEM, record);
}

static void returns(uint32_t number, double tic, double toc)
{
    struct cup_r_chunk chunk = {
        .task = number, .tic_ns = at_second(tic), .toc_ns = at_second(toc), .cpu_ns = 1};
    BUILDER_ADD(&builder, CUP_R_CHUNK, chunk);
}

static void inputs(uint32_t number, uint32_t count, uint64_t bytes, const char *one)
{
    struct cup_r_inputs record = {
        .task = number, .count = count, .bytes = bytes, .key_bytes = (uint32_t)strlen(one)};
    builder_record(&builder, CUP_R_INPUTS, &record, sizeof record, one, strlen(one));
}

static void write_a(void)
{
    begin_log("one", 1, 0, 100, 2);
    task(1, "metadata-1", META, 0, 1, 1, 0);
    item(1, CUP_ITEM_METADATA, Z, X, -1, -1);
    task(2, "metadata-2", META, 0, 1, 1, GONE);
    item(2, CUP_ITEM_METADATA, T, Y, -1, -1);
    task(3, "meta-merge", REDUCE, 1, 2, 1, 0);
    inputs(3, 2, 77, "metadata-1");
    task(4, "chunk-1", CHUNK, 4, 8, 3, 0);
    item(4, CUP_ITEM_WORK, Z, X, 0, 100);
    returns(4, 5, 7);
    task(5, "chunk-2", CHUNK, 8, 12, 2, OOPS);
    item(5, CUP_ITEM_WORK, Z, X, 100, 200);
    task(6, "chunk-3", CHUNK, 4, 6, 1, OOPS);
    item(6, CUP_ITEM_WORK, T, Y, 0, 50);
    task(7, "chunk-3", CHUNK, 6, 7, 0.5, GONE);
    item(7, CUP_ITEM_WORK, T, Y, 0, 50);
    task(8, "merge-1", REDUCE, 20, 22, 1.5, 0);
    inputs(8, 2, 30, "chunk-4");
    task(9, "merge-2", REDUCE, 22, 23, 0.5, 0);
    inputs(9, 2, CUP_UNKNOWN64, "merge-1");
    end_log("a.cup");
}

static void write_b(void)
{
    begin_log("two", 2, 0, 16, 1);
    task(1, "chunk-4", CHUNK, 4, 10, 3, 0);
    item(1, CUP_ITEM_WORK, T, Y, 50, 100);
    returns(1, 5, 9);
    task(2, "chunk-5", CHUNK, 10, 0, 0, 0);
    item(2, CUP_ITEM_WORK, T, Y, 100, 150);
    task(3, "other", OTHER, 11, 12, 1, 0);
    end_log("b.cup");
}

static void write_c(void)
{
    begin_log("one", 3, 17, 100, 1);
    task(1, "chunk-2", CHUNK, 17, 19, 1, 0);
    item(1, CUP_ITEM_WORK, Z, X, 100, 200);
    returns(1, 17.5, 18);
    task(2, "chunk-4", CHUNK, 17, 20, 2, 0);
    item(2, CUP_ITEM_WORK, T, Y, 50, 100);
    returns(2, 18, 19);
    task(3, "other", OTHER, 20, 21, 1, 0);
    task(4, "chunk-6", CHUNK, 19, 20, 1, 0);
    item(4, CUP_ITEM_WORK, Z, X, 200, 300);
    end_log("c.cup");
}

static void load_run(unsigned run)
{
    struct cup_error error;
    const struct cup_load_options options = {.counters = false, .run = run};
    cr_assert_eq(cup_profile_load(&profile, scratch, &options, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
}

static void load(void)
{
    load_run(0);
}

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

static void load_all(void)
{
    write_a();
    write_b();
    write_c();
    load();
}

TestSuite(ledger, .init = set_up, .fini = tear_down);

static void expect_ns(uint64_t ns, double seconds, const char *what)
{
    cr_expect(fabs((double)ns / 1e9 - seconds) < 1e-6, "%s: %.9g s, not %.9g", what,
              (double)ns / 1e9, seconds);
}

/* ---- losses ----------------------------------------------------------------------------- */

/* The row of a file's entries from FROM on; -1: its metadata. */
static const struct cup_loss *loss_of(uint32_t file_of, int64_t from)
{
    static const char *const files[] = {[X] = "root://s1:1094//x.root", [Y] = "/local/y.root"};
    uint32_t file = cup_intern_find(&profile.strings, files[file_of], strlen(files[file_of]));
    for (size_t i = 0; i < totals.losses->count; i++) {
        const struct cup_item *it = &profile.items[totals.losses->rows[i].item];
        if (it->file == file && it->entry_start == from)
            return &totals.losses->rows[i];
    }
    cr_assert_fail("no row of %s from %lld", files[file_of], (long long)from);
    return NULL;
}

Test(ledger, each_chunk_has_one_row_whatever_its_attempts)
{
    load_all();
    cr_assert_eq(totals.losses->count, 6);
    const struct cup_loss *lost = loss_of(Y, 0);
    cr_expect_eq(lost->outcome, CUP_LOSS_LOST);
    cr_expect_eq(lost->attempts, 2);
    cr_expect_eq(lost->failed, 2);
    expect_ns(lost->wall_ns, 2 + 1, "chunk-3");
    cr_expect_eq(lost->first_ns, at_second(4));
    cr_expect_eq(lost->last_ns, at_second(7));
    struct cup_text error = cup_profile_text(&profile, lost->error);
    cr_expect(error.length == 13 && memcmp(error.bytes, "OSError: gone", 13) == 0,
              "the last attempt's error");
}

Test(ledger, what_another_attempt_made_good_is_recovered)
{
    load_all();
    const struct cup_loss *retried = loss_of(X, 100), *again = loss_of(Y, 50);
    cr_expect_eq(retried->outcome, CUP_LOSS_RECOVERED);
    cr_expect_eq(retried->attempts, 2);
    cr_expect_eq(retried->failed, 1);
    cr_expect_eq(again->outcome, CUP_LOSS_RECOVERED);
    cr_expect_eq(again->repeated, 1);
    expect_ns(again->wall_ns, 6, "chunk-4 by b");
}

Test(ledger, skipped_unfinished_and_metadata)
{
    load_all();
    const struct cup_loss *unfinished = loss_of(Y, 100);
    cr_expect_eq(loss_of(X, 200)->outcome, CUP_LOSS_SKIPPED);
    cr_expect_eq(unfinished->outcome, CUP_LOSS_UNFINISHED);
    expect_ns(unfinished->wall_ns, 16 - 10, "until b's end");
    cr_expect_eq(loss_of(Y, -1)->outcome, CUP_LOSS_LOST);
}

Test(ledger, losses_by_dataset)
{
    load_all();
    const struct cup_losses *losses = totals.losses;
    const struct cup_loss_sums *sums = &losses->sums;
    cr_expect_eq(cup_losses_chunks(sums), 1 + 1 + 1 + 1); /* chunk-3, -5, -6, metadata-2 */
    cr_expect_eq(cup_losses_events(sums), 50 + 50 + 100);
    cr_expect_eq(sums->metadata, 1);
    cr_expect_eq(sums->without_events, 1);
    cr_expect_eq(sums->events[CUP_LOSS_RECOVERED], 100 + 50);
    cr_expect_eq(sums->events[CUP_LOSS_UNFINISHED], 50);
    cr_assert_eq(losses->dataset_count, 2);
    for (size_t i = 0; i < 2; i++) {
        const struct cup_dataset_losses *dataset = &losses->datasets[i];
        bool is_z = cup_profile_text(&profile, dataset->name).bytes[0] == 'Z';
        cr_expect_eq(dataset->events_used, is_z ? 100 + 100 : 50);
        cr_expect_eq(cup_losses_events(&dataset->sums), is_z ? 100 : 50 + 50);
    }
}

/* A task beside Coffea's, with the path of a file as its argument. */
Test(ledger, a_task_that_is_no_chunk_loses_none)
{
    begin_log("one", 1, 0, 100, 1);
    task(1, "chunk-1", CHUNK, 1, 2, 1, 0);
    item(1, CUP_ITEM_WORK, Z, X, 0, 100);
    task(2, "plot-1", OTHER, 2, 3, 1, OOPS);
    item(2, CUP_ITEM_PATH, 0, Y, -1, -1);
    end_log("a.cup");
    load();
    cr_expect_eq(totals.losses->count, 0);
    cr_expect_eq(totals.completeness->failed_chunks, 0);
    cr_expect_eq(totals.all.erred, 1);
}

/* A full disk: the library counted the end of each task, but has no record of it, and of one task
 * none at all. */
Test(ledger, a_lost_end_is_neither_killed_nor_wasted)
{
    begin_log("one", 1, 0, 100, 1);
    task(1, "chunk-1", CHUNK, 1, 2, 1, 0);
    task(2, "chunk-2", CHUNK, 3, 0, 0, 0);
    uint64_t *health = builder_header(&builder)->health;
    health[CUP_H_TASKS_BEGUN] = health[CUP_H_TASKS_ENDED] = 3;
    health[CUP_H_RECORDS_DROPPED] = 7;
    end_log("a.cup");
    load();
    cr_expect_eq(totals.all.unfinished, 0);
    cr_expect_eq(totals.all.unknown, 1);
    cr_expect_eq(totals.tasks_lost, 1);
    cr_expect_eq(cup_waste_sum(totals.waste).tasks, 0);
}

/* Dask tries a chunk again whose worker died, and gives up. */
Test(ledger, a_chunk_that_kills_its_workers)
{
    const struct cup_r_server scheduler = {.id = 1, .role = CUP_ROLE_SCHEDULER};
    builder_start(&builder);
    BUILDER_ADD(&builder, CUP_R_SERVER, scheduler);
    end_log("scheduler.cup");
    for (uint32_t pid = 1; pid <= 2; pid++) {
        begin_log("one", pid, 10 * pid - 5, 10 * pid, 1);
        task(1, "chunk-1", CHUNK, 10 * pid - 2, 0, 0, 0);
        item(1, CUP_ITEM_WORK, Z, X, 0, 100);
        end_log(pid == 1 ? "a.cup" : "b.cup");
    }
    begin_log("one", 3, 0, 100, 1);
    task(1, "chunk-2", CHUNK, 30, 40, 1, 0);
    item(1, CUP_ITEM_WORK, Z, X, 100, 200);
    end_log("c.cup");
    load();
    cr_expect_eq(totals.workers, 2); /* the second replaces the first */
    cr_expect_eq(totals.all_workers, 3);
    cr_expect_eq(cup_losses_events(&totals.losses->sums), 100);
    cr_expect_eq(totals.completeness->state, CUP_RUN_FAILED);
    cr_expect(strstr(totals.completeness->sentence,
                     "1 chunk never ended: in both attempts the worker was killed or crashed"),
              "%s", totals.completeness->sentence);
}

/* Without Coffea's clock calls anywhere nobody knows whether process() returned. */
Test(ledger, without_clock_calls_nothing_is_skipped)
{
    begin_log("one", 1, 0, 100, 1);
    task(1, "chunk-1", CHUNK, 1, 2, 1, 0);
    item(1, CUP_ITEM_WORK, Z, X, 0, 100);
    end_log("a.cup");
    load();
    cr_assert_eq(totals.losses->count, 0);
    cr_assert_eq(totals.merge->count, 0);
}

static void expect_server(const char *url, const char *server)
{
    struct cup_text text = cup_url_server((struct cup_text){url, strlen(url)});
    cr_expect(text.length == strlen(server) && memcmp(text.bytes, server, text.length) == 0,
              "%s: %.*s", url, (int)text.length, text.bytes);
}

Test(ledger, servers_of_urls)
{
    expect_server("root://eos.cern.ch:1094//store/x.root", "root://eos.cern.ch:1094");
    expect_server("https://a.b/c?d=e://f", "https://a.b");
    expect_server("root://host", "root://host");
    expect_server("/store/x.root", "");
    expect_server("/odd/a://b/x.root", "");
    expect_server("file:///store/x.root", "");
    expect_server("", "");
    cr_expect_null(cup_url_server((struct cup_text){0}).bytes);
}

/* ---- wasted work ------------------------------------------------------------------------ */

Test(ledger, waste_by_reason)
{
    load_all();
    const struct cup_waste_reasons *waste = totals.waste;
    cr_expect_eq(waste->failed.tasks, 4);
    expect_ns(waste->failed.wall_ns, 1 + 4 + 2 + 1, "failed");
    expect_ns(waste->failed.cpu_ns, 1 + 2 + 1 + 0.5, "failed, CPU");
    cr_expect_eq(waste->lost.tasks, 2, "chunk-4 and other, by b");
    expect_ns(waste->lost.wall_ns, 6 + 1, "lost");
    expect_ns(waste->lost.cpu_ns, 3 + 1, "lost, CPU");
    cr_expect_eq(waste->retried.tasks, 0);
    cr_expect_eq(waste->killed.tasks, 1);
    expect_ns(waste->killed.wall_ns, 6, "killed");
    expect_ns(cup_waste_sum(waste).wall_ns, 8 + 7 + 6, "all");
}

Test(ledger, a_second_success_beside_a_living_worker_is_retried)
{
    const struct cup_r_run call = {.run = 1, .start_ns = at_second(0), .stop_ns = at_second(10)};
    begin_log("one", 1, 0, 100, 2);
    BUILDER_ADD(&builder, CUP_R_RUN, call);
    builder_header(&builder)->health[CUP_H_RUNS] = 1;
    task(1, "chunk-1", CHUNK, 1, 4, 2, 0);
    item(1, CUP_ITEM_WORK, Z, X, 0, 100);
    end_log("a.cup");
    begin_log("two", 2, 0, 100, 2);
    task(1, "chunk-1", CHUNK, 5, 6, 1, 0);
    item(1, CUP_ITEM_WORK, Z, X, 0, 100);
    end_log("b.cup");
    load();
    cr_expect_eq(totals.waste->retried.tasks, 1);
    expect_ns(totals.waste->retried.wall_ns, 3, "the earlier one");
    cr_expect_eq(totals.waste->lost.tasks, 0);
}

/* ---- stages ----------------------------------------------------------------------------- */

static void expect_stage(enum cup_stage_id id, double time, double threads, double in_tasks)
{
    const struct cup_stage *stage = &totals.stages->rows[id];
    const char *name = cup_stage_texts[id].name;
    cr_assert(stage->known, "%s", name);
    expect_ns(stage->time_ns, time, name);
    expect_ns(stage->threads_ns, threads, name);
    expect_ns(stage->task_ns, in_tasks, name);
    expect_ns(stage->idle_ns, threads - in_tasks, name);
}

/* a has two threads from 0 to 23, b one from 0 to 16, c one from 17 to 23. */
Test(ledger, stages_and_what_they_leave_idle)
{
    load_all();
    cr_expect_not(totals.stages->rows[CUP_STAGE_GRAPH].known, "no Runner call");
    expect_stage(CUP_STAGE_PREPROCESS, 1, 2 + 1, 1 + 1);
    /* 4 to 20: a 4 + 4 + 2 + 1; b 6 + 6 + 1; c 2 + 3 + 1 */
    expect_stage(CUP_STAGE_PROCESS, 16, 32 + 12 + 3, 11 + 13 + 6);
    /* 20 to 23: merge-1, merge-2, other */
    expect_stage(CUP_STAGE_MERGE, 3, 6 + 3, 2 + 1 + 1);
}

/* The stages of one call are within those that two calls have together. */
Test(ledger, stages_of_several_calls_are_not_known)
{
    struct cup_error error;
    const struct cup_load_options all = {.run = CUP_ALL_RUNS};
    const struct cup_r_run first = {.run = 1, .start_ns = at_second(0.5), .stop_ns = at_second(4)};
    const struct cup_r_run second = {.run = 2, .start_ns = at_second(5), .stop_ns = at_second(9)};
    begin_log("one", 1, 0, 10, 2);
    BUILDER_ADD(&builder, CUP_R_RUN, first);
    BUILDER_ADD(&builder, CUP_R_RUN, second);
    builder_header(&builder)->health[CUP_H_RUNS] = 2;
    task(1, "chunk-1", CHUNK, 1, 3, 2, 0);
    item(1, CUP_ITEM_WORK, Z, X, 0, 100);
    task(2, "metadata-1", META, 5, 6, 1, 0);
    item(2, CUP_ITEM_METADATA, Z, X, -1, -1);
    task(3, "chunk-2", CHUNK, 7, 8, 1, 0);
    item(3, CUP_ITEM_WORK, Z, X, 100, 200);
    end_log("a.cup");
    cr_assert_eq(cup_profile_load(&profile, scratch, &all, &error), 0, "%s", error.text);
    cr_assert_eq(cup_totals_make(&totals, &profile), 0);
    for (int i = 0; i < CUP_STAGE_COUNT; i++)
        cr_expect_not(totals.stages->rows[i].known, "%s", cup_stage_texts[i].name);
    cr_expect(totals.stages->mixed, "idle time is not known");
}

Test(ledger, a_few_chunks_have_no_tail)
{
    load_all();
    cr_expect_not(totals.stages->rows[CUP_STAGE_TAIL].known, "8 attempts at chunks ended");
    struct cup_tail tail;
    cr_assert_eq(cup_tail_make(&tail, &totals), 0);
    cr_expect_eq(tail.count, 0);
    cup_tail_free(&tail);
}

/* Ten chunks of 1 s from 0 on, one after the other, 100 events each; then what is asked for. */
static void begin_ten(void)
{
    begin_log("one", 1, 0, 100, 2);
    for (uint32_t i = 1; i <= 17; i++) {
        char key[16];
        snprintf(key, sizeof key, "chunk-%u", i);
        task(i, key, CHUNK, i - 1, i, 0.9, 0);
        item(i, CUP_ITEM_WORK, Z, X, 0, 100);
    }
}

static uint32_t why(const struct cup_tail *tail, size_t at)
{
    return tail->chunks[at].reasons;
}

Test(ledger, why_a_chunk_is_in_the_tail)
{
    struct cup_tail tail;
    begin_ten(); /* 17 end by 17; the 18th of 20 ends at 21: the mark */
    task(18, "late", CHUNK, 20, 21, 1, 0);
    item(18, CUP_ITEM_WORK, Z, X, 0, 100);
    task(19, "many", CHUNK, 2, 22, 19, 0);
    item(19, CUP_ITEM_WORK, Z, X, 0, 2000);
    task(20, "waits", CHUNK, 20.5, 32.5, 1, 0);
    item(20, CUP_ITEM_WORK, Z, X, 0, 100);
    end_log("a.cup");
    load();
    expect_stage(CUP_STAGE_TAIL, 32.5 - 21, 2 * (32.5 - 21), 1 + 11.5);
    cr_assert_eq(cup_tail_make(&tail, &totals), 0);
    cr_assert_eq(tail.from_ns, at_second(21));
    cr_expect_eq(tail.median_s, 1);
    cr_assert_eq(tail.total, 2);
    cr_expect_eq(why(&tail, 0),
                 1u << CUP_TAIL_STARTED_LATE | 1u << CUP_TAIL_OFF_CPU | 1u << CUP_TAIL_LONG);
    cr_expect_eq(why(&tail, 1), 1u << CUP_TAIL_MANY_EVENTS);
    char text[CUP_TAIL_ROOM];
    cr_expect_str_eq(cup_tail_why(text, &tail.chunks[0]),
                     "started late, waited, long for its events");
    cup_tail_free(&tail);
}

Test(ledger, of_a_long_tail_the_last_are_kept)
{
    struct cup_tail tail;
    begin_log("one", 1, 0, 3000, 1);
    for (uint32_t i = 1; i <= 2000; i++) {
        char key[16];
        snprintf(key, sizeof key, "chunk-%u", i);
        uint32_t end = i * 7 % 2000 + 1; /* each once, in disorder */
        task(i, key, CHUNK, end - 1, end, 1, 0);
        item(i, CUP_ITEM_WORK, Z, X, 0, 100);
    }
    end_log("a.cup");
    load();
    cr_assert_eq(cup_tail_make(&tail, &totals), 0);
    cr_expect_eq(tail.total, 200);
    cr_assert_eq(tail.count, CUP_TAIL_MOST);
    for (size_t i = 0; i < tail.count; i++)
        cr_assert_eq(profile.tasks[profile.items[tail.chunks[i].item].task].stop_ns,
                     at_second(2000 - (double)i));
    cup_tail_free(&tail);
}

/* ---- merges ----------------------------------------------------------------------------- */

Test(ledger, levels_of_the_reduction)
{
    load_all();
    const struct cup_merge *merge = totals.merge;
    cr_assert_eq(merge->count, 3);
    const struct cup_merge_level *of_metadata = &merge->levels[0], *first = &merge->levels[1],
                                 *second = &merge->levels[2];
    cr_expect(of_metadata->metadata && of_metadata->level == 1);
    cr_expect_eq(of_metadata->input_bytes, 77);
    cr_expect(!first->metadata && first->level == 1);
    cr_expect_eq(first->tasks, 1);
    cr_expect_eq(first->inputs, 2);
    cr_expect_eq(first->input_bytes, 30);
    cr_expect_eq(first->result_bytes, 80);
    cr_expect_eq(first->rss_bytes, 8000);
    expect_ns(first->wall_ns, 2, "level 1");
    expect_ns(first->cpu_ns, 1.5, "level 1, CPU");
    cr_expect_eq(second->level, 2);
    cr_expect_eq(second->input_bytes_known, 0, "of one input the size is not known");
    const struct cup_merge_level sum = cup_merge_sum(merge, false);
    cr_expect_eq(sum.tasks, 2);
    cr_expect_eq(sum.result_bytes, 170);
    expect_ns(sum.longest_ns, 2, "longest");
}

Test(ledger, without_inputs_the_level_is_not_known)
{
    begin_log("one", 1, 0, 100, 1);
    task(1, "before", OTHER, 1, 2, 1, 0);
    task(2, "chunk-1", CHUNK, 3, 4, 1, 0);
    item(2, CUP_ITEM_WORK, Z, X, 0, 100);
    task(3, "merge", REDUCE, 5, 6, 1, 0);
    end_log("a.cup");
    load();
    cr_assert_eq(totals.merge->count, 1);
    cr_expect_eq(totals.merge->levels[0].level, 0);
    cr_expect_eq(totals.merge->levels[0].tasks, 1);
}

/* The middle between the end of the first call and the begin of the second is no border. */
Test(ledger, merges_of_calls_at_the_same_time_keep_their_inputs)
{
    const struct cup_r_run calls[] = {
        {.run = 1, .start_ns = at_second(2), .stop_ns = at_second(40)},
        {.run = 2, .start_ns = at_second(3), .stop_ns = at_second(50)}};
    begin_log("one", 1, 0, 100, 1);
    builder_header(&builder)->health[CUP_H_RUNS] = 2;
    BUILDER_ADD(&builder, CUP_R_RUN, calls[0]);
    BUILDER_ADD(&builder, CUP_R_RUN, calls[1]);
    task(1, "chunk-1", CHUNK, 4, 8, 3, 0);
    item(1, CUP_ITEM_WORK, Z, X, 0, 100);
    task(2, "merge-1", REDUCE, 22, 23, 1, 0);
    inputs(2, 1, 30, "chunk-1");
    end_log("a.cup");
    load_run(CUP_ALL_RUNS);
    cr_expect_eq(cup_merge_sum(totals.merge, false).tasks, 1);
}

/* A chain as no reduction has it, and one that goes round, end. */
Test(ledger, inputs_that_go_round)
{
    begin_log("one", 1, 0, 100, 1);
    task(1, "p", REDUCE, 1, 2, 1, 0);
    inputs(1, 1, 1, "q");
    task(2, "q", REDUCE, 3, 4, 1, 0);
    inputs(2, 1, 1, "p");
    end_log("a.cup");
    load();
    cr_assert_eq(totals.merge->count, 0);
}

/* ---- next to nothing -------------------------------------------------------------------- */

Test(ledger, a_run_without_tasks)
{
    begin_log("one", 1, 0, 100, 1);
    end_log("a.cup");
    load();
    cr_expect_eq(totals.losses->count, 0);
    cr_expect_eq(totals.merge->count, 0);
    cr_expect_eq(totals.stages->idle_ns, 0);
    cr_expect_eq(cup_waste_sum(totals.waste).tasks, 0);
    cr_expect_eq(totals.hosts->count, 1);
}

Test(ledger, the_cause_names_chunks_and_metadata_that_failed)
{
    load_all();
    const char *sentence = totals.completeness->sentence;
    cr_expect(strstr(sentence, "and reading the metadata of 1 file, failed for good"), "%s",
              sentence);
}

/* A chunk that succeeded, and one that Coffea skipped, of five. */
static const char *advice_on_lost_events(bool with_scheduler, char room[2000])
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    const struct cup_r_server scheduler = {.id = 2, .role = CUP_ROLE_SCHEDULER};
    const struct cup_r_run run = {.run = 1,
                                  .start_ns = at_second(0.5),
                                  .stop_ns = at_second(9),
                                  .plan = CUP_PLAN_KNOWN,
                                  .chunks_read = 5,
                                  .chunks = 5,
                                  .events = 500};
    begin_log("one", 1, 0, 10, 2);
    if (with_scheduler)
        BUILDER_ADD(&builder, CUP_R_SERVER, scheduler);
    BUILDER_ADD(&builder, CUP_R_RUN, run);
    builder_header(&builder)->health[CUP_H_RUNS] = 1;
    task(1, "chunk-1", CHUNK, 1, 4, 2, 0);
    item(1, CUP_ITEM_WORK, Z, X, 0, 100);
    returns(1, 2, 3);
    task(2, "chunk-6", CHUNK, 4, 5, 1, 0);
    item(2, CUP_ITEM_WORK, Z, X, 100, 200);
    end_log("a.cup");
    load();
    size_t count = cup_advice_make(&totals, advice);
    const char *text = advice_text(advice, count, "events_lost");
    cr_assert_not_null(text, "%s", totals.completeness->sentence);
    snprintf(room, 2000, "%s", text);
    return room;
}

Test(ledger, chunks_that_were_not_tried_are_in_the_advice)
{
    char room[2000];
    const char *text = advice_on_lost_events(true, room);
    cr_expect_eq(totals.completeness->state, CUP_RUN_ABORTED);
    cr_expect(strstr(text, "the run ended before it tried 3 chunks"), "%s", text);
}

/* Without the scheduler's log, other workers may have tried them. */
Test(ledger, chunks_that_others_may_have_tried_are_not_in_the_advice)
{
    char room[2000];
    const char *text = advice_on_lost_events(false, room);
    cr_expect_eq(totals.completeness->state, CUP_RUN_UNKNOWN);
    cr_expect_null(strstr(text, "before it tried"), "%s", text);
}
