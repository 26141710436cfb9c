/* Reads ROOT's serialised objects: big-endian numbers, texts and objects with their lengths.
 * Nothing is read beyond the end. A cursor that has failed remains failed, and returns zeros. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "analysis/base/intern.h"

struct cup_bytes {
    const unsigned char *at, *end;
    bool failed;
};

static inline void cup_bytes_skip(struct cup_bytes *bytes, uint64_t count)
{
    bytes->failed |= (uint64_t)(bytes->end - bytes->at) < count;
    if (!bytes->failed)
        bytes->at += count;
}

/* A number of WIDTH bytes, at most 8. */
static inline uint64_t cup_bytes_take(struct cup_bytes *bytes, unsigned width)
{
    const unsigned char *at = bytes->at;
    uint64_t value = 0;
    cup_bytes_skip(bytes, width);
    for (unsigned i = 0; i < width && !bytes->failed; i++)
        value = value << 8 | at[i];
    return value;
}

/* A text: its length in one byte, or 255 and the length in four bytes, then the bytes. */
static inline struct cup_text cup_bytes_take_text(struct cup_bytes *bytes)
{
    uint64_t length = cup_bytes_take(bytes, 1);
    if (length == 255)
        length = cup_bytes_take(bytes, 4);
    const char *text = (const char *)bytes->at;
    cup_bytes_skip(bytes, length);
    return bytes->failed ? (struct cup_text){0} : (struct cup_text){text, (size_t)length};
}

/* ---- objects ------------------------------------------------------------------------------ */

enum { CUP_ROOT_HAS_COUNT = 0x40000000 };

/* A serialised object: its byte count, the version of its class, its members. Moves the cursor
 * behind it and returns a cursor over the members. Fails if it has no byte count. */
static inline struct cup_bytes cup_bytes_take_object(struct cup_bytes *bytes, unsigned *version)
{
    uint64_t count = cup_bytes_take(bytes, 4);
    bytes->failed |= !(count & CUP_ROOT_HAS_COUNT);
    struct cup_bytes members = *bytes;
    cup_bytes_skip(bytes, count & (CUP_ROOT_HAS_COUNT - 1));
    members.end = bytes->at;
    members.failed = bytes->failed;
    *version = (unsigned)cup_bytes_take(&members, 2);
    return members;
}

static inline void cup_bytes_skip_object(struct cup_bytes *bytes)
{
    unsigned version;
    cup_bytes_take_object(bytes, &version);
}

/* Skips a TObject, the base of most classes. It normally has no byte count, and sometimes a further
 * number. */
static inline void cup_bytes_skip_tobject(struct cup_bytes *bytes)
{
    if (cup_bytes_take(bytes, 2) & 0x4000) /* the object does have a byte count */
        cup_bytes_skip(bytes, 4);
    cup_bytes_skip(bytes, 4);
    if (cup_bytes_take(bytes, 4) & 1 << 4) /* kIsReferenced: a process id follows */
        cup_bytes_skip(bytes, 2);
}
