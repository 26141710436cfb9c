/* Lost events: two lines in the report. With --only it is a text to send to the sites that store
 * the files: plain ASCII, a block for each server, lines not cut to the terminal's width. */
#include <stdlib.h>
#include <string.h>

#include "analysis/metrics/losses/loss_text.h"
#include "analysis/metrics/reads/open_ranks.h"
#include "analysis/report/page/section.h"
#include "analysis/report/sections/row_parts.h"

typedef unsigned long long big;

/* ---- plain text ------------------------------------------------------------------------- */

/* Prints a byte of a text in one line of ASCII. A character outside ASCII becomes one '?': its
 * continuation bytes print nothing. */
static void print_byte(FILE *out, unsigned char byte)
{
    if ((byte & 0xc0) == 0x80)
        return;
    if (byte == '\n' || byte == '\t' || byte == '\r')
        byte = ' ';
    putc(byte < 32 || byte > 126 ? '?' : byte, out);
}

/* The end of the URL in which `at` lies. */
static size_t url_end(struct cup_text text, size_t at)
{
    while (at < text.length && !strchr(" \t\r\n'\"<>`", text.bytes[at]))
        at++;
    return at;
}

/* Many people read a ticket, so secrets in URLs are left out: a query (it may hold a token) and a
 * password before '@'. */
static size_t print_url_rest(FILE *out, struct cup_text text, size_t at)
{
    size_t end = url_end(text, at);
    const char *from = text.bytes + at;
    const char *slash = memchr(from, '/', end - at);
    size_t authority = slash ? (size_t)(slash - from) : end - at;
    const char *host = memchr(from, '@', authority);
    const char *query = memchr(from, '?', end - at);
    if (host && memchr(from, ':', (size_t)(host - from))) {
        fputs("...", out);
        at = (size_t)(host - text.bytes);
    }
    for (size_t stop = query ? (size_t)(query - text.bytes) : end; at < stop; at++)
        print_byte(out, (unsigned char)text.bytes[at]);
    if (query)
        fputs("?...", out);
    return end;
}

/* Prints the text between `before` and `after`. */
static void print_ascii(FILE *out, const char *before, struct cup_text text, const char *after)
{
    static const char mark[] = "://";
    enum { MARK = sizeof mark - 1 };
    fputs(before, out);
    for (size_t i = 0; i < text.length;) {
        bool is_url = i >= MARK && memcmp(text.bytes + i - MARK, mark, MARK) == 0;
        if (is_url)
            i = print_url_rest(out, text, i);
        else
            print_byte(out, (unsigned char)text.bytes[i++]);
    }
    fputs(after, out);
}

static const char *outcome_text(const struct cup_loss *loss)
{
    static const char *const texts[CUP_LOSS_OUTCOMES] = {
        [CUP_LOSS_LOST] = "LOST",
        [CUP_LOSS_SKIPPED] = "LOST (skipped as a bad file)",
        [CUP_LOSS_UNFINISHED] = "LOST (no attempt ended)",
        [CUP_LOSS_RECOVERED] = "recovered",
        [CUP_LOSS_RUNNING] = "running, or to be tried again",
        [CUP_LOSS_UNKNOWN] = "tried again, outcome not known",
    };
    return texts[loss->outcome];
}

/* ---- the rows in order ------------------------------------------------------------------ */

struct line {
    const struct cup_loss *loss;
    const struct cup_item *item;
    struct cup_text server, file;
};

