#include "analysis/report.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/advice.h"
#include "analysis/files.h"
#include "analysis/metrics.h"
#include "analysis/roles.h"
#include "analysis/table.h"
#include "analysis/task_columns.h"

/* What every section is printed from. */
struct page {
    const struct cup_totals *totals;
    const struct cup_profile *profile;
    struct cup_terminal terminal;
};

static double metric(const struct page *page, const char *section, const char *name)
{
    return cup_number(cup_metric_named(page->totals, section, name));
}

static char *humane(char *to, double number, enum cup_unit unit)
{
    return cup_print_humane(to, cup_real(number), unit);
}

static char *humane_metric(const struct page *page, char *to, const char *section, const char *name,
                           enum cup_unit unit)
{
    return cup_print_humane(to, cup_metric_named(page->totals, section, name), unit);
}

static struct cup_text text_of(const struct page *page, uint32_t string)
{
    struct cup_text text = cup_profile_text(page->profile, string);
    return text.bytes ? text : (struct cup_text){"(not known)", 11};
}

static void heading(const struct page *page, const char *text, const char *detail)
{
    cup_print(&page->terminal, CUP_HEADING, "\n%s", text);
    if (*detail)
        cup_print(&page->terminal, CUP_DIM, "  %s", detail);
    putc('\n', page->terminal.out);
}

static const char *plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

/* ---- summary: what must be on the first screen ----------------------------------------------- */

static uint64_t count_hosts(const struct cup_profile *profile)
{
    uint64_t hosts = 0;
    for (size_t i = 0; i < profile->process_count; i++) {
        size_t earlier = 0;
        while (earlier < i && strcmp(profile->processes[earlier].header.host,
                                     profile->processes[i].header.host) != 0)
            earlier++;
        hosts += earlier == i;
    }
    return hosts;
}

static void print_title(const struct page *page)
{
    char start[CUP_HUMANE_ROOM], tasks[CUP_HUMANE_ROOM], chunks[CUP_HUMANE_ROOM];
    const struct cup_totals *t = page->totals;
    unsigned long long hosts = count_hosts(page->profile);
    cup_print(&page->terminal, CUP_BOLD, "cupping report of %s\n", page->profile->path);
    humane_metric(page, start, "workflow", "t_start", CUP_UNIT_NONE);
    cup_print(&page->terminal, CUP_DIM, "%.10s %.8s UTC", start,
              strlen(start) > 19 ? start + 11 : "");
    cup_print(&page->terminal, CUP_DIM, ", %llu host%s, %llu worker%s with %llu thread%s, ", hosts,
              plural(hosts), (unsigned long long)t->workers, plural(t->workers),
              (unsigned long long)t->threads, plural(t->threads));
    cup_print(&page->terminal, CUP_DIM, "%s task%s, %s chunk%s\n\n",
              humane(tasks, (double)t->all.tasks, CUP_UNIT_COUNT), plural(t->all.tasks),
              humane(chunks, (double)t->used_chunks, CUP_UNIT_COUNT), plural(t->used_chunks));
}

/* One line of the summary: a name, the figure, and what it is made of. */
static void print_fact(const struct page *page, const char *name, enum cup_style style,
                       const char *figure, const char *detail)
{
    struct cup_text text = {detail, strlen(detail)};
    fprintf(page->terminal.out, "  %-11s", name);
    cup_print(&page->terminal, style, "%11s", figure);
    fputs("   ", page->terminal.out);
    cup_print_fit(&page->terminal, text, page->terminal.width - 27, CUP_FIT_NONE);
    putc('\n', page->terminal.out);
}

static void print_duration(const struct page *page)
{
    char wall[CUP_HUMANE_ROOM], chunks[CUP_HUMANE_ROOM], merge[CUP_HUMANE_ROOM], detail[200];
    humane_metric(page, wall, "workflow", "wall_time", CUP_UNIT_SECONDS);
    humane_metric(page, chunks, "workflow", "process_s", CUP_UNIT_SECONDS);
    humane_metric(page, merge, "workflow", "merge_s", CUP_UNIT_SECONDS);
    if (page->totals->chunks.stop_ns)
        snprintf(detail, sizeof detail, "first task to last; chunks %s, then %s to merge", chunks,
                 merge);
    else
        snprintf(detail, sizeof detail, "from the first task to the last");
    print_fact(page, "wall time", CUP_BOLD, wall, detail);
}

