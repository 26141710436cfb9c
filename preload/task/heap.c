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
enum { MAPPINGS = 4096, PAGE = 4096 };

static struct mapping {
    uintptr_t at;
    size_t bytes;
} mappings[MAPPINGS];
static uint32_t mapping_count;
static uintptr_t lowest = UINTPTR_MAX, highest; /* addresses that were ever in the table */

static size_t hash_address(uintptr_t at)
{
    return (at >> 12) * UINT64_C(0x9e3779b97f4a7c15) >> 52;
}

/* An entry is in one of this many places. remove_mapping() looks at all of them and does not stop
 * at an empty one, so a removed entry leaves no mark. */
enum { PROBE = 8 };

static bool add_locked(uintptr_t at, size_t bytes)
{
    for (size_t i = 0; i < PROBE; i++) {
        struct mapping *mapping = &mappings[(hash_address(at) + i) % MAPPINGS];
        if (mapping->at && mapping->at != at)
            continue;
        mapping_count += !mapping->at;
        lowest = at < lowest ? at : lowest;
        highest = at + bytes > highest ? at + bytes : highest;
        *mapping = (struct mapping){at, bytes};
        return true;
    }
    return false;
}

static bool add_mapping(uintptr_t at, size_t bytes)
{
    cup_log_lock();
    bool done = add_locked(at, bytes);
    cup_log_unlock();
    return done;
}

static bool remove_whole(uintptr_t at, size_t bytes)
{
    for (size_t i = 0; i < PROBE; i++) {
        struct mapping *mapping = &mappings[(hash_address(at) + i) % MAPPINGS];
        if (mapping->at != at || mapping->bytes != bytes)
            continue;
        mapping->at = 0;
        mapping_count--;
        return true;
    }
    return false;
}

/* Takes [AT, END) out of a mapping, and keeps what is left on either side: allocators map more than
 * they need, and cut it to get an aligned piece. Returns the number of bytes taken. */
static size_t cut_mapping(struct mapping *mapping, uintptr_t at, uintptr_t end)
{
    struct mapping whole = *mapping;
    uintptr_t from = at > whole.at ? at : whole.at, whole_end = whole.at + whole.bytes;
    uintptr_t to = end < whole_end ? end : whole_end;
    mapping->bytes = from - whole.at;
    if (!mapping->bytes) {
        mapping->at = 0;
        mapping_count--;
    }
    if (to < whole_end && !add_locked(to, whole_end - to))
        to = whole_end; /* no place: it counts as freed */
    return to - from;
}

/* Returns how many bytes of [AT, AT + BYTES) were of mappings that count. */
static size_t remove_mapping(uintptr_t at, size_t bytes)
{
    size_t removed = 0;
    cup_log_lock();
    bool whole = remove_whole(at, bytes);
    if (whole)
        removed = bytes;
    bool may_cut = !whole && mapping_count && at < highest && at + bytes > lowest;
    for (size_t i = 0; i < MAPPINGS && may_cut; i++)
        if (mappings[i].at && mappings[i].at < at + bytes &&
            mappings[i].at + mappings[i].bytes > at)
            removed += cut_mapping(&mappings[i], at, at + bytes);
    cup_log_unlock();
    return removed;
}

/* The kernel maps and unmaps whole pages. */
static size_t whole_pages(size_t bytes)
{
    return (bytes + PAGE - 1) & ~(size_t)(PAGE - 1);
}

void cup_heap_mapped(void *at, size_t bytes)
{
    if (!cup_active() || cup_self.guard)
        return;
    cup_guard();
    bytes = whole_pages(bytes);
    struct cup_block *block = find_heap_block();
    bool counts = block && add_mapping((uintptr_t)at, bytes);
    if (block && !counts)
        cup_log_health(CUP_H_ARENAS_DROPPED, 1);
    cup_unguard();
    if (counts)
        cup_heap_add(block, bytes);
}

bool cup_heap_unmapped(void *at, size_t bytes)
{
    bytes = whole_pages(bytes);
    if (!cup_active() || cup_self.guard || !bytes || (uintptr_t)at % PAGE)
        return false; /* the kernel refuses to unmap nothing, or parts of pages */
    cup_guard();
    size_t removed = remove_mapping((uintptr_t)at, bytes);
    struct cup_block *block = removed ? find_heap_block() : NULL;
    if (block)
        cup_heap_remove(block, removed);
    cup_unguard();
    return removed == bytes; /* a part: not counted again if mremap() fails or moves it */
}

void cup_heap_still_mapped(void *at, size_t bytes)
{
    if (!cup_active() || cup_self.guard)
        return;
    cup_guard();
    bytes = whole_pages(bytes);
    struct cup_block *block = add_mapping((uintptr_t)at, bytes) ? find_heap_block() : NULL;
    if (block) {
        block->counters[CUP_C_FREED_BYTES] -= bytes;
        block->counters[CUP_C_FREE_CALLS]--;
        int64_t live =
            (int64_t)(block->counters[CUP_C_ALLOC_BYTES] - block->counters[CUP_C_FREED_BYTES]);
        if (live >
            (int64_t)block->live_bytes) /* at least: it does not know what was cut off at 0 */
            block->live_bytes = (uint64_t)live;
    }
    cup_unguard();
}
