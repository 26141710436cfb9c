#include "plot/shared/rows.h"

struct cup_rows *cup_rows_make(struct cup_arena *arena, const struct cup_bar_kind *kinds,
                               size_t kind_count)
{
    struct cup_rows *rows = cup_arena_take(arena, 1, sizeof *rows);
    if (!rows)
        return NULL;
    rows->kinds = kinds;
    rows->kind_count = kind_count;
    return rows;
}

struct cup_row *cup_rows_add(struct cup_rows *rows, struct cup_text name, size_t kind, double value)
{
    if (rows->count == CUP_ROWS_SHOWN)
        return NULL;
    struct cup_row *row = &rows->rows[rows->count];
    rows->names[rows->count++] = name;
    row->parts[kind] = value;
    return row;
}
