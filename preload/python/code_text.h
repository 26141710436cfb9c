/* The facts about a code object, read directly from its memory: without calling the interpreter and
 * without its locks. Only for code objects that cannot be freed while they are read: those that a
 * frame of the calling thread runs, and copies. */
#ifndef CUPPING_PRELOAD_PYTHON_CODE_TEXT_H
#define CUPPING_PRELOAD_PYTHON_CODE_TEXT_H

#include <stddef.h>
#include <stdint.h>

/* The facts that identify a function in the log. Texts and table are not owned. */
struct cup_code_facts {
    uint64_t address;     /* of the code object */
    uint64_t fingerprint; /* changes when another code object is allocated at this address */
    uint32_t first_line;
    const char *name; /* UTF-8, not NUL-terminated: co_qualname; before 3.11 co_name */
    uint32_t name_bytes;
    const char *file; /* UTF-8, not NUL-terminated: co_filename */
    uint32_t file_bytes;
    const unsigned char *table; /* line table: co_linetable; 3.9 co_lnotab */
    uint32_t table_bytes;
};

/* Distinguishes a code object from an earlier one at the same address. CODE may be a copy of its
 * first CUP_CODE_COPY bytes, NAME (its co_name) a copy of CUP_NAME_COPY bytes and TABLE (its line
 * table) a copy of CUP_TABLE_COPY bytes, or the whole object where that is shorter. NAME and TABLE
 * are not read where code objects have a version number (layout.h: code_version). */
enum { CUP_CODE_COPY = 144, CUP_NAME_COPY = 128, CUP_TABLE_COPY = 128 };
uint64_t cup_code_fingerprint(const char *code, const char *name, const char *table);

/* Converts a Python str to UTF-8 and sets *TEXT to the result: the str's own characters if they are
 * ASCII, else BUFFER. Text longer than SIZE bytes is cut between two characters; surrogates become
 * '?'. Returns the length in bytes; 0 also for a str whose characters do not follow the object
 * itself (not "compact"). */
size_t cup_code_utf8(const char *str, char *buffer, size_t size, const char **text);

/* Room for a name and a path that are not ASCII. */
struct cup_code_buffers {
    char name[1024], file[4096];
};

/* A hash of the first characters of the str NAME, used where the interpreter has not computed the
 * str's own hash yet. */
uint64_t cup_code_hash_characters(const char *name);

/* Reads all facts of a code object. They point into the object and into BUFFERS. */
void cup_code_read(const char *code, struct cup_code_facts *facts,
                   struct cup_code_buffers *buffers);

#endif
