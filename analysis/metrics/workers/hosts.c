#include "analysis/metrics/workers/hosts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"
#include "analysis/base/statistics.h"
#include "analysis/metrics/sums/sums.h"

const char *const cup_host_verdicts[] = {
    [CUP_HOST_NO_MODEL] = "CPU model not known",
    [CUP_HOST_FEW_CHUNKS] = "too few chunks to compare",
    [CUP_HOST_FEW_HOSTS] = "too few hosts to compare",
    [CUP_HOST_ORDINARY] = "ordinary",
    [CUP_HOST_SLOW] = "slow",
    [CUP_HOST_FAST] = "fast",
};

/* ---- which host ------------------------------------------------------------------------- */

/* Ids in `names` are given as 1, 2, 3, ... in the order of rows, so the id of a name is index + 1
 * in rows. */
uint32_t cup_host_of(const struct cup_hosts *hosts, const struct cup_process *process)
{
    const char *name = process->header.host;
    return cup_intern_find(&hosts->names, name, strnlen(name, sizeof process->header.host));
}

static struct cup_host *add_host(struct cup_hosts *hosts, const struct cup_process *process)
{
    const char *name = process->header.host;
    uint32_t id = cup_intern_add(&hosts->names, name, strnlen(name, sizeof process->header.host));
    if (id == 0 ||
        cup_array_grow(&hosts->rows, &hosts->room, hosts->count, sizeof *hosts->rows) != 0)
        return NULL;
    if (id > hosts->count)
        hosts->rows[hosts->count++] = (struct cup_host){.name = id, .hosts = 1};
    return &hosts->rows[id - 1];
}

static bool is_of_hosts(const struct cup_totals *totals, size_t process)
{
    return cup_process_is_worker(&totals->profile->processes[process]) ||
           totals->budgets[process].threads > 0;
}

/* ---- sums ------------------------------------------------------------------------------- */

static void add_process(struct cup_host *host, const struct cup_totals *totals, size_t index)
{
    const struct cup_process *process = &totals->profile->processes[index];
    host->threads += totals->budgets[index].threads;
    host->threads_ns += totals->budgets[index].threads_ns;
    host->tasks += process->tasks + process->summed.tasks;
    host->read_bytes += process->read_bytes + process->otherwise_read;
    for (int place = 0; place < CUP_PLACE_COUNT; place++) {
        host->io_wait_ns += process->waits[place].ns[CUP_WAITED_IO];
        host->waited_ns += cup_wait_sums_wall_ns(&process->waits[place]);
    }
}

static int add_processes(struct cup_hosts *hosts, const struct cup_totals *totals)
{
    for (size_t i = 0; i < totals->profile->process_count; i++) {
        if (!is_of_hosts(totals, i))
            continue;
        struct cup_host *host = add_host(hosts, &totals->profile->processes[i]);
        if (!host)
            return -1;
        add_process(host, totals, i);
        host->workers += cup_process_workers(totals, i);
    }
    return 0;
}

static void add_chunk(struct cup_host *host, const struct cup_task *task,
                      const struct cup_item *item, uint8_t outcome)
{
    uint64_t events = cup_item_events(item);
    host->failed_chunks += outcome == CUP_OUTCOME_FAILED || outcome == CUP_OUTCOME_UNFINISHED;
    if (outcome != CUP_OUTCOME_USED)
        return;
    host->chunks++;
    if (events == CUP_UNKNOWN64)
        return;
    host->timed_chunks++;
    host->events += events;
    host->wall_ns += cup_task_wall_ns(task);
    host->cpu_ns += task->cpu_ns == CUP_UNKNOWN64 ? 0 : task->cpu_ns;
}

struct cup_host *cup_hosts_row(struct cup_hosts *hosts, const struct cup_totals *totals,
                               uint32_t process)
{
    uint32_t host = cup_host_of(hosts, &totals->profile->processes[process]);
    return host && is_of_hosts(totals, process) ? &hosts->rows[host - 1] : NULL;
}

