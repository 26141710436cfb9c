/* Whether the measurement is complete: damaged logs, dropped records, features that were off. */
#include <string.h>

#include "analysis/profile/missing_tasks.h"
#include "analysis/profile/roles.h"
#include "analysis/report/page/section.h"
#include "analysis/report/page/warnings.h"
#include "analysis/report/sections/row_parts.h"

static const struct {
    const char *name, *text;
} counters[] = {
#define X(id, name, text) {name, text},
    CUP_HEALTH(X)
#undef X
};

/* ---- in the text ---------------------------------------------------------------------------- */

static void print_roles(const struct cup_page *page)
{
    uint64_t counts[CUP_ROLE_COUNT];
    char line[300] = "";
    cup_count_roles(page->profile, counts);
    for (int role = CUP_ROLE_COUNT - 1; role >= 0; role--) {
        const char *end = role == CUP_ROLE_CHILD ? "ren" : role == CUP_ROLE_OTHER ? "" : "s";
        if (counts[role])
            cup_append(line, sizeof line, "%s%llu %s%s", *line ? ", " : "",
                       (unsigned long long)counts[role], cup_role_name(role),
                       counts[role] == 1 ? "" : end);
    }
    cup_page_line(page, CUP_PLAIN, "Processes: %s", line);
}

static void print_counters(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"", CUP_FIT_LEFT, 0}, {"", CUP_FIT_RIGHT, 0}, {"name in --json", CUP_FIT_NONE, 1}};
    struct cup_table table;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < CUP_H_KERNEL_READ_START; i++) { /* print_warnings() has the others */
        bool is_time = i == CUP_H_ANCHOR_NS;
        uint64_t value = page->profile->health[i];
        cup_table_add_string(&table, counters[i].text);
        cup_table_add_value(&table, is_time ? cup_ns(value) : cup_count(value),
                            is_time ? CUP_UNIT_SECONDS : CUP_UNIT_COUNT);
        cup_table_add_string(&table, counters[i].name);
    }
    cup_table_finish(&table, &page->terminal);
}

enum { SHOWN_NOTES = 20 };

/* Prints each text once, even if several processes wrote it. */
static void print_notes(const struct cup_page *page)
{
    const struct cup_profile *profile = page->profile;
    size_t shown = 0;
    for (size_t i = 0; i < profile->note_count && shown < SHOWN_NOTES; i++) {
        size_t earlier = 0;
        while (earlier < i && profile->notes[earlier].text != profile->notes[i].text)
            earlier++;
        if (earlier < i)
            continue;
        struct cup_text text = cup_page_text(page, profile->notes[i].text);
        cup_page_line(page, CUP_WARN, "Note: %.*s", (int)(text.length < 380 ? text.length : 380),
                      text.bytes);
        shown++;
    }
}

static void print_features(const struct cup_page *page)
{
    struct cup_feature_off off[CUP_FEATURE_COUNT];
    size_t count = cup_features_off(page->profile, off);
    for (size_t i = 0; i < count; i++)
        cup_page_line(page, CUP_WARN, "%s was off in %s: %s.", off[i].name,
                      CUP_SHOW_COUNTED(off[i].processes, "process"), off[i].consequence);
}

static void print_warnings(const struct cup_page *page)
{
    struct cup_warning warnings[CUP_WARNINGS_MOST];
    size_t count = cup_warnings_make(page->totals, warnings);
    for (size_t i = 0; i < count; i++)
        cup_page_line(page, CUP_WARN, "%s", warnings[i].text);
}

static int print_health(const struct cup_page *page)
{
    cup_page_heading(page, "Health", "of the profile itself");
    print_roles(page);
    print_features(page);
    print_warnings(page);
    print_notes(page);
    if (!page->alone)
        return 0;
    cup_page_metrics(page, &cup_health_metrics);
    print_counters(page);
    return 0;
}

/* ---- in the JSON ------------------------------------------------------------------------------
 */

static void put_roles(struct report *report)
{
    uint64_t counts[CUP_ROLE_COUNT];
    cup_count_roles(report->profile, counts);
    cup_json_row(&report->json, "processes_by_role");
    for (int role = 0; role < CUP_ROLE_COUNT; role++)
        put(report, cup_role_name(role), cup_count(counts[role]));
    cup_json_end_object(&report->json);
}

static void put_features(struct report *report)
{
    struct cup_feature_off off[CUP_FEATURE_COUNT];
    size_t count = cup_features_off(report->profile, off);
    cup_json_array(&report->json, "features_off");
    for (size_t i = 0; i < count; i++) {
        cup_json_row(&report->json, NULL);
        put(report, "feature", cup_string(off[i].name));
        put(report, "processes", cup_count(off[i].processes));
        put(report, "consequence", cup_string(off[i].consequence));
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

static void put_facts(struct report *report)
{
    const struct cup_profile *profile = report->profile;
    cup_json_array(&report->json, "notes");
    for (size_t i = 0; i < profile->note_count; i++) {
        cup_json_row(&report->json, NULL);
        put(report, "pid", cup_count(profile->processes[profile->notes[i].process].header.pid));
        put(report, "text", text_of(report, profile->notes[i].text));
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
    cup_json_array(&report->json, "facts");
    for (size_t i = 0; i < profile->info_count; i++) {
        cup_json_row(&report->json, NULL);
        put(report, "pid", cup_count(profile->processes[profile->infos[i].process].header.pid));
        put(report, "name", text_of(report, profile->infos[i].name));
        put(report, "value", text_of(report, profile->infos[i].value));
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

static void put_warnings(struct report *report)
{
    struct cup_warning warnings[CUP_WARNINGS_MOST];
    size_t count = cup_warnings_make(report->totals, warnings);
    cup_json_array(&report->json, "warnings");
    for (size_t i = 0; i < count; i++)
        put(report, NULL, cup_string(warnings[i].text));
    cup_json_end_array(&report->json);
}

static void put_missing(struct report *report)
{
    struct cup_missing_tasks missing;
    cup_json_array(&report->json, "workers_missing_tasks");
    for (size_t at = 0; cup_missing_next(report->profile, &at, &missing);) {
        cup_json_row(&report->json, NULL);
        put(report, "worker", cup_string(missing.worker));
        put(report, "tasks_ended", cup_count(missing.ended));
        put(report, "tasks_recorded", cup_count(missing.recorded));
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

static void put_keys(struct report *report)
{
    for (int i = 0; i < CUP_HEALTH_COUNT; i++)
        put(report, counters[i].name, cup_count(report->profile->health[i]));
    put_roles(report);
    put_features(report);
    put_facts(report);
    put_missing(report);
    put_warnings(report);
}

static int put_damages(struct report *report)
{
    cup_json_array(&report->json, "damages");
    for (size_t i = 0; i < report->profile->damage_count; i++)
        put(report, NULL, cup_string(report->profile->damages[i].source));
    cup_json_end_array(&report->json);
    return 0;
}

const struct cup_report_section cup_health_section = {
    .name = "health",
    .metrics = &cup_health_metrics,
    .print = print_health,
    .put_keys = put_keys,
    .table = &cup_processes_table,
    .put_last = put_damages,
};
