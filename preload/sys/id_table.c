#include "preload/sys/id_table.h"

#include "preload/sys/raw.h"

#include <string.h>

enum { FIRST_ROOM = 1 << 10 };

/* One mapping. It holds its own size, so that replacing a table is one store of a pointer. */
struct cup_id_pages {
    size_t bytes;
    uint32_t room, used; /* entries; room is a power of two */
    struct cup_id_entry entries[];
};

static struct cup_id_pages *map_pages(uint32_t room)
{
    size_t bytes = sizeof(struct cup_id_pages) + room * sizeof(struct cup_id_entry);
    struct cup_id_pages *pages = cup_raw_grow(NULL, 0, bytes);
    if (pages)
        *pages = (struct cup_id_pages){.bytes = bytes, .room = room};
    return pages;
}

/* The key's entry, or the free entry where it belongs. Linear probing; there is always a free entry
 * because a table is at most half full. */
static struct cup_id_entry *find_entry(struct cup_id_pages *pages, uint64_t key, uint64_t more)
{
    uint32_t mask = pages->room - 1, at = (uint32_t)cup_mix(key, more) & mask;
    while (pages->entries[at].id &&
           (pages->entries[at].key != key || pages->entries[at].more != more))
        at = (at + 1) & mask;
    return &pages->entries[at];
}

static bool double_room(struct cup_id_table *table)
{
    struct cup_id_pages *old = table->pages, *pages = map_pages(old ? 2 * old->room : FIRST_ROOM);
    if (!pages)
        return false;
    for (uint32_t i = 0; old && i < old->room; i++) {
        const struct cup_id_entry *entry = &old->entries[i];
        if (!entry->id)
            continue;
        *find_entry(pages, entry->key, entry->more) = *entry;
        pages->used++;
    }
    __atomic_store_n(&table->pages, pages, __ATOMIC_RELEASE);
    if (old)
        cup_raw_munmap(old, old->bytes);
    return true;
}

struct cup_id_entry *cup_id_find(const struct cup_id_table *table, uint64_t key, uint64_t more)
{
    struct cup_id_entry *entry = table->pages ? find_entry(table->pages, key, more) : NULL;
    return entry && entry->id ? entry : NULL;
}

bool cup_id_room(struct cup_id_table *table, uint32_t count, uint32_t most)
{
    uint32_t used = table->pages ? table->pages->used : 0;
    if (count > most || used > most - count)
        return false;
    while (!table->pages || used + count > table->pages->room / 2)
        if (!double_room(table))
            return false;
    return true;
}

void cup_id_add(struct cup_id_table *table, uint64_t key, uint64_t more, uint32_t id)
{
    *find_entry(table->pages, key, more) = (struct cup_id_entry){key, more, id};
    table->pages->used++;
}

void cup_id_table_reset(struct cup_id_table *table)
{
    struct cup_id_pages *pages = table->pages;
    table->pages = NULL;
    if (pages)
        cup_raw_munmap(pages, pages->bytes);
}

struct cup_hash cup_hash_bytes(struct cup_hash hash, const void *bytes, size_t length)
{
    const char *from = bytes;
    hash.key = cup_mix(hash.key, length);
    for (size_t i = 0; i < length; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, from + i, length - i < sizeof word ? length - i : sizeof word);
        hash.key = cup_mix(hash.key, word);
        hash.more = cup_mix(hash.more + word, hash.key);
    }
    return hash;
}
