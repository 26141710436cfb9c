#include "analysis/metrics/dask/fine.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/base/id_map.h"

const char *const cup_fine_names[CUP_FINE_COUNT] = {CUP_FINE_ACTIVITIES(CUP_NAME_OF)};

/* ---- what an activity is ----------------------------------------------------------------- */

/* Name of an activity. For a shuffle (a span, but no prefix), Dask writes PLACE/ACTIVITY: the place
 * is skipped. */
static struct cup_text name_of(const struct cup_profile *profile, const struct cup_digest *digest)
{
    struct cup_text text = cup_profile_text(profile, digest->activity);
    const char *slash = text.bytes ? memchr(text.bytes, '/', text.length) : NULL;
    if (!digest->span || digest->prefix || !slash)
        return text;
    size_t skipped = (size_t)(slash + 1 - text.bytes);
    return (struct cup_text){slash + 1, text.length - skipped};
}

static enum cup_fine_activity activity_of(const struct cup_profile *profile,
                                          const struct cup_digest *digest)
{
    static const char *const known[CUP_FINE_COUNT][2] = {
#define X(id, name, activity, unit) {activity, unit},
        CUP_FINE_ACTIVITIES(X)
#undef X
    };
    struct cup_text name = name_of(profile, digest);
    struct cup_text unit = cup_profile_text(profile, digest->unit);
    for (int i = 0; i < CUP_FINE_COUNT; i++)
        if (cup_text_is(name, known[i][0]) && cup_text_is(unit, known[i][1]))
            return i;
    return CUP_FINE_NAMELESS;
}

/* Whether the user named this activity: it belongs to a task, and Dask's own code does not use the
 * name. */
static bool is_users(const struct cup_profile *profile, const struct cup_digest *digest)
{
    static const char *const dasks[] = {
        "thread-cpu", "thread-noncpu", "executor", "other",     "offload",
        "disk-read",  "disk-write",    "compress", "serialize", "memory-read",
        "decompress", "deserialize",   "network",  "failed",    "cancelled",
    };
    struct cup_text name = cup_profile_text(profile, digest->activity);
    if (!digest->prefix || (name.length > 4 && memcmp(name.bytes, "p2p-", 4) == 0))
        return false;
    for (size_t i = 0; i < sizeof dasks / sizeof *dasks; i++)
        if (cup_text_is(name, dasks[i]))
            return false;
    return true;
}

static void sums_add(struct cup_fine_sums *sums, const struct cup_digest *digest,
                     enum cup_fine_activity activity)
{
    sums->digests++;
    if (activity == CUP_FINE_NAMELESS)
        return;
    sums->all[activity] += digest->value;
    if (digest->span)
        sums->tasks[activity] += digest->value;
}

/* ---- spans, and the tasks in them -------------------------------------------------------- */

struct maker {
    struct cup_fine *fine;
    const struct cup_profile *profile;
    const uint64_t *prefix_chunks;
    struct cup_id_map spans;    /* by string: index + 1 */
    struct cup_id_map prefixes; /* by string: index + 1 */
    struct cup_id_map servers;  /* by index + 1 in profile->servers: index + 1 in fine->workers */
    struct cup_id_map others;   /* by string: 1 if tasks that were not chosen have this span */
    struct cup_id_map wanted;   /* by string: 1 if chosen tasks have this span */
};

static struct cup_fine_span *span_of(struct maker *maker, uint32_t key)
{
    struct cup_fine *fine = maker->fine;
    uint32_t index = cup_id_map_get(&maker->spans, key);
    if (index)
        return &fine->spans[index - 1];
    if (cup_array_grow(&fine->spans, &fine->span_room, fine->span_count, sizeof *fine->spans) !=
            0 ||
        cup_id_map_set(&maker->spans, key, (uint32_t)fine->span_count + 1) != 0)
        return NULL;
    struct cup_fine_span *span = &fine->spans[fine->span_count++];
    *span = (struct cup_fine_span){0};
    return span;
}

/* Waits are known only if the profile was loaded with the waits of every task. */
static void add_waits(const struct cup_profile *profile, struct cup_fine_span *span, size_t index)
{
    const struct cup_task *task = &profile->tasks[index];
    if (!profile->own_waits || !profile->counters)
        return;
    const struct cup_measured_waits *own = &profile->own_waits[index];
    const uint64_t *counters = profile->counters[index];
    bool measured = cup_process_has(profile, cup_task_process(profile, task), CUP_FEATURE_WAITS);
    for (int i = 0; i < CUP_WAITED_MEASURED; i++)
        span->helpers.ns[i] += counters[CUP_C_IO_WAIT_NS + i] - own->ns[i];
    if (task->split)
        cup_wait_sums_add_task(&span->waits, cup_task_wall_ns(task), task->cpu_ns,
                               measured ? own : NULL, counters[CUP_C_MAJOR_FAULTS]);
}

