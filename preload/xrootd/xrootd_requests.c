#include "preload/xrootd/xrootd_requests.h"

#include "preload/counters/block.h"
#include "preload/io/server_requests.h"
#include "preload/lifecycle/thread.h"
#include "preload/log/log.h"
#include "preload/root/baskets.h"
#include "preload/stacks/stack_events.h"
#include "preload/sys/elf_symbols.h"
#include "preload/sys/lazy_table.h"
#include "preload/waits/helper_wait.h"

#include <errno.h>
#include <string.h>

#if defined(__x86_64__)

/* At most this many requests are followed at a time. Further ones are passed on, and not counted.
 */
enum { REQUESTS = 4096, REQUESTS_TRIED = 64 };
static void *requests; /* see lazy_table.h */

static struct request *take_request(void)
{
    static uint32_t next;
    struct request *all = cup_lazy_table_make(&requests, REQUESTS * sizeof *all);
    for (int i = 0; all && i < REQUESTS_TRIED; i++) {
        struct request *request = &all[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % REQUESTS];
        uint32_t sequence = __atomic_load_n(&request->sequence, __ATOMIC_RELAXED);
        if (!(sequence & 1) &&
            __atomic_compare_exchange_n(&request->sequence, &sequence, sequence + 1, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return request;
    }
    return NULL;
}

/* Frees REQUEST. False: it was freed before. */
static bool free_request(struct request *request, uint32_t sequence)
{
    return __atomic_compare_exchange_n(&request->sequence, &sequence, sequence + 1, false,
                                       __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* ---- answers ------------------------------------------------------------------------------- */

/* The layout of XrdCl::PageInfo is private, so its methods are called. */
typedef uint32_t page_bytes(const void *page);
typedef const void *page_data(const void *page);
static page_bytes *pages_bytes[ABIS];
static page_data *pages_data[ABIS];

/* Bytes that an answer delivered, and where: ONE chunk, or MANY. -1: the answer does not fit the
 * request, so its layout is not the expected one. */
static ssize_t count_delivered(const struct request *request, const struct any *answer,
                               struct chunk *one, const struct chunks **many)
{
    static const char chunk_type[] = "PN5XrdCl9ChunkInfoE", pages_type[] = "PN5XrdCl8PageInfoE",
                      vector_type[] = "PN5XrdCl14VectorReadInfoE";
    enum abi abi = request->abi;
    const void *chunk = object_of(answer, chunk_type), *pages = object_of(answer, pages_type),
               *vector = object_of(answer, vector_type);
    *one = (struct chunk){.offset = request->offset};
    if (request->method == READ_LATER && chunk)
        *one = *(const struct chunk *)after_methods(chunk, abi);
    else if (request->method == PAGES_LATER && pages && pages_bytes[abi] && pages_data[abi])
        *one = (struct chunk){request->offset, pages_bytes[abi](pages), pages_data[abi](pages)};
    else if (request->method == VECTOR_LATER && vector) {
        const struct vector_answer *all = after_methods(vector, abi);
        uint64_t bytes = bytes_of(*many = &all->chunks, abi);
        return bytes <= request->bytes && bytes == all->bytes ? (ssize_t)bytes : -1;
    } else
        return -1;
    bool fits = one->offset == request->offset && one->bytes <= request->bytes;
    return fits ? (ssize_t)one->bytes : -1;
}

uint32_t cup_xrootd_error(const struct status *status)
{
    enum { CODE_ANSWERED = 400 };
    uint32_t code = status->code == CODE_ANSWERED ? status->error : status->code;
    return is_fine(status) ? 0 : code ? code : CODE_ANSWERED;
}

bool cup_xrootd_opening(struct cup_opened *opened, const void *object, const struct status *status,
                        char url[CUP_XROOTD_URL])
{
    opened->kind = CUP_OPEN_XROOTD;
    opened->error = cup_xrootd_error(status);
    opened->stop = cup_ticks();
    return cup_xrootd_describe(object, opened, url);
}

/* The request is answered: ends its helper wait. Returns the owner of the answer. Its block is one
 * of this thread, which received the answer. If the requesting thread was attributed to a task only
 * because that task started it (CUP_METHOD_INHERITED), the answer is unattributed: the thread may
 * turn out to serve other tasks long afterwards, when this thread's block cannot be rolled back any
 * more. */
static struct cup_owner end_request(const struct request *request)
{
    struct cup_owner owner = {NULL, request->attribution, request->epoch};
    cup_helper_wait_leaves(request->task, CUP_WAIT_IO, cup_ticks(), request->since, 0);
    if (!cup_thread_known())
        return owner;
    if (!request->task || request->attribution == CUP_METHOD_INHERITED)
        return (struct cup_owner){cup_block_none(), CUP_METHOD_NONE, 0};
    owner.block = cup_self.task == request->task && cup_self.own ? cup_self.own
                                                                 : cup_block_helping(request->task);
    return owner;
}

/* Counts an answer of BYTES (< 0: it FAILED, or it is not known what it delivered). */
static void count_transfer(struct cup_transfer *transfer, struct request *request, bool failed,
                           ssize_t bytes)
{
    *transfer = (struct cup_transfer){.call = CUP_FETCH,
                                      .descriptor = &request->file,
                                      .owner = end_request(request),
                                      .start = request->start,
                                      .failed = failed,
                                      .node = request->node};
    cup_transfer_finish(transfer, bytes, (int64_t)request->offset, NULL, 0);
}

/* The server that answered last, as its string; 0: HOSTS does not say. */
static uint32_t note_server(const struct request *request, const struct hosts *hosts)
{
    const struct url *last = last_host(hosts, request->abi);
    char host[CUP_XROOTD_HOST];
    if (!last || !last->host.bytes || last->host.bytes >= sizeof host)
        return 0;
    memcpy(host, last->host.text, last->host.bytes);
    host[last->host.bytes] = '\0';
    return cup_xrootd_served(request->object, host, last->port);
}

/* A request that TRANSFER counted has ended: SENT to the one server, and answered by the server
 * ANSWERED (0: not known). Its time counts for the one which it was sent to. */
static void count_request(const struct cup_transfer *transfer, struct cup_server_request_out sent,
                          uint32_t answered, const struct status *status, ssize_t bytes)
{
    const struct cup_block *block = transfer->owner.block;
    const struct cup_server_request_end end = {.out = sent,
                                               .task = block ? block->task : 0,
                                               .server = sent.server ? sent.server : answered,
                                               .file = transfer->descriptor->file,
                                               .error = cup_xrootd_error(status),
                                               .moved = sent.server && answered &&
                                                        answered != sent.server,
                                               .bytes = bytes > 0 ? (uint64_t)bytes : 0,
                                               .start = transfer->start,
                                               .stop = transfer->stop};
    cup_server_request_ended(&end);
}

/* The file is not open, so the client refuses without asking a server. */
static bool is_refused(const struct status *status)
{
    return !is_fine(status) && status->code == CODE_INVALID_OPERATION;
}

/* TRANSFER, a request that reads nothing, has ended. */
static void count_asked(const struct cup_transfer *transfer, struct cup_server_request_out sent,
                        uint32_t answered, const struct status *status)
{
    if (is_refused(status))
        cup_server_request_not_sent(sent, transfer->stop);
    else
        count_request(transfer, sent, answered, status, 0);
}

static void count_open(struct request *request, const struct status *status,
                       const struct hosts *hosts)
{
    char url[CUP_XROOTD_URL];
    struct cup_transfer transfer;
    size_t count = count_hosts(hosts, request->abi);
    struct cup_opened opened = {.start = request->start,
                                .server = note_server(request, hosts),
                                .redirects = count ? (uint32_t)count - 1 : 0};
    if (!cup_xrootd_opening(&opened, request->object, status, url)) {
        count_transfer(&transfer, request, false, -1);
        return;
    }
    struct cup_owner owner = end_request(request);
    cup_attribution_confirm(&owner);
    opened.task = owner.block ? owner.block->task : 0;
    cup_opening_record(&opened, owner.block);
}

void cup_xrootd_piece(const struct cup_transfer *transfer, const void *data, size_t bytes,
                      uint64_t offset)
{
    const struct cup_block *block = transfer->owner.block;
    uint32_t file = transfer->descriptor->file;
    cup_transfer_piece(transfer, bytes, offset);
    if (file && data && bytes)
        cup_baskets_read(block ? block->task : 0, file, data, bytes, offset, false);
}

/* REQUEST reads; else it opens or closes a file, or asks for its size. */
static bool reads(const struct request *request)
{
    return request->method >= READ && request->method <= VECTOR_LATER;
}

static void count_answer(struct request *request, const struct status *status,
                         const struct any *answer, const struct hosts *hosts)
{
    struct chunk one;
    const struct chunks *many = NULL;
    struct cup_transfer transfer;
    if (request->method == OPEN_LATER) {
        count_open(request, status, hosts);
        return;
    }
    if (!reads(request)) {
        transfer = (struct cup_transfer){.descriptor = &request->file,
                                         .start = request->start,
                                         .stop = cup_ticks(),
                                         .owner = end_request(request)};
        count_asked(&transfer, request->sent, note_server(request, hosts), status);
        return;
    }
    ssize_t bytes = is_fine(status) ? count_delivered(request, answer, &one, &many) : -1;
    count_transfer(&transfer, request, !is_fine(status), bytes);
    count_request(&transfer, request->sent, note_server(request, hosts), status, bytes);
    if (bytes < 0 && is_fine(status))
        cup_log_health(CUP_H_REMOTE_DROPPED, 1);
    if (bytes > 0 && !many)
        cup_xrootd_piece(&transfer, one.data, one.bytes, one.offset);
    for (size_t i = 0; bytes > 0 && many && i < count_of(many, request->abi); i++) {
        const struct chunk *chunk = chunk_at(many, i, request->abi);
        cup_xrootd_piece(&transfer, chunk->data, chunk->bytes, chunk->offset);
    }
}

/* Counts an answer, and frees its request. Returns the user's handler, which is to be called next,
 * and may delete itself then. An answer in parts comes several times: only the last one is counted.
 */
static struct handler *take_answer(struct handler *handler, const struct status *status,
                                   const struct any *answer, const struct hosts *hosts)
{
    struct request *request = (struct request *)handler;
    struct handler *users = request->users;
    if (status && is_fine(status) && status->code == CODE_CONTINUES)
        return users;
    int saved = errno;
    if (status && cup_active() && !cup_self.guard && request->log == cup_xrootd_log()) {
        cup_guard();
        count_answer(request, status, answer, hosts);
        cup_unguard();
    }
    free_request(request, request->sequence);
    errno = saved;
    return users;
}

static void handle_answer_with_hosts(struct handler *handler, struct status *status,
                                     struct any *answer, void *hosts)
{
    struct handler *users = take_answer(handler, status, answer, hosts);
    users->methods->handle_with_hosts(users, status, answer, hosts);
}

static void handle_answer(struct handler *handler, struct status *status, struct any *answer)
{
    struct handler *users = take_answer(handler, status, answer, NULL);
    users->methods->handle(users, status, answer);
}

/* The client never deletes a handler, so neither of these two is called. */
static void destroy_ours(struct handler *handler)
{
    struct handler *users = take_answer(handler, NULL, NULL, NULL);
    users->methods->destroy(users);
}

static void destroy_and_free_ours(struct handler *handler)
{
    struct handler *users = take_answer(handler, NULL, NULL, NULL);
    users->methods->destroy_and_free(users);
}

/* Our class, one for each ABI. Its type is that of the base class, so that dynamic_cast works on
 * it. */
static struct class
{
    ptrdiff_t offset;
    const void *type; /* NULL: not made yet */
    struct methods methods;
} classes[ABIS] = {
#define OURS                                                                                       \
    {                                                                                              \
        0, NULL,                                                                                   \
        {                                                                                          \
            destroy_ours, destroy_and_free_ours, handle_answer_with_hosts, handle_answer           \
        }                                                                                          \
    }
    OURS, OURS
#undef OURS
};

/* True: the library of method REAL has the class ResponseHandler with the expected virtual methods.
 */
static bool find_class(enum abi abi, const void *real)
{
    static const char type[] = "_ZTIN5XrdCl15ResponseHandlerE",
                      with_hosts[] =
                          "_ZN5XrdCl15ResponseHandler23HandleResponseWithHostsEPNS_"
                          "12XRootDStatusEPNS_9AnyObjectEPSt6vectorINS_8HostInfoESaIS6_EE",
                      without[] = "_ZN5XrdCl15ResponseHandler14HandleResponseEPNS_"
                                  "12XRootDStatusEPNS_9AnyObjectE";
    struct cup_elf object;
    if (__atomic_load_n(&classes[abi].type, __ATOMIC_ACQUIRE))
        return true;
    const void *found = cup_xrootd_find_library(real, &object) &&
                                cup_elf_symbol(&object, with_hosts) &&
                                cup_elf_symbol(&object, without)
                            ? cup_elf_symbol(&object, type)
                            : NULL;
    if (found) {
        *(void **)&pages_bytes[abi] = cup_elf_symbol(&object, "_ZNK5XrdCl8PageInfo9GetLengthEv");
        *(void **)&pages_data[abi] = cup_elf_symbol(&object, "_ZN5XrdCl8PageInfo9GetBufferEv");
        __atomic_store_n(&classes[abi].type, found, __ATOMIC_RELEASE);
    }
    return found != NULL;
}

/* ---- requests ------------------------------------------------------------------------------ */

static struct cup_server_request_out send_request(uint32_t task, const void *object, uint64_t now)
{
    struct cup_server_request_out sent = {task, cup_xrootd_server(object)};
    cup_server_request_sent(sent, now);
    return sent;
}

struct cup_server_request_out cup_xrootd_fetch_begins(const struct cup_transfer *transfer,
                                                      const void *object)
{
    const struct cup_block *block = transfer->owner.block;
    int saved = cup_enter();
    struct cup_server_request_out sent =
        send_request(block ? block->task : 0, object, transfer->start);
    cup_leave(saved);
    return sent;
}

uint32_t cup_xrootd_learn_server(const struct place *place, const void *object)
{
    char host[CUP_XROOTD_HOST];
    return cup_xrootd_data_server(place, object, host, sizeof host)
               ? cup_xrootd_served(object, host, 0)
               : 0;
}

void cup_xrootd_fetch_ended(const struct cup_transfer *transfer, struct cup_server_request_out sent,
                            const struct place *place, const void *object,
                            const struct status *status, ssize_t bytes)
{
    enum { SLOW_NS = 100000000 };
    int saved = cup_enter();
    bool slow = cup_ticks_ns(transfer->stop - transfer->start) > SLOW_NS;
    bool asks = slow || !sent.server || !is_fine(status);
    count_request(transfer, sent, asks ? cup_xrootd_learn_server(place, object) : sent.server,
                  status, bytes);
    cup_leave(saved);
}

void cup_xrootd_asked(const struct cup_transfer *transfer, struct cup_server_request_out sent,
                      const struct status *status)
{
    int saved = cup_enter();
    count_asked(transfer, sent, sent.server, status);
    cup_leave(saved);
}

/* The calling thread makes REQUEST of FILE. True: it has an owner. */
static bool begin_request(struct request *request, struct cup_descriptor *file)
{
    if (!cup_active() || cup_self.guard)
        return false;
    int saved = cup_enter();
    struct cup_owner owner = cup_attribution(&file->owner);
    bool continues = (uint64_t)file->end == request->offset;
    request->file = *file;
    request->file.end = continues ? (int64_t)request->offset : CUP_AT_CURSOR;
    if (reads(request)) {
        file->opened = 0;
        file->end = (int64_t)(request->offset + request->bytes);
    }
    request->task = owner.block ? owner.block->task : 0;
    request->epoch = owner.epoch;
    request->attribution = owner.method;
    request->node = request->task ? cup_event_node(request->task) : 0;
    request->start = cup_ticks();
    request->since = cup_helper_wait_enters(request->task, CUP_WAIT_IO, request->start);
    if (owner.block && request->method != OPEN_LATER)
        request->sent = send_request(request->task, request->object, request->start);
    cup_leave(saved);
    return owner.block != NULL;
}

struct handler *cup_xrootd_prepare(struct request **made, const struct place *place,
                                   struct cup_descriptor *file, const void *object,
                                   struct handler *users, uint64_t bytes, uint64_t offset)
{
    if (!users)
        file = NULL;
    struct request *request = file && find_class(place->abi, place->real) ? take_request() : NULL;
    *made = request;
    if (file && !request)
        cup_log_health(CUP_H_REMOTE_DROPPED, 1);
    if (!request)
        return users;
    request->handler.methods = &classes[place->abi].methods;
    request->method = (uint8_t)place->method;
    request->abi = (uint8_t)place->abi;
    request->users = users;
    request->object = object;
    request->log = cup_xrootd_log();
    request->bytes = bytes;
    request->offset = offset;
    if (begin_request(request, file))
        return &request->handler;
    free_request(request, request->sequence);
    *made = NULL;
    return users;
}

void cup_xrootd_submitted(struct request *request, uint32_t sequence, const struct status *status)
{
    if (!request || is_fine(status))
        return;
    int saved = errno;
    struct request refused = *request;
    if (free_request(request, sequence)) {
        cup_guard();
        count_answer(&refused, status, NULL, NULL);
        cup_unguard();
    }
    errno = saved;
}

#endif
