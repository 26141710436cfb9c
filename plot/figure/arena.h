/* Memory that is freed all at once: it holds the data of a plot. */
#pragma once

#include <stddef.h>

struct cup_arena_block;

struct cup_arena {
    struct cup_arena_block *blocks; /* owned; {0} is an empty arena */
};

/* Allocates `count` items of `size` bytes, zeroed. NULL without memory or if the size overflows.
 * With a count of 0 the result is a valid pointer. */
void *cup_arena_take(struct cup_arena *arena, size_t count, size_t size);

/* Frees everything. The arena is then empty and can be used again. */
void cup_arena_clear(struct cup_arena *arena);

/* Copies a text and ends it with a zero byte. "" without memory. */
const char *cup_arena_text(struct cup_arena *arena, const char *text, size_t length);
