/* The server of `cupping top --http`, asked by clients of all kinds. */
#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "cli/top_http.h"
#include "cli/verbs.h"
#include "tests/analysis/fixture.h"

static struct cup_http http;
static int64_t now_ns = 1;

static int write_metrics(void *context, FILE *out)
{
    return fputs(context, out) < 0 ? -1 : 0;
}

static void start(void)
{
    static char metrics[] = "a 1\n";
    struct cup_error error;
    start_golden_fixture();
    save_fixture("a.cup");
    cr_assert_eq(cup_http_open(&http, 0, &error), 0, "%s", error.text);
    http.directory = scratch;
    http.metrics = write_metrics;
    http.context = metrics;
}

static void end(void)
{
    cup_http_close(&http);
    end_fixture();
}

TestSuite(top_http, .init = start, .fini = end);

static int connect_client(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons((uint16_t)http.port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    cr_assert_eq(connect(fd, (struct sockaddr *)&address, sizeof address), 0);
    return fd;
}

/* Serves until the client has the whole answer; allocated. */
static char *receive(int fd)
{
    size_t length = 0, room = 4 << 20;
    char *answer = malloc(room);
    struct pollfd polls[CUP_HTTP_POLLS];
    for (;;) {
        poll(polls, (nfds_t)cup_http_polls(&http, polls), 10);
        cup_http_serve(&http, now_ns);
        ssize_t got = recv(fd, answer + length, room - 1 - length, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN))
            break;
        length += got > 0 ? (size_t)got : 0;
    }
    answer[length] = '\0';
    close(fd);
    return answer;
}

static char *ask(const char *request)
{
    int fd = connect_client();
    cr_assert_eq(write(fd, request, strlen(request)), (ssize_t)strlen(request));
    return receive(fd);
}

static void expect_status(const char *request, const char *status)
{
    char *answer = ask(request);
    cr_expect(strncmp(answer, "HTTP/1.1 ", 9) == 0 && strncmp(answer + 9, status, 3) == 0,
              "%.60s: %.200s", request, answer);
    cr_expect(strstr(answer, "\r\n\r\n"));
    free(answer);
}

#define LOCAL "Host: localhost:1\r\n\r\n"

Test(top_http, answers_what_it_knows)
{
    char *answer = ask("GET /metrics?x=1 HTTP/1.1\r\n" LOCAL);
    cr_expect(strstr(answer, "200 OK") && strstr(answer, "version=0.0.4"), "%s", answer);
    cr_expect(strstr(answer, "\r\n\r\na 1\n"), "%s", answer);
    free(answer);
    answer = ask("HEAD /metrics HTTP/1.0\r\n\r\n");
    cr_expect(strstr(answer, "Content-Length: 4\r\n"), "%s", answer);
    cr_expect_null(strstr(answer, "a 1"), "%s", answer);
    free(answer);
    expect_status("GET /other HTTP/1.1\r\n" LOCAL, "404");
    expect_status("GET /metrics HTTP/1.1\r\nAccept: */*\r\nhOST:  127.0.0.1\r\n\r\n", "200");
    expect_status("GET /metrics HTTP/1.1\r\nHost: [::1]:80\r\n\r\n", "200");
}

Test(top_http, refuses_bad_requests)
{
    char *longest = malloc(20000);
    memset(longest, 'a', 20000);
    longest[19999] = '\0';
    memcpy(longest, "GET /", 5);
    expect_status(longest, "431");
    memcpy(longest + 3000, " HTTP/1.1\r\n\r\n", 14);
    expect_status(longest, "400");
    free(longest);
    expect_status("\r\n\r\n", "400");
    expect_status("GET\r\n\r\n", "400");
    expect_status("GET / HTTP/2\r\n\r\n", "400");
    expect_status("POST / HTTP/1.1\r\n" LOCAL, "405");
    expect_status("GET /metrics HTTP/1.1\r\nHost: example.org\r\n\r\n", "403");
    expect_status("GET /metrics HTTP/1.1\r\nHost: localhost.example.org\r\n\r\n", "403");
    int fd = connect_client();
    cr_assert_eq(write(fd, "G\0T / HTTP/1.1\r\n\r\n", 18), 18);
    char *answer = receive(fd);
    cr_expect(strstr(answer, "400"), "%s", answer);
    free(answer);
    expect_status("GET /metrics HTTP/1.1\r\n" LOCAL, "200");
}

