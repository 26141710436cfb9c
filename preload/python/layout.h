/* Where the interpreter keeps what the library reads past its C API: offsets in bytes, known for
 * each version and verified against the API in the running one before they are used. */
#ifndef CUPPING_PRELOAD_PYTHON_LAYOUT_H
#define CUPPING_PRELOAD_PYTHON_LAYOUT_H

#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CUP_NOWHERE = ~0u,     /* this version has no such field */
    CUP_FRAME_FROM_C = 3,  /* an owner from this value on: no Python code, an entry from C */
    CUP_TEXT_COMPACT = 32, /* bits of a str's state: its characters follow the object, */
    CUP_TEXT_ASCII = 64,   /* at text_ascii; else at text_other, */
    CUP_TEXT_KIND = 2,     /* in so many bytes each (shift, 3 bits) */
};

struct cup_layout {
    /* thread state: verified by cup_frames_verify(), but for the chunk */
    size_t thread_frame;    /* the current frame, or what leads to it: */
    size_t thread_indirect; /* 3.11, 3.12: from there once more */
    size_t thread_chunk;    /* 3.11 and later: the chunk of its data stack, on which frames lie:
                               struct { previous; size_t bytes of it all; ...; frames }. By
                               cup_stacks_verify(), CUP_NOWHERE if it is not so. */
    /* frame: likewise */
    size_t frame_code; /* 3.14 keeps flags in the low bits */
    size_t frame_back;
    size_t frame_variables; /* the first local variable */
    size_t frame_owner;     /* 3.12 and later: a byte */
    size_t frame_place;     /* the instruction: a pointer; 3.9 an int, in bytes, 3.10 in
                               instructions of two bytes; CUP_NOWHERE: not verified */
    size_t code_name;
    /* the rest of code objects, str and bytes: by cup_stacks_verify() */
    size_t code_label; /* co_qualname; before 3.11 co_name */
    size_t code_file;
    size_t code_first_line; /* an int */
    size_t code_table;      /* 3.9 co_lnotab, later co_linetable: bytes */
    size_t code_version;    /* 3.12 and later: uint32_t, no two code objects have the same, 0 apart;
                               CUP_NOWHERE where that is not verified */
    size_t code_instructions; /* 3.11 and later: the first one */
    size_t text_length, text_hash, text_state, text_ascii, text_other;
    size_t bytes_length, bytes_data;
};

/* The running interpreter's. Written once, before anything says that it is verified. */
extern struct cup_layout cup_layout CUP_OURS;

/* What is known of Python 3.MINOR; false: nothing. */
bool cup_layout_known(int minor, struct cup_layout *layout);

#endif
