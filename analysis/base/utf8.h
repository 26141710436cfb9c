/* Texts from the profiled program may hold any bytes. What cupping prints is always valid UTF-8. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CUP_UTF8_BAD 0xFFFDu /* replaces each byte that is not part of a valid character */
#define CUP_UTF8_BAD_BYTES "\xEF\xBF\xBD"

/* Decodes the character at AT, which is before END, into *code and returns its length in bytes. If
 * no valid character begins there, *code is CUP_UTF8_BAD and the length is 1. */
size_t cup_utf8_next(const char *at, const char *end, uint32_t *code);

/* True for the control characters of ASCII, delete, and U+0080 to U+009F: a terminal may take them
 * for commands, such as to move the cursor. */
static inline bool cup_utf8_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}
