/* The page of `cupping plot --html` in a real browser: no script errors, nothing loaded from
 * elsewhere, names in the logs are never markup, tables sort, legends switch, boxes of functions
 * widen, and the page is not blank. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "include/log_format.h"
#include "tests/e2e/child.h"

/* In place of names of a made-up run, which are as long: a dataset, and a part of paths. */
static const struct {
    const char *plain, *hostile;
} names[] = {{"DYJetsToLL_M-50_amcatnlo", "<script>hack=1</script>a"},
             {"NANOAODSIM", "\xff\x01\"'</a>&<"}};

static const char *browser(void)
{
    static const char *const paths[] = {"/usr/bin/chromium", "/usr/bin/chromium-browser",
                                        "/usr/bin/google-chrome"};
    for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
        if (access(paths[i], X_OK) == 0)
            return paths[i];
    cr_skip_test("no Chromium here (apt-get install chromium)");
    return NULL;
}

static char *directory;

static void set_up(void)
{
    directory = test_directory();
}

static void tear_down(void)
{
    test_directory_remove(directory);
}

TestSuite(page, .init = set_up, .fini = tear_down, .timeout = 300);

/* ---- files -------------------------------------------------------------------------------- */

static char *read_all(const char *path, size_t *bytes)
{
    struct stat status;
    FILE *file = fopen(path, "rb");
    cr_assert(file && fstat(fileno(file), &status) == 0, "%s", path);
    char *all = calloc(1, (size_t)status.st_size + 1);
    cr_assert(all);
    *bytes = fread(all, 1, (size_t)status.st_size, file);
    fclose(file);
    return all;
}

static void write_all(const char *path, const char *from, size_t bytes)
{
    FILE *file = fopen(path, "wb");
    cr_assert(file && fwrite(from, 1, bytes, file) == bytes && fclose(file) == 0, "%s", path);
}

static void run(struct child child)
{
    child_run(&child);
    cr_assert(child.status == 0, "%s: %s", child.argv[0], child.err);
    child_free(&child);
}

/* Returns how many names were replaced. */
static size_t replace(char *all, size_t bytes, const char *plain, const char *hostile)
{
    size_t count = 0;
    cr_assert_eq(strlen(plain), strlen(hostile), "the log stays as long as it is");
    for (char *at = all; (at = memmem(at, bytes - (size_t)(at - all), plain, strlen(plain)));) {
        memcpy(at, hostile, strlen(hostile));
        count++;
    }
    return count;
}

static void make_hostile(const char *path, size_t counts[2])
{
    size_t bytes;
    char *all = read_all(path, &bytes);
    for (int i = 0; i < 2; i++)
        counts[i] += replace(all, bytes, names[i].plain, names[i].hostile);
    write_all(path, all, bytes);
    free(all);
}

/* A made-up run, in a directory of a hostile name. */
static const char *make_profile(void)
{
    const char *profile = text("%s/a <b>\"&' run", directory);
    run((struct child){.argv = {CUP_BUILD "/tests/generate_log", profile, "2000", "4"}});
    struct child list = {.argv = {"/usr/bin/find", profile, "-name", "*.cup"}};
    size_t counts[2] = {0};
    child_run(&list);
    for (char *line = strtok(list.out, "\n"); line; line = strtok(NULL, "\n"))
        make_hostile(line, counts);
    child_free(&list);
    cr_assert(counts[0] && counts[1], "the made-up run has other names by now");
    return profile;
}

static void insert(FILE *out, const char **from, const char *before, const char *what)
{
    const char *at = strstr(*from, before);
    cr_assert(at, "%s", before);
    fwrite(*from, 1, (size_t)(at - *from), out);
    fprintf(out, "<script>%s</script>", what);
    *from = at;
}

/* The page with a probe in it: see page_probe.js. */
static void add_probe(const char *page, const char *probed)
{
    size_t bytes;
    char *html = read_all(page, &bytes);
    char *probe = read_all(CUP_TOP "/tests/e2e/page_probe.js", &bytes);
    const char *at = html;
    FILE *out = fopen(probed, "w");
    cr_assert(out);
    insert(out, &at, "<style>",
           "window.errors=[];addEventListener('error',e=>errors.push(e.message));"
           "addEventListener('securitypolicyviolation',e=>errors.push(e.violatedDirective));");
    insert(out, &at, "</body>", probe);
    fputs(at, out);
    cr_assert_eq(fclose(out), 0);
    free(html);
    free(probe);
}

