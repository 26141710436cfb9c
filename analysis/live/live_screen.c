#include "analysis/live/live_screen.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/sums/sums.h"
#include "analysis/profile/run_life.h"
#include "analysis/profile/runs.h"
#include "analysis/report/page/budget_bar.h"
#include "analysis/report/page/page.h"

const char cup_live_sort_keys[CUP_LIVE_SORT_COUNT] = {
#define X(id, key, name, text) key,
    CUP_LIVE_SORTS(X)
#undef X
};

const char *const cup_live_sort_names[CUP_LIVE_SORT_COUNT] = {
#define X(id, key, name, text) name,
    CUP_LIVE_SORTS(X)
#undef X
};

static const char *const sort_texts[CUP_LIVE_SORT_COUNT] = {
#define X(id, key, name, text) text,
    CUP_LIVE_SORTS(X)
#undef X
};

struct screen {
    const struct cup_live *live;
    const struct cup_live_view *view;
    const struct cup_terminal *terminal;
    unsigned left; /* lines that may still be printed */
};

static struct cup_text text_of(const char *string)
{
    return (struct cup_text){string, strlen(string)};
}

/* One line, shortened to the width. */
static void print_line(struct screen *screen, enum cup_style style, const char *line)
{
    if (screen->left == 0)
        return;
    screen->left--;
    char *shown = NULL;
    size_t bytes;
    struct cup_terminal to = *screen->terminal;
    to.out = open_memstream(&shown, &bytes);
    if (to.out) {
        cup_print_fit(&to, text_of(line), to.width, CUP_FIT_NONE);
        fclose(to.out);
        cup_print(screen->terminal, style, "%s", shown);
    }
    free(shown);
    putc('\n', screen->terminal->out);
}

/* A line, and below it what does not fit, from the tenth column on. */
static void print_two_lines(struct screen *screen, enum cup_style style, const char *line)
{
    size_t length = strlen(line), cut = screen->terminal->width;
    while (length > screen->terminal->width && cut > 0 && line[cut] != ' ')
        cut--;
    if (length <= screen->terminal->width || cut == 0 || screen->left < 12) {
        print_line(screen, style, line);
        return;
    }
    print_line(screen, style, CUP_FORMAT("%.*s", (int)cut, line));
    print_line(screen, style, CUP_FORMAT("          %s", line + cut + 1));
}

/* ---- secrets ------------------------------------------------------------------------------- */

/* The end of a URL in a text: a blank, a quote, an angle bracket. */
static size_t url_end(struct cup_text text, size_t at)
{
    while (at < text.length && !strchr(" \t\r\n'\"<>", text.bytes[at]))
        at++;
    return at;
}

static void append(char *to, size_t room, size_t *length, const char *bytes, size_t count)
{
    for (size_t i = 0; i < count && *length + 1 < room; i++)
        to[(*length)++] = bytes[i];
    to[*length] = '\0';
}

void cup_live_hide_secrets(struct cup_text text, char *to, size_t room)
{
    size_t length = 0, at = 0;
    to[0] = '\0';
    while (at < text.length) {
        const char *scheme = memmem(text.bytes + at, text.length - at, "://", 3);
        size_t host = scheme ? (size_t)(scheme - text.bytes) + 3 : text.length;
        append(to, room, &length, text.bytes + at, host - at);
        size_t end = url_end(text, host);
        const char *query = memchr(text.bytes + host, '?', end - host);
        size_t stop = query ? (size_t)(query - text.bytes) : end;
        const char *slash = memchr(text.bytes + host, '/', stop - host);
        size_t authority = slash ? (size_t)(slash - text.bytes) : stop;
        const char *user = memrchr(text.bytes + host, '@', authority - host);
        size_t from = user ? (size_t)(user - text.bytes) + 1 : host;
        append(to, room, &length, text.bytes + from, stop - from);
        at = end;
    }
}

