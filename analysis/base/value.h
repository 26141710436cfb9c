/* The value of a metric or of a table's cell, for all outputs. "Not known" is a value of its own
 * (null in JSON, n/a in text), never 0. */
#pragma once

#include <math.h>
#include <stdint.h>
#include <string.h>

#include "analysis/base/intern.h"

enum cup_value_kind {
    CUP_VALUE_NULL,
    CUP_VALUE_TEXT,
    CUP_VALUE_COUNT,   /* bytes are counts as well */
    CUP_VALUE_SIGNED,  /* a difference of counts */
    CUP_VALUE_SECONDS, /* stored in nanoseconds, so that no digit is lost */
    CUP_VALUE_REAL,
    CUP_VALUE_BOOL,  /* stored in `count` */
    CUP_VALUE_TIME,  /* nanoseconds since the epoch, shown as UTC in ISO 8601 */
    CUP_VALUE_EPOCH, /* the same, shown as seconds */
};

struct cup_value {
    enum cup_value_kind kind;
    union {
        struct cup_text text; /* not owned */
        uint64_t count;
        int64_t integer; /* SIGNED, SECONDS, TIME, EPOCH */
        double real;     /* finite */
    };
};

static inline struct cup_value cup_null(void)
{
    return (struct cup_value){.kind = CUP_VALUE_NULL};
}

static inline struct cup_value cup_text(struct cup_text text)
{
    return text.bytes ? (struct cup_value){.kind = CUP_VALUE_TEXT, .text = text} : cup_null();
}

static inline struct cup_value cup_string(const char *string)
{
    return string ? cup_text((struct cup_text){string, strlen(string)}) : cup_null();
}

static inline struct cup_value cup_count(uint64_t count)
{
    return (struct cup_value){.kind = CUP_VALUE_COUNT, .count = count};
}

/* Null for CUP_UNKNOWN64. */
static inline struct cup_value cup_count_or_null(uint64_t count)
{
    return count == UINT64_MAX ? cup_null() : cup_count(count);
}

static inline struct cup_value cup_signed(int64_t integer)
{
    return (struct cup_value){.kind = CUP_VALUE_SIGNED, .integer = integer};
}

static inline struct cup_value cup_seconds(int64_t ns)
{
    return (struct cup_value){.kind = CUP_VALUE_SECONDS, .integer = ns};
}

/* Nanoseconds, as seconds. */
static inline struct cup_value cup_ns(uint64_t ns)
{
    return cup_seconds((int64_t)ns);
}

static inline struct cup_value cup_time(int64_t ns)
{
    return (struct cup_value){.kind = CUP_VALUE_TIME, .integer = ns};
}

static inline struct cup_value cup_epoch(int64_t ns)
{
    return (struct cup_value){.kind = CUP_VALUE_EPOCH, .integer = ns};
}

/* Null for NAN and infinity, the results of a division by 0. */
static inline struct cup_value cup_real(double real)
{
    return isfinite(real) ? (struct cup_value){.kind = CUP_VALUE_REAL, .real = real} : cup_null();
}

static inline struct cup_value cup_bool(int truth)
{
    return (struct cup_value){.kind = CUP_VALUE_BOOL, .count = truth != 0};
}

static inline struct cup_value cup_value_if(bool known, struct cup_value value)
{
    return known ? value : cup_null();
}

/* Rounded to a count. Null for negative numbers and NAN. */
static inline struct cup_value cup_whole(double real)
{
    return real >= 0 && real < 1.8e19 ? cup_count((uint64_t)(real + 0.5)) : cup_null();
}

/* The same of a number that may be negative. */
static inline struct cup_value cup_whole_signed(double real)
{
    return fabs(real) < 9e18 ? cup_signed(llround(real)) : cup_null();
}

/* a / b; null when b is 0. */
static inline struct cup_value cup_ratio(double a, double b)
{
    return b != 0 ? cup_real(a / b) : cup_null();
}

/* The value as a number in its unit; NAN for null and texts. */
static inline double cup_number(struct cup_value value)
{
    switch (value.kind) {
    case CUP_VALUE_COUNT:
        return (double)value.count;
    case CUP_VALUE_SIGNED:
        return (double)value.integer;
    case CUP_VALUE_SECONDS:
    case CUP_VALUE_TIME:
    case CUP_VALUE_EPOCH:
        return (double)value.integer / 1e9;
    case CUP_VALUE_REAL:
        return value.real;
    default:
        return NAN;
    }
}

enum { CUP_NUMBER_ROOM = 40 }; /* bytes that cup_print_number() needs */

/* Writes a number or a time as in JSON and CSV: seconds to the nanosecond without trailing zeros,
 * times without quotes. Returns the length; 0 for null and texts. */
size_t cup_print_number(char *to, struct cup_value value);
