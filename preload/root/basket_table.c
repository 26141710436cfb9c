#include "preload/root/basket_table.h"

#include "preload/sys/raw.h"

#include <string.h>

enum { FIRST_BITS = 8, KEPT_BITS = 13 };
#define MOST_BYTES (UINT64_C(32) << 20) /* of all tallies of the process */

static uint64_t mapped;

void cup_basket_table_reset(void)
{
    mapped = 0;
}

/* ---- memory ------------------------------------------------------------------------------ */

static size_t bytes_of(unsigned bits)
{
    return (sizeof(struct cup_basket_table_basket) + 2 * sizeof(uint32_t)) << bits;
}

static void *map(size_t bytes)
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

/* First of all there are no baskets: a child forked by another thread in the middle of it unmaps
 * what it has, and what is not there any more may be somebody else's. */
static void unmap(struct cup_basket_table *tally)
{
    size_t bytes = bytes_of(tally->bits);
    if (!tally->bits)
        return;
    __atomic_store_n(&tally->bits, 0, __ATOMIC_SEQ_CST);
    cup_raw_munmap(tally->baskets, bytes);
    __atomic_sub_fetch(&mapped, bytes, __ATOMIC_RELAXED);
}

/* ---- the table --------------------------------------------------------------------------- */

static uint32_t slot_of(const struct cup_basket_table *tally, uint32_t place, uint64_t offset)
{
    uint64_t hash = (offset + ((uint64_t)place << 48)) * UINT64_C(0x9e3779b97f4a7c15);
    return (uint32_t)(hash >> (63 - tally->bits));
}

/* Its slot, or the free one where it belongs. */
static uint32_t *look_up(const struct cup_basket_table *tally, uint32_t place, uint64_t offset)
{
    uint32_t mask = (UINT32_C(2) << tally->bits) - 1;
    for (uint32_t at = slot_of(tally, place, offset);; at = (at + 1) & mask) {
        const struct cup_basket_table_basket *basket = &tally->baskets[tally->index[at] - 1];
        if (!tally->index[at] || (basket->offset == offset && basket->place == place))
            return &tally->index[at];
    }
}

static bool grow(struct cup_basket_table *tally)
{
    unsigned bits = tally->bits ? tally->bits + 1 : FIRST_BITS;
    void *fresh = bits <= CUP_BASKET_TABLE_MOST_BITS ? map(bytes_of(bits)) : NULL;
    if (!fresh)
        return false;
    if (tally->count && tally->baskets)
        memcpy(fresh, tally->baskets, tally->count * sizeof *tally->baskets);
    unmap(tally);
    tally->baskets = fresh;
    __atomic_store_n(&tally->bits, bits, __ATOMIC_RELEASE);
    tally->index = (uint32_t *)(tally->baskets + (UINT64_C(1) << bits));
    for (uint32_t i = 0; i < tally->count; i++)
        *look_up(tally, tally->baskets[i].place, tally->baskets[i].offset) = i + 1;
    return true;
}

/* Its number, from 1 on; 0: it is not there. */
static uint32_t number_of(const struct cup_basket_table *tally, uint32_t place, uint64_t offset)
{
    return tally->bits ? *look_up(tally, place, offset) : 0;
}

struct cup_basket_table_basket *cup_basket_table_find(const struct cup_basket_table *tally,
                                                      uint32_t place, uint64_t offset)
{
    uint32_t found = number_of(tally, place, offset);
    return found ? &tally->baskets[found - 1] : NULL;
}

struct cup_basket_table_basket *cup_basket_table_get(struct cup_basket_table *tally, uint32_t place,
                                                     uint64_t offset, uint32_t bytes)
{
    uint32_t found = number_of(tally, place, offset), next = tally->places[place].first;
    struct cup_basket_table_basket *basket;
    if (found) {
        basket = &tally->baskets[found - 1];
        if (basket->bytes == bytes)
            return basket;
        next = basket->next;
    } else {
        if ((!tally->bits || tally->count == UINT32_C(1) << tally->bits) && !grow(tally))
            return NULL;
        basket = &tally->baskets[tally->count++];
        *look_up(tally, place, offset) = tally->count;
        tally->places[place].first = tally->count - 1;
    }
    *basket = (struct cup_basket_table_basket){
        .offset = offset, .place = place, .next = next, .bytes = bytes};
    return basket;
}

static void forget_index(struct cup_basket_table *tally)
{
    if (tally->bits)
        memset(tally->index, 0, sizeof *tally->index << (tally->bits + 1));
}

static bool is_awaited(const struct cup_basket_table *tally,
                       const struct cup_basket_table_basket *basket)
{
    return tally->places[basket->place].asked_for && basket->asked;
}

bool cup_basket_table_may_shrink(const struct cup_basket_table *tally)
{
    return tally->bits && tally->count - tally->kept >= UINT32_C(1) << tally->bits >> 3;
}

void cup_basket_table_shrink(struct cup_basket_table *tally)
{
    uint32_t before = tally->count;
    forget_index(tally);
    for (uint32_t i = 0; i < tally->place_count; i++)
        tally->places[i].first = CUP_BASKET_TABLE_NONE;
    tally->count = 0;
    for (uint32_t i = 0; i < before; i++) {
        struct cup_basket_table_basket basket = tally->baskets[i];
        if (!is_awaited(tally, &basket))
            continue;
        struct cup_basket_table_place *place = &tally->places[basket.place];
        basket.next = place->first;
        place->first = tally->count;
        tally->baskets[tally->count++] = basket;
        *look_up(tally, basket.place, basket.offset) = tally->count;
    }
    tally->kept = tally->count;
}

void cup_basket_table_clear(struct cup_basket_table *tally, bool all)
{
    if (all || tally->bits > KEPT_BITS)
        unmap(tally);
    else if (tally->count)
        forget_index(tally);
    tally->count = tally->kept = tally->place_count = 0;
}

/* ---- places ------------------------------------------------------------------------------ */

static uint32_t add_place(struct cup_basket_table *tally,
                          const struct cup_basket_table_place *place)
{
    if (tally->place_count == CUP_BASKET_TABLE_PLACES)
        return CUP_BASKET_TABLE_NONE;
    tally->places[tally->place_count] = *place;
    return tally->place_count++;
}

uint32_t cup_basket_table_file(struct cup_basket_table *tally, uint32_t file)
{
    for (uint32_t i = 0; i < tally->place_count; i++)
        if (!tally->places[i].asked_for && tally->places[i].file == file)
            return i;
    return add_place(
        tally, &(struct cup_basket_table_place){.file = file, .first = CUP_BASKET_TABLE_NONE});
}

static bool is_same(const struct cup_requested_baskets_tree *one,
                    const struct cup_requested_baskets_tree *other)
{
    return one->path == other->path && one->tree == other->tree && one->at == other->at &&
           one->entries == other->entries && one->compressed_bytes == other->compressed_bytes;
}

uint32_t cup_basket_table_tree(struct cup_basket_table *tally,
                               const struct cup_requested_baskets_tree *tree, bool tells)
{
    for (uint32_t i = 0; i < tally->place_count; i++)
        if (tally->places[i].asked_for && is_same(&tally->places[i].tree, tree)) {
            tally->places[i].tells |= tells;
            return i;
        }
    return add_place(tally, &(struct cup_basket_table_place){.asked_for = true,
                                                             .tells = tells,
                                                             .first = CUP_BASKET_TABLE_NONE,
                                                             .tree = *tree});
}
