#include "plot/page/page_paints.h"

#include <math.h>

static const char *const names[] = {
    "paper", "ink", "soft", "grid", "blue",   "orange",
    "green", "red", "sky",  "pink", "yellow", "grey",
};
enum { OWN = 4, NAMES = sizeof names / sizeof *names };
_Static_assert(NAMES == OWN + CUP_PAINT_COUNT, "one for each colour of a look");

static struct cup_colour colour_of(const struct cup_theme *look, unsigned n)
{
    const struct cup_colour own[OWN] = {look->paper, look->ink, look->soft, look->grid};
    return n < OWN ? own[n] : look->paints[n - OWN];
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

void cup_page_paints(FILE *out, bool dark)
{
    struct cup_theme look = cup_theme_make(8, 5, dark);
    for (unsigned i = 0; i < NAMES; i++) {
        char hex[CUP_HEX];
        fprintf(out, "--%s:%s;", names[i], cup_colour_hex(hex, colour_of(&look, i)));
    }
}

void cup_page_paint_rules(FILE *out)
{
    for (unsigned i = 0; i < NAMES; i++)
        fprintf(out, ".plot .%s{color:var(--%s)}", names[i], names[i]);
    putc('\n', out);
}

/* From the n-th on; NULL if it is none of them. */
static const char *name_of(struct cup_colour colour, unsigned n)
{
    struct cup_theme look = cup_theme_make(8, 5, false);
    for (unsigned i = n; i < NAMES; i++) {
        struct cup_colour known = colour_of(&look, i);
        if (byte_of(known.red) == byte_of(colour.red) &&
            byte_of(known.green) == byte_of(colour.green) &&
            byte_of(known.blue) == byte_of(colour.blue))
            return names[i];
    }
    return NULL;
}

const char *cup_page_colour(struct cup_colour colour)
{
    return name_of(colour, 0);
}

const char *cup_page_paint(struct cup_colour colour)
{
    return name_of(colour, OWN);
}
