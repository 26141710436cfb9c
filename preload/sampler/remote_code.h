/* Numbers of code objects that stand on another thread's stack, which may be gone while they are
 * looked at. */
#ifndef CUPPING_PRELOAD_SAMPLER_REMOTE_CODE_H
#define CUPPING_PRELOAD_SAMPLER_REMOTE_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum { CUP_REMOTE_CODES = 128 };

struct cup_remote_code {
    uint64_t address; /* given */
    uint32_t id;      /* 0: it is no function (a frame that a call of a class leaves in 3.13) */
    bool certain; /* it was met before by this very content: what stands there now was there since
                   */
};

/* Looks up COUNT of them, at most CUP_REMOTE_CODES, each of which should be there but once: to
 * copy one takes a microsecond. Those that are not certain are met hereby, if they are code objects
 * at all. One caller at a time. */
void cup_remote_codes(struct cup_remote_code *codes, uint32_t count);

#endif
