/* Dask's own state: samples, spans, fine metrics. */
#include "analysis/profile/load/loader.h"

#include <math.h>
#include <string.h>

/* ---- samples ---------------------------------------------------------------------------- */

/* Keeps a record of a sample for cup_load_own_samples(). Those of a scheduler can be very many. */
static void keep_own(struct cup_loader *loader, const struct cup_record *record)
{
    uint32_t roles = process_of(loader)->roles;
    if (roles & 1u << CUP_ROLE_SCHEDULER && !(roles & 1u << CUP_ROLE_WORKER))
        loader->own_samples.too_many = true; /* a worker that begins later reads them again */
    cup_kept_add(&loader->own_samples, record, loader->log->record_offset);
}

void cup_load_own_samples(struct cup_loader *loader)
{
    struct cup_profile *profile = profile_of(loader);
    struct cup_worker_rows rows;
    if (loader->builder->out_of_memory || profile->sample_count == loader->first_sample ||
        !(process_of(loader)->roles & 1u << CUP_ROLE_WORKER))
        return;
    cup_worker_rows_of_log(&rows, profile, loader->first_sample, &loader->own_samples);
    while (!loader->builder->out_of_memory && cup_worker_rows_next(&rows))
        for (size_t i = 0; i < rows.count; i++) {
            struct cup_own_sample *own = CUP_APPEND(loader->builder, own_samples, own_sample);
            if (own)
                *own = cup_own_sample_of(&rows.sample, rows.rows[i]);
        }
    if (cup_worker_rows_finish(&rows) != 0)
        loader->builder->out_of_memory = true;
}

void cup_load_rows(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_rows fixed = cup_read_rows(record);
    keep_own(loader, record);
    if (!cup_id_map_get(&loader->sample_rows, fixed.sample))
        cup_builder_map(loader->builder, &loader->sample_rows, fixed.sample, record_place(loader));
}

void cup_load_sample(struct cup_loader *loader, const struct cup_record *record)
{
    /* Version 2 wrote the rows of workers in another form, which is not read: a sample without its
     * workers would mislead. */
    if (loader->log->header.version <= 2)
        return;
    keep_own(loader, record);
    struct cup_r_sample fixed = cup_read_sample(record);
    uint32_t server = cup_id_map_get(&loader->servers, fixed.server);
    profile_of(loader)->orphan_records += server == 0;
    struct cup_sample_place *sample = server ? CUP_APPEND(loader->builder, samples, sample) : NULL;
    if (!sample)
        return;
    uint32_t rows = cup_id_map_get(&loader->sample_rows, fixed.sample);
    sample->time_ns = time_of(loader, fixed.time_ns);
    sample->server = server - 1;
    sample->at = rows ? rows : record_place(loader);
    note_last_time(loader, sample->time_ns);
}

void cup_load_worker(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_worker fixed = cup_read_worker(record);
    struct cup_sampled_worker *worker =
        CUP_APPEND(loader->builder, sampled_workers, sampled_worker);
    if (worker)
        *worker = (struct cup_sampled_worker){
            .process = loader->process,
            .server = cup_id_map_get(&loader->servers, fixed.server),
            .number = fixed.worker,
            .address = string_of(loader, fixed.address),
            .name = string_of(loader, fixed.name),
        };
}

void cup_load_status(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_status fixed = cup_read_status(record);
    struct cup_status_name *status = CUP_APPEND(loader->builder, statuses, status);
    if (status)
        *status =
            (struct cup_status_name){loader->process, fixed.status, string_of(loader, fixed.name)};
}

/* ---- spans and fine metrics ------------------------------------------------------------- */

void cup_load_span(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_span fixed = cup_read_span(record);
    struct cup_span *span = CUP_APPEND(loader->builder, spans, span);
    if (span)
        *span = (struct cup_span){string_of(loader, fixed.id), string_of(loader, fixed.name)};
}

void cup_load_digest_key(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_digest_key fixed = cup_read_digest_key(record);
    struct cup_digest *digest = CUP_APPEND(loader->builder, digests, digest);
    if (!digest)
        return;
    *digest = (struct cup_digest){
        .process = loader->process,
        .server = cup_id_map_get(&loader->servers, fixed.server),
        .context = string_of(loader, fixed.context),
        .span = string_of(loader, fixed.span),
        .prefix = string_of(loader, fixed.prefix),
        .activity = string_of(loader, fixed.activity),
        .unit = string_of(loader, fixed.unit),
    };
    cup_builder_map(loader->builder, &loader->digests, fixed.key,
                    (uint32_t)profile_of(loader)->digest_count);
}

static void set_value(struct cup_loader *loader, const struct cup_digest_value *digest,
                      int64_t time_ns)
{
    struct cup_profile *profile = profile_of(loader);
    uint32_t index = cup_id_map_get(&loader->digests, digest->key);
    if (index == 0) {
        profile->orphan_records++;
    } else if (isfinite(digest->value)) {
        profile->digests[index - 1].value = digest->value;
        profile->digests[index - 1].time_ns = time_ns;
    }
}

void cup_load_digest(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_digest_value value;
    struct cup_r_digest fixed = cup_read_digest(record);
    fixed.time_ns = time_of(loader, fixed.time_ns);
    note_last_time(loader, fixed.time_ns);
    const unsigned char *at = cup_record_tail(record);
    for (size_t left = cup_record_tail_bytes(record); left >= sizeof value; left -= sizeof value) {
        memcpy(&value, at, sizeof value);
        set_value(loader, &value, fixed.time_ns);
        at += sizeof value;
    }
    uint32_t server = cup_id_map_get(&loader->servers, fixed.server);
    if (server)
        profile_of(loader)->servers[server - 1].digests_complete = fixed.last != 0;
}
