#include "preload/root/root_carry.h"

#include "preload/sys/spin.h"

#include <stddef.h>
#include <string.h>

enum { BUCKET_BITS = 6, BUCKETS = 1 << BUCKET_BITS, WAYS = 8 };

struct slot {
    uint32_t generation; /* of another one: empty */
    uint32_t age;        /* when it was kept, by the bucket's count */
    struct cup_root_standing standing;
};

/* What is looked through lies close together; rests are rare, and pages of them that are never used
 * are never there. */
static struct slot slots[BUCKETS][WAYS];
static unsigned char rests[BUCKETS][WAYS][CUP_ROOT_REST_ROOM];
static uint32_t kept[BUCKETS];
static uint32_t locks[BUCKETS];
static uint32_t generation = 1;
_Static_assert(sizeof slots + sizeof rests <= 512 << 10, "what a process may have in use");

static size_t bucket_of(uint32_t file, uint64_t offset)
{
    uint64_t mixed = (offset ^ (uint64_t)file << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return mixed >> (64 - BUCKET_BITS);
}

static bool is_free(const struct slot *slot)
{
    return slot->generation != __atomic_load_n(&generation, __ATOMIC_RELAXED);
}

/* Which way; or WAYS. */
static size_t find(size_t bucket, uint32_t file, uint64_t offset)
{
    size_t method = 0;
    for (; method < WAYS; method++) {
        const struct slot *slot = &slots[bucket][method];
        if (slot->standing.offset == offset && slot->standing.file == file && !is_free(slot))
            break;
    }
    return method;
}

/* Free, or the oldest. */
static size_t make_room(size_t bucket)
{
    size_t oldest = 0;
    for (size_t method = 0; method < WAYS; method++) {
        const struct slot *slot = &slots[bucket][method];
        if (is_free(slot))
            return method;
        if (kept[bucket] - slot->age > kept[bucket] - slots[bucket][oldest].age)
            oldest = method;
    }
    return oldest;
}

static void put(size_t bucket, size_t method, const struct cup_root_carry *carry)
{
    slots[bucket][method] = (struct slot){__atomic_load_n(&generation, __ATOMIC_RELAXED),
                                          ++kept[bucket], carry->standing};
    memcpy(rests[bucket][method], carry->rest, carry->standing.bytes);
}

void cup_root_carry_keep(const struct cup_root_carry *carry)
{
    const struct cup_root_standing *standing = &carry->standing;
    size_t bucket = bucket_of(standing->file, standing->offset);
    cup_spin_lock(&locks[bucket]);
    size_t method = find(bucket, standing->file, standing->offset);
    if (method == WAYS || standing->known || !slots[bucket][method].standing.known)
        put(bucket, method < WAYS ? method : make_room(bucket), carry);
    cup_spin_unlock(&locks[bucket]);
}

bool cup_root_carry_find(struct cup_root_carry *carry, uint32_t file, uint64_t offset)
{
    size_t bucket = bucket_of(file, offset);
    cup_spin_lock(&locks[bucket]);
    size_t method = find(bucket, file, offset);
    if (method < WAYS) {
        carry->standing = slots[bucket][method].standing;
        memcpy(carry->rest, rests[bucket][method], carry->standing.bytes);
    }
    cup_spin_unlock(&locks[bucket]);
    return method < WAYS;
}

void cup_root_carry_reset(void)
{
    for (size_t i = 0; i < BUCKETS; i++)
        cup_spin_unlock(&locks[i]);
    __atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);
}
