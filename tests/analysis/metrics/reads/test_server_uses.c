/* Servers by the time that tasks waited for them: requests, opens behind redirectors, logs of older
 * libraries, sockets. */
#include <criterion/criterion.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/reads/server_uses.h"
#include "analysis/metrics/reads/slow_servers.h"
#include "analysis/profile/files.h"
#include "include/log_pairs.h"
#include "tests/analysis/fixture.h"

enum { MS = 1000000, BYTES = 1000 };
enum { SLOW = 70, FAST, PATH, PATH_TOO, PEER, MOUNT, MOUNTED_PATH, LOCAL_PATH, INFO_NAME };
enum { SLOW_FILE = 10, FAST_FILE, PEER_FILE, MOUNTED_FILE, LOCAL_FILE };

static struct cup_server_uses uses;

static void add_file(uint32_t id, uint32_t path, const char *name, uint32_t class, uint32_t flags)
{
    struct cup_r_file file = {.id = id, .path = path, .class = class, .flags = flags};
    builder_string(&builder, path, name);
    BUILDER_ADD(&builder, CUP_R_FILE, file);
}

static void set_up(void)
{
    start_golden_fixture();
    builder_header(&builder)->features |= CUP_FEATURE_OPENS;
    builder_string(&builder, SLOW, "root://slow:1094");
    builder_string(&builder, FAST, "root://fast:1095");
    add_file(SLOW_FILE, PATH, "root://door//0.root", CUP_FILE_DATA, CUP_FILE_IS_REMOTE);
    add_file(FAST_FILE, PATH_TOO, "root://door//1.root", CUP_FILE_DATA, CUP_FILE_IS_REMOTE);
    add_file(PEER_FILE, PEER, "tcp://10.0.0.9:1095", CUP_FILE_SOCKET, 0);
}

static void tear_down(void)
{
    cup_server_uses_free(&uses);
    end_fixture();
}

TestSuite(server_uses, .init = set_up, .fini = tear_down);

static uint64_t process_time;  /* with requests that requested() writes out */
static uint64_t at_a_time = 1; /* requests of the task */

/* COUNT requests of NS each. */
static void requested(uint32_t task, uint32_t file, uint32_t server, uint32_t error, uint64_t count,
                      uint64_t ns)
{
    struct cup_r_requests record = {.task = task,
                                    .file = file,
                                    .server = server,
                                    .error = error,
                                    .start_ns = at_second(11),
                                    .stop_ns = at_second(11) + (int64_t)(count * ns)};
    uint64_t values[CUP_Q_COUNT_OF] = {[CUP_Q_COUNT] = count,
                                       [CUP_Q_BYTES] = error ? 0 : count * BYTES,
                                       [CUP_Q_NS] = count * ns,
                                       [CUP_Q_WAITED_NS] = count * ns / at_a_time,
                                       [CUP_Q_PROCESS_NS] = process_time,
                                       [CUP_Q_MOST_OUT] = process_time ? 16 : 0,
                                       [CUP_Q_LONGEST_NS] = ns};
    unsigned char pairs[CUP_Q_COUNT_OF * CUP_PAIR_LONGEST + 24];
    size_t bytes = cup_pairs_nonzero(pairs, values, CUP_Q_COUNT_OF);
    bytes += cup_pairs_number(pairs + bytes, CUP_PAIR_BUCKETS + cup_bucket(ns));
    bytes += cup_pairs_number(pairs + bytes, count);
    builder_record(&builder, CUP_R_REQUESTS, &record, sizeof record, pairs,
                   cup_pairs_pad(pairs, bytes));
}

static void opened(uint32_t file, uint32_t server, uint64_t ns)
{
    struct cup_r_open open = {.task = 1,
                              .file = file,
                              .kind = CUP_OPEN_XROOTD,
                              .start_ns = at_second(11),
                              .ns = ns,
                              .server = server,
                              .redirects = server != 0};
    BUILDER_ADD(&builder, CUP_R_OPEN, open);
}

