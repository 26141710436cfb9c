/* How time and memory of a chunk grow with its events: part of the section on chunks. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "analysis/metrics/chunks/chunk_fits.h"
#include "analysis/report/sections/row_parts.h"

static void print_missing(const struct cup_page *page, const char *what, const char *reason)
{
    cup_page_line(page, CUP_PLAIN, "How %s with events is not known: %s.", what, reason);
}

/* "21.9 us (error 36.5 us)". Returns `to`. */
static const char *with_error(char to[CUP_LINE_ROOM], double number, double error,
                              enum cup_unit unit)
{
    return cup_format(to, "%s (error %s)", CUP_SHOW(number, unit), CUP_SHOW(error, unit));
}

static void print_time(const struct cup_page *page, const struct cup_line_fit *fit)
{
    char fixed[CUP_LINE_ROOM], event[CUP_LINE_ROOM];
    const char *doubt = cup_time_doubt(fit);
    cup_page_line(
        page, CUP_PLAIN,
        "Time of %s against their events: %s a chunk and %s an event, %zu outlier%s.%s%s%s",
        CUP_SHOW_COUNTED(fit->count, "chunk"),
        with_error(fixed, cup_line_at(&fit->robust, 0), cup_line_error_at(&fit->robust, 0),
                   CUP_UNIT_SECONDS),
        with_error(event, fit->robust.slope, fit->robust.slope_error, CUP_UNIT_SECONDS),
        fit->outliers, cup_plural(fit->outliers), doubt ? " Too uncertain to conclude from: " : "",
        doubt ? doubt : "", doubt ? "." : "");
}

static void print_heap(const struct cup_page *page, const struct cup_line_fit *fit)
{
    char fixed[CUP_LINE_ROOM], event[CUP_LINE_ROOM];
    cup_page_line(
        page, CUP_PLAIN,
        "Peak live heap: %s a chunk and %s an event; chunks of the same size differ by %s.",
        with_error(fixed, cup_line_at(&fit->robust, 0), cup_line_error_at(&fit->robust, 0),
                   CUP_UNIT_BYTES),
        with_error(event, fit->robust.slope, fit->robust.slope_error, CUP_UNIT_BYTES),
        CUP_SHOW(fit->robust.spread, CUP_UNIT_BYTES));
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
    if (size->missing)
        return; /* print_growth() has printed why */
    cup_page_line(
        page, CUP_PLAIN,
        "Chunks have %s events; %.1f %% of their time is the same for chunks of any size. %s: "
        "at least %s events (%s), at most %s (%s).",
        CUP_SHOW(round(size->present), CUP_UNIT_COUNT), 100 * size->fixed_share,
        size->least <= size->most ? "Suitable sizes" : "No size suits in all respects",
        CUP_SHOW(cup_two_digits(size->least), CUP_UNIT_COUNT),
        size->least_by ? by(size->least_by) : "any",
        CUP_SHOW(cup_two_digits(size->most), CUP_UNIT_COUNT), by(size->most_by));
}

