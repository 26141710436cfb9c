#include "analysis/profile/runs.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/base/units.h"
#include "analysis/log/log_reader.h"

/* The header says whether a log has RUN records; most logs have none. */
static bool has_runs(const char *path)
{
    struct cup_log_header header = {0};
    struct cup_log_bytes log;
    struct cup_error error;
    if (cup_log_bytes_open(&log, path, &error) != 0)
        return false;
    size_t bytes = cup_log_bytes_read(&log, &header, sizeof header, 0);
    cup_log_bytes_close(&log);
    return bytes == sizeof header && header.header_size >= sizeof header &&
           memcmp(header.magic, CUP_LOG_MAGIC, sizeof header.magic) == 0 &&
           header.health[CUP_H_RUNS] > 0;
}

int cup_runs_add(struct cup_profile *profile, const struct cup_log_header *header,
                 const struct cup_record *record, const struct cup_clock *clock)
{
    struct cup_r_run fixed = cup_read_run(record);
    if (cup_array_grow(&profile->runs, &profile->run_room, profile->run_count,
                       sizeof *profile->runs) != 0)
        return -1;
    struct cup_run *run = &profile->runs[profile->run_count++];
    *run = (struct cup_run){.start_ns = cup_clock_time(clock, fixed.start_ns),
                            .stop_ns = cup_clock_time(clock, fixed.stop_ns),
                            .not_before_ns = cup_clock_time(clock, fixed.not_before_ns),
                            .not_after_ns = cup_clock_time(clock, fixed.not_after_ns),
                            .compared = clock->compared,
                            .skips_bad_files = fixed.skips_bad_files,
                            .plan = fixed.plan,
                            .max_chunks = fixed.max_chunks,
                            .planned_chunks = fixed.chunks,
                            .planned_events = fixed.events,
                            .repeated_chunks = fixed.chunks_repeated,
                            .repeated_events = fixed.events_repeated,
                            .pid = header->pid};
    memcpy(run->host, header->host, sizeof run->host - 1);
    if (run->stop_ns < run->start_ns)
        run->stop_ns = run->start_ns;
    return 0;
}

static int read_log(struct cup_profile *profile, const char *path, const struct cup_clock *clock)
{
    struct cup_log log;
    struct cup_error error;
    const struct cup_record *record;
    int result = 0;
    if (cup_log_open(&log, path, &error) != 0)
        return 0;
    while (result == 0 && (record = cup_log_next(&log)) != NULL)
        if (record->type == CUP_R_RUN)
            result = cup_runs_add(profile, &log.header, record, clock);
    cup_log_close(&log);
    return result;
}

static int by_start(const void *left, const void *right)
{
    const struct cup_run *a = left, *b = right;
    return (a->start_ns > b->start_ns) - (a->start_ns < b->start_ns);
}

void cup_runs_sort(struct cup_profile *profile)
{
    if (profile->run_count)
        qsort(profile->runs, profile->run_count, sizeof *profile->runs, by_start);
}

int cup_runs_read(struct cup_profile *profile, char *const *paths, size_t count,
                  const struct cup_clocks *clocks)
{
    int result = 0;
    for (size_t i = 0; i < count && result == 0; i++) {
        const struct cup_clock clock = cup_clock_of(clocks, paths[i]);
        if (has_runs(paths[i]))
            result = read_log(profile, paths[i], &clock);
    }
    cup_runs_sort(profile);
    return result;
}

static bool any_task_within(const struct cup_profile *profile, int64_t start_ns, int64_t stop_ns)
{
    for (size_t i = 0; i < profile->task_count; i++)
        if (profile->tasks[i].start_ns >= start_ns && profile->tasks[i].start_ns <= stop_ns)
            return true;
    return false;
}

int cup_runs_add_given(struct cup_profile *profile, int64_t start_ns, int64_t stop_ns)
{
    if (profile->run_count > 0 || !any_task_within(profile, start_ns, stop_ns))
        return 0;
    if (cup_array_grow(&profile->runs, &profile->run_room, 0, sizeof *profile->runs) != 0)
        return -1;
    profile->runs[0] = (struct cup_run){.start_ns = start_ns, .stop_ns = stop_ns};
    profile->run_count = profile->run = 1;
    return 1;
}

