#include "plot/page_write.h"

#include <stdlib.h>

#include "analysis/report/report.h"
#include "analysis/write/html.h"
#include "plot/page_advice.h"
#include "plot/page_paints.h"
#include "plot/page_parts.h"
#include "plot/page_plots.h"

/* Parts that are made before what links to them is written. */
enum part { SUMMARY, FRONT, TABLES, OTHERS, LINKS, LEFT_OUT, PARTS };

struct page {
    const struct cup_totals *totals;
    FILE *out; /* the output's */
    FILE *files[PARTS];
    char *texts[PARTS]; /* of the files, once they are closed */
    size_t bytes[PARTS];
    struct cup_error *error;
};

/* ---- the frame ---------------------------------------------------------------------------- */

/* Nothing is to be fetched, whatever a name from a log may look like. */
static void write_style(FILE *out)
{
    fputs("<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
          "style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:\">\n"
          "<style>\n:root{--flip:none;",
          out);
    cup_page_paints(out, false);
    fputs("}\n@media screen and (prefers-color-scheme:dark){:root{"
          "--flip:invert(1) hue-rotate(180deg);",
          out);
    cup_page_paints(out, true);
    fprintf(out, "}}\n%s</style>\n<style id=\"drawing\">\n", cup_page_css);
    cup_page_paint_rules(out);
    fprintf(out, "%s</style>\n", cup_page_drawing_css);
}

static void put_link(FILE *out, const char *id, const char *text)
{
    fprintf(out, "<li><a href=\"#%s\">%s</a></li>", id, text);
}

static void put_contents(const struct page *page)
{
    fputs("<nav aria-label=\"Contents\"><ul>", page->out);
    put_link(page->out, "summary", "Summary");
    put_link(page->out, "front", "The run over time");
    put_link(page->out, "advice", "What to look at");
    put_link(page->out, "tables", "Tables");
    put_link(page->out, "plots", "More plots");
    fprintf(page->out,
            "</ul>\n<details><summary>All tables and plots</summary>\n%s</details></nav>\n",
            page->texts[LINKS]);
}

static void begin(const struct page *page)
{
    FILE *out = page->out;
    char name[128], which[CUP_DESCRIPTION];
    cup_plot_run_name(name, sizeof name, page->totals->profile);
    fputs("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
          "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
          "<meta name=\"color-scheme\" content=\"light dark\">\n<title>",
          out);
    cup_html_string(out, name);
    fputs(" - cupping</title>\n", out);
    write_style(out);
    fputs("</head>\n<body>\n<a class=\"skip\" href=\"#summary\">To the summary</a>\n"
          "<header>\n<h1>",
          out);
    cup_html_string(out, name);
    fputs("</h1>\n", out);
    cup_html_paragraph(out, CUP_DIM, cup_report_describe(page->totals, which));
    put_contents(page);
    fputs("</header>\n<main>\n", out);
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
    fprintf(page->out, "%s</script>\n</body>\n</html>\n", cup_page_js);
}

/* ---- the parts ---------------------------------------------------------------------------- */

static int open_parts(struct page *page)
{
    for (int i = 0; i < PARTS; i++) {
        page->files[i] = open_memstream(&page->texts[i], &page->bytes[i]);
        if (!page->files[i])
            return -1;
    }
    return 0;
}

/* Returns 0, or -1 if anything did not get into them. */
static int close_parts(struct page *page)
{
    int result = 0;
    for (int i = 0; i < PARTS; i++)
        if (page->files[i] && (ferror(page->files[i]) | fclose(page->files[i])) != 0)
            result = -1;
    return result;
}

static int make_plots(const struct page *page, FILE *out,
                      int (*make)(const struct cup_page_plots *plots))
{
    const struct cup_page_plots plots = {page->totals, out, page->files[LINKS],
                                         page->files[LEFT_OUT], page->error};
    return make(&plots);
}

static int make_parts(const struct page *page)
{
    FILE *const *files = page->files;
    fputs("<ul class=\"all\" aria-label=\"Tables\">\n", files[LINKS]);
    if (cup_report_html(page->totals, files[SUMMARY], NULL, true) != 0 ||
        cup_report_html(page->totals, files[TABLES], files[LINKS], false) != 0)
        return cup_error_memory(page->error, "page");
    fputs("</ul>\n<ul class=\"all\" aria-label=\"Plots\">\n", files[LINKS]);
    if (make_plots(page, files[FRONT], cup_page_plots_front) != 0 ||
        make_plots(page, files[OTHERS], cup_page_plots_others) != 0)
        return -1;
    fputs("</ul>\n", files[LINKS]);
    return 0;
}

static void put_advice(const struct page *page)
{
    begin_part(page, "advice", "What to look at");
    cup_page_advice(page->out, page->totals, page->texts[LINKS]);
    end_part(page);
}

static void put_part(const struct page *page, const char *id, const char *heading, enum part part,
                     const char *class)
{
    begin_part(page, id, heading);
    if (class)
        fprintf(page->out, "<div class=\"%s\">\n", class);
    fputs(page->texts[part], page->out);
    if (class)
        fputs("</div>\n", page->out);
    end_part(page);
}

static void put_left_out(const struct page *page)
{
    if (!*page->texts[LEFT_OUT])
        return;
    begin_part(page, "left-out", "Plots left out");
    fprintf(page->out, "<ul>\n%s</ul>\n", page->texts[LEFT_OUT]);
    end_part(page);
}

static void put_all(const struct page *page)
{
    begin(page);
    put_part(page, "summary", "Summary", SUMMARY, NULL);
    put_part(page, "front", "The run over time", FRONT, "plots");
    put_advice(page);
    put_part(page, "tables", "Tables", TABLES, NULL);
    put_part(page, "plots", "More plots", OTHERS, "plots");
    put_left_out(page);
    end(page);
}

int cup_page_write(const struct cup_totals *totals, const struct cup_output *output,
                   struct cup_error *error)
{
    struct page page = {.totals = totals, .out = output->file, .error = error};
    int result = open_parts(&page) == 0 ? make_parts(&page) : cup_error_memory(error, "page");
    if (close_parts(&page) != 0 && result == 0)
        result = cup_error_memory(error, "page");
    if (result == 0)
        put_all(&page);
    for (int i = 0; i < PARTS; i++)
        free(page.texts[i]);
    return result;
}
