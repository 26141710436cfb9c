/* Chains of return addresses that were met before, recognised by where on the stack they lie. A
 * chain is unwound once; at the next call from the same place at the same depth it is enough to see
 * that each address is still where it was. By induction from the innermost one on: the same
 * instruction of the same function has a frame of the same size, and so the same caller's address
 * lies at the same place. It holds for functions whose frames have a fixed size: chains with one
 * whose frame was seen to have two are not kept.
 *
 * Frames have remains of earlier calls in them. A chain is kept if there is but one way to find its
 * addresses on the stack, or if the sizes of frames, known from other chains, tell which is right.
 */
#ifndef CUPPING_PRELOAD_STACKS_CHAIN_MEMO_H
#define CUPPING_PRELOAD_STACKS_CHAIN_MEMO_H

#include <stdbool.h>
#include <stdint.h>

enum {
    CUP_CHAIN_MOST = 128,  /* longer ones are not kept */
    CUP_CHAIN_HOPELESS = 2 /* no value */
};

/* The value that was kept with the chain on top of which FIRST, the place of the innermost return
 * address, lies; 0: none is known, or it is another one. CUP_CHAIN_HOPELESS: one that cannot be
 * kept was met there. KEY: whatever else must be the same. */
uint64_t cup_chain_find(uint64_t key, const uint64_t *first);

/* Keeps VALUE (odd) with the chain of RETURNS, COUNT of them, the innermost first, which is at
 * FIRST, when it comes for the fourth time: to search the stack costs some 10 us. */
void cup_chain_keep(uint64_t key, const uint64_t *first, void *const *returns, uint32_t count,
                    uint64_t value);

/* A forked child: nobody else is at work. */
void cup_chains_forked(void);

#endif
