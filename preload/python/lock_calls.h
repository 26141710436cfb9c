/* Calls of the methods of locks (threading.Lock and RLock) and of SimpleQueues, noticed by
 * sys.monitoring. From CPython 3.14 on, nothing else shows that a thread takes a lock which is
 * free, or an item of a queue which has one.
 *
 * CALL events are on for all code. At the first call at a place the library is asked; if no lock or
 * SimpleQueue is called there, the event is off at this place from then on. So a place costs
 * something once, and a call of a lock each time. Not seen are calls from C (of an iterator over
 * queue.get, say: CUP_CALL_PASSED reports when it is made), and those of places that called
 * something else first. */
#pragma once

#include "preload/sys/library_variable.h"

#include <stdbool.h>

enum cup_lock_call {
    CUP_CALL_TAKES, /* a lock, perhaps after a wait */
    CUP_CALL_GIVES,
    CUP_CALL_TAKES_ITEM,
    CUP_CALL_PASSED, /* a method that takes is an argument */
    CUP_CALL_POPS,   /* an item of a list, a deque or a heap, or the next one of an iterator */
};

/* From now on, HANDLER is called in the thread that calls, with the GIL, before the call. LOCK: the
 * lock or queue. If it returns false for CUP_CALL_POPS, it is not called for calls at this place
 * again. Called once, after cup_monitored_start(); needs the GIL. Returns NULL, or why the
 * calls are not noticed. */
typedef bool cup_lock_call_handler(const void *lock, enum cup_lock_call call);
const char *cup_lock_calls_start(cup_lock_call_handler *handler);

/* Once calls are noticed: true if waits for locks are recognised, too (cup_lock_calls_parked()).
 * The calling thread waits for a lock of its own for a microsecond, and gives up the GIL for that.
 */
bool cup_lock_calls_verify_waits(void);

/* A thread that waits for a lock waits for a semaphore of its own, which the interpreter keeps next
 * to the address of the lock (the parking lot). Returns what is waited for at SEMAPHORE; NOTHING:
 * something else, such as the end of a thread. Needs no GIL, keeps errno. */
enum cup_parked { CUP_PARKED_NOTHING, CUP_PARKED_LOCK, CUP_PARKED_RLOCK, CUP_PARKED_QUEUE };
enum cup_parked cup_lock_calls_parked(const void *semaphore);

/* While the calling thread verifies this, it waits once: the hook of its wait calls probe(). */
extern __thread bool cup_lock_calls_probing __attribute__((tls_model("initial-exec"))) CUP_OURS;
void cup_lock_calls_probe(const void *semaphore);
