/* Plots of access extents, against figures worked out by hand. The golden run goes from 10 s to 22
 * s; its two files have at least 1,000,000 bytes. */
#include <criterion/criterion.h>

#include <string.h>

#include "include/log_pairs.h"
#include "plot/io/io_plots.h"
#include "plot/plots.h"
#include "plot/shared/coverage.h"
#include "plot/shared/curves.h"
#include "plot/time/time_plots.h"
#include "tests/plot/loaded.h"

enum { PATH = 600, URL, PEER };
enum { LOCAL_ID = 11, REMOTE_ID, PEER_ID };

static struct log_builder builder;
static struct loaded run;

static void add_file(uint32_t id, uint32_t path, const char *text, uint32_t class, uint64_t size)
{
    struct cup_r_file file = {.id = id, .path = path, .class = class, .size = size};
    builder_string(&builder, path, text);
    BUILDER_ADD(&builder, CUP_R_FILE, file);
}

static void set_up(void)
{
    build_golden_log(&builder);
    builder_header(&builder)->features |= CUP_FEATURE_ACCESS;
    add_file(LOCAL_ID, PATH, "/eos/cms/big.root", CUP_FILE_DATA, 1 << 30);
    add_file(REMOTE_ID, URL, "root://eos.cern.ch:1094//store/x.root", CUP_FILE_DATA, 0);
    add_file(PEER_ID, PEER, "tcp://10.0.0.9:443", CUP_FILE_SOCKET, 0);
}

static void tear_down(void)
{
    unload_run(&run);
    builder_free(&builder);
}

TestSuite(data_access, .init = set_up, .fini = tear_down);

static void use(uint32_t file, uint64_t bytes)
{
    static uint32_t sequence;
    struct cup_r_file_use record = {.task = 1, .file = file, .file_sequence = 100 + ++sequence};
    const uint64_t values[CUP_FILE_COUNTER_COUNT] = {
        [CUP_F_READ_BYTES] = bytes, [CUP_F_READ_CALLS] = 1};
    builder_file_use(&builder, &record, values);
}

/* Adds an access extent of task 1, from one second to another. */
static void add_extent(uint32_t file, double from, double to, uint64_t low, uint64_t high,
                       uint64_t bytes, uint64_t jumps)
{
    const struct cup_read_extent one = {at_second(from), at_second(to), low,  high,
                                        bytes,           jumps + 1,     jumps};
    builder_access(&builder, &(struct cup_r_access){.task = 1, .file = file}, &one, 1);
    use(file, bytes);
}

static void expect_mark(const struct cup_io_map *plot, size_t i, double from, double low,
                        bool again, bool joined)
{
    cr_assert_lt(i, plot->mark_count);
    cr_expect_float_eq(plot->marks[i].from_s, from, 1e-5, "%g", plot->marks[i].from_s);
    cr_expect_float_eq(plot->marks[i].low, low, 0, "%g", plot->marks[i].low);
    cr_expect_eq(plot->marks[i].again, again, "mark %zu", i);
    cr_expect_eq(plot->marks[i].joined, joined, "mark %zu", i);
}

Test(data_access, what_is_read_twice)
{
    add_extent(LOCAL_ID, 11, 12, 0, 40000000, 40000000, 0);
    add_extent(LOCAL_ID, 12, 13, 40000000, 80000000, 40000000, 0);
    add_extent(LOCAL_ID, 18, 20, 10000000, 80000000, 70000000, 0);
    add_extent(LOCAL_ID, 20, 21, 70000000, 95000000, 25000000, 0);
    load_run(&run, &builder, true);
    const struct cup_io_map *plot = make_plot(&run, "io-map");
    cr_expect_float_eq(plot->seconds, 12, 1e-9, "the run's own time: the file was read all along");
    cr_expect_not(plot->since_first_read);
    cr_expect_eq(memcmp(plot->names[0].bytes, "big.root, 1.07 GB", 18), 0, "%s",
                 plot->names[0].bytes);
    cr_expect_eq(plot->row_count, 1, "files whose reads have no place get no row");
    cr_expect_float_eq(plot->sizes[0], 1 << 30, 0);
    expect_mark(plot, 0, 1, 0, false, false);
    expect_mark(plot, 1, 2, 40000000, false, false);
    expect_mark(plot, 2, 8, 10000000, true, false);
    expect_mark(plot, 3, 10, 70000000, false, false); /* 10 of its 25 MB were read before */
    cr_expect_not_null(
        strstr(run.input.caption, "175 MB, 80 MB of it at places that had been read before"), "%s",
        run.input.caption);
}

