/* Numbers by the hash of a task's key: for the few keys that something is to be found out about
 * among a million tasks. */
#ifndef CUPPING_ANALYSIS_METRICS_LOSSES_KEY_TABLE_H
#define CUPPING_ANALYSIS_METRICS_LOSSES_KEY_TABLE_H

#include <stddef.h>
#include <stdint.h>

struct cup_key_slot {
    uint64_t key_hash; /* 0: free */
    uint32_t value;
};

struct cup_key_table {
    struct cup_key_slot *slots; /* owned */
    size_t mask;
};

/* Room for `most` keys. Returns 0, or -1 without memory; then there is nothing to free. */
int cup_key_table_start(struct cup_key_table *table, size_t most);
void cup_key_table_free(struct cup_key_table *table);

/* The value of a key, NULL if it is not there. A table without room finds nothing. */
uint32_t *cup_key_table_find(const struct cup_key_table *table, uint64_t key_hash);

/* The same; a key that is not there is added with the value 0. The table has room for it. */
uint32_t *cup_key_table_put(struct cup_key_table *table, uint64_t key_hash);

#endif
