/* Tasks: their begins, ends and inputs. */
#include "analysis/profile/load/loader.h"

static void count_task_thread(struct cup_loader *loader, uint32_t tid)
{
    if (cup_id_map_get(&loader->threads, tid))
        return;
    cup_builder_map(loader->builder, &loader->threads, tid, 1);
    process_of(loader)->task_threads++;
}

static uint64_t hash_task(struct cup_loader *loader, const struct cup_record *record)
{
    uint64_t hash = cup_task_hash(&loader->log->header, record, &loader->attempts);
    loader->builder->out_of_memory |= !hash;
    return hash;
}

/* The span of a task: ids of strings in the profile. */
struct span {
    uint32_t name, id;
};

static void add_task(struct cup_loader *loader, const struct cup_r_task_begin *begin,
                     struct span span, uint64_t key_hash)
{
    struct cup_scope scope = {
        .process = loader->process,
        .prefix = cup_builder_prefix(loader->builder, string_of(loader, begin->prefix)),
        .server = cup_id_map_get(&loader->servers, begin->server),
        .span = span.name,
        .span_id = span.id,
    };
    uint32_t number = cup_builder_scope(loader->builder, scope);
    struct cup_task *task = cup_builder_task(loader->builder, loader->options->counters);
    if (!task || !number)
        return;
    *task = (struct cup_task){
        .start_ns = begin->start_ns,
        .cpu_ns = CUP_UNKNOWN64,
        .rss_start = cup_rss_pack(begin->rss),
        .rss_stop = CUP_RSS_UNKNOWN,
        .result_bytes = CUP_UNKNOWN64,
        .key_hash = key_hash,
        .scope = number - 1,
        .tid = begin->tid,
        .key_at = record_place(loader),
        .origin = begin->origin & 7,
        .shared = is_voided(loader, begin->task),
        .number = begin->task,
    };
    process_of(loader)->tasks++;
    profile_of(loader)->prefixes[scope.prefix].tasks++;
    if (scope.server)
        profile_of(loader)->servers[scope.server - 1].tasks++;
    cup_builder_map(loader->builder, &loader->tasks, begin->task,
                    (uint32_t)profile_of(loader)->task_count);
}

static bool is_wanted(const struct cup_loader *loader, int64_t start_ns, struct span span)
{
    const struct cup_load_options *options = loader->options;
    bool in_run = options->from_ns == options->to_ns ||
                  (start_ns >= options->from_ns && start_ns < options->to_ns);
    profile_of(loader)->tasks_skipped += !in_run;
    return in_run && (!loader->span || span.name == loader->span || span.id == loader->span);
}

/* Skips a task that the options exclude. Its span goes into other_spans, because the fine metrics
 * of that span include excluded tasks. */
static void skip_task(struct cup_loader *loader, uint32_t task, struct span span)
{
    cup_builder_map(loader->builder, &loader->tasks, task, CUP_UNWANTED_TASK);
    if (span.id == 0 || cup_id_map_get(&loader->others, span.id))
        return;
    cup_builder_map(loader->builder, &loader->others, span.id, 1);
    uint32_t *other = CUP_APPEND(loader->builder, other_spans, other_span);
    if (other)
        *other = span.id;
}

void cup_load_task_begin(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_task_begin begin = cup_read_task_begin(record);
    begin.start_ns = time_of(loader, begin.start_ns);
    struct span span = {string_of(loader, begin.span), string_of(loader, begin.span_id)};
    note_last_time(loader, begin.start_ns);
    count_task_thread(loader, begin.tid);
    uint32_t server = cup_id_map_get(&loader->servers, begin.server);
    if (server)
        profile_of(loader)->servers[server - 1].all_tasks++;
    if (is_wanted(loader, begin.start_ns, span))
        add_task(loader, &begin, span, hash_task(loader, record));
    else
        skip_task(loader, begin.task, span);
}

void cup_load_inputs(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_inputs r = cup_read_inputs(record);
    struct cup_text key = cup_record_text(record, r.key_bytes);
    struct cup_task *task = find_task(loader, r.task);
    struct cup_inputs *inputs = task ? CUP_APPEND(loader->builder, inputs, input) : NULL;
    if (inputs)
        *inputs = (struct cup_inputs){(uint32_t)(task - profile_of(loader)->tasks), r.count,
                                      r.bytes, key.length ? cup_text_hash(key) : 0};
}

static void set_error(struct cup_loader *loader, struct cup_task *task, uint32_t error)
{
    if (!error && !task->rare)
        return;
    struct cup_task_rare *rare = cup_rare_to_fill(profile_of(loader), task);
    if (rare)
        rare->error = error;
    else
        loader->builder->out_of_memory = true;
}

void cup_load_task_end(struct cup_loader *loader, const struct cup_record *record)
{
    struct cup_r_task_end end = cup_read_task_end(record);
    end.stop_ns = time_of(loader, end.stop_ns);
    note_last_time(loader, end.stop_ns);
    note_worker_time(loader, end.stop_ns);
    struct cup_task *task = find_task(loader, end.task);
    if (!task)
        return;
    bool had_ended = task->status != 0;
    bool is_known = end.status == CUP_STATUS_FINISHED || end.status == CUP_STATUS_ERRED;
    task->status = is_known ? end.status : CUP_STATUS_UNKNOWN;
    task->stop_ns = end.stop_ns;
    task->cpu_ns = end.cpu_ns;
    task->rss_stop = cup_rss_pack(end.rss);
    task->result_bytes = end.result_bytes;
    set_error(loader, task, string_of(loader, end.error));
    if (had_ended)
        return;
    cup_load_voided_bytes(loader, task);
    cup_load_waits_at_task_end(loader, task);
}
