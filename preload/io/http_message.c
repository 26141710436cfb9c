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

/* ---- lines -------------------------------------------------------------------------------- */

static size_t line_length(const struct cup_http_message *message)
{
    return message->line_bytes < CUP_HTTP_LINE ? message->line_bytes : CUP_HTTP_LINE;
}

static bool is_empty(const struct cup_http_message *message)
{
    return message->line_bytes == 0;
}

/* Adds COUNT bytes to the current line. */
static void keep_line(struct cup_http_message *message, const char *bytes, size_t count)
{
    size_t kept = line_length(message), room = CUP_HTTP_LINE - kept;
    memcpy(message->line + kept, bytes, count < room ? count : room);
    message->line_bytes += (uint32_t)count;
}

/* Lines end with CR LF, or with LF alone. */
static void drop_return(struct cup_http_message *message)
{
    size_t length = message->line_bytes;
    if (length && length <= CUP_HTTP_LINE && message->line[length - 1] == '\r')
        message->line_bytes--;
}

/* Reads a number in BASE from *AT on, which moves behind it. False: there is none, or it is too
 * large. */
static bool read_number(const char **at, const char *end, unsigned base, uint64_t *number)
{
    const char *from = *at;
    *number = 0;
    for (; *at < end; ++*at) {
        char letter = (char)(**at >= 'A' && **at <= 'F' ? **at - 'A' + 'a' : **at);
        unsigned digit = letter >= '0' && letter <= '9'   ? (unsigned)(letter - '0')
                         : letter >= 'a' && letter <= 'f' ? (unsigned)(letter - 'a' + 10)
                                                          : base;
        if (digit >= base)
            break;
        if (*number >> 59)
            return false;
        *number = *number * base + digit;
    }
    return *at > from;
}

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}

/* The line is the header NAME, which ends with ":". Returns its value; NULL: another header. */
static const char *find_value(const struct cup_http_message *message, const char *name)
{
    size_t length = strlen(name);
    return line_length(message) >= length && strncasecmp(message->line, name, length) == 0
               ? message->line + length
               : NULL;
}

/* ---- parts -------------------------------------------------------------------------------- */

static enum cup_http_part read_status(struct cup_http_message *message)
{
    const char *at = message->line + 9, *end = message->line + line_length(message);
    uint64_t status;
    if (end < at + 3 || memcmp(message->line, "HTTP/1.", 7) != 0 || at[-1] != ' ' ||
        !read_number(&at, message->line + 12, 10, &status) || at != message->line + 12)
        return CUP_HTTP_LOST;
    message->status = (uint16_t)status;
    return CUP_HTTP_HEADERS;
}

static enum cup_http_part read_first_line(struct cup_http_message *message)
{
    if (is_empty(message))
        return CUP_HTTP_FIRST_LINE; /* between two messages there may be empty lines */
    if (message->is_answer)
        return read_status(message);
    message->method = message->line[0];
    return cup_http_is_request(message->line, line_length(message)) ? CUP_HTTP_HEADERS
                                                                    : CUP_HTTP_LOST;
}

static enum cup_http_part read_length(struct cup_http_message *message, const char *at)
{
    const char *end = message->line + line_length(message);
    uint64_t length;
    at = skip_blanks(at, end);
    if (message->line_bytes > CUP_HTTP_LINE || !read_number(&at, end, 10, &length) ||
        skip_blanks(at, end) != end || (message->has_length && length != message->left))
        return CUP_HTTP_LOST;
    message->has_length = true;
    message->left = length;
    return CUP_HTTP_HEADERS;
}

static bool contains_chunked(const struct cup_http_message *message, const char *value)
{
    static const char chunked[] = "chunked";
    const char *end = message->line + line_length(message);
    for (; value + sizeof chunked - 1 <= end; value++)
        if (strncasecmp(value, chunked, sizeof chunked - 1) == 0)
            return true;
    return false;
}

static bool has_no_body(const struct cup_http_message *message)
{
    return message->without_body || message->status == 204 || message->status == 304;
}

/* The headers have ended: where does the message end? */
static enum cup_http_part begin_body(struct cup_http_message *message)
{
    uint16_t status = message->status;
    if (message->is_answer && status == 101)
        return CUP_HTTP_LOST; /* another protocol follows */
    if (message->is_answer && status < 200) {
        cup_http_begin(message, true, message->without_body);
        return CUP_HTTP_FIRST_LINE;
    }
    if (has_no_body(message))
        return CUP_HTTP_ENDED;
    if (message->chunked)
        return CUP_HTTP_CHUNK_SIZE;
    if (message->has_length)
        return message->left ? CUP_HTTP_BODY : CUP_HTTP_ENDED;
    return message->is_answer ? CUP_HTTP_UNTIL_CLOSE : CUP_HTTP_ENDED;
}

static enum cup_http_part read_header(struct cup_http_message *message)
{
    if (is_empty(message))
        return begin_body(message);
    const char *value = find_value(message, "content-length:");
    if (value)
        return read_length(message, value);
    value = find_value(message, "transfer-encoding:");
    if (value && !contains_chunked(message, value))
        return CUP_HTTP_LOST;
    message->chunked |= value != NULL;
    return CUP_HTTP_HEADERS;
}

/* After the size there may be extensions. */
static enum cup_http_part read_chunk_size(struct cup_http_message *message)
{
    const char *at = message->line, *end = message->line + line_length(message);
    if (!read_number(&at, end, 16, &message->left) ||
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
        return is_empty(message) ? CUP_HTTP_CHUNK_SIZE : CUP_HTTP_LOST;
    default:
        return is_empty(message) ? CUP_HTTP_ENDED : CUP_HTTP_TRAILERS;
    }
}

/* Returns how many of the bytes belong to the current line. Chunks may be many, so their lines do
 * not count as head. */
static size_t feed_line(struct cup_http_message *message, const char *bytes, size_t count)
{
    const char *newline = memchr(bytes, '\n', count);
    size_t taken = newline ? (size_t)(newline - bytes) : count;
    if (message->part == CUP_HTTP_CHUNK_SIZE && !message->line_bytes)
        message->head_bytes = 0;
    if (taken >= CUP_HTTP_HEAD_MOST - message->head_bytes) {
        message->part = CUP_HTTP_LOST;
        return 0;
    }
    message->head_bytes += (uint32_t)taken + 1;
    keep_line(message, bytes, taken);
    if (!newline)
        return taken;
    drop_return(message);
    message->part = (uint8_t)read_line(message);
    message->line_bytes = 0;
    return taken + 1;
}

static size_t feed_body(struct cup_http_message *message, size_t count)
{
    size_t taken = count < message->left ? count : (size_t)message->left;
    message->left -= taken;
    if (!message->left)
        message->part = message->chunked ? CUP_HTTP_CHUNK_END : CUP_HTTP_ENDED;
    return taken;
}

size_t cup_http_feed(struct cup_http_message *message, const char *bytes, size_t count)
{
    size_t at = 0;
    while (at < count && message->part < CUP_HTTP_UNTIL_CLOSE)
        at += message->part == CUP_HTTP_BODY ? feed_body(message, count - at)
                                             : feed_line(message, bytes + at, count - at);
    return message->part == CUP_HTTP_ENDED ? at : count;
}
