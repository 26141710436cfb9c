/* The current line of an HTTP/1 message, whose bytes come in pieces of any size. Only its beginning
 * is stored, which is enough for the headers that matter here. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUP_HTTP_LINE = 64 };

struct cup_http_line {
    uint32_t bytes; /* so far, the end of the line not included; may be more than CUP_HTTP_LINE */
    char text[CUP_HTTP_LINE]; /* its beginning; not NUL-terminated */
};

/* How many of its bytes are stored. */
size_t cup_http_line_length(const struct cup_http_line *line);

/* The end of what is stored. */
const char *cup_http_line_end(const struct cup_http_line *line);

bool cup_http_line_is_empty(const struct cup_http_line *line);

/* Adds COUNT bytes. */
void cup_http_line_add(struct cup_http_line *line, const char *bytes, size_t count);

/* Called at the LF that ends the line: removes a CR before it. */
void cup_http_line_complete(struct cup_http_line *line);

/* The line is the header NAME, which is in lower case and ends with ":". Returns its value; NULL:
 * another header. */
const char *cup_http_line_value(const struct cup_http_line *line, const char *name);

/* True if the line has WORD at VALUE or later. Upper and lower case count as equal. */
bool cup_http_line_contains(const struct cup_http_line *line, const char *value, const char *word);

/* Reads a number in BASE from *AT on, which moves behind it. False: there is none, or it is too
 * large. */
bool cup_http_read_number(const char **at, const char *end, unsigned base, uint64_t *number);

const char *cup_http_skip_blanks(const char *at, const char *end);
