/* A TTree as ROOT streams it, with its branches. */
#ifndef CUPPING_ANALYSIS_ROOT_ROOT_TREE_H
#define CUPPING_ANALYSIS_ROOT_ROOT_TREE_H

#include "analysis/root/root_file.h"
#include "analysis/root/root_keys.h"

/* `object`: the tree's record without its key, uncompressed. Returns as cup_root_examine(); what is
 * in *out is to be freed either way, and the names of branches are within `object`. */
int cup_root_tree_take(const unsigned char *object, size_t bytes, const struct cup_root_key *key,
                       struct cup_root_tree *out, struct cup_error *error);

#endif
