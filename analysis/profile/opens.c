#include "analysis/profile/opens.h"

#include "analysis/log/log_pairs.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

const char *const cup_open_value_names[CUP_O_COUNT_OF] = {CUP_OPEN_VALUES(CUP_NAME_OF)};

/* ---- buckets ------------------------------------------------------------------------------- */

double cup_open_bucket_from_ns(unsigned bucket)
{
    unsigned power = bucket / CUP_OPEN_PARTS + CUP_OPEN_FROM, part = bucket % CUP_OPEN_PARTS;
    return bucket ? ldexp(1 + (double)part / CUP_OPEN_PARTS, (int)power) : 0;
}

double cup_open_quantile_ns(const struct cup_open_sum *sum, double share)
{
    double wanted = share * (double)sum->opened, before = 0;
    for (unsigned i = 0; i < CUP_OPEN_BUCKETS; i++) {
        double count = sum->buckets[i];
        if (count > 0 && before + count >= wanted) {
            double from = fmax(cup_open_bucket_from_ns(i), (double)sum->shortest_ns);
            double to = fmin(cup_open_bucket_from_ns(i + 1), (double)sum->longest_ns);
            bool last = i == CUP_OPEN_BUCKETS - 1;
            return last ? (double)sum->longest_ns : from + (to - from) * (wanted - before) / count;
        }
        before += count;
    }
    return NAN;
}

/* ---- sums ---------------------------------------------------------------------------------- */

static void count_error(struct cup_open_sum *sum, uint32_t error, uint64_t count)
{
    for (int i = 0; i < CUP_OPEN_ERRORS; i++) {
        struct cup_open_error *entry = &sum->errors[i];
        if (entry->count && entry->error != error)
            continue;
        entry->error = error;
        entry->count += count;
        return;
    }
}

static void widen_range(struct cup_open_sum *sum, uint64_t shortest_ns, uint64_t longest_ns)
{
    if (sum->opened == 0 || shortest_ns < sum->shortest_ns)
        sum->shortest_ns = shortest_ns;
    if (sum->opened == 0 || longest_ns > sum->longest_ns)
        sum->longest_ns = longest_ns;
}

struct cup_opens_alike cup_one_open(uint64_t ns, uint32_t error)
{
    return (struct cup_opens_alike){
        .values =
            {[CUP_O_COUNT] = 1, [CUP_O_NS] = ns, [CUP_O_SHORTEST_NS] = ns, [CUP_O_LONGEST_NS] = ns},
        .error = error};
}

static void count_buckets(struct cup_open_sum *sum, const struct cup_opens_alike *opens)
{
    if (opens->values[CUP_O_COUNT] == 1) {
        sum->buckets[cup_open_bucket(opens->values[CUP_O_NS])]++;
        return;
    }
    const unsigned char *at = opens->tail, *end = at ? at + opens->bytes : at;
    uint64_t index, value, list = 0;
    while (cup_pairs_next_listed(&at, end, &index, &value, &list))
        if (index >= CUP_PAIR_BUCKETS && index - CUP_PAIR_BUCKETS < CUP_OPEN_BUCKETS)
            sum->buckets[index - CUP_PAIR_BUCKETS] += (uint32_t)value;
}

void cup_open_sum_count(struct cup_open_sum *sum, const struct cup_opens_alike *opens)
{
    const uint64_t *values = opens->values;
    sum->redirects += values[CUP_O_REDIRECTS];
    if (opens->error) {
        sum->failed += values[CUP_O_COUNT];
        sum->failed_ns += values[CUP_O_NS];
        count_error(sum, opens->error, values[CUP_O_COUNT]);
        return;
    }
    widen_range(sum, values[CUP_O_SHORTEST_NS], values[CUP_O_LONGEST_NS]);
    sum->opened += values[CUP_O_COUNT];
    sum->ns += values[CUP_O_NS];
    count_buckets(sum, opens);
}

