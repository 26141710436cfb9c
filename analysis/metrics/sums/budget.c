#include "analysis/metrics/sums/budget.h"

#include <math.h>
#include <stdlib.h>

#include "analysis/base/array.h"
#include "analysis/base/id_map.h"
#include "analysis/profile/process_life.h"

const struct cup_budget_text cup_budget_texts[CUP_BUDGET_COUNT] = {
#define X(id, name, text) {name, text},
    CUP_BUDGET(X)
#undef X
};

/* ---- threads and their presence --------------------------------------------------------- */

bool cup_server_is_worker(const struct cup_server *server)
{
    return server->tasks > 0 || server->role == CUP_ROLE_WORKER;
}

struct cup_stretch cup_process_presence(const struct cup_process *process, struct cup_stretch run)
{
    struct cup_stretch there = {process->header.log_start_ns, cup_worker_end_ns(process)};
    if (there.start_ns < run.start_ns)
        there.start_ns = run.start_ns;
    if (there.stop_ns > run.stop_ns)
        there.stop_ns = run.stop_ns;
    return there;
}

static uint64_t length(int64_t start_ns, int64_t stop_ns)
{
    return stop_ns > start_ns ? (uint64_t)(stop_ns - start_ns) : 0;
}

/* Workers whose threads are not known, and processes without Dask, count the threads that were seen
 * to run tasks. */
static void count_threads(struct cup_budget *budgets, const struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->server_count; i++) {
        const struct cup_server *server = &profile->servers[i];
        uint32_t seen = profile->processes[server->process].task_threads;
        if (cup_server_is_worker(server))
            budgets[server->process].threads += server->threads ? server->threads : seen;
    }
    for (size_t i = 0; i < profile->process_count; i++)
        if (budgets[i].threads == 0)
            budgets[i].threads = profile->processes[i].task_threads;
}

/* ---- between tasks ---------------------------------------------------------------------- */

/* The time during which a task occupied a thread. */
struct stay {
    uint32_t tid;
    bool unfinished;
    int64_t start_ns, stop_ns;
};

struct pool_thread {
    int64_t start_ns;   /* of its latest task */
    int64_t busy_until; /* end of the tasks so far */
    bool unfinished;    /* the latest one has no end */
};

/* One process's threads, while its tasks are gone through. */
struct scan {
    struct cup_budget *budget;
    struct cup_stretch there;  /* when the process was there; time outside of it does not count */
    struct cup_id_map numbers; /* by tid: index + 1 in threads */
    struct pool_thread *threads;
    size_t count, room;
    bool disordered; /* tasks of a thread were not in the order of their starts: sort them and scan
                        again */
};

static struct pool_thread *thread_of(struct scan *scan, uint32_t tid, bool *is_new)
{
    uint32_t number = cup_id_map_get(&scan->numbers, tid);
    *is_new = number == 0;
    if (number)
        return &scan->threads[number - 1];
    if (cup_array_grow(&scan->threads, &scan->room, scan->count, sizeof *scan->threads) != 0 ||
        cup_id_map_set(&scan->numbers, tid, (uint32_t)scan->count + 1) != 0)
        return NULL;
    return &scan->threads[scan->count++];
}

/* Length of the part of a time span that lies within a stretch. */
static uint64_t length_within(struct cup_stretch there, int64_t start_ns, int64_t stop_ns)
{
    return length(start_ns > there.start_ns ? start_ns : there.start_ns,
                  stop_ns < there.stop_ns ? stop_ns : there.stop_ns);
}

static void add_gap(struct scan *scan, struct pool_thread *thread, int64_t start_ns)
{
    int64_t from_ns = thread->unfinished ? thread->start_ns : thread->busy_until;
    uint64_t ns = length_within(scan->there, from_ns, start_ns);
    if (thread->unfinished) {
        scan->budget->ns[CUP_BUDGET_UNFINISHED] += ns;
    } else if (ns > 0 && start_ns - from_ns <= CUP_GAP_THRESHOLD_NS) {
        scan->budget->ns[CUP_BUDGET_BETWEEN] += ns;
        scan->budget->gaps++;
    }
}

static int add_stay(struct scan *scan, const struct stay *stay)
{
    bool is_new;
    struct pool_thread *thread = thread_of(scan, stay->tid, &is_new);
    if (!thread)
        return -1;
    if (is_new)
        *thread = (struct pool_thread){.busy_until = stay->stop_ns};
    else
        add_gap(scan, thread, stay->start_ns);
    scan->disordered |= stay->start_ns < thread->start_ns;
    thread->start_ns = stay->start_ns;
    thread->unfinished = stay->unfinished;
    if (stay->stop_ns > thread->busy_until)
        thread->busy_until = stay->stop_ns;
    return 0;
}

