/* The HTML page of one run and of several: its parts, its escaping, and its size. */
#include <criterion/criterion.h>

#include <glob.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/advice/advice.h"
#include "analysis/report/page/page.h"
#include "analysis/write/html.h"
#include "cli/verbs.h"
#include "plot/figure/svg.h"
#include "plot/page/page.h"
#include "plot/page/page_parts.h"
#include "tests/analysis/support.h"
#include "tests/plot/page_support.h"
#include "tests/plot/support.h"

static char scratch[SUPPORT_PATH], outside[SUPPORT_PATH], path[2 * SUPPORT_PATH];

static void set_up(void)
{
    make_golden(scratch, outside);
    snprintf(path, sizeof path, "%s/page.html", outside);
}

static void tear_down(void)
{
    remove_scratch(scratch);
    remove_scratch(outside);
}

TestSuite(page, .init = set_up, .fini = tear_down);

#define RUN(...) run_verb(outside, cup_verb_plot, (const char *const[]){"plot", __VA_ARGS__, NULL})

Test(page, holds_all_in_the_order_of_their_weight)
{
    static const char *const order[] = {
        "<!DOCTYPE html>",
        "<nav",
        "id=\"summary\"",
        "<p class=\"",
        "<h3>What to do first ",
        "<h3>Heaviest lines of your own code ",
        "<p>n/a: ", /* this run has no stacks */
        "<dl class=\"facts\">",
        "id=\"advice\"",
        "id=\"plot-worker-count\"", /* proves a finding */
        "id=\"front\"",
        "id=\"plot-time-budget\"",
        "id=\"plot-runtime-events\"",
        "id=\"plot-event-rate\"",
        "id=\"tables\"",
        "<h3>Tasks by prefix ",
        "<h3>Chunks one by one ",
        "<h3>Files ",
        "id=\"plots\"",
        "Plots left out",
        "</html>",
    };
    cr_assert_eq(RUN(scratch, "--html", path), CUP_EXIT_DONE);
    char *page = read_text(path);
    expect_order(page, order, sizeof order / sizeof *order);
    expect_closed(page);
    cr_expect_eq(count_in(page, "<script"), 1);
    cr_expect_null(strstr(page, "rgb(0%,44.7"), "colours of the theme are variables");
    free(page);
}

/* Each plot is on the page once: those that prove a finding follow it. */
Test(page, plots_follow_what_they_prove)
{
    size_t found = 0;
    cr_assert_eq(RUN(scratch, "--html", path), CUP_EXIT_DONE);
    char *page = read_text(path), *at = strstr(page, "<ol class=\"advice\">");
    char *end = at ? strstr(at, "</ol>") : NULL;
    cr_assert(end);
    for (; (at = strstr(at, "<p class=\"evidence\">Evidence: <a href=\"#plot-")) && at < end;
         found++) {
        char id[100];
        at += strlen("<p class=\"evidence\">Evidence: <a href=\"#");
        snprintf(id, sizeof id, "id=\"%.*s\"", (int)strcspn(at, "\""), at);
        cr_expect_eq(count_in(page, id), 1, "%s", id);
        cr_expect(strstr(page, id) < strstr(at, "</li>"), "%s follows its finding", id);
    }
    cr_expect_gt(found, 0);
    for (size_t i = 0; i < cup_plots.count; i++) {
        char id[100];
        snprintf(id, sizeof id, "id=\"plot-%s\"", cup_plots.rows[i].name);
        cr_expect_leq(count_in(page, id), 1, "%s", id);
    }
    free(page);
}