void cup_runs_choose(struct cup_profile *profile, unsigned run)
{
    profile->run = run ? run : (uint32_t)profile->run_count;
    if (profile->run > profile->run_count)
        profile->run = 0;
}

static int64_t middle_of(int64_t earlier, int64_t later)
{
    return earlier + (later - earlier) / 2;
}

static int64_t later_of(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

static int64_t earlier_of(int64_t a, int64_t b)
{
    return a < b ? a : b;
}

static bool overlaps(const struct cup_run *a, const struct cup_run *b)
{
    return a->start_ns < b->stop_ns && b->start_ns < a->stop_ns;
}

/* The middle between the two, unless LATER may have begun before that. */
static int64_t border_between(const struct cup_run *earlier, const struct cup_run *later)
{
    int64_t middle = middle_of(earlier->stop_ns, later->start_ns);
    return later->not_before_ns >= earlier->stop_ns ? earlier_of(later->not_before_ns, middle)
                                                    : middle;
}

/* A run that overlaps others has its own begin and end where they go on. */
void cup_runs_window(const struct cup_profile *profile, int64_t *from_ns, int64_t *to_ns)
{
    *from_ns = INT64_MIN;
    *to_ns = INT64_MAX;
    if (profile->run == 0)
        return;
    const struct cup_run *run = &profile->runs[profile->run - 1];
    for (const struct cup_run *other = profile->runs; other < profile->runs + profile->run_count;
         other++) {
        bool both = other != run && overlaps(run, other);
        if (other != run && !both && other->start_ns <= run->start_ns)
            *from_ns = later_of(*from_ns, border_between(other, run));
        else if (other != run && !both)
            *to_ns = earlier_of(*to_ns, border_between(run, other));
        if (both && other->start_ns < run->start_ns)
            *from_ns = later_of(*from_ns, run->start_ns);
        if (both && other->stop_ns > run->stop_ns)
            *to_ns = earlier_of(*to_ns, run->stop_ns);
    }
}

unsigned cup_runs_overlapping(const struct cup_profile *profile)
{
    for (size_t i = 0; profile->run && i < profile->run_count; i++)
        if (i + 1 != profile->run && overlaps(&profile->runs[profile->run - 1], &profile->runs[i]))
            return (unsigned)i + 1;
    return 0;
}

bool cup_runs_overlap(const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->run_count; i++)
        for (size_t j = 0; j < i; j++)
            if (overlaps(&profile->runs[i], &profile->runs[j]))
                return true;
    return false;
}

size_t cup_runs_index_at(const struct cup_profile *profile, int64_t start_ns)
{
    size_t index = 0;
    for (size_t i = 1; i < profile->run_count; i++)
        if (start_ns >= border_between(&profile->runs[i - 1], &profile->runs[i]))
            index = i;
    return index;
}

/* ---- the option `--run N|all` ------------------------------------------------------------ */

int cup_run_option_read(const char *verb, const char *text, unsigned *number,
                        struct cup_error *error)
{
    char *end = NULL;
    unsigned long value = text ? strtoul(text, &end, 10) : 0;
    if (!text)
        *number = 0;
    else if (strcmp(text, "all") == 0)
        *number = CUP_ALL_RUNS;
    else if (*text < '0' || *text > '9' || *end || value < 1 || value > 1000000)
        return cup_error_set(error, verb, CUP_NO_OFFSET,
                             "--run %s: neither a number from 1 on nor `all`", text);
    else
        *number = (unsigned)value;
    return 0;
}

int cup_run_option_check(unsigned number, const struct cup_profile *profile,
                         struct cup_error *error)
{
    size_t runs = profile->run_count ? profile->run_count : 1;
    if (number == CUP_ALL_RUNS || number <= runs)
        return 0;
    return cup_error_set(error, profile->path, CUP_NO_OFFSET,
                         "--run %u: it holds %s; `cupping report --only runs` lists them", number,
                         CUP_SHOW_COUNTED(runs, "run"));
}
