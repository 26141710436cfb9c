/* Which task started a process? Two records answer this: the PARENT record in the log of the
 * process itself, and a CHILD record in the log of the worker, if another process forked it for
 * the task (the forkserver of multiprocessing). The CHILD record takes precedence. The kernel
 * reuses pids, so a process is looked up by pid and time. The tables are sorted, because there may
 * be ten thousand children. */
#include "analysis/profile/process_ancestry.h"

#include <stdlib.h>
#include <string.h>

#include "analysis/base/id_map.h"

/* A process (a log) or a CHILD record, with the keys by which it is sorted: host, pid, time. */
struct place {
    const char *host;
    uint32_t pid;
    uint32_t index;  /* in the profile's processes or children */
    int64_t time_ns; /* start of the process, or time of the record */
};

struct places {
    struct place *places; /* owned; sorted */
    size_t count;
};

/* The task that started a process, as a PARENT or CHILD record says. */
struct link {
    uint32_t process;
    uint32_t parent; /* index + 1 of the process that ran the task; 0: not known */
    uint32_t task;   /* number of the task in that process */
    bool by_child;   /* true if this is from a CHILD record */
    /* then: how far the time of that record is from the start of the process. */
    int64_t distance_ns;
};

struct ancestries {
    struct cup_profile *profile;
    struct places logs, child_records;
    struct link *links;      /* owned; one for each process */
    struct cup_id_map tasks; /* tasks of the process with index `mapped` - 1: number to index + 1 */
    uint32_t mapped;
    bool selective;
};

/* ---- processes by number ---------------------------------------------------------------- */

static int compare_places(const void *left, const void *right)
{
    const struct place *a = left, *b = right;
    int hosts = strcmp(a->host, b->host);
    if (hosts != 0)
        return hosts;
    if (a->pid != b->pid)
        return a->pid < b->pid ? -1 : 1;
    return a->time_ns < b->time_ns ? -1 : a->time_ns > b->time_ns;
}

static struct place place_of_log(const struct cup_profile *profile, uint32_t process)
{
    const struct cup_log_header *header = &profile->processes[process].header;
    return (struct place){header->host, header->pid, process, header->process_start_ns};
}

static struct place place_of_child(const struct cup_profile *profile, uint32_t index)
{
    const struct cup_child *child = &profile->children[index];
    const char *host = profile->processes[child->process].header.host;
    return (struct place){host, child->pid, index, child->time_ns};
}

/* Returns 0, or -1 without memory. */
static int make_places(struct places *places, const struct cup_profile *profile, size_t count,
                       struct place (*place_of)(const struct cup_profile *, uint32_t))
{
    places->places = calloc(count + 1, sizeof *places->places);
    if (!places->places)
        return -1;
    for (uint32_t i = 0; i < count; i++)
        places->places[i] = place_of(profile, i);
    places->count = count;
    qsort(places->places, count, sizeof *places->places, compare_places);
    return 0;
}

static bool same_pid(const struct place *a, const struct place *b)
{
    return a->pid == b->pid && strcmp(a->host, b->host) == 0;
}

