#include "tests/e2e/witness.h"

#include "tests/e2e/profile.h"

#include <criterion/criterion.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Keys go into messages, and some are long. */
enum { KEY_SHOWN = 70 };

/* ---- what each task must have done ---------------------------------------------------------- */

static char *shown(json_t *value)
{
    return value ? json_dumps(value, JSON_ENCODE_ANY | JSON_COMPACT) : strdup("nothing");
}

static void check_equal(json_t *row, const char *column, json_t *expected)
{
    json_t *found = json_object_get(row, column);
    char *left = shown(found), *right = shown(expected);
    cr_expect(json_equal(found, expected), "%.*s: %s is %s, not %s", KEY_SHOWN,
              cup_word(row, "key"), column, left, right);
    free(left);
    free(right);
}

static void check_bounds(json_t *row, json_t *bounds, int sign)
{
    const char *column;
    json_t *bound;
    json_object_foreach(bounds, column, bound)
    {
        double value = cup_number(row, column), limit = json_number_value(bound);
        cr_expect(sign > 0 ? value >= limit : value <= limit,
                  "%.*s: %s is %.15g, should be at %s %.15g", KEY_SHOWN, cup_word(row, "key"),
                  column, value, sign > 0 ? "least" : "most", limit);
    }
}

static void check_row(json_t *row, json_t *expected)
{
    const char *column;
    json_t *value;
    json_object_foreach(expected, column, value)
    {
        if (strcmp(column, "at_least") == 0)
            check_bounds(row, value, 1);
        else if (strcmp(column, "at_most") == 0)
            check_bounds(row, value, -1);
        else
            check_equal(row, column, value);
    }
}

void cup_check_expected(json_t *rows, json_t *expected)
{
    size_t i;
    json_t *one;
    cr_expect(json_array_size(expected) > 0);
    json_array_foreach(expected, i, one)
    {
        json_t *row = cup_row(rows, cup_word(one, "key"), (int)cup_count(one, "attempt"));
        if (row)
            check_row(row, one);
        else
            cr_expect(false, "no row for %.*s, attempt %d", KEY_SHOWN, cup_word(one, "key"),
                      (int)cup_count(one, "attempt"));
    }
}

/* ---- Dask's own account -------------------------------------------------------------------------
 */

static bool same_end(json_t *row, json_t *seen)
{
    static const char *const columns[] = {"key", "status", "prefix",      "worker",
                                          "pid", "span",   "result_bytes"};
    for (size_t i = 0; i < sizeof columns / sizeof *columns; i++)
        if (!json_equal(json_object_get(row, columns[i]), json_object_get(seen, columns[i])))
            return false;
    return true;
}

/* Takes the first match away, so that two runs of a key need two of Dask's. */
static bool take(json_t *account, json_t *row)
{
    size_t i;
    json_t *seen;
    json_array_foreach(account, i, seen) if (same_end(row, seen))
    {
        json_array_remove(account, i);
        return true;
    }
    return false;
}

void cup_check_witness(json_t *rows, json_t *witness)
{
    json_t *account = json_deep_copy(json_object_get(witness, "tasks")), *row;
    size_t i;
    cr_expect(json_array_size(account) > 0);
    json_array_foreach(rows, i, row)
    {
        char *text = shown(row);
        cr_expect(take(account, row), "Dask knows of no such task: %.700s", text);
        free(text);
    }
    json_array_foreach(account, i, row)
    {
        char *text = shown(row);
        cr_expect(false, "no row fits what Dask ran: %.500s", text);
        free(text);
    }
    json_decref(account);
}

/* ---- CPU seconds
 * ----------------------------------------------------------------------------------
 */

static const char *part(json_t *digest, size_t at)
{
    const char *text = json_string_value(json_array_get(json_array_get(digest, 0), at));
    return text ? text : "";
}

/* What a user's own meter takes, Dask takes off its thread-cpu. */
static bool is_cpu(const char *activity)
{
    return strcmp(activity, "thread-cpu") == 0 || strcmp(activity, "mine") == 0 ||
           strcmp(activity, "inner") == 0;
}

