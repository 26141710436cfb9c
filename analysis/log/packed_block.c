#include "analysis/log/packed_block.h"

#include <stdlib.h>
#include <string.h>

#include "include/log_format.h"

/* ---- differences of records ------------------------------------------------------------------ */

enum { TYPES = 64, WORDS = 32 }; /* records and words beyond these stay as they are */

/* Goes from record to record. The head of a record stays as it is, so that the way back is the
 * same. SKIPS_PACKED: goes on behind packed records; else the first one ends it, because its
 * `fixed` is larger than its length. */
static void change_records(unsigned char *block, size_t bytes, size_t first, bool undo,
                           bool skips_packed)
{
    uint32_t before[TYPES][WORDS] = {{0}};
    struct cup_record record;
    for (size_t at = first; at + sizeof record <= bytes; at += record.length) {
        memcpy(&record, block + at, sizeof record);
        if (record.length < sizeof record)
            return;
        if (skips_packed && (record.fixed & CUP_FIXED_PACKED))
            continue;
        if (record.fixed > record.length || record.fixed > bytes - at)
            return;
        unsigned words = record.fixed / sizeof(uint32_t);
        uint32_t *last = before[record.type < TYPES ? record.type : 0];
        for (unsigned i = sizeof record / sizeof(uint32_t); i < words && i < WORDS; i++) {
            uint32_t word;
            memcpy(&word, block + at + i * sizeof word, sizeof word);
            uint32_t changed = undo ? word + last[i] : word - last[i];
            last[i] = undo ? changed : word;
            memcpy(block + at + i * sizeof word, &changed, sizeof word);
        }
    }
}

void cup_block_difference(unsigned char *block, size_t bytes, size_t first)
{
    change_records(block, bytes, first, false, true);
}

void cup_block_undo_difference(unsigned char *block, size_t bytes, size_t first, unsigned version)
{
    change_records(block, bytes, first, true, version > 1);
}

/* ---- compression ----------------------------------------------------------------------------- */

#ifdef CUP_WITH_ZSTD

#include <zstd.h>

const bool cup_can_compress = true;

enum { LEVEL = 3 };

struct cup_packer {
    ZSTD_CCtx *pack;
    ZSTD_DCtx *unpack;
};

int cup_dictionary_to_pack(struct cup_dictionary *dictionary, const void *bytes, size_t count)
{
    dictionary->to_pack = ZSTD_createCDict(bytes, count, LEVEL);
    return dictionary->to_pack ? 0 : -1;
}

int cup_dictionary_to_unpack(struct cup_dictionary *dictionary, const void *bytes, size_t count)
{
    dictionary->to_unpack = ZSTD_createDDict(bytes, count);
    return dictionary->to_unpack ? 0 : -1;
}

void cup_dictionary_clear(struct cup_dictionary *dictionary)
{
    ZSTD_freeCDict(dictionary->to_pack);
    ZSTD_freeDDict(dictionary->to_unpack);
    *dictionary = (struct cup_dictionary){0};
}

static bool set_up(struct cup_packer *packer, const struct cup_dictionary *dictionary)
{
    if (dictionary && dictionary->to_unpack) {
        packer->unpack = ZSTD_createDCtx();
        return packer->unpack &&
               !ZSTD_isError(ZSTD_DCtx_refDDict(packer->unpack, dictionary->to_unpack));
    }
    packer->pack = ZSTD_createCCtx();
    packer->unpack = ZSTD_createDCtx();
    if (!packer->pack || !packer->unpack)
        return false;
    if (dictionary && dictionary->to_pack &&
        ZSTD_isError(ZSTD_CCtx_refCDict(packer->pack, dictionary->to_pack)))
        return false;
    /* The checksum finds a damaged block that unpacks all the same. */
    return !ZSTD_isError(ZSTD_CCtx_setParameter(packer->pack, ZSTD_c_compressionLevel, LEVEL)) &&
           !ZSTD_isError(ZSTD_CCtx_setParameter(packer->pack, ZSTD_c_checksumFlag, 1));
}

struct cup_packer *cup_packer_new(const struct cup_dictionary *dictionary)
{
    struct cup_packer *packer = calloc(1, sizeof *packer);
    if (packer && !set_up(packer, dictionary)) {
        cup_packer_free(packer);
        packer = NULL;
    }
    return packer;
}

void cup_packer_free(struct cup_packer *packer)
{
    if (packer) {
        ZSTD_freeCCtx(packer->pack);
        ZSTD_freeDCtx(packer->unpack);
        free(packer);
    }
}

size_t cup_packed_room(size_t bytes)
{
    return ZSTD_compressBound(bytes);
}

size_t cup_pack(struct cup_packer *packer, const void *from, size_t bytes, void *to, size_t room)
{
    size_t packed = ZSTD_compress2(packer->pack, to, room, from, bytes);
    return ZSTD_isError(packed) ? 0 : packed;
}

bool cup_unpack(struct cup_packer *packer, const void *from, size_t packed, void *to, size_t bytes)
{
    return ZSTD_decompressDCtx(packer->unpack, to, bytes, from, packed) == bytes;
}

#else

const bool cup_can_compress = false;

int cup_dictionary_to_pack(struct cup_dictionary *dictionary, const void *bytes, size_t count)
{
    (void)dictionary, (void)bytes, (void)count;
    return -1;
}

int cup_dictionary_to_unpack(struct cup_dictionary *dictionary, const void *bytes, size_t count)
{
    (void)dictionary, (void)bytes, (void)count;
    return -1;
}

void cup_dictionary_clear(struct cup_dictionary *dictionary)
{
    *dictionary = (struct cup_dictionary){0};
}

struct cup_packer *cup_packer_new(const struct cup_dictionary *dictionary)
{
    (void)dictionary;
    return NULL;
}

void cup_packer_free(struct cup_packer *packer)
{
    (void)packer;
}

size_t cup_packed_room(size_t bytes)
{
    return bytes;
}

size_t cup_pack(struct cup_packer *packer, const void *from, size_t bytes, void *to, size_t room)
{
    (void)packer, (void)from, (void)bytes, (void)to, (void)room;
    return 0;
}

bool cup_unpack(struct cup_packer *packer, const void *from, size_t packed, void *to, size_t bytes)
{
    (void)packer, (void)from, (void)packed, (void)to, (void)bytes;
    return false;
}

#endif
