#include "plot/page/page.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/advice/advice.h"
#include "analysis/compare/compare_write.h"
#include "analysis/report/page/page.h"
#include "analysis/report/report.h"
#include "analysis/write/html.h"
#include "plot/page/page_parts.h"

/* The contents of the .css and .js files of this folder. page_drawing.css has the rules that a plot
 * needs outside of the page, too, when it is saved as a file. */
static const char page_css[] =
#include "page.css.inc"
    ;

static const char flame_css[] =
#include "flame.css.inc"
    ;

static const char flame_js[] =
#include "flame.js.inc"
    ;

static const char drawing_css[] =
#include "page_drawing.css.inc"
    ;

static const char page_js[] =
#include "page.js.inc"
    ;

/* The parts are made before the table of contents, which links to them. The summary of several runs
 * is what they are. */
enum part { SUMMARY, FUNCTIONS, TABLES, SUMMARY_LINKS, TABLE_LINKS, PLOT_LINKS, LEFT_OUT, PARTS };

struct page {
    struct cup_page_plots plots;
    const char *title; /* the user's; NULL: none */
    struct figure {
        char *text; /* owned; NULL: the plot is left out */
        bool written;
    } * figures;        /* owned; one for each row of plots.table */
    FILE *out;          /* the output's */
    FILE *files[PARTS]; /* in memory */
    char *texts[PARTS]; /* owned; what was written to the files, once they are closed */
    size_t bytes[PARTS];
};

/* ---- the frame ---------------------------------------------------------------------------- */

/* The policy forbids to fetch anything, whatever a name from a log contains. */
static void write_style(FILE *out)
{
    fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
          "<style>\n:root{--flip:none;",
          out);
    cup_css_variables(out, false);
    fputs("}\n@media screen and (prefers-color-scheme:dark){:root{"
          "--flip:invert(1) hue-rotate(180deg);",
          out);
    cup_css_variables(out, true);
    fprintf(out, "}}\n%s%s</style>\n<style id=\"drawing\">\n", page_css, flame_css);
    cup_css_rules(out);
    fprintf(out, "%s</style>\n", drawing_css);
}

/* Writes the page up to the line below the title. `first` is the id of the first part. */
static void begin_page(const struct page *page, const char *name, const char *below,
                       const char *first)
{
    FILE *out = page->out;
    const char *title = page->title && *page->title ? page->title : name;
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          out);
    cup_html_string(out, title);
    fputs(" - cupping</title>\n", out);
    write_style(out);
    fprintf(out,
            "</head>\n<body>\n<a class=\"skip\" href=\"#%s\">To the %s</a>\n"
            "<header>\n<h1>",
            first, first);
    cup_html_string(out, title);
    fputs("</h1>\n", out);
    cup_html_paragraph(out, CUP_DIM, below);
}

/* Without stacks, the script for them has nothing to do. */
static void end_page(const struct page *page)
{
    FILE *out = page->out;
    fputs(
        "</main>\n<footer><p>Made by cupping " CUP_VERSION ". kB, MB and GB are powers of 1000; "
        "times of day are UTC. <code>cupping report --only sources</code> shows the source of each "
        "figure, "
        "<code>cupping report --json FILE</code> writes all of them.</p></footer>\n<script>\n",
        out);
    fprintf(out, "%s</script>\n", page_js);
    if (*page->texts[FUNCTIONS])
        fprintf(out, "<script>\n%s</script>\n", flame_js);
    fputs("</body>\n</html>\n", out);
}

/* A section begins with its heading. */
static void begin_section(FILE *out, const char *id, const char *heading)
{
    fprintf(out, "<section id=\"%s\" aria-labelledby=\"%s-heading\">\n", id, id);
    fprintf(out, "<h2 id=\"%s-heading\">%s</h2>\n", id, heading);
}

