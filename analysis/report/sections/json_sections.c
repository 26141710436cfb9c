/* What the program named itself, in the report's JSON. */
#include "analysis/metrics/dask/sections.h"
#include "analysis/report/page/json_page.h"

static struct cup_value prefix_of(const struct report *report, uint32_t prefix)
{
    return prefix == CUP_NO_PREFIX ? cup_null()
                                   : text_of(report, report->profile->prefixes[prefix].name);
}

static void put_values_of(struct report *report, const uint64_t *values)
{
    static const char *const names[] = {
#define X(id, name, kind, text) name,
        CUP_SECTION_VALUES(X)
#undef X
    };
    for (int i = 0; i < CUP_SECTION_VALUE_COUNT; i++)
        put_counter(report, names[i], values[i], true);
}

static void put_section(struct report *report, const struct cup_section_shown *shown)
{
    const struct cup_section *section = shown->section;
    cup_json_row(&report->json, NULL);
    put(report, "section", text_of(report, section->name));
    put(report, "parent", text_of(report, section->parent));
    put(report, "prefix", prefix_of(report, section->prefix));
    put(report, "tasks", cup_count(section->tasks));
    put(report, "chunks", cup_count(shown->chunks));
    put_values_of(report, section->values);
    put_ns(report, "self_s", cup_section_self_ns(section));
    put(report, "task_wall_min_s", cup_real(shown->walls.min));
    put(report, "task_wall_mean_s", cup_real(shown->walls.mean));
    put(report, "task_wall_median_s", cup_real(shown->walls.median));
    put(report, "task_wall_max_s", cup_real(shown->walls.max));
    put(report, "task_wall_stdev_s", cup_real(shown->walls.stdev));
    cup_json_end_object(&report->json);
}

static void put_value(struct report *report, const struct cup_named_value *value)
{
    cup_json_row(&report->json, NULL);
    put(report, "value", text_of(report, value->name));
    put(report, "prefix", prefix_of(report, value->prefix));
    put(report, "tasks", cup_count(value->tasks));
    put(report, "count", cup_count(value->count));
    put(report, "sum", cup_real(value->sum));
    put(report, "mean", cup_ratio(value->sum, (double)value->count));
    put(report, "least", cup_real(value->least));
    put(report, "most", cup_real(value->most));
    cup_json_end_object(&report->json);
}

/* Of which task, and of which chunk of data. */
static void put_whose(struct report *report, struct cup_key_reader *keys, uint32_t index)
{
    const struct cup_profile *profile = report->profile;
    const struct cup_task *task = index ? &profile->tasks[index - 1] : NULL;
    const struct cup_item *item = task ? cup_task_item(profile, task) : NULL;
    put(report, "key", task ? cup_text(cup_key_read(keys, task)) : cup_null());
    put(report, "attempt", task ? cup_count(report->attempts[index - 1]) : cup_null());
    put(report, "prefix", task ? prefix_of(report, task->prefix) : cup_null());
    put(report, "dataset", item ? text_of(report, item->dataset) : cup_null());
    put(report, "file", item ? text_of(report, item->file) : cup_null());
    put(report, "entry_start",
        item && item->entry_start >= 0 ? cup_count((uint64_t)item->entry_start) : cup_null());
    put(report, "entry_stop",
        item && item->entry_stop >= 0 ? cup_count((uint64_t)item->entry_stop) : cup_null());
}

static void put_section_row(struct report *report, struct cup_key_reader *keys,
                            const struct cup_section_row *row)
{
    const struct cup_section *section = &report->profile->sections[row->section];
    cup_json_row(&report->json, NULL);
    put_whose(report, keys, row->task);
    put(report, "section", text_of(report, section->name));
    put(report, "parent", text_of(report, section->parent));
    put(report, "entries", cup_count(row->entries));
    put_ns(report, "wall_s", row->wall_ns);
    put_ns(report, "cpu_s", row->cpu_ns);
    put(report, "read_bytes", cup_count(row->read_bytes));
    put(report, "alloc_bytes", cup_count(row->alloc_bytes));
    put(report, "peak_live_bytes", cup_count(row->peak_bytes));
    cup_json_end_object(&report->json);
}

static void put_value_row(struct report *report, struct cup_key_reader *keys,
                          const struct cup_value_row *row)
{
    cup_json_row(&report->json, NULL);
    put_whose(report, keys, row->task);
    put(report, "value", text_of(report, report->profile->named_values[row->value].name));
    put(report, "count", cup_count(row->count));
    put(report, "sum", cup_real(row->sum));
    put(report, "last", cup_real(row->last));
    cup_json_end_object(&report->json);
}

static void put_section_rows(struct report *report, const char *name)
{
    struct cup_key_reader keys;
    cup_key_reader_open(&keys, report->profile);
    cup_json_array(&report->json, name);
    for (size_t i = 0; i < report->profile->section_row_count; i++) {
        if (cup_output_failed(report->output))
            break;
        put_section_row(report, &keys, &report->profile->section_rows[i]);
    }
    cup_json_end_array(&report->json);
    cup_key_reader_close(&keys);
}

static void put_value_rows(struct report *report, const char *name)
{
    struct cup_key_reader keys;
    cup_key_reader_open(&keys, report->profile);
    cup_json_array(&report->json, name);
    for (size_t i = 0; i < report->profile->value_row_count; i++) {
        if (cup_output_failed(report->output))
            break;
        put_value_row(report, &keys, &report->profile->value_rows[i]);
    }
    cup_json_end_array(&report->json);
    cup_key_reader_close(&keys);
}

int cup_report_put_sections(struct report *report)
{
    struct cup_sections sections;
    if (cup_sections_make(&sections, report->profile) != 0)
        return -1;
    cup_json_object(&report->json, "sections");
    cup_json_array(&report->json, "rows");
    for (size_t i = 0; i < sections.count; i++)
        put_section(report, &sections.shown[i]);
    cup_json_end_array(&report->json);
    cup_json_array(&report->json, "values");
    for (size_t i = 0; i < report->profile->named_value_count; i++)
        put_value(report, &report->profile->named_values[i]);
    cup_json_end_array(&report->json);
    put_section_rows(report, "by_task");
    put_value_rows(report, "values_by_task");
    put(report, "rows_left_out", cup_count(report->profile->section_rows_left_out));
    put(report, "dropped", cup_count(report->profile->health[CUP_H_SECTIONS_DROPPED]));
    cup_json_end_object(&report->json);
    cup_sections_free(&sections);
    return 0;
}

int cup_report_put_sections_by_task(struct report *report)
{
    cup_json_object(&report->json, "sections");
    put_section_rows(report, "rows");
    cup_json_end_object(&report->json);
    return 0;
}

int cup_report_put_values_by_task(struct report *report)
{
    cup_json_object(&report->json, "values");
    put_value_rows(report, "rows");
    cup_json_end_object(&report->json);
    return 0;
}