static int add_task(struct maker *maker, size_t index)
{
    const struct cup_task *task = &maker->profile->tasks[index];
    const struct cup_scope *scope = cup_scope_of(maker->profile, task);
    uint32_t key = scope->span_id ? scope->span_id : scope->span;
    if (key == 0)
        return 0;
    struct cup_fine_span *span = span_of(maker, key);
    if (!span)
        return -1;
    span->id = scope->span_id;
    span->name = scope->span;
    cup_task_sums_add(&span->tasks, maker->profile, task);
    add_waits(maker->profile, span, index);
    return 0;
}

/* The waits of these tasks are not known by span. */
static int add_sum(struct maker *maker, const struct cup_task_sum *sum)
{
    uint32_t key = sum->span_id ? sum->span_id : sum->span;
    struct cup_fine_span *span = key ? span_of(maker, key) : NULL;
    if (!span)
        return key ? -1 : 0;
    span->id = sum->span_id;
    span->name = sum->span;
    cup_task_sums_add_sum(&span->tasks, sum);
    return 0;
}

static int add_tasks(struct maker *maker)
{
    int result = 0;
    for (size_t i = 0; result == 0 && i < maker->profile->task_count; i++)
        result = add_task(maker, i);
    for (size_t i = 0; result == 0 && i < maker->profile->task_sum_count; i++)
        result = add_sum(maker, &maker->profile->task_sums[i]);
    return result;
}

/* ---- chosen tasks only -------------------------------------------------------------------- */

static int find_others(struct maker *maker)
{
    const struct cup_profile *profile = maker->profile;
    for (size_t i = 0; i < profile->other_span_count; i++)
        if (cup_id_map_set(&maker->others, profile->other_spans[i], 1) != 0)
            return -1;
    for (size_t i = 0; profile->selective && i < maker->fine->span_count; i++) {
        const struct cup_fine_span *span = &maker->fine->spans[i];
        if (cup_id_map_get(&maker->others, span->id) || !span->id)
            maker->fine->mixed = true;
        if (cup_id_map_set(&maker->wanted, span->id, 1) != 0)
            return -1;
    }
    return 0;
}

static bool is_wanted(const struct maker *maker, const struct cup_digest *digest)
{
    if (!maker->profile->selective)
        return true;
    return digest->span && cup_id_map_get(&maker->wanted, digest->span) &&
           !cup_id_map_get(&maker->others, digest->span);
}

/* ---- sums over digests -------------------------------------------------------------------- */

/* Index + 1 in fine->prefixes, added if it is new; 0 without memory. The array has room for a new
 * prefix in each digest. */
static uint32_t prefix_of(struct maker *maker, uint32_t name)
{
    struct cup_fine *fine = maker->fine;
    uint32_t index = cup_id_map_get(&maker->prefixes, name);
    if (index)
        return index;
    fine->prefixes[fine->prefix_count++] = (struct cup_fine_prefix){.name = name};
    index = (uint32_t)fine->prefix_count;
    return cup_id_map_set(&maker->prefixes, name, index) == 0 ? index : 0;
}

static bool is_processor(const struct maker *maker, uint32_t prefix)
{
    return prefix < maker->profile->prefix_count && maker->prefix_chunks[prefix] > 0;
}

static int add_to_prefix(struct maker *maker, const struct cup_digest *digest,
                         enum cup_fine_activity activity)
{
    struct cup_fine *fine = maker->fine;
    uint32_t prefix = digest->prefix ? prefix_of(maker, digest->prefix) : 0;
    if (digest->prefix && prefix == 0)
        return -1;
    if (prefix)
        sums_add(&fine->prefixes[prefix - 1].dask, digest, activity);
    if (digest->span)
        sums_add(prefix && is_processor(maker, prefix - 1) ? &fine->processor : &fine->overhead,
                 digest, activity);
    return 0;
}

static int add_to_span(struct maker *maker, const struct cup_digest *digest,
                       enum cup_fine_activity activity)
{
    if (!digest->span)
        return 0;
    struct cup_fine_span *span = span_of(maker, digest->span);
    if (!span)
        return -1;
    span->id = digest->span;
    if (digest->span_name)
        span->name = digest->span_name;
    sums_add(&span->dask, digest, activity);
    return 0;
}

