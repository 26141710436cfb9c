#include "preload/root/basket_rows.h"

#include "include/log_pairs.h"
#include "preload/log/log.h"

#include <string.h>

enum kind { PLAIN, DELTA };

static const unsigned char kinds[CUP_BV_COUNT] = {
#define X(id, name, kind, text) kind,
    CUP_BASKET_VALUES(X)
#undef X
};

/* The number that stands for VALUE in a row; 0: it is left out. */
static uint64_t encode_value(enum kind kind, uint64_t value, uint64_t before)
{
    return kind == DELTA ? cup_pairs_difference(value, before) : value;
}

size_t cup_basket_row_code(unsigned char *at, uint32_t branch_step, const uint64_t *values,
                           uint64_t *before)
{
    uint64_t numbers[CUP_BV_COUNT];
    uint32_t which = 0;
    for (int i = 0; i < CUP_BV_COUNT; i++) {
        numbers[i] = encode_value(kinds[i], values[i], before[i]);
        which |= (uint32_t)(numbers[i] != 0) << i;
        before[i] = values[i];
    }
    size_t bytes = cup_pairs_number(at, branch_step);
    bytes += cup_pairs_number(at + bytes, which);
    for (int i = 0; i < CUP_BV_COUNT; i++)
        if (numbers[i])
            bytes += cup_pairs_number(at + bytes, numbers[i]);
    return bytes;
}

/* ---- records ----------------------------------------------------------------------------- */

/* If the log has no room, the baskets count as dropped. */
static void write_record(const struct cup_basket_rows *rows)
{
    const struct cup_r_baskets record = {.task = rows->task,
                                         .file = rows->file,
                                         .path = rows->path,
                                         .source = rows->source,
                                         .rows = rows->rows,
                                         .incidental = rows->incidental,
                                         .incidental_bytes = rows->incidental_bytes};
    if (!cup_log_write(CUP_R_BASKETS, &record, rows->bytes, rows->used))
        cup_log_health(CUP_H_BASKETS_DROPPED, rows->baskets);
}

/* Begins a new record with nothing carried over, so that each record can be decoded without the one
 * before it. */
static void start_over(struct cup_basket_rows *rows)
{
    rows->rows = rows->branch = 0;
    rows->baskets = rows->incidental_bytes = 0;
    rows->used = rows->incidental = 0;
    memset(rows->before, 0, sizeof rows->before);
}

void cup_basket_rows_begin(struct cup_basket_rows *rows, uint32_t task, uint32_t file,
                           uint32_t path, enum cup_baskets_source source)
{
    rows->task = task;
    rows->file = file;
    rows->path = file ? 0 : path;
    rows->source = source;
    start_over(rows);
}

void cup_basket_rows_end(struct cup_basket_rows *rows)
{
    if (rows->rows || rows->incidental)
        write_record(rows);
    start_over(rows);
}

void cup_basket_rows_add(struct cup_basket_rows *rows, uint32_t branch, const uint64_t *values)
{
    if (rows->used + CUP_BASKET_ROW_LONGEST > sizeof rows->bytes)
        cup_basket_rows_end(rows);
    rows->used += cup_basket_row_code(rows->bytes + rows->used, branch - rows->branch + 1, values,
                                      rows->before);
    rows->branch = branch;
    rows->baskets += values[CUP_BV_BASKETS] + values[CUP_BV_INCIDENTAL];
    rows->rows++;
}

void cup_basket_rows_passed(struct cup_basket_rows *rows, uint32_t baskets, uint64_t bytes)
{
    rows->incidental = baskets;
    rows->incidental_bytes = bytes;
    rows->baskets += baskets;
}
