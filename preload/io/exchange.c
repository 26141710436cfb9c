#include "preload/io/exchange.h"

#include "preload/attribution/lock_origin.h"
#include "preload/counters/block.h"
#include "preload/io/http_message.h"
#include "preload/io/known_files.h"
#include "preload/io/peer.h"
#include "preload/io/tls_hello.h"
#include "preload/io/url.h"
#include "preload/lifecycle/running_tasks.h"
#include "preload/sys/spin.h"

#include <string.h>
#include <sys/uio.h>

/* A request that is out. */
struct request {
    uint32_t task; /* 0: not known */
    uint32_t file; /* FILE record of its URL; 0: it has none */
    uint32_t key;  /* cup_url_request_key(); 0: not known */
    bool inherited;
    char method; /* first letter; 0: not known yet */
};

enum { REQUESTS = 4, RECORD_HEAD = 5 };
enum { HANDSHAKE = 0x16, APPLICATION = 0x17 }; /* types of records of TLS */

/* How far the records of TLS that one side sends were followed. */
struct records {
    unsigned char head[RECORD_HEAD]; /* of the current record */
    uint8_t head_bytes;              /* of it so far */
    uint32_t left;                   /* bytes of its content that are still to come */
};

struct connection {
    uint32_t lock;
    bool is_tls;
    bool asks;        /* the last call sent part of a TLS client's request */
    bool interleaves; /* it may be HTTP/2, or more requests are out than are followed */
    bool shared;      /* answers to several tasks may be mixed: they are unattributed */
    uint8_t first, count;
    struct request requests[REQUESTS]; /* COUNT from FIRST on, in the order of their answers */
    struct cup_http_message request, answer;
    /* Of TLS: */
    struct records sent, received;
    bool after_finished; /* the record before the current one was Finished of TLS 1.2 */
    bool shakes;         /* the handshake goes on */
    bool finishes;       /* its last messages, encrypted, are being sent */
    bool requested;      /* the first request was sent */
    bool answered;       /* more came since then than may be session tickets */
    uint8_t tickets;     /* records since then that may be session tickets, */
    uint32_t ticket;     /* and the length of each */
    uint32_t origin;     /* FILE record of "https://HOST/"; 0: none. Of a connection to a proxy: of
                            the server that the last CONNECT asked for */
};

/* One for each descriptor. Connections on descriptors beyond are not followed. */
enum { CONNECTIONS = 4096 };
static struct connection connections[CONNECTIONS];

/* Descriptors from here on were not followed. If two threads raise it at the same time, the lower
 * value may stay until the next send. */
static uint32_t followed_below;

/* Threads of the parent may have held locks during the fork. */
void cup_exchange_reset(void)
{
    for (uint32_t fd = 0; fd < followed_below; fd++)
        cup_spin_unlock(&connections[fd].lock);
    followed_below = 0;
}

/* The entry of SOCKET, locked; NULL: it lies beyond the table. */
static struct connection *lock_connection(const struct cup_descriptor *socket)
{
    ptrdiff_t fd = socket - cup_descriptor_table;
    if (!cup_descriptor_table || fd < 0 || fd >= CONNECTIONS)
        return NULL;
    if (fd >= __atomic_load_n(&followed_below, __ATOMIC_RELAXED))
        __atomic_store_n(&followed_below, (uint32_t)fd + 1, __ATOMIC_RELAXED);
    cup_spin_lock(&connections[fd].lock);
    return &connections[fd];
}

/* ---- bytes -------------------------------------------------------------------------------- */

/* The bytes from OFFSET on that lie next to each other; none if they cannot be looked at. */
static struct iovec find_piece(const struct cup_exchange_bytes *bytes, size_t offset)
{
    const struct iovec whole = {(void *)(uintptr_t)bytes->data, bytes->count};
    const struct iovec *part = bytes->parts ? bytes->data : &whole;
    const struct iovec *end = part + (bytes->parts ? bytes->parts : 1);
    size_t left = bytes->count - offset;
    if (!bytes->data)
        return (struct iovec){NULL, 0};
    for (; part < end; offset -= part++->iov_len) {
        if (offset >= part->iov_len)
            continue;
        size_t here = part->iov_len - offset;
        return (struct iovec){(char *)part->iov_base + offset, here < left ? here : left};
    }
    return (struct iovec){NULL, 0};
}

/* ---- requests ----------------------------------------------------------------------------- */

