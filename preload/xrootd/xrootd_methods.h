/* Which method of XRootD's client a call in the program means: a process may have two libraries
 * that have it. */
#ifndef CUPPING_PRELOAD_XROOTD_XROOTD_METHODS_H
#define CUPPING_PRELOAD_XROOTD_XROOTD_METHODS_H

#include "preload/sys/elf_symbols.h"
#include "preload/xrootd/xrootd_abi.h"

#include <stdbool.h>
#include <stdint.h>

/* In the order of CUP_XROOTD_HOOKS, which has each of them in both ABIs. LATER: the answer goes to
 * a handler. */
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

/* What a call from one place of the program leads to: the method in the library that the caller
 * itself is linked with. */
struct place {
    uintptr_t key; /* of the table of places: 0: free, BUSY: being filled */
    void *real;    /* the method; NULL: not found */
    enum method method;
    enum abi abi;
    bool known;   /* the layouts of this version of the library are known */
    bool is_part; /* the caller is itself a method of XrdCl::File, which waits for this request; the
                     caller's own call is recorded */
};

/* What a call of METHOD leads to. CALLER: the instruction after the call. Any thread. Keeps errno,
 * and takes no lock that the loader holds while it runs constructors. */
struct place cup_xrootd_place(const void *caller, enum method method, enum abi abi);

#endif
