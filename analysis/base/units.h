/* Prints human-readable numbers: three significant digits and a unit with a decimal prefix (kB, MB
 * and GB are powers of 1000). */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analysis/base/value.h"

enum cup_unit {
    CUP_UNIT_NONE,    /* text and times (UTC), unchanged */
    CUP_UNIT_COUNT,   /* 600,000 */
    CUP_UNIT_BYTES,   /* 1.23 GB */
    CUP_UNIT_SECONDS, /* 1.23 s, 12.3 ms, 4 min 05 s */
    CUP_UNIT_SHARE,   /* a fraction of 1, shown as 98.3 % */
    CUP_UNIT_PERCENT, /* already a percentage */
    CUP_UNIT_RATIO,   /* 1.23 */
    CUP_UNIT_GBPS,    /* Gbit/s, scaled */
    CUP_UNIT_MBS,     /* MB/s, scaled */
    CUP_UNIT_KHZ,
    CUP_UNIT_HZ,
};

enum { CUP_HUMAN_READABLE_ROOM = 48 };

/* Writes the value with its unit, "n/a" for null. The value must not be a text. Returns TO. */
char *cup_print_human_readable(char *to, struct cup_value value, enum cup_unit unit);

/* The unit of the value itself, "B" or "MB/s"; "" for texts, counts and ratios. */
const char *cup_unit_name(enum cup_unit unit);

/* The ending of a noun's plural: "" or "s". */
const char *cup_plural(uint64_t count);

/* "1 chunk", "12 chunks", "3 processes", "2 libraries": the noun in the singular. Returns TO. */
enum { CUP_COUNTED_ROOM = 96 };
char *cup_print_counted(char *to, uint64_t count, const char *noun);
#define CUP_SHOW_COUNTED(count, noun)                                                              \
    cup_print_counted((char[CUP_COUNTED_ROOM]){""}, (uint64_t)(count), noun)

/* Writes into `to` (CUP_LINE_ROOM bytes) as printf() does, and returns it. */
enum { CUP_LINE_ROOM = 1024 };
__attribute__((format(printf, 2, 3))) char *cup_format(char *to, const char *format, ...);

/* That, and values with their units, as texts that last until the end of the block. */
#define CUP_FORMAT(...) cup_format((char[CUP_LINE_ROOM]){""}, __VA_ARGS__)
#define CUP_SHOW_VALUE(value, unit)                                                                \
    cup_print_human_readable((char[CUP_HUMAN_READABLE_ROOM]){""}, value, unit)
#define CUP_SHOW(number, unit) CUP_SHOW_VALUE(cup_real(number), unit)
#define CUP_SHOW_COUNT(number) CUP_SHOW((double)(number), CUP_UNIT_COUNT)
#define CUP_SHOW_BYTES(bytes) CUP_SHOW((double)(bytes), CUP_UNIT_BYTES)
#define CUP_SHOW_S(seconds) CUP_SHOW(seconds, CUP_UNIT_SECONDS)
#define CUP_SHOW_NS(ns) CUP_SHOW_S((double)(ns) / 1e9)
#define CUP_SHOW_TIME(ns) CUP_SHOW_VALUE(cup_time(ns), CUP_UNIT_NONE)
