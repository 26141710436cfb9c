#include "analysis/profile/load/own_waits.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"

static void remove_waits(struct cup_own_wait_list *list, size_t from, size_t count)
{
    list->count -= count;
    memmove(&list->waits[from], &list->waits[from + count],
            (list->count - from) * sizeof *list->waits);
}

int cup_own_waits_keep(struct cup_own_wait_list *list, const struct cup_own_waits *waits)
{
    if (list->count == CUP_OWN_WAITS_MOST)
        remove_waits(list, 0, CUP_OWN_WAITS_MOST / 2);
    if (cup_array_grow(&list->waits, &list->room, list->count, sizeof *list->waits) != 0)
        return -1;
    list->waits[list->count++] = *waits;
    return 0;
}

bool cup_own_waits_take(struct cup_own_wait_list *list, uint32_t task, struct cup_own_waits *waits)
{
    for (size_t i = list->count; i-- > 0;) {
        if (list->waits[i].task != task)
            continue;
        *waits = list->waits[i];
        remove_waits(list, i, 1);
        return true;
    }
    return false;
}

void cup_own_waits_clear(struct cup_own_wait_list *list)
{
    free(list->waits);
    *list = (struct cup_own_wait_list){0};
}
