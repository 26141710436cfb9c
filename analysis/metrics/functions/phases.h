/* What part of a chunk a stack belongs to, by the functions on it: see docs/functions.md. */
#ifndef CUPPING_ANALYSIS_METRICS_FUNCTIONS_PHASES_H
#define CUPPING_ANALYSIS_METRICS_FUNCTIONS_PHASES_H

#include <stdbool.h>

#include "analysis/base/intern.h"

/* In ascending order of precedence: a stack belongs to the last of these that one of its functions
 * marks. So a column that process() reads is no longer process() itself, and what is decompressed
 * for it is neither. */
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

/* What a function marks. FILE as cup_code_place() shows it; NAME with or without its class. */
enum cup_phase cup_phase_of(struct cup_text file, struct cup_text name, bool user);

/* A function of the user's that this one calls is process(), whatever its name is. */
bool cup_calls_process(struct cup_text file, struct cup_text name);

#endif
