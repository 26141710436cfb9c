#include "preload/log/text_ends.h"

#include <stdbool.h>
#include <string.h>

static bool is_inside_character(char byte)
{
    return ((unsigned char)byte & 0xc0) == 0x80;
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
    memcpy(to, text, head);
    memcpy(to + head, gap, GAP);
    memcpy(to + head + GAP, text + from, bytes - from);
    return head + GAP + bytes - from;
}
