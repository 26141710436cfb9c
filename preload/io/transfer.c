#include "preload/io/transfer.h"

#include "preload/counters/access.h"
#include "preload/counters/block.h"
#include "preload/io/file_class.h"
#include "preload/io/mounts.h"
#include "preload/io/opening.h"
#include "preload/io/requests.h"
#include "preload/io/server_requests.h"
#include "preload/io/socket_owner.h"
#include "preload/io/transfer_counters.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/stacks/stack_events.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- logs of processes that a task started ----------------------------------------------- */

/* IS_DATA: the file that is about to be read is data, if that is known; else FD's class decides. */
static void open_log(bool is_data, int fd)
{
    if (!cup_child_may_open_log())
        return;
    int saved = cup_enter();
    if (is_data || cup_descriptor_class(fd) == CUP_FILE_DATA)
        cup_child_opens_log();
    cup_leave(saved);
}

void cup_child_reads(int fd)
{
    open_log(false, fd);
}

void cup_child_fetches(void)
{
    if (cup_child_waiting) {
        open_log(true, -1);
    } else if (!cup_self.guard) {
        int saved = cup_enter();
        cup_child_reads_events();
        cup_leave(saved);
    }
}

static bool may_be_read(int fd)
{
    return (syscall(SYS_fcntl, fd, F_GETFL) & O_ACCMODE) != O_WRONLY;
}

/* Opening the log changes what a tick is, so the duration of the file's open is converted. */
void cup_child_opened(int fd, const char *path, uint64_t start)
{
    if (cup_self.guard || !cup_file_is_called_events(path))
        return;
    int saved = cup_enter();
    uint64_t ns = cup_ticks_ns(cup_ticks() - start);
    bool recorded = may_be_read(fd) && cup_child_reads_events();
    cup_leave(saved);
    if (recorded)
        cup_opening_returned(fd, path, cup_ticks() - cup_ns_ticks(ns));
}

/* ---- requests to the servers of mounts ---------------------------------------------------- */

/* A data file on a mount is read, and not by Dask itself. If that takes long, a server delivers it,
 * and not this host's memory. */
static bool may_request(const struct cup_transfer *transfer)
{
    return (transfer->call == CUP_READ || transfer->call == CUP_GET) &&
           transfer->descriptor->class == CUP_FILE_DATA && transfer->descriptor->mount &&
           !cup_owner_is_dask(&transfer->owner);
}

static struct cup_server_request_out describe_request(const struct cup_transfer *transfer)
{
    uint32_t task = transfer->owner.block ? transfer->owner.block->task : 0;
    return (struct cup_server_request_out){task, cup_mount_name(transfer->descriptor->mount)};
}

/* The call may be a request, so others that are sent before it ends are out at the same time. Calls
 * whose wait is not measured, because they are not likely to block, are noted only at their end. */
static void begin_request(struct cup_transfer *transfer)
{
    transfer->requests = may_request(transfer);
    if (!transfer->requests)
        return;
    transfer->request = describe_request(transfer);
    cup_server_request_sent(transfer->request, transfer->start);
}

static void count_request(const struct cup_transfer *transfer, struct cup_server_request_out out,
                          uint64_t bytes)
{
    const struct cup_server_request_end end = {.out = out,
                                               .task = describe_request(transfer).task,
                                               .server = out.server,
                                               .file = transfer->descriptor->file,
                                               .bytes = bytes,
                                               .start = transfer->start,
                                               .stop = transfer->stop};
    cup_server_request_ended(&end);
}

/* BEGAN: begin_request() noted it. ANSWERED: a server delivered BYTES. */
static void end_request(const struct cup_transfer *transfer, bool began, bool answered,
                        uint64_t bytes)
{
    struct cup_server_request_out out = began ? transfer->request : describe_request(transfer);
    if (answered && !began)
        cup_server_request_sent(out, transfer->start);
    if (answered)
        count_request(transfer, out, bytes);
    else if (began)
        cup_server_request_not_sent(out, transfer->stop);
}

