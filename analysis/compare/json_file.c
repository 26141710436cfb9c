#include "analysis/compare/json_file.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/value.h"

struct scan {
    char *at, *end;
    const struct cup_json_unwanted *unwanted;
    size_t count;
    const struct cup_json_rows *rows; /* of the first unwanted member; NULL: none are of use */
    const char *key;                  /* the name of the last member or the last text */
    size_t key_length;
};

/* ---- over what is not wanted ------------------------------------------------------------ */

static void skip_blanks(struct scan *scan)
{
    while (scan->at < scan->end && strchr(" \t\r\n", *scan->at))
        scan->at++;
}

/* Behind the closing quote; the text between the quotes is the key. */
static bool skip_string(struct scan *scan)
{
    scan->key = ++scan->at;
    while (scan->at < scan->end && *scan->at != '"')
        scan->at += *scan->at == '\\' && scan->at + 1 < scan->end ? 2 : 1;
    scan->key_length = (size_t)(scan->at - scan->key);
    return scan->at < scan->end && scan->at++;
}

static bool is_key(const struct scan *scan, const char *name)
{
    return strlen(name) == scan->key_length && memcmp(name, scan->key, scan->key_length) == 0;
}

/* A word of Python's that is none of JSON's, if one begins here: "" instead. Behind it, or by one.
 */
static void step(struct scan *scan)
{
    static const char *const words[] = {"NaN", "-Infinity", "Infinity"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i]);
        if ((size_t)(scan->end - scan->at) < length || memcmp(scan->at, words[i], length) != 0)
            continue;
        memset(scan->at, ' ', length);
        memcpy(scan->at, "\"\"", 2);
        scan->at += length;
        return;
    }
    scan->at++;
}

/* Behind the value that begins here. Numbers and words end where something else begins. */
static bool skip_value(struct scan *scan)
{
    size_t depth = 0;
    while (scan->at < scan->end) {
        char c = *scan->at;
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            return true;
        if (c == '"') {
            if (!skip_string(scan))
                return false;
            continue;
        }
        depth += c == '{' || c == '[';
        depth -= depth && (c == '}' || c == ']');
        if (c == 'N' || c == '-' || c == 'I')
            step(scan);
        else
            scan->at++;
    }
    return false;
}

/* The row for the last key as a member of the section (NULL: of the top-level object). */
static const struct cup_json_unwanted *find_unwanted(const struct scan *scan, const char *section)
{
    for (size_t i = 0; i < scan->count; i++) {
        const struct cup_json_unwanted *one = &scan->unwanted[i];
        bool here = section ? one->section && strcmp(one->section, section) == 0 : !one->section;
        if (here && is_key(scan, one->key))
            return one;
    }
    return NULL;
}

/* The section that the last key is; NULL: none that has unwanted members. */
static const char *find_section(const struct scan *scan)
{
    for (size_t i = 0; i < scan->count; i++)
        if (scan->unwanted[i].section && is_key(scan, scan->unwanted[i].section))
            return scan->unwanted[i].section;
    return NULL;
}

static void blank(char *from, const char *to)
{
    enum { NULL_LENGTH = 4 };
    if (to - from < NULL_LENGTH)
        return;
    memset(from, ' ', (size_t)(to - from));
    memcpy(from, "null", NULL_LENGTH);
}

/* The name of the next member of an object; the scan is then at its value. False: there is none. */
static bool next_member(struct scan *scan)
{
    skip_blanks(scan);
    if (scan->at >= scan->end || *scan->at != '"' || !skip_string(scan))
        return false;
    skip_blanks(scan);
    if (scan->at >= scan->end || *scan->at != ':')
        return false;
    scan->at++;
    skip_blanks(scan);
    return true;
}

/* Behind a member's value; false: it was the last one. */
static bool goes_on(struct scan *scan)
{
    return scan->at < scan->end && *scan->at == ',' && scan->at++;
}

