#include <math.h>
#include <stdio.h>

#include "analysis/profile/files.h"
#include "plot/shared/bins.h"
#include "plot/shared/plot.h"
#include "plot/shared/rows.h"

/* The largest reads of the counters from CUP_F_SIZE_0_100 on; larger ones are in the last. */
static const uint64_t limits[] = {100,     1 << 10,  10 << 10,  100 << 10, 1 << 20,
                                  4 << 20, 10 << 20, 100 << 20, 1 << 30};
enum { SIZES = sizeof limits / sizeof *limits + 1 };

static const struct cup_bar_kind kinds[] = {{NULL, CUP_PAINT_BLUE}};

struct sums {
    uint64_t sizes[SIZES], reads, bytes, in_order; /* reads: of all sizes */
};

/* Sums up the reads of data files by tasks, their helper threads and child processes. */
static struct sums sum_reads(const struct cup_profile *profile)
{
    struct sums sums = {.reads = 0};
    for (uint32_t i = 0; i < profile->file_count; i++) {
        if (profile->files[i].class != CUP_FILE_DATA)
            continue;
        const struct cup_file_sum file = cup_file_total(profile, i);
        for (int size = 0; size < SIZES; size++) {
            sums.sizes[size] += file.counters[CUP_F_SIZE_0_100 + size];
            sums.reads += file.counters[CUP_F_SIZE_0_100 + size];
        }
        sums.bytes += file.counters[CUP_F_READ_BYTES];
        sums.in_order += file.counters[CUP_F_SEQUENTIAL_CALLS];
    }
    return sums;
}

/* The bytes that reads of these sizes have at least, or with `most` at most. */
static double bound_of_sizes(const struct sums *sums, int from, int to, bool most)
{
    double bytes = 0;
    for (int size = from; size < to; size++) {
        if (sums->sizes[size] == 0)
            continue;
        double each = most   ? size + 1 < SIZES ? (double)limits[size] : INFINITY
                      : size ? (double)limits[size - 1] + 1
                             : 0;
        bytes += (double)sums->sizes[size] * each;
    }
    return bytes;
}

/* The logs count reads by size, and have the bytes of all reads together. Both limit the bytes of
 * one size. */
static struct cup_range limit_bytes(const struct sums *sums, int size)
{
    double all = (double)sums->bytes;
    double others_least =
        bound_of_sizes(sums, 0, size, false) + bound_of_sizes(sums, size + 1, SIZES, false);
    double others_most =
        bound_of_sizes(sums, 0, size, true) + bound_of_sizes(sums, size + 1, SIZES, true);
    return (struct cup_range){
        fmax(bound_of_sizes(sums, size, size + 1, false), all - others_most),
        fmin(bound_of_sizes(sums, size, size + 1, true), fmax(0, all - others_least))};
}

static struct cup_text name_size(struct cup_arena *arena, int size)
{
    char limit[24], text[40];
    bool last = size + 1 == SIZES;
    cup_tick_text(limit, (double)limits[last ? size - 1 : size], CUP_AXIS_BYTES);
    int length = snprintf(text, sizeof text, "%s %s", last ? "over" : "up to", limit);
    return (struct cup_text){cup_arena_text(arena, text, (size_t)length), (size_t)length};
}

static void add_row(struct cup_rows *plot, struct cup_arena *arena, const struct sums *sums,
                    int size)
{
    char reads[64], bytes[CUP_BAR_TEXT];
    struct cup_range range = limit_bytes(sums, size);
    struct cup_row *row = cup_rows_add(plot, name_size(arena, size), 0, (double)sums->sizes[size]);
    if (!row || !sums->sizes[size])
        return;
    int length = snprintf(row->text, sizeof row->text, "%s, %.1f %%",
                          cup_count_text(reads, sums->sizes[size], "read"),
                          100 * (double)sums->sizes[size] / (double)sums->reads);
    if (range.low <= range.high) /* else counts and bytes of the logs contradict each other */
        snprintf(row->text + length, sizeof row->text - (size_t)length, "; %s",
                 cup_range_text(bytes, range, CUP_AXIS_BYTES));
}

/* Shows all sizes between the smallest and the largest one in use. */
const void *cup_data_access_sizes(struct cup_plot_input *input)
{
    struct cup_rows *plot = cup_rows_make(input->arena, kinds, sizeof kinds / sizeof *kinds,
                                          "sizes", "reads", CUP_AXIS_COUNT);
    struct sums sums = sum_reads(input->totals->profile);
    int first = 0, last = SIZES - 1;
    if (!plot)
        return NULL;
    while (first < SIZES && sums.sizes[first] == 0)
        first++;
    if (first == SIZES || sums.reads == 0)
        return cup_plot_unavailable(input, "no read of a data file was recorded");
    while (sums.sizes[last] == 0)
        last--;
    for (int i = first; i <= last; i++)
        add_row(plot, input->arena, &sums, i);
    char reads[64], mean[24], bytes[24];
    cup_plot_set_caption(
        input,
        "%s of data files by the bytes that each returned: %s in all, %s per read. At the bars: "
        "reads, and least and most bytes that they can have returned. %.0f %% began where the read "
        "before ended. Pages of memory-mapped files are not counted as reads (cupping).",
        cup_count_text(reads, sums.reads, "read"),
        cup_tick_text(bytes, (double)sums.bytes, CUP_AXIS_BYTES),
        cup_tick_text(mean, (double)sums.bytes / (double)sums.reads, CUP_AXIS_BYTES),
        100 * (double)sums.in_order / (double)sums.reads);
    return plot;
}
