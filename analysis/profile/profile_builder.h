/* Adds to a profile: what the loading of a log and the merging of two profiles share. */
#ifndef CUPPING_ANALYSIS_PROFILE_PROFILE_BUILDER_H
#define CUPPING_ANALYSIS_PROFILE_PROFILE_BUILDER_H

#include "analysis/base/id_map.h"
#include "analysis/base/pair_map.h"
#include "analysis/profile/profile.h"

struct cup_builder {
    struct cup_profile *profile;      /* not owned */
    struct cup_id_map prefixes;       /* by string: index + 1 in profile->prefixes */
    struct cup_id_map paths;          /* by string: index + 1 in profile->files */
    struct cup_pair_map opens;        /* by string of the server, and kind: index + 1 */
    struct cup_pair_map branches;     /* by strings of tree and name: index + 1 */
    struct cup_id_map root_files;     /* by string: index + 1 in profile->root_files */
    struct cup_pair_map sections;     /* by strings of name and parent: index + 1 of one of them */
    struct cup_pair_map named_values; /* by name, 0 */
    struct cup_pair_map section_rows; /* by section, task: index + 1 */
    bool all_basket_places;           /* keep them, however many rows there are */
    bool out_of_memory;               /* something could not be added; the profile is of no use */
};

/* Starts an empty profile. */
void cup_builder_start(struct cup_builder *builder, struct cup_profile *profile);

/* Makes the profile empty again, but keeps the room of its tables: fresh memory is not cheap. */
void cup_builder_empty(struct cup_builder *builder);

/* Frees what the builder needed; the profile stays. */
void cup_builder_finish(struct cup_builder *builder);

/* Appends a zeroed entry to one of the profile's tables: CUP_APPEND(builder, files, file). NULL
 * without memory. */
#define CUP_APPEND(builder, entries, entry)                                                        \
    cup_builder_append(builder, &(builder)->profile->entries, &(builder)->profile->entry##_room,   \
                       &(builder)->profile->entry##_count, sizeof *(builder)->profile->entries)
void *cup_builder_append(struct cup_builder *builder, void *items, size_t *room, size_t *count,
                         size_t size);

/* Sets an entry of a map; out_of_memory where that fails. */
void cup_builder_map(struct cup_builder *builder, struct cup_id_map *map, uint32_t id,
                     uint32_t value);

/* A copy of the text; 0 without memory. */
uint32_t cup_builder_string(struct cup_builder *builder, struct cup_text text);

/* Appends a task and, where the profile keeps them, its counters. NULL without memory. */
struct cup_task *cup_builder_task(struct cup_builder *builder, bool with_counters);

/* Index of the prefix of that name, made at need; 0 without memory. */
uint32_t cup_builder_prefix(struct cup_builder *builder, uint32_t name);

/* Index + 1 of the file of that path, made at need; 0 without memory. */
uint32_t cup_builder_file(struct cup_builder *builder, uint32_t path);

/* The file's sum for a prefix, made at need; NULL without memory. */
struct cup_file_sum *cup_builder_file_sum(struct cup_builder *builder, uint32_t file,
                                          uint32_t prefix);

/* The sum of a kind of opens at a server, made at need; NULL without memory. */
struct cup_open_sum *cup_builder_open(struct cup_builder *builder, uint32_t server, uint32_t kind);

/* Index + 1 of the branch, made at need; 0 without memory. */
uint32_t cup_builder_branch(struct cup_builder *builder, uint32_t tree, uint32_t name);

/* Likewise of the ROOT file of that path. */
uint32_t cup_builder_root_file(struct cup_builder *builder, uint32_t path);

/* Adds a copy to its file's trees; of one that is there already, what is told anew counts. */
void cup_builder_ttree(struct cup_builder *builder, const struct cup_ttree *tree);

/* Adds a copy to the file's places, last; or drops all places, once there are too many rows. */
void cup_builder_basket_place(struct cup_builder *builder, uint32_t root_file,
                              const struct cup_basket_place *place);

void cup_builder_damage(struct cup_builder *builder, const struct cup_error *damage);

static inline void cup_add_all(uint64_t *sums, const uint64_t *values, size_t count)
{
    for (size_t i = 0; i < count; i++)
        sums[i] += values[i];
}

#endif
