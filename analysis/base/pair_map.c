#include "analysis/base/pair_map.h"

#include <stdlib.h>

static size_t hash_of(uint32_t a, uint32_t b)
{
    uint64_t mixed = ((uint64_t)a << 32 | b) * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed ^ mixed >> 29);
}

/* Where the pair stands, or the free slot where it belongs. */
static struct cup_pair_slot *slot_of(const struct cup_pair_map *map, uint32_t a, uint32_t b)
{
    for (size_t i = hash_of(a, b) & map->mask;; i = (i + 1) & map->mask) {
        struct cup_pair_slot *slot = &map->slots[i];
        if (slot->value == 0 || (slot->a == a && slot->b == b))
            return slot;
    }
}

static int grow(struct cup_pair_map *map)
{
    size_t slots = map->slots ? (map->mask + 1) * 2 : 64;
    struct cup_pair_map grown = {.slots = calloc(slots, sizeof *grown.slots), .mask = slots - 1};
    if (!grown.slots)
        return -1;
    for (size_t i = 0; map->slots && i <= map->mask; i++)
        if (map->slots[i].value)
            *slot_of(&grown, map->slots[i].a, map->slots[i].b) = map->slots[i];
    grown.count = map->count;
    free(map->slots);
    *map = grown;
    return 0;
}

uint32_t cup_pair_map_get(const struct cup_pair_map *map, uint32_t a, uint32_t b)
{
    return map->slots ? slot_of(map, a, b)->value : 0;
}

int cup_pair_map_set(struct cup_pair_map *map, uint32_t a, uint32_t b, uint32_t value)
{
    if ((!map->slots || map->count * 2 > map->mask) && grow(map) != 0)
        return -1;
    struct cup_pair_slot *slot = slot_of(map, a, b);
    map->count += slot->value == 0;
    *slot = (struct cup_pair_slot){a, b, value};
    return 0;
}

void cup_pair_map_clear(struct cup_pair_map *map)
{
    free(map->slots);
    *map = (struct cup_pair_map){0};
}
