/* Texts from the profiled program may hold any bytes. What cupping prints is always valid UTF-8. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define CUP_UTF8_BAD 0xFFFDu /* replaces each byte that is not part of a valid character */
#define CUP_UTF8_BAD_BYTES "\xEF\xBF\xBD"

/* Decodes the character at AT, which is before END, into *code and returns its length in bytes. If
 * no valid character begins there, *code is CUP_UTF8_BAD and the length is 1. */
size_t cup_utf8_next(const char *at, const char *end, uint32_t *code);
