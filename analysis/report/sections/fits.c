/* What a chunk costs by its number of events: part of the section on chunks. */
#include <stdio.h>
#include <string.h>

#include "analysis/metrics/chunks/chunk_size.h"
#include "analysis/report/page/page.h"

static void print_line(const struct cup_page *page, const char *line)
{
    cup_print_wrapped(&page->terminal, CUP_PLAIN, 2, line);
}

static void print_missing(const struct cup_page *page, const char *what, const char *reason)
{
    char line[300];
    snprintf(line, sizeof line, "How %s with events is not known: %s.", what, reason);
    print_line(page, line);
}

/* "21.9 us (error 36.5 us)" */
static const char *with_error(char to[2 * CUP_HUMAN_READABLE_ROOM], double number, double error,
                              enum cup_unit unit)
{
    char first[CUP_HUMAN_READABLE_ROOM], second[CUP_HUMAN_READABLE_ROOM];
    snprintf(to, 2 * CUP_HUMAN_READABLE_ROOM, "%.30s (error %.30s)",
             cup_human_readable(first, number, unit), cup_human_readable(second, error, unit));
    return to;
}

static void print_time(const struct cup_page *page, const struct cup_line_fit *fit)
{
    char fixed[2 * CUP_HUMAN_READABLE_ROOM], event[2 * CUP_HUMAN_READABLE_ROOM], line[500];
    const char *doubt = cup_time_doubt(fit);
    with_error(fixed, cup_line_at(&fit->robust, 0), cup_line_error_at(&fit->robust, 0),
               CUP_UNIT_SECONDS);
    with_error(event, fit->robust.slope, fit->robust.slope_error, CUP_UNIT_SECONDS);
    snprintf(
        line, sizeof line,
        "Time of %zu chunks against their events: %s a chunk and %s an event, %zu outlier%s.%s%s%s",
        fit->count, fixed, event, fit->outliers, cup_plural(fit->outliers),
        doubt ? " Too uncertain to conclude from: " : "", doubt ? doubt : "", doubt ? "." : "");
    print_line(page, line);
}

static void print_heap(const struct cup_page *page, const struct cup_line_fit *fit)
{
    char fixed[2 * CUP_HUMAN_READABLE_ROOM], event[2 * CUP_HUMAN_READABLE_ROOM],
        spread[CUP_HUMAN_READABLE_ROOM], line[500];
    with_error(fixed, cup_line_at(&fit->robust, 0), cup_line_error_at(&fit->robust, 0),
               CUP_UNIT_BYTES);
    with_error(event, fit->robust.slope, fit->robust.slope_error, CUP_UNIT_BYTES);
    snprintf(line, sizeof line,
             "Peak live heap likewise: %s a chunk and %s an event; chunks of the same size differ "
             "by %s.",
             fixed, event, cup_human_readable(spread, fit->robust.spread, CUP_UNIT_BYTES));
    print_line(page, line);
}

static void print_growth(const struct cup_page *page, const struct cup_chunk_fit *fit)
{
    const char *time = fit->time.missing, *heap = fit->heap.missing;
    if (time && heap && strcmp(time, heap) == 0) {
        print_missing(page, "time and peak heap grow", time);
        return;
    }
    if (time)
        print_missing(page, "time grows", time);
    else
        print_time(page, &fit->time);
    if (heap)
        print_missing(page, "peak heap grows", heap);
    else
        print_heap(page, &fit->heap);
}

static const char *by(enum cup_size_bound bound)
{
    static const char *const texts[CUP_BOUND_COUNT] = {
        [CUP_BOUND_NONE] = "",
        [CUP_BOUND_FIXED_COST] = "the fixed part is then 10 % of the time",
        [CUP_BOUND_SCHEDULER] = "the scheduler has then 10 ms of thread time a task",
        [CUP_BOUND_WALL] = "a chunk then takes 5 min",
        [CUP_BOUND_THREADS] = "each thread then has 4 chunks",
        [CUP_BOUND_MEMORY] = "the worker's memory is then full",
        [CUP_BOUND_FILE] = "the largest file",
        [CUP_BOUND_FIT] = "no chunk near that was seen",
    };
    return texts[bound];
}

static void print_size(const struct cup_page *page, const struct cup_chunk_size *size)
{
    char least[CUP_HUMAN_READABLE_ROOM], most[CUP_HUMAN_READABLE_ROOM],
        present[CUP_HUMAN_READABLE_ROOM], line[500];
    if (size->missing)
        return; /* for what is said above */
    cup_human_readable(least, cup_two_digits(size->least), CUP_UNIT_COUNT);
    cup_human_readable(most, cup_two_digits(size->most), CUP_UNIT_COUNT);
    bool fits = size->least <= size->most;
    snprintf(line, sizeof line,
             "Chunks have %s events, of which the fixed part is %.1f %% of the time. %s: no less "
             "than %s (%s), no more than %s (%s).",
             cup_human_readable(present, round(size->present), CUP_UNIT_COUNT),
             100 * size->fixed_share, fits ? "What would suit" : "No size suits in all respects",
             least, size->least_by ? by(size->least_by) : "any", most, by(size->most_by));
    print_line(page, line);
}

static void print_memory(const struct cup_page *page, const struct cup_memory_need *need)
{
    char bytes[CUP_HUMAN_READABLE_ROOM], error[CUP_HUMAN_READABLE_ROOM],
        request[CUP_HUMAN_READABLE_ROOM], limit[CUP_HUMAN_READABLE_ROOM], line[500];
    if (need->missing && need->fit->heap.missing)
        return; /* likewise */
    if (need->missing) {
        snprintf(line, sizeof line, "Which memory would suit is not known: %s.", need->missing);
        print_line(page, line);
        return;
    }
    cup_human_readable(bytes, need->bytes, CUP_UNIT_BYTES);
    cup_human_readable(error, need->error_bytes, CUP_UNIT_BYTES);
    cup_human_readable(request, need->request_bytes, CUP_UNIT_BYTES);
    cup_human_readable(limit, need->limit_bytes, CUP_UNIT_BYTES);
    snprintf(
        line, sizeof line,
        "A worker of %u thread%s needs %s (error %s) for chunks of this size, so a limit of %s "
        "would suit; it has %s.",
        need->threads, need->threads == 1 ? "" : "s", bytes, error, request, limit);
    print_line(page, line);
}

void cup_print_fits(const struct cup_page *page)
{
    const struct cup_chunk_fits *fits = page->totals->fits;
    if (page->totals->used_chunks == 0)
        return;
    print_growth(page, &fits->all);
    print_size(page, &fits->size);
    print_memory(page, &fits->memory);
}
