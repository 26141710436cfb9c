/* Helpers for tests of pages: counting parts, checking their order, reading the data of flame.js.
 */
#pragma once

#include <jansson.h>
#include <stddef.h>

/* Counts the occurrences of a text. */
size_t count_in(const char *page, const char *part);

/* Expects the parts in this order. */
void expect_order(const char *page, const char *const *parts, size_t count);

/* Expects that every element is closed; that every link within the page has a target. */
void expect_closed(const char *page);
void expect_links(const char *page);

/* Reads the data of flame.js from a page's file: the text of an element, unescaped. json_decref()
 * the result. */
json_t *flame_data(const char *path);

/* For a slice of these data: the total of a weight; and the amount of the first box with any whose
 * function's text begins with `function`, callees included. */
json_int_t flame_all(const json_t *data, size_t slice, const char *weight);
json_int_t flame_of(const json_t *data, size_t slice, const char *weight, const char *function);
