/* Storage servers: what was read from each of them, and how long tasks waited for it. */
#pragma once

#include "analysis/profile/profile.h"

/* How a server was reached. */
enum cup_server_kind {
    CUP_SERVER_XROOTD, /* by XRootD's client */
    CUP_SERVER_PEER,   /* by sockets */
    CUP_SERVER_MOUNT,  /* as files of a mounted file system */
    CUP_SERVER_WIRE,   /* by the sockets of XRootD's client, which carry the same bytes again */
};

/* Everything that went to one server. Of a file behind a redirector it is the data server, if that
 * is known. */
struct cup_server_use {
    struct cup_text name; /* "root://host:1094", the address of a peer, or "nfs4:host:/export" */
    enum cup_server_kind kind;
    uint64_t files, tasks;
    uint64_t failed_tasks; /* tasks that had a request there that failed by its fault */
    uint64_t bytes, sent_bytes, requests;
    uint64_t cached_bytes; /* part of bytes: reads of mounted files that were no requests */
    uint64_t mapped_bytes; /* not in bytes: pages of mounted files that the program mapped */
    uint64_t receives, connections, processes; /* of a peer */
    uint64_t busy_ns;   /* durations of all requests, or of the calls on the sockets, added up */
    uint64_t failed_ns; /* part of busy_ns: requests that failed by its fault */
    /* Time with at least one unanswered request, added up over tasks: several requests of a task
     * at the same time count once. Opens and connections are included. */
    uint64_t waited_ns;
    uint64_t faults;        /* requests for which cup_request_is_fault() */
    uint64_t failed, moved; /* requests that failed; that another server answered in the end */
    uint64_t buckets[CUP_BUCKETS];       /* durations of answered requests; empty: not known */
    uint64_t first_buckets[CUP_BUCKETS]; /* until their answers began; empty: not known */
    uint64_t longest_ns;
    /* Of an HTTP server: how requests failed, and those through TLS, whose status is not known. */
    bool is_http; /* its requests are known one by one */
    uint64_t http_4xx, http_5xx, cut_off, given_up, encrypted;
    /* Of XRootD: time with a request of a process out, added up over processes, and the most
     * requests of one process that were out at a time; 0: not known. */
    uint64_t process_ns, most_out;
    uint64_t repeated;   /* requests that had failed before, and were sent again by their task */
    uint64_t reconnects; /* of a peer: connections that replaced one of the same task */
    const struct cup_open_sum *opens, *connects; /* NULL: none */
    uint64_t chunks, chunk_ns, events; /* finished chunks that read from it: of all of them */
    uint32_t first_error,
        errors; /* requests that failed, by error: the most frequent comes first */
};

/* Requests to one server that failed in the same way. */
struct cup_server_error {
    uint32_t row;   /* index of the server while the rows are made, + 1 */
    uint32_t error; /* as in cup_r_requests */
    uint64_t count;
};

struct cup_server_uses {
    struct cup_server_use *rows; /* owned; the one that tasks waited for longest comes first */
    size_t count;
    struct cup_server_error *errors; /* owned; of all rows, see `first_error` */
    size_t error_count;
    uint64_t waited_ns; /* for all of them */
};

/* Returns 0, or -1 without memory. */
int cup_server_uses_make(struct cup_server_uses *uses, const struct cup_profile *profile);
void cup_server_uses_free(struct cup_server_uses *uses);

static inline struct cup_durations cup_server_durations(const struct cup_server_use *use)
{
    return (struct cup_durations){use->buckets, use->longest_ns};
}

static inline struct cup_durations cup_server_first_bytes(const struct cup_server_use *use)
{
    return (struct cup_durations){use->first_buckets, 0};
}

/* Requests, connections and opens that failed. */
uint64_t cup_server_errors(const struct cup_server_use *use);

/* How many requests of a process were out at a time on average, while any was. NAN: not known. */
double cup_server_mean_out(const struct cup_server_use *use);

/* Describes the most frequent of its errors. False: there was none. */
bool cup_server_worst_error(const struct cup_server_uses *uses, const struct cup_server_use *use,
                            char *to, size_t room);

/* Lists all its errors, as "8 HTTP status 503, 4 cut off by the server, 2 other": of requests, then
 * of opens, then of connections. What does not fit into ROOM (100 at least) is in "other". False:
 * there was none. */
bool cup_server_error_kinds(const struct cup_server_uses *uses, const struct cup_server_use *use,
                            char *to, size_t room);

/* Why it is not known how many of its requests were sent again, or of its connections were made
 * again; NULL: it is known. */
const char *cup_server_repeats_unknown(const struct cup_profile *profile,
                                       const struct cup_server_use *use);
const char *cup_server_reconnects_unknown(const struct cup_profile *profile,
                                          const struct cup_server_use *use);

/* True for a URL of XRootD's client. What came from other URLs, by HTTP, is counted at the peers of
 * the sockets that it came through. */
bool cup_is_xrootd_url(struct cup_text url);

/* True if both name the same server: root://host is root://host:1094. */
bool cup_same_server(struct cup_text one, struct cup_text other);
