#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/reads/server_uses.h"
#include "plot/figure/figure.h"
#include "plot/figure/marks.h"
#include "plot/io/io_plots.h"
#include "plot/shared/plot.h"

const char cup_no_requests_reason[] =
    "no server has requests of known duration: either no file came from a server whose requests "
    "cupping records, or an older library recorded this run";

/* ---- rows and columns ------------------------------------------------------------------------ */

static uint64_t requests_of(const struct cup_request_sum *sum)
{
    return sum->answered[CUP_Q_COUNT] + sum->failed[CUP_Q_COUNT];
}

/* Servers in the order of the report's table. */
static int list_servers(struct cup_server_hosts *plot, const struct cup_profile *profile)
{
    struct cup_server_uses uses;
    if (cup_server_uses_make(&uses, profile) != 0)
        return -1;
    for (size_t i = 0; i < uses.count && plot->server_count < CUP_MATRIX_SERVERS; i++) {
        const struct cup_durations durations = cup_server_durations(&uses.rows[i]);
        if (cup_durations_total(&durations) || uses.rows[i].failed)
            plot->servers[plot->server_count++] = uses.rows[i].name;
    }
    cup_server_uses_free(&uses);
    return 0;
}

static size_t find_server(const struct cup_server_hosts *plot, struct cup_text name)
{
    size_t i = 0;
    while (i < plot->server_count && !cup_same_server(plot->servers[i], name))
        i++;
    return i;
}

static size_t find_host(const struct cup_server_hosts *plot, struct cup_text name)
{
    size_t i = 0;
    while (i < plot->host_count && cup_text_compare(plot->hosts[i], name) != 0)
        i++;
    return i;
}

static int by_name(const void *left, const void *right)
{
    return cup_text_compare(*(const struct cup_text *)left, *(const struct cup_text *)right);
}

static void list_hosts(struct cup_server_hosts *plot, const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->request_sum_count; i++) {
        struct cup_text host = cup_profile_text(profile, profile->request_sums[i].host);
        if (requests_of(&profile->request_sums[i]) && plot->host_count < CUP_MATRIX_HOSTS &&
            find_host(plot, host) == plot->host_count)
            plot->hosts[plot->host_count++] = host;
    }
    qsort(plot->hosts, plot->host_count, sizeof *plot->hosts, by_name);
}

/* ---- cells ----------------------------------------------------------------------------------- */

static void add_sums(struct cup_server_hosts *plot, double *counts,
                     const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->request_sum_count; i++) {
        const struct cup_request_sum *sum = &profile->request_sums[i];
        size_t row = find_server(plot, cup_profile_text(profile, sum->server));
        size_t column = find_host(plot, cup_profile_text(profile, sum->host));
        uint64_t count = requests_of(sum);
        if (row == plot->server_count || column == plot->host_count) {
            plot->left_out += count > 0;
            continue;
        }
        plot->means[row][column] += (double)(sum->answered[CUP_Q_NS] + sum->failed[CUP_Q_NS]) / 1e9;
        counts[row * CUP_MATRIX_HOSTS + column] += (double)count;
    }
}

static void finish_means(struct cup_server_hosts *plot, const double *counts)
{
    for (size_t row = 0; row < plot->server_count; row++)
        for (size_t column = 0; column < plot->host_count; column++) {
            double count = counts[row * CUP_MATRIX_HOSTS + column];
            double *mean = &plot->means[row][column];
            *mean = count > 0 ? *mean / count : NAN;
            plot->highest = fmax(plot->highest, *mean);
        }
}

static void write_caption(struct cup_plot_input *input, const struct cup_server_hosts *plot)
{
    char hosts[64], servers[64], left_out[96] = "", pairs[64];
    if (plot->left_out)
        snprintf(left_out, sizeof left_out, " Left out: %s of a host and a server.",
                 cup_count_text(pairs, plot->left_out, "pair"));
    cup_plot_set_caption(input,
                         "Mean time of a request, from %s to %s (cupping). A dark row is a slow "
                         "server, a dark column a host with a bad connection; blank: no request.%s",
                         cup_count_text(hosts, plot->host_count, "host"),
                         cup_count_text(servers, plot->server_count, "server"), left_out);
}

