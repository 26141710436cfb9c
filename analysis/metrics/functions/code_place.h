/* Whose code a file holds, and which phase of a chunk's work it marks. The code is the user's own,
 * a package's, or Python's. The path decides, as it was on the worker: the file itself is not
 * opened. installed_files.h looks at the disk. */
#pragma once

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

/* The place of a Python file of a package whose name is BELOW bytes behind the path's begin. */
struct cup_code_place cup_package_place(struct cup_text path, size_t below);

/* Which phase of a chunk's work a stack belongs to; the functions on the stack decide: see
 * docs/functions.md. In ascending order of precedence: if functions on a stack mark several phases,
 * the last of these in this list counts. Example: process() reads a column, and uproot decompresses
 * it. That stack counts as `decompress`, not as `columns` or `process`. */
#define CUP_PHASES(X)                                                                              \
    X(OTHER, "other", "none of these: no function that marks one is on the stack")                 \
    X(EVENTS, "events", "building the events: from_root() and what it calls")                      \
    X(OPEN, "open", "opening the file, its metadata, and closing it")                              \
    X(SERIALISE, "serialise", "serialising results within the task")                               \
    X(PROCESS, "process", "process() itself and the functions that it calls")                      \
    X(COLUMNS, "columns", "reading columns and making arrays of them")                             \
    X(IMPORT, "import", "importing modules")                                                       \
    X(DECOMPRESS, "decompress", "decompressing")
enum cup_phase {
#define X(id, name, text) CUP_PHASE_##id,
    CUP_PHASES(X)
#undef X
        CUP_PHASE_COUNT
};

extern const char *const cup_phase_names[CUP_PHASE_COUNT];
extern const char *const cup_phase_texts[CUP_PHASE_COUNT];

/* The phase that a function marks. FILE is as cup_code_place() shows it; NAME may have its class
 * before it. */
enum cup_phase cup_phase_of(struct cup_text file, struct cup_text name, bool user);

/* True for the function of Coffea that calls the processor. What it calls in the user's code is
 * process(), whatever its name is. */
bool cup_calls_process(struct cup_text file, struct cup_text name);
