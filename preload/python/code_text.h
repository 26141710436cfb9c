/* What a code object tells of itself, read where it lies: no call into the interpreter, no lock of
 * its. For code that a frame of this thread runs, which keeps it alive. */
#ifndef CUPPING_PRELOAD_PYTHON_CODE_TEXT_H
#define CUPPING_PRELOAD_PYTHON_CODE_TEXT_H

#include "preload/stacks/stacks.h"

#include <stddef.h>

/* A str as UTF-8, to BUFFER where it is not ASCII: *TEXT tells where it is. Cut between characters
 * if it is longer than SIZE; surrogates become '?'. Returns its length; 0, too, of a str whose
 * characters are not in the object. */
size_t cup_code_utf8(const char *str, char *buffer, size_t size, const char **text);

/* Where a name was written that is not ASCII. */
struct cup_code_buffers {
    char name[1024], file[4096];
};

/* Of a name's first characters, for where the interpreter has not hashed it. */
uint64_t cup_code_hash_characters(const char *name);

/* All facts of a code object. They lie in it and in BUFFERS. */
void cup_code_read(const char *code, struct cup_code_facts *facts,
                   struct cup_code_buffers *buffers);

#endif
