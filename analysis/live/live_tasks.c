/* Tasks, their chunks, and what threads did for them. */
#include <stdlib.h>

#include "analysis/live/live_log.h"
#include "analysis/log/log_pairs.h"
#include "analysis/metrics/sums/sums.h"

/* ---- workers and prefixes ------------------------------------------------------------------ */

struct cup_live_worker *cup_live_worker_of(struct cup_live *live, struct cup_live_log *log,
                                           uint32_t server)
{
    uint32_t known = cup_id_map_get(&log->workers, server);
    if (known)
        return &live->workers[known - 1];
    struct cup_live_worker *worker = CUP_LIVE_APPEND(live, live, workers, worker);
    if (!worker)
        return NULL;
    *worker = (struct cup_live_worker){.process = log->process,
                                       .memory_limit = CUP_UNKNOWN64,
                                       .rss = CUP_UNKNOWN64,
                                       .cpu_ns_per_s = CUP_UNKNOWN64};
    cup_live_map(live, &log->workers, server, (uint32_t)live->worker_count);
    return worker;
}

void cup_live_server(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r)
{
    struct cup_r_server fixed = cup_read_server(r);
    struct cup_process *process = &live->known.processes[log->process];
    if (fixed.role < 32)
        process->roles |= 1u << fixed.role;
    if (fixed.role != CUP_ROLE_WORKER)
        return;
    struct cup_live_worker *worker = cup_live_worker_of(live, log, fixed.id);
    if (!worker)
        return;
    worker->name = cup_live_string(log, fixed.name);
    worker->address = cup_live_string(log, fixed.address);
    worker->threads = fixed.threads;
    worker->memory_limit = fixed.memory_limit ? fixed.memory_limit : CUP_UNKNOWN64;
    if (worker->address && cup_pair_map_set(&live->worker_at, worker->address, 0,
                                            (uint32_t)(worker - live->workers) + 1) != 0)
        live->out_of_memory = true;
}

static uint32_t prefix_of(struct cup_live *live, uint32_t name)
{
    uint32_t known = cup_pair_map_get(&live->prefix_at, name, 0);
    if (known)
        return known - 1;
    struct cup_live_prefix *prefix = CUP_LIVE_APPEND(live, live, prefixes, prefix);
    if (!prefix || cup_pair_map_set(&live->prefix_at, name, 0, (uint32_t)live->prefix_count) != 0) {
        live->out_of_memory = true;
        return 0;
    }
    prefix->name = name;
    return (uint32_t)live->prefix_count - 1;
}

/* ---- begin --------------------------------------------------------------------------------- */

static void count_thread(struct cup_live *live, struct cup_live_log *log, uint32_t tid)
{
    if (cup_id_map_get(&log->threads, tid))
        return;
    cup_live_map(live, &log->threads, tid, 1);
    live->known.processes[log->process].task_threads++;
}

void cup_live_task_begin(struct cup_live *live, struct cup_live_log *log,
                         const struct cup_log_header *header, const struct cup_record *r)
{
    struct cup_r_task_begin fixed = cup_read_task_begin(r);
    int64_t start_ns = cup_sane_time(fixed.start_ns);
    count_thread(live, log, fixed.tid);
    if (start_ns < live->from_ns || start_ns >= live->to_ns) {
        cup_live_map(live, &log->tasks_at, fixed.task, CUP_LIVE_UNWANTED);
        return;
    }
    struct cup_live_worker *worker = cup_live_worker_of(live, log, fixed.server);
    struct cup_live_task *task = CUP_LIVE_APPEND(live, log, tasks, task);
    uint32_t *open = CUP_LIVE_APPEND(live, log, open_tasks, open);
    if (!worker || !task || !open)
        return;
    *open = (uint32_t)log->task_count - 1;
    *task = (struct cup_live_task){.start_ns = start_ns,
                                   .key_hash = cup_task_hash(header, r, &log->attempts),
                                   .result_bytes = CUP_UNKNOWN64,
                                   .events = CUP_UNKNOWN64,
                                   .prefix = prefix_of(live, cup_live_string(log, fixed.prefix)),
                                   .worker = (uint32_t)(worker - live->workers),
                                   .origin = (uint8_t)fixed.origin,
                                   .voided = log->all_voided};
    live->out_of_memory |= !task->key_hash;
    cup_live_map(live, &log->tasks_at, fixed.task, (uint32_t)log->task_count);
    live->known.processes[log->process].tasks++;
    live->tasks++;
    if (!live->stretch.start_ns || start_ns < live->stretch.start_ns)
        live->stretch.start_ns = start_ns;
}

