/* `cupping top`: a job while it runs. */
#include <errno.h>
#include <malloc.h>
#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "analysis/live/live.h"
#include "analysis/live/live_metrics.h"
#include "analysis/live/live_screen.h"
#include "analysis/metrics/losses/completeness.h"
#include "analysis/profile/process_life.h"
#include "cli/top_http.h"
#include "cli/top_terminal.h"
#include "cli/verbs.h"

struct request {
    const char *directory, *once, *sort_text, *interval_text, *http_text;
    CUP_CLUSTER_REQUEST
    double interval_s;
    unsigned port;
    enum cup_live_sort sort;
};

static const char *sort_name(size_t n)
{
    return n < CUP_LIVE_SORT_COUNT ? cup_live_sort_names[n] : NULL;
}

static const struct cup_option rows[] = {
    CUP_OPTION("--once", NULL, once,
               "print one screen and end; needs no terminal. The height is LINES, or 24"),
    CUP_OPTION("--interval", "SECONDS", interval_text,
               "time between two looks at the logs; without it 2"),
    CUP_OPTION(
        "--http", "PORT", http_text,
        "also serve the report's page (/) and figures for Prometheus (/metrics) on this port "
        "of 127.0.0.1; 0: a free one. Without a terminal it serves until a signal ends it"),
    CUP_OPTION("--sort", "BY", sort_text, "by what workers are sorted at first",
               .values = sort_name),
    CUP_CLUSTER_OPTIONS,
};
const struct cup_options cup_top_options = CUP_OPTIONS(rows);

/* ---- options ------------------------------------------------------------------------------- */

static int read_interval(struct request *request, struct cup_error *error)
{
    char *end = NULL;
    request->interval_s = request->interval_text ? strtod(request->interval_text, &end) : 2;
    if (end && (*end || !(request->interval_s >= 0.1 && request->interval_s <= 3600)))
        return cup_error_set(error, "top", CUP_NO_OFFSET,
                             "--interval %s: name seconds from 0.1 to 3600",
                             request->interval_text);
    return 0;
}

static int read_sort(struct request *request, struct cup_error *error)
{
    for (int i = 0; request->sort_text && i < CUP_LIVE_SORT_COUNT; i++)
        if (strcmp(request->sort_text, cup_live_sort_names[i]) == 0) {
            request->sort = (enum cup_live_sort)i;
            return 0;
        }
    return !request->sort_text
               ? 0
               : cup_error_set(error, "top", CUP_NO_OFFSET, "--sort %s: see `cupping help top`",
                               request->sort_text);
}

static int read_port(struct request *request, struct cup_error *error)
{
    char *end = NULL;
    const char *text = request->http_text;
    unsigned long port = text ? strtoul(text, &end, 10) : 0;
    if (text && (*text < '0' || *text > '9' || *end || port > 65535))
        return cup_error_set(error, "top", CUP_NO_OFFSET,
                             "--http %s: name a port from 1 to 65535, or 0 for a free one", text);
    request->port = (unsigned)port;
    return !text || !request->once
               ? 0
               : cup_error_set(error, "top", CUP_NO_OFFSET, "--once and --http exclude each other");
}

static int read_request(int argc, char **argv, struct request *request, struct cup_error *error)
{
    struct cup_operands operands = {.words = &request->directory, .room = 1};
    if (cup_options_read(argc, argv, &cup_top_options, request, &operands, error) != 0 ||
        read_interval(request, error) != 0 || read_sort(request, error) != 0 ||
        read_port(request, error) != 0)
        return -1;
    if (!request->once && !request->http_text && !cup_top_is_terminal())
        return cup_error_set(error, "top", CUP_NO_OFFSET,
                             "standard input and output are not a terminal: use --once for one "
                             "screen, or --http");
    return 0;
}

/* ---- the state ------------------------------------------------------------------------------ */

struct top {
    const struct request *request;
    struct cup_live live;
    enum cup_live_sort sort;
    bool shows;           /* on a terminal */
    struct cup_http http; /* if request->http_text */
    char address[64];     /* of it; "" without */
    sigset_t waiting;     /* signals that are blocked while the program waits */
    int64_t next_ns;      /* when to look again, on the monotonic clock */
    bool ended;           /* `sentence` and the next two are those of the run */
    char sentence[CUP_COMPLETENESS_TEXT];
    struct cup_stretch run; /* as in the report */
    int64_t last_task_ns;   /* the end of the last task, when the report was made */
    bool failed;            /* the last look: `error` says why, and the figures are older */
    struct cup_error error;
};

