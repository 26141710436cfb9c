#include "preload/log/text_ends.h"

#include <stdbool.h>
#include <string.h>

static bool is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
}

/* FROM, or the end of the word around it if that has a mark of a URL or a value before FROM. */
static size_t skip_cut_word(const char *text, size_t bytes, size_t from)
{
    bool marked = false;
    for (size_t at = from; at > 0 && (unsigned char)text[at - 1] > ' ' && !marked; at--)
        marked = text[at - 1] == '=' || text[at - 1] == ':';
    while (marked && from < bytes && (unsigned char)text[from] > ' ')
        from++;
    return from;
}

size_t cup_copy_ends(char *to, size_t room, const char *text, size_t bytes)
{
    static const char gap[] = " ... ";
    enum { GAP = sizeof gap - 1 };
    if (bytes <= room) {
        memcpy(to, text, bytes);
        return bytes;
    }
    size_t head = (room - GAP) / 2, from = bytes - (room - GAP - head);
    while (head > 0 && is_inside_character(text[head]))
        head--;
    while (from < bytes && is_inside_character(text[from]))
        from++;
    from = skip_cut_word(text, bytes, from);
    memcpy(to, text, head);
    memcpy(to + head, gap, GAP);
    memcpy(to + head + GAP, text + from, bytes - from);
    return head + GAP + bytes - from;
}
