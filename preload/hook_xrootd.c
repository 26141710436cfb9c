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
#include "preload/child.h"
#include "preload/hooks.h"
#include "preload/log.h"
#include "preload/raw.h"
#include "preload/thread.h"
#include "preload/transfer.h"
#include "preload/xrootd.h"

#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <string.h>

#if defined(__x86_64__)

/* ---- what C++ makes of its classes --------------------------------------------------------- */

/* XrdCl::XRootDStatus: three numbers, and a text. */
struct status {
    uint16_t status, code; /* 0: fine */
    uint32_t error;
    struct text {
        char *text;
        size_t bytes;
        char itself[16];
    } message;
};
enum { STATUS_ERROR = 1, CODE_CONTINUES = 1, CODE_INTERNAL = 7 };

static bool is_fine(const struct status *status)
{
    return status->status == 0;
}

/* XrdCl::AnyObject: an object, and the name of its type. */
struct any {
    const struct holder {
        const void *methods;
        const void *object;
    } * holder;
    const struct type {
        const void *methods;
        const char *name;
    } * type;
};

static const void *object_of(const struct any *any, const char *type)
{
    bool is = any && any->holder && any->type && strcmp(any->type->name, type) == 0;
    return is ? any->holder->object : NULL;
}

/* The last letter of a method's name. Version 6 gave the classes of answers methods of their own:
 * they begin with one more word. */
enum abi { ABI_T, ABI_L, ABIS };

/* XrdCl::ChunkInfo */
struct chunk {
    uint64_t offset;
    uint32_t bytes;
    const void *data;
};
static const size_t chunk_size[ABIS] = {sizeof(struct chunk), sizeof(struct chunk) + 8};

static const void *after_methods(const void *object, enum abi abi)
{
    return (const char *)object + (abi == ABI_L ? 8 : 0);
}

/* std::vector<XrdCl::ChunkInfo> */
struct chunks {
    const char *begin, *end, *room;
};

static size_t count_of(const struct chunks *chunks, enum abi abi)
{
    return (size_t)(chunks->end - chunks->begin) / chunk_size[abi];
}

static const struct chunk *chunk_at(const struct chunks *chunks, size_t index, enum abi abi)
{
    return after_methods(chunks->begin + index * chunk_size[abi], abi);
}

static uint64_t bytes_of(const struct chunks *chunks, enum abi abi)
{
    uint64_t bytes = 0;
    for (size_t i = 0; i < count_of(chunks, abi); i++)
        bytes += chunk_at(chunks, i, abi)->bytes;
    return bytes;
}

/* XrdCl::VectorReadInfo */
struct vector_answer {
    struct chunks chunks;
    uint32_t bytes;
};

/* ---- the real methods ---------------------------------------------------------------------- */

enum method {
    OPEN,
    OPEN_LATER,
    READ,
    READ_LATER,
    PAGES,
    PAGES_LATER,
    VECTOR,
    VECTOR_LATER,
};

/* In the order of the list of hooks: each method in both ABIs. */
static const char *const names[] = {
#define X(name) #name,
    CUP_XROOTD_HOOKS(X)
#undef X
};

/* What a call from a place in the program leads to: the method of the library that the caller
 * itself is linked with. There may be two of the same name in a process. */
struct place {
    uintptr_t key; /* the place, and whether a name belongs to it; 0: free, BUSY: being filled */
    void *real;
    bool known;   /* of a version whose layouts are known */
    bool is_part; /* the caller is a method that waits, and makes its request by this one */
};
enum { PLACES = 256, BUSY = 1, PATH_LONGEST = 4096 };
static struct place places[PLACES];

static const void *own_method(unsigned name);

static void *in_library(const char *path, unsigned name)
{
    void *library = dlopen(path, RTLD_LAZY | RTLD_NOLOAD);
    void *found = library ? dlsym(library, names[name]) : NULL;
    return found == own_method(name) ? NULL : found;
}

static int note_client(struct dl_phdr_info *object, size_t size, void *path)
{
    (void)size;
    const char *slash = strrchr(object->dlpi_name, '/');
    size_t bytes = strlen(object->dlpi_name);
    bool is = slash && strncmp(slash, "/libXrdCl", 9) == 0 && (slash[9] == '.' || slash[9] == '-');
    if (!is || bytes >= PATH_LONGEST)
        return 0;
    memcpy(path, object->dlpi_name, bytes + 1);
    return 1;
}