static void write_section(const struct page *page, const char *id, const char *heading,
                          const char *begin, enum part part, const char *end)
{
    begin_section(page->out, id, heading);
    fprintf(page->out, "%s%s%s</section>\n", begin, page->texts[part], end);
}

/* Writes the section with stacks; nothing if there are none. */
static void write_functions(const struct page *page)
{
    if (*page->texts[FUNCTIONS])
        write_section(page, "functions", "Functions", "", FUNCTIONS, "");
}

static void write_left_out(const struct page *page)
{
    if (*page->texts[LEFT_OUT])
        write_section(page, "left-out", "Plots left out", "<ul>\n", LEFT_OUT, "</ul>\n");
}

/* ---- the table of contents ---------------------------------------------------------------- */

static void write_contents_link(const struct page *page, const char *id, const char *text)
{
    fprintf(page->out, "<li><a href=\"#%s\">%s</a></li>", id, text);
}

static void write_links(const struct page *page, const char *name, enum part links)
{
    if (*page->texts[links])
        fprintf(page->out, "<details><summary>%s</summary>\n<ul>\n%s</ul></details>\n", name,
                page->texts[links]);
}

/* Wide windows show it at the side. In a narrow one the script folds it. */
static void write_contents(const struct page *page)
{
    bool one = page->plots.totals != NULL;
    fputs("</header>\n<nav aria-label=\"Contents\"><details class=\"contents\" open>"
          "<summary>Contents</summary>\n<ul>\n",
          page->out);
    if (one) {
        fputs(page->texts[SUMMARY_LINKS], page->out);
        write_contents_link(page, "advice", "Findings");
        write_contents_link(page, "front", "The run over time");
    } else {
        write_contents_link(page, "summary", "What is compared");
        write_contents_link(page, "plots", "Plots");
    }
    if (*page->texts[FUNCTIONS])
        write_contents_link(page, "functions", "Functions");
    write_contents_link(page, "tables", "Tables");
    if (one)
        write_contents_link(page, "plots", "More plots");
    fputs("</ul>\n", page->out);
    write_links(page, "All tables", TABLE_LINKS);
    write_links(page, "All plots", PLOT_LINKS);
    fputs("</details></nav>\n<main>\n", page->out);
}

/* ---- plots -------------------------------------------------------------------------------- */

/* The plots of the part on the run over time, unless they follow a finding. */
static const char *const front[] = {"worker-count", "time-budget", "task-stream", "runtime-events",
                                    "event-rate"};

static bool is_front(const struct cup_plot *plot)
{
    for (size_t i = 0; i < sizeof front / sizeof *front; i++)
        if (strcmp(front[i], plot->name) == 0)
            return true;
    return false;
}

static void write_figure(const struct page *page, struct figure *figure)
{
    fputs(figure->text, page->out);
    figure->written = true;
}

/* Writes the plots that are, or are not, of the front and not yet on the page. */
static void write_plots(const struct page *page, const char *id, const char *heading, bool at_front)
{
    bool any = false, elsewhere = false;
    begin_section(page->out, id, heading);
    for (size_t i = 0; i < page->plots.table->count; i++) {
        struct figure *figure = &page->figures[i];
        if (is_front(&page->plots.table->rows[i]) != at_front || !figure->text)
            continue;
        elsewhere |= figure->written;
        if (figure->written)
            continue;
        if (!any)
            fputs("<div class=\"plots\">\n", page->out);
        any = true;
        write_figure(page, figure);
    }
    fputs(any ? "</div>\n</section>\n"
          : elsewhere
              ? "<p>The plots are with the findings above.</p>\n</section>\n"
              : "<p>None of these plots could be drawn: <a href=\"#left-out\">why</a>.</p>\n"
                "</section>\n",
          page->out);
}

/* ---- findings ----------------------------------------------------------------------------- */

static bool has_link_to(const char *links, const char *target)
{
    char link[128];
    snprintf(link, sizeof link, "href=\"#%s\"", target);
    return strstr(links, link) != NULL;
}