/* ---- the run ------------------------------------------------------------------------------- */

static const char *name_state(const struct cup_live *live)
{
    bool calls = live->known.run_count > 0;
    return live->goes_on                    ? "running"
           : calls                          ? "the run has ended"
           : cup_profile_runs(&live->known) ? "no task runs now"
                                            : "the job has ended";
}

static void print_title(struct screen *screen)
{
    const struct cup_live *live = screen->live;
    int64_t ns = cup_stretch_ns(live->run);
    const char *which =
        live->known.run_count > 1
            ? CUP_FORMAT(", run %u of %zu", (unsigned)live->known.run, live->known.run_count)
            : "";
    print_line(screen, CUP_BOLD,
               CUP_FORMAT("cupping top %s%s: %s%s%s", live->directory, which, name_state(live),
                          ns > 0 ? ", " : "", ns > 0 ? CUP_SHOW_NS(ns) : ""));
}

/* "184,000 of 600,000 (30.7 %)"; without a plan "184,000 of n/a". */
static const char *show_part(char to[CUP_LINE_ROOM], uint64_t done, uint64_t planned)
{
    const char *amount = done == CUP_UNKNOWN64 ? "n/a" : CUP_SHOW_COUNT(done);
    if (planned == CUP_UNKNOWN64)
        return cup_format(to, "%s of n/a", amount);
    double share = planned && done != CUP_UNKNOWN64 ? (double)done / (double)planned : (double)NAN;
    if (done < planned && share > 0.999)
        share = 0.999;
    return cup_format(to, "%s of %s%s", amount, CUP_SHOW_COUNT(planned),
                      isnan(share) ? "" : CUP_FORMAT(" (%.3g %%)", 100 * share));
}

static void print_events(struct screen *screen)
{
    const struct cup_live *live = screen->live;
    const struct cup_completeness *plan = &live->plan;
    char events[CUP_LINE_ROOM], chunks[CUP_LINE_ROOM];
    const char *reason;
    double eta_s = cup_live_eta_s(live, &reason);
    print_line(screen, CUP_PLAIN,
               CUP_FORMAT("events    %s   chunks %s",
                          show_part(events, plan->done_events, plan->planned_events),
                          show_part(chunks, plan->done_chunks, plan->planned_chunks)));
    if (screen->view->ended)
        print_two_lines(screen, CUP_BOLD, screen->view->ended);
    else if (reason)
        print_two_lines(screen, CUP_DIM, CUP_FORMAT("ETA       n/a: %s", reason));
    else
        print_line(screen, CUP_BOLD,
                   CUP_FORMAT("ETA       %s, at the rate of the last minute", CUP_SHOW_S(eta_s)));
}

static void print_progress(struct screen *screen)
{
    double share = cup_completeness_share(&screen->live->plan);
    unsigned width = screen->terminal->width, done;
    if (isnan(share) || screen->left == 0)
        return;
    screen->left--;
    done = (unsigned)(fmin(share, 1) * (width - 2));
    putc('[', screen->terminal->out);
    for (unsigned i = 0; i < width - 2; i++)
        putc(i < done ? '=' : ' ', screen->terminal->out);
    fputs("]\n", screen->terminal->out);
}

static const char *show_rate(char to[CUP_LINE_ROOM], double per_s, enum cup_unit unit)
{
    return isnan(per_s) ? "n/a" : cup_format(to, "%s/s", CUP_SHOW(per_s, unit));
}