Test(page, has_a_title_of_ones_own)
{
    cr_assert_eq(RUN(scratch, "--html", path, "--title", "Z \"<b>\" & friends"), CUP_EXIT_DONE);
    char *page = read_text(path);
    cr_expect(strstr(page, "<title>Z &quot;&lt;b&gt;&quot; &amp; friends - cupping</title>"));
    cr_expect(strstr(page, "<h1>Z &quot;&lt;b&gt;&quot; &amp; friends</h1>"));
    free(page);
    cr_assert_eq(RUN(scratch, scratch, "--html", path, "--title", "Two"), CUP_EXIT_DONE);
    page = read_text(path);
    cr_expect(strstr(page, "<h1>Two</h1>"));
    free(page);
    cr_expect_eq(RUN(scratch, "--title", "x"), CUP_EXIT_USAGE, "pictures have titles of their own");
}

Test(page, same_run_same_bytes)
{
    cr_assert_eq(RUN(scratch, "--html", path), CUP_EXIT_DONE);
    char *once = read_text(path);
    cr_assert_eq(RUN(scratch, "--html", path), CUP_EXIT_DONE);
    char *again = read_text(path);
    cr_expect(strcmp(once, again) == 0);
    free(once);
    free(again);
}

Test(page, goes_to_standard_output_too)
{
    cr_assert_eq(RUN(scratch, "--html", "-"), CUP_EXIT_DONE);
    snprintf(path, sizeof path, "%s/out", outside);
    char *page = read_text(path);
    cr_expect_eq(strncmp(page, "<!DOCTYPE html>", 15), 0);
    free(page);
}

static void expect_one_line_of_error(void)
{
    char *said = read_text_in(outside, "err");
    cr_expect_eq(count_in(said, "\n"), 1, "%s", said);
    free(said);
}

Test(page, a_failure_is_one_line)
{
    cr_expect_eq(RUN(scratch, "--html", "/no/such/directory/page.html"), CUP_EXIT_FAILED);
    expect_one_line_of_error();
}

/* No file may be larger than the limit, as on a full disk. */
Test(page, a_page_that_finds_no_room_leaves_the_old_file)
{
    static const struct rlimit limit = {4096, 4096};
    glob_t files;
    char pattern[3 * SUPPORT_PATH];
    FILE *old = fopen(path, "w");
    cr_assert(old && fputs("old", old) >= 0 && fclose(old) == 0);
    signal(SIGXFSZ, SIG_IGN);
    cr_assert_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
    cr_expect_eq(RUN(scratch, "--html", path), CUP_EXIT_FAILED);
    expect_one_line_of_error();
    char *left = read_text(path);
    cr_expect_str_eq(left, "old");
    free(left);
    snprintf(pattern, sizeof pattern, "%s*", path);
    cr_assert_eq(glob(pattern, 0, NULL, &files), 0);
    cr_expect_eq(files.gl_pathc, 1, "and no other file next to it");
    globfree(&files);
    cr_expect_eq(RUN(scratch, "--html", "-"), CUP_EXIT_FAILED);
    expect_one_line_of_error();
}

Test(page, takes_nothing_of_pictures)
{
    static const char *const wrong[][2] = {{"worker-count", NULL}, {"--dark", NULL},
                                           {"--list", NULL},       {"-o", "x"},
                                           {"--width", "3"},       {"--format", "svg"}};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
        cr_expect_eq(RUN(scratch, "--html", path, wrong[i][0], wrong[i][1]), CUP_EXIT_USAGE, "%s",
                     wrong[i][0]);
    cr_expect_neq(access(path, F_OK), 0);
}

/* ---- texts -------------------------------------------------------------------------------- */

static void expect_written(struct cup_text text, const char *expected)
{
    char *written = NULL;
    size_t bytes;
    FILE *out = open_memstream(&written, &bytes);
    cup_html_text(out, text);
    fclose(out);
    cr_expect_str_eq(written, expected);
    free(written);
}

#define EXPECT_TEXT(text, expected)                                                                \
    expect_written((struct cup_text){text, sizeof(text) - 1}, expected)

