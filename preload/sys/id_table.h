/* The hash table of the library: it maps keys of 128 bits to ids of 32 bits. It allocates with mmap
 * only, doubles when half full, and refuses to grow beyond a limit that the caller names. It has no
 * lock: a table that several threads use is protected by its owner's lock (or by the GIL). Safe
 * where malloc is not: in hooks, and in a forked child. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cup_id_entry {
    uint64_t key, more; /* the two halves of the key */
    uint32_t id;        /* 0: the entry is free */
};

/* Empty when all zeros. */
struct cup_id_table {
    struct cup_id_pages *pages;
};

/* The entry of a key; NULL if there is none. The caller may change its id (not to 0). Valid until
 * the next cup_id_room() or reset. */
struct cup_id_entry *cup_id_find(const struct cup_id_table *table, uint64_t key, uint64_t more);

/* Makes room for COUNT more keys. Returns false, and changes nothing, if there is no memory or if
 * the table would hold more than MOST keys. */
bool cup_id_room(struct cup_id_table *table, uint32_t count, uint32_t most);

/* Adds a key that is not in the table, with an ID other than 0. cup_id_room() must have made room
 * for it. */
void cup_id_add(struct cup_id_table *table, uint64_t key, uint64_t more, uint32_t id);

/* Removes all keys and unmaps the memory. Safe in a forked child, where a thread that does not
 * exist any more may have been changing the table: this function follows only the pointer to the
 * mapping, and a table that grows gets its new mapping by one store of that pointer, when the
 * mapping is complete. */
void cup_id_table_reset(struct cup_id_table *table);

/* Hashes two words into one; every bit of the result depends on both. Multiplies two 64-bit words
 * and folds the 128-bit product. */
static inline uint64_t cup_mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(a ^ UINT64_C(0x9e3779b97f4a7c15)) * (b ^ UINT64_C(0xe7037ed1a0b428db));
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

/* A hash of 128 bits, used as a key in place of the content itself: two contents with the same hash
 * are taken for one, which does not happen in practice. */
struct cup_hash {
    uint64_t key, more;
};

/* Hashes one more part of a content, its length and its bytes, into HASH and returns the result.
 * For the first part HASH is any constant. */
struct cup_hash cup_hash_bytes(struct cup_hash hash, const void *bytes, size_t length);
