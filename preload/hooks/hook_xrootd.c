/* Wrappers of XRootD's own client (libXrdCl): C functions that stand in for methods of C++ classes.
 * The client's threads read sockets for all tasks, so no hook below it can name a task. The thread
 * that calls its methods can.
 *
 * The wrappers have the mangled names of the methods. A method returns its status through a hidden
 * pointer, which on x86-64 is passed before `this`; other machines pass it in another way, so there
 * these wrappers are left out. Numbers are passed on as whole registers, whatever their width. The
 * wrappers call nothing but the method itself, and make no C++ object, with one exception: a
 * request whose answer goes to a handler is given a handler of ours, which looks at the answer and
 * hands it on, once and unchanged, to the user's.
 *
 * Versions 5 and 6 of the library are known. Calls of any other version are passed on unrecorded.
 */
#include "preload/hooks/waiting.h"
#include "preload/lifecycle/thread.h"
#include "preload/sys/hook_list.h"
#include "preload/xrootd/xrootd_requests.h"

#if defined(__x86_64__)

/* The answer if the method is not found in any library: an internal error of the client. */
static void *set_missing(struct status *status)
{
    *status = (struct status){.status = STATUS_ERROR, .code = CODE_INTERNAL};
    status->message.text = status->message.itself;
    return status;
}

/* The call is to be recorded. */
static bool is_recorded(const struct place *place)
{
    if (place->known && !cup_active())
        cup_child_fetches();
    return place->known && !place->is_part && cup_active() && !cup_self.guard;
}

/* The file that OBJECT reads; NULL: the call is not recorded. */
static struct cup_descriptor *find_file(const struct place *place, const void *object)
{
    return is_recorded(place) ? cup_xrootd_file(object) : NULL;
}

/* ---- methods that wait ----------------------------------------------------------------------- */

/* A read under way, on the stack of its wrapper. */
struct fetch {
    struct cup_transfer transfer;
    struct cup_server_request_out sent;
    const struct place *place;
    const void *object;
};

/* Begins a read of OBJECT's file. NULL: it is not recorded. */
static struct fetch *begin_fetch(struct fetch *room, const struct place *place, const void *object)
{
    struct cup_descriptor *file = find_file(place, object);
    if (!file || !cup_transfer_begin_on(&room->transfer, file))
        return NULL;
    room->place = place;
    room->object = object;
    room->sent = cup_xrootd_fetch_begins(&room->transfer, object);
    return room;
}

static void end_fetch(struct fetch *fetch, const struct status *status, uint64_t bytes,
                      uint64_t offset)
{
    ssize_t got = is_fine(status) ? (ssize_t)bytes : -1;
    fetch->transfer.failed = !is_fine(status);
    cup_transfer_finish(&fetch->transfer, got, (int64_t)offset, NULL, 0);
    cup_xrootd_fetch_ended(&fetch->transfer, fetch->sent, fetch->place, fetch->object, status, got);
}

static void count_piece(const struct cup_transfer *transfer, const void *data, size_t bytes,
                        uint64_t offset)
{
    int saved = cup_enter();
    cup_xrootd_piece(transfer, data, bytes, offset);
    cup_leave(saved);
}

/* A read of one piece: BYTES came to DATA. */
static void *end_read(struct fetch *fetch, struct status *status, uint64_t offset, uint32_t bytes,
                      const void *data)
{
    if (fetch) {
        end_fetch(fetch, status, bytes, offset);
        if (is_fine(status))
            count_piece(&fetch->transfer, data, bytes, offset);
    }
    return status;
}

typedef void *read_now(struct status *status, void *file, unsigned long offset, unsigned long bytes,
                       void *data, uint32_t *got, unsigned long timeout);

static void *read_file(struct place place, struct status *status, void *file, unsigned long offset,
                       unsigned long bytes, void *data, uint32_t *got, unsigned long timeout)
{
    struct fetch room, *fetch = begin_fetch(&room, &place, file);
    ((read_now *)place.real)(status, file, offset, bytes, data, got, timeout);
    return end_read(fetch, status, offset, fetch ? *got : 0, data);
}

typedef void *pages_now(struct status *status, void *file, unsigned long offset,
                        unsigned long bytes, void *data, void *sums, uint32_t *got,
                        unsigned long timeout);

static void *read_pages(struct place place, struct status *status, void *file, unsigned long offset,
                        unsigned long bytes, void *data, void *sums, uint32_t *got,
                        unsigned long timeout)
{
    struct fetch room, *fetch = begin_fetch(&room, &place, file);
    ((pages_now *)place.real)(status, file, offset, bytes, data, sums, got, timeout);
    return end_read(fetch, status, offset, fetch ? *got : 0, data);
}