Test(page, names_are_no_markup)
{
    EXPECT_TEXT("<script>alert(\"1\")</script>",
                "&lt;script&gt;alert(&quot;1&quot;)&lt;/script&gt;");
    EXPECT_TEXT("a&amp;'b'", "a&amp;amp;&#39;b&#39;");
    EXPECT_TEXT("\xC3\xA9\xFF\x01", "\xC3\xA9\xEF\xBF\xBD\xEF\xBF\xBD");
    EXPECT_TEXT("a\0b", "a\xEF\xBF\xBD"
                        "b");
    EXPECT_TEXT("\xE2\x80\xAEtoor", "\xEF\xBF\xBDtoor");
    EXPECT_TEXT("", "");
}

Test(page, prose_knows_code)
{
    char *written = NULL;
    size_t bytes;
    FILE *out = open_memstream(&written, &bytes);
    cup_html_prose(out, "see `a<b` and `c");
    fclose(out);
    cr_expect_str_eq(written, "see <code>a&lt;b</code> and c");
    free(written);
}

/* A table of HTML that is written into memory. */
struct page_table {
    struct cup_html html;
    struct cup_terminal terminal;
    struct cup_table table;
    char *written;
    size_t bytes;
};

static void start_table(struct page_table *it, const char *label, const struct cup_column *columns,
                        unsigned count)
{
    *it = (struct page_table){.terminal = {.width = 80}};
    snprintf(it->html.label, sizeof it->html.label, "%s", label);
    it->terminal.html = &it->html;
    it->terminal.out = open_memstream(&it->written, &it->bytes);
    cup_table_start(&it->table, columns, count);
}

/* What was written, allocated. */
static char *finish_table(struct page_table *it)
{
    cup_table_finish(&it->table, &it->terminal);
    fclose(it->terminal.out);
    return it->written;
}

static char *table_of(const char *name, struct cup_value value)
{
    static const struct cup_column columns[] = {{"name", CUP_FIT_LEFT, 0},
                                                {"size", CUP_FIT_RIGHT, 1}};
    struct page_table it;
    start_table(&it, "a \"table\"", columns, 2);
    cup_table_add_string(&it.table, name);
    cup_table_add_value(&it.table, value, CUP_UNIT_BYTES);
    return finish_table(&it);
}

Test(page, cells_carry_their_numbers)
{
    char *known = table_of("<b>", cup_count(1500)), *unknown = table_of("x", cup_null());
    char *large = table_of("x", cup_count(12345678901)), *real = table_of("x", cup_real(0.1 + 0.2));
    cr_expect(strstr(large, "data-n=\"12345678901\""), "%s", large);
    cr_expect(strstr(real, "data-n=\"0.30000000000000004\""), "%s", real);
    free(large);
    free(real);
    cr_expect(
        strstr(known,
               "<th scope=\"row\">&lt;b&gt;</th><td class=\"n\" data-n=\"1500\">1.50 kB</td>"),
        "%s", known);
    cr_expect(strstr(known, "<caption>a &quot;table&quot;</caption>"), "%s", known);
    cr_expect(strstr(unknown, "<td class=\"n\">n/a</td>"), "%s", unknown);
    free(known);
    free(unknown);
}

/* For CSV: in the heading, or in the cells of a column with several units. */
Test(page, columns_of_numbers_have_units)
{
    static const struct cup_column columns[] = {
        {"size", CUP_FIT_RIGHT, 0}, {"mixed", CUP_FIT_RIGHT, 0}, {"start", CUP_FIT_RIGHT, 0}};
    struct page_table it;
    start_table(&it, "units", columns, 3);
    for (int i = 0; i < 2; i++) {
        cup_table_add_value(&it.table, i ? cup_null() : cup_count(1500), CUP_UNIT_BYTES);
        cup_table_add_value(&it.table, cup_real(0.5), i ? CUP_UNIT_SHARE : CUP_UNIT_MBS);
        cup_table_add_value(&it.table, cup_time(2000000000), CUP_UNIT_NONE);
    }
    char *written = finish_table(&it);
    cr_expect(strstr(written, " data-unit=\"B\">size</th>"), "%s", written);
    cr_expect(strstr(written, "<th scope=\"col\" class=\"n\">mixed</th>"), "%s", written);
    cr_expect(strstr(written, " data-n=\"0.5\" data-unit=\"MB/s\">"), "%s", written);
    cr_expect(strstr(written, " data-n=\"0.5\" data-unit=\"of 1\">"), "%s", written);
    cr_expect(strstr(written, " data-sort=\"2\">1970-01-01 00:00:02</td>"), "%s", written);
    free(written);
}

