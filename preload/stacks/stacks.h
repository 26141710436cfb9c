/* Python stacks as numbers: every stack that is met becomes a node of one tree, which the log keeps
 * (STACKS records), so that an event names its stack in 32 bits. See docs/contributing/stacks.md.
 */
#ifndef CUPPING_PRELOAD_STACKS_STACKS_H
#define CUPPING_PRELOAD_STACKS_STACKS_H

#include "preload/python/code_text.h"

#include <stdbool.h>
#include <stdint.h>

/* What CUPPING_STACKS asks for. Stress is for tests: a stack is read at every allocation, and
 * nothing is made of it. Off until this is called. */
enum cup_stacks_mode { CUP_STACKS_OFF, CUP_STACKS_ON, CUP_STACKS_STRESS };
void cup_stacks_want(enum cup_stacks_mode mode);
bool cup_stacks_wanted(void);

/* Finds and verifies what stacks need of the interpreter's layout beyond cup_frames_verify(), after
 * which it is called. Needs the GIL and a Python frame. NULL, or why stacks are off. */
const char *cup_stacks_verify(void);

/* Stacks are read. False before cup_stacks_verify(), when the interpreter ends, or if the layout
 * did not verify. */
bool cup_stacks_on(void);

/* The node of the calling thread's stack, its frames on top of node UNDER (0: none). Of a thread
 * with no Python frame that is UNDER itself. 0: no log, stacks are off, or no room (counted). Takes
 * no GIL, allocates nothing, keeps errno; some 100 ns at depth 20 where the stack was met before.
 * Any thread, with the guard held; not where the interpreter gives a code object's memory back. */
uint32_t cup_stack_here(uint32_t under);

/* Likewise with its native frames, where they are read (native.h), each where it was called: of the
 * interpreter's own only those above the innermost Python function (merge.h). Of a thread with no
 * Python frame native ones alone. Some 20 ns more where the chain of frames is known again
 * (chain_memo.h); else some 5 ns a frame and 200 ns. The second leaves them out where they would
 * cost that much each time. */
uint32_t cup_stack_native_here(uint32_t under);
uint32_t cup_stack_cheap_here(uint32_t under);

/* Number of a code object: of one known by address and fingerprint (FACTS beyond those two are not
 * looked at), else 0; and of one that is not, made with all its facts. */
uint32_t cup_code_find(uint64_t address, uint64_t fingerprint);
uint32_t cup_code_add(const struct cup_code_facts *facts);

/* The node of a frame above PARENT, made at need; 0: no room (counted). These three keep errno;
 * with the guard held. */
uint32_t cup_stack_node(uint32_t parent, uint32_t of, uint32_t at);

/* A forked child, and a log that is opened, start with none. */
void cup_stacks_reset(void);

/* True in stress mode: hooks of the heap then call the other, which takes care of guard and errno.
 */
extern bool cup_stacks_stressed;
void cup_stacks_stress(void);

#endif
