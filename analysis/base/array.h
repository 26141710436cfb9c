/* Growing arrays: the one place that multiplies sizes and doubles room. */
#ifndef CUPPING_ANALYSIS_BASE_ARRAY_H
#define CUPPING_ANALYSIS_BASE_ARRAY_H

#include <stddef.h>

/* Makes room for one item more: `items` points to the array's pointer, which may move. Returns 0,
 * or -1 without memory, the array being as it was. New room is not zeroed. */
int cup_array_grow(void *items, size_t *room, size_t count, size_t item_size);

#endif
