/* Processes of this host. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* True if the process of that number runs, and is the one that was there at NS, since the epoch: a
 * later one may have got its number. */
bool cup_process_is_there(uint32_t pid, int64_t ns);
