/* What must not leave the process: user, password, query and fragment of URLs, and values that are
 * named like secrets ("token=...", "--password ...", "Authorization: Bearer ..."). The one writer
 * of strings calls this (log.c), and who writes the key of a task as the tail of a record. No other
 * memory than the text is used, and no lock. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* False: there is nothing to leave out. Most texts are short names, for which this is one pass. */
bool cup_secrets_possible(const char *text, size_t bytes);

/* Removes them from TEXT, in place. Returns the new length, at most BYTES; there is no NUL. A URL
 * that ends where a long text was cut loses all behind "://". */
size_t cup_secrets_leave_out(char *text, size_t bytes);
