#include "preload/io/transfer_counters.h"

#include "preload/attribution/child_processes.h"
#include "preload/counters/block.h"
#include "preload/io/opening.h"
#include "preload/io/repeats.h"
#include "preload/io/socket_owner.h"
#include "preload/root/baskets.h"
#include "preload/stacks/stack_events.h"

#include <sys/uio.h>

/* ---- counters of a class ----------------------------------------------------------------- */

/* Counters for the bytes, the calls and the time of a class; NONE: not counted. Calls that are
 * timed are also counted for their file or peer. */
struct class_counters {
    uint8_t bytes, calls, ns;
};
enum { NONE = CUP_COUNTER_ROOM };

static const struct class_counters *choose_read_counters(const struct cup_transfer *transfer)
{
    static const struct class_counters counters[] = {
        [0] = {NONE, NONE, NONE}, /* another thread closed the descriptor during the call */
        /* bytes: the first of a row of counters, one for each attribution method */
        [CUP_FILE_DATA] = {CUP_C_READ_OWN_BYTES, CUP_C_READ_CALLS, CUP_C_READ_NS},
        [CUP_FILE_IMPORT] = {CUP_C_IMPORT_BYTES, CUP_C_IMPORT_CALLS, NONE},
        [CUP_FILE_SPILL] = {CUP_C_SPILL_READ_BYTES, NONE, NONE},
        [CUP_FILE_PIPE] = {CUP_C_PIPE_BYTES, NONE, NONE},
        [CUP_FILE_SOCKET] = {CUP_C_RECV_BYTES, CUP_C_RECV_CALLS, CUP_C_NET_NS},
        [CUP_FILE_OTHER] = {CUP_C_OTHER_READ_BYTES, NONE, NONE},
    };
    static const struct class_counters dask_file = {CUP_C_DASK_READ_BYTES, CUP_C_READ_CALLS,
                                                    CUP_C_READ_NS};
    static const struct class_counters dask_socket = {CUP_C_TRANSFER_RECV_BYTES, NONE, NONE};
    static const struct class_counters wire = {CUP_C_WIRE_RECV_BYTES, NONE, CUP_C_NET_NS};
    uint32_t class = transfer->descriptor->class;
    if (cup_owner_is_dask(&transfer->owner) && class == CUP_FILE_DATA)
        return &dask_file;
    if (class == CUP_FILE_SOCKET && transfer->descriptor->wire)
        return &wire;
    if (class == CUP_FILE_SOCKET && cup_socket_is_dask(transfer))
        return &dask_socket;
    return &counters[class];
}

static const struct class_counters *choose_write_counters(const struct cup_transfer *transfer)
{
    static const struct class_counters counters[] = {
        [0] = {NONE, NONE, NONE},
        [CUP_FILE_DATA] = {CUP_C_WRITE_BYTES, CUP_C_WRITE_CALLS, CUP_C_WRITE_NS},
        [CUP_FILE_IMPORT] = {CUP_C_WRITE_BYTES, CUP_C_WRITE_CALLS, CUP_C_WRITE_NS},
        [CUP_FILE_SPILL] = {CUP_C_SPILL_WRITE_BYTES, NONE, NONE},
        [CUP_FILE_PIPE] = {NONE, NONE, NONE},
        [CUP_FILE_SOCKET] = {CUP_C_SEND_BYTES, CUP_C_SEND_CALLS, CUP_C_NET_NS},
        [CUP_FILE_OTHER] = {NONE, NONE, NONE},
    };
    static const struct class_counters dask_socket = {CUP_C_TRANSFER_SEND_BYTES, NONE, NONE};
    uint32_t class = transfer->descriptor->class;
    return class == CUP_FILE_SOCKET && cup_socket_is_dask(transfer) ? &dask_socket
                                                                    : &counters[class];
}

static const struct class_counters *choose_counters(const struct cup_transfer *transfer)
{
    return transfer->call == CUP_WRITE ? choose_write_counters(transfer)
                                       : choose_read_counters(transfer);
}

bool cup_transfer_is_timed(const struct cup_transfer *transfer)
{
    return choose_counters(transfer)->ns != NONE;
}

/* A second counter of the same bytes, for calls that the kernel's own count of reads treats
 * differently than cupping's. */
static unsigned choose_kernel_counter(const struct cup_transfer *transfer)
{
    uint32_t class = transfer->descriptor->class;
    switch (transfer->call) {
    case CUP_READ:
        return class == CUP_FILE_SOCKET ? CUP_C_SOCKET_READ_BYTES : NONE;
    case CUP_GET:
        return CUP_C_STDIO_READ_BYTES;
    case CUP_COPY:
        return class == CUP_FILE_DATA ? CUP_C_COPIED_BYTES : NONE;
    case CUP_FETCH:
        return CUP_C_REMOTE_READ_BYTES;
    default:
        return NONE;
    }
}

