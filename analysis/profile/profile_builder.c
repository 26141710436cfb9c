#include "analysis/profile/profile_builder.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"

void cup_builder_start(struct cup_builder *builder, struct cup_profile *profile)
{
    *profile = (struct cup_profile){0};
    *builder = (struct cup_builder){.profile = profile};
    cup_builder_prefix(builder, 0);
}

void cup_builder_empty(struct cup_builder *builder)
{
    struct cup_profile *profile = builder->profile, old = *profile;
    for (size_t i = 0; i < old.process_count; i++)
        free(old.processes[i].log_path);
    cup_intern_clear(&old.strings);
    *profile = (struct cup_profile){
#define X(entries, entry, type, merge, what)                                                       \
    .entries = old.entries, .entry##_room = old.entry##_room,
        CUP_PROFILE_ARRAYS(X)
#undef X
            .path = old.path,
    };
    cup_builder_finish(builder);
    cup_builder_prefix(builder, 0);
}

void cup_builder_finish(struct cup_builder *builder)
{
#define X(map, what) cup_pair_map_clear(&builder->map);
    CUP_BUILDER_MAPS(X)
#undef X
}

void *cup_builder_append(struct cup_builder *builder, void *items, size_t *room, size_t *count,
                         size_t size)
{
    char *base;
    if (cup_array_grow(items, room, *count, size) != 0) {
        builder->out_of_memory = true;
        return NULL;
    }
    memcpy(&base, items, sizeof base);
    return memset(base + (*count)++ * size, 0, size);
}

void cup_builder_map(struct cup_builder *builder, struct cup_id_map *map, uint32_t id,
                     uint32_t value)
{
    if (cup_id_map_set(map, id, value) != 0)
        builder->out_of_memory = true;
}

void cup_builder_map_pair(struct cup_builder *builder, struct cup_pair_map *map, uint32_t a,
                          uint32_t b, uint32_t value)
{
    if (cup_pair_map_set(map, a, b, value) != 0)
        builder->out_of_memory = true;
}

uint32_t cup_builder_string(struct cup_builder *builder, struct cup_text text)
{
    uint32_t id = cup_intern_add(&builder->profile->strings, text.bytes, text.length);
    if (id == 0)
        builder->out_of_memory = true;
    return id;
}

struct cup_task *cup_builder_task(struct cup_builder *builder, bool with_counters)
{
    if (with_counters &&
        (!CUP_APPEND(builder, counters, counter) || !CUP_APPEND(builder, own_waits, own_wait) ||
         !CUP_APPEND(builder, baskets, basket)))
        return NULL;
    return CUP_APPEND(builder, tasks, task);
}

/* Returns index + 1 of the entry of the pair A and B in an array of the profile. If there is none
 * yet, appends a zeroed one. Returns 0 without memory. */
static uint32_t find_entry(struct cup_builder *builder, struct cup_pair_map *map, uint32_t a,
                           uint32_t b, void *items, size_t *room, size_t *count, size_t size)
{
    uint32_t known = cup_pair_map_get(map, a, b);
    if (known || !cup_builder_append(builder, items, room, count, size))
        return known;
    cup_builder_map_pair(builder, map, a, b, (uint32_t)*count);
    return (uint32_t)*count;
}
#define FIND(builder, map, a, b, entries, entry)                                                   \
    find_entry(builder, &(builder)->map, a, b, &(builder)->profile->entries,                       \
               &(builder)->profile->entry##_room, &(builder)->profile->entry##_count,              \
               sizeof *(builder)->profile->entries)

/* Returns index + 1 of an entry of an array of the profile that is equal to WANTED, which is
 * appended if there is none. Returns 0 without memory. Two entries whose hashes are equal by chance
 * replace each other in the map, and are then appended again. */
static uint32_t find_equal(struct cup_builder *builder, struct cup_pair_map *map, void *items,
                           size_t *room, size_t *count, size_t size, const void *wanted)
{
    char *base;
    memcpy(&base, items, sizeof base); /* `items` is a T **, whatever T is */
    if (*count && memcmp(base + (*count - 1) * size, wanted, size) == 0)
        return (uint32_t)*count; /* the usual case: tasks of a log are alike */
    uint64_t hash = cup_text_hash((struct cup_text){wanted, size});
    uint32_t *known = cup_hash_map_put(&map->map, hash);
    if (known && *known && memcmp(base + (*known - 1) * size, wanted, size) == 0)
        return *known;
    void *entry = known ? cup_builder_append(builder, items, room, count, size) : NULL;
    if (!entry) {
        builder->out_of_memory = true;
        return 0;
    }
    memcpy(entry, wanted, size);
    return *known = (uint32_t)*count;
}
#define FIND_EQUAL(builder, entries, entry, wanted)                                                \
    find_equal(builder, &(builder)->entries, &(builder)->profile->entries,                         \
               &(builder)->profile->entry##_room, &(builder)->profile->entry##_count,              \
               sizeof *(builder)->profile->entries, wanted)

uint32_t cup_builder_scope(struct cup_builder *builder, struct cup_scope scope)
{
    return FIND_EQUAL(builder, scopes, scope, &scope);
}

