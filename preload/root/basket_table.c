#include "preload/root/basket_table.h"

#include "preload/sys/raw.h"

#include <string.h>

enum { FIRST_BITS = 8, KEPT_BITS = 13 };
#define MOST_BYTES (UINT64_C(32) << 20) /* of all tables of the process */

static uint64_t mapped; /* bytes, of all tables */

void cup_basket_table_reset(void)
{
    mapped = 0;
}

/* ---- memory ------------------------------------------------------------------------------ */

static size_t mapping_bytes(unsigned bits)
{
    return (sizeof(struct cup_basket_table_basket) + 2 * sizeof(uint32_t)) << bits;
}

static void *map_pages(size_t bytes)
{
    if (__atomic_add_fetch(&mapped, bytes, __ATOMIC_RELAXED) <= MOST_BYTES) {
        void *at =
            cup_raw_mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (at != MAP_FAILED)
            return at;
    }
    __atomic_sub_fetch(&mapped, bytes, __ATOMIC_RELAXED);
    return NULL;
}

/* BITS becomes 0 before munmap(). Otherwise a child that another thread forks right after munmap()
 * would unmap the same addresses again, where something else may lie by then. */
static void unmap_pages(struct cup_basket_table *table)
{
    size_t bytes = mapping_bytes(table->bits);
    if (!table->bits)
        return;
    __atomic_store_n(&table->bits, 0, __ATOMIC_SEQ_CST);
    cup_raw_munmap(table->baskets, bytes);
    __atomic_sub_fetch(&mapped, bytes, __ATOMIC_RELAXED);
}

/* ---- the table --------------------------------------------------------------------------- */

static uint32_t first_slot(const struct cup_basket_table *table, uint32_t place, uint64_t offset)
{
    uint64_t hash = (offset + ((uint64_t)place << 48)) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash >> (63 - table->bits));
}

/* The basket's slot, or the free one where it belongs. Linear probing. */
static uint32_t *find_slot(const struct cup_basket_table *table, uint32_t place, uint64_t offset)
{
    uint32_t mask = (UINT32_C(2) << table->bits) - 1;
    for (uint32_t at = first_slot(table, place, offset);; at = (at + 1) & mask) {
        const struct cup_basket_table_basket *basket = &table->baskets[table->index[at] - 1];
        if (!table->index[at] || (basket->offset == offset && basket->place == place))
            return &table->index[at];
    }
}

static bool grow_table(struct cup_basket_table *table)
{
    unsigned bits = table->bits ? table->bits + 1 : FIRST_BITS;
    void *fresh = bits <= CUP_BASKET_TABLE_MOST_BITS ? map_pages(mapping_bytes(bits)) : NULL;
    if (!fresh)
        return false;
    if (table->count && table->baskets)
        memcpy(fresh, table->baskets, table->count * sizeof *table->baskets);
    unmap_pages(table);
    table->baskets = fresh;
    __atomic_store_n(&table->bits, bits, __ATOMIC_RELEASE);
    table->index = (uint32_t *)(table->baskets + (UINT64_C(1) << bits));
    for (uint32_t i = 0; i < table->count; i++)
        *find_slot(table, table->baskets[i].place, table->baskets[i].offset) = i + 1;
    return true;
}

/* Index + 1 of the basket; 0: there is none. */
static uint32_t find_number(const struct cup_basket_table *table, uint32_t place, uint64_t offset)
{
    return table->bits ? *find_slot(table, place, offset) : 0;
}

struct cup_basket_table_basket *cup_basket_table_find(const struct cup_basket_table *table,
                                                      uint32_t place, uint64_t offset)
{
    uint32_t found = find_number(table, place, offset);
    return found ? &table->baskets[found - 1] : NULL;
}