static int by_text(struct cup_text a, struct cup_text b)
{
    size_t shorter = a.length < b.length ? a.length : b.length;
    int order = a.bytes && b.bytes ? memcmp(a.bytes, b.bytes, shorter) : 0;
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

/* Orders by server, then file; files without a server come last. */
static int by_place(const void *left, const void *right)
{
    const struct line *a = left, *b = right;
    if (!a->server.bytes != !b->server.bytes)
        return a->server.bytes ? -1 : 1;
    int order = by_text(a->server, b->server);
    order = order ? order : by_text(a->file, b->file);
    if (order)
        return order;
    return (a->item->entry_start > b->item->entry_start) -
           (a->item->entry_start < b->item->entry_start);
}

static struct line *sorted_lines(const struct cup_page *page)
{
    const struct cup_losses *losses = page->totals->losses;
    struct line *lines = calloc(losses->count + 1, sizeof *lines);
    for (size_t i = 0; lines && i < losses->count; i++) {
        const struct cup_item *item = &page->profile->items[losses->rows[i].item];
        struct cup_text file = cup_profile_text(page->profile, item->file);
        lines[i] = (struct line){&losses->rows[i], item, cup_url_server(file), file};
    }
    if (lines)
        qsort(lines, losses->count, sizeof *lines, by_place);
    return lines;
}

/* ---- a server's block ------------------------------------------------------------------- */

struct block {
    uint64_t files;
    struct cup_loss_sums sums;
    int64_t first_ns, last_ns;
};

static bool same_text(struct cup_text a, struct cup_text b)
{
    return by_text(a, b) == 0;
}

static struct block sum_up(const struct line *lines, size_t count)
{
    struct block block = {0};
    for (size_t i = 0; i < count; i++) {
        const struct cup_loss *loss = lines[i].loss;
        block.files += i == 0 || !same_text(lines[i].file, lines[i - 1].file);
        cup_loss_sums_add(&block.sums, loss, lines[i].item);
        if (i == 0 || loss->first_ns < block.first_ns)
            block.first_ns = loss->first_ns;
        if (loss->last_ns > block.last_ns)
            block.last_ns = loss->last_ns;
    }
    return block;
}

static void print_block_head(FILE *out, const struct line *lines, size_t count)
{
    const struct block block = sum_up(lines, count);
    if (lines->server.bytes)
        print_ascii(out, "\nServer: ", lines->server, "\n");
    else
        fputs("\nServer: none in the file's name (local or mounted files)\n", out);
    fprintf(out, "  %s: lost %s; %llu recovered\n", CUP_SHOW_COUNTED(block.files, "file"),
            CUP_SHOW_LOSSES(&block.sums), (big)block.sums.chunks[CUP_LOSS_RECOVERED]);
    fprintf(out, "  from %s UTC to %s UTC\n", CUP_SHOW_TIME(block.first_ns),
            CUP_SHOW_TIME(block.last_ns));
}

static void print_range(FILE *out, const struct cup_item *item)
{
    uint64_t events = cup_item_events(item);
    if (events != CUP_UNKNOWN64)
        fprintf(out, ", entries %lld to %lld (%s)", (long long)item->entry_start,
                (long long)item->entry_stop, CUP_SHOW_COUNTED(events, "event"));
    else
        fputs(cup_item_is_chunk(item) ? ", entries not known"
                                      : ", the whole file, events not known",
              out);
}

static void print_counts(FILE *out, const struct cup_loss *loss)
{
    const struct {
        uint32_t count;
        const char *text;
    } counts[] = {{loss->failed, "failed"},
                  {loss->unfinished, "never ended (its process ended first)"},
                  {loss->repeated, "repeated (the result was lost)"},
                  {loss->skipped, "skipped"}};
    const char *separator = ":";
    fprintf(out, "      %u attempt%s", loss->attempts, cup_plural(loss->attempts));
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        if (counts[i].count == 0)
            continue;
        fprintf(out, "%s %u %s", separator, counts[i].count, counts[i].text);
        separator = ",";
    }
    putc('\n', out);
}

static void print_attempts(const struct cup_page *page, const struct line *line)
{
    FILE *out = page->terminal.out;
    const struct cup_loss *loss = line->loss;
    const struct cup_task *task = &page->profile->tasks[line->item->task];
    const struct cup_server *server = cup_task_server(page->profile, task);
    print_counts(out, loss);
    const char *host = page->profile->processes[cup_task_process(page->profile, task)].header.host;
    print_ascii(out, "      on host ", (struct cup_text){host, strlen(host)}, "");
    if (server)
        print_ascii(out, ", worker ", cup_profile_text(page->profile, server->address), "");
    fprintf(out, ", %s UTC to %s UTC\n", CUP_SHOW_TIME(loss->first_ns),
            CUP_SHOW_TIME(loss->last_ns));
}

static void print_line(const struct cup_page *page, const struct line *line)
{
    FILE *out = page->terminal.out;
    struct cup_text error = cup_profile_text(page->profile, line->loss->error);
    const struct cup_item_source *source = cup_source_of(page->profile, line->item);
    fprintf(out, "    %s", outcome_text(line->loss));
    print_range(out, line->item);
    print_ascii(out, ", dataset ", cup_page_text(page, source->dataset), "");
    print_ascii(out, ", tree ", cup_page_text(page, source->tree), "\n");
    print_attempts(page, line);
    if (error.bytes)
        print_ascii(out, "      error: ", error, "\n");
}

static void print_block(const struct cup_page *page, const struct line *lines, size_t count)
{
    print_block_head(page->terminal.out, lines, count);
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || !same_text(lines[i].file, lines[i - 1].file))
            print_ascii(page->terminal.out, "  File: ", lines[i].file, "\n");
        print_line(page, &lines[i]);
    }
}

/* ---- the whole -------------------------------------------------------------------------- */

