/* Ids by keys of 128 bits, in memory of our own that grows by doubling up to a limit. No locks:
 * whoever shares one has a lock. */
#ifndef CUPPING_PRELOAD_SYS_ID_TABLE_H
#define CUPPING_PRELOAD_SYS_ID_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct cup_id_entry {
    uint64_t key, more; /* the key, and what is left of it */
    uint32_t id;        /* 0: free */
};

/* Zeros at first. */
struct cup_id_table {
    struct cup_id_pages *pages;
};

/* NULL: not there. Valid until something is added. */
struct cup_id_entry *cup_id_find(const struct cup_id_table *table, uint64_t key, uint64_t more);

/* Makes room for COUNT more. False: no memory, or more than MOST in all. */
bool cup_id_room(struct cup_id_table *table, uint32_t count, uint32_t most);

/* Adds a key that is not there, where room was made. */
void cup_id_add(struct cup_id_table *table, uint64_t key, uint64_t more, uint32_t id);

/* Empties it; its memory is given back. In a forked child, too, whatever the parent's threads were
 * about to do. */
void cup_id_table_reset(struct cup_id_table *table);

/* Two words into one, so that each bit of either has its say. */
static inline uint64_t cup_mix(uint64_t a, uint64_t b)
{
    __extension__ typedef unsigned __int128 wide;
    wide product = (wide)(a ^ UINT64_C(0x9e3779b97f4a7c15)) * (b ^ UINT64_C(0xe7037ed1a0b428db));
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

#endif