static void print_events(const struct page *page)
{
    char rate[CUP_HUMANE_ROOM], events[CUP_HUMANE_ROOM], core[CUP_HUMANE_ROOM], detail[200];
    humane_metric(page, rate, "workflow", "event_rate_wall_khz", CUP_UNIT_KHZ);
    humane_metric(page, events, "workflow", "total_events", CUP_UNIT_COUNT);
    humane_metric(page, core, "workflow", "event_rate_core_hz", CUP_UNIT_COUNT);
    if (metric(page, "workflow", "total_events") >= 0)
        snprintf(detail, sizeof detail, "%s events; %s events/s for each thread", events, core);
    else
        snprintf(detail, sizeof detail, "no Coffea work items were seen");
    print_fact(page, "events/s", CUP_BOLD, rate, detail);
}

static void print_bytes(const struct page *page)
{
    char rate[CUP_HUMANE_ROOM], bytes[CUP_HUMANE_ROOM], imports[CUP_HUMANE_ROOM], detail[200];
    humane_metric(page, rate, "workflow", "delivered_rate_mbs", CUP_UNIT_MBS);
    humane_metric(page, bytes, "workflow", "total_bytes_read", CUP_UNIT_BYTES);
    humane_metric(page, imports, "attribution", "import_bytes", CUP_UNIT_BYTES);
    snprintf(detail, sizeof detail, "%s of data files delivered to tasks (and %s of imports)",
             bytes, imports);
    print_fact(page, "read", CUP_BOLD, rate, detail);
}

static void print_cpu(const struct page *page)
{
    char share[CUP_HUMANE_ROOM], cpu[CUP_HUMANE_ROOM], all[CUP_HUMANE_ROOM], detail[200];
    double value = metric(page, "efficiency", "thread_cpu_efficiency");
    humane(share, value, CUP_UNIT_SHARE);
    humane_metric(page, cpu, "workflow", "total_thread_cpu_time", CUP_UNIT_SECONDS);
    humane_metric(page, all, "time_budget", "threads_s", CUP_UNIT_SECONDS);
    snprintf(detail, sizeof detail, "of the threads' time: %s of %s", cpu, all);
    print_fact(page, "CPU",
               value >= 0.7   ? CUP_GOOD
               : value >= 0.4 ? CUP_WARN
                              : CUP_BAD,
               share, detail);
}

static const char *const way_names[] = {
#define X(id, name, text) name,
    CUP_WAYS(X)
#undef X
};

static uint64_t way_bytes(const struct page *page, int way)
{
    return way == CUP_WAY_NONE ? page->totals->without_task[CUP_C_READ_NONE_BYTES]
                               : page->totals->counters[CUP_C_READ_OWN_BYTES + way];
}

/* "context 99.5 %, own 0.5 %" into `to`. */
static void list_ways(const struct page *page, char *to, size_t room)
{
    double total = metric(page, "attribution", "bytes_total");
    size_t length = 0;
    for (int way = 0; way < CUP_WAY_COUNT && length < room; way++) {
        char share[CUP_HUMANE_ROOM];
        if (way_bytes(page, way) == 0)
            continue;
        humane(share, (double)way_bytes(page, way) / total, CUP_UNIT_SHARE);
        length += (size_t)snprintf(to + length, room - length, "%s%s %s", length ? ", " : "",
                                   way_names[way], share);
    }
}

static void print_attributed(const struct page *page)
{
    char share[CUP_HUMANE_ROOM], total[CUP_HUMANE_ROOM], ways[160] = "", detail[240];
    double value = metric(page, "attribution", "share_attributed");
    humane(share, value, CUP_UNIT_SHARE);
    humane_metric(page, total, "attribution", "bytes_total", CUP_UNIT_BYTES);
    list_ways(page, ways, sizeof ways);
    snprintf(detail, sizeof detail, "of %s found their task%s%s", total, *ways ? ": " : "", ways);
    print_fact(page, "attributed", value >= 0.99 ? CUP_GOOD : CUP_WARN, share, detail);
}

