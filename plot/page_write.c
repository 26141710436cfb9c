#include "plot/page_write.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice.h"
#include "analysis/report/report.h"
#include "analysis/write/html.h"
#include "plot/page_flame.h"
#include "plot/page_parts.h"
#include "plot/page_svg.h"
#include "plot/plots.h"

struct page {
    const struct cup_totals *totals;
    const struct cup_output *output;
    FILE *out; /* the output's */
    struct cup_error *error;
};

/* What comes first, in this order. */
static const char *const front[] = {"worker-count", "time-budget", "task-stream", "runtime-events",
                                    "event-rate"};
enum { FRONT = sizeof front / sizeof *front };

static bool is_front(const struct cup_plot *plot)
{
    for (int i = 0; i < FRONT; i++)
        if (strcmp(front[i], plot->name) == 0)
            return true;
    return false;
}

/* ---- the frame ---------------------------------------------------------------------------- */

/* Nothing is to be fetched, whatever a name from a log may look like. */
static void write_style(const struct page *page)
{
    fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
          "<style>\n:root{--flip:none;",
          page->out);
    cup_page_paints(page->out, false);
    fputs("}\n@media screen and (prefers-color-scheme:dark){:root{"
          "--flip:invert(1) hue-rotate(180deg);",
          page->out);
    cup_page_paints(page->out, true);
    fprintf(page->out, "}}\n%s%s</style>\n", cup_page_css, cup_flame_css);
}

static void begin(const struct page *page)
{
    char name[128], which[CUP_DESCRIPTION];
    cup_plot_run_name(name, sizeof name, page->totals->profile);
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n<title>",
          page->out);
    cup_html_string(page->out, name);
    fputs(" - cupping</title>\n", page->out);
    write_style(page);
    fputs("</head>\n<body>\n<a class=\"skip\" href=\"#summary\">To the summary</a>\n"
          "<header>\n<h1>",
          page->out);
    cup_html_string(page->out, name);
    fputs("</h1>\n", page->out);
    cup_html_paragraph(page->out, CUP_DIM, cup_report_describe(page->totals, which));
    fputs(
        "<nav aria-label=\"Sections\"><ul><li><a href=\"#summary\">Summary</a></li>"
        "<li><a href=\"#front\">The run over time</a></li><li><a href=\"#advice\">Advice</a></li>",
        page->out);
    if (cup_page_has_flame(page->totals))
        fputs("<li><a href=\"#functions\">Functions</a></li>", page->out);
    fputs("<li><a href=\"#tables\">Tables</a></li><li><a href=\"#plots\">More plots</a></li></ul>"
          "</nav>\n</header>\n<main>\n",
          page->out);
}

static void begin_part(const struct page *page, const char *id, const char *heading)
{
    fprintf(page->out, "<section id=\"%s\" aria-labelledby=\"%s-heading\">\n", id, id);
    fprintf(page->out, "<h2 id=\"%s-heading\">%s</h2>\n", id, heading);
}

static void end_part(const struct page *page)
{
    fputs("</section>\n", page->out);
}

static void end(const struct page *page)
{
    fputs("</main>\n<footer><p>Made by cupping " CUP_VERSION ". kB, MB and GB are powers of 1000; "
          "times of day are UTC. Figures of workers are Dask's own, most others the library's: "
          "<code>cupping report --only sources</code> says how each is made, "
          "<code>cupping report --json FILE</code> holds them all.</p></footer>\n<script>\n",
          page->out);
    fprintf(page->out, "%s%s</script>\n</body>\n</html>\n", cup_page_js,
            cup_page_has_flame(page->totals) ? cup_flame_js : "");
}

/* ---- plots -------------------------------------------------------------------------------- */

static bool is_repeated(const struct cup_legend *legend, size_t key)
{
    const char *name = cup_page_paint(legend->keys[key].colour);
    for (size_t i = 0; i < key; i++) {
        const char *other = cup_page_paint(legend->keys[i].colour);
        if (other && strcmp(name, other) == 0)
            return true;
    }
    return false;
}

/* A switch for each colour of the legend; of use with the script only, which brings them to light.
 */
static void write_keys(const struct page *page, const struct cup_legend *legend)
{
    fputs("<ul class=\"keys\" aria-label=\"Shown in the plot\" hidden>\n", page->out);
    for (size_t i = 0; i < legend->count; i++) {
        const struct cup_key *key = &legend->keys[i];
        const char *paint = cup_page_paint(key->colour);
        if (key->mark == CUP_KEY_NONE || !paint || is_repeated(legend, i))
            continue;
        fprintf(page->out,
                "<li><button type=\"button\" aria-pressed=\"true\" data-paint=\"%s\">"
                "<i style=\"background:var(--%s)\"></i>",
                paint, paint);
        cup_html_string(page->out, key->text);
        fputs("</button></li>\n", page->out);
    }
    fputs("</ul>\n", page->out);
}

