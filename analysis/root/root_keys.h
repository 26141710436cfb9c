/* Where in a ROOT file a tree's record is: the file's head, directories and their keys. */
#ifndef CUPPING_ANALYSIS_ROOT_ROOT_KEYS_H
#define CUPPING_ANALYSIS_ROOT_ROOT_KEYS_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/base/error.h"
#include "analysis/root/root_bytes.h"

struct cup_root_key {
    uint64_t bytes;        /* fNbytes: of the record as stored, with its key */
    uint64_t key_bytes;    /* fKeylen */
    uint64_t object_bytes; /* fObjlen: of the object, uncompressed */
    uint64_t seek;         /* where the record begins */
    uint64_t cycle;
    bool ntuple;  /* an RNTuple, no TTree */
    bool derived; /* a TNtuple: a TTree with more to it */
};

/* The tree that cup_root_examine() names so. Returns 0, or -1 and a reason. */
int cup_root_find_tree(FILE *file, const char *name, struct cup_root_key *found,
                       struct cup_error *error);

/* `bytes` from `offset` on, allocated; NULL if there are not as many, or without memory, or if no
 * sound file has as many there. */
unsigned char *cup_root_read(FILE *file, uint64_t offset, uint64_t bytes);

#endif
