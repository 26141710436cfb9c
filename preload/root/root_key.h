/* Decodes the key at the beginning of a record of a ROOT file, and finds the record of a basket in
 * bytes of which it is not known where records begin: https://root.cern/doc/master/classTFile.html.
 * All its numbers are big-endian. The bytes come from a file and may be anything. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum cup_root_kind {
    CUP_ROOT_OTHER = 0,
    CUP_ROOT_GAP = 1,       /* free space: only its size is known */
    CUP_ROOT_BASKET = 2,    /* TBasket */
    CUP_ROOT_DIRECTORY = 3, /* TFile, TDirectory: a directory, or the list of its keys */
    CUP_ROOT_ANCHOR = 4,    /* ROOT::RNTuple */
    CUP_ROOT_BLOB = 5,      /* RBlob: pages, or metadata, of an RNTuple */
};

struct cup_root_key {
    enum cup_root_kind kind;
    uint32_t bytes;        /* fNbytes; of a gap: its absolute value; 0: not known yet */
    uint32_t key_bytes;    /* fKeylen */
    uint32_t object_bytes; /* fObjlen */
    uint64_t seek;         /* fSeekKey: where the record begins */
    const char *name;      /* not NUL-terminated, in the bytes given; a basket's branch */
    const char *title;     /* the same; a basket's tree */
    uint32_t name_bytes, title_bytes;
    /* of a basket */
    uint32_t entries;   /* fNevBuf */
    uint32_t algorithm; /* enum cup_algorithm */
    uint32_t needed; /* bytes of the record that are needed, at least, to fill in this struct; for
                        PART it is more than there are */
    bool placed;     /* fSeekKey was read, and is the record's offset */
};

enum cup_root_verdict {
    CUP_ROOT_NOT = 0,   /* no record begins here */
    CUP_ROOT_PART = 1,  /* a record may begin here: more bytes are needed to decide */
    CUP_ROOT_WHOLE = 2, /* a whole key; for a basket, also the first letters of its payload */
};

/* Decodes what begins at OFFSET of a file, of which BYTES are at DATA. A gap is no more than a
 * negative number: believe it only where a record is known to begin. */
enum cup_root_verdict cup_root_key_read(struct cup_root_key *key, const unsigned char *data,
                                        size_t bytes, uint64_t offset);

/* The same for an entry in a directory's list of keys, which is a copy of a record's key from
 * elsewhere in the file: any fSeekKey is accepted. */
enum cup_root_verdict cup_root_key_listed(struct cup_root_key *key, const unsigned char *data,
                                          size_t bytes);

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

/* The algorithm (enum cup_algorithm) that the first two letters of a compressed block name. */
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
