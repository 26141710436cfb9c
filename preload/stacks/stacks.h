/* Call stacks as numbers. All stacks form one tree, which the log holds as NODES records: a node
 * is one frame, and its ancestors are the callers. So an event names its whole stack by the number
 * of one node, in 32 bits. See
 * docs/contributing/stacks.md. */
#pragma once

#include "preload/lifecycle/thread.h"
#include "preload/python/code_text.h"

#include <stdbool.h>
#include <stdint.h>

/* What CUPPING_STACKS asks for; off until this is called. Stress is for tests: a stack is read at
 * every allocation, and its nodes are written, but what happened there is not. */
enum cup_stacks_mode { CUP_STACKS_OFF, CUP_STACKS_ON, CUP_STACKS_STRESS };
void cup_stacks_want(enum cup_stacks_mode mode);

/* Verifies the parts of the interpreter's memory layout that reading whole stacks needs in addition
 * to cup_frames_verify(), which has succeeded before. Needs the GIL and a Python frame. Returns
 * NULL, or the reason why stacks stay off: "" if they are not wanted. */
const char *cup_stacks_verify(void);

/* True from a successful cup_stacks_verify() until the interpreter ends. */
bool cup_stacks_on(void);

/* The node of the calling thread's Python stack, with its outermost frame above node UNDER (0: the
 * root of the tree). A thread without Python frames gets UNDER itself. Returns 0 if no log is open,
 * stacks are off, or the table of stacks is full (counted in the log's health).
 *
 * Any thread, with the guard held. Needs no GIL, allocates nothing, keeps errno: a thread's own
 * frames change only while it runs Python code itself. Must not be called while the interpreter
 * frees a code object. Takes about 100 ns at depth 20 for a stack that was seen before. */
uint32_t cup_stack_here(uint32_t under);

/* A hash of the calling thread's innermost Python frames. In a task that submits jobs to a pool, it
 * took a tenth of the time of cup_stack_here() (by perf). As long as it stays the same, the thread
 * is most likely at the same place; an outer frame may have gone on to another line. 0: no frames,
 * or stacks are off. Any thread, with the guard held. */
uint64_t cup_stack_glance(void);

/* The same as cup_stack_here() with native frames between the Python frames (merge_frames.h), if
 * they are available (native.h). A thread without Python frames gets its native frames alone. Takes
 * about 20 ns more if chain_memo.h recognises the chain of return addresses; else libunwind takes
 * about 200 ns and 5 ns per frame. */
uint32_t cup_stack_native_here(uint32_t under);

/* The same for an event that ended at NOW (ticks). Unless native frames are wanted AT_ANY_COST, it
 * leaves them out where every call would pay for libunwind, because the chain cannot be kept; and
 * if it finds the Python frames of the thread's last stack, and the native stack as deep, it
 * returns that stack (last_stack.h), which takes about 20 ns. Both cases are one function with one
 * place that calls it: a chain of return addresses that was kept for one is known for the other. */
uint32_t cup_stack_event_here(uint32_t under, bool at_any_cost, uint64_t now);

/* The next three functions are for the sampler, which reads the stacks of other threads. They keep
 * errno, need the guard, and take the lock of stacks.c.
 *
 * cup_code_find(): the id of the code object with this address and fingerprint; 0: it is not known.
 * cup_code_add(): the id of a function, by all its facts, new unless a function with the same facts
 * is known; 0: no room. */
uint32_t cup_code_find(uint64_t address, uint64_t fingerprint);
uint32_t cup_code_add(const struct cup_code_facts *facts);

/* The node of function OF at offset AT, called from node PARENT. Adds the node if there is none; 0:
 * no room (counted in the log's health). */
uint32_t cup_stack_node(uint32_t parent, uint32_t of, uint32_t at);

/* A new log, or a forked child: no stack is recorded yet. */
void cup_stacks_reset(void);

/* In stress mode the hooks of the heap call cup_stacks_stress() at every allocation. It takes the
 * guard and keeps errno. */
extern bool cup_stacks_stressed;
void cup_stacks_stress(void);

/* ---- threads that are reading their own stack ----------------------------------------------- */

/* When the interpreter ends, it frees the thread states and frames of daemon threads without
 * stopping them first. So the interpreter's end waits (in atexit) until no thread reads frames.
 *
 * Threads use different cache lines, so that they do not slow each other down; two threads whose
 * ids differ by a multiple of CUP_STACK_WALKERS share one, and the first of them that ends its walk
 * clears the mark for both. */
enum { CUP_STACK_WALKERS = 256 };
struct cup_stack_walker {
    uint32_t inside;
} __attribute__((aligned(64)));
extern struct cup_stack_walker cup_stack_walkers[CUP_STACK_WALKERS] CUP_OURS;

/* Call begins() before asking whether stacks are on, and ends() after the last frame was read.
 * There is no memory barrier: cup_stack_walkers_wait() first waits longer than a store needs to
 * become visible to another processor. */
static inline struct cup_stack_walker *cup_stack_walk_begins(void)
{
    struct cup_stack_walker *walk = &cup_stack_walkers[cup_self.tid % CUP_STACK_WALKERS];
    __atomic_store_n(&walk->inside, 1, __ATOMIC_RELAXED);
    __asm__ volatile("" ::: "memory");
    return walk;
}

static inline void cup_stack_walk_ends(struct cup_stack_walker *walk)
{
    __atomic_store_n(&walk->inside, 0, __ATOMIC_RELEASE);
}

/* Call it after switching stacks off. Waits until no thread reads frames, 0.1 s at most. */
void cup_stack_walkers_wait(void);