static struct request describe_request(const struct cup_owner *owner, uint32_t file)
{
    uint32_t task = owner->block ? owner->block->task : 0;
    return (struct request){
        .task = task, .file = file, .inherited = owner->method == CUP_METHOD_INHERITED};
}

static struct request *last_request(struct connection *to)
{
    return to->count ? &to->requests[(to->first + to->count - 1) % REQUESTS] : NULL;
}

/* TASK uses the connection. The answer to another task's request has ended, except with HTTP/2,
 * and if more requests are out than are followed. */
static void note_user(struct connection *to, uint32_t task)
{
    const struct request *last = &to->requests[0];
    if (to->count && to->interleaves && last->task != task &&
        (!last->task || cup_task_runs(last->task)))
        to->shared = true;
}

static void take_turn(struct connection *to, const struct cup_owner *owner)
{
    struct request next = describe_request(owner, to->origin);
    note_user(to, next.task);
    to->requests[0] = next;
    to->count = 1;
}

/* From now on only the turns of sending and receiving say whose the bytes are. Answers that are
 * still to come may be for several files. */
static void follow_turns(struct cup_descriptor *socket, struct connection *to)
{
    const struct request *last = last_request(to);
    bool one_file = true;
    for (unsigned i = 0; i < to->count; i++) {
        const struct request *request = &to->requests[(to->first + i) % REQUESTS];
        to->shared |= request->task != last->task;
        one_file &= request->file == last->file;
    }
    to->requests[0] = last ? *last : (struct request){0};
    if (!one_file)
        to->requests[0].file = 0;
    to->first = 0;
    to->count = last != NULL;
    socket->protocol = CUP_PROTOCOL_TURNS;
}

/* ---- sent: plain HTTP/1 ------------------------------------------------------------------- */

static void expect_answer(struct connection *to)
{
    const struct request *next = &to->requests[to->first];
    cup_http_begin(&to->answer, true, next->method == 'H');
    to->answer.may_tunnel = next->method == 'C';
}

/* The thread certainly works for the owner's task. */
static bool is_certain(const struct cup_owner *owner)
{
    return owner->method == CUP_METHOD_OWN || owner->method == CUP_METHOD_CONTEXT ||
           owner->method == CUP_METHOD_HANDOFF;
}

/* The thread carries no task, or one that only started it: then the URL may name the task. */
static bool is_weak(const struct cup_owner *owner)
{
    return owner->method == CUP_METHOD_NONE || owner->method == CUP_METHOD_INHERITED;
}

/* OWNER requests URL. */
static void name_task(struct request *request, const struct cup_owner *owner, const char *url)
{
    uint32_t named = is_weak(owner) ? cup_url_task(url) : 0;
    if (request->task && is_certain(owner))
        cup_url_used(url, request->task);
    if (!named)
        return;
    request->task = named;
    request->inherited = false;
}

/* A request begins with PIECE. False: too many are out. */
static bool add_request(struct connection *to, const struct cup_owner *owner,
                        const struct iovec *piece)
{
    const char *bytes = piece->iov_base;
    char url[CUP_URL_LONGEST];
    if (to->count == REQUESTS)
        return false;
    if (*bytes == 'C')
        to->origin = cup_url_of_tunnel(url, bytes, piece->iov_len) ? cup_known_url(url) : 0;
    bool has_url = cup_url_of_request(url, bytes, piece->iov_len);
    struct request *request = &to->requests[(to->first + to->count) % REQUESTS];
    *request = describe_request(owner, has_url && *bytes == 'G' ? cup_known_url(url) : 0);
    if (has_url)
        name_task(request, owner, url);
    request->key = cup_url_request_key(piece->iov_base, piece->iov_len);
    if (++to->count == 1)
        expect_answer(to);
    cup_http_begin(&to->request, false, false);
    return true;
}

static void note_method(struct connection *to)
{
    struct request *last = last_request(to);
    if (!last || last->method || !to->request.method)
        return;
    last->method = to->request.method;
    if (to->count == 1)
        expect_answer(to);
}

static void send_http(struct cup_descriptor *socket, struct connection *to,
                      const struct cup_owner *owner, const struct cup_exchange_bytes *bytes)
{
    for (size_t at = 0; at < bytes->count;) {
        struct iovec piece = find_piece(bytes, at);
        bool begins = to->request.part == CUP_HTTP_ENDED;
        if (!piece.iov_len || (begins && !add_request(to, owner, &piece))) {
            follow_turns(socket, to);
            to->interleaves |= begins;
            if (begins)
                take_turn(to, owner);
            return;
        }
        at += cup_http_feed(&to->request, piece.iov_base, piece.iov_len, NULL);
        note_method(to);
        if (to->request.part == CUP_HTTP_LOST) {
            follow_turns(socket, to);
            return;
        }
    }
}

