#include "preload/io/socket_owner.h"

#include "preload/attribution/context.h"
#include "preload/attribution/helper.h"
#include "preload/counters/block.h"
#include "preload/io/exchange.h"
#include "preload/io/peer.h"
#include "preload/io/transfer_counters.h"
#include "preload/lifecycle/running_tasks.h"

static struct cup_owner no_task(void)
{
    return (struct cup_owner){cup_block_none(), CUP_METHOD_NONE, 0};
}

/* ---- before the call --------------------------------------------------------------------- */

/* TASK is the only one that runs, and waits for native code. Threads of a native pool have no
 * context of Python's. So if an event loop works in a context that names no task, the pool has
 * passed the work on to it, and the loop works for TASK, whoever started the loop. */
static bool works_for_pool_of(uint32_t task)
{
    return task && cup_wait_self.is_loop && cup_context.verified && !cup_context_task() &&
           __atomic_load_n(&cup_native_waiter, __ATOMIC_RELAXED) == task;
}

static struct cup_owner find_pool_owner(const struct cup_owner *owner)
{
    uint32_t epoch, task = cup_sole_task(&epoch);
    if (owner->method != CUP_METHOD_NONE || !works_for_pool_of(task))
        return *owner;
    return (struct cup_owner){cup_block_helping(task), CUP_METHOD_SOLE, epoch};
}

/* The peer is not looked up for Dask's own threads: a worker has a connection to every other one.
 */
struct cup_owner cup_socket_find_owner(struct cup_descriptor *socket, int fd)
{
    struct cup_owner owner = cup_attribution(NULL);
    if (!cup_owner_is_dask(&owner))
        cup_peer_look_up(socket, fd);
    if (owner.block && socket->peer == CUP_PEER_DASK)
        return no_task();
    return owner.block && !cup_owner_is_dask(&owner) ? find_pool_owner(&owner) : owner;
}

/* ---- after the call ---------------------------------------------------------------------- */

/* Notes who sends on a connection, and who did before. */
static void note_sender(struct cup_descriptor *socket, uint32_t task)
{
    if (socket->owner != task)
        socket->previous = socket->owner;
    socket->owner = task;
}

/* The task that the received bytes are for; 0: unattributed. TASK: what the thread's attribution
 * says. asyncio reads a connection in the context of the task that opened it, for as long as it is
 * open, even when other tasks send their requests on it by then. So an answer is for the task that
 * sent last, unless another one may still wait for an answer. */
static uint32_t find_receiver(const struct cup_descriptor *socket, uint32_t task)
{
    uint32_t last = socket->owner, before = socket->previous;
    if (!last || last == task)
        return task;
    bool others = task || (before && before != last && cup_task_runs(before));
    return !others && cup_task_runs(last) ? last : 0;
}

/* RECEIVER 0: the bytes are unattributed. */
static void change_owner(struct cup_transfer *transfer, uint32_t receiver)
{
    struct cup_owner *owner = &transfer->owner;
    transfer->disputed = owner->method != CUP_METHOD_NONE;
    owner->method = receiver ? CUP_METHOD_HANDOFF : CUP_METHOD_NONE;
    owner->block = receiver ? cup_block_helping(receiver) : cup_block_none();
}

/* The connection is not followed by exchange.h. */
static void correct_by_senders(struct cup_transfer *transfer)
{
    struct cup_owner *owner = &transfer->owner;
    uint32_t task = owner->block ? owner->block->task : 0, receiver = task;
    if (transfer->call == CUP_WRITE && task)
        note_sender(transfer->descriptor, task);
    else if (owner->method == CUP_METHOD_CONTEXT || owner->method == CUP_METHOD_NONE)
        receiver = find_receiver(transfer->descriptor, task);
    if (receiver != task)
        change_owner(transfer, receiver);
    transfer->reason =
        transfer->descriptor->owner ? CUP_UNATTRIBUTED_PROTOCOL : CUP_UNATTRIBUTED_SENDER;
}