static void print_rates(struct screen *screen)
{
    const struct cup_live *live = screen->live;
    char bytes[CUP_LINE_ROOM];
    double span_s = cup_live_span_s(live);
    double bps = span_s > 0 ? (double)cup_live_now(live).read_bytes / span_s : (double)NAN;
    bool measured = cup_profile_measured(&live->known, CUP_FEATURE_FILES);
    uint64_t sum = live->sums[(live->looks - 1) % CUP_LIVE_LOOKS].read_bytes;
    double event_rate = live->goes_on ? cup_live_event_rate(live) : (double)NAN;
    print_line(screen, CUP_PLAIN,
               CUP_FORMAT("events/s  %s now, %s on average", CUP_SHOW(event_rate, CUP_UNIT_HZ),
                          CUP_SHOW(cup_live_mean_rate(live), CUP_UNIT_HZ)));
    print_line(screen, CUP_PLAIN,
               !measured ? "read      n/a: reads are not measured"
                         : CUP_FORMAT("read      %s now, %s so far",
                                      show_rate(bytes, bps, CUP_UNIT_BYTES), CUP_SHOW_BYTES(sum)));
}

/* ---- tasks --------------------------------------------------------------------------------- */

/* " (process 6, merge 2)": the prefixes with the most running tasks first. */
static void name_running(const struct cup_live *live, char to[CUP_LINE_ROOM])
{
    enum { NAMED = 3 };
    uint64_t most = UINT64_MAX, left = live->running;
    const char *separator = " (";
    to[0] = '\0';
    for (int named = 0; named < NAMED && left;) {
        uint64_t next = 0;
        for (size_t i = 0; i < live->prefix_count; i++)
            if (live->prefixes[i].running < most && live->prefixes[i].running > next)
                next = live->prefixes[i].running;
        for (size_t i = 0; i < live->prefix_count && named < NAMED && next; i++) {
            struct cup_text name = cup_profile_text(&live->known, live->prefixes[i].name);
            if (live->prefixes[i].running != next)
                continue;
            cup_append(to, CUP_LINE_ROOM, "%s%.*s %llu", separator,
                       (int)(name.length < 40 ? name.length : 40), name.length ? name.bytes : "?",
                       (unsigned long long)next);
            separator = ", ";
            left -= next < left ? next : left;
            named++;
        }
        most = next;
        if (!next)
            break;
    }
    if (*to)
        cup_append(to, CUP_LINE_ROOM, "%s)", left ? ", ..." : "");
}

static void print_tasks(struct screen *screen)
{
    const struct cup_live *live = screen->live;
    char names[CUP_LINE_ROOM], error[CUP_LINE_ROOM];
    name_running(live, names);
    bool bad = live->erred + live->unfinished > 0;
    print_line(screen, bad ? CUP_WARN : CUP_PLAIN,
               CUP_FORMAT("tasks     %s running%s, %s done, %s failed%s",
                          CUP_SHOW_COUNT(live->running), names,
                          CUP_SHOW_COUNT(live->finished + live->unknown),
                          CUP_SHOW_COUNT(live->erred),
                          live->unfinished ? CUP_FORMAT(", %s lost with their process",
                                                        CUP_SHOW_COUNT(live->unfinished))
                                           : ""));
    if (!live->last_error)
        return;
    cup_live_hide_secrets(cup_profile_text(&live->known, live->last_error), error, sizeof error);
    print_line(screen, CUP_BAD, CUP_FORMAT("          last failure: %s", error));
}

/* ---- threads ------------------------------------------------------------------------------- */

static const char *name_part(int part, bool sampled)
{
    return part == CUP_BUDGET_IDLE     ? "no task"
           : part != CUP_BUDGET_UNTOLD ? cup_budget_texts[part].text
           : sampled                   ? "other or open waits"
                                       : "CPU or waits (no CPU samples)";
}

static void print_legend(struct screen *screen, const double *percent)
{
    const struct cup_terminal *terminal = screen->terminal;
    bool sampled = !isnan(cup_live_on_core_share(screen->live));
    unsigned used = 0;
    for (int i = 0; i < CUP_BUDGET_COUNT; i++) {
        const char *text = CUP_FORMAT(" %s %.0f %%", name_part(i, sampled), percent[i]);
        unsigned columns = (unsigned)strlen(text) + 3;
        if (percent[i] < 0.5 || used + columns > terminal->width)
            continue;
        fputs(used ? "  " : "", terminal->out);
        cup_budget_bar_mark(terminal, i);
        fputs(text, terminal->out);
        used += columns;
    }
    putc('\n', terminal->out);
}

