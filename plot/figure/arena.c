#include "plot/figure/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct cup_arena_block {
    struct cup_arena_block *next;
    alignas(max_align_t) unsigned char bytes[];
};

void *cup_arena_take(struct cup_arena *arena, size_t count, size_t size)
{
    struct cup_arena_block *block = NULL;
    if (size == 0 || count <= (SIZE_MAX - sizeof *block) / size)
        block = calloc(1, sizeof *block + count * size);
    if (!block)
        return NULL;
    block->next = arena->blocks;
    arena->blocks = block;
    return block->bytes;
}

void cup_arena_clear(struct cup_arena *arena)
{
    while (arena->blocks) {
        struct cup_arena_block *block = arena->blocks;
        arena->blocks = block->next;
        free(block);
    }
}

const char *cup_arena_text(struct cup_arena *arena, const char *text, size_t length)
{
    char *copy = cup_arena_take(arena, length + 1, 1);
    if (copy && length)
        memcpy(copy, text, length);
    return copy ? copy : "";
}
