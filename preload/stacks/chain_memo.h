/* A memo of native stacks. Unwinding with libunwind is slow, so a chain of return addresses is
 * unwound once and kept together with the places on the stack where the addresses lie. When the
 * same instruction calls again at the same stack depth, it is enough to compare the words at those
 * places: docs/contributing/stacks.md says why, and which chains are not kept. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    CUP_CHAIN_MOST = 128,  /* longer ones are not kept */
    CUP_CHAIN_HOPELESS = 2 /* never a value: values are odd */
};

/* Looks up the chain whose innermost return address lies at FIRST on the calling thread's stack.
 * Returns the value kept with it; 0: no chain is known here, or the stack differs from it;
 * CUP_CHAIN_HOPELESS: a chain seen here cannot be kept. KEY: a hash of everything else that must be
 * the same.
 * Any thread; takes no lock. */
uint64_t cup_chain_find(uint64_t key, const uint64_t *first);

/* Keeps VALUE, the caller's hash of the frames (an odd number), with the chain of COUNT return
 * addresses, innermost first, whose first one lies at FIRST, on the calling thread's stack, which
 * ends at END (the address after its last word). Searching the stack for the places takes about 10
 * us, so it is done only when the same chain comes for the 4th, 8th, 16th, ... time. */
void cup_chain_keep(uint64_t key, const uint64_t *first, const uint64_t *end, void *const *returns,
                    uint32_t count, uint64_t value);

/* A forked child: no other thread is writing. */
void cup_chains_forked(void);
