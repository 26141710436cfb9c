/* RNTuples: the heads of compressed blocks, and which blocks of a file are known to hold metadata
 * instead of pages. Format:
 * https://github.com/root-project/root/blob/master/tree/ntuple/doc/BinaryFormatSpecification.md.
 * Any thread. The bytes come from a file and may be anything. */
#pragma once

#include "preload/root/root_key.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { CUP_ROOT_BLOCK_HEAD = 9, CUP_ROOT_PAGE_CHECKSUM = 8 /* after most pages */ };

struct cup_root_block_head {
    uint32_t bytes;        /* compressed, with its head */
    uint32_t object_bytes; /* uncompressed */
    uint32_t algorithm;    /* enum cup_algorithm */
};

/* False: it is no block, or there are fewer BYTES than a head has. */
bool cup_root_block_read(struct cup_root_block_head *head, const unsigned char *data, size_t bytes);

/* PAYLOAD is that of a record of class TFile or TDirectory, of which BYTES were delivered. True: it
 * lists an RNTuple; then the places of the payloads that it lists are noted. */
bool cup_root_ntuple_listed(uint32_t file, const unsigned char *payload, size_t bytes);

/* PAYLOAD is that of an RNTuple's anchor: the places of the header and the footer are noted. */
void cup_root_ntuple_anchor(uint32_t file, const unsigned char *payload, size_t bytes);

/* Length of the metadata that was noted at OFFSET; 0: none was. *ANCHOR: it is an anchor. */
uint32_t cup_root_ntuple_known(uint32_t file, uint64_t offset, bool *anchor);

void cup_root_ntuple_reset(void);
