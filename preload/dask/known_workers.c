#include "preload/dask/known_workers.h"

#include "preload/sys/raw.h"

#include <string.h>
#include <sys/mman.h>

static struct {
    struct cup_known_worker *entries; /* in the order in which they came */
    uint32_t *places;                 /* index in entries + 1, by address; 0: none */
    size_t count, room, bytes;        /* places: twice the room */
    unsigned bits;                    /* places are 1 << bits */
} table;

static size_t place_for(cup_object *address)
{
    return ((uintptr_t)address * UINT64_C(0x9e3779b97f4a7c15)) >> (64 - table.bits);
}

static void add_place(uint32_t index)
{
    size_t at = place_for(table.entries[index].address), mask = (UINT64_C(1) << table.bits) - 1;
    while (table.places[at])
        at = (at + 1) & mask;
    table.places[at] = index + 1;
}

static void place_all(void)
{
    memset(table.places, 0, sizeof *table.places << table.bits);
    for (uint32_t i = 0; i < table.count; i++)
        add_place(i);
}

/* Memory of our own: the program's allocator is not used inside the library. */
static bool make_room(void)
{
    enum { FIRST_BITS = 7 };
    unsigned bits = table.room ? table.bits + 1 : FIRST_BITS;
    size_t room = (size_t)1 << (bits - 1), places = (sizeof *table.places << bits);
    size_t bytes = room * sizeof *table.entries + places;
    void *fresh =
        cup_raw_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (fresh == MAP_FAILED)
        return false;
    if (table.count)
        memcpy(fresh, table.entries, table.count * sizeof *table.entries);
    if (table.room)
        cup_raw_munmap(table.entries, table.bytes);
    table.entries = fresh;
    table.places = (uint32_t *)(table.entries + room);
    table.room = room;
    table.bytes = bytes;
    table.bits = bits;
    place_all();
    return true;
}

static bool is_it(size_t index, cup_object *address, uint32_t server)
{
    return index < table.count && table.entries[index].address == address &&
           table.entries[index].server == server;
}

/* Index, or table.count. */
static size_t look_up(cup_object *address, uint32_t server)
{
    size_t mask = (UINT64_C(1) << table.bits) - 1;
    if (!table.room)
        return table.count;
    for (size_t at = place_for(address); table.places[at]; at = (at + 1) & mask)
        if (is_it(table.places[at] - 1, address, server))
            return table.places[at] - 1;
    return table.count;
}

static bool add(cup_object *address, uint32_t server)
{
    if (table.count == table.room && !make_room())
        return false;
    cup_py.Py_IncRef(address);
    table.entries[table.count] = (struct cup_known_worker){.address = address, .server = server};
    add_place((uint32_t)table.count++);
    return true;
}

struct cup_known_worker *cup_known_worker_find(cup_object *address, uint32_t server, size_t *next)
{
    size_t index = is_it(*next, address, server) ? *next : look_up(address, server);
    if (index == table.count && !add(address, server))
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

void cup_known_worker_drop_missing(uint32_t server, uint32_t sample, bool lost)
{
    size_t kept = 0;
    for (size_t i = 0; i < table.count; i++) {
        if (is_missing(&table.entries[i], server, sample) &&
            !(lost && table.entries[i].told.losses))
            cup_python_drop(table.entries[i].address);
        else if (kept++ != i)
            table.entries[kept - 1] = table.entries[i];
    }
    table.count = kept;
    place_all();
}

void cup_known_worker_reset(void)
{
    if (table.room)
        cup_raw_munmap(table.entries, table.bytes);
    memset(&table, 0, sizeof table);
}
