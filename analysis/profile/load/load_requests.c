/* Adds REQUESTS records. */
#include "analysis/profile/load/loader.h"

/* The string of the server: the record's, or the peer's address, or the one in the path of its
 * file. */
static uint32_t server_of(struct cup_loader *loader, const struct cup_r_requests *record,
                          uint32_t file)
{
    uint32_t peer = record->peer ? cup_id_map_get(&loader->files, record->peer) : 0;
    if (record->server)
        return string_of(loader, record->server);
    if (record->peer)
        return peer ? profile_of(loader)->files[peer - 1].path : 0;
    struct cup_profile *profile = profile_of(loader);
    struct cup_text path = cup_profile_text(profile, file ? profile->files[file - 1].path : 0);
    return path.length ? cup_builder_string(loader->builder, cup_open_server(path)) : 0;
}

static void add_to_sum(struct cup_loader *loader, uint32_t server, uint32_t error,
                       const uint64_t *values, const uint64_t *buckets)
{
    const char *name = loader->log->header.host;
    struct cup_text text = {name, strnlen(name, sizeof loader->log->header.host)};
    uint32_t host = cup_builder_string(loader->builder, text);
    struct cup_request_sum *sum = cup_builder_request_sum(loader->builder, server, host);
    if (!sum)
        return;
    cup_request_values_add(error ? sum->failed : sum->answered, values);
    for (int i = 0; i < CUP_BUCKETS && !error; i++) {
        sum->buckets[i] += buckets[i];
        sum->first_buckets[i] += buckets[CUP_BUCKETS + i];
    }
}

void cup_load_requests(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_requests requests = cup_read_requests(record);
    uint32_t task = requests.task ? cup_id_map_get(&loader->tasks, requests.task) : 0;
    uint32_t file = requests.file ? cup_id_map_get(&loader->files, requests.file) : 0;
    if (task == CUP_UNWANTED_TASK || (!requests.task && is_selective(loader)))
        return;
    profile_of(loader)->orphan_records +=
        (requests.task && !task && !loader->log->totals) + (requests.file && !file);
    uint32_t server = server_of(loader, &requests, file);
    if (file && task)
        file = cup_find_read_file(loader, file, &profile_of(loader)->tasks[task - 1]);
    struct cup_request_row *row = CUP_APPEND(loader->builder, requests, request);
    if (!row)
        return;
    uint64_t buckets[2 * CUP_BUCKETS] = {0};
    *row = (struct cup_request_row){.start_ns = time_of(loader, requests.start_ns),
                                    .stop_ns = time_of(loader, requests.stop_ns),
                                    .server = server,
                                    .file = file,
                                    .task = task,
                                    .error = requests.error,
                                    .process = loader->process,
                                    .at = record_place(loader)};
    cup_request_read(record, row->values, buckets, buckets + CUP_BUCKETS);
    add_to_sum(loader, server, requests.error, row->values, buckets);
}
