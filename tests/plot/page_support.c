#include "tests/plot/page_support.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/analysis/support.h"

size_t count_in(const char *page, const char *part)
{
    size_t found = 0;
    for (const char *at = page; (at = strstr(at, part)); at++)
        found++;
    return found;
}

void expect_order(const char *page, const char *const *parts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const char *next = strstr(page, parts[i]);
        cr_expect(next, "%s", parts[i]);
        page = next ? next : page;
    }
}

void expect_closed(const char *page)
{
    static const char *const names[] = {"section", "table", "svg", "script", "ul"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char begin[20], end[20];
        snprintf(begin, sizeof begin, "<%s", names[i]);
        snprintf(end, sizeof end, "</%s>", names[i]);
        cr_expect_eq(count_in(page, begin), count_in(page, end), "%s", names[i]);
    }
}

void expect_links(const char *page)
{
    for (const char *at = page; (at = strstr(at, "href=\"#")); at++) {
        char id[200];
        snprintf(id, sizeof id, "id=\"%.*s\"", (int)strcspn(at + 7, "\""), at + 7);
        cr_expect(strstr(page, id), "%s", id);
    }
}

/* ---- flames ------------------------------------------------------------------------------- */

/* Unescapes the text up to the next element, in place. */
static void unescape(char *text)
{
    static const char *const names[][2] = {
        {"&quot;", "\""}, {"&lt;", "<"}, {"&gt;", ">"}, {"&amp;", "&"}};
    char *to = text;
    for (char *at = text; *at != '<';) {
        size_t i = 0;
        while (i < 4 && strncmp(at, names[i][0], strlen(names[i][0])) != 0)
            i++;
        *to++ = i < 4 ? *names[i][1] : *at;
        at += i < 4 ? strlen(names[i][0]) : 1;
    }
    *to = '\0';
}

json_t *flame_data(const char *path)
{
    char *page = read_text(path), *at = strstr(page, "<pre id=\"flame-data\" hidden>");
    json_error_t error;
    cr_assert(at, "no data");
    at = strchr(at, '>') + 1;
    unescape(at);
    json_t *data = json_loads(at, 0, &error);
    cr_assert(data, "%s: %.100s", error.text, at);
    free(page);
    return data;
}

static json_int_t number_at(const json_t *list, size_t i)
{
    return json_integer_value(json_array_get(list, i));
}

/* Returns the amount of each box with its callees, to be freed. */
static json_int_t *sums_of(const json_t *data, size_t slice, const char *weight)
{
    const json_t *parents = json_object_get(data, "parents");
    const json_t *steps =
        json_object_get(json_array_get(json_object_get(data, "slices"), slice), weight);
    size_t boxes = json_array_size(parents), box = 0;
    json_int_t *sums = calloc(boxes, sizeof *sums);
    cr_assert(steps && sums, "%s of slice %zu", weight, slice);
    for (size_t i = 0; i + 1 < json_array_size(steps); i += 2) {
        box += (size_t)number_at(steps, i);
        cr_assert_lt(box, boxes);
        sums[box] = number_at(steps, i + 1);
    }
    for (size_t i = boxes; i-- > 1;) {
        cr_assert_lt(number_at(parents, i), (json_int_t)i, "callers come first");
        sums[number_at(parents, i)] += sums[i];
    }
    return sums;
}

json_int_t flame_all(const json_t *data, size_t slice, const char *weight)
{
    json_int_t *sums = sums_of(data, slice, weight), all = sums[0];
    free(sums);
    return all;
}

json_int_t flame_of(const json_t *data, size_t slice, const char *weight, const char *function)
{
    const json_t *frames = json_object_get(data, "frames");
    const json_t *functions = json_object_get(data, "functions");
    json_int_t *sums = sums_of(data, slice, weight), found = 0;
    for (size_t i = 1; i < json_array_size(frames) && found == 0; i++) {
        const json_t *frame = json_array_get(functions, (size_t)number_at(frames, i));
        const char *text = json_string_value(json_array_get(frame, 0));
        if (strncmp(text, function, strlen(function)) == 0)
            found = sums[i];
    }
    free(sums);
    return found;
}
