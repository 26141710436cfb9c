/* Whose the answers on a connection are. */
#include "preload/io/exchange.h"

#include "preload/attribution/lock_origin.h"
#include "preload/io/known_files.h"
#include "preload/lifecycle/running_tasks.h"

#include "tests/preload/log_records.h"

#include <criterion/criterion.h>
#include <string.h>
#include <sys/uio.h>

/* Beyond the descriptors of the test, so that no peer is found. */
enum { FD = 4000 };
static struct cup_descriptor *connection;
static uint32_t named;
static bool asks; /* task that the URL of the last request named */

static void begin(void)
{
    cr_assert(cup_descriptor_table || cup_descriptor_init() == 0);
    connection = &cup_descriptor_table[FD];
    *connection = (struct cup_descriptor){.class = CUP_FILE_SOCKET, .peer = CUP_PEER_TCP};
    cup_running_reset();
    for (uint32_t task = 1; task <= 6; task++)
        cup_running_add(task);
}

TestSuite(exchange, .init = begin);

static void begin_with_log(void)
{
    test_log_open(64 << 20);
    cup_known_files_reset();
    begin();
}

static void begin_with_urls(void)
{
    begin();
    cr_assert_eq(cup_lock_origin_init(), 0);
}

static bool send_bytes(uint32_t task, const void *data, size_t count)
{
    struct cup_block block = {.task = task};
    struct cup_owner owner = {&block, task ? CUP_METHOD_CONTEXT : CUP_METHOD_NONE, 0};
    struct cup_asked asked;
    bool follows =
        cup_exchange_sent(connection, &owner, &(struct cup_exchange_bytes){data, 0, count}, &asked);
    named = asked.task;
    asks = asked.asks;
    return follows;
}

static bool send_text(uint32_t task, const char *text)
{
    return send_bytes(task, text, strlen(text));
}

static void expect_answer_at(const char *text, size_t offset, uint32_t task, size_t bytes)
{
    struct cup_exchange_bytes received = {text, 0, strlen(text)};
    struct cup_answer answer = cup_exchange_received(connection, 0, &received, offset);
    cr_expect(answer.task == task && answer.bytes == bytes, "task %u, %zu bytes", answer.task,
              answer.bytes);
}

static void expect_answer(const char *text, uint32_t task)
{
    expect_answer_at(text, 0, task, strlen(text));
}

#define REQUEST "POST / HTTP/1.1\r\nHost: x\r\n\r\n"
#define ANSWER "HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n"

Test(exchange, an_answer_belongs_to_its_request)
{
    cr_assert(send_text(1, REQUEST) && connection->protocol == CUP_PROTOCOL_HTTP);
    expect_answer(ANSWER "ab", 1);
    expect_answer("cd", 1);
    expect_answer("unexpected", 0);
    send_text(2, REQUEST);
    expect_answer(ANSWER "abcd", 2);
    send_text(0, REQUEST);
    expect_answer(ANSWER "abcd", 0);
}

/* The rest of a request may be sent by anyone, for instance by an event loop. */
Test(exchange, a_request_in_pieces)
{
    cr_assert(send_text(1, "PUT / HTTP/1.1\r\nContent-Le"));
    send_text(0, "ngth: 20\r\n\r\n0123456789");
    send_text(2, "GET / HTTP");
    expect_answer(ANSWER "abcd", 1);
    send_text(3, "HEAD / HT");
    send_text(3, "TP/1.1\r\n\r\n");
    expect_answer("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", 3);
    expect_answer("abcd", 0);
}

Test(exchange, several_requests_are_answered_in_their_order)
{
    static const char both[] = ANSWER "abcd" ANSWER "efgh" ANSWER "i";
    size_t one = strlen(ANSWER "abcd");
    send_text(1, REQUEST REQUEST);
    send_text(2, REQUEST);
    expect_answer_at(both, 0, 1, one);
    expect_answer_at(both, one, 1, one);
    expect_answer_at(both, 2 * one, 2, one - 3);
    expect_answer("jkl", 2);
}

