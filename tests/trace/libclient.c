/* cflags: -fno-builtin */
/* Replaces XRootD's client if it is not installed: its methods by their C++ names, in the ABIs of
 * versions 5 (t) and 6 (l), with answers laid out as C++ lays them out. client() calls them in
 * every way that the library must understand, and prints what must be counted of it. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct status {
    uint16_t status, code;
    uint32_t error;
    char *text;
    size_t bytes;
    char itself[16];
};
struct text {
    const char *text;
    size_t bytes;
    char itself[16];
};
struct type {
    const void *methods;
    const char *name;
};
struct holder {
    const void *methods;
    void *object;
};
struct any {
    struct holder *holder;
    const struct type *type;
    char own;
};

struct handler;
struct methods {
    void (*destroy)(struct handler *);
    void (*destroy_and_free)(struct handler *);
    void (*handle_with_hosts)(struct handler *, struct status *, struct any *, void *);
    void (*handle)(struct handler *, struct status *, struct any *);
};
struct handler {
    const struct methods *methods;
    int answers, parts;
    uint64_t bytes;
    int abi;
};

/* What the library asks of the class before it puts an object of its own in a handler's place. */
const void *_ZTIN5XrdCl15ResponseHandlerE[2];
void _ZN5XrdCl15ResponseHandler14HandleResponseEPNS_12XRootDStatusEPNS_9AnyObjectE(void) {}
void _ZN5XrdCl15ResponseHandler23HandleResponseWithHostsEPNS_12XRootDStatusEPNS_9AnyObjectEPSt6vectorINS_8HostInfoESaIS6_EE(
    void)
{
}

/* ---- answers ----------------------------------------------------------------------------- */

struct chunk {
    uint64_t offset;
    uint32_t bytes;
    const void *data;
};

static void *put_chunk(char *at, int abi, uint64_t offset, uint32_t bytes, const void *data)
{
    struct chunk chunk = {offset, bytes, data};
    memset(at, 0x5a, abi ? 8 : 0);
    memcpy(at + (abi ? 8 : 0), &chunk, sizeof chunk);
    return at + sizeof chunk + (abi ? 8 : 0);
}

static struct chunk get_chunk(const char *at, int abi)
{
    struct chunk chunk;
    memcpy(&chunk, at + (abi ? 8 : 0), sizeof chunk);
    return chunk;
}

struct page {
    uint64_t offset;
    uint32_t bytes;
    void *data;
};
uint32_t _ZNK5XrdCl8PageInfo9GetLengthEv(const struct page *page)
{
    return page->bytes;
}
void *_ZN5XrdCl8PageInfo9GetBufferEv(struct page *page)
{
    return page->data;
}

struct answer {
    struct any any;
    struct holder holder;
    struct type type;
    struct status status;
    struct page page;
    char object[64], chunks[256];
};

static void make_status(struct status *status, uint16_t is, uint16_t code)
{
    *status = (struct status){.status = is, .code = code, .text = status->itself};
}

static struct answer *new_answer(const char *type, void *object)
{
    struct answer *answer = calloc(1, sizeof *answer);
    make_status(&answer->status, 0, 0);
    answer->type = (struct type){NULL, type};
    answer->holder.object = object ? object : answer->object;
    answer->any = (struct any){&answer->holder, &answer->type, 1};
    return answer;
}

/* The vector of chunks begins the object, or follows its methods. */
static struct answer *vector_answer(int abi, const char *const ends[2], uint32_t *sum)
{
    struct answer *answer = new_answer("PN5XrdCl14VectorReadInfoE", NULL);
    char *object = answer->object + (abi ? 8 : 0), *to = answer->chunks;
    *sum = 0;
    for (const char *at = ends[0]; at < ends[1]; at += sizeof(struct chunk) + (abi ? 8 : 0)) {
        struct chunk chunk = get_chunk(at, abi);
        to = put_chunk(to, abi, chunk.offset, chunk.bytes, chunk.data);
        *sum += chunk.bytes;
    }
    char *vector[3] = {answer->chunks, to, to};
    memcpy(object, vector, sizeof vector);
    memcpy(object + sizeof vector, sum, sizeof *sum);
    return answer;
}

/* ---- delivery: from another thread, as ever ------------------------------------------------ */

struct delivery {
    struct handler *handler;
    struct answer *answer;
    int with_hosts;
};

static void *deliver_there(void *argument)
{
    struct delivery *delivery = argument;
    struct handler *handler = delivery->handler;
    struct answer *answer = delivery->answer;
    if (delivery->with_hosts)
        handler->methods->handle_with_hosts(handler, &answer->status, &answer->any, NULL);
    else
        handler->methods->handle(handler, &answer->status, &answer->any);
    return NULL;
}

static void deliver(struct handler *handler, struct answer *answer, int with_hosts)
{
    struct delivery delivery = {handler, answer, with_hosts};
    pthread_t thread;
    pthread_create(&thread, NULL, deliver_there, &delivery);
    pthread_join(thread, NULL);
    free(answer);
}

