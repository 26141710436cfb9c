#include "analysis/profile/clocks.h"

#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/base/parallel.h"
#include "analysis/base/statistics.h"
#include "analysis/log/log_pairs.h"
#include "analysis/log/log_reader.h"
#include "analysis/profile/log_names.h"

/* ---- what a log says --------------------------------------------------------------------- */

/* What the samples of one log say: by how much the clock of the scheduler was ahead of the clock
 * of the host. */
struct log_samples {
    char host[64];
    bool readable;
    double *ahead_ns; /* owned */
    size_t count, room;
    size_t without; /* samples before the first one that has a difference */
};

static int add_sample(struct log_samples *log_samples, const struct cup_record *record)
{
    uint64_t values[CUP_SV_COUNT];
    for (int i = 0; i < CUP_SV_COUNT; i++)
        values[i] = CUP_UNKNOWN64;
    cup_pairs_set(cup_record_tail(record), cup_record_tail_bytes(record), values, CUP_SV_COUNT);
    uint64_t ahead = values[CUP_SV_AHEAD_NS], behind = values[CUP_SV_BEHIND_NS];
    log_samples->without += log_samples->count == 0;
    if (ahead == CUP_UNKNOWN64 && behind == CUP_UNKNOWN64)
        return 0;
    if (cup_array_grow(&log_samples->ahead_ns, &log_samples->room, log_samples->count,
                       sizeof *log_samples->ahead_ns) != 0)
        return -1;
    log_samples->ahead_ns[log_samples->count++] =
        ahead != CUP_UNKNOWN64 ? (double)ahead : -(double)behind;
    return 0;
}

/* A worker learns the difference with its first heartbeats. A log without one in so many samples,
 * one a second, will have none: it is that of a scheduler, or of a worker without one. */
enum { MOST_WITHOUT = 100 };

/* Reads at most RECORDS records of a log. */
static int read_log(struct log_samples *log_samples, const char *path, size_t records)
{
    struct cup_log log;
    struct cup_error error;
    const struct cup_record *record;
    int result = 0;
    log_samples->count = log_samples->without = 0;
    if (cup_log_open(&log, path, &error) != 0)
        return 0;
    log_samples->readable = true;
    memcpy(log_samples->host, log.header.host, sizeof log_samples->host - 1);
    while (result == 0 && records-- > 0 && log_samples->without < MOST_WITHOUT &&
           (record = cup_log_next(&log)) != NULL)
        if (record->type == CUP_R_SAMPLE)
            result = add_sample(log_samples, record);
    cup_log_close(&log);
    return result;
}

static void settle_log(struct cup_clock *clock, struct log_samples *log_samples)
{
    if (log_samples->count == 0)
        return;
    size_t last = log_samples->count - 1;
    double low = cup_select(log_samples->ahead_ns, log_samples->count, last / 20);
    double high = cup_select(log_samples->ahead_ns, log_samples->count, last - last / 20);
    clock->ahead_ns = (int64_t)cup_select(log_samples->ahead_ns, log_samples->count, last / 2);
    clock->error_ns = (int64_t)(high - low) / 2;
    clock->measured = true;
}

/* ---- hosts ------------------------------------------------------------------------------- */

struct member {
    const struct log_samples *log_samples;
    struct cup_clock *clock;
};

static int by_host(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    return strcmp(a->log_samples->host, b->log_samples->host);
}

/* The range of the clock differences that the logs of one host measured. */
struct host {
    int64_t least_ns, most_ns, error_ns;
    double sum_ns;
    size_t measured;
};

static void host_add(struct host *host, const struct cup_clock *clock)
{
    if (!clock->measured)
        return;
    if (host->measured == 0 || clock->ahead_ns < host->least_ns)
        host->least_ns = clock->ahead_ns;
    if (host->measured == 0 || clock->ahead_ns > host->most_ns)
        host->most_ns = clock->ahead_ns;
    if (clock->error_ns > host->error_ns)
        host->error_ns = clock->error_ns;
    host->sum_ns += (double)clock->ahead_ns;
    host->measured++;
}

/* If the differences are too far apart, several machines have this host name. Then each log keeps
 * the difference that it measured itself. */
static bool is_consistent(const struct host *host)
{
    int64_t apart_ns = host->most_ns - host->least_ns;
    return host->measured > 0 && (apart_ns <= CUP_CLOCK_APART_NS || apart_ns <= 2 * host->error_ns);
}

static struct cup_clock clock_of_host(const struct host *host)
{
    int64_t range_ns = (host->most_ns - host->least_ns) / 2;
    return (struct cup_clock){
        .measured = true,
        .ahead_ns = (int64_t)(host->sum_ns / (double)host->measured),
        .error_ns = range_ns > host->error_ns ? range_ns : host->error_ns,
    };
}

static void choose_shift(struct cup_clock *clock, bool only_host)
{
    int64_t away_ns = clock->ahead_ns < 0 ? -clock->ahead_ns : clock->ahead_ns;
    clock->compared = clock->measured || only_host;
    if (clock->measured && away_ns > CUP_CLOCK_APART_NS && away_ns > clock->error_ns)
        clock->shift_ns = -clock->ahead_ns;
}

