#include "analysis/report/page/rows.h"

#include <stdlib.h>

static const struct {
    enum cup_unit unit;
    enum cup_fit fit;
} types[CUP_FIELD_TYPES] = {
    [CUP_FIELD_TEXT] = {CUP_UNIT_NONE, CUP_FIT_LEFT},
    [CUP_FIELD_WORD] = {CUP_UNIT_NONE, CUP_FIT_RIGHT},
    [CUP_FIELD_BOOL] = {CUP_UNIT_NONE, CUP_FIT_LEFT},
    [CUP_FIELD_TIME] = {CUP_UNIT_NONE, CUP_FIT_RIGHT},
    [CUP_FIELD_ID] = {CUP_UNIT_NONE, CUP_FIT_RIGHT},
    [CUP_FIELD_NUMBER] = {CUP_UNIT_NONE, CUP_FIT_RIGHT},
    [CUP_FIELD_COUNT] = {CUP_UNIT_COUNT, CUP_FIT_RIGHT},
    [CUP_FIELD_BYTES] = {CUP_UNIT_BYTES, CUP_FIT_RIGHT},
    [CUP_FIELD_SECONDS] = {CUP_UNIT_SECONDS, CUP_FIT_RIGHT},
    [CUP_FIELD_SHARE] = {CUP_UNIT_SHARE, CUP_FIT_RIGHT},
    [CUP_FIELD_PERCENT] = {CUP_UNIT_PERCENT, CUP_FIT_RIGHT},
    [CUP_FIELD_RATIO] = {CUP_UNIT_RATIO, CUP_FIT_RIGHT},
    [CUP_FIELD_MBS] = {CUP_UNIT_MBS, CUP_FIT_RIGHT},
    [CUP_FIELD_KHZ] = {CUP_UNIT_KHZ, CUP_FIT_RIGHT},
    [CUP_FIELD_HZ] = {CUP_UNIT_HZ, CUP_FIT_RIGHT},
};

/* As snprintf("%s") does, but without a format: a million rows have fifty million keys. */
static size_t copy_text(char *to, size_t room, const char *text)
{
    size_t length = strlen(text);
    length = length < room ? length : room - 1;
    memcpy(to, text, length);
    to[length] = '\0';
    return length;
}

const char *cup_row_key(const struct cup_row_part *part, unsigned index, char room[CUP_KEY_ROOM])
{
    if (part->fields)
        return part->fields[index].key;
    if (part->key)
        return part->key(index, room);
    size_t length = copy_text(room, CUP_KEY_ROOM, part->before ? part->before : "");
    const char *name = counter_key(part->names[index], room + length, CUP_KEY_ROOM - length);
    if (name == part->names[index])
        copy_text(room + length, CUP_KEY_ROOM - length, name);
    return room;
}

struct cup_value cup_row_string(struct cup_report_rows *rows, const char *string)
{
    size_t bytes = string ? strlen(string) + 1 : 0;
    if (!string || rows->composed_bytes + bytes > sizeof rows->composed)
        return cup_null();
    char *kept = memcpy(rows->composed + rows->composed_bytes, string, bytes);
    rows->composed_bytes += bytes;
    return cup_string(kept);
}

/* ---- text --------------------------------------------------------------------------------- */

static void insert_column(struct cup_report_rows *rows, const struct cup_field *field,
                          unsigned value)
{
    struct cup_text_rows *text = &rows->text;
    unsigned at = text->count++;
    for (; at > 0 && text->fields[at - 1]->place > field->place; at--) {
        text->fields[at] = text->fields[at - 1];
        text->columns[at] = text->columns[at - 1];
        text->of_value[at] = text->of_value[at - 1];
    }
    text->fields[at] = field;
    text->columns[at] = (struct cup_column){field->heading, types[field->type].fit, field->rank};
    text->of_value[at] = value;
}

static bool is_shown(const struct cup_totals *totals, const struct cup_field *field)
{
    if (field->counter && !totals->counters[field->counter])
        return false;
    return !field->is_shown || field->is_shown(totals);
}

static void choose_columns(struct cup_report_rows *rows)
{
    unsigned value = 0;
    for (unsigned p = 0; p < rows->table->part_count; p++) {
        const struct cup_row_part *part = &rows->table->parts[p];
        for (unsigned i = 0; i < part->count; i++, value++) {
            const struct cup_field *field = part->fields ? &part->fields[i] : NULL;
            if (field && field->heading && is_shown(rows->totals, field))
                insert_column(rows, field, value);
        }
    }
}

static void add_cell(struct cup_table *cells, const struct cup_field *field, struct cup_value value)
{
    bool is_text = field->type <= CUP_FIELD_WORD;
    if (value.kind == CUP_VALUE_NULL && (is_text || field->none))
        cup_table_add_string(cells, field->none ? field->none : "(not known)");
    else if (field->type == CUP_FIELD_NUMBER)
        cup_page_add_number(cells, cup_number(value));
    else
        cup_table_add_value(cells, value, types[field->type].unit);
}

static void add_cells(struct cup_report_rows *rows, const struct cup_value *values)
{
    for (unsigned i = 0; i < rows->text.count; i++)
        add_cell(&rows->text.cells, rows->text.fields[i], values[rows->text.of_value[i]]);
}

/* ---- JSON and cells ------------------------------------------------------------------------- */

static void put_part(struct cup_report_rows *rows, const struct cup_row_part *part,
                     const void *item, const struct cup_value *values)
{
    char room[CUP_KEY_ROOM];
    for (unsigned i = 0; i < part->count; i++) {
        const char *key = cup_row_key(part, i, room);
        if (key && rows->report)
            put(rows->report, key, values[i]);
        else if (key)
            cup_put_cell(&rows->cells, values[i]);
    }
    if (part->put && rows->report)
        part->put(rows->report, item);
}