/* A caller that jumped here shows the place of its own caller, which may know nothing of XRootD:
 * then it is the one client that is there. */
static void *search(const void *caller, unsigned name)
{
    static char path[PATH_LONGEST]; /* two threads would write the same */
    Dl_info object;
    void *real = NULL;
    if (dladdr(caller, &object) && object.dli_fname)
        real = in_library(object.dli_fname, name);
    if (!real)
        real = dlsym(RTLD_NEXT, names[name]);
    if (!real && dl_iterate_phdr(note_client, path))
        real = in_library(path, name);
    return real;
}

static struct place resolve(const void *caller, unsigned name)
{
    static const char file_class[] = "_ZN5XrdCl4File";
    int saved = errno;
    Dl_info object;
    cup_guard();
    struct place place = {.real = search(caller, name)};
    place.known = place.real && dladdr(place.real, &object) && object.dli_fname &&
                  cup_xrootd_is_library(object.dli_fname);
    place.is_part = dladdr(caller, &object) && object.dli_sname &&
                    strncmp(object.dli_sname, file_class, sizeof file_class - 1) == 0;
    dlerror();
    cup_unguard();
    errno = saved;
    return place;
}

/* Places are only ever added. */
static struct place place_of(const void *caller, unsigned name)
{
    uintptr_t key = (uintptr_t)caller << 5 | name << 1;
    for (unsigned i = 0; i < 8; i++) {
        struct place *place = &places[((key >> 5) * 31 + name + i) % PLACES];
        uintptr_t seen = __atomic_load_n(&place->key, __ATOMIC_ACQUIRE);
        if (seen == key)
            return *place;
        if (seen || !__atomic_compare_exchange_n(&place->key, &seen, BUSY, false, __ATOMIC_ACQUIRE,
                                                 __ATOMIC_RELAXED))
            continue;
        struct place found = resolve(caller, name);
        place->real = found.real;
        place->known = found.known;
        place->is_part = found.is_part;
        __atomic_store_n(&place->key, key, __ATOMIC_RELEASE);
        return *place;
    }
    return resolve(caller, name);
}

/* What the caller is told if the method is nowhere to be found. */
static void *missing(struct status *status)
{
    *status = (struct status){.status = STATUS_ERROR, .code = CODE_INTERNAL};
    status->message.text = status->message.itself;
    return status;
}

/* ---- requests with a handler --------------------------------------------------------------- */

struct handler;
typedef void handle_with_hosts(struct handler *handler, struct status *status, struct any *answer,
                               void *hosts);
typedef void handle(struct handler *handler, struct status *status, struct any *answer);
typedef void destroy(struct handler *handler);

/* XrdCl::ResponseHandler, as the ABI lays out a class with such virtual methods. */
struct methods {
    destroy *destroy, *destroy_and_free;
    handle_with_hosts *handle_with_hosts;
    handle *handle;
};
struct handler {
    const struct methods *methods;
};

/* Ours: takes the place of the user's handler until the answer has come. */
struct request {
    struct handler handler; /* first: it is what XRootD calls */
    uint32_t sequence;      /* odd: in use */
    uint8_t method, abi;
    struct handler *users;
    uint64_t bytes, offset; /* asked for */
    struct cup_errand errand;
};

/* More at a time are passed on, and not counted. */
enum { REQUESTS = 4096, REQUESTS_TRIED = 64 };
static struct request *requests;