/* A server sent the bytes, through a TCP connection of the analysis. They count as read. */
static bool is_from_server(const struct cup_transfer *transfer)
{
    const struct cup_descriptor *descriptor = transfer->descriptor;
    return transfer->call != CUP_WRITE && descriptor->class == CUP_FILE_SOCKET &&
           descriptor->peer == CUP_PEER_TCP && !descriptor->wire && !cup_socket_is_dask(transfer);
}

static void count_from_server(const struct cup_transfer *transfer, uint64_t bytes)
{
    uint64_t *counters = transfer->owner.block->counters;
    counters[CUP_C_READ_OWN_BYTES + transfer->owner.method] += bytes;
    /* Released, because another thread subtracts it from the bytes read (preload/task/sections.c).
     */
    __atomic_store_n(&counters[CUP_C_SERVER_READ_BYTES], counters[CUP_C_SERVER_READ_BYTES] + bytes,
                     __ATOMIC_RELEASE);
    if (transfer->owner.method == CUP_METHOD_NONE)
        cup_transfer_count_unattributed((enum cup_unattributed_reason)transfer->reason, bytes);
}

/* Counts bytes and calls. Returns the counter of the call's time; NONE: neither time nor file is
 * counted. */
static unsigned count_in_block(const struct cup_transfer *transfer, uint64_t bytes)
{
    uint64_t *counters = transfer->owner.block->counters;
    const struct class_counters *class = choose_counters(transfer);
    unsigned method = class->bytes == CUP_C_READ_OWN_BYTES ? transfer->owner.method : 0;
    unsigned kernel = choose_kernel_counter(transfer);
    if (class->bytes != NONE)
        counters[class->bytes + method] += bytes;
    if (class->calls != NONE)
        counters[class->calls]++;
    if (kernel != NONE)
        counters[kernel] += bytes;
    if (is_from_server(transfer))
        count_from_server(transfer, bytes);
    return class->ns;
}

/* ---- files and peers --------------------------------------------------------------------- */

static void count_connection(const struct cup_transfer *transfer, struct cup_file_use *use)
{
    struct cup_descriptor *socket = transfer->descriptor;
    if (socket->peer != CUP_PEER_TCP)
        return;
    socket->connects = true;
    socket->connector = transfer->owner.block->task;
    use->counters[CUP_F_RECONNECTS] += cup_repeats_connection(socket->connector, socket->file);
}

__attribute__((noinline)) void cup_file_count_open(struct cup_transfer *transfer,
                                                   struct cup_file_use *use)
{
    if (!__atomic_exchange_n(&transfer->descriptor->opened, 0, __ATOMIC_RELAXED))
        return; /* another thread has counted it in this moment */
    if (transfer->descriptor->class != CUP_FILE_SOCKET)
        transfer->owner.block->counters[CUP_C_OPEN_CALLS]++;
    if (transfer->descriptor->class == CUP_FILE_DATA)
        cup_opening_used(transfer->descriptor, transfer->owner.block);
    if (use)
        use->counters[CUP_F_OPENS]++;
    if (use && transfer->descriptor->class == CUP_FILE_SOCKET)
        count_connection(transfer, use);
}

__attribute__((noinline)) void cup_file_find_baskets(const struct cup_transfer *transfer,
                                                     uint64_t bytes, struct cup_place place,
                                                     const void *to, int parts)
{
    struct iovec whole = {(void *)(uintptr_t)to, bytes};
    const struct iovec *part = parts ? to : &whole, *end = part + (parts ? parts : 1);
    uint64_t at = (uint64_t)place.at;
    for (; part < end && bytes; part++) {
        uint64_t here = part->iov_len < bytes ? part->iov_len : bytes;
        cup_baskets_read(transfer->owner.block->task, transfer->descriptor->file, part->iov_base,
                         here, at, place.sequential || at != (uint64_t)place.at);
        at += here;
        bytes -= here;
    }
}

void cup_transfer_count_body(const struct cup_transfer *transfer, const void *data, size_t bytes,
                             uint64_t offset, bool begins)
{
    struct cup_block *block = transfer->owner.block;
    struct cup_file_use *use = cup_block_file(block, transfer->url);
    cup_file_note_access(transfer, (struct cup_place){(int64_t)offset, !begins, use}, bytes);
    cup_baskets_read(block->task, transfer->url, data, bytes, offset, !begins);
    if (cup_reads_wanted && bytes)
        cup_reads_add(block, transfer->url, offset, bytes, transfer->start, transfer->stop);
}

/* Bytes from a peer have no offset. They are placed one after the other, in the order in which they
 * were received. */