/* A task that never ended held its thread as long as the process was there. */
static void finish_scan(struct scan *scan)
{
    for (size_t i = 0; i < scan->count; i++)
        if (scan->threads[i].unfinished)
            scan->budget->ns[CUP_BUDGET_UNFINISHED] +=
                length_within(scan->there, scan->threads[i].start_ns, scan->there.stop_ns);
    cup_id_map_clear(&scan->numbers);
    free(scan->threads);
}

static struct stay stay_of(const struct cup_task *task)
{
    bool ended = task->status != 0;
    int64_t stop_ns = ended && task->stop_ns > task->start_ns ? task->stop_ns : task->start_ns;
    return (struct stay){task->tid, !ended, task->start_ns, stop_ns};
}

/* Adds the tasks of one process in the order of the profile. */
static int scan_in_place(struct scan *scan, const struct cup_task *tasks, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct stay stay = stay_of(&tasks[i]);
        if (cup_task_place(&tasks[i]) == CUP_PLACE_POOL && add_stay(scan, &stay) != 0)
            return -1;
    }
    return 0;
}

static int earlier_first(const void *left, const void *right)
{
    const struct stay *a = left, *b = right;
    return a->start_ns != b->start_ns ? (a->start_ns < b->start_ns ? -1 : 1)
                                      : (a->stop_ns > b->stop_ns) - (a->stop_ns < b->stop_ns);
}

static int scan_sorted(struct scan *scan, const struct cup_task *tasks, size_t count)
{
    struct stay *stays = malloc((count + 1) * sizeof *stays);
    size_t kept = 0;
    int result = stays ? 0 : -1;
    for (size_t i = 0; stays && i < count; i++)
        if (cup_task_place(&tasks[i]) == CUP_PLACE_POOL)
            stays[kept++] = stay_of(&tasks[i]);
    if (stays)
        qsort(stays, kept, sizeof *stays, earlier_first);
    for (size_t i = 0; result == 0 && i < kept; i++)
        result = add_stay(scan, &stays[i]);
    free(stays);
    return result;
}

static int scan_process(struct cup_budget *budget, const struct cup_process *process,
                        const struct cup_task *tasks, struct cup_stretch there)
{
    const struct cup_budget before = *budget;
    struct scan scan = {.budget = budget, .there = there};
    int result = scan_in_place(&scan, tasks, process->tasks);
    bool disordered = scan.disordered;
    finish_scan(&scan);
    if (result != 0 || !disordered)
        return result;
    *budget = before;
    scan = (struct scan){.budget = budget, .there = there};
    result = scan_sorted(&scan, tasks, process->tasks);
    finish_scan(&scan);
    return result;
}

/* ---- all of it -------------------------------------------------------------------------- */

static void add_task_time(struct cup_budget *budget, const struct cup_wait_sums *waits)
{
    budget->ns[CUP_BUDGET_TASK_CPU] += waits->cpu_ns + waits->unmeasured_cpu_ns;
    for (int i = 0; i < CUP_WAITED_COUNT; i++)
        budget->ns[CUP_BUDGET_IO + i] += waits->ns[i];
    budget->ns[CUP_BUDGET_UNTOLD] += waits->unmeasured_noncpu_ns;
}

uint64_t cup_tasks_lost(const struct cup_profile *profile, const struct cup_process *process)
{
    uint64_t begun = process->header.health[CUP_H_TASKS_BEGUN];
    uint64_t recorded = process->tasks + process->summed.tasks;
    bool lost = process->header.health[CUP_H_RECORDS_DROPPED] > 0 && !cup_process_runs(process);
    return !profile->selective && lost && begun > recorded ? begun - recorded : 0;
}

/* Of a process with summed tasks, the gaps between the kept ones say nothing. */
static void set_gaps(struct cup_budget *budget, const struct cup_profile *profile,
                     const struct cup_process *process)
{
    const struct cup_process_sum *sum = &process->summed;
    bool full_log = sum->tasks && sum->in_full_log;
    if (sum->tasks) {
        budget->ns[CUP_BUDGET_BETWEEN] = sum->between_ns;
        budget->gaps = sum->gaps;
    }
    if (full_log || cup_tasks_lost(profile, process)) {
        budget->ns[CUP_BUDGET_BETWEEN] = budget->gaps = 0;
        budget->gaps_unknown = 1;
    }
}