static struct cup_live_task *find_task(struct cup_live_log *log, uint32_t number)
{
    uint32_t index = cup_id_map_get(&log->tasks_at, number);
    return index == 0 || index == CUP_LIVE_UNWANTED ? NULL : &log->tasks[index - 1];
}

/* ---- items --------------------------------------------------------------------------------- */

/* The task as the rooms of metrics/ know it. */
static struct cup_task profile_task(const struct cup_live_log *log,
                                    const struct cup_live_task *task)
{
    return (struct cup_task){.start_ns = task->start_ns,
                             .stop_ns = task->stop_ns,
                             .result_bytes = task->result_bytes,
                             .scope = log->process,
                             .status = task->status & 3,
                             .origin = task->origin & 7};
}

static struct cup_item profile_item(const struct cup_live_task *task)
{
    return (struct cup_item){.kind = task->item_kind,
                             .tic_ns = task->has_clock_calls,
                             .toc_ns = task->has_result,
                             .path_is_chunk = task->item_kind == CUP_ITEM_PATH};
}

static bool is_chunk(const struct cup_live_task *task)
{
    const struct cup_item item = profile_item(task);
    return (task->item_kind || task->has_clock_calls) && cup_item_is_chunk(&item);
}

static struct cup_live_chunks *chunks_of(struct cup_live *live, const struct cup_live_task *task)
{
    bool is_path = task->item_kind == CUP_ITEM_PATH && !task->has_clock_calls;
    return is_path ? &live->paths : &live->real;
}

/* As is_of_runner() of metrics/losses/completeness.c. */
static bool is_planned(const struct cup_live_task *task)
{
    return task->item_kind == CUP_ITEM_WORK || task->has_clock_calls;
}

/* BY: 1, or UINT64_MAX to take one away. */
static void count_items(struct cup_live *live, const struct cup_live_task *task, uint64_t by)
{
    if (!is_chunk(task))
        return;
    chunks_of(live, task)->items += by;
    live->planned.items += is_planned(task) ? by : 0;
}

/* Keeps the first chunk of Coffea: the plan of the run depends on who runs it. */
static void keep_first_item(struct cup_live *live, const struct cup_live_log *log,
                            const struct cup_live_task *task)
{
    if (live->known.item_count || !is_planned(task))
        return;
    struct cup_item *item = CUP_LIVE_APPEND(live, &live->known, items, item);
    struct cup_task *first = CUP_LIVE_APPEND(live, &live->known, tasks, task);
    if (item && first) {
        *item = profile_item(task);
        *first = profile_task(log, task);
    }
}

void cup_live_item(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r)
{
    struct cup_r_item fixed = cup_read_item(r);
    struct cup_live_task *task = find_task(log, fixed.task);
    if (!task)
        return;
    count_items(live, task, UINT64_MAX);
    const struct cup_item item = {.entry_start = fixed.entry_start, .entry_stop = fixed.entry_stop};
    task->item_kind = fixed.kind < UINT8_MAX ? (uint8_t)fixed.kind : UINT8_MAX;
    task->events = cup_item_events(&item);
    count_items(live, task, 1);
    keep_first_item(live, log, task);
}

void cup_live_chunk(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r)
{
    struct cup_r_chunk fixed = cup_read_chunk(r);
    struct cup_live_task *task = find_task(log, fixed.task);
    if (!task)
        return;
    count_items(live, task, UINT64_MAX);
    task->has_clock_calls = cup_sane_time(fixed.tic_ns) != 0;
    task->has_result = cup_sane_time(fixed.toc_ns) != 0;
    count_items(live, task, 1);
    keep_first_item(live, log, task);
}

/* ---- end ----------------------------------------------------------------------------------- */

static struct cup_live_chunk *chunk_of(struct cup_live *live, const struct cup_live_task *task)
{
    uint32_t *at = cup_hash_map_put(&live->chunk_at, task->key_hash);
    if (at && *at)
        return &live->chunk_keys[*at - 1];
    struct cup_live_chunk *chunk = at ? CUP_LIVE_APPEND(live, live, chunk_keys, chunk_key) : NULL;
    live->out_of_memory |= !at;
    if (chunk)
        *at = (uint32_t)live->chunk_key_count;
    return chunk;
}

void cup_live_count_events(struct cup_live *live, int64_t stop_ns, uint64_t events,
                           uint64_t planned)
{
    int64_t second = stop_ns / 1000000000;
    size_t at = (size_t)(second % CUP_LIVE_SECONDS);
    if (second < live->ended_second[at])
        return;
    if (second > live->ended_second[at])
        live->ended_events[at] = live->ended_planned[at] = 0;
    live->ended_second[at] = second;
    live->ended_events[at] += events;
    live->ended_planned[at] += planned;
}

