#include "plot/page/page_frame.h"

#include "analysis/base/version.h"
#include <stdlib.h>

#include "analysis/write/html.h"
#include "plot/figure/theme.h"
#include "plot/page/page_parts.h"

/* ---- the frame ------------------------------------------------------------------- */

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
    fprintf(out, "}}\n%s%s</style>\n<style id=\"drawing\">\n", cup_page_css, cup_flame_css);
    cup_css_rules(out);
    fprintf(out, "%s</style>\n", cup_page_drawing_css);
}

void cup_page_frame_begin(FILE *out, const char *title, const char *below, const char *first)
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

void cup_page_frame_end(FILE *out)
{
    fputs("</main>\n<footer><p>Made by cupping " CUP_VERSION ". kB, MB and GB are powers of 1000; "
          "times of day are UTC. Figures of workers come from Dask, most others from the cupping "
          "library: <code>cupping report --only sources</code> shows the source of each, "
          "<code>cupping report --json FILE</code> writes all of them.</p></footer>\n<script>\n",
          out);
    fprintf(out, "%s</script>\n</body>\n</html>\n", cup_page_js);
}

/* ---- parts -------------------------------------------------------------------------------- */

void cup_page_part_begin(FILE *out, const char *id, const char *heading)
{
    fprintf(out, "<section id=\"%s\" aria-labelledby=\"%s-heading\">\n", id, id);
    fprintf(out, "<h2 id=\"%s-heading\">%s</h2>\n", id, heading);
}

void cup_page_part_end(FILE *out)
{
    fputs("</section>\n", out);
}

void cup_page_part_put(FILE *out, const char *id, const char *heading, const char *text,
                       const char *class)
{
    cup_page_part_begin(out, id, heading);
    if (class)
        fprintf(out, "<div class=\"%s\">\n", class);
    fputs(text, out);
    if (class)
        fputs("</div>\n", out);
    cup_page_part_end(out);
}

void cup_page_functions_put(FILE *out, const char *text)
{
    if (!*text)
        return;
    cup_page_part_put(out, "functions", "Functions", text, NULL);
    fprintf(out, "<script>\n%s</script>\n", cup_flame_js);
}

int cup_page_parts_open(struct cup_page_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        parts[i].file = open_memstream(&parts[i].text, &parts[i].bytes);
        if (!parts[i].file)
            return -1;
    }
    return 0;
}

int cup_page_parts_close(struct cup_page_part *parts, size_t count)
{
    int result = 0;
    for (size_t i = 0; i < count; i++)
        if (parts[i].file && (ferror(parts[i].file) | fclose(parts[i].file)) != 0)
            result = -1;
    return result;
}

void cup_page_parts_free(struct cup_page_part *parts, size_t count)
{
    for (size_t i = 0; i < count; i++)
        free(parts[i].text);
}
