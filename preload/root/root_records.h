/* Finds what reads of a ROOT file deliver: baskets (TBasket records of TTrees) and, in files that
 * hold an RNTuple, compressed blocks. It knows no task, no descriptor and no Python: it is given a
 * read, and calls a sink for everything that it finds. The bytes are the program's and may be
 * anything: they are only read, and nothing outside of them is. See docs/baskets.md. */
#pragma once

#include "preload/sys/library_variable.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Bytes that a call delivered. */
struct cup_root_read {
    uint32_t file;  /* FILE record of the log, not 0 */
    bool continues; /* it begins where the last read of the same descriptor ended: they are one
                       request */
    uint64_t offset;
    const unsigned char *data;
    size_t bytes;
    uint32_t ahead; /* bytes that a buffered reader reads ahead: the file's st_blksize; 0: 4096 */
};

/* How a record lies in what was requested; docs/baskets.md has the reasons. */
enum cup_root_place {
    CUP_ROOT_STARTS = 1, /* it begins where a request begins: it counts */
    CUP_ROOT_FOLLOWS =
        2, /* it follows one that counts, and counts too: in a read that is larger than a
              buffer, or at the end of a buffer after which its reader read on */
    CUP_ROOT_PASSES = 3, /* neither: it was only read ahead */
};

/* A whole key of class TBasket, or a compressed block of an RNTuple. Reported once for each time
 * that it is delivered. If only its beginning was read ahead, it is reported when its reader reads
 * on: then OFFSET lies before that read. */
struct cup_root_basket {
    uint64_t offset;
    uint32_t bytes;        /* fNbytes: key and payload as stored; of a block: with its head */
    uint32_t object_bytes; /* fObjlen: payload, uncompressed */
    uint32_t algorithm;    /* enum cup_algorithm, one of them */
    enum cup_root_place place;
    bool is_block;             /* of an RNTuple; then it has nothing of what follows */
    uint32_t key_bytes;        /* fKeylen */
    uint32_t entries;          /* fNevBuf; 0: not known */
    const char *branch, *tree; /* not NUL-terminated; valid during the call */
    uint32_t branch_bytes, tree_bytes;
};

/* The head of a file, in a read that begins at offset 0. */
struct cup_root_head {
    uint32_t version, compression; /* fVersion, fCompress */
    uint64_t end;                  /* fEND */
};

/* Functions that are called for what is found, in the order of offsets. HEAD may be NULL. */
struct cup_root_sink {
    void *user;
    void (*basket)(void *user, const struct cup_root_basket *basket);
    void (*head)(void *user, const struct cup_root_head *head);
};

/* Flags of files by the number of their FILE record. They are in a table, so that a look-up costs
 * two loads. */
enum cup_root_flags {
    CUP_ROOT_BY_NAME = 1 << 0,      /* its name is that of a ROOT file */
    CUP_ROOT_BY_MAGIC = 1 << 1,     /* its first bytes are those of a ROOT file */
    CUP_ROOT_NO_MAGIC = 1 << 2,     /* its first bytes are not */
    CUP_ROOT_WITH_NTUPLES = 1 << 3, /* it holds an RNTuple */
};
enum { CUP_ROOT_FILES = 1 << 13 }; /* known_files.c gives no higher numbers */
extern uint8_t cup_root_files[CUP_ROOT_FILES] CUP_OURS;

/* FILE is taken for a ROOT file. */
static inline bool cup_root_may_be(uint32_t file)
{
    uint8_t known = file < CUP_ROOT_FILES ? cup_root_files[file] : 0;
    return (known & (CUP_ROOT_BY_NAME | CUP_ROOT_BY_MAGIC)) && !(known & CUP_ROOT_NO_MAGIC);
}

/* It begins as ROOT files do. */
static inline bool cup_root_begins(const void *data, size_t bytes)
{
    return bytes >= 4 && memcmp(data, "root", 4) == 0;
}

/* True: READ is to be walked. Its file is taken for a ROOT file, or READ begins at offset 0 and
 * shows that it is one. Any thread; costs a few loads. */
bool cup_root_is(const struct cup_root_read *read);

/* FILE's name ends in .root: it is taken for a ROOT file until its first bytes are seen. */
void cup_root_expect(uint32_t file);

/* Walks the records in READ. Any thread. */
void cup_root_walk(const struct cup_root_read *read, const struct cup_root_sink *sink);

/* Called when a log is opened, and in a forked child: files have other numbers. */
void cup_root_reset(void);
