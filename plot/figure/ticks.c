#include "plot/figure/ticks.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "analysis/base/units.h"

/* Points. Places further out are not visible anyway, and cairo's numbers end at 2^23. */
#define FARTHEST 1e5

static void set_linear(struct cup_scale *scale, double low, double high)
{
    bool only_zero = low == 0 && high == 0;
    if (!isfinite(low) || !isfinite(high) || low > high || only_zero) {
        low = 0;
        high = 1;
    } else if (high - low <= fabs(high) * 1e-12) {
        double room = fabs(high) * 0.1;
        low -= room;
        high += room;
    }
    scale->low = low;
    scale->high = high;
}

static void set_log(struct cup_scale *scale, double low, double high)
{
    if (!isfinite(high) || high <= 0) {
        low = 0.1;
        high = 1;
    }
    if (!isfinite(low) || low <= 0 || low > high)
        low = high / 1000;
    if (high / low < 1.01) {
        low /= 2;
        high *= 2;
    }
    scale->low = low;
    scale->high = high;
}

struct cup_scale cup_scale_make(double low, double high, bool log)
{
    struct cup_scale scale = {.log = log, .to = 1};
    if (log)
        set_log(&scale, low, high);
    else
        set_linear(&scale, low, high);
    return scale;
}

static double share_of(const struct cup_scale *scale, double value)
{
    if (scale->log)
        return value > 0 ? log(value / scale->low) / log(scale->high / scale->low) : NAN;
    return (value - scale->low) / (scale->high - scale->low);
}

double cup_scale_place(const struct cup_scale *scale, double value)
{
    double place = scale->from + (scale->to - scale->from) * share_of(scale, value);
    return isnan(place) ? NAN : fmax(-FARTHEST, fmin(FARTHEST, place));
}

double cup_round_step(double least)
{
    if (!(least > 0) || !isfinite(least))
        return 1;
    double power = pow(10, floor(log10(least) + 1e-9)), times = least / power;
    return power * (times <= 1 + 1e-9 ? 1 : times <= 2 + 1e-9 ? 2 : times <= 5 + 1e-9 ? 5 : 10);
}

struct cup_range cup_range_none(void)
{
    return (struct cup_range){NAN, NAN};
}

void cup_range_add(struct cup_range *range, double value)
{
    if (!isfinite(value))
        return;
    range->low = fmin(range->low, value);
    range->high = fmax(range->high, value);
}

/* ---- prefixes ----------------------------------------------------------------------------- */

struct prefix {
    double factor;
    const char *text;
};

static const struct prefix number[] = {{1, ""}, {0, NULL}};
static const struct prefix count[] = {{1, ""},    {1e3, "k"},  {1e6, "M"},
                                      {1e9, "G"}, {1e12, "T"}, {0, NULL}};
static const struct prefix bytes[] = {{1, "B"},     {1e3, "kB"},  {1e6, "MB"}, {1e9, "GB"},
                                      {1e12, "TB"}, {1e15, "PB"}, {0, NULL}};
static const struct prefix binary[] = {{1, "B"},
                                       {1024.0, "KiB"},
                                       {1024.0 * 1024, "MiB"},
                                       {1024.0 * 1024 * 1024, "GiB"},
                                       {1024.0 * 1024 * 1024 * 1024, "TiB"},
                                       {0, NULL}};
static const struct prefix byte_rate[] = {{1, "B/s"},    {1e3, "kB/s"},  {1e6, "MB/s"},
                                          {1e9, "GB/s"}, {1e12, "TB/s"}, {0, NULL}};
static const struct prefix bit_rate[] = {{1, "bit/s"},    {1e3, "kbit/s"},  {1e6, "Mbit/s"},
                                         {1e9, "Gbit/s"}, {1e12, "Tbit/s"}, {0, NULL}};
static const struct prefix hertz[] = {
    {1, "Hz"}, {1e3, "kHz"}, {1e6, "MHz"}, {1e9, "GHz"}, {0, NULL}};
static const struct prefix seconds[] = {
    {1e-9, "ns"}, {1e-6, "\u00b5s"}, {1e-3, "ms"}, {1, "s"}, {0, NULL}};
static const struct prefix percent[] = {{1, "%"}, {0, NULL}};

static const struct prefix *const prefixes[] = {
    [CUP_AXIS_NUMBER] = number, [CUP_AXIS_COUNT] = count,         [CUP_AXIS_BYTES] = bytes,
    [CUP_AXIS_BINARY] = binary, [CUP_AXIS_BYTE_RATE] = byte_rate, [CUP_AXIS_BIT_RATE] = bit_rate,
    [CUP_AXIS_HERTZ] = hertz,   [CUP_AXIS_SECONDS] = seconds,     [CUP_AXIS_ELAPSED] = seconds,
    [CUP_AXIS_CLOCK] = seconds, [CUP_AXIS_PERCENT] = percent,
};

