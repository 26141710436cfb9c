/* Adds what a log holds of ROOT files to a profile: branches, baskets, trees, heads of files. */
#ifndef CUPPING_ANALYSIS_PROFILE_LOAD_LOAD_ROOT_H
#define CUPPING_ANALYSIS_PROFILE_LOAD_LOAD_ROOT_H

#include "analysis/log/log_reader.h"
#include "analysis/profile/profile_builder.h"

/* While one log is read. The last two maps are its own: start with zeros, clear at the end. */
struct cup_root_loader {
    struct cup_builder *builder;
    uint32_t process;                 /* index */
    bool selective;                   /* not all tasks are wanted */
    const struct cup_id_map *strings; /* of that log: id in the profile */
    const struct cup_id_map *files;   /* of that log: index + 1 */
    const struct cup_id_map *tasks;   /* by number: index + 1, or CUP_UNWANTED_TASK */
    struct cup_id_map branches;       /* of that log: index + 1 */
    struct cup_id_map root_files;     /* by FILE record: index + 1 */
    uint32_t item_tree, branch_tree;  /* two names that were compared last, and what came out */
    bool same_tree;
};

/* In maps of tasks: one that was not asked for. */
#define CUP_UNWANTED_TASK UINT32_MAX

/* Handlers of the records of each type; OFFSET is where the record is in the log. */
void cup_load_branch(struct cup_root_loader *loader, const struct cup_record *record);
void cup_load_baskets(struct cup_root_loader *loader, const struct cup_record *record,
                      uint64_t offset);
void cup_load_tree(struct cup_root_loader *loader, const struct cup_record *record);
void cup_load_root_file(struct cup_root_loader *loader, const struct cup_record *record);

void cup_root_loader_clear(struct cup_root_loader *loader);

#endif
