#include "plot/page/page_advice.h"

#include <string.h>

#include "analysis/advice/advice.h"
#include "analysis/write/html.h"

static bool has_link_to(const char *contents, const char *target)
{
    char link[128];
    snprintf(link, sizeof link, "href=\"#%s\"", target);
    return strstr(contents, link) != NULL;
}

static void write_link(FILE *out, const char *target, const char *text)
{
    fprintf(out, " <a href=\"#%s\">", target);
    cup_html_string(out, text);
    fputs("</a>", out);
}

static void write_evidence(FILE *out, const struct cup_plot_table *table,
                           const struct cup_rule *rule, const char *contents)
{
    const struct cup_plot *plot = rule->plot ? cup_plot_find(table, rule->plot) : NULL;
    char target[CUP_HTML_TARGET], plot_target[CUP_HTML_TARGET] = "";
    if (plot)
        snprintf(plot_target, sizeof plot_target, "plot-%s", plot->name);
    if (plot && has_link_to(contents, plot_target))
        write_link(out, plot_target, plot->title);
    if (rule->table && has_link_to(contents, cup_html_target(target, rule->table)))
        write_link(out, target, rule->table);
    fprintf(out, " <small>rule <code>%s</code></small>", rule->name);
}

size_t cup_page_advice(FILE *out, const struct cup_totals *totals,
                       const struct cup_plot_table *table, const char *contents)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(totals, advice);
    if (count == 0) {
        cup_html_paragraph(out, CUP_WARN,
                           "No tasks were recorded: the processes of these logs ran none, or the "
                           "library could not recognise them. See the table on health.");
        return 0;
    }
    fputs("<ol class=\"advice\">\n", out);
    for (size_t i = 0; i < count; i++) {
        fputs("<li>", out);
        cup_html_prose(out, advice[i].text);
        fputs("<p class=\"evidence\">Evidence:", out);
        write_evidence(out, table, advice[i].rule, contents);
        fputs("</p></li>\n", out);
    }
    fputs("</ol>\n", out);
    return count;
}
