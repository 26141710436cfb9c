/* The peers of sockets: storage servers, as a rule. */
#include <stdlib.h>
#include <string.h>

#include "analysis/profile/files.h"
#include "analysis/report/page/page.h"

enum { SHOWN_SERVERS = 10 };

static void add_server(const struct cup_page *page, struct cup_table *table, uint32_t index)
{
    const struct cup_file_sum total = cup_file_total(page->profile, index);
    const uint64_t *c = total.counters;
    cup_table_add(table, cup_page_text(page, page->profile->files[index].path));
    cup_table_add_value(table, cup_count(c[CUP_F_READ_BYTES]), CUP_UNIT_BYTES);
    cup_table_add_value(table, cup_count(c[CUP_F_WRITE_BYTES]), CUP_UNIT_BYTES);
    cup_table_add_value(table, cup_count(c[CUP_F_WRITE_CALLS]), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_ratio((double)c[CUP_F_READ_BYTES], (double)c[CUP_F_WRITE_CALLS]),
                        CUP_UNIT_BYTES);
    cup_table_add_seconds(table, c[CUP_F_READ_NS] + c[CUP_F_WRITE_NS]);
    cup_table_add_value(table, cup_count(c[CUP_F_OPENS]), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(total.tasks), CUP_UNIT_COUNT);
}

/* Pairs of sockets by which event loops are woken have no name, and deliver nothing to tasks. */
static size_t leave_out_wakers(const struct cup_profile *profile, uint32_t *servers, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        const struct cup_file_sum total = cup_file_total(profile, servers[i]);
        struct cup_text name = cup_profile_text(profile, profile->files[servers[i]].path);
        bool nameless = name.length == 5 && memcmp(name.bytes, "unix:", 5) == 0;
        if (!nameless || total.counters[CUP_F_READ_BYTES] > 0)
            servers[kept++] = servers[i];
    }
    return kept;
}

int cup_print_servers(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"server", CUP_FIT_LEFT, 0},       {"received", CUP_FIT_RIGHT, 0},
        {"sent", CUP_FIT_RIGHT, 2},        {"requests", CUP_FIT_RIGHT, 0},
        {"a request", CUP_FIT_RIGHT, 3},   {"time", CUP_FIT_RIGHT, 0},
        {"connections", CUP_FIT_RIGHT, 4}, {"tasks", CUP_FIT_RIGHT, 1},
    };
    size_t count;
    uint32_t *servers = cup_files_by_bytes(page->profile, CUP_FILE_SOCKET, &count);
    struct cup_table table;
    if (!servers)
        return -1;
    count = leave_out_wakers(page->profile, servers, count);
    if (count > 0) {
        cup_page_heading(page, "Servers",
                         "peers of sockets, Dask's own apart; a request is a call that sent");
        cup_table_start(&table, columns, sizeof columns / sizeof *columns);
        for (size_t i = 0; i < count && i < cup_page_rows(page, SHOWN_SERVERS); i++)
            add_server(page, &table, servers[i]);
        cup_table_finish(&table, &page->terminal);
        cup_page_more(page, cup_page_hidden(page, count, SHOWN_SERVERS), "servers in --json");
    }
    free(servers);
    return 0;
}
