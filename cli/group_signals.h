/* Tells a signal that was sent to this process alone from one that was sent to its process group,
 * as by os.killpg(), because the kernel describes both in the same way. A helper process in the
 * same group receives only the second kind. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

enum { CUP_SIGNALS = 65 }; /* 1 to 64 */

struct cup_group_signals {
    pid_t helper; /* -1: there is none, and no signal counts as one of the group */
    int numbers;  /* a pipe: the helper writes a byte for each signal that it receives */
    /* What the helper received and cup_group_signals_take() was not called for yet. */
    unsigned received[CUP_SIGNALS];
};

/* Starts the helper. All signals must be blocked. */
void cup_group_signals_start(struct cup_group_signals *group);

/* Call it for each signal that sigwaitinfo() returned. True: the whole group received it. */
bool cup_group_signals_take(struct cup_group_signals *group, int number);

void cup_group_signals_end(struct cup_group_signals *group);
