/* What strace saw a program read. */
#pragma once

#include <jansson.h>

/* Words of the command that goes before the program; FILE is DIRECTORY/strace.txt. */
#define CUP_STRACE(file)                                                                           \
    "strace", "-f", "--seccomp-bpf", "-y", "-s", "0", "-e",                                        \
        "trace=read,pread64,readv,preadv,preadv2", "-e", "signal=none", "-o", (file)

/* {path: bytes} of all calls that DIRECTORY/strace.txt has for paths with this suffix. */
json_t *cup_trace_read(const char *directory, const char *suffix);
