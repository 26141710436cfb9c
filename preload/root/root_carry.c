#include "preload/root/root_carry.h"

#include "preload/sys/spin.h"

#include <stddef.h>
#include <string.h>

enum { BUCKET_BITS = 6, BUCKETS = 1 << BUCKET_BITS, WAYS = 8 };

struct slot {
    uint32_t generation; /* the slot is empty unless it is the current one */
    uint32_t age;        /* KEPT of its bucket when it was stored */
    struct cup_root_standing standing;
};

/* A set-associative cache. Rests are kept apart from the states, which are searched: few states
 * have one, and the kernel provides pages of rests only when they are first used. */
static struct slot slots[BUCKETS][WAYS];
static unsigned char rests[BUCKETS][WAYS][CUP_ROOT_REST_ROOM];
static uint32_t kept[BUCKETS];
static uint32_t locks[BUCKETS];
static uint32_t generation = 1;
_Static_assert(sizeof slots + sizeof rests <= 512 << 10,
               "memory of every process that reads ROOT files");

static size_t bucket_of(uint32_t file, uint64_t offset)
{
    uint64_t mixed = (offset ^ (uint64_t)file << 40) * UINT64_C(0x9e3779b97f4a7c15);
    return mixed >> (64 - BUCKET_BITS);
}

static bool is_free(const struct slot *slot)
{
    return slot->generation != __atomic_load_n(&generation, __ATOMIC_RELAXED);
}

/* Index of the slot in its bucket; WAYS: there is none. */
static size_t find_slot(size_t bucket, uint32_t file, uint64_t offset)
{
    size_t way = 0;
    for (; way < WAYS; way++) {
        const struct slot *slot = &slots[bucket][way];
        if (slot->standing.offset == offset && slot->standing.file == file && !is_free(slot))
            break;
    }
    return way;
}

/* Index of a free slot, else of the oldest. */
static size_t choose_slot(size_t bucket)
{
    size_t oldest = 0;
    for (size_t way = 0; way < WAYS; way++) {
        const struct slot *slot = &slots[bucket][way];
        if (is_free(slot))
            return way;
        if (kept[bucket] - slot->age > kept[bucket] - slots[bucket][oldest].age)
            oldest = way;
    }
    return oldest;
}

static void store_slot(size_t bucket, size_t way, const struct cup_root_carry *carry)
{
    slots[bucket][way] = (struct slot){__atomic_load_n(&generation, __ATOMIC_RELAXED),
                                       ++kept[bucket], carry->standing};
    memcpy(rests[bucket][way], carry->rest, carry->standing.bytes);
}

void cup_root_carry_keep(const struct cup_root_carry *carry)
{
    const struct cup_root_standing *standing = &carry->standing;
    size_t bucket = bucket_of(standing->file, standing->offset);
    cup_spin_lock(&locks[bucket]);
    size_t way = find_slot(bucket, standing->file, standing->offset);
    if (way == WAYS || standing->known || !slots[bucket][way].standing.known)
        store_slot(bucket, way < WAYS ? way : choose_slot(bucket), carry);
    cup_spin_unlock(&locks[bucket]);
}

bool cup_root_carry_find(struct cup_root_carry *carry, uint32_t file, uint64_t offset)
{
    size_t bucket = bucket_of(file, offset);
    cup_spin_lock(&locks[bucket]);
    size_t way = find_slot(bucket, file, offset);
    if (way < WAYS) {
        carry->standing = slots[bucket][way].standing;
        memcpy(carry->rest, rests[bucket][way], carry->standing.bytes);
    }
    cup_spin_unlock(&locks[bucket]);
    return way < WAYS;
}

void cup_root_carry_reset(void)
{
    for (size_t i = 0; i < BUCKETS; i++)
        cup_spin_unlock(&locks[i]);
    __atomic_add_fetch(&generation, 1, __ATOMIC_RELAXED);
}