/* The largest prefix that leaves a number of at least 1. */
static const struct prefix *prefix_of(enum cup_axis_unit unit, double size)
{
    const struct prefix *prefix = prefixes[unit];
    while (prefix[1].factor > 0 && fabs(size) >= prefix[1].factor * (1 - 1e-9))
        prefix++;
    return prefix;
}

/* ---- steps -------------------------------------------------------------------------------- */

/* Steps of time as on clocks: 15 s, 5 min, 1 h, ... */
static double step_of_time(double least)
{
    static const double steps[] = {1,   2,   5,    10,   15,   30,    60,    120,   300,
                                   600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400};
    if (least <= 0.5)
        return cup_round_step(least);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        if (steps[i] >= least)
            return steps[i];
    return 86400 * cup_round_step(least / 86400);
}

static double step_for(const struct cup_scale *scale, enum cup_axis_unit unit, unsigned most)
{
    double least = (scale->high - scale->low) / (most > 1 ? most : 1);
    switch (unit) {
    case CUP_AXIS_ELAPSED:
    case CUP_AXIS_CLOCK:
        return step_of_time(least);
    case CUP_AXIS_COUNT:
        return cup_round_step(fmax(least, 1));
    case CUP_AXIS_BINARY:
    case CUP_AXIS_SECONDS: {
        double factor = prefix_of(unit, fmax(fabs(scale->low), fabs(scale->high)))->factor;
        return factor * cup_round_step(least / factor);
    }
    default:
        return cup_round_step(least);
    }
}

/* ---- texts -------------------------------------------------------------------------------- */

/* Prints as many digits after the point as the step has. */
static void print_number(char *to, size_t room, double value, double step)
{
    int digits = step < 1 ? (int)ceil(-log10(step) - 1e-9) : 0;
    snprintf(to, room, "%.*f", digits > 9 ? 9 : digits, fabs(value) < step * 1e-9 ? 0 : value);
}

/* Writes four digits, or more if two ticks that are STEP apart would look the same otherwise.
 * STEP 0: the number stands alone. */
static void print_count(char *to, size_t room, double value, double step)
{
    enum { FEWEST = 4, MOST = 15 };
    const struct prefix *prefix = prefix_of(CUP_AXIS_COUNT, value);
    double digits = step > 0 ? 1 + floor(log10(fabs(value)) + 1e-9) - floor(log10(step) + 1e-9) : 0;
    snprintf(to, room, "%.*g%s", (int)fmax(FEWEST, fmin(digits, MOST)), value / prefix->factor,
             prefix->text);
}

static void print_elapsed(char *to, size_t room, double value, double step, const char *unit)
{
    double size = fabs(value);
    if (strcmp(unit, "s") == 0)
        print_number(to, room, value, step);
    else if (strcmp(unit, "min") == 0)
        print_number(to, room, value / 60, 1);
    else if (strcmp(unit, "h") == 0)
        print_number(to, room, value / 3600, 1);
    else if (strcmp(unit, "min:s") == 0)
        snprintf(to, room, "%.0f:%02.0f", floor(size / 60), fmod(size, 60));
    else
        snprintf(to, room, "%.0f:%02.0f", floor(size / 3600), floor(fmod(size, 3600) / 60));
}

static const char *elapsed_unit(const struct cup_scale *scale, double step)
{
    double most = fmax(fabs(scale->low), fabs(scale->high));
    if (most < 180 || step < 1)
        return "s";
    if (most < 7200)
        return fmod(step, 60) == 0 ? "min" : "min:s";
    return fmod(step, 3600) == 0 ? "h" : "h:min";
}

static void print_clock(char *to, size_t room, double value, double step)
{
    time_t whole = (time_t)floor(value + 1e-6);
    struct tm day;
    if (!gmtime_r(&whole, &day))
        day = (struct tm){0};
    if (step >= 86400)
        snprintf(to, room, "%02d-%02d", (day.tm_mon + 1) % 100, day.tm_mday % 100);
    else if (step >= 60)
        snprintf(to, room, "%02d:%02d", day.tm_hour % 100, day.tm_min % 100);
    else
        snprintf(to, room, "%02d:%02d:%02d", day.tm_hour % 100, day.tm_min % 100, day.tm_sec % 100);
}

char *cup_tick_text(char to[24], double value, enum cup_axis_unit unit)
{
    const struct prefix *prefix = prefix_of(unit, value);
    double number = value / prefix->factor;
    bool is_long = fabs(number) >= 999.5 && fabs(number) < 1e9;
    if (unit == CUP_AXIS_COUNT)
        print_count(to, 24, value, 0);
    else if (value == 0)
        snprintf(to, 24, "0");
    else
        snprintf(to, 24, is_long ? "%.0f%s%s" : "%.3g%s%s", number, *prefix->text ? " " : "",
                 prefix->text);
    return to;
}

char *cup_duration_text(char to[CUP_DURATION_TEXT], double seconds)
{
    cup_print_human_readable(to, cup_real(seconds), CUP_UNIT_SECONDS);
    char *unit = strstr(to, " us"); /* axes write micro with its sign */
    if (unit)
        snprintf(unit, 8, " \u00b5s");
    return to;
}