static void print_trouble(const struct page *page)
{
    const struct cup_totals *t = page->totals;
    unsigned long long failed = t->all.erred, unfinished = t->all.unfinished;
    unsigned long long retried = t->retried_chunks;
    unsigned long long damaged = page->profile->logs_damaged + page->profile->logs_unreadable;
    bool fine = failed + unfinished + damaged == 0;
    char detail[200];
    snprintf(detail, sizeof detail,
             "%llu failed, %llu unfinished, %llu chunk%s tried again, %llu log%s damaged", failed,
             unfinished, retried, plural(retried), damaged, plural(damaged));
    print_fact(page, "trouble", fine ? CUP_GOOD : CUP_BAD, fine ? "none" : "yes", detail);
}

/* ---- the bar: where the threads' time went --------------------------------------------------- */

static const struct part {
    const char *metric, *mark, *text;
    enum cup_style style;
} parts[] = {
    {"task_cpu_s", "█", "CPU in tasks", CUP_GOOD},
    {"other_task_s", "▒", "waiting in tasks", CUP_WARN},
    {"outside_tasks_s", "░", "outside of tasks", CUP_DIM},
};
enum { PART_COUNT = sizeof parts / sizeof *parts };

static void print_bar(const struct page *page)
{
    double values[PART_COUNT], sum = 0;
    unsigned width = page->terminal.width - 4 < 76 ? page->terminal.width - 4 : 76, drawn = 0;
    for (int i = 0; i < PART_COUNT; i++)
        sum += values[i] = fmax(0, metric(page, "time_budget", parts[i].metric));
    if (!(sum > 0))
        return;
    double reached = 0;
    fputs("\n  ", page->terminal.out);
    for (int i = 0; i < PART_COUNT; i++) {
        reached += values[i];
        for (; drawn < (unsigned)(reached / sum * width + 0.5); drawn++)
            cup_print(&page->terminal, parts[i].style, "%s", parts[i].mark);
    }
    fputs("\n ", page->terminal.out);
    for (int i = 0; i < PART_COUNT; i++) {
        char share[CUP_HUMANE_ROOM];
        cup_print(&page->terminal, parts[i].style, " %s", parts[i].mark);
        fprintf(page->terminal.out, " %s %s ", parts[i].text,
                humane(share, values[i] / sum, CUP_UNIT_SHARE));
    }
    putc('\n', page->terminal.out);
}

enum { SHOWN_ADVICE = 2 };

static void print_advice(const struct page *page)
{
    struct cup_advice advice[CUP_ADVICE_MOST];
    size_t count = cup_advice_make(page->totals, advice);
    heading(page, count ? "Look at first" : "No task was seen", "");
    for (size_t i = 0; i < count && i < SHOWN_ADVICE; i++)
        cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, advice[i].text);
    if (count == 0)
        cup_print_wrapped(&page->terminal, CUP_PLAIN, 2,
                          "The processes that wrote these logs ran no Dask task and no Coffea "
                          "chunk, or the library could not see them: see health below.");
}

static int print_summary(const struct page *page)
{
    print_title(page);
    print_duration(page);
    print_events(page);
    print_bytes(page);
    print_cpu(page);
    print_attributed(page);
    print_trouble(page);
    print_bar(page);
    print_advice(page);
    return 0;
}

/* ---- tasks by prefix ---------------------------------------------------------------------------
 */

static bool counter_measured(const struct page *page, enum cup_feature feature)
{
    for (uint32_t i = 0; i < page->profile->process_count; i++)
        if (cup_process_has(page->profile, i, feature))
            return true;
    return false;
}

static void add_seconds(struct cup_table *table, uint64_t ns)
{
    cup_table_add_value(table, cup_seconds((int64_t)ns), CUP_UNIT_SECONDS);
}

static void add_prefix(const struct page *page, struct cup_table *table, uint32_t index)
{
    const struct cup_prefix *prefix = &page->profile->prefixes[index];
    const struct cup_task_sums *sums = &page->totals->prefixes[index];
    bool files = counter_measured(page, CUP_FEATURE_FILES);
    bool heap = counter_measured(page, CUP_FEATURE_HEAP);
    uint64_t failed = sums->erred + sums->unfinished;
    cup_table_add(table, text_of(page, prefix->name));
    cup_table_add_string(table, cup_prefix_is_processor(page->totals, index) ? "chunks" : "");
    cup_table_add_value(table, cup_count(sums->tasks), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(failed), CUP_UNIT_COUNT);
    add_seconds(table, sums->wall_ns);
    add_seconds(table, sums->cpu_ns);
    cup_table_add_value(table, cup_ratio((double)sums->cpu_ns, (double)sums->wall_ns),
                        CUP_UNIT_SHARE);
    cup_table_add_value(table, files ? cup_count(sums->read_bytes) : cup_null(), CUP_UNIT_BYTES);
    cup_table_add_value(table, heap ? cup_count(prefix->counters[CUP_C_ALLOC_BYTES]) : cup_null(),
                        CUP_UNIT_BYTES);
}

