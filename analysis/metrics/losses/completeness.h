/* Whether the run did what it was to do. What it was to do: the work items that Coffea made, which
 * the library reads in the client (RUN record). What it did: the chunks whose result was used. */
#pragma once

#include "analysis/profile/profile.h"

struct cup_totals;

/* X(id, name in JSON). */
#define CUP_RUN_STATES(X)                                                                          \
    X(UNKNOWN, "unknown")   /* `reason` says why */                                                \
    X(COMPLETE, "complete") /* every chunk was used */                                             \
    X(SKIPPED, "skipped")   /* every chunk ended, but Coffea skipped bad files */                  \
    X(RUNNING, "running")   /* it goes on */                                                       \
    X(ABORTED, "aborted")   /* it ended before every chunk was done */                             \
    X(FAILED, "failed")     /* a chunk or a merge failed for good, or killed its workers */
enum cup_run_state {
#define X(id, name) CUP_RUN_##id,
    CUP_RUN_STATES(X)
#undef X
        CUP_RUN_STATE_COUNT
};
extern const char *const cup_run_state_names[CUP_RUN_STATE_COUNT];

enum { CUP_COMPLETENESS_TEXT = 500 };

struct cup_completeness {
    enum cup_run_state state;
    char cause[CUP_COMPLETENESS_TEXT / 2];   /* of ABORTED and FAILED; "": none, or not known */
    const char *reason;                      /* why state or plan are not known; NULL: they are */
    uint64_t planned_chunks, planned_events; /* CUP_UNKNOWN64: not known */
    uint64_t done_chunks, done_events;       /* used; events CUP_UNKNOWN64: not known */
    uint64_t skipped_chunks, skipped_files;  /* by skipbadfiles; files: in preprocessing */
    uint64_t failed_chunks, failed_merges;   /* for good */
    uint64_t failed_files;                   /* for good, in preprocessing */
    uint64_t repeated_chunks;                /* of the plan, equal to others of it */
    uint32_t max_chunks;                     /* Coffea's maxchunks per dataset; 0: no limit */
    char sentence[CUP_COMPLETENESS_TEXT];    /* all of it, for the first line of a report */
};

/* Fills in only what the chosen calls of the profile were to do: planned_*, max_chunks,
 * repeated_chunks, and `reason` if that is not known. */
void cup_completeness_plan(struct cup_completeness *completeness,
                           const struct cup_profile *profile);

/* Why chunks may have been done that the profile does not have: a sentence; NULL: no reason. */
const char *cup_completeness_doubt(const struct cup_totals *totals);

/* Needs the losses. Returns 0, or -1 without memory; there is nothing to free. */
int cup_completeness_make(struct cup_completeness *completeness, const struct cup_totals *totals);

/* Share of what was to do that is done, by events, or by chunks if their events are not known; NAN
 * if the plan is not known. */
double cup_completeness_share(const struct cup_completeness *completeness);

/* The same in percent, for a text: never 100 if a chunk is missing. */
double cup_completeness_percent(const struct cup_completeness *completeness);

/* True if all of the result is there, or nothing is known against it. */
static inline bool cup_completeness_is_fine(const struct cup_completeness *completeness)
{
    return completeness->state == CUP_RUN_COMPLETE || completeness->state == CUP_RUN_UNKNOWN;
}
