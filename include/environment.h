/* Every environment variable that cupping reads: X(NAME, "default", "meaning"). README.md, the
 * manual page of cupping-run and its --help repeat this table; `make check-docs` compares them.
 *
 * No variable has an effect in a setuid process. A value that cannot be used is replaced by the
 * default, and the log has a NOTE record that says so. */
#pragma once

#define CUP_ENVIRONMENT(X)                                                                         \
    X(CUPPING_CPU_HZ, "100",                                                                       \
      "samples per second of where the threads of tasks use the CPU, up to 1000; 0: no samples. "  \
      "If they would take more than 0.25 % of the CPU time (1 % if you set this variable), the "   \
      "rate drops, to 1/32 of it at most")                                                         \
    X(CUPPING_DIR, "unset",                                                                        \
      "directory for the logs, made if the one above it exists; unset: nothing is recorded")       \
    X(CUPPING_DISABLE, "0", "1: the hooks only forward their calls, and nothing is recorded")      \
    X(CUPPING_INTERVAL, "1.0",                                                                     \
      "seconds between samples of Dask's own state, 0.02 to 60; 0: no samples")                    \
    X(CUPPING_MAX_BYTES, "1G",                                                                     \
      "largest size of one process's log, 1M or more; K, M and G are powers of 1024; tasks that "  \
      "begin beyond it are summed up by prefix")                                                   \
    X(CUPPING_NATIVE, "1", "0: stacks have Python functions only, no C, C++ or Fortran functions") \
    X(CUPPING_READS, "0", "1: each single read is recorded, for `cupping export --to replay`")     \
    X(CUPPING_SHARE, "0",                                                                          \
      "0: this user alone may read the logs; group: the user's group, too; all: every user")       \
    X(CUPPING_STACKS, "1",                                                                         \
      "0: no stacks are recorded; all: without a limit per second; stress: a stack is read at "    \
      "every allocation, for tests")                                                               \
    X(CUPPING_VERBOSE, "0",                                                                        \
      "1: one line on standard error when a log is opened or cannot be opened")