void cup_host_add_task(struct cup_host *host, const struct cup_totals *totals,
                       const struct cup_task *task)
{
    uint64_t wall_ns = cup_task_wall_ns(task);
    host->failed += cup_task_is_bad(totals->profile, task);
    host->task_ns += wall_ns == CUP_UNKNOWN64 ? 0 : wall_ns;
    if (task->item && totals->outcomes[task->item - 1] != CUP_OUTCOME_NONE)
        add_chunk(host, task, &totals->profile->items[task->item - 1],
                  totals->outcomes[task->item - 1]);
}

void cup_host_add_sum(struct cup_host *host, const struct cup_profile *profile,
                      const struct cup_task_sum *sum)
{
    bool erred = cup_task_sum_status(sum) == CUP_STATUS_ERRED;
    host->task_ns += sum->values[CUP_T_WALL_NS];
    host->failed += erred ? sum->values[CUP_T_TASKS] : 0;
    host->failed_chunks +=
        erred && cup_task_sum_is_chunk(profile, sum) ? sum->values[CUP_T_TASKS] : 0;
    if (!cup_task_sum_was_used(profile, sum))
        return;
    host->chunks += sum->values[CUP_T_TASKS];
    if (!(sum->what & CUP_SUM_HAS_EVENTS))
        return;
    host->timed_chunks += sum->values[CUP_T_TASKS];
    host->events += sum->values[CUP_T_EVENTS];
    host->wall_ns += sum->values[CUP_T_WALL_NS];
    host->cpu_ns += sum->values[CUP_T_CPU_NS];
}

/* ---- what the processes noted ----------------------------------------------------------- */

static uint32_t name_of(const struct cup_profile *profile, const char *text)
{
    return cup_intern_find(&profile->strings, text, strlen(text));
}

static uint32_t number_of(const struct cup_profile *profile, uint32_t string)
{
    struct cup_text text = cup_profile_text(profile, string);
    return text.bytes ? (uint32_t)strtoul(text.bytes, NULL, 10) : 0;
}

/* All processes of a host have the same CPU model, unless several hosts share one name. */
static void note_model(struct cup_host *host, uint32_t model, uint8_t *mixed)
{
    *mixed |= host->model != 0 && host->model != model;
    host->model = model;
}

static void read_facts(struct cup_hosts *hosts, const struct cup_totals *totals, uint8_t *mixed)
{
    const struct cup_profile *profile = totals->profile;
    uint32_t model = name_of(profile, "cpu_model"), cpus = name_of(profile, "cpus"),
             usable = name_of(profile, "cpus_usable");
    for (size_t i = 0; i < profile->info_count; i++) {
        const struct cup_info *info = &profile->infos[i];
        bool wanted =
            info->name && (info->name == model || info->name == cpus || info->name == usable);
        struct cup_host *host = wanted ? cup_hosts_row(hosts, totals, info->process) : NULL;
        if (!host)
            continue;
        if (info->name == model)
            note_model(host, info->value, &mixed[host - hosts->rows]);
        else if (info->name == cpus)
            host->cpus = number_of(profile, info->value);
        else
            host->usable_cpus = number_of(profile, info->value);
    }
}

static int add_facts(struct cup_hosts *hosts, const struct cup_totals *totals)
{
    uint8_t *mixed = calloc(hosts->count + 1, 1);
    if (!mixed)
        return -1;
    read_facts(hosts, totals, mixed);
    for (size_t i = 0; i < hosts->count; i++)
        if (mixed[i])
            hosts->rows[i].model = 0;
    free(mixed);
    return 0;
}

/* ---- by CPU model ----------------------------------------------------------------------- */

static void add_to_model(struct cup_host *model, const struct cup_host *host)
{
    model->hosts++;
    model->cpus += host->cpus;
    cup_add_numbers(&model->workers, &host->workers,
                    offsetof(struct cup_host, verdict) - offsetof(struct cup_host, workers));
}