static bool has_running_worker(const struct cup_live *live)
{
    for (size_t i = 0; i < live->worker_count; i++)
        if (live->workers[i].runs)
            return true;
    return false;
}

static void print_threads(struct screen *screen)
{
    const struct cup_live *live = screen->live;
    struct cup_budget budget;
    double percent[CUP_BUDGET_COUNT];
    if (!cup_live_budget(live, &budget)) {
        print_line(screen, CUP_DIM,
                   live->looks < 2 && has_running_worker(live)
                       ? "threads   n/a: known from the second look at the logs on"
                       : "threads   n/a: no worker runs");
        return;
    }
    cup_budget_percent(&budget, percent);
    print_line(
        screen, CUP_PLAIN,
        CUP_FORMAT("threads   %s, in the last %s:", CUP_SHOW_COUNTED(budget.threads, "thread"),
                   CUP_SHOW_S(cup_live_span_s(live))));
    if (screen->left < 2)
        return;
    screen->left -= 2;
    cup_budget_bar_draw(screen->terminal, percent, screen->terminal->width);
    putc('\n', screen->terminal->out);
    print_legend(screen, percent);
}

/* ---- lines --------------------------------------------------------------------------------- */

/* A line or worker in a table that is sorted: the largest number first, then the name. */
struct ranked {
    double number;
    uint32_t index;
    struct cup_text name;
};

static int compare_ranks(const struct ranked *a, const struct ranked *b, int names)
{
    if (a->number != b->number)
        return a->number > b->number ? -1 : 1;
    return names ? names : (a->index > b->index) - (a->index < b->index);
}

static int by_rank(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    return compare_ranks(a, b, cup_text_compare(a->name, b->name));
}

/* "worker-10" follows "worker-9". The names end with a NUL. */
static int by_rank_of_worker(const void *left, const void *right)
{
    const struct ranked *a = left, *b = right;
    return compare_ranks(a, b, strverscmp(a->name.bytes, b->name.bytes));
}

/* CPU time and waits of a line: since the oldest look that is kept (NOW), or of the whole run. */
static void weigh_line(const struct cup_live *live, const struct cup_live_line *line, bool now,
                       uint64_t *cpu_ns, uint64_t *wait_ns)
{
    size_t old = cup_live_oldest(live);
    *cpu_ns = line->cpu_ns - (now ? line->cpu_at[old] : 0);
    *wait_ns = line->wait_ns - (now ? line->wait_at[old] : 0);
}

/* Stacks are recorded every few seconds, and those of a long task once a minute: a shorter time
 * may have none of a line that is hot. */
static bool has_lines_of_now(const struct cup_live *live)
{
    uint64_t cpu_ns = 0, wait_ns = 0;
    bool now = live->goes_on && cup_live_span_s(live) >= 5;
    for (size_t i = 0; now && i < live->line_count && cpu_ns + wait_ns == 0; i++)
        weigh_line(live, &live->lines[i], now, &cpu_ns, &wait_ns);
    return cpu_ns + wait_ns > 0;
}

static struct ranked *rank_lines(const struct cup_live *live, bool now)
{
    struct ranked *ranks = calloc(live->line_count + 1, sizeof *ranks);
    for (size_t i = 0; ranks && i < live->line_count; i++) {
        uint64_t cpu_ns, wait_ns;
        weigh_line(live, &live->lines[i], now, &cpu_ns, &wait_ns);
        ranks[i] = (struct ranked){(double)cpu_ns + (double)wait_ns, (uint32_t)i,
                                   cup_profile_text(&live->known, live->lines[i].file)};
    }
    if (ranks)
        qsort(ranks, live->line_count, sizeof *ranks, by_rank);
    return ranks;
}