static int add_to_worker(struct maker *maker, const struct cup_digest *digest,
                         enum cup_fine_activity activity)
{
    struct cup_fine *fine = maker->fine;
    if (!digest->server)
        return 0;
    uint32_t index = cup_id_map_get(&maker->servers, digest->server);
    if (index == 0) {
        fine->workers[fine->worker_count++] =
            (struct cup_fine_worker){.server = digest->server - 1};
        index = (uint32_t)fine->worker_count;
        if (cup_id_map_set(&maker->servers, digest->server, index) != 0)
            return -1;
    }
    struct cup_fine_worker *worker = &fine->workers[index - 1];
    if (digest->time_ns > worker->reported_ns)
        worker->reported_ns = digest->time_ns;
    if (is_wanted(maker, digest))
        sums_add(&worker->dask, digest, activity);
    return 0;
}

static int add_digest(struct maker *maker, const struct cup_digest *digest)
{
    enum cup_fine_activity activity = activity_of(maker->profile, digest);
    if (activity != CUP_FINE_NAMELESS && !digest->span)
        maker->fine->outside[activity] = true;
    if (add_to_worker(maker, digest, activity) != 0)
        return -1;
    if (!is_wanted(maker, digest))
        return 0;
    sums_add(&maker->fine->all, digest, activity);
    return add_to_prefix(maker, digest, activity) == 0 ? add_to_span(maker, digest, activity) : -1;
}

static int add_digests(struct maker *maker)
{
    const struct cup_profile *profile = maker->profile;
    int result = 0;
    for (uint32_t i = 0; result == 0 && i < profile->prefix_count; i++) {
        maker->fine->prefixes[i].name = profile->prefixes[i].name;
        result = cup_id_map_set(&maker->prefixes, profile->prefixes[i].name, i + 1);
    }
    maker->fine->prefix_count = profile->prefix_count;
    for (size_t i = 0; result == 0 && i < profile->digest_count; i++)
        if (profile->digests[i].time_ns) /* 0: Dask never reported a value */
            result = add_digest(maker, &profile->digests[i]);
    return result;
}

/* ---- rows -------------------------------------------------------------------------------- */

static int compare(const struct cup_digest *a, const struct cup_digest *b)
{
    const uint32_t left[] = {a->context, a->span, a->prefix, a->activity, a->unit};
    const uint32_t right[] = {b->context, b->span, b->prefix, b->activity, b->unit};
    for (size_t i = 0; i < sizeof left / sizeof *left; i++)
        if (left[i] != right[i])
            return left[i] < right[i] ? -1 : 1;
    return 0;
}

/* Digests with the same key keep the order of their logs, because sums of floats depend on the
 * order. */
static int by_key(const void *left, const void *right)
{
    const struct cup_digest *a = *(const struct cup_digest *const *)left;
    const struct cup_digest *b = *(const struct cup_digest *const *)right;
    int order = compare(a, b);
    return order ? order : (a > b) - (a < b);
}

static void add_to_rows(struct cup_fine *fine, const struct cup_profile *profile,
                        const struct cup_digest *digest, bool same)
{
    if (!same)
        fine->rows[fine->row_count++] = (struct cup_fine_row){
            .context = digest->context,
            .span = digest->span,
            .span_name = digest->span_name,
            .prefix = digest->prefix,
            .activity = digest->activity,
            .unit = digest->unit,
            .user = is_users(profile, digest),
        };
    struct cup_fine_row *row = &fine->rows[fine->row_count - 1];
    row->workers++;
    row->value += digest->value;
}

static int make_rows(struct maker *maker)
{
    const struct cup_profile *profile = maker->profile;
    const struct cup_digest **order = malloc((profile->digest_count + 1) * sizeof *order);
    size_t count = 0;
    if (!order)
        return -1;
    for (size_t i = 0; i < profile->digest_count; i++)
        if (profile->digests[i].time_ns && is_wanted(maker, &profile->digests[i]))
            order[count++] = &profile->digests[i];
    qsort(order, count, sizeof *order, by_key);
    for (size_t i = 0; i < count; i++)
        add_to_rows(maker->fine, profile, order[i], i > 0 && compare(order[i - 1], order[i]) == 0);
    free(order);
    return 0;
}

/* ---- workers ----------------------------------------------------------------------------- */

/* A worker's samples read all digests, but record only those that changed. So the time of the last
 * sample is the time of the last report. */
