#include "preload/io/transfer.h"

#include "preload/attribution/helper.h"
#include "preload/counters/access.h"
#include "preload/counters/block.h"
#include "preload/counters/series.h"
#include "preload/io/opening.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/log/log.h"
#include "preload/root/baskets.h"
#include "preload/root/root_records.h"
#include "preload/stacks/stack_events.h"

#include <errno.h>
#include <sys/uio.h>

/* What a thread of Dask itself moves for no task is Dask's own. */
static inline bool is_dasks(const struct cup_owner *owner)
{
    return __builtin_expect(owner->method == CUP_METHOD_NONE, 0) && cup_thread_is_dask(&cup_self);
}

/* So is what Dask's servers say to each other, whoever made them: a client in a task keeps its
 * connection, and the next task's client is the same. */
static inline bool is_dasks_socket(const struct cup_transfer *transfer)
{
    return transfer->descriptor->peer == CUP_PEER_DASK || is_dasks(&transfer->owner);
}

/* ---- waits ------------------------------------------------------------------------------- */

static enum cup_wait_class wait_class(const struct cup_descriptor *descriptor)
{
    switch (descriptor->class) {
    case CUP_FILE_PIPE:
    case CUP_FILE_SOCKET:
    case CUP_FILE_OTHER: /* eventfd, timerfd, devices */
        return CUP_WAIT_POLL;
    default:
        return CUP_WAIT_IO;
    }
}

/* The block that pays for waits: those of no task are not counted. */
static struct cup_block *payer(const struct cup_transfer *transfer)
{
    struct cup_block *block = transfer->owner.block;
    return block && block->task ? block : NULL;
}

/* Last thing before the call. */
static void start(struct cup_transfer *transfer)
{
    int saved = errno;
    cup_guard();
    cup_transfer_start(transfer);
    if (transfer->descriptor->quick < CUP_QUICK && payer(transfer)) {
        cup_wait_begin_for(&transfer->wait, wait_class(transfer->descriptor), payer(transfer));
        transfer->start = cup_ticks();
    }
    cup_unguard();
    errno = saved;
}

/* Copying within memory does at least a byte a nanosecond; what takes longer waited. */
enum { LONGEST_CALL_NS = 50000, LARGE_BYTES = 1 << 16 };

static inline bool is_slow(uint64_t bytes, uint64_t ns)
{
    return ns > LONGEST_CALL_NS + bytes;
}

/* It was not expected to block, and did not. */
static inline bool is_quick(const struct cup_transfer *transfer, uint64_t bytes, uint64_t ns)
{
    return transfer->descriptor->quick == CUP_QUICK && !transfer->wait.block &&
           bytes < LARGE_BYTES && !is_slow(bytes, ns);
}

static void end_wait(struct cup_transfer *transfer, uint64_t bytes, uint64_t ns)
{
    enum { BYTES_A_NS = 4, CALL_NS = 5000 };
    struct cup_descriptor *descriptor = transfer->descriptor;
    bool slow = is_slow(bytes, ns);
    if (transfer->wait.block)
        cup_wait_end_for(&transfer->wait, transfer->stop, payer(transfer));
    else if (slow && payer(transfer) && transfer->watched)
        cup_wait_guess(payer(transfer), wait_class(descriptor), transfer->start, transfer->stop,
                       bytes / BYTES_A_NS + CALL_NS);
    if (slow || bytes >= LARGE_BYTES)
        descriptor->quick = 0;
    else if (descriptor->quick < CUP_QUICK)
        descriptor->quick++;
}

/* ---- begin ------------------------------------------------------------------------------- */