/* Clients that send nothing, or byte for byte, do not hold up the others. */
Test(top_http, slow_clients_do_not_hold_up_others)
{
    enum { SILENT = 2 * CUP_HTTP_CLIENTS };
    int silent[SILENT];
    for (int i = 0; i < SILENT; i++) {
        silent[i] = connect_client();
        cup_http_serve(&http, now_ns++);
    }
    expect_status("GET /metrics HTTP/1.1\r\n" LOCAL, "200");
    int slow = connect_client();
    const char *request = "GET /metrics HTTP/1.1\r\n" LOCAL;
    for (const char *at = request; *at; at++) {
        cr_assert_eq(write(slow, at, 1), 1);
        cup_http_serve(&http, now_ns);
    }
    char *answer = receive(slow);
    cr_expect(strstr(answer, "200 OK"), "%s", answer);
    free(answer);
    now_ns += INT64_C(1000000000000);
    cup_http_serve(&http, now_ns);
    for (int i = 0; i < CUP_HTTP_CLIENTS; i++)
        cr_expect_eq(http.clients[i].fd, -1, "silent clients are cut off in the end");
    for (int i = 0; i < SILENT; i++)
        close(silent[i]);
}

/* It would wake the server again and again until the page is made. */
Test(top_http, a_client_that_sends_more_and_closes_is_dropped)
{
    int fd = connect_client();
    cup_http_serve(&http, now_ns);
    cr_assert_geq(http.clients[0].fd, 0);
    http.clients[0].waits_for_page = true;
    cr_assert_eq(write(fd, "x", 1), 1);
    close(fd);
    for (int i = 0; i < 10; i++)
        cup_http_serve(&http, now_ns);
    cr_expect_eq(http.clients[0].fd, -1);
}

/* More than the kernel takes of a client that does not read. */
enum { LARGE = 32 << 20 };

static int ask_for_large_metrics(char *large)
{
    static const char request[] = "GET /metrics HTTP/1.1\r\n" LOCAL;
    int fd = connect_client();
    memset(large, 'a', LARGE - 1);
    large[LARGE - 1] = '\0';
    http.context = large;
    cr_assert_eq(write(fd, request, strlen(request)), (ssize_t)strlen(request));
    return fd;
}

/* Serves until the client has BYTES more, or all. Returns false at the end of the answer. */
static bool receive_part(int fd, size_t bytes, size_t *length)
{
    static char part[1 << 16];
    for (size_t until = *length + bytes; *length < until;) {
        cup_http_serve(&http, now_ns);
        ssize_t got = recv(fd, part, sizeof part, MSG_DONTWAIT);
        if (got == 0 || (got < 0 && errno != EAGAIN))
            return false;
        *length += got > 0 ? (size_t)got : 0;
    }
    return true;
}

/* As through a tunnel that is slow, which takes minutes in all. */
Test(top_http, a_slow_client_gets_the_whole_answer)
{
    char *large = malloc(LARGE);
    size_t length = 0;
    int fd = ask_for_large_metrics(large);
    while (receive_part(fd, LARGE / 16, &length))
        now_ns += INT64_C(25000000000);
    cr_expect_geq(length, LARGE - 1);
    close(fd);
    free(large);
}

Test(top_http, a_client_that_does_not_read_is_cut_off)
{
    char *large = malloc(LARGE);
    size_t length = 0;
    int unread = ask_for_large_metrics(large);
    cr_assert(receive_part(unread, 1, &length));
    static char metrics[] = "a 1\n";
    http.context = metrics;
    expect_status("GET /metrics HTTP/1.1\r\n" LOCAL, "200");
    for (int seconds = 0; seconds < 200; seconds += 50) {
        now_ns += INT64_C(50000000000);
        cup_http_serve(&http, now_ns);
    }
    for (int i = 0; i < CUP_HTTP_CLIENTS; i++)
        cr_expect_eq(http.clients[i].fd, -1);
    close(unread);
    free(large);
}

