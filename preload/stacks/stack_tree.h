/* The tree of stacks and its STACKS records. The caller holds the lock of stacks.c. */
#ifndef CUPPING_PRELOAD_STACKS_STACK_TREE_H
#define CUPPING_PRELOAD_STACKS_STACK_TREE_H

#include "include/log_format.h"

/* The node of function OF at offset AT, called from node PARENT; 0: there is none. */
uint32_t cup_nodes_find(uint32_t parent, uint32_t of, uint32_t at);

/* Adds a chain of COUNT frames that are not in the tree, in order of calls. The first one's parent
 * is given; this function fills in the others'. Returns the last frame's node; 0: no room, and none
 * is added. */
uint32_t cup_nodes_add(struct cup_stack_node *frames, uint32_t count);

/* A new log, or a forked child. */
void cup_nodes_reset(void);

#endif
