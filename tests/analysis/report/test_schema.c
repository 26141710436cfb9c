/* docs/report.schema.json agrees with the tables that write the report: every key that it names is
 * a field or a metric, and every field and metric has a type in it. */
#include <criterion/criterion.h>

#include <jansson.h>
#include <regex.h>
#include <string.h>

#include "analysis/metrics/metrics.h"
#include "analysis/report/report.h"
#include "tests/analysis/support.h"

static json_t *root;

static void set_up(void)
{
    root = json_load_file(CUP_TOP "/docs/report.schema.json", 0, NULL);
    cr_assert(root);
}

static void tear_down(void)
{
    json_decref(root);
}

TestSuite(schema, .init = set_up, .fini = tear_down);

/* Of alternatives the one that is not null. */
static const json_t *resolve(const json_t *schema)
{
    size_t i;
    const json_t *alternative;
    json_array_foreach(json_object_get(schema, "anyOf"), i, alternative)
    {
        const char *type = json_string_value(json_object_get(alternative, "type"));
        if (!type || strcmp(type, "null") != 0)
            return alternative;
    }
    return schema;
}

static const json_t *section_schema(const char *name)
{
    return resolve(json_object_get(json_object_get(root, "properties"), name));
}

/* What a row of the section is; NULL where the schema does not say. */
static const json_t *row_schema(const char *name)
{
    const json_t *section = section_schema(name);
    const json_t *rows = json_object_get(json_object_get(section, "properties"), "rows");
    return json_object_get(rows ? rows : section, "items");
}

/* "_bytes", "_s": the suffix says the type. */
static bool is_figure(const char *key)
{
    const json_t *figures = json_object_get(json_object_get(root, "$defs"), "figures");
    const char *pattern;
    json_t *type;
    json_object_foreach(json_object_get(figures, "patternProperties"), pattern, type)
    {
        regex_t regex;
        cr_assert_eq(regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB), 0, "%s", pattern);
        bool matches = regexec(&regex, key, 0, NULL, 0) == 0;
        regfree(&regex);
        if (matches)
            return true;
    }
    return false;
}

static bool is_typed(const json_t *schema, const char *key)
{
    return json_object_get(json_object_get(schema, "properties"), key) || is_figure(key);
}

/* ---- rows --------------------------------------------------------------------------------- */

static bool has_field(const struct cup_report_table *table, const char *key)
{
    for (unsigned p = 0; p < table->part_count; p++) {
        const struct cup_row_part *part = &table->parts[p];
        if (part->nested && strcmp(part->nested, key) == 0)
            return true;
        for (unsigned i = 0; i < part->count; i++) {
            char room[CUP_KEY_ROOM];
            const char *field = cup_row_key(part, i, room);
            if (field && strcmp(field, key) == 0)
                return true;
        }
    }
    return false;
}

static void expect_fields(const char *name, const json_t *schema,
                          const struct cup_report_table *table)
{
    size_t i;
    const char *key;
    json_t *value;
    json_array_foreach(json_object_get(schema, "required"), i, value)
        cr_expect(has_field(table, json_string_value(value)), "%s.rows has no %s", name,
                  json_string_value(value));
    json_object_foreach(json_object_get(schema, "properties"), key, value)
        cr_expect(has_field(table, key), "%s.rows has no %s", name, key);
}

static void expect_types(const char *name, const json_t *schema,
                         const struct cup_report_table *table)
{
    unsigned count = 0;
    for (unsigned p = 0; p < table->part_count; p++) {
        const struct cup_row_part *part = &table->parts[p];
        for (unsigned i = 0; i < part->count; i++) {
            char room[CUP_KEY_ROOM];
            const char *key = cup_row_key(part, i, room);
            cr_expect(!key || is_typed(schema, key), "the schema has no %s.rows.%s", name, key);
        }
        count += part->count;
    }
    cr_expect_leq(count, CUP_FIELDS_MOST, "%s", name);
}

Test(schema, has_the_fields_of_every_row)
{
    size_t checked = 0;
    for (size_t i = 0; i < cup_report_section_count; i++) {
        const struct cup_report_section *section = cup_report_sections[i].section;
        const char *name = strcmp(section->name, "tasks") == 0 ? "tasks_by_prefix" : section->name;
        const json_t *schema = row_schema(name);
        if (!section->table || !schema)
            continue;
        expect_fields(name, schema, section->table);
        expect_types(name, schema, section->table);
        checked++;
    }
    cr_expect_geq(checked, 9);
}

Test(schema, has_the_fields_of_functions)
{
    const json_t *schema = json_object_get(json_object_get(root, "$defs"), "function");
    expect_types("functions", schema, &cup_functions_table);
}

/* ---- metrics ------------------------------------------------------------------------------ */

static bool has_metric(const struct cup_metric_section *section, const char *key)
{
    for (size_t i = 0; i < section->count; i++)
        if (strcmp(section->metrics[i].name, key) == 0)
            return true;
    return false;
}

/* What sections have beside their metrics: lists and objects, and counters of the library. */
static bool is_other_member(const char *key)
{
    static const char *const others[] = {
#define X(id, name, text) name,
        CUP_HEALTH(X)
#undef X
            "tracking_data",
        "rows",
        "wasted_by_reason",
        "shares_pct",
        "by_worker",
        "by_prefix",
        "by_span",
        "algorithms",
        "rows_by_file",
        "at_most",
        "by_way",
        "facts",
        "notes",
        "warnings",
        "workers_missing_tasks",
        "processes_by_role",
        "processes",
        "damages",
        "features_off",
    };
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(others[i], key) == 0)
            return true;
    return false;
}

static void expect_metrics(const struct cup_metric_section *section)
{
    const json_t *schema = section_schema(section->name);
    size_t i;
    const char *key;
    json_t *value;
    json_array_foreach(json_object_get(schema, "required"), i, value)
    {
        key = json_string_value(value);
        cr_expect(has_metric(section, key) || is_other_member(key), "no %s.%s", section->name, key);
    }
    json_object_foreach(json_object_get(schema, "properties"), key, value)
        cr_expect(has_metric(section, key) || is_other_member(key), "no %s.%s", section->name, key);
    for (i = 0; i < section->count; i++)
        cr_expect(is_typed(schema, section->metrics[i].name), "the schema has no %s.%s",
                  section->name, section->metrics[i].name);
}

Test(schema, has_every_metric)
{
    for (size_t i = 0; i < cup_metric_section_count; i++)
        expect_metrics(cup_metric_sections[i]);
}
