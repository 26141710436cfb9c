/* Offsets, in bytes, of the fields of CPython's internal structures that cupping reads directly.
 * They are listed for each version and verified against the C API of the running interpreter before
 * they are used. */
#ifndef CUPPING_PRELOAD_PYTHON_LAYOUT_H
#define CUPPING_PRELOAD_PYTHON_LAYOUT_H

#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CUP_NOWHERE = ~0u,     /* this version has no such field */
    CUP_FRAME_FROM_C = 3,  /* least owner of a frame that is an entry from C: runs no Python code */
    CUP_TEXT_COMPACT = 32, /* flag in a str's state: the characters follow the object, */
    CUP_TEXT_ASCII = 64,   /* flag: they are ASCII and begin at text_ascii; else at text_other */
    CUP_TEXT_KIND = 2,     /* shift of the 3 bits that give the bytes per character */
};

struct cup_layout {
    /* thread state; verified by cup_frames_verify(), except thread_chunk */
    size_t thread_frame;    /* pointer to the current frame; 3.11, 3.12: to a _PyCFrame */
    size_t thread_indirect; /* 3.11, 3.12: in the _PyCFrame, pointer to the current frame */
    size_t thread_chunk;    /* 3.11 and later: the chunk of the data stack that frames lie on:
                               struct { previous; size_t size in bytes; ...; frames }. Verified by
                               cup_stacks_verify(), which sets CUP_NOWHERE if that fails. */
    /* frame; verified by cup_frames_verify() */
    size_t frame_code;      /* in 3.14 the low bits are flags */
    size_t frame_back;      /* the caller's frame */
    size_t frame_variables; /* the first local variable */
    size_t frame_owner;     /* 3.12 and later: a byte */
    size_t frame_place;     /* the instruction: a pointer; 3.9: an int, in bytes; 3.10: an int, in
                               units of two bytes. CUP_NOWHERE: verification failed */
    size_t code_name;
    /* code objects, str and bytes; verified by cup_stacks_verify() */
    size_t code_label; /* co_qualname; before 3.11 co_name */
    size_t code_file;
    size_t code_first_line; /* an int */
    size_t code_table;      /* 3.9 co_lnotab, later co_linetable: bytes */
    size_t code_version; /* 3.12 and later: uint32_t, different for each code object (or 0: none).
                            CUP_NOWHERE: verification failed */
    size_t code_instructions; /* 3.11 and later: the first instruction */
    size_t text_length, text_hash, text_state, text_ascii, text_other;
    size_t bytes_length, bytes_data;
};

/* The running interpreter's layout. Written once, before it is declared verified. */
extern struct cup_layout cup_layout CUP_OURS;

/* Fills in the listed layout of Python 3.MINOR. False: that version is unknown. */
bool cup_layout_known(int minor, struct cup_layout *layout);

#endif
