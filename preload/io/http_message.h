/* Where an HTTP/1 message ends (RFC 9112): its bytes are passed in as they come, in pieces of any
 * size. Nothing is stored but the beginning of the current line. For answers, also which bytes of
 * the file that was requested they are. */
#pragma once

#include "preload/io/http_body.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cup_http_part {
    CUP_HTTP_FIRST_LINE,
    CUP_HTTP_HEADERS,
    CUP_HTTP_BODY,       /* `left` more bytes, of the body or of a chunk */
    CUP_HTTP_CHUNK_SIZE, /* a line with the size of the next chunk */
    CUP_HTTP_CHUNK_END,  /* the empty line after a chunk */
    CUP_HTTP_TRAILERS,
    CUP_HTTP_UNTIL_CLOSE, /* the body ends with the connection */
    CUP_HTTP_ENDED,
    CUP_HTTP_LOST, /* not HTTP/1, or not any more: the end cannot be found */
};

enum { CUP_HTTP_HEAD_MOST = 1 << 20 };

struct cup_http_message {
    uint8_t part; /* enum cup_http_part */
    bool is_answer;
    bool without_body; /* an answer to HEAD has headers only, */
    bool may_tunnel;   /* and so has one to CONNECT, if the proxy then forwards */
    bool chunked;
    bool has_length;
    char method;         /* first letter of a request's method; 0: not known yet */
    uint16_t status;     /* of an answer; 0: its first line is not complete */
    uint32_t head_bytes; /* lines so far: more than CUP_HTTP_HEAD_MOST are not HTTP */
    uint64_t left;
    struct cup_http_line line;
    struct cup_http_body body; /* of an answer */
};

/* Expects the first byte of a request or an answer. */
void cup_http_begin(struct cup_http_message *message, bool is_answer, bool without_body);

/* The next COUNT bytes. Returns how many of them belong to the message: fewer than COUNT only if it
 * ended (CUP_HTTP_ENDED). Interim answers (1xx) belong to the answer that follows them. SINK is
 * called for the bytes of an answer's body; it may be NULL. */
size_t cup_http_feed(struct cup_http_message *message, const char *bytes, size_t count,
                     const struct cup_http_sink *sink);

/* The bytes begin with the method of a request, and a space. */
bool cup_http_is_request(const char *bytes, size_t count);