static const char *make_page(void)
{
    const char *page = text("%s/page.html", directory);
    run((struct child){.argv = {CUP_BUILD "/cupping", "plot", make_profile(), "--html", page}});
    return page;
}

/* ---- what the browser says ---------------------------------------------------------------- */

static bool dark_screen;

static struct child browsing(const char *option, const char *size, const char *page)
{
    return (struct child){.argv = {browser(), "--headless", "--no-sandbox", "--disable-gpu",
                                   "--hide-scrollbars", "--virtual-time-budget=60000",
                                   dark_screen ? "--blink-settings=preferredColorScheme=0"
                                               : "--blink-settings=preferredColorScheme=1",
                                   text("--user-data-dir=%s/browser", directory), size, option,
                                   text("file://%s", page)}};
}

/* Writes the document as it is after the scripts to DOM, and says whether the probe got to its end.
 */
static bool browse(const char *page, const char *size, const char *dom)
{
    struct child child = browsing("--dump-dom", size, page);
    child_run(&child);
    cr_assert(child.status == 0, "%s", child.err);
    write_all(dom, child.out, child.out_bytes);
    bool ended = strstr(child.out, "<pre id=\"probe\">") != NULL;
    child_free(&child);
    return ended;
}

/* The probe's findings; json_decref() them. The browser's clock is a virtual one: on a busy machine
 * it may run out while a picture is still being encoded, so there are three tries to get to the
 * end. */
static json_t *probe(const char *page, const char *size)
{
    static const char script[] =
        "import base64, re, sys\n"
        "found = re.search('<pre id=\"probe\">([^<]*)', sys.stdin.read())\n"
        "sys.stdout.write(base64.b64decode(found.group(1)).decode())\n";
    const char *dom = text("%s/dom", directory);
    for (int tries = 0; tries < 3 && !browse(page, size, dom);)
        tries++;
    struct child decode = {
        .argv = {"/bin/sh", "-c", "\"$0\" -c \"$1\" <\"$2\"", CUP_PYTHON, script, dom}};
    child_run(&decode);
    cr_assert(decode.status == 0, "the probe did not get to its end: %s", decode.err);
    json_t *found = json_loads(decode.out, 0, NULL);
    cr_assert(found, "%s", decode.out);
    child_free(&decode);
    return found;
}

static long long number(json_t *found, const char *name)
{
    json_t *value = json_object_get(found, name);
    cr_assert(json_is_integer(value), "%s", name);
    return json_integer_value(value);
}

static void expect_empty(json_t *found, const char *name)
{
    char *list = json_dumps(json_object_get(found, name), 0);
    cr_expect_str_eq(list, "[]", "%s: %s", name, list);
    free(list);
}

static void expect_zero(json_t *found, const char *const *names, size_t count)
{
    for (size_t i = 0; i < count; i++)
        cr_expect_eq(number(found, names[i]), 0, "%s: %lld", names[i], number(found, names[i]));
    expect_empty(found, "errors");
}

static void expect_none(json_t *found)
{
    static const char *const names[] = {"same_ids",
                                        "missing_ids",
                                        "missing_references",
                                        "outside_references",
                                        "headings_without_scope",
                                        "tables_without_caption",
                                        "cut_texts",
                                        "rows_lost",
                                        "unknown_first",
                                        "names_unsorted",
                                        "nameless_rows",
                                        "still_off",
                                        "hacked",
                                        "dead_links",
                                        "nameless_buttons",
                                        "skipped_levels",
                                        "titles_left",
                                        "tip_left",
                                        "saved_rows",
                                        "clipped",
                                        "wide_plots"};
    expect_zero(found, names, sizeof names / sizeof *names);
}