Test(exchange, pieces_of_a_message)
{
    struct iovec parts[] = {
        {"HTTP/1.1 20", 11}, {"", 0}, {"0 OK\r\nContent-Length: 4\r\n\r\nab", 29}};
    struct cup_exchange_bytes received = {parts, 3, 40};
    send_text(1, REQUEST);
    struct cup_answer answer = cup_exchange_received(connection, 0, &received, 0);
    cr_expect(answer.task == 1 && answer.bytes == 40);
    expect_answer("cd", 1);
    expect_answer("x", 0);
}

Test(exchange, more_requests_than_are_followed_are_unattributed)
{
    for (uint32_t task = 1; task <= 6; task++)
        send_text(task, REQUEST);
    expect_answer(ANSWER "abcd", 0);
}

/* All of one task: only their files are not known. Later requests of other tasks are attributed. */
Test(exchange, more_requests_of_one_task_than_are_followed)
{
    for (int i = 0; i < 6; i++)
        send_text(1, REQUEST);
    expect_answer(ANSWER "abcd", 1);
    expect_answer(ANSWER "abcd", 1);
    cup_running_remove(1);
    send_text(2, REQUEST);
    expect_answer(ANSWER "abcd", 2);
}

Test(exchange, more_requests_than_are_followed_and_then_another_task)
{
    for (int i = 0; i < 5; i++)
        send_text(1, REQUEST);
    send_text(2, REQUEST);
    expect_answer(ANSWER "abcd", 0);
}

Test(exchange, what_cannot_be_read_belongs_to_the_last_sender)
{
    send_text(1, REQUEST);
    expect_answer("HTTP/1.1 101 Switching\r\n\r\nabc", 1);
    send_text(2, "anything");
    expect_answer("abc", 2);
}

Test(exchange, a_task_that_ended_gets_nothing)
{
    send_text(1, REQUEST);
    cup_running_remove(1);
    expect_answer(ANSWER "abcd", 0);
}

/* A ClientHello without extensions, and one that offers "h2". */
static const char hello[] = "\x16\x03\x01\x00\x2d\x01\x00\x00\x29\x03\x03"
                            "0123456789abcdef0123456789abcdef\x00\x00\x02\x13\x01\x01\x00";
static const char hello2[] = "\x16\x03\x01\x00\x38\x01\x00\x00\x34\x03\x03"
                             "0123456789abcdef0123456789abcdef\x00\x00\x02\x13\x01\x01\x00"
                             "\x00\x09\x00\x10\x00\x05\x00\x03\x02h2";

/* After an answer to CONNECT, which has no body, a proxy only forwards: what follows is looked at
 * as on a new connection. */
Test(exchange, a_tunnel_is_followed_from_its_begin)
{
    send_text(1, "CONNECT host:443 HTTP/1.1\r\nHost: host:443\r\n\r\n");
    expect_answer("HTTP/1.1 200 Connection established\r\n\r\n", 1);
    send_text(2, "GET / HTTP/1.1\r\nHost: host\r\n\r\n");
    send_text(3, "GET /3 HTTP/1.1\r\nHost: host\r\n\r\n");
    expect_answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab", 2);
    expect_answer("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\ncd", 3);
}

static uint32_t file_of(const char *text)
{
    struct cup_exchange_bytes received = {text, 0, strlen(text)};
    return cup_exchange_received(connection, 0, &received, 0).file;
}

Test(exchange, tls_through_a_proxy_is_for_the_server_behind_it, .init = begin_with_log,
     .fini = test_log_close)
{
    send_text(1, "CONNECT host:443 HTTP/1.1\r\nHost: host:443\r\n\r\n");
    cr_expect_eq(file_of("HTTP/1.1 200 Connection established\r\n\r\n"), 0);
    cr_assert(send_bytes(1, hello, sizeof hello - 1));
    cr_expect_neq(file_of("abc"), 0);
    cr_expect_eq(file_of("abc"), cup_known_url("https://host/"));
}

/* The proxy refused: the descriptor's next connection is one of its own. */
Test(exchange, a_tunnel_that_did_not_open_is_forgotten, .init = begin_with_log,
     .fini = test_log_close)
{
    send_text(1, "CONNECT host:443 HTTP/1.1\r\nHost: host:443\r\n\r\n");
    file_of("HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n");
    *connection = (struct cup_descriptor){.class = CUP_FILE_SOCKET, .peer = CUP_PEER_TCP};
    cr_assert(send_bytes(1, hello, sizeof hello - 1));
    cr_expect_eq(file_of("abc"), 0);
}

