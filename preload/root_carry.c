#include "preload/root_carry.h"

#include "preload/spin.h"

#include <stddef.h>
#include <string.h>

enum { BUCKET_BITS = 6, BUCKETS = 1 << BUCKET_BITS, WAYS = 4 };

struct slot {
    uint32_t generation; /* of another one: empty */
    uint32_t age;        /* when it was kept, by the bucket's count */
    struct cup_root_carry carry;
};

struct bucket {
    uint32_t kept;
    struct slot slots[WAYS];
};

static struct bucket buckets[BUCKETS]; /* pages that are never used are never there */
static uint32_t locks[BUCKETS];        /* apart: a reset is not to bring those pages in */
static uint32_t generation = 1;
_Static_assert(sizeof buckets <= 256 << 10, "what a process may have in use");

static struct bucket *bucket_of(uint32_t file, uint64_t offset)
{
    uint64_t mixed = (offset ^ (uint64_t)file << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return &buckets[mixed >> (64 - BUCKET_BITS)];
}

static void copy(struct cup_root_carry *to, const struct cup_root_carry *from)
{
    memcpy(to, from, offsetof(struct cup_root_carry, part) + from->bytes);
}

static bool is_free(const struct slot *slot)
{
    return slot->generation != __atomic_load_n(&generation, __ATOMIC_RELAXED);
}

static struct slot *find(struct bucket *bucket, uint32_t file, uint64_t offset)
{
    for (size_t i = 0; i < WAYS; i++) {
        struct slot *slot = &bucket->slots[i];
        if (!is_free(slot) && slot->carry.file == file && slot->carry.offset == offset)
            return slot;
    }
    return NULL;
}

/* Free, or the oldest. */
static struct slot *make_room(struct bucket *bucket)
{
    struct slot *oldest = &bucket->slots[0];
    for (size_t i = 0; i < WAYS; i++) {
        struct slot *slot = &bucket->slots[i];
        if (is_free(slot))
            return slot;
        if (bucket->kept - slot->age > bucket->kept - oldest->age)
            oldest = slot;
    }
    return oldest;
}

void cup_root_carry_keep(const struct cup_root_carry *carry)
{
    struct bucket *bucket = bucket_of(carry->file, carry->offset);
    cup_spin_lock(&locks[bucket - buckets]);
    struct slot *slot = find(bucket, carry->file, carry->offset);
    if (!slot)
        slot = make_room(bucket);
    copy(&slot->carry, carry);
    slot->generation = __atomic_load_n(&generation, __ATOMIC_RELAXED);
    slot->age = ++bucket->kept;
    cup_spin_unlock(&locks[bucket - buckets]);
}

bool cup_root_carry_find(struct cup_root_carry *carry, uint32_t file, uint64_t offset)
{
    struct bucket *bucket = bucket_of(file, offset);
    cup_spin_lock(&locks[bucket - buckets]);
    struct slot *slot = find(bucket, file, offset);
    if (slot)
        copy(carry, &slot->carry);
    cup_spin_unlock(&locks[bucket - buckets]);
    return slot;
}

void cup_root_carry_reset(void)
{
    for (size_t i = 0; i < BUCKETS; i++)
        cup_spin_unlock(&locks[i]);
    __atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);
}
