#include "analysis/export/roastcoffea.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static void put_escaped(FILE *out, unsigned char byte, char quote)
{
    if (byte == (unsigned char)quote || byte == '\\')
        fprintf(out, "\\%c", byte);
    else if (byte == '\n' || byte == '\r' || byte == '\t')
        fprintf(out, "\\%c", byte == '\n' ? 'n' : byte == '\r' ? 'r' : 't');
    else if (byte < 0x20 || byte == 0x7f)
        fprintf(out, "\\x%02x", byte);
    else
        putc(byte, out);
}

char *cup_python_repr(struct cup_text text)
{
    char *repr = NULL;
    size_t size;
    FILE *out = open_memstream(&repr, &size);
    bool single = text.length && memchr(text.bytes, '\'', text.length);
    char quote = single && !memchr(text.bytes, '"', text.length) ? '"' : '\'';
    if (!out)
        return NULL;
    putc(quote, out);
    for (size_t i = 0; i < text.length; i++)
        put_escaped(out, (unsigned char)text.bytes[i], quote);
    putc(quote, out);
    if (fclose(out) == 0)
        return repr;
    free(repr);
    return NULL;
}

char *cup_python_string(struct cup_text text)
{
    char *string = calloc(text.length + 1, 1);
    for (size_t i = 0; string && i < text.length; i++)
        string[i] = text.bytes[i] ? text.bytes[i] : '?';
    return string;
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
