#include "analysis/write/column_writer.h"

#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/write/json_writer.h"

static const char magic[] = "CUPCOLS1";
enum { MAGIC_BYTES = sizeof magic - 1, PART_ROWS = 32 * CUP_COLUMNS_BLOCK };

struct part {
    enum cup_value_kind kind; /* NULL: no row has a value */
    unsigned width;
    uint64_t offset, nulls;
    uint64_t base; /* SIGNED and so on: two's complement */
};

/* Cells of the part that is not written yet. BITS: what the union of a cup_value holds; of a text
 * its index. */
struct column {
    char *name;           /* owned */
    uint64_t *bits;       /* owned; PART_ROWS of them, as of the kinds */
    unsigned char *kinds; /* owned; enum cup_value_kind */
    unsigned seen;        /* set of these kinds */
    struct part *parts;   /* owned */
    size_t part_count, part_room;
    struct cup_intern texts;
    uint32_t last_text; /* its id in `texts` */
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
                            .bits = calloc(PART_ROWS, sizeof(uint64_t)),
                            .kinds = calloc(PART_ROWS, 1)};
    columns->columns[columns->count++] = column;
    columns->failed |= !column.name || !column.bits || !column.kinds;
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

/* Returns the index of the text. In successive rows a text is often the same. */
static uint64_t store_text(struct cup_columns *columns, struct column *column, struct cup_text text)
{
    struct cup_text last = cup_intern_text(&column->texts, column->last_text);
    if (!last.bytes || last.length != text.length ||
        memcmp(last.bytes, text.bytes, text.length) != 0)
        column->last_text = cup_intern_add(&column->texts, text.bytes, text.length);
    columns->failed |= column->last_text == 0;
    return column->last_text - 1;
}

static void store_cell(struct cup_columns *columns, struct column *column, size_t row,
                       const struct cup_value *value)
{
    column->bits[row] =
        value->kind == CUP_VALUE_TEXT ? store_text(columns, column, value->text) : value->count;
    column->kinds[row] = (unsigned char)value->kind;
    column->seen |= 1u << value->kind;
}

void cup_columns_put(struct cup_columns *columns, struct cup_value value)
{
    if (!columns->named)
        add_column(columns, value.text);
    else if (!columns->failed && columns->at < columns->count)
        store_cell(columns, &columns->columns[columns->at++], columns->part_rows, &value);
}

void cup_columns_fill(struct cup_columns *columns, size_t column, size_t from,
                      const struct cup_value *values, size_t count)
{
    for (size_t i = 0; i < count && !columns->failed; i++)
        store_cell(columns, &columns->columns[column], columns->part_rows + from + i, &values[i]);
}

/* ---- parts ------------------------------------------------------------------------------ */

/* The kind that can hold all values of the part; NULL: there are none. */
static enum cup_value_kind part_kind(const struct column *column)
{
    enum cup_value_kind all = CUP_VALUE_NULL;
    for (unsigned kind = 0; column->seen >> kind; kind++)
        if (column->seen >> kind & 1)
            all = common_kind(all, (enum cup_value_kind)kind);
    return all;
}

/* The bits of a value in another kind. */
static uint64_t convert(struct cup_columns *columns, struct column *column, size_t row,
                        enum cup_value_kind kind)
{
    const struct cup_value value = {.kind = column->kinds[row], .count = column->bits[row]};
    if (value.kind == kind || kind == CUP_VALUE_SIGNED)
        return value.count;
    if (kind == CUP_VALUE_TEXT) {
        char number[CUP_NUMBER_ROOM];
        return store_text(columns, column,
                          (struct cup_text){number, cup_print_number(number, value)});
    }
    return (struct cup_value){.real = cup_number(value)}.count;
}

static void convert_cells(struct cup_columns *columns, struct column *column,
                          enum cup_value_kind kind)
{
    bool differ = (column->seen & ~(1u << CUP_VALUE_NULL | 1u << kind)) != 0;
    for (size_t i = 0; differ && i < columns->part_rows; i++)
        if (column->kinds[i] != CUP_VALUE_NULL)
            column->bits[i] = convert(columns, column, i, kind);
}

