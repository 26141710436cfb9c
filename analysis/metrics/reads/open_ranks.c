#include "analysis/metrics/reads/open_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/profile/files.h"

/* ---- opens --------------------------------------------------------------------------------- */

/* Equal times are ordered by the text of the names: string ids depend on the order in which logs
 * were read. */
static int by_time(const void *left, const void *right, void *profile)
{
    const struct cup_open_sum *a = *(const struct cup_open_sum *const *)left,
                              *b = *(const struct cup_open_sum *const *)right;
    uint64_t time = a->ns + a->failed_ns, other = b->ns + b->failed_ns;
    if (time != other)
        return time > other ? -1 : 1;
    int order = cup_text_compare(cup_profile_text(profile, a->server),
                                 cup_profile_text(profile, b->server));
    return order ? order : (int)a->kind - (int)b->kind;
}

static bool is_dask(const struct cup_profile *profile, const struct cup_open_sum *sum)
{
    return sum->kind == CUP_OPEN_CONNECT && cup_is_dask_address(profile, sum->server);
}

const struct cup_open_sum **cup_opens_by_time(const struct cup_profile *profile, size_t *count)
{
    const struct cup_open_sum **sums = calloc(profile->open_count + 1, sizeof *sums);
    *count = 0;
    for (size_t i = 0; sums && i < profile->open_count; i++)
        if (profile->opens[i].kind != CUP_OPEN_REDIRECTED && !is_dask(profile, &profile->opens[i]))
            sums[(*count)++] = &profile->opens[i];
    if (sums)
        qsort_r(sums, *count, sizeof *sums, by_time, (void *)(uintptr_t)profile);
    return sums;
}

const struct cup_open_sum *cup_opens_of(const struct cup_profile *profile, struct cup_text server,
                                        enum cup_open_kind kind)
{
    for (size_t i = 0; i < profile->open_count; i++)
        if (profile->opens[i].kind == kind &&
            cup_text_compare(cup_profile_text(profile, profile->opens[i].server), server) == 0)
            return &profile->opens[i];
    return NULL;
}

/* ---- servers of URLs ----------------------------------------------------------------------- */

static int by_server(const void *left, const void *right)
{
    return cup_text_compare(((const struct cup_url_sum *)left)->server,
                            ((const struct cup_url_sum *)right)->server);
}

static size_t collect_urls(const struct cup_profile *profile, struct cup_url_sum *sums)
{
    size_t count = 0;
    for (uint32_t i = 0; i < profile->file_count; i++) {
        struct cup_text path = cup_profile_text(profile, profile->files[i].path);
        struct cup_text server = path.length ? cup_url_server(path) : path;
        if (profile->files[i].class != CUP_FILE_DATA || !server.length)
            continue;
        const struct cup_file_sum total = cup_file_total(profile, i);
        const uint64_t *c = total.counters;
        sums[count++] = (struct cup_url_sum){server, 1, c[CUP_F_READ_BYTES], c[CUP_F_READ_CALLS],
                                             c[CUP_F_READ_NS]};
    }
    return count;
}

/* Adds up the sums of the same server. Returns how many remain. */
static size_t join_servers(struct cup_url_sum *sums, size_t count)
{
    size_t kept = 0;
    qsort(sums, count, sizeof *sums, by_server);
    for (size_t i = 0; i < count; i++) {
        struct cup_url_sum *last = &sums[kept ? kept - 1 : 0];
        if (kept == 0 || by_server(last, &sums[i]) != 0) {
            sums[kept++] = sums[i];
            continue;
        }
        last->files += sums[i].files;
        last->bytes += sums[i].bytes;
        last->calls += sums[i].calls;
        last->ns += sums[i].ns;
    }
    return kept;
}

struct cup_url_sum *cup_url_sums(const struct cup_profile *profile, size_t *count)
{
    struct cup_url_sum *sums = calloc(profile->file_count + 1, sizeof *sums);
    *count = sums ? join_servers(sums, collect_urls(profile, sums)) : 0;
    return sums;
}

struct cup_text cup_url_server(struct cup_text url)
{
    static const char mark[] = "://", local[] = "file://";
    const char *at = url.bytes ? memmem(url.bytes, url.length, mark, sizeof mark - 1) : NULL;
    if (!at || memchr(url.bytes, '/', (size_t)(at - url.bytes)) ||
        strncmp(url.bytes, local, sizeof local - 1) == 0)
        return (struct cup_text){0};
    const char *end = url.bytes + url.length, *from = at + sizeof mark - 1;
    const char *slash = memchr(from, '/', (size_t)(end - from));
    return (struct cup_text){url.bytes, (size_t)((slash ? slash : end) - url.bytes)};
}