Test(top_http, sends_the_page_of_the_report)
{
    char *answer = ask("GET / HTTP/1.1\r\n" LOCAL);
    cr_expect(strstr(answer, "200 OK") && strstr(answer, "Refresh: "), "%.300s", answer);
    cr_expect(strstr(answer, "</html>"), "%.300s", answer);
    int64_t made_ns = http.page.made_ns;
    free(answer);
    now_ns++;
    expect_status("GET / HTTP/1.1\r\n" LOCAL, "200");
    cr_expect_eq(http.page.made_ns, made_ns, "it is kept for a while");
    now_ns += INT64_C(1000000000000);
    expect_status("GET / HTTP/1.1\r\n" LOCAL, "200");
    cr_expect_neq(http.page.made_ns, made_ns);
}

Test(top_http, says_that_there_is_no_page)
{
    http.directory = "/nonexistent";
    char *answer = ask("GET / HTTP/1.1\r\n" LOCAL);
    cr_expect(strstr(answer, "HTTP/1.1 503 ") && strstr(answer, "\r\nRefresh: 30\r\n"), "%s",
              answer);
    free(answer);
    expect_status("GET /metrics HTTP/1.1\r\n" LOCAL, "200");
}

Test(top_http, a_directory_may_have_the_name_of_a_plot)
{
    cr_assert_eq(chdir(outside), 0);
    cr_assert_eq(rename(scratch, "progress"), 0);
    http.directory = "progress";
    expect_status("GET / HTTP/1.1\r\n" LOCAL, "200");
    cr_assert_eq(rename("progress", scratch), 0);
}

/* It says so, and of when it is. */
Test(top_http, keeps_the_page_when_the_next_cannot_be_made)
{
    expect_status("GET / HTTP/1.1\r\n" LOCAL, "200");
    int64_t made_ns = http.page.made_ns;
    http.directory = "/nonexistent";
    now_ns += INT64_C(1000000000000);
    char *answer = ask("GET / HTTP/1.1\r\n" LOCAL);
    cr_expect(strstr(answer, "200 OK") && strstr(answer, "</html>"), "%.300s", answer);
    cr_expect_neq(http.page.made_ns, made_ns, "another one was begun");
    char of[32];
    strftime(of, sizeof of, "is from %F %T UTC;", gmtime(&http.page.text_at));
    const char *old = strstr(answer, "This page is from");
    cr_expect(old && strstr(old, of), "%.300s", answer);
    free(answer);
    http.directory = scratch;
    now_ns += INT64_C(1000000000000);
    answer = ask("GET / HTTP/1.1\r\n" LOCAL);
    cr_expect_null(strstr(answer, "This page is from"), "%.300s", answer);
    free(answer);
}

Test(top_http, options_are_checked)
{
    static const char *const wrong[][4] = {
        {"top", "--http", "70000"}, {"top", "--http=x"},      {"top", "--interval", "0"},
        {"top", "--interval=2s"},   {"top", "--sort", "age"}, {"top", "--once", "--http=0"},
        {"top", "a", "b"},
    };
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        cr_expect_eq(run_verb(outside, cup_verb_top, wrong[i]), CUP_EXIT_USAGE, "%zu", i);
        char *err = read_text_in(outside, "err");
        cr_expect_eq(lines_of(err), 1, "%s", err);
        free(err);
    }
    cr_expect_eq(
        run_verb(outside, cup_verb_top, (const char *const[]){"top", scratch, "--once", NULL}),
        CUP_EXIT_DONE);
    cr_expect_eq(
        run_verb(outside, cup_verb_top, (const char *const[]){"top", outside, "--once", NULL}),
        CUP_EXIT_FAILED);
}
