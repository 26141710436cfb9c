#include "analysis/profile/load/computations.h"

#include <stdlib.h>

#include "analysis/profile/process_life.h"

/* ---- ends of workers, with which results may have been lost -------------------------------- */

/* When a worker may have ended. */
struct worker_end {
    int64_t from_ns, to_ns;
    int64_t sign_ns; /* the last one of its process */
};

struct ends {
    struct worker_end *workers; /* owned; by from_ns */
    int64_t *jobs;              /* owned; when the processes of schedulers and clients began */
    size_t worker_count, job_count;
};

static bool has_role(const struct cup_process *process, enum cup_role role)
{
    return (process->roles & 1u << role) != 0;
}

/* A task may make a client in the process of its worker. */
static bool begins_a_job(const struct cup_process *process)
{
    return has_role(process, CUP_ROLE_SCHEDULER) ||
           (has_role(process, CUP_ROLE_CLIENT) && !cup_process_is_worker(process));
}

/* A worker that closes stops its ticks and leaves the scheduler, which then lets others run again
 * what is lost. Only after that it waits for the tasks that it still runs. */
static struct worker_end end_of(const struct cup_process *process)
{
    int64_t sign_ns = cup_process_last_sign_ns(process);
    bool vanished = process->life == CUP_LIFE_VANISHED;
    return (struct worker_end){.from_ns = process->worker_tick_ns ? process->worker_tick_ns
                                                                  : cup_worker_end_ns(process),
                               .to_ns = vanished ? sign_ns + CUP_RECENT_NS : sign_ns,
                               .sign_ns = sign_ns};
}

static int by_begin(const void *left, const void *right)
{
    const struct worker_end *a = left, *b = right;
    return (a->from_ns > b->from_ns) - (a->from_ns < b->from_ns);
}

static int find_ends(struct ends *ends, const struct cup_profile *profile)
{
    ends->workers = calloc(profile->process_count + 1, sizeof *ends->workers);
    ends->jobs = calloc(profile->process_count + 1, sizeof *ends->jobs);
    if (!ends->workers || !ends->jobs)
        return -1;
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct cup_process *process = &profile->processes[i];
        if (cup_process_is_worker(process) && !cup_process_runs(process))
            ends->workers[ends->worker_count++] = end_of(process);
        if (begins_a_job(process))
            ends->jobs[ends->job_count++] = process->header.log_start_ns;
    }
    qsort(ends->workers, ends->worker_count, sizeof *ends->workers, by_begin);
    return 0;
}

static bool job_began_between(const struct ends *ends, int64_t from_ns, int64_t to_ns)
{
    for (size_t i = 0; i < ends->job_count; i++)
        if (ends->jobs[i] > from_ns && ends->jobs[i] < to_ns)
            return true;
    return false;
}

/* A worker's last sign of life comes some time before its end. If it ended at the same time as the
 * worker of AGAIN, the cluster was closed after AGAIN had run, and nothing was lost before. */
static bool worker_ended_between(const struct ends *ends, const struct cup_profile *profile,
                                 const struct cup_task *done, const struct cup_task *again)
{
    int64_t closed_ns = cup_worker_end_ns(&profile->processes[cup_task_process(profile, again)]);
    for (size_t i = 0; i < ends->worker_count; i++) {
        const struct worker_end *end = &ends->workers[i];
        if (end->from_ns > again->start_ns)
            return false;
        if (end->to_ns >= done->stop_ns && end->sign_ns < closed_ns)
            return true;
    }
    return false;
}

/* ---- tasks of one key ---------------------------------------------------------------------- */

/* A task whose key others have, too. */
struct repeat {
    uint64_t key_hash;
    int64_t start_ns;
    uint32_t task;
    uint32_t computation; /* counts up from 0 for each key */
};

struct repeats {
    struct repeat *rows; /* owned; by key and start */
    size_t count;
};

static bool is_of_runner(const struct cup_profile *profile, const struct cup_task *task)
{
    for (size_t i = 0; i < profile->run_count; i++)
        if (task->start_ns >= profile->runs[i].start_ns &&
            task->start_ns <= profile->runs[i].stop_ns)
            return true;
    return false;
}

static bool are_all_of_runner(const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->task_count; i++)
        if (!is_of_runner(profile, &profile->tasks[i]))
            return false;
    return true;
}

static int by_key_and_start(const void *left, const void *right)
{
    const struct repeat *a = left, *b = right;
    if (a->key_hash != b->key_hash)
        return a->key_hash < b->key_hash ? -1 : 1;
    if (a->start_ns != b->start_ns)
        return a->start_ns < b->start_ns ? -1 : 1;
    return (a->task > b->task) - (a->task < b->task);
}