static void used(uint32_t task, uint32_t file, uint64_t bytes, uint64_t calls, uint64_t ns)
{
    struct cup_r_file_use use = {.task = task, .file = file, .block = 3, .file_sequence = 90};
    uint64_t values[CUP_FILE_COUNTER_COUNT] = {
        [CUP_F_READ_BYTES] = bytes, [CUP_F_READ_CALLS] = calls, [CUP_F_READ_NS] = ns};
    builder_file_use(&builder, &use, values);
}

static void load(void)
{
    builder_finish(&builder);
    save_log(&builder, scratch, "a.cup");
    load_fixture(&(struct cup_load_options){0});
    cr_assert_eq(cup_server_uses_make(&uses, &profile), 0);
}

static const struct cup_server_use *use_of(const char *name)
{
    for (size_t i = 0; i < uses.count; i++)
        if (cup_text_compare(uses.rows[i].name, (struct cup_text){name, strlen(name)}) == 0)
            return &uses.rows[i];
    cr_assert_fail("no row of %s", name);
    return NULL;
}

Test(server_uses, the_one_that_tasks_waited_for_longest_comes_first)
{
    requested(1, SLOW_FILE, SLOW, 0, 2, 500 * MS);
    requested(2, FAST_FILE, FAST, 0, 100, MS);
    load();
    cr_assert_geq(uses.count, 2);
    cr_expect_eq(cup_text_compare(uses.rows[0].name, (struct cup_text){"root://slow:1094", 16}), 0);
    const struct cup_server_use *slow = &uses.rows[0], *fast = use_of("root://fast:1095");
    cr_expect(slow->requests == 2 && slow->bytes == 2 * BYTES && slow->tasks == 1 &&
              slow->files == 1 && slow->waited_ns == 1000 * MS && slow->longest_ns == 500 * MS);
    cr_expect(fast->requests == 100 && fast->waited_ns == 100 * MS);
    const struct cup_durations durations = cup_server_durations(slow);
    cr_expect_float_eq(cup_durations_quantile_ns(&durations, 0.9), 500.0 * MS, 150.0 * MS);
}

Test(server_uses, an_open_behind_a_redirector_is_the_data_servers)
{
    opened(SLOW_FILE, SLOW, 400 * MS);
    opened(FAST_FILE, 0, 30 * MS);
    requested(1, SLOW_FILE, SLOW, 0, 1, MS);
    load();
    const struct cup_server_use *slow = use_of("root://slow:1094"), *door = use_of("root://door");
    cr_expect_eq(slow->waited_ns, 401 * MS);
    cr_expect_eq(door->waited_ns, 30 * MS);
    cr_expect_eq(door->opens->opened, 2);
    cr_expect_eq(door->opens->redirects, 1);
}

Test(server_uses, failed_requests_have_time_tasks_and_an_error)
{
    requested(1, SLOW_FILE, SLOW, 0, 10, MS);
    requested(1, SLOW_FILE, SLOW, 3010, 1, 5 * MS);
    requested(2, SLOW_FILE, SLOW, 206, 3, 100 * MS);
    load();
    char worst[64];
    const struct cup_server_use *slow = use_of("root://slow:1094");
    cr_expect(slow->requests == 14 && slow->failed == 4 && slow->failed_tasks == 2);
    cr_expect(slow->failed_ns == 305 * MS && slow->waited_ns == 315 * MS);
    cr_expect_eq(cup_server_errors(slow), 4);
    cr_assert(cup_server_worst_error(&uses, slow, worst, sizeof worst));
    cr_expect_str_eq(worst, "operation expired (XRootD 206)");
    cr_expect_eq(slow->longest_ns, MS, "that of an answered request");
}

