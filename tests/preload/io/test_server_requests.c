/* Requests to storage servers: what REQUESTS records say of them. */
#include "tests/preload/log_records.h"

#include "preload/io/server_requests.h"
#include "preload/sys/clock.h"

#include <string.h>

enum { TASK = 7, OTHER = 8, MOST = 16, FILE_NUMBER = 3, REFUSED = 3010 };

struct found {
    struct cup_r_requests record;
    uint64_t values[CUP_Q_COUNT_OF];
    uint64_t buckets[2 * CUP_BUCKETS];
};
static struct found found[MOST];

static void set_up(void)
{
    test_log_open(4 << 20);
    cup_server_requests_reset();
}

TestSuite(server_requests, .init = set_up, .fini = test_log_close);

static void read_pairs(struct found *to, const struct cup_record *record)
{
    const unsigned char *at = (const unsigned char *)record + sizeof to->record;
    const unsigned char *end = (const unsigned char *)record + record->length;
    test_pairs_and_buckets(at, end, to->values, to->buckets);
}

static size_t records(void)
{
    uint64_t at = 0;
    size_t count = 0;
    const struct cup_record *record;
    memset(found, 0, sizeof found);
    while ((record = test_next(&at, CUP_R_REQUESTS))) {
        cr_assert_lt(count, MOST);
        memcpy(&found[count].record, record, sizeof found[count].record);
        read_pairs(&found[count++], record);
    }
    return count;
}

static uint64_t at_ms(uint64_t ms)
{
    static uint64_t origin;
    origin = origin ? origin : cup_ticks();
    return origin + cup_ns_ticks(ms * 1000000);
}

static void send(uint32_t task, uint32_t server, uint64_t from_ms)
{
    cup_server_request_sent((struct cup_server_request_out){task, server}, at_ms(from_ms));
}

static void end(uint32_t task, uint32_t server, uint32_t error, uint64_t from_ms, uint64_t to_ms)
{
    const struct cup_server_request_end ended = {.out = {task, server},
                                                 .task = task,
                                                 .server = server,
                                                 .file = FILE_NUMBER,
                                                 .error = error,
                                                 .bytes = error ? 0 : 100,
                                                 .start = at_ms(from_ms),
                                                 .stop = at_ms(to_ms)};
    cup_server_request_ended(&ended);
}

static void expect_ms(uint64_t ns, double ms)
{
    cr_expect_float_eq((double)ns / 1e6, ms, 0.01, "%f ms, not %f", (double)ns / 1e6, ms);
}

Test(server_requests, several_at_a_time_are_waited_for_once)
{
    send(TASK, 1, 0);
    send(TASK, 1, 5);
    end(TASK, 1, 0, 5, 8);
    end(TASK, 1, 0, 0, 10);
    send(TASK, 1, 20);
    end(TASK, 1, 0, 20, 23);
    cr_expect_eq(records(), 0);
    cup_server_requests_task_ended(TASK);
    cr_assert_eq(records(), 1);
    cr_expect_eq(found->values[CUP_Q_COUNT], 3);
    cr_expect_eq(found->values[CUP_Q_BYTES], 300);
    expect_ms(found->values[CUP_Q_NS], 3 + 10 + 3);
    expect_ms(found->values[CUP_Q_WAITED_NS], 10 + 3);
    expect_ms(found->values[CUP_Q_LONGEST_NS], 10);
    cr_expect_eq(found->buckets[cup_bucket(3000000)], 2);
    cr_expect_eq(found->buckets[cup_bucket(10000000)], 1);
    expect_ms((uint64_t)(found->record.stop_ns - found->record.start_ns), 23);
}

/* Of all tasks together: one connection may carry them. */
Test(server_requests, those_of_a_process_that_are_out_at_a_time_are_counted)
{
    send(TASK, 1, 0);
    send(OTHER, 1, 0);
    send(OTHER, 1, 10);
    end(OTHER, 1, 0, 10, 20);
    end(OTHER, 1, 0, 0, 20);
    end(TASK, 1, 0, 0, 30);
    cup_server_requests_process_ends();
    cr_assert_eq(records(), 2);
    expect_ms(found[0].values[CUP_Q_PROCESS_NS] + found[1].values[CUP_Q_PROCESS_NS], 30);
    expect_ms(found[0].values[CUP_Q_NS] + found[1].values[CUP_Q_NS], 10 + 20 + 30);
    cr_expect_eq(found[0].values[CUP_Q_MOST_OUT], 3);
    cr_expect_eq(found[1].values[CUP_Q_MOST_OUT], 3);
}

Test(server_requests, each_server_task_and_error_has_its_own_record)
{
    send(TASK, 1, 0);
    send(TASK, 2, 0);
    send(OTHER, 1, 0);
    end(TASK, 1, REFUSED, 0, 4);
    end(TASK, 2, 0, 0, 5);
    end(OTHER, 1, 0, 0, 6);
    cup_server_requests_task_ended(TASK);
    cr_expect_eq(records(), 2);
    for (size_t i = 0; i < 2; i++) {
        bool failed = found[i].record.server == 1;
        cr_expect_eq(found[i].record.error, failed ? REFUSED : 0);
        cr_expect_eq(found[i].record.task, TASK);
        cr_expect_eq(found[i].record.file, FILE_NUMBER);
        expect_ms(found[i].values[CUP_Q_WAITED_NS], failed ? 4 : 5);
    }
    cup_server_requests_process_ends();
    cr_assert_eq(records(), 3);
    cr_expect_eq(found[2].record.task, OTHER);
}

/* A process that is killed keeps them. */
Test(server_requests, those_of_a_long_task_are_written_while_it_runs)
{
    for (uint64_t ms = 0; ms < 5000; ms += 100) {
        send(TASK, 1, ms);
        end(TASK, 1, 0, ms, ms + 1);
    }
    size_t count = records();
    uint64_t written = 0;
    for (size_t i = 0; i < count; i++)
        written += found[i].values[CUP_Q_COUNT];
    cr_expect(count >= 1 && count <= 4 && written >= 20, "%zu records, %lu requests", count,
              (unsigned long)written);
}

/* There is room for some of them at a time. */
Test(server_requests, of_many_servers_none_is_lost)
{
    enum { SERVERS = 12 };
    for (uint32_t server = 1; server <= SERVERS; server++)
        send(TASK, server, 0);
    for (uint32_t server = 1; server <= SERVERS; server++)
        end(TASK, server, 0, 0, 7);
    cup_server_requests_task_ended(TASK);
    cr_assert_eq(records(), SERVERS);
    for (size_t i = 0; i < SERVERS; i++)
        expect_ms(found[i].values[CUP_Q_WAITED_NS], 7);
}

/* An HTTP server is the peer of a socket. How long tasks waited for it is known otherwise. */
Test(server_requests, to_http_servers_have_the_time_until_the_answer_began)
{
    const struct cup_server_request_end ended = {.task = TASK,
                                                 .peer = 5,
                                                 .encrypted = true,
                                                 .start = at_ms(0),
                                                 .first = at_ms(3),
                                                 .stop = at_ms(20)};
    cup_server_request_ended(&ended);
    cup_server_requests_task_ended(TASK);
    cr_assert_eq(records(), 1);
    cr_expect_eq(found->record.peer, 5);
    cr_expect_eq(found->values[CUP_Q_ENCRYPTED], 1);
    expect_ms(found->values[CUP_Q_NS], 20);
    cr_expect_eq(found->buckets[cup_bucket(20000000)], 1);
    cr_expect_eq(found->buckets[CUP_BUCKETS + cup_bucket(3000000)], 1);
}