static void expect_works(json_t *found)
{
    cr_expect_geq(number(found, "plots"), 10);
    cr_expect_geq(number(found, "tables"), 10);
    cr_expect_geq(number(found, "advice"), 1);
    cr_expect_gt(number(found, "hostile_names"), 0, "the name is shown as what it is");
    cr_expect_gt(number(found, "odd_names"), 0, "bytes that are no text are shown as such");
    cr_expect_eq(number(found, "scripts"), 4, "two of the page, and two of this test");
    cr_expect(json_is_true(json_object_get(found, "sorted_down")));
    cr_expect(json_is_true(json_object_get(found, "sorted_up")));
    cr_expect_gt(number(found, "different_numbers"), 1);
    cr_expect_gt(number(found, "unknown_sorted"), 0, "some values are not known");
    cr_expect_gt(number(found, "names_sorted"), 10);
    cr_expect_gt(number(found, "switched_off"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(found, "pressed")), "false");
    cr_expect_str_neq(json_string_value(json_object_get(found, "tip")), "");
    cr_expect_leq(number(found, "wider_than_the_window"), 0);
    cr_expect_leq(number(found, "tip_away"), 30, "the description is at the pointer");
    expect_empty(found, "faint_texts");
    expect_empty(found, "small_letters");
}

static void expect_text(json_t *found, const char *name, const char *part)
{
    const char *reported = json_string_value(json_object_get(found, name));
    cr_expect(reported && strstr(reported, part), "%s: %s", name, reported);
}

static void expect_reached(json_t *found)
{
    const char *tip = json_string_value(json_object_get(found, "tip"));
    const char *next = json_string_value(json_object_get(found, "next_tip"));
    cr_expect_gt(number(found, "links_to_evidence"), 0);
    cr_expect_eq(number(found, "links_to_plots"), number(found, "plots"));
    cr_expect_geq(number(found, "links_to_tables"), 10);
    cr_expect(next && *next && strcmp(tip, next) != 0, "the next place says: %s", next);
    cr_expect_str_eq(json_string_value(json_object_get(found, "spoken")), next);
    cr_expect(json_is_true(json_object_get(found, "saved_svg")));
    expect_text(found, "saved_heads", ",max,st.dev.,unit; prefix,,tasks,");
    expect_text(found, "saved_texts", "\n'+5+cmd|'/c calc'!A0,+12.5 MB/s,");
    expect_text(found, "saved_heads", ",CPU [s],share [of 1],read [B],");
    cr_expect(json_is_true(json_object_get(found, "saved_png")));
}

/* The first prefix, dataset and worker each read less than all. */
static void expect_slices(json_t *found)
{
    json_t *slices = json_object_get(found, "flame_slices");
    expect_text(found, "flame_groups", "datasets; workers");
    cr_expect_geq(json_array_size(slices), 2);
    for (size_t i = 0; i < json_array_size(slices); i++) {
        const char *said = json_string_value(json_array_get(slices, i));
        cr_expect(strstr(said, "bytes read of ") == said && strstr(said, "B."), "%s", said);
        cr_expect_eq(i > 0 && json_equal(json_array_get(slices, i), json_array_get(slices, i - 1)),
                     0, "%s", said);
    }
}

/* Of process(), whose line 12 has a quarter of the CPU time, all of it in decompress(). */
static void expect_flame(json_t *found)
{
    static const char *const none[] = {"flame_hidden",      "flame_colourless", "flame_beside",
                                       "flame_frames_left", "flame_other",      "flame_too_high",
                                       "flame_dim_left",    "flame_back_left"};
    expect_zero(found, none, sizeof none / sizeof *none);
    cr_expect_eq(number(found, "flame_width"), 25);
    cr_expect_eq(number(found, "flame_zoomed"), 100, "Enter widens");
    cr_expect_eq(number(found, "flame_unzoomed"), 25, "Escape shows all");
    expect_text(found, "flame_said", "HiggsProcessor.process (/home/me/higgs.py:12)\n");
    cr_expect_leq(number(found, "flame_tip_away"), 30, "the description is at the pointer");
    expect_text(found, "flame_below",
                "Runner._work_function (coffea/processor/executor.py:1621)\n");
    expect_text(found, "flame_widened", "Widened: process:12, ");
    expect_text(found, "flame_folded", " 3 callers: show");
    cr_expect_eq(number(found, "flame_unfolded"), number(found, "flame_rows") + 2);
    expect_text(found, "flame_widened", ", 25.0 %.");
    expect_text(found, "flame_found", "CPU time of all tasks: ");
    expect_text(found, "flame_found", " Found: 1 box, ");
    expect_text(found, "flame_found", ", 25.0 % of all.");
    cr_expect_str_eq(json_string_value(json_object_get(found, "flame_framed")), "decompress");
    cr_expect_str_eq(json_string_value(json_object_get(found, "flame_bright")), "decompress");
    cr_expect_str_eq(json_string_value(json_object_get(found, "flame_pressed")), "bytes read");
    expect_slices(found);
}

