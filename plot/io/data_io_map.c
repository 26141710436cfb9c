#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/profile/access_feed.h"
#include "analysis/profile/files.h"
#include "plot/io/io_plots.h"
#include "plot/shared/coverage.h"
#include "plot/shared/plot.h"
#include "plot/shared/ratios.h"
#include "plot/shared/time_bins.h"

/* One access extent of a file. There may be a million of them, so only the fields that are needed
 * here are kept. */
struct extent {
    int64_t start_ns, stop_ns;
    uint64_t low, high, bytes;
    bool joined, again;
};

struct shown_file {
    uint32_t file; /* index in the profile's files */
    struct extent *extents;
    size_t count, room;
    uint64_t end; /* end of the last byte that was read, as an offset in the file */
    int64_t first_ns, last_ns;
};

struct map {
    struct shown_file files[CUP_IO_FILES];
    size_t count, others; /* others: files that were read and are not shown */
    uint64_t bytes, again, joined, extents;
    uint64_t read; /* bytes of all reads, also those without a recorded offset */
};

static void free_map(struct map *map)
{
    for (size_t i = 0; i < map->count; i++)
        free(map->files[i].extents);
}

/* ---- which files -------------------------------------------------------------------------- */

/* Chooses the files of which the most bytes were read. */
static int choose_files(struct map *map, const struct cup_profile *profile)
{
    size_t count;
    uint32_t *files = cup_files_by_bytes(profile, CUP_FILE_DATA, &count);
    for (size_t i = 0; files && i < count; i++) {
        const struct cup_file_sum sum = cup_file_total(profile, files[i]);
        if (sum.counters[CUP_F_READ_BYTES] == 0)
            continue;
        if (map->count == CUP_IO_FILES) {
            map->others++;
            continue;
        }
        map->files[map->count++].file = files[i];
        map->read += sum.counters[CUP_F_READ_BYTES];
    }
    free(files);
    return files ? 0 : -1;
}

/* ---- access extents
 * ------------------------------------------------------------------------------ */

static int add_extent(struct shown_file *file, const struct cup_read_extent *from)
{
    if (cup_array_grow(&file->extents, &file->room, file->count, sizeof *file->extents) != 0)
        return -1;
    file->extents[file->count++] = (struct extent){.start_ns = from->start_ns,
                                                   .stop_ns = from->stop_ns,
                                                   .low = from->low,
                                                   .high = from->high,
                                                   .bytes = from->bytes,
                                                   .joined = from->jumps > 0};
    return 0;
}

static struct shown_file *find_shown(struct map *map, uint32_t file)
{
    for (size_t i = 0; i < map->count; i++)
        if (map->files[i].file == file)
            return &map->files[i];
    return NULL;
}

static int read_extents(struct map *map, const struct cup_profile *profile)
{
    struct cup_access_feed feed;
    uint8_t *wanted = calloc(profile->file_count + 1, 1);
    int result = wanted ? 0 : -1;
    for (size_t i = 0; wanted && i < map->count; i++)
        wanted[map->files[i].file] = 1;
    cup_access_feed_open(&feed, profile, wanted);
    while (result == 0 && cup_access_feed_next(&feed)) {
        struct shown_file *file = find_shown(map, feed.place->file);
        for (uint32_t i = 0; i < feed.access.count && result == 0; i++)
            result = add_extent(file, &feed.access.extents[i]);
    }
    if (cup_access_feed_close(&feed) != 0)
        result = -1;
    free(wanted);
    return result;
}

/* A file without recorded offsets (in logs of older libraries) gets no row. */
static void leave_out_empty(struct map *map)
{
    size_t kept = 0;
    for (size_t i = 0; i < map->count; i++)
        if (map->files[i].count)
            map->files[kept++] = map->files[i];
    map->others += map->count - kept;
    map->count = kept;
}

/* ---- what was read before ----------------------------------------------------------------- */

static int by_start(const void *a, const void *b)
{
    const struct extent *one = a, *other = b;
    if (one->start_ns != other->start_ns)
        return one->start_ns < other->start_ns ? -1 : 1;
    return (one->low > other->low) - (one->low < other->low);
}

/* True if every byte between the ends of the extent was read. A joined extent never counts as
 * whole: its reads may have skipped parts and read others twice. */
static bool is_whole(const struct extent *extent)
{
    return !extent->joined && extent->bytes >= extent->high - extent->low;
}

/* Decides for each extent, in the order of time, whether its bytes had been read before. Returns
 * the bytes that had certainly been read before. If an extent is not whole, the logs do not say
 * which of its bytes were read. To stay a lower bound, all bytes that may be new count as new, and
 * none of them counts as read for later extents. */
static uint64_t mark_read_again(struct map *map, struct shown_file *file,
                                struct cup_coverage *coverage)
{
    uint64_t before = 0;
    for (size_t i = 0; i < file->count; i++) {
        struct extent *extent = &file->extents[i];
        uint64_t fresh = cup_coverage_count(coverage, extent->low, extent->high, is_whole(extent));
        uint64_t again = extent->bytes > fresh ? extent->bytes - fresh : 0;
        extent->again = again >= (extent->bytes + 1) / 2;
        before += again;
        map->bytes += extent->bytes;
        map->joined += extent->joined;
    }
    map->extents += file->count;
    return before;
}