static void write_row(struct cup_report_rows *rows, const void *item,
                      const struct cup_value *values)
{
    if (rows->report)
        cup_json_row(&rows->report->json, NULL);
    for (unsigned p = 0; p < rows->table->part_count; p++) {
        put_part(rows, &rows->table->parts[p], item, values);
        values += rows->table->parts[p].count;
    }
    if (rows->report)
        cup_json_end_object(&rows->report->json);
    else
        cup_end_row(&rows->cells);
}

static void write_keys(struct cup_report_rows *rows)
{
    for (unsigned p = 0; p < rows->table->part_count; p++) {
        const struct cup_row_part *part = &rows->table->parts[p];
        for (unsigned i = 0; i < part->count; i++) {
            char room[CUP_KEY_ROOM];
            const char *key = cup_row_key(part, i, room);
            if (key)
                cup_put_cell(&rows->cells, cup_string(key));
        }
    }
    cup_end_row(&rows->cells);
}

/* ---- all of them -------------------------------------------------------------------------- */

static void fill_row(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    rows->composed_bytes = 0;
    for (unsigned p = 0; p < rows->table->part_count; p++) {
        const struct cup_row_part *part = &rows->table->parts[p];
        if (part->fill)
            part->fill(rows, item, values);
        values += part->count;
    }
}

void cup_add_row(struct cup_report_rows *rows, const void *item)
{
    struct cup_value values[CUP_FIELDS_MOST];
    if (rows->output && cup_output_failed(rows->output))
        return;
    if (rows->text.page && rows->text.shown >= rows->text.most) {
        rows->text.hidden++;
        return;
    }
    fill_row(rows, item, values);
    if (rows->text.page)
        add_cells(rows, values);
    else
        write_row(rows, item, values);
    rows->text.shown++;
}

int cup_add_rows(struct cup_report_rows *rows, const void *items, size_t count, size_t bytes)
{
    for (size_t i = 0; i < count; i++)
        cup_add_row(rows, (const char *)items + i * bytes);
    return 0;
}

struct cup_task_row cup_row_task(struct cup_report_rows *rows, const struct cup_task *task)
{
    if (!rows->keys.profile)
        cup_record_reader_open(&rows->keys, rows->profile);
    return (struct cup_task_row){rows->profile, task, cup_key_read(&rows->keys, task),
                                 rows->attempts ? rows->attempts[task - rows->profile->tasks] : 1};
}

static int list_rows(struct cup_report_rows *rows)
{
    int result = rows->table->list(rows);
    if (rows->keys.profile)
        cup_record_reader_close(&rows->keys);
    return result;
}

static struct cup_report_rows rows_of(struct report *report, const struct cup_report_table *table,
                                      const void *of)
{
    return (struct cup_report_rows){.totals = report->totals,
                                    .profile = report->profile,
                                    .table = table,
                                    .of = of,
                                    .report = report,
                                    .output = report->output,
                                    .attempts = report->attempts};
}

void cup_put_part(struct report *report, const struct cup_row_part *part, const void *item)
{
    struct cup_value values[CUP_FIELDS_MOST];
    struct cup_report_rows rows = rows_of(report, NULL, NULL);
    part->fill(&rows, item, values);
    put_part(&rows, part, item, values);
}

int cup_put_more_rows(struct report *report, const struct cup_report_table *table, const void *of)
{
    struct cup_report_rows rows = rows_of(report, table, of);
    return list_rows(&rows);
}

int cup_put_rows(struct report *report, const struct cup_report_table *table, const void *of)
{
    if (table->of_tasks && report->without_tasks)
        return 0;
    cup_json_array(&report->json, table->name ? table->name : "rows");
    int result = cup_put_more_rows(report, table, of);
    cup_json_end_array(&report->json);
    return result;
}

int cup_put_row_object(struct report *report, const char *name,
                       const struct cup_report_table *table)
{
    cup_json_object(&report->json, name);
    int result = cup_put_rows(report, table, NULL);
    cup_json_end_object(&report->json);
    return result;
}

int cup_print_rows(const struct cup_page *page, const struct cup_report_table *table,
                   const void *of, const char *heading, const char *note)
{
    struct cup_report_rows rows = {
        .totals = page->totals,
        .profile = page->profile,
        .table = table,
        .of = of,
        .text = {.page = page,
                 .most = table->on_screen ? cup_page_rows(page, table->on_screen) : SIZE_MAX}};
    choose_columns(&rows);
    cup_table_start(&rows.text.cells, rows.text.columns, rows.text.count);
    int result = list_rows(&rows);
    if (result == 0 && rows.text.shown > 0 && heading)
        cup_page_heading(page, heading, note);
    if (result == 0)
        cup_table_finish(&rows.text.cells, &page->terminal);
    else
        cup_table_drop(&rows.text.cells);
    if (result == 0 && table->more)
        cup_page_more(page, rows.text.hidden, 0, table->more);
    return result;
}

int cup_write_rows(const struct cup_totals *totals, const struct cup_output *output,
                   const struct cup_report_table *table)
{
    uint32_t *attempts = cup_task_attempts(totals->profile);
    struct cup_report_rows rows = {.totals = totals,
                                   .profile = totals->profile,
                                   .table = table,
                                   .cells = cup_cells_start(output),
                                   .output = output,
                                   .attempts = attempts};
    if (!attempts)
        return -1;
    write_keys(&rows);
    int result = list_rows(&rows);
    free(attempts);
    return result;
}
