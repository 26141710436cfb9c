/* How time and memory of a chunk grow with its events: part of the section on chunks. */
#include <stdio.h>
#include <string.h>

#include "analysis/metrics/chunks/chunk_size.h"
#include "analysis/report/sections/row_parts.h"

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
             "Peak live heap: %s a chunk and %s an event; chunks of the same size differ "
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
        return; /* print_growth() has printed why */
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
        return;
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
        "would suit; the present limit is %s.",
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

/* ---- in the JSON --------------------------------------------------------------------------- */

static void put_line(struct report *report, const struct cup_line *line, bool known)
{
    put(report, "intercept", known ? cup_real(cup_line_at(line, 0)) : cup_null());
    put(report, "slope", known ? cup_real(line->slope) : cup_null());
    put(report, "intercept_error", known ? cup_real(cup_line_error_at(line, 0)) : cup_null());
    put(report, "slope_error", known ? cup_real(line->slope_error) : cup_null());
    put(report, "spread", known ? cup_real(line->spread) : cup_null());
}

static void put_fit(struct report *report, const char *name, const struct cup_line_fit *fit,
                    const char *unit)
{
    bool known = !fit->missing;
    cup_json_object(&report->json, name);
    put(report, "n", cup_count(fit->count));
    put(report, "unit", cup_string(unit));
    put_line(report, &fit->plain, known);
    put(report, "r2", known ? cup_real(fit->r2) : cup_null());
    cup_json_object(&report->json, "robust");
    put_line(report, &fit->robust, known);
    cup_json_end_object(&report->json);
    put(report, "outliers", known ? cup_count(fit->outliers) : cup_null());
    put(report, "events_min", known ? cup_real(fit->least_x) : cup_null());
    put(report, "events_mean", known ? cup_real(fit->plain.mean_x) : cup_null());
    put(report, "events_max", known ? cup_real(fit->most_x) : cup_null());
    put(report, "reason", cup_string(fit->missing));
    cup_json_end_object(&report->json);
}

static void put_both(struct report *report, const struct cup_chunk_fit *fit)
{
    put_fit(report, "time_against_events", &fit->time, "s");
    put_fit(report, "peak_heap_against_events", &fit->heap, "bytes");
}

static void put_datasets(struct report *report, const struct cup_chunk_fits *fits)
{
    cup_json_array(&report->json, "by_dataset");
    for (size_t i = 0; i < fits->count; i++) {
        cup_json_row(&report->json, NULL);
        put(report, "dataset", text_of(report, fits->datasets[i].dataset));
        put(report, "chunks", cup_count(fits->datasets[i].chunks));
        put_both(report, &fits->datasets[i]);
        cup_json_end_object(&report->json);
    }
    cup_json_end_array(&report->json);
}

static struct cup_value bound_name(enum cup_size_bound bound, bool known)
{
    return known ? cup_string(cup_size_bound_names[bound]) : cup_null();
}

static void put_size(struct report *report, const struct cup_chunk_size *size)
{
    bool known = !size->missing;
    cup_json_object(&report->json, "suiting_size");
    put(report, "dataset", known ? text_of(report, size->fit->dataset) : cup_null());
#define PUT(name, value, make) put(report, name, known ? make(value) : cup_null())
    PUT("events", size->present, cup_whole);
    PUT("fixed_s", size->fixed_s, cup_real);
    PUT("fixed_error_s", size->fixed_error_s, cup_real);
    PUT("per_event_s", size->event_s, cup_real);
    PUT("per_event_error_s", size->event_error_s, cup_real);
    PUT("fixed_share", size->fixed_share, cup_real);
    PUT("wall_s", size->wall_s, cup_real);
    PUT("least_events", size->least, cup_whole);
    put(report, "least_by", bound_name(size->least_by, known));
    PUT("most_events", size->most, cup_whole);
    put(report, "most_by", bound_name(size->most_by, known));
    PUT("suiting_events", size->events, cup_whole);
    PUT("cluster_events", size->cluster_events, cup_whole);
    PUT("suiting_fixed_share", size->new_fixed_share, cup_real);
    PUT("suiting_wall_s", size->new_wall_s, cup_real);
    put(report, "reason", cup_string(size->missing));
    cup_json_end_object(&report->json);
}

static void put_memory(struct report *report, const struct cup_memory_need *need)
{
    bool known = !need->missing;
    cup_json_object(&report->json, "memory_request");
    put(report, "dataset", known ? text_of(report, need->fit->dataset) : cup_null());
    put(report, "worker_threads", cup_count(need->threads));
    put(report, "limit_bytes", cup_whole(need->limit_bytes));
    put(report, "base_bytes", cup_whole(need->base_bytes));
    put(report, "peak_seen_bytes", cup_whole(need->seen_bytes));
    PUT("chunk_bytes", need->chunk_bytes, cup_whole);
    PUT("per_event_bytes", need->event_bytes, cup_real);
    PUT("per_event_error_bytes", need->event_error_bytes, cup_real);
    PUT("worker_bytes", need->bytes, cup_whole);
    PUT("worker_error_bytes", need->error_bytes, cup_whole);
    PUT("request_bytes", need->request_bytes, cup_whole);
    PUT("suiting_worker_bytes", need->new_bytes, cup_whole);
    PUT("suiting_worker_error_bytes", need->new_error_bytes, cup_whole);
    PUT("suiting_request_bytes", need->new_request_bytes, cup_whole);
#undef PUT
    put(report, "reason", cup_string(need->missing));
    cup_json_end_object(&report->json);
}

void cup_put_fits(struct report *report)
{
    const struct cup_chunk_fits *fits = report->totals->fits;
    cup_json_object(&report->json, "fits");
    put(report, "every", cup_count(fits->every));
    put_both(report, &fits->all);
    put_datasets(report, fits);
    put_size(report, &fits->size);
    put_memory(report, &fits->memory);
    cup_json_end_object(&report->json);
}
