/* The workers: how many, how busy, how full; and those with the most to do. */
#include <stdlib.h>

#include "analysis/report/page/page.h"

enum { SHOWN_WORKERS = 10 };

/* ---- lines ------------------------------------------------------------------------------ */

static void print_line(const struct cup_page *page, const char *name, const char *text)
{
    char line[600];
    if (page->terminal.html) {
        snprintf(line, sizeof line, "%s: %s", name, text);
        cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
        return;
    }
    fprintf(page->terminal.out, "  %-15s", name);
    cup_print_hanging(&page->terminal, CUP_PLAIN, 17, text);
}

/* "4.00 a worker", "2 to 8 a worker (mean 4.00)". */
static void describe_size(const struct cup_page *page, char *to, size_t room)
{
    char mean[CUP_HUMAN_READABLE_ROOM], low[CUP_HUMAN_READABLE_ROOM], high[CUP_HUMAN_READABLE_ROOM];
    cup_page_human_readable(page, mean, CUP_METRIC_CORES_PER_WORKER);
    cup_human_readable(low, cup_metric_number(CUP_METRIC_CORES_PER_WORKER_MIN, page->totals),
                       CUP_UNIT_COUNT);
    cup_human_readable(high, cup_metric_number(CUP_METRIC_CORES_PER_WORKER_MAX, page->totals),
                       CUP_UNIT_COUNT);
    if (cup_metric_number(CUP_METRIC_CORES_PER_WORKER_MIN, page->totals) <
        cup_metric_number(CUP_METRIC_CORES_PER_WORKER_MAX, page->totals))
        snprintf(to, room, "%s to %s a worker (mean %s)", low, high, mean);
    else
        snprintf(to, room, "%s a worker", high);
}

static void print_count(const struct cup_page *page)
{
    char average[CUP_HUMAN_READABLE_ROOM], peak[CUP_HUMAN_READABLE_ROOM],
        cores[CUP_HUMAN_READABLE_ROOM];
    char total[CUP_HUMAN_READABLE_ROOM], size[200], line[500];
    double avg_cores = cup_metric_number(CUP_METRIC_AVG_CORES, page->totals),
           total_cores = cup_metric_number(CUP_METRIC_TOTAL_CORES, page->totals);
    describe_size(page, size, sizeof size);
    snprintf(line, sizeof line, "%s over time, at most %s; %s threads, %s",
             cup_page_human_readable(page, average, CUP_METRIC_AVG_WORKERS),
             cup_page_human_readable(page, peak, CUP_METRIC_PEAK_WORKERS),
             cup_page_human_readable(page, cores, CUP_METRIC_AVG_CORES), size);
    size_t length = strlen(line);
    if (fabs(avg_cores - total_cores) > 0.01 * avg_cores)
        snprintf(line + length, sizeof line - length,
                 "; workers x mean size, as roastcoffea counts: %s",
                 cup_page_human_readable(page, total, CUP_METRIC_TOTAL_CORES));
    print_line(page, "workers", line);
}

static void print_memory(const struct cup_page *page)
{
    char peak[CUP_HUMAN_READABLE_ROOM], average[CUP_HUMAN_READABLE_ROOM],
        share[CUP_HUMAN_READABLE_ROOM];
    char most[CUP_HUMAN_READABLE_ROOM], spilled[CUP_HUMAN_READABLE_ROOM], line[400];
    if (isnan(cup_metric_number(CUP_METRIC_PEAK_MEMORY_BYTES, page->totals)))
        return;
    snprintf(line, sizeof line, "%s a worker, at most %s; %s of the limit, at most %s; spilled %s",
             cup_page_human_readable(page, average, CUP_METRIC_AVG_MEMORY_PER_WORKER_BYTES),
             cup_page_human_readable(page, peak, CUP_METRIC_PEAK_MEMORY_BYTES),
             cup_page_human_readable(page, share, CUP_METRIC_MEMORY_UTILIZATION_PCT),
             cup_page_human_readable(page, most, CUP_METRIC_MEMORY_UTILIZATION_PCT_MAX),
             cup_page_human_readable(page, spilled, CUP_METRIC_SPILLED_BYTES_PEAK));
    size_t length = strlen(line);
    double without = cup_metric_number(CUP_METRIC_WORKERS_WITHOUT_MEMORY_LIMIT, page->totals);
    if (without > 0)
        snprintf(line + length, sizeof line - length, "; %.0f without a limit", without);
    print_line(page, "memory", line);
}

static void print_use(const struct cup_page *page)
{
    char cpu[CUP_HUMAN_READABLE_ROOM], clocks[CUP_HUMAN_READABLE_ROOM],
        running[CUP_HUMAN_READABLE_ROOM];
    char assigned[CUP_HUMAN_READABLE_ROOM], line[400];
    snprintf(line, sizeof line,
             "CPU %s (by the processes' clocks %s), tasks that run %s, assigned %s",
             cup_page_human_readable(page, cpu, CUP_METRIC_REAL_CPU_UTILIZATION_PCT),
             cup_page_human_readable(page, clocks, CUP_METRIC_REAL_CPU_UTILIZATION_PROCESS_PCT),
             cup_page_human_readable(page, running, CUP_METRIC_EXECUTING_UTILIZATION_PCT),
             cup_page_human_readable(page, assigned, CUP_METRIC_CPU_UTILIZATION_PCT));
    print_line(page, "of threads", line);
}