/* A socket's peer is asked for now: after the call it may be gone. */
static bool begin_at_leisure(struct cup_transfer *transfer, int fd)
{
    bool counted = false;
    int saved = errno; /* programs set it to 0 before a call that need not set it */
    cup_guard();
    transfer->descriptor = cup_descriptor_get(fd, &transfer->spare);
    if (transfer->descriptor) {
        bool socket = transfer->descriptor->class == CUP_FILE_SOCKET;
        transfer->owner = cup_attribution(socket ? NULL : &transfer->descriptor->owner);
        counted = transfer->owner.block != NULL;
        if (socket && !is_dasks(&transfer->owner))
            cup_descriptor_peer(transfer->descriptor, fd);
        if (socket && transfer->descriptor->peer == CUP_PEER_DASK)
            transfer->owner = (struct cup_owner){cup_block_none(&cup_self), CUP_METHOD_NONE, 0};
    }
    cup_unguard();
    errno = saved;
    return counted;
}

static void attribute(struct cup_transfer *transfer)
{
    int saved = errno;
    cup_guard();
    transfer->owner = cup_attribution(&transfer->descriptor->owner);
    cup_unguard();
    errno = saved;
}

/* No task runs, nor was one handed over: then no way leads to any, and none has to be tried. */
static inline bool is_nobodys(void)
{
    return cup_self.none && !cup_self.own && !cup_self.handed && !cup_any_task_runs();
}

bool cup_transfer_begin_slowly(struct cup_transfer *transfer, int fd)
{
    if (fd < 0)
        return false;
    struct cup_descriptor *known = cup_descriptor_known(fd);
    if (!known || known->class == CUP_FILE_SOCKET || known->quick < CUP_QUICK) {
        bool counted = begin_at_leisure(transfer, fd);
        if (counted)
            start(transfer);
        return counted;
    }
    transfer->descriptor = known;
    if (is_nobodys())
        transfer->owner = (struct cup_owner){cup_self.none, CUP_METHOD_NONE, 0};
    else
        attribute(transfer);
    cup_transfer_start(transfer);
    return transfer->owner.block != NULL;
}

bool cup_transfer_begin_on(struct cup_transfer *transfer, struct cup_descriptor *file)
{
    if (!cup_active() || cup_self.guard)
        return false;
    transfer->call = CUP_FETCH;
    transfer->descriptor = file;
    attribute(transfer);
    if (transfer->owner.block)
        start(transfer);
    return transfer->owner.block != NULL;
}

/* ---- where it counts --------------------------------------------------------------------- */

/* Counters for the bytes, the calls and the time of a class. With a time come the counters of the
 * file or peer. */
struct sums {
    uint8_t bytes, calls, ns;
};
enum { NONE = CUP_COUNTER_ROOM };

static const struct sums *sums_of_read(const struct cup_transfer *transfer)
{
    static const struct sums sums[] = {
        [0] = {NONE, NONE, NONE}, /* closed meanwhile by another thread */
        [CUP_FILE_DATA] = {CUP_C_READ_OWN_BYTES, CUP_C_READ_CALLS, CUP_C_READ_NS}, /* plus way */
        [CUP_FILE_IMPORT] = {CUP_C_IMPORT_BYTES, CUP_C_IMPORT_CALLS, NONE},
        [CUP_FILE_SPILL] = {CUP_C_SPILL_READ_BYTES, NONE, NONE},
        [CUP_FILE_PIPE] = {CUP_C_PIPE_BYTES, NONE, NONE},
        [CUP_FILE_SOCKET] = {CUP_C_RECV_BYTES, CUP_C_RECV_CALLS, CUP_C_NET_NS},
        [CUP_FILE_OTHER] = {CUP_C_OTHER_READ_BYTES, NONE, NONE},
    };
    static const struct sums dask_file = {CUP_C_DASK_READ_BYTES, CUP_C_READ_CALLS, CUP_C_READ_NS};
    static const struct sums dask_socket = {CUP_C_TRANSFER_RECV_BYTES, NONE, NONE};
    static const struct sums wire = {CUP_C_WIRE_RECV_BYTES, NONE, CUP_C_NET_NS};
    uint32_t class = transfer->descriptor->class;
    if (is_dasks(&transfer->owner) && class == CUP_FILE_DATA)
        return &dask_file;
    if (class == CUP_FILE_SOCKET && transfer->descriptor->wire)
        return &wire;
    if (class == CUP_FILE_SOCKET && is_dasks_socket(transfer))
        return &dask_socket;
    return &sums[class];
}

