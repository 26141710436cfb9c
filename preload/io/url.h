/* The URL of a file that is read through HTTP, without user, password and everything after a "?":
 * these may be secrets. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUP_URL_LONGEST = 1024 };

/* The URL of a GET or HEAD request that begins with these COUNT bytes. False: it is another
 * request, or the bytes do not have its first line and the header "Host", or it is too long. */
bool cup_url_of_request(char url[CUP_URL_LONGEST], const char *bytes, size_t count);

/* "https://SERVER:PORT/". SERVER: the name that the client sent, may be empty. PEER: the address,
 * "tcp://10.0.0.1:443". Port 443 is left out. False: neither is known. */
bool cup_url_of_origin(char url[CUP_URL_LONGEST], const char *server, const char *peer);

/* The same for the server that a request to a proxy asks for, which begins with these COUNT bytes:
 * "CONNECT SERVER:PORT HTTP/1.1". False: it is another request. */
bool cup_url_of_tunnel(char url[CUP_URL_LONGEST], const char *bytes, size_t count);

/* A number that is the same for requests that ask for the same: a hash of the first line and of the
 * header "Range" of a request that begins with these COUNT bytes. 0: the bytes do not have its
 * first line. */
uint32_t cup_url_request_key(const char *bytes, size_t count);