static void find_report_times(struct maker *maker)
{
    const struct cup_profile *profile = maker->profile;
    for (size_t i = 0; i < profile->sample_count; i++) {
        const struct cup_sample_place *sample = &profile->samples[i];
        uint32_t index = cup_id_map_get(&maker->servers, sample->server + 1);
        if (index && sample->time_ns > maker->fine->workers[index - 1].reported_ns)
            maker->fine->workers[index - 1].reported_ns = sample->time_ns;
    }
}

static void finish_workers(struct maker *maker)
{
    struct cup_fine *fine = maker->fine;
    const struct cup_profile *profile = maker->profile;
    find_report_times(maker);
    for (size_t i = 0; i < fine->worker_count; i++) {
        struct cup_fine_worker *worker = &fine->workers[i];
        const struct cup_server *server = &profile->servers[worker->server];
        int64_t sign_ns = cup_process_last_sign_ns(&profile->processes[server->process]);
        worker->complete = server->digests_complete;
        worker->behind_ns = sign_ns > worker->reported_ns ? sign_ns - worker->reported_ns : 0;
        fine->incomplete_workers += !worker->complete;
        if (!worker->complete && worker->behind_ns > fine->behind_ns)
            fine->behind_ns = worker->behind_ns;
    }
    for (uint32_t i = 0; i < profile->server_count; i++)
        fine->silent_workers += profile->servers[i].role == CUP_ROLE_WORKER &&
                                cup_id_map_get(&maker->servers, i + 1) == 0;
}

/* ---- all of it --------------------------------------------------------------------------- */

int cup_fine_make(struct cup_fine *fine, const struct cup_profile *profile,
                  const uint64_t *prefix_chunks)
{
    struct maker maker = {.fine = fine, .profile = profile, .prefix_chunks = prefix_chunks};
    *fine = (struct cup_fine){0};
    fine->rows = calloc(profile->digest_count + 1, sizeof *fine->rows);
    fine->workers = calloc(profile->server_count + 1, sizeof *fine->workers);
    fine->prefixes =
        calloc(profile->prefix_count + profile->digest_count + 1, sizeof *fine->prefixes);
    bool made = fine->rows && fine->workers && fine->prefixes && add_tasks(&maker) == 0 &&
                find_others(&maker) == 0 && add_digests(&maker) == 0 && make_rows(&maker) == 0;
    if (made)
        finish_workers(&maker);
    else
        cup_fine_free(fine);
    cup_id_map_clear(&maker.spans);
    cup_id_map_clear(&maker.prefixes);
    cup_id_map_clear(&maker.servers);
    cup_id_map_clear(&maker.others);
    cup_id_map_clear(&maker.wanted);
    return made ? 0 : -1;
}

void cup_fine_free(struct cup_fine *fine)
{
    free(fine->rows);
    free(fine->workers);
    free(fine->prefixes);
    free(fine->spans);
    *fine = (struct cup_fine){0};
}

/* ---- values ------------------------------------------------------------------------------ */

static struct cup_value number_of(double value, bool seconds)
{
    if (!seconds && value >= 0 && value < 0x1p53 && floor(value) == value)
        return cup_count((uint64_t)value);
    return cup_real(value);
}

struct cup_value cup_fine_number(enum cup_fine_activity activity, double value)
{
    static const char *const units[CUP_FINE_COUNT] = {
#define X(id, name, activity, unit) unit,
        CUP_FINE_ACTIVITIES(X)
#undef X
    };
    return number_of(value, strcmp(units[activity], "seconds") == 0);
}

struct cup_value cup_fine_row_value(const struct cup_profile *profile,
                                    const struct cup_fine_row *row)
{
    struct cup_text unit = cup_profile_text(profile, row->unit);
    return number_of(row->value, !cup_text_is(unit, "bytes") && !cup_text_is(unit, "count"));
}

struct cup_value cup_fine_of_tasks(const struct cup_fine *fine, const struct cup_fine_sums *sums,
                                   enum cup_fine_activity activity)
{
    if (sums->digests == 0 || fine->mixed)
        return cup_null();
    return cup_fine_number(activity, sums->tasks[activity]);
}

struct cup_value cup_fine_of(const struct cup_fine *fine, const struct cup_profile *profile,
                             const struct cup_fine_sums *sums, enum cup_fine_activity activity)
{
    if (activity == CUP_FINE_MEMORY_READ || activity == CUP_FINE_MEMORY_READS)
        return cup_fine_of_tasks(fine, sums, activity);
    if (sums->digests == 0 || fine->mixed || (profile->selective && fine->outside[activity]))
        return cup_null();
    return cup_fine_number(activity, sums->all[activity]);
}
