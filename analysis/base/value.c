#include "analysis/base/value.h"

#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static size_t print_unsigned(char *to, uint64_t number)
{
    char digits[20];
    size_t count = 0;
    do
        digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    for (size_t i = 0; i < count; i++)
        to[i] = digits[count - 1 - i];
    return count;
}

static uint64_t magnitude(int64_t number)
{
    return number < 0 ? -(uint64_t)number : (uint64_t)number;
}

static size_t print_signed(char *to, int64_t number)
{
    *to = '-';
    size_t sign = number < 0;
    return sign + print_unsigned(to + sign, magnitude(number));
}

/* 1500000000 -> 1.5. Integers only: a double would lose digits of a time since the epoch. */
static size_t print_seconds(char *to, int64_t ns)
{
    *to = '-';
    size_t length = ns < 0;
    uint64_t part = magnitude(ns) % 1000000000;
    length += print_unsigned(to + length, magnitude(ns) / 1000000000);
    to[length++] = '.';
    for (uint64_t unit = 100000000; unit; unit /= 10) {
        to[length++] = (char)('0' + part / unit);
        part %= unit;
        if (part == 0)
            break;
    }
    return length;
}

static size_t print_digits(char *to, double real, int digits)
{
    return (size_t)snprintf(to, CUP_NUMBER_ROOM, "%.*g", digits, real);
}

/* How many digits a number has from its first one that is not 0 to its last one that is not. */
static int count_digits(const char *number)
{
    int count = 0, last = 0;
    for (; *number && *number != 'e'; number++) {
        bool is_digit = *number >= '0' && *number <= '9';
        count += is_digit && (count > 0 || *number != '0');
        last = is_digit && *number != '0' ? count : last;
    }
    return last;
}

/* Writes a number that is a whole number of billionths, as most times are, and that needs no
 * exponent. Returns 0 for any other number. Two decimals of up to 15 digits are never the same
 * double, so no shorter text reads back as this number. */
static size_t print_billionths(char *to, double real)
{
    double size = fabs(real);
    if (!(size >= 1e-4 && size < 1e6)) /* NAN, too */
        return 0;
    uint64_t billionths = (uint64_t)(size * 1e9 + 0.5);
    if ((double)billionths / 1e9 != size)
        return 0;
    size_t length = print_seconds(to, real < 0 ? -(int64_t)billionths : (int64_t)billionths);
    return billionths % 1000000000 ? length : length - strlen(".0");
}

/* Writes the shortest text (of 6 digits or more) that reads back as the same number. If one of 15
 * digits does, it has the digits of the shortest one, perhaps with an exponent too few. */
static size_t print_real(char *to, double real)
{
    enum { LEAST = 6, SAFE = 15, MOST = 17 };
    size_t length = print_billionths(to, real);
    if (length)
        return length;
    bool is_tiny = fabs(real) < DBL_MIN; /* it has fewer than 15 digits, but %g shows 15 */
    for (int digits = is_tiny ? LEAST : SAFE; digits <= MOST; digits++) {
        length = print_digits(to, real, digits);
        if (strtod(to, NULL) != real)
            continue;
        int needed = count_digits(to);
        return needed < digits ? print_digits(to, real, needed > LEAST ? needed : LEAST) : length;
    }
    return length;
}

static size_t print_time(char *to, int64_t ns)
{
    time_t seconds = (time_t)(ns / 1000000000);
    struct tm utc;
    if (ns < 0 || !gmtime_r(&seconds, &utc))
        return 0;
    size_t length = strftime(to, CUP_NUMBER_ROOM, "%Y-%m-%dT%H:%M:%S", &utc);
    int more =
        snprintf(to + length, CUP_NUMBER_ROOM - length, ".%06dZ", (int)(ns % 1000000000 / 1000));
    return length + (size_t)more;
}

size_t cup_print_number(char *to, struct cup_value value)
{
    switch (value.kind) {
    case CUP_VALUE_COUNT:
        return print_unsigned(to, value.count);
    case CUP_VALUE_SIGNED:
        return print_signed(to, value.integer);
    case CUP_VALUE_SECONDS:
    case CUP_VALUE_EPOCH:
        return print_seconds(to, value.integer);
    case CUP_VALUE_REAL:
        return print_real(to, value.real);
    case CUP_VALUE_TIME:
        return print_time(to, value.integer);
    case CUP_VALUE_BOOL:
        return (size_t)snprintf(to, CUP_NUMBER_ROOM, "%s", value.count ? "true" : "false");
    default:
        return 0;
    }
}