static bool digest_of(json_t *witness, const char *prefix, double *seconds)
{
    size_t i;
    json_t *digest;
    bool found = false;
    *seconds = 0;
    json_array_foreach(json_object_get(witness, "digests"), i, digest)
    {
        if (strcmp(part(digest, 0), "execute") || strcmp(part(digest, 2), prefix) ||
            strcmp(part(digest, 4), "seconds"))
            continue;
        /* The shuffle's meters: Dask subtracts their waiting from the task's CPU time too, and
         * ends at 0. No figure to compare with. */
        if (strncmp(part(digest, 3), "p2p-", 4) == 0)
            return false;
        if (!is_cpu(part(digest, 3)))
            continue;
        *seconds += json_real_value(json_array_get(digest, 1));
        found = true;
    }
    return found;
}

/* Dask keeps CPU seconds of finished tasks only; what failed is in "failed", wall time. */
static int finished_of(json_t *rows, const char *prefix, double *seconds)
{
    size_t i;
    json_t *row;
    int tasks = 0;
    *seconds = 0;
    json_array_foreach(rows, i,
                       row) if (cup_is(row, "prefix", prefix) && cup_is(row, "status", "finished"))
    {
        *seconds += cup_number(row, "cpu_s");
        tasks++;
    }
    return tasks;
}

static bool compare_prefix(json_t *rows, json_t *witness, const char *prefix)
{
    double ours, theirs;
    int tasks = finished_of(rows, prefix, &ours);
    if (!tasks || !digest_of(witness, prefix, &theirs))
        return false;
    cr_expect(fabs(ours - theirs) <= 0.001 * tasks, "%.*s: %.6f s in %d tasks, Dask says %.6f s",
              KEY_SHOWN, prefix, ours, tasks, theirs);
    return true;
}

int cup_check_digests(json_t *rows, json_t *witness)
{
    json_t *prefixes = json_object(), *row, *unused;
    const char *prefix;
    size_t i;
    int compared = 0;
    json_array_foreach(rows, i, row)
        json_object_set(prefixes, cup_word(row, "prefix"), json_null());
    json_object_foreach(prefixes, prefix, unused) compared += compare_prefix(rows, witness, prefix);
    json_decref(prefixes);
    return compared;
}

/* ---- any row
 * ----------------------------------------------------------------------------------------
 */

/* A way whose feature is off is null. */
static json_int_t sum_of_ways(json_t *row)
{
    static const char *const ways[] = {"read_own_bytes",        "read_context_bytes",
                                       "read_descriptor_bytes", "read_handoff_bytes",
                                       "read_inherited_bytes",  "read_sole_bytes"};
    json_int_t sum = 0;
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        json_t *bytes = json_object_get(row, ways[i]);
        cr_expect(json_is_integer(bytes) || json_is_null(bytes), "%s is no number", ways[i]);
        sum += json_integer_value(bytes);
    }
    return sum;
}

static void check_memory(json_t *row, const char *key)
{
    json_int_t alloc = cup_count(row, "alloc_bytes"), peak = cup_count(row, "peak_live_bytes");
    json_int_t start = cup_count(row, "rss_start_bytes");
    cr_expect(alloc >= 0 && peak >= 0 && peak <= alloc, "%s: %lld bytes allocated, %lld at once",
              key, (long long)alloc, (long long)peak);
    cr_expect(start > 10000000 && start < 100000000000, "%s: rss_start_bytes is %lld", key,
              (long long)start);
}

static void check_end(json_t *row, const char *key)
{
    enum { HAS_ENDED_AT_LEAST = 10000000 };
    double wall = cup_number(row, "wall_s"), cpu = cup_number(row, "cpu_s");
    double took = cup_number(row, "stop") - cup_number(row, "start");
    cr_expect(fabs(took - wall) < 1e-5, "%s: wall_s is %.9f, stop less start %.9f", key, wall,
              took);
    /* Two clocks, read one after the other. */
    cr_expect(cpu >= 0 && cpu <= wall * 1.01 + 0.001, "%s: %.6f s of CPU in %.6f s", key, cpu,
              wall);
    cr_expect(cup_count(row, "rss_stop_bytes") > HAS_ENDED_AT_LEAST, "%s: no rss_stop_bytes", key);
}

void cup_check_sane(json_t *rows)
{
    size_t i;
    json_t *row;
    cr_expect(json_array_size(rows) > 0);
    json_array_foreach(rows, i, row)
    {
        const char *key = cup_word(row, "key");
        cr_expect(sum_of_ways(row) == cup_count(row, "read_bytes"),
                  "%s: the ways do not add up to read_bytes", key);
        cr_expect(cup_count(row, "read_none_bytes") == 0, "%s: bytes of no task", key);
        check_memory(row, key);
        if (!cup_is(row, "status", "unfinished"))
            check_end(row, key);
    }
}