/* "processor.py:28 in Processor.process" */
static void name_line(const struct cup_live *live, const struct cup_live_line *line,
                      char to[CUP_LINE_ROOM])
{
    struct cup_text file = cup_profile_text(&live->known, line->file);
    struct cup_text name = cup_profile_text(&live->known, line->name);
    const char *slash = file.length ? memrchr(file.bytes, '/', file.length) : NULL;
    size_t begin = slash ? (size_t)(slash + 1 - file.bytes) : 0, length = file.length - begin;
    cup_format(to, "%.*s", (int)(length < 300 ? length : 300),
               file.length ? file.bytes + begin : "(not known)");
    if (line->line)
        cup_append(to, CUP_LINE_ROOM, ":%u", line->line);
    if (name.length)
        cup_append(to, CUP_LINE_ROOM, " in %.*s", (int)(name.length < 300 ? name.length : 300),
                   name.bytes);
}

/* Prints a name that fills what the columns to its right leave. */
static void print_row(struct screen *screen, enum cup_style style, const char *name,
                      const char *columns)
{
    if (screen->left == 0)
        return;
    char *line = NULL;
    size_t bytes;
    struct cup_terminal to = *screen->terminal;
    unsigned wide = (unsigned)strlen(columns);
    to.out = open_memstream(&line, &bytes);
    if (!to.out)
        return;
    fputs("  ", to.out);
    cup_print_fit(&to, text_of(name), to.width > wide + 12 ? to.width - wide - 2 : 10,
                  CUP_FIT_LEFT);
    fputs(columns, to.out);
    fclose(to.out);
    print_line(screen, style, line);
    free(line);
}

static int print_lines(struct screen *screen, unsigned most)
{
    const struct cup_live *live = screen->live;
    bool now = has_lines_of_now(live);
    bool sampled = cup_profile_measured(&live->known, CUP_FEATURE_CPU);
    struct ranked *ranks = rank_lines(live, now);
    if (!ranks)
        return -1;
    print_row(
        screen, CUP_HEADING,
        now ? CUP_FORMAT("hot lines of your own code, last %s", CUP_SHOW_S(cup_live_span_s(live)))
            : "hot lines of your own code, whole run",
        CUP_FORMAT("%10s %10s", "CPU", "waits"));
    for (size_t i = 0; i < most && i < live->line_count && ranks[i].number > 0; i++) {
        const struct cup_live_line *line = &live->lines[ranks[i].index];
        char name[CUP_LINE_ROOM];
        uint64_t cpu_ns, wait_ns;
        weigh_line(live, line, now, &cpu_ns, &wait_ns);
        name_line(live, line, name);
        print_row(
            screen, CUP_PLAIN, name,
            CUP_FORMAT("%10s %10s", sampled ? CUP_SHOW_NS(cpu_ns) : "n/a", CUP_SHOW_NS(wait_ns)));
    }
    if (live->line_count == 0 || !(ranks[0].number > 0))
        print_line(screen, CUP_DIM,
                   cup_profile_measured(&live->known, CUP_FEATURE_STACKS)
                       ? "  none so far"
                       : "  n/a: stacks are not recorded");
    free(ranks);
    return 0;
}

/* ---- workers ------------------------------------------------------------------------------- */

static double memory_share(const struct cup_live_worker *worker)
{
    bool known = worker->rss != CUP_UNKNOWN64 && worker->memory_limit != CUP_UNKNOWN64 &&
                 worker->memory_limit > 0;
    return known ? (double)worker->rss / (double)worker->memory_limit : (double)NAN;
}

static double worker_bps(const struct cup_live *live, const struct cup_live_worker *worker)
{
    double span_s = cup_live_span_s(live);
    uint64_t old = span_s > 0 ? worker->read_at[cup_live_oldest(live)] : 0;
    return !(span_s > 0)              ? (double)NAN
           : worker->read_bytes > old ? (double)(worker->read_bytes - old) / span_s
                                      : 0;
}

