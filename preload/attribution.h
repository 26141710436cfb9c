/* Policy: whose is what this thread does now? See docs/attribution.md. */
#ifndef CUPPING_ATTRIBUTION_H
#define CUPPING_ATTRIBUTION_H

#include "preload/log_format.h"

struct cup_owner {
    struct cup_block *block; /* counts it; NULL: no block could be had */
    enum cup_way way;
    uint32_t epoch; /* way SOLE: what cup_attribution_confirm() compares */
};

/* Resolves the calling thread. Call it before the wrapped call, never after: afterwards the
 * interpreter may be on its way out. Strongest way first; guesses nothing. */
struct cup_owner cup_attribution(void);

/* After the call: a sole task that did not stay the only one cannot be named. */
void cup_attribution_confirm(struct cup_owner *owner);

/* Block of the task that the thread's Python context carries; NULL if none. Keeps errno. */
struct cup_block *cup_attribution_context(void);

/* Tasks that run in this process. */
void cup_attribution_begin(uint32_t task);
void cup_attribution_end(uint32_t task);
void cup_attribution_reset(void);

#endif