/* ---- waits ------------------------------------------------------------------------------- */

static enum cup_wait_class classify_wait(const struct cup_descriptor *descriptor)
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

/* The block in which the wait is counted; NULL: waits outside of tasks are not counted. */
static struct cup_block *find_wait_block(const struct cup_transfer *transfer)
{
    struct cup_block *block = transfer->owner.block;
    return block && block->task ? block : NULL;
}

/* Starts the clock of any call: the last step before it. Guard held. */
static void start_transfer(struct cup_transfer *transfer)
{
    cup_transfer_start(transfer);
    if (transfer->descriptor->quick < CUP_QUICK && find_wait_block(transfer)) {
        cup_wait_begin_for(&transfer->wait, classify_wait(transfer->descriptor),
                           find_wait_block(transfer));
        transfer->start = cup_ticks();
        if (transfer->wait.block) /* NULL: within another wait */
            begin_request(transfer);
    }
}

/* Copying within memory moves at least one byte a nanosecond. So a call that took longer than that,
 * and LONGEST_CALL_NS, waited. */
enum { LONGEST_CALL_NS = 50000, LARGE_BYTES = 1 << 16 };

static inline bool is_slow(uint64_t bytes, uint64_t ns)
{
    return ns > LONGEST_CALL_NS + bytes;
}

/* The call was not expected to block, and did not. */
static inline bool is_quick(const struct cup_transfer *transfer, uint64_t bytes, uint64_t ns)
{
    return transfer->descriptor->quick == CUP_QUICK && !transfer->wait.block &&
           bytes < LARGE_BYTES && !is_slow(bytes, ns);
}

/* A write to a pair of sockets, such as the one that wakes an event loop. It fits into a buffer,
 * unless it is large. If it takes long, the thread that it woke has most likely taken the core. */
static bool wakes_loop(const struct cup_transfer *transfer)
{
    return transfer->call == CUP_WRITE && transfer->descriptor->class == CUP_FILE_SOCKET &&
           transfer->descriptor->peer == CUP_PEER_PAIR;
}

/* Ends the wait of a call. A call that took long, but was not measured, is taken for a wait, less
 * the CPU time that it can have used: CALL_NS, and 1 ns for every BYTES_A_NS bytes. */
static void end_wait(struct cup_transfer *transfer, uint64_t bytes, uint64_t ns)
{
    enum { BYTES_A_NS = 4, CALL_NS = 5000 };
    struct cup_descriptor *descriptor = transfer->descriptor;
    bool slow = is_slow(bytes, ns);
    if (transfer->wait.block)
        cup_wait_end_for(&transfer->wait, transfer->stop, find_wait_block(transfer));
    else if (slow && find_wait_block(transfer) && transfer->watched)
        cup_wait_guess(find_wait_block(transfer), classify_wait(descriptor), transfer->start,
                       transfer->stop, bytes / BYTES_A_NS + CALL_NS);
    if ((slow && !wakes_loop(transfer)) || bytes >= LARGE_BYTES)
        descriptor->quick = 0;
    else if (descriptor->quick < CUP_QUICK)
        descriptor->quick++;
}

/* ---- begin ------------------------------------------------------------------------------- */

/* Sets the descriptor and the owner. KNOWN: the descriptor if it was looked up before, else NULL.
 * True: there is a block to count in. Guard held; changes errno. */
static bool find_owner(struct cup_transfer *transfer, struct cup_descriptor *known, int fd)
{
    struct cup_descriptor *descriptor =
        known ? known : cup_descriptor_look_up(fd, &transfer->spare);
    transfer->descriptor = descriptor;
    if (!descriptor)
        return false;
    if (descriptor->class == CUP_FILE_SOCKET)
        transfer->owner = cup_socket_find_owner(descriptor, fd);
    else
        transfer->owner =
            cup_attribution(descriptor->class == CUP_FILE_PIPE ? NULL : &descriptor->owner);
    return transfer->owner.block != NULL;
}

