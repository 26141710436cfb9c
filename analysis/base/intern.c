#include "analysis/base/intern.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"

int cup_text_compare(struct cup_text a, struct cup_text b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = shorter ? memcmp(a.bytes, b.bytes, shorter) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

uint64_t cup_text_hash(struct cup_text text)
{
    uint64_t value = UINT64_C(0x9e3779b97f4a7c15) ^ text.length;
    for (size_t at = 0; at < text.length; at += 8) {
        uint64_t word = 0;
        memcpy(&word, text.bytes + at, text.length - at < 8 ? text.length - at : 8);
        value = (value ^ word) * UINT64_C(0xff51afd7ed558ccd);
        value ^= value >> 32;
    }
    return value ? value : 1;
}

/* Returns the id of the text, or 0. *KEY becomes the key of the text in `ids`: its hash or, if
 * another text already has that key, the next key that is free. */
static uint32_t find_text(const struct cup_intern *intern, const char *bytes, size_t length,
                          uint64_t *key)
{
    for (*key = cup_text_hash((struct cup_text){bytes, length});; ++*key) {
        const uint32_t *id = cup_hash_map_find(&intern->ids, *key);
        if (!id)
            return 0;
        if (intern->texts[*id].length == length &&
            memcmp(intern->texts[*id].bytes, bytes, length) == 0)
            return *id;
    }
}

/* Makes room for one more text. Entry 0 is used up first, because id 0 means "not known". */
static int grow_texts(struct cup_intern *intern)
{
    if (cup_array_grow(&intern->texts, &intern->room, intern->count, sizeof *intern->texts) != 0)
        return -1;
    if (intern->count == 0)
        intern->texts[intern->count++] = (struct cup_text){0};
    return 0;
}

static char *copy_text(const char *bytes, size_t length)
{
    char *copy = malloc(length + 1);
    if (!copy)
        return NULL;
    memcpy(copy, bytes, length);
    copy[length] = '\0'; /* for debuggers only */
    return copy;
}

uint32_t cup_intern_add(struct cup_intern *intern, const char *bytes, size_t length)
{
    uint64_t key;
    uint32_t known = find_text(intern, bytes, length, &key);
    if (known)
        return known;
    char *copy = grow_texts(intern) == 0 ? copy_text(bytes, length) : NULL;
    uint32_t *id = copy ? cup_hash_map_put(&intern->ids, key) : NULL;
    if (!id) {
        free(copy);
        return 0;
    }
    intern->texts[intern->count] = (struct cup_text){copy, length};
    return *id = (uint32_t)intern->count++;
}

uint32_t cup_intern_find(const struct cup_intern *intern, const char *bytes, size_t length)
{
    uint64_t key;
    return find_text(intern, bytes, length, &key);
}

void cup_intern_clear(struct cup_intern *intern)
{
    for (size_t id = 1; id < intern->count; id++)
        free((char *)intern->texts[id].bytes);
    free(intern->texts);
    cup_hash_map_clear(&intern->ids);
    *intern = (struct cup_intern){0};
}
