#include "plot/figure/css_colours.h"

#include <math.h>

static const char *const names[] = {
    "paper", "ink", "soft", "grid", "blue",   "orange",
    "green", "red", "sky",  "pink", "yellow", "grey",
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
