/* Requests on connections: made-up calls on a socket, and a task that waits for a lock. */
#include "tests/preload/log_records.h"

#include "preload/io/exchange.h"
#include "preload/io/requests.h"
#include "preload/io/server_requests.h"
#include "preload/waits/helper_wait.h"

#include <criterion/criterion.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum { TASK = 3, OTHER = 4, SOCKET = 5, SERVER = 9 };
static struct cup_block block, others;
static struct cup_descriptor *server;

static void set_up(void)
{
    cr_assert_eq(cup_thread_init(), 0);
    cr_assert_eq(cup_descriptor_init(), 0);
    cup_clock_calibrate(false);
    *cup_active_word = 1;
    memset(&block, 0, sizeof block);
    memset(&others, 0, sizeof others);
    block.task = TASK;
    others.task = OTHER;
    server = &cup_descriptor_table[SOCKET];
    *server =
        (struct cup_descriptor){.class = CUP_FILE_SOCKET, .peer = CUP_PEER_KNOWN, .file = SERVER};
    cup_helper_wait_reset();
    cup_helper_wait_begin(TASK);
    cup_helper_wait_task_blocks(TASK, CUP_WAIT_LOCK, 1000);
}

static void tear_down(void)
{
    *cup_active_word = 0;
}

TestSuite(requests, .init = set_up, .fini = tear_down);

static void move(enum cup_call call, struct cup_block *owner, uint64_t now, ssize_t bytes)
{
    struct cup_transfer transfer = {
        .call = call, .descriptor = server, .owner = {owner, CUP_METHOD_CONTEXT, 0}, .stop = now};
    cup_request_moved(&transfer, bytes, bytes < 0 ? EAGAIN : 0);
}

/* A part of a request to an HTTP server, or of its answer. */
static void exchange(enum cup_call call, uint64_t now, ssize_t bytes,
                     struct cup_answer_state answer)
{
    const struct cup_transfer transfer = {.call = call,
                                          .descriptor = server,
                                          .owner = {&block, CUP_METHOD_CONTEXT, 0},
                                          .start = now - 100,
                                          .stop = now,
                                          .asks = call == CUP_WRITE,
                                          .answer = answer};
    cup_request_moved(&transfer, bytes, 0);
}

static void expect_waited(uint64_t ticks)
{
    struct cup_helper_wait times = cup_helper_wait_task_resumes(TASK, 20000);
    cr_expect_eq(times.served, ticks, "%lu", (unsigned long)times.served);
    uint64_t ns = block.files[0].file == SERVER ? block.files[0].counters[CUP_F_WAIT_NS] : 0;
    for (int i = 1; i < CUP_BLOCK_FILES; i++)
        ns += block.files[i].file == SERVER ? block.files[i].counters[CUP_F_WAIT_NS] : 0;
    cr_expect(ns + 5 >= cup_ticks_ns(ticks) && ns <= cup_ticks_ns(ticks), "%lu ns",
              (unsigned long)ns);
}

Test(requests, last_from_the_first_send_to_the_last_receive)
{
    move(CUP_WRITE, &block, 2000, 100);
    move(CUP_WRITE, &block, 2500, 100);
    move(CUP_RECEIVE, &block, 2600, -1);
    move(CUP_RECEIVE, &block, 3000, 1000);
    move(CUP_READ, &block, 4000, 1000);
    expect_waited(2000);
}

Test(requests, that_follow_an_answer_are_new_ones)
{
    move(CUP_WRITE, &block, 2000, 100);
    move(CUP_RECEIVE, &block, 3000, 1000);
    move(CUP_WRITE, &block, 7000, 100);
    move(CUP_RECEIVE, &block, 8000, 1000);
    expect_waited(2000);
}

Test(requests, the_answer_is_for_the_task_that_asked)
{
    move(CUP_WRITE, &others, 1500, 100);
    move(CUP_RECEIVE, &others, 1600, 1000);
    move(CUP_WRITE, &block, 2000, 100);
    cup_self.task = TASK; /* the event loop receives in the context of the other task */
    cup_self.own = &block;
    move(CUP_RECEIVE, &others, 3000, 1000);
    expect_waited(1000);
    cup_self.task = 0;
    cup_self.own = NULL;
}

Test(requests, the_farewell_of_an_idle_connection_is_no_answer)
{
    move(CUP_WRITE, &block, 2000, 100);
    move(CUP_RECEIVE, &block, 3000, 1000);
    move(CUP_RECEIVE, &block, 9000, 24);
    move(CUP_RECEIVE, &block, 9000, 0);
    expect_waited(1000);
}

Test(requests, a_short_answer_is_one)
{
    move(CUP_WRITE, &block, 2000, 100);
    move(CUP_RECEIVE, &block, 3000, 5);
    expect_waited(1000);
}

Test(requests, the_server_hangs_up_without_an_answer)
{
    move(CUP_WRITE, &block, 2000, 100);
    move(CUP_RECEIVE, &block, 5000, 0);
    move(CUP_RECEIVE, &block, 6000, 0);
    expect_waited(3000);
}

Test(requests, a_server_that_never_answered_was_waited_for_until_the_connection_is_closed)
{
    uint64_t now = cup_ticks();
    move(CUP_WRITE, &block, now, 100);
    cup_self.task = TASK;
    cup_self.own = &block;
    cup_request_closed(server);
    cup_self.task = 0;
    cup_self.own = NULL;
    struct cup_helper_wait times = cup_helper_wait_task_resumes(TASK, cup_ticks());
    cr_expect(times.served > 0 && times.served < cup_ticks() - now + 1);
}

