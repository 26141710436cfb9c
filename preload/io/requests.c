#include "preload/io/requests.h"

#include "preload/counters/block.h"
#include "preload/io/exchange.h"
#include "preload/io/server_requests.h"
#include "preload/io/socket_owner.h"
#include "preload/sys/lazy_table.h"
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
    /* Of a request to an HTTP server: */
    bool asks;    /* it is one, and has not been counted yet */
    bool is_bare; /* nothing else was sent since the last answer, such as the end of a handshake */
    uint32_t for_task, file;
    uint32_t key;          /* what it asks for: cup_exchange_asked(); 0: not known */
    uint64_t begin, bytes; /* when the first send began; what was received */
    struct cup_answer_state answer;
};

/* An entry for each descriptor, as in descriptor.h; mapped when the first request is sent. */
static void *connections; /* see lazy_table.h */
enum { TABLE_BYTES = CUP_DESCRIPTORS * sizeof(struct connection) };

/* Requests to HTTP servers were sent on descriptors below this one. If two threads raise it at the
 * same time, the lower value may stay: then some requests are counted later. */
static uint32_t asked_below;

void cup_request_reset(void)
{
    asked_below = 0;
    cup_lazy_table_clear(&connections, TABLE_BYTES);
}

/* The entry of SOCKET, locked; NULL: it lies beyond the table, or there is no table. */
static struct connection *lock_connection(const struct cup_descriptor *socket)
{
    ptrdiff_t fd = socket - cup_descriptor_table;
    struct connection *all = cup_lazy_table(&connections);
    if (fd < 0 || fd >= CUP_DESCRIPTORS || !all)
        return NULL;
    cup_spin_lock(&all[fd].lock);
    return &all[fd];
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

/* False: SOCKET is no TCP connection. */
static bool read_tcp_info(const struct cup_descriptor *socket, struct tcp_info *info)
{
    socklen_t bytes = sizeof *info;
    int fd = (int)(socket - cup_descriptor_table);
    return syscall(SYS_getsockopt, fd, IPPROTO_TCP, TCP_INFO, info, &bytes) == 0;
}

/* How long ago the last bytes came in on SOCKET, in ticks. The thread that receives them may come
 * late: an event loop may run other tasks' code, a thread may wait for the GIL or a core. */
static uint64_t find_lateness(const struct cup_descriptor *socket)
{
    struct tcp_info info;
    return read_tcp_info(socket, &info) ? cup_ns_ticks(info.tcpi_last_data_recv * UINT64_C(1000000))
                                        : 0;
}

/* A call that asked for no bytes got none: the server has not closed the connection. */
static bool is_established(const struct cup_descriptor *socket)
{
    struct tcp_info info;
    return read_tcp_info(socket, &info) && info.tcpi_state == TCP_ESTABLISHED;
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

/* ---- requests to HTTP servers ------------------------------------------------------------- */

/* The request has ended: at NOW with ERROR, or with 0, when the last part of its answer arrived.
 * Sets *END to what is to be counted. */
static void end_request(struct connection *connection, const struct cup_descriptor *socket,
                        uint32_t error, uint64_t now, struct cup_server_request_end *end)
{
    uint16_t status = connection->answer.status;
    uint64_t first = connection->is_bare ? connection->answered : 0;
    if (connection->asks)
        *end = (struct cup_server_request_end){.task = connection->for_task,
                                               .file = connection->file,
                                               .peer = socket->file,
                                               .encrypted = connection->answer.encrypted,
                                               .key = connection->key,
                                               .error = error          ? error
                                                        : status < 400 ? 0
                                                                       : status,
                                               .bytes = connection->bytes,
                                               .start = connection->begin,
                                               .first = error ? 0 : first,
                                               .stop = error ? now : connection->last};
    connection->asks = false;
}

static bool has_answer(const struct connection *connection)
{
    return connection->answered && !connection->answer.is_preface;
}

/* The connection ends with ERROR, CUP_REQUEST_GIVEN_UP or what the server or the network did. If a
 * request has no answer, or the server cut the answer off, it failed. */
static void cut_request(struct connection *connection, const struct cup_transfer *transfer,
                        uint32_t error, struct cup_server_request_end *end)
{
    bool server = error != CUP_REQUEST_GIVEN_UP;
    bool fails = !has_answer(connection) || (server && connection->answer.partial);
    end_request(connection, transfer->descriptor, fails ? error : 0, transfer->stop, end);
}

/* Part of a request was sent. What was sent before it, since the last answer, is the end of a
 * handshake: its answer may arrive before that to the request. */
static void note_asked(struct connection *connection, const struct cup_transfer *transfer,
                       bool begins)
{
    if (!transfer->asks || connection->asks)
        return;
    uint32_t fd = (uint32_t)(connection - (struct connection *)cup_lazy_table(&connections));
    if (fd >= __atomic_load_n(&asked_below, __ATOMIC_RELAXED))
        __atomic_store_n(&asked_below, fd + 1, __ATOMIC_RELAXED);
    connection->asks = true;
    connection->is_bare = begins;
    connection->begin = transfer->start;
    connection->key = cup_exchange_asked(transfer->descriptor, &connection->file);
    connection->for_task = transfer->owner.method == CUP_METHOD_INHERITED ? 0 : connection->task;
}

static void note_answer(struct connection *connection, const struct cup_transfer *transfer,
                        size_t bytes, struct cup_server_request_end *end)
{
    connection->bytes += bytes;
    connection->file = transfer->url ? transfer->url : connection->file;
    connection->answer = transfer->answer;
    if (!transfer->answer.ended)
        return;
    connection->last = transfer->stop;
    end_request(connection, transfer->descriptor, 0, 0, end);
}

/* ---- all requests ------------------------------------------------------------------------- */

/* The client sends the rest of TASK's request: the server asked for it ("100 Continue"), or sent
 * only session tickets in between. */
static bool is_continued(const struct connection *connection, const struct cup_descriptor *socket,
                         uint32_t task)
{
    bool is_asked_for = socket->protocol == CUP_PROTOCOL_HTTP && !connection->answer.status &&
                        !connection->answer.ended;
    return connection->asks && connection->answered && connection->task == task &&
           (is_asked_for || connection->answer.is_preface);
}

/* HTTP and TLS are always answered; what else is sent may be a log, or a metric. */
static void note_sent(struct connection *connection, const struct cup_transfer *transfer,
                      struct cup_server_request_end *end)
{
    uint32_t task = transfer->owner.block ? transfer->owner.block->task : 0;
    if (connection->sent && !connection->answered && connection->task == task) {
        note_asked(connection, transfer, false);
        return; /* more of the same request */
    }
    bool continues = is_continued(connection, transfer->descriptor, task);
    if (connection->answered && !continues)
        end_request(connection, transfer->descriptor, 0, 0, end);
    stop_expecting(connection);
    if (!continues)
        *connection = (struct connection){.lock = connection->lock, .task = task};
    connection->sent = transfer->stop;
    connection->answered = 0;
    connection->since = cup_helper_wait_clock(task, transfer->stop);
    connection->expects = cup_exchange_is_followed(transfer->descriptor);
    if (connection->expects)
        cup_helper_wait_asks(task, transfer->descriptor->file);
    note_asked(connection, transfer, true);
}

/* A few bytes after a pause need not be the rest of the answer: with TLS, a server says goodbye
 * before it closes a connection that was idle for a while. */
enum { FEW_BYTES = 64 };

/* Whether the last bytes were late is asked only after a pause of this length. */
enum { PAUSE_NS = 10000000 };

/* The request was out until now. */
static void count_part(struct connection *connection, const struct cup_transfer *transfer)
{
    uint64_t before = connection->answered ? connection->last : connection->sent;
    bool pauses = cup_ticks_ns(transfer->stop - before) > PAUSE_NS;
    if (!connection->answered)
        connection->answered = transfer->stop;
    stop_expecting(connection);
    connection->last = transfer->stop;
    count_wait(connection, transfer, pauses ? find_lateness(transfer->descriptor) : 0);
}

static void note_received(struct connection *connection, const struct cup_transfer *transfer,
                          size_t bytes, struct cup_server_request_end *end)
{
    if (!connection->answered || bytes >= FEW_BYTES)
        count_part(connection, transfer);
    note_answer(connection, transfer, bytes, end);
}

/* The connection ended with ERROR, as in cut_request(). If the request had no answer, it was out
 * until now. */
static void note_ended(struct connection *connection, const struct cup_transfer *transfer,
                       uint32_t error, struct cup_server_request_end *end)
{
    cut_request(connection, transfer, error, end);
    if (connection->sent && !has_answer(connection))
        count_wait(connection, transfer, 0);
    stop_expecting(connection);
    connection->sent = 0;
}

/* No lock is held: the log is written. */
static void count_request(const struct cup_server_request_end *end)
{
    if (end->peer && end->start)
        cup_server_request_ended(end);
}

/* How a connection ended on which a call returned BYTES (0 or < 0) and ERROR. */
static uint32_t classify_end(ssize_t bytes, int error)
{
    if (bytes < 0 && error == ETIMEDOUT)
        return CUP_REQUEST_TIMED_OUT;
    return bytes < 0 ? CUP_REQUEST_RESET : CUP_REQUEST_CUT_OFF;
}

/* Other errors are of the call (EFAULT, EINVAL), or pass (EAGAIN, EINTR, ENOBUFS). */
static bool ends_connection(int error)
{
    static const int ends[] = {ECONNRESET, EPIPE,     ETIMEDOUT,   ECONNABORTED, ECONNREFUSED,
                               ENETRESET,  ENETDOWN,  ENETUNREACH, EHOSTDOWN,    EHOSTUNREACH,
                               ENOTCONN,   ESHUTDOWN, EPROTO,      EIO};
    for (size_t i = 0; i < sizeof ends / sizeof *ends; i++)
        if (error == ends[i])
            return true;
    return false;
}

void cup_request_moved(const struct cup_transfer *transfer, ssize_t bytes, int error)
{
    const struct cup_descriptor *socket = transfer->descriptor;
    bool sends = transfer->call == CUP_WRITE;
    if (!socket->peer || socket->peer == CUP_PEER_PAIR || socket->wire ||
        cup_socket_is_dask(transfer) || (bytes < 0 && !ends_connection(error)) ||
        (bytes == 0 && (sends || is_established(socket))) ||
        (sends && !cup_lazy_table_make(&connections, TABLE_BYTES)))
        return;
    struct connection *connection = lock_connection(socket);
    if (!connection)
        return;
    struct cup_server_request_end end = {.peer = 0};
    if (bytes <= 0)
        note_ended(connection, transfer, classify_end(bytes, error), &end);
    else if (sends)
        note_sent(connection, transfer, &end);
    else if (connection->sent)
        note_received(connection, transfer, (size_t)bytes, &end);
    cup_spin_unlock(&connection->lock);
    count_request(&end);
}

void cup_request_closed(struct cup_descriptor *socket)
{
    if (!cup_lazy_table(&connections) || cup_self.guard)
        return;
    int saved = cup_enter();
    const struct cup_transfer transfer = {.descriptor = socket, .stop = cup_ticks()};
    struct connection *connection = lock_connection(socket);
    if (connection) {
        struct cup_server_request_end end = {.peer = 0};
        note_ended(connection, &transfer, CUP_REQUEST_GIVEN_UP, &end);
        cup_spin_unlock(&connection->lock);
        count_request(&end);
    }
    cup_leave(saved);
}

/* With TLS, only what follows shows that an answer was complete: at the latest, that its TASK has
 * ended. 0: any task. */
static void end_answered(uint32_t task)
{
    struct connection *all = cup_lazy_table(&connections);
    for (uint32_t fd = 0; all && fd < __atomic_load_n(&asked_below, __ATOMIC_RELAXED); fd++) {
        struct connection *connection = &all[fd];
        struct cup_server_request_end end = {.peer = 0};
        if (!connection->asks || (task && connection->for_task != task))
            continue;
        cup_spin_lock(&connection->lock);
        if (has_answer(connection))
            end_request(connection, &cup_descriptor_table[fd], 0, 0, &end);
        cup_spin_unlock(&connection->lock);
        count_request(&end);
    }
}

void cup_request_task_ended(uint32_t task)
{
    end_answered(task);
}

void cup_request_process_ends(void)
{
    end_answered(0);
}