Test(page, decimals_carry_their_numbers)
{
    static const struct cup_column columns[] = {{"value", CUP_FIT_RIGHT, 0}};
    struct page_table it;
    start_table(&it, "values", columns, 1);
    cup_page_add_number(&it.table, -2.25);
    cup_page_add_number(&it.table, 1234567.5);
    char *written = finish_table(&it);
    cr_expect(strstr(written, " data-n=\"-2.25\">-2.25<"), "%s", written);
    cr_expect(strstr(written, " data-n=\"1234567.5\">1.23457e+06<"), "%s", written);
    free(written);
}

/* True if the cell is a number, which may have a unit, or "=", which stands for no change. */
static bool is_number(const char *cell)
{
    char *end;
    strtod(cell, &end);
    bool has_unit = *end == ' ' && end > cell;
    return *cell == '=' || (end > cell && (*end == '<' || has_unit));
}

/* A cell that begins so has no number to sort by. */
static void expect_only_unknown(const char *page)
{
    static const char cell[] = "<td class=\"n\">";
    for (const char *at = page; (at = strstr(at, cell));) {
        at += strlen(cell);
        cr_expect_not(is_number(at), "%.30s", at);
    }
}

/* The golden run with measured waits. */
static const char *save_second_run(void)
{
    static char second[2 * SUPPORT_PATH];
    struct log_builder b;
    snprintf(second, sizeof second, "%s/second", outside);
    cr_assert_eq(mkdir(second, 0700), 0);
    build_golden_log(&b);
    builder_header(&b)->features |= CUP_FEATURE_WAITS;
    save_log(&b, second, "a.cup");
    builder_free(&b);
    return second;
}

Test(page, all_numbers_of_tables_can_be_sorted)
{
    const char *second = save_second_run();
    cr_assert_eq(RUN(second, "--html", path), CUP_EXIT_DONE);
    char *page = read_text(path);
    cr_expect(strstr(page, "id=\"table-waits\""));
    expect_only_unknown(page);
    free(page);
    cr_assert_eq(RUN(scratch, scratch, "--html", path), CUP_EXIT_DONE);
    page = read_text(path);
    expect_only_unknown(page);
    cr_expect_gt(count_in(page, "data-sort=\"0\">=<"), 10);
    free(page);
    cr_assert_eq(RUN("--html", path, scratch, second, "--", second, scratch), CUP_EXIT_DONE);
    page = read_text(path);
    expect_only_unknown(page);
    free(page);
}

/* ---- evidence ----------------------------------------------------------------------------- */

/* True if a section of the report has this heading. */
static bool is_heading(const char *heading)
{
    char quoted[96];
    glob_t sources;
    bool found = false;
    snprintf(quoted, sizeof quoted, "\"%s\"", heading);
    cr_assert_eq(glob(CUP_TOP "/analysis/report/*.c", 0, NULL, &sources), 0);
    cr_assert_eq(glob(CUP_TOP "/analysis/report/sections/*.c", GLOB_APPEND, NULL, &sources), 0);
    cr_assert_eq(glob(CUP_TOP "/analysis/report/sections/*/*.c", GLOB_APPEND, NULL, &sources), 0);
    for (size_t i = 0; i < sources.gl_pathc && !found; i++) {
        char *source = read_text(sources.gl_pathv[i]);
        found = strstr(source, quoted) != NULL;
        free(source);
    }
    globfree(&sources);
    return found;
}