/* The number of places that sort before WANTED or are equal to it. */
static size_t places_up_to(const struct places *places, const struct place *wanted)
{
    size_t low = 0, high = places->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (compare_places(&places->places[middle], wanted) <= 0)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Returns the newest place with the host and pid of WANTED that is not later than its time; NULL
 * if there is none. */
static const struct place *newest_place(const struct places *places, const struct place *wanted)
{
    size_t at = places_up_to(places, wanted);
    const struct place *found = at > 0 ? &places->places[at - 1] : NULL;
    return found && same_pid(found, wanted) ? found : NULL;
}

/* ---- what the records say --------------------------------------------------------------- */

/* A CHILD record belongs to the process of its pid that starts at most so long before the record
 * is written, or at most so long after it. */
static const int64_t before_ns = INT64_C(60000000000);
static const int64_t after_ns = INT64_C(1000000000);

/* The PARENT record names the parent, but not the task, because the parent was itself forked for a
 * task that it does not know. A CHILD record for the pid of the parent names that task. The newest
 * such record counts, unless a later process with that pid has a log. */
static void follow_named_parent(struct ancestries *ancestries, struct place wanted,
                                struct link *link)
{
    const struct place *log = newest_place(&ancestries->logs, &wanted);
    wanted.time_ns += after_ns;
    const struct place *child_record = newest_place(&ancestries->child_records, &wanted);
    if (!child_record || (log && log->time_ns > child_record->time_ns + after_ns))
        return;
    link->parent = ancestries->profile->children[child_record->index].process + 1;
    link->task = ancestries->profile->children[child_record->index].task;
}

/* Links a process to the task in its PARENT record. Of several processes with the pid of the
 * parent, this chooses the newest one that started before the child. */
static void follow_parent(struct ancestries *ancestries, uint32_t index)
{
    const struct cup_process *process = &ancestries->profile->processes[index];
    struct place wanted = place_of_log(ancestries->profile, index);
    struct link *link = &ancestries->links[index];
    wanted.pid = process->parent_pid;
    if (wanted.pid == 0)
        return;
    if (process->parent_task == 0) {
        follow_named_parent(ancestries, wanted, link);
        return;
    }
    const struct place *log = newest_place(&ancestries->logs, &wanted);
    link->task = process->parent_task;
    if (log && log->index != index)
        link->parent = log->index + 1;
}

/* Links the process that a CHILD record names to the task in that record: of all processes with
 * that pid, the one whose start is nearest. If several CHILD records name one process, the record
 * nearest to its start wins. */
static void follow_child(struct ancestries *ancestries, uint32_t index)
{
    const struct cup_child *child = &ancestries->profile->children[index];
    struct place wanted = place_of_child(ancestries->profile, index);
    struct link *nearest = NULL;
    int64_t distance_ns = 0;
    wanted.time_ns += after_ns;
    for (size_t at = places_up_to(&ancestries->logs, &wanted); at > 0; at--) {
        const struct place *log = &ancestries->logs.places[at - 1];
        int64_t away_ns = llabs(log->time_ns - child->time_ns);
        if (!same_pid(log, &wanted) || log->time_ns < child->time_ns - before_ns)
            break;
        if (log->index == child->process || (nearest && away_ns >= distance_ns))
            continue;
        nearest = &ancestries->links[log->index];
        distance_ns = away_ns;
    }
    if (!nearest || (nearest->by_child && nearest->distance_ns <= distance_ns))
        return;
    nearest->parent = child->process + 1;
    nearest->task = child->task;
    nearest->by_child = true;
    nearest->distance_ns = distance_ns;
}

/* ---- tasks ------------------------------------------------------------------------------ */

/* Fills ancestries->tasks with the tasks of a process. Returns 0, or -1 without memory. */
static int map_tasks(struct ancestries *ancestries, uint32_t process)
{
    if (ancestries->mapped == process + 1)
        return 0;
    const struct cup_process *parent = &ancestries->profile->processes[process];
    cup_id_map_clear(&ancestries->tasks);
    ancestries->mapped = process + 1;
    for (uint32_t i = parent->first_task; i < parent->first_task + parent->tasks; i++)
        if (cup_id_map_set(&ancestries->tasks, ancestries->profile->tasks[i].number, i + 1) != 0)
            return -1;
    return 0;
}

/* Returns when the process last read data, by its PARENT record; without one, when it ended. */
static int64_t last_read_ns(const struct cup_process *process)
{
    if (process->has_parent)
        return process->last_read_ns;
    return process->header.log_stop_ns ? process->header.log_stop_ns : INT64_MAX;
}

/* Returns 0, or -1 without memory. */
static int set_ancestry(struct ancestries *ancestries, struct cup_process *process, uint32_t number)
{
    uint32_t index = cup_id_map_get(&ancestries->tasks, number);
    const struct cup_process *parent = &ancestries->profile->processes[ancestries->mapped - 1];
    if (index == 0) {
        process->ancestry = parent->summed.in_full_log ? CUP_ANCESTRY_SUMMED
                            : ancestries->selective    ? CUP_ANCESTRY_EXCLUDED
                                                       : CUP_ANCESTRY_LOST;
        return 0;
    }
    struct cup_task *task = &ancestries->profile->tasks[index - 1];
    process->ancestor = index - 1;
    if (task->status && last_read_ns(process) > task->stop_ns) {
        process->ancestry = CUP_ANCESTRY_LATE;
        return 0;
    }
    if (task->shared) {
        process->ancestry = CUP_ANCESTRY_SHARED;
        return 0;
    }
    process->ancestry = CUP_ANCESTRY_KNOWN;
    struct cup_task_rare *rare = cup_rare_to_fill(ancestries->profile, task);
    if (rare)
        rare->child_read_bytes += cup_process_child_bytes(process);
    return rare ? 0 : -1;
}

/* Returns 0, or -1 without memory. */
static int settle_link(struct ancestries *ancestries, const struct link *link)
{
    struct cup_process *process = &ancestries->profile->processes[link->process];
    if (!process->has_parent && !link->by_child)
        return 0;
    if (link->parent == 0) {
        bool named = link->by_child || (process->parent_pid && process->parent_task);
        process->ancestry = named ? CUP_ANCESTRY_LOST : CUP_ANCESTRY_UNNAMED;
        return 0;
    }
    if (map_tasks(ancestries, link->parent - 1) != 0)
        return -1;
    return set_ancestry(ancestries, process, link->task);
}

/* ---- all of it -------------------------------------------------------------------------- */

static int by_parent(const void *left, const void *right)
{
    const struct link *a = left, *b = right;
    if (a->parent != b->parent)
        return a->parent < b->parent ? -1 : 1;
    return a->process < b->process ? -1 : a->process > b->process;
}

/* Goes through the links sorted by parent, so that the tasks of each parent are mapped only once.
 */
static int settle_links(struct ancestries *ancestries)
{
    size_t count = ancestries->profile->process_count;
    int result = 0;
    qsort(ancestries->links, count, sizeof *ancestries->links, by_parent);
    for (size_t i = 0; result == 0 && i < count; i++)
        result = settle_link(ancestries, &ancestries->links[i]);
    return result;
}

static void follow_records(struct ancestries *ancestries)
{
    const struct cup_profile *profile = ancestries->profile;
    for (uint32_t i = 0; i < profile->process_count; i++) {
        ancestries->links[i] = (struct link){.process = i};
        if (profile->processes[i].has_parent)
            follow_parent(ancestries, i);
    }
    for (uint32_t i = 0; i < profile->child_count; i++)
        follow_child(ancestries, i);
}

int cup_ancestries_settle(struct cup_profile *profile, bool selective)
{
    struct ancestries ancestries = {.profile = profile, .selective = selective};
    int result = -1;
    ancestries.links = calloc(profile->process_count + 1, sizeof *ancestries.links);
    if (ancestries.links &&
        make_places(&ancestries.logs, profile, profile->process_count, place_of_log) == 0 &&
        make_places(&ancestries.child_records, profile, profile->child_count, place_of_child) ==
            0) {
        follow_records(&ancestries);
        result = settle_links(&ancestries);
    }
    cup_id_map_clear(&ancestries.tasks);
    free(ancestries.logs.places);
    free(ancestries.child_records.places);
    free(ancestries.links);
    return result;
}