/* The sockets of XRootD's client carry the same bytes again. */
Test(server_uses, logs_without_requests_have_the_servers_of_urls)
{
    used(1, SLOW_FILE, 5000, 5, 70 * MS);
    used(0, PEER_FILE, 5100, 9, MS);
    load();
    const struct cup_server_use *door = use_of("root://door"),
                                *wire = use_of("tcp://10.0.0.9:1095");
    cr_expect(door->bytes == 5000 && door->requests == 5 && door->waited_ns == 70 * MS);
    cr_expect_eq(wire->kind, CUP_SERVER_WIRE);
}

Test(server_uses, bytes_count_once)
{
    used(1, SLOW_FILE, 2 * BYTES, 2, MS);
    requested(1, SLOW_FILE, SLOW, 0, 2, MS / 2);
    load();
    cr_expect_eq(use_of("root://slow:1094")->bytes, 2 * BYTES);
    for (size_t i = 0; i < uses.count; i++)
        cr_expect(uses.rows[i].name.length != 11 || uses.rows[i].bytes == 0);
}

/* Reads that were no requests came from memory. */
Test(server_uses, a_mounted_file_is_of_its_file_system)
{
    struct cup_r_file file = {
        .id = MOUNTED_FILE, .path = MOUNTED_PATH, .class = CUP_FILE_DATA, .mount = MOUNT};
    builder_string(&builder, MOUNT, "nfs4:nas:/export");
    builder_string(&builder, MOUNTED_PATH, "/data/0.root");
    BUILDER_ADD(&builder, CUP_R_FILE, file);
    add_file(LOCAL_FILE, LOCAL_PATH, "/tmp/1.root", CUP_FILE_DATA, 0);
    used(1, MOUNTED_FILE, 10 * BYTES, 10, 210 * MS);
    used(1, LOCAL_FILE, 10 * BYTES, 10, MS);
    requested(1, MOUNTED_FILE, MOUNT, 0, 4, 50 * MS);
    load();
    const struct cup_server_use *mount = use_of("nfs4:nas:/export");
    cr_expect_eq(mount->kind, CUP_SERVER_MOUNT);
    cr_expect(mount->files == 1 && mount->tasks == 1 && mount->requests == 4);
    cr_expect(mount->bytes == 10 * BYTES && mount->cached_bytes == 6 * BYTES);
    cr_expect_eq(mount->waited_ns, 200 * MS);
    for (size_t i = 0; i < uses.count; i++)
        cr_expect(uses.rows[i].kind != CUP_SERVER_MOUNT || &uses.rows[i] == mount,
                  "a local file is of no server");
}

Test(server_uses, logs_add_up)
{
    requested(1, SLOW_FILE, SLOW, 0, 2, MS);
    builder_finish(&builder);
    save_log(&builder, scratch, "b.cup");
    load();
    const struct cup_server_use *slow = use_of("root://slow:1094");
    cr_expect(slow->requests == 4 && slow->tasks == 2 && slow->files == 1);
    cr_expect_eq(profile.request_sum_count, 1);
}

Test(server_uses, the_default_port_may_be_left_out)
{
    static const char *const same[][2] = {{"root://a:1094", "root://a"}, {"root://a", "root://a"}};
    static const char *const others[][2] = {{"root://a:1095", "root://a"},
                                            {"http://a:1094", "http://a"}};
    for (int i = 0; i < 2; i++) {
        struct cup_text one = {same[i][0], strlen(same[i][0])},
                        two = {same[i][1], strlen(same[i][1])};
        cr_expect(cup_same_server(one, two));
        one = (struct cup_text){others[i][0], strlen(others[i][0])};
        two = (struct cup_text){others[i][1], strlen(others[i][1])};
        cr_expect(!cup_same_server(one, two));
    }
}

/* ---- HTTP ------------------------------------------------------------------------------------ */

static uint64_t repeated_requests; /* of those that asked() writes */

/* COUNT requests to an HTTP server, each of which took NS; the first byte came after FIRST (0: not
 * known). */
