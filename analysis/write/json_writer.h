/* Writes JSON while it is computed. jansson would need the whole report as a tree in memory, too
 * much for a million rows; it only reads JSON, and checks this writer in tests. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "analysis/base/value.h"

enum { CUP_JSON_DEPTH = 16 };

struct cup_json {
    FILE *out; /* not owned; the caller checks ferror */
    int depth;
    bool filled[CUP_JSON_DEPTH]; /* [depth]: the object or array already has a member */
    int row_depth; /* objects and arrays from this depth on are written in one line; 0: not in a row
                    */
};

void cup_json_start(struct cup_json *json, FILE *out);

/* `name` is NULL in arrays and at the top. */
void cup_json_object(struct cup_json *json, const char *name);
void cup_json_row(struct cup_json *json, const char *name); /* an object in one line */
void cup_json_array(struct cup_json *json, const char *name);
void cup_json_list(struct cup_json *json, const char *name); /* an array in one line */
void cup_json_end_object(struct cup_json *json);             /* also of a row */
void cup_json_end_array(struct cup_json *json);

void cup_json_value(struct cup_json *json, const char *name, struct cup_value value);
