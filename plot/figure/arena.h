/* Memory that is given back all at once: what a plot's data consist of. */
#ifndef CUPPING_PLOT_FIGURE_ARENA_H
#define CUPPING_PLOT_FIGURE_ARENA_H

#include <stddef.h>

struct cup_arena_block;

struct cup_arena {
    struct cup_arena_block *blocks; /* owned; {0} is an empty arena */
};

/* `count` items of `size` bytes, zeroed; NULL without memory, or if that is more than there can be.
 * None are a valid pointer, too. */
void *cup_arena_take(struct cup_arena *arena, size_t count, size_t size);

/* Gives all of it back; the arena is then empty and usable. */
void cup_arena_clear(struct cup_arena *arena);

#endif
