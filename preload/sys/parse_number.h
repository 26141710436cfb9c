/* Reads and writes decimal numbers. strtoull() and sscanf() are not used: compiled with glibc 2.38
 * or later they become calls of __isoc23_* symbols, which older systems do not have. */
#pragma once

#include "include/releases.h"

#include <stdbool.h>
#include <stdint.h>

/* Skips spaces and reads digits into *VALUE (UINT64_MAX on overflow). Returns a pointer to what
 * follows; TEXT itself if there is no digit. */
static inline const char *cup_number(const char *text, uint64_t *value)
{
    const char *at = text;
    while (*at == ' ')
        at++;
    if (*at < '0' || *at > '9')
        return text;
    bool too_many = false;
    uint64_t number = 0;
    for (; *at >= '0' && *at <= '9'; at++)
        too_many |= __builtin_mul_overflow(number, 10, &number) ||
                    __builtin_add_overflow(number, (uint64_t)(*at - '0'), &number);
    *value = too_many ? UINT64_MAX : number;
    return at;
}

/* Writes NUMBER (up to ten digits) and a NUL. Returns a pointer to the NUL. Safe in a signal
 * handler and in a child of vfork(). */
static inline char *cup_number_write(char *text, uint32_t number)
{
    unsigned digits = 1;
    for (uint32_t rest = number; rest >= 10; rest /= 10)
        digits++;
    char *end = text + digits;
    *end = '\0';
    for (; digits; number /= 10)
        text[--digits] = (char)('0' + number % 10);
    return end;
}

/* The number of a version such as "0.7.22" or "2022.1", as CUP_RELEASE() makes it; 0: it is none.
 */
static inline uint64_t cup_number_release(const char *version)
{
    enum { PARTS = 3, MOST = 9999 };
    uint64_t parts[PARTS] = {0};
    int count = 0;
    for (const char *at = version; count < PARTS; at++) {
        const char *rest = cup_number(at, &parts[count]);
        if (rest == at || parts[count] > MOST)
            break;
        count++;
        at = rest;
        if (*at != '.')
            break;
    }
    return count < 2 ? 0 : CUP_RELEASE(parts[0], parts[1], parts[2]);
}
