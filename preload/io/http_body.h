/* Where the bytes of an HTTP answer's body lie in the file that was requested (RFC 9110): the whole
 * file, one range of it, or several ranges with headers of their own between them
 * (multipart/byteranges). Bodies that the server compressed have no such places. */
#pragma once

#include "preload/io/http_line.h"

struct cup_http_body {
    bool has_range;   /* a header named the range from AT on, LEFT bytes */
    bool has_ranges;  /* it consists of several ranges */
    bool is_encoded;  /* it is compressed */
    bool is_followed; /* places are known, or still to come */
    bool begins;      /* no byte of the range has arrived */
    bool in_range;    /* the next byte is one of the file, at AT; else of a range's headers */
    uint64_t at, left;
    struct cup_http_line line; /* of a range's headers */
};

/* A function that is called for BYTES at DATA, which lie at OFFSET of the file. BEGINS: they are
 * the first of their range. */
struct cup_http_sink {
    void *user;
    void (*body)(void *user, const char *data, size_t bytes, uint64_t offset, bool begins);
};

/* LINE is a header of the answer, or of a range. */
void cup_http_body_header(struct cup_http_body *body, const struct cup_http_line *line);

/* The headers of an answer with STATUS have ended. */
void cup_http_body_begin(struct cup_http_body *body, unsigned status);

/* The next BYTES of the body. SINK may be NULL. */
void cup_http_body_feed(struct cup_http_body *body, const char *data, size_t bytes,
                        const struct cup_http_sink *sink);
