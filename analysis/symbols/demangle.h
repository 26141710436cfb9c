/* Names of symbols as their authors wrote them. */
#ifndef CUPPING_ANALYSIS_SYMBOLS_DEMANGLE_H
#define CUPPING_ANALYSIS_SYMBOLS_DEMANGLE_H

#include <stddef.h>

/* C++ and Rust (both of its manglings) without parameters and hashes; all others as they are. What
 * compilers add to parts and copies of a function (".cold", ".constprop.0") and versions ("@GLIBC")
 * are left out. TO has ROOM bytes, at least 1; what is longer is cut. Returns TO. */
char *cup_demangle(const char *symbol, char *to, size_t room);

#endif
