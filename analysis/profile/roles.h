/* The roles of processes, and facts about them. */
#pragma once

#include "analysis/profile/profile.h"

/* The main role of a process. A process with several roles (LocalCluster of threads) is a worker.
 */
enum cup_role cup_process_role(const struct cup_process *process);

/* Writes all its roles, such as "worker, client", to TO, which has CUP_ROLES_ROOM bytes. Returns
 * TO. */
enum { CUP_ROLES_ROOM = 64 };
char *cup_process_roles(const struct cup_process *process, char to[CUP_ROLES_ROOM]);

/* The value of the process's last INFO record of that name ("python", "command", ...); empty: none.
 */
struct cup_text cup_process_fact(const struct cup_profile *profile, size_t process,
                                 const char *name);

/* What follows BEGIN in the first note of the profile that begins with it and goes on, and the
 * process that wrote the note (PROCESS may be NULL); empty: there is none. */
struct cup_text cup_find_note(const struct cup_profile *profile, const char *begin,
                              uint32_t *process);

/* The name, without its folder, of the Python file that the process was started with, into TO,
 * which has CUP_SCRIPT_ROOM bytes; "" if its command has none. */
enum { CUP_SCRIPT_ROOM = 128 };
char *cup_process_script(const struct cup_profile *profile, size_t process,
                         char to[CUP_SCRIPT_ROOM]);

const char *cup_role_name(enum cup_role role);

enum { CUP_ROLE_COUNT = CUP_ROLE_READER + 1 };

/* Counts the processes of each role. */
void cup_count_roles(const struct cup_profile *profile, uint64_t counts[CUP_ROLE_COUNT]);
