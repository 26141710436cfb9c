/* The Python stack of another thread, which goes on while it is read. It is copied by the kernel,
 * which answers where a load would be a SIGSEGV, and only copies are looked at; what changed
 * meanwhile is read again. See docs/contributing/sampling.md. */
#ifndef CUPPING_PRELOAD_SAMPLER_REMOTE_STACK_H
#define CUPPING_PRELOAD_SAMPLER_REMOTE_STACK_H

#include <stdbool.h>
#include <stdint.h>

/* A Python thread, as it was when it was last seen by itself. */
struct cup_remote_stack {
    uint64_t state; /* address of its thread state; 0: none */
    uint64_t root;  /* of the code of its outermost frame, on which all of its stacks stand */
};

/* The calling thread's own. */
struct cup_remote_stack cup_remote_self(void);

/* The node of THREAD's stack on top of node UNDER; of its outer part, below a frame that is
 * CUP_NODE_UNKNOWN, or 0, where it changed too fast: *TORN then. One caller at a time; guard
 * held. */
uint32_t cup_remote_node(const struct cup_remote_stack *thread, uint32_t under, bool *torn);

/* The task in THREAD's context, which may be nonsense if it changes just now; 0: none. */
uint32_t cup_remote_task(const struct cup_remote_stack *thread);

/* The kernel lets us read so. Called first, and again in a forked child. */
bool cup_remote_verify(void);

#endif
