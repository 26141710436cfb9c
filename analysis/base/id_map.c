#include "analysis/base/id_map.h"

#include <stdlib.h>
#include <string.h>

static int cover_page(struct cup_id_map *map, size_t page)
{
    if (page < map->page_count)
        return 0;
    size_t wanted = page + 1 > 2 * map->page_count ? page + 1 : 2 * map->page_count;
    uint32_t **pages = realloc(map->pages, wanted * sizeof *pages);
    if (!pages)
        return -1;
    memset(pages + map->page_count, 0, (wanted - map->page_count) * sizeof *pages);
    map->pages = pages;
    map->page_count = wanted;
    return 0;
}

int cup_id_map_set(struct cup_id_map *map, uint32_t id, uint32_t value)
{
    size_t page = id / CUP_ID_PAGE;
    if (cover_page(map, page) != 0)
        return -1;
    if (!map->pages[page])
        map->pages[page] = calloc(CUP_ID_PAGE, sizeof **map->pages);
    if (!map->pages[page])
        return -1;
    map->pages[page][id % CUP_ID_PAGE] = value;
    return 0;
}

void cup_id_map_clear(struct cup_id_map *map)
{
    for (size_t i = 0; i < map->page_count; i++)
        free(map->pages[i]);
    free(map->pages);
    *map = (struct cup_id_map){0};
}
