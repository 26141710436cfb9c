/* Writes the text exposition format of Prometheus, version 0.0.4. All series of a family stand
 * together, under its HELP and TYPE. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "analysis/base/value.h"

struct cup_label {
    const char *name;
    struct cup_text value; /* any bytes; {NULL, 0}: the empty label */
};

struct cup_exposition {
    FILE *out;               /* not owned; the caller checks ferror */
    struct cup_label common; /* on every series; name NULL: none */
    char family[128];        /* the family that is open */
};

/* Begins a family, unless it is already open. `name` is the complete name, with its base unit; it
 * is a counter if the name ends in `_total`, otherwise a gauge. */
void cup_exposition_family(struct cup_exposition *exposition, const char *name, const char *help);

/* A series of the family that is open: a finite number times `factor`. */
void cup_exposition_series(struct cup_exposition *exposition, const struct cup_label *labels,
                           size_t count, struct cup_value value, double factor);
