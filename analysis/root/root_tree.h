/* A TTree as ROOT streams it, with its branches. */
#pragma once

#include "analysis/root/root_file.h"
#include "analysis/root/root_keys.h"

/* Reads a tree from its record, given without its key and uncompressed. Returns like
 * cup_root_examine(). In any case the caller frees *OUT. The names of the branches point into
 * OBJECT. */
int cup_root_tree_take(const unsigned char *object, size_t bytes, const struct cup_root_key *key,
                       struct cup_root_tree *out, struct cup_error *error);
