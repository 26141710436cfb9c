#include "analysis/base/iso_time.h"

#include <string.h>
#include <time.h>

#define NS_PER_S INT64_C(1000000000)

/* Reads a number of exactly DIGITS digits. */
static bool read_digits(const char **at, int digits, int *number)
{
    *number = 0;
    for (int i = 0; i < digits; i++, (*at)++) {
        if (**at < '0' || **at > '9')
            return false;
        *number = *number * 10 + (**at - '0');
    }
    return true;
}

static bool skip_character(const char **at, const char *any)
{
    bool there = **at && strchr(any, **at);
    *at += there;
    return there;
}

static bool read_date(const char **at, struct tm *tm)
{
    bool sound = read_digits(at, 4, &tm->tm_year) && skip_character(at, "-") &&
                 read_digits(at, 2, &tm->tm_mon) && skip_character(at, "-") &&
                 read_digits(at, 2, &tm->tm_mday);
    tm->tm_year -= 1900;
    tm->tm_mon -= 1;
    return sound && tm->tm_year >= 70 && tm->tm_mon >= 0 && tm->tm_mon < 12 && tm->tm_mday >= 1 &&
           tm->tm_mday <= 31;
}

static bool read_fraction(const char **at, int64_t *ns)
{
    int64_t unit = NS_PER_S / 10;
    if (**at < '0' || **at > '9')
        return false;
    for (; **at >= '0' && **at <= '9'; (*at)++, unit /= 10)
        *ns += (**at - '0') * unit;
    return true;
}

static bool read_clock(const char **at, struct tm *tm, int64_t *ns)
{
    if (!read_digits(at, 2, &tm->tm_hour) || !skip_character(at, ":") ||
        !read_digits(at, 2, &tm->tm_min))
        return false;
    if (skip_character(at, ":") &&
        (!read_digits(at, 2, &tm->tm_sec) || (skip_character(at, ".,") && !read_fraction(at, ns))))
        return false;
    return tm->tm_hour < 24 && tm->tm_min < 60 && tm->tm_sec < 61;
}

static bool read_zone(const char **at, int64_t *offset_s, bool *zoned)
{
    int hours, minutes = 0;
    bool east = **at == '+';
    *zoned = **at != '\0';
    if (!*zoned || skip_character(at, "Zz"))
        return true;
    if (!skip_character(at, "+-") || !read_digits(at, 2, &hours))
        return false;
    skip_character(at, ":");
    if (**at && !read_digits(at, 2, &minutes))
        return false;
    *offset_s = (east ? 1 : -1) * (INT64_C(3600) * hours + INT64_C(60) * minutes);
    return hours < 24 && minutes < 60;
}

int cup_iso_time(const char *text, int64_t *time_ns, bool *zoned)
{
    struct tm tm = {0};
    int64_t ns = 0, offset_s = 0;
    if (!read_date(&text, &tm) || !skip_character(&text, "Tt ") || !read_clock(&text, &tm, &ns) ||
        !read_zone(&text, &offset_s, zoned) || *text)
        return -1;
    *time_ns = ((int64_t)timegm(&tm) - offset_s) * NS_PER_S + ns;
    return tm.tm_year <= 300 ? 0 : -1;
}

int64_t cup_local_time(int64_t utc_ns)
{
    time_t seconds = (time_t)(utc_ns / NS_PER_S);
    struct tm tm;
    if (!gmtime_r(&seconds, &tm))
        return utc_ns;
    tm.tm_isdst = -1;
    return (int64_t)mktime(&tm) * NS_PER_S + utc_ns % NS_PER_S;
}