static double rank_of(const struct screen *screen, const struct cup_live_worker *worker)
{
    double rss = worker->rss == CUP_UNKNOWN64 ? 0 : (double)worker->rss;
    double share = memory_share(worker), bps = worker_bps(screen->live, worker);
    switch (screen->view->sort) {
    case CUP_LIVE_BY_MEMORY: /* without a limit by size, behind those with one */
        return isnan(share) ? rss / 1e18 : 1 + share;
    case CUP_LIVE_BY_RATE:
        return isnan(bps) ? (double)worker->read_bytes : bps;
    case CUP_LIVE_BY_RUNNING:
        return (double)worker->running;
    case CUP_LIVE_BY_CPU:
        return worker->cpu_ns_per_s == CUP_UNKNOWN64 ? -1 : (double)worker->cpu_ns_per_s;
    default:
        return 0;
    }
}

static void name_worker(const struct cup_live *live, const struct cup_live_worker *worker,
                        char to[CUP_LINE_ROOM])
{
    const struct cup_log_header *header = &live->known.processes[worker->process].header;
    struct cup_text name = cup_profile_text(&live->known, worker->name);
    if (!name.length)
        name = cup_profile_text(&live->known, worker->address);
    if (name.length)
        cup_format(to, "%.*s", (int)(name.length < 300 ? name.length : 300), name.bytes);
    else
        cup_format(to, "%s:%u", header->host, header->pid);
    if (!worker->runs)
        cup_append(to, CUP_LINE_ROOM, " (%s)",
                   live->known.processes[worker->process].life == CUP_LIFE_ENDED ? "ended"
                                                                                 : "died");
}

/* Sorts those that run before those that ended. */
static struct ranked *rank_workers(struct screen *screen, char (*names)[CUP_LINE_ROOM])
{
    const struct cup_live *live = screen->live;
    struct ranked *ranks = calloc(live->worker_count + 1, sizeof *ranks);
    for (size_t i = 0; ranks && i < live->worker_count; i++) {
        const struct cup_live_worker *worker = &live->workers[i];
        name_worker(live, worker, names[i]);
        ranks[i] = (struct ranked){worker->runs ? rank_of(screen, worker) : -INFINITY, (uint32_t)i,
                                   text_of(names[i])};
    }
    if (ranks)
        qsort(ranks, live->worker_count, sizeof *ranks, by_rank_of_worker);
    return ranks;
}

#define WORKER_COLUMNS "%6s %6s %10s %6s %8s %8s"

static void print_worker(struct screen *screen, const struct cup_live_worker *worker,
                         const char *name)
{
    const struct cup_live *live = screen->live;
    uint32_t seen = live->known.processes[worker->process].task_threads;
    double share = memory_share(worker), bps = worker_bps(live, worker);
    char rate[CUP_LINE_ROOM];
    const char *cpu = worker->cpu_ns_per_s == CUP_UNKNOWN64
                          ? "n/a"
                          : CUP_FORMAT("%.0f %%", (double)worker->cpu_ns_per_s / 1e7);
    const char *memory = worker->rss == CUP_UNKNOWN64 ? "n/a" : CUP_SHOW_BYTES(worker->rss);
    const char *of_limit = worker->memory_limit == CUP_UNKNOWN64 ? "none"
                           : isnan(share)                        ? "n/a"
                                          : CUP_FORMAT("%.0f %%", 100 * share);
    bool runs = worker->runs;
    print_row(screen,
              !runs          ? CUP_DIM
              : share >= 0.8 ? CUP_BAD
              : share >= 0.6 ? CUP_WARN
                             : CUP_PLAIN,
              name,
              CUP_FORMAT(WORKER_COLUMNS,
                         runs ? CUP_FORMAT("%llu/%u", (unsigned long long)worker->running,
                                           worker->threads ? worker->threads : seen)
                              : "",
                         CUP_SHOW_COUNT(worker->done),
                         runs ? show_rate(rate, bps, CUP_UNIT_BYTES) : "", runs ? cpu : "",
                         runs ? memory : "", runs ? of_limit : ""));
}

