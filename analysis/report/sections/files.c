#include <stdlib.h>
#include <string.h>

#include "analysis/profile/files.h"
#include "analysis/report/page/page.h"

enum { SHOWN_FILES = 10 };

/* Opened, but neither read nor written nor mapped: nothing to show. */
static bool is_idle(const struct cup_file_sum *sum)
{
    const uint64_t *c = sum->counters;
    return c[CUP_F_READ_CALLS] + c[CUP_F_WRITE_CALLS] + c[CUP_F_MAPPED_BYTES] == 0;
}

static void add_file(const struct cup_page *page, struct cup_table *table, uint32_t index)
{
    const struct cup_file *file = &page->profile->files[index];
    const struct cup_file_sum total = cup_file_total(page->profile, index);
    const uint64_t *c = total.counters;
    bool mapped = cup_profile_measured(page->profile, CUP_FEATURE_MAPPED);
    double calls = (double)c[CUP_F_READ_CALLS];
    cup_table_add(table, cup_page_text(page, file->path));
    cup_table_add_value(table, cup_count(c[CUP_F_READ_BYTES]), CUP_UNIT_BYTES);
    cup_table_add_value(table, cup_count(c[CUP_F_READ_CALLS]), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_ratio((double)c[CUP_F_READ_BYTES], calls), CUP_UNIT_BYTES);
    cup_table_add_seconds(table, c[CUP_F_READ_NS]);
    cup_table_add_value(table, cup_ratio((double)c[CUP_F_SEQUENTIAL_CALLS], calls), CUP_UNIT_SHARE);
    cup_table_add_value(table, cup_count(c[CUP_F_OPENS]), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(c[CUP_F_WRITE_BYTES]), CUP_UNIT_BYTES);
    cup_table_add_value(table, mapped ? cup_count(c[CUP_F_MAPPED_BYTES]) : cup_null(),
                        CUP_UNIT_BYTES);
    cup_table_add_value(table, cup_count(total.tasks), CUP_UNIT_COUNT);
}

static void print_access_sizes(const struct cup_page *page)
{
    static const char *const names[] = {"<=100 B", "<=1 KiB",  "<=10 KiB",  "<=100 KiB", "<=1 MiB",
                                        "<=4 MiB", "<=10 MiB", "<=100 MiB", "<=1 GiB",   ">1 GiB"};
    enum { SIZES = CUP_F_SIZE_1G_UP - CUP_F_SIZE_0_100 + 1 };
    double sums[SIZES] = {0}, all = 0;
    char line[400] = "Sizes of reads: ";
    for (size_t i = 0; i < page->profile->file_sum_count; i++) {
        const struct cup_file_sum *sum = &page->profile->file_sums[i];
        for (int s = 0; s < SIZES && page->profile->files[sum->file].class == CUP_FILE_DATA; s++)
            sums[s] += (double)sum->counters[CUP_F_SIZE_0_100 + s];
    }
    for (int s = 0; s < SIZES; s++)
        all += sums[s];
    for (int s = 0; s < SIZES && all > 0; s++) {
        char share[CUP_HUMAN_READABLE_ROOM];
        size_t length = strlen(line);
        if (sums[s] > 0)
            snprintf(line + length, sizeof line - length, "%s %s, ", names[s],
                     cup_human_readable(share, sums[s] / all, CUP_UNIT_SHARE));
    }
    if (all > 0) {
        line[strlen(line) - 2] = '\0';
        cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
    }
}

int cup_print_files(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"data file", CUP_FIT_LEFT, 0}, {"read", CUP_FIT_RIGHT, 0},
        {"calls", CUP_FIT_RIGHT, 0},    {"a call", CUP_FIT_RIGHT, 3},
        {"time", CUP_FIT_RIGHT, 0},     {"in sequence", CUP_FIT_RIGHT, 5},
        {"opens", CUP_FIT_RIGHT, 4},    {"written", CUP_FIT_RIGHT, 2},
        {"mapped", CUP_FIT_RIGHT, 6},   {"tasks", CUP_FIT_RIGHT, 1},
    };
    size_t count, shown = 0;
    uint32_t *files = cup_files_by_bytes(page->profile, CUP_FILE_DATA, &count);
    struct cup_table table;
    char detail[100];
    if (!files)
        return -1;
    snprintf(detail, sizeof detail, "%zu data file%s, those most read first", count,
             cup_plural(count));
    cup_page_heading(page, "Files", detail);
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count && shown < cup_page_rows(page, SHOWN_FILES); i++) {
        const struct cup_file_sum total = cup_file_total(page->profile, files[i]);
        if (is_idle(&total))
            continue;
        add_file(page, &table, files[i]);
        shown++;
    }
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, count - shown, "files in --json");
    print_access_sizes(page);
    free(files);
    return 0;
}
