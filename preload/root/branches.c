#include "preload/root/branches.h"

#include "preload/log/log.h"
#include "preload/sys/id_table.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <string.h>

/* A hash table that is read without a lock, unlike the one in sys/id_table.h: every basket that is
 * read looks up its branch. 64 bits of hash stand for a name: of 8,192 branches two have the same
 * hash in one of 10^12 processes, and then share a row. */
struct slot {
    uint64_t hash; /* 0: free. Stored after the number */
    uint32_t number;
};
enum { SLOTS = 2 * CUP_BRANCHES };

static struct {
    struct slot *slots; /* NULL: not mapped yet */
    uint32_t lock;      /* held to add one */
    uint32_t count;
    bool full; /* the log has a note that it is */
} branches;

static bool map_slots(void)
{
    if (branches.slots)
        return true;
    void *at = cup_raw_mmap(NULL, SLOTS * sizeof(struct slot), PROT_READ | PROT_WRITE,
                            MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at != MAP_FAILED)
        __atomic_store_n(&branches.slots, at, __ATOMIC_RELEASE);
    return at != MAP_FAILED;
}

/* The slot that holds HASH, or the free one where it belongs. */
static struct slot *find_slot(struct slot *slots, uint64_t hash)
{
    for (uint64_t at = hash >> 32;; at++) {
        struct slot *slot = &slots[at % SLOTS];
        uint64_t found = __atomic_load_n(&slot->hash, __ATOMIC_ACQUIRE);
        if (!found || found == hash)
            return slot;
    }
}

/* Under the lock. 0: the log is full, or there are too many. */
static uint32_t add_branch(uint64_t hash, uint32_t tree, uint32_t name)
{
    if (!map_slots() || branches.count == CUP_BRANCHES)
        return 0;
    struct slot *slot = find_slot(branches.slots, hash);
    if (slot->hash)
        return slot->number;
    const struct cup_r_branch record = {.branch = branches.count + 1, .tree = tree, .name = name};
    if (!cup_log_write(CUP_R_BRANCH, &record, NULL, 0))
        return 0;
    slot->number = ++branches.count;
    __atomic_store_n(&slot->hash, hash, __ATOMIC_RELEASE);
    return slot->number;
}

/* Baskets of further branches are counted without a name. */
static uint32_t note_full(void)
{
    if (!__atomic_exchange_n(&branches.full, true, __ATOMIC_RELAXED))
        cup_log_note("branches without a name: more of them were read than a process can name");
    return 0;
}

uint32_t cup_branches_number(const char *tree, size_t tree_bytes, const char *name,
                             size_t name_bytes)
{
    struct cup_hash whole = cup_hash_bytes((struct cup_hash){1, 1}, tree, tree_bytes);
    uint64_t hash = cup_hash_bytes(whole, name, name_bytes).key | 1;
    struct slot *slots = __atomic_load_n(&branches.slots, __ATOMIC_ACQUIRE);
    const struct slot *known = slots ? find_slot(slots, hash) : NULL;
    if (known && known->hash == hash)
        return known->number;
    if (branches.count == CUP_BRANCHES)
        return note_full();
    uint32_t tree_id = tree_bytes ? cup_log_string(tree, tree_bytes) : 0;
    uint32_t name_id = cup_log_string(name, name_bytes);
    if (!name_id || (tree_bytes && !tree_id))
        return 0;
    cup_spin_lock(&branches.lock);
    uint32_t number = add_branch(hash, tree_id, name_id);
    cup_spin_unlock(&branches.lock);
    return number;
}

void cup_branches_reset(void)
{
    if (branches.slots)
        cup_raw_munmap(branches.slots, SLOTS * sizeof(struct slot));
    memset(&branches, 0, sizeof branches);
}