static void print_stalls(const struct cup_page *page)
{
    char workers[CUP_HUMAN_READABLE_ROOM], scheduler[CUP_HUMAN_READABLE_ROOM], line[300];
    snprintf(
        line, sizeof line, "at most %s in a worker, %s in the scheduler",
        cup_page_human_readable(page, workers, CUP_METRIC_EVENT_LOOP_STALL_S_PEAK),
        cup_page_human_readable(page, scheduler, CUP_METRIC_SCHEDULER_EVENT_LOOP_STALL_S_PEAK));
    print_line(page, "loops stalled", line);
}

static void print_rate(const struct cup_page *page)
{
    char samples[CUP_HUMAN_READABLE_ROOM], asked[CUP_HUMAN_READABLE_ROOM],
        reached[CUP_HUMAN_READABLE_ROOM];
    char gap[CUP_HUMAN_READABLE_ROOM], line[300];
    snprintf(line, sizeof line, "%s, every %s (asked for: %s), longest gap %s",
             cup_page_human_readable(page, samples, CUP_METRIC_NUM_SAMPLES),
             cup_page_human_readable(page, reached, CUP_METRIC_SAMPLE_INTERVAL_S),
             cup_page_human_readable(page, asked, CUP_METRIC_SAMPLE_INTERVAL_ASKED_S),
             cup_page_human_readable(page, gap, CUP_METRIC_SAMPLE_LONGEST_GAP_S));
    print_line(page, "samples", line);
}

/* ---- each worker ------------------------------------------------------------------------ */

/* Busy time of its threads: what most of its figures follow. */
static double load_of(const struct cup_observed_worker *worker)
{
    const struct cup_timeline *running = &worker->values[CUP_SEEN_EXECUTING];
    const struct cup_timeline *memory = &worker->values[CUP_SEEN_MEMORY];
    double load = running->area + running->sum;
    return load > 0 ? load : cup_timeline_known(memory) ? cup_timeline_average(memory) * 1e-30 : 0;
}

static int more_loaded_first(const void *left, const void *right)
{
    const struct cup_observed_worker *a = *(const struct cup_observed_worker *const *)left;
    const struct cup_observed_worker *b = *(const struct cup_observed_worker *const *)right;
    double x = load_of(a), y = load_of(b);
    return x != y ? (x > y ? -1 : 1) : (a > b) - (a < b);
}

static void add_percent(struct cup_table *table, const struct cup_observed_worker *worker,
                        enum cup_observed_percent percent)
{
    cup_table_add_value(table, cup_real(cup_timeline_mean(&worker->percents[percent])),
                        CUP_UNIT_PERCENT);
}

static void add_worker(struct cup_table *table, const struct cup_observed_worker *worker)
{
    const struct cup_timeline *v = worker->values;
    cup_table_add(table, worker->address);
    cup_table_add(table, worker->name.bytes ? worker->name : (struct cup_text){"", 0});
    cup_table_add_value(table, cup_real(cup_timeline_average(&v[CUP_SEEN_THREADS])),
                        CUP_UNIT_COUNT);
    cup_table_add_seconds(table, (uint64_t)worker->present.span_ns);
    add_percent(table, worker, CUP_PCT_EXECUTING);
    add_percent(table, worker, CUP_PCT_CPU);
    cup_table_add_value(table, cup_real(cup_timeline_max(&v[CUP_SEEN_MEMORY])), CUP_UNIT_BYTES);
    cup_table_add_value(table, cup_real(cup_timeline_max(&worker->percents[CUP_PCT_MEMORY])),
                        CUP_UNIT_PERCENT);
    cup_table_add_value(table, cup_real(cup_timeline_max(&v[CUP_SEEN_SPILLED])), CUP_UNIT_BYTES);
    cup_table_add_value(table, cup_real(cup_timeline_max(cup_observed_stalls(worker))),
                        CUP_UNIT_SECONDS);
}

static int print_each(const struct cup_page *page)
{
    static const struct cup_column columns[] = {
        {"worker", CUP_FIT_LEFT, 0},   {"name", CUP_FIT_LEFT, 5},
        {"threads", CUP_FIT_RIGHT, 1}, {"there", CUP_FIT_RIGHT, 4},
        {"running", CUP_FIT_RIGHT, 0}, {"CPU", CUP_FIT_RIGHT, 0},
        {"memory", CUP_FIT_RIGHT, 0},  {"of limit", CUP_FIT_RIGHT, 2},
        {"spilled", CUP_FIT_RIGHT, 3}, {"stalled", CUP_FIT_RIGHT, 3},
    };
    const struct cup_observed *observed = page->totals->observed;
    const struct cup_observed_worker **order = calloc(observed->worker_count + 1, sizeof *order);
    struct cup_table table;
    size_t count = 0;
    if (!order)
        return -1;
    for (size_t i = 0; i < observed->worker_count; i++)
        if (cup_observed_known(&observed->workers[i]))
            order[count++] = &observed->workers[i];
    qsort(order, count, sizeof *order, more_loaded_first);
    cup_table_start(&table, columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < count && i < cup_page_rows(page, SHOWN_WORKERS); i++)
        add_worker(&table, order[i]);
    cup_table_finish(&table, &page->terminal);
    cup_page_more(page, cup_page_hidden(page, count, SHOWN_WORKERS), "workers in --json");
    free(order);
    return 0;
}

int cup_print_workers(const struct cup_page *page)
{
    const struct cup_observed *observed = page->totals->observed;
    if (!observed->origin) {
        if (page->totals->all.tasks == 0)
            return 0;
        cup_page_heading(page, "Workers", "");
        cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, observed->reason);
        return 0;
    }
    cup_page_heading(page, "Workers", observed->source);
    print_count(page);
    print_memory(page);
    print_use(page);
    print_stalls(page);
    print_rate(page);
    return print_each(page);
}
