#include "preload/io/http_message.h"

#include <string.h>
#include <strings.h>

void cup_http_begin(struct cup_http_message *message, bool is_answer, bool without_body)
{
    *message = (struct cup_http_message){.is_answer = is_answer, .without_body = without_body};
}

bool cup_http_is_request(const char *bytes, size_t count)
{
    static const char *const methods[] = {"GET ",   "HEAD ",    "POST ",    "PUT ",     "DELETE ",
                                          "PATCH ", "OPTIONS ", "CONNECT ", "PROPFIND "};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (count >= strlen(methods[i]) && memcmp(bytes, methods[i], strlen(methods[i])) == 0)
            return true;
    return false;
}

/* ---- parts -------------------------------------------------------------------------------- */

static enum cup_http_part read_status(struct cup_http_message *message)
{
    const char *at = message->line.text + 9, *end = cup_http_line_end(&message->line);
    uint64_t status;
    if (end < at + 3 || memcmp(message->line.text, "HTTP/1.", 7) != 0 || at[-1] != ' ' ||
        !cup_http_read_number(&at, message->line.text + 12, 10, &status) ||
        at != message->line.text + 12)
        return CUP_HTTP_LOST;
    message->status = (uint16_t)status;
    return CUP_HTTP_HEADERS;
}

static enum cup_http_part read_first_line(struct cup_http_message *message)
{
    if (cup_http_line_is_empty(&message->line))
        return CUP_HTTP_FIRST_LINE; /* between two messages there may be empty lines */
    if (message->is_answer)
        return read_status(message);
    message->method = message->line.text[0];
    return cup_http_is_request(message->line.text, cup_http_line_length(&message->line))
               ? CUP_HTTP_HEADERS
               : CUP_HTTP_LOST;
}

static enum cup_http_part read_length(struct cup_http_message *message, const char *at)
{
    const char *end = cup_http_line_end(&message->line);
    uint64_t length;
    at = cup_http_skip_blanks(at, end);
    if (message->line.bytes > CUP_HTTP_LINE || !cup_http_read_number(&at, end, 10, &length) ||
        cup_http_skip_blanks(at, end) != end || (message->has_length && length != message->left))
        return CUP_HTTP_LOST;
    message->has_length = true;
    message->left = length;
    return CUP_HTTP_HEADERS;
}

static bool has_no_body(const struct cup_http_message *message)
{
    return message->without_body || message->status == 204 || message->status == 304 ||
           (message->may_tunnel && message->status < 300);
}

/* The headers have ended: where does the message end? */
static enum cup_http_part begin_body(struct cup_http_message *message)
{
    uint16_t status = message->status;
    if (message->is_answer && status == 101)
        return CUP_HTTP_LOST; /* another protocol follows */
    if (message->is_answer && status < 200) {
        bool may_tunnel = message->may_tunnel;
        cup_http_begin(message, true, message->without_body);
        message->may_tunnel = may_tunnel;
        return CUP_HTTP_FIRST_LINE;
    }
    if (has_no_body(message))
        return CUP_HTTP_ENDED;
    cup_http_body_begin(&message->body, status);
    if (message->chunked)
        return CUP_HTTP_CHUNK_SIZE;
    if (message->has_length)
        return message->left ? CUP_HTTP_BODY : CUP_HTTP_ENDED;
    return message->is_answer ? CUP_HTTP_UNTIL_CLOSE : CUP_HTTP_ENDED;
}

static enum cup_http_part read_header(struct cup_http_message *message)
{
    if (cup_http_line_is_empty(&message->line))
        return begin_body(message);
    const char *value = cup_http_line_value(&message->line, "content-length:");
    if (value)
        return read_length(message, value);
    value = cup_http_line_value(&message->line, "transfer-encoding:");
    if (value && !cup_http_line_contains(&message->line, value, "chunked"))
        return CUP_HTTP_LOST;
    message->chunked |= value != NULL;
    if (message->is_answer)
        cup_http_body_header(&message->body, &message->line);
    return CUP_HTTP_HEADERS;
}

/* After the size there may be extensions. */
static enum cup_http_part read_chunk_size(struct cup_http_message *message)
{
    const char *at = message->line.text, *end = cup_http_line_end(&message->line);
    if (!cup_http_read_number(&at, end, 16, &message->left) ||
        (at < end && *at != ';' && *at != ' ' && *at != '\t'))
        return CUP_HTTP_LOST;
    return message->left ? CUP_HTTP_BODY : CUP_HTTP_TRAILERS;
}

static enum cup_http_part read_line(struct cup_http_message *message)
{
    switch (message->part) {
    case CUP_HTTP_FIRST_LINE:
        return read_first_line(message);
    case CUP_HTTP_HEADERS:
        return read_header(message);
    case CUP_HTTP_CHUNK_SIZE:
        return read_chunk_size(message);
    case CUP_HTTP_CHUNK_END:
        return cup_http_line_is_empty(&message->line) ? CUP_HTTP_CHUNK_SIZE : CUP_HTTP_LOST;
    default:
        return cup_http_line_is_empty(&message->line) ? CUP_HTTP_ENDED : CUP_HTTP_TRAILERS;
    }
}

/* Returns how many of the bytes belong to the current line. Chunks may be many, so their lines do
 * not count as head. */
static size_t feed_line(struct cup_http_message *message, const char *bytes, size_t count)
{
    const char *newline = memchr(bytes, '\n', count);
    size_t taken = newline ? (size_t)(newline - bytes) : count;
    if (message->part == CUP_HTTP_CHUNK_SIZE && !message->line.bytes)
        message->head_bytes = 0;
    if (taken >= CUP_HTTP_HEAD_MOST - message->head_bytes) {
        message->part = CUP_HTTP_LOST;
        return 0;
    }
    message->head_bytes += (uint32_t)taken + 1;
    cup_http_line_add(&message->line, bytes, taken);
    if (!newline)
        return taken;
    cup_http_line_complete(&message->line);
    message->part = (uint8_t)read_line(message);
    message->line.bytes = 0;
    return taken + 1;
}

static size_t feed_body(struct cup_http_message *message, const char *bytes, size_t count,
                        const struct cup_http_sink *sink)
{
    size_t taken = count < message->left ? count : (size_t)message->left;
    message->left -= taken;
    cup_http_body_feed(&message->body, bytes, taken, sink);
    if (!message->left)
        message->part = message->chunked ? CUP_HTTP_CHUNK_END : CUP_HTTP_ENDED;
    return taken;
}

size_t cup_http_feed(struct cup_http_message *message, const char *bytes, size_t count,
                     const struct cup_http_sink *sink)
{
    size_t at = 0;
    while (at < count && message->part < CUP_HTTP_UNTIL_CLOSE)
        at += message->part == CUP_HTTP_BODY ? feed_body(message, bytes + at, count - at, sink)
                                             : feed_line(message, bytes + at, count - at);
    if (message->part == CUP_HTTP_UNTIL_CLOSE)
        cup_http_body_feed(&message->body, bytes + at, count - at, sink);
    return message->part == CUP_HTTP_ENDED ? at : count;
}
