/* Helpers that make parts of made-up data. */
#pragma once

#include "plot/shared/chunks.h"
#include "plot/shared/density.h"
#include "tests/plot/fakes.h"

/* Random numbers that are the same on every machine. */
struct dice {
    uint32_t state;
};
double roll(struct dice *dice); /* from 0 to 1 */

/* Allocates zeroed memory; aborts without memory. */
void *take(struct cup_arena *arena, size_t count, size_t size);

size_t amount(enum fake_kind kind, size_t usual, size_t large);
double run_seconds(enum fake_kind kind, double usual);
double odd(size_t i); /* NAN, infinity, negative, far too large, ... */
struct cup_text name_of(enum fake_kind kind, size_t i, struct cup_arena *arena);
void fill_chunks(struct cup_chunk_points *chunks, enum fake_kind kind, struct cup_arena *arena);
void fill_density(struct cup_density *density, struct cup_arena *arena);

/* Boxes of stacks; when runs are compared, boxes have changes. */
const void *fake_flame(enum fake_kind kind, bool compared, struct cup_arena *arena);

/* Like fake_data(), but NULL if the plot has no made-up data here. */
const void *fake_more(const char *plot, enum fake_kind kind, struct cup_arena *arena);
const void *fake_of_runs(const char *plot, enum fake_kind kind, struct cup_arena *arena);
const void *fake_access(const char *plot, enum fake_kind kind, struct cup_arena *arena);
