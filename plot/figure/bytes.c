#include "plot/figure/bytes.h"

#include <string.h>

#include "analysis/base/array.h"

int cup_bytes_add(struct cup_bytes *bytes, const void *from, size_t count)
{
    while (bytes->room - bytes->count < count)
        if (cup_array_grow(&bytes->bytes, &bytes->room, bytes->room, 1) != 0)
            return -1;
    if (count)
        memcpy(bytes->bytes + bytes->count, from, count);
    bytes->count += count;
    return 0;
}
