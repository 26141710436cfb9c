/* Where tasks read in their files. There may be millions of access extents, so the profile holds
 * only the places of their records in the logs; access_feed.h reads them when they are needed. */
#include "analysis/profile/load/loader.h"

#include <stdlib.h>

/* Adds the place to the profile, unless the options exclude its task. */
static void add_place(struct cup_loader *loader, const struct cup_access_set *set)
{
    uint32_t number = cup_owner_of(loader, set->task, set->own);
    uint32_t file = cup_id_map_get(&loader->files, set->file);
    uint32_t task = number ? cup_id_map_get(&loader->tasks, number) : 0;
    if (task == CUP_UNWANTED_TASK || (number == 0 && is_selective(loader)))
        return;
    if (file == 0) {
        profile_of(loader)->orphan_records++;
        return;
    }
    struct cup_access_place *place = CUP_APPEND(loader->builder, access_places, access_place);
    if (place)
        *place = (struct cup_access_place){loader->process, set->at, task, file - 1, set->sequence};
}

/* An ACCESS record replaces the EXTENTS record of the same set and sequence: both hold the same
 * extents, because the process was killed between writing the one and reusing the other. */
static void drop_set(struct cup_loader *loader, uint32_t number, uint32_t sequence)
{
    uint32_t known = cup_id_map_get(&loader->access_sets.by_number, number);
    if (known && loader->access_sets.sets[known - 1].sequence == sequence)
        loader->access_sets.sets[known - 1].file = 0;
}

void cup_load_access(struct cup_loader *loader, const struct cup_record *record)
{
    if (!loader->options->accesses)
        return;
    struct cup_r_access fixed = cup_read_access(record);
    drop_set(loader, fixed.set, fixed.sequence);
    const struct cup_access_set set = {
        .at = record_place(loader), .task = fixed.task, .file = fixed.file, .own = fixed.own};
    add_place(loader, &set);
}

/* Only notes the set; cup_load_open_extents() adds it at the end of the log. Until then, the FILE
 * record that it refers to may follow, or an ACCESS record that replaces it. */
void cup_load_extents(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_access_sets *sets = &loader->access_sets;
    struct cup_r_extents set = cup_read_extents(record);
    if (!loader->options->accesses || set.file == 0)
        return;
    if (cup_array_grow(&sets->sets, &sets->room, sets->count, sizeof *sets->sets) != 0) {
        loader->builder->out_of_memory = true;
        return;
    }
    sets->sets[sets->count++] =
        (struct cup_access_set){record_place(loader), set.task, set.file, set.own, set.sequence};
    cup_builder_map(loader->builder, &sets->by_number, set.set, (uint32_t)sets->count);
}

void cup_load_open_extents(struct cup_loader *loader)
{
    for (size_t i = 0; i < loader->access_sets.count; i++)
        if (loader->access_sets.sets[i].file)
            add_place(loader, &loader->access_sets.sets[i]);
}

void cup_access_sets_clear(struct cup_access_sets *sets)
{
    cup_id_map_clear(&sets->by_number);
    free(sets->sets);
    *sets = (struct cup_access_sets){0};
}
