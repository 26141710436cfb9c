/* What a TLS client sends before anything is encrypted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { CUP_TLS_NAME_LONGEST = 256 };

struct cup_tls_hello {
    char server[CUP_TLS_NAME_LONGEST]; /* the server's name; empty: the client did not name it */
    bool offers_http2;                 /* also if the message is cut off */
};

/* Reads the first bytes that a client sends. False: they are not a ClientHello. Never reads beyond
 * COUNT bytes. */
bool cup_tls_read_hello(struct cup_tls_hello *hello, const unsigned char *bytes, size_t count);
