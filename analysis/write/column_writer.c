#include "analysis/write/column_writer.h"

#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/write/json_writer.h"

static const char magic[] = "CUPCOLS1";
enum { MAGIC_BYTES = sizeof magic - 1, PART_ROWS = 16384 };

struct part {
    enum cup_value_kind kind; /* NULL: no row has a value */
    unsigned width;
    uint64_t offset, nulls;
    uint64_t base; /* SIGNED and so on: two's complement */
};

struct column {
    char *name;               /* owned */
    struct cup_value *values; /* owned; of the part that is not written yet; texts as counts */
    struct part *parts;       /* owned */
    size_t part_count, part_room;
    struct cup_intern texts;
    enum cup_value_kind kind; /* of the values so far; NULL: none */
};

struct cup_columns {
    FILE *out;
    uint64_t offset; /* bytes that were written */
    struct column *columns;
    size_t count, room, at; /* `at`: of the next cell */
    size_t rows, part_rows; /* of all parts; of the part that is not written yet */
    bool named, failed;
};

static void put_bytes(struct cup_columns *columns, const void *bytes, size_t length)
{
    fwrite(bytes, 1, length, columns->out);
    columns->offset += length;
}

struct cup_columns *cup_columns_open(FILE *out)
{
    struct cup_columns *columns = calloc(1, sizeof *columns);
    if (!columns)
        return NULL;
    columns->out = out;
    put_bytes(columns, magic, MAGIC_BYTES);
    return columns;
}

/* ---- cells ------------------------------------------------------------------------------ */

static void add_column(struct cup_columns *columns, struct cup_text name)
{
    if (cup_array_grow(&columns->columns, &columns->room, columns->count, sizeof(struct column)) !=
        0) {
        columns->failed = true;
        return;
    }
    struct column column = {.name = strndup(name.bytes, name.length),
                            .values = calloc(PART_ROWS, sizeof(struct cup_value))};
    columns->columns[columns->count++] = column;
    columns->failed |= !column.name || !column.values;
}

static bool is_whole(enum cup_value_kind kind)
{
    return kind == CUP_VALUE_COUNT || kind == CUP_VALUE_SIGNED || kind == CUP_VALUE_BOOL;
}

/* The kind that can hold values of both kinds. */
static enum cup_value_kind common_kind(enum cup_value_kind a, enum cup_value_kind b)
{
    if (a == CUP_VALUE_NULL || a == b)
        return b;
    if (b == CUP_VALUE_NULL)
        return a;
    if (a == CUP_VALUE_TEXT || b == CUP_VALUE_TEXT)
        return CUP_VALUE_TEXT;
    return is_whole(a) && is_whole(b) ? CUP_VALUE_SIGNED : CUP_VALUE_REAL;
}

static struct cup_value store_text(struct cup_columns *columns, struct column *column,
                                   struct cup_text text)
{
    uint32_t id = cup_intern_add(&column->texts, text.bytes, text.length);
    columns->failed |= id == 0;
    return (struct cup_value){.kind = CUP_VALUE_TEXT, .count = id - 1};
}

void cup_columns_put(struct cup_columns *columns, struct cup_value value)
{
    if (!columns->named)
        add_column(columns, value.text);
    if (columns->failed || !columns->named || columns->at == columns->count)
        return;
    struct column *column = &columns->columns[columns->at++];
    if (value.kind == CUP_VALUE_TEXT)
        value = store_text(columns, column, value.text);
    column->values[columns->part_rows] = value;
    column->kind = common_kind(column->kind, value.kind);
}

/* ---- parts ------------------------------------------------------------------------------ */

/* The value in the column's kind, as it is written. */
static uint64_t bits_of(struct cup_columns *columns, struct column *column, struct cup_value value)
{
    if (value.kind == column->kind && value.kind != CUP_VALUE_REAL)
        return value.count;
    if (column->kind == CUP_VALUE_TEXT) {
        char number[CUP_NUMBER_ROOM];
        struct cup_text text = {number, cup_print_number(number, value)};
        return store_text(columns, column, text).count;
    }
    if (column->kind == CUP_VALUE_SIGNED)
        return value.count;
    double real = cup_number(value);
    uint64_t bits;
    memcpy(&bits, &real, sizeof bits);
    return bits;
}

static bool is_less(enum cup_value_kind kind, uint64_t a, uint64_t b)
{
    bool is_unsigned = kind == CUP_VALUE_COUNT || kind == CUP_VALUE_TEXT || kind == CUP_VALUE_BOOL;
    return is_unsigned ? a < b : (int64_t)a < (int64_t)b;
}

static unsigned width_of(uint64_t range)
{
    return range == 0            ? 0
           : range <= UINT8_MAX  ? 1
           : range <= UINT16_MAX ? 2
           : range <= UINT32_MAX ? 4
                                 : 8;
}

static void put_numbers(struct cup_columns *columns, struct part *part, const uint64_t *bits)
{
    static unsigned char bytes[PART_ROWS * sizeof *bits];
    for (size_t i = 0; i < columns->part_rows; i++) {
        uint64_t more = bits[i] - part->base;
        memcpy(&bytes[i * part->width], &more, part->width);
    }
    part->offset = columns->offset;
    put_bytes(columns, bytes, columns->part_rows * part->width);
}

