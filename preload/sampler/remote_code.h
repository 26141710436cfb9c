/* Identifies the code objects on another thread's stack. That thread goes on, so a code object may
 * be freed while it is being read: only copies are read. */
#ifndef CUPPING_PRELOAD_SAMPLER_REMOTE_CODE_H
#define CUPPING_PRELOAD_SAMPLER_REMOTE_CODE_H

#include <stdbool.h>
#include <stdint.h>

enum { CUP_REMOTE_CODES = 128 };

struct cup_remote_code {
    uint64_t address; /* input */
    uint32_t id;      /* result; 0: a frame that is no function (the shim of a class call, 3.13) */
    bool certain;     /* result: see below */
};

/* Looks up COUNT code objects, at most CUP_REMOTE_CODES. Each address should be listed once only: a
 * copy takes a microsecond. A code object is certain if it was known before with the same content:
 * then it has been at this address since. One that is seen for the first time is not certain: its
 * memory may have been reused between the copies of the stack and of the code object. It is
 * entered, so that it is certain at the next look. One caller at a time. */
void cup_remote_codes(struct cup_remote_code *codes, uint32_t count);

#endif
