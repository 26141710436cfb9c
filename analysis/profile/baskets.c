#include "analysis/profile/baskets.h"

#include <stdio.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/profile/profile.h"

void cup_basket_sums_add(struct cup_basket_sums *sums, const struct cup_basket_sums *more)
{
    cup_add_all((uint64_t *)sums, (const uint64_t *)more,
                offsetof(struct cup_basket_sums, algorithms) / sizeof(uint64_t));
    sums->algorithms |= more->algorithms;
    sums->sources |= more->sources;
}

void cup_task_baskets_add(struct cup_task_baskets *sums, const struct cup_task_baskets *more)
{
    cup_add_all((uint64_t *)sums, (const uint64_t *)more, sizeof *sums / sizeof(uint64_t));
}

void cup_basket_sums_add_values(struct cup_basket_sums *sums, const uint64_t *values,
                                enum cup_baskets_source source)
{
    uint64_t baskets = values[CUP_BV_BASKETS], compressed = values[CUP_BV_COMPRESSED];
    sums->baskets += baskets;
    sums->compressed += compressed;
    sums->uncompressed += values[CUP_BV_UNCOMPRESSED];
    sums->key_bytes += values[CUP_BV_KEYS];
    sums->entries += values[CUP_BV_ENTRIES];
    sums->unseen += source == CUP_BASKETS_UNSEEN ? baskets : 0;
    sums->unseen_compressed += source == CUP_BASKETS_UNSEEN ? compressed : 0;
    sums->by_place += source == CUP_BASKETS_BY_PLACE ? baskets : 0;
    sums->by_place_compressed += source == CUP_BASKETS_BY_PLACE ? compressed : 0;
    sums->embedded += source == CUP_BASKETS_EMBEDDED ? baskets : 0;
    sums->again += values[CUP_BV_AGAIN];
    sums->again_bytes += values[CUP_BV_AGAIN_BYTES];
    sums->incidental += values[CUP_BV_INCIDENTAL];
    sums->incidental_bytes += values[CUP_BV_INCIDENTAL_BYTES];
    sums->algorithms |= (uint32_t)values[CUP_BV_ALGORITHMS];
    sums->sources |= baskets ? 1u << source : 0;
}

char *cup_algorithm_names(uint32_t algorithms, char *to)
{
    static const char *const names[] = {"none", "zlib", "lzma", "lz4", "zstd", "old", "unknown"};
    size_t length = 0;
    to[0] = '\0';
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        if (algorithms & 1u << i)
            length += (size_t)snprintf(to + length, CUP_ALGORITHMS_ROOM - length, "%s%s",
                                       length ? ", " : "", names[i]);
    return to;
}

/* Returns the name of a tree without its directory and cycle: "Events" for "dir/Events;1". */
static struct cup_text plain_name(struct cup_text tree)
{
    if (!tree.bytes)
        return tree;
    const char *cycle = memchr(tree.bytes, ';', tree.length);
    if (cycle)
        tree.length = (size_t)(cycle - tree.bytes);
    for (size_t i = tree.length; i > 0; i--)
        if (tree.bytes[i - 1] == '/')
            return (struct cup_text){tree.bytes + i, tree.length - i};
    return tree;
}

bool cup_same_tree(const struct cup_profile *profile, uint32_t one, uint32_t other)
{
    struct cup_text a = plain_name(cup_profile_text(profile, one));
    struct cup_text b = plain_name(cup_profile_text(profile, other));
    return a.length > 0 && a.length == b.length && memcmp(a.bytes, b.bytes, a.length) == 0;
}

uint32_t cup_root_file_at(const struct cup_profile *profile, uint32_t path)
{
    for (uint32_t i = 0; path && i < profile->root_file_count; i++)
        if (profile->root_files[i].path == path)
            return i;
    return UINT32_MAX;
}

const struct cup_ttree *cup_ttree_named(const struct cup_profile *profile, uint32_t root_file,
                                        uint32_t tree)
{
    uint32_t at =
        root_file < profile->root_file_count ? profile->root_files[root_file].first_tree : 0;
    while (at && !cup_same_tree(profile, profile->ttrees[at - 1].name, tree))
        at = profile->ttrees[at - 1].next;
    return at ? &profile->ttrees[at - 1] : NULL;
}
