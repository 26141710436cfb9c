/* A rate to reach: "200Gbps", "25GB/s", "50kHz", "2e6 events/s". */
#pragma once

#include <stdbool.h>

#include "analysis/base/error.h"

struct cup_target {
    double rate;      /* events or bytes for each second; 0: no target was given */
    bool events;      /* true: `rate` counts events; false: bytes */
    const char *text; /* as the user wrote it; not owned */
};

/* Returns 0, or -1 and one line in *error (its source is `verb`). */
int cup_target_read(struct cup_target *target, const char *text, const char *verb,
                    struct cup_error *error);