static void print_memory(const struct cup_page *page, const struct cup_memory_need *need)
{
    if (need->missing && need->missing == need->fit->heap.missing)
        return; /* print_growth() has printed why */
    if (need->missing) {
        cup_page_line(page, CUP_PLAIN, "No limit can be suggested: %s.", need->missing);
        return;
    }
    bool seen = !isnan(need->seen_bytes);
    cup_page_line(
        page, CUP_PLAIN,
        "Memory of a worker of %u thread%s with chunks of this size: an estimate of %s (error %s), "
        "made of %s before a chunk and at most %s of peak heap for each thread%s%s. The present "
        "limit is %s. Ask for %s: then the worker should stay below %.0f %% of it, where Dask "
        "begins to spill.",
        need->threads, cup_plural(need->threads), CUP_SHOW(need->bytes, CUP_UNIT_BYTES),
        CUP_SHOW(need->error_bytes, CUP_UNIT_BYTES), CUP_SHOW(need->base_bytes, CUP_UNIT_BYTES),
        CUP_SHOW(need->chunk_bytes, CUP_UNIT_BYTES), seen ? "; samples saw at most " : "",
        seen ? CUP_SHOW(need->seen_bytes, CUP_UNIT_BYTES) : "",
        CUP_SHOW(need->limit_bytes, CUP_UNIT_BYTES), CUP_SHOW(need->request_bytes, CUP_UNIT_BYTES),
        100 * CUP_MEMORY_FILL);
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

static void put_real(struct report *report, const char *name, bool known, double value)
{
    put(report, name, cup_value_if(known, cup_real(value)));
}

static void put_whole(struct report *report, const char *name, bool known, double value)
{
    put(report, name, cup_value_if(known, cup_whole(value)));
}

static void put_line(struct report *report, const struct cup_line *line, bool known)
{
    put_real(report, "intercept", known, cup_line_at(line, 0));
    put_real(report, "slope", known, line->slope);
    put_real(report, "intercept_error", known, cup_line_error_at(line, 0));
    put_real(report, "slope_error", known, line->slope_error);
    put_real(report, "spread", known, line->spread);
}

static void put_fit(struct report *report, const char *name, const struct cup_line_fit *fit,
                    const char *unit)
{
    bool known = !fit->missing;
    cup_json_object(&report->json, name);
    put(report, "n", cup_count(fit->count));
    put(report, "unit", cup_string(unit));
    put_line(report, &fit->plain, known);
    put_real(report, "r2", known, fit->r2);
    cup_json_object(&report->json, "robust");
    put_line(report, &fit->robust, known);
    cup_json_end_object(&report->json);
    put(report, "outliers", cup_count_if(known, fit->outliers));
    put_real(report, "events_min", known, fit->least_x);
    put_real(report, "events_mean", known, fit->plain.mean_x);
    put_real(report, "events_max", known, fit->most_x);
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

static void put_size(struct report *report, const struct cup_chunk_size *size)
{
    bool known = !size->missing;
    cup_json_object(&report->json, "suiting_size");
    put(report, "dataset", known ? text_of(report, size->fit->dataset) : cup_null());
    put_whole(report, "events", known, size->present);
    put_real(report, "fixed_s", known, size->fixed_s);
    put_real(report, "fixed_error_s", known, size->fixed_error_s);
    put_real(report, "per_event_s", known, size->event_s);
    put_real(report, "per_event_error_s", known, size->event_error_s);
    put_real(report, "fixed_share", known, size->fixed_share);
    put_real(report, "wall_s", known, size->wall_s);
    put_whole(report, "least_events", known, size->least);
    put(report, "least_by", cup_string(known ? cup_size_bound_names[size->least_by] : NULL));
    put_whole(report, "most_events", known, size->most);
    put(report, "most_by", cup_string(known ? cup_size_bound_names[size->most_by] : NULL));
    put_whole(report, "suiting_events", known, size->events);
    put_whole(report, "cluster_events", known, size->cluster_events);
    put_real(report, "suiting_fixed_share", known, size->new_fixed_share);
    put_real(report, "suiting_wall_s", known, size->new_wall_s);
    put(report, "reason", cup_string(size->missing));
    cup_json_end_object(&report->json);
}

static void put_memory(struct report *report, const struct cup_memory_need *need)
{
    bool known = !need->missing;
    cup_json_object(&report->json, "memory_request");
    put(report, "dataset", known ? text_of(report, need->fit->dataset) : cup_null());
    put(report, "worker_threads", cup_count(need->threads));
    put_whole(report, "limit_bytes", true, need->limit_bytes);
    put_whole(report, "base_bytes", true, need->base_bytes);
    put_whole(report, "peak_seen_bytes", true, need->seen_bytes);
    put_whole(report, "chunk_bytes", known, need->chunk_bytes);
    put_real(report, "per_event_bytes", known, need->event_bytes);
    put_real(report, "per_event_error_bytes", known, need->event_error_bytes);
    put_whole(report, "worker_bytes", known, need->bytes);
    put_whole(report, "worker_error_bytes", known, need->error_bytes);
    put_whole(report, "request_bytes", known, need->request_bytes);
    put_whole(report, "suiting_worker_bytes", known, need->new_bytes);
    put_whole(report, "suiting_worker_error_bytes", known, need->new_error_bytes);
    put_whole(report, "suiting_request_bytes", known, need->new_request_bytes);
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
