/* Runs work on several threads. */
#pragma once

#include <stddef.h>

/* Calls work(context) on several threads: one for each processor, but at most MOST and never more
 * than 8. The calling thread is one of them; if no other can be started, it works alone. Returns
 * when all calls have returned. The calls of work() must share the work among themselves. */
void cup_parallel(size_t most, void (*work)(void *context), void *context);

/* Calls each of COUNT parts once with the context, several at the same time: they must not write to
 * the same data. Returns 0, or -1 if any part returned another value. */
int cup_parallel_parts(int (*const *parts)(void *context), size_t count, void *context);