static struct cup_host *model_of(struct cup_hosts *hosts, uint32_t name)
{
    for (size_t i = 0; i < hosts->model_count; i++)
        if (hosts->models[i].model == name)
            return &hosts->models[i];
    if (cup_array_grow(&hosts->models, &hosts->model_room, hosts->model_count,
                       sizeof *hosts->models) != 0)
        return NULL;
    hosts->models[hosts->model_count] = (struct cup_host){.model = name};
    return &hosts->models[hosts->model_count++];
}

static int add_models(struct cup_hosts *hosts)
{
    for (size_t i = 0; i < hosts->count; i++) {
        struct cup_host *model = model_of(hosts, hosts->rows[i].model);
        if (!model)
            return -1;
        add_to_model(model, &hosts->rows[i]);
    }
    return 0;
}

/* ---- comparison ------------------------------------------------------------------------- */

double cup_host_rate(const struct cup_host *host)
{
    return host->wall_ns ? (double)host->events / ((double)host->wall_ns / 1e9) : 0;
}

static bool is_comparable(const struct cup_host *host)
{
    return host->timed_chunks >= CUP_HOST_CHUNKS && host->wall_ns > 0;
}

static void judge_host(struct cup_host *host, double median, double deviation)
{
    double distance = cup_host_rate(host) - median;
    bool far = fabs(distance) > CUP_HOST_OUTLIER_DEVIATIONS * deviation &&
               fabs(distance) > CUP_HOST_OUTLIER_SHARE * median;
    host->median = median;
    host->deviations = deviation > 0 ? distance / deviation : NAN;
    host->verdict = !far ? CUP_HOST_ORDINARY : distance < 0 ? CUP_HOST_SLOW : CUP_HOST_FAST;
}

/* Collects the rates of the hosts of a model that can be compared. Returns how many. */
static size_t collect_rates(const struct cup_hosts *hosts, uint32_t model, double *rates)
{
    size_t count = 0;
    for (size_t i = 0; i < hosts->count; i++)
        if (hosts->rows[i].model == model && is_comparable(&hosts->rows[i]))
            rates[count++] = cup_host_rate(&hosts->rows[i]);
    return count;
}

static void compare_model(struct cup_hosts *hosts, uint32_t model, double *rates)
{
    size_t count = collect_rates(hosts, model, rates);
    double median = cup_statistics_of(rates, count).median;
    for (size_t i = 0; i < count; i++)
        rates[i] = fabs(rates[i] - median);
    double deviation = 1.4826 * cup_statistics_of(rates, count).median;
    for (size_t i = 0; i < hosts->count; i++) {
        struct cup_host *host = &hosts->rows[i];
        if (host->model != model)
            continue;
        if (!is_comparable(host))
            host->verdict = CUP_HOST_FEW_CHUNKS;
        else if (count < CUP_HOSTS_COMPARED)
            host->verdict = CUP_HOST_FEW_HOSTS;
        else
            judge_host(host, median, deviation);
    }
}

static int compare_hosts(struct cup_hosts *hosts)
{
    double *rates = malloc((hosts->count + 1) * sizeof *rates);
    if (!rates)
        return -1;
    for (size_t i = 0; i < hosts->model_count; i++)
        if (hosts->models[i].model)
            compare_model(hosts, hosts->models[i].model, rates);
    free(rates);
    return 0;
}

int cup_hosts_start(struct cup_hosts *hosts, const struct cup_totals *totals)
{
    *hosts = (struct cup_hosts){0};
    return add_processes(hosts, totals) == 0 ? add_facts(hosts, totals) : -1;
}

int cup_hosts_finish(struct cup_hosts *hosts)
{
    return add_models(hosts) == 0 ? compare_hosts(hosts) : -1;
}

void cup_hosts_free(struct cup_hosts *hosts)
{
    cup_intern_clear(&hosts->names);
    free(hosts->rows);
    free(hosts->models);
    *hosts = (struct cup_hosts){0};
}
