/* A rate to reach: "200Gbps", "25GB/s", "50kHz", "2e6 events/s". */
#ifndef CUPPING_ANALYSIS_BASE_TARGET_H
#define CUPPING_ANALYSIS_BASE_TARGET_H

#include <stdbool.h>

#include "analysis/base/error.h"

struct cup_target {
    double rate;      /* each second: events, or bytes; 0: none was given */
    bool events;      /* else bytes */
    const char *text; /* as it was given; not owned */
};

/* Returns 0, or -1 and one line in *error (its source is `verb`). */
int cup_target_read(struct cup_target *target, const char *text, const char *verb,
                    struct cup_error *error);

#endif
