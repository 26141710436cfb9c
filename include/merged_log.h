/* A merged log: the logs of several processes in one file. It gives back each of them byte for
 * byte, so readers of records need not know of it. docs/contributing/log-format.md gives the
 * reasons.
 *
 * The file begins with struct cup_merged_header. Then come the dictionary, the blocks of the logs
 * in the order of their names, prepared logs, and the index, without gaps: a struct cup_merged_log
 * for each log in that order, a struct cup_merged_block for each of their blocks, the names without
 * NUL, and the JSON text of what is known of incomplete logs (analysis/profile/collected.h).
 *
 * A log is cut into blocks of `block_bytes`, the last one may be shorter. A block is packed in two
 * steps, see analysis/log/packed_block.h: the fixed part of a record becomes its difference from
 * the record of the same type before it, and zstd compresses the result with the dictionary, which
 * is sample records of some of the logs.
 *
 * The bytes depend only on the set of logs: not on their order, nor on how they were merged before.
 * Integers have the byte order of the writer's machine, see `byte_order`. */
#pragma once

#include <stdint.h>

#define CUP_MERGED_MAGIC "CUPMERGE" /* 8 bytes, no NUL */
/* Version 1 is read, too: there, records from the first packed one of a block on are no differences
 * (CUP_FIXED_PACKED). Its writers did not know packed records. */
#define CUP_MERGED_VERSION 2

enum cup_packing {
    CUP_PACKING_NONE = 1, /* by a program without zstd: blocks are as they are in the log */
    CUP_PACKING_ZSTD = 2,
};

struct cup_merged_header {
    char magic[8];
    uint32_t byte_order; /* CUP_LOG_BYTE_ORDER */
    uint16_t version;
    uint16_t packing;     /* enum cup_packing */
    uint64_t file_bytes;  /* of the whole file */
    uint32_t block_bytes; /* of a block that is not the last one of its log */
    uint32_t log_count;
    uint64_t dictionary_at;
    uint32_t dictionary_packed; /* its bytes in the file; 0: there is none */
    uint32_t dictionary_bytes;  /* unpacked; equal to dictionary_packed: it is not compressed */
    uint64_t index_at;
    uint64_t index_bytes;
    uint64_t block_count;     /* of all logs */
    uint64_t index_hash;      /* cup_text_hash() of the index */
    uint64_t collected_bytes; /* in the index: what collected.json of the profiles said */
    uint64_t prepared_maker;  /* the build of the program that prepared logs; 0: none is */
    uint64_t spare[2];        /* 0 */
};

struct cup_merged_log {
    uint64_t bytes;       /* of the log */
    uint64_t first_block; /* index in the table of blocks */
    uint32_t name_at;     /* in the names */
    uint32_t name_bytes;  /* of its file name, without folders */
    /* Its prepared form (analysis/profile/load/prepared_log.h): where in the file, its bytes there,
     * and unpacked. All are 0 if it has none. */
    uint64_t prepared_at, prepared_packed, prepared_bytes;
    uint64_t spare[1]; /* 0 */
};

struct cup_merged_block {
    uint64_t at;           /* in the file */
    uint32_t packed;       /* bytes in the file; 0: all bytes of the block are 0; the size of the
                              block: it is not packed */
    uint32_t first_record; /* where in the block the first record begins; the size of the block: no
                              record is known to begin in it */
};
