/* Texts as Python writes them: keys that are tuples, and times without a zone. */
#ifndef CUPPING_ANALYSIS_EXPORT_PYTHON_TEXT_H
#define CUPPING_ANALYSIS_EXPORT_PYTHON_TEXT_H

#include <stddef.h>
#include <stdint.h>

#include "analysis/base/intern.h"

/* A text that grows; begin with {0}, end with free(bytes). */
struct cup_python_text {
    char *bytes; /* owned; NUL-terminated */
    size_t length, room;
    int failed; /* no memory: the text is not whole */
};

void cup_python_clear(struct cup_python_text *text);

/* Each appends. */
void cup_python_add(struct cup_python_text *text, const char *string);
void cup_python_add_text(struct cup_python_text *text, struct cup_text added);
void cup_python_add_repr(struct cup_python_text *text, struct cup_text added); /* repr() of a str */
void cup_python_add_integer(struct cup_python_text *text, int64_t integer);

/* datetime.fromtimestamp(ns / 1e9).isoformat(), always with six digits: local time. */
enum { CUP_PYTHON_TIME_ROOM = 40 };
char *cup_python_time(char to[CUP_PYTHON_TIME_ROOM], int64_t ns);

#endif