/* A chunk became used (ADDS), or is so no longer. */
static void add_used(struct cup_live_chunks *sums, const struct cup_live_task *task, bool adds)
{
    bool known = task->events != CUP_UNKNOWN64;
    sums->used += adds ? 1 : UINT64_MAX;
    sums->without_events += known ? 0 : adds ? 1 : UINT64_MAX;
    if (known)
        sums->events += adds ? task->events : -task->events;
}

/* Of several attempts at a chunk one result counts; a result counts before a skipped chunk. */
static void add_chunk_end(struct cup_live *live, const struct cup_live_task *task, bool adds)
{
    struct cup_live_chunk *chunk = chunk_of(live, task);
    struct cup_live_chunks *sums = chunks_of(live, task);
    if (!chunk)
        return;
    bool was_used = chunk->used, was_skipped = !was_used && chunk->skipped;
    uint32_t by = adds ? 1 : UINT32_MAX; /* or less 1 */
    if (task->outcome == CUP_OUTCOME_USED)
        chunk->used += by;
    else if (task->outcome == CUP_OUTCOME_SKIPPED)
        chunk->skipped += by;
    else if (task->outcome == CUP_OUTCOME_FAILED)
        live->failed_chunks += adds ? 1 : UINT64_MAX;
    bool is_used = chunk->used, is_skipped = !is_used && chunk->skipped;
    sums->skipped += (uint64_t)is_skipped - was_skipped;
    if (is_used == was_used)
        return;
    add_used(sums, task, adds);
    if (is_planned(task))
        add_used(&live->planned, task, adds);
    if (task->events != CUP_UNKNOWN64 && adds)
        cup_live_count_events(live, task->stop_ns, task->events,
                              is_planned(task) ? task->events : 0);
}

static void count_status(struct cup_live *live, const struct cup_live_task *task, bool adds)
{
    uint64_t *count = task->status == CUP_STATUS_FINISHED ? &live->finished
                      : task->status == CUP_STATUS_ERRED  ? &live->erred
                                                          : &live->unknown;
    bool in_pool = task->origin != CUP_ORIGIN_ASYNC && task->origin != CUP_ORIGIN_ACTOR;
    uint64_t wall_ns =
        task->stop_ns > task->start_ns ? (uint64_t)(task->stop_ns - task->start_ns) : 0;
    *count += adds ? 1 : UINT64_MAX;
    live->workers[task->worker].done += adds ? 1 : UINT64_MAX;
    if (in_pool)
        live->closed.task_ns += adds ? wall_ns : -wall_ns;
    if (task->outcome)
        add_chunk_end(live, task, adds);
}

static void close_task(struct cup_live_log *log, uint32_t index)
{
    for (size_t i = 0; i < log->open_count; i++)
        if (log->open_tasks[i] == index)
            log->open_tasks[i--] = log->open_tasks[--log->open_count];
}

static void note_error(struct cup_live *live, const struct cup_live_log *log,
                       const struct cup_r_task_end *end, int64_t stop_ns)
{
    uint32_t error = cup_live_string(log, end->error);
    if (end->status != CUP_STATUS_ERRED || !error || stop_ns < live->last_error_ns)
        return;
    live->last_error = error;
    live->last_error_ns = stop_ns;
}

void cup_live_task_end(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r)
{
    struct cup_r_task_end fixed = cup_read_task_end(r);
    struct cup_live_task *task = find_task(log, fixed.task);
    if (!task)
        return;
    if (task->status) /* the second record of a task replaces the first */
        count_status(live, task, false);
    else
        close_task(log, (uint32_t)(task - log->tasks));
    bool is_known = fixed.status == CUP_STATUS_FINISHED || fixed.status == CUP_STATUS_ERRED;
    task->status = is_known ? (uint8_t)fixed.status : CUP_STATUS_UNKNOWN;
    task->stop_ns = cup_sane_time(fixed.stop_ns);
    task->result_bytes = fixed.result_bytes;
    const struct cup_task as_task = profile_task(log, task);
    const struct cup_item as_item = profile_item(task);
    task->outcome = is_chunk(task) ? (uint8_t)cup_outcome_of(&live->known, &as_task, &as_item) : 0;
    if (task->stop_ns > live->stretch.stop_ns)
        live->stretch.stop_ns = task->stop_ns;
    count_status(live, task, true);
    note_error(live, log, &fixed, task->stop_ns);
}

