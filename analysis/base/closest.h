/* "did you mean": the name that is most like a misspelt word. */
#pragma once

#include <stddef.h>

struct cup_closest {
    const char *word; /* as it was typed */
    const char *name; /* the closest name so far, not owned; NULL: none is close enough */
    size_t distance;  /* letters to insert, delete, replace or exchange with their neighbour */
    char text[96];
};

/* Starts with { .word = ... }. A name is close enough if at most a third of the longer one differs,
 * or if it begins with the word, of three letters or more. */
void cup_closest_try(struct cup_closest *closest, const char *name);

/* The same with all names of a list, which ends with NULL. */
void cup_closest_try_all(struct cup_closest *closest, const char *name_of(size_t n));

/* "; did you mean NAME", or "". It is in *closest. */
const char *cup_closest_text(struct cup_closest *closest);
