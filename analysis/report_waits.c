/* Where tasks' time went, by prefix, and how long tasks, reads and waits for the GIL took. */
#include <stdlib.h>
#include <string.h>

#include "analysis/page.h"

enum { SHOWN_PREFIXES = 10 };

/* ---- waits ------------------------------------------------------------------------------ */

/* Percent without a unit, which the heading tells. */
static void add_percent(struct cup_table *table, uint64_t part_ns, uint64_t all_ns, bool known)
{
    char text[32];
    if (known && all_ns > 0)
        snprintf(text, sizeof text, "%.1f", 100 * (double)part_ns / (double)all_ns);
    else
        snprintf(text, sizeof text, "n/a");
    cup_table_add_string(table, text);
}

static void add_wait(const struct cup_page *page, struct cup_table *table,
                     const struct cup_wait_sums *sums, uint64_t ns, int part)
{
    add_percent(table, ns, cup_wait_sums_wall_ns(sums),
                cup_profile_measured(page->profile, cup_wait_parts[part].needs));
}

static void add_waits(const struct cup_page *page, struct cup_table *table, struct cup_text name,
                      const struct cup_wait_sums *sums)
{
    const uint64_t *ns = sums->ns, wall_ns = cup_wait_sums_wall_ns(sums);
    cup_table_add(table, name);
    cup_table_add_seconds(table, wall_ns);
    add_percent(table, sums->cpu_ns, wall_ns, true);
    add_wait(page, table, sums, ns[CUP_WAITED_IO], CUP_WAITED_IO);
    add_wait(page, table, sums, ns[CUP_WAITED_GIL], CUP_WAITED_GIL);
    add_wait(page, table, sums, ns[CUP_WAITED_LOCK], CUP_WAITED_LOCK);
    add_wait(page, table, sums, ns[CUP_WAITED_POLL], CUP_WAITED_POLL);
    add_wait(page, table, sums, ns[CUP_WAITED_SLEEP], CUP_WAITED_SLEEP);
    add_wait(page, table, sums, ns[CUP_WAITED_RUN_DELAY], CUP_WAITED_RUN_DELAY);
    add_wait(page, table, sums, ns[CUP_WAITED_FAULT], CUP_WAITED_FAULT);
    add_wait(page, table, sums, ns[CUP_WAITED_OTHER], CUP_WAITED_OTHER);
}

static void add_worker(const struct cup_page *page, struct cup_table *table,
                       const struct cup_process *process)
{
    char name[128];
    struct cup_wait_sums sums = process->waits[CUP_PLACE_POOL];
    cup_wait_sums_add(&sums, &process->waits[CUP_PLACE_ELSEWHERE]);
    int length =
        snprintf(name, sizeof name, "%s, process %u", process->header.host, process->header.pid);
    if (sums.tasks)
        add_waits(page, table, (struct cup_text){name, (size_t)length}, &sums);
}

/* Workers, where there are several: whether all fare alike. */
static void print_workers(const struct cup_page *page, const struct cup_column *columns,
                          unsigned count)
{
    struct cup_column own[CUP_TABLE_COLUMNS];
    struct cup_table table;
    size_t workers = 0;
    memcpy(own, columns, count * sizeof *columns);
    own[0].heading = "worker";
    cup_table_start(&table, own, count);
    for (size_t i = 0; i < page->profile->process_count; i++) {
        if (page->profile->processes[i].tasks == 0)
            continue;
        if (workers++ < SHOWN_PREFIXES)
            add_worker(page, &table, &page->profile->processes[i]);
    }
    if (workers > 1)
        cup_table_finish(&table, &page->terminal);
    else
        cup_table_drop(&table);
    cup_page_more(page, workers > SHOWN_PREFIXES ? workers - SHOWN_PREFIXES : 0,
                  "workers in --json");
}

static void print_waits(const struct cup_page *page, const uint32_t *order, size_t count)
{
    static const struct cup_column columns[] = {
        {"prefix", CUP_FIT_LEFT, 0},   {"time", CUP_FIT_RIGHT, 4},  {"CPU", CUP_FIT_RIGHT, 0},
        {"I/O", CUP_FIT_RIGHT, 0},     {"GIL", CUP_FIT_RIGHT, 0},   {"locks", CUP_FIT_RIGHT, 0},
        {"sockets", CUP_FIT_RIGHT, 1}, {"sleep", CUP_FIT_RIGHT, 5}, {"no core", CUP_FIT_RIGHT, 2},
        {"faults", CUP_FIT_RIGHT, 6},  {"other", CUP_FIT_RIGHT, 3},
    };
    enum { COLUMNS = sizeof columns / sizeof *columns };
    struct cup_table table;
    cup_page_heading(page, "Waits", "percent of the tasks' time; helpers' own waits are in --json");
    cup_table_start(&table, columns, COLUMNS);
    for (size_t i = 0; i < count && i < SHOWN_PREFIXES; i++) {
        const struct cup_prefix *prefix = &page->profile->prefixes[order[i]];
        if (prefix->waits.tasks)
            add_waits(page, &table, cup_page_text(page, prefix->name), &prefix->waits);
    }
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, count > SHOWN_PREFIXES ? count - SHOWN_PREFIXES : 0, "prefixes in --json");
    print_workers(page, columns, COLUMNS);
}

/* ---- durations -------------------------------------------------------------------------- */

static void add_quantile(struct cup_table *table, const struct cup_durations *durations,
                         double share)
{
    cup_table_add_value(table, cup_real(cup_durations_quantile_ns(durations, share) / 1e9),
                        CUP_UNIT_SECONDS);
}

static void add_durations(const struct cup_page *page, struct cup_table *table,
                          const struct cup_prefix *prefix, int kind)
{
    const struct cup_durations durations = cup_prefix_durations(prefix, kind);
    uint64_t total = cup_durations_total(&durations);
    if (total == 0)
        return;
    cup_table_add(table, cup_page_text(page, prefix->name));
    cup_table_add_string(table, cup_duration_kinds[kind].text);
    cup_table_add_value(table, cup_count(total), CUP_UNIT_COUNT);
    add_quantile(table, &durations, 0.5);
    add_quantile(table, &durations, 0.9);
    add_quantile(table, &durations, 0.99);
    cup_table_add_seconds(table, cup_durations_longest_ns(&durations));
}

static void print_durations(const struct cup_page *page, const uint32_t *order, size_t count)
{
    static const struct cup_column columns[] = {
        {"prefix", CUP_FIT_LEFT, 0}, {"", CUP_FIT_LEFT, 0},     {"number", CUP_FIT_RIGHT, 2},
        {"p50", CUP_FIT_RIGHT, 0},   {"p90", CUP_FIT_RIGHT, 1}, {"p99", CUP_FIT_RIGHT, 0},
        {"max", CUP_FIT_RIGHT, 0},
    };
    struct cup_table table;
    cup_page_heading(page, "Durations", "half of them took no longer than p50");
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count && i < SHOWN_PREFIXES; i++)
        for (int kind = CUP_DURATION_COUNT; kind-- > 0;)
            add_durations(page, &table, &page->profile->prefixes[order[i]], kind);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, count > SHOWN_PREFIXES ? count - SHOWN_PREFIXES : 0, "prefixes in --json");
}

int cup_print_waits(const struct cup_page *page)
{
    size_t count;
    uint32_t *order = cup_prefixes_by_time(page->totals, &count);
    if (!order)
        return -1;
    if (count > 0 && cup_profile_measured(page->profile, CUP_FEATURE_WAITS))
        print_waits(page, order, count);
    if (count > 0)
        print_durations(page, order, count);
    free(order);
    return 0;
}
