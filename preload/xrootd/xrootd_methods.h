/* The methods of XRootD's client: which of them a call in the program means. */
#ifndef CUPPING_PRELOAD_XROOTD_XROOTD_METHODS_H
#define CUPPING_PRELOAD_XROOTD_XROOTD_METHODS_H

#include "preload/sys/elf_symbols.h"

#include <stdbool.h>
#include <stdint.h>

/* In the order of CUP_XROOTD_HOOKS, where each is there in both ABIs. */
enum method {
    OPEN,
    OPEN_LATER,
    READ,
    READ_LATER,
    PAGES,
    PAGES_LATER,
    VECTOR,
    VECTOR_LATER,
};

/* What a call from a place in the program leads to: the method of the library that the caller
 * itself is linked with. There may be two of the same name in a process. */
struct place {
    uintptr_t key; /* the place, and whether a name belongs to it; 0: free, BUSY: being filled */
    void *real;    /* NULL: nowhere to be found */
    bool known;    /* of a version whose layouts are known */
    bool is_part;  /* the caller is a method that waits, and makes its request by this one */
};

/* Of a call from CALLER, an instruction, of the hook of that number in the list. Keeps errno, and
 * takes no lock that the loader holds while it runs constructors. */
struct place cup_xrootd_place(const void *caller, unsigned name);

#endif
