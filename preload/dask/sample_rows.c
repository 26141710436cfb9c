#include "preload/dask/sample_rows.h"

#include "include/log_pairs.h"
#include "preload/log/log.h"
#include "preload/sys/id_table.h"
#include "preload/sys/raw.h"

#include <string.h>

static uint32_t samples, workers; /* numbers of the last records of this process */

_Static_assert(CUP_ROW_LONGEST >= 2 * CUP_PAIR_LONGEST + (CUP_WV_COUNT + CUP_HV_COUNT) * 12 &&
                   CUP_PAIR_LONGEST == 12,
               "a row fits");

void cup_rows_begin(struct cup_rows_batch *batch, struct cup_rows *rows)
{
    batch->rows = rows;
    batch->sample = ++samples;
    batch->lost = false;
    batch->used = 0;
    cup_log_health(CUP_H_SAMPLES_TAKEN, 1);
}

bool cup_rows_add_worker(const struct cup_rows *rows, struct cup_last_written *written,
                         uint32_t address, uint32_t name)
{
    const struct cup_r_worker record = {
        .worker = workers + 1, .server = rows->server, .address = address, .name = name};
    if (cup_log_write(CUP_R_WORKER, &record, NULL, 0))
        written->worker = ++workers;
    return written->worker != 0;
}

/* Lost rows use up a number too, so that a reader sees the gap. */
static void write_rows(struct cup_rows_batch *batch)
{
    if (!batch->used)
        return;
    const struct cup_r_rows record = {.sample = batch->sample, .rows = ++batch->rows->rows};
    batch->lost |= !cup_log_write(CUP_R_ROWS, &record, batch->bytes, batch->used);
    batch->used = 0;
}

static void add_row(struct cup_rows_batch *batch, uint32_t worker, enum cup_row_kind kind,
                    const unsigned char *pairs, size_t bytes)
{
    if (batch->used + bytes + 2 * CUP_PAIR_LONGEST > sizeof batch->bytes)
        write_rows(batch);
    unsigned char *at = batch->bytes + batch->used;
    at += cup_pairs_number(at, worker);
    at += cup_pairs_number(at, bytes * CUP_ROW_KINDS + kind);
    if (bytes)
        memcpy(at, pairs, bytes);
    batch->used = (size_t)(at - batch->bytes) + bytes;
}

static bool needs_whole_row(const struct cup_rows_batch *batch,
                            const struct cup_last_written *written)
{
    return written->losses != batch->rows->losses + 1 ||
           (batch->sample + written->worker) % CUP_ROWS_WHOLE_EVERY == 0;
}

void cup_rows_add(struct cup_rows_batch *batch, struct cup_last_written *written,
                  const uint64_t *values, const uint64_t *heartbeat)
{
    unsigned char pairs[CUP_ROW_LONGEST];
    bool whole = needs_whole_row(batch, written);
    const uint64_t *beat = heartbeat ? heartbeat : written->heartbeat;
    size_t bytes;
    if (whole) {
        bytes = cup_pairs_known(pairs, values, CUP_WV_COUNT, 0);
        bytes += cup_pairs_known(pairs + bytes, beat, CUP_HV_COUNT, CUP_PAIR_HEARTBEAT);
    } else {
        bytes = cup_pairs_changed(pairs, values, written->values, CUP_WV_COUNT, 0);
        if (heartbeat)
            bytes += cup_pairs_changed(pairs + bytes, heartbeat, written->heartbeat, CUP_HV_COUNT,
                                       CUP_PAIR_HEARTBEAT);
    }
    if (!whole && !bytes)
        return;
    add_row(batch, written->worker, whole ? CUP_ROW_WHOLE : CUP_ROW_CHANGED, pairs, bytes);
    written->losses = batch->rows->losses + 1;
    memcpy(written->values, values, sizeof written->values);
    if (heartbeat)
        memcpy(written->heartbeat, heartbeat, sizeof written->heartbeat);
}

void cup_rows_add_gone(struct cup_rows_batch *batch, const struct cup_last_written *written)
{
    add_row(batch, written->worker, CUP_ROW_GONE, NULL, 0);
}

