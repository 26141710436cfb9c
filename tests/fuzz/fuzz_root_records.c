/* Arbitrary bytes for the walk through the records of ROOT files; its corpus is tests/data/root.
 * The first bytes are the beginning of a file and choose at the same time in which pieces it is
 * read; where they say so, each key gets its own offset first, so that the fuzzer need not guess
 * it. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "preload/root/root_records.h"
#include "tests/fuzz/verbs.h"

const struct fuzz_inputs fuzz_inputs = {.ending = ".root"};

static uint64_t seed; /* of the pieces */

static uint32_t some(uint32_t most)
{
    seed = seed * UINT64_C(6364136223846793005) + 1442695040888963407;
    return (uint32_t)(seed >> 33) % most;
}

/* ---- what is reported must be sound ---------------------------------------------------------- */

static unsigned touched;

static void touch(const char *text, uint32_t bytes)
{
    for (uint32_t i = 0; i < bytes; i++)
        touched += (unsigned char)text[i];
}

static void require(bool holds)
{
    if (!holds)
        abort();
}

static void on_block(const struct cup_root_read *read, const struct cup_root_basket *block)
{
    require(block->place >= CUP_ROOT_STARTS && block->place <= CUP_ROOT_PASSES);
    require(block->bytes > 9 && block->object_bytes >= block->bytes - 9);
    require(block->offset < read->offset + read->bytes);
}

static void on_basket(void *user, const struct cup_root_basket *basket)
{
    const struct cup_root_read *read = user;
    if (basket->is_block) {
        on_block(read, basket);
        return;
    }
    touch(basket->branch, basket->branch_bytes);
    touch(basket->tree, basket->tree_bytes);
    require(basket->place >= CUP_ROOT_STARTS && basket->place <= CUP_ROOT_PASSES);
    require(basket->key_bytes <= basket->bytes && basket->key_bytes >= 29);
    require(basket->algorithm && !(basket->algorithm & (basket->algorithm - 1)));
    require(basket->branch_bytes + basket->tree_bytes < basket->key_bytes);
    require(basket->offset < read->offset + read->bytes);
    require(basket->offset + basket->bytes >= read->offset);
}

static void on_head(void *user, const struct cup_root_head *head)
{
    const struct cup_root_read *read = user;
    require(read->offset == 0);
    touched += head->version;
}

/* ---- reads ------------------------------------------------------------------------------- */

/* A copy of exactly these bytes: who looks behind them is seen. */
static void deliver(struct cup_root_read read)
{
    const struct cup_root_sink sink = {&read, on_basket, on_head};
    unsigned char *copy = malloc(read.bytes ? read.bytes : 1);
    memcpy(copy, read.data, read.bytes);
    read.data = copy;
    if (cup_root_is(&read))
        cup_root_walk(&read, &sink);
    free(copy);
}

static size_t piece(size_t left, unsigned kind)
{
    static const uint32_t most[] = {4, 50, 5000, 1 << 20};
    size_t bytes = 1 + some(most[kind % 4]);
    return bytes < left ? bytes : left;
}

/* From the beginning to the end. BASE: of a file that is larger. */
static void read_on(const unsigned char *data, size_t size, uint64_t base, unsigned kind)
{
    for (size_t at = 0, bytes; at < size; at += bytes) {
        bytes = piece(size - at, kind);
        deliver((struct cup_root_read){.file = 1,
                                       .continues = at && some(16),
                                       .offset = base + at,
                                       .data = data + at,
                                       .bytes = bytes,
                                       .ahead = some(2) ? 0 : 512});
    }
}

/* Requests here and there, of two files in turns that are the same. */
static void read_about(const unsigned char *data, size_t size, uint64_t base, unsigned kind)
{
    for (int i = 0; i < 64; i++) {
        size_t at = some((uint32_t)size), bytes;
        for (int k = 0; k < 3 && at < size; k++, at += bytes) {
            bytes = piece(size - at, kind);
            deliver((struct cup_root_read){.file = 1 + some(2),
                                           .continues = k > 0,
                                           .offset = base + at,
                                           .data = data + at,
                                           .bytes = bytes});
        }
    }
}

/* ---- places ------------------------------------------------------------------------------ */

static void put_place(unsigned char *at, uint64_t place, size_t bytes)
{
    for (size_t i = 0; i < bytes; i++)
        at[i] = (unsigned char)(place >> (8 * (bytes - 1 - i)));
}

static void place_key(unsigned char *data, size_t name, uint64_t base)
{
    bool big = name >= 34 && (data[name - 30] << 8 | data[name - 29]) > 1000;
    size_t width = big ? 8 : 4, head = 18 + 2 * width;
    if (name >= head)
        put_place(data + name - 2 * width, base + name - head, width);
}

static void place_keys(unsigned char *data, size_t size, uint64_t base)
{
    static const char *const classes[] = {"\7TBasket", "\5RBlob", "\5TFile", "\15ROOT::RNTuple"};
    for (size_t at = 0; at < size; at++)
        for (size_t i = 0; i < sizeof classes / sizeof *classes; i++)
            if (size - at >= strlen(classes[i]) &&
                memcmp(data + at, classes[i], strlen(classes[i])) == 0)
                place_key(data, at, base);
}

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
    enum { CHOICE = 64 }; /* a byte of the head of a file that is not used */
    if (size <= CHOICE)
        return 0;
    unsigned choice = data[CHOICE];
    uint64_t base = choice & 2 ? UINT64_C(5) << 30 : 0;
    unsigned char *own = malloc(size);
    memcpy(own, data, size);
    if (choice & 1)
        place_keys(own, size, base);
    memcpy(&seed, data + CHOICE - 8, sizeof seed);
    cup_root_reset();
    cup_root_expect(1);
    cup_root_expect(2);
    for (unsigned kind = 0; kind < 4; kind++) {
        if (kind || size < 5000)
            read_on(own, size, base, kind);
        read_about(own, size, base, kind);
    }
    free(own);
    return 0;
}
