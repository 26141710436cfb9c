/* Where HTTP messages end, with their bytes cut at every place. */
#include "preload/io/http_message.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Passes COUNT bytes on in a buffer of exactly that size. */
static size_t feed_exactly(struct cup_http_message *message, const char *bytes, size_t count)
{
    char *copy = malloc(count ? count : 1);
    cr_assert(copy != NULL);
    memcpy(copy, bytes, count);
    size_t taken = cup_http_feed(message, copy, count, NULL);
    free(copy);
    return taken;
}

/* Feeds TEXT in three pieces. Returns the bytes that belong to the message. */
static size_t feed_cut(struct cup_http_message *message, const char *text, size_t first,
                       size_t second)
{
    const size_t cuts[] = {first, second, strlen(text)};
    size_t from = 0, taken = 0;
    for (int i = 0; i < 3 && message->part != CUP_HTTP_ENDED; i++) {
        taken += feed_exactly(message, text + from, cuts[i] - from);
        from = cuts[i];
    }
    return taken;
}

static void expect_part(const char *text, bool is_answer, bool without_body, int part, size_t bytes)
{
    for (size_t first = 0; first <= strlen(text); first++)
        for (size_t second = first; second <= strlen(text); second++) {
            struct cup_http_message message;
            cup_http_begin(&message, is_answer, without_body);
            size_t taken = feed_cut(&message, text, first, second);
            cr_assert(message.part == part && taken == bytes,
                      "part %d, %zu bytes, cut at %zu and %zu of %s", message.part, taken, first,
                      second, text);
        }
}

/* What follows the answer is not part of it. */
static void expect_end(const char *answer, bool without_body)
{
    char longer[400];
    snprintf(longer, sizeof longer, "%sHTTP/1.1 200 OK\r\n", answer);
    expect_part(longer, true, without_body, CUP_HTTP_ENDED, strlen(answer));
}

Test(http_message, answers_with_a_length)
{
    expect_end("HTTP/1.1 206 Partial Content\r\nContent-Length: 12\r\n\r\nabcdefghijkl", false);
    expect_end("HTTP/1.0 200 OK\nCONTENT-LENGTH:3 \n\nabc", false);
    expect_end("HTTP/1.1 200 \r\nX: y\r\ncontent-length:\t0\r\n\r\n", false);
    expect_end("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nab", false);
}

Test(http_message, answers_without_a_body)
{
    expect_end("HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", false);
    expect_end("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", false);
    expect_end("HTTP/1.1 200 OK\r\nContent-Length: 5000\r\n\r\n", true);
    expect_end("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", true);
}

Test(http_message, interim_answers_belong_to_the_next)
{
    expect_end("HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Hints\r\nLink: x\r\n\r\n"
               "HTTP/1.1 200 OK\r\nContent-Length: 1\r\n\r\nx",
               false);
}

Test(http_message, chunks)
{
    expect_end("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip, Chunked\r\nContent-Length: 3\r\n\r\n"
               "5\r\nabcde\r\n0A;name=value\r\n0123456789\r\n0\r\n\r\n",
               false);
    expect_end("HTTP/1.1 200 OK\r\ntransfer-encoding:chunked\r\n\r\n1 \nx\n00\nTrailer: 1\n\n",
               false);
}

Test(http_message, without_any_framing_an_answer_ends_with_the_connection)
{
    static const char text[] = "HTTP/1.0 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n";
    expect_part(text, true, false, CUP_HTTP_UNTIL_CLOSE, strlen(text));
}

Test(http_message, requests)
{
    static const char get[] = "GET /a?b HTTP/1.1\r\nHost: x\r\n\r\n";
    expect_part("GET /a?b HTTP/1.1\r\nHost: x\r\n\r\nGET", false, false, CUP_HTTP_ENDED,
                sizeof get - 1);
    static const char put[] = "PUT / HTTP/1.1\r\nContent-Length: 4\r\n\r\nGET ";
    expect_part(put, false, false, CUP_HTTP_ENDED, sizeof put - 1);
}

static void expect_lost(const char *text)
{
    expect_part(text, true, false, CUP_HTTP_LOST, strlen(text));
}

Test(http_message, what_is_not_http)
{
    expect_lost("SSH-2.0-OpenSSH\r\n");
    expect_lost("HTTP/2 200\r\n");
    expect_lost("HTTP/1.1\r\n");
    expect_lost("HTTP/1.1 20\r\n");
    expect_lost("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\nabc");
    expect_lost("HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\nabc");
}

Test(http_message, hostile_lengths)
{
    expect_lost("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999\r\n\r\nabc");
    expect_lost("HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\nabc");
    expect_lost("HTTP/1.1 200 OK\r\nContent-Length: 1x\r\n\r\nabc");
    expect_lost("HTTP/1.1 200 OK\r\nContent-Length:\r\n\r\nabc");
    expect_lost("HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nabc");
    expect_lost("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\nabc");
    expect_lost("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n-1\r\nabc");
    expect_lost("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nabc\r\n");
}

