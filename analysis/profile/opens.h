/* How long it took to open files and to connect, by server: sums of the logs' OPEN records. */
#ifndef CUPPING_ANALYSIS_PROFILE_OPENS_H
#define CUPPING_ANALYSIS_PROFILE_OPENS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "analysis/base/intern.h"
#include "include/log_format.h"

/* Durations in buckets, 32 to each power of two from 256 ns on: a bucket is 2 to 3 % wide. */
enum { CUP_OPEN_FROM = 8, CUP_OPEN_PARTS = 32, CUP_OPEN_BUCKETS = 36 * CUP_OPEN_PARTS };

/* Of a duration: the first also holds all that is shorter, the last all that is longer. */
unsigned cup_open_bucket(uint64_t ns);

/* Where a bucket begins; of CUP_OPEN_BUCKETS: where the last ends. */
double cup_open_bucket_from_ns(unsigned bucket);

enum { CUP_OPEN_ERRORS = 4 }; /* told apart; further ones are only counted */

struct cup_open_error {
    uint32_t error; /* as in the record */
    uint64_t count;
};

/* All opens of one kind at one server. Durations are those of opens that succeeded. */
struct cup_open_sum {
    uint32_t server;                               /* string; 0: not known */
    uint32_t kind;                                 /* enum cup_open_kind */
    uint64_t opened, failed;                       /* how many */
    uint64_t ns, failed_ns;                        /* wall time of those */
    uint64_t shortest_ns, longest_ns;              /* meaningless while `opened` is 0 */
    struct cup_open_error errors[CUP_OPEN_ERRORS]; /* in no order */
    uint32_t buckets[CUP_OPEN_BUCKETS];
};

/* The part of a path that names its server: "root://host:1094" of a URL, "tcp://10.0.0.1:443" of a
 * peer, of a local path its first directory, "/eos", where file systems are mounted; all of it if
 * it has none. */
struct cup_text cup_open_server(struct cup_text path);

/* Adds one open; ERROR as in the record. */
void cup_open_sum_count(struct cup_open_sum *sum, uint64_t ns, uint32_t error);

/* Adds up but for server and kind. */
void cup_open_sum_add(struct cup_open_sum *sum, const struct cup_open_sum *more);

/* The duration that a `share` of those that succeeded (0.5: the median) does not exceed: within its
 * bucket by interpolation, so good to 3 %; never beyond the longest. NAN: there are none. */
double cup_open_quantile_ns(const struct cup_open_sum *sum, double share);

/* "local", "xrootd" or "connect". */
const char *cup_open_kind_name(uint32_t kind);

/* The most frequent error, in words where it is known: "No such file or directory", "XRootD 3011:
 * no such file". Returns its count; 0: none failed. */
uint64_t cup_open_worst(const struct cup_open_sum *sum, char *to, size_t room);

#endif
