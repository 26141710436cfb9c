/* Addresses of peers as they are shown. */
#include "preload/io/peer.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <netinet/in.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/un.h>

static void expect_ip(int family, const char *host, int port, int type, const char *expected)
{
    struct sockaddr_storage address = {.ss_family = (sa_family_t)family};
    struct sockaddr_in *ipv4 = (void *)&address;
    struct sockaddr_in6 *ipv6 = (void *)&address;
    char text[CUP_PEER_LONGEST];
    ipv4->sin_port = htons((uint16_t)port); /* at the same place in both */
    void *bytes = family == AF_INET ? (void *)&ipv4->sin_addr : (void *)&ipv6->sin6_addr;
    cr_assert(inet_pton(family, host, bytes) == 1);
    cup_peer_print(&address, sizeof address, type, text);
    cr_expect_str_eq(text, expected);
}

Test(peer, ipv4)
{
    expect_ip(AF_INET, "10.0.0.1", 1094, SOCK_STREAM, "tcp://10.0.0.1:1094");
    expect_ip(AF_INET, "255.255.255.255", 65535, SOCK_DGRAM, "udp://255.255.255.255:65535");
    expect_ip(AF_INET, "0.0.0.0", 0, SOCK_RAW, "ip://0.0.0.0:0");
}

/* As inet_ntop shows it (RFC 5952), between brackets. */
Test(peer, ipv6)
{
    static const char *const hosts[] = {"::",
                                        "::1",
                                        "1::",
                                        "2001:db8::8:800:200c:417a",
                                        "2001:db8::1",
                                        "fe80::1:0",
                                        "1:0:0:2::3:4",
                                        "1:2:3:4:5:6:7:8",
                                        "1:0:2:0:3:0:4:0",
                                        "1:0:0:2:0:0:0:3",
                                        "abcd:ef01:2345:6789:abcd:ef01:2345:6789"};
    for (size_t i = 0; i < sizeof hosts / sizeof *hosts; i++) {
        struct in6_addr bytes;
        char shown[INET6_ADDRSTRLEN], expected[CUP_PEER_LONGEST];
        inet_pton(AF_INET6, hosts[i], &bytes);
        snprintf(expected, sizeof expected, "tcp://[%s]:80",
                 inet_ntop(AF_INET6, &bytes, shown, sizeof shown));
        expect_ip(AF_INET6, hosts[i], 80, SOCK_STREAM, expected);
    }
    expect_ip(AF_INET6, "::ffff:10.0.0.1", 1094, SOCK_STREAM, "tcp://10.0.0.1:1094");
}

static void expect_unix(const char *path, size_t bytes, const char *expected)
{
    struct sockaddr_storage address = {.ss_family = AF_UNIX};
    struct sockaddr_un *local = (void *)&address;
    char text[CUP_PEER_LONGEST];
    memcpy(local->sun_path, path, bytes);
    cup_peer_print(&address, (socklen_t)(offsetof(struct sockaddr_un, sun_path) + bytes),
                   SOCK_STREAM, text);
    cr_expect_str_eq(text, expected);
}

Test(peer, unix_sockets)
{
    char longest[108], expected[128] = "unix:";
    memset(longest, 'x', sizeof longest);
    memcpy(expected + 5, longest, sizeof longest);
    expect_unix("", 0, "unix:");
    expect_unix("/run/socket", 12, "unix:/run/socket");
    expect_unix("\0name", 5, "unix:@name");
    expect_unix(longest, sizeof longest, expected); /* fills its place: no NUL at the end */
}

/* Sockets that stand, without a name; and what is no connection yet, or no socket. */
Test(peer, of_a_socket)
{
    char text[CUP_PEER_LONGEST];
    int pair[2];
    cr_assert(socketpair(AF_UNIX, SOCK_STREAM, 0, pair) == 0);
    cr_expect(cup_peer_address(pair[0], text) && strcmp(text, "unix:") == 0);
    int datagrams = socket(AF_INET, SOCK_DGRAM, 0), stream = socket(AF_INET, SOCK_STREAM, 0);
    cr_expect(cup_peer_address(datagrams, text) && strcmp(text, "udp://") == 0);
    cr_expect(!cup_peer_address(stream, text));
    cr_expect(!cup_peer_address(-1, text));
}
