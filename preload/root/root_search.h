/* Looks for the record of a basket where it is not known where records begin. */
#ifndef CUPPING_PRELOAD_ROOT_ROOT_SEARCH_H
#define CUPPING_PRELOAD_ROOT_ROOT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CUP_ROOT_CLASS_AT_MOST = 34,                  /* where a key has the name of its class */
    CUP_ROOT_UNSEEN = CUP_ROOT_CLASS_AT_MOST + 7, /* so many bytes may begin a record unnoticed */
};

/* The BYTES at DATA are the file's from OFFSET on; of them the first SEARCHED are to hold the name
 * of the record's class. True: *FOUND is how many bytes from DATA it begins. Costs 0.1 ns a byte,
 * whatever the bytes are, and 10 ns for each that looks like a key and is none. */
bool cup_root_search(size_t *found, const unsigned char *data, size_t bytes, size_t searched,
                     uint64_t offset);

#endif