/* Returns a second lower bound of the bytes read again: the bytes of all extents, minus the size of
 * the region that the extents cover together. No more bytes than that can be new. */
static uint64_t count_overlap(const struct shown_file *file, struct cup_coverage *coverage)
{
    uint64_t bytes = 0, fresh = 0;
    cup_coverage_clear(coverage);
    for (size_t i = 0; i < file->count; i++) {
        bytes += file->extents[i].bytes;
        fresh += cup_coverage_count(coverage, file->extents[i].low, file->extents[i].high, true);
    }
    return bytes > fresh ? bytes - fresh : 0;
}

static int analyse_file(struct map *map, struct shown_file *file)
{
    struct cup_arena arena = {0};
    struct cup_coverage coverage;
    uint64_t *edges = cup_arena_take(&arena, 2 * file->count, sizeof *edges);
    qsort(file->extents, file->count, sizeof *file->extents, by_start);
    for (size_t i = 0; edges && i < file->count; i++) {
        const struct extent *extent = &file->extents[i];
        edges[2 * i] = extent->low;
        edges[2 * i + 1] = extent->high;
        file->end = extent->high > file->end ? extent->high : file->end;
        file->first_ns = i && file->first_ns < extent->start_ns ? file->first_ns : extent->start_ns;
        file->last_ns = file->last_ns > extent->stop_ns ? file->last_ns : extent->stop_ns;
    }
    int result = edges ? cup_coverage_make(&coverage, &arena, edges, 2 * file->count) : -1;
    if (result == 0) {
        uint64_t in_order = mark_read_again(map, file, &coverage),
                 overlap = count_overlap(file, &coverage);
        map->again += in_order > overlap ? in_order : overlap;
    }
    cup_arena_clear(&arena);
    return result;
}

/* ---- what is drawn ------------------------------------------------------------------------ */

/* If each file was read in less than a third of the run, the marks of a file would be squeezed
 * together on an axis of the whole run. Then time counts from each file's first read. */
static void choose_time(struct cup_io_map *plot, const struct map *map,
                        const struct cup_totals *totals)
{
    double run = (double)cup_stretch_ns(totals->run) / 1e9, longest = 0;
    for (size_t i = 0; i < map->count; i++)
        longest = fmax(longest, (double)(map->files[i].last_ns - map->files[i].first_ns) / 1e9);
    plot->since_first_read = longest < run / 3;
    plot->seconds = fmax(plot->since_first_read ? longest : run, 1e-6);
}

static struct cup_io_mark mark_of(const struct cup_io_map *plot, const struct shown_file *file,
                                  size_t row, const struct extent *extent, int64_t run_ns)
{
    int64_t zero = plot->since_first_read ? file->first_ns : run_ns;
    return (struct cup_io_mark){.from_s = (double)(extent->start_ns - zero) / 1e9,
                                .to_s = (double)(extent->stop_ns - zero) / 1e9,
                                .low = (double)extent->low,
                                .high = (double)extent->high,
                                .row = (uint8_t)row,
                                .again = extent->again,
                                .joined = extent->joined};
}

static size_t cell_of(double share, size_t count)
{
    return share <= 0 ? 0 : share >= 1 ? count - 1 : (size_t)(share * (double)count);
}

/* Spreads the bytes of an extent evenly over the cells along its diagonal or, if it is joined, over
 * all cells of its box. */
static void spread_mark(struct cup_io_map *plot, const struct cup_io_mark *mark, double bytes)
{
    double size = plot->sizes[mark->row];
    size_t left = cell_of(mark->from_s / plot->seconds, CUP_IO_COLUMNS);
    size_t right = cell_of(mark->to_s / plot->seconds, CUP_IO_COLUMNS);
    size_t bottom = cell_of(mark->low / size, plot->cell_rows);
    size_t top = cell_of(mark->high / size, plot->cell_rows);
    size_t across = right - left + 1, up = top - bottom + 1;
    size_t steps = mark->joined ? across * up : across > up ? across : up;
    for (size_t i = 0; i < steps; i++) {
        size_t x = left + (mark->joined ? i % across : i * across / steps);
        size_t y = bottom + (mark->joined ? i / across : i * up / steps);
        size_t row = mark->row * plot->cell_rows + (plot->cell_rows - 1 - y);
        struct cup_io_cell *cell = &plot->cells[row * CUP_IO_COLUMNS + x];
        *(mark->again ? &cell->again : &cell->fresh) += bytes / (double)steps;
        plot->most = fmax(plot->most, cell->again + cell->fresh);
    }
}