static int more_time_first(const void *left, const void *right)
{
    const struct cup_task_sums *a = *(const struct cup_task_sums *const *)left;
    const struct cup_task_sums *b = *(const struct cup_task_sums *const *)right;
    if (a->wall_ns != b->wall_ns)
        return a->wall_ns > b->wall_ns ? -1 : 1;
    return a < b ? -1 : a > b;
}

/* The prefixes that have tasks, by their time; `order` has room for all. Returns how many. */
static size_t order_prefixes(const struct page *page, const struct cup_task_sums **order)
{
    size_t count = 0;
    for (size_t i = 0; i < page->profile->prefix_count; i++)
        if (page->totals->prefixes[i].tasks)
            order[count++] = &page->totals->prefixes[i];
    qsort(order, count, sizeof *order, more_time_first);
    return count;
}

static void print_more(const struct page *page, size_t hidden, const char *what)
{
    if (hidden)
        cup_print(&page->terminal, CUP_DIM, "  ... and %zu more %s; all are in --json\n", hidden,
                  what);
}

enum { SHOWN_PREFIXES = 15, SHOWN_FILES = 10, SHOWN_DATASETS = 20, SHOWN_TASKS = 5 };

static int print_prefixes(const struct page *page)
{
    static const struct cup_column columns[] = {
        {"prefix", CUP_FIT_LEFT, 0},  {"", CUP_FIT_LEFT, 2},      {"tasks", CUP_FIT_RIGHT, 0},
        {"failed", CUP_FIT_RIGHT, 4}, {"time", CUP_FIT_RIGHT, 0}, {"CPU", CUP_FIT_RIGHT, 0},
        {"share", CUP_FIT_RIGHT, 3},  {"read", CUP_FIT_RIGHT, 0}, {"allocated", CUP_FIT_RIGHT, 1},
    };
    const struct cup_task_sums **order = calloc(page->profile->prefix_count + 1, sizeof *order);
    struct cup_table table;
    if (!order)
        return -1;
    size_t count = order_prefixes(page, order);
    heading(page, "Tasks by prefix", "time and CPU are sums over tasks");
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count && i < SHOWN_PREFIXES; i++)
        add_prefix(page, &table, (uint32_t)(order[i] - page->totals->prefixes));
    cup_table_finish(&table, &page->terminal);
    print_more(page, count > SHOWN_PREFIXES ? count - SHOWN_PREFIXES : 0, "prefixes");
    free(order);
    return 0;
}

/* ---- tasks that failed or never ended ---------------------------------------------------------
 */

static void add_bad_task(const struct page *page, struct cup_table *table, struct cup_text key,
                         const struct cup_task *task)
{
    struct cup_text error = cup_profile_text(page->profile, task->error);
    uint64_t wall_ns = cup_task_wall_ns(task);
    cup_table_add_string(table, cup_task_status_name(task));
    cup_table_add_value(table,
                        wall_ns == CUP_UNKNOWN64 ? cup_null() : cup_seconds((int64_t)wall_ns),
                        CUP_UNIT_SECONDS);
    cup_table_add(table, key.bytes ? key : (struct cup_text){"(key not known)", 15});
    cup_table_add(table, error);
}