static int64_t clock_ns(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void read_report(struct top *top)
{
    struct cup_profile profile;
    struct cup_totals totals;
    struct cup_error error;
    if (cup_profile_load(&profile, top->live.directory, &(struct cup_load_options){0}, &error) != 0)
        return;
    if (cup_totals_make(&totals, &profile) == 0) {
        top->ended = true;
        top->run = totals.run;
        top->last_task_ns = top->live.stretch.stop_ns;
        snprintf(top->sentence, sizeof top->sentence, "%s", totals.completeness->sentence);
    }
    cup_totals_free(&totals);
    cup_profile_free(&profile);
}

/* Once the run has ended, its verdict and its duration are those of the report, which knows until
 * when a process lived whose tasks never ended. Tasks may still follow a Runner's call. */
static void judge_end(struct top *top)
{
    bool has_ended =
        !top->live.goes_on && (top->live.known.run_count || !cup_profile_runs(&top->live.known));
    if (!has_ended)
        top->ended = false;
    else if (!top->ended)
        read_report(top);
    if (top->ended && top->last_task_ns == top->live.stretch.stop_ns)
        top->live.run = top->run;
}

static int look(struct top *top)
{
    top->next_ns = clock_ns(CLOCK_MONOTONIC) + (int64_t)(top->request->interval_s * 1e9);
    if (cup_live_look(&top->live, clock_ns(CLOCK_REALTIME), &top->error) != 0)
        return -1;
    top->failed = false;
    judge_end(top);
    return 0;
}

/* As look(). A file system that cannot be read for a moment does not end the view, even if a new
 * call of a Runner was seen before that, so that no figures are left. */
static int look_again(struct top *top)
{
    if (look(top) == 0)
        return 0;
    if (top->live.out_of_memory)
        return -1;
    if (!top->failed && !top->shows)
        cup_error_print(stderr, &top->error);
    top->failed = true;
    return 0;
}

/* ---- one screen ----------------------------------------------------------------------------- */

static unsigned asked_height(void)
{
    const char *lines = getenv("LINES");
    unsigned long height = lines ? strtoul(lines, NULL, 10) : 0;
    return height > 0 && height <= 100000 ? (unsigned)height : 24;
}

static int print_once(struct top *top)
{
    struct cup_output output = {.file = stdout};
    struct cup_terminal terminal;
    if (look(top) != 0)
        return -1;
    if (cup_profile_runs(&top->live.known)) {
        struct timespec wait = {(time_t)top->request->interval_s,
                                (long)(fmod(top->request->interval_s, 1) * 1e9)};
        nanosleep(&wait, NULL);
        if (look(top) != 0)
            return -1;
    }
    cup_terminal_open(&terminal, &output);
    const struct cup_live_view view = {
        .height = asked_height(), .sort = top->sort, .ended = top->ended ? top->sentence : NULL};
    if (cup_live_screen(&top->live, &view, &terminal) != 0)
        return cup_error_memory(&top->error, top->live.directory);
    return cup_output_close(&output, &top->error);
}

/* ---- the live view -------------------------------------------------------------------------- */

static int draw(struct top *top)
{
    char *text = NULL;
    size_t bytes;
    struct cup_output output = {.file = top->shows ? open_memstream(&text, &bytes) : NULL,
                                .shown_on = stdout};
    struct cup_terminal terminal;
    struct cup_live_view view = {.sort = top->sort,
                                 .ended = top->ended ? top->sentence : NULL,
                                 .address = top->address,
                                 .failed = top->failed ? top->error.text : NULL,
                                 .keys = true};
    if (!top->shows)
        return 0;
    if (!output.file)
        return cup_error_memory(&top->error, top->live.directory);
    cup_terminal_open(&terminal, &output);
    cup_top_window(&terminal.width, &view.height);
    int result = cup_live_screen(&top->live, &view, &terminal);
    fclose(output.file);
    if (result == 0)
        cup_top_draw(text, bytes);
    else
        cup_error_memory(&top->error, top->live.directory);
    free(text);
    return result;
}

/* Returns false if the user quits, or the terminal is gone. */
static bool take_keys(struct top *top)
{
    char keys[64];
    ssize_t count = read(STDIN_FILENO, keys, sizeof keys);
    if (count == 0 || (count < 0 && errno != EINTR && errno != EAGAIN))
        return false;
    for (ssize_t k = 0; k < count; k++) {
        if (keys[k] == 'q' || keys[k] == 'Q')
            return false;
        for (int i = 0; i < CUP_LIVE_SORT_COUNT; i++)
            if (keys[k] == cup_live_sort_keys[i])
                top->sort = (enum cup_live_sort)i;
    }
    return true;
}

/* Waits for a key, a signal, a client, or the time of the next look. Returns false if the view
 * ends. */
static bool await_event(struct top *top)
{
    struct pollfd polls[1 + CUP_HTTP_POLLS] = {
        {.fd = top->shows ? STDIN_FILENO : -1, .events = POLLIN}};
    bool serves = top->request->http_text != NULL;
    size_t count = 1 + (serves ? cup_http_polls(&top->http, polls + 1) : 0);
    int64_t left_ns = top->next_ns - clock_ns(CLOCK_MONOTONIC);
    left_ns = left_ns > 0 ? left_ns : 0;
    const struct timespec timeout = {left_ns / 1000000000, left_ns % 1000000000};
    int ready = ppoll(polls, count, &timeout, &top->waiting);
    if (cup_top_ended_by() != 0)
        return false;
    cup_top_stop_if_asked();
    if (serves)
        cup_http_serve(&top->http, clock_ns(CLOCK_MONOTONIC));
    return ready <= 0 || !polls[0].revents || take_keys(top);
}

/* Figures that are not of now would be taken for those of now. */
static int write_metrics(void *context, FILE *out)
{
    const struct top *top = context;
    return top->failed ? -1 : cup_live_metrics(&top->live, out);
}

static int start_http(struct top *top)
{
    int result = cup_http_open(&top->http, top->request->port, &top->error);
    top->http.directory = top->live.directory;
    top->http.metrics = write_metrics;
    top->http.context = top;
    snprintf(top->address, sizeof top->address, "http://127.0.0.1:%u/", top->http.port);
    if (result == 0 && !top->shows)
        fprintf(stderr, "cupping: the page is at %s, metrics at %smetrics\n", top->address,
                top->address);
    return result;
}

/* Draws, and looks again and again, until the view ends. */
static int loop(struct top *top)
{
    int result = 0;
    for (bool goes_on = true; result == 0 && goes_on;) {
        result = draw(top);
        goes_on = await_event(top);
        if (result == 0 && goes_on && clock_ns(CLOCK_MONOTONIC) >= top->next_ns)
            result = look_again(top);
    }
    return result;
}

static int run_view(struct top *top)
{
    top->shows = cup_top_is_terminal();
    int result = look(top);
    if (result == 0 && top->request->http_text)
        result = start_http(top);
    if (result == 0 && top->shows && cup_top_terminal_begin() != 0)
        result = cup_error_system(&top->error, "terminal", "take over");
    if (result == 0)
        result = loop(top);
    cup_top_terminal_end();
    if (top->request->http_text && *top->address)
        cup_http_close(&top->http);
    return result;
}

/* "tcp://10.0.0.1:8786" and the like, which is no directory. */
static bool is_scheduler(const char *place)
{
    return place && strstr(place, "://") && access(place, F_OK) != 0;
}

/* The Python package fetches the logs, and starts this verb with their directory. */
static int show_from_afar(const struct request *request)
{
    const char *words[] = {request->directory};
    const struct cup_operands operands = {.words = words, .count = 1, .room = 1};
    return cup_execute_python("top", request->python, &cup_top_options, request, &operands);
}

int cup_verb_top(int argc, char **argv)
{
    struct request request = {0};
    struct top top = {.request = &request};
    struct cup_error error;
    if (read_request(argc, argv, &request, &error) != 0)
        return cup_verb_end(&error, CUP_EXIT_USAGE);
    if (is_scheduler(request.directory))
        return show_from_afar(&request);
    top.sort = request.sort;
    /* Each look at a log takes the same large buffer: it stays in the heap. */
    mallopt(M_MMAP_THRESHOLD, 16 << 20);
    mallopt(M_TRIM_THRESHOLD, 64 << 20);
    int result = cup_live_open(&top.live, cup_verb_directory(request.directory), &top.error);
    if (!request.once)
        cup_top_signals_begin(&top.waiting);
    if (result == 0)
        result = request.once ? print_once(&top) : run_view(&top);
    cup_live_free(&top.live);
    int status = cup_verb_end(&top.error, result == 0 ? CUP_EXIT_DONE : CUP_EXIT_FAILED);
    int signal = cup_top_ended_by();
    return signal ? 128 + signal : status;
}
