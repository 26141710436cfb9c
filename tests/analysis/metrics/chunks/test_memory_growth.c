/* Which series of a process' memory before its chunks count as growth that is not given back. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>

#include "analysis/metrics/chunks/memory_growth.h"
#include "analysis/metrics/sums/sums.h"

enum { MOST = 200, PROCESSES = 3, SECOND = 1000000000 };

static const double megabyte = 1e6, base = 200e6;

/* Memory of process number PROCESS before its chunk number I of COUNT. */
typedef double (*series)(unsigned process, unsigned i, unsigned count);

static struct cup_memory_growth growth_of(series series, unsigned processes, unsigned chunks,
                                          uint64_t mapped_bytes)
{
    static struct cup_task tasks[PROCESSES * MOST];
    static struct cup_item items[PROCESSES * MOST];
    static uint8_t outcomes[PROCESSES * MOST];
    struct cup_process rows[PROCESSES] = {{.tasks = 0}};
    struct cup_profile profile = {.tasks = tasks,
                                  .task_count = processes * chunks,
                                  .items = items,
                                  .item_count = processes * chunks,
                                  .processes = rows,
                                  .process_count = processes};
    struct cup_totals totals = {.profile = &profile, .outcomes = outcomes};
    struct cup_memory_growth growth;
    totals.counters[CUP_C_MAPPED_BYTES] = mapped_bytes;
    for (unsigned p = 0; p < processes; p++) {
        rows[p].first_task = p * chunks;
        rows[p].tasks = chunks;
        for (unsigned i = 0; i < chunks; i++) {
            unsigned at =
                p * chunks + ((i ^ 1) < chunks ? i ^ 1 : i); /* neighbours change places */
            tasks[at] = (struct cup_task){.start_ns = (int64_t)i * SECOND,
                                          .rss_start = cup_rss_pack((uint64_t)series(p, i, chunks)),
                                          .item = at + 1};
            outcomes[at] = CUP_OUTCOME_USED;
        }
    }
    cr_assert_eq(cup_memory_growth_make(&growth, &totals), 0);
    return growth;
}

/* 0 to 1, the same in each run of the tests. */
static double noise(unsigned i)
{
    return (double)(i * 2654435761U % 1000) / 1000;
}

static double leaking(unsigned process, unsigned i, unsigned count)
{
    (void)process, (void)count;
    return base + 16 * megabyte * i;
}

static double leaking_after_a_start(unsigned process, unsigned i, unsigned count)
{
    (void)process, (void)count;
    return base + (i > 2 ? 100 * megabyte : 0) + 16 * megabyte * i;
}

static double leaking_with_noise(unsigned process, unsigned i, unsigned count)
{
    (void)count;
    return base + 5 * megabyte * i + 30 * megabyte * noise(i + 1000 * process);
}

static double flat(unsigned process, unsigned i, unsigned count)
{
    (void)count;
    return base + 60 * megabyte * noise(i + 1000 * process);
}

/* Imports, caches, what the allocator keeps. */
static double saturating(unsigned process, unsigned i, unsigned count)
{
    (void)process;
    return base + 400 * megabyte * (1 - exp(-4.0 * i / count));
}

static double logarithmic(unsigned process, unsigned i, unsigned count)
{
    (void)process, (void)count;
    return base + 100 * megabyte * log(i + 1);
}

/* The second dataset has larger chunks. */
static double stepping(unsigned process, unsigned i, unsigned count)
{
    (void)process;
    return i < count * 6 / 10 ? base : base + 300 * megabyte;
}

/* Four datasets, each with larger chunks than the one before. */
static double like_stairs(unsigned process, unsigned i, unsigned count)
{
    (void)process;
    return base + 100 * megabyte * (4 * i / count);
}

/* Something is kept for a while, then given back. */
static double like_a_saw(unsigned process, unsigned i, unsigned count)
{
    (void)process;
    return base + 16 * megabyte * (i % (count / 2));
}

static double by_little(unsigned process, unsigned i, unsigned count)
{
    (void)process;
    return base * (1 + 0.19 * i / count);
}

#define EXPECT_NONE(series, processes, chunks)                                                     \
    cr_expect_not(growth_of(series, processes, chunks, 0).grows, #series)

Test(memory_growth, a_leak_grows_from_chunk_to_chunk)
{
    struct cup_memory_growth growth = growth_of(leaking, 1, 32, 0);
    cr_assert(growth.grows);
    cr_expect_eq(growth.processes, 1);
    cr_expect_eq(growth.chunks, 32);
    cr_expect_float_eq(growth.chunk_bytes, 16 * megabyte, 1e4);
    cr_expect_float_eq(growth.first_bytes, base + 1.5 * 16 * megabyte, 1e4);
    cr_expect_float_eq(growth.last_bytes, base + 29.5 * 16 * megabyte, 1e4);
}

Test(memory_growth, imports_and_noise_do_not_hide_a_leak)
{
    cr_expect(growth_of(leaking_after_a_start, 1, 64, 0).grows);
    struct cup_memory_growth growth = growth_of(leaking_with_noise, PROCESSES, 100, 0);
    cr_assert(growth.grows);
    cr_expect_eq(growth.processes, PROCESSES);
    cr_expect_float_eq(growth.chunk_bytes, 5 * megabyte, 0.3 * megabyte);
}

Test(memory_growth, memory_that_stays_or_settles_does_not_grow)
{
    for (unsigned chunks = CUP_GROWTH_CHUNKS; chunks <= MOST; chunks += 23) {
        EXPECT_NONE(flat, PROCESSES, chunks);
        EXPECT_NONE(saturating, 1, chunks);
        EXPECT_NONE(logarithmic, 1, chunks);
        EXPECT_NONE(by_little, 1, chunks);
    }
}

Test(memory_growth, larger_datasets_and_memory_that_is_given_back_are_no_growth)
{
    for (unsigned chunks = CUP_GROWTH_CHUNKS; chunks <= MOST; chunks += 23) {
        EXPECT_NONE(stepping, PROCESSES, chunks);
        EXPECT_NONE(like_stairs, 1, chunks);
        EXPECT_NONE(like_a_saw, 1, chunks);
    }
}

Test(memory_growth, few_chunks_are_not_judged)
{
    struct cup_memory_growth growth = growth_of(leaking, PROCESSES, CUP_GROWTH_CHUNKS - 1, 0);
    cr_expect_not(growth.grows);
    cr_expect_eq(growth.processes, 0);
    cr_expect(growth_of(leaking, PROCESSES, CUP_GROWTH_CHUNKS, 0).grows);
}

/* The kernel takes pages of mapped files back when it needs them. */
Test(memory_growth, pages_of_mapped_files_are_no_growth)
{
    cr_expect_not(growth_of(leaking, 1, 32, (uint64_t)(32 * 9 * megabyte)).grows);
    cr_expect(growth_of(leaking, 1, 32, (uint64_t)(32 * 7 * megabyte)).grows);
}
