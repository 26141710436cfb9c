/* A program under strace and cupping, and what strace saw it read. */
#pragma once

#include <jansson.h>
#include <stdbool.h>

/* Words of the command that goes before the program; FILE is DIRECTORY/strace.txt. */
#define CUP_STRACE(file)                                                                           \
    "strace", "-f", "--seccomp-bpf", "-y", "-s", "0", "-e",                                        \
        "trace=read,pread64,readv,preadv,preadv2", "-e", "signal=none", "-o", (file)

/* Runs PROGRAM, of at most 8 words, to its end as `cupping run -o DIRECTORY/profile -- PROGRAM`,
 * with the workloads in its PYTHONPATH, and expects status 0. TRACED: under strace. Its output is
 * in DIRECTORY/NAME.log. */
void cup_trace_run(const char *name, const char *directory, const char *const *program, bool traced,
                   int seconds);

/* {path: bytes} of all calls that DIRECTORY/strace.txt has for paths with this suffix. */
json_t *cup_trace_read(const char *directory, const char *suffix);
