/* Adds OPEN and OPENS records to the sums of their servers. */
#include "analysis/log/log_pairs.h"
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

/* WHERE: an open that stands for all of them. */
static void add_opens(struct cup_loader *loader, const struct cup_r_open *where,
                      const struct cup_opens_alike *opens)
{
    if (!cup_open_kind_is_known(where->kind) || !is_wanted(loader, where->task))
        return;
    uint32_t server = where->file ? server_of_file(loader, where->file)
                                  : server_of(loader, string_of(loader, where->path));
    struct cup_open_sum *sum = cup_builder_open(loader->builder, server, where->kind);
    if (!sum)
        return;
    cup_open_sum_count(sum, opens);
    uint32_t data_server = where->server ? string_of(loader, where->server) : 0;
    if (!data_server || data_server == server)
        return;
    sum->elsewhere += opens->values[CUP_O_COUNT];
    sum->elsewhere_ns += opens->values[CUP_O_NS];
    sum->elsewhere_failed += opens->error ? opens->values[CUP_O_COUNT] : 0;
    struct cup_opens_alike there = *opens;
    there.values[CUP_O_REDIRECTS] = 0;
    sum = cup_builder_open(loader->builder, data_server, CUP_OPEN_REDIRECTED);
    if (sum)
        cup_open_sum_count(sum, &there);
}

void cup_load_open(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_open open = cup_read_open(record);
    struct cup_opens_alike one = cup_one_open(open.ns, open.error);
    one.values[CUP_O_REDIRECTS] = open.redirects;
    add_opens(loader, &open, &one);
}

void cup_load_opens(struct cup_loader *loader, const struct cup_record *record)
{
    const struct cup_r_opens r = cup_read_opens(record);
    const struct cup_r_open where = {
        .task = r.task, .path = r.place, .kind = r.kind, .server = r.server};
    struct cup_opens_alike opens = {
        .error = r.error, .tail = cup_record_tail(record), .bytes = cup_record_tail_bytes(record)};
    cup_pairs_set(opens.tail, opens.bytes, opens.values, CUP_O_COUNT_OF);
    if (opens.values[CUP_O_COUNT])
        add_opens(loader, &where, &opens);
}
