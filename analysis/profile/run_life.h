/* Whether the chosen calls of Coffea's Runner still go on, and which process made them. Needs the
 * life of the processes (process_life.h). */
#pragma once

#include "analysis/profile/process_life.h"

struct cup_calls {
    const struct cup_run *first; /* in profile->runs */
    size_t count;
};

/* The chosen call, or all of them. */
struct cup_calls cup_chosen_calls(const struct cup_profile *profile);

/* The client: the last process of the call's number and host that began before the call; NULL: it
 * left no log. */
const struct cup_process *cup_run_client(const struct cup_profile *profile,
                                         const struct cup_run *call);

/* True if the client made no later call. */
bool cup_run_is_last_of_its_client(const struct cup_profile *profile, const struct cup_run *call);

/* True if the last chosen call goes on; if no call was recorded, true if any task runs. */
bool cup_chosen_run_goes_on(const struct cup_profile *profile);