static int print_workers(struct screen *screen)
{
    const struct cup_live *live = screen->live;
    unsigned room = screen->left > 1 ? screen->left - 1 : 0;
    char(*names)[CUP_LINE_ROOM] = calloc(live->worker_count + 1, sizeof *names);
    struct ranked *ranks = names ? rank_workers(screen, names) : NULL;
    if (ranks) {
        size_t count = live->worker_count, running = 0;
        for (size_t i = 0; i < count; i++)
            running += live->workers[i].runs;
        size_t shown = count <= room ? count : room ? room - 1 : 0;
        print_row(screen, CUP_HEADING,
                  CUP_FORMAT("%s%s, by %s", CUP_SHOW_COUNTED(running, "worker"),
                             running < count ? CUP_FORMAT(" (%zu gone)", count - running) : "",
                             sort_texts[screen->view->sort]),
                  CUP_FORMAT(WORKER_COLUMNS, "tasks", "done", "read", "CPU", "memory", "of limit"));
        for (size_t i = 0; i < shown; i++)
            print_worker(screen, &live->workers[ranks[i].index], names[ranks[i].index]);
        if (shown < count)
            print_line(screen, CUP_DIM, CUP_FORMAT("  and %zu more", count - shown));
    }
    int result = ranks ? 0 : -1;
    free(names);
    free(ranks);
    return result;
}

/* ---- all of it ----------------------------------------------------------------------------- */

static void print_notes(struct screen *screen)
{
    const struct cup_live *live = screen->live;
    if (screen->view->address && *screen->view->address)
        print_line(screen, CUP_DIM,
                   CUP_FORMAT("page      %s, metrics: %smetrics", screen->view->address,
                              screen->view->address));
    if (screen->view->failed)
        print_line(screen, CUP_BAD, CUP_FORMAT("not read again: %s", screen->view->failed));
    else if (live->logs_unreadable)
        print_line(screen, CUP_WARN,
                   CUP_FORMAT("%s cannot be read now: figures are too low",
                              CUP_SHOW_COUNTED(live->logs_unreadable, "log")));
}

static void print_keys(struct screen *screen)
{
    char line[CUP_LINE_ROOM] = "q quit   sort workers by";
    for (int i = 0; i < CUP_LIVE_SORT_COUNT; i++)
        cup_append(line, sizeof line, "%s %c %s", i ? "," : "", cup_live_sort_keys[i],
                   sort_texts[i]);
    print_line(screen, CUP_DIM, line);
}

static int print_figures(struct screen *screen)
{
    print_title(screen);
    print_events(screen);
    print_progress(screen);
    print_rates(screen);
    print_tasks(screen);
    print_notes(screen);
    print_threads(screen);
    unsigned lines = screen->left > 24 ? 10 : screen->left > 6 ? (screen->left - 2) / 2 : 0;
    int result = lines ? print_lines(screen, lines) : 0;
    return result == 0 ? print_workers(screen) : result;
}

int cup_live_screen(const struct cup_live *live, const struct cup_live_view *view,
                    const struct cup_terminal *terminal)
{
    struct screen screen = {live, view, terminal, view->height};
    bool keys = view->keys && view->height > 1;
    int result = 0;
    screen.left -= keys;
    if (live->looks > 0) {
        result = print_figures(&screen);
    } else {
        print_line(&screen, CUP_BOLD, CUP_FORMAT("cupping top %s: n/a", live->directory));
        print_notes(&screen);
    }
    screen.left += keys;
    for (; keys && screen.left > 1; screen.left--)
        putc('\n', terminal->out);
    if (keys)
        print_keys(&screen);
    return result;
}