static void print_datasets(const struct cup_page *page)
{
    const struct cup_losses *losses = page->totals->losses;
    for (size_t i = 0; i < losses->dataset_count; i++) {
        const struct cup_dataset_losses *dataset = &losses->datasets[i];
        print_ascii(page->terminal.out, "Dataset ", cup_page_text(page, dataset->name), "");
        fprintf(page->terminal.out, ": lost %s", CUP_SHOW_LOSSES(&dataset->sums));
        if (cup_losses_chunks(&dataset->sums))
            fprintf(page->terminal.out, ": %s",
                    CUP_SHOW_LOSSES_SHARE(&dataset->sums, dataset->events_all));
        fprintf(page->terminal.out, "; %llu recovered\n",
                (big)dataset->sums.chunks[CUP_LOSS_RECOVERED]);
    }
}

/* Whether Coffea made the work of any of the tasks that are summed up. */
static bool has_coffea_sums(const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->task_sum_count; i++) {
        unsigned kind = cup_task_sum_kind(&profile->task_sums[i]);
        if (kind == CUP_ITEM_WORK || kind == CUP_ITEM_METADATA)
            return true;
    }
    return false;
}

/* Tasks of full logs have no rows, because their keys are not known. */
static void print_summed(const struct cup_page *page)
{
    const struct cup_completeness *c = page->totals->completeness;
    uint64_t skipped =
        c->skipped_chunks + c->skipped_files - page->totals->losses->sums.chunks[CUP_LOSS_SKIPPED];
    if (page->profile->full_log_tasks)
        fprintf(page->terminal.out, "Not listed: %s that began when the log was full.%s\n",
                CUP_SHOW_COUNTED(page->profile->full_log_tasks, "task"),
                has_coffea_sums(page->profile)
                    ? CUP_FORMAT(" Which chunk or file each had is not known; Coffea skipped %llu.",
                                 (big)skipped)
                    : "");
}

static int print_ledger(const struct cup_page *page)
{
    size_t count = page->totals->losses->count;
    bool none = count == 0 && page->profile->full_log_tasks == 0;
    struct line *lines = sorted_lines(page);

    if (!lines)
        return -1;
    if (page->totals->all.tasks == 0)
        fputs("Losses: n/a, no task was seen\n", page->terminal.out);
    else
        fprintf(page->terminal.out, "Losses of the run that began %s UTC%s\n",
                CUP_SHOW_TIME(page->totals->run.start_ns), none ? ": none" : "");
    print_summed(page);
    print_datasets(page);
    for (size_t from = 0, to; from < count; from = to) {
        for (to = from + 1; to < count && same_text(lines[from].server, lines[to].server);)
            to++;
        print_block(page, &lines[from], to - from);
    }
    free(lines);
    return 0;
}

static void print_lines(const struct cup_page *page)
{
    const struct cup_losses *losses = page->totals->losses;
    const struct cup_loss_sums *sums = &losses->sums;
    if (cup_losses_chunks(sums))
        cup_page_line(page, CUP_WARN,
                      "The result lacks %s (%llu failed, %llu skipped, %llu never ended): %s.",
                      CUP_SHOW_LOST_CHUNKS(sums), (big)sums->chunks[CUP_LOSS_LOST],
                      (big)sums->chunks[CUP_LOSS_SKIPPED], (big)sums->chunks[CUP_LOSS_UNFINISHED],
                      CUP_SHOW_LOSSES_SHARE(sums, losses->events_all));
    if (sums->chunks[CUP_LOSS_RECOVERED])
        cup_page_line(page, CUP_PLAIN, "Another attempt recovered %s.",
                      CUP_SHOW_COUNTED(sums->chunks[CUP_LOSS_RECOVERED], "chunk"));
    cup_page_line(page, CUP_DIM,
                  "`--only losses` lists them by server and file, as text to send to the site.");
}

static int print_losses(const struct cup_page *page)
{
    if (page->alone)
        return print_ledger(page);
    if (page->totals->losses->count == 0)
        return 0;
    cup_page_heading(page, "Losses", "");
    print_lines(page);
    return 0;
}

/* ---- in the JSON ------------------------------------------------------------------------- */

static void fill_outcomes(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_dataset_losses *of = item;
    (void)rows;
    for (int i = 0; i < CUP_LOSS_OUTCOMES; i++)
        values[i] = cup_count(of->sums.chunks[i]);
}

#define DATASET_FIELDS(X) X("dataset", TEXT, cup_row_text(rows, of->name))