static void write_sample(struct cup_rows_batch *batch, int64_t time_ns, const uint64_t *values)
{
    unsigned char pairs[CUP_SV_COUNT * CUP_PAIR_LONGEST + CUP_PAIRS_UNIT];
    size_t bytes = cup_pairs_known(pairs, values, CUP_SV_COUNT, 0);
    const struct cup_r_sample record = {.sample = batch->sample,
                                        .server = batch->rows->server,
                                        .time_ns = time_ns,
                                        .rows = batch->rows->rows};
    batch->lost |= !cup_log_write(CUP_R_SAMPLE, &record, pairs, cup_pairs_pad(pairs, bytes));
}

bool cup_rows_end(struct cup_rows_batch *batch, int64_t time_ns, const uint64_t *values)
{
    write_rows(batch);
    if (!batch->lost)
        write_sample(batch, time_ns, values);
    if (batch->lost) {
        batch->rows->losses++;
        cup_log_health(CUP_H_SAMPLES_DROPPED, 1);
    }
    return !batch->lost;
}

void cup_rows_reset(void)
{
    samples = workers = 0;
}

/* ---- the workers of schedulers ----------------------------------------------------------- */

static struct {
    struct cup_known_worker *entries; /* in the order in which they were added */
    size_t count, room;
    struct cup_id_table indexes; /* (address, server): index in entries + 1 */
} table;

/* Memory from mmap: the library never uses the program's allocator. */
static bool make_room(void)
{
    enum { FIRST_ROOM = 64 };
    size_t room = table.room ? 2 * table.room : FIRST_ROOM;
    void *larger = cup_raw_grow(table.entries, table.room * sizeof *table.entries,
                                room * sizeof *table.entries);
    if (!larger)
        return false;
    table.entries = larger;
    table.room = room;
    return true;
}

static bool add_index(size_t index)
{
    const struct cup_known_worker *known = &table.entries[index];
    if (!cup_id_room(&table.indexes, 1, UINT32_MAX))
        return false;
    cup_id_add(&table.indexes, (uintptr_t)known->address, known->server, (uint32_t)index + 1);
    return true;
}

static bool is_worker(size_t index, cup_object *address, uint32_t server)
{
    return index < table.count && table.entries[index].address == address &&
           table.entries[index].server == server;
}

/* The worker's index; table.count if it is not in the table. */
static size_t find_index(cup_object *address, uint32_t server)
{
    const struct cup_id_entry *entry = cup_id_find(&table.indexes, (uintptr_t)address, server);
    return entry ? entry->id - 1 : table.count;
}

static bool add_worker(cup_object *address, uint32_t server)
{
    if (table.count == table.room && !make_room())
        return false;
    table.entries[table.count] = (struct cup_known_worker){.address = address, .server = server};
    if (!add_index(table.count))
        return false;
    cup_python_hold(address);
    table.count++;
    return true;
}

struct cup_known_worker *cup_known_worker_find(cup_object *address, uint32_t server, size_t *next)
{
    size_t index = is_worker(*next, address, server) ? *next : find_index(address, server);
    if (index == table.count && !add_worker(address, server))
        return NULL;
    *next = index + 1;
    return &table.entries[index];
}

static bool is_missing(const struct cup_known_worker *known, uint32_t server, uint32_t sample)
{
    return known->server == server && known->sample != sample;
}

struct cup_known_worker *cup_known_worker_missing(uint32_t server, uint32_t sample, size_t *at)
{
    while (*at < table.count) {
        struct cup_known_worker *known = &table.entries[(*at)++];
        if (is_missing(known, server, sample))
            return known;
    }
    return NULL;
}

/* Indexes have changed: they are entered anew. */
static void index_all(void)
{
    cup_id_table_reset(&table.indexes);
    for (size_t i = 0; i < table.count && add_index(i); i++)
        continue;
}

void cup_known_worker_drop_missing(uint32_t server, uint32_t sample, bool lost)
{
    size_t kept = 0;
    for (size_t i = 0; i < table.count; i++) {
        if (is_missing(&table.entries[i], server, sample) &&
            !(lost && table.entries[i].written.losses))
            cup_python_drop(table.entries[i].address);
        else if (kept++ != i)
            table.entries[kept - 1] = table.entries[i];
    }
    table.count = kept;
    index_all();
}

void cup_known_worker_reset(void)
{
    if (table.room)
        cup_raw_munmap(table.entries, table.room * sizeof *table.entries);
    cup_id_table_reset(&table.indexes);
    memset(&table, 0, sizeof table);
}