static void asked(uint32_t error, uint64_t count, uint64_t ns, uint64_t first, bool encrypted)
{
    struct cup_r_requests record = {.task = 1,
                                    .file = SLOW_FILE,
                                    .peer = PEER_FILE,
                                    .error = error,
                                    .start_ns = at_second(11),
                                    .stop_ns = at_second(12)};
    uint64_t values[CUP_Q_COUNT_OF] = {[CUP_Q_COUNT] = count,
                                       [CUP_Q_NS] = count * ns,
                                       [CUP_Q_WAITED_NS] = count * ns,
                                       [CUP_Q_LONGEST_NS] = ns,
                                       [CUP_Q_ENCRYPTED] = encrypted ? count : 0,
                                       [CUP_Q_REPEATED] = repeated_requests};
    unsigned char pairs[CUP_Q_COUNT_OF * CUP_PAIR_LONGEST + 48];
    size_t bytes = cup_pairs_nonzero(pairs, values, CUP_Q_COUNT_OF);
    bytes += cup_pairs_number(pairs + bytes, CUP_PAIR_BUCKETS + cup_bucket(ns));
    bytes += cup_pairs_number(pairs + bytes, count);
    if (first) {
        bytes +=
            cup_pairs_number(pairs + bytes, CUP_PAIR_BUCKETS + CUP_BUCKETS + cup_bucket(first));
        bytes += cup_pairs_number(pairs + bytes, count);
    }
    builder_record(&builder, CUP_R_REQUESTS, &record, sizeof record, pairs,
                   cup_pairs_pad(pairs, bytes));
}

static const struct cup_server_use *http_server(void)
{
    load();
    return use_of("tcp://10.0.0.9:1095");
}

#define OLD_LOG "a log of an older cupping does not have it"

static void expect_kinds(const struct cup_server_use *use, const char *text)
{
    char kinds[600];
    cr_assert(cup_server_error_kinds(&uses, use, kinds, sizeof kinds));
    cr_expect_str_eq(kinds, text);
}

Test(server_uses, of_http_have_quantiles_and_kinds_of_errors)
{
    char worst[64];
    used(1, PEER_FILE, 5000, 5, MS);
    asked(0, 90, 100 * MS, 10 * MS, false);
    asked(404, 5, MS, MS, false);
    asked(503, 2, MS, MS, false);
    asked(CUP_REQUEST_CUT_OFF, 1, MS, 0, false);
    asked(CUP_REQUEST_GIVEN_UP, 3, 2000 * (uint64_t)MS, 0, false);
    const struct cup_server_use *use = http_server();
    cr_expect(use->requests == 101 && use->failed == 11 && use->faults == 6);
    cr_expect(use->http_4xx == 5 && use->http_5xx == 2 && use->cut_off == 1 && use->given_up == 3);
    cr_expect_eq(use->waited_ns, MS, "as the sockets say");
    const struct cup_durations all = cup_server_durations(use), first = cup_server_first_bytes(use);
    cr_expect_float_eq(cup_durations_quantile_ns(&all, 0.5), 100.0 * MS, 20.0 * MS);
    cr_expect_float_eq(cup_durations_quantile_ns(&first, 0.5), 10.0 * MS, 3.0 * MS);
    cr_assert(cup_server_worst_error(&uses, use, worst, sizeof worst));
    cr_expect_str_eq(worst, "HTTP status 404");
    expect_kinds(use, "5 HTTP status 404, 3 given up by the client, 2 HTTP status 503, "
                      "1 cut off by the server");
    cr_expect_str_eq(cup_server_repeats_unknown(&profile, use), OLD_LOG);
    cr_expect_str_eq(cup_server_reconnects_unknown(&profile, use), OLD_LOG);
}

