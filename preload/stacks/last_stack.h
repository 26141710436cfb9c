/* The stack that each thread read last. A loop that reads a file makes read after read from the
 * same place. To compare all frames with those of the last stack takes two independent loads for
 * each frame; to hash them takes some thirty instructions for each (stacks.c). */
#pragma once

#include <stdint.h>

/* A stack that is older than this is not compared: a code object may have been replaced by another
 * one at the same address. */
enum { CUP_LAST_STACK_NS = 10000, CUP_LAST_STACK_FRAMES = 128 /* deeper ones are not kept */ };

/* The node of the calling thread's last stack, if the present one is the same: NOW is at most
 * CUP_LAST_STACK_NS later, KEY is the same, and all Python frames, from FRAME (the innermost; not
 * NULL) outwards, are where they were and execute the same instructions. Else 0. NOW: ticks. KEY: a
 * hash of everything else that must be the same. Any thread, between cup_stack_walk_begins() and
 * _ends(). */
uint32_t cup_last_stack_find(const char *frame, uint64_t key, uint64_t now);

/* The calling thread's stack is NODE (not 0). Its frames are noted only if its last one was NODE,
 * too, however long ago: most stacks come once. Threads without a slot (cup_self.slot) keep none.
 */
void cup_last_stack_keep(const char *frame, uint64_t key, uint64_t now, uint32_t node);
