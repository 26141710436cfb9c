/* From two numbers to one that is not 0: a table that grows. */
#ifndef CUPPING_ANALYSIS_BASE_PAIR_MAP_H
#define CUPPING_ANALYSIS_BASE_PAIR_MAP_H

#include <stddef.h>
#include <stdint.h>

struct cup_pair_slot {
    uint32_t a, b;
    uint32_t value; /* 0: free */
};

struct cup_pair_map {
    struct cup_pair_slot *slots; /* owned */
    size_t mask, count;
};

/* The value set last, or 0. */
uint32_t cup_pair_map_get(const struct cup_pair_map *map, uint32_t a, uint32_t b);

/* VALUE is not 0. Returns 0, or -1 without memory. */
int cup_pair_map_set(struct cup_pair_map *map, uint32_t a, uint32_t b, uint32_t value);

/* Frees everything; the map is then empty and usable. */
void cup_pair_map_clear(struct cup_pair_map *map);

#endif
