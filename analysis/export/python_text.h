/* Texts as Python writes them: keys that are tuples, and times without a zone. */
#ifndef CUPPING_ANALYSIS_EXPORT_PYTHON_TEXT_H
#define CUPPING_ANALYSIS_EXPORT_PYTHON_TEXT_H

#include <stdint.h>

#include "analysis/base/intern.h"

/* repr() of a str; and the text itself, with '?' for NUL, which a C string cannot hold. The caller
 * frees both; NULL without memory. */
char *cup_python_repr(struct cup_text text);
char *cup_python_string(struct cup_text text);

/* datetime.fromtimestamp(ns / 1e9).isoformat(), always with six digits: local time. */
enum { CUP_PYTHON_TIME_ROOM = 40 };
char *cup_python_time(char to[CUP_PYTHON_TIME_ROOM], int64_t ns);

#endif