static void count_body(void *user, const char *data, size_t bytes, uint64_t offset, bool begins)
{
    cup_transfer_count_body(user, data, bytes, offset, begins);
}

/* A thread that runs a task, or one of its jobs, receives its own answers, unless answers are
 * mixed. Any other thread may receive for the task that sent the request, whatever its context
 * says. */
static size_t correct_by_request(struct cup_transfer *transfer,
                                 const struct cup_exchange_bytes *bytes, size_t offset)
{
    struct cup_owner *owner = &transfer->owner;
    uint32_t task = owner->block ? owner->block->task : 0;
    bool is_certain = owner->method == CUP_METHOD_OWN || owner->method == CUP_METHOD_HANDOFF;
    struct cup_answer answer =
        cup_exchange_received(transfer->descriptor, is_certain ? task : 0, bytes, offset);
    if (answer.mixed || (!is_certain && (!answer.task || answer.task != task)))
        change_owner(transfer, answer.inherited ? 0 : answer.task);
    transfer->url = answer.file;
    transfer->reason = answer.reason;
    transfer->answer = answer.state;
    if (answer.file && owner->block)
        cup_exchange_find_body(&answer, bytes, offset,
                               &(struct cup_http_sink){transfer, count_body});
    return answer.bytes;
}

static size_t correct_connection(struct cup_transfer *transfer,
                                 const struct cup_exchange_bytes *bytes, size_t offset)
{
    bool sends = transfer->call == CUP_WRITE;
    struct cup_asked asked = {.task = 0};
    if (!sends && bytes->count && cup_exchange_is_followed(transfer->descriptor))
        return correct_by_request(transfer, bytes, offset);
    if (!sends || !bytes->count ||
        !cup_exchange_sent(transfer->descriptor, &transfer->owner, bytes, &asked))
        correct_by_senders(transfer);
    transfer->asks = asked.asks;
    if (asked.task)
        change_owner(transfer, asked.task);
    return bytes->count;
}

/* An event loop is woken by one byte on a pair of sockets. Any thread may wake it, and the pair was
 * opened by the task that happened to come first: such bytes are unattributed even if a single task
 * runs, and counted only where the kernel counts them too. A pair may also carry data: for the own
 * thread of a task, and for jobs and threads that a task started. */
static void correct_pair(struct cup_owner *owner, enum cup_call call, ssize_t bytes)
{
    bool wakes = call == CUP_WRITE && bytes <= 1 && owner->method != CUP_METHOD_OWN;
    bool carries = owner->method == CUP_METHOD_OWN || owner->method == CUP_METHOD_HANDOFF ||
                   owner->method == CUP_METHOD_INHERITED;
    if (carries && !wakes)
        return;
    owner->method = CUP_METHOD_NONE;
    owner->block = call == CUP_READ ? cup_block_none() : NULL;
}

size_t cup_socket_correct_owner(struct cup_transfer *transfer, ssize_t bytes, const void *to,
                                int parts, size_t offset)
{
    const struct cup_descriptor *descriptor = transfer->descriptor;
    struct cup_exchange_bytes moved = {to, parts, bytes > 0 ? (size_t)bytes : 0};
    transfer->url = 0;
    transfer->disputed = transfer->asks = false;
    transfer->answer = (struct cup_answer_state){0};
    if (descriptor->class == CUP_FILE_PIPE && transfer->owner.block)
        cup_helper_used_pipe(descriptor->owner, transfer->owner.block->task);
    if (descriptor->class != CUP_FILE_SOCKET)
        return moved.count;
    if (descriptor->wire)
        transfer->owner = no_task();
    else if (descriptor->peer == CUP_PEER_PAIR)
        correct_pair(&transfer->owner, transfer->call, bytes);
    else if (!cup_socket_is_dask(transfer))
        return correct_connection(transfer, &moved, offset);
    return moved.count;
}
