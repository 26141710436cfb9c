/* Which weights of stacks other programs are given, and in what units. */
#ifndef CUPPING_ANALYSIS_EXPORT_EXPORTED_WEIGHTS_H
#define CUPPING_ANALYSIS_EXPORT_EXPORTED_WEIGHTS_H

#include "analysis/metrics/functions/call_tree.h"

/* Weight, name, title, unit as speedscope calls it, nanoseconds or bytes in one. */
#define CUP_EXPORTED_WEIGHTS(X)                                                                    \
    X(CPU, "cpu", "CPU time", "microseconds", 1000)                                                \
    X(WAIT, "wait", "waits of over 1 ms", "microseconds", 1000)                                    \
    X(READ, "read", "bytes read", "bytes", 1)                                                      \
    X(ALLOC, "alloc", "bytes allocated", "bytes", 1)

#endif
