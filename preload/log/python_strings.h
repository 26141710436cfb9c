/* Texts of Python objects as strings of the log. All functions need the GIL. Each returns the id of
 * a STRING record, or 0 if there is no text: OBJECT is NULL, it failed to convert, or the log is
 * full. Longer texts are cut at 2047 bytes. */
#pragma once

#include "preload/python/python.h"

#include <stdint.h>

/* str(OBJECT). May run Python code, unless OBJECT is a str. */
uint32_t cup_log_python_text(cup_object *object);

/* The same, as cup_log_name(). */
uint32_t cup_log_python_name(cup_object *object);

/* The text of OBJECT if it is a str; anything else has no text. Runs no Python code. */
uint32_t cup_log_python_str(cup_object *object);

/* str() of the attribute NAME (a string literal) of OBJECT. May run Python code. */
uint32_t cup_log_python_attribute(cup_object *object, const char *name);

/* str() of the items FROM to TO - 1 of a tuple, joined by slashes and cut at 511 bytes. */
uint32_t cup_log_python_joined(cup_object *tuple, ssize_t from, ssize_t to);

/* Writes __version__ of MODULE (a string literal) to the log, if the module is imported. */
void cup_log_python_version(const char *module);
