/* Wrappers of XRootD's own client (libXrdCl), in C for methods in C++. Its threads read sockets for
 * whoever asked, so nothing below it knows a task; whoever calls its methods does.
 *
 * Methods are found by their C++ names. They return a status through a hidden pointer, which comes
 * before `this`: hence x86-64 alone, elsewhere it goes another way. Numbers are passed on as whole
 * registers, whatever their width. Nothing is called but the method itself, and nothing of C++ is
 * made: but for requests with a handler, which is what is told of the answer. There our own object
 * of that class goes in its place: it looks at the answer, and hands it on, once, as it came.
 *
 * Known are versions 5 and 6 of the library. Of another one all calls are only passed on. */
#include "preload/attribution/child_processes.h"
#include "preload/lifecycle/thread.h"
#include "preload/sys/hook_list.h"
#include "preload/xrootd/xrootd_requests.h"

#include <errno.h>

#if defined(__x86_64__)

/* What the caller is told if the method is nowhere to be found. */
static void *missing(struct status *status)
{
    *status = (struct status){.status = STATUS_ERROR, .code = CODE_INTERNAL};
    status->message.text = status->message.itself;
    return status;
}

/* To be counted. */
static bool counts(const struct place *place)
{
    if (cup_child_waiting && place->known && !cup_active())
        cup_child_fetches();
    return place->known && !place->is_part && cup_active() && !cup_self.guard;
}

/* NULL: does not count. */
static struct cup_descriptor *file_of(const struct place *place, const void *object)
{
    return counts(place) ? cup_xrootd_file(object) : NULL;
}

/* ---- methods that wait ----------------------------------------------------------------------- */

static bool begin(struct cup_transfer *transfer, const struct place *place, const void *object)
{
    struct cup_descriptor *file = file_of(place, object);
    return file && cup_transfer_begin_on(transfer, file);
}

static void end(struct cup_transfer *transfer, const struct status *status, uint64_t bytes,
                uint64_t offset)
{
    cup_transfer_end(transfer, CUP_FETCH, is_fine(status) ? (ssize_t)bytes : -1, (int64_t)offset,
                     NULL, 0);
}

static void piece(const struct cup_transfer *transfer, const void *data, size_t bytes,
                  uint64_t offset)
{
    int saved = errno;
    const struct cup_block *block = transfer->owner.block;
    cup_guard();
    cup_transfer_piece(transfer, bytes, offset);
    cup_xrootd_piece(block ? block->task : 0, transfer->descriptor->file, data, bytes, offset);
    cup_unguard();
    errno = saved;
}

typedef void *read_now(struct status *status, void *file, unsigned long offset, unsigned long bytes,
                       void *data, uint32_t *got, unsigned long timeout);

static void *read_by(const struct place *place, struct status *status, void *file,
                     unsigned long offset, unsigned long bytes, void *data, uint32_t *got,
                     unsigned long timeout)
{
    struct cup_transfer transfer;
    bool counted = begin(&transfer, place, file);
    ((read_now *)place->real)(status, file, offset, bytes, data, got, timeout);
    if (counted) {
        end(&transfer, status, *got, offset);
        if (is_fine(status))
            piece(&transfer, data, *got, offset);
    }
    return status;
}

typedef void *pages_now(struct status *status, void *file, unsigned long offset,
                        unsigned long bytes, void *data, void *sums, uint32_t *got,
                        unsigned long timeout);

static void *pages_by(const struct place *place, struct status *status, void *file,
                      unsigned long offset, unsigned long bytes, void *data, void *sums,
                      uint32_t *got, unsigned long timeout)
{
    struct cup_transfer transfer;
    bool counted = begin(&transfer, place, file);
    ((pages_now *)place->real)(status, file, offset, bytes, data, sums, got, timeout);
    if (counted) {
        end(&transfer, status, *got, offset);
        if (is_fine(status))
            piece(&transfer, data, *got, offset);
    }
    return status;
}

typedef void *vector_now(struct status *status, void *file, const struct chunks *chunks, void *data,
                         const void **answer, unsigned long timeout);

