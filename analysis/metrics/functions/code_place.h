/* Whose code a file holds: the user's own, a package's, Python's. By its path alone, as it was on
 * the worker: nothing is looked up. */
#ifndef CUPPING_ANALYSIS_METRICS_FUNCTIONS_CODE_PLACE_H
#define CUPPING_ANALYSIS_METRICS_FUNCTIONS_CODE_PLACE_H

#include <stdbool.h>

#include "analysis/base/intern.h"

/* Texts lie in the path, or are constant. */
struct cup_code_place {
    struct cup_text shown;   /* the path from its package on, "coffea/nanoevents/factory.py", which
                                is the same on all hosts; the user's files: the path as it is, but
                                without the directory of one worker that Dask copied them to;
                                libraries: without the tag of their
                                Python, others by their name alone */
    struct cup_text package; /* "user", "coffea", "numpy", "stdlib", "generated", "unknown"; of
                                libraries also "python", the interpreter's own, "libz", "native" */
    bool user;
};

/* NATIVE: a library or executable. */
struct cup_code_place cup_code_place(struct cup_text path, bool native);

#endif
