#define _POSIX_C_SOURCE 200809L

#include "analysis/export/python_text.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

void cup_python_clear(struct cup_python_text *text)
{
    text->length = 0;
    if (text->bytes)
        text->bytes[0] = '\0';
}

static void add_bytes(struct cup_python_text *text, const char *bytes, size_t length)
{
    if (text->length + length + 1 > text->room) {
        size_t room = 2 * (text->length + length + 1);
        char *grown = realloc(text->bytes, room);
        text->failed |= !grown;
        if (!grown)
            return;
        text->bytes = grown;
        text->room = room;
    }
    if (length)
        memcpy(text->bytes + text->length, bytes, length);
    text->length += length;
    text->bytes[text->length] = '\0';
}

void cup_python_add(struct cup_python_text *text, const char *string)
{
    add_bytes(text, string, strlen(string));
}

/* A NUL cannot be in a C string, nor in a path or a name. */
void cup_python_add_text(struct cup_python_text *text, struct cup_text added)
{
    const char *at = added.bytes, *end = at + added.length;
    while (at < end) {
        const char *zero = memchr(at, '\0', (size_t)(end - at));
        add_bytes(text, at, (size_t)((zero ? zero : end) - at));
        if (zero)
            cup_python_add(text, "?");
        at = zero ? zero + 1 : end;
    }
}

static void add_escaped(struct cup_python_text *text, unsigned char byte, char quote)
{
    char escape[8];
    if (byte == (unsigned char)quote || byte == '\\')
        snprintf(escape, sizeof escape, "\\%c", byte);
    else if (byte == '\n' || byte == '\r' || byte == '\t')
        snprintf(escape, sizeof escape, "\\%c", byte == '\n' ? 'n' : byte == '\r' ? 'r' : 't');
    else
        snprintf(escape, sizeof escape, "\\x%02x", byte);
    cup_python_add(text, escape);
}

/* How many bytes stand for themselves. */
static size_t plain_length(struct cup_text text, char quote)
{
    size_t i = 0;
    while (i < text.length && (unsigned char)text.bytes[i] >= 0x20 && text.bytes[i] != 0x7f &&
           text.bytes[i] != quote && text.bytes[i] != '\\')
        i++;
    return i;
}

void cup_python_add_repr(struct cup_python_text *text, struct cup_text added)
{
    bool single = added.length && memchr(added.bytes, '\'', added.length);
    bool both = single && memchr(added.bytes, '"', added.length);
    char quote = single && !both ? '"' : '\'';
    add_bytes(text, &quote, 1);
    while (added.length) {
        size_t plain = plain_length(added, quote);
        add_bytes(text, added.bytes, plain);
        if (plain < added.length)
            add_escaped(text, (unsigned char)added.bytes[plain], quote);
        plain += plain < added.length;
        added = (struct cup_text){added.bytes + plain, added.length - plain};
    }
    add_bytes(text, &quote, 1);
}

void cup_python_add_integer(struct cup_python_text *text, int64_t integer)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%" PRId64, integer);
    cup_python_add(text, digits);
}

char *cup_python_time(char to[CUP_PYTHON_TIME_ROOM], int64_t ns)
{
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm local;
    size_t length = 0;
    if (localtime_r(&seconds, &local))
        length = strftime(to, CUP_PYTHON_TIME_ROOM - 8, "%Y-%m-%dT%H:%M:%S", &local);
    snprintf(to + length, CUP_PYTHON_TIME_ROOM - length, ".%06d", (int)(ns % 1000000000 / 1000));
    return to;
}
