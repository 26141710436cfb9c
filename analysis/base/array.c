#include "analysis/base/array.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int cup_array_grow(void *items, size_t *room, size_t count, size_t item_size)
{
    if (count < *room)
        return 0;
    size_t wanted = *room ? *room * 2 : 16;
    if (wanted > SIZE_MAX / 2 / item_size)
        return -1;
    void *old;
    memcpy(&old, items, sizeof old); /* `items` is a T **, whatever T is */
    void *grown = realloc(old, wanted * item_size);
    if (!grown)
        return -1;
    memcpy(items, &grown, sizeof grown);
    *room = wanted;
    return 0;
}
