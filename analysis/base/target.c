#include "analysis/base/target.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Units without their prefix (k, M, G, T). "b" is a bit, "B" is a byte. */
static const struct {
    const char *name;
    double bytes; /* bytes for each unit; 0: the unit counts events */
} units[] = {
    {"bps", 0.125}, {"bit/s", 0.125}, {"b/s", 0.125},  {"B/s", 1},
    {"Bps", 1},     {"Hz", 0},        {"events/s", 0}, {"ev/s", 0},
};

static double prefix_of(char letter)
{
    switch (letter) {
    case 'k':
    case 'K':
        return 1e3;
    case 'm': /* a thousandth of a bit is never meant: read m as M */
    case 'M':
        return 1e6;
    case 'g':
    case 'G':
        return 1e9;
    case 't':
    case 'T':
        return 1e12;
    default:
        return 0;
    }
}

static bool read_unit(struct cup_target *target, const char *text, double number, double scale)
{
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        if (strcmp(units[i].name, text) != 0)
            continue;
        target->events = units[i].bytes == 0;
        target->rate = number * scale * (target->events ? 1 : units[i].bytes);
        return true;
    }
    return false;
}

static bool is_number(char c)
{
    return (c >= '0' && c <= '9') || c == '.';
}

int cup_target_read(struct cup_target *target, const char *text, const char *verb,
                    struct cup_error *error)
{
    char *unit = (char *)(size_t)text;
    double number = is_number(*text) && !strpbrk(text, "xX") ? strtod(text, &unit) : NAN;
    *target = (struct cup_target){.text = text};
    while (*unit == ' ')
        unit++;
    if (!(number > 0) || !isfinite(number))
        return cup_error_set(error, verb, CUP_NO_OFFSET,
                             "--target %s: not a number above 0; write 200Gbps, 25GB/s or 50kHz",
                             text);
    if (!read_unit(target, unit, number, 1) &&
        !(*unit && read_unit(target, unit + 1, number, prefix_of(*unit))))
        target->rate = 0;
    if (!(target->rate > 0) || !isfinite(target->rate))
        return cup_error_set(
            error, verb, CUP_NO_OFFSET,
            "--target %s: not a unit of a rate; use bps, B/s, Hz or events/s, with k, "
            "M, G or T before it",
            text);
    return 0;
}