/* fsspec asks for ten ranges of a file at a time. */
Test(server_uses, of_http_that_overlap_count_once_for_their_file)
{
    uint64_t waited_ns;
    struct cup_r_file_use file = {.task = 1, .file = SLOW_FILE, .block = 3, .file_sequence = 90};
    const uint64_t counters[CUP_FILE_COUNTER_COUNT] = {[CUP_F_WAIT_NS] = 900 * MS};
    builder_file_use(&builder, &file, counters);
    asked(0, 90, 100 * MS, 10 * MS, false);
    const struct cup_server_use *use = http_server();
    uint32_t worst = cup_worst_file(&profile, use->name, false, &waited_ns);
    cr_assert_neq(worst, 0);
    cr_expect_eq(waited_ns, 900 * MS);
}

/* Requests without an answer do not count as a wait for their file. */
Test(server_uses, of_http_without_an_answer_keep_their_time)
{
    uint64_t waited_ns;
    struct cup_r_file_use file = {.task = 1, .file = SLOW_FILE, .block = 3, .file_sequence = 90};
    const uint64_t counters[CUP_FILE_COUNTER_COUNT] = {[CUP_F_WAIT_NS] = 2 * MS};
    builder_file_use(&builder, &file, counters);
    asked(CUP_REQUEST_CUT_OFF, 5, 100 * MS, 0, false);
    const struct cup_server_use *use = http_server();
    cr_expect_neq(cup_worst_file(&profile, use->name, true, &waited_ns), 0);
    cr_expect_eq(waited_ns, 500 * MS);
}

Test(server_uses, of_http_that_were_all_without_an_answer_have_a_file)
{
    uint64_t waited_ns;
    asked(CUP_REQUEST_CUT_OFF, 5, 100 * MS, 0, false);
    const struct cup_server_use *use = http_server();
    cr_expect_neq(cup_worst_file(&profile, use->name, false, &waited_ns), 0);
    cr_expect_eq(waited_ns, 500 * MS);
}

Test(server_uses, with_tls_the_status_is_not_known)
{
    asked(0, 90, 100 * MS, 10 * MS, true);
    const struct cup_server_use *use = http_server();
    cr_expect(use->is_http && use->requests == 90 && use->encrypted == 90 && use->faults == 0);
    cr_expect(strstr(cup_server_repeats_unknown(&profile, use), "TLS"));
}

Test(server_uses, errors_beyond_the_room_are_other)
{
    char kinds[120];
    used(1, PEER_FILE, 5000, 5, MS);
    for (uint32_t status = 400; status < 440; status++)
        asked(status, status == 400 ? 7 : 1, MS, 0, false);
    const struct cup_server_use *use = http_server();
    cr_assert(cup_server_error_kinds(&uses, use, kinds, sizeof kinds));
    cr_expect_str_eq(kinds, "7 HTTP status 400, 1 HTTP status 401, 1 HTTP status 402, "
                            "1 HTTP status 403, 36 other");
    uint64_t sum = 0;
    for (const char *at = kinds; at; at = strchr(at, ','))
        sum += strtoul(at + (*at == ',') * 2, (char **)&at, 10);
    cr_expect_eq(sum, 7 + 39, "%s", kinds);
}

/* What was tried again is known of logs that say so. */
Test(server_uses, of_http_repeats_and_reconnects_are_counted)
{
    struct cup_r_file_use file = {.task = 1, .file = PEER_FILE, .block = 3, .file_sequence = 90};
    uint64_t counters[CUP_FILE_COUNTER_COUNT] = {[CUP_F_OPENS] = 5, [CUP_F_RECONNECTS] = 3};
    builder_header(&builder)->features |= CUP_FEATURE_REPEATS;
    builder_file_use(&builder, &file, counters);
    repeated_requests = 4;
    asked(503, 9, MS, 0, false);
    const struct cup_server_use *use = http_server();
    cr_expect(use->repeated == 4 && use->reconnects == 3 && use->connections == 5);
    cr_expect_null(cup_server_repeats_unknown(&profile, use));
    cr_expect_null(cup_server_reconnects_unknown(&profile, use));
}