#define SUM_FIELDS(X)                                                                              \
    X("metadata_lost", COUNT, cup_count(sums->metadata))                                           \
    X("events_lost", COUNT, cup_losses_events_value(sums))                                         \
    X("events_lost_known", COUNT, cup_count(cup_losses_events(sums)))                              \
    X("chunks_lost_without_events", COUNT, cup_count(sums->without_events))                        \
    X("events_recovered", COUNT, cup_count(sums->events[CUP_LOSS_RECOVERED]))                      \
    X("events_unfinished", COUNT, cup_count(sums->events[CUP_LOSS_UNFINISHED]))                    \
    X("events_all", COUNT, cup_count_or_null(of->events_all))                                      \
    X("events_lost_share", SHARE, cup_losses_share(sums, of->events_all))

CUP_FILL_ITEM(fill_dataset, struct cup_dataset_losses, of, DATASET_FIELDS)

static void fill_sums(struct cup_report_rows *rows, const void *item, struct cup_value *values)
{
    const struct cup_dataset_losses *of = item;
    const struct cup_loss_sums *sums = &of->sums;
    (void)rows;
    CUP_FILL(values, SUM_FIELDS);
}

CUP_LIST_ARRAY(list_datasets, rows->totals->losses->datasets, rows->totals->losses->dataset_count)

enum { DATASET, OUTCOMES, SUMS };
static const struct cup_report_table datasets = {
    CUP_TABLE_PARTS([DATASET] = CUP_ROW_PART(DATASET_FIELDS, fill_dataset),
                    [OUTCOMES] = {.count = CUP_LOSS_OUTCOMES,
                                  .before = "chunks_",
                                  .names = cup_loss_names,
                                  .fill = fill_outcomes},
                    [SUMS] = CUP_ROW_PART(SUM_FIELDS, fill_sums)),
    list_datasets, .name = "by_dataset"};

#define LOSS_FIELDS(X)                                                                             \
    X("outcome", TEXT, cup_string(cup_loss_names[loss->outcome]))                                  \
    X("kind", TEXT, cup_string(cup_item_is_chunk(item) ? "chunk" : "metadata"))                    \
    CUP_TASK_FIELD(X, "key", TEXT)                                                                 \
    CUP_TASK_FIELD(X, "dataset", TEXT)                                                             \
    CUP_TASK_FIELD(X, "file", TEXT)                                                                \
    CUP_TASK_FIELD(X, "tree", TEXT)                                                                \
    CUP_TASK_FIELD(X, "entry_start", COUNT)                                                        \
    CUP_TASK_FIELD(X, "entry_stop", COUNT)                                                         \
    CUP_TASK_FIELD(X, "events", COUNT)                                                             \
    CUP_TASK_FIELD(X, "host", TEXT)                                                                \
    CUP_TASK_FIELD(X, "worker", TEXT)                                                              \
    CUP_TASK_FIELD(X, "pid", ID)                                                                   \
    CUP_TASK_FIELD(X, "status", TEXT)                                                              \
    X("server", TEXT, cup_text(cup_url_server(cup_profile_text(rows->profile, item->file))))       \
    X("error", TEXT, cup_row_text(rows, loss->error))                                              \
    X("attempts", COUNT, cup_count(loss->attempts))                                                \
    X("attempts_failed", COUNT, cup_count(loss->failed))                                           \
    X("attempts_unfinished", COUNT, cup_count(loss->unfinished))                                   \
    X("attempts_repeated", COUNT, cup_count(loss->repeated))                                       \
    X("attempts_skipped", COUNT, cup_count(loss->skipped))                                         \
    X("first", TIME, cup_time(loss->first_ns))                                                     \
    X("last", TIME, cup_time(loss->last_ns))                                                       \
    X("wall_s", SECONDS, cup_ns(loss->wall_ns))                                                    \
    X("read_bytes", BYTES, cup_count(loss->read_bytes))

static void fill_loss(struct cup_report_rows *rows, const void *of, struct cup_value *values)
{
    const struct cup_loss *loss = of;
    const struct cup_item *item = &rows->profile->items[loss->item];
    const struct cup_task_row row = cup_row_task(rows, &rows->profile->tasks[item->task]);
    CUP_FILL(values, LOSS_FIELDS);
}

CUP_LIST_ARRAY(list_losses, rows->totals->losses->rows, rows->totals->losses->count)

static const struct cup_report_table losses_table = {CUP_TABLE_FIELDS(LOSS_FIELDS, fill_loss),
                                                     list_losses};

static void put_all(struct report *report)
{
    const struct cup_losses *losses = report->totals->losses;
    const struct cup_dataset_losses all = {.sums = losses->sums, .events_all = losses->events_all};
    cup_put_part(report, &datasets.parts[OUTCOMES], &all);
    cup_put_part(report, &datasets.parts[SUMS], &all);
}

const struct cup_report_section cup_losses_section = {
    .name = "losses",
    .nothing = "",
    .table = &losses_table,
    .print = print_losses,
    .put_keys = put_all,
    .tables = {&datasets, &losses_table},
};