static void count_answer(struct handler *handler, struct status *status, struct any *any)
{
    if (status->status == 0 && status->code == 1) {
        handler->parts++;
        return;
    }
    handler->answers++;
    struct answer *answer = (struct answer *)any;
    if (status->status == 0 && strcmp(any->type->name, "PN5XrdCl9ChunkInfoE") == 0)
        handler->bytes += get_chunk(answer->object, handler->abi).bytes;
}

static void count_with_hosts(struct handler *handler, struct status *status, struct any *any,
                             void *hosts)
{
    (void)hosts;
    count_answer(handler, status, any);
}

static void never(struct handler *handler)
{
    (void)handler;
    puts("a handler was destroyed");
}

static const struct {
    long offset;
    const void *type;
    struct methods methods;
} counting = {0, _ZTIN5XrdCl15ResponseHandlerE, {never, never, count_with_hosts, count_answer}};

/* ---- methods ------------------------------------------------------------------------------- */

enum { REFUSED = 1 << 20, FAILS, ELSEWHERE, IN_PARTS, SHORT, PLAIN }; /* offsets that are special */

static struct delivery kept; /* comes when client_end() is called */
static int keeps;

static void read_answer(int abi, uint64_t offset, uint32_t bytes, void *data,
                        struct handler *handler)
{
    struct answer *answer = new_answer("PN5XrdCl9ChunkInfoE", NULL);
    put_chunk(answer->object, abi, offset == ELSEWHERE ? 7 : offset,
              offset == SHORT ? bytes / 2 : bytes, data);
    if (offset == FAILS)
        answer->status.status = 1;
    if (offset == IN_PARTS) {
        struct answer *part = new_answer("PN5XrdCl9ChunkInfoE", NULL);
        part->status.code = 1;
        deliver(handler, part, 1);
    }
    if (keeps)
        kept = (struct delivery){handler, answer, 1};
    else
        deliver(handler, answer, offset != PLAIN);
}

