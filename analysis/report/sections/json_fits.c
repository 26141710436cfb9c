/* What a chunk costs by its number of events, in the report's JSON: part of chunks. */
#include "analysis/report/page/json_page.h"

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

void cup_report_put_fits(struct report *report)
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
