#include "preload/counters/pending_blocks.h"

#include "preload/counters/access.h"
#include "preload/counters/block.h"
#include "preload/sys/spin.h"

#include <string.h>

enum { PLACES = 16 };

static struct {
    uint32_t lock;
    uint32_t next; /* modulo PLACES: the place with the oldest block, which is reused next */
    struct cup_block *blocks[PLACES];
} pending;

static const bool is_largest[CUP_COUNTER_COUNT] = {
#define SUM false
#define MAX false /* the peaks of several threads are added up */
#define LARGEST true
#define X(id, name, kind, needs, what) kind,
    CUP_COUNTERS(X)
#undef X
#undef SUM
#undef MAX
#undef LARGEST
};

static void add_counters(struct cup_block *to, const struct cup_block *from)
{
    for (int i = 0; i < CUP_COUNTER_COUNT; i++)
        if (!is_largest[i])
            to->counters[i] += from->counters[i];
        else if (from->counters[i] > to->counters[i])
            to->counters[i] = from->counters[i];
    for (int histogram = 0; histogram < CUP_HISTOGRAM_COUNT; histogram++)
        for (int bucket = 0; bucket < CUP_BUCKETS; bucket++)
            to->histograms[histogram][bucket] += from->histograms[histogram][bucket];
}

static void add_file(struct cup_block *to, const struct cup_file_use *from)
{
    struct cup_file_use *use = cup_block_file(to, from->file);
    for (int i = 0; i < CUP_FILE_COUNTER_COUNT; i++)
        use->counters[i] += from->counters[i];
}

/* Adds FROM to TO. As soon as FROM is marked as moved, a reader ignores it: a kill after that loses
 * what is not added yet, but nothing is counted twice. */
static void merge_block(struct cup_block *to, struct cup_block *from)
{
    __atomic_store_n(&from->used, CUP_BLOCK_MOVED, __ATOMIC_RELEASE);
    add_counters(to, from);
    for (int entry = 0; entry < CUP_BLOCK_FILES; entry++)
        if (from->files[entry].file)
            add_file(to, &from->files[entry]);
    cup_access_move(to, from);
    if (to->tid != from->tid)
        to->tid = 0; /* now it has the counters of several threads */
}

static struct cup_block *find_pending(const struct cup_block *block)
{
    for (int i = 0; i < PLACES; i++)
        if (pending.blocks[i] && pending.blocks[i]->task == block->task &&
            pending.blocks[i]->own == block->own)
            return pending.blocks[i];
    return NULL;
}

bool cup_pending_blocks_put(struct cup_block *block, struct cup_block **out)
{
    *out = NULL;
    cup_spin_lock(&pending.lock);
    struct cup_block *known = find_pending(block);
    if (known) {
        merge_block(known, block);
    } else {
        uint32_t place = pending.next++ % PLACES;
        *out = pending.blocks[place];
        pending.blocks[place] = block;
    }
    cup_spin_unlock(&pending.lock);
    return known != NULL;
}

void cup_pending_blocks_reset(void)
{
    memset(&pending, 0, sizeof pending);
}
