/* The parts of a measurement directory of roastcoffea: docs/roastcoffea.md has its keys, their
 * units and how each is made. */
#pragma once

#include "analysis/metrics/metrics.h"
#include "analysis/write/json_writer.h"
#include "analysis/write/output.h"

/* Bytes that uproot requested for chunks of a file. */
struct cup_roast_file {
    uint32_t path; /* the name in Coffea's work items */
    uint32_t tree;
    uint64_t size; /* 0: not known */
    /* Sizes of its tree; 0: the file could not be examined. */
    uint64_t compressed_bytes, uncompressed_bytes;
    uint64_t requested_bytes; /* by chunks whose result was used, at most the tree's bytes */
    bool requested;           /* at least one chunk has this figure */
};
struct cup_roast_files {
    struct cup_roast_file *files; /* owned */
    size_t count;
    uint32_t *by_path; /* owned; indexed by string of the profile: index in `files` + 1 */
};
/* Returns 0, or -1 without memory; cup_roast_files_free() in both cases. */
int cup_roast_files_make(struct cup_roast_files *files, const struct cup_totals *totals);
void cup_roast_files_free(struct cup_roast_files *files);

/* Requested bytes in percent of the tree's; null if either is not known. */
struct cup_value cup_roast_read_percent(const struct cup_roast_file *file);

struct cup_roast {
    const struct cup_totals *totals;
    const struct cup_profile *profile;
    const struct cup_output *output;
    struct cup_roast_files files;
    struct cup_json json;
};

static inline void cup_roast_put(struct cup_roast *roast, const char *name, struct cup_value value)
{
    cup_json_value(&roast->json, name, value);
}

/* The tool's code takes a key that is not there, but no null. */
static inline void cup_roast_put_known(struct cup_roast *roast, const char *name,
                                       struct cup_value value)
{
    if (value.kind != CUP_VALUE_NULL)
        cup_roast_put(roast, name, value);
}

/* Each writes some keys into the JSON object that is open. Returns 0, or -1 without memory. */
int cup_roast_put_files(struct cup_roast *roast);
int cup_roast_put_tracking(struct cup_roast *roast);
int cup_roast_put_chunks(struct cup_roast *roast);
int cup_roast_put_spans(struct cup_roast *roast);

/* A chunk whose result was used. */
static inline bool cup_roast_is_used(const struct cup_totals *totals, size_t item)
{
    return totals->outcomes[item] == CUP_OUTCOME_USED;
}

/* ---- texts as Python writes them: keys that are tuples, times without a zone ---------------- */

/* repr() of a str; and the text itself, with '?' for NUL, which a C string cannot hold. The caller
 * frees both; NULL without memory. */
char *cup_python_repr(struct cup_text text);
char *cup_python_string(struct cup_text text);

/* datetime.fromtimestamp(ns / 1e9).isoformat(), always with six digits: local time. */
enum { CUP_PYTHON_TIME_ROOM = 40 };
char *cup_python_time(char to[CUP_PYTHON_TIME_ROOM], int64_t ns);
