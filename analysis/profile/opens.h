/* How long it took to open files and connections: sums of OPEN and OPENS records by server. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/intern.h"
#include "include/log_format.h"

/* Returns the shortest duration that belongs to a bucket. CUP_OPEN_BUCKETS is a valid argument:
 * the end of the last bucket. */
double cup_open_bucket_from_ns(unsigned bucket);

/* Different error codes that one sum can hold; opens that fail with a further code only count in
 * `failed`. */
enum { CUP_OPEN_ERRORS = 4 };

struct cup_open_error {
    uint32_t error; /* errno, or the code of XRootD, as in the OPEN record */
    uint64_t count;
};

/* All opens of one kind at one server. Durations are those of opens that succeeded. */
struct cup_open_sum {
    uint32_t server;                               /* string; 0: not known */
    uint32_t kind;                                 /* enum cup_open_kind */
    uint64_t opened, failed;                       /* number of opens */
    uint64_t ns, failed_ns;                        /* their wall time */
    uint64_t shortest_ns, longest_ns;              /* undefined if `opened` is 0 */
    struct cup_open_error errors[CUP_OPEN_ERRORS]; /* in no order */
    uint64_t redirects;                            /* servers that passed opens on */
    /* Part of the opens that another server answered: their number, and those that failed. */
    uint64_t elsewhere, elsewhere_failed;
    uint64_t elsewhere_ns; /* their wall time */
    uint32_t buckets[CUP_OPEN_BUCKETS];
};

/* False for the kind in a record of a damaged log. */
static inline bool cup_open_kind_is_known(uint32_t kind)
{
    return kind >= CUP_OPEN_LOCAL && kind <= CUP_OPEN_CONNECT;
}

/* Returns the part of a path that names its server: "root://host:1094" for a URL,
 * "tcp://10.0.0.1:443" for the peer of a connection, the first directory of a local path ("/eos",
 * because file systems are mounted there; "/" for a file in the root directory), and "." for a
 * relative path. */
struct cup_text cup_open_server(struct cup_text path);

/* A kind that no record has: opens by XRootD's client that another server than the one in the URL
 * answered, by that data server. They also count for the server in the URL. */
enum { CUP_OPEN_REDIRECTED = CUP_OPEN_CONNECT + 1 };

/* Opens that ended alike: the values of an OPENS record, or one open. */
struct cup_opens_alike {
    uint64_t values[CUP_O_COUNT_OF];
    uint32_t error; /* as in the record */
    /* The tail of their record: the buckets of their durations. One open needs none. */
    const unsigned char *tail;
    size_t bytes;
};

/* ERROR as in the record. */
struct cup_opens_alike cup_one_open(uint64_t ns, uint32_t error);

void cup_open_sum_count(struct cup_open_sum *sum, const struct cup_opens_alike *opens);

/* Names of enum cup_open_value. */
extern const char *const cup_open_value_names[CUP_O_COUNT_OF];

/* Adds all fields but server and kind. */
void cup_open_sum_add(struct cup_open_sum *sum, const struct cup_open_sum *more);

/* The quantile of the successful opens' durations (SHARE 0.5: the median), interpolated within its
 * bucket, so accurate to 3 %, and at most the longest. NAN if none succeeded. */
double cup_open_quantile_ns(const struct cup_open_sum *sum, double share);

/* "local", "xrootd" or "connect". */
const char *cup_open_kind_name(uint32_t kind);

/* Writes "not found (XRootD 3011)". */
void cup_xrootd_error_text(uint32_t error, char *to, size_t room);

/* Writes "No such file or directory", or "not found (XRootD 3011)": an error of SUM. */
void cup_open_error_text(const struct cup_open_sum *sum, uint32_t error, char *to, size_t room);

/* Describes the most frequent error: "No such file or directory", "not found (XRootD 3011)".
 * Returns how often it occurred; 0 if no open failed. */
uint64_t cup_open_worst(const struct cup_open_sum *sum, char *to, size_t room);
