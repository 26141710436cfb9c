/* Which server is slow, and the evidence whether the server or the network of one host is the
 * cause. */
#pragma once

#include "analysis/metrics/reads/server_uses.h"

/* A server is slow if its requests and opens take CUP_SLOW_TIMES as long, on average, as those of
 * the other servers of its kind, both sides having CUP_SLOW_LEAST or more. If its requests are
 * larger than theirs, as much longer is expected. */
enum { CUP_SLOW_TIMES = 2, CUP_SLOW_LEAST = 10 };

struct cup_slow_server {
    const struct cup_server_use *use; /* NULL: no server is slow */
    size_t others;
    double mean_ns, others_mean_ns; /* waiting for each request and open */
    double others_request_ns;     /* of a request there, as the sums of hosts have it: for HTTP its
                                     duration, for XRootD the waiting */
    double p90_ns, others_p90_ns; /* of answered requests; NAN: not known */
    double lost_ns;               /* waiting beyond that mean of the others */
    uint32_t file;                /* that tasks waited for longest there: index + 1; 0: not known */
    uint64_t file_ns;
    /* Hosts with 3 or more requests there; those of them for which it is slow; one of those. */
    size_t hosts, slow_hosts;
    uint32_t slow_host; /* string */
};

/* The server that cost the most time, beyond what others would have taken. */
struct cup_slow_server cup_find_slow_server(const struct cup_server_uses *uses,
                                            const struct cup_profile *profile);

/* What tasks waited for the file of a server that they waited for longest. Returns its index + 1;
 * 0: not known. FAILED: only requests that failed. */
uint32_t cup_worst_file(const struct cup_profile *profile, struct cup_text server, bool failed,
                        uint64_t *waited_ns);