static bool have_requests(void)
{
    if (__atomic_load_n(&requests, __ATOMIC_ACQUIRE))
        return true;
    void *room = cup_raw_mmap(NULL, sizeof *requests * REQUESTS, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    struct request *none = NULL;
    if (room != MAP_FAILED && !__atomic_compare_exchange_n(&requests, &none, room, false,
                                                           __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
        munmap(room, sizeof *requests * REQUESTS);
    return __atomic_load_n(&requests, __ATOMIC_ACQUIRE) != NULL;
}

static struct request *take_request(void)
{
    static uint32_t next;
    for (int i = 0; have_requests() && i < REQUESTS_TRIED; i++) {
        struct request *request =
            &requests[__atomic_fetch_add(&next, 1, __ATOMIC_RELAXED) % REQUESTS];
        uint32_t sequence = __atomic_load_n(&request->sequence, __ATOMIC_RELAXED);
        if (!(sequence & 1) &&
            __atomic_compare_exchange_n(&request->sequence, &sequence, sequence + 1, false,
                                        __ATOMIC_ACQUIRE, __ATOMIC_RELAXED))
            return request;
    }
    return NULL;
}

/* False: it was given back already. */
static bool give_back(struct request *request, uint32_t sequence)
{
    return __atomic_compare_exchange_n(&request->sequence, &sequence, sequence + 1, false,
                                       __ATOMIC_RELEASE, __ATOMIC_RELAXED);
}

/* ---- answers ------------------------------------------------------------------------------- */

/* XrdCl::PageInfo has no layout to be known, but methods. */
typedef uint32_t page_bytes(const void *page);
typedef const void *page_data(const void *page);
static page_bytes *pages_bytes[ABIS];
static page_data *pages_data[ABIS];

/* What an answer has delivered: -1 if it does not fit what was asked for, and so is not
 * understood. */
static ssize_t delivered(const struct request *request, const struct any *answer, struct chunk *one,
                         const struct chunks **many)
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

static void count(struct request *request, const struct status *status, const struct any *answer)
{
    struct chunk one;
    const struct chunks *many = NULL;
    if (request->method == OPEN_LATER) {
        cup_errand_end(&request->errand, -1, 0); /* its task has waited, and that is all */
        return;
    }
    ssize_t bytes = is_fine(status) ? delivered(request, answer, &one, &many) : -1;
    uint32_t file = request->errand.file.file;
    uint32_t task = cup_errand_end(&request->errand, bytes, (int64_t)request->offset);
    if (bytes < 0 && is_fine(status))
        cup_log_health(CUP_H_REMOTE_DROPPED, 1);
    if (bytes > 0 && !many) {
        cup_errand_piece(&request->errand, one.bytes, one.offset);
        cup_xrootd_piece(task, file, one.data, one.bytes, one.offset);
    }
    for (size_t i = 0; bytes > 0 && many && i < count_of(many, request->abi); i++) {
        const struct chunk *chunk = chunk_at(many, i, request->abi);
        cup_errand_piece(&request->errand, chunk->bytes, chunk->offset);
        cup_xrootd_piece(task, file, chunk->data, chunk->bytes, chunk->offset);
    }
}

/* The user's handler, which is to be called next, and may then delete itself. An answer in parts
 * comes more than once. */
static struct handler *answered(struct handler *handler, const struct status *status,
                                const struct any *answer)
{
    struct request *request = (struct request *)handler;
    struct handler *users = request->users;
    if (status && is_fine(status) && status->code == CODE_CONTINUES)
        return users;
    int saved = errno;
    if (status && cup_active() && !cup_self.guard) {
        cup_guard();
        count(request, status, answer);
        cup_unguard();
    }
    give_back(request, request->sequence);
    errno = saved;
    return users;
}

static void handle_answer_with_hosts(struct handler *handler, struct status *status,
                                     struct any *answer, void *hosts)
{
    struct handler *users = answered(handler, status, answer);
    users->methods->handle_with_hosts(users, status, answer, hosts);
}

static void handle_answer(struct handler *handler, struct status *status, struct any *answer)
{
    struct handler *users = answered(handler, status, answer);
    users->methods->handle(users, status, answer);
}

/* XRootD leaves its users' handlers to them, so neither is ever called. */
static void destroy_ours(struct handler *handler)
{
    struct handler *users = answered(handler, NULL, NULL);
    users->methods->destroy(users);
}

static void destroy_and_free_ours(struct handler *handler)
{
    struct handler *users = answered(handler, NULL, NULL);
    users->methods->destroy_and_free(users);
}

/* Our class, for a library of each ABI: to a dynamic_cast it is the plain base class. */
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

/* The library must have the class, with methods of these very names and arguments. */
static bool know_class(enum abi abi, const void *real)
{
    static const char type[] = "_ZTIN5XrdCl15ResponseHandlerE",
                      with_hosts[] =
                          "_ZN5XrdCl15ResponseHandler23HandleResponseWithHostsEPNS_"
                          "12XRootDStatusEPNS_9AnyObjectEPSt6vectorINS_8HostInfoESaIS6_EE",
                      without[] = "_ZN5XrdCl15ResponseHandler14HandleResponseEPNS_"
                                  "12XRootDStatusEPNS_9AnyObjectE";
    Dl_info object;
    if (__atomic_load_n(&classes[abi].type, __ATOMIC_ACQUIRE))
        return true;
    int saved = errno;
    cup_guard();
    void *library =
        dladdr(real, &object) ? dlopen(object.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
    const void *found = library && dlsym(library, with_hosts) && dlsym(library, without)
                            ? dlsym(library, type)
                            : NULL;
    if (found) {
        *(void **)&pages_bytes[abi] = dlsym(library, "_ZNK5XrdCl8PageInfo9GetLengthEv");
        *(void **)&pages_data[abi] = dlsym(library, "_ZN5XrdCl8PageInfo9GetBufferEv");
        __atomic_store_n(&classes[abi].type, found, __ATOMIC_RELEASE);
    }
    dlerror();
    cup_unguard();
    errno = saved;
    return found != NULL;
}

/* ---- calls --------------------------------------------------------------------------------- */

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

/* What goes in place of USERS: itself, if the request is not to be counted. FILE: NULL then. */
static struct handler *prepare(struct request **made, const struct place *place, enum method method,
                               enum abi abi, struct cup_descriptor *file, struct handler *users,
                               uint64_t bytes, uint64_t offset)
{
    if (!users)
        file = NULL;
    struct request *request = file && know_class(abi, place->real) ? take_request() : NULL;
    *made = request;
    if (file && !request)
        cup_log_health(CUP_H_REMOTE_DROPPED, 1);
    if (!request)
        return users;
    request->handler.methods = &classes[abi].methods;
    request->method = (uint8_t)method;
    request->abi = (uint8_t)abi;
    request->users = users;
    request->bytes = bytes;
    request->offset = offset;
    if (cup_errand_begin(&request->errand, file, bytes, offset))
        return &request->handler;
    give_back(request, request->sequence);
    *made = NULL;
    return users;
}

/* A request that was refused has no answer, and its handler stays the user's. */
static void submitted(struct request *request, uint32_t sequence, const struct status *status)
{
    if (!request || is_fine(status))
        return;
    int saved = errno;
    struct cup_errand errand = request->errand;
    if (give_back(request, sequence)) {
        cup_guard();
        cup_errand_end(&errand, -1, 0);
        cup_unguard();
    }
    errno = saved;
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

static void *open_by(const struct place *place, struct status *status, void *file,
                     const struct text *url, unsigned long flags, unsigned long mode,
                     unsigned long timeout)
{
    if (place->known)
        cup_xrootd_opened(file, url->text, url->bytes);
    struct cup_wait wait;
    bool waits = cup_wait_begin(&wait, CUP_WAIT_IO, CUP_WAITS);
    ((open_now *)place->real)(status, file, url, flags, mode, timeout);
    if (waits)
        cup_wait_end(&wait);
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
    struct handler *first =
        prepare(&request, place, OPEN_LATER, abi, counts(place) ? &opening : NULL, handler, 0, 0);
    uint32_t sequence = request ? request->sequence : 0;
    ((open_later *)place->real)(status, file, url, flags, mode, first, timeout);
    submitted(request, sequence, status);
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
    struct handler *first = prepare(&request, place, method, abi, file_of(place, file), handler,
                                    (uint32_t)bytes, offset);
    uint32_t sequence = request ? request->sequence : 0;
    ((read_later *)place->real)(status, file, offset, bytes, data, first, timeout);
    submitted(request, sequence, status);
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
    struct handler *first = prepare(&request, place, VECTOR_LATER, abi, file_of(place, file),
                                    handler, place->known ? bytes_of(chunks, abi) : 0, offset);
    uint32_t sequence = request ? request->sequence : 0;
    ((vector_later *)place->real)(status, file, chunks, data, first, timeout);
    submitted(request, sequence, status);
    return status;
}

/* ---- wrappers -------------------------------------------------------------------------------- */

/* One of a method in both ABIs: `place` is what it leads to, `abi` which of them it is. */
#define METHOD(name, letter, ABI, method, parameters, call)                                        \
    void *name##letter parameters;                                                                 \
    CUP_HOOK void *name##letter parameters                                                         \
    {                                                                                              \
        enum abi abi = ABI;                                                                        \
        struct place place = place_of(__builtin_return_address(0), 2 * (method) + abi);            \
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

static const void *own_method(unsigned name)
{
    static const void *const own[] = {
#define X(name) (const void *)(name),
        CUP_XROOTD_HOOKS(X)
#undef X
    };
    return own[name];
}

#endif