static const struct sums *sums_of_write(const struct cup_transfer *transfer)
{
    static const struct sums sums[] = {
        [0] = {NONE, NONE, NONE},
        [CUP_FILE_DATA] = {CUP_C_WRITE_BYTES, CUP_C_WRITE_CALLS, CUP_C_WRITE_NS},
        [CUP_FILE_IMPORT] = {CUP_C_WRITE_BYTES, CUP_C_WRITE_CALLS, CUP_C_WRITE_NS},
        [CUP_FILE_SPILL] = {CUP_C_SPILL_WRITE_BYTES, NONE, NONE},
        [CUP_FILE_PIPE] = {NONE, NONE, NONE},
        [CUP_FILE_SOCKET] = {CUP_C_SEND_BYTES, CUP_C_SEND_CALLS, CUP_C_NET_NS},
        [CUP_FILE_OTHER] = {NONE, NONE, NONE},
    };
    static const struct sums dask_socket = {CUP_C_TRANSFER_SEND_BYTES, NONE, NONE};
    uint32_t class = transfer->descriptor->class;
    return class == CUP_FILE_SOCKET && is_dasks_socket(transfer) ? &dask_socket : &sums[class];
}

static const struct sums *sums_of(const struct cup_transfer *transfer, enum cup_call call)
{
    return call == CUP_WRITE ? sums_of_write(transfer) : sums_of_read(transfer);
}