/* ---- sent: by turns ----------------------------------------------------------------------- */

/* With TLS 1.3 the client's last messages of the handshake look like data of the application. The
 * very last one, Finished, has one of two lengths; a certificate of the client may come before it.
 * With TLS 1.2 Finished is a record of the handshake's own type, and data of the application come
 * next. */
static bool ends_handshake(struct connection *to)
{
    enum { FINISHED_SHA256 = 53, FINISHED_SHA384 = 69 };
    to->finishes |= !to->after_finished;
    to->shakes =
        to->finishes && to->sent.left != FINISHED_SHA256 && to->sent.left != FINISHED_SHA384;
    return to->finishes;
}

/* The record of type APPLICATION begins a request, or is part of one: an HTTP request is longer
 * than the messages of TLS itself that look alike (key updates); one of HTTP/2 may be as short. */
static bool is_request(struct connection *to)
{
    enum { SHORTEST_REQUEST = 32 };
    if (to->shakes && ends_handshake(to))
        return false;
    return to->sent.left > (to->interleaves ? 0 : SHORTEST_REQUEST);
}

/* The head of a record is complete. Only data of the application begin a request. Before the first
 * request there is only the handshake, whose first message, ClientHello, is longer than Finished.
 */
static void begin_record(struct connection *to, const struct cup_owner *owner)
{
    enum { FINISHED_LONGEST = 128 };
    bool requests = to->sent.head[0] == APPLICATION && is_request(to);
    to->asks |= requests;
    to->requested |= requests;
    to->answered |= requests && to->tickets; /* the next request: the first was answered */
    to->after_finished = to->sent.head[0] == HANDSHAKE && to->sent.left <= FINISHED_LONGEST;
    if (!to->count || requests)
        take_turn(to, owner);
}

/* Follows RECORDS through PIECE, up to the next complete head of a record, and takes that off
 * PIECE. False: PIECE ends before. */
static bool find_record(struct records *records, struct iovec *piece)
{
    const unsigned char *at = piece->iov_base, *end = at + piece->iov_len;
    while (at < end && records->head_bytes < RECORD_HEAD) {
        size_t left = (size_t)(end - at), skipped = left < records->left ? left : records->left;
        records->left -= (uint32_t)skipped;
        at += skipped;
        if (at < end)
            records->head[records->head_bytes++] = *at++;
    }
    *piece = (struct iovec){(void *)(uintptr_t)at, (size_t)(end - at)};
    if (records->head_bytes < RECORD_HEAD)
        return false;
    records->head_bytes = 0;
    records->left = (uint32_t)records->head[3] << 8 | records->head[4];
    return true;
}

static void send_turn(struct connection *to, const struct cup_owner *owner,
                      const struct cup_exchange_bytes *bytes)
{
    to->asks = false;
    to->is_tls &= bytes->data != NULL; /* else records cannot be followed any more */
    if (!to->is_tls)
        take_turn(to, owner);
    for (size_t at = 0; to->is_tls && at < bytes->count;) {
        struct iovec piece = find_piece(bytes, at);
        at += piece.iov_len;
        while (find_record(&to->sent, &piece))
            begin_record(to, owner);
    }
    /* Some clients put a certificate and Finished into one record. */
    if (to->finishes && !to->sent.left && !to->sent.head_bytes)
        to->shakes = false;
}

/* ---- what a connection carries ------------------------------------------------------------ */

static void begin_connection(struct cup_descriptor *socket, struct connection *to,
                             enum cup_protocol protocol)
{
    *to = (struct connection){.lock = to->lock};
    to->request.part = CUP_HTTP_ENDED;
    socket->protocol = (uint8_t)protocol;
}

