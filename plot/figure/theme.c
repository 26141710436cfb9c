#include "plot/figure/theme.h"

#include <math.h>

#define RGB(hex)                                                                                   \
    {                                                                                              \
        ((hex) >> 16 & 255) / 255.0, ((hex) >> 8 & 255) / 255.0, ((hex)&255) / 255.0               \
    }

static const struct cup_theme light = {
    .paper = RGB(0xFFFFFF),
    .ink = RGB(0x1A1A1A),
    .soft = RGB(0x5F6368),
    .grid = RGB(0xE3E5E8),
    .paints = {[CUP_PAINT_BLUE] = RGB(0x0072B2),
               [CUP_PAINT_ORANGE] = RGB(0xE69F00),
               [CUP_PAINT_GREEN] = RGB(0x009E73),
               [CUP_PAINT_RED] = RGB(0xD55E00),
               [CUP_PAINT_SKY] = RGB(0x56B4E9),
               [CUP_PAINT_PINK] = RGB(0xCC79A7),
               [CUP_PAINT_YELLOW] = RGB(0xC9B800), /* darker than in the set: visible on white */
               [CUP_PAINT_GREY] = RGB(0x8A8D91),
               [CUP_PAINT_VIOLET] = RGB(0x5E3C99),
               [CUP_PAINT_BROWN] = RGB(0x7A4A12),
               [CUP_PAINT_MINT] = RGB(0x8FD6C4),
               [CUP_PAINT_SAND] = RGB(0xD9C2A3)},
};

static const struct cup_theme dark = {
    .paper = RGB(0x16181D),
    .ink = RGB(0xECEEF1),
    .soft = RGB(0xA4A9B2),
    .grid = RGB(0x33373F),
    .paints = {[CUP_PAINT_BLUE] = RGB(0x3F9BDC), /* lighter than in the set: visible on black */
               [CUP_PAINT_ORANGE] = RGB(0xE69F00),
               [CUP_PAINT_GREEN] = RGB(0x1DB58A),
               [CUP_PAINT_RED] = RGB(0xE8743B),
               [CUP_PAINT_SKY] = RGB(0x8CCBF0),
               [CUP_PAINT_PINK] = RGB(0xD795BB),
               [CUP_PAINT_YELLOW] = RGB(0xF0E442),
               [CUP_PAINT_GREY] = RGB(0x9A9EA5),
               [CUP_PAINT_VIOLET] = RGB(0xA283D9),
               [CUP_PAINT_BROWN] = RGB(0xA8763E),
               [CUP_PAINT_MINT] = RGB(0xB4F0E0),
               [CUP_PAINT_SAND] = RGB(0xE6D5BC)},
};

/* Letters are 10 points at 8 by 5 inches. They grow with the square root of the size: so small
 * pictures stay readable, and large ones have no huge letters. */
struct cup_theme cup_theme_make(double width, double height, bool is_dark)
{
    struct cup_theme theme = is_dark ? dark : light;
    double size = sqrt(fmin(width, height * 1.6) / 8);
    theme.text = 10 * size;
    theme.title = 13 * size;
    theme.caption = 8 * size;
    theme.line = 1.6 * size;
    theme.hair = 0.7 * size;
    theme.dot = 2.2 * size;
    theme.gap = 6 * size;
    return theme;
}

struct cup_colour cup_theme_paint(const struct cup_theme *theme, unsigned n)
{
    return theme->paints[n % CUP_PAINT_COUNT];
}

static double between(double from, double to, double share)
{
    return from + (to - from) * share;
}

static struct cup_colour mix(struct cup_colour from, struct cup_colour to, double share)
{
    return (struct cup_colour){between(from.red, to.red, share),
                               between(from.green, to.green, share),
                               between(from.blue, to.blue, share)};
}

/* Goes from light sky blue over blue to dark ink: with three stops, middle values differ, too. */
struct cup_colour cup_theme_strength(const struct cup_theme *theme, double strength)
{
    double share = strength < 0 ? 0 : strength > 1 ? 1 : strength;
    const struct cup_colour *paints = theme->paints;
    struct cup_colour first = mix(theme->paper, paints[CUP_PAINT_SKY], 0.35);
    struct cup_colour last = mix(paints[CUP_PAINT_BLUE], theme->ink, 0.6);
    if (share < 0.5)
        return mix(first, paints[CUP_PAINT_BLUE], share * 2);
    return mix(paints[CUP_PAINT_BLUE], last, share * 2 - 1);
}

/* ---- colours by name ------------------------------------------------------------------------ */

static const char *const names[] = {
    "paper", "ink",  "soft",   "grid", "blue",   "orange", "green", "red",
    "sky",   "pink", "yellow", "grey", "violet", "brown",  "mint",  "sand",
};
enum { OWN = 4, NAMES = sizeof names / sizeof *names };
_Static_assert(NAMES == OWN + CUP_PAINT_COUNT, "one name for each colour of a theme");

static struct cup_colour theme_colour(const struct cup_theme *theme, unsigned n)
{
    const struct cup_colour own[OWN] = {theme->paper, theme->ink, theme->soft, theme->grid};
    return n < OWN ? own[n] : theme->paints[n - OWN];
}

static unsigned byte_of(double part)
{
    return (unsigned)(fmin(fmax(part, 0), 1) * 255 + 0.5);
}

char *cup_colour_hex(char to[CUP_HEX], struct cup_colour colour)
{
    snprintf(to, CUP_HEX, "#%02x%02x%02x", byte_of(colour.red) & 255, byte_of(colour.green) & 255,
             byte_of(colour.blue) & 255);
    return to;
}

void cup_css_variables(FILE *out, bool dark)
{
    struct cup_theme theme = cup_theme_make(8, 5, dark);
    for (unsigned i = 0; i < NAMES; i++) {
        char hex[CUP_HEX];
        fprintf(out, "--%s:%s;", names[i], cup_colour_hex(hex, theme_colour(&theme, i)));
    }
}

void cup_css_rules(FILE *out)
{
    for (unsigned i = 0; i < NAMES; i++)
        fprintf(out, ".plot .%s{color:var(--%s)}", names[i], names[i]);
    putc('\n', out);
}

/* Searches the colours from the n-th on; NULL: it is none of them. */
static const char *find_name(struct cup_colour colour, unsigned n)
{
    struct cup_theme theme = cup_theme_make(8, 5, false);
    for (unsigned i = n; i < NAMES; i++) {
        struct cup_colour known = theme_colour(&theme, i);
        if (byte_of(known.red) == byte_of(colour.red) &&
            byte_of(known.green) == byte_of(colour.green) &&
            byte_of(known.blue) == byte_of(colour.blue))
            return names[i];
    }
    return NULL;
}

const char *cup_colour_name(struct cup_colour colour)
{
    return find_name(colour, 0);
}

const char *cup_paint_name(struct cup_colour colour)
{
    return find_name(colour, OWN);
}
