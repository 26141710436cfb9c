/* Finds a tree's record in a ROOT file, through the file's head, directories and keys. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "analysis/base/error.h"
#include "analysis/root/root_bytes.h"

struct cup_root_key {
    uint64_t bytes;        /* fNbytes: of the stored record, with its key */
    uint64_t key_bytes;    /* fKeylen */
    uint64_t object_bytes; /* fObjlen: of the uncompressed object */
    uint64_t seek;         /* offset of the record */
    uint64_t cycle;
    bool ntuple;  /* it is an RNTuple, not a TTree */
    bool derived; /* it is a TNtuple: a TTree with further members */
};

/* Finds the tree of that name, as cup_root_examine() describes. Returns 0, or -1 and a reason. */
int cup_root_find_tree(FILE *file, const char *name, struct cup_root_key *found,
                       struct cup_error *error);

/* BYTES bytes at OFFSET, allocated. NULL if the file is shorter, without memory, or if a sound file
 * cannot have so many there. */
unsigned char *cup_root_read(FILE *file, uint64_t offset, uint64_t bytes);
