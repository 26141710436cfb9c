/* URLs of requests and servers. */
#include "preload/io/url.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

static void expect_url(const char *request, const char *expected)
{
    char url[CUP_URL_LONGEST];
    cr_assert(cup_url_of_request(url, request, strlen(request)), "%s", request);
    cr_expect_str_eq(url, expected);
}

static void expect_none(const char *request, size_t count)
{
    char url[CUP_URL_LONGEST];
    cr_expect(!cup_url_of_request(url, request, count), "%s", request);
}

Test(url, of_a_request)
{
    expect_url("GET /a/b.root HTTP/1.1\r\nAccept: */*\r\nHost: data.example:81\r\n\r\n",
               "http://data.example:81/a/b.root");
    expect_url("GET /a?secret=1 HTTP/1.1\r\nHOST:x\r\n\r\n", "http://x/a");
    expect_url("GET http://user:word@x/a?b HTTP/1.1\r\nHost: proxy\r\n\r\n", "http://x/a");
    expect_url("HEAD /a HTTP/1.1\r\nHost: x\r\n\r\n", "http://x/a");
    expect_url("GET http://x/a@b HTTP/1.1\r\n\r\n", "http://x/a@b");
}

Test(url, of_no_request)
{
    static const char get[] = "GET /a HTTP/1.1\r\nHost: x\r\n\r\n";
    for (size_t count = 0; count < 24; count++)
        expect_none(get, count);
    expect_none("PUT /a HTTP/1.1\r\nHost: x\r\n\r\n", 28);
    expect_none("GET /a HTTP/1.1\r\n\r\n", 19);
    expect_none("GET a HTTP/1.1\r\nHost: x\r\n\r\n", 27);
    expect_none("GET /\x01 HTTP/1.1\r\nHost: x\r\n\r\n", 28);
}

Test(url, too_long)
{
    char request[2 * CUP_URL_LONGEST];
    int length = snprintf(request, sizeof request, "GET /%01100d HTTP/1.1\r\nHost: x\r\n\r\n", 0);
    expect_none(request, (size_t)length);
}

static void expect_origin(const char *server, const char *peer, const char *expected)
{
    char url[CUP_URL_LONGEST];
    cr_assert(cup_url_of_origin(url, server, peer), "%s", peer);
    cr_expect_str_eq(url, expected);
}

Test(url, of_an_origin)
{
    expect_origin("data.example", "tcp://10.0.0.1:443", "https://data.example/");
    expect_origin("data.example", "tcp://10.0.0.1:8443", "https://data.example:8443/");
    expect_origin("", "tcp://[2001:db8::1]:443", "https://[2001:db8::1]/");
    char url[CUP_URL_LONGEST];
    cr_expect(!cup_url_of_origin(url, "data.example", ""));
}

static void expect_tunnel(const char *request, const char *expected)
{
    char url[CUP_URL_LONGEST] = "";
    cr_expect_eq(cup_url_of_tunnel(url, request, strlen(request)), expected != NULL, "%s", request);
    cr_expect_str_eq(url, expected ? expected : "");
}

Test(url, of_the_server_behind_a_proxy)
{
    expect_tunnel("CONNECT data.example:443 HTTP/1.1\r\n\r\n", "https://data.example/");
    expect_tunnel("CONNECT data.example:8443 HTTP/1.1\r\n\r\n", "https://data.example:8443/");
    expect_tunnel("CONNECT Data.Example:443 HTTP/1.1\r\n\r\n", "https://data.example/");
    expect_tunnel("CONNECT [2001:db8::1]:443 HTTP/1.1\r\n\r\n", "https://[2001:db8::1]/");
    expect_tunnel("CONNECT data.example HTTP/1.1\r\n\r\n", NULL);
    expect_tunnel("CONNECT user@data.example:443 HTTP/1.1\r\n\r\n", NULL);
    expect_tunnel("CONNECT data.example:443", NULL);
    expect_tunnel("GET /a HTTP/1.1\r\nHost: x\r\n\r\n", NULL);
    char request[1000];
    snprintf(request, sizeof request, "CONNECT %0600d:443 HTTP/1.1\r\n\r\n", 0);
    expect_tunnel(request, NULL);
}
