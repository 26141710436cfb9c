/* What a task's helpers wait for while the task itself waits in a lock: then that is what it waits
 * for. Of several helpers at a time the one first in the order of classes counts: files, the
 * interpreter's lock, sleep, sockets. */
#ifndef CUPPING_PRELOAD_WAITS_HELPER_WAIT_H
#define CUPPING_PRELOAD_WAITS_HELPER_WAIT_H

#include "include/log_format.h"

/* Times during which a task had a helper that waited so, in ticks. */
struct cup_helper_wait {
    uint64_t ticks[CUP_WAIT_COUNT];
};

/* TASK begins and ends. One that finds no place (others run whose number is a multiple of the
 * table's size away) has no such times. */
void cup_helper_wait_begin(uint32_t task);
void cup_helper_wait_end(uint32_t task);

/* TASK's own thread waits in a lock, from NOW (ticks); and went on: what its helpers waited for in
 * between. */
void cup_helper_wait_lock(uint32_t task, uint64_t now);
struct cup_helper_wait cup_helper_wait_unlock(uint32_t task, uint64_t now);

/* A helper of TASK begins to wait, and goes on. BUSY: the part of that time in which it did not
 * wait after all, but used the CPU or had none. SINCE: what enters() returned. */
uint64_t cup_helper_wait_enters(uint32_t task, enum cup_wait_class class, uint64_t now);
void cup_helper_wait_leaves(uint32_t task, enum cup_wait_class class, uint64_t now, uint64_t since,
                            uint64_t busy);

/* A helper of TASK waited for so many ticks; told afterwards. */
void cup_helper_wait_waited(uint32_t task, enum cup_wait_class class, uint64_t ticks);

void cup_helper_wait_reset(void);

#endif