static int make_marks(struct cup_io_map *plot, const struct map *map, struct cup_plot_input *input)
{
    bool many = map->extents > CUP_IO_MARKS;
    plot->cell_rows = CUP_IO_CELLS / (map->count ? map->count : 1);
    if (many)
        plot->cells = cup_arena_take(input->arena, map->count * plot->cell_rows * CUP_IO_COLUMNS,
                                     sizeof *plot->cells);
    else
        plot->marks = cup_arena_take(input->arena, map->extents, sizeof *plot->marks);
    if (!plot->cells && !plot->marks)
        return -1;
    for (size_t row = 0; row < map->count; row++)
        for (size_t i = 0; i < map->files[row].count; i++) {
            const struct extent *extent = &map->files[row].extents[i];
            const struct cup_io_mark mark =
                mark_of(plot, &map->files[row], row, extent, input->totals->run.start_ns);
            plot->any_joined |= mark.joined;
            if (many)
                spread_mark(plot, &mark, (double)extent->bytes);
            else
                plot->marks[plot->mark_count++] = mark;
        }
    return 0;
}

/* Names rows "nano_7.root, 1.2 GB". If the size of a remote file is not known, the end of the last
 * byte that was read stands for it. */
static int name_rows(struct cup_io_map *plot, const struct map *map, struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    struct cup_text paths[CUP_IO_FILES];
    plot->row_count = map->count;
    for (size_t i = 0; i < map->count; i++) {
        const struct cup_file *file = &profile->files[map->files[i].file];
        uint64_t size = file->size > map->files[i].end ? file->size : map->files[i].end;
        plot->sizes[i] = (double)(size ? size : 1);
        paths[i] = cup_profile_text(profile, file->path);
    }
    cup_paths_shorten(paths, map->count);
    for (size_t i = 0; i < map->count; i++) {
        char size[24], *name = cup_arena_take(input->arena, 1, paths[i].length + 40);
        if (!name)
            return -1;
        int length = snprintf(name, paths[i].length + 40, "%.*s, %s", (int)paths[i].length,
                              paths[i].length ? paths[i].bytes : "",
                              cup_tick_text(size, plot->sizes[i], CUP_AXIS_BYTES));
        plot->names[i] = (struct cup_text){name, (size_t)length};
    }
    return 0;
}

/* Prints "nano.root, 1.2 GB", or "The 6 files with the most bytes read, ...; 12 others not shown".
 */
static void print_files(char *to, size_t room, const struct cup_io_map *plot, const struct map *map)
{
    char others[64];
    if (map->count == 1)
        snprintf(to, room, "%.*s", (int)plot->names[0].length, plot->names[0].bytes);
    else if (map->others)
        snprintf(to, room,
                 "The %zu files with the most bytes read, each from its first byte (bottom) to its "
                 "last; %s not shown",
                 map->count, cup_count_text(others, map->others, "other"));
    else
        snprintf(to, room, "%zu files, each from its first byte (bottom) to its last", map->count);
}

static void write_caption(struct cup_plot_input *input, const struct cup_io_map *plot,
                          const struct map *map)
{
    char extents[64], again[24], bytes[24], lost[64] = "", joined[128] = "", files[160];
    uint64_t unknown = map->read > map->bytes ? map->read - map->bytes : 0;
    if (map->joined)
        snprintf(joined, sizeof joined,
                 "; %llu of them joined from several: each was read somewhere in its box",
                 (unsigned long long)map->joined);
    if ((double)unknown > 0.01 * (double)map->read)
        snprintf(lost, sizeof lost, " The offsets of another %s were not recorded.",
                 cup_tick_text(bytes, (double)unknown, CUP_AXIS_BYTES));
    print_files(files, sizeof files, plot, map);
    cup_tick_text(again, (double)map->again, CUP_AXIS_BYTES);
    cup_plot_set_caption(
        input,
        "%s. %s (consecutive reads)%s. Together %s, %s%s of it at places that had been read before "
        "(cupping): heads of files too, unlike the report's baskets read again.%s%s",
        files, cup_count_text(extents, map->extents, "access extent"), joined,
        cup_tick_text(bytes, (double)map->bytes, CUP_AXIS_BYTES), map->joined ? "at least " : "",
        again, plot->cells ? " Paler cells: fewer bytes." : "", lost);
}

static int make_map(struct cup_io_map *plot, struct map *map, struct cup_plot_input *input)
{
    if (read_extents(map, input->totals->profile) != 0)
        return -1;
    leave_out_empty(map);
    for (size_t i = 0; i < map->count; i++)
        if (analyse_file(map, &map->files[i]) != 0)
            return -1;
    choose_time(plot, map, input->totals);
    return name_rows(plot, map, input) != 0 || make_marks(plot, map, input) != 0 ? -1 : 0;
}

const void *cup_data_io_map(struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    struct cup_io_map *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    struct map map = {0};
    if (!plot || choose_files(&map, profile) != 0)
        return NULL;
    if (map.count == 0)
        return cup_plot_unavailable(input, "no data file was read");
    int result = make_map(plot, &map, input);
    free_map(&map);
    if (result != 0)
        return NULL;
    if (map.extents == 0)
        return cup_plot_unavailable(input, "%s", cup_no_accesses_reason(profile));
    write_caption(input, plot, &map);
    return plot;
}