static void set_idle(struct cup_budget *budget)
{
    uint64_t busy = cup_budget_total_ns(budget);
    if (budget->threads_ns >= busy)
        budget->ns[CUP_BUDGET_IDLE] = budget->threads_ns - busy;
    else
        budget->overbooked_ns = busy - budget->threads_ns;
}

int cup_budgets_make(struct cup_budget *budgets, const struct cup_profile *profile,
                     struct cup_stretch run)
{
    count_threads(budgets, profile);
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct cup_process *process = &profile->processes[i];
        const struct cup_stretch there = cup_process_presence(process, run);
        budgets[i].threads_ns = budgets[i].threads * length(there.start_ns, there.stop_ns);
        if (there.stop_ns < there.start_ns && run.stop_ns > 0 && process->tasks == 0)
            budgets[i].threads = 0;
        if (process->tasks &&
            scan_process(&budgets[i], process, &profile->tasks[process->first_task], there) != 0)
            return -1;
        set_gaps(&budgets[i], profile, process);
        add_task_time(&budgets[i], &process->waits[CUP_PLACE_POOL]);
        set_idle(&budgets[i]);
    }
    return 0;
}

void cup_budget_add(struct cup_budget *sum, const struct cup_budget *more)
{
    cup_add_numbers(sum, more, sizeof *sum);
    if (sum->gaps_unknown) {
        sum->ns[CUP_BUDGET_IDLE] += sum->ns[CUP_BUDGET_BETWEEN];
        sum->ns[CUP_BUDGET_BETWEEN] = sum->gaps = 0;
    }
}

uint64_t cup_budget_total_ns(const struct cup_budget *budget)
{
    uint64_t total = 0;
    for (int i = 0; i < CUP_BUDGET_COUNT; i++)
        total += budget->ns[i];
    return total;
}

void cup_budget_percent(const struct cup_budget *budget, double percent[CUP_BUDGET_COUNT])
{
    double total = (double)cup_budget_total_ns(budget);
    for (int i = 0; i < CUP_BUDGET_COUNT; i++)
        percent[i] = total > 0 ? 100 * (double)budget->ns[i] / total : 0;
}

double cup_budget_busy_percent(const struct cup_budget *budget)
{
    double total = (double)cup_budget_total_ns(budget);
    uint64_t free_ns = budget->ns[CUP_BUDGET_BETWEEN] + budget->ns[CUP_BUDGET_IDLE];
    return total > 0 ? 100 * (total - (double)free_ns) / total : (double)NAN;
}

/* ---- the end of the run --------------------------------------------------------------- */

static bool is_unfinished(const struct cup_task *task)
{
    return task->status == 0 && cup_task_place(task) == CUP_PLACE_POOL;
}

static bool has_unfinished(const struct cup_task *tasks, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        if (is_unfinished(&tasks[i]))
            return true;
    return false;
}

/* The task of the pool that started last on each thread: index + 1 by tid. */
static int find_last(struct cup_id_map *last, const struct cup_task *tasks, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        uint32_t other = cup_id_map_get(last, tasks[i].tid);
        if (cup_task_place(&tasks[i]) != CUP_PLACE_POOL ||
            (other && tasks[other - 1].start_ns > tasks[i].start_ns))
            continue;
        if (cup_id_map_set(last, tasks[i].tid, (uint32_t)i + 1) != 0)
            return -1;
    }
    return 0;
}

/* False for a task whose end was only lost: its thread ran a later task. */
static int holds_a_thread(const struct cup_task *tasks, uint64_t count, bool *holds)
{
    struct cup_id_map last = {0};
    int result = find_last(&last, tasks, count);
    *holds = false;
    for (uint64_t i = 0; result == 0 && i < count && !*holds; i++)
        *holds = is_unfinished(&tasks[i]) && cup_id_map_get(&last, tasks[i].tid) == i + 1;
    cup_id_map_clear(&last);
    return result;
}

int cup_run_end_of_unfinished(const struct cup_profile *profile, int64_t *end_ns)
{
    *end_ns = 0;
    for (size_t i = 0; i < profile->process_count; i++) {
        const struct cup_process *process = &profile->processes[i];
        const struct cup_task *tasks = process->tasks ? &profile->tasks[process->first_task] : NULL;
        int64_t sign_ns = cup_process_last_sign_ns(process);
        bool holds;
        bool lost = process->header.health[CUP_H_RECORDS_DROPPED] > 0;
        if (lost || sign_ns <= *end_ns || !has_unfinished(tasks, process->tasks))
            continue;
        if (holds_a_thread(tasks, process->tasks, &holds) != 0)
            return -1;
        if (holds)
            *end_ns = sign_ns;
    }
    return 0;
}
