/* Reads uproot's objects through their instance dicts, without running any of uproot's code. All
 * functions need the GIL. What an object does not have is NULL, 0 or CUP_UNKNOWN64. */
#pragma once

#include "preload/python/python.h"
#include "preload/root/baskets.h"

/* The member fName. A new reference. */
cup_object *cup_uproot_name(cup_object *object);

/* The tree that OBJECT is, or whose branch it is. A new reference. */
cup_object *cup_uproot_tree(cup_object *object);

/* Fills in what is known of a tree, except its path and its branches. */
void cup_uproot_describe(cup_object *tree, struct cup_requested_baskets_tree *about);

/* The number of branches, at all levels, that have baskets of their own; 0: too many to count. */
uint32_t cup_uproot_branches(cup_object *tree);

/* The number of the branch in the log; 0: unknown. TREE_NAME: its tree's name, a str. */
uint32_t cup_uproot_branch(cup_object *branch, cup_object *tree_name);

/* True if BASKET is embedded in its tree's own record; fills in *ABOUT, except number and
 * branch. */
bool cup_uproot_embedded(cup_object *basket, struct cup_requested_baskets *about);

/* The path of the file that contains a tree or branch, as a string id: the path or URL that
 * uproot's source has. */
uint32_t cup_uproot_path(cup_object *object);
