#include "preload/io/http_line.h"

#include <string.h>
#include <strings.h>

size_t cup_http_line_length(const struct cup_http_line *line)
{
    return line->bytes < CUP_HTTP_LINE ? line->bytes : CUP_HTTP_LINE;
}

const char *cup_http_line_end(const struct cup_http_line *line)
{
    return line->text + cup_http_line_length(line);
}

bool cup_http_line_is_empty(const struct cup_http_line *line)
{
    return line->bytes == 0;
}

void cup_http_line_add(struct cup_http_line *line, const char *bytes, size_t count)
{
    size_t kept = cup_http_line_length(line), room = CUP_HTTP_LINE - kept;
    memcpy(line->text + kept, bytes, count < room ? count : room);
    line->bytes += (uint32_t)count;
}

void cup_http_line_complete(struct cup_http_line *line)
{
    size_t length = line->bytes;
    if (length && length <= CUP_HTTP_LINE && line->text[length - 1] == '\r')
        line->bytes--;
}

const char *cup_http_line_value(const struct cup_http_line *line, const char *name)
{
    size_t length = strlen(name);
    return cup_http_line_length(line) >= length && strncasecmp(line->text, name, length) == 0
               ? line->text + length
               : NULL;
}

bool cup_http_line_contains(const struct cup_http_line *line, const char *value, const char *word)
{
    size_t length = strlen(word);
    for (; value + length <= cup_http_line_end(line); value++)
        if (strncasecmp(value, word, length) == 0)
            return true;
    return false;
}

bool cup_http_read_number(const char **at, const char *end, unsigned base, uint64_t *number)
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

const char *cup_http_skip_blanks(const char *at, const char *end)
{
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    return at;
}
