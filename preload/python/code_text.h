/* The facts about a code object, read directly from its memory: without calling the interpreter and
 * without its locks. Only for code objects that cannot be freed while they are read: those that a
 * frame of the calling thread runs, and copies. */
#pragma once

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
    uint32_t table_bytes;       /* 0 for one longer than CUP_CODE_TABLE_LONGEST */
};
enum { CUP_CODE_TABLE_LONGEST = 64 * 1024 };

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

/* A code object, its label and file (str), and its line table (bytes): the objects or copies. */
struct cup_code_parts {
    const char *code, *label, *file, *table;
};

/* Reads all facts but the address and the fingerprint. They point into PARTS and into BUFFERS. */
void cup_code_read(const struct cup_code_parts *parts, struct cup_code_facts *facts,
                   struct cup_code_buffers *buffers);
