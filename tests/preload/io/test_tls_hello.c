/* What a ClientHello says, cut at every place. */
#include "preload/io/tls_hello.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

/* A ClientHello for "data.example" that offers "h2" and "http/1.1". */
static const unsigned char hello[] = "\x16\x03\x01\x00\x58\x01\x00\x00\x54\x03\x03"
                                     "0123456789abcdef0123456789abcdef"
                                     "\x00"                             /* session */
                                     "\x00\x02\x13\x01"                 /* ciphers */
                                     "\x01\x00"                         /* compression */
                                     "\x00\x29"                         /* extensions */
                                     "\x00\x0a\x00\x04\x00\x02\x00\x1d" /* groups */
                                     "\x00\x00\x00\x11\x00\x0f\x00\x00\x0c"
                                     "data.example" /* server_name */
                                     "\x00\x10\x00\x08\x00\x06\x02"
                                     "h2"
                                     "\x02"
                                     "h1"; /* protocols */
enum { LENGTH = sizeof hello - 1 };

static bool read_exactly(struct cup_tls_hello *result, const unsigned char *bytes, size_t count)
{
    unsigned char *copy = malloc(count ? count : 1);
    cr_assert(copy != NULL);
    memcpy(copy, bytes, count);
    bool read = cup_tls_read_hello(result, copy, count);
    free(copy);
    return read;
}

Test(tls_hello, names_the_server_and_the_protocols)
{
    struct cup_tls_hello result;
    cr_assert(read_exactly(&result, hello, LENGTH));
    cr_expect_str_eq(result.server, "data.example");
    cr_expect(result.offers_http2);
}

/* Without the end it is not known whether HTTP/2 is offered. */
Test(tls_hello, cut_at_every_place)
{
    for (size_t count = 0; count < LENGTH; count++) {
        struct cup_tls_hello result;
        bool read = read_exactly(&result, hello, count);
        cr_expect(read == (count > 5), "%zu", count);
        cr_expect(!read || result.offers_http2, "%zu", count);
    }
}

Test(tls_hello, any_byte_may_be_wrong)
{
    unsigned char wrong[LENGTH];
    for (size_t at = 0; at < LENGTH; at++)
        for (unsigned value = 0; value < 256; value += 5) {
            struct cup_tls_hello result;
            memcpy(wrong, hello, LENGTH);
            wrong[at] = (unsigned char)value;
            read_exactly(&result, wrong, LENGTH);
            cr_expect(strlen(result.server) < sizeof result.server);
        }
}

Test(tls_hello, without_http2)
{
    unsigned char other[LENGTH];
    struct cup_tls_hello result;
    memcpy(other, hello, LENGTH);
    other[LENGTH - 5] = 'x';
    cr_assert(read_exactly(&result, other, LENGTH));
    cr_expect(!result.offers_http2);
}