static int print_bad_tasks(const struct page *page)
{
    static const struct cup_column columns[] = {{"status", CUP_FIT_NONE, 0},
                                                {"time", CUP_FIT_RIGHT, 1},
                                                {"key", CUP_FIT_LEFT, 0},
                                                {"error", CUP_FIT_LEFT, 2}};
    uint64_t bad = page->totals->all.erred + page->totals->all.unfinished, shown = 0;
    struct cup_key_reader keys;
    struct cup_table table;
    if (bad == 0)
        return 0;
    heading(page, "Tasks that failed or never ended", "");
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    cup_key_reader_open(&keys, page->profile);
    for (size_t i = 0; i < page->profile->task_count && shown < SHOWN_TASKS; i++) {
        const struct cup_task *task = &page->profile->tasks[i];
        if (task->status == CUP_STATUS_FINISHED)
            continue;
        add_bad_task(page, &table, cup_key_read(&keys, task), task);
        shown++;
    }
    cup_key_reader_close(&keys);
    cup_table_finish(&table, &page->terminal);
    print_more(page, bad - shown, "such tasks (`cupping tasks` lists them)");
    return 0;
}

static int print_tasks(const struct page *page)
{
    return print_prefixes(page) == 0 ? print_bad_tasks(page) : -1;
}

/* ---- chunks ------------------------------------------------------------------------------------
 */

static const struct statistic {
    enum cup_chunk_statistic which;
    const char *text;
    enum cup_unit unit;
} statistics[] = {
#define X(id, name, text, unit) {CUP_STAT_##id, text, unit},
    CUP_CHUNK_STATISTICS(X)
#undef X
};

static void add_statistic(const struct page *page, struct cup_table *table,
                          const struct statistic *statistic)
{
    struct cup_statistics s = cup_chunk_statistics(page->totals, statistic->which);
    const double numbers[] = {s.min, s.mean, s.median, s.max, s.stdev};
    if (s.count == 0)
        return;
    cup_table_add_string(table, statistic->text);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        cup_table_add_value(table, cup_real(numbers[i]), statistic->unit);
}

static void print_open_and_process(const struct page *page)
{
    const struct cup_totals *t = page->totals;
    char open[CUP_HUMANE_ROOM], process[CUP_HUMANE_ROOM], cpu[CUP_HUMANE_ROOM], line[300];
    if (t->timed_chunks == 0)
        return;
    humane(open, (double)t->open_ns / 1e9, CUP_UNIT_SECONDS);
    humane(process, (double)t->process_ns / 1e9, CUP_UNIT_SECONDS);
    humane(cpu, (double)t->process_cpu_ns / 1e9, CUP_UNIT_SECONDS);
    snprintf(line, sizeof line,
             "Of the chunks' time, %s went before process() (opening files), %s inside of it, "
             "%s of which on the CPU.",
             open, process, cpu);
    cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
}

static int print_chunks(const struct page *page)
{
    static const struct cup_column columns[] = {
        {"", CUP_FIT_LEFT, 0},        {"min", CUP_FIT_RIGHT, 0}, {"mean", CUP_FIT_RIGHT, 0},
        {"median", CUP_FIT_RIGHT, 0}, {"max", CUP_FIT_RIGHT, 0}, {"st.dev.", CUP_FIT_RIGHT, 1},
    };
    const struct cup_totals *t = page->totals;
    char detail[160];
    struct cup_table table;
    snprintf(detail, sizeof detail, "%llu used, %llu failed, %llu done again, %llu unfinished",
             (unsigned long long)t->used_chunks, (unsigned long long)t->failed_chunks,
             (unsigned long long)t->repeated_chunks, (unsigned long long)t->unfinished_chunks);
    heading(page, "Chunks", detail);
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; t->used_chunks && i < sizeof statistics / sizeof *statistics; i++)
        add_statistic(page, &table, &statistics[i]);
    if (t->used_chunks)
        cup_table_finish(&table, &page->terminal);
    print_open_and_process(page);
    return 0;
}

static void add_dataset(const struct page *page, struct cup_table *table,
                        const struct cup_dataset *dataset)
{
    double events = (double)dataset->events, process_s = (double)dataset->process_ns / 1e9;
    cup_table_add(table, text_of(page, dataset->name));
    cup_table_add_value(table, cup_count(dataset->chunks), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(dataset->failed + dataset->unfinished), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(dataset->events), CUP_UNIT_COUNT);
    add_seconds(table, dataset->wall_ns);
    cup_table_add_value(table, cup_ratio(events / 1e3, process_s), CUP_UNIT_KHZ);
    cup_table_add_value(table, cup_count(dataset->read_bytes), CUP_UNIT_BYTES);
    cup_table_add_value(table, cup_ratio((double)dataset->read_bytes, events), CUP_UNIT_BYTES);
}

