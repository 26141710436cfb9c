/* A map from the ids of one log (of strings, files, servers, tasks: 1, 2, 3, ...) to indexes in
 * the profile. It is an array of pages that are allocated when needed: ids are normally dense, but
 * a damaged log may hold any number. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { CUP_ID_PAGE = 1024 };

struct cup_id_map {
    uint32_t **pages; /* owned; NULL if no id of the page was set */
    size_t page_count;
};

/* Returns 0, or -1 without memory. */
int cup_id_map_set(struct cup_id_map *map, uint32_t id, uint32_t value);

/* The value set last, or 0. */
static inline uint32_t cup_id_map_get(const struct cup_id_map *map, uint32_t id)
{
    size_t page = id / CUP_ID_PAGE;
    if (page >= map->page_count || !map->pages[page])
        return 0;
    return map->pages[page][id % CUP_ID_PAGE];
}

/* Frees everything; the map is then empty and usable. */
void cup_id_map_clear(struct cup_id_map *map);
