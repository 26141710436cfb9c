/* Chunks one by one, those that took the longest first. */
#include <stdlib.h>

#include "analysis/report/page/page.h"
#include "analysis/tasks/task_columns.h"

enum { SHOWN_CHUNKS = 20 };

struct chunk {
    uint64_t wall_ns; /* CUP_UNKNOWN64, for one that never ended: first of all */
    uint32_t item;
};

static int longest_first(const void *left, const void *right)
{
    const struct chunk *a = left, *b = right;
    if (a->wall_ns != b->wall_ns)
        return a->wall_ns > b->wall_ns ? -1 : 1;
    return (a->item > b->item) - (a->item < b->item);
}

/* Allocated, the caller frees; NULL without memory. */
static struct chunk *sorted_chunks(const struct cup_page *page, size_t *count)
{
    const struct cup_profile *profile = page->profile;
    struct chunk *chunks = calloc(profile->item_count + 1, sizeof *chunks);
    *count = 0;
    for (size_t i = 0; chunks && i < profile->item_count; i++)
        if (page->totals->outcomes[i] != CUP_OUTCOME_NONE)
            chunks[(*count)++] = (struct chunk){
                cup_task_wall_ns(&profile->tasks[profile->items[i].task]), (uint32_t)i};
    if (chunks)
        qsort(chunks, *count, sizeof *chunks, longest_first);
    return chunks;
}

static const struct {
    const char *name; /* in `cupping tasks` */
    enum cup_unit unit;
} shown[] = {
    {"dataset", CUP_UNIT_NONE},     {"file", CUP_UNIT_NONE},      {"entry_start", CUP_UNIT_COUNT},
    {"events", CUP_UNIT_COUNT},     {"wall_s", CUP_UNIT_SECONDS}, {"cpu_s", CUP_UNIT_SECONDS},
    {"read_bytes", CUP_UNIT_BYTES}, {"status", CUP_UNIT_NONE},    {"worker", CUP_UNIT_NONE},
    {"key", CUP_UNIT_NONE},
};
enum { COLUMNS = sizeof shown / sizeof *shown };

static void add_chunk(struct cup_table *table, const struct cup_task_row *row)
{
    for (int i = 0; i < COLUMNS; i++)
        cup_table_add_value(table, cup_task_value(row, shown[i].name), shown[i].unit);
}

static void print_table(const struct cup_page *page, const struct chunk *chunks, size_t count)
{
    static const struct cup_column columns[COLUMNS] = {
        {"dataset", CUP_FIT_LEFT, 0}, {"file", CUP_FIT_LEFT, 0},   {"from", CUP_FIT_RIGHT, 3},
        {"events", CUP_FIT_RIGHT, 0}, {"time", CUP_FIT_RIGHT, 0},  {"CPU", CUP_FIT_RIGHT, 1},
        {"read", CUP_FIT_RIGHT, 1},   {"status", CUP_FIT_LEFT, 2}, {"worker", CUP_FIT_LEFT, 4},
        {"key", CUP_FIT_LEFT, 5},
    };
    const struct cup_profile *profile = page->profile;
    struct cup_table table;
    struct cup_key_reader keys;
    cup_table_start(&table, columns, COLUMNS);
    cup_key_reader_open(&keys, profile);
    for (size_t i = 0; i < count && i < cup_page_rows(page, SHOWN_CHUNKS); i++) {
        const struct cup_task *task = &profile->tasks[profile->items[chunks[i].item].task];
        add_chunk(&table, &(struct cup_task_row){profile, task, cup_key_read(&keys, task), 1});
    }
    cup_key_reader_close(&keys);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, cup_page_hidden(page, count, SHOWN_CHUNKS),
                  "chunks; `cupping tasks --csv FILE` has them all");
}

int cup_print_slowest(const struct cup_page *page)
{
    size_t count;
    struct chunk *chunks = sorted_chunks(page, &count);
    if (!chunks)
        return -1;
    if (count > 0) {
        cup_page_heading(page, "Chunks one by one", "those that took the longest first");
        print_table(page, chunks, count);
    }
    free(chunks);
    return 0;
}
