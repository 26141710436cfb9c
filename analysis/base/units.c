#include "analysis/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Three significant digits, never with an exponent. */
static void print_three(char *to, double number, const char *unit)
{
    double size = fabs(number);
    int decimals = size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
    snprintf(to, CUP_HUMAN_READABLE_ROOM, "%.*f%s%s", decimals, number, *unit ? " " : "", unit);
}

/* UNITS are powers of 1000, from units[0] on. */
static void print_scaled(char *to, double number, const char *const *units, int count)
{
    int power = 0;
    while (power + 1 < count && fabs(number) >= 999.5) {
        number /= 1000;
        power++;
    }
    print_three(to, number, units[power]);
}

static void print_grouped(char *to, uint64_t number)
{
    char digits[24];
    int count = snprintf(digits, sizeof digits, "%" PRIu64, number), length = 0;
    for (int i = 0; i < count; i++) {
        if (i > 0 && (count - i) % 3 == 0)
            to[length++] = ',';
        to[length++] = digits[i];
    }
    to[length] = '\0';
}

static void print_count(char *to, double number)
{
    if (number < 0)
        *to++ = '-';
    if (fabs(number) >= 1e15)
        snprintf(to, CUP_HUMAN_READABLE_ROOM - 1, "%.3e", fabs(number));
    else if (fabs(number) < 100 && number != floor(number))
        print_three(to, fabs(number), "");
    else
        print_grouped(to, (uint64_t)llround(fabs(number)));
}

static void print_seconds(char *to, double seconds)
{
    double size = fabs(seconds);
    if (size >= 3600)
        snprintf(to, CUP_HUMAN_READABLE_ROOM, "%s%.0f h %02d min", seconds < 0 ? "-" : "",
                 floor(size / 3600), (int)(fmod(size, 3600) / 60));
    else if (size >= 99.95)
        snprintf(to, CUP_HUMAN_READABLE_ROOM, "%s%d min %02d s", seconds < 0 ? "-" : "",
                 (int)(size / 60), (int)fmod(size, 60));
    else if (size < 0.5e-9)
        print_three(to, 0, "s");
    else if (size >= 0.9995)
        print_three(to, seconds, "s");
    else if (size >= 0.9995e-3)
        print_three(to, seconds * 1e3, "ms");
    else
        print_three(to, seconds * 1e6, "us");
}

static void print_bytes(char *to, double bytes)
{
    static const char *const units[] = {"B", "kB", "MB", "GB", "TB", "PB", "EB"};
    print_scaled(to, bytes, units, sizeof units / sizeof *units);
}

static void print_hertz(char *to, double hertz)
{
    static const char *const units[] = {"Hz", "kHz", "MHz", "GHz"};
    print_scaled(to, hertz, units, sizeof units / sizeof *units);
}

static void print_bits(char *to, double bits)
{
    static const char *const units[] = {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"};
    print_scaled(to, bits, units, sizeof units / sizeof *units);
}

static void print_speed(char *to, double bytes)
{
    static const char *const units[] = {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"};
    print_scaled(to, bytes, units, sizeof units / sizeof *units);
}

/* 2025-06-15T15:06:40.123456Z -> 2025-06-15 15:06:40 */
static void print_moment(char *to)
{
    enum { SECONDS_END = 19 };
    if (strlen(to) > SECONDS_END) {
        to[10] = ' ';
        to[SECONDS_END] = '\0';
    }
}

/* 99.96 % must not become 100 %, and 0.02 % must not become 0 %. */
static void print_percent(char *to, double percent)
{
    if (percent > 99.9 && percent < 100)
        snprintf(to, CUP_HUMAN_READABLE_ROOM, "%s %%", percent >= 99.99 ? ">99.99" : "99.9");
    else if (percent > 0 && percent < 0.1)
        snprintf(to, CUP_HUMAN_READABLE_ROOM, "<0.1 %%");
    else
        snprintf(to, CUP_HUMAN_READABLE_ROOM, "%.1f %%", percent);
}

char *cup_print_human_readable(char *to, struct cup_value value, enum cup_unit unit)
{
    double number = cup_number(value);
    to[cup_print_number(to, value)] = '\0';
    if (value.kind == CUP_VALUE_NULL || value.kind == CUP_VALUE_TEXT)
        snprintf(to, CUP_HUMAN_READABLE_ROOM, "n/a");
    else if (value.kind == CUP_VALUE_TIME)
        print_moment(to);
    else if (unit == CUP_UNIT_COUNT)
        print_count(to, number);
    else if (unit == CUP_UNIT_BYTES)
        print_bytes(to, number);
    else if (unit == CUP_UNIT_SECONDS)
        print_seconds(to, number);
    else if (unit == CUP_UNIT_SHARE)
        print_percent(to, number * 100);
    else if (unit == CUP_UNIT_PERCENT)
        print_percent(to, number);
    else if (unit == CUP_UNIT_RATIO)
        print_three(to, number, "");
    else if (unit == CUP_UNIT_GBPS)
        print_bits(to, number * 1e9);
    else if (unit == CUP_UNIT_MBS)
        print_speed(to, number * 1e6);
    else if (unit == CUP_UNIT_KHZ)
        print_hertz(to, number * 1e3);
    else if (unit == CUP_UNIT_HZ)
        print_hertz(to, number);
    return to;
}
