/* Servers by the time that it took to open files there, and what was read from the servers in URLs.
 */
#pragma once

#include "analysis/profile/profile.h"

/* All sums of opens except connections to Dask's own servers, the most time first; failed opens are
 * included. *count: their number. Allocated, the caller frees; NULL without memory. */
const struct cup_open_sum **cup_opens_by_time(const struct cup_profile *profile, size_t *count);

/* The sum of that kind of opens for a server; NULL: there were none. */
const struct cup_open_sum *cup_opens_of(const struct cup_profile *profile, struct cup_text server,
                                        enum cup_open_kind kind);

/* What was read from the files of one server. The server is named as in their URLs. */
struct cup_url_sum {
    struct cup_text server;
    uint64_t files, bytes, calls, ns;
};

/* One sum for each server, ordered by its name. Allocated, the caller frees; NULL without memory.
 */
struct cup_url_sum *cup_url_sums(const struct cup_profile *profile, size_t *count);

/* The server of a URL, "root://host:1094" of "root://host:1094//store/x.root"; empty for a path.
 * The URL may name a redirector or a cache: then the server that sent the data is not known. */
struct cup_text cup_url_server(struct cup_text url);