/* ---- advice ---------------------------------------------------------------------------------- */

static const char *said(const char *rule)
{
    static struct cup_advice advice[CUP_ADVICE_MOST];
    load();
    return advice_text(advice, cup_advice_make(&totals, advice), rule);
}

static void expect_said(const char *text, const char *words)
{
    cr_assert_not_null(text, "nothing was said");
    cr_expect(strstr(text, words), "%s", text);
}

Test(server_uses, a_slow_one_is_named_with_what_it_cost)
{
    requested(1, SLOW_FILE, SLOW, 0, 20, 100 * MS);
    requested(2, FAST_FILE, FAST, 0, 100, MS);
    const char *text = said("slow_server");
    expect_said(text,
                "root://slow:1094 is slow: a request or an open there took 100 ms on average, "
                "and 1.00 ms at the other server");
    expect_said(text, "1 task waited 1.98 s longer");
    expect_said(text, "The worst file is root://door//0.root (2.00 s).");
    expect_said(text, "All requests came from one host.");
}

Test(server_uses, a_file_is_not_named_if_opens_were_slow)
{
    opened(SLOW_FILE, SLOW, 2000 * MS);
    requested(1, SLOW_FILE, SLOW, 0, 20, MS);
    requested(2, FAST_FILE, FAST, 0, 100, MS);
    const char *text = said("slow_server");
    expect_said(text, "root://slow:1094 is slow");
    cr_expect_null(strstr(text, "The worst file"), "%s", text);
}

Test(server_uses, one_with_larger_requests_is_not_slow)
{
    requested(1, SLOW_FILE, SLOW, 0, 20, 100 * MS);
    requested(2, FAST_FILE, FAST, 0, 100, 60 * MS);
    cr_expect_null(said("slow_server"));
}

Test(server_uses, one_that_is_alone_is_not_slow)
{
    requested(1, SLOW_FILE, SLOW, 0, 20, 100 * MS);
    requested(2, FAST_FILE, FAST, 0, 5, MS);
    cr_expect_null(said("slow_server"));
}

/* FROM: a second log, of another host, whose requests to the slow server take NS. */
static const char *said_of_two_hosts(uint64_t ns)
{
    requested(1, SLOW_FILE, SLOW, 0, 20, 100 * MS);
    requested(2, FAST_FILE, FAST, 0, 100, MS);
    builder_finish(&builder);
    save_log(&builder, scratch, "b.cup");
    builder_free(&builder);
    build_golden_log(&builder);
    strcpy(builder_header(&builder)->host, "elsewhere");
    builder_string(&builder, SLOW, "root://slow:1094");
    add_file(SLOW_FILE, PATH, "root://door//0.root", CUP_FILE_DATA, CUP_FILE_IS_REMOTE);
    requested(1, SLOW_FILE, SLOW, 0, 20, ns);
    return said("slow_server");
}

Test(server_uses, all_hosts_that_suffer_accuse_the_server)
{
    expect_said(said_of_two_hosts(80 * MS), "All 2 hosts suffer: it is the server");
}

Test(server_uses, a_host_that_suffers_alone_may_have_a_bad_network)
{
    expect_said(said_of_two_hosts(MS), "Of 2 hosts, 1 suffer");
}

Test(server_uses, one_that_fails_is_named)
{
    requested(1, SLOW_FILE, SLOW, 0, 20, MS);
    requested(1, SLOW_FILE, SLOW, 3010, 2, 5 * MS);
    const char *text = said("failing_server");
    expect_said(text, "2 of 22 requests at root://slow:1094 failed (threshold: any), mostly with: "
                      "not authorized (XRootD 3010). 1 task had one, and the failures took 10.0 "
                      "ms.");
    expect_said(text, "The worst file is root://door//0.root");
}