#define CLIENT(L, ABI)                                                                                                     \
    void *                                                                                                                 \
        _ZN5XrdCl4File4OpenERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_9OpenFlags5FlagsENS_6Access4ModeE##L( \
            struct status *status, void *file, const struct text *url, uint32_t flags,                                     \
            uint32_t mode, long timeout)                                                                                   \
    {                                                                                                                      \
        (void)file, (void)url, (void)timeout;                                                                              \
        make_status(status, flags == 16 && mode == 0x124 ? 0 : 1, 0);                                                      \
        return status;                                                                                                     \
    }                                                                                                                      \
    void *_ZN5XrdCl4File4ReadEmjPvPNS_15ResponseHandlerE##L(                                                               \
        struct status *status, void *file, uint64_t offset, uint32_t bytes, void *data,                                    \
        struct handler *handler, long timeout)                                                                             \
    {                                                                                                                      \
        (void)file;                                                                                                        \
        make_status(status, offset == REFUSED || (uint16_t)timeout != 77, 0);                                              \
        if (status->status == 0)                                                                                           \
            read_answer(ABI, offset, bytes, data, handler);                                                                \
        return status;                                                                                                     \
    }                                                                                                                      \
    void *_ZN5XrdCl4File4ReadEmjPvRj##L(struct status *status, void *file, uint64_t offset,                                \
                                        uint32_t bytes, void *data, uint32_t *got, long timeout)                           \
    {                                                                                                                      \
        struct handler handler = {.methods = &counting.methods, .abi = ABI};                                               \
        struct status inner;                                                                                               \
        _ZN5XrdCl4File4ReadEmjPvPNS_15ResponseHandlerE##L(&inner, file, offset, bytes, data,                               \
                                                          &handler, timeout);                                              \
        make_status(status, inner.status || offset == FAILS, 0);                                                           \
        *got = (uint32_t)handler.bytes;                                                                                    \
        return status;                                                                                                     \
    }                                                                                                                      \
    void *_ZN5XrdCl4File6PgReadEmjPvPNS_15ResponseHandlerE##L(                                                             \
        struct status *status, void *file, uint64_t offset, uint32_t bytes, void *data,                                    \
        struct handler *handler, long timeout)                                                                             \
    {                                                                                                                      \
        (void)file, (void)timeout;                                                                                         \
        struct page page = {offset, bytes, data};                                                                          \
        deliver(handler, new_answer("PN5XrdCl8PageInfoE", &page), 1);                                                      \
        make_status(status, 0, 0);                                                                                         \
        return status;                                                                                                     \
    }                                                                                                                      \
    void *_ZN5XrdCl4File6PgReadEmjPvRSt6vectorIjSaIjEERj##L(                                                               \
        struct status *status, void *file, uint64_t offset, uint32_t bytes, void *data,                                    \
        void *sums, uint32_t *got, long timeout)                                                                           \
    {                                                                                                                      \
        (void)file, (void)offset, (void)data, (void)sums;                                                                  \
        *got = bytes;                                                                                                      \
        make_status(status, (uint16_t)timeout != 77, 0);                                                                   \
        return status;                                                                                                     \
    }                                                                                                                      \
    void                                                                                                                   \
        *_ZN5XrdCl4File10VectorReadERKSt6vectorINS_9ChunkInfoESaIS2_EEPvPNS_15ResponseHandlerE##L(                         \
            struct status *status, void *file, const char *const *chunks, void *data,                                      \
            struct handler *handler, long timeout)                                                                         \
    {                                                                                                                      \
        (void)file, (void)data, (void)timeout;                                                                             \
        uint32_t sum;                                                                                                      \
        deliver(handler, vector_answer(ABI, chunks, &sum), 1);                                                             \
        make_status(status, 0, 0);                                                                                         \
        return status;                                                                                                     \
    }                                                                                                                      \
    void                                                                                                                   \
        *_ZN5XrdCl4File10VectorReadERKSt6vectorINS_9ChunkInfoESaIS2_EEPvRPNS_14VectorReadInfoE##L(                         \
            struct status *status, void *file, const char *const *chunks, void *data,                                      \
            const void **answer, long timeout)                                                                             \
    {                                                                                                                      \
        static struct answer *last;                                                                                        \
        (void)file, (void)data, (void)timeout;                                                                             \
        uint32_t sum;                                                                                                      \
        free(last);                                                                                                        \
        last = vector_answer(ABI, chunks, &sum);                                                                           \
        *answer = last->object;                                                                                            \
        make_status(status, 0, 0);                                                                                         \
        return status;                                                                                                     \
    }                                                                                                                      \
    static void client_##L(const char *url)                                                                                \
    {                                                                                                                      \
        static char file[64], data[4096];                                                                                  \
        struct status status;                                                                                              \
        struct text text = {url, strlen(url), ""};                                                                         \
        struct handler handler = {.methods = &counting.methods, .abi = ABI};                                               \
        uint32_t got;                                                                                                      \
        _ZN5XrdCl4File4OpenERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_9OpenFlags5FlagsENS_6Access4ModeE##L( \
            &status, file, &text, 16, 0x124, 0);                                                                           \
        printf("open %d\n", status.status);                                                                                \
        for (uint64_t at = REFUSED - 1; at <= PLAIN; at++) {                                                               \
            _ZN5XrdCl4File4ReadEmjPvRj##L(&status, file, at, 1000, data, &got, 77);                                        \
            printf("read %d %u %d\n", status.status, got, status.text == status.itself);                                   \
            _ZN5XrdCl4File4ReadEmjPvPNS_15ResponseHandlerE##L(&status, file, at, 1000, data,                               \
                                                              &handler, 77);                                               \
            printf("later %d %d %d %llu\n", status.status, handler.answers, handler.parts,                                 \
                   (unsigned long long)handler.bytes);                                                                     \
        }                                                                                                                  \
        _ZN5XrdCl4File6PgReadEmjPvRSt6vectorIjSaIjEERj##L(&status, file, 0, 4096, data, NULL,                              \
                                                          &got, 77);                                                       \
        printf("pages %d %u\n", status.status, got);                                                                       \
        _ZN5XrdCl4File6PgReadEmjPvPNS_15ResponseHandlerE##L(&status, file, 0, 2048, data,                                  \
                                                            &handler, 77);                                                 \
        char asked[256], *to = asked;                                                                                      \
        for (int i = 0; i < 3; i++)                                                                                        \
            to = put_chunk(to, ABI, 100 * (unsigned)i, 10 + (unsigned)i, data);                                            \
        const char *chunks[3] = {asked, to, to};                                                                           \
        const void *answer = NULL;                                                                                         \
        _ZN5XrdCl4File10VectorReadERKSt6vectorINS_9ChunkInfoESaIS2_EEPvRPNS_14VectorReadInfoE##L(                          \
            &status, file, chunks, NULL, &answer, 77);                                                                     \
        printf("vector %d %d\n", status.status, answer != NULL);                                                           \
        _ZN5XrdCl4File10VectorReadERKSt6vectorINS_9ChunkInfoESaIS2_EEPvPNS_15ResponseHandlerE##L(                          \
            &status, file, chunks, NULL, &handler, 77);                                                                    \
        printf("later %d %d\n", status.status, handler.answers);                                                           \
    }

/* clang-format off */
CLIENT(t, 0)
CLIENT(l, 1)
/* clang-format on */

void client(int version, const char *url)
{
    if (version == 5)
        client_t(url);
    else
        client_l(url);
    fflush(stdout);
}

/* A read whose answer comes later, perhaps in a forked child, too. */
static struct handler asks = {.methods = &counting.methods};

void client_begin(const char *url)
{
    static char file[64], data[1000];
    struct text text = {url, strlen(url), ""};
    struct status status;
    _ZN5XrdCl4File4OpenERKNSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEENS_9OpenFlags5FlagsENS_6Access4ModeEt(
        &status, file, &text, 16, 0x124, 0);
    keeps = 1;
    _ZN5XrdCl4File4ReadEmjPvPNS_15ResponseHandlerEt(&status, file, 0, sizeof data, data, &asks, 77);
    keeps = 0;
}

int client_end(void)
{
    deliver(kept.handler, kept.answer, 1);
    return asks.answers;
}
