/* The HTTP server of `cupping top --http`: GET and HEAD of two pages, on the loopback only. It
 * never blocks: the caller polls its descriptors along with its own. */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>
#include <time.h>

#include "analysis/base/error.h"

enum { CUP_HTTP_CLIENTS = 32, CUP_HTTP_POLLS = CUP_HTTP_CLIENTS + 2, CUP_HTTP_REQUEST = 8192 };

struct cup_http_client {
    int fd;                         /* -1: the entry is free */
    int64_t deadline_ns;            /* on the monotonic clock: after it the connection is closed */
    char request[CUP_HTTP_REQUEST]; /* what has arrived of it */
    size_t request_bytes;
    bool head;           /* HEAD: the answer has no body */
    bool waits_for_page; /* the answer is the page, which is still being made */
    char *answer;        /* owned; NULL: the request is not complete, or waits */
    size_t answer_bytes, sent;
};

/* The page of the report, made by a process of its own, and kept for some time. */
struct cup_http_page {
    char *text; /* owned; NULL: none yet. A page that could not be made leaves the one before */
    size_t bytes;
    bool is_old;      /* what should have replaced it could not be made, or is being made */
    time_t text_at;   /* time of day when the maker of the text was started */
    time_t began_at;  /* the same of the running maker */
    int64_t made_ns;  /* when a maker ended; this and the next are on the monotonic clock */
    int64_t next_ns;  /* it is not made again before */
    int64_t began_ns; /* when the running maker was started */
    pid_t maker;      /* 0: none runs */
    int end;          /* a pipe that the maker holds open; -1: none */
    FILE *file;       /* what it writes */
};

struct cup_http {
    int listener;
    unsigned port;
    const char *directory; /* of the profile; not owned */
    /* Writes the answer to /metrics. Returns 0, or -1 without memory. */
    int (*metrics)(void *context, FILE *out);
    void *context;
    struct cup_http_client clients[CUP_HTTP_CLIENTS];
    struct cup_http_page page;
};

/* Listens on 127.0.0.1. PORT 0: the kernel chooses one. Returns 0, or -1 and *error. The caller
 * sets `directory`, `metrics` and `context`, and closes it in both cases. */
int cup_http_open(struct cup_http *http, unsigned port, struct cup_error *error);
void cup_http_close(struct cup_http *http);

/* Fills in what to poll. Returns how many there are, at most CUP_HTTP_POLLS. */
size_t cup_http_polls(struct cup_http *http, struct pollfd polls[CUP_HTTP_POLLS]);

/* Does what can be done without blocking. NOW_NS: on the monotonic clock. */
void cup_http_serve(struct cup_http *http, int64_t now_ns);
