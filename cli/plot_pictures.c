#include "cli/plot_pictures.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/write/output.h"
#include "plot/plots.h"

struct pictures {
    const char *directory;
    const struct cup_wanted *wanted;
    const struct cup_sheet *style;
};

int cup_wanted_add(struct cup_wanted *wanted, const struct cup_plot *plot, struct cup_error *error)
{
    if (wanted->count == CUP_WANTED_MOST)
        return cup_error_set(error, "plot", CUP_NO_OFFSET, "%s: more than %d names", plot->name,
                             CUP_WANTED_MOST);
    wanted->plots[wanted->count++] = plot;
    return 0;
}

bool cup_is_wanted(const struct cup_wanted *wanted, const struct cup_plot *plot)
{
    bool is_wanted = wanted->count == 0;
    for (size_t i = 0; i < wanted->count && !is_wanted; i++)
        is_wanted = wanted->plots[i] == plot;
    return is_wanted;
}

/* ---- files -------------------------------------------------------------------------------- */

static int make_directory(const char *directory, struct cup_error *error)
{
    struct stat status;
    if (mkdir(directory, 0777) != 0 && errno != EEXIST)
        return cup_error_system(error, directory, "make the directory");
    if (stat(directory, &status) == 0 && !S_ISDIR(status.st_mode))
        return cup_error_set(error, directory, CUP_NO_OFFSET, "is not a directory");
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

static int save_picture(const struct pictures *pictures, const struct cup_plot *plot,
                        const struct cup_bytes *bytes, struct cup_error *error)
{
    const char *ending = cup_format_names[pictures->style->format];
    char *path;
    if (asprintf(&path, "%s/%s.%s", pictures->directory, plot->name, ending) < 0)
        return cup_error_memory(error, pictures->directory);
    int result = write_picture(path, bytes, error);
    if (result == 0)
        puts(path);
    free(path);
    return result;
}

/* ---- drawing ------------------------------------------------------------------------------ */

/* Returns 0; 1 if the plot cannot be drawn, with the reason in input->reason; -1 and *error. */
static int draw_picture(const struct pictures *pictures, const struct cup_plot *plot,
                        struct cup_plot_input *input, struct cup_error *error)
{
    struct cup_drawing drawing;
    const void *data;
    int result = cup_plot_make(plot, input, &data, error);
    if (result == 0)
        result = cup_plot_draw(plot, input, data, pictures->style, &drawing, error);
    if (result == 0) {
        result = save_picture(pictures, plot, drawing.bytes, error);
        cup_canvas_close(&drawing.canvas);
    }
    cup_arena_clear(input->arena);
    return result;
}

/* The plots that cannot be drawn, with the reason. */
struct left_out {
    struct {
        const char *name;
        char reason[sizeof(struct cup_plot_input){0}.reason];
    } plots[CUP_WANTED_MOST];
    size_t count;
};

static void add_left_out(struct left_out *left_out, const char *name, const char *reason)
{
    size_t at = left_out->count++;
    left_out->plots[at].name = name;
    snprintf(left_out->plots[at].reason, sizeof left_out->plots[at].reason, "%s", reason);
}

/* Prints one line for each reason. */
static void print_left_out(const struct left_out *left_out)
{
    bool printed[CUP_WANTED_MOST] = {false};
    for (size_t i = 0; i < left_out->count; i++) {
        if (printed[i])
            continue;
        fprintf(stderr, "cupping: plot: cannot draw %s", left_out->plots[i].name);
        for (size_t k = i + 1; k < left_out->count; k++)
            if (strcmp(left_out->plots[i].reason, left_out->plots[k].reason) == 0) {
                fprintf(stderr, ", %s", left_out->plots[k].name);
                printed[k] = true;
            }
        fprintf(stderr, ": %s\n", left_out->plots[i].reason);
    }
}

static int draw_all(const struct pictures *pictures, const struct cup_subject *subject,
                    struct left_out *left_out, size_t *drawn, struct cup_error *error)
{
    struct cup_arena arena = {0};
    const struct cup_plot_table *table = subject->runs ? &cup_run_plots : &cup_plots;
    for (size_t i = 0; i < table->count; i++) {
        const struct cup_plot *plot = &table->rows[i];
        struct cup_plot_input input = {
            .totals = subject->totals, .runs = subject->runs, .arena = &arena};
        if (!cup_is_wanted(pictures->wanted, plot))
            continue;
        int result = draw_picture(pictures, plot, &input, error);
        if (result < 0)
            return -1;
        *drawn += result == 0;
        if (result > 0)
            add_left_out(left_out, plot->name, input.reason);
    }
    return 0;
}

int cup_plot_pictures(const struct cup_subject *subject, const struct cup_wanted *wanted,
                      const char *directory, const struct cup_sheet *style, struct cup_error *error)
{
    const struct pictures pictures = {directory, wanted, style};
    struct left_out left_out = {.count = 0};
    size_t drawn = 0;
    if (make_directory(directory, error) != 0)
        return -1;
    int result = draw_all(&pictures, subject, &left_out, &drawn, error);
    print_left_out(&left_out);
    if (wanted->by_default && result == 0)
        fprintf(stderr,
                "cupping: plot: %zu more plots with --all; `cupping plot --list` says what each "
                "answers\n",
                cup_plots.count - wanted->count);
    bool named = wanted->count > 0 && !wanted->by_default;
    if (result != 0 || ((!named || left_out.count == 0) && drawn))
        return result;
    return cup_error_set(error, "plot", CUP_NO_OFFSET, "%zu of the requested plots cannot be drawn",
                         left_out.count);
}