/* So that no file is known but by the connection. */
static void send_more_than_are_followed(void)
{
    for (int i = 0; i < 6; i++)
        send_text(1, REQUEST);
}

/* The connection to the proxy goes on. */
Test(exchange, a_tunnel_that_the_proxy_refuses_names_no_file, .init = begin_with_log,
     .fini = test_log_close)
{
    send_text(1, "CONNECT host:443 HTTP/1.1\r\nHost: host:443\r\n\r\n");
    file_of("HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n");
    send_more_than_are_followed();
    cr_expect_eq(file_of(ANSWER "abcd"), 0);
}

Test(exchange, a_tunnel_whose_server_cannot_be_read_has_not_the_name_of_the_last,
     .init = begin_with_log, .fini = test_log_close)
{
    send_text(1, "CONNECT host:443 HTTP/1.1\r\nHost: host:443\r\n\r\n");
    file_of("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n");
    send_text(1, "CONNECT oth");
    send_text(1, "er:443 HTTP/1.1\r\nHost: other:443\r\n\r\n");
    file_of("HTTP/1.1 200 Connection established\r\n\r\n");
    cr_assert(send_bytes(1, hello, sizeof hello - 1));
    cr_expect_eq(file_of("abc"), 0);
}

Test(exchange, other_protocols_are_not_followed)
{
    cr_expect(!send_text(1, "SSH-2.0"));
    cr_expect(!send_text(1, REQUEST));
    cr_expect(!cup_exchange_is_followed(connection));
    begin();
    connection->peer = CUP_PEER_KNOWN;
    cr_expect(!send_text(1, REQUEST));
}

/* ---- TLS ---------------------------------------------------------------------------------- */

/* A record with data of the application, cut into two calls. */
static void send_record(uint32_t task, uint32_t rest_by, size_t bytes, size_t cut)
{
    char record[300] = "\x17\x03\x03";
    record[3] = (char)(bytes >> 8);
    record[4] = (char)bytes;
    send_bytes(task, record, cut);
    send_bytes(rest_by, record + cut, 5 + bytes - cut);
}

Test(exchange, tls_by_turns)
{
    cr_assert(send_bytes(1, hello, sizeof hello - 1));
    cr_expect(connection->protocol == CUP_PROTOCOL_TURNS);
    expect_answer("handshake", 1);
    send_record(1, 1, 200, 5);
    expect_answer("abc", 1);
    for (size_t cut = 5; cut < 205; cut += 50) {
        send_record(2, 3, 200, cut); /* the rest is no new request */
        expect_answer("abc", 2);
        send_record(1, 1, 22, 27); /* too short for a request: TLS changes its keys */
        expect_answer("abc", 2);
    }
    send_record(0, 0, 200, 5);
    expect_answer("abc", 0);
}

/* A record of TYPE with BYTES of content, after HEAD in the same call. */
static void send_after(const char *head, size_t head_bytes, uint8_t type, size_t bytes)
{
    char records[600];
    memcpy(records, head, head_bytes);
    char *record = memcpy(records + head_bytes, "\x17\x03\x03", 3);
    record[0] = (char)type;
    record[3] = (char)(bytes >> 8);
    record[4] = (char)bytes;
    send_bytes(1, records, head_bytes + 5 + bytes);
}

static const char change[] = "\x14\x03\x03\x00\x01\x01";

static void send_hello(void)
{
    char longer[300] = "\x16\x03\x01\x00\xc8\x01\x00\x00\xc4\x03\x03";
    longer[45] = 2; /* the length of the list of ciphers */
    longer[48] = 1; /* the number of compressions, which is followed by extensions */
    longer[51] = (char)(0xc8 - 47);
    begin();
    cr_assert(send_bytes(1, longer, 5 + 0xc8));
    cr_assert_eq(connection->protocol, CUP_PROTOCOL_TURNS);
}

Test(exchange, the_end_of_the_handshake_of_tls_1_3_is_no_request)
{
    static const uint8_t finished[] = {53, 69};
    for (int i = 0; i < 2; i++) {
        send_hello();
        send_after(change, sizeof change - 1, 0x17, finished[i]);
        cr_expect_not(asks);
        send_after("", 0, 0x17, finished[i]);
        cr_expect(asks, "a request may be as long");
    }
}