/* The wanted members of the object that begins here; NULL if it is none. */
static json_t *load_row(struct scan *scan, const char *const *members)
{
    skip_blanks(scan);
    json_t *row = scan->at < scan->end && *scan->at++ == '{' ? json_object() : NULL;
    while (row && next_member(scan)) {
        const char *value = scan->at, *const *member = members;
        while (*member && !is_key(scan, *member))
            member++;
        if (!skip_value(scan))
            break;
        if (*member)
            json_object_set_new(
                row, *member, json_loadb(value, (size_t)(scan->at - value), JSON_DECODE_ANY, NULL));
        if (!goes_on(scan))
            break;
    }
    return row;
}

/* Of the array from `from` to where the scan is: those before the first that is no object. */
static void take_rows(const struct scan *scan, char *from)
{
    struct scan inner = {.at = from, .end = scan->at};
    while (inner.at < inner.end && (*inner.at == '[' || *inner.at == ',')) {
        struct scan row = {.at = ++inner.at};
        if (!skip_value(&inner))
            return;
        row.end = inner.at;
        json_t *json = load_row(&row, scan->rows->members);
        if (!json)
            return;
        scan->rows->take(scan->rows->closure, json);
        json_decref(json);
    }
}

/* Overwrites the unwanted members of the object that begins here. What is no JSON is left for
 * jansson to complain about. */
static bool scan_object(struct scan *scan, const char *section)
{
    scan->at++;
    while (next_member(scan)) {
        char *value = scan->at;
        const struct cup_json_unwanted *one = find_unwanted(scan, section);
        const char *inner = section ? NULL : find_section(scan);
        if (inner && value < scan->end && *value == '{' && !scan_object(scan, inner))
            return false;
        if (!skip_value(scan))
            return false;
        if (one && one == scan->unwanted && scan->rows)
            take_rows(scan, value);
        if (one)
            blank(value, scan->at);
        if (!goes_on(scan))
            break;
    }
    return scan->at < scan->end && *scan->at++ == '}';
}

/* ---- the file --------------------------------------------------------------------------- */

/* A NUL ends the text early and stays in it: jansson then complains about it. */
static char *read_whole(const char *path, size_t *size, struct cup_error *error)
{
    FILE *file = fopen(path, "rb");
    char *bytes = NULL;
    if (!file) {
        cup_error_system(error, path, "open it");
        return NULL;
    }
    *size = 0;
    ssize_t length = getdelim(&bytes, size, '\0', file);
    if (length < 0 && !feof(file)) {
        cup_error_system(error, path, "read it");
        free(bytes);
        bytes = NULL;
    }
    *size = length > 0 ? (size_t)length : 0;
    fclose(file);
    return bytes;
}

json_t *cup_json_file_read(const char *path, const struct cup_json_unwanted *unwanted, size_t count,
                           const struct cup_json_rows *rows, struct cup_error *error)
{
    size_t size;
    json_error_t problem;
    char *bytes = read_whole(path, &size, error);
    if (!bytes)
        return NULL;
    struct scan scan = {
        .at = bytes, .end = bytes + size, .unwanted = unwanted, .count = count, .rows = rows};
    skip_blanks(&scan);
    if (scan.at < scan.end && *scan.at == '{')
        scan_object(&scan, NULL);
    json_t *root = json_loadb(bytes, size, 0, &problem);
    free(bytes);
    if (root && json_is_object(root))
        return root;
    cup_error_set(error, path, CUP_NO_OFFSET,
                  root ? "has no JSON object; name a file written by `cupping report --json`"
                       : "line %d is not JSON: %s; name a file written by `cupping report --json`",
                  problem.line, problem.text);
    json_decref(root);
    return NULL;
}

struct cup_value cup_json_number(const json_t *json)
{
    if (json_is_integer(json) && json_integer_value(json) >= 0)
        return cup_count((uint64_t)json_integer_value(json));
    if (json_is_integer(json))
        return cup_signed(json_integer_value(json));
    return json_is_real(json) ? cup_real(json_real_value(json)) : cup_null();
}

struct cup_text cup_json_text(const json_t *json)
{
    return (struct cup_text){json_string_value(json), json_string_length(json)};
}