Test(page, every_rule_says_where_its_evidence_is)
{
    for (size_t i = 0; i < cup_rule_count; i++) {
        const struct cup_rule *rule = &cup_rules[i];
        cr_expect(rule->plot || rule->table, "%s", rule->name);
        if (rule->plot)
            cr_expect(cup_plot_find(&cup_plots, rule->plot), "%s: %s", rule->name, rule->plot);
        if (rule->table)
            cr_expect(is_heading(rule->table), "%s: %s", rule->name, rule->table);
    }
    cr_expect_not(is_heading("No such heading"));
}

Test(page, targets_are_words_of_headings)
{
    char target[CUP_HTML_TARGET];
    cr_expect_str_eq(cup_html_target(target, "Tasks by prefix"), "table-tasks-by-prefix");
    cr_expect_str_eq(cup_html_target(target, "Dask's own \"<x>\""), "table-dask-s-own-x");
    char endless[1000] = {[0 ... 998] = 'a'};
    cr_expect_lt(strlen(cup_html_target(target, endless)), CUP_HTML_TARGET);
}

/* ---- shapes ------------------------------------------------------------------------------- */

static const struct cup_colour blue = {0, 0x72 / 255.0, 0xB2 / 255.0}, odd = {0.5, 0.25, 0.1};

static char *shapes_of(void (*draw)(struct cup_svg *shapes))
{
    struct cup_svg shapes;
    char *text = NULL;
    size_t bytes;
    const struct cup_canvas canvas = {.sheet = {.name = "plot", .for_page = true},
                                      .stream = open_memstream(&text, &bytes)};
    cr_assert_not_null(canvas.stream);
    cup_svg_begin(&shapes, &canvas);
    draw(&shapes);
    cup_svg_finish(&shapes, &canvas);
    cr_assert_eq(fclose(canvas.stream), 0);
    return text;
}

static void draw_boxes(struct cup_svg *shapes)
{
    cup_svg_box(shapes, (struct cup_box){1, 2, 3.004, 4.5}, blue, 1);
    cup_svg_box(shapes, (struct cup_box){10, 2, 3, 4}, blue, 1);
    cup_svg_box(shapes, (struct cup_box){10, 2, 0, 4}, blue, 1);
    cup_svg_box(shapes, (struct cup_box){1, 2, 3, 4}, odd, 0.5);
    cup_svg_box(shapes, (struct cup_box){1, 2, 3, 4}, odd, 0.5);
}

Test(page, boxes_of_a_colour_are_one_path_unless_they_are_faint)
{
    char *text = shapes_of(draw_boxes);
    const char *faint = "<path d=\"M1 2h3v4h-3z\"/>";
    char expected[400];
    snprintf(expected, sizeof expected,
             "<path class=\"blue\" d=\"M1 2h3v4.5h-3zM10 2h3v4h-3z\"/>\n"
             "<g class=\"shade\" color=\"#80401a\" fill-opacity=\"0.5\">%s%s</g>\n",
             faint, faint);
    cr_expect_str_eq(text, expected);
    free(text);
}

static void draw_lines(struct cup_svg *shapes)
{
    const struct cup_point gap[] = {{0, 0}, {1, 1}, {NAN, 1}, {2, -0.001}};
    cup_svg_clip(shapes, (struct cup_box){0, 0, 5, 5});
    cup_svg_line(shapes, gap, 4, blue, 1.6, 0);
    cup_svg_line(shapes, gap, 2, blue, 1.6, 4);
    cup_svg_release(shapes);
    cup_svg_dot(shapes, (struct cup_point){1, 2}, 3, blue, 0.45);
    cup_svg_dot(shapes, (struct cup_point){1e300, INFINITY}, 3, blue, 0.45);
}