typedef void *vector_now(struct status *status, void *file, const struct chunks *chunks, void *data,
                         const void **answer, unsigned long timeout);

static void count_vector(struct fetch *fetch, const struct status *status, const void *answer,
                         enum abi abi)
{
    const struct vector_answer *all = is_fine(status) && answer ? after_methods(answer, abi) : NULL;
    size_t count = all ? count_of(&all->chunks, abi) : 0;
    uint64_t offset = count ? chunk_at(&all->chunks, 0, abi)->offset : 0;
    end_fetch(fetch, status, all ? bytes_of(&all->chunks, abi) : 0, offset);
    for (size_t i = 0; i < count; i++) {
        const struct chunk *chunk = chunk_at(&all->chunks, i, abi);
        count_piece(&fetch->transfer, chunk->data, chunk->bytes, chunk->offset);
    }
}

static void *read_vector(struct place place, struct status *status, void *file,
                         const struct chunks *chunks, void *data, const void **answer,
                         unsigned long timeout)
{
    struct fetch room, *fetch = begin_fetch(&room, &place, file);
    ((vector_now *)place.real)(status, file, chunks, data, answer, timeout);
    if (fetch)
        count_vector(fetch, status, *answer, place.abi);
    return status;
}

typedef void *open_now(struct status *status, void *file, const struct text *url,
                       unsigned long flags, unsigned long mode, unsigned long timeout);

static void record_open(struct cup_owner *owner, const struct place *place, const void *file,
                        const struct status *status, uint64_t start)
{
    char url[CUP_XROOTD_URL];
    int saved = cup_enter();
    struct cup_opened opened = {.start = start};
    cup_attribution_confirm(owner);
    opened.task = owner->block ? owner->block->task : 0;
    bool remote = cup_xrootd_opening(&opened, file, status, url);
    opened.server = remote ? cup_xrootd_learn_server(place, file) : 0;
    if (remote)
        cup_opening_record(&opened, owner->block);
    cup_leave(saved);
}

static struct cup_owner find_owner(void)
{
    int saved = cup_enter();
    struct cup_owner owner = cup_attribution(NULL);
    cup_leave(saved);
    return owner;
}

static void *open_file(struct place place, struct status *status, void *file,
                       const struct text *url, unsigned long flags, unsigned long mode,
                       unsigned long timeout)
{
    if (place.known)
        cup_xrootd_opened(file, url->text, url->bytes);
    bool recorded = is_recorded(&place);
    struct cup_owner owner = recorded ? find_owner() : (struct cup_owner){0};
    struct cup_wait room, *wait = begin_wait(&room, CUP_WAIT_IO, CUP_WAITS);
    uint64_t start = cup_ticks();
    ((open_now *)place.real)(status, file, url, flags, mode, timeout);
    if (wait)
        cup_wait_end(wait);
    if (recorded)
        record_open(&owner, &place, file, status, start);
    return status;
}

/* A method that waits for an answer without data, on the stack of its wrapper. */
struct asking {
    struct cup_wait room, *wait;
    struct cup_transfer transfer; /* its descriptor is NULL if the request is not recorded */
    struct cup_server_request_out sent;
};

/* OBJECT's file, if a server is asked about it, and that is recorded. ASKS: the method asks one. */
static struct cup_descriptor *find_asked(const struct place *place, const void *object, bool asks)
{
    return asks && cup_xrootd_may_ask(object) ? find_file(place, object) : NULL;
}

static void begin_asking(struct asking *asking, const struct place *place, const void *object,
                         bool asks)
{
    asking->transfer.descriptor = find_asked(place, object, asks);
    asking->wait = begin_wait(&asking->room, CUP_WAIT_IO, CUP_WAITS);
    if (!asking->transfer.descriptor)
        return;
    asking->transfer.owner = find_owner();
    asking->transfer.start = cup_ticks();
    asking->sent = cup_xrootd_fetch_begins(&asking->transfer, object);
}

static void *end_asking(struct asking *asking, struct status *status)
{
    asking->transfer.stop = cup_ticks();
    if (asking->wait)
        cup_wait_end(asking->wait);
    if (asking->transfer.descriptor)
        cup_xrootd_asked(&asking->transfer, asking->sent, status);
    return status;
}

typedef void *stat_now(struct status *status, void *file, unsigned long force, void **answer,
                       unsigned long timeout);