/* What to do first, and the contents: at the side, or folded at the top of a narrow window. */
static void expect_order(json_t *found, bool wide)
{
    expect_text(found, "first_parts",
                "Summary; What to do first; Heaviest lines of your own code; Findings");
    cr_expect_eq(json_is_true(json_object_get(found, "contents_open")), wide);
    cr_expect_eq(json_is_true(json_object_get(found, "contents_beside")), wide);
    cr_expect_eq(json_is_true(json_object_get(found, "contents_above")), !wide);
}

Test(page, works_in_a_browser_at_any_width)
{
    static const char *const sizes[] = {"--window-size=1400,900", "--window-size=900,900",
                                        "--window-size=500,900"};
    browser();
    const char *probed = text("%s/probed.html", directory);
    add_probe(make_page(), probed);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        json_t *found = probe(probed, sizes[i]);
        expect_none(found);
        expect_works(found);
        expect_reached(found);
        expect_flame(found);
        expect_order(found, i == 0);
        json_decref(found);
    }
}

/* A scheduler's log alone: nothing to draw, and next to nothing to tell. */
Test(page, of_a_run_without_tasks_has_no_errors)
{
    static const char *const none[] = {"same_ids", "missing_ids", "dead_links", "nameless_buttons",
                                       "skipped_levels"};
    browser();
    const char *profile = text("%s/empty", directory), *page = text("%s/page.html", directory);
    const char *probed = text("%s/probed.html", directory);
    run((struct child){
        .argv = {CUP_BUILD "/tests/generate_log", profile, "1", "1", "0", "0", "1"}});
    run((struct child){
        .argv = {"/bin/sh", "-c", "rm \"$0\"/node000-10000-*.cup && ls \"$0\"/*.cup", profile}});
    run((struct child){.argv = {CUP_BUILD "/cupping", "plot", profile, "--html", page}});
    add_probe(page, probed);
    json_t *found = probe(probed, "--window-size=1280,900");
    expect_zero(found, none, sizeof none / sizeof *none);
    cr_expect_gt(number(found, "tables"), 0);
    json_decref(found);
}

/* Of decompact_(), a quarter of the CPU time, which was decompress() before. */
static void expect_flame_of_runs(json_t *found)
{
    const char *changed = json_string_value(json_object_get(found, "flame_new_colour"));
    const char *same = json_string_value(json_object_get(found, "flame_same_colour"));
    cr_expect_eq(number(found, "flame_choices"), 2);
    cr_expect_eq(number(found, "flame_colours"), 2, "grey, and the red of a tenth and more");
    cr_expect_eq(number(found, "flame_exchanged"), 1);
    expect_text(found, "flame_new", "decompact_ (uproot/compression.py)\n");
    expect_text(found, "flame_new", " per event, 25.0 % of all; nothing in A");
    expect_text(found, "flame_same", ", within the sampling error\n");
    expect_text(found, "flame_measured", ", +0.0 % against A.");
    expect_text(found, "flame_gone", "25.0 % of A was in functions that B does not have");
    expect_text(found, "flame_gone", ": decompress (uproot/compression.py) 25.0 %.");
    cr_expect(strstr(changed, "--red") && strstr(same, "--grey"), "%s, %s", changed, same);
}

/* A copy of the run in which a function has another name. */
static const char *make_other(const char *profile)
{
    const char *other = text("%s/other", directory);
    run((struct child){.argv = {"/bin/cp", "-r", profile, other}});
    struct child list = {.argv = {"/usr/bin/find", other, "-name", "*.cup"}};
    size_t count = 0;
    child_run(&list);
    for (char *line = strtok(list.out, "\n"); line; line = strtok(NULL, "\n")) {
        size_t bytes;
        char *all = read_all(line, &bytes);
        count += replace(all, bytes, "decompress", "decompact_");
        write_all(line, all, bytes);
        free(all);
    }
    child_free(&list);
    cr_assert(count, "the made-up run has other names by now");
    return other;
}

