/* Reads the Python stack of another thread while that thread keeps running, without the GIL and
 * without signals. The kernel copies the frames (a load could be a SIGSEGV), only the copies are
 * read, and frames that changed between two copies are read again. See
 * docs/contributing/sampling.md. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

/* A Python thread, as it last described itself (cup_remote_self). */
struct cup_remote_stack {
    uint64_t state; /* address of its PyThreadState; 0: none */
    uint64_t root;  /* address of its outermost frame's code object: its stacks begin there, until
                       that frame returns */
};

/* Describes the calling thread. */
struct cup_remote_stack cup_remote_self(void);

/* The node of THREAD's stack above node UNDER. If the stack changed too fast, *TORN is set and the
 * result is the part that is certain, with a frame CUP_NODE_UNKNOWN as the innermost, or 0. One
 * caller at a time; the guard is held. */
uint32_t cup_remote_node(const struct cup_remote_stack *thread, uint32_t under, bool *torn);

/* The task in THREAD's Python context; 0: none. May be nonsense if the thread is changing its
 * context at this moment: the caller checks that such a task runs. */
uint32_t cup_remote_task(const struct cup_remote_stack *thread);

/* Tests whether the kernel allows process_vm_readv. Called before the others, and again in a forked
 * child. */
bool cup_remote_verify(void);
