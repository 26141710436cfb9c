#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/base/units.h"
#include "analysis/metrics/reads/file_shares.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/io/io_plots.h"
#include "plot/shared/plot.h"

enum { BINS = 20 };

struct file {
    uint32_t index; /* in root_files */
    double compressed;
};

static double percent(uint64_t part, uint64_t whole)
{
    return whole ? fmin(100, 100 * (double)part / (double)whole) : NAN;
}

/* The facts from the file itself, if it was opened with --files; else NULL. */
static const struct cup_file_share *find_facts(const struct cup_totals *totals, size_t file)
{
    const struct cup_file_share *share = totals->shares ? &totals->shares->files[file] : NULL;
    return share && !share->reason ? share : NULL;
}

/* The shares that were read: by the file itself, else by what uproot knew of its trees. */
static struct cup_share share_of(const struct cup_totals *totals, size_t index)
{
    const struct cup_file_share *facts = find_facts(totals, index);
    const struct cup_branches_file *file = &totals->branches->files[index];
    if (facts)
        return (struct cup_share){facts->bytes_known ? percent(facts->bytes_read, facts->bytes)
                                                     : NAN,
                                  percent(facts->branches_read, facts->branches)};
    return (struct cup_share){percent(file->read_of_trees, file->tree_compressed),
                              percent(file->branches_of_trees, file->tree_branches)};
}

static bool is_known(const struct cup_share *share)
{
    return !isnan(share->bytes) || !isnan(share->branches);
}

static int by_bytes(const void *a, const void *b)
{
    const struct file *one = a, *two = b;
    if (one->compressed != two->compressed)
        return one->compressed > two->compressed ? -1 : 1;
    return one->index < two->index ? -1 : one->index > two->index;
}

static struct file *sort_files(struct cup_plot_input *input, size_t *known)
{
    const struct cup_totals *totals = input->totals;
    size_t count = totals->profile->root_file_count;
    struct file *files = cup_arena_take(input->arena, count + 1, sizeof *files);
    for (size_t i = 0; files && i < count; i++) {
        struct cup_share share = share_of(totals, i);
        if (totals->profile->root_files[i].sums.baskets && is_known(&share))
            files[(*known)++] =
                (struct file){(uint32_t)i, (double)totals->profile->root_files[i].sums.compressed};
    }
    if (files)
        qsort(files, *known, sizeof *files, by_bytes);
    return files;
}

static void add_rows(struct cup_shares *plot, const struct cup_totals *totals,
                     const struct file *files, size_t known)
{
    for (size_t i = 0; i < known && i < CUP_ROWS_MOST; i++) {
        uint32_t index = files[i].index;
        plot->rows[plot->count] = share_of(totals, index);
        plot->names[plot->count++] =
            cup_profile_text(totals->profile, totals->profile->root_files[index].path);
    }
    cup_paths_shorten(plot->names, plot->count);
}

/* The axis always goes from 0 to 100 percent, so that pictures of runs can be compared. */
static int make_distribution(struct cup_shares *plot, struct cup_plot_input *input,
                             const struct file *files, size_t known)
{
    double *values = cup_arena_take(input->arena, 2 * known, sizeof *values);
    if (!values || cup_bins_between(&plot->bytes, input->arena, 0, 100, BINS) != 0)
        return -1;
    plot->branches = cup_arena_take(input->arena, plot->bytes.count, sizeof(double));
    if (!plot->branches)
        return -1;
    for (size_t i = 0; i < known; i++) {
        struct cup_share share = share_of(input->totals, files[i].index);
        values[i] = share.bytes;
        values[known + i] = share.branches;
    }
    cup_bins_count(&plot->bytes, values, known, plot->bytes.counts);
    cup_bins_count(&plot->bytes, values + known, known, plot->branches);
    for (size_t i = 0; i < plot->bytes.count; i++)
        plot->most = fmax(plot->most, fmax(plot->bytes.counts[i], plot->branches[i]));
    return 0;
}

/* True if the bytes of all files are in one bin, and so are the branches. */
static bool is_one_bar(const struct cup_bins *bytes, const double *branches)
{
    size_t bars[2] = {0};
    for (size_t i = 0; i < bytes->count; i++) {
        bars[0] += bytes->counts[i] > 0;
        bars[1] += branches[i] > 0;
    }
    return bars[0] == 1 && bars[1] == 1;
}

static struct cup_range find_range(const struct cup_totals *totals, const struct file *files,
                                   size_t known, bool branches)
{
    struct cup_range range = cup_range_none();
    for (size_t i = 0; i < known; i++) {
        struct cup_share share = share_of(totals, files[i].index);
        cup_range_add(&range, branches ? share.branches : share.bytes);
    }
    return range;
}

static void write_caption(struct cup_plot_input *input, const struct file *files, size_t known)
{
    char text[128], opened[120] = "as known to uproot";
    size_t by_files = 0;
    uint64_t sized, all = cup_branches_files(input->totals->branches, &sized);
    for (size_t i = 0; i < known; i++)
        by_files += find_facts(input->totals, files[i].index) != NULL;
    if (by_files == known)
        snprintf(opened, sizeof opened, "as the files' metadata say");
    else if (by_files)
        snprintf(opened, sizeof opened,
                 "from the metadata of %zu files, and for the others as known to uproot", by_files);
    cup_plot_set_caption(input,
                         "Of the trees in %s, the shares that were read: compressed bytes, each "
                         "basket counted once, and branches of which a basket was read. Sizes of "
                         "the trees: %s (cupping).",
                         cup_part_text(text, known, all, "file"), opened);
}

