/* Arrays that grow. Only this room multiplies sizes and doubles capacities. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Makes room for one more item. ITEMS points to the pointer to the array, which may move. Returns
 * 0, or -1 without memory; then the array is unchanged. New room is not zeroed. */
int cup_array_grow(void *items, size_t *room, size_t count, size_t item_size);

static inline void cup_add_all(uint64_t *sums, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i] += values[i];
}

/* The same for structs, or parts of them, whose members all are uint64_t. BYTES: size of either. */
static inline void cup_add_numbers(void *sums, const void *more, size_t bytes)
{
    cup_add_all(sums, more, bytes / sizeof(uint64_t));
}
