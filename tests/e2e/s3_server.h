/* moto, an S3 server, for one test; nginx stands in front of it, and its log is the judge. */
#pragma once

#include "tests/e2e/http_server.h"

/* In PYTHONPATH: where tests/setup.sh installs moto and s3fs. */
#define S3_PACKAGES CUP_TOP "/build/s3"

struct s3_server {
    struct cup_process moto;
    struct http_server front; /* front.url is the endpoint */
};

/* Skips the test if there is no moto or no nginx here. */
void s3_need(void);

/* Starts it, with all files of the directory FILES in the bucket "bucket"; nginx also answers
 * "bucket/t/KEY/NAME" with "bucket/NAME". SETTINGS, TLS: see http_options. */
void s3_start(struct s3_server *server, const struct http_options *options);

/* Stops it. Returns what http_stop() returns. */
json_t *s3_stop(struct s3_server *server);
