/* Names of branches, which the keys of their baskets carry, and their numbers in the log. */
#ifndef CUPPING_PRELOAD_ROOT_BRANCHES_H
#define CUPPING_PRELOAD_ROOT_BRANCHES_H

#include <stddef.h>
#include <stdint.h>

/* As many are told apart in a process: more have no number. */
enum { CUP_BRANCHES = 8192 };

/* Number of the BRANCH record of a branch, which is written at its first sight; 0: too many. TREE
 * may be empty: not known. Any thread, guard held. */
uint32_t cup_branches_number(const char *tree, size_t tree_bytes, const char *name,
                             size_t name_bytes);

/* A new log, or a forked child. */
void cup_branches_reset(void);

#endif