/* FORCE is a bool: else the client answers from what the server said when the file was opened. */
static void *stat_file(struct place place, struct status *status, void *file, unsigned long force,
                       void **answer, unsigned long timeout)
{
    struct asking asking;
    begin_asking(&asking, &place, file, (force & 0xff) != 0);
    ((stat_now *)place.real)(status, file, force, answer, timeout);
    return end_asking(&asking, status);
}

typedef void *close_now(struct status *status, void *file, unsigned long timeout);

static void *close_file(struct place place, struct status *status, void *file,
                        unsigned long timeout)
{
    struct asking asking;
    begin_asking(&asking, &place, file, true);
    ((close_now *)place.real)(status, file, timeout);
    return end_asking(&asking, status);
}

/* ---- methods whose answer goes to a handler ---------------------------------------------------
 */

typedef void *open_later(struct status *status, void *file, const struct text *url,
                         unsigned long flags, unsigned long mode, struct handler *handler,
                         unsigned long timeout);

static void *request_open(struct place place, struct status *status, void *file,
                          const struct text *url, unsigned long flags, unsigned long mode,
                          struct handler *handler, unsigned long timeout)
{
    struct request *request;
    struct cup_descriptor opening = {.class = CUP_FILE_DATA};
    if (place.known && !place.is_part)
        cup_xrootd_opened(file, url->text, url->bytes);
    struct handler *first = cup_xrootd_prepare(
        &request, &place, is_recorded(&place) ? &opening : NULL, file, handler, 0, 0);
    uint32_t sequence = request ? request->sequence : 0;
    ((open_later *)place.real)(status, file, url, flags, mode, first, timeout);
    cup_xrootd_submitted(request, sequence, status);
    return status;
}

typedef void *read_later(struct status *status, void *file, unsigned long offset,
                         unsigned long bytes, void *data, struct handler *handler,
                         unsigned long timeout);

/* For Read() and for PgRead(), which take the same arguments. */
static void *request_read(struct place place, struct status *status, void *file,
                          unsigned long offset, unsigned long bytes, void *data,
                          struct handler *handler, unsigned long timeout)
{
    struct request *request;
    struct handler *first = cup_xrootd_prepare(&request, &place, find_file(&place, file), file,
                                               handler, (uint32_t)bytes, offset);
    uint32_t sequence = request ? request->sequence : 0;
    ((read_later *)place.real)(status, file, offset, bytes, data, first, timeout);
    cup_xrootd_submitted(request, sequence, status);
    return status;
}

typedef void *vector_later(struct status *status, void *file, const struct chunks *chunks,
                           void *data, struct handler *handler, unsigned long timeout);

static void *request_vector(struct place place, struct status *status, void *file,
                            const struct chunks *chunks, void *data, struct handler *handler,
                            unsigned long timeout)
{
    struct request *request;
    uint64_t offset = count_of(chunks, place.abi) ? chunk_at(chunks, 0, place.abi)->offset : 0;
    struct handler *first =
        cup_xrootd_prepare(&request, &place, find_file(&place, file), file, handler,
                           place.known ? bytes_of(chunks, place.abi) : 0, offset);
    uint32_t sequence = request ? request->sequence : 0;
    ((vector_later *)place.real)(status, file, chunks, data, first, timeout);
    cup_xrootd_submitted(request, sequence, status);
    return status;
}

typedef void *stat_later(struct status *status, void *file, unsigned long force,
                         struct handler *handler, unsigned long timeout);

static void *request_stat(struct place place, struct status *status, void *file,
                          unsigned long force, struct handler *handler, unsigned long timeout)
{
    struct request *request;
    bool asks = (force & 0xff) != 0;
    struct handler *first =
        cup_xrootd_prepare(&request, &place, find_asked(&place, file, asks), file, handler, 0, 0);
    uint32_t sequence = request ? request->sequence : 0;
    ((stat_later *)place.real)(status, file, force, first, timeout);
    cup_xrootd_submitted(request, sequence, status);
    return status;
}

typedef void *close_later(struct status *status, void *file, struct handler *handler,
                          unsigned long timeout);

static void *request_close(struct place place, struct status *status, void *file,
                           struct handler *handler, unsigned long timeout)
{
    struct request *request;
    struct handler *first =
        cup_xrootd_prepare(&request, &place, find_asked(&place, file, true), file, handler, 0, 0);
    uint32_t sequence = request ? request->sequence : 0;
    ((close_later *)place.real)(status, file, first, timeout);
    cup_xrootd_submitted(request, sequence, status);
    return status;
}

/* ---- wrappers -------------------------------------------------------------------------------- */

