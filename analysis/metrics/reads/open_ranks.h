/* The servers at which files were opened, ordered by the time that this took; and what was read
 * from the servers that URLs name. */
#ifndef CUPPING_ANALYSIS_METRICS_READS_OPEN_RANKS_H
#define CUPPING_ANALYSIS_METRICS_READS_OPEN_RANKS_H

#include "analysis/profile/profile.h"

/* All sums of opens, except connections to Dask's own servers; the most time first, failed opens
 * included; *count of them. Allocated, the caller frees; NULL without memory. */
const struct cup_open_sum **cup_opens_by_time(const struct cup_profile *profile, size_t *count);

/* The sum of that kind for a server; NULL: nothing was opened there. */
const struct cup_open_sum *cup_opens_of(const struct cup_profile *profile, struct cup_text server,
                                        enum cup_open_kind kind);

/* What XRootD's client handed out of the files of one server, which is called as in their URLs. */
struct cup_url_sum {
    struct cup_text server;
    uint64_t files, bytes, calls, ns;
};

/* By name; allocated, the caller frees; NULL without memory. */
struct cup_url_sum *cup_url_sums(const struct cup_profile *profile, size_t *count);

/* "root://host:1094" of "root://host:1094//store/x.root": empty for a path. What a URL names may be
 * a redirector or a cache: the server behind it is not known. */
struct cup_text cup_url_server(struct cup_text url);

#endif