/* It is not known which bytes between the ends of a joined extent were read. */
Test(data_access, what_was_joined_is_not_taken_for_read)
{
    add_extent(LOCAL_ID, 11, 12, 0, 90000000, 30000000, 7);
    add_extent(LOCAL_ID, 13, 14, 0, 60000000, 60000000, 0);
    add_extent(LOCAL_ID, 15, 16, 0, 60000000, 50000000, 7);
    load_run(&run, &builder, true);
    const struct cup_io_map *plot = make_plot(&run, "io-map");
    expect_mark(plot, 0, 1, 0, false, true);
    expect_mark(plot, 1, 3, 0, false, false);
    expect_mark(plot, 2, 5, 0, true, true);
    cr_expect(plot->any_joined);
    cr_expect_not_null(strstr(run.input.caption, "2 of them joined"), "%s", run.input.caption);
    cr_expect_not_null(strstr(run.input.caption, "at least 50 MB"), "%s", run.input.caption);
}

Test(data_access, a_moment_of_a_long_run_has_its_own_time)
{
    add_extent(LOCAL_ID, 15, 15.5, 0, 90000000, 90000000, 0);
    load_run(&run, &builder, true);
    const struct cup_io_map *plot = make_plot(&run, "io-map");
    cr_expect(plot->since_first_read);
    cr_expect_float_eq(plot->seconds, 0.5, 1e-5);
    expect_mark(plot, 0, 0, 0, false, false);
}

Test(data_access, many_extents_are_a_density)
{
    struct cup_read_extent extents[250];
    for (int record = 0; record < 20; record++) {
        for (int i = 0; i < 250; i++) {
            double second = 11 + (record * 250 + i) * 0.002;
            uint64_t low = (uint64_t)(record * 250 + i) * 200000;
            extents[i] = (struct cup_read_extent){
                at_second(second), at_second(second + 0.001), low, low + 100000, 100000, 1, 0};
        }
        builder_access(&builder, &(struct cup_r_access){.task = 1, .file = LOCAL_ID}, extents, 250);
    }
    use(LOCAL_ID, 500000000);
    load_run(&run, &builder, true);
    const struct cup_io_map *plot = make_plot(&run, "io-map");
    double fresh = 0, again = 0;
    cr_assert_null(plot->marks);
    for (size_t i = 0; i < plot->row_count * plot->cell_rows * CUP_IO_COLUMNS; i++) {
        fresh += plot->cells[i].fresh;
        again += plot->cells[i].again;
    }
    cr_expect_float_eq(fresh, 500000000, 1);
    cr_expect_float_eq(again, 0, 0);
    cr_expect_not_null(strstr(run.input.caption, "Paler cells: fewer bytes"), "%s",
                       run.input.caption);
}

Test(data_access, bytes_without_a_place_are_told)
{
    add_extent(LOCAL_ID, 11, 12, 0, 90000000, 90000000, 0);
    use(LOCAL_ID, 10000000);
    load_run(&run, &builder, true);
    make_plot(&run, "io-map");
    cr_expect_not_null(strstr(run.input.caption, "offsets of another 10 MB were not recorded"),
                       "%s", run.input.caption);
}

Test(data_access, bytes_of_a_server_without_a_time_are_told)
{
    add_extent(REMOTE_ID, 11, 12, 0, 90000000, 90000000, 0);
    use(REMOTE_ID, 10000000);
    load_run(&run, &builder, true);
    make_plot(&run, "server-rate");
    cr_expect_not_null(strstr(run.input.caption, "time of 10 MB was not recorded"), "%s",
                       run.input.caption);
}

Test(data_access, a_local_directory_is_no_storage_server)
{
    add_extent(LOCAL_ID, 11, 12, 0, 90000000, 90000000, 0);
    load_run(&run, &builder, true);
    expect_no_plot(&run, "server-rate", "all files were local or mounted");
    expect_no_plot(&run, "server-rate", "data-rate shows");
}

/* ---- servers ------------------------------------------------------------------------------ */

static double bytes_of(const struct cup_time_line *line, double from, double to)
{
    double bytes = 0;
    for (size_t i = 0; i + 1 < line->count; i++)
        if (line->time_s[i] > from - 1e-6 && line->time_s[i] < to - 1e-6)
            bytes += line->values[i] * (line->time_s[i + 1] - line->time_s[i]);
    return bytes;
}