static struct cup_place place_received(const struct cup_descriptor *socket,
                                       struct cup_file_use *use, uint64_t bytes)
{
    if (!use || socket->wire)
        return (struct cup_place){0};
    return (struct cup_place){(int64_t)(use->counters[CUP_F_READ_BYTES] - bytes), false, use};
}

static struct cup_place count_in_file(struct cup_transfer *transfer, uint64_t bytes, int64_t offset,
                                      uint64_t ns)
{
    bool reads = transfer->call != CUP_WRITE;
    bool is_socket = transfer->descriptor->class == CUP_FILE_SOCKET;
    if (is_socket && reads && transfer->url)
        cup_file_count_read(cup_block_file(transfer->owner.block, transfer->url), bytes, ns);
    struct cup_file_use *use = cup_file_count(transfer, reads, bytes, ns);
    if (is_socket)
        return place_received(transfer->descriptor, use, bytes);
    if (use && transfer->call == CUP_FETCH)
        use->counters[CUP_F_READS_FAILED] += transfer->failed;
    return cup_file_move(transfer->descriptor, use, reads, bytes, offset);
}

/* The call read a file or a peer at one place. A CUP_FETCH may have read several pieces, which
 * cup_transfer_piece() notes. */
static bool has_place(const struct cup_transfer *transfer)
{
    uint32_t class = transfer->descriptor->class;
    return (class == CUP_FILE_DATA || class == CUP_FILE_SOCKET) && transfer->call != CUP_WRITE &&
           transfer->call != CUP_FETCH;
}

/* ---- series and stacks ------------------------------------------------------------------- */

static void count_in_series(const struct cup_transfer *transfer, uint64_t bytes, uint64_t ns)
{
    bool reads = transfer->call != CUP_WRITE;
    bool is_socket = transfer->descriptor->class == CUP_FILE_SOCKET;
    if (is_socket && !is_from_server(transfer))
        return;
    if (reads)
        cup_series_count(transfer->stop, bytes, is_socket ? 0 : ns, 0);
    else
        cup_series_count(transfer->stop, 0, 0, bytes);
    if (reads && !is_socket && transfer->owner.method == CUP_METHOD_NONE)
        cup_transfer_count_unattributed(CUP_UNATTRIBUTED_THREAD,
                                        cup_owner_is_dask(&transfer->owner) ? 0 : bytes);
}

#define NO_USE CUP_STACK_USE_COUNT

/* What the call counts as at the stack that made it. Only data files count, imports that are
 * written, and sockets that are neither Dask's nor XRootD's. */
static enum cup_stack_use choose_stack_use(const struct cup_transfer *transfer)
{
    uint32_t class = transfer->descriptor->class;
    if (transfer->call == CUP_WRITE)
        return class == CUP_FILE_DATA || class == CUP_FILE_IMPORT ? CUP_U_WRITE : NO_USE;
    if (is_from_server(transfer))
        return CUP_U_SERVER_RECV;
    if (class == CUP_FILE_SOCKET)
        return transfer->descriptor->wire || cup_socket_is_dask(transfer) ? NO_USE : CUP_U_RECV;
    return class == CUP_FILE_DATA ? CUP_U_READ : NO_USE;
}

static void count_at_stack(const struct cup_transfer *transfer, uint64_t bytes, uint64_t ns)
{
    enum cup_stack_use use = choose_stack_use(transfer);
    if (use != NO_USE)
        cup_event_moved(use, transfer->owner.block->task, transfer->node, bytes, ns,
                        transfer->stop);
}

/* ---- a call ------------------------------------------------------------------------------ */

void cup_transfer_count(struct cup_transfer *transfer, uint64_t bytes, int64_t offset, uint64_t ns,
                        const void *to, int parts)
{
    unsigned timed = count_in_block(transfer, bytes);
    if (timed == NONE)
        return;
    transfer->owner.block->counters[timed] += ns;
    if (timed == CUP_C_READ_NS)
        cup_transfer_count_duration(transfer->owner.block, ns);
    struct cup_place place = count_in_file(transfer, bytes, offset, ns);
    if (has_place(transfer))
        cup_file_note_access(transfer, place, bytes);
    count_in_series(transfer, bytes, ns);
    if (transfer->descriptor->class == CUP_FILE_DATA && transfer->call != CUP_WRITE &&
        cup_file_may_be_root(transfer, bytes, place, to, parts))
        cup_file_find_baskets(transfer, bytes, place, to, parts);
    count_at_stack(transfer, bytes, ns);
}

void cup_transfer_count_character(struct cup_transfer *transfer)
{
    if (count_in_block(transfer, 1) != NONE) {
        struct cup_place place = count_in_file(transfer, 1, CUP_AT_CURSOR, 0);
        if (has_place(transfer))
            cup_file_note_access(transfer, place, 1);
    }
    enum cup_stack_use use = choose_stack_use(transfer);
    if (use != NO_USE)
        cup_event_character(use, cup_self.task);
}
