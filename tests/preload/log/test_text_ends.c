/* Texts that are too long keep both ends. */
#include <criterion/criterion.h>

#include <string.h>

#include "preload/log/text_ends.h"

static void expect_ends(const char *text, size_t room, const char *expected)
{
    char to[128];
    size_t bytes = cup_copy_ends(to, room, text, strlen(text));
    cr_expect_leq(bytes, room);
    cr_expect(bytes == strlen(expected) && memcmp(to, expected, bytes) == 0, "%.*s", (int)bytes,
              to);
}

Test(text_ends, a_short_text_is_whole)
{
    expect_ends("KeyError('x')", 64, "KeyError('x')");
    expect_ends("", 64, "");
}

Test(text_ends, a_long_text_loses_its_middle)
{
    expect_ends("The beginning of it, which goes on and on and on and on, and then the end", 64,
                "The beginning of it, which go ... nd on and on, and then the end");
}

Test(text_ends, no_character_is_cut)
{
    char text[200] = "";
    for (int i = 0; i < 60; i++)
        strcat(text, "\u00e9");
    for (size_t room = 64; room < 68; room++) {
        char to[128];
        size_t bytes = cup_copy_ends(to, room, text, strlen(text));
        const char *gap = memmem(to, bytes, " ... ", 5);
        cr_assert(gap && (gap - to) % 2 == 0 && (bytes - (size_t)(gap - to) - 5) % 2 == 0);
        cr_expect(bytes <= room && memcmp(gap + 5, "\u00e9", 2) == 0);
    }
}
