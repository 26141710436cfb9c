/* Runs work on several threads. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

/* Calls work(context) on several threads: one for each processor, but at most MOST and never more
 * than 8. The calling thread is one of them; if no other can be started, it works alone. Returns
 * when all calls have returned. The calls of work() must share the work among themselves. */
void cup_parallel(size_t most, void (*work)(void *context), void *context);

/* Calls each of COUNT parts once with the context, several at the same time: they must not write to
 * the same data. Returns 0, or -1 if any part returned another value. */
int cup_parallel_parts(int (*const *parts)(void *context), size_t count, void *context);

/* Several threads share COUNT pieces of work, and each piece ends with something that is done in
 * their order:
 *
 *     while (cup_turns_take(&turns, &piece)) {
 *         work on the piece
 *         cup_turns_await(&turns, piece);
 *         do what only one thread at a time may do
 *         cup_turns_end(&turns);
 *     }
 */
struct cup_turns {
    pthread_mutex_t lock; /* protects the fields below */
    pthread_cond_t changed;
    size_t next; /* index of the next piece to work on */
    size_t turn; /* index of the piece whose turn it is */
    size_t count;
};

void cup_turns_start(struct cup_turns *turns, size_t count);
void cup_turns_finish(struct cup_turns *turns);

/* False if all pieces are taken. */
bool cup_turns_take(struct cup_turns *turns, size_t *piece);
void cup_turns_await(struct cup_turns *turns, size_t piece);
void cup_turns_end(struct cup_turns *turns);
