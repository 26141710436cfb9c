/* Adds entries to a profile. Used by the loading of logs and by the merging of profiles. */
#pragma once

#include "analysis/base/id_map.h"
#include "analysis/base/pair_map.h"
#include "analysis/profile/profile.h"

/* Where the profile has the entry of a pair of numbers: index + 1. X(map, the pair). */
#define CUP_BUILDER_MAPS(X)                                                                        \
    X(scopes, "hash of the scope")                                                                 \
    X(item_sources, "hash of the source")                                                          \
    X(prefixes, "string, 0")                                                                       \
    X(paths, "string of the path, 0: in files")                                                    \
    X(opens, "string of the server, kind")                                                         \
    X(request_sums, "strings of server and host")                                                  \
    X(branches, "strings of tree and name")                                                        \
    X(root_files, "string of the path, 0")                                                         \
    X(sections, "strings of name and parent: the first of a list")                                 \
    X(named_values, "string of the name, 0: the first of a list")                                  \
    X(section_rows, "section, task")                                                               \
    X(value_rows, "named value, task")

struct cup_builder {
    struct cup_profile *profile; /* not owned */
#define X(map, what) struct cup_pair_map map;
    CUP_BUILDER_MAPS(X)
#undef X
    bool all_basket_places; /* keep all basket_places, even very many */
    bool out_of_memory;     /* something could not be added, so the profile is incomplete */
};

/* Starts an empty profile. */
void cup_builder_start(struct cup_builder *builder, struct cup_profile *profile);

/* Empties the profile, but keeps the capacity of its arrays: new memory costs page faults. */
void cup_builder_empty(struct cup_builder *builder);

/* Frees the builder's own memory; the profile stays. */
void cup_builder_finish(struct cup_builder *builder);

/* Appends a zeroed entry to an array of the profile: CUP_APPEND(builder, files, file). NULL without
 * memory. */
#define CUP_APPEND(builder, entries, entry)                                                        \
    cup_builder_append(builder, &(builder)->profile->entries, &(builder)->profile->entry##_room,   \
                       &(builder)->profile->entry##_count, sizeof *(builder)->profile->entries)
void *cup_builder_append(struct cup_builder *builder, void *items, size_t *room, size_t *count,
                         size_t size);

/* Sets the value of an id, or of a pair. Without memory it sets out_of_memory. */
void cup_builder_map(struct cup_builder *builder, struct cup_id_map *map, uint32_t id,
                     uint32_t value);
void cup_builder_map_pair(struct cup_builder *builder, struct cup_pair_map *map, uint32_t a,
                          uint32_t b, uint32_t value);

/* The id of a copy of the text; 0 without memory. */
uint32_t cup_builder_string(struct cup_builder *builder, struct cup_text text);

/* Appends a task and, with_counters, its entries in `counters`, `own_waits` and `baskets`. NULL
 * without memory. */
struct cup_task *cup_builder_task(struct cup_builder *builder, bool with_counters);

/* Index + 1 of the scope, or of the source, which is added if it is new; 0 without memory. */
uint32_t cup_builder_scope(struct cup_builder *builder, struct cup_scope scope);
uint32_t cup_builder_item_source(struct cup_builder *builder, struct cup_item_source source);

/* Index of the prefix of that name, which is added if it is new; 0 without memory. */
uint32_t cup_builder_prefix(struct cup_builder *builder, uint32_t name);

/* Index + 1 of the file of that path, which is added if it is new; 0 without memory. */
uint32_t cup_builder_file(struct cup_builder *builder, uint32_t path);

/* The file's sum for a prefix, which is added if it is new; NULL without memory. */
struct cup_file_sum *cup_builder_file_sum(struct cup_builder *builder, uint32_t file,
                                          uint32_t prefix);

/* The sum of one kind of opens at a server, which is added if it is new; NULL without memory. */
struct cup_open_sum *cup_builder_open(struct cup_builder *builder, uint32_t server, uint32_t kind);

/* The sum of the requests from a host to a server, which is added if it is new; NULL without
 * memory. */
struct cup_request_sum *cup_builder_request_sum(struct cup_builder *builder, uint32_t server,
                                                uint32_t host);

/* Index + 1 of the branch, which is added if it is new; 0 without memory. */
uint32_t cup_builder_branch(struct cup_builder *builder, uint32_t tree, uint32_t name);

/* Index + 1 of the ROOT file of that path, which is added if it is new; 0 without memory. */
uint32_t cup_builder_root_file(struct cup_builder *builder, uint32_t path);

/* Adds a copy of the tree to its file, or replaces the same tree there. */
void cup_builder_ttree(struct cup_builder *builder, const struct cup_ttree *tree);

/* Adds a copy at the end of the file's list of places; or drops all places, if there are too many.
 */
void cup_builder_basket_place(struct cup_builder *builder, uint32_t root_file,
                              const struct cup_basket_place *place);

/* Drops all places, and those that are added later. */
void cup_builder_drop_places(struct cup_builder *builder);

void cup_builder_damage(struct cup_builder *builder, const struct cup_error *damage);

/* Adds everything in `from` to the profile of the builder. `from` stays unchanged, except that the
 * paths of its logs move to the profile of the builder, which then owns them. */
void cup_profile_merge(struct cup_builder *builder, struct cup_profile *from);