/* That of several runs is made of the same parts. */
Test(page, of_several_runs_works_too)
{
    browser();
    const char *profile = make_profile(), *probed = text("%s/probed.html", directory);
    const char *page = text("%s/page.html", directory), *other = make_other(profile);
    run((struct child){.argv = {CUP_BUILD "/cupping", "plot", profile, other, "--html", page}});
    add_probe(page, probed);
    json_t *found = probe(probed, "--window-size=500,900");
    expect_none(found);
    cr_expect_leq(number(found, "wider_than_the_window"), 0);
    expect_text(found, "verdict", "B ");
    cr_expect_geq(number(found, "plots"), 3);
    cr_expect_geq(number(found, "tables"), 8);
    cr_expect_gt(number(found, "hostile_names"), 0);
    cr_expect_gt(number(found, "switched_off"), 0);
    cr_expect(json_is_true(json_object_get(found, "sorted_down")));
    cr_expect_gt(number(found, "names_sorted"), 0);
    cr_expect_eq(number(found, "links_to_plots"), number(found, "plots"));
    cr_expect_str_neq(json_string_value(json_object_get(found, "tip")), "");
    expect_flame_of_runs(found);
    json_decref(found);
}

/* Makes the logs those of a run with CUPPING_CPU_HZ=0. */
static void remove_samples(const char *profile)
{
    struct child list = {.argv = {"/usr/bin/find", profile, "-name", "*.cup"}};
    child_run(&list);
    for (char *line = strtok(list.out, "\n"); line; line = strtok(NULL, "\n")) {
        size_t bytes;
        char *all = read_all(line, &bytes);
        struct cup_log_header *header = (struct cup_log_header *)all;
        header->features &= ~(uint64_t)CUP_FEATURE_CPU;
        write_all(line, all, bytes);
        free(all);
    }
    child_free(&list);
}

/* Boxes are of the first weight that is known, and nothing is said about the CPU time. */
static void expect_no_cpu(const char *one, const char *other, const char *begins, const char *why)
{
    const char *page = text("%s/page.html", directory);
    const char *probed = text("%s/probed.html", directory);
    struct child plot = {.argv = {CUP_BUILD "/cupping", "plot", "--html", page, one, other}};
    run(plot);
    add_probe(page, probed);
    json_t *found = probe(probed, "--window-size=1280,900");
    expect_empty(found, "errors");
    cr_expect_str_eq(json_string_value(json_object_get(found, "flame_disabled")), "CPU time");
    expect_text(found, "flame_begins", begins);
    expect_text(found, "flame_begins", why);
    json_decref(found);
}

/* The sum of the CPU time is 80.1 s. */
Test(page, times_are_shown_as_in_the_report)
{
    browser();
    const char *profile = text("%s/short", directory), *page = text("%s/page.html", directory);
    const char *probed = text("%s/probed.html", directory);
    run((struct child){.argv = {CUP_BUILD "/tests/generate_log", profile, "200", "1"}});
    struct child report = {
        .argv = {CUP_BUILD "/cupping", "report", profile, "--only", "functions"}};
    child_run(&report);
    cr_expect(strstr(report.out, "; 80.1 s CPU;"), "%s", report.out);
    child_free(&report);
    run((struct child){.argv = {CUP_BUILD "/cupping", "plot", profile, "--html", page}});
    add_probe(page, probed);
    json_t *found = probe(probed, "--window-size=1280,900");
    expect_text(found, "flame_begins", "CPU time of all tasks: 80.1 s.");
    json_decref(found);
}

Test(page, cpu_time_that_was_not_sampled_is_not_zero)
{
    browser();
    const char *profile = make_profile(), *other = make_other(profile);
    remove_samples(other);
    expect_no_cpu(other, NULL, "waits of all tasks: ",
                  " CPU time: n/a, no process was sampled (CUPPING_CPU_HZ=0).");
    expect_no_cpu(profile, other, "waits of B", " CPU time: n/a, B: no process was sampled");
}

/* ---- what is seen ------------------------------------------------------------------------- */