/* A length whose line is longer than what is kept of it is not believed. */
Test(http_message, a_line_may_be_of_any_length)
{
    char text[400];
    snprintf(text, sizeof text, "HTTP/1.1 200 %0100d\r\nX: %0100d\r\nContent-Length: 1\r\n\r\nx", 0,
             0);
    struct cup_http_message message;
    cup_http_begin(&message, true, false);
    cr_expect(feed_exactly(&message, text, strlen(text)) == strlen(text));
    cr_expect(message.part == CUP_HTTP_ENDED);
    snprintf(text, sizeof text, "HTTP/1.1 200 OK\r\nContent-Length: %060d1\r\n\r\nx", 0);
    cup_http_begin(&message, true, false);
    feed_exactly(&message, text, strlen(text));
    cr_expect(message.part == CUP_HTTP_LOST);
}

Test(http_message, endless_headers_are_given_up)
{
    char line[1000];
    struct cup_http_message message;
    memset(line, 'a', sizeof line);
    cup_http_begin(&message, true, false);
    feed_exactly(&message, "HTTP/1.1 200 OK\r\n", 17);
    for (int i = 0; i < 2000 && message.part != CUP_HTTP_LOST; i++)
        feed_exactly(&message, line, sizeof line);
    cr_expect(message.part == CUP_HTTP_LOST);
}

/* ---- bodies ------------------------------------------------------------------------------- */

/* Writes "OFFSET:bytes" for each range to a text. */
struct ranges {
    char text[256];
    uint64_t end; /* of the last piece */
};

static void note_piece(void *user, const char *data, size_t bytes, uint64_t offset, bool begins)
{
    struct ranges *ranges = user;
    size_t length = strlen(ranges->text), room = sizeof ranges->text - length;
    cr_assert(bytes && (begins || offset == ranges->end));
    ranges->end = offset + bytes;
    if (begins)
        snprintf(ranges->text + length, room, "%s%llu:%.*s", length ? " " : "",
                 (unsigned long long)offset, (int)bytes, data);
    else
        snprintf(ranges->text + length, room, "%.*s", (int)bytes, data);
}

/* Feeds ANSWER in two pieces, cut at every place. */
static void expect_ranges(const char *answer, const char *expected)
{
    size_t length = strlen(answer);
    for (size_t cut = 0; cut <= length; cut++) {
        struct ranges ranges = {.text = ""};
        struct cup_http_sink sink = {&ranges, note_piece};
        struct cup_http_message message;
        cup_http_begin(&message, true, false);
        cup_http_feed(&message, answer, cut, &sink);
        if (message.part != CUP_HTTP_ENDED)
            cup_http_feed(&message, answer + cut, length - cut, &sink);
        cr_assert_str_eq(ranges.text, expected, "cut at %zu of %s: %s", cut, answer, ranges.text);
    }
}

#define PARTIAL "HTTP/1.1 206 Partial Content\r\n"

Test(http_message, places_of_a_body)
{
    expect_ranges("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "0:abc");
    expect_ranges("HTTP/1.0 200 OK\r\n\r\nabc", "0:abc");
    expect_ranges(PARTIAL "Content-Range: bytes 100-102/900\r\nContent-Length: 3\r\n\r\nabc",
                  "100:abc");
    expect_ranges(PARTIAL "content-range:bytes 100-102/*\r\nTransfer-Encoding: chunked\r\n\r\n"
                          "1\r\na\r\n2\r\nbc\r\n0\r\n\r\n",
                  "100:abc");
}

Test(http_message, places_of_several_ranges)
{
    expect_ranges(PARTIAL
                  "Content-Type: multipart/byteranges; boundary=x\r\nContent-Length: 116\r\n\r\n"
                  "\r\n--x\r\nContent-Range: bytes 7-9/20\r\n\r\n\r\n\r"
                  "\r\n--x\r\nContent-Type: a/b\r\nContent-Range: bytes 0-3/20\r\n\r\nabcd"
                  "\r\n--x--\r\n",
                  "7:\r\n\r 0:abcd");
}

Test(http_message, bodies_without_places)
{
    expect_ranges("HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 3\r\n\r\nabc", "");
    expect_ranges("HTTP/1.1 404 Missing\r\nContent-Length: 3\r\n\r\nabc", "");
    expect_ranges(PARTIAL "Content-Length: 3\r\n\r\nabc", "");
    expect_ranges(PARTIAL "Content-Range: bytes 9-7/20\r\nContent-Length: 3\r\n\r\nabc", "");
    expect_ranges(PARTIAL "Content-Range: lines 7-9/20\r\nContent-Length: 3\r\n\r\nabc", "");
}
