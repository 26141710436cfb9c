/* nginx, for one test: it serves files, or stands in front of another server. Its log says what it
 * sent, so it is the judge of what cupping reports. */
#pragma once

#include "tests/e2e/process.h"

#include <jansson.h>
#include <stdbool.h>

/* All may be left zero. */
struct http_options {
    const char *files;    /* the directory that it serves, at /NAME and at /t/KEY/NAME */
    const char *settings; /* more lines of its settings, such as "limit_rate 1m;" */
    int forward_to;       /* port of the S3 server that answers in its place */
    bool tls;
    bool http2; /* TLS as well; clients may choose HTTP/1 */
};

struct http_server {
    char url[64];    /* "http://127.0.0.1:PORT", or "https://..." */
    char *directory; /* its settings, its log, and "certificate" */
    struct cup_process process;
};

/* Skips the test if there is no nginx here. */
void http_need(void);

/* Makes a key, and a certificate of its own for localhost, in DIRECTORY: "key" and "certificate".
 * Skips the test if there is no openssl here. */
void http_make_certificate(const char *directory);

void http_start(struct http_server *server, const struct http_options *options);

/* Ends it when it has answered, and returns its log, one object for each answer: "path" without the
 * query, "query", "method", "range", "status", "connection" (its number), "sent" (bytes with the
 * head), "body" (bytes), "seconds" from the request to the end of the answer, "ended" (epoch),
 * "encoding" ("gzip", or empty). */
json_t *http_stop(struct http_server *server);

/* The sum of a number over the answers to paths that have "/t/KEY/" in them. A task that asks for
 * its files there has its bytes in the server's log by its key. */
double http_sum(json_t *log, const char *key, const char *number);

/* For how long one of these answers was out. */
double http_waited(json_t *log, const char *key);