static void *vector_by(const struct place *place, enum abi abi, struct status *status, void *file,
                       const struct chunks *chunks, void *data, const void **answer,
                       unsigned long timeout)
{
    struct cup_transfer transfer;
    bool counted = begin(&transfer, place, file);
    ((vector_now *)place->real)(status, file, chunks, data, answer, timeout);
    if (!counted)
        return status;
    const struct vector_answer *all =
        is_fine(status) && *answer ? after_methods(*answer, abi) : NULL;
    size_t count = all ? count_of(&all->chunks, abi) : 0;
    uint64_t offset = count ? chunk_at(&all->chunks, 0, abi)->offset : 0;
    end(&transfer, status, all ? bytes_of(&all->chunks, abi) : 0, offset);
    for (size_t i = 0; i < count; i++) {
        const struct chunk *chunk = chunk_at(&all->chunks, i, abi);
        piece(&transfer, chunk->data, chunk->bytes, chunk->offset);
    }
    return status;
}

typedef void *open_now(struct status *status, void *file, const struct text *url,
                       unsigned long flags, unsigned long mode, unsigned long timeout);

static void opened_by(struct cup_owner *owner, const void *file, const struct status *status,
                      uint64_t start)
{
    char url[CUP_XROOTD_URL];
    struct cup_opened opened = {.start = start};
    int saved = errno;
    cup_guard();
    cup_attribution_confirm(owner);
    opened.task = owner->block ? owner->block->task : 0;
    if (cup_xrootd_opening(&opened, file, status, url))
        cup_opening_record(&opened, owner->block);
    cup_unguard();
    errno = saved;
}

static struct cup_owner opener(void)
{
    int saved = errno;
    cup_guard();
    struct cup_owner owner = cup_attribution(NULL);
    cup_unguard();
    errno = saved;
    return owner;
}

static void *open_by(const struct place *place, struct status *status, void *file,
                     const struct text *url, unsigned long flags, unsigned long mode,
                     unsigned long timeout)
{
    if (place->known)
        cup_xrootd_opened(file, url->text, url->bytes);
    bool counted = counts(place);
    struct cup_owner owner = counted ? opener() : (struct cup_owner){0};
    struct cup_wait wait;
    bool waits = cup_wait_begin(&wait, CUP_WAIT_IO, CUP_WAITS);
    uint64_t start = cup_ticks();
    ((open_now *)place->real)(status, file, url, flags, mode, timeout);
    if (waits)
        cup_wait_end(&wait);
    if (counted)
        opened_by(&owner, file, status, start);
    return status;
}

/* ---- methods that do not --------------------------------------------------------------------- */

typedef void *open_later(struct status *status, void *file, const struct text *url,
                         unsigned long flags, unsigned long mode, struct handler *handler,
                         unsigned long timeout);

static void *open_later_by(const struct place *place, enum abi abi, struct status *status,
                           void *file, const struct text *url, unsigned long flags,
                           unsigned long mode, struct handler *handler, unsigned long timeout)
{
    struct request *request;
    struct cup_descriptor opening = {.class = CUP_FILE_DATA};
    if (place->known && !place->is_part)
        cup_xrootd_opened(file, url->text, url->bytes);
    struct handler *first = cup_xrootd_prepare(
        &request, place, OPEN_LATER, abi, counts(place) ? &opening : NULL, file, handler, 0, 0);
    uint32_t sequence = request ? request->sequence : 0;
    ((open_later *)place->real)(status, file, url, flags, mode, first, timeout);
    cup_xrootd_submitted(request, sequence, status);
    return status;
}

typedef void *read_later(struct status *status, void *file, unsigned long offset,
                         unsigned long bytes, void *data, struct handler *handler,
                         unsigned long timeout);

/* METHOD: of bytes, or of pages. */
static void *read_later_by(const struct place *place, enum method method, enum abi abi,
                           struct status *status, void *file, unsigned long offset,
                           unsigned long bytes, void *data, struct handler *handler,
                           unsigned long timeout)
{
    struct request *request;
    struct handler *first = cup_xrootd_prepare(&request, place, method, abi, file_of(place, file),
                                               file, handler, (uint32_t)bytes, offset);
    uint32_t sequence = request ? request->sequence : 0;
    ((read_later *)place->real)(status, file, offset, bytes, data, first, timeout);
    cup_xrootd_submitted(request, sequence, status);
    return status;
}

typedef void *vector_later(struct status *status, void *file, const struct chunks *chunks,
                           void *data, struct handler *handler, unsigned long timeout);

