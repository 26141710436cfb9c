/* Every environment variable that cupping reads: the one table from which `cupping help`,
 * `cupping-run --help` and the manual pages are made or checked against.
 *
 * X(NAME, "default", "meaning"). None is honoured in a setuid process. A value that cannot be
 * used is replaced by the default, and the log says so (a NOTE record). */
#ifndef CUPPING_ENVIRONMENT_H
#define CUPPING_ENVIRONMENT_H

#define CUP_ENVIRONMENT(X)                                                                         \
    X(CUPPING_CPU_HZ, "100",                                                                       \
      "samples a second of where threads in a task use the CPU, up to 1000; 0: none")              \
    X(CUPPING_DIR, "(unset: nothing is recorded)", "directory for the logs; must exist")           \
    X(CUPPING_DISABLE, "0", "1: hooks stay in place but do nothing")                               \
    X(CUPPING_INTERVAL, "1.0",                                                                     \
      "seconds between samples of Dask's own state, 0.02 to 60; 0: none are taken")                \
    X(CUPPING_MAX_BYTES, "1G",                                                                     \
      "limit of one process's log; later records are dropped and counted")                         \
    X(CUPPING_NATIVE, "1",                                                                         \
      "0: of the functions in which events happen only Python's are looked at")                    \
    X(CUPPING_STACKS, "1",                                                                         \
      "0: the functions in which events happen are not looked at; stress: for tests")              \
    X(CUPPING_VERBOSE, "0", "1: one line on stderr when a log is opened or cannot be")

#endif