static void write_link(FILE *out, const char *target, const char *text)
{
    fprintf(out, " <a href=\"#%s\">", target);
    cup_html_string(out, text);
    fputs("</a>", out);
}

/* Links to the plot and the table that are the evidence, if the page has them. */
static void write_evidence(const struct page *page, const struct cup_rule *rule,
                           const struct cup_plot *plot)
{
    char target[CUP_HTML_TARGET];
    fputs("<p class=\"evidence\">Evidence:", page->out);
    if (plot) {
        snprintf(target, sizeof target, "plot-%s", plot->name);
        write_link(page->out, target, plot->title);
    }
    if (rule->table && has_link_to(page->texts[TABLE_LINKS], cup_html_target(target, rule->table)))
        write_link(page->out, target, rule->table);
    fprintf(page->out, " <small>rule <code>%s</code></small></p>\n", rule->name);
}

/* The plot that proves a finding follows it, unless it follows an earlier one. */
static void write_finding(const struct page *page, const struct cup_advice *advice)
{
    const struct cup_plot_table *table = page->plots.table;
    const struct cup_plot *plot =
        advice->rule->plot ? cup_plot_find(table, advice->rule->plot) : NULL;
    struct figure *figure = plot ? &page->figures[plot - table->rows] : NULL;
    if (figure && !figure->text) {
        plot = NULL;
        figure = NULL;
    }
    fputs("<li><div>", page->out);
    cup_html_prose(page->out, advice->text);
    write_evidence(page, advice->rule, plot);
    fputs("</div>\n", page->out);
    if (figure && !figure->written)
        write_figure(page, figure);
    fputs("</li>\n", page->out);
}

static void write_findings(const struct page *page)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(page->plots.totals, advice);
    begin_section(page->out, "advice", "Findings");
    if (count == 0)
        cup_html_paragraph(page->out, CUP_WARN,
                           "No tasks were recorded: the processes of these logs ran none, or the "
                           "library could not recognise them. See the table on health.");
    else
        fputs("<ol class=\"advice\">\n", page->out);
    for (size_t i = 0; i < count; i++)
        write_finding(page, &advice[i]);
    fprintf(page->out, "%s</section>\n", count ? "</ol>\n" : "");
}

/* ---- one run ------------------------------------------------------------------------------ */

/* Draws all plots. Returns 0, or -1 and *error. */
static int make_plots(struct page *page)
{
    const struct cup_plot_table *table = page->plots.table;
    page->plots.contents = page->files[PLOT_LINKS];
    page->plots.left_out = page->files[LEFT_OUT];
    page->figures = calloc(table->count, sizeof *page->figures);
    if (!page->figures)
        return cup_error_memory(page->plots.error, "page");
    for (size_t i = 0; i < table->count; i++)
        if (cup_page_plot(&page->plots, &table->rows[i], &page->figures[i].text) != 0)
            return -1;
    return 0;
}

static int make_parts(struct page *page)
{
    const struct cup_totals *totals = page->plots.totals;
    if (cup_report_html(totals, page->files[SUMMARY], page->files[SUMMARY_LINKS], true) != 0 ||
        cup_report_html(totals, page->files[TABLES], page->files[TABLE_LINKS], false) != 0 ||
        (cup_page_has_flame(totals) && cup_page_flame(page->files[FUNCTIONS], totals) != 0))
        return cup_error_memory(page->plots.error, "page");
    return make_plots(page);
}

/* Says that tables are cut, and where all rows are. */
static void write_tables(const struct page *page)
{
    begin_section(page->out, "tables", "Tables");
    fprintf(page->out,
            "<p class=\"dim\">Tables have up to %d rows: <code>cupping tasks --csv FILE</code> "
            "writes all tasks, <code>cupping report --json FILE</code> everything else.</p>\n"
            "%s</section>\n",
            CUP_PAGE_ROWS, page->texts[TABLES]);
}