/* Each plot, at its place in the picture of the whole page: has it more than its paper? */
static void expect_no_blank(json_t *found, const char *picture)
{
    static const char script[] =
        "import json, sys, matplotlib.image, numpy\n"
        "image = (matplotlib.image.imread(sys.argv[1])[:, :, :3] * 255).round().astype(int)\n"
        "for name, x, y, width, height in json.loads(sys.argv[2]):\n"
        "    part = image[int(y):int(y + height), int(x):int(x + width)].reshape(-1, 3)\n"
        "    colours, counts = numpy.unique(part, axis=0, return_counts=True)\n"
        "    drawn = 1 - counts.max() / max(1, counts.sum())\n"
        "    if len(colours) < 20 or not .01 < drawn:\n"
        "        sys.exit(f'{name}: {len(colours)} colours, {drawn:.2%} drawn')\n";
    char *figures = json_dumps(json_object_get(found, "figures"), 0);
    run((struct child){.argv = {CUP_PYTHON, "-c", script, picture, figures}});
    free(figures);
}

Test(page, no_plot_is_blank)
{
    browser();
    const char *page = make_page(), *probed = text("%s/probed.html", directory);
    const char *picture = text("%s/whole.png", directory);
    add_probe(page, probed);
    json_t *found = probe(probed, "--window-size=1280,900");
    run(browsing(text("--screenshot=%s", picture),
                 text("--window-size=1280,%lld", number(found, "height")), page));
    expect_no_blank(found, picture);
    json_decref(found);
}

/* On paper, too, nothing is missing: each plot's title is a text of the document. */
Test(page, prints_all_plots)
{
    static const char pdftotext[] = "/usr/bin/pdftotext";
    browser();
    if (access(pdftotext, X_OK) != 0)
        cr_skip_test("no pdftotext here (apt-get install poppler-utils)");
    const char *pdf = text("%s/page.pdf", directory), *page = make_page();
    run(browsing(text("--print-to-pdf=%s", pdf), "--window-size=1280,900", page));
    struct child words = {.argv = {pdftotext, "-raw", pdf, "-"}};
    child_run(&words);
    size_t bytes, titles = 0;
    char *html = read_all(page, &bytes);
    static const char before[] = "-name\">";
    for (char *at = html; (at = strstr(at, before)); titles++) {
        char *title = at + strlen(before), *end = strchr(title, '<');
        at = end;
        *end = '\0';
        cr_expect(strchr(title, '&') || strstr(words.out, title), "%s", title);
        *end = '<';
    }
    cr_expect_gt(titles, 20);
    free(html);
    child_free(&words);
}

/* Pixels that have just the colour of the time budget's CPU, of the paper, and of the ink. */
static void expect_not_blank(const char *page, const char *colours)
{
    static const char script[] =
        "import json, sys, matplotlib.image, numpy\n"
        "image = (matplotlib.image.imread(sys.argv[1])[:, :, :3] * 255).round().astype(int)\n"
        "shares = [(image == colour).all(axis=2).mean() for colour in json.loads(sys.argv[2])]\n"
        "sys.exit(0 if shares[0] > .002 and .3 < shares[1] < .95 and shares[2] > .0005\n"
        "         else f'green, paper, ink: {shares}')\n";
    const char *picture = text("%s/page.png", directory);
    run(browsing(text("--screenshot=%s", picture), "--window-size=900,3600", page));
    run((struct child){.argv = {CUP_PYTHON, "-c", script, picture, colours}});
}

static const char light[] = "[[0, 158, 115], [255, 255, 255], [26, 26, 26]]";
static const char dark[] = "[[29, 181, 138], [22, 24, 29], [236, 238, 241]]";

Test(page, is_not_blank)
{
    browser();
    expect_not_blank(make_page(), light);
}

/* Its title and what is in it are read and seen without its scripts. */
Test(page, is_not_blank_without_its_scripts)
{
    size_t bytes;
    browser();
    const char *page = make_page();
    char *html = read_all(page, &bytes);
    size_t scripts = 0;
    for (char *script; (script = strstr(html, "<script>")); scripts++) {
        char *end = strstr(script, "</script>");
        cr_assert(end);
        memset(script, ' ', (size_t)(end + strlen("</script>") - script));
    }
    cr_expect_eq(scripts, 2);
    write_all(page, html, bytes);
    free(html);
    expect_not_blank(page, light);
}

Test(page, is_dark_where_the_screen_is)
{
    browser();
    dark_screen = true;
    const char *page = make_page(), *probed = text("%s/probed.html", directory);
    expect_not_blank(page, dark);
    add_probe(page, probed);
    json_t *found = probe(probed, "--window-size=900,900");
    expect_empty(found, "faint_texts");
    json_decref(found);
}