/* No task runs in this process, and this thread was handed none: no attribution method can find
 * one. */
static inline bool serves_no_task(void)
{
    return cup_self.none && !cup_self.own && !cup_self.handed && !cup_any_task_runs();
}

bool cup_transfer_begin_slowly(struct cup_transfer *transfer, struct cup_descriptor *known, int fd)
{
    if (fd < 0)
        return false;
    if (known && cup_descriptor_is_quick(known) && serves_no_task()) {
        transfer->descriptor = known;
        transfer->owner = (struct cup_owner){cup_self.none, CUP_METHOD_NONE, 0};
        cup_transfer_start(transfer);
        return true;
    }
    /* Programs set errno to 0 and test it after calls that may leave it alone. */
    int saved = cup_enter();
    bool counted = find_owner(transfer, known, fd);
    if (counted)
        start_transfer(transfer);
    cup_leave(saved);
    return counted;
}

bool cup_transfer_begin_on(struct cup_transfer *transfer, struct cup_descriptor *file)
{
    if (!cup_active() || cup_self.guard)
        return false;
    transfer->call = CUP_FETCH;
    return cup_transfer_begin_slowly(transfer, file, 0);
}

/* ---- end --------------------------------------------------------------------------------- */

/* A data file was read, and not by Dask itself. */
static inline bool is_data_read(const struct cup_transfer *transfer)
{
    return transfer->call == CUP_READ && transfer->descriptor->class == CUP_FILE_DATA &&
           !cup_owner_is_dask(&transfer->owner);
}

/* Counts a read of a data file, the frequent case: without looking counters up in tables. */
static inline void count_data_read(struct cup_transfer *transfer, uint64_t bytes, int64_t offset,
                                   uint64_t ns, const void *to, int parts)
{
    uint64_t *counters = transfer->owner.block->counters;
    counters[CUP_C_READ_OWN_BYTES + transfer->owner.method] += bytes;
    counters[CUP_C_READ_CALLS]++;
    counters[CUP_C_READ_NS] += ns;
    cup_transfer_count_duration(transfer->owner.block, ns);
    struct cup_file_use *use = cup_file_count(transfer, true, bytes, ns);
    struct cup_place place = cup_file_move(transfer->descriptor, use, true, bytes, offset);
    cup_file_note_access(transfer, place, bytes);
    cup_series_count(transfer->stop, bytes, ns, 0);
    if (transfer->owner.method == CUP_METHOD_NONE)
        cup_transfer_count_unattributed(CUP_UNATTRIBUTED_THREAD, bytes);
    if (__builtin_expect(cup_file_may_be_root(transfer, bytes, place, to, parts), 0))
        cup_file_find_baskets(transfer, bytes, place, to, parts);
    cup_event_moved(CUP_U_READ, transfer->owner.block->task, 0, bytes, ns, transfer->stop);
}

/* A read of a data file that succeeded, did not wait, and has a certain owner: it only has to be
 * counted. */
static inline bool is_frequent(const struct cup_transfer *transfer, ssize_t bytes, uint64_t ns)
{
    return is_data_read(transfer) && is_quick(transfer, (uint64_t)bytes, ns) &&
           transfer->owner.method != CUP_METHOD_SOLE && transfer->owner.block;
}

/* Counts the call for its owner; if it received answers to several tasks, each for its own.
 * CARRIED: the owner before it was corrected. */
static void count_answers(struct cup_transfer *transfer, const struct cup_owner *carried,
                          size_t first, size_t moved, int64_t offset, uint64_t ns, const void *to,
                          int parts)
{
    size_t part = first;
    for (size_t at = 0; at == 0 || at < moved; ns = 0) {
        if (at) {
            transfer->owner = *carried;
            part = cup_socket_correct_owner(transfer, (ssize_t)moved, to, parts, at);
        }
        if (transfer->owner.block)
            cup_transfer_count(transfer, part, offset, ns, to, parts);
        at += part ? part : 1;
    }
}

