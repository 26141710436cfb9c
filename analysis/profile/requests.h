/* Requests to storage servers: what REQUESTS records say. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "include/log_format.h"

/* One record: what was sent to one server, for one file and one task, and ended alike. */
struct cup_request_row {
    int64_t start_ns, stop_ns;
    uint64_t values[CUP_Q_COUNT_OF];
    uint32_t server; /* string; 0: not known */
    uint32_t file;   /* index + 1; 0: not known */
    uint32_t task;   /* index + 1; 0: none */
    uint32_t error;  /* 0: answered */
    uint32_t process;
    uint32_t at; /* where the log holds the record, in units of 8 bytes */
};

/* All requests from one host to one server. */
struct cup_request_sum {
    uint32_t server, host;             /* strings */
    uint64_t answered[CUP_Q_COUNT_OF]; /* sums of their values; the longest is the largest */
    uint64_t failed[CUP_Q_COUNT_OF];
    uint64_t buckets[CUP_BUCKETS];       /* durations of those that were answered */
    uint64_t first_buckets[CUP_BUCKETS]; /* until their answers began; empty: not known */
};

/* These requests failed by the server's fault. PEER: it is an HTTP server. There, HTTP 4xx is none:
 * the client asks for what is not there, or is not for it. Nor is a request that the client gave up
 * within a second: it may have changed its mind. */
bool cup_request_is_fault(const struct cup_request_row *row, bool peer);

/* Adds what a REQUESTS record says to values, to CUP_BUCKETS buckets of durations, and to as many
 * of the time until answers began (NULL: not wanted). */
void cup_request_read(const struct cup_record *record, uint64_t *values, uint64_t *buckets,
                      uint64_t *first);

/* Adds values to sums; of those of kind LARGEST the larger one is kept. */
void cup_request_values_add(uint64_t *sums, const uint64_t *values);

/* Adds all fields but server and host. */
void cup_request_sum_add(struct cup_request_sum *sum, const struct cup_request_sum *more);

/* Names of enum cup_request_value. */
extern const char *const cup_request_value_names[CUP_Q_COUNT_OF];