Test(server_uses, an_http_server_that_fails_is_named)
{
    asked(0, 90, 100 * MS, 10 * MS, false);
    asked(404, 5, MS, MS, false);
    asked(503, 2, MS, MS, false);
    asked(CUP_REQUEST_CUT_OFF, 1, MS, 0, false);
    expect_said(said("failing_server"),
                "3 of 98 requests at tcp://10.0.0.9:1095 failed (threshold: any), 2 answered with "
                "HTTP 5xx, 1 cut off by the server. 1 task had one");
}

/* Programs ask whether a file is there, and change their minds. */
Test(server_uses, clients_cause_errors_too)
{
    asked(0, 90, 100 * MS, 10 * MS, false);
    asked(404, 5, MS, MS, false);
    asked(CUP_REQUEST_GIVEN_UP, 1, 20 * MS, 0, false);
    cr_expect_null(said("failing_server"));
}

Test(server_uses, opens_that_are_sent_on_and_on_are_a_storm)
{
    for (int i = 0; i < 10; i++) {
        struct cup_r_open open = {.task = 1,
                                  .file = SLOW_FILE,
                                  .kind = CUP_OPEN_XROOTD,
                                  .start_ns = at_second(11),
                                  .ns = 20 * MS,
                                  .redirects = 4};
        BUILDER_ADD(&builder, CUP_R_OPEN, open);
    }
    expect_said(said("redirect_storm"), "Opens at root://door were sent from server to server: 4.0 "
                                        "times each (threshold 3 times). 10 opens took 200 ms");
}

Test(server_uses, one_redirect_for_each_open_is_no_storm)
{
    for (int i = 0; i < 10; i++)
        opened(SLOW_FILE, SLOW, 20 * MS);
    cr_expect_null(said("redirect_storm"));
}

Test(server_uses, a_cache_that_misses_has_two_groups)
{
    requested(1, SLOW_FILE, SLOW, 0, 900, MS);
    requested(1, SLOW_FILE, SLOW, 0, 100, 50 * MS);
    expect_said(said("cache_misses"), "fall into two groups: 10 % of 1,000 requests took about");
}

/* Ten requests at a time: the slow ones hold the task up for a tenth of their time. */
Test(server_uses, misses_at_the_same_time_cost_little)
{
    at_a_time = 10;
    requested(1, SLOW_FILE, SLOW, 0, 900, MS);
    requested(1, SLOW_FILE, SLOW, 0, 100, 50 * MS);
    cr_expect_null(said("cache_misses"));
}

Test(server_uses, one_group_is_no_cache)
{
    requested(1, SLOW_FILE, SLOW, 0, 900, 40 * MS);
    requested(1, SLOW_FILE, SLOW, 0, 100, 70 * MS);
    cr_expect_null(said("cache_misses"));
}

/* Of 16 requests that are out at a time, the first ones find no other one before them. */
static void queued(uint64_t fast, uint64_t slow, uint64_t process_ns)
{
    process_time = process_ns;
    requested(1, SLOW_FILE, SLOW, 0, fast, 10 * MS);
    process_time = 0;
    requested(1, SLOW_FILE, SLOW, 0, slow, 100 * MS);
}

Test(server_uses, requests_that_queue_in_the_client_are_advised_on)
{
    queued(40, 160, 2000 * (uint64_t)MS);
    const char *text = said("few_connections");
    expect_said(text,
                "Requests to root://slow:1094 queue in the client: 8.2 of one process were out "
                "at a time on average (threshold 4), at most 16.");
    expect_said(text, "XRD_SUBSTREAMSPERCHANNEL");
}

Test(server_uses, requests_one_after_the_other_do_not_queue)
{
    queued(40, 160, 16400 * (uint64_t)MS);
    cr_expect_null(said("few_connections"));
}

Test(server_uses, in_logs_that_do_not_have_it_no_queue_is_judged)
{
    queued(40, 160, 0);
    cr_expect_null(said("few_connections"));
    cr_expect(isnan(cup_server_mean_out(use_of("root://slow:1094"))));
}

