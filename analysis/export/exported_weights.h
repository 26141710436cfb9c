/* The weights of stacks that are exported, and their units. */
#ifndef CUPPING_ANALYSIS_EXPORT_EXPORTED_WEIGHTS_H
#define CUPPING_ANALYSIS_EXPORT_EXPORTED_WEIGHTS_H

#include "analysis/metrics/functions/call_tree.h"

/* X(weight, name, title, speedscope's name of the unit, nanoseconds or bytes in one unit) */
#define CUP_EXPORTED_WEIGHTS(X)                                                                    \
    X(CPU, "cpu", "CPU time", "microseconds", 1000)                                                \
    X(WAIT, "wait", "waits of over 1 ms", "microseconds", 1000)                                    \
    X(READ, "read", "bytes read", "bytes", 1)                                                      \
    X(ALLOC, "alloc", "bytes allocated", "bytes", 1)

#endif