static void put_nulls(struct cup_columns *columns, struct part *part, const struct column *column)
{
    char nulls[PART_ROWS];
    bool any = false;
    for (size_t i = 0; i < columns->part_rows; i++)
        any |= nulls[i] = column->values[i].kind == CUP_VALUE_NULL;
    part->nulls = any ? columns->offset : 0;
    if (any)
        put_bytes(columns, nulls, columns->part_rows);
}

/* Rows without a value get the least one. */
static void put_part(struct cup_columns *columns, struct column *column, struct part *part)
{
    static uint64_t bits[PART_ROWS];
    uint64_t least = 0, most = 0;
    bool any = false;
    for (size_t i = 0; i < columns->part_rows; i++) {
        if (column->values[i].kind == CUP_VALUE_NULL)
            continue;
        bits[i] = bits_of(columns, column, column->values[i]);
        least = !any || is_less(part->kind, bits[i], least) ? bits[i] : least;
        most = !any || is_less(part->kind, most, bits[i]) ? bits[i] : most;
        any = true;
    }
    for (size_t i = 0; i < columns->part_rows; i++)
        if (column->values[i].kind == CUP_VALUE_NULL)
            bits[i] = least;
    bool real = part->kind == CUP_VALUE_REAL;
    part->base = real ? 0 : least;
    part->width = real ? 8 : width_of(most - least);
    put_numbers(columns, part, bits);
    put_nulls(columns, part, column);
}

static void end_part(struct cup_columns *columns)
{
    for (size_t i = 0; i < columns->count && !columns->failed; i++) {
        struct column *column = &columns->columns[i];
        struct part part = {.kind = column->kind};
        if (cup_array_grow(&column->parts, &column->part_room, column->part_count, sizeof part) !=
            0) {
            columns->failed = true;
            return;
        }
        if (part.kind != CUP_VALUE_NULL)
            put_part(columns, column, &part);
        column->parts[column->part_count++] = part;
        column->kind = CUP_VALUE_NULL;
    }
    columns->part_rows = 0;
}

void cup_columns_end_row(struct cup_columns *columns)
{
    columns->at = 0;
    if (columns->named && !columns->failed) {
        columns->rows++;
        columns->part_rows++;
    }
    columns->named = true;
    if (columns->part_rows == PART_ROWS)
        end_part(columns);
}

/* ---- the description -------------------------------------------------------------------- */

static const char *kind_name(enum cup_value_kind kind)
{
    static const char *const names[] = {
        [CUP_VALUE_TEXT] = "text",       [CUP_VALUE_COUNT] = "count", [CUP_VALUE_SIGNED] = "signed",
        [CUP_VALUE_SECONDS] = "seconds", [CUP_VALUE_REAL] = "real",   [CUP_VALUE_BOOL] = "bool",
        [CUP_VALUE_TIME] = "time",       [CUP_VALUE_EPOCH] = "time"};
    return names[kind];
}

static void describe_part(struct cup_json *json, const struct part *part)
{
    bool is_signed = part->kind != CUP_VALUE_COUNT && part->kind != CUP_VALUE_TEXT;
    cup_json_list(json, NULL);
    cup_json_value(json, NULL, cup_string(kind_name(part->kind)));
    cup_json_value(json, NULL, cup_count(part->offset));
    cup_json_value(json, NULL, cup_count(part->width));
    cup_json_value(json, NULL, is_signed ? cup_signed((int64_t)part->base) : cup_count(part->base));
    cup_json_value(json, NULL, cup_count(part->nulls));
    cup_json_end_array(json);
}

static void describe_column(struct cup_json *json, const struct column *column)
{
    cup_json_object(json, NULL);
    cup_json_value(json, "name", cup_string(column->name));
    cup_json_array(json, "parts");
    for (size_t i = 0; i < column->part_count; i++)
        describe_part(json, &column->parts[i]);
    cup_json_end_array(json);
    cup_json_array(json, "texts");
    for (size_t i = 1; i < column->texts.count; i++)
        cup_json_value(json, NULL, cup_text(column->texts.texts[i]));
    cup_json_end_array(json);
    cup_json_end_object(json);
}

static void describe(struct cup_columns *columns)
{
    struct cup_json json;
    char *text = NULL;
    size_t bytes = 0;
    FILE *memory = open_memstream(&text, &bytes);
    if (!memory) {
        columns->failed = true;
        return;
    }
    cup_json_start(&json, memory);
    cup_json_object(&json, NULL);
    cup_json_value(&json, "rows", cup_count(columns->rows));
    cup_json_value(&json, "part_rows", cup_count(PART_ROWS));
    cup_json_array(&json, "columns");
    for (size_t i = 0; i < columns->count; i++)
        describe_column(&json, &columns->columns[i]);
    cup_json_end_array(&json);
    cup_json_end_object(&json);
    bool whole = !ferror(memory);
    whole &= fclose(memory) == 0;
    uint64_t length = bytes;
    if (whole) {
        put_bytes(columns, text, bytes);
        put_bytes(columns, &length, sizeof length);
        put_bytes(columns, magic, MAGIC_BYTES);
    }
    columns->failed |= !whole;
    free(text);
}

int cup_columns_close(struct cup_columns *columns)
{
    if (columns->part_rows > 0)
        end_part(columns);
    if (!columns->failed)
        describe(columns);
    int result = columns->failed ? -1 : 0;
    for (size_t i = 0; i < columns->count; i++) {
        struct column *column = &columns->columns[i];
        free(column->name), free(column->values), free(column->parts);
        cup_intern_clear(&column->texts);
    }
    free(columns->columns);
    free(columns);
    return result;
}
