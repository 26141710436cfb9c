#define _POSIX_C_SOURCE 200809L

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/profile/run_option.h"
#include "analysis/verbs/options.h"
#include "analysis/verbs/verbs.h"
#include "analysis/write/output.h"
#include "plot/page_write.h"
#include "plot/plots.h"

#define DEFAULT_OUT "cupping-plots"

enum { MOST = 64 }; /* operands: DIR and names */

struct request {
    const char *directory, *out, *format, *width, *height, *run, *html;
    const char *list, *dark; /* cup_option_off: not given */
    unsigned number;         /* of the run: see struct cup_load_options */
    const struct cup_plot *plots[MOST];
    size_t count; /* 0: all that can be drawn */
    struct cup_plot_style style;
};

/* ---- what is asked for -------------------------------------------------------------------- */

static int read_format(struct request *request, struct cup_error *error)
{
    request->style.format = CUP_FORMAT_PNG;
    if (!request->format)
        return 0;
    for (int i = CUP_FORMAT_PNG; i <= CUP_FORMAT_PDF; i++)
        if (strcmp(request->format, cup_format_names[i]) == 0) {
            request->style.format = (enum cup_format)i;
            return 0;
        }
    return cup_error_set(error, "plot", CUP_NO_OFFSET,
                         "--format %s: no such format; name png, svg or pdf", request->format);
}

/* Smaller ones leave no room for texts, larger ones are no pictures but mistakes. */
static int read_inches(const char *option, const char *text, double *inches,
                       struct cup_error *error)
{
    char *end;
    if (!text)
        return 0;
    *inches = strtod(text, &end);
    if (*end == '\0' && *inches >= 1.5 && *inches <= 50)
        return 0;
    return cup_error_set(error, "plot", CUP_NO_OFFSET,
                         "%s %s: name a number of inches from 1.5 to 50", option, text);
}

static int read_size(struct request *request, struct cup_error *error)
{
    struct cup_plot_style *style = &request->style;
    style->pixels = CUP_PIXELS;
    style->dark = request->dark != cup_option_off;
    style->width = 8;
    if (read_inches("--width", request->width, &style->width, error) != 0)
        return -1;
    style->height = style->width < 2.4 ? 1.5 : style->width * 0.625;
    return read_inches("--height", request->height, &style->height, error);
}

/* The first operand is a plot if there is one of that name, else the profile; the others are
 * plots. */
static int read_operands(struct request *request, const char **operands, size_t given,
                         struct cup_error *error)
{
    for (size_t i = 0; i < given; i++) {
        const struct cup_plot *plot = cup_find_plot(operands[i]);
        const struct cup_plot_missing *missing = cup_find_missing_plot(operands[i]);
        struct stat status;
        if (plot)
            request->plots[request->count++] = plot;
        else if (missing)
            return cup_error_set(error, "plot", CUP_NO_OFFSET, "%s: not in this version: %s",
                                 missing->name, missing->reason);
        else if (i == 0 && (strchr(operands[i], '/') || stat(operands[i], &status) == 0))
            request->directory = operands[i];
        else
            return cup_error_set(error, "plot", CUP_NO_OFFSET,
                                 "%s: no such plot%s; see `cupping plot --list`", operands[i],
                                 i == 0 ? ", and no such profile" : "");
    }
    return 0;
}

/* What was asked for that a page does not take; NULL if nothing. */
static const char *of_pictures(const struct request *request)
{
    return request->count                    ? request->plots[0]->name
           : request->out                    ? "-o"
           : request->format                 ? "--format"
           : request->width                  ? "--width"
           : request->height                 ? "--height"
           : request->dark != cup_option_off ? "--dark"
           : request->list != cup_option_off ? "--list"
                                             : NULL;
}

