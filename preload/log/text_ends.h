/* Texts that are too long for the log. */
#pragma once

#include <stddef.h>

/* Copies TEXT into TO, which has room for ROOM bytes (64 or more): all of it, or its beginning and
 * its end. Characters of UTF-8 are not cut, and the end does not begin inside of a URL or a value
 * ("name=value"), because secrets could not be found in a part of one. Returns the length; there is
 * no NUL. */
size_t cup_copy_ends(char *to, size_t room, const char *text, size_t bytes);
