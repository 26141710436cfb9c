/* Memory layouts of those classes of XRootD's client that cupping reads, for x86-64 and the Itanium
 * C++ ABI, and which of the client's methods a call in the program means: a process may have two
 * libraries that have it. */
#pragma once

#include "preload/sys/elf_symbols.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* XrdCl::XRootDStatus: three numbers and a std::string. */
struct status {
    uint16_t status, code; /* 0: fine */
    uint32_t error;
    struct text {
        char *text;
        size_t bytes;
        char itself[16];
    } message;
};
enum { STATUS_ERROR = 1, CODE_CONTINUES = 1, CODE_INVALID_OPERATION = 3, CODE_INTERNAL = 7 };

static inline bool is_fine(const struct status *status)
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

static inline const void *object_of(const struct any *any, const char *type)
{
    bool is = any && any->holder && any->type && strcmp(any->type->name, type) == 0;
    return is ? any->holder->object : NULL;
}

/* Versions of the client, named after the last letter of a mangled method: the type of its timeout,
 * t (uint16_t) in version 5, l (long) in version 6. In version 6 the classes of answers have
 * virtual methods, so their objects begin with one more word. */
enum abi { ABI_T, ABI_L, ABIS };

/* XrdCl::ChunkInfo */
struct chunk {
    uint64_t offset;
    uint32_t bytes;
    const void *data;
};
static const size_t chunk_size[ABIS] = {sizeof(struct chunk), sizeof(struct chunk) + 8};

static inline const void *after_methods(const void *object, enum abi abi)
{
    return (const char *)object + (abi == ABI_L ? 8 : 0);
}

/* std::vector<XrdCl::ChunkInfo> */
struct chunks {
    const char *begin, *end, *room;
};

static inline size_t count_of(const struct chunks *chunks, enum abi abi)
{
    return (size_t)(chunks->end - chunks->begin) / chunk_size[abi];
}

static inline const struct chunk *chunk_at(const struct chunks *chunks, size_t index, enum abi abi)
{
    return after_methods(chunks->begin + index * chunk_size[abi], abi);
}

static inline uint64_t bytes_of(const struct chunks *chunks, enum abi abi)
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

/* XrdCl::URL, of which only the beginning is used. */
struct url {
    struct text id, protocol, user, password, host;
    int port;
};
enum { URL_BYTES = 280 };

/* std::vector<XrdCl::HostInfo>: the servers that a request went to, the last of which answered it.
 */
struct hosts {
    const char *begin, *end, *room;
};
static const size_t host_size[ABIS] = {URL_BYTES + 16, URL_BYTES + 24};

static inline size_t count_hosts(const struct hosts *hosts, enum abi abi)
{
    size_t bytes = hosts ? (size_t)(hosts->end - hosts->begin) : 0;
    return bytes % host_size[abi] == 0 ? bytes / host_size[abi] : 0;
}

/* NULL: there is none. */
static inline const struct url *last_host(const struct hosts *hosts, enum abi abi)
{
    return hosts && count_hosts(hosts, abi) ? (const void *)(hosts->end - URL_BYTES) : NULL;
}

struct handler;
typedef void handle_with_hosts(struct handler *handler, struct status *status, struct any *answer,
                               void *hosts);
typedef void handle(struct handler *handler, struct status *status, struct any *answer);
typedef void destroy(struct handler *handler);

/* XrdCl::ResponseHandler: its table of virtual methods, and an object. */
struct methods {
    destroy *destroy, *destroy_and_free;
    handle_with_hosts *handle_with_hosts;
    handle *handle;
};
struct handler {
    const struct methods *methods;
};

/* ---- methods ------------------------------------------------------------------------------- */

/* In the order of CUP_XROOTD_HOOKS, which has each of them in both ABIs. LATER: the answer goes to
 * a handler. */
enum method {
    OPEN,
    OPEN_LATER,
    READ,
    READ_LATER,
    PAGES,
    PAGES_LATER,
    VECTOR,
    VECTOR_LATER,
    STAT,
    STAT_LATER,
    CLOSE,
    CLOSE_LATER,
};

/* What a call from one place of the program leads to: the method in the library that the caller
 * itself is linked with. */
struct place {
    uintptr_t key; /* of the table of places: 0: free, BUSY: being filled */
    void *real;    /* the method; NULL: not found */
    enum method method;
    enum abi abi;
    bool known;   /* the layouts of this version of the library are known */
    bool is_part; /* the caller is itself a method of XrdCl::File, which waits for this request; the
                     caller's own call is recorded. */
};

/* What a call of METHOD leads to. CALLER: the instruction after the call. Any thread. Keeps errno,
 * and takes no lock that the loader holds while it runs constructors. */
struct place cup_xrootd_place(const void *caller, enum method method, enum abi abi);

/* Writes FILE's property "DataServer" to TO, "host:port" of the server that it is open at: what
 * PLACE leads to is a method of FILE. False: not known, or longer than ROOM. Guard held. */
bool cup_xrootd_data_server(const struct place *place, const void *file, char *to, size_t room);