Test(data_access, each_server_over_time)
{
    add_extent(LOCAL_ID, 12, 14, 0, 90000000, 90000000, 0);
    add_extent(REMOTE_ID, 13, 15, 0, 40000000, 40000000, 0);
    add_extent(PEER_ID, 16, 17, 0, 5000000, 5000000, 0);
    load_run(&run, &builder, true);
    const struct cup_server_rate *plot = make_plot(&run, "server-rate");
    cr_assert_eq(plot->count, 3);
    cr_expect_str_eq(plot->names[0], "files not from a server");
    cr_expect_str_eq(plot->names[1], "root://eos.cern.ch:1094");
    cr_expect_str_eq(plot->names[2], "tcp://10.0.0.9:443");
    cr_expect_float_eq(bytes_of(plot->rates[0], 2, 3), 45000000, 1e5);
    cr_expect_float_eq(bytes_of(plot->rates[0], 0, 12), 90000000, 1e3);
    cr_expect_float_eq(bytes_of(plot->rates[1], 3, 4), 20000000, 1e5);
    cr_expect_float_eq(bytes_of(plot->rates[2], 6, 7), 5000000, 1e5);
    cr_expect_float_eq(bytes_of(plot->sum, 3, 4), 65000000, 2e5);
}

static void add_requests(const char *server, double from, double to, uint64_t bytes)
{
    static uint32_t id = 800;
    struct cup_r_requests record = {.task = 1,
                                    .file = REMOTE_ID,
                                    .server = ++id,
                                    .start_ns = at_second(from),
                                    .stop_ns = at_second(to)};
    const uint64_t values[CUP_Q_COUNT_OF] = {[CUP_Q_COUNT] = 1, [CUP_Q_BYTES] = bytes};
    unsigned char pairs[CUP_Q_COUNT_OF * CUP_PAIR_LONGEST + 8];
    size_t count = cup_pairs_nonzero(pairs, values, CUP_Q_COUNT_OF);
    builder_string(&builder, id, server);
    builder_record(&builder, CUP_R_REQUESTS, &record, sizeof record, pairs,
                   cup_pairs_pad(pairs, count));
}

/* The URL of the file names a redirector. */
Test(data_access, data_servers_behind_a_redirector_over_time)
{
    add_extent(REMOTE_ID, 12, 16, 0, 40000000, 40000000, 0);
    add_requests("root://pool-1:1095", 12, 14, 30000000);
    add_requests("root://pool-2:1095", 14, 16, 10000000);
    load_run(&run, &builder, true);
    const struct cup_server_rate *plot = make_plot(&run, "server-rate");
    cr_assert_eq(plot->count, 2);
    cr_expect_str_eq(plot->names[0], "root://pool-1:1095");
    cr_expect_str_eq(plot->names[1], "root://pool-2:1095");
    cr_expect_float_eq(bytes_of(plot->rates[0], 2, 4), 30000000, 1e3);
    cr_expect_float_eq(bytes_of(plot->rates[1], 4, 6), 10000000, 1e3);
    cr_expect_float_eq(bytes_of(plot->sum, 0, 12), 40000000, 1e3);
    cr_expect_null(strstr(run.input.caption, "redirector"), "%s", run.input.caption);
}

Test(data_access, a_server_of_a_few_bytes_is_no_picture)
{
    add_extent(PEER_ID, 11, 12, 0, 1000, 1000, 0);
    add_extent(LOCAL_ID, 11, 12, 0, 1000000, 1000000, 0);
    load_run(&run, &builder, true);
    expect_no_plot(&run, "server-rate", "over 99 % of the bytes came from local or mounted files");
}

/* Pairs of sockets that wake event loops. */
Test(data_access, a_socket_without_a_name_is_no_server)
{
    add_file(30, 730, "unix:", CUP_FILE_SOCKET, 0);
    add_extent(30, 11, 12, 0, 16, 16, 0);
    add_extent(LOCAL_ID, 11, 12, 0, 1000, 1000, 0);
    load_run(&run, &builder, true);
    expect_no_plot(&run, "server-rate", "all files were local or mounted");
    expect_no_plot(&run, "servers", "all files were local or mounted");
}