static int print_datasets(const struct page *page)
{
    static const struct cup_column columns[] = {
        {"dataset", CUP_FIT_LEFT, 0}, {"chunks", CUP_FIT_RIGHT, 0},
        {"failed", CUP_FIT_RIGHT, 3}, {"events", CUP_FIT_RIGHT, 0},
        {"time", CUP_FIT_RIGHT, 0},   {"process()", CUP_FIT_RIGHT, 1},
        {"read", CUP_FIT_RIGHT, 0},   {"per event", CUP_FIT_RIGHT, 2},
    };
    size_t count = page->totals->dataset_count;
    struct cup_table table;
    if (count == 0)
        return 0;
    heading(page, "Datasets", "time is summed over chunks, events/s are those inside process()");
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count && i < SHOWN_DATASETS; i++)
        add_dataset(page, &table, &page->totals->datasets[i]);
    cup_table_finish(&table, &page->terminal);
    print_more(page, count > SHOWN_DATASETS ? count - SHOWN_DATASETS : 0, "datasets");
    return 0;
}

/* ---- files
 * ---------------------------------------------------------------------------------------- */

static void add_file(const struct page *page, struct cup_table *table, uint32_t index)
{
    const struct cup_file *file = &page->profile->files[index];
    const struct cup_file_sum total = cup_file_total(page->profile, index);
    const uint64_t *c = total.counters;
    double calls = (double)c[CUP_F_READ_CALLS];
    cup_table_add(table, text_of(page, file->path));
    cup_table_add_value(table, cup_count(c[CUP_F_READ_BYTES]), CUP_UNIT_BYTES);
    cup_table_add_value(table, cup_count(c[CUP_F_READ_CALLS]), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_ratio((double)c[CUP_F_READ_BYTES], calls), CUP_UNIT_BYTES);
    add_seconds(table, c[CUP_F_READ_NS]);
    cup_table_add_value(table, cup_ratio((double)c[CUP_F_SEQUENTIAL_CALLS], calls), CUP_UNIT_SHARE);
    cup_table_add_value(table, cup_count(c[CUP_F_OPENS]), CUP_UNIT_COUNT);
    cup_table_add_value(table, cup_count(total.tasks), CUP_UNIT_COUNT);
}

static void print_access_sizes(const struct page *page)
{
    static const char *const names[] = {"<=100 B", "<=1 KiB",  "<=10 KiB",  "<=100 KiB", "<=1 MiB",
                                        "<=4 MiB", "<=10 MiB", "<=100 MiB", "<=1 GiB",   ">1 GiB"};
    enum { SIZES = CUP_FILE_COUNTER_COUNT - CUP_F_SIZE_0_100 };
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
        char share[CUP_HUMANE_ROOM];
        size_t length = strlen(line);
        if (sums[s] > 0)
            snprintf(line + length, sizeof line - length, "%s %s, ", names[s],
                     humane(share, sums[s] / all, CUP_UNIT_SHARE));
    }
    if (all > 0) {
        line[strlen(line) - 2] = '\0';
        cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
    }
}

static int print_files(const struct page *page)
{
    static const struct cup_column columns[] = {
        {"data file", CUP_FIT_LEFT, 0}, {"read", CUP_FIT_RIGHT, 0},
        {"calls", CUP_FIT_RIGHT, 0},    {"a call", CUP_FIT_RIGHT, 3},
        {"time", CUP_FIT_RIGHT, 0},     {"in sequence", CUP_FIT_RIGHT, 4},
        {"opens", CUP_FIT_RIGHT, 2},    {"tasks", CUP_FIT_RIGHT, 1},
    };
    size_t count;
    uint32_t *files = cup_files_by_bytes(page->profile, CUP_FILE_DATA, &count);
    struct cup_table table;
    char detail[100];
    if (!files)
        return -1;
    snprintf(detail, sizeof detail, "%zu data file%s, those most read first", count, plural(count));
    heading(page, "Files", detail);
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count && i < SHOWN_FILES; i++)
        add_file(page, &table, files[i]);
    if (count)
        cup_table_finish(&table, &page->terminal);
    print_more(page, count > SHOWN_FILES ? count - SHOWN_FILES : 0, "files");
    print_access_sizes(page);
    free(files);
    return 0;
}