static int read_request(int argc, char **argv, struct request *request, struct cup_error *error)
{
    const char *operands[MOST];
    size_t given;
    const struct cup_option options[] = {
        {"-o", &request->out},        {"--format", &request->format},
        {"--width", &request->width}, {"--height", &request->height},
        {"--run", &request->run},     {"--dark", &request->dark},
        {"--list", &request->list},   {"--html", &request->html}};
    if (cup_options_read_many(argc, argv, options, sizeof options / sizeof *options, operands, MOST,
                              &given, error) != 0 ||
        read_operands(request, operands, given, error) != 0 || read_format(request, error) != 0 ||
        read_size(request, error) != 0)
        return -1;
    if (request->html && of_pictures(request))
        return cup_error_set(
            error, "plot", CUP_NO_OFFSET,
            "--html %s: a page has all plots, in its own size and in both colours; "
            "%s belongs to pictures",
            request->html, of_pictures(request));
    if (request->out && strcmp(request->out, "-") == 0)
        return cup_error_set(error, "plot", CUP_NO_OFFSET,
                             "-o -: plots go to a directory, which standard output is not");
    return cup_run_option_read("plot", request->run, &request->number, error);
}

/* ---- the list ----------------------------------------------------------------------------- */

static bool is_wanted(const struct request *request, const struct cup_plot *plot)
{
    bool wanted = request->count == 0;
    for (size_t i = 0; i < request->count && !wanted; i++)
        wanted = request->plots[i] == plot;
    return wanted;
}

/* Those that no profile can have. */
static void print_missing(void)
{
    for (size_t i = 0; i < cup_plots_missing_count; i++)
        printf("%-24s %s (not in this version: %s)\n", cup_plots_missing[i].name,
               cup_plots_missing[i].answers, cup_plots_missing[i].reason);
}

/* Totals may be NULL: no profile to say what can be drawn. */
static int print_list(const struct request *request, const struct cup_totals *totals,
                      struct cup_error *error)
{
    struct cup_arena arena = {0};
    struct cup_output output = {.file = stdout};
    int result = 0;
    for (size_t i = 0; i < cup_plot_count && result >= 0; i++) {
        const struct cup_plot *plot = &cup_plots[i];
        struct cup_plot_input input = {.totals = totals, .arena = &arena};
        const void *data;
        if (!is_wanted(request, plot))
            continue;
        if (totals)
            result = cup_plot_make(plot, &input, &data, error);
        if (result >= 0)
            printf("%-24s %s%s%s%s\n", plot->name, plot->answers,
                   result ? " (not from this profile: " : "", result ? input.reason : "",
                   result ? ")" : "");
        cup_arena_clear(&arena);
    }
    if (request->count == 0)
        print_missing();
    return result < 0 ? -1 : cup_output_close(&output, error);
}

/* ---- drawing ------------------------------------------------------------------------------ */

static int make_directory(const char *directory, struct cup_error *error)
{
    struct stat status;
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return cup_error_system(error, directory, "make the directory");
    if (stat(directory, &status) == 0 && !S_ISDIR(status.st_mode))
        return cup_error_set(error, directory, CUP_NO_OFFSET, "is no directory");
    return access(directory, W_OK | X_OK) == 0
               ? 0
               : cup_error_system(error, directory, "write into it");
}

static int write_picture(const char *path, const struct cup_bytes *bytes, struct cup_error *error)
{
    struct cup_output output;
    if (cup_output_open(&output, path, error) != 0)
        return -1;
    fwrite(bytes->bytes, 1, bytes->count, output.file);
    return cup_output_close(&output, error);
}

static int save(const struct request *request, const struct cup_plot *plot,
                const struct cup_bytes *bytes, struct cup_error *error)
{
    const char *ending = cup_format_names[request->style.format];
    size_t room = strlen(request->out) + strlen(plot->name) + strlen(ending) + 3;
    char *path = malloc(room);
    if (!path)
        return cup_error_memory(error, request->out);
    snprintf(path, room, "%s/%s.%s", request->out, plot->name, ending);
    int result = write_picture(path, bytes, error);
    if (result == 0)
        puts(path);
    free(path);
    return result;
}

