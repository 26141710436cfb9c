/* Whose code a file holds: the user's own, a package's, or Python's. Only the path decides, as it
 * was on the worker: the file itself is not opened. */
#ifndef CUPPING_ANALYSIS_METRICS_FUNCTIONS_CODE_PLACE_H
#define CUPPING_ANALYSIS_METRICS_FUNCTIONS_CODE_PLACE_H

#include <stdbool.h>

#include "analysis/base/intern.h"

/* The texts point into the path that was given, or are constant. */
struct cup_code_place {
    /* What tables show. It is the same on all hosts where possible:
     * - a file of a package: from the package on, "coffea/nanoevents/factory.py";
     * - a file of the user: its path; for files that Dask uploaded, without the worker's directory;
     * - a library: from its package on, without the tag of the Python version; outside of packages
     *   its file name. */
    struct cup_text shown;
    struct cup_text package; /* "user", "coffea", "numpy", "stdlib", "generated", "unknown"; for
                                libraries also "python" (the interpreter), "libz", "native" */
    bool user;
};

/* NATIVE: PATH is a library or an executable, not a Python file. */
struct cup_code_place cup_code_place(struct cup_text path, bool native);

#endif
