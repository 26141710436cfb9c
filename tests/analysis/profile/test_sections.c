/* Sections and values of the program's own, from logs worked out by hand. */
#include <criterion/criterion.h>

#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/dask/sections.h"
#include "analysis/profile/profile_builder.h"
#include "analysis/profile/sections.h"
#include "cli/verbs.h"
#include "tests/analysis/fixture.h"

TestSuite(sections, .init = start_fixture, .fini = end_fixture);

enum { LOAD = 1, FILL, EVENTS, DIMUON };

static void add_strings(void)
{
    static const char *const texts[] = {
        [LOAD] = "load", [FILL] = "fill", [EVENTS] = "events", [DIMUON] = "Dimuon"};
    for (uint32_t id = 1; id < sizeof texts / sizeof *texts; id++)
        builder_string(&builder, id, texts[id]);
}

static void add_task(uint32_t task, bool chunk)
{
    struct cup_r_task_begin begin = {.task = task,
                                     .tid = 100,
                                     .prefix = DIMUON,
                                     .origin = CUP_ORIGIN_DASK,
                                     .start_ns = at_second(10)};
    struct cup_r_task_end end = {
        .task = task, .status = CUP_STATUS_FINISHED, .stop_ns = at_second(20)};
    struct cup_r_item item = {
        .task = task, .kind = CUP_ITEM_WORK, .entry_start = 100, .entry_stop = 200};
    char key[32];
    snprintf(key, sizeof key, "Dimuon-%u", task);
    builder_begin(&builder, &begin, key);
    if (chunk)
        BUILDER_ADD(&builder, CUP_R_ITEM, item);
    BUILDER_ADD(&builder, CUP_R_TASK_END, end);
}

/* Wall time in seconds, of which INNER in other sections; some of everything else. */
static void add_section(uint32_t task, uint32_t name, uint32_t parent, unsigned wall,
                        unsigned inner)
{
    struct cup_r_section section = {.task = task, .name = name, .parent = parent};
    unsigned char tail[64];
    const uint64_t values[][2] = {{CUP_V_ENTRIES, 2},           {CUP_V_WALL_NS, wall},
                                  {CUP_V_INNER_NS, inner},      {CUP_V_LONGEST_NS, wall},
                                  {CUP_V_READ_BYTES, 100},      {CUP_V_RECV_BYTES, 7},
                                  {CUP_V_PEAK_LIVE_BYTES, wall}};
    size_t bytes = 0;
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        uint64_t value = values[i][1];
        tail[bytes++] = (unsigned char)values[i][0];
        for (; value > 0x7f; value >>= 7)
            tail[bytes++] = (unsigned char)((value & 0x7f) | 0x80);
        tail[bytes++] = (unsigned char)value;
    }
    memset(tail + bytes, CUP_PAIR_PADDING, 8);
    builder_record(&builder, CUP_R_SECTION, &section, sizeof section, tail, (bytes + 7) / 8 * 8);
}

static void add_value(uint32_t task, uint64_t count, double sum, double least, double most)
{
    struct cup_r_value value = {.task = task,
                                .name = EVENTS,
                                .count = count,
                                .sum = sum,
                                .least = least,
                                .most = most,
                                .last = most};
    BUILDER_ADD(&builder, CUP_R_VALUE, value);
}

static void save(const char *name)
{
    builder_finish(&builder);
    save_log(&builder, scratch, name);
    builder_free(&builder);
    builder_start(&builder);
}

static void load(void)
{
    const struct cup_load_options options = {.run = CUP_ALL_RUNS};
    load_fixture_profile(&options);
}

static struct cup_section *section_of(const char *name)
{
    for (size_t i = 0; i < profile.section_count; i++) {
        struct cup_text text = cup_profile_text(&profile, profile.sections[i].name);
        if (text.length == strlen(name) && memcmp(text.bytes, name, text.length) == 0)
            return &profile.sections[i];
    }
    cr_assert_fail("no section %s", name);
    return NULL;
}

/* Two logs number their strings and tasks alike; a task comes with two records of one section. */
static void save_two(void)
{
    add_strings();
    add_task(1, true);
    add_section(1, LOAD, 0, 30, 10);
    add_section(1, FILL, LOAD, 10, 0);
    add_section(1, LOAD, 0, 20, 0);
    add_value(1, 2, 5, 1, 4);
    save("one.cup");
    add_strings();
    add_task(1, false);
    add_section(1, LOAD, 0, 70, 0);
    add_section(0, LOAD, 0, 5, 0);
    add_value(1, 1, -3, -3, -3);
    save("two.cup");
}

Test(sections, add_up_over_tasks_and_logs)
{
    save_two();
    load();
    cr_assert_eq(profile.section_count, 3); /* load of no task is another one */
    struct cup_section *load_ = section_of("load");
    cr_expect_eq(load_->tasks, 2);
    cr_expect_eq(load_->values[CUP_V_ENTRIES], 6);
    cr_expect_eq(load_->values[CUP_V_WALL_NS], 120);
    cr_expect_eq(load_->values[CUP_V_LONGEST_NS], 70);
    cr_expect_eq(load_->values[CUP_V_PEAK_LIVE_BYTES], 70);
    cr_expect_eq(cup_section_self_ns(load_), 110);
    cr_expect_eq(section_of("fill")->tasks, 1);
    cr_assert_eq(profile.section_row_count, 4);
    cr_expect_eq(profile.section_rows[0].wall_ns, 50);
    cr_expect_eq(profile.section_rows[0].entries, 4);
    cr_expect_eq(profile.section_rows[0].read_bytes, 214);
}

