#include "analysis/profile/load/load_samples.h"

#include <math.h>
#include <string.h>

#include "analysis/log/log_reader.h"

static uint32_t string_of(struct cup_sample_loader *loader, uint32_t id)
{
    uint32_t string = cup_id_map_get(loader->strings, id);
    if (id && !string)
        loader->builder->profile->orphan_records++;
    return string;
}

static void saw_time(struct cup_sample_loader *loader, int64_t time_ns)
{
    struct cup_process *process = &loader->builder->profile->processes[loader->process];
    if (time_ns > process->last_ns)
        process->last_ns = time_ns;
}

/* ---- samples ---------------------------------------------------------------------------- */

/* In units of 8 bytes; 0 beyond 32 GiB: then the sample is not found again. */
static uint32_t place_of(uint64_t offset)
{
    return offset / 8 <= UINT32_MAX ? (uint32_t)(offset / 8) : 0;
}

void cup_load_rows(struct cup_sample_loader *loader, const struct cup_record *record,
                   uint64_t offset)
{
    struct cup_r_rows told;
    cup_record_fixed(record, &told, sizeof told);
    if (!cup_id_map_get(&loader->rows, told.sample))
        cup_builder_map(loader->builder, &loader->rows, told.sample, place_of(offset));
}

void cup_load_sample(struct cup_sample_loader *loader, const struct cup_record *record,
                     uint64_t offset)
{
    struct cup_r_sample told;
    cup_record_fixed(record, &told, sizeof told);
    uint32_t server = cup_id_map_get(loader->servers, told.server);
    loader->builder->profile->orphan_records += server == 0;
    struct cup_sample_place *sample = server ? CUP_APPEND(loader->builder, samples, sample) : NULL;
    if (!sample)
        return;
    uint32_t rows = cup_id_map_get(&loader->rows, told.sample);
    sample->time_ns = cup_clock_time(&loader->clock, told.time_ns);
    sample->server = server - 1;
    sample->at = rows ? rows : place_of(offset);
    saw_time(loader, sample->time_ns);
}

void cup_load_worker(struct cup_sample_loader *loader, const struct cup_record *record)
{
    struct cup_r_worker told;
    cup_record_fixed(record, &told, sizeof told);
    struct cup_sampled_worker *worker =
        CUP_APPEND(loader->builder, sampled_workers, sampled_worker);
    if (worker)
        *worker = (struct cup_sampled_worker){
            .process = loader->process,
            .server = cup_id_map_get(loader->servers, told.server),
            .number = told.worker,
            .address = string_of(loader, told.address),
            .name = string_of(loader, told.name),
        };
}

void cup_load_status(struct cup_sample_loader *loader, const struct cup_record *record)
{
    struct cup_r_status told;
    cup_record_fixed(record, &told, sizeof told);
    struct cup_status_name *status = CUP_APPEND(loader->builder, statuses, status);
    if (status)
        *status =
            (struct cup_status_name){loader->process, told.status, string_of(loader, told.name)};
}

/* ---- spans and fine metrics ------------------------------------------------------------- */

void cup_load_span(struct cup_sample_loader *loader, const struct cup_record *record)
{
    struct cup_r_span told;
    cup_record_fixed(record, &told, sizeof told);
    struct cup_span *span = CUP_APPEND(loader->builder, spans, span);
    if (span)
        *span = (struct cup_span){string_of(loader, told.id), string_of(loader, told.name)};
}

void cup_load_digest_key(struct cup_sample_loader *loader, const struct cup_record *record)
{
    struct cup_r_digest_key told;
    cup_record_fixed(record, &told, sizeof told);
    struct cup_digest *digest = CUP_APPEND(loader->builder, digests, digest);
    if (!digest)
        return;
    *digest = (struct cup_digest){
        .process = loader->process,
        .server = cup_id_map_get(loader->servers, told.server),
        .context = string_of(loader, told.context),
        .span = string_of(loader, told.span),
        .prefix = string_of(loader, told.prefix),
        .activity = string_of(loader, told.activity),
        .unit = string_of(loader, told.unit),
    };
    cup_builder_map(loader->builder, &loader->digests, told.key,
                    (uint32_t)loader->builder->profile->digest_count);
}

static void set_value(struct cup_sample_loader *loader, const struct cup_digest_value *told,
                      int64_t time_ns)
{
    struct cup_profile *profile = loader->builder->profile;
    uint32_t index = cup_id_map_get(&loader->digests, told->key);
    if (index == 0) {
        profile->orphan_records++;
    } else if (isfinite(told->value)) {
        profile->digests[index - 1].value = told->value;
        profile->digests[index - 1].time_ns = time_ns;
    }
}

void cup_load_digest(struct cup_sample_loader *loader, const struct cup_record *record)
{
    struct cup_r_digest told;
    struct cup_digest_value value;
    cup_record_fixed(record, &told, sizeof told);
    told.time_ns = cup_clock_time(&loader->clock, told.time_ns);
    saw_time(loader, told.time_ns);
    const unsigned char *at = cup_record_tail(record);
    for (size_t left = cup_record_tail_bytes(record); left >= sizeof value; left -= sizeof value) {
        memcpy(&value, at, sizeof value);
        set_value(loader, &value, told.time_ns);
        at += sizeof value;
    }
    uint32_t server = cup_id_map_get(loader->servers, told.server);
    if (server)
        loader->builder->profile->servers[server - 1].digests_complete = told.last != 0;
}

/* ---- the end ---------------------------------------------------------------------------- */

void cup_sample_loader_clear(struct cup_sample_loader *loader)
{
    cup_id_map_clear(&loader->rows);
    cup_id_map_clear(&loader->digests);
}

/* A span may be named by several processes, with one name as a rule: the last one counts. */
int cup_digests_settle(struct cup_profile *profile)
{
    struct cup_id_map names = {0};
    int result = 0;
    for (size_t i = 0; i < profile->span_count && result == 0; i++)
        result = cup_id_map_set(&names, profile->spans[i].id, profile->spans[i].name);
    for (size_t i = 0; i < profile->digest_count; i++)
        profile->digests[i].span_name = cup_id_map_get(&names, profile->digests[i].span);
    cup_id_map_clear(&names);
    return result;
}