static int draw(const struct page *page, const struct cup_plot *plot,
                const struct cup_plot_input *input, const void *data)
{
    bool first = strcmp(plot->name, front[0]) == 0; /* as wide as the page */
    const struct cup_plot_style style = {.width = first ? 13 : 8, .height = first ? 4.5 : 5};
    struct cup_legend legend;
    struct cup_canvas canvas;
    const struct cup_bytes *svg;
    if (cup_plot_draw_for_page(plot, input, data, &style, &legend, &canvas, &svg, page->error) != 0)
        return -1;
    fprintf(page->out, "<figure class=\"plot%s\" id=\"plot-%s\">\n<figcaption>",
            first ? " first" : "", plot->name);
    cup_html_string(page->out, plot->answers);
    fputs("</figcaption>\n", page->out);
    fprintf(page->out, "<div class=\"scroll\" tabindex=\"0\" role=\"group\" aria-label=\"%s\">\n",
            plot->title);
    cup_page_svg(page->out, plot, &canvas, svg, legend.caption);
    fputs("</div>\n", page->out);
    write_keys(page, &legend);
    fputs("</figure>\n", page->out);
    cup_canvas_close(&canvas);
    return 0;
}

/* Returns 0, also where there is nothing to draw; `left_out` then takes a line of it. */
static int put_plot(const struct page *page, const struct cup_plot *plot, FILE *left_out)
{
    struct cup_arena arena = {0};
    struct cup_plot_input input = {.totals = page->totals, .arena = &arena};
    const void *data;
    int result = cup_plot_make(plot, &input, &data, page->error);
    if (result == 0) {
        result = draw(page, plot, &input, data);
    } else if (result > 0) {
        fputs("<li>", left_out);
        cup_html_string(left_out, plot->title);
        fputs(": ", left_out);
        cup_html_string(left_out, input.reason);
        fputs("</li>\n", left_out);
        result = 0;
    }
    cup_arena_clear(&arena);
    return result;
}

static int put_front(const struct page *page, FILE *left_out)
{
    int result = 0;
    begin_part(page, "front", "The run over time");
    fputs("<div class=\"plots\">\n", page->out);
    for (int i = 0; i < FRONT && result == 0; i++)
        result = put_plot(page, cup_find_plot(front[i]), left_out);
    fputs("</div>\n", page->out);
    end_part(page);
    return result;
}

static int put_others(const struct page *page, FILE *left_out)
{
    int result = 0;
    begin_part(page, "plots", "More plots");
    fputs("<div class=\"plots\">\n", page->out);
    for (size_t i = 0; i < cup_plot_count && result == 0; i++)
        if (!is_front(&cup_plots[i]))
            result = put_plot(page, &cup_plots[i], left_out);
    fputs("</div>\n", page->out);
    return result;
}

/* ---- the parts ---------------------------------------------------------------------------- */

static int put_summary(const struct page *page)
{
    begin_part(page, "summary", "Summary");
    int result = cup_report_html(page->totals, page->output, true);
    end_part(page);
    return result == 0 ? 0 : cup_error_memory(page->error, "page");
}

static void put_advice(const struct page *page)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(page->totals, advice);
    begin_part(page, "advice", "What to look at");
    fputs("<ol class=\"advice\">\n", page->out);
    for (size_t i = 0; i < count; i++) {
        fputs("<li>", page->out);
        cup_html_prose(page->out, advice[i].text);
        fprintf(page->out, " <small>(rule <code>%s</code>)</small></li>\n", advice[i].rule);
    }
    fputs("</ol>\n", page->out);
    if (count == 0)
        cup_html_paragraph(page->out, CUP_WARN,
                           "No task was seen: the processes that wrote these logs ran none, or the "
                           "library could not see them; the table on health says more.");
    end_part(page);
}

static int put_functions(const struct page *page)
{
    if (!cup_page_has_flame(page->totals))
        return 0;
    begin_part(page, "functions", "Functions");
    int result = cup_page_flame(page->out, page->totals);
    end_part(page);
    return result == 0 ? 0 : cup_error_memory(page->error, "page");
}

static int put_tables(const struct page *page)
{
    begin_part(page, "tables", "Tables");
    int result = cup_report_html(page->totals, page->output, false);
    end_part(page);
    return result == 0 ? 0 : cup_error_memory(page->error, "page");
}

static void put_left_out(const struct page *page, const char *lines)
{
    if (*lines) {
        fputs("<h3>Plots left out</h3>\n<ul>\n", page->out);
        fputs(lines, page->out);
        fputs("</ul>\n", page->out);
    }
    end_part(page);
}

static int put_all(const struct page *page, FILE *left_out)
{
    if (put_summary(page) != 0 || put_front(page, left_out) != 0)
        return -1;
    put_advice(page);
    return put_functions(page) != 0 || put_tables(page) != 0 ? -1 : put_others(page, left_out);
}

int cup_page_write(const struct cup_totals *totals, const struct cup_output *output,
                   struct cup_error *error)
{
    const struct page page = {totals, output, output->file, error};
    char *lines = NULL;
    size_t bytes;
    FILE *left_out = open_memstream(&lines, &bytes);
    if (!left_out)
        return cup_error_memory(error, "page");
    begin(&page);
    int result = put_all(&page, left_out);
    if (fclose(left_out) != 0 && result == 0)
        result = cup_error_memory(error, "page");
    if (result == 0) {
        put_left_out(&page, lines);
        end(&page);
    }
    free(lines);
    return result;
}
