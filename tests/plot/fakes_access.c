/* Made-up data for plots of access extents and servers. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plot/io/io_plots.h"
#include "plot/time/time_plots.h"
#include "tests/plot/fakes_parts.h"

enum { SIZE = 400000000, SECONDS = 100 };

/* The first file is read in order, the next with jumps, one twice, one backwards, one with joined
 * extents. */
static struct cup_io_mark mark_of(enum fake_kind kind, size_t row, size_t i, size_t count,
                                  struct dice *dice)
{
    double step = SIZE / (double)count, second = (double)i / (double)count * SECONDS;
    size_t at = row == 1   ? (i * 7) % count
                : row == 2 ? (2 * i) % count
                : row == 3 ? count - 1 - i
                           : i;
    double low = (double)at * step;
    struct cup_io_mark mark = {.from_s = second,
                               .to_s = second + SECONDS / (double)count * 0.8,
                               .low = low,
                               .high = low + step * (row == 2 ? 2 : 1),
                               .row = (uint8_t)row,
                               .again = row == 2 && i * 2 >= count,
                               .joined = row == 3 && i % 2};
    if (row >= 4)
        mark.low = SIZE * 0.9 * roll(dice), mark.high = mark.low + SIZE * 0.02;
    if (kind == FAKE_ODD) {
        mark.from_s = odd(i);
        mark.low = odd(i + 1);
        mark.high = odd(i + 2);
    }
    return mark;
}

static void fill_cells(struct cup_io_map *plot, struct cup_arena *arena)
{
    struct dice dice = {21};
    plot->cell_rows = CUP_IO_CELLS / plot->row_count;
    plot->cells =
        take(arena, plot->row_count * plot->cell_rows * CUP_IO_COLUMNS, sizeof *plot->cells);
    for (size_t row = 0; row < plot->row_count; row++)
        for (size_t i = 0; i < 9000; i++) {
            double across = roll(&dice),
                   up = fmod(across * (1 + (double)row) + 0.1 * roll(&dice), 1);
            size_t x = (size_t)(across * CUP_IO_COLUMNS),
                   y = (size_t)(up * (double)plot->cell_rows);
            size_t at = (row * plot->cell_rows + plot->cell_rows - 1 - y) * CUP_IO_COLUMNS + x;
            *(across * (1 + (double)row) > 1 ? &plot->cells[at].again : &plot->cells[at].fresh) +=
                1e6 * roll(&dice);
            plot->most = fmax(plot->most, plot->cells[at].again + plot->cells[at].fresh);
        }
}

static const void *fake_io_map(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_io_map *plot = take(arena, 1, sizeof *plot);
    struct dice dice = {20};
    size_t rows = amount(kind, 5, CUP_IO_FILES), each = amount(kind, 40, 0);
    plot->seconds = kind == FAKE_ODD ? NAN : SECONDS;
    plot->since_first_read = kind == FAKE_ODD || kind == FAKE_ONE;
    plot->row_count = rows < CUP_IO_FILES ? rows : CUP_IO_FILES;
    plot->any_joined = kind == FAKE_USUAL;
    for (size_t row = 0; row < plot->row_count; row++) {
        plot->names[row] = name_of(kind, row, arena);
        plot->sizes[row] = kind == FAKE_ODD ? odd(row) : SIZE;
    }
    if (kind == FAKE_LARGE) {
        fill_cells(plot, arena);
        return plot;
    }
    plot->marks = take(arena, plot->row_count * each, sizeof *plot->marks);
    for (size_t row = 0; row < plot->row_count; row++)
        for (size_t i = 0; i < each; i++)
            plot->marks[plot->mark_count++] = mark_of(kind, row, i, each, &dice);
    return plot;
}

static void fill_line(struct cup_time_line *line, enum fake_kind kind, size_t server)
{
    struct dice dice = {(uint32_t)(30 + server)};
    line->count = amount(kind, CUP_TIME_BINS, CUP_TIME_BINS) + (kind != FAKE_EMPTY);
    for (size_t i = 0; i < line->count; i++) {
        double second = SECONDS * (double)i / (double)(line->count - 1);
        line->time_s[i] = second;
        line->values[i] = kind == FAKE_ODD ? odd(i + server)
                                           : 2e8 / (double)(1 + server) *
                                                 (1.2 + sin(second / 15 + (double)server)) *
                                                 (0.8 + 0.4 * roll(&dice));
    }
}

static const void *fake_server_rate(enum fake_kind kind, struct cup_arena *arena)
{
    struct cup_server_rate *plot = take(arena, 1, sizeof *plot);
    struct cup_time_line *sum = take(arena, 1, sizeof *sum);
    size_t servers = amount(kind, 3, CUP_SERVERS_SHOWN);
    plot->seconds = SECONDS;
    plot->count = servers < CUP_SERVERS_SHOWN ? servers : CUP_SERVERS_SHOWN;
    plot->others = kind == FAKE_LARGE;
    for (size_t server = 0; server < plot->count; server++) {
        struct cup_time_line *line = take(arena, 1, sizeof *line);
        struct cup_text name = name_of(kind, server, arena);
        fill_line(line, kind, server);
        plot->rates[server] = line;
        size_t length = name.length < 60 ? name.length : 60;
        memcpy(plot->names[server], name.bytes, length);
        for (size_t i = 0; i < line->count; i++) {
            sum->time_s[i] = line->time_s[i];
            sum->values[i] += line->values[i];
            sum->count = line->count;
            sum->most = fmax(sum->most, sum->values[i]);
        }
    }
    plot->sum = sum;
    return plot;
}

const void *fake_access(const char *plot, enum fake_kind kind, struct cup_arena *arena)
{
    if (strcmp(plot, "io-map") == 0)
        return fake_io_map(kind, arena);
    if (strcmp(plot, "server-rate") == 0)
        return fake_server_rate(kind, arena);
    return NULL;
}
