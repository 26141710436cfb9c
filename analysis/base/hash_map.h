/* The hash table of the program: from 64-bit keys to 32-bit values. Keys are never removed.
 *
 * Use it for keys that may be any number: hashes of task keys, pairs of ids (pair_map.h), hashes
 * of texts (intern.h). For the ids of one log, which count up from 1, id_map.h is smaller and
 * faster.
 *
 * The table is open-addressed with linear probing, and at most half full. It takes no lock: only
 * one thread at a time may use a map. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_hash_slot {
    uint64_t key;
    uint32_t value;
    bool used;
};

/* Zeros are an empty map. */
struct cup_hash_map {
    struct cup_hash_slot *slots; /* owned */
    size_t mask;                 /* number of slots, a power of two, less 1 */
    size_t count;                /* slots in use */
};

/* The slot at which the search for a key begins. */
static inline size_t cup_hash_map_start(const struct cup_hash_map *map, uint64_t key)
{
    uint64_t mixed = key * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed ^ mixed >> 29) & map->mask;
}

/* The slot that holds the key, or the free slot where it belongs. The map has slots. */
static inline struct cup_hash_slot *cup_hash_map_slot(const struct cup_hash_map *map, uint64_t key)
{
    for (size_t i = cup_hash_map_start(map, key);; i = (i + 1) & map->mask)
        if (!map->slots[i].used || map->slots[i].key == key)
            return &map->slots[i];
}

/* The value of a key, or NULL if the map does not hold it. Valid until the next key is added. */
static inline uint32_t *cup_hash_map_find(const struct cup_hash_map *map, uint64_t key)
{
    struct cup_hash_slot *slot = map->slots ? cup_hash_map_slot(map, key) : NULL;
    return slot && slot->used ? &slot->value : NULL;
}

/* Returns the value of the key. A key that is new is added with the value 0. Returns NULL without
 * memory; that cannot happen after cup_hash_map_reserve() made enough room. */
uint32_t *cup_hash_map_put(struct cup_hash_map *map, uint64_t key);

/* Makes room for KEYS keys in all. Returns 0, or -1 without memory. */
int cup_hash_map_reserve(struct cup_hash_map *map, size_t keys);

/* Tells the CPU to fetch the slot of a key into its caches. It saves time if the map is larger
 * than the caches and the caller knows the next keys in advance. */
static inline void cup_hash_map_prefetch(const struct cup_hash_map *map, uint64_t key)
{
    __builtin_prefetch(&map->slots[cup_hash_map_start(map, key)]);
}

/* Frees everything; the map is then empty and usable. */
void cup_hash_map_clear(struct cup_hash_map *map);