char *cup_value_text(char to[CUP_DURATION_TEXT], double value, enum cup_axis_unit unit)
{
    bool duration = unit == CUP_AXIS_ELAPSED || unit == CUP_AXIS_SECONDS;
    return duration ? cup_duration_text(to, value) : cup_tick_text(to, value, unit);
}

/* ---- linear ------------------------------------------------------------------------------- */

static void print_tick(struct cup_ticks *ticks, struct cup_tick *tick, enum cup_axis_unit unit,
                       double step, const struct prefix *prefix)
{
    size_t room = 24; /* longer numbers, which no run has, are cut */
    if (unit == CUP_AXIS_ELAPSED)
        print_elapsed(tick->text, room, tick->value, step, ticks->unit);
    else if (unit == CUP_AXIS_CLOCK)
        print_clock(tick->text, room, tick->value, step);
    else if (unit == CUP_AXIS_COUNT)
        print_count(tick->text, room, tick->value, step);
    else
        print_number(tick->text, room, tick->value / prefix->factor, step / prefix->factor);
}

static const char *unit_text(const struct cup_scale *scale, enum cup_axis_unit unit, double step,
                             const struct prefix *prefix)
{
    if (unit == CUP_AXIS_ELAPSED)
        return elapsed_unit(scale, step);
    return unit == CUP_AXIS_CLOCK ? "UTC" : unit == CUP_AXIS_COUNT ? "" : prefix->text;
}

static void make_linear(struct cup_ticks *ticks, const struct cup_scale *scale,
                        enum cup_axis_unit unit, unsigned most)
{
    double step = step_for(scale, unit, most), first = ceil(scale->low / step - 1e-6);
    const struct prefix *prefix = prefix_of(unit, fmax(fabs(scale->low), fabs(scale->high)));
    snprintf(ticks->unit, sizeof ticks->unit, "%s", unit_text(scale, unit, step, prefix));
    while (ticks->count < CUP_TICKS_MOST) {
        struct cup_tick *tick = &ticks->ticks[ticks->count];
        tick->value = (first + (double)ticks->count) * step;
        if (!(tick->value <= scale->high + step * 1e-6))
            return;
        print_tick(ticks, tick, unit, step, prefix);
        ticks->count++;
    }
}

/* ---- logarithmic -------------------------------------------------------------------------- */

/* Decides which digits of a decade get a text: the fewer may have one, the rounder they are. */
static bool is_named(int digit, int decade, int every, double decades, unsigned most)
{
    if (digit == 1)
        return decade % every == 0;
    if (decades < 1.2 && most > 6)
        return digit != 7 && digit != 9;
    return 3 * decades <= most && (digit == 2 || digit == 5);
}

/* Each tick has its own prefix: "10 ms", "1 s". */
static void make_log(struct cup_ticks *ticks, const struct cup_scale *scale,
                     enum cup_axis_unit unit, unsigned most)
{
    double decades = log10(scale->high / scale->low);
    int every = (int)ceil(decades / (most > 1 ? most : 1));
    int last = (int)floor(log10(scale->high) + 1e-9);
    for (int decade = (int)floor(log10(scale->low) + 1e-9); decade <= last; decade++)
        for (int digit = 1; digit < 10 && ticks->count < CUP_TICKS_MOST; digit++) {
            struct cup_tick *tick = &ticks->ticks[ticks->count];
            tick->value = digit * pow(10, decade);
            if (tick->value < scale->low * (1 - 1e-9) || tick->value > scale->high * (1 + 1e-9))
                continue;
            tick->text[0] = '\0';
            if (is_named(digit, decade, every > 0 ? every : 1, decades, most))
                cup_tick_text(tick->text, tick->value, unit);
            ticks->count++;
        }
}

void cup_ticks_make(struct cup_ticks *ticks, const struct cup_scale *scale, enum cup_axis_unit unit,
                    unsigned most)
{
    ticks->count = 0;
    ticks->unit[0] = '\0';
    if (scale->log)
        make_log(ticks, scale, unit, most);
    else
        make_linear(ticks, scale, unit, most);
}

/* Moves the ends outwards to 1, 2 or 5 times a power of ten. */
static void round_log(struct cup_scale *scale)
{
    double low = pow(10, floor(log10(scale->low) + 1e-9));
    double times = scale->low / low;
    scale->low = low * (times >= 5 * (1 - 1e-9) ? 5 : times >= 2 * (1 - 1e-9) ? 2 : 1);
    scale->high = cup_round_step(scale->high);
}

void cup_ticks_round(struct cup_scale *scale, enum cup_axis_unit unit, unsigned most)
{
    if (scale->log) {
        round_log(scale);
        return;
    }
    double step = step_for(scale, unit, most);
    scale->low = floor(scale->low / step + 1e-6) * step;
    scale->high = ceil(scale->high / step - 1e-6) * step;
    if (!(scale->high > scale->low)) /* the range is smaller than one step of whole numbers */
        scale->high = scale->low + step;
}
