#include "preload/io/http_body.h"

#include <string.h>

/* "bytes FIRST-LAST/LENGTH" */
static void read_range(struct cup_http_body *body, const struct cup_http_line *line, const char *at)
{
    static const char unit[] = "bytes";
    const char *end = cup_http_line_end(line);
    uint64_t first, last;
    at = cup_http_skip_blanks(at, end);
    if ((size_t)(end - at) < sizeof unit || memcmp(at, unit, sizeof unit - 1) != 0)
        return;
    at = cup_http_skip_blanks(at + sizeof unit - 1, end);
    if (!cup_http_read_number(&at, end, 10, &first) || at == end || *at++ != '-' ||
        !cup_http_read_number(&at, end, 10, &last) || at == end || *at != '/' || last < first)
        return;
    body->has_range = true;
    body->at = first;
    body->left = last - first + 1;
}

void cup_http_body_header(struct cup_http_body *body, const struct cup_http_line *line)
{
    const char *value = cup_http_line_value(line, "content-range:");
    if (value)
        read_range(body, line, value);
    value = cup_http_line_value(line, "content-type:");
    body->has_ranges |= value && cup_http_line_contains(line, value, "multipart/byteranges");
    value = cup_http_line_value(line, "content-encoding:");
    body->is_encoded |= value && !cup_http_line_contains(line, value, "identity");
}

static void begin_range(struct cup_http_body *body)
{
    body->has_range = false;
    body->in_range = body->begins = true;
}

void cup_http_body_begin(struct cup_http_body *body, unsigned status)
{
    enum { OK = 200, PARTIAL = 206 };
    if (status == OK) {
        body->at = 0;
        body->left = UINT64_MAX;
    }
    body->is_followed =
        !body->is_encoded &&
        (status == OK || (status == PARTIAL && (body->has_ranges || body->has_range)));
    if (status == OK || !body->has_ranges)
        begin_range(body);
}

static size_t feed_range(struct cup_http_body *body, const char *data, size_t bytes,
                         const struct cup_http_sink *sink)
{
    size_t taken = bytes < body->left ? bytes : (size_t)body->left;
    if (sink)
        sink->body(sink->user, data, taken, body->at, body->begins);
    body->begins = false;
    body->at += taken;
    body->left -= taken;
    body->in_range = body->left != 0;
    body->is_followed = body->in_range || body->has_ranges;
    return taken;
}

/* The delimiters between ranges are lines, too, and need no look: the headers say how long each
 * range is, and an empty line ends them. */
static size_t feed_line(struct cup_http_body *body, const char *data, size_t bytes)
{
    const char *newline = memchr(data, '\n', bytes);
    size_t taken = newline ? (size_t)(newline - data) : bytes;
    cup_http_line_add(&body->line, data, taken);
    if (!newline)
        return taken;
    cup_http_line_complete(&body->line);
    if (!cup_http_line_is_empty(&body->line))
        cup_http_body_header(body, &body->line);
    else if (body->has_range)
        begin_range(body);
    body->line.bytes = 0;
    return taken + 1;
}

void cup_http_body_feed(struct cup_http_body *body, const char *data, size_t bytes,
                        const struct cup_http_sink *sink)
{
    for (size_t at = 0; at < bytes && body->is_followed;)
        at += body->in_range ? feed_range(body, data + at, bytes - at, sink)
                             : feed_line(body, data + at, bytes - at);
}
