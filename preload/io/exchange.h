/* Connections that carry requests and their answers in turn: HTTP/1, plain or over TLS. Such
 * connections are kept and serve one task after the other, and the thread that receives an answer
 * (an event loop's, for instance) may work for any of them. So this file remembers whose requests
 * are out on each connection: an answer belongs to the task that sent its request.
 *
 * - Plain HTTP/1: the bytes say where an answer ends. Several requests may be out.
 * - TLS: an answer ends where the next request begins, because HTTP/1 clients send it only then.
 * - HTTP/2 mixes answers: if several tasks use a connection that may be HTTP/2, what it receives
 *   is unattributed. A task may use it without sending anything: another one's thread may send its
 *   request, but its own thread then receives.
 *
 * All functions: guard held; any thread. */
#pragma once

#include "preload/attribution/attribution.h"
#include "preload/io/descriptor.h"
#include "preload/io/http_message.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a connection carries, recognised by the first bytes that are sent. */
enum cup_protocol {
    CUP_PROTOCOL_UNKNOWN, /* nothing was sent yet */
    CUP_PROTOCOL_OTHER,   /* not followed here */
    CUP_PROTOCOL_TUNNEL,  /* a proxy forwards from now on, and nothing was sent since */
    CUP_PROTOCOL_HTTP,    /* plain HTTP/1 */
    CUP_PROTOCOL_TURNS,   /* the end of an answer cannot be seen: the next request ends it */
};

/* Bytes that a call sent or received: COUNT of them at DATA, or in an array of PARTS struct iovec.
 * DATA is NULL if the bytes cannot be looked at. */
struct cup_exchange_bytes {
    const void *data;
    int parts;
    size_t count;
};

/* What was sent. */
struct cup_asked {
    bool asks;     /* it is part of a request; false for the handshake of TLS, and for what may be
                      HTTP/2 */
    uint32_t task; /* that the URL names, because the sending thread carries no task; 0: none */
};

/* Call this when OWNER has sent BYTES on SOCKET. Returns false if the connection is not followed.
 * Sets *ASKED. */
bool cup_exchange_sent(struct cup_descriptor *socket, const struct cup_owner *owner,
                       const struct cup_exchange_bytes *bytes, struct cup_asked *asked);

/* Returns what was asked for last on SOCKET, as a number that is the same whenever the same is
 * asked for (cup_url_request_key()), and sets *FILE to the FILE record of its URL. Both are 0 if
 * they are not known, as with TLS. */
uint32_t cup_exchange_asked(const struct cup_descriptor *socket, uint32_t *file);

/* True if the connection is followed: then cup_exchange_received() attributes what it receives. */
static inline bool cup_exchange_is_followed(const struct cup_descriptor *socket)
{
    return socket->protocol >= CUP_PROTOCOL_HTTP;
}

/* How far the answer to a request to an HTTP server has come. */
struct cup_answer_state {
    uint16_t status; /* of HTTP; 0: not known yet */
    bool encrypted;  /* the status and the end of the answer cannot be seen */
    bool ended;      /* these bytes are its last ones */
    bool partial;    /* it is cut off if the connection ends now */
    bool
        is_preface; /* encrypted, but only session tickets came so far, and nothing of the answer */
};

/* Part of what a call received: it answers one request. */
struct cup_answer {
    uint32_t task;  /* that sent the request; 0: not known, or there is no request */
    bool inherited; /* by method INHERITED: evidence against it may come later */
    bool mixed;     /* answers to several tasks may be mixed, whoever receives them */
    uint8_t reason; /* why the bytes are attributed to no task, if they are not: enum
                       cup_unattributed_reason */
    uint32_t file;  /* FILE record of the URL; 0: it has none */
    size_t bytes;   /* at least 1 */
    struct cup_answer_state state;
    struct cup_http_message before; /* the answer as it stood before these bytes; CUP_HTTP_LOST: not
                                       known */
};

/* Call this when SOCKET has received BYTES, again and again until all are attributed. READER: the
 * task that the receiving thread certainly works for; 0: not known. OFFSET: how many of the bytes
 * earlier calls attributed. Returns the answer that the next ones belong to. */
struct cup_answer cup_exchange_received(struct cup_descriptor *socket, uint32_t reader,
                                        const struct cup_exchange_bytes *bytes, size_t offset);

/* Calls SINK for those of the bytes of ANSWER that are parts of a file. BYTES and OFFSET: as passed
 * to cup_exchange_received(), which returned ANSWER. Call it at most once for each. */
void cup_exchange_find_body(struct cup_answer *answer, const struct cup_exchange_bytes *bytes,
                            size_t offset, const struct cup_http_sink *sink);

/* Releases the locks of this file. Called in a forked child, and when a log is opened. */
void cup_exchange_reset(void);
