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

/* The parts are made before the table of contents, which links to them. The page of several runs
 * has no summary and no plots at the front. */
enum part { SUMMARY, FRONT, FUNCTIONS, TABLES, PLOTS, TABLE_LINKS, PLOT_LINKS, LEFT_OUT, PARTS };

struct page {
    struct cup_page_plots plots; /* its files are set for each part */
    FILE *out;                   /* the output's */
    FILE *files[PARTS];          /* in memory */
    char *texts[PARTS];          /* owned; what was written to the files, once they are closed */
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
static void begin_page(FILE *out, const char *title, const char *below, const char *first)
{
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

static void end_page(FILE *out)
{
    fputs("</main>\n<footer><p>Made by cupping " CUP_VERSION ". kB, MB and GB are powers of 1000; "
          "times of day are UTC. Figures of workers come from Dask, most others from the cupping "
          "library: <code>cupping report --only sources</code> shows the source of each, "
          "<code>cupping report --json FILE</code> writes all of them.</p></footer>\n<script>\n",
          out);
    fprintf(out, "%s</script>\n</body>\n</html>\n", page_js);
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

/* Writes the section with stacks and its script; nothing if there are none. */
static void write_functions(const struct page *page)
{
    if (!*page->texts[FUNCTIONS])
        return;
    write_section(page, "functions", "Functions", "", FUNCTIONS, "");
    fprintf(page->out, "<script>\n%s</script>\n", flame_js);
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
    fprintf(page->out, "<ul class=\"all\" aria-label=\"%s\">\n%s</ul>\n", name, page->texts[links]);
}

static void write_contents(const struct page *page)
{
    bool one = page->plots.totals != NULL;
    fputs("<nav aria-label=\"Contents\"><ul>", page->out);
    if (one) {
        write_contents_link(page, "summary", "Summary");
        write_contents_link(page, "front", "The run over time");
        write_contents_link(page, "advice", "What to look at");
    } else
        write_contents_link(page, "plots", "Plots");
    if (one ? cup_page_has_flame(page->plots.totals) : *page->texts[FUNCTIONS])
        write_contents_link(page, "functions", "Functions");
    write_contents_link(page, "tables", "Tables");
    if (one)
        write_contents_link(page, "plots", "More plots");
    fprintf(page->out, "</ul>\n<details><summary>All %s</summary>\n",
            one ? "tables and plots" : "plots and tables");
    if (one)
        write_links(page, "Tables", TABLE_LINKS);
    write_links(page, "Plots", PLOT_LINKS);
    if (!one)
        write_links(page, "Tables", TABLE_LINKS);
    fputs("</details></nav>\n</header>\n<main>\n", page->out);
}

/* ---- advice ------------------------------------------------------------------------------- */

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
static void write_evidence(const struct page *page, const struct cup_rule *rule)
{
    const struct cup_plot *plot = rule->plot ? cup_plot_find(page->plots.table, rule->plot) : NULL;
    char target[CUP_HTML_TARGET], plot_target[CUP_HTML_TARGET] = "";
    if (plot)
        snprintf(plot_target, sizeof plot_target, "plot-%s", plot->name);
    if (plot && has_link_to(page->texts[PLOT_LINKS], plot_target))
        write_link(page->out, plot_target, plot->title);
    if (rule->table && has_link_to(page->texts[TABLE_LINKS], cup_html_target(target, rule->table)))
        write_link(page->out, target, rule->table);
    fprintf(page->out, " <small>rule <code>%s</code></small>", rule->name);
}

static void write_advice(const struct page *page)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(page->plots.totals, advice);
    begin_section(page->out, "advice", "What to look at");
    if (count == 0)
        cup_html_paragraph(page->out, CUP_WARN,
                           "No tasks were recorded: the processes of these logs ran none, or the "
                           "library could not recognise them. See the table on health.");
    else
        fputs("<ol class=\"advice\">\n", page->out);
    for (size_t i = 0; i < count; i++) {
        fputs("<li>", page->out);
        cup_html_prose(page->out, advice[i].text);
        fputs("<p class=\"evidence\">Evidence:", page->out);
        write_evidence(page, advice[i].rule);
        fputs("</p></li>\n", page->out);
    }
    fprintf(page->out, "%s</section>\n", count ? "</ol>\n" : "");
}

/* ---- one run ------------------------------------------------------------------------------ */

static int make_plots(struct page *page, enum part part)
{
    page->plots.out = page->files[part];
    page->plots.contents = page->files[PLOT_LINKS];
    page->plots.left_out = page->files[LEFT_OUT];
    return cup_page_plots(&page->plots, part == FRONT);
}

static int make_parts(struct page *page)
{
    if (cup_report_html(page->plots.totals, page->files[SUMMARY], NULL, true) != 0 ||
        cup_report_html(page->plots.totals, page->files[TABLES], page->files[TABLE_LINKS], false) !=
            0 ||
        (cup_page_has_flame(page->plots.totals) &&
         cup_page_flame(page->files[FUNCTIONS], page->plots.totals) != 0))
        return cup_error_memory(page->plots.error, "page");
    return make_plots(page, FRONT) != 0 ? -1 : make_plots(page, PLOTS);
}

static void write_plots(const struct page *page, const char *id, const char *heading,
                        enum part part)
{
    bool any = *page->texts[part];
    write_section(
        page, id, heading,
        any ? "<div class=\"plots\">\n"
            : "<p>None of these plots could be drawn: <a href=\"#left-out\">why</a>.</p>\n",
        part, any ? "</div>\n" : "");
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
    begin_page(page->out, name, cup_report_describe(page->plots.totals, which), "summary");
    write_contents(page);
    write_section(page, "summary", "Summary", "", SUMMARY, "");
    write_plots(page, "front", "The run over time", FRONT);
    write_advice(page);
    write_functions(page);
    write_tables(page);
    write_plots(page, "plots", "More plots", PLOTS);
}

/* ---- several runs ------------------------------------------------------------------------- */

static int make_parts_of_runs(struct page *page)
{
    static const struct cup_target none;
    const struct cup_plot_runs *runs = page->plots.runs;
    cup_compare_html(runs->comparison, runs->target ? runs->target : &none, page->files[TABLES],
                     page->files[TABLE_LINKS]);
    if (cup_page_has_flame_of_runs(runs) &&
        cup_page_flame_of_runs(page->files[FUNCTIONS], runs) != 0)
        return cup_error_memory(page->plots.error, "page");
    return make_plots(page, PLOTS);
}

static void write_runs(const struct page *page)
{
    const struct cup_comparison *comparison = page->plots.runs->comparison;
    char verdict[CUP_VERDICT_TEXT];
    begin_page(page->out, "Runs compared", page->plots.runs->heading, "plots");
    for (size_t i = 0; i < comparison->input_count; i++)
        if (i != comparison->baseline)
            cup_html_paragraph(page->out, CUP_BOLD, cup_compare_verdict(verdict, comparison, i));
    write_contents(page);
    write_section(page, "plots", "Plots", "<div class=\"plots\">\n", PLOTS, "</div>\n");
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
        end_page(page->out);
    }
    for (int i = 0; i < PARTS; i++)
        free(page->texts[i]);
    return result;
}

int cup_page_write(const struct cup_totals *totals, const struct cup_plot_table *table,
                   const struct cup_output *output, struct cup_error *error)
{
    struct page page = {.plots = {.totals = totals, .table = table, .error = error},
                        .out = output->file};
    return write_page(&page);
}

int cup_page_runs_write(const struct cup_plot_runs *runs, const struct cup_plot_table *table,
                        const struct cup_output *output, struct cup_error *error)
{
    struct page page = {.plots = {.runs = runs, .table = table, .error = error},
                        .out = output->file};
    return write_page(&page);
}
