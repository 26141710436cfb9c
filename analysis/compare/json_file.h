/* Reads JSON of which only a part is wanted: reports of a million chunks would otherwise become a
 * tree of some hundred bytes for each number in them. */
#ifndef CUPPING_ANALYSIS_COMPARE_JSON_FILE_H
#define CUPPING_ANALYSIS_COMPARE_JSON_FILE_H

#include <jansson.h>
#include <stddef.h>

#include "analysis/base/error.h"

/* A member that is read as null: `key` of the object at the top, or of its member `section`. */
struct cup_json_unwanted {
    const char *section; /* NULL: of the top */
    const char *key;
};

/* The object that the file holds, to be given back with json_decref; NULL and *error. NaN and
 * Infinity, which Python writes and JSON does not know, are read as "". */
json_t *cup_json_file_read(const char *path, const struct cup_json_unwanted *unwanted, size_t count,
                           struct cup_error *error);

/* Rows of an unwanted array that are of use one by one: some members of objects. */
struct cup_json_rows {
    const char *section, *key;  /* of the array, as it stands among what is unwanted */
    const char *const *members; /* the others are left out; NULL at the end */
    void (*take)(void *closure, const json_t *row); /* which goes afterwards */
    void *closure;
};

/* As above; `rows` may be NULL. */
json_t *cup_json_file_read_rows(const char *path, const struct cup_json_unwanted *unwanted,
                                size_t count, const struct cup_json_rows *rows,
                                struct cup_error *error);

/* The value of a JSON number, text, or time as reports write it (null for anything else). Text
 * belongs to the JSON. */
struct cup_value;
struct cup_value cup_json_number(const json_t *json);

#endif