static void settle_host(const struct member *members, size_t count, bool only_host)
{
    struct host host = {.measured = 0};
    for (size_t i = 0; i < count; i++)
        host_add(&host, members[i].clock);
    for (size_t i = 0; i < count; i++) {
        if (is_consistent(&host))
            *members[i].clock = clock_of_host(&host);
        choose_shift(members[i].clock, only_host && host.measured == 0);
    }
}

static int settle_hosts(struct cup_clocks *clocks, const struct log_samples *log_samples)
{
    struct member *members = calloc(clocks->count + 1, sizeof *members);
    size_t count = 0;
    if (!members)
        return -1;
    for (size_t i = 0; i < clocks->count; i++)
        if (log_samples[i].readable)
            members[count++] = (struct member){&log_samples[i], &clocks->clocks[i]};
    qsort(members, count, sizeof *members, by_host);
    for (size_t first = 0, next; first < count; first = next) {
        for (next = first + 1; next < count && by_host(&members[first], &members[next]) == 0;)
            next++;
        settle_host(members + first, next - first, next - first == count);
    }
    free(members);
    return 0;
}

/* ---- all logs ---------------------------------------------------------------------------- */

/* Most logs are read only at their begin, because samples start there and the log of a worker with
 * many tasks is long. More is read of a log without samples at its begin, if there are several
 * hosts. If any log shows that clocks differ, all logs are read completely. */
enum { FIRST_RECORDS = 1 << 11, MORE_RECORDS = 1 << 16 };

static bool is_apart(const struct log_samples *log_samples)
{
    for (size_t i = 0; i < log_samples->count; i++)
        if (fabs(log_samples->ahead_ns[i]) > (double)(CUP_CLOCK_APART_NS / 2))
            return true;
    return false;
}

/* Logs that several threads read. */
struct crew {
    const struct cup_clocks *clocks;
    struct log_samples *log_samples;
    bool apart, one_host; /* what the begins of the logs say */
    bool again;           /* the begins are read, and some logs are to be read further */
    atomic_size_t next;
    atomic_int result;
};

static size_t records_to_read(const struct crew *crew, size_t log)
{
    if (!crew->again)
        return FIRST_RECORDS;
    if (crew->apart)
        return SIZE_MAX;
    return !crew->one_host && crew->log_samples[log].count == 0 ? MORE_RECORDS : 0;
}

static void read_some(void *context)
{
    struct crew *crew = context;
    size_t log;
    while ((log = crew->next++) < crew->clocks->count) {
        size_t records = records_to_read(crew, log);
        if (records && read_log(&crew->log_samples[log], crew->clocks->paths[log], records) != 0)
            crew->result = -1;
    }
}

static int read_logs(const struct cup_clocks *clocks, struct log_samples *log_samples)
{
    struct crew crew = {.clocks = clocks, .log_samples = log_samples, .one_host = true};
    cup_parallel(clocks->count, read_some, &crew);
    for (size_t i = 0; i < clocks->count; i++) {
        crew.apart |= is_apart(&log_samples[i]);
        crew.one_host &= strcmp(log_samples[i].host, log_samples[0].host) == 0;
    }
    crew.again = true;
    crew.next = 0;
    cup_parallel(clocks->count, read_some, &crew);
    return crew.result;
}

int cup_clocks_read(struct cup_clocks *clocks, char *const *paths, size_t count)
{
    struct log_samples *log_samples = calloc(count + 1, sizeof *log_samples);
    *clocks = (struct cup_clocks){
        .paths = paths, .count = count, .clocks = calloc(count + 1, sizeof *clocks->clocks)};
    int result = log_samples && clocks->clocks ? read_logs(clocks, log_samples) : -1;
    for (size_t i = 0; i < count && result == 0; i++)
        settle_log(&clocks->clocks[i], &log_samples[i]);
    if (result == 0)
        result = settle_hosts(clocks, log_samples);
    for (size_t i = 0; i < count && log_samples; i++)
        free(log_samples[i].ahead_ns);
    free(log_samples);
    return result;
}

void cup_clocks_free(struct cup_clocks *clocks)
{
    free(clocks->clocks);
    *clocks = (struct cup_clocks){0};
}

/* ---- times ------------------------------------------------------------------------------- */

struct cup_clock cup_clock_of(const struct cup_clocks *clocks, const char *path)
{
    char *const *found = clocks && clocks->count
                             ? bsearch(&path, clocks->paths, clocks->count, sizeof *clocks->paths,
                                       cup_log_name_order)
                             : NULL;
    return found && clocks->clocks ? clocks->clocks[found - clocks->paths]
                                   : (struct cup_clock){.compared = true};
}

int64_t cup_clock_time(const struct cup_clock *clock, int64_t log_ns)
{
    int64_t ns = cup_sane_time(log_ns);
    return ns ? cup_sane_time(ns + clock->shift_ns) : 0;
}

void cup_clock_shift_header(const struct cup_clock *clock, struct cup_log_header *header)
{
    header->process_start_ns = cup_clock_time(clock, header->process_start_ns);
    header->log_start_ns = cup_clock_time(clock, header->log_start_ns);
    header->log_stop_ns = cup_clock_time(clock, header->log_stop_ns);
}
