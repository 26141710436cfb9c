/* Packs and unpacks the blocks of merged logs, see include/merged_log.h. A program that was built
 * without zstd can only read and write blocks that are not compressed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Whether this program was built with zstd. */
extern const bool cup_can_compress;

/* Replaces the words of the fixed part of each record, from the one that begins at FIRST on, by
 * their difference from the record of the same type before it, or undoes this for a merged log of
 * VERSION. Stops at the first bytes that are no record, and at a fixed part that the block cuts.
 * Packed fixed parts stay as they are. */
void cup_block_difference(unsigned char *block, size_t bytes, size_t first);
void cup_block_undo_difference(unsigned char *block, size_t bytes, size_t first, unsigned version);

/* A dictionary in the form that packers or unpackers use. Several threads may use it. */
struct cup_dictionary {
    void *to_pack, *to_unpack; /* owned; NULL: none */
};

/* For packing or for unpacking. Returns 0, or -1 without memory or without zstd. */
int cup_dictionary_to_pack(struct cup_dictionary *dictionary, const void *bytes, size_t count);
int cup_dictionary_to_unpack(struct cup_dictionary *dictionary, const void *bytes, size_t count);
void cup_dictionary_clear(struct cup_dictionary *dictionary);

/* The state of one thread that packs or unpacks; NULL without memory or without zstd. The
 * dictionary must outlive it. */
struct cup_packer;
struct cup_packer *cup_packer_new(const struct cup_dictionary *dictionary);
void cup_packer_free(struct cup_packer *packer);

/* The room that the packed form of BYTES bytes may need. */
size_t cup_packed_room(size_t bytes);

/* Returns the number of packed bytes; 0 if it failed. */
size_t cup_pack(struct cup_packer *packer, const void *from, size_t bytes, void *to, size_t room);

/* True if exactly BYTES bytes came out. */
bool cup_unpack(struct cup_packer *packer, const void *from, size_t packed, void *to, size_t bytes);