static bool begin_tls(struct cup_descriptor *socket, struct connection *to,
                      const struct iovec *piece)
{
    struct cup_tls_hello hello;
    char url[CUP_URL_LONGEST], peer[CUP_PEER_LONGEST] = "";
    uint32_t tunnel = socket->protocol == CUP_PROTOCOL_TUNNEL ? to->origin : 0;
    if (!cup_tls_read_hello(&hello, piece->iov_base, piece->iov_len))
        return false;
    begin_connection(socket, to, CUP_PROTOCOL_TURNS);
    to->is_tls = to->shakes = true;
    to->interleaves = hello.offers_http2;
    to->origin = tunnel;
    if (!tunnel && cup_peer_address((int)(socket - cup_descriptor_table), peer) &&
        cup_url_of_origin(url, hello.server, peer))
        to->origin = cup_known_url(url);
    return true;
}

static void recognise(struct cup_descriptor *socket, struct connection *to,
                      const struct cup_exchange_bytes *bytes)
{
    static const char http2[] = "PRI * HTTP/2";
    struct iovec piece = find_piece(bytes, 0);
    if (cup_http_is_request(piece.iov_base, piece.iov_len)) {
        begin_connection(socket, to, CUP_PROTOCOL_HTTP);
    } else if (piece.iov_len >= sizeof http2 - 1 &&
               memcmp(piece.iov_base, http2, sizeof http2 - 1) == 0) {
        begin_connection(socket, to, CUP_PROTOCOL_TURNS);
        to->interleaves = true;
    } else if (!begin_tls(socket, to, &piece)) {
        socket->protocol = CUP_PROTOCOL_OTHER;
    }
}

bool cup_exchange_sent(struct cup_descriptor *socket, const struct cup_owner *owner,
                       const struct cup_exchange_bytes *bytes, struct cup_asked *asked)
{
    *asked = (struct cup_asked){.task = 0};
    if (socket->protocol == CUP_PROTOCOL_OTHER || socket->peer != CUP_PEER_TCP)
        return false;
    struct connection *to = lock_connection(socket);
    if (!to)
        return false;
    if (socket->protocol == CUP_PROTOCOL_UNKNOWN || socket->protocol == CUP_PROTOCOL_TUNNEL)
        recognise(socket, to, bytes);
    if (socket->protocol == CUP_PROTOCOL_HTTP)
        send_http(socket, to, owner, bytes);
    else if (socket->protocol == CUP_PROTOCOL_TURNS)
        send_turn(to, owner, bytes);
    asked->asks =
        socket->protocol == CUP_PROTOCOL_HTTP || (to->is_tls && to->asks && !to->interleaves);
    const struct request *last = last_request(to);
    if (socket->protocol == CUP_PROTOCOL_HTTP && last && is_weak(owner) && !last->inherited)
        asked->task = last->task;
    cup_spin_unlock(&to->lock);
    return socket->protocol != CUP_PROTOCOL_OTHER;
}

uint32_t cup_exchange_asked(const struct cup_descriptor *socket, uint32_t *file)
{
    struct connection *to = lock_connection(socket);
    *file = 0;
    if (!to)
        return 0;
    const struct request *last = socket->protocol == CUP_PROTOCOL_HTTP ? last_request(to) : NULL;
    uint32_t key = last ? last->key : 0;
    *file = last ? last->file : 0;
    cup_spin_unlock(&to->lock);
    return key;
}

/* ---- received ----------------------------------------------------------------------------- */

/* No request is out that BYTES could answer. */
static struct cup_answer no_answer(size_t bytes)
{
    return (struct cup_answer){
        .bytes = bytes, .before.part = CUP_HTTP_LOST, .reason = CUP_UNATTRIBUTED_SENDER};
}

static struct cup_answer answer_to(const struct connection *from, const struct request *request,
                                   size_t bytes)
{
    bool runs = cup_task_runs(request->task);
    return (struct cup_answer){.task = runs && !from->shared ? request->task : 0,
                               .inherited = request->inherited,
                               .mixed = from->shared,
                               .reason = from->shared         ? CUP_UNATTRIBUTED_MIXED
                                         : !request->task     ? CUP_UNATTRIBUTED_SENDER
                                         : request->inherited ? CUP_UNATTRIBUTED_THREAD
                                                              : CUP_UNATTRIBUTED_REASON_COUNT,
                               .file = request->file,
                               .bytes = bytes,
                               .before.part = CUP_HTTP_LOST,
                               .state.encrypted = from->is_tls};
}

/* A record that the server sent after the first request begins. With TLS 1.3 a server may send
 * session tickets at that time, mostly two, which are equally long; an alert is shorter. With
 * TLS 1.2 (`finishes` is never set) it sends them before. */