/* Returns 0; 1 if it was left out, which is told; -1 and *error. */
static int draw(const struct request *request, const struct cup_plot *plot,
                const struct cup_totals *totals, struct cup_error *error)
{
    struct cup_arena arena = {0};
    struct cup_plot_input input = {.totals = totals, .arena = &arena};
    struct cup_canvas canvas;
    const struct cup_bytes *bytes;
    const void *data;
    int result = cup_plot_make(plot, &input, &data, error);
    if (result == 0)
        result = cup_plot_draw(plot, &input, data, &request->style, &canvas, &bytes, error);
    if (result == 0) {
        result = save(request, plot, bytes, error);
        cup_canvas_close(&canvas);
    } else if (result > 0) {
        fprintf(stderr, "cupping: plot: left out %s: %s\n", plot->name, input.reason);
    }
    cup_arena_clear(&arena);
    return result;
}

/* Plots that were asked for by name and cannot be drawn are a failure, those of all are not. */
static int draw_all(const struct request *request, const struct cup_totals *totals,
                    struct cup_error *error)
{
    int left_out = 0, drawn = 0;
    if (make_directory(request->out, error) != 0)
        return -1;
    for (size_t i = 0; i < cup_plot_count; i++) {
        if (!is_wanted(request, &cup_plots[i]))
            continue;
        int result = draw(request, &cup_plots[i], totals, error);
        if (result < 0)
            return -1;
        left_out += result > 0;
        drawn += result == 0;
    }
    if ((request->count == 0 || left_out == 0) && drawn)
        return 0;
    return cup_error_set(error, "plot", CUP_NO_OFFSET, "%d of the plots asked for %s left out",
                         left_out, left_out == 1 ? "was" : "were");
}

static int write_page(const struct request *request, const struct cup_totals *totals,
                      struct cup_error *error)
{
    struct cup_output output;
    if (cup_output_open(&output, request->html, error) != 0)
        return -1;
    if (cup_page_write(totals, &output, error) == 0)
        return cup_output_close(&output, error);
    cup_output_abandon(&output);
    return -1;
}

/* ---- the verb ----------------------------------------------------------------------------- */

static int with_profile(struct request *request, struct cup_error *error)
{
    struct cup_profile profile;
    struct cup_totals totals;
    const struct cup_load_options load = {.counters = true,
                                          .accesses = true,
                                          .baskets = request->html != NULL,
                                          .run = request->number};
    if (cup_verb_load(&profile, request->directory, &load, error) != 0)
        return CUP_EXIT_FAILED;
    int status = CUP_EXIT_DONE;
    if (cup_run_option_check(request->number, &profile, error) != 0)
        status = CUP_EXIT_USAGE;
    else if (cup_totals_make(&totals, &profile) != 0)
        status = cup_error_memory(error, profile.path) ? CUP_EXIT_FAILED : CUP_EXIT_DONE;
    else {
        int result = request->html                     ? write_page(request, &totals, error)
                     : request->list != cup_option_off ? print_list(request, &totals, error)
                                                       : draw_all(request, &totals, error);
        status = result == 0 ? CUP_EXIT_DONE : CUP_EXIT_FAILED;
        cup_totals_free(&totals);
    }
    cup_profile_free(&profile);
    return status;
}

/* The list needs no profile, but says more with one: one that was not asked for may be missing, or
 * unreadable. */
static bool has_profile(const struct request *request)
{
    return request->directory || access(CUP_DEFAULT_DIRECTORY, R_OK) == 0;
}

int cup_verb_plot(int argc, char **argv)
{
    struct request request = {.list = cup_option_off, .dark = cup_option_off};
    struct cup_error error;
    if (read_request(argc, argv, &request, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_USAGE);
    if (!request.out)
        request.out = DEFAULT_OUT;
    bool list = request.list != cup_option_off;
    int status = list && !has_profile(&request) ? CUP_EXIT_FAILED : with_profile(&request, &error);
    if (list && !request.directory && status == CUP_EXIT_FAILED)
        status = print_list(&request, NULL, &error) == 0 ? CUP_EXIT_DONE : CUP_EXIT_FAILED;
    return status == CUP_EXIT_DONE ? status : cup_verb_failed(&error, status);
}
