/* The tree of stacks, and its STACKS records. All with the lock of stacks.c. */
#ifndef CUPPING_PRELOAD_STACKS_STACK_TREE_H
#define CUPPING_PRELOAD_STACKS_STACK_TREE_H

#include "include/log_format.h"

/* The node of OF and AT above PARENT; 0: there is none. */
uint32_t cup_nodes_find(uint32_t parent, uint32_t of, uint32_t at);

/* Adds COUNT frames that are not there, one above the other, the first above its parent: of the
 * others the parent is filled in. Returns the last one's node, or 0: no room, and none is added. */
uint32_t cup_nodes_add(struct cup_stack_node *frames, uint32_t count);

void cup_nodes_reset(void);

#endif