/* Few keys occur more than once. Only their tasks are sorted, and a few others whose hash ends in
 * the same bits. Returns 0, or -1 without memory. */
static int find_repeats(struct repeats *repeats, const struct cup_profile *profile)
{
    enum { TWICE = 2 };
    size_t slots = 1, count = 0;
    while (slots < 4 * profile->task_count)
        slots *= 2;
    uint8_t *seen = calloc(slots, 1);
    for (size_t i = 0; seen && i < profile->task_count; i++) {
        uint8_t *times = &seen[profile->tasks[i].key_hash & (slots - 1)];
        count += *times == 1 ? 2 : *times == TWICE;
        *times += *times < TWICE;
    }
    repeats->rows = calloc(count + 1, sizeof *repeats->rows);
    for (size_t i = 0; seen && repeats->rows && i < profile->task_count; i++) {
        const struct cup_task *task = &profile->tasks[i];
        if (seen[task->key_hash & (slots - 1)] == TWICE)
            repeats->rows[repeats->count++] =
                (struct repeat){task->key_hash, task->start_ns, (uint32_t)i, 0};
    }
    free(seen);
    if (!seen || !repeats->rows)
        return -1;
    qsort(repeats->rows, repeats->count, sizeof *repeats->rows, by_key_and_start);
    return 0;
}

static bool begins_computation(const struct ends *ends, const struct cup_profile *profile,
                               const struct cup_task *done, const struct cup_task *again)
{
    return done && again->start_ns >= done->stop_ns && !is_of_runner(profile, again) &&
           (job_began_between(ends, done->stop_ns, again->start_ns) ||
            !worker_ended_between(ends, profile, done, again));
}

static void count_computations(const struct repeats *repeats, const struct ends *ends,
                               const struct cup_profile *profile)
{
    const struct cup_task *done = NULL; /* the last one that succeeded, of this key */
    for (size_t i = 0; i < repeats->count; i++) {
        struct repeat *row = &repeats->rows[i];
        const struct cup_task *task = &profile->tasks[row->task];
        bool is_first = i == 0 || row[-1].key_hash != row->key_hash;
        done = is_first ? NULL : done;
        row->computation = is_first ? 0 : row[-1].computation;
        if (begins_computation(ends, profile, done, task)) {
            row->computation++;
            done = NULL;
        }
        if (task->status == CUP_STATUS_FINISHED && (!done || task->stop_ns > done->stop_ns))
            done = task;
    }
}

/* ---- hashes -------------------------------------------------------------------------------- */

static uint64_t hash_of(uint64_t key_hash, uint32_t computation)
{
    static const uint64_t STEP = UINT64_C(0xc2b2ae3d27d4eb4f);
    return key_hash ^ STEP * computation;
}

/* The computation in which an input was made, for a task that started at that time. */
static uint32_t computation_at(const struct repeats *repeats, uint64_t key_hash, int64_t start_ns)
{
    size_t first = 0, after = repeats->count; /* the rows before `first` began in time */
    while (first < after) {
        size_t middle = first + (after - first) / 2;
        const struct repeat *row = &repeats->rows[middle];
        if (row->key_hash < key_hash || (row->key_hash == key_hash && row->start_ns <= start_ns))
            first = middle + 1;
        else
            after = middle;
    }
    return first && repeats->rows[first - 1].key_hash == key_hash
               ? repeats->rows[first - 1].computation
               : 0;
}

static void set_hashes(const struct repeats *repeats, struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->input_count; i++) {
        struct cup_inputs *inputs = &profile->inputs[i];
        int64_t start_ns = profile->tasks[inputs->task].start_ns;
        if (inputs->one_hash)
            inputs->one_hash =
                hash_of(inputs->one_hash, computation_at(repeats, inputs->one_hash, start_ns));
    }
    for (size_t i = 0; i < repeats->count; i++) {
        const struct repeat *row = &repeats->rows[i];
        profile->tasks[row->task].key_hash = hash_of(row->key_hash, row->computation);
    }
}

int cup_computations_separate(struct cup_profile *profile)
{
    struct ends ends = {0};
    struct repeats repeats = {0};
    if (profile->summed_key_count || are_all_of_runner(profile))
        return 0;
    int result = find_repeats(&repeats, profile);
    if (result == 0 && repeats.count)
        result = find_ends(&ends, profile);
    if (result == 0) {
        count_computations(&repeats, &ends, profile);
        set_hashes(&repeats, profile);
    }
    free(ends.workers);
    free(ends.jobs);
    free(repeats.rows);
    return result;
}
