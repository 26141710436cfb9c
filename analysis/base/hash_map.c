#include "analysis/base/hash_map.h"

#include <stdlib.h>

enum { LEAST_SLOTS = 16 };

static int move_to_slots(struct cup_hash_map *map, size_t slots)
{
    struct cup_hash_map moved = {
        .slots = calloc(slots, sizeof *moved.slots), .mask = slots - 1, .count = map->count};
    if (!moved.slots)
        return -1;
    for (size_t i = 0; map->slots && i <= map->mask; i++)
        if (map->slots[i].used)
            *cup_hash_map_slot(&moved, map->slots[i].key) = map->slots[i];
    free(map->slots);
    *map = moved;
    return 0;
}

int cup_hash_map_reserve(struct cup_hash_map *map, size_t keys)
{
    size_t slots = map->slots ? map->mask + 1 : LEAST_SLOTS;
    while (slots < keys * 2)
        slots *= 2;
    return map->slots && slots == map->mask + 1 ? 0 : move_to_slots(map, slots);
}

uint32_t *cup_hash_map_put(struct cup_hash_map *map, uint64_t key)
{
    uint32_t *known = cup_hash_map_find(map, key);
    if (known)
        return known;
    if (cup_hash_map_reserve(map, map->count + 1) != 0)
        return NULL;
    struct cup_hash_slot *slot = cup_hash_map_slot(map, key);
    *slot = (struct cup_hash_slot){.key = key, .used = true};
    map->count++;
    return &slot->value;
}

void cup_hash_map_clear(struct cup_hash_map *map)
{
    free(map->slots);
    *map = (struct cup_hash_map){0};
}