/* The two wrappers of a method: its name ends in t in version 5 of the library, and in l in
 * version 6. Both hand their arguments on to HELPER, after the place that they were called from. */
#define METHODS(name, method, helper, parameters, ...)                                             \
    METHOD(name##t, method, ABI_T, helper, parameters, __VA_ARGS__)                                \
    METHOD(name##l, method, ABI_L, helper, parameters, __VA_ARGS__)
#define METHOD(name, method, abi, helper, parameters, ...)                                         \
    void *name parameters;                                                                         \
    CUP_HOOK void *name parameters                                                                 \
    {                                                                                              \
        struct place place = cup_xrootd_place(__builtin_return_address(0), method, abi);           \
        return place.real ? helper(place, __VA_ARGS__) : set_missing(status);                      \
    }

/* clang-format off */
METHODS(_ZN5XrdCl4File4OpenERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_9OpenFlags5FlagsENS_6Access4ModeE,
        OPEN, open_file,
        (struct status *status, void *file, const struct text *url, unsigned long flags,
         unsigned long mode, unsigned long timeout),
        status, file, url, flags, mode, timeout)

METHODS(_ZN5XrdCl4File4OpenERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_9OpenFlags5FlagsENS_6Access4ModeEPNS_15ResponseHandlerE,
        OPEN_LATER, request_open,
        (struct status *status, void *file, const struct text *url, unsigned long flags,
         unsigned long mode, struct handler *handler, unsigned long timeout),
        status, file, url, flags, mode, handler, timeout)

METHODS(_ZN5XrdCl4File4ReadEmjPvRj,
        READ, read_file,
        (struct status *status, void *file, unsigned long offset, unsigned long bytes, void *data,
         uint32_t *got, unsigned long timeout),
        status, file, offset, bytes, data, got, timeout)

METHODS(_ZN5XrdCl4File4ReadEmjPvPNS_15ResponseHandlerE,
        READ_LATER, request_read,
        (struct status *status, void *file, unsigned long offset, unsigned long bytes, void *data,
         struct handler *handler, unsigned long timeout),
        status, file, offset, bytes, data, handler, timeout)

METHODS(_ZN5XrdCl4File6PgReadEmjPvRSt6vectorIjSaIjEERj,
        PAGES, read_pages,
        (struct status *status, void *file, unsigned long offset, unsigned long bytes, void *data,
         void *sums, uint32_t *got, unsigned long timeout),
        status, file, offset, bytes, data, sums, got, timeout)

METHODS(_ZN5XrdCl4File6PgReadEmjPvPNS_15ResponseHandlerE,
        PAGES_LATER, request_read,
        (struct status *status, void *file, unsigned long offset, unsigned long bytes, void *data,
         struct handler *handler, unsigned long timeout),
        status, file, offset, bytes, data, handler, timeout)

METHODS(_ZN5XrdCl4File10VectorReadERKSt6vectorINS_9ChunkInfoESaIS2_EEPvRPNS_14VectorReadInfoE,
        VECTOR, read_vector,
        (struct status *status, void *file, const struct chunks *chunks, void *data,
         const void **answer, unsigned long timeout),
        status, file, chunks, data, answer, timeout)

METHODS(_ZN5XrdCl4File10VectorReadERKSt6vectorINS_9ChunkInfoESaIS2_EEPvPNS_15ResponseHandlerE,
        VECTOR_LATER, request_vector,
        (struct status *status, void *file, const struct chunks *chunks, void *data,
         struct handler *handler, unsigned long timeout),
        status, file, chunks, data, handler, timeout)

METHODS(_ZN5XrdCl4File4StatEbRPNS_8StatInfoE,
        STAT, stat_file,
        (struct status *status, void *file, unsigned long force, void **answer,
         unsigned long timeout),
        status, file, force, answer, timeout)

METHODS(_ZN5XrdCl4File4StatEbPNS_15ResponseHandlerE,
        STAT_LATER, request_stat,
        (struct status *status, void *file, unsigned long force, struct handler *handler,
         unsigned long timeout),
        status, file, force, handler, timeout)

METHODS(_ZN5XrdCl4File5CloseE,
        CLOSE, close_file,
        (struct status *status, void *file, unsigned long timeout),
        status, file, timeout)

METHODS(_ZN5XrdCl4File5CloseEPNS_15ResponseHandlerE,
        CLOSE_LATER, request_close,
        (struct status *status, void *file, struct handler *handler, unsigned long timeout),
        status, file, handler, timeout)
/* clang-format on */

#endif