static void write_run(const struct page *page)
{
    char name[128], which[CUP_DESCRIPTION];
    cup_plot_run_name(name, sizeof name, page->plots.totals->profile);
    begin_page(page, name, cup_report_describe(page->plots.totals, which), "summary");
    write_contents(page);
    write_section(page, "summary", "Summary", "", SUMMARY, "");
    write_findings(page);
    write_plots(page, "front", "The run over time", true);
    write_functions(page);
    write_tables(page);
    write_plots(page, "plots", "More plots", false);
}

/* ---- several runs ------------------------------------------------------------------------- */

static int make_parts_of_runs(struct page *page)
{
    static const struct cup_target none;
    const struct cup_plot_runs *runs = page->plots.runs;
    cup_compare_html_runs(runs->comparison, page->files[SUMMARY], page->files[SUMMARY_LINKS]);
    cup_compare_html(runs->comparison, runs->target ? runs->target : &none, page->files[TABLES],
                     page->files[TABLE_LINKS]);
    if (cup_page_has_flame_of_runs(runs) &&
        cup_page_flame_of_runs(page->files[FUNCTIONS], runs) != 0)
        return cup_error_memory(page->plots.error, "page");
    return make_plots(page);
}

static void write_runs(const struct page *page)
{
    const struct cup_comparison *comparison = page->plots.runs->comparison;
    char verdict[CUP_VERDICT_TEXT];
    begin_page(page, "Runs compared", page->plots.runs->heading, "summary");
    for (size_t i = 0; i < comparison->input_count; i++)
        if (i != comparison->baseline)
            cup_html_paragraph(page->out, CUP_BOLD, cup_compare_verdict(verdict, comparison, i));
    write_contents(page);
    write_section(page, "summary", "What is compared", "", SUMMARY, "");
    write_plots(page, "plots", "Plots", false);
    write_functions(page);
    write_section(page, "tables", "Tables", "", TABLES, "");
}

/* ---- the whole page ----------------------------------------------------------------------- */

static int open_parts(struct page *page)
{
    for (int i = 0; i < PARTS; i++) {
        page->files[i] = open_memstream(&page->texts[i], &page->bytes[i]);
        if (!page->files[i])
            return -1;
    }
    return 0;
}

static int close_parts(struct page *page)
{
    int result = 0;
    for (int i = 0; i < PARTS; i++)
        if (page->files[i] && (ferror(page->files[i]) | fclose(page->files[i])) != 0)
            result = -1;
    return result;
}

static int write_page(struct page *page)
{
    int result = open_parts(page) != 0 ? cup_error_memory(page->plots.error, "page")
                 : page->plots.totals  ? make_parts(page)
                                       : make_parts_of_runs(page);
    if (close_parts(page) != 0 && result == 0)
        result = cup_error_memory(page->plots.error, "page");
    if (result == 0) {
        if (page->plots.totals)
            write_run(page);
        else
            write_runs(page);
        write_left_out(page);
        end_page(page);
    }
    for (int i = 0; i < PARTS; i++)
        free(page->texts[i]);
    for (size_t i = 0; page->figures && i < page->plots.table->count; i++)
        free(page->figures[i].text);
    free(page->figures);
    return result;
}

int cup_page_write(const struct cup_totals *totals, const struct cup_plot_table *table,
                   const char *title, const struct cup_output *output, struct cup_error *error)
{
    struct page page = {.plots = {.totals = totals, .table = table, .error = error},
                        .title = title,
                        .out = output->file};
    return write_page(&page);
}

int cup_page_runs_write(const struct cup_plot_runs *runs, const struct cup_plot_table *table,
                        const char *title, const struct cup_output *output, struct cup_error *error)
{
    struct page page = {.plots = {.runs = runs, .table = table, .error = error},
                        .title = title,
                        .out = output->file};
    return write_page(&page);
}
