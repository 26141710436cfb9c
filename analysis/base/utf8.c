#include "analysis/base/utf8.h"

#include <string.h>

/* Length in bytes of a character whose first byte is FIRST; 0: no character begins so. */
static size_t length_of(unsigned char first)
{
    if (first < 0x80)
        return 1;
    if (first >= 0xC2 && first < 0xE0)
        return 2;
    if (first >= 0xE0 && first < 0xF0)
        return 3;
    return first >= 0xF0 && first < 0xF5 ? 4 : 0;
}

/* False for overlong forms, surrogates and code points outside Unicode. */
static int is_valid(uint32_t code, size_t length)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    return code >= least[length] && code <= 0x10FFFF && !(code >= 0xD800 && code < 0xE000);
}

size_t cup_utf8_next(const char *at, const char *end, uint32_t *code)
{
    unsigned char first = (unsigned char)*at;
    size_t length = length_of(first);
    *code = first;
    if (length == 1)
        return 1;
    uint32_t value = length ? first & (0x7Fu >> length) : 0;
    size_t read = 1;
    while (read < length && at + read < end && ((unsigned char)at[read] & 0xC0) == 0x80)
        value = value << 6 | ((unsigned char)at[read++] & 0x3F);
    if (length == 0 || read < length || !is_valid(value, length)) {
        *code = CUP_UTF8_BAD;
        return 1;
    }
    *code = value;
    return length;
}

void cup_utf8_print(FILE *out, const char *text, const char *kept)
{
    const char *end = text + strlen(text);
    while (text < end) {
        uint32_t code;
        size_t length = cup_utf8_next(text, end, &code);
        if (cup_utf8_is_harmless(code) || strchr(kept, *text))
            fwrite(text, 1, length, out);
        else
            putc('?', out);
        text += length;
    }
}