static void *vector_later_by(const struct place *place, enum abi abi, struct status *status,
                             void *file, const struct chunks *chunks, void *data,
                             struct handler *handler, unsigned long timeout)
{
    struct request *request;
    uint64_t offset = count_of(chunks, abi) ? chunk_at(chunks, 0, abi)->offset : 0;
    struct handler *first =
        cup_xrootd_prepare(&request, place, VECTOR_LATER, abi, file_of(place, file), file, handler,
                           place->known ? bytes_of(chunks, abi) : 0, offset);
    uint32_t sequence = request ? request->sequence : 0;
    ((vector_later *)place->real)(status, file, chunks, data, first, timeout);
    cup_xrootd_submitted(request, sequence, status);
    return status;
}

/* ---- wrappers -------------------------------------------------------------------------------- */

/* One of a method in both ABIs: `place` is what it leads to, `abi` which of them it is. */
#define METHOD(name, letter, ABI, method, parameters, call)                                        \
    void *name##letter parameters;                                                                 \
    CUP_HOOK void *name##letter parameters                                                         \
    {                                                                                              \
        enum abi abi = ABI;                                                                        \
        struct place place = cup_xrootd_place(__builtin_return_address(0), 2 * (method) + abi);    \
        return place.real ? (call) : missing(status);                                              \
    }
#define METHODS(name, method, parameters, call)                                                    \
    METHOD(name, t, ABI_T, method, parameters, call)                                               \
    METHOD(name, l, ABI_L, method, parameters, call)

/* clang-format off */
METHODS(_ZN5XrdCl4File4OpenERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_9OpenFlags5FlagsENS_6Access4ModeE,
        OPEN,
        (struct status *status, void *file, const struct text *url, unsigned long flags,
         unsigned long mode, unsigned long timeout),
        ((void)abi, open_by(&place, status, file, url, flags, mode, timeout)))

METHODS(_ZN5XrdCl4File4OpenERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_9OpenFlags5FlagsENS_6Access4ModeEPNS_15ResponseHandlerE,
        OPEN_LATER,
        (struct status *status, void *file, const struct text *url, unsigned long flags,
         unsigned long mode, struct handler *handler, unsigned long timeout),
        open_later_by(&place, abi, status, file, url, flags, mode, handler, timeout))

METHODS(_ZN5XrdCl4File4ReadEmjPvRj,
        READ,
        (struct status *status, void *file, unsigned long offset, unsigned long bytes, void *data,
         uint32_t *got, unsigned long timeout),
        ((void)abi, read_by(&place, status, file, offset, bytes, data, got, timeout)))

METHODS(_ZN5XrdCl4File4ReadEmjPvPNS_15ResponseHandlerE,
        READ_LATER,
        (struct status *status, void *file, unsigned long offset, unsigned long bytes, void *data,
         struct handler *handler, unsigned long timeout),
        read_later_by(&place, READ_LATER, abi, status, file, offset, bytes, data, handler, timeout))

METHODS(_ZN5XrdCl4File6PgReadEmjPvRSt6vectorIjSaIjEERj,
        PAGES,
        (struct status *status, void *file, unsigned long offset, unsigned long bytes, void *data,
         void *sums, uint32_t *got, unsigned long timeout),
        ((void)abi, pages_by(&place, status, file, offset, bytes, data, sums, got, timeout)))

METHODS(_ZN5XrdCl4File6PgReadEmjPvPNS_15ResponseHandlerE,
        PAGES_LATER,
        (struct status *status, void *file, unsigned long offset, unsigned long bytes, void *data,
         struct handler *handler, unsigned long timeout),
        read_later_by(&place, PAGES_LATER, abi, status, file, offset, bytes, data, handler, timeout))

METHODS(_ZN5XrdCl4File10VectorReadERKSt6vectorINS_9ChunkInfoESaIS2_EEPvRPNS_14VectorReadInfoE,
        VECTOR,
        (struct status *status, void *file, const struct chunks *chunks, void *data,
         const void **answer, unsigned long timeout),
        vector_by(&place, abi, status, file, chunks, data, answer, timeout))

METHODS(_ZN5XrdCl4File10VectorReadERKSt6vectorINS_9ChunkInfoESaIS2_EEPvPNS_15ResponseHandlerE,
        VECTOR_LATER,
        (struct status *status, void *file, const struct chunks *chunks, void *data,
         struct handler *handler, unsigned long timeout),
        vector_later_by(&place, abi, status, file, chunks, data, handler, timeout))
/* clang-format on */

#endif