const void *cup_data_server_hosts(struct cup_plot_input *input)
{
    const struct cup_profile *profile = input->totals->profile;
    struct cup_server_hosts *plot = cup_arena_take(input->arena, 1, sizeof *plot);
    double *counts =
        cup_arena_take(input->arena, (size_t)CUP_MATRIX_HOSTS * CUP_MATRIX_SERVERS, sizeof *counts);
    if (!plot || !counts || list_servers(plot, profile) != 0)
        return NULL;
    list_hosts(plot, profile);
    if (plot->server_count == 0 || plot->host_count == 0)
        return cup_plot_unavailable(input, "%s", cup_no_requests_reason);
    if (plot->host_count * plot->server_count == 1)
        return cup_plot_unavailable(input, "one host sent requests to one server: server-quantiles "
                                           "shows how long they took");
    add_sums(plot, counts, profile);
    finish_means(plot, counts);
    write_caption(input, plot);
    return plot;
}

/* ---- drawing --------------------------------------------------------------------------------- */

/* The strength of a colour for a mean: logarithmic, because servers differ by orders of magnitude.
 */
static double strength_of(const struct cup_server_hosts *plot, double mean)
{
    enum { DECADES = 3 };
    return isfinite(mean) && plot->highest > 0
               ? fmax(0.05, 1 + log10(fmax(mean, 1e-9) / plot->highest) / DECADES)
               : NAN;
}

static void add_key(struct cup_figure *figure, const struct cup_server_hosts *plot, double share)
{
    char time[CUP_DURATION_TEXT];
    double strength = strength_of(plot, plot->highest * share);
    cup_figure_add_key(figure, CUP_KEY_BOX, cup_theme_strength(figure->theme, strength), "%s",
                       cup_duration_text(time, plot->highest * share));
}

/* A host's name without the domain; an address, which begins with a digit, is kept. */
static struct cup_text short_name(struct cup_text host)
{
    bool is_address = host.length && host.bytes[0] >= '0' && host.bytes[0] <= '9';
    const char *dot = is_address ? NULL : memchr(host.bytes, '.', host.length);
    return dot ? (struct cup_text){host.bytes, (size_t)(dot - host.bytes)} : host;
}

/* Few hosts have their names; more are only counted. */
static struct cup_axis host_axis(const struct cup_server_hosts *plot,
                                 struct cup_text names[CUP_MATRIX_NAMES])
{
    if (plot->host_count > CUP_MATRIX_NAMES)
        return cup_axis_exact("hosts, in the order of their names", CUP_AXIS_COUNT,
                              (double)plot->host_count);
    for (size_t i = 0; i < plot->host_count; i++)
        names[i] = short_name(plot->hosts[i]);
    return cup_axis_names("hosts", names, plot->host_count);
}

void cup_chart_server_hosts(struct cup_figure *figure, const void *data)
{
    const struct cup_server_hosts *plot = data;
    struct cup_text names[CUP_MATRIX_NAMES];
    char time[CUP_DURATION_TEXT];
    size_t rows = cup_rows_that_fit(figure, plot->server_count);
    figure->x = host_axis(plot, names);
    cup_figure_set_rows(figure, "servers", plot->servers, rows, plot->server_count);
    figure->high_rows = true;
    add_key(figure, plot, 1);
    add_key(figure, plot, 0.1);
    add_key(figure, plot, 0.01);
    cup_figure_open(figure);
    for (size_t row = 0; row < rows; row++)
        for (size_t host = 0; host < plot->host_count; host++) {
            double mean = plot->means[row][host];
            cup_mark_cell(figure, row, host, plot->hosts[host], strength_of(plot, mean),
                          cup_duration_text(time, mean));
        }
    cup_figure_close(figure);
    figure->x.names = NULL;
}
