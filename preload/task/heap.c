#include "preload/task/heap.h"

#include "preload/log/log.h"

/* The block that counts what the calling thread maps and unmaps; NULL: none. */
static struct cup_block *find_heap_block(void)
{
    return cup_self.heap ? cup_self.heap : cup_attribution_helped();
}

/* Most helpers stay with the task that they helped last. */
void cup_heap_count_helping(uint32_t task, size_t bytes, size_t freed)
{
    if (cup_self.guard)
        return;
    struct cup_block *block = __builtin_expect(cup_self.last && cup_self.last->task == task, 1)
                                  ? cup_self.last
                                  : cup_attribution_helped();
    if (block && freed)
        cup_heap_remove(block, freed);
    else if (block)
        cup_heap_add(block, bytes);
}

/* ---- mappings ---------------------------------------------------------------------------- */

/* Arenas that are mapped now. Other mappings (libraries, files) are not in this table, so that to
 * unmap them does not count as freeing heap. An arena that finds no place is not counted at all. */
enum { MAPPINGS = 4096 };

static struct mapping {
    uintptr_t at;
    size_t bytes;
} mappings[MAPPINGS];

static size_t hash_address(uintptr_t at)
{
    return (at >> 12) * UINT64_C(0x9e3779b97f4a7c15) >> 52;
}

/* An entry is in one of this many places. remove_mapping() looks at all of them and does not stop
 * at an empty one, so a removed entry leaves no mark. */
enum { PROBE = 8 };

static bool add_mapping(uintptr_t at, size_t bytes)
{
    bool done = false;
    cup_log_lock();
    for (size_t i = 0; i < PROBE && !done; i++) {
        struct mapping *mapping = &mappings[(hash_address(at) + i) % MAPPINGS];
        done = !mapping->at || mapping->at == at;
        if (done)
            *mapping = (struct mapping){at, bytes};
    }
    cup_log_unlock();
    return done;
}

static bool remove_mapping(uintptr_t at, size_t bytes)
{
    bool found = false;
    cup_log_lock();
    for (size_t i = 0; i < PROBE && !found; i++) {
        struct mapping *mapping = &mappings[(hash_address(at) + i) % MAPPINGS];
        found = mapping->at == at && mapping->bytes == bytes;
        if (found)
            mapping->at = 0;
    }
    cup_log_unlock();
    return found;
}

void cup_heap_mapped(void *at, size_t bytes)
{
    if (!cup_active() || cup_self.guard)
        return;
    cup_guard();
    struct cup_block *block = find_heap_block();
    bool counts = block && add_mapping((uintptr_t)at, bytes);
    cup_unguard();
    if (counts)
        cup_heap_add(block, bytes);
}

bool cup_heap_unmapped(void *at, size_t bytes)
{
    if (!cup_active() || cup_self.guard)
        return false;
    cup_guard();
    bool ours = remove_mapping((uintptr_t)at, bytes);
    struct cup_block *block = ours ? find_heap_block() : NULL;
    if (block)
        cup_heap_remove(block, bytes);
    cup_unguard();
    return ours;
}

void cup_heap_still_mapped(void *at, size_t bytes)
{
    if (!cup_active() || cup_self.guard)
        return;
    cup_guard();
    struct cup_block *block = add_mapping((uintptr_t)at, bytes) ? find_heap_block() : NULL;
    if (block) {
        block->counters[CUP_C_FREED_BYTES] -= bytes;
        block->counters[CUP_C_FREE_CALLS]--;
    }
    cup_unguard();
}
