/* The key at the beginning of a record of a ROOT file, all of whose numbers are big-endian. Pure:
 * bytes come in, what they say comes out. The bytes may be hostile. */
#ifndef CUPPING_PRELOAD_ROOT_ROOT_KEY_H
#define CUPPING_PRELOAD_ROOT_ROOT_KEY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cup_root_kind {
    CUP_ROOT_OTHER = 0,
    CUP_ROOT_GAP = 1,       /* a free place: only its size is known */
    CUP_ROOT_BASKET = 2,    /* TBasket */
    CUP_ROOT_DIRECTORY = 3, /* TFile, TDirectory: among others, the list of a directory's keys */
    CUP_ROOT_ANCHOR = 4,    /* ROOT::RNTuple */
    CUP_ROOT_BLOB = 5,      /* RBlob: what an RNTuple stores */
};

struct cup_root_key {
    enum cup_root_kind kind;
    uint32_t bytes;        /* fNbytes; of a gap: its absolute value; 0: not known yet */
    uint32_t key_bytes;    /* fKeylen */
    uint32_t object_bytes; /* fObjlen */
    uint64_t seek;         /* fSeekKey: where the record begins */
    const char *name;      /* not NUL-terminated, in the bytes given; a basket's branch */
    const char *title;     /* likewise; a basket's tree */
    uint32_t name_bytes, title_bytes;
    /* of a basket */
    uint32_t entries;   /* fNevBuf */
    uint32_t algorithm; /* enum cup_algorithm */
    uint32_t needed; /* so many bytes from the record's beginning on are needed, at least, to tell
                        what is told here; of a part: more than there are */
    bool placed;     /* fSeekKey was seen, and is the record's offset */
};

enum cup_root_verdict {
    CUP_ROOT_NOT = 0,   /* no record begins here */
    CUP_ROOT_PART = 1,  /* nothing speaks against it so far, but it takes more bytes to tell */
    CUP_ROOT_WHOLE = 2, /* a key; of a basket, with the first letters of its payload */
};

/* What begins at OFFSET of a file, of which BYTES are at DATA. A gap is only a negative number: it
 * is to be believed where a record is known to begin. */
enum cup_root_verdict cup_root_key_read(struct cup_root_key *key, const unsigned char *data,
                                        size_t bytes, uint64_t offset);

/* The same for an entry of the list of keys of a directory, which is a copy of a record's key:
 * whatever fSeekKey it has is believed. */
enum cup_root_verdict cup_root_key_listed(struct cup_root_key *key, const unsigned char *data,
                                          size_t bytes);

/* The algorithm that a compressed block's first two letters name: enum cup_algorithm. */
uint32_t cup_root_algorithm(const unsigned char *letters);

static inline uint32_t cup_root_16(const unsigned char *at)
{
    return (uint32_t)at[0] << 8 | at[1];
}

static inline uint32_t cup_root_32(const unsigned char *at)
{
    return cup_root_16(at) << 16 | cup_root_16(at + 2);
}

static inline uint64_t cup_root_64(const unsigned char *at)
{
    return (uint64_t)cup_root_32(at) << 32 | cup_root_32(at + 4);
}

#endif
