#include <string.h>

#include "analysis/profile/files.h"
#include "plot/shared/plot.h"
#include "plot/shared/rows.h"

/* In the order of the counters from CUP_F_SIZE_0_100 on. */
static const char *const sizes[] = {
    "up to 100 B", "up to 1 KiB",  "up to 10 KiB",  "up to 100 KiB", "up to 1 MiB",
    "up to 4 MiB", "up to 10 MiB", "up to 100 MiB", "up to 1 GiB",   "over 1 GiB",
};
enum { SIZES = sizeof sizes / sizeof *sizes };

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

static void add_row(struct cup_rows *plot, const struct sums *sums, int size)
{
    char reads[64];
    struct cup_row *row = cup_rows_add(plot, (struct cup_text){sizes[size], strlen(sizes[size])}, 0,
                                       (double)sums->sizes[size]);
    if (row && sums->sizes[size])
        snprintf(row->text, sizeof row->text, "%s, %.1f %%",
                 cup_count_text(reads, sums->sizes[size], "read"),
                 100 * (double)sums->sizes[size] / (double)sums->reads);
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
        add_row(plot, &sums, i);
    char reads[64], mean[24], bytes[24];
    cup_plot_set_caption(
        input,
        "%s of data files by the bytes that each returned: %s in all, %s per read. %.0f %% began "
        "where the read before ended. Pages of memory-mapped files are not counted as reads "
        "(cupping).",
        cup_count_text(reads, sums.reads, "read"),
        cup_tick_text(bytes, (double)sums.bytes, CUP_AXIS_BYTES),
        cup_tick_text(mean, (double)sums.bytes / (double)sums.reads, CUP_AXIS_BYTES),
        100 * (double)sums.in_order / (double)sums.reads);
    return plot;
}