const void *cup_data_share_read(struct cup_plot_input *input)
{
    const struct cup_totals *totals = input->totals;
    struct cup_shares *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    size_t known = 0;
    const struct file *files = plot ? sort_files(input, &known) : NULL;
    if (!files)
        return NULL;
    if (known == 0)
        return cup_plot_unavailable(input, "the size is not known for any tree that was read");
    add_rows(plot, totals, files, known);
    if (known > CUP_ROWS_MOST && make_distribution(plot, input, files, known) != 0)
        return NULL;
    if (plot->bytes.count && is_one_bar(&plot->bytes, plot->branches)) {
        uint64_t sized, read = cup_branches_files(totals->branches, &sized);
        char part[128], all[CUP_BAR_TEXT], bytes[CUP_BAR_TEXT], branches[CUP_BAR_TEXT];
        return cup_plot_unavailable(
            input, "of %s, %s of the bytes and %s of the branches were read",
            known < read ? cup_part_text(part, known, read, "file")
                         : cup_all_text(all, known, "file"),
            cup_range_text(bytes, find_range(totals, files, known, false), CUP_AXIS_PERCENT),
            cup_range_text(branches, find_range(totals, files, known, true), CUP_AXIS_PERCENT));
    }
    write_caption(input, files, known);
    return plot;
}

/* ---- drawing -------------------------------------------------------------------------------- */

static void add_keys(struct cup_figure *figure)
{
    cup_figure_add_key(figure, CUP_KEY_BOX, figure->theme->paints[CUP_PAINT_BLUE], "bytes");
    cup_figure_add_key(figure, CUP_KEY_BOX, figure->theme->paints[CUP_PAINT_ORANGE], "branches");
}

static double largest_share(const struct cup_shares *plot, size_t rows)
{
    double most = 0;
    for (size_t i = 0; i < rows; i++)
        most = fmax(most, fmax(plot->rows[i].bytes, plot->rows[i].branches));
    return most;
}

static const char *print_percent(char to[CUP_HUMAN_READABLE_ROOM], double percent)
{
    return cup_print_human_readable(to, isnan(percent) ? cup_null() : cup_real(percent),
                                    CUP_UNIT_PERCENT);
}

static const char *print_share(char to[2 * CUP_HUMAN_READABLE_ROOM], const struct cup_share *share)
{
    char bytes[CUP_HUMAN_READABLE_ROOM], branches[CUP_HUMAN_READABLE_ROOM];
    snprintf(to, 2 * CUP_HUMAN_READABLE_ROOM, "%s, %s", print_percent(bytes, share->bytes),
             print_percent(branches, share->branches));
    return to;
}

static void draw_rows(struct cup_figure *figure, const struct cup_shares *plot)
{
    size_t rows = cup_rows_that_fit(figure, plot->count);
    const struct cup_colour *paints = figure->theme->paints;
    figure->x = cup_axis_exact("share that was read", CUP_AXIS_PERCENT, 100);
    figure->x.amounts = true;
    cup_figure_set_rows(figure, "files", plot->names, rows, plot->count);
    add_keys(figure);
    cup_figure_open(figure);
    bool with_texts = cup_bar_text_fits(figure, largest_share(plot, rows), "99.9 %, 99.9 %");
    for (size_t i = 0; i < rows; i++) {
        const struct cup_share *share = &plot->rows[i];
        char text[2 * CUP_HUMAN_READABLE_ROOM];
        cup_mark_bar(figure, i, 0, 2, 0, share->bytes, paints[CUP_PAINT_BLUE]);
        cup_mark_bar(figure, i, 1, 2, 0, share->branches, paints[CUP_PAINT_ORANGE]);
        if (with_texts)
            cup_mark_bar_text(figure, i, 0, fmax(share->bytes, share->branches),
                              print_share(text, share));
    }
    cup_figure_close(figure);
}

static void draw_distribution(struct cup_figure *figure, const struct cup_shares *plot)
{
    const struct cup_bins *bins = &plot->bytes;
    figure->x = cup_axis_exact("share that was read", CUP_AXIS_PERCENT, 100);
    figure->y = cup_axis_up_to("files", CUP_AXIS_COUNT, plot->most);
    add_keys(figure);
    cup_figure_open(figure);
    for (size_t i = 0; i < bins->count; i++) {
        double middle = (bins->edges[i] + bins->edges[i + 1]) / 2;
        if (bins->counts[i] > 0)
            cup_mark_column(figure, bins->edges[i], middle, 0, bins->counts[i],
                            figure->theme->paints[CUP_PAINT_BLUE]);
        if (plot->branches[i] > 0)
            cup_mark_column(figure, middle, bins->edges[i + 1], 0, plot->branches[i],
                            figure->theme->paints[CUP_PAINT_ORANGE]);
    }
    cup_figure_close(figure);
}

void cup_chart_share_read(struct cup_figure *figure, const void *data)
{
    const struct cup_shares *plot = data;
    if (plot->bytes.count)
        draw_distribution(figure, plot);
    else
        draw_rows(figure, plot);
}