/* Ends any other call. True: it is a read of a data file, which the caller still has to count. */
static __attribute__((noinline)) bool end_slowly(struct cup_transfer *transfer, ssize_t bytes,
                                                 int64_t offset, uint64_t ns, const void *to,
                                                 int parts)
{
    int error = errno;
    size_t moved = bytes > 0 ? (size_t)bytes : 0, first = moved;
    bool requests = transfer->wait.block && transfer->requests;
    if (transfer->owner.method == CUP_METHOD_SOLE)
        cup_attribution_confirm(&transfer->owner);
    struct cup_owner carried = transfer->owner;
    if (transfer->descriptor->class != CUP_FILE_DATA)
        first = cup_socket_correct_owner(transfer, bytes, to, parts, 0);
    if (!is_quick(transfer, moved, ns))
        end_wait(transfer, moved, ns);
    if (transfer->descriptor->class == CUP_FILE_SOCKET)
        cup_request_moved(transfer, bytes, error);
    if (requests || may_request(transfer))
        end_request(transfer, requests, bytes >= 0 && is_slow(moved, ns) && may_request(transfer),
                    moved);
    if (bytes < 0 && !transfer->failed)
        return false;
    if (transfer->owner.block && is_data_read(transfer))
        return true;
    count_answers(transfer, &carried, first, moved, offset, ns, to, parts);
    return false;
}

void cup_transfer_finish(struct cup_transfer *transfer, ssize_t bytes, int64_t offset,
                         const void *to, int parts)
{
    transfer->stop = cup_ticks();
    int saved = cup_enter();
    uint64_t ns = cup_ticks_ns(transfer->stop - transfer->start);
    if (__builtin_expect(is_frequent(transfer, bytes, ns), 1) ||
        end_slowly(transfer, bytes, offset, ns, to, parts))
        count_data_read(transfer, (uint64_t)bytes, offset, ns, to, parts);
    cup_leave(saved);
}

void cup_transfer_piece(const struct cup_transfer *transfer, uint64_t bytes, uint64_t offset)
{
    struct cup_block *block = transfer->owner.block;
    uint32_t file = transfer->descriptor->file;
    if (block && file)
        cup_file_note_access(
            transfer, (struct cup_place){(int64_t)offset, false, cup_block_file(block, file)},
            bytes);
}

void cup_transfer_finish_character(struct cup_transfer *transfer)
{
    if (!cup_self.own || cup_self.guard)
        return;
    int saved = cup_enter();
    transfer->owner = (struct cup_owner){cup_self.own, CUP_METHOD_OWN, 0};
    transfer->stop = 0;
    cup_transfer_count_character(transfer);
    cup_leave(saved);
}

/* ---- copies ------------------------------------------------------------------------------ */

bool cup_copy_begin(struct cup_copy *copy, int from, int to)
{
    cup_child_before(true, from);
    if (!cup_active() || cup_self.guard)
        return false;
    int saved = cup_enter();
    copy->from.call = CUP_COPY;
    copy->to.call = CUP_WRITE;
    bool counted = find_owner(&copy->to, cup_descriptor_known(to), to) &&
                   find_owner(&copy->from, cup_descriptor_known(from), from);
    if (counted)
        start_transfer(&copy->from);
    cup_leave(saved);
    return counted;
}

void cup_copy_end(struct cup_copy *copy, ssize_t bytes, int64_t from_offset, int64_t to_offset)
{
    cup_transfer_finish(&copy->from, bytes, from_offset, NULL, 0);
    copy->to.owner = copy->from.owner;
    copy->to.watched = copy->to.failed = false;
    copy->to.wait.block = NULL;
    copy->to.node = copy->from.node;
    copy->to.start = cup_transfer_is_timed(&copy->from) ? cup_ticks() : copy->from.start;
    cup_transfer_finish(&copy->to, bytes, to_offset, NULL, 0);
}