/* The task ends first. */
Test(requests, of_http_are_out_until_they_are_answered)
{
    uint32_t at;
    server->protocol = CUP_PROTOCOL_HTTP;
    move(CUP_WRITE, &block, 2000, 100);
    cr_expect_eq(cup_helper_wait_gives_up(TASK, 5000, &at), 3000);
    cr_expect_eq(at, SERVER);
    move(CUP_RECEIVE, &block, 6000, 1000);
    move(CUP_WRITE, &block, 7000, 100);
    move(CUP_RECEIVE, &block, 8000, 0);
    cr_expect_eq(cup_helper_wait_gives_up(TASK, 9000, &at), 0);
}

/* An upload with "Expect: 100-continue". */
Test(requests, that_the_server_lets_continue_are_one)
{
    uint64_t at = 0;
    test_log_open(4 << 20);
    cup_server_requests_reset();
    server->protocol = CUP_PROTOCOL_HTTP;
    exchange(CUP_WRITE, 2000, 100, (struct cup_answer_state){.status = 0});
    exchange(CUP_RECEIVE, 3000, 25, (struct cup_answer_state){.status = 0, .partial = true});
    exchange(CUP_WRITE, 4000, 5000, (struct cup_answer_state){.status = 0});
    exchange(CUP_WRITE, 4500, 5000, (struct cup_answer_state){.status = 0});
    exchange(CUP_RECEIVE, 6000, 80, (struct cup_answer_state){.status = 201, .ended = true});
    cup_server_requests_task_ended(TASK);
    const struct cup_record *record = test_next(&at, CUP_R_REQUESTS);
    cr_assert_not_null(record);
    const unsigned char *pairs = (const unsigned char *)record + sizeof(struct cup_r_requests);
    cr_expect_eq(test_number(&pairs), CUP_Q_COUNT);
    cr_expect_eq(test_number(&pairs), 1);
    cr_expect_null(test_next(&at, CUP_R_REQUESTS));
    test_log_close();
    expect_waited(1000 + 2000);
}

/* With TLS 1.3, session tickets come after the first request. */
Test(requests, without_more_than_session_tickets_have_failed)
{
    uint64_t at = 0;
    const struct cup_answer_state none = {.status = 0};
    test_log_open(4 << 20);
    cup_server_requests_reset();
    server->protocol = CUP_PROTOCOL_TURNS;
    exchange(CUP_WRITE, 2000, 200, none);
    exchange(CUP_RECEIVE, 3000, 510,
             (struct cup_answer_state){.encrypted = true, .is_preface = true});
    exchange(CUP_WRITE, 3500, 2000, none);
    exchange(CUP_RECEIVE, 5000, 0, none);
    cup_server_requests_task_ended(TASK);
    const struct cup_r_requests *record = (const void *)test_next(&at, CUP_R_REQUESTS);
    cr_assert_not_null(record);
    cr_expect_eq(record->error, CUP_REQUEST_CUT_OFF);
    cr_expect_null(test_next(&at, CUP_R_REQUESTS));
    test_log_close();
    expect_waited(1000 + 1500);
}

/* The call itself was wrong, or the kernel had no memory: the answer is still to come. */
Test(requests, are_out_after_errors_that_do_not_end_the_connection)
{
    static const int errors[] = {EFAULT, EINVAL, ENOBUFS, ENOMEM, EINTR};
    move(CUP_WRITE, &block, 2000, 100);
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        const struct cup_transfer transfer = {.call = CUP_RECEIVE,
                                              .descriptor = server,
                                              .owner = {&block, CUP_METHOD_CONTEXT, 0},
                                              .stop = 3000};
        cup_request_moved(&transfer, -1, errors[i]);
    }
    move(CUP_RECEIVE, &block, 4000, 1000);
    expect_waited(2000);
}

/* recv() of 0 bytes returns 0, as it does when the server has closed the connection. */
Test(requests, are_out_after_a_call_that_asks_for_nothing)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t length = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0), client = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(bind(listener, (struct sockaddr *)&address, length), 0);
    cr_assert_eq(listen(listener, 1), 0);
    cr_assert_eq(getsockname(listener, (struct sockaddr *)&address, &length), 0);
    cr_assert_eq(connect(client, (struct sockaddr *)&address, length), 0);
    cup_descriptor_table[client] = *server;
    server = &cup_descriptor_table[client];
    move(CUP_WRITE, &block, 2000, 100);
    move(CUP_RECEIVE, &block, 3000, 0);
    move(CUP_RECEIVE, &block, 4000, 1000);
    expect_waited(2000);
    close(client);
    close(listener);
}

Test(requests, of_other_protocols_need_no_answer)
{
    uint32_t at;
    move(CUP_WRITE, &block, 2000, 100);
    cr_expect_eq(cup_helper_wait_gives_up(TASK, 5000, &at), 0);
}

Test(requests, of_dask_of_xrootd_and_of_pairs_are_none)
{
    for (int i = 0; i < 3; i++) {
        server->peer = i == 0 ? CUP_PEER_DASK : i == 1 ? CUP_PEER_PAIR : CUP_PEER_KNOWN;
        server->wire = i == 2;
        move(CUP_WRITE, &block, 2000, 100);
        move(CUP_RECEIVE, &block, 3000, 1000);
    }
    expect_waited(0);
}

Test(requests, descriptors_beyond_the_table_have_none)
{
    struct cup_descriptor spare = *server;
    server = &spare;
    move(CUP_WRITE, &block, 2000, 100);
    move(CUP_RECEIVE, &block, 3000, 1000);
    expect_waited(0);
}
