/* A map from two 32-bit numbers to one 32-bit number, which must not be 0. It is a hash_map.h
 * whose 64-bit key consists of both numbers. */
#pragma once

#include "analysis/base/hash_map.h"

/* Zeros are an empty map. */
struct cup_pair_map {
    struct cup_hash_map map;
};

static inline uint64_t cup_pair_key(uint32_t a, uint32_t b)
{
    return (uint64_t)a << 32 | b;
}

/* The value set last, or 0. */
static inline uint32_t cup_pair_map_get(const struct cup_pair_map *map, uint32_t a, uint32_t b)
{
    const uint32_t *value = cup_hash_map_find(&map->map, cup_pair_key(a, b));
    return value ? *value : 0;
}

/* VALUE is not 0. Returns 0, or -1 without memory. */
static inline int cup_pair_map_set(struct cup_pair_map *map, uint32_t a, uint32_t b, uint32_t value)
{
    uint32_t *at = cup_hash_map_put(&map->map, cup_pair_key(a, b));
    if (at)
        *at = value;
    return at ? 0 : -1;
}

/* Frees everything; the map is then empty and usable. */
static inline void cup_pair_map_clear(struct cup_pair_map *map)
{
    cup_hash_map_clear(&map->map);
}
