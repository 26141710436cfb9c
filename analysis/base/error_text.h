/* Texts of exceptions, shortened so that they still say what the cause was. */
#pragma once

#include "analysis/base/intern.h"

/* Writes ERROR into TO (ROOM bytes, 64 or more), NUL-terminated. A longer text loses its middle: it
 * keeps its beginning, its end, and what follows Coffea's "The error was:". Returns TO. */
char *cup_shorten_error(char *to, size_t room, struct cup_text error);

/* That, as a text of up to MOST bytes that lasts until the end of the block. */
#define CUP_SHOW_ERROR(error, most) cup_shorten_error((char[(most) + 1]){""}, (most) + 1, error)
