#include "analysis/base/error_text.h"

#include <stdbool.h>
#include <string.h>

static const char gap[] = " ... ";
enum { GAP = sizeof gap - 1 };

static bool is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

static void append_head(char *to, struct cup_text text, size_t most)
{
    while (most > 0 && is_inside_character(text.bytes[most]))
        most--;
    strncat(to, text.bytes, most);
}

/* Appends the text: all of it, or both of its ends. MOST bytes. */
static void append_ends(char *to, struct cup_text text, size_t most)
{
    if (text.length <= most) {
        strncat(to, text.bytes, text.length);
        return;
    }
    size_t head = (most - GAP) / 2, from = text.length - (most - GAP - head);
    while (from < text.length && is_inside_character(text.bytes[from]))
        from++;
    append_head(to, text, head);
    strcat(to, gap);
    strncat(to, text.bytes + from, text.length - from);
}

char *cup_shorten_error(char *to, size_t room, struct cup_text error)
{
    static const char mark[] = "The error was:";
    size_t most = room - 1;
    const char *cause = error.bytes ? memmem(error.bytes, error.length, mark, sizeof mark - 1) : 0;
    size_t before = cause ? (size_t)(cause - error.bytes) : 0;
    *to = '\0';
    if (!error.bytes)
        return to;
    if (error.length <= most || before <= GAP) {
        append_ends(to, error, most);
        return to;
    }
    struct cup_text rest = {cause, error.length - before};
    size_t head = rest.length + GAP < most ? most - GAP - rest.length : 0;
    head = head > most / 4 ? head : most / 4;
    append_head(to, error, head < before ? head : before);
    strcat(to, gap);
    append_ends(to, rest, most - strlen(to));
    return to;
}
