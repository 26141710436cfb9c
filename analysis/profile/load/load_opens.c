/* Adds OPEN records to the sums of their servers. */
#include "analysis/profile/load/loader.h"

static uint32_t server_of(struct cup_loader *loader, uint32_t path)
{
    struct cup_text text = cup_profile_text(profile_of(loader), path);
    return text.length ? cup_builder_string(loader->builder, cup_open_server(text)) : 0;
}

/* Returns the server of a FILE record. The answer is cached, because files are opened many times.
 */
static uint32_t server_of_file(struct cup_loader *loader, uint32_t id)
{
    uint32_t known = cup_id_map_get(&loader->open_servers, id);
    uint32_t file = known ? 0 : cup_id_map_get(&loader->files, id);
    if (known)
        return known;
    profile_of(loader)->orphan_records += file == 0;
    if (!file)
        return 0;
    uint32_t server = server_of(loader, profile_of(loader)->files[file - 1].path);
    cup_builder_map(loader->builder, &loader->open_servers, id, server);
    return server;
}

static bool is_wanted(const struct cup_loader *loader, uint32_t task)
{
    return task ? cup_id_map_get(&loader->tasks, task) != CUP_UNWANTED_TASK : !is_selective(loader);
}

void cup_load_open(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_open open = cup_read_open(record);
    if (!cup_open_kind_is_known(open.kind) || !is_wanted(loader, open.task))
        return;
    uint32_t server = open.file ? server_of_file(loader, open.file)
                                : server_of(loader, string_of(loader, open.path));
    struct cup_open_sum *sum = cup_builder_open(loader->builder, server, open.kind);
    if (!sum)
        return;
    sum->redirects += open.redirects;
    cup_open_sum_count(sum, open.ns, open.error);
    uint32_t data_server = open.server ? string_of(loader, open.server) : 0;
    if (!data_server || data_server == server)
        return;
    sum->elsewhere++;
    sum->elsewhere_ns += open.ns;
    sum->elsewhere_failed += open.error != 0;
    sum = cup_builder_open(loader->builder, data_server, CUP_OPEN_REDIRECTED);
    if (sum)
        cup_open_sum_count(sum, open.ns, open.error);
}
