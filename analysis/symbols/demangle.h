/* Demangles names of symbols. */
#ifndef CUPPING_ANALYSIS_SYMBOLS_DEMANGLE_H
#define CUPPING_ANALYSIS_SYMBOLS_DEMANGLE_H

#include <stddef.h>

/* Writes the name of a symbol of C++ or Rust (both manglings) without parameters and hashes, and
 * other names unchanged. Suffixes of compilers (".cold", ".constprop.0") and versions ("@GLIBC")
 * are removed. TO has ROOM bytes, at least 1; longer names are cut. Returns TO. */
char *cup_demangle(const char *symbol, char *to, size_t room);

#endif
