/* What is known of RNTuples: compressed blocks, and where in a file those are that hold no pages.
 * Any thread. The bytes may be hostile. */
#ifndef CUPPING_PRELOAD_ROOT_ROOT_NTUPLE_H
#define CUPPING_PRELOAD_ROOT_ROOT_NTUPLE_H

#include "preload/root/root_key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUP_ROOT_BLOCK_HEAD = 9, CUP_ROOT_PAGE_CHECKSUM = 8 /* behind a page, as a rule */ };

struct cup_root_block_head {
    uint32_t bytes;        /* with its head */
    uint32_t object_bytes; /* uncompressed */
    uint32_t algorithm;    /* enum cup_algorithm */
};

/* False: no block, or fewer BYTES than its head has. */
bool cup_root_block_read(struct cup_root_block_head *head, const unsigned char *data, size_t bytes);

/* The payload of a record of class TFile or TDirectory, of which BYTES were delivered. True if it
 * lists an RNTuple. Where the payloads of the keys listed are is remembered then. */
bool cup_root_ntuple_listed(uint32_t file, const unsigned char *payload, size_t bytes);

/* Likewise the payload of an anchor: where header and footer are is remembered. */
void cup_root_ntuple_anchor(uint32_t file, const unsigned char *payload, size_t bytes);

/* What begins at OFFSET is known, and no page. Returns its length; 0: nothing is known. */
uint32_t cup_root_ntuple_known(uint32_t file, uint64_t offset, bool *anchor);

void cup_root_ntuple_reset(void);

#endif