struct cup_basket_table_basket *cup_basket_table_get(struct cup_basket_table *table, uint32_t place,
                                                     uint64_t offset, uint32_t bytes)
{
    uint32_t found = find_number(table, place, offset), next = table->places[place].first;
    struct cup_basket_table_basket *basket;
    if (found) {
        basket = &table->baskets[found - 1];
        if (basket->bytes == bytes)
            return basket;
        next = basket->next;
    } else {
        if ((!table->bits || table->count == UINT32_C(1) << table->bits) && !grow_table(table))
            return NULL;
        basket = &table->baskets[table->count++];
        *find_slot(table, place, offset) = table->count;
        table->places[place].first = table->count - 1;
    }
    *basket = (struct cup_basket_table_basket){
        .offset = offset, .place = place, .next = next, .bytes = bytes};
    return basket;
}

static void clear_index(struct cup_basket_table *table)
{
    if (table->bits)
        memset(table->index, 0, sizeof *table->index << (table->bits + 1));
}

static bool is_awaited(const struct cup_basket_table *table,
                       const struct cup_basket_table_basket *basket)
{
    return table->places[basket->place].is_tree && basket->requested;
}

bool cup_basket_table_may_shrink(const struct cup_basket_table *table)
{
    return table->bits && table->count - table->kept >= UINT32_C(1) << table->bits >> 3;
}

void cup_basket_table_shrink(struct cup_basket_table *table)
{
    uint32_t before = table->count;
    clear_index(table);
    for (uint32_t i = 0; i < table->place_count; i++)
        table->places[i].first = CUP_BASKET_TABLE_NONE;
    table->count = 0;
    for (uint32_t i = 0; i < before; i++) {
        struct cup_basket_table_basket basket = table->baskets[i];
        if (!is_awaited(table, &basket))
            continue;
        struct cup_basket_table_place *place = &table->places[basket.place];
        basket.next = place->first;
        place->first = table->count;
        table->baskets[table->count++] = basket;
        *find_slot(table, basket.place, basket.offset) = table->count;
    }
    table->kept = table->count;
}

void cup_basket_table_clear(struct cup_basket_table *table, bool all)
{
    if (all || table->bits > KEPT_BITS)
        unmap_pages(table);
    else if (table->count)
        clear_index(table);
    table->count = table->kept = table->place_count = 0;
}

/* ---- places ------------------------------------------------------------------------------ */

static uint32_t add_place(struct cup_basket_table *table,
                          const struct cup_basket_table_place *place)
{
    if (table->place_count == CUP_BASKET_TABLE_PLACES)
        return CUP_BASKET_TABLE_NONE;
    table->places[table->place_count] = *place;
    return table->place_count++;
}

uint32_t cup_basket_table_file(struct cup_basket_table *table, uint32_t file)
{
    for (uint32_t i = 0; i < table->place_count; i++)
        if (!table->places[i].is_tree && table->places[i].file == file)
            return i;
    return add_place(
        table, &(struct cup_basket_table_place){.file = file, .first = CUP_BASKET_TABLE_NONE});
}

static bool is_same_tree(const struct cup_requested_baskets_tree *one,
                         const struct cup_requested_baskets_tree *other)
{
    return one->path == other->path && one->tree == other->tree && one->at == other->at &&
           one->entries == other->entries && one->compressed_bytes == other->compressed_bytes;
}

uint32_t cup_basket_table_tree(struct cup_basket_table *table,
                               const struct cup_requested_baskets_tree *tree, bool writes)
{
    for (uint32_t i = 0; i < table->place_count; i++)
        if (table->places[i].is_tree && is_same_tree(&table->places[i].tree, tree)) {
            table->places[i].writes_tree |= writes;
            return i;
        }
    if (table->place_count + 2 > CUP_BASKET_TABLE_PLACES)
        return CUP_BASKET_TABLE_NONE;
    return add_place(table, &(struct cup_basket_table_place){.is_tree = true,
                                                             .writes_tree = writes,
                                                             .first = CUP_BASKET_TABLE_NONE,
                                                             .tree = *tree});
}
