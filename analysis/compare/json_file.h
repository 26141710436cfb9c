/* Reads only the wanted part of a JSON file. A report of a million chunks would otherwise become a
 * tree with some hundred bytes for each number. */
#pragma once

#include <jansson.h>
#include <stddef.h>

#include "analysis/base/error.h"
#include "analysis/base/value.h"

/* A member to skip, which is then read as null: `key` of the top-level object, or of its member
 * `section`. */
struct cup_json_unwanted {
    const char *section; /* NULL: the top-level object */
    const char *key;
};

/* Rows of an array that are read one by one. */
struct cup_json_rows {
    const char *const *members;                     /* members to read, NULL at the end */
    void (*take)(void *closure, const json_t *row); /* gets each row, which is freed afterwards */
    void *closure;
};

/* Returns the object in the file, which the caller releases with json_decref; or NULL and *error.
 * Python also writes NaN and Infinity, which JSON does not have: they are read as "". `rows` gets
 * those of the first unwanted member; NULL: they are not wanted. */
json_t *cup_json_file_read(const char *path, const struct cup_json_unwanted *unwanted, size_t count,
                           const struct cup_json_rows *rows, struct cup_error *error);

/* The value of a JSON number, text, or time as reports write it; null for anything else. The JSON
 * owns the text. */
struct cup_value cup_json_number(const json_t *json);

/* The JSON owns the text; no text for anything but a string. */
struct cup_text cup_json_text(const json_t *json);