uint32_t cup_builder_item_source(struct cup_builder *builder, struct cup_item_source source)
{
    return FIND_EQUAL(builder, item_sources, item_source, &source);
}

uint32_t cup_builder_prefix(struct cup_builder *builder, uint32_t name)
{
    uint32_t index = FIND(builder, prefixes, name, 0, prefixes, prefix);
    if (index == 0)
        return 0;
    builder->profile->prefixes[index - 1].name = name;
    return index - 1;
}

uint32_t cup_builder_file(struct cup_builder *builder, uint32_t path)
{
    uint32_t index = FIND(builder, paths, path, 0, files, file);
    if (index)
        builder->profile->files[index - 1].path = path;
    return index;
}

struct cup_file_sum *cup_builder_file_sum(struct cup_builder *builder, uint32_t file,
                                          uint32_t prefix)
{
    struct cup_profile *profile = builder->profile;
    for (uint32_t at = profile->files[file].first_sum; at; at = profile->file_sums[at - 1].next)
        if (profile->file_sums[at - 1].prefix == prefix)
            return &profile->file_sums[at - 1];
    struct cup_file_sum *sum = CUP_APPEND(builder, file_sums, file_sum);
    if (!sum)
        return NULL;
    sum->file = file;
    sum->prefix = prefix;
    sum->next = profile->files[file].first_sum;
    profile->files[file].first_sum = (uint32_t)profile->file_sum_count;
    return sum;
}

struct cup_open_sum *cup_builder_open(struct cup_builder *builder, uint32_t server, uint32_t kind)
{
    struct cup_profile *profile = builder->profile;
    uint32_t index = FIND(builder, opens, server, kind, opens, open);
    if (index == 0)
        return NULL;
    profile->opens[index - 1].server = server;
    profile->opens[index - 1].kind = kind;
    return &profile->opens[index - 1];
}

struct cup_request_sum *cup_builder_request_sum(struct cup_builder *builder, uint32_t server,
                                                uint32_t host)
{
    uint32_t index = FIND(builder, request_sums, server, host, request_sums, request_sum);
    if (index == 0)
        return NULL;
    struct cup_request_sum *sum = &builder->profile->request_sums[index - 1];
    sum->server = server;
    sum->host = host;
    return sum;
}

void cup_builder_damage(struct cup_builder *builder, const struct cup_error *damage)
{
    struct cup_error *entry = CUP_APPEND(builder, damages, damage);
    if (entry)
        *entry = *damage;
}

/* ---- ROOT files --------------------------------------------------------------------------- */

uint32_t cup_builder_branch(struct cup_builder *builder, uint32_t tree, uint32_t name)
{
    uint32_t index = FIND(builder, branches, tree, name, branches, branch);
    if (index) {
        builder->profile->branches[index - 1].tree = tree;
        builder->profile->branches[index - 1].name = name;
    }
    return index;
}

uint32_t cup_builder_root_file(struct cup_builder *builder, uint32_t path)
{
    uint32_t index = FIND(builder, root_files, path, 0, root_files, root_file);
    if (index)
        builder->profile->root_files[index - 1].path = path;
    return index;
}

/* Compares more than the names: trees in different directories of a file may have the same one. */
static bool is_same_tree(const struct cup_ttree *known, const struct cup_ttree *tree)
{
    return known->name == tree->name && known->entries == tree->entries &&
           known->compressed_bytes == tree->compressed_bytes;
}

void cup_builder_ttree(struct cup_builder *builder, const struct cup_ttree *tree)
{
    struct cup_profile *profile = builder->profile;
    uint32_t at = profile->root_files[tree->root_file].first_tree;
    while (at && !is_same_tree(&profile->ttrees[at - 1], tree))
        at = profile->ttrees[at - 1].next;
    struct cup_ttree *entry = at ? &profile->ttrees[at - 1] : CUP_APPEND(builder, ttrees, ttree);
    if (!entry)
        return;
    uint32_t *first = &profile->root_files[tree->root_file].first_tree;
    uint32_t next = at ? entry->next : *first;
    *entry = *tree;
    entry->next = next;
    if (!at)
        *first = (uint32_t)profile->ttree_count;
}

void cup_builder_drop_places(struct cup_builder *builder)
{
    struct cup_profile *profile = builder->profile;
    free(profile->basket_places);
    profile->basket_places = NULL;
    profile->basket_place_count = profile->basket_place_room = 0;
    profile->basket_places_dropped = true;
}

void cup_builder_basket_place(struct cup_builder *builder, uint32_t root_file,
                              const struct cup_basket_place *place)
{
    struct cup_profile *profile = builder->profile;
    struct cup_root_file *file = &profile->root_files[root_file];
    if (!builder->all_basket_places && profile->basket_rows > CUP_BASKET_ROWS_MOST)
        cup_builder_drop_places(builder);
    if (profile->basket_places_dropped)
        return;
    struct cup_basket_place *entry = CUP_APPEND(builder, basket_places, basket_place);
    if (!entry)
        return;
    *entry = *place;
    entry->next = 0;
    uint32_t index = (uint32_t)profile->basket_place_count;
    if (file->last_place)
        profile->basket_places[file->last_place - 1].next = index;
    else
        file->first_place = index;
    file->last_place = index;
}