/* A second counter for bytes that the kernel counts otherwise than their class tells. */
static unsigned besides(enum cup_call call, uint32_t class)
{
    switch (call) {
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

/* ---- end --------------------------------------------------------------------------------- */

#define NO_USE CUP_STACK_USE_COUNT

/* 0 to 100 bytes, to 1 KiB, ... as in the list of file counters. FROM: where the power of two below
 * falls, at most two classes off. */
static enum cup_file_counter size_class(uint64_t bytes)
{
    static const uint64_t limits[] = {100,     1 << 10,  10 << 10,  100 << 10, 1 << 20,
                                      4 << 20, 10 << 20, 100 << 20, 1 << 30};
    static const uint8_t from[32] = {0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 3, 3,
                                     3, 4, 4, 4, 4, 5, 5, 6, 7, 7, 7, 8, 8, 8, 8, 9};
    unsigned bits = 63u - (unsigned)__builtin_clzll(bytes | 1);
    unsigned at = from[bits < 31 ? bits : 31];
    while (at < 9 && bytes > limits[at])
        at++;
    return CUP_F_SIZE_0_100 + at;
}

/* The descriptor was opened, and is used for the first time. */
static __attribute__((noinline)) void count_opened(struct cup_transfer *transfer,
                                                   struct cup_file_use *use)
{
    transfer->descriptor->opened = 0;
    if (transfer->descriptor->class != CUP_FILE_SOCKET)
        transfer->owner.block->counters[CUP_C_OPEN_CALLS]++;
    if (transfer->descriptor->class == CUP_FILE_DATA)
        cup_opening_used(transfer->descriptor, transfer->owner.block);
    if (use)
        use->counters[CUP_F_OPENS]++;
}

static inline void count_read(struct cup_file_use *use, uint64_t bytes, uint64_t ns)
{
    use->counters[CUP_F_READ_BYTES] += bytes;
    use->counters[CUP_F_READ_CALLS]++;
    use->counters[CUP_F_READ_NS] += ns;
    use->counters[size_class(bytes)]++;
}

static void count_write(struct cup_file_use *use, uint64_t bytes, uint64_t ns)
{
    use->counters[CUP_F_WRITE_BYTES] += bytes;
    use->counters[CUP_F_WRITE_CALLS]++;
    use->counters[CUP_F_WRITE_NS] += ns;
}

/* Where a read or write began, and whether that is where the last read ended. */
struct began {
    int64_t at;
    bool sequential;
    struct cup_file_use *use; /* counts it; NULL: the file has no number */
};

/* Where the descriptor is now. */
static inline struct began move(struct cup_descriptor *descriptor, bool reads, uint64_t bytes,
                                int64_t offset)
{
    int64_t from = offset == CUP_AT_CURSOR ? descriptor->cursor : offset;
    int64_t to = from + (int64_t)bytes;
    bool sequential = reads && from == descriptor->end;
    if (offset == CUP_AT_CURSOR)
        descriptor->cursor = to;
    if (reads)
        descriptor->end = to;
    return (struct began){from, sequential, NULL};
}

/* ROOT files are among the data files. Asked of every read of one. */
static inline bool is_root(const struct cup_transfer *transfer, uint64_t bytes, struct began began,
                           const void *to, int parts)
{
    uint32_t file = transfer->descriptor->file;
    if (__builtin_expect(began.at == 0, 0) && to && (parts || cup_root_begins(to, bytes)))
        return file != 0;
    return to && cup_root_may_be(file);
}

static __attribute__((noinline)) void look_into(const struct cup_transfer *transfer, uint64_t bytes,
                                                struct began began, const void *to, int parts)
{
    struct iovec whole = {(void *)(uintptr_t)to, bytes};
    const struct iovec *part = parts ? to : &whole, *end = part + (parts ? parts : 1);
    uint64_t at = (uint64_t)began.at;
    for (; part < end && bytes; part++) {
        uint64_t here = part->iov_len < bytes ? part->iov_len : bytes;
        cup_baskets_read(transfer->owner.block->task, transfer->descriptor->file, part->iov_base,
                         here, at, began.sequential || at != (uint64_t)began.at);
        at += here;
        bytes -= here;
    }
}

/* A peer's bytes have no offset: they are taken to follow each other. */
static struct began received(const struct cup_descriptor *socket, struct cup_file_use *use,
                             uint64_t bytes)
{
    if (!use || socket->wire)
        return (struct began){0};
    return (struct began){(int64_t)(use->counters[CUP_F_READ_BYTES] - bytes), false, use};
}

/* What is counted for a file or a peer besides its class. NULL: it has no number. */
static inline __attribute__((always_inline)) struct cup_file_use *
count_use(struct cup_transfer *transfer, bool reads, uint64_t bytes, uint64_t ns)
{
    struct cup_descriptor *descriptor = transfer->descriptor;
    struct cup_file_use *use = NULL;
    if (__builtin_expect(descriptor->file != 0, 1)) {
        use = cup_block_file(transfer->owner.block, descriptor->file);
        if (reads)
            count_read(use, bytes, ns);
        else
            count_write(use, bytes, ns);
    }
    if (__builtin_expect(descriptor->opened, 0))
        count_opened(transfer, use);
    return use;
}

/* Likewise of a file: where it was read or written. */
static inline struct began count_place(struct cup_descriptor *descriptor, struct cup_file_use *use,
                                       bool reads, uint64_t bytes, int64_t offset)
{
    struct began began = move(descriptor, reads, bytes, offset);
    began.use = use;
    if (use)
        use->counters[CUP_F_SEQUENTIAL_CALLS] += began.sequential;
    return began;
}

static struct began count_in_file(struct cup_transfer *transfer, bool reads, uint64_t bytes,
                                  int64_t offset, uint64_t ns)
{
    struct cup_file_use *use = count_use(transfer, reads, bytes, ns);
    if (transfer->descriptor->class == CUP_FILE_SOCKET)
        return received(transfer->descriptor, use, bytes);
    return count_place(transfer->descriptor, use, reads, bytes, offset);
}

/* Where it read, and when. */
static inline void note_place(const struct cup_transfer *transfer, struct began began,
                              uint64_t bytes)
{
    if (began.use && bytes)
        cup_access_read(transfer->owner.block, began.use, (uint64_t)began.at, bytes,
                        transfer->start, transfer->stop);
}

/* What a library's own calls fetch, in one or several pieces, is told piece by piece. */
static bool has_place(const struct cup_transfer *transfer, enum cup_call call)
{
    uint32_t class = transfer->descriptor->class;
    return (class == CUP_FILE_DATA || class == CUP_FILE_SOCKET) && call != CUP_WRITE &&
           call != CUP_FETCH;
}

static void count_in_series(const struct cup_transfer *transfer, bool reads, uint64_t bytes,
                            uint64_t ns)
{
    if (transfer->descriptor->class == CUP_FILE_SOCKET)
        return;
    if (reads)
        cup_series_count(transfer->stop, bytes, ns, 0);
    else
        cup_series_count(transfer->stop, 0, 0, bytes);
    if (reads && transfer->owner.method == CUP_METHOD_NONE)
        cup_child_read();
}

/* What every call counts. Returns where its time counts: NONE if for no file either. */
static inline unsigned count_in_block(const struct cup_transfer *transfer, enum cup_call call,
                                      uint64_t bytes)
{
    uint64_t *counters = transfer->owner.block->counters;
    const struct sums *sums = sums_of(transfer, call);
    unsigned method = sums->bytes == CUP_C_READ_OWN_BYTES ? transfer->owner.method : 0;
    unsigned second = besides(call, transfer->descriptor->class);
    if (sums->bytes != NONE)
        counters[sums->bytes + method] += bytes;
    if (sums->calls != NONE)
        counters[sums->calls]++;
    if (second != NONE)
        counters[second] += bytes;
    return sums->ns;
}

static inline void count_duration(struct cup_block *block, uint64_t ns)
{
    block->histograms[CUP_HISTOGRAM_READ][cup_bucket(ns)]++;
    if (ns > block->counters[CUP_C_READ_LONGEST_NS])
        block->counters[CUP_C_READ_LONGEST_NS] = ns;
}

/* What it is for the stacks of its task: files of data, and sockets that are not Dask's. */
static enum cup_stack_use use_of(const struct cup_transfer *transfer, enum cup_call call)
{
    uint32_t class = transfer->descriptor->class;
    if (call == CUP_WRITE)
        return class == CUP_FILE_DATA || class == CUP_FILE_IMPORT ? CUP_U_WRITE : NO_USE;
    if (class == CUP_FILE_SOCKET)
        return transfer->descriptor->wire || is_dasks_socket(transfer) ? NO_USE : CUP_U_RECV;
    return class == CUP_FILE_DATA ? CUP_U_READ : NO_USE;
}

static void count_at_stack(const struct cup_transfer *transfer, enum cup_call call, uint64_t bytes,
                           uint64_t ns)
{
    enum cup_stack_use use = use_of(transfer, call);
    if (use != NO_USE)
        cup_event_moved(use, transfer->owner.block->task, transfer->node, bytes, ns,
                        transfer->stop);
}

/* A data file was read, not by Dask itself. */
static inline bool is_data_read(const struct cup_transfer *transfer, enum cup_call call)
{
    return call == CUP_READ && transfer->descriptor->class == CUP_FILE_DATA &&
           !is_dasks(&transfer->owner);
}

/* The frequent case, without looking anything up in tables. */
static inline void count_data_read(struct cup_transfer *transfer, uint64_t bytes, int64_t offset,
                                   uint64_t ns, const void *to, int parts)
{
    uint64_t *counters = transfer->owner.block->counters;
    counters[CUP_C_READ_OWN_BYTES + transfer->owner.method] += bytes;
    counters[CUP_C_READ_CALLS]++;
    counters[CUP_C_READ_NS] += ns;
    count_duration(transfer->owner.block, ns);
    struct cup_file_use *use = count_use(transfer, true, bytes, ns);
    struct began began = count_place(transfer->descriptor, use, true, bytes, offset);
    note_place(transfer, began, bytes);
    cup_series_count(transfer->stop, bytes, ns, 0);
    if (transfer->owner.method == CUP_METHOD_NONE)
        cup_child_read();
    if (__builtin_expect(is_root(transfer, bytes, began, to, parts), 0))
        look_into(transfer, bytes, began, to, parts);
    cup_event_moved(CUP_U_READ, transfer->owner.block->task, 0, bytes, ns, transfer->stop);
}

static void count(struct cup_transfer *transfer, enum cup_call call, uint64_t bytes, int64_t offset,
                  uint64_t ns, const void *to, int parts)
{
    unsigned timed = count_in_block(transfer, call, bytes);
    if (timed == NONE)
        return;
    transfer->owner.block->counters[timed] += ns;
    if (timed == CUP_C_READ_NS)
        count_duration(transfer->owner.block, ns);
    struct began began = count_in_file(transfer, call != CUP_WRITE, bytes, offset, ns);
    if (has_place(transfer, call))
        note_place(transfer, began, bytes);
    count_in_series(transfer, call != CUP_WRITE, bytes, ns);
    if (transfer->descriptor->class == CUP_FILE_DATA && is_root(transfer, bytes, began, to, parts))
        look_into(transfer, bytes, began, to, parts);
    count_at_stack(transfer, call, bytes, ns);
}

/* Who sent last on a connection, and whoever else did before. */
static void note_sender(struct cup_descriptor *socket, uint32_t task)
{
    if (socket->owner != task)
        socket->previous = socket->owner;
    socket->owner = task;
}

/* asyncio reads a connection in the context of whoever opened it, on and on: also when it is kept
 * and other tasks send their requests. The answers are for who asked last, unless there are two who
 * may still wait for theirs. */
static uint32_t receiver(const struct cup_descriptor *socket, uint32_t task)
{
    uint32_t asked = socket->owner, before = socket->previous;
    if (!asked || asked == task)
        return task;
    bool others = task || (before && before != asked && cup_task_runs(before));
    return !others && cup_task_runs(asked) ? asked : 0;
}

static void judge_connection(struct cup_transfer *transfer, enum cup_call call)
{
    struct cup_owner *owner = &transfer->owner;
    uint32_t task = owner->block ? owner->block->task : 0, whose = task;
    if (call == CUP_WRITE && task)
        note_sender(transfer->descriptor, task);
    else if (owner->method == CUP_METHOD_CONTEXT || owner->method == CUP_METHOD_NONE)
        whose = receiver(transfer->descriptor, task);
    if (whose == task)
        return;
    owner->method = whose ? CUP_METHOD_HANDOFF : CUP_METHOD_NONE;
    owner->block = whose ? cup_block_helping(&cup_self, whose) : cup_block_none(&cup_self);
}

/* What a loop is woken by says nothing: anybody wakes it, with a byte, and it was opened by whoever
 * came first. It is nobody's, also when only one task runs, and counted only where the kernel
 * counts it too. A task's own thread may use a pair for what it likes, and so may a job or a thread
 * that it started. */
static void judge_pair(struct cup_owner *owner, enum cup_call call, ssize_t bytes)
{
    bool wakes = call == CUP_WRITE && bytes <= 1 && owner->method != CUP_METHOD_OWN;
    bool carries = owner->method == CUP_METHOD_OWN || owner->method == CUP_METHOD_HANDOFF ||
                   owner->method == CUP_METHOD_INHERITED;
    if (carries && !wakes)
        return;
    owner->method = CUP_METHOD_NONE;
    owner->block = call == CUP_READ ? cup_block_none(&cup_self) : NULL;
}

static __attribute__((noinline)) void judge(struct cup_transfer *transfer, enum cup_call call,
                                            ssize_t bytes)
{
    uint32_t class = transfer->descriptor->class;
    if (class == CUP_FILE_SOCKET && transfer->descriptor->wire)
        transfer->owner = (struct cup_owner){cup_block_none(&cup_self), CUP_METHOD_NONE, 0};
    else if (class == CUP_FILE_SOCKET && transfer->descriptor->peer == CUP_PEER_PAIR)
        judge_pair(&transfer->owner, call, bytes);
    else if (class == CUP_FILE_SOCKET && !is_dasks_socket(transfer))
        judge_connection(transfer, call);
    if (class == CUP_FILE_PIPE && transfer->owner.block)
        cup_helper_used_pipe(transfer->owner.block->task);
}

/* Nothing is left but to count it: a data file was read without waiting, for a known owner. What
 * failed is no quick one either. */
static inline bool is_frequent(const struct cup_transfer *transfer, enum cup_call call,
                               ssize_t bytes, uint64_t ns)
{
    return is_data_read(transfer, call) && is_quick(transfer, (uint64_t)bytes, ns) &&
           transfer->owner.method != CUP_METHOD_SOLE && transfer->owner.block;
}

/* All others. True: it is a data file's, and still to be counted. */
static __attribute__((noinline)) bool end_slowly(struct cup_transfer *transfer, enum cup_call call,
                                                 ssize_t bytes, int64_t offset, uint64_t ns,
                                                 const void *to, int parts)
{
    uint64_t moved = bytes > 0 ? (uint64_t)bytes : 0;
    if (transfer->owner.method == CUP_METHOD_SOLE)
        cup_attribution_confirm(&transfer->owner);
    if (transfer->descriptor->class != CUP_FILE_DATA)
        judge(transfer, call, bytes);
    if (!is_quick(transfer, moved, ns))
        end_wait(transfer, moved, ns);
    if (bytes < 0 || !transfer->owner.block)
        return false;
    if (is_data_read(transfer, call))
        return true;
    count(transfer, call, moved, offset, ns, to, parts);
    return false;
}

void cup_transfer_finish(struct cup_transfer *transfer, ssize_t bytes, int64_t offset,
                         const void *to, int parts)
{
    int saved = errno;
    enum cup_call call = transfer->call;
    transfer->stop = cup_ticks();
    cup_guard();
    uint64_t ns = cup_ticks_ns(transfer->stop - transfer->start);
    if (__builtin_expect(is_frequent(transfer, call, bytes, ns), 1) ||
        end_slowly(transfer, call, bytes, offset, ns, to, parts))
        count_data_read(transfer, (uint64_t)bytes, offset, ns, to, parts);
    cup_unguard();
    errno = saved;
}

void cup_transfer_piece(const struct cup_transfer *transfer, uint64_t bytes, uint64_t offset)
{
    struct cup_block *block = transfer->owner.block;
    uint32_t file = transfer->descriptor->file;
    if (block && file && bytes)
        cup_access_read(block, cup_block_file(block, file), offset, bytes, transfer->start,
                        transfer->stop);
}

void cup_transfer_finish_character(struct cup_transfer *transfer)
{
    if (!cup_self.own || cup_self.guard)
        return;
    int saved = errno;
    cup_guard();
    transfer->owner = (struct cup_owner){cup_self.own, CUP_METHOD_OWN, 0};
    transfer->stop = 0;
    if (count_in_block(transfer, transfer->call, 1) != NONE) {
        struct began began =
            count_in_file(transfer, transfer->call != CUP_WRITE, 1, CUP_AT_CURSOR, 0);
        if (has_place(transfer, transfer->call))
            note_place(transfer, began, 1);
    }
    enum cup_stack_use use = use_of(transfer, transfer->call);
    if (use != NO_USE)
        cup_event_character(use, cup_self.task);
    cup_unguard();
    errno = saved;
}

/* ---- copies ------------------------------------------------------------------------------ */

bool cup_copy_begin(struct cup_copy *copy, int from, int to)
{
    cup_child_before(true, from);
    copy->from.call = CUP_COPY;
    copy->to.call = CUP_WRITE;
    bool counted = cup_active() && !cup_self.guard && begin_at_leisure(&copy->to, to) &&
                   begin_at_leisure(&copy->from, from);
    if (counted)
        start(&copy->from);
    return counted;
}

void cup_copy_end(struct cup_copy *copy, ssize_t bytes, int64_t from_offset, int64_t to_offset)
{
    cup_transfer_finish(&copy->from, bytes, from_offset, NULL, 0);
    bool timed = sums_of_read(&copy->from)->ns != NONE;
    copy->to.owner = copy->from.owner;
    copy->to.watched = false;
    copy->to.wait.block = NULL;
    copy->to.node = copy->from.node;
    copy->to.start = timed ? cup_ticks() : copy->from.start;
    cup_transfer_finish(&copy->to, bytes, to_offset, NULL, 0);
}