Test(exchange, a_certificate_of_the_client_is_no_request)
{
    char certificate[105] = "\x17\x03\x03\x00\x64";
    send_hello();
    send_after(certificate, sizeof certificate, 0x17, 53);
    cr_expect_not(asks);
    send_after("", 0, 0x17, 200);
    cr_expect(asks);
    send_hello();
    send_after(change, sizeof change - 1, 0x17, 400); /* with Finished in the same record */
    cr_expect_not(asks);
    send_after("", 0, 0x17, 200);
    cr_expect(asks);
}

Test(exchange, a_second_hello_is_not_the_end_of_the_handshake)
{
    send_hello();
    send_after(change, sizeof change - 1, 0x16, 300);
    send_after("", 0, 0x17, 53);
    cr_expect_not(asks);
    send_after("", 0, 0x17, 200);
    cr_expect(asks);
}

Test(exchange, with_tls_1_2_the_first_data_are_a_request)
{
    send_hello();
    send_after(change, sizeof change - 1, 0x16, 40);
    cr_expect_not(asks);
    send_after("", 0, 0x17, 53);
    cr_expect(asks);
}

/* The server sends records of the lengths in SIZES, up to a 0, in calls of at most MOST bytes.
 * True: there is nothing of an answer yet. */
static bool receive_records(const uint16_t *sizes, size_t most)
{
    static char records[20000];
    size_t count = 0;
    struct cup_answer answer = {.bytes = 0};
    for (; *sizes; sizes++) {
        char *record = memcpy(records + count, "\x17\x03\x03", 3);
        record[3] = (char)(*sizes >> 8);
        record[4] = (char)*sizes;
        count += 5 + (size_t)*sizes;
    }
    for (size_t at = 0; at < count; at += most) {
        size_t bytes = count - at < most ? count - at : most;
        struct cup_exchange_bytes received = {records + at, 0, bytes};
        answer = cup_exchange_received(connection, 0, &received, 0);
        cr_expect_eq(answer.bytes, bytes);
    }
    return answer.state.is_preface;
}

static void send_first_request(void)
{
    send_hello();
    receive_records((const uint16_t[]){900, 53, 0}, 400);
    send_after(change, sizeof change - 1, 0x17, 53);
    send_after("", 0, 0x17, 200);
}

Test(exchange, session_tickets_are_no_answer)
{
    for (size_t most = 1; most < 600; most += 100) {
        send_first_request();
        cr_expect(receive_records((const uint16_t[]){250, 250, 0}, most));
        cr_expect(receive_records((const uint16_t[]){19, 0}, most), "an alert");
        cr_expect_not(receive_records((const uint16_t[]){300, 0}, most), "the answer");
    }
}

Test(exchange, other_records_are_an_answer)
{
    send_first_request();
    cr_expect_not(receive_records((const uint16_t[]){250, 0}, 600), "it may be a short answer");
    send_first_request();
    cr_expect_not(receive_records((const uint16_t[]){250, 250, 301, 0}, 600));
    send_first_request();
    cr_expect_not(receive_records((const uint16_t[]){8000, 8000, 0}, 600));
}

/* Such as those to requests for the size of files: equally long, but no session tickets. */
Test(exchange, equal_short_answers_are_answers)
{
    send_first_request();
    cr_expect_not(receive_records((const uint16_t[]){250, 0}, 600));
    send_after("", 0, 0x17, 200);
    cr_expect_not(receive_records((const uint16_t[]){250, 0}, 600), "the second answer");
}

Test(exchange, http2_is_unattributed_once_two_tasks_use_it)
{
    cr_assert(send_bytes(1, hello2, sizeof hello2 - 1));
    send_record(1, 1, 200, 5);
    expect_answer("abc", 1);
    cup_running_remove(1);
    send_record(2, 2, 200, 5);
    expect_answer("abc", 2);
    send_record(3, 3, 200, 5);
    expect_answer("abc", 0);
    send_record(2, 2, 200, 5);
    expect_answer("abc", 0);
}

