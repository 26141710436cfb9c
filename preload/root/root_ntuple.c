#include "preload/root/root_ntuple.h"

#include "include/log_format.h"
#include "preload/sys/spin.h"

#include <string.h>

/* ---- blocks ------------------------------------------------------------------------------ */

static uint32_t read_size(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16;
}

/* The third byte of a block is a version of its algorithm. None of them has ever changed. */
static bool is_version(uint32_t algorithm, unsigned char version)
{
    enum { DEFLATED = 8 };
    switch (algorithm) {
    case CUP_ALGORITHM_ZLIB:
    case CUP_ALGORITHM_OLD:
        return version == DEFLATED;
    case CUP_ALGORITHM_LZMA:
        return version == 0;
    case CUP_ALGORITHM_LZ4:
    case CUP_ALGORITHM_ZSTD:
        return version == 1;
    default:
        return false;
    }
}

bool cup_root_block_read(struct cup_root_block_head *head, const unsigned char *data, size_t bytes)
{
    if (bytes < CUP_ROOT_BLOCK_HEAD)
        return false;
    uint32_t compressed = read_size(data + 3);
    head->algorithm = cup_root_algorithm(data);
    head->bytes = compressed + CUP_ROOT_BLOCK_HEAD;
    head->object_bytes = read_size(data + 6);
    return is_version(head->algorithm, data[2]) && compressed && compressed <= head->object_bytes;
}

/* ---- places ------------------------------------------------------------------------------ */

/* ANCHORS_MOST, LISTED_MOST: anchors and other records of one directory that are noted. */
enum { PLACES = 128, ANCHORS_MOST = 64, LISTED_MOST = 64 };

struct place {
    uint64_t offset;
    uint32_t file, bytes;
    bool anchor;
};

static struct place places[PLACES]; /* a new one replaces the oldest */
static uint32_t noted, locked;

static struct place *find_place(uint32_t file, uint64_t offset)
{
    for (size_t i = 0; i < PLACES; i++)
        if (places[i].bytes && places[i].file == file && places[i].offset == offset)
            return &places[i];
    return NULL;
}

static void note_place(struct place place)
{
    cup_spin_lock(&locked);
    struct place *known = find_place(place.file, place.offset);
    *(known ? known : &places[noted++ % PLACES]) = place;
    cup_spin_unlock(&locked);
}

uint32_t cup_root_ntuple_known(uint32_t file, uint64_t offset, bool *anchor)
{
    cup_spin_lock(&locked);
    struct place *place = find_place(file, offset);
    uint32_t bytes = place ? place->bytes : 0;
    *anchor = place && place->anchor;
    cup_spin_unlock(&locked);
    return bytes;
}

void cup_root_ntuple_reset(void)
{
    memset(places, 0, sizeof places);
    noted = 0;
    cup_spin_unlock(&locked);
}

/* ---- a directory's keys ------------------------------------------------------------------ */

struct list {
    const unsigned char *at;
    size_t left;
    uint32_t keys; /* that are still to come */
};

static bool next_key(struct list *list, struct cup_root_key *key)
{
    if (!list->keys || cup_root_key_listed(key, list->at, list->left) != CUP_ROOT_WHOLE ||
        key->kind == CUP_ROOT_GAP)
        return false;
    list->keys--;
    list->at += key->key_bytes;
    list->left -= key->key_bytes;
    return true;
}

static struct list begin_list(const unsigned char *payload, size_t bytes)
{
    struct list list = {0};
    if (bytes >= 4)
        list = (struct list){payload + 4, bytes - 4, cup_root_32(payload)};
    return list;
}

static bool has_anchor(struct list list)
{
    struct cup_root_key key;
    while (next_key(&list, &key))
        if (key.kind == CUP_ROOT_ANCHOR)
            return true;
    return false;
}

bool cup_root_ntuple_listed(uint32_t file, const unsigned char *payload, size_t bytes)
{
    struct cup_root_key key;
    struct list list = begin_list(payload, bytes);
    if (!has_anchor(list))
        return false;
    for (uint32_t anchors = 0, others = 0; anchors <= ANCHORS_MOST && next_key(&list, &key);) {
        bool anchor = key.kind == CUP_ROOT_ANCHOR;
        if (anchor ? anchors++ < ANCHORS_MOST : others++ < LISTED_MOST)
            note_place(
                (struct place){key.seek + key.key_bytes, file, key.bytes - key.key_bytes, anchor});
    }
    return true;
}

/* ---- the anchor -------------------------------------------------------------------------- */

static void note_envelope(uint32_t file, const unsigned char *link)
{
    uint64_t bytes = cup_root_64(link + 8);
    if (bytes <= INT32_MAX)
        note_place((struct place){cup_root_64(link), file, (uint32_t)bytes, false});
}

void cup_root_ntuple_anchor(uint32_t file, const unsigned char *payload, size_t bytes)
{
    /* Offsets, after the 6 bytes of the streamer and 4 version numbers. */
    enum { HEADER = 14, FOOTER = 38, LEAST = 62 };
    if (bytes < LEAST)
        return;
    note_envelope(file, payload + HEADER);
    note_envelope(file, payload + FOOTER);
}
