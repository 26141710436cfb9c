/* Texts from the profiled program may hold any bytes. What cupping prints is always valid UTF-8. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define CUP_UTF8_BAD 0xFFFDu /* replaces each byte that is not part of a valid character */
#define CUP_UTF8_BAD_BYTES "\xEF\xBF\xBD"

/* Decodes the character at AT, which is before END, into *code and returns its length in bytes. If
 * no valid character begins there, *code is CUP_UTF8_BAD and the length is 1. */
size_t cup_utf8_next(const char *at, const char *end, uint32_t *code);

/* True for control characters: U+0000 to U+001F, U+007F (delete) and U+0080 to U+009F. A terminal
 * may execute them, for example move the cursor. */
static inline bool cup_utf8_is_control(uint32_t code)
{
    return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

static inline bool cup_utf8_is_harmless(uint32_t code)
{
    return code != CUP_UTF8_BAD && !cup_utf8_is_control(code);
}

/* Prints TEXT with a question mark for each control character that is not in KEPT, and for each
 * byte that is not UTF-8. */
void cup_utf8_print(FILE *out, const char *text, const char *kept);
