#include "analysis/log/log_samples.h"

#include <math.h>
#include <string.h>

#include "analysis/log/log_pairs.h"
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

/* Values that the record's pairs do not name are not known. */
static void read_values(const struct cup_record *record, uint64_t *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        values[i] = CUP_UNKNOWN64;
    cup_pairs_set(cup_record_tail(record), cup_record_tail_bytes(record), values, count);
}

/* ---- samples ---------------------------------------------------------------------------- */

void cup_load_sample(struct cup_sample_loader *loader, const struct cup_record *record)
{
    struct cup_r_sample told;
    cup_record_fixed(record, &told, sizeof told);
    struct cup_sample *sample = CUP_APPEND(loader->builder, samples, sample);
    if (!sample)
        return;
    sample->time_ns = cup_clock_time(&loader->clock, told.time_ns);
    sample->process = loader->process;
    sample->server = cup_id_map_get(loader->servers, told.server);
    read_values(record, sample->values, CUP_SV_COUNT);
    saw_time(loader, sample->time_ns);
    cup_builder_map(loader->builder, &loader->samples, told.sample,
                    (uint32_t)loader->builder->profile->sample_count);
}

/* The heartbeat of this record, or else the last one of the worker; index + 1, 0 for none. */
static uint32_t heartbeat_of(struct cup_sample_loader *loader, uint32_t address,
                             const uint64_t values[CUP_HV_COUNT])
{
    if (values[CUP_HV_TIME_NS] == CUP_UNKNOWN64)
        return cup_id_map_get(&loader->heartbeats, address);
    struct cup_heartbeat *heartbeat = CUP_APPEND(loader->builder, heartbeats, heartbeat);
    if (!heartbeat)
        return 0;
    memcpy(heartbeat->values, values, sizeof heartbeat->values);
    uint32_t index = (uint32_t)loader->builder->profile->heartbeat_count;
    if (address)
        cup_builder_map(loader->builder, &loader->heartbeats, address, index);
    return index;
}

void cup_load_sample_worker(struct cup_sample_loader *loader, const struct cup_record *record)
{
    struct cup_r_sample_worker told;
    uint64_t values[CUP_PAIR_HEARTBEAT + CUP_HV_COUNT];
    cup_record_fixed(record, &told, sizeof told);
    uint32_t sample = cup_id_map_get(&loader->samples, told.sample);
    if (sample == 0) {
        loader->builder->profile->orphan_records++;
        return;
    }
    struct cup_worker_sample *row = CUP_APPEND(loader->builder, worker_samples, worker_sample);
    if (!row)
        return;
    read_values(record, values, sizeof values / sizeof *values);
    row->sample = sample - 1;
    row->address = string_of(loader, told.address);
    row->name = string_of(loader, told.name);
    row->status = string_of(loader, told.status);
    memcpy(row->values, values, sizeof row->values);
    row->heartbeat = heartbeat_of(loader, row->address, values + CUP_PAIR_HEARTBEAT);
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
    cup_id_map_clear(&loader->samples);
    cup_id_map_clear(&loader->heartbeats);
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
