/* Branches by their number in the log. The keys of baskets carry the names. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* Branches that one process numbers, at most. */
enum { CUP_BRANCHES = 8192 };

/* Number of a branch's BRANCH record, which is written when the branch is first seen; 0: too many
 * branches. If the tree is not known, TREE is empty. Any thread, guard held. */
uint32_t cup_branches_number(const char *tree, size_t tree_bytes, const char *name,
                             size_t name_bytes);

/* Called when a log is opened, and in a forked child. */
void cup_branches_reset(void);
