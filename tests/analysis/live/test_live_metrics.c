/* Figures of a job that runs, for Prometheus. */
#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/export/export.h"
#include "analysis/live/live_metrics.h"
#include "tests/analysis/fixture.h"

TestSuite(live_metrics, .init = start_golden_fixture, .fini = end_fixture);

/* What the live view writes, allocated. */
static char *write_live(void)
{
    struct cup_live live;
    struct cup_error error;
    char *text = NULL;
    size_t bytes;
    FILE *out = open_memstream(&text, &bytes);
    cr_assert_eq(cup_live_open(&live, scratch, &error), 0, "%s", error.text);
    cr_assert_eq(cup_live_look(&live, at_second(60), &error), 0, "%s", error.text);
    cr_assert_eq(cup_live_metrics(&live, out), 0);
    fclose(out);
    cup_live_free(&live);
    return text;
}

/* Each family begins with its HELP and TYPE, and its series stand together. */
static void expect_format(const char *text)
{
    char family[128] = "", name[128];
    for (const char *at = text; *at; at = strchr(at, '\n') + 1) {
        if (sscanf(at, "# HELP %127s", name) == 1) {
            cr_expect_str_neq(name, family);
            snprintf(family, sizeof family, "%s", name);
            at = strchr(at, '\n') + 1;
            cr_expect(sscanf(at, "# TYPE %127s", name) == 1 && strcmp(name, family) == 0, "%.80s",
                      at);
            continue;
        }
        cr_expect(strncmp(at, family, strlen(family)) == 0 && at[strlen(family)] == '{', "%.80s",
                  at);
    }
}

/* Lines of both have the same value and the same HELP and TYPE. */
Test(live_metrics, have_the_values_of_the_export)
{
    static const char *const families[] = {"chunks_total", "failed_chunk_attempts_total",
                                           "events_total", "read_bytes_total"};
    save_fixture("a.cup");
    load_fixture(&(struct cup_load_options){.counters = true});
    char *live = write_live(), *exported = NULL;
    size_t bytes;
    struct cup_output output = {.file = open_memstream(&exported, &bytes)};
    cr_assert_eq(cup_export_prometheus(&totals, &output), 0);
    fclose(output.file);
    expect_format(live);
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        char help[100];
        snprintf(help, sizeof help, "# HELP cupping_%s ", families[i]);
        const char *one = strstr(live, help), *other = strstr(exported, help);
        cr_assert(one && other, "%s", help);
        size_t length = (size_t)(strstr(one + 1, "\n# HELP") - one);
        cr_expect_eq(strncmp(one, other, length), 0, "%.*s, but %.*s", (int)length, one,
                     (int)length, other);
    }
    free(live);
    free(exported);
}

Test(live_metrics, what_is_not_known_has_no_series)
{
    save_fixture("a.cup");
    char *live = write_live();
    cr_expect_null(strstr(live, "planned_events"), "%s", live);
    cr_expect_null(strstr(live, "remaining_seconds"), "%s", live);
    cr_expect_null(strstr(live, "NaN"), "%s", live);
    cr_expect(strstr(live, "cupping_live_tasks{run="), "%s", live);
    free(live);
}
