/* What must not leave the process: user, password, query and fragment of URLs, and values that are
 * named like secrets ("token=...", "--password ...", "Authorization: Bearer ..."). The one writer
 * of strings calls this (log.c), and so do the functions that write a task's key into the tail of a
 * record. No other memory than the text is used, and no lock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* False: there is nothing to leave out. Most texts are short names, for which this is one pass. */
bool cup_secrets_possible(const char *text, size_t bytes);

/* Cuts user, password, query and fragment out of the URLs in TEXT and replaces secret values by
 * "...", in place. Returns the new length, at most BYTES; there is no NUL. If a text of 500 bytes
 * or more ends inside the host part of a URL, everything behind "://" is left out, because it may
 * be the beginning of a password. */
size_t cup_secrets_leave_out(char *text, size_t bytes);