/* A client collects the requests of all its threads, and any of them may send them. */
Test(exchange, http2_is_unattributed_once_a_second_task_receives)
{
    const struct cup_exchange_bytes some = {"abc", 0, 3};
    cr_assert(send_bytes(1, hello2, sizeof hello2 - 1));
    send_record(1, 1, 200, 5);
    cr_expect_eq(cup_exchange_received(connection, 1, &some, 0).task, 1);
    cr_expect_not(cup_exchange_received(connection, 1, &some, 0).mixed);
    cr_expect(cup_exchange_received(connection, 2, &some, 0).mixed);
    expect_answer("abc", 0);
}

Test(exchange, http2_of_one_task_after_another)
{
    const struct cup_exchange_bytes some = {"abc", 0, 3};
    cr_assert(send_bytes(1, hello2, sizeof hello2 - 1));
    send_record(1, 1, 200, 5);
    cup_running_remove(1);
    cr_expect_not(cup_exchange_received(connection, 2, &some, 0).mixed);
}

/* A request of HTTP/2 whose headers were sent before is very short. */
Test(exchange, http2_has_short_requests)
{
    cr_assert(send_bytes(1, hello2, sizeof hello2 - 1));
    send_record(1, 1, 200, 5);
    send_record(2, 2, 22, 27);
    expect_answer("abc", 0);
}

/* ---- why bytes are unattributed ------------------------------------------------------------- */

static void expect_reason(enum cup_unattributed_reason reason, bool mixed)
{
    struct cup_answer answer =
        cup_exchange_received(connection, 0, &(struct cup_exchange_bytes){"abc", 0, 3}, 0);
    cr_expect(answer.reason == reason && answer.mixed == mixed, "reason %u", answer.reason);
}

Test(exchange, why_bytes_are_unattributed)
{
    send_text(1, REQUEST);
    cup_running_remove(1);
    expect_reason(CUP_UNATTRIBUTED_REASON_COUNT, false);
    begin();
    send_text(0, REQUEST);
    expect_reason(CUP_UNATTRIBUTED_SENDER, false);
    begin();
    cr_assert(send_bytes(1, hello2, sizeof hello2 - 1));
    send_record(1, 1, 200, 5);
    send_record(2, 2, 200, 5);
    expect_reason(CUP_UNATTRIBUTED_MIXED, true);
}

/* ---- threads that carry no task ------------------------------------------------------------- */

#define GET(path) "GET /" path " HTTP/1.1\r\nHost: h\r\n\r\n"

Test(exchange, urls_name_the_task_of_requests_without_one, .init = begin_with_urls)
{
    send_text(1, "HEAD /a HTTP/1.1\r\nHost: h\r\n\r\n");
    cr_expect_eq(named, 0);
    expect_answer("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\n", 1);
    send_text(0, GET("a"));
    cr_expect_eq(named, 1);
    expect_answer(ANSWER "abcd", 1);
    send_text(0, GET("b"));
    cr_expect_eq(named, 0);
    expect_answer(ANSWER "abcd", 0);
}

Test(exchange, urls_of_several_tasks_name_none, .init = begin_with_urls)
{
    send_text(1, GET("shared"));
    expect_answer(ANSWER "abcd", 1);
    send_text(2, GET("shared"));
    expect_answer(ANSWER "abcd", 2);
    send_text(0, GET("shared"));
    cr_expect_eq(named, 0);
    expect_answer(ANSWER "abcd", 0);
}

Test(exchange, urls_of_a_task_that_ended_name_none, .init = begin_with_urls)
{
    send_text(1, GET("ended"));
    expect_answer(ANSWER "abcd", 1);
    cup_running_remove(1);
    send_text(0, GET("ended"));
    cr_expect_eq(named, 0);
}

/* The file of each answer is lost then. */
Test(exchange, more_files_at_once_than_are_followed_are_none, .init = begin_with_log,
     .fini = test_log_close)
{
    send_text(1, GET("a") GET("b") GET("c") GET("d") GET("e"));
    cr_expect_eq(file_of(ANSWER "abcd"), 0);
    cr_expect_eq(file_of(ANSWER "abcd"), 0);
}

Test(exchange, files_after_the_place_was_lost_are_none, .init = begin_with_log,
     .fini = test_log_close)
{
    send_text(1, GET("a"));
    send_text(1, GET("b"));
    cr_expect_eq(file_of("no answer\r\n"), cup_known_url("http://h/a"));
    cr_expect_eq(file_of("abcd"), 0);
}