/* The least of the values; *RANGE is the greatest minus it. Signed numbers are compared as unsigned
 * ones with the other sign bit. */
static uint64_t least_of(const struct column *column, size_t rows, enum cup_value_kind kind,
                         uint64_t *range)
{
    bool is_unsigned = kind == CUP_VALUE_COUNT || kind == CUP_VALUE_TEXT || kind == CUP_VALUE_BOOL;
    uint64_t sign = is_unsigned ? 0 : UINT64_C(1) << 63, least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < rows; i++) {
        uint64_t bits = column->bits[i] ^ sign;
        bool known = column->kinds[i] != CUP_VALUE_NULL;
        least = known && bits < least ? bits : least;
        most = known && bits > most ? bits : most;
    }
    *range = most - least;
    return least ^ sign;
}

static unsigned width_of(uint64_t range)
{
    return range == 0            ? 0
           : range <= UINT8_MAX  ? 1
           : range <= UINT16_MAX ? 2
           : range <= UINT32_MAX ? 4
                                 : 8;
}

#define PACK(type)                                                                                 \
    for (size_t i = 0; i < rows; i++)                                                              \
    ((type *)to)[i] = (type)(bits[i] - base)

static void pack_numbers(void *to, const uint64_t *bits, size_t rows, uint64_t base, unsigned width)
{
    switch (width) {
    case 1:
        PACK(uint8_t);
        break;
    case 2:
        PACK(uint16_t);
        break;
    case 4:
        PACK(uint32_t);
        break;
    case 8:
        PACK(uint64_t);
        break;
    default:
        break;
    }
}

static void put_nulls(struct cup_columns *columns, struct part *part, const struct column *column)
{
    char nulls[PART_ROWS];
    for (size_t i = 0; i < columns->part_rows; i++)
        nulls[i] = column->kinds[i] == CUP_VALUE_NULL;
    part->nulls = columns->offset;
    put_bytes(columns, nulls, columns->part_rows);
}

/* Rows without a value get the least one. */
static void put_part(struct cup_columns *columns, struct column *column, struct part *part)
{
    static uint64_t packed[PART_ROWS];
    size_t rows = columns->part_rows;
    bool nulls = column->seen & 1u << CUP_VALUE_NULL, real = part->kind == CUP_VALUE_REAL;
    uint64_t range;
    convert_cells(columns, column, part->kind);
    uint64_t least = least_of(column, rows, part->kind, &range);
    for (size_t i = 0; nulls && i < rows; i++)
        if (column->kinds[i] == CUP_VALUE_NULL)
            column->bits[i] = least;
    part->base = real ? 0 : least;
    part->width = real ? 8 : width_of(range);
    part->offset = columns->offset;
    pack_numbers(packed, column->bits, rows, part->base, part->width);
    put_bytes(columns, packed, rows * part->width);
    if (nulls)
        put_nulls(columns, part, column);
}

static void end_part(struct cup_columns *columns)
{
    for (size_t i = 0; i < columns->count && !columns->failed; i++) {
        struct column *column = &columns->columns[i];
        struct part part = {.kind = part_kind(column)};
        if (cup_array_grow(&column->parts, &column->part_room, column->part_count, sizeof part) !=
            0) {
            columns->failed = true;
            return;
        }
        if (part.kind != CUP_VALUE_NULL)
            put_part(columns, column, &part);
        column->parts[column->part_count++] = part;
        column->seen = 0;
    }
    columns->part_rows = 0;
}

void cup_columns_end_rows(struct cup_columns *columns, size_t count)
{
    columns->rows += count;
    columns->part_rows += count;
    if (columns->part_rows == PART_ROWS)
        end_part(columns);
}

void cup_columns_end_row(struct cup_columns *columns)
{
    columns->at = 0;
    if (columns->named && !columns->failed)
        cup_columns_end_rows(columns, 1);
    columns->named = true;
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
        free(column->name), free(column->bits), free(column->kinds), free(column->parts);
        cup_intern_clear(&column->texts);
    }
    free(columns->columns);
    free(columns);
    return result;
}
