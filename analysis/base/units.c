#include "analysis/base/units.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* Three significant digits, never with an exponent. */
static void print_three(char *to, double number, const char *unit)
{
    double size = fabs(number);
    int decimals = size >= 99.95 || size == 0 ? 0 : size >= 9.995 ? 1 : size >= 0.9995 ? 2 : 3;
    snprintf(to, CUP_HUMAN_READABLE_ROOM, "%.*f%s%s", decimals, number, *unit ? " " : "", unit);
}

/* Units with prefixes: powers of 1000, from names[0] on. SCALE: how many of names[0] a value is. */
static const struct scaled {
    double scale;
    const char *names[8];
} scaled_units[] = {
    [CUP_UNIT_BYTES] = {1, {"B", "kB", "MB", "GB", "TB", "PB", "EB"}},
    [CUP_UNIT_GBPS] = {1e9, {"bit/s", "kbit/s", "Mbit/s", "Gbit/s", "Tbit/s"}},
    [CUP_UNIT_MBS] = {1e6, {"B/s", "kB/s", "MB/s", "GB/s", "TB/s"}},
    [CUP_UNIT_KHZ] = {1e3, {"Hz", "kHz", "MHz", "GHz"}},
    [CUP_UNIT_HZ] = {1, {"Hz", "kHz", "MHz", "GHz"}},
};

/* Whole bytes and events have no decimals. */
static void print_scaled(char *to, double number, const struct scaled *unit)
{
    int power = 0;
    for (number *= unit->scale; unit->names[power + 1] && fabs(number) >= 999.5; power++)
        number /= 1000;
    bool whole = power == 0 && unit->scale == 1 && fabs(number - round(number)) < 1e-6;
    if (whole)
        snprintf(to, CUP_HUMAN_READABLE_ROOM, "%.0f %s", fabs(number) < 0.5 ? 0 : number,
                 unit->names[0]);
    else
        print_three(to, number, unit->names[power]);
}

const char *cup_unit_name(enum cup_unit unit)
{
    static const char *const names[] = {
        [CUP_UNIT_NONE] = "",     [CUP_UNIT_COUNT] = "",      [CUP_UNIT_BYTES] = "B",
        [CUP_UNIT_SECONDS] = "s", [CUP_UNIT_SHARE] = "of 1",  [CUP_UNIT_PERCENT] = "%",
        [CUP_UNIT_RATIO] = "",    [CUP_UNIT_GBPS] = "Gbit/s", [CUP_UNIT_MBS] = "MB/s",
        [CUP_UNIT_KHZ] = "kHz",   [CUP_UNIT_HZ] = "Hz",
    };
    return names[unit];
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
    else if (unit == CUP_UNIT_SECONDS)
        print_seconds(to, number);
    else if (unit == CUP_UNIT_SHARE)
        print_percent(to, number * 100);
    else if (unit == CUP_UNIT_PERCENT)
        print_percent(to, number);
    else if (unit == CUP_UNIT_RATIO)
        print_three(to, number, "");
    else if (unit < sizeof scaled_units / sizeof *scaled_units && scaled_units[unit].scale > 0)
        print_scaled(to, number, &scaled_units[unit]);
    return to;
}

const char *cup_plural(uint64_t count)
{
    return count == 1 ? "" : "s";
}

static bool ends_with(const char *noun, size_t length, const char *end)
{
    size_t bytes = strlen(end);
    return length >= bytes && memcmp(noun + length - bytes, end, bytes) == 0;
}

/* What English puts between a noun and the "s" of its plural. */
static const char *before_plural(const char *noun)
{
    size_t length = strlen(noun);
    if (ends_with(noun, length, "ry") || ends_with(noun, length, "ty"))
        return "ie";
    return ends_with(noun, length, "ss") || ends_with(noun, length, "ch") ||
                   ends_with(noun, length, "x")
               ? "e"
               : "";
}

char *cup_print_counted(char *to, uint64_t count, const char *noun)
{
    const char *between = count == 1 ? "" : before_plural(noun);
    snprintf(to, CUP_COUNTED_ROOM, "%s %.*s%s%s", CUP_SHOW_COUNT(count),
             (int)strlen(noun) - (*between == 'i'), noun, between, cup_plural(count));
    return to;
}

char *cup_format(char *to, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(to, CUP_LINE_ROOM, format, arguments);
    va_end(arguments);
    return to;
}