/* ---- Dask's own addresses -------------------------------------------------------------------- */

/* A client polls a dashboard, whose address its scheduler wrote into its log. */
Test(server_uses, where_dask_accepts_connections_is_no_storage)
{
    struct cup_r_info info = {.name = INFO_NAME, .value = PEER};
    used(1, PEER_FILE, 5000, 5, MS);
    asked(503, 9, MS, 0, false);
    builder_string(&builder, INFO_NAME, CUP_INFO_LISTENS);
    BUILDER_ADD(&builder, CUP_R_INFO, info);
    load();
    for (size_t i = 0; i < uses.count; i++)
        cr_expect(!cup_is_peer_address(uses.rows[i].name));
}

/* ---- files over TLS -------------------------------------------------------------------------- */

static void add_item(uint32_t task, uint32_t kind, uint32_t file)
{
    struct cup_r_item item = {
        .task = task, .kind = kind, .file = file, .entry_start = -1, .entry_stop = -1};
    BUILDER_ADD(&builder, CUP_R_ITEM, item);
}

static void expect_file(const struct cup_request_row *row, const char *path)
{
    struct cup_text text = cup_profile_text(&profile, profile.files[row->file - 1].path);
    cr_expect(text.length == strlen(path) && memcmp(text.bytes, path, text.length) == 0, "%.*s",
              (int)text.length, text.bytes);
}

Test(server_uses, a_request_over_tls_is_for_the_file_that_the_item_names_alone)
{
    enum { TLS_FILE = 350, TLS_PATH, URL, URL_TOO };
    add_file(TLS_FILE, TLS_PATH, "https://host/", CUP_FILE_DATA, CUP_FILE_IS_REMOTE);
    builder_string(&builder, URL, "https://host/a.root");
    builder_string(&builder, URL_TOO, "https://host/b.root");
    add_item(1, CUP_ITEM_PATH, URL);
    add_item(2, CUP_ITEM_PATHS, URL_TOO);
    requested(1, TLS_FILE, SLOW, 0, 1, 1000);
    requested(2, TLS_FILE, SLOW, 0, 1, 1000);
    load();
    cr_assert_eq(profile.request_count, 2);
    expect_file(&profile.requests[0], "https://host/a.root");
    expect_file(&profile.requests[1], "https://host/");
}

/* The library leaves out the port 443, and writes the host as the client sent it in TLS. */
Test(server_uses, a_file_over_tls_is_found_however_its_url_is_written)
{
    enum { DEFAULT_FILE = 350, DEFAULT_PATH, OTHER_FILE, OTHER_PATH, FIRST_URL };
    static const char *const urls[] = {"https://HOST:443/a.root", "https://Host/b.root",
                                       "https://host:444/c.root", "https://hos/d.root"};
    add_file(DEFAULT_FILE, DEFAULT_PATH, "https://host/", CUP_FILE_DATA, CUP_FILE_IS_REMOTE);
    add_file(OTHER_FILE, OTHER_PATH, "https://host:444/", CUP_FILE_DATA, CUP_FILE_IS_REMOTE);
    for (uint32_t i = 0; i < 4; i++) {
        builder_string(&builder, FIRST_URL + i, urls[i]);
        add_item(1 + i, CUP_ITEM_PATH, FIRST_URL + i);
        requested(1 + i, DEFAULT_FILE, SLOW, 0, 1, 1000);
    }
    requested(3, OTHER_FILE, SLOW, 0, 1, 1000);
    load();
    cr_assert_eq(profile.request_count, 5);
    expect_file(&profile.requests[0], urls[0]);
    expect_file(&profile.requests[1], urls[1]);
    expect_file(&profile.requests[2], "https://host/");
    expect_file(&profile.requests[3], "https://host/");
    expect_file(&profile.requests[4], urls[2]);
}
