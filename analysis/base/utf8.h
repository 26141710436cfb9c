/* Texts of the profiled program may hold any bytes; what we print is always valid UTF-8. */
#ifndef CUPPING_ANALYSIS_BASE_UTF8_H
#define CUPPING_ANALYSIS_BASE_UTF8_H

#include <stddef.h>
#include <stdint.h>

#define CUP_UTF8_BAD 0xFFFDu /* stands for each byte that is part of no character */
#define CUP_UTF8_BAD_BYTES "\xEF\xBF\xBD"

/* Decodes the character at `at` (before `end`) into *code and returns its length in bytes; for a
 * byte that begins no valid character, *code is CUP_UTF8_BAD and the length 1. */
size_t cup_utf8_next(const char *at, const char *end, uint32_t *code);

#endif
