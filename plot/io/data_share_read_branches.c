#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/base/units.h"
#include "analysis/metrics/reads/file_shares.h"
#include "plot/shared/plot.h"
#include "plot/shared/rows.h"

static const struct cup_bar_kind kinds[] = {{NULL, CUP_PAINT_BLUE}};

/* Compressed bytes of a branch, over all files that were opened with --files. */
struct part {
    uint32_t branch; /* index in profile->branches */
    uint64_t read;   /* each basket counts once */
    uint64_t whole;
};

struct adding {
    const struct cup_file_shares *shares;
    struct part *parts; /* one for each of profile->branches */
    size_t files;       /* that give the sizes of their branches */
};

/* Adds a branch of a file. Returns whether the file gives its size. */
static bool add_row(struct adding *adding, const struct cup_branch_row *row)
{
    const struct cup_file_fact *fact = cup_row_facts(adding->shares, row);
    struct cup_text name = cup_profile_text(adding->shares->totals->profile, row->name);
    if (!row->branch || !row->name || !row->rereads_known || !fact || fact->reason)
        return false;
    struct cup_root_branch branch = cup_root_branch_named(&fact->tree, name.bytes, name.length);
    if (branch.compressed_bytes == 0)
        return false;
    struct part *part = &adding->parts[row->branch - 1];
    part->read += cup_distinct_bytes(&row->sums, &row->rereads);
    part->whole += branch.compressed_bytes;
    return true;
}

static bool add_file(void *context, const struct cup_branch_row *rows, size_t count)
{
    struct adding *adding = context;
    bool any = false;
    for (size_t i = 0; i < count; i++)
        any |= add_row(adding, &rows[i]);
    adding->files += any;
    return true;
}

static int most_first(const void *a, const void *b)
{
    const struct part *one = a, *two = b;
    if (one->read != two->read)
        return one->read > two->read ? -1 : 1;
    return one->branch < two->branch ? -1 : one->branch > two->branch;
}

static size_t sort_parts(struct part *parts, size_t count)
{
    size_t known = 0;
    for (size_t i = 0; i < count; i++)
        if (parts[i].whole) {
            parts[known] = parts[i];
            parts[known++].branch = (uint32_t)i;
        }
    qsort(parts, known, sizeof *parts, most_first);
    return known;
}

static void add_bar(struct cup_rows *plot, const struct cup_profile *profile,
                    const struct part *part)
{
    double share = fmin(100, 100 * (double)part->read / (double)part->whole);
    struct cup_row *row = cup_rows_add(
        plot, cup_profile_text(profile, profile->branches[part->branch].name), 0, share);
    if (!row)
        return;
    snprintf(row->text, sizeof row->text, "%s of %s",
             CUP_SHOW_VALUE(cup_count(part->read), CUP_UNIT_BYTES),
             CUP_SHOW_VALUE(cup_count(part->whole), CUP_UNIT_BYTES));
}

static void write_caption(struct cup_plot_input *input, const struct cup_rows *plot, size_t known,
                          size_t files)
{
    char counted[128];
    uint64_t sized, all = cup_branches_files(input->totals->branches, &sized);
    cup_plot_set_caption(input,
                         "Compressed bytes of different baskets that were read, as a share of all "
                         "in %s (by the files' own metadata). %s%s branches, those with the most "
                         "bytes read first; branches that were not read are left out (cupping).",
                         cup_part_text(counted, files, all, "file"),
                         known > plot->count ? "The first of " : "",
                         CUP_SHOW_VALUE(cup_count(known), CUP_UNIT_COUNT));
}

const void *cup_data_share_read_branches(struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    if (!input->totals->shares)
        return cup_plot_unavailable(input, "needs the files themselves: --files DIR");
    struct cup_rows *plot = cup_rows_make(input->arena, kinds, sizeof kinds / sizeof *kinds,
                                          "branches", "share that was read", CUP_AXIS_PERCENT);
    struct adding adding = {
        .shares = input->totals->shares,
        .parts = cup_arena_take(input->arena, profile->branch_count + 1, sizeof *adding.parts)};
    if (!plot || !adding.parts || cup_branches_each(input->totals, add_file, &adding) != 0)
        return NULL;
    size_t known = sort_parts(adding.parts, profile->branch_count);
    if (known == 0)
        return cup_plot_unavailable(
            input, "no file that was read could be opened and gives the sizes of its branches");
    for (size_t i = 0; i < known; i++)
        add_bar(plot, profile, &adding.parts[i]);
    plot->whole = 100;
    write_caption(input, plot, known, adding.files);
    return plot;
}