static void note_record(struct connection *from)
{
    enum { ALERT_LONGEST = 32, TICKET_LONGEST = 4096 };
    uint32_t bytes = from->received.left;
    if (from->received.head[0] != APPLICATION || bytes <= ALERT_LONGEST)
        return;
    from->answered |=
        !from->finishes || bytes > TICKET_LONGEST || (from->tickets && bytes != from->ticket);
    from->ticket = bytes;
    from->tickets += from->tickets < UINT8_MAX;
}

/* Returns true if nothing but session tickets came since the first request. A single record may be
 * a short answer. */
static bool has_only_tickets(struct connection *from, const struct cup_exchange_bytes *bytes)
{
    enum { FEWEST = 2, MOST = 4 };
    from->answered |= !from->is_tls || !bytes->data;
    for (size_t at = 0; !from->answered && at < bytes->count;) {
        struct iovec piece = find_piece(bytes, at);
        at += piece.iov_len;
        while (find_record(&from->received, &piece))
            if (from->requested)
                note_record(from);
    }
    return !from->answered && from->tickets >= FEWEST && from->tickets <= MOST;
}

/* The answer that was expected has ended. After an answer to CONNECT the proxy only forwards. */
static void end_answer(struct cup_descriptor *socket, struct connection *from)
{
    bool connects = from->requests[from->first].method == 'C',
         tunnels = connects && from->answer.status < 300;
    from->first = (uint8_t)((from->first + 1) % REQUESTS);
    if (--from->count)
        expect_answer(from);
    if (tunnels)
        socket->protocol = CUP_PROTOCOL_TUNNEL;
    else if (connects)
        from->origin = 0;
}

static struct cup_answer receive_http(struct cup_descriptor *socket, struct connection *from,
                                      const struct cup_exchange_bytes *bytes, size_t offset)
{
    size_t at = offset;
    if (!from->count) /* no request is out */
        return no_answer(bytes->count - offset);
    struct request request = from->requests[from->first];
    struct cup_http_message before = from->answer;
    while (at < bytes->count && from->answer.part < CUP_HTTP_ENDED) {
        struct iovec piece = find_piece(bytes, at);
        if (!piece.iov_len)
            from->answer.part = CUP_HTTP_LOST;
        else
            at += cup_http_feed(&from->answer, piece.iov_base, piece.iov_len, NULL);
    }
    const struct cup_answer_state state = {
        .status = from->answer.status,
        .ended = from->answer.part == CUP_HTTP_ENDED,
        .partial = from->answer.part < CUP_HTTP_UNTIL_CLOSE,
    };
    if (state.ended) {
        end_answer(socket, from);
    } else if (from->answer.part == CUP_HTTP_LOST) {
        at = bytes->count;
        follow_turns(socket, from);
    }
    struct cup_answer answer = answer_to(from, &request, at - offset);
    answer.state = state;
    answer.before = before;
    return answer;
}

void cup_exchange_find_body(struct cup_answer *answer, const struct cup_exchange_bytes *bytes,
                            size_t offset, const struct cup_http_sink *sink)
{
    for (size_t at = offset; at < offset + answer->bytes;) {
        struct iovec piece = find_piece(bytes, at);
        size_t left = offset + answer->bytes - at;
        size_t count = piece.iov_len < left ? piece.iov_len : left;
        if (!count || answer->before.part >= CUP_HTTP_ENDED)
            return;
        at += cup_http_feed(&answer->before, piece.iov_base, count, sink);
    }
}

static struct cup_answer receive_turn(struct connection *from, uint32_t reader,
                                      const struct cup_exchange_bytes *bytes, size_t offset)
{
    if (reader)
        note_user(from, reader);
    struct cup_answer answer = answer_to(from, &from->requests[0], bytes->count - offset);
    answer.state.is_preface = has_only_tickets(from, bytes);
    return answer;
}

struct cup_answer cup_exchange_received(struct cup_descriptor *socket, uint32_t reader,
                                        const struct cup_exchange_bytes *bytes, size_t offset)
{
    struct connection *from = lock_connection(socket);
    struct cup_answer answer = no_answer(bytes->count - offset);
    if (!from)
        return answer;
    if (socket->protocol == CUP_PROTOCOL_HTTP)
        answer = receive_http(socket, from, bytes, offset);
    else if (socket->protocol == CUP_PROTOCOL_TURNS && from->count)
        answer = receive_turn(from, reader, bytes, offset);
    cup_spin_unlock(&from->lock);
    return answer;
}