void cup_open_sum_add(struct cup_open_sum *sum, const struct cup_open_sum *more)
{
    if (more->opened)
        widen_range(sum, more->shortest_ns, more->longest_ns);
    sum->opened += more->opened;
    sum->failed += more->failed;
    sum->ns += more->ns;
    sum->failed_ns += more->failed_ns;
    sum->redirects += more->redirects;
    sum->elsewhere += more->elsewhere;
    sum->elsewhere_ns += more->elsewhere_ns;
    sum->elsewhere_failed += more->elsewhere_failed;
    for (int i = 0; i < CUP_OPEN_ERRORS; i++)
        if (more->errors[i].count)
            count_error(sum, more->errors[i].error, more->errors[i].count);
    for (int i = 0; i < CUP_OPEN_BUCKETS; i++)
        sum->buckets[i] += more->buckets[i];
}

/* ---- names --------------------------------------------------------------------------------- */

struct cup_text cup_open_server(struct cup_text path)
{
    static const char here[] = ".";
    const char *scheme = memmem(path.bytes, path.length, "://", 3);
    if (!scheme && (!path.length || path.bytes[0] != '/'))
        return (struct cup_text){here, 1};
    size_t from = scheme ? (size_t)(scheme - path.bytes) + 3 : 1;
    const char *slash = memchr(path.bytes + from, '/', path.length - from);
    size_t whole = scheme ? path.length : 1;
    return (struct cup_text){path.bytes, slash ? (size_t)(slash - path.bytes) : whole};
}

const char *cup_open_kind_name(uint32_t kind)
{
    static const char *const names[] = {[CUP_OPEN_LOCAL] = "local",
                                        [CUP_OPEN_XROOTD] = "xrootd",
                                        [CUP_OPEN_CONNECT] = "connect",
                                        [CUP_OPEN_REDIRECTED] = "xrootd"};
    return kind < sizeof names / sizeof *names && names[kind] ? names[kind] : "unknown";
}

/* Describes the usual errors of the XRootD protocol (3000 and more) and of its client. */
static const char *xrootd_error(uint32_t error)
{
    static const struct {
        uint32_t error;
        const char *text;
    } known[] = {
        {101, "invalid address"},     {102, "socket error"},
        {103, "socket timeout"},      {104, "socket disconnected"},
        {107, "stream disconnected"}, {108, "connection failed"},
        {110, "TLS failed"},          {202, "handshake failed"},
        {203, "login failed"},        {204, "authentication failed"},
        {206, "operation expired"},   {207, "operation interrupted"},
        {304, "not found"},           {306, "too many redirections"},
        {3005, "file system error"},  {3007, "I/O error"},
        {3010, "not authorized"},     {3011, "not found"},
        {3012, "server error"},       {3014, "no server"},
        {3016, "is a directory"},     {3024, "overloaded"},
        {3029, "no replicas"},        {3030, "authentication failed"},
        {3034, "request timed out"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].error == error)
            return known[i].text;
    return "error";
}

void cup_xrootd_error_text(uint32_t error, char *to, size_t room)
{
    snprintf(to, room, "%s (XRootD %u)", xrootd_error(error), error);
}

void cup_open_error_text(const struct cup_open_sum *sum, uint32_t error, char *to, size_t room)
{
    if (sum->kind == CUP_OPEN_XROOTD || sum->kind == CUP_OPEN_REDIRECTED)
        cup_xrootd_error_text(error, to, room);
    else
        snprintf(to, room, "%s", error < 4096 ? strerror((int)error) : "unknown");
}

uint64_t cup_open_worst(const struct cup_open_sum *sum, char *to, size_t room)
{
    const struct cup_open_error *worst = &sum->errors[0];
    for (int i = 1; i < CUP_OPEN_ERRORS; i++)
        if (sum->errors[i].count > worst->count)
            worst = &sum->errors[i];
    if (worst->count)
        cup_open_error_text(sum, worst->error, to, room);
    return worst->count;
}