/* ---- sections that are lists of metrics ------------------------------------------------------ */

static void print_metrics(const struct page *page, const char *section)
{
    static const struct cup_column columns[] = {
        {"", CUP_FIT_LEFT, 0}, {"", CUP_FIT_RIGHT, 0}, {"name in --json", CUP_FIT_NONE, 1}};
    struct cup_table table;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < cup_metric_count; i++) {
        const struct cup_metric *m = &cup_metrics[i];
        struct cup_value value = cup_null();
        if (strcmp(m->section, section) == 0 && m->label)
            value = cup_metric_value(m, page->totals);
        if (value.kind == CUP_VALUE_NULL)
            continue;
        cup_table_add_string(&table, m->label);
        cup_table_add_value(&table, value, m->unit);
        cup_table_add_string(&table, m->name);
    }
    cup_table_finish(&table, &page->terminal);
}

static int print_workflow(const struct page *page)
{
    heading(page, "Workflow", "kB, MB, GB are powers of 1000");
    print_metrics(page, "workflow");
    return 0;
}

static int print_efficiency(const struct page *page)
{
    heading(page, "Efficiency", "");
    print_metrics(page, "efficiency");
    return 0;
}

static int print_time_budget(const struct page *page)
{
    heading(page, "Time budget", "worker threads x wall time, split without remainder");
    print_metrics(page, "time_budget");
    return 0;
}

static int print_attribution(const struct page *page)
{
    static const struct cup_column columns[] = {{"way", CUP_FIT_LEFT, 0},
                                                {"bytes", CUP_FIT_RIGHT, 0},
                                                {"share", CUP_FIT_RIGHT, 0},
                                                {"", CUP_FIT_LEFT, 1}};
    static const char *const texts[] = {
#define X(id, name, text) text,
        CUP_WAYS(X)
#undef X
    };
    double total = metric(page, "attribution", "bytes_total");
    struct cup_table table;
    heading(page, "Attribution", "how the bytes read in worker processes found their task");
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (int way = 0; way < CUP_WAY_COUNT; way++) {
        cup_table_add_string(&table, way_names[way]);
        cup_table_add_value(&table, total >= 0 ? cup_count(way_bytes(page, way)) : cup_null(),
                            CUP_UNIT_BYTES);
        cup_table_add_value(&table, cup_ratio((double)way_bytes(page, way), total), CUP_UNIT_SHARE);
        cup_table_add_string(&table, texts[way]);
    }
    cup_table_finish(&table, &page->terminal);
    print_metrics(page, "attribution");
    return 0;
}

/* ---- health ------------------------------------------------------------------------------------
 */

static void print_roles(const struct page *page)
{
    uint64_t counts[CUP_ROLE_COUNT];
    char line[300] = "Processes: ";
    cup_count_roles(page->profile, counts);
    for (int role = CUP_ROLE_COUNT - 1; role >= 0; role--) {
        size_t length = strlen(line);
        if (counts[role])
            snprintf(line + length, sizeof line - length, "%llu %s, ",
                     (unsigned long long)counts[role], cup_role_name(role));
    }
    line[strlen(line) - 2] = '\0';
    cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
}

static void print_counters(const struct page *page)
{
    static const struct cup_column columns[] = {
        {"", CUP_FIT_LEFT, 0}, {"", CUP_FIT_RIGHT, 0}, {"name in --json", CUP_FIT_NONE, 1}};
    static const char *const names[][2] = {
#define X(id, name, text) {name, text},
        CUP_HEALTH(X)
#undef X
    };
    struct cup_table table;
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (int i = 0; i < CUP_HEALTH_COUNT; i++) {
        cup_table_add_string(&table, names[i][1]);
        if (i == CUP_H_ANCHOR_NS)
            cup_table_add_value(&table, cup_seconds((int64_t)page->profile->health[i]),
                                CUP_UNIT_SECONDS);
        else
            cup_table_add_value(&table, cup_count(page->profile->health[i]), CUP_UNIT_COUNT);
        cup_table_add_string(&table, names[i][0]);
    }
    cup_table_finish(&table, &page->terminal);
}

enum { SHOWN_NOTES = 20 };