Test(page, lines_have_gaps_and_dots_are_in_a_group)
{
    char *text = shapes_of(draw_lines);
    cr_expect_str_eq(
        text,
        "<clipPath id=\"plot-clip1\"><rect x=\"0\" y=\"0\" width=\"5\" height=\"5\"/>"
        "</clipPath>\n<g clip-path=\"url(#plot-clip1)\">\n"
        "<path class=\"blue l\" stroke-width=\"1.6\" d=\"M0 0L1 1M2 0\"/>\n"
        "<path class=\"blue l\" stroke-width=\"1.6\" stroke-dasharray=\"4\" d=\"M0 0L1 1\"/>\n"
        "</g>\n<g class=\"blue\" fill-opacity=\"0.45\">"
        "<circle cx=\"1\" cy=\"2\" r=\"3\"/>"
        "<circle cx=\"1000000\" cy=\"1000000\" r=\"3\"/></g>\n");
    free(text);
}

static void draw_image(struct cup_svg *shapes)
{
    char bytes[] = "any";
    cup_svg_image(shapes, (struct cup_box){0, 0, 5, 5}, &(struct cup_bytes){bytes, 1});
    cup_svg_image(shapes, (struct cup_box){0, 0, 5, 5}, &(struct cup_bytes){bytes, 3});
}

Test(page, pictures_are_in_the_page)
{
    char *text = shapes_of(draw_image);
    cr_expect(strstr(text, ";base64,YQ==\"/>"), "%s", text);
    cr_expect(strstr(text, ";base64,YW55\"/>"), "%s", text);
    free(text);
}

/* ---- plots -------------------------------------------------------------------------------- */

/* Draws made-up data for a page; returns the SVG, to be freed. */
static char *page_of(const struct cup_plot *plot, enum fake_kind kind)
{
    struct cup_arena arena = {0};
    struct cup_profile profile = {.path = "run"};
    struct cup_totals totals = {.profile = &profile};
    struct cup_plot_input input = {.totals = &totals, .arena = &arena};
    const struct cup_sheet style = {.width = 8, .height = 5, .for_page = true};
    struct cup_drawing drawing;
    struct cup_error error;
    char *written = NULL;
    size_t bytes;
    const void *data = fake_data(plot->name, kind, &arena);
    FILE *out = open_memstream(&written, &bytes);
    cr_assert_eq(cup_plot_draw(plot, &input, data, &style, &drawing, &error), 0);
    cup_page_svg(out, plot, &drawing.canvas, drawing.bytes);
    cr_expect_leq(drawing.canvas.hover_count, CUP_HOVERS_MOST);
    fclose(out);
    cup_canvas_close(&drawing.canvas);
    cup_arena_clear(&arena);
    return written;
}

Test(page, plots_of_all_kinds_of_data_are_of_bounded_size)
{
    for (size_t i = 0; i < cup_plots.count; i++)
        for (int kind = 0; kind < FAKE_KINDS; kind++) {
            char *svg = page_of(&cup_plots.rows[i], (enum fake_kind)kind);
            cr_expect_lt(strlen(svg), 700000, "%s, %s: %zu", cup_plots.rows[i].name,
                         fake_kinds[kind], strlen(svg));
            cr_expect_eq(count_in(svg, "<text"), count_in(svg, "</text>"));
            cr_expect_null(strstr(svg, "nan\""), "%s, %s", cup_plots.rows[i].name,
                           fake_kinds[kind]);
            cr_expect_null(strstr(svg, "inf\""), "%s, %s", cup_plots.rows[i].name,
                           fake_kinds[kind]);
            free(svg);
        }
}

/* On the page the caption is a paragraph. The picture has it below the part that is shown. */
Test(page, captions_are_paragraphs)
{
    char *svg = page_of(cup_plot_find(&cup_plots, "worker-count"), FAKE_USUAL);
    double height = 0, whole = 0;
    cr_assert_eq(sscanf(svg, "<svg viewBox=\"0 0 %*g %lg\" data-height=\"%lg\"", &height, &whole),
                 2);
    cr_expect_gt(whole, height + 10);
    free(svg);
}

