#include "preload/io/async_request.h"

#include "preload/counters/access.h"
#include "preload/counters/block.h"
#include "preload/stacks/stack_events.h"
#include "preload/waits/helper_wait.h"

#include <errno.h>

bool cup_async_request_begin(struct cup_async_request *request, struct cup_descriptor *file,
                             uint64_t bytes, uint64_t offset)
{
    if (!cup_active() || cup_self.guard)
        return false;
    int saved = errno;
    cup_guard();
    struct cup_owner owner = cup_attribution(&file->owner);
    request->file = *file;
    request->file.end = (uint64_t)file->end == offset ? (int64_t)offset : CUP_AT_CURSOR;
    file->opened = 0;
    file->end = (int64_t)(offset + bytes);
    request->task = owner.block ? owner.block->task : 0;
    request->epoch = owner.epoch;
    request->method = owner.method;
    request->node = request->task ? cup_event_node(request->task) : 0;
    request->start = cup_ticks();
    request->since = cup_helper_wait_enters(request->task, CUP_WAIT_IO, request->start);
    cup_unguard();
    errno = saved;
    return owner.block != NULL;
}

/* The owner of an answer. Its block is one of this thread, which received the answer. If the
 * requesting thread was attributed to a task only because that task started it
 * (CUP_METHOD_INHERITED), the answer is unattributed: the thread may turn out to serve other tasks
 * long afterwards, when this thread's block cannot be rolled back any more. */
static struct cup_owner find_owner(const struct cup_async_request *request)
{
    struct cup_owner owner = {NULL, request->method, request->epoch};
    if (!cup_thread_known())
        return owner;
    if (!request->task || request->method == CUP_METHOD_INHERITED)
        return (struct cup_owner){cup_block_none(&cup_self), CUP_METHOD_NONE, 0};
    owner.block = cup_self.task == request->task && cup_self.own
                      ? cup_self.own
                      : cup_block_helping(&cup_self, request->task);
    return owner;
}

uint32_t cup_async_request_end(struct cup_async_request *request, ssize_t bytes, int64_t offset)
{
    struct cup_transfer transfer = {.call = CUP_FETCH,
                                    .descriptor = &request->file,
                                    .start = request->start,
                                    .node = request->node};
    cup_helper_wait_leaves(request->task, CUP_WAIT_IO, cup_ticks(), request->since, 0);
    transfer.owner = find_owner(request);
    cup_transfer_finish(&transfer, bytes, offset, NULL, 0);
    request->block = transfer.owner.block;
    request->stop = transfer.stop;
    return transfer.owner.block ? transfer.owner.block->task : 0;
}

void cup_async_request_opened(struct cup_async_request *request, struct cup_opened *opened)
{
    cup_helper_wait_leaves(request->task, CUP_WAIT_IO, cup_ticks(), request->since, 0);
    struct cup_owner owner = find_owner(request);
    cup_attribution_confirm(&owner);
    opened->task = owner.block ? owner.block->task : 0;
    cup_opening_record(opened, owner.block);
}

void cup_async_request_piece(const struct cup_async_request *request, uint64_t bytes,
                             uint64_t offset)
{
    if (request->block && request->file.file && bytes)
        cup_access_read(request->block, cup_block_file(request->block, request->file.file), offset,
                        bytes, request->start, request->stop);
}
