/* The walk through the records of ROOT files, in memory that stands for what reads deliver: 1 GiB
 * in rounds of 64 MiB, of which the quickest is shown. */
#include "preload/root/root_records.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { STREAM = 64 << 20, ROUNDS = 16, BASKET = 30000 };

static unsigned char *stream;
static unsigned long baskets;

static void put(unsigned char *at, uint64_t value, int bytes)
{
    while (bytes--)
        *at++ = (unsigned char)(value >> (8 * bytes));
}

static void make_noise(void)
{
    uint64_t state = 1;
    for (size_t i = 0; i < STREAM; i += 8) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        uint64_t mixed = state ^ state >> 29;
        memcpy(stream + i, &mixed, 8);
    }
}

static void make_floats(void)
{
    float *values = (float *)stream;
    for (size_t i = 0; i < STREAM / sizeof *values; i++)
        values[i] = (float)(i % 100000) * 0.37f;
}

static void make_text(void)
{
    memset(stream, 'k', STREAM); /* the byte that is looked for, everywhere */
}

/* Keys that say where they are, BASKET bytes from one to the next. */
static void make_baskets(uint64_t base)
{
    static const char names[] = "\7TBasket\7Muon_pt\6Events";
    for (size_t at = 0; at + BASKET <= STREAM; at += BASKET) {
        unsigned char *key = stream + at;
        put(key, BASKET, 4);
        put(key + 4, 1004, 2);
        put(key + 6, 3 * BASKET, 4);
        put(key + 14, 34 + sizeof names - 1 + 19, 2);
        put(key + 18, base + at, 8);
        memcpy(key + 34, names, sizeof names - 1);
    }
}

static void on_basket(void *user, const struct cup_root_basket *basket)
{
    (void)user;
    baskets += basket->branch_bytes == 7;
}

static double walk(size_t piece, uint64_t base, bool continues)
{
    const struct cup_root_sink sink = {.basket = on_basket};
    struct timespec start, end;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (size_t at = 0; at + piece <= STREAM; at += piece)
        cup_root_walk(&(struct cup_root_read){.file = 1,
                                              .continues = continues && at,
                                              .offset = base + at,
                                              .data = stream + at,
                                              .bytes = piece},
                      &sink);
    clock_gettime(CLOCK_MONOTONIC, &end);
    return (double)(end.tv_sec - start.tv_sec) * 1e6 + (double)(end.tv_nsec - start.tv_nsec) / 1e3;
}

static void show(const char *what, size_t piece, bool continues, bool keys)
{
    double best = 1e9;
    baskets = 0;
    cup_root_reset();
    cup_root_expect(1);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        uint64_t base = (round + 1) * 4 * STREAM;
        if (keys)
            make_baskets(base);
        double us = walk(piece, base, continues);
        best = us < best ? us : best;
    }
    printf("  %-24s reads of %7zu: %6.2f us/MB, %.3f us a read, %lu baskets\n", what, piece,
           best / (STREAM / 1e6), best / (STREAM / (double)piece), baskets);
}

int main(void)
{
    static const size_t pieces[] = {1 << 20, 64 << 10, 4 << 10};
    stream = malloc(STREAM);
    if (!stream)
        return 1;
    for (int i = 0; i < 3; i++) {
        make_noise();
        show("random bytes", pieces[i], true, false);
        show("likewise, a request each", pieces[i], false, false);
        make_floats();
        show("numbers", pieces[i], true, false);
        make_text();
        show("the worst text", pieces[i], true, false);
        make_noise();
        show("baskets of 30 kB", pieces[i], true, true);
    }
    free(stream);
    return 0;
}
