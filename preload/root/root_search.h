/* Finds the record of a basket in bytes of which it is not known where records begin. */
#ifndef CUPPING_PRELOAD_ROOT_ROOT_SEARCH_H
#define CUPPING_PRELOAD_ROOT_ROOT_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    CUP_ROOT_CLASS_AT_MOST = 34, /* offset in a key of the name of its class, at most */
    /* A record that begins in so many bytes at the end of a read is not found: the name of its
     * class does not end in them. */
    CUP_ROOT_UNSEEN = CUP_ROOT_CLASS_AT_MOST + 7,
};

/* Looks for the record of a basket in BYTES at DATA, which lie at OFFSET of the file. The name of
 * the record's class must be in the first SEARCHED of them. True: the record begins *FOUND bytes
 * after DATA. Costs 0.1 ns a byte, and 10 ns for each place that has the name of the class and is
 * no record. */
bool cup_root_search(size_t *found, const unsigned char *data, size_t bytes, size_t searched,
                     uint64_t offset);

#endif
