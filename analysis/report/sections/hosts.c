/* Hosts, and how they compare. */
#include "analysis/report/page/page.h"

enum { SHOWN_HOSTS = 20 };

static struct cup_value hours(uint64_t ns)
{
    return cup_real((double)ns / 3600e9);
}

static void add_sums(struct cup_table *table, const struct cup_host *host)
{
    double wall_s = (double)host->wall_ns / 1e9, cpu_s = (double)host->cpu_ns / 1e9;
    cup_table_add_value(table, cup_count(host->workers), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(host->threads), CUP_UNIT_COUNT);
    cup_table_add_value(table, hours(host->threads_ns), CUP_UNIT_RATIO);
    cup_table_add_value(table, cup_count(host->chunks), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(host->failed), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_ratio((double)host->events, wall_s), CUP_UNIT_HZ);
    cup_table_add_value(table, cup_ratio((double)host->events, cpu_s), CUP_UNIT_HZ);
    cup_table_add_value(table, cup_count(host->read_bytes), CUP_UNIT_BYTES);
    cup_table_add_value(table, cup_ratio((double)host->io_wait_ns, (double)host->waited_ns),
                        CUP_UNIT_SHARE);
}

static void add_host(const struct cup_page *page, struct cup_table *table,
                     const struct cup_host *host)
{
    cup_table_add(table, cup_intern_text(&page->totals->hosts->names, host->name));
    cup_table_add(table, cup_page_text(page, host->model));
    add_sums(table, host);
    cup_table_add_string(table, cup_host_verdicts[host->verdict]);
}

/* Slow ones are shown however many there are before them. */
static void add_hosts(const struct cup_page *page, struct cup_table *table)
{
    const struct cup_hosts *hosts = page->totals->hosts;
    for (size_t i = 0; i < hosts->count; i++)
        if (page->alone || i < SHOWN_HOSTS || hosts->rows[i].verdict > CUP_HOST_ORDINARY)
            add_host(page, table, &hosts->rows[i]);
}

static void print_models(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"CPU model", CUP_FIT_LEFT, 0},  {"hosts", CUP_FIT_RIGHT, 0},
        {"workers", CUP_FIT_RIGHT, 4},   {"threads", CUP_FIT_RIGHT, 0},
        {"core-h", CUP_FIT_RIGHT, 3},    {"chunks", CUP_FIT_RIGHT, 0},
        {"failed", CUP_FIT_RIGHT, 5},    {"ev/s/core", CUP_FIT_RIGHT, 0},
        {"per CPU s", CUP_FIT_RIGHT, 2}, {"read", CUP_FIT_RIGHT, 1},
        {"I/O wait", CUP_FIT_RIGHT, 6},
    };
    const struct cup_hosts *hosts = page->totals->hosts;
    struct cup_table table;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < hosts->model_count; i++) {
        cup_table_add(&table, cup_page_text(page, hosts->models[i].model));
        cup_table_add_value(&table, cup_count(hosts->models[i].hosts), CUP_UNIT_COUNT);
        add_sums(&table, &hosts->models[i]);
    }
    cup_table_finish(&table, &page->terminal);
}

static void print_rule(const struct cup_page *page)
{
    char line[400];
    snprintf(line, sizeof line,
             "ev/s/core: events over the summed time of the chunks. slow, fast: further than %.1f "
             "robust deviations, and %.0f %%, from the median of the hosts with the same CPU "
             "model, of which %d with %d chunks or more are needed.",
             CUP_HOST_OUTLIER_DEVIATIONS, 100 * CUP_HOST_OUTLIER_SHARE, CUP_HOSTS_COMPARED,
             CUP_HOST_CHUNKS);
    cup_print_wrapped(&page->terminal, CUP_DIM, 2, line);
}

int cup_print_hosts(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"host", CUP_FIT_LEFT, 0},       {"CPU model", CUP_FIT_LEFT, 4},
        {"workers", CUP_FIT_RIGHT, 5},   {"threads", CUP_FIT_RIGHT, 0},
        {"core-h", CUP_FIT_RIGHT, 3},    {"chunks", CUP_FIT_RIGHT, 0},
        {"failed", CUP_FIT_RIGHT, 0},    {"ev/s/core", CUP_FIT_RIGHT, 0},
        {"per CPU s", CUP_FIT_RIGHT, 6}, {"read", CUP_FIT_RIGHT, 1},
        {"I/O wait", CUP_FIT_RIGHT, 2},  {"", CUP_FIT_LEFT, 0},
    };
    const struct cup_hosts *hosts = page->totals->hosts;
    struct cup_table table;
    if (hosts->count == 0 || (hosts->count == 1 && !page->alone))
        return 0;
    cup_page_heading(page, "Hosts", "");
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    add_hosts(page, &table);
    cup_table_finish(&table, &page->terminal);
    if (!page->alone && hosts->count > SHOWN_HOSTS)
        cup_page_more(page, hosts->count - SHOWN_HOSTS, "hosts, slow and fast ones apart");
    if (hosts->model_count > 1 || page->alone)
        print_models(page);
    print_rule(page);
    return 0;
}
