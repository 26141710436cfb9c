/* What tests of pages share: what a page holds, in which order, and what its script reads. */
#ifndef CUPPING_TESTS_PLOT_PAGE_SUPPORT_H
#define CUPPING_TESTS_PLOT_PAGE_SUPPORT_H

#include <jansson.h>
#include <stddef.h>

/* How often. */
size_t count_in(const char *page, const char *part);

/* Each after the one before. */
void expect_order(const char *page, const char *const *parts, size_t count);

/* Each element that begins ends, and each link within the page leads to something. */
void expect_closed(const char *page);
void expect_links(const char *page);

/* What flame.js reads, of the page in a file: the text of an element, in which a browser turns four
 * names into letters. json_decref() it. */
json_t *flame_data(const char *path);

/* Of a slice of that: all there is of a weight, and what a box has with those below it, by the
 * beginning of the text of its function; the first one's that has any. */
json_int_t flame_all(const json_t *data, size_t slice, const char *weight);
json_int_t flame_of(const json_t *data, size_t slice, const char *weight, const char *function);

#endif
