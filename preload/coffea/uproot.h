/* What uproot's objects hold: their attributes and members as plain dicts keep them, so that none
 * of their code runs. All need the GIL; what is not there is NULL or not known. */
#ifndef CUPPING_PRELOAD_COFFEA_UPROOT_H
#define CUPPING_PRELOAD_COFFEA_UPROOT_H

#include "preload/python/python.h"
#include "preload/root/baskets.h"

/* A member that ROOT stored (fEntries, ...), of the object's own class or of the first one that it
 * is derived from, and so on: a TNtuple's are those of a TTree. New reference. NAME is a literal.
 */
cup_object *cup_uproot_member(cup_object *object, const char *name);

/* fName. New reference. */
cup_object *cup_uproot_name(cup_object *object);

/* The tree that OBJECT is, or that has it as a branch. New reference. */
cup_object *cup_uproot_tree(cup_object *object);

/* What a tree says of itself; all but path and branches. */
void cup_uproot_describe(cup_object *tree, struct cup_requested_baskets_tree *about);

/* Branches of a tree, and of its branches, that have baskets of their own; 0: too many to look at.
 */
uint32_t cup_uproot_branches(cup_object *tree);

/* Number of a branch in the log; 0: not known. TREE is the name of its tree. */
uint32_t cup_uproot_branch(cup_object *branch, cup_object *tree_name);

/* True if BASKET is one that is embedded in its tree's own record: then all of *ABOUT is known but
 * number and branch. */
bool cup_uproot_embedded(cup_object *basket, struct cup_requested_baskets *about);

/* Path of the file that a tree or branch is in, as a string of the log: as its source has it, a URL
 * with its protocol. */
uint32_t cup_uproot_path(cup_object *object);

#endif