/* Each text once, however many processes wrote it. */
static void print_notes(const struct page *page)
{
    const struct cup_profile *profile = page->profile;
    size_t shown = 0;
    for (size_t i = 0; i < profile->note_count && shown < SHOWN_NOTES; i++) {
        char line[400];
        size_t earlier = 0;
        while (earlier < i && profile->notes[earlier].text != profile->notes[i].text)
            earlier++;
        if (earlier < i)
            continue;
        struct cup_text text = text_of(page, profile->notes[i].text);
        snprintf(line, sizeof line, "Note: %.*s", (int)(text.length < 380 ? text.length : 380),
                 text.bytes);
        cup_print_wrapped(&page->terminal, CUP_WARN, 2, line);
        shown++;
    }
}

static void print_features(const struct page *page)
{
    struct cup_feature_off off[CUP_FEATURE_COUNT];
    size_t count = cup_features_off(page->profile, off);
    for (size_t i = 0; i < count; i++) {
        char line[200];
        snprintf(line, sizeof line, "Off in %llu worker process%s: %s: %s.",
                 (unsigned long long)off[i].processes, off[i].processes == 1 ? "" : "es",
                 off[i].name, off[i].consequence);
        cup_print_wrapped(&page->terminal, CUP_WARN, 2, line);
    }
}

static int print_health(const struct page *page)
{
    heading(page, "Health", "of the profile itself");
    print_roles(page);
    print_features(page);
    print_notes(page);
    print_metrics(page, "health");
    print_counters(page);
    return 0;
}

/* ---- sources: why something is n/a ------------------------------------------------------------
 */

static bool is_missing(const struct cup_metric *m)
{
    return m->compute == NULL;
}

/* All metrics that lack the same source, in one paragraph. */
static void print_missing(const struct page *page, size_t first)
{
    const char *reason = cup_metrics[first].source;
    char line[2000];
    int length = snprintf(line, sizeof line, "n/a, %s: ", reason);
    for (size_t i = first; i < cup_metric_count && (size_t)length < sizeof line; i++)
        if (is_missing(&cup_metrics[i]) && strcmp(cup_metrics[i].source, reason) == 0)
            length += snprintf(line + length, sizeof line - (size_t)length, "%s%s.%s",
                               i > first ? ", " : "", cup_metrics[i].section, cup_metrics[i].name);
    cup_print_wrapped(&page->terminal, CUP_DIM, 2, line);
}

static int print_sources(const struct page *page)
{
    heading(page, "Sources", "P: the library's own measurement; D: Dask; C: the Coffea report");
    cup_print_wrapped(&page->terminal, CUP_DIM, 2,
                      "All figures above are P; the sources section of --json says how each is "
                      "made.");
    for (size_t i = 0; i < cup_metric_count; i++) {
        size_t earlier = 0;
        while (earlier < i && !(is_missing(&cup_metrics[earlier]) &&
                                strcmp(cup_metrics[earlier].source, cup_metrics[i].source) == 0))
            earlier++;
        if (is_missing(&cup_metrics[i]) && earlier == i)
            print_missing(page, i);
    }
    return 0;
}

/* ---- all of it
 * ------------------------------------------------------------------------------------ */

static const struct section {
    const char *name;
    int (*print)(const struct page *page); /* 0, or -1 without memory */
} sections[] = {
    {"summary", print_summary},
    {"tasks", print_tasks},
    {"chunks", print_chunks},
    {"datasets", print_datasets},
    {"files", print_files},
    {"workflow", print_workflow},
    {"efficiency", print_efficiency},
    {"time_budget", print_time_budget},
    {"attribution", print_attribution},
    {"health", print_health},
    {"sources", print_sources},
};
enum { SECTION_COUNT = sizeof sections / sizeof *sections };

bool cup_report_has_section(const char *name)
{
    for (int i = 0; i < SECTION_COUNT; i++)
        if (strcmp(sections[i].name, name) == 0)
            return true;
    return false;
}

int cup_report_text(const struct cup_totals *totals, const struct cup_output *output,
                    const char *only)
{
    struct page page = {.totals = totals, .profile = totals->profile};
    cup_terminal_open(&page.terminal, output->file);
    int result = 0;
    for (int i = 0; i < SECTION_COUNT && result == 0; i++)
        if (!only || strcmp(sections[i].name, only) == 0)
            result = sections[i].print(&page);
    return result;
}
