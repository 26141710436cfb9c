/* Requests to storage servers: how many there were, how long they took, and how they ended. Summed
 * by task, file, server and error, and written as REQUESTS records when the task ends, and every
 * few seconds while it runs. All functions: any thread, guard held, no other lock of ours held. */
#pragma once

#include "preload/log/log.h"

#include <stdbool.h>
#include <stdint.h>

/* A request that is out: for TASK (0: unattributed), at SERVER (id of a string; 0: not known, or
 * the one in the path of the file). */
struct cup_server_request_out {
    uint32_t task, server;
};

/* A request has been sent at NOW (ticks). */
void cup_server_request_sent(struct cup_server_request_out out, uint64_t now);

/* A request that cup_server_request_sent() noted was not sent after all. */
void cup_server_request_not_sent(struct cup_server_request_out out, uint64_t now);

/* A request that has ended. */
struct cup_server_request_end {
    struct cup_server_request_out out; /* as when it was sent */
    uint32_t task, server;             /* that it counts for: now more may be known */
    uint32_t file;                     /* number of its FILE record; 0: not known */
    uint32_t peer;                     /* FILE record of an HTTP server, which has no SERVER; how
                                          long tasks wait for it is known otherwise */
    uint32_t key;                      /* what is asked for, as a number that is not 0 and the same
                                          when it is asked for again; 0: not known */
    bool encrypted;                    /* how it was answered is not known */
    uint32_t error;                    /* 0: it was answered; else as in cup_r_requests */
    uint32_t moved;                    /* 1: another server answered it in the end */
    uint64_t bytes;                    /* delivered */
    uint64_t start, stop;              /* ticks */
    uint64_t first;                    /* when the answer began; 0: not known */
};
void cup_server_request_ended(const struct cup_server_request_end *end);

/* Rows of the lifecycle table. */
void cup_server_requests_reset(void);
void cup_server_requests_task_ended(uint32_t task);
void cup_server_requests_process_ends(void);
