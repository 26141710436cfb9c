#define _POSIX_C_SOURCE 200809L

#include "analysis/export/root_tree.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* ---- big-endian numbers and counted texts, never beyond the end ---------------------------- */

struct cursor {
    const unsigned char *at, *end;
    bool failed;
};

static uint64_t take(struct cursor *cursor, unsigned bytes)
{
    uint64_t value = 0;
    cursor->failed |= (size_t)(cursor->end - cursor->at) < bytes;
    for (unsigned i = 0; i < bytes && !cursor->failed; i++)
        value = value << 8 | *cursor->at++;
    return value;
}

static void skip(struct cursor *cursor, uint64_t bytes)
{
    cursor->failed |= (size_t)(cursor->end - cursor->at) < bytes;
    if (!cursor->failed)
        cursor->at += bytes;
}

/* Of up to 254 bytes, or 255 and a length in four. True if it is `expected`. */
static bool take_text(struct cursor *cursor, const char *expected)
{
    uint64_t length = take(cursor, 1);
    if (length == 255)
        length = take(cursor, 4);
    const unsigned char *text = cursor->at;
    skip(cursor, length);
    return !cursor->failed && length == strlen(expected) && memcmp(text, expected, length) == 0;
}

/* ---- pieces of the file --------------------------------------------------------------------- */

enum { MOST_BYTES = 1 << 24 }; /* of a piece: a directory of many thousand keys */

/* Up to `bytes` from `offset` on, allocated; NULL without any, and *cursor has failed. */
static unsigned char *read_piece(FILE *file, uint64_t offset, size_t bytes, struct cursor *cursor)
{
    *cursor = (struct cursor){.failed = true};
    if (bytes > MOST_BYTES || offset > INT64_MAX || fseeko(file, (off_t)offset, SEEK_SET) != 0)
        return NULL;
    unsigned char *piece = malloc(bytes + 1);
    size_t got = piece ? fread(piece, 1, bytes, file) : 0;
    if (piece)
        *cursor = (struct cursor){.at = piece, .end = piece + got};
    return piece;
}

struct key {
    uint64_t bytes, object_bytes, header_bytes, cycle, seek;
    bool wanted; /* a TTree of the name */
};

static struct key take_key(struct cursor *cursor, const char *name)
{
    struct key key = {.bytes = take(cursor, 4)};
    unsigned width = take(cursor, 2) > 1000 ? 8 : 4;
    key.object_bytes = take(cursor, 4);
    skip(cursor, 4); /* date */
    key.header_bytes = take(cursor, 2);
    key.cycle = take(cursor, 2);
    key.seek = take(cursor, width);
    skip(cursor, width); /* of the directory */
    bool is_tree = take_text(cursor, "TTree");
    key.wanted = take_text(cursor, name) && is_tree;
    take_text(cursor, ""); /* title */
    return key;
}

/* Where the keys of the top directory are; 0: not known. */
static uint64_t find_keys(FILE *file, uint64_t *bytes)
{
    struct cursor cursor;
    unsigned char *head = read_piece(file, 0, 64, &cursor);
    bool is_root = head && take(&cursor, 4) == 0x726f6f74; /* "root" */
    bool wide = is_root && take(&cursor, 4) >= 1000000;
    uint64_t begin = is_root ? take(&cursor, 4) : 0;
    skip(&cursor, wide ? 24 : 16); /* end, free segments */
    uint64_t directory = begin + take(&cursor, 4);
    bool known = is_root && !cursor.failed;
    free(head);
    unsigned char *record = known ? read_piece(file, directory, 64, &cursor) : NULL;
    if (!record)
        return 0;
    unsigned width = take(&cursor, 2) > 1000 ? 8 : 4;
    skip(&cursor, 8); /* dates */
    *bytes = take(&cursor, 4);
    skip(&cursor, 4 + 2 * width); /* its name, itself, its parent */
    uint64_t keys = take(&cursor, width);
    free(record);
    return cursor.failed ? 0 : keys;
}

/* The newest cycle; its `wanted` is false where there is none. */
static struct key find_tree(FILE *file, const char *name)
{
    struct key found = {0};
    struct cursor cursor;
    uint64_t bytes = 0, at = find_keys(file, &bytes);
    unsigned char *keys = at ? read_piece(file, at, bytes, &cursor) : NULL;
    if (!keys)
        return found;
    take_key(&cursor, ""); /* of the list itself */
    uint64_t count = take(&cursor, 4);
    for (uint64_t i = 0; i < count && !cursor.failed; i++) {
        struct key key = take_key(&cursor, name);
        if (!cursor.failed && key.wanted && key.cycle >= found.cycle)
            found = key;
    }
    free(keys);
    return found;
}

/* ---- the tree ------------------------------------------------------------------------------- */

enum { HAS_COUNT = 0x40000000, BASES = 4, OLDEST = 16, NEWEST = 20, PREFIX_BYTES = 8192 };

/* Name and title, line, fill and marker, each with its length; then what is wanted. */
static bool take_tree(struct cursor *cursor, struct cup_root_tree *tree)
{
    skip(cursor, 4);
    uint64_t version = take(cursor, 2);
    for (int i = 0; i < BASES; i++) {
        uint64_t count = take(cursor, 4);
        cursor->failed |= !(count & HAS_COUNT);
        skip(cursor, count & ~(uint64_t)HAS_COUNT);
    }
    skip(cursor, 8); /* entries */
    tree->uncompressed_bytes = take(cursor, 8);
    tree->compressed_bytes = take(cursor, 8);
    return !cursor->failed && version >= OLDEST && version <= NEWEST;
}

static bool read_tree(struct cup_root_tree *tree, FILE *file, const char *name)
{
    struct cursor cursor;
    struct key key = find_tree(file, name);
    if (!key.wanted || key.bytes != key.header_bytes + key.object_bytes)
        return false;
    size_t bytes = key.object_bytes < PREFIX_BYTES ? (size_t)key.object_bytes : PREFIX_BYTES;
    unsigned char *object = read_piece(file, key.seek + key.header_bytes, bytes, &cursor);
    bool taken = object && take_tree(&cursor, tree);
    free(object);
    return taken;
}

bool cup_root_tree_read(struct cup_root_tree *tree, const char *path, uint64_t size,
                        const char *name)
{
    struct stat status;
    if (stat(path, &status) != 0 || !S_ISREG(status.st_mode) || (uint64_t)status.st_size != size)
        return false; /* another one by now, or elsewhere */
    FILE *file = fopen(path, "rb");
    bool taken = file && read_tree(tree, file, name);
    if (file)
        fclose(file);
    return taken && tree->compressed_bytes > 0 && tree->uncompressed_bytes > 0;
}
