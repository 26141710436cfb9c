#include "preload/counters/access.h"
#include "preload/counters/block.h"
#include "preload/io/opening.h"
#include "preload/io/transfer.h"
#include "preload/stacks/stack_events.h"
#include "preload/waits/helper_wait.h"

#include <errno.h>

/* While it is out, its task waits for a file, whatever its threads do. */
bool cup_async_request_begin(struct cup_async_request *errand, struct cup_descriptor *file,
                             uint64_t bytes, uint64_t offset)
{
    if (!cup_active() || cup_self.guard)
        return false;
    int saved = errno;
    cup_guard();
    struct cup_owner owner = cup_attribution(&file->owner);
    errand->file = *file;
    errand->file.end = (uint64_t)file->end == offset ? (int64_t)offset : CUP_AT_CURSOR;
    file->opened = 0;
    file->end = (int64_t)(offset + bytes);
    errand->task = owner.block ? owner.block->task : 0;
    errand->epoch = owner.epoch;
    errand->method = owner.method;
    errand->node = errand->task ? cup_event_node(errand->task) : 0;
    errand->start = cup_ticks();
    errand->since = cup_helper_wait_enters(errand->task, CUP_WAIT_IO, errand->start);
    cup_unguard();
    errno = saved;
    return owner.block != NULL;
}

/* The block that pays is one of the thread that brings the answer. What a thread asked for that its
 * task merely started may turn out to be nobody's, long after: such a block cannot tell. */
static struct cup_owner bringer(const struct cup_async_request *errand)
{
    struct cup_owner owner = {NULL, errand->method, errand->epoch};
    if (!cup_thread_known())
        return owner;
    if (!errand->task || errand->method == CUP_METHOD_INHERITED)
        return (struct cup_owner){cup_block_none(&cup_self), CUP_METHOD_NONE, 0};
    owner.block = cup_self.task == errand->task && cup_self.own
                      ? cup_self.own
                      : cup_block_helping(&cup_self, errand->task);
    return owner;
}

uint32_t cup_async_request_end(struct cup_async_request *errand, ssize_t bytes, int64_t offset)
{
    struct cup_transfer transfer = {.call = CUP_FETCH,
                                    .descriptor = &errand->file,
                                    .start = errand->start,
                                    .node = errand->node};
    cup_helper_wait_leaves(errand->task, CUP_WAIT_IO, cup_ticks(), errand->since, 0);
    transfer.owner = bringer(errand);
    cup_transfer_finish(&transfer, bytes, offset, NULL, 0);
    errand->block = transfer.owner.block;
    errand->stop = transfer.stop;
    return transfer.owner.block ? transfer.owner.block->task : 0;
}

void cup_async_request_opened(struct cup_async_request *errand, struct cup_opened *opened)
{
    cup_helper_wait_leaves(errand->task, CUP_WAIT_IO, cup_ticks(), errand->since, 0);
    struct cup_owner owner = bringer(errand);
    cup_attribution_confirm(&owner);
    opened->task = owner.block ? owner.block->task : 0;
    cup_opening_record(opened, owner.block);
}

void cup_async_request_piece(const struct cup_async_request *errand, uint64_t bytes,
                             uint64_t offset)
{
    if (errand->block && errand->file.file && bytes)
        cup_access_read(errand->block, cup_block_file(errand->block, errand->file.file), offset,
                        bytes, errand->start, errand->stop);
}
