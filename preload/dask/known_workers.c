#include "preload/dask/known_workers.h"

#include "preload/sys/id_table.h"
#include "preload/sys/raw.h"

#include <string.h>

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