/* A bar that is a part of a whole says how large it is, not from where to where it goes. */
Test(page, bars_of_amounts_say_the_amount)
{
    static const char *const amounts[] = {"time-budget", "task-cpu", "task-overhead", "share-read",
                                          "compression-ratio"};
    for (size_t i = 0; i < sizeof amounts / sizeof *amounts; i++) {
        char *svg = page_of(cup_plot_find(&cup_plots, amounts[i]), FAKE_USUAL);
        cr_expect_gt(count_in(svg, "</title></rect>"), 0, "%s", amounts[i]);
        cr_expect_null(strstr(svg, " to "), "%s: %.60s", amounts[i], strstr(svg, " to "));
        free(svg);
    }
    char *svg = page_of(cup_plot_find(&cup_plots, "task-stream"), FAKE_USUAL);
    cr_expect(strstr(svg, " to "), "times are from when to when");
    free(svg);
}

/* Densities have a hover text for each block of cells. */
Test(page, densities_say_what_is_in_them)
{
    static const char *const said[][2] = {{"runtime-events", " chunks</title>"},
                                          {"peak-memory-events", " chunks</title>"},
                                          {"task-stream", " % of the time in tasks</title>"},
                                          {"memory-per-worker", " %</title>"}};
    for (size_t i = 0; i < sizeof said / sizeof *said; i++) {
        char *svg = page_of(cup_plot_find(&cup_plots, said[i][0]), FAKE_LARGE);
        cr_expect_gt(count_in(svg, said[i][1]), 100, "%s", said[i][0]);
        cr_expect_leq(count_in(svg, said[i][1]), CUP_HOVERS_MOST, "%s", said[i][0]);
        free(svg);
    }
}

/* ---- several runs ------------------------------------------------------------------------- */

TestSuite(page_runs, .init = set_up, .fini = tear_down);

Test(page_runs, plots_and_tables)
{
    static const char *const order[] = {
        "<!DOCTYPE html>",
        "Content-Security-Policy",
        "<h1>Runs compared",
        "No difference between B and A",
        "<h3>Runs ",
        "the baseline",
        "<h3>Settings ",
        "id=\"plot-compare\"",
        "id=\"plot-compare-budget\"",
        "id=\"plot-compare-runtime\"",
        "id=\"tables\"",
        "<h3>Workflow ",
        "<h3>Tasks by prefix ",
        "<h3>Scaling ",
        "Plots left out",
        "Throughput against cluster size: all runs whose size is known",
        "</html>",
    };
    cr_assert_eq(RUN(scratch, scratch, "--html", path), CUP_EXIT_DONE);
    char *page = read_text(path);
    expect_order(page, order, sizeof order / sizeof *order);
    expect_closed(page);
    cr_expect_eq(count_in(page, "<script"), 1);
    expect_links(page);
    free(page);
}

/* A table that is sorted by another column still says what each row is of. */
Test(page_runs, each_row_has_its_name)
{
    cr_assert_eq(RUN(scratch, scratch, "--html", path), CUP_EXIT_DONE);
    char *page = read_text(path);
    cr_expect_gt(count_in(page, "<th scope=\"row\">"), 20);
    cr_expect_eq(count_in(page, "<th scope=\"row\"></th>"), 0);
    free(page);
}

/* Words of the command line are escaped. */
Test(page_runs, names_are_no_markup)
{
    char odd[2 * SUPPORT_PATH];
    snprintf(odd, sizeof odd, "%s/<script>x&", outside);
    cr_assert_eq(rename(scratch, odd), 0);
    cr_expect_eq(RUN(odd, odd, odd, "--html", path), CUP_EXIT_DONE);
    char *page = read_text(path);
    cr_expect_eq(count_in(page, "<script"), 1);
    cr_expect_gt(count_in(page, "&lt;script&gt;x&amp;"), 2);
    free(page);
    remove_scratch(odd);
}

Test(page_runs, takes_nothing_of_pictures)
{
    cr_expect_eq(RUN(scratch, scratch, "--html", path, "compare"), CUP_EXIT_USAGE);
    cr_expect_eq(RUN(scratch, scratch, "--html", "/no/such/place/x"), CUP_EXIT_FAILED);
}
