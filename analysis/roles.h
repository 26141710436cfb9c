/* What the processes of a profile were. */
#ifndef CUPPING_ROLES_H
#define CUPPING_ROLES_H

#include "analysis/profile.h"

/* The role that says most of a process: a worker's, if it has several (LocalCluster of threads). */
enum cup_role cup_process_role(const struct cup_process *process);

const char *cup_role_name(enum cup_role role);

enum { CUP_ROLE_COUNT = CUP_ROLE_CHILD + 1 };

/* How many processes have each role. */
void cup_count_roles(const struct cup_profile *profile, uint64_t counts[CUP_ROLE_COUNT]);

#endif