void cup_live_count_open(struct cup_live *live, const struct cup_live_log *log, int64_t now_ns,
                         struct cup_live_sums *sums)
{
    bool runs = live->known.processes[log->process].life == CUP_LIFE_RUNS;
    for (size_t i = 0; i < log->open_count; i++) {
        const struct cup_live_task *task = &log->tasks[log->open_tasks[i]];
        live->running += runs;
        live->unfinished += !runs;
        if (!runs)
            continue;
        live->prefixes[task->prefix].running++;
        live->workers[task->worker].running++;
        if (task->origin != CUP_ORIGIN_ASYNC && task->origin != CUP_ORIGIN_ACTOR &&
            now_ns > task->start_ns)
            sums->task_ns += (uint64_t)(now_ns - task->start_ns);
    }
    live->running += runs ? log->running : 0;
    sums->read_bytes += log->open_bytes;
    cup_measured_waits_add(&sums->waits, &log->open_waits);
}

/* ---- what threads did ---------------------------------------------------------------------- */

uint64_t cup_live_attributed_bytes(const uint64_t counters[CUP_COUNTER_COUNT])
{
    uint64_t sum = cup_otherwise_read(counters);
    for (int method = CUP_C_READ_OWN_BYTES; method <= CUP_C_READ_SOLE_BYTES; method++)
        sum += counters[method];
    return sum;
}

/* The bytes of a block that belong to a task of the run; 0: none. */
static uint64_t bytes_of_block(struct cup_live_log *log, uint32_t number, uint32_t kind,
                               const uint64_t *counters)
{
    const struct cup_live_task *task = find_task(log, number);
    bool unwanted = number == 0 || cup_id_map_get(&log->tasks_at, number) == CUP_LIVE_UNWANTED;
    bool voided = task && kind == CUP_BLOCK_INHERITS && task->voided;
    return unwanted || voided ? 0 : cup_live_attributed_bytes(counters);
}

void cup_live_counters(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r)
{
    uint64_t counters[CUP_COUNTER_COUNT] = {0};
    struct cup_r_counters fixed = cup_read_counters(r);
    cup_block_pairs_add(cup_record_tail(r), cup_record_tail_bytes(r), counters, NULL);
    if (fixed.block >= log->written_room) {
        uint32_t room = fixed.block + 64u;
        uint32_t *written = realloc(log->written, room * sizeof *written);
        if (!written) {
            live->out_of_memory = true;
            return;
        }
        memset(written + log->written_room, 0, (room - log->written_room) * sizeof *written);
        log->written = written;
        log->written_room = room;
    }
    log->written[fixed.block] = fixed.sequence;
    uint64_t bytes = bytes_of_block(log, fixed.task, fixed.own, counters);
    struct cup_live_task *task = find_task(log, fixed.task);
    live->closed.read_bytes += bytes;
    if (!task)
        return;
    live->workers[task->worker].closed_bytes += bytes;
    const struct cup_measured_waits waits = cup_measured_waits_of(counters);
    if (fixed.own == CUP_BLOCK_RUNS)
        cup_measured_waits_add(&live->closed.waits, &waits);
    if (fixed.own == CUP_BLOCK_INHERITS && !task->voided)
        task->inherited_bytes += bytes;
}

void cup_live_open_block(struct cup_live *live, struct cup_live_log *log,
                         const struct cup_block *block)
{
    const struct cup_live_task *task = find_task(log, block->task);
    uint64_t bytes = bytes_of_block(log, block->task, block->own, block->counters);
    log->open_bytes += bytes;
    if (!task)
        return;
    live->workers[task->worker].read_bytes += bytes;
    const struct cup_measured_waits waits = cup_measured_waits_of(block->counters);
    if (block->own == CUP_BLOCK_RUNS)
        cup_measured_waits_add(&log->open_waits, &waits);
}

static void void_task(struct cup_live *live, struct cup_live_task *task)
{
    if (!task->voided) {
        live->closed.read_bytes -= task->inherited_bytes;
        live->workers[task->worker].closed_bytes -= task->inherited_bytes;
    }
    task->voided = true;
}

void cup_live_void(struct cup_live *live, struct cup_live_log *log, const struct cup_record *r)
{
    struct cup_live_task *task = find_task(log, cup_read_void(r).task);
    if (task)
        void_task(live, task);
}

void cup_live_void_all(struct cup_live *live, struct cup_live_log *log)
{
    for (size_t i = 0; i < log->task_count && !log->all_voided; i++)
        void_task(live, &log->tasks[i]);
    log->all_voided = true;
}
