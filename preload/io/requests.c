#include "preload/io/requests.h"

#include "preload/counters/block.h"
#include "preload/io/exchange.h"
#include "preload/io/socket_owner.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"
#include "preload/waits/helper_wait.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/syscall.h>

/* A connection, and its request: the one that is out, or that was answered last. Times in ticks. */
struct connection {
    uint32_t lock;
    uint32_t task;               /* whose request it is; 0: not known */
    uint64_t sent;               /* when it began; 0: there is none */
    bool expects;                /* it must be answered, and was not yet */
    uint64_t answered;           /* when the first part of the answer arrived; 0: none did */
    uint64_t last;               /* when the last part arrived */
    struct cup_task_clock since; /* the task has waited for the server up to here */
};

/* An entry for each descriptor, as in descriptor.h; mapped when the first request is sent. */
static struct connection *connections;
enum { TABLE_BYTES = CUP_DESCRIPTORS * sizeof(struct connection) };

static bool map_connections(void)
{
    struct connection *none = NULL;
    if (__atomic_load_n(&connections, __ATOMIC_ACQUIRE))
        return true;
    void *room = cup_raw_mmap(NULL, TABLE_BYTES, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (room == MAP_FAILED)
        return false;
    if (!__atomic_compare_exchange_n(&connections, &none, room, false, __ATOMIC_ACQ_REL,
                                     __ATOMIC_ACQUIRE))
        munmap(room, TABLE_BYTES);
    return true;
}

void cup_request_reset(void)
{
    if (connections)
        madvise(connections, TABLE_BYTES, MADV_DONTNEED); /* cheaper than writing zeros */
}

/* The entry of SOCKET, locked; NULL: it lies beyond the table, or there is no table. */
static struct connection *lock_connection(const struct cup_descriptor *socket)
{
    ptrdiff_t fd = socket - cup_descriptor_table;
    if (fd < 0 || fd >= CUP_DESCRIPTORS || !connections)
        return NULL;
    cup_spin_lock(&connections[fd].lock);
    return &connections[fd];
}

/* The calling thread's block for TASK. OWNER: the owner of the call. */
static struct cup_block *find_block(uint32_t task, struct cup_block *owner)
{
    if (owner && owner->task == task)
        return owner;
    if (!cup_thread_known())
        return NULL;
    return cup_self.task == task ? cup_self.own : cup_block_helping(task);
}

/* How long ago the last bytes came in on SOCKET, in ticks. The thread that receives them may come
 * late: an event loop may run other tasks' code, a thread may wait for the GIL or a core. */
static uint64_t find_lateness(const struct cup_descriptor *socket)
{
    struct tcp_info info;
    socklen_t bytes = sizeof info;
    int fd = (int)(socket - cup_descriptor_table);
    if (syscall(SYS_getsockopt, fd, IPPROTO_TCP, TCP_INFO, &info, &bytes))
        return 0;
    return cup_ns_ticks(info.tcpi_last_data_recv * UINT64_C(1000000));
}

static void add_wait(struct cup_block *block, uint32_t file, uint64_t ns)
{
    if (file)
        cup_block_file(block, file)->counters[CUP_F_WAIT_NS] += ns;
}

/* The request was out until LATE ticks before the end of TRANSFER: its task waited for the server
 * and the URL, as far as it was blocked. */
static void count_wait(struct connection *connection, const struct cup_transfer *transfer,
                       uint64_t late)
{
    uint64_t ticks =
        cup_helper_wait_served(connection->task, &connection->since, transfer->stop, late);
    struct cup_block *block = ticks ? find_block(connection->task, transfer->owner.block) : NULL;
    if (!block)
        return;
    add_wait(block, transfer->descriptor->file, cup_ticks_ns(ticks));
    add_wait(block, transfer->url, cup_ticks_ns(ticks));
}

/* The request is answered, or there is none any more. */
static void stop_expecting(struct connection *connection)
{
    if (connection->expects)
        cup_helper_wait_got_answer(connection->task);
    connection->expects = false;
}

/* HTTP and TLS are always answered; what else is sent may be a log, or a metric. */
static void note_sent(struct connection *connection, const struct cup_transfer *transfer)
{
    uint32_t task = transfer->owner.block ? transfer->owner.block->task : 0;
    if (connection->sent && !connection->answered && connection->task == task)
        return; /* more of the same request */
    stop_expecting(connection);
    *connection =
        (struct connection){.lock = connection->lock, .task = task, .sent = transfer->stop};
    connection->since = cup_helper_wait_clock(task, transfer->stop);
    connection->expects = cup_exchange_is_followed(transfer->descriptor);
    if (connection->expects)
        cup_helper_wait_asks(task, transfer->descriptor->file);
}

/* A few bytes after a pause need not be the rest of the answer: with TLS, a server says goodbye
 * before it closes a connection that was idle for a while. */
enum { FEW_BYTES = 64 };

/* Whether the last bytes were late is asked only after a pause of this length. */
enum { PAUSE_NS = 10000000 };

static void note_received(struct connection *connection, const struct cup_transfer *transfer,
                          size_t bytes)
{
    uint64_t now = transfer->stop,
             before = connection->answered ? connection->last : connection->sent;
    if (connection->answered && bytes < FEW_BYTES)
        return;
    if (!connection->answered)
        connection->answered = now;
    stop_expecting(connection);
    connection->last = now;
    bool pauses = cup_ticks_ns(now - before) > PAUSE_NS;
    count_wait(connection, transfer, pauses ? find_lateness(transfer->descriptor) : 0);
}

/* The connection ended. If the request had no answer, it was out until now. */
static void note_ended(struct connection *connection, const struct cup_transfer *transfer)
{
    if (connection->sent && !connection->answered)
        count_wait(connection, transfer, 0);
    stop_expecting(connection);
    connection->sent = 0;
}

static bool is_temporary(int error)
{
    return error == EAGAIN || error == EWOULDBLOCK || error == EINTR || error == EINPROGRESS;
}

void cup_request_moved(const struct cup_transfer *transfer, ssize_t bytes, int error)
{
    const struct cup_descriptor *socket = transfer->descriptor;
    bool sends = transfer->call == CUP_WRITE;
    if (!socket->peer || socket->peer == CUP_PEER_PAIR || socket->wire ||
        cup_socket_is_dask(transfer) || (bytes < 0 && is_temporary(error)) ||
        (sends && (bytes == 0 || !map_connections())))
        return;
    struct connection *connection = lock_connection(socket);
    if (!connection)
        return;
    if (bytes <= 0)
        note_ended(connection, transfer);
    else if (sends)
        note_sent(connection, transfer);
    else if (connection->sent)
        note_received(connection, transfer, (size_t)bytes);
    cup_spin_unlock(&connection->lock);
}

void cup_request_closed(struct cup_descriptor *socket)
{
    if (!connections || cup_self.guard)
        return;
    int saved = cup_enter();
    const struct cup_transfer transfer = {.descriptor = socket, .stop = cup_ticks()};
    struct connection *connection = lock_connection(socket);
    if (connection) {
        note_ended(connection, &transfer);
        cup_spin_unlock(&connection->lock);
    }
    cup_leave(saved);
}
