/* Stores each text once: equal texts have equal ids. Id 0 is "not known". */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "analysis/base/hash_map.h"

struct cup_text {
    const char *bytes; /* any bytes, no NUL at the end; NULL for id 0 */
    size_t length;
};

struct cup_intern {
    struct cup_text *texts; /* owned; [0] is "not known" */
    size_t count, room;
    struct cup_hash_map ids; /* by the hash of the text */
};

/* As strcmp(), by bytes. */
int cup_text_compare(struct cup_text a, struct cup_text b);

static inline bool cup_text_is(struct cup_text text, const char *string)
{
    return cup_text_compare(text, (struct cup_text){string, strlen(string)}) == 0;
}

/* A hash of the bytes of the text; never 0. */
uint64_t cup_text_hash(struct cup_text text);

/* The id of a copy of these bytes; 0 without memory. */
uint32_t cup_intern_add(struct cup_intern *intern, const char *bytes, size_t length);

/* The id of a text that is stored already, else 0. */
uint32_t cup_intern_find(const struct cup_intern *intern, const char *bytes, size_t length);

/* {NULL, 0} for id 0. */
static inline struct cup_text cup_intern_text(const struct cup_intern *intern, uint32_t id)
{
    return id < intern->count ? intern->texts[id] : (struct cup_text){0};
}

void cup_intern_clear(struct cup_intern *intern);