/* The socket of the XRootD client carries the bytes of the file again, for no task. */
Test(data_access, the_rate_of_servers_is_that_of_data_rate)
{
    add_extent(REMOTE_ID, 12.5, 14.5, 0, 80000000, 80000000, 0);
    add_extent(LOCAL_ID, 13.5, 14.5, 0, 40000000, 40000000, 0);
    const struct cup_r_file_use socket = {.file = PEER_ID, .file_sequence = 99};
    builder_file_use(&builder, &socket,
                     (const uint64_t[CUP_FILE_COUNTER_COUNT]){[CUP_F_READ_BYTES] = 80000000});
    const struct cup_region *region = &builder_header(&builder)->regions[1];
    struct cup_series *series = (struct cup_series *)(builder.bytes + region->offset);
    series->bin_ns = 100000000;
    series->rows = CUP_SERIES_COUNT;
    for (int i = 0; i < 10; i++) {
        series->values[CUP_S_READ_BYTES][120 + i] = 7000000; /* begins at 12.5 s */
        series->values[CUP_S_READ_BYTES][130 + i] = 5000000;
    }
    load_run(&run, &builder, true);
    const struct cup_curves *all = make_plot(&run, "data-rate");
    double rates[CUP_TIME_BINS + 1];
    size_t count = all->curves[0].count;
    memcpy(rates, all->curves[0].values, count * sizeof *rates);
    const struct cup_server_rate *plot = make_plot(&run, "server-rate");
    cr_assert_eq(plot->sum->count, count);
    for (size_t i = 0; i < count; i++)
        cr_expect_float_eq(plot->sum->values[i], rates[i], 1, "%zu", i);
    cr_expect_float_eq(bytes_of(plot->rates[0], 2.5, 3.5), 70000000, 1e3);
    cr_expect_float_eq(bytes_of(plot->rates[0], 3.5, 4.5), 25000000, 1e3);
    cr_expect_float_eq(bytes_of(plot->rates[1], 3.5, 4.5), 25000000, 1e3);
    cr_expect_null(strstr(run.input.caption, "was not recorded"), "%s", run.input.caption);
}

Test(data_access, few_servers_of_many)
{
    for (uint32_t i = 0; i < 10; i++) {
        char url[64];
        snprintf(url, sizeof url, "root://s%u.org//x.root", i);
        add_file(20 + i, 700 + i, url, CUP_FILE_DATA, 0);
        add_extent(20 + i, 11 + i, 12 + i, 0, 1000000 * (i + 1), 1000000 * (i + 1), 0);
    }
    load_run(&run, &builder, true);
    const struct cup_server_rate *plot = make_plot(&run, "server-rate");
    cr_assert_eq(plot->count, CUP_SERVERS_SHOWN);
    cr_expect_str_eq(plot->names[0], "root://s9.org");
    cr_expect_str_eq(plot->names[CUP_SERVERS_SHOWN - 1], "5 others");
    cr_expect_float_eq(bytes_of(plot->rates[CUP_SERVERS_SHOWN - 1], 0, 12), 15000000, 1e3);
    cr_expect_float_eq(bytes_of(plot->sum, 0, 12), 55000000, 1e3);
}

/* ---- none --------------------------------------------------------------------------------- */

Test(data_access, logs_of_an_older_library)
{
    builder_header(&builder)->features &= ~(uint64_t)CUP_FEATURE_ACCESS;
    use(REMOTE_ID, 1000);
    load_run(&run, &builder, true);
    expect_no_plot(&run, "io-map", "did not record where");
    expect_no_plot(&run, "server-rate", "did not record where");
}

Test(data_access, logs_that_tell_of_none)
{
    use(REMOTE_ID, 1000);
    load_run(&run, &builder, true);
    expect_no_plot(&run, "io-map", "no read has a recorded offset");
    expect_no_plot(&run, "server-rate", "no read has a recorded offset");
}

/* ---- coverage ----------------------------------------------------------------------------- */

Test(data_access, what_was_covered_before)
{
    uint64_t edges[] = {0, 10, 5, 20, 100, 110, 0, 200};
    struct cup_coverage coverage;
    cr_assert_eq(cup_coverage_make(&coverage, &run.arena, edges, 8), 0);
    cr_expect_eq(cup_coverage_count(&coverage, 0, 10, true), 10);
    cr_expect_eq(cup_coverage_count(&coverage, 5, 20, false), 10);
    cr_expect_eq(cup_coverage_count(&coverage, 5, 20, true), 10);
    cr_expect_eq(cup_coverage_count(&coverage, 100, 110, true), 10);
    cr_expect_eq(cup_coverage_count(&coverage, 0, 200, false), 170);
    cr_expect_eq(cup_coverage_count(&coverage, 0, 200, true), 170);
    cr_expect_eq(cup_coverage_count(&coverage, 0, 200, true), 0);
    cup_coverage_clear(&coverage);
    cr_expect_eq(cup_coverage_count(&coverage, 0, 200, false), 200);
}
