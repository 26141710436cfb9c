/* What the processes of a profile were. */
#ifndef CUPPING_ANALYSIS_PROFILE_ROLES_H
#define CUPPING_ANALYSIS_PROFILE_ROLES_H

#include "analysis/profile/profile.h"

/* The role that says most of a process: a worker's, if it has several (LocalCluster of threads). */
enum cup_role cup_process_role(const struct cup_process *process);

/* All its roles, "worker, client"; `to` has CUP_ROLES_ROOM. Returns `to`. */
enum { CUP_ROLES_ROOM = 64 };
char *cup_process_roles(const struct cup_process *process, char to[CUP_ROLES_ROOM]);

/* The last fact of that name ("python", "command", ...) that the process noted; empty: none. */
struct cup_text cup_process_fact(const struct cup_profile *profile, size_t process,
                                 const char *name);

const char *cup_role_name(enum cup_role role);

enum { CUP_ROLE_COUNT = CUP_ROLE_CHILD + 1 };

/* How many processes have each role. */
void cup_count_roles(const struct cup_profile *profile, uint64_t counts[CUP_ROLE_COUNT]);

#endif
