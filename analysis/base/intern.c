#include "analysis/base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"

/* FNV-1a */
static uint64_t hash(const char *bytes, size_t length)
{
    uint64_t value = UINT64_C(14695981039346656037);
    for (size_t i = 0; i < length; i++)
        value = (value ^ (unsigned char)bytes[i]) * UINT64_C(1099511628211);
    return value;
}

/* The slot where the text stands, or the free one where it belongs. */
static uint32_t *slot_of(const struct cup_intern *intern, const char *bytes, size_t length)
{
    size_t mask = intern->slot_count - 1;
    for (size_t i = hash(bytes, length) & mask;; i = (i + 1) & mask) {
        uint32_t id = intern->slots[i];
        if (id == 0 || (intern->texts[id].length == length &&
                        memcmp(intern->texts[id].bytes, bytes, length) == 0))
            return &intern->slots[i];
    }
}

/* Keeps the table at most half full. */
static int make_room(struct cup_intern *intern)
{
    if (cup_array_grow(&intern->texts, &intern->room, intern->count, sizeof *intern->texts) != 0)
        return -1;
    if (intern->count == 0)
        intern->texts[intern->count++] = (struct cup_text){0};
    if (intern->count * 2 < intern->slot_count)
        return 0;
    size_t wanted = intern->slot_count ? intern->slot_count * 2 : 64;
    uint32_t *slots = calloc(wanted, sizeof *slots);
    if (!slots)
        return -1;
    free(intern->slots);
    intern->slots = slots;
    intern->slot_count = wanted;
    for (size_t id = 1; id < intern->count; id++)
        *slot_of(intern, intern->texts[id].bytes, intern->texts[id].length) = (uint32_t)id;
    return 0;
}

uint32_t cup_intern_add(struct cup_intern *intern, const char *bytes, size_t length)
{
    if (make_room(intern) != 0)
        return 0;
    uint32_t *slot = slot_of(intern, bytes, length);
    if (*slot)
        return *slot;
    char *copy = malloc(length + 1);
    if (!copy)
        return 0;
    memcpy(copy, bytes, length);
    copy[length] = '\0'; /* for debuggers only */
    intern->texts[intern->count] = (struct cup_text){copy, length};
    *slot = (uint32_t)intern->count;
    return (uint32_t)intern->count++;
}

uint32_t cup_intern_find(const struct cup_intern *intern, const char *bytes, size_t length)
{
    return intern->slot_count ? *slot_of(intern, bytes, length) : 0;
}

void cup_intern_clear(struct cup_intern *intern)
{
    for (size_t id = 1; id < intern->count; id++)
        free((char *)intern->texts[id].bytes);
    free(intern->texts);
    free(intern->slots);
    *intern = (struct cup_intern){0};
}
