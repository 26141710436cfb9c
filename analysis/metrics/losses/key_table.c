#include "analysis/metrics/losses/key_table.h"

#include <stdlib.h>

int cup_key_table_start(struct cup_key_table *table, size_t most)
{
    size_t slots = 16;
    while (slots < most * 2)
        slots *= 2;
    table->slots = calloc(slots, sizeof *table->slots);
    table->mask = slots - 1;
    return table->slots ? 0 : -1;
}

void cup_key_table_free(struct cup_key_table *table)
{
    free(table->slots);
    *table = (struct cup_key_table){0};
}

/* A free slot has the hash 0, which is no key's. */
static uint64_t usable(uint64_t key_hash)
{
    return key_hash ? key_hash : 1;
}

/* Where the key stands, or the free slot where it belongs. */
static struct cup_key_slot *slot_of(const struct cup_key_table *table, uint64_t key_hash)
{
    for (size_t i = key_hash & table->mask;; i = (i + 1) & table->mask)
        if (table->slots[i].key_hash == 0 || table->slots[i].key_hash == key_hash)
            return &table->slots[i];
}

uint32_t *cup_key_table_find(const struct cup_key_table *table, uint64_t key_hash)
{
    struct cup_key_slot *slot = table->slots ? slot_of(table, usable(key_hash)) : NULL;
    return slot && slot->key_hash ? &slot->value : NULL;
}

uint32_t *cup_key_table_put(struct cup_key_table *table, uint64_t key_hash)
{
    struct cup_key_slot *slot = slot_of(table, usable(key_hash));
    slot->key_hash = usable(key_hash);
    return &slot->value;
}
