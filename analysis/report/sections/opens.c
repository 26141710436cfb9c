/* How long it took to open files and to connect. */
#include <stdlib.h>

#include "analysis/metrics/reads/open_ranks.h"
#include "analysis/report/page/page.h"

enum { SHOWN_OPENS = 10 };

static void add_quantile(struct cup_table *table, const struct cup_open_sum *sum, double share)
{
    double ns = cup_open_quantile_ns(sum, share);
    cup_table_add_value(table, cup_real(ns / 1e9), CUP_UNIT_SECONDS);
}

static void add_sum(const struct cup_page *page, struct cup_table *table,
                    const struct cup_open_sum *sum)
{
    char worst[64] = "";
    cup_open_worst(sum, worst, sizeof worst);
    cup_table_add(table, cup_page_text(page, sum->server));
    cup_table_add_string(table, cup_open_kind_name(sum->kind));
    cup_table_add_value(table, cup_count(sum->opened), CUP_UNIT_COUNT);
    add_quantile(table, sum, 0.5);
    add_quantile(table, sum, 0.9);
    add_quantile(table, sum, 0.99);
    cup_table_add_value(table, sum->opened ? cup_seconds((int64_t)sum->longest_ns) : cup_null(),
                        CUP_UNIT_SECONDS);
    cup_table_add_seconds(table, sum->ns + sum->failed_ns);
    cup_table_add_value(table, cup_count(sum->failed), CUP_UNIT_COUNT);
    cup_table_add_string(table, worst);
}

int cup_print_opens(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"server", CUP_FIT_LEFT, 0},   {"timed", CUP_FIT_LEFT, 4},  {"opened", CUP_FIT_RIGHT, 0},
        {"median", CUP_FIT_RIGHT, 0},  {"90 %", CUP_FIT_RIGHT, 3},  {"99 %", CUP_FIT_RIGHT, 0},
        {"longest", CUP_FIT_RIGHT, 2}, {"total", CUP_FIT_RIGHT, 1}, {"failed", CUP_FIT_RIGHT, 0},
        {"mostly", CUP_FIT_LEFT, 5},
    };
    size_t count;
    struct cup_table table;
    const struct cup_open_sum **sums = cup_opens_by_time(page->profile, &count);
    if (!sums)
        return -1;
    if (count > 0) {
        cup_page_heading(page, "Opening files",
                         "by server, of local files by their first directory; connect: TCP, "
                         "without names looked up before and TLS after");
        cup_table_start(&table, columns, sizeof columns / sizeof *columns);
        for (size_t i = 0; i < count && i < cup_page_rows(page, SHOWN_OPENS); i++)
            add_sum(page, &table, sums[i]);
        cup_table_finish(&table, &page->terminal);
        cup_page_more(page, cup_page_hidden(page, count, SHOWN_OPENS), "servers in --json");
    }
    free(sums);
    return 0;
}
