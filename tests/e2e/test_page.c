/* The page of `cupping plot --html`, opened in a real browser: no script errors, nothing fetched,
 * names of the logs are no markup, tables sort, legends switch, and it is not blank. */
#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/e2e/child.h"

/* In place of a dataset's name, which is as long. */
static const char plain[] = "DYJetsToLL_M-50_amcatnlo", hostile[] = "<script>hack=1</script>a";
_Static_assert(sizeof plain == sizeof hostile, "the log stays as long as it is");

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
static size_t make_hostile(const char *path)
{
    size_t bytes, count = 0;
    char *all = read_all(path, &bytes);
    for (char *at = all; (at = memmem(at, bytes - (size_t)(at - all), plain, strlen(plain)));) {
        memcpy(at, hostile, strlen(hostile));
        count++;
    }
    write_all(path, all, bytes);
    free(all);
    return count;
}

/* A made-up run, in a directory of a hostile name. */
static const char *make_profile(void)
{
    const char *profile = text("%s/a <b>\"&' run", directory);
    run((struct child){.argv = {CUP_BUILD "/tests/generate_log", profile, "2000", "4"}});
    struct child list = {.argv = {"/usr/bin/find", profile, "-name", "*.cup"}};
    size_t count = 0;
    child_run(&list);
    for (char *line = strtok(list.out, "\n"); line; line = strtok(NULL, "\n"))
        count += make_hostile(line);
    child_free(&list);
    cr_assert_gt(count, 0, "the made-up run has another dataset by now");
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

static struct child browsing(const char *option, const char *size, const char *page)
{
    return (struct child){.argv = {browser(), "--headless", "--no-sandbox", "--disable-gpu",
                                   text("--user-data-dir=%s/browser", directory), size, option,
                                   text("file://%s", page)}};
}

/* The probe's findings; json_decref() them. */
static json_t *probe(const char *page, const char *size)
{
    static const char script[] =
        "import base64, re, sys\n"
        "found = re.search('<pre id=\"probe\">([^<]*)', sys.stdin.read())\n"
        "sys.stdout.write(base64.b64decode(found.group(1)).decode())\n";
    struct child child = browsing("--dump-dom", size, page);
    child_run(&child);
    cr_assert(child.status == 0, "%s", child.err);
    const char *dom = text("%s/dom", directory);
    write_all(dom, child.out, child.out_bytes);
    child_free(&child);
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
                                        "still_off",
                                        "hacked"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        cr_expect_eq(number(found, names[i]), 0, "%s: %lld", names[i], number(found, names[i]));
    char *errors = json_dumps(json_object_get(found, "errors"), 0);
    cr_expect_str_eq(errors, "[]");
    free(errors);
}

static void expect_works(json_t *found)
{
    cr_expect_geq(number(found, "plots"), 10);
    cr_expect_geq(number(found, "tables"), 10);
    cr_expect_geq(number(found, "advice"), 1);
    cr_expect_gt(number(found, "hostile_names"), 0, "the name is shown as what it is");
    cr_expect_eq(number(found, "scripts"), 3, "the page's, and two of this test");
    cr_expect(json_is_true(json_object_get(found, "sorted_down")));
    cr_expect(json_is_true(json_object_get(found, "sorted_up")));
    cr_expect_gt(number(found, "different_numbers"), 1);
    cr_expect_gt(number(found, "switched_off"), 0);
    cr_expect_str_eq(json_string_value(json_object_get(found, "pressed")), "false");
    cr_expect_str_neq(json_string_value(json_object_get(found, "tip")), "");
    cr_expect_leq(number(found, "wider_than_the_window"), 0);
}

Test(page, works_in_a_browser_at_any_width)
{
    static const char *const sizes[] = {"--window-size=1280,900", "--window-size=500,900"};
    browser();
    const char *probed = text("%s/probed.html", directory);
    add_probe(make_page(), probed);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        json_t *found = probe(probed, sizes[i]);
        expect_none(found);
        expect_works(found);
        json_decref(found);
    }
}

/* Pixels of the screenshot that have just the colour of the time budget's CPU, in thousandths. */
Test(page, is_not_blank)
{
    static const char script[] =
        "import sys, matplotlib.image, numpy\n"
        "image = (matplotlib.image.imread(sys.argv[1])[:, :, :3] * 255).round().astype(int)\n"
        "shares = [(image == colour).all(axis=2).mean()\n"
        "          for colour in ((0, 158, 115), (255, 255, 255), (26, 26, 26))]\n"
        "sys.exit(0 if shares[0] > .002 and .3 < shares[1] < .95 and shares[2] > .0005\n"
        "         else f'green, white, ink: {shares}')\n";
    browser();
    const char *picture = text("%s/page.png", directory);
    run(browsing(text("--screenshot=%s", picture), "--window-size=1280,2400", make_page()));
    run((struct child){.argv = {CUP_PYTHON, "-c", script, picture}});
}
