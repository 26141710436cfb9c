#include "plot/page/page_write.h"

#include "analysis/report/page/page.h"
#include "analysis/report/report.h"
#include "analysis/write/html.h"
#include "plot/page/page_advice.h"
#include "plot/page/page_flame.h"
#include "plot/page/page_frame.h"
#include "plot/page/page_plots.h"
#include "plot/shared/plot.h"

/* The parts are made before the table of contents, which links to them. */
enum part { SUMMARY, FRONT, FUNCTIONS, TABLES, OTHERS, LINKS, LEFT_OUT, PARTS };

struct page {
    const struct cup_totals *totals;
    const struct cup_plot_table *table;
    FILE *out; /* the output's */
    struct cup_page_part parts[PARTS];
    struct cup_error *error;
};

/* ---- the frame ---------------------------------------------------------------------------- */

static void write_link(FILE *out, const char *id, const char *text)
{
    fprintf(out, "<li><a href=\"#%s\">%s</a></li>", id, text);
}

static void write_contents(const struct page *page)
{
    fputs("<nav aria-label=\"Contents\"><ul>", page->out);
    write_link(page->out, "summary", "Summary");
    write_link(page->out, "front", "The run over time");
    write_link(page->out, "advice", "What to look at");
    if (cup_page_has_flame(page->totals))
        write_link(page->out, "functions", "Functions");
    write_link(page->out, "tables", "Tables");
    write_link(page->out, "plots", "More plots");
    fprintf(page->out,
            "</ul>\n<details><summary>All tables and plots</summary>\n%s</details></nav>\n",
            page->parts[LINKS].text);
}

static void begin_page(const struct page *page)
{
    char name[128], which[CUP_DESCRIPTION];
    cup_plot_run_name(name, sizeof name, page->totals->profile);
    cup_page_frame_begin(page->out, name, cup_report_describe(page->totals, which), "summary");
    write_contents(page);
    fputs("</header>\n<main>\n", page->out);
}

/* ---- the parts ---------------------------------------------------------------------------- */

static int make_plots(const struct page *page, enum part part,
                      int (*make)(const struct cup_page_plots *plots))
{
    const struct cup_page_plots plots = {.table = page->table,
                                         .totals = page->totals,
                                         .out = page->parts[part].file,
                                         .contents = page->parts[LINKS].file,
                                         .left_out = page->parts[LEFT_OUT].file,
                                         .error = page->error};
    return make(&plots);
}

static int make_parts(const struct page *page)
{
    FILE *links = page->parts[LINKS].file;
    fputs("<ul class=\"all\" aria-label=\"Tables\">\n", links);
    if (cup_report_html(page->totals, page->parts[SUMMARY].file, NULL, true) != 0 ||
        cup_report_html(page->totals, page->parts[TABLES].file, links, false) != 0 ||
        (cup_page_has_flame(page->totals) &&
         cup_page_flame(page->parts[FUNCTIONS].file, page->totals) != 0))
        return cup_error_memory(page->error, "page");
    fputs("</ul>\n<ul class=\"all\" aria-label=\"Plots\">\n", links);
    if (make_plots(page, FRONT, cup_page_plots_front) != 0 ||
        make_plots(page, OTHERS, cup_page_plots_others) != 0)
        return -1;
    fputs("</ul>\n", links);
    return 0;
}

static void write_advice(const struct page *page)
{
    cup_page_part_begin(page->out, "advice", "What to look at");
    cup_page_advice(page->out, page->totals, page->table, page->parts[LINKS].text);
    cup_page_part_end(page->out);
}

static void write_summary(const struct page *page)
{
    cup_page_part_begin(page->out, "summary", "Summary");
    fputs(page->parts[SUMMARY].text, page->out);
    cup_page_part_end(page->out);
}

static void write_plots(const struct page *page, const char *id, const char *heading,
                        enum part part)
{
    cup_page_part_begin(page->out, id, heading);
    if (*page->parts[part].text)
        fprintf(page->out, "<div class=\"plots\">\n%s</div>\n", page->parts[part].text);
    else
        fputs("<p>None of these plots could be drawn: <a href=\"#left-out\">why</a>.</p>\n",
              page->out);
    cup_page_part_end(page->out);
}

/* Says that tables are cut, and where all rows are. */
static void write_tables(const struct page *page)
{
    cup_page_part_begin(page->out, "tables", "Tables");
    fprintf(page->out,
            "<p class=\"dim\">Tables have up to %d rows: <code>cupping tasks --csv FILE</code> "
            "writes all tasks, <code>cupping report --json FILE</code> everything else.</p>\n",
            CUP_PAGE_ROWS);
    fputs(page->parts[TABLES].text, page->out);
    cup_page_part_end(page->out);
}

static void write_left_out(const struct page *page)
{
    if (!*page->parts[LEFT_OUT].text)
        return;
    cup_page_part_begin(page->out, "left-out", "Plots left out");
    fprintf(page->out, "<ul>\n%s</ul>\n", page->parts[LEFT_OUT].text);
    cup_page_part_end(page->out);
}

static void write_page(const struct page *page)
{
    begin_page(page);
    write_summary(page);
    write_plots(page, "front", "The run over time", FRONT);
    write_advice(page);
    cup_page_functions_put(page->out, page->parts[FUNCTIONS].text);
    write_tables(page);
    write_plots(page, "plots", "More plots", OTHERS);
    write_left_out(page);
    cup_page_frame_end(page->out);
}

int cup_page_write(const struct cup_totals *totals, const struct cup_plot_table *table,
                   const struct cup_output *output, struct cup_error *error)
{
    struct page page = {.totals = totals, .table = table, .out = output->file, .error = error};
    int result = cup_page_parts_open(page.parts, PARTS) == 0 ? make_parts(&page)
                                                             : cup_error_memory(error, "page");
    if (cup_page_parts_close(page.parts, PARTS) != 0 && result == 0)
        result = cup_error_memory(error, "page");
    if (result == 0)
        write_page(&page);
    cup_page_parts_free(page.parts, PARTS);
    return result;
}
