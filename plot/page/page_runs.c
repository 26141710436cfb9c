#include "plot/page/page_runs.h"

#include "analysis/compare/compare_write.h"
#include "plot/page/page_flame.h"
#include "plot/page/page_frame.h"
#include "plot/page/page_plots.h"

enum part { PLOTS, FUNCTIONS, TABLES, PLOT_LINKS, TABLE_LINKS, LEFT_OUT, PARTS };

static int make_parts(const struct cup_plot_runs *runs, const struct cup_plot_table *table,
                      const struct cup_page_part *parts, struct cup_error *error)
{
    static const struct cup_target none;
    const struct cup_page_plots plots = {.table = table,
                                         .runs = runs,
                                         .out = parts[PLOTS].file,
                                         .contents = parts[PLOT_LINKS].file,
                                         .left_out = parts[LEFT_OUT].file,
                                         .error = error};
    cup_compare_html(runs->comparison, runs->target ? runs->target : &none, parts[TABLES].file,
                     parts[TABLE_LINKS].file);
    if (cup_page_has_flame_of_runs(runs) &&
        cup_page_flame_of_runs(parts[FUNCTIONS].file, runs) != 0)
        return cup_error_memory(error, "page");
    return cup_page_plots_others(&plots);
}

static void write_list(FILE *out, const char *name, const char *links)
{
    fprintf(out, "<ul class=\"all\" aria-label=\"%s\">\n%s</ul>\n", name, links);
}

static void write_contents(FILE *out, const struct cup_page_part *parts)
{
    fprintf(out,
            "<nav aria-label=\"Contents\"><ul><li><a href=\"#plots\">Plots</a></li>%s"
            "<li><a href=\"#tables\">Tables</a></li></ul>\n"
            "<details><summary>All plots and tables</summary>\n",
            *parts[FUNCTIONS].text ? "<li><a href=\"#functions\">Functions</a></li>" : "");
    write_list(out, "Plots", parts[PLOT_LINKS].text);
    write_list(out, "Tables", parts[TABLE_LINKS].text);
    fputs("</details></nav>\n", out);
}

static void write_page(FILE *out, const struct cup_plot_runs *runs,
                       const struct cup_page_part *parts)
{
    cup_page_frame_begin(out, "Runs compared", runs->heading, "plots");
    write_contents(out, parts);
    fputs("</header>\n<main>\n", out);
    cup_page_part_put(out, "plots", "Plots", parts[PLOTS].text, "plots");
    cup_page_functions_put(out, parts[FUNCTIONS].text);
    cup_page_part_put(out, "tables", "Tables", parts[TABLES].text, NULL);
    if (*parts[LEFT_OUT].text) {
        cup_page_part_begin(out, "left-out", "Plots left out");
        fprintf(out, "<ul>\n%s</ul>\n", parts[LEFT_OUT].text);
        cup_page_part_end(out);
    }
    cup_page_frame_end(out);
}

int cup_page_runs_write(const struct cup_plot_runs *runs, const struct cup_plot_table *table,
                        const struct cup_output *output, struct cup_error *error)
{
    struct cup_page_part parts[PARTS] = {{0}};
    int result = cup_page_parts_open(parts, PARTS) == 0 ? make_parts(runs, table, parts, error)
                                                        : cup_error_memory(error, "page");
    if (cup_page_parts_close(parts, PARTS) != 0 && result == 0)
        result = cup_error_memory(error, "page");
    if (result == 0)
        write_page(output->file, runs, parts);
    cup_page_parts_free(parts, PARTS);
    return result;
}
