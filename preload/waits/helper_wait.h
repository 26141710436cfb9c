/* Helper waits: what the helpers of a task wait for while the task itself waits for a lock. The
 * task's wait is then counted in the helper's class. If several helpers wait at the same time, only
 * one class counts, the first of: I/O, the GIL, sleep, sockets. But a wait for the GIL is known
 * only when it is over: the time may have counted as sleep or for sockets by then, and counts
 * again. Helpers' waits for locks are not noted.
 *
 * A task whose request to a server is out waits for that server, although no thread may be seen to
 * wait: the event loop that will receive the answer waits for any event, and a native pool works
 * for no known task. That a request was out is only certain when a part of its answer arrives. So
 * this time counts afterwards, in place of a lock or of a helper that sleeps. */
#pragma once

#include "include/log_format.h"

/* For each class, how long at least one helper of a task waited in it, in ticks. */
struct cup_helper_wait {
    uint64_t ticks[CUP_WAIT_COUNT];
    uint64_t served;       /* how long the task waited for servers instead of for locks */
    uint64_t served_slept; /* part of it: counted as sleep before */
};

/* How long a task's own thread has been blocked since the task began, in ticks. */
struct cup_task_clock {
    uint64_t blocked; /* on sockets; by locks while no helper waited for a file */
    uint64_t locked;  /* part of it: by locks while no helper waited on a socket either */
    uint64_t slept;   /* part of `locked`: while a helper slept */
};

/* Called when TASK begins and when it ends. The table has one entry for each task number modulo its
 * size: if the entry is taken by another running task, no helper waits are noted for TASK. */
void cup_helper_wait_begin(uint32_t task);
void cup_helper_wait_end(uint32_t task);

/* TASK is about to end, at NOW. If one of its requests is still out and without an answer, it has
 * waited for that. Returns how long, in ticks, as far as nothing else explained it. If that is not
 * 0, *SERVER is the FILE record of the server that did not answer. */
uint64_t cup_helper_wait_gives_up(uint32_t task, uint64_t now, uint32_t *server);

/* TASK's own thread begins to wait for a lock or on a socket (CLASS) at NOW (ticks); that wait
 * ends. The second function returns how long its helpers waited in between, and how long the task
 * waited for servers, as far as an earlier call did not return it: in this wait or an earlier one.
 */
void cup_helper_wait_task_blocks(uint32_t task, enum cup_wait_class class, uint64_t now);
struct cup_helper_wait cup_helper_wait_task_resumes(uint32_t task, uint64_t now);

/* A request of TASK is sent at NOW: returns TASK's clock. */
struct cup_task_clock cup_helper_wait_clock(uint32_t task, uint64_t now);

/* Call the first when a request of TASK was sent that SERVER (a FILE record) must answer, and the
 * second once for it: when the first part of the answer has arrived, or nothing is expected any
 * more, because the connection was closed for instance. */
void cup_helper_wait_asks(uint32_t task, uint32_t server);
void cup_helper_wait_got_answer(uint32_t task);

/* A part of the answer to a request of TASK arrived LATE ticks before NOW. The request was out
 * since TASK's clock was *SINCE, which is set to that of the arrival. Returns for how long of that
 * the task was blocked, in ticks: without the time in which it also awaited other answers, which
 * came before. */
uint64_t cup_helper_wait_served(uint32_t task, struct cup_task_clock *since, uint64_t now,
                                uint64_t late);

/* A helper of TASK begins to wait; its wait ends. SINCE: what cup_helper_wait_enters() returned.
 * BUSY: ticks of the wait during which the helper used the CPU or waited for a CPU core. */
uint64_t cup_helper_wait_enters(uint32_t task, enum cup_wait_class class, uint64_t now);
void cup_helper_wait_leaves(uint32_t task, enum cup_wait_class class, uint64_t now, uint64_t since,
                            uint64_t busy);

/* A helper of TASK has waited for TICKS until NOW, or TASK's own thread on a socket. For waits that
 * are recognised only when they are over, such as all waits for the GIL. A helper's wait counts as
 * far as it lies in the wait for a lock that TASK is in, outside of other helpers' waits for files
 * or the GIL. */
void cup_helper_wait_waited(uint32_t task, enum cup_wait_class class, uint64_t ticks, uint64_t now);
void cup_helper_wait_task_waited(uint32_t task, uint64_t ticks);

/* Called through the lifecycle table (`reset`). */
void cup_helper_wait_reset(void);