/* What a task gives for long is written every few seconds. */
Test(sections, a_value_that_is_written_several_times_is_one_row)
{
    add_strings();
    add_task(1, true);
    for (unsigned i = 0; i < 3; i++) {
        add_value(1, 2, 5, 1, 4);
        add_value(0, 1, 8, 8, 8);
    }
    add_value(1, 1, -3, -3, -3);
    save("one.cup");
    load();
    cr_assert_eq(profile.named_value_count, 2);
    cr_expect_eq(profile.named_values[0].tasks, 1);
    cr_expect_eq(profile.named_values[0].count, 7);
    cr_assert_eq(profile.value_row_count, 2);
    cr_expect_eq(profile.value_rows[0].count, 7);
    cr_expect_float_eq(profile.value_rows[0].sum, 12, 1e-9);
    cr_expect_float_eq(profile.value_rows[0].last, -3, 1e-9);
    cr_expect_float_eq(profile.value_rows[1].sum, 24, 1e-9);
}

Test(sections, have_statistics_of_tasks)
{
    struct cup_sections sections;
    save_two();
    load();
    cr_assert_eq(cup_sections_make(&sections, &profile), 0);
    cr_expect_eq(sections.count, 3);
    cr_expect_eq(sections.shown[0].section, section_of("load"));
    cr_expect_eq(sections.shown[0].chunks, 1);
    cr_expect_eq(sections.shown[0].walls.count, 2);
    cr_expect_float_eq(sections.shown[0].walls.median, 60e-9, 1e-12);
    cr_expect_eq(sections.shown[2].walls.count, 0); /* of no task */
    cup_sections_free(&sections);
}

Test(sections, values_add_up)
{
    save_two();
    load();
    cr_assert_eq(profile.named_value_count, 1);
    const struct cup_named_value *value = &profile.named_values[0];
    cr_expect_eq(value->count, 3);
    cr_expect_eq(value->tasks, 2);
    cr_expect_eq(value->sum, 2);
    cr_expect_eq(value->least, -3);
    cr_expect_eq(value->most, 4);
    cr_expect_eq(profile.value_row_count, 2);
}

Test(sections, of_a_task_that_is_lost_are_counted_as_such)
{
    add_strings();
    add_task(1, true);
    add_section(99, LOAD, 0, 30, 10);
    add_value(98, 2, 5, 1, 4);
    save("one.cup");
    load();
    cr_expect_eq(profile.section_count, 0);
    cr_expect_eq(profile.named_value_count, 0);
    cr_expect_eq(profile.orphan_records, 2);
}

Test(sections, stand_in_the_report)
{
    save_two();
    json_t *report = report_json(scratch, outside);
    json_t *rows = json_object_get(json_object_get(report, "sections"), "by_task");
    json_t *row = json_array_get(rows, 1);
    cr_assert_eq(json_array_size(rows), 4);
    cr_expect_str_eq(json_string_value(json_object_get(row, "key")), "Dimuon-1");
    cr_expect_str_eq(json_string_value(json_object_get(row, "section")), "fill");
    cr_expect_str_eq(json_string_value(json_object_get(row, "parent")), "load");
    cr_expect_eq(json_integer_value(json_object_get(row, "entry_stop")), 200);
    json_decref(report);
}

/* Chunks and other tasks; what was in no task has no row. */
Test(sections, are_told_task_by_task)
{
    static const char *const parts[] = {
        "events  key         time      load      fill  events",
        "   100  Dimuon-1  10.0 s  0.050 us  0.010 us       5",
        "   n/a  Dimuon-1  10.0 s  0.070 us                -3",
    };
    const char *const arguments[] = {"report", scratch, "--only", "sections", NULL};
    save_two();
    cr_assert_eq(run_verb(outside, cup_verb_report, arguments), CUP_EXIT_DONE);
    char *text = read_text_in(outside, "out");
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        cr_expect(strstr(text, parts[i]), "%s: %s", parts[i], text);
    free(text);
}

/* A task may have several records of one section, or of one named value. */
Test(sections, rows_that_are_left_out_are_counted_once)
{
    struct cup_builder rows;
    struct cup_profile full;
    const uint64_t values[CUP_SECTION_VALUE_COUNT] = {[CUP_V_ENTRIES] = 1};
    const struct cup_r_value value = {.count = 1};
    cup_builder_start(&rows, &full);
    full.section_row_count = full.value_row_count = CUP_SECTION_ROWS_MOST;
    for (uint32_t i = 0; i < 6; i++) {
        cup_builder_section(&rows, 1, 0, 0, 1 + i % 2, values);
        cup_builder_named_value(&rows, 1, 0, 1 + i % 2, &value);
    }
    cr_expect_eq(full.sections[0].tasks, 2);
    cr_expect_eq(full.sections[0].values[CUP_V_ENTRIES], 6);
    cr_expect_eq(full.named_values[0].tasks, 2);
    cr_expect_eq(full.section_rows_left_out, 4);
    full.section_row_count = full.value_row_count = 0;
    cup_builder_finish(&rows);
    cup_profile_free(&full);
}
