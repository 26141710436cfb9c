/* Loads all logs of a directory, several at the same time. Each is loaded into a profile of its
 * own, and these are merged in the order of the logs' names, so that the result does not depend on
 * timing. */
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/hash_map.h"
#include "analysis/base/parallel.h"
#include "analysis/profile/item_attempts.h"
#include "analysis/profile/load/computations.h"
#include "analysis/profile/load/loader.h"
#include "analysis/profile/load/prepared_log.h"
#include "analysis/profile/log_names.h"
#include "analysis/profile/process_ancestry.h"
#include "analysis/profile/process_life.h"
#include "analysis/profile/runs.h"

/* ---- the crew --------------------------------------------------------------------------- */

struct crew {
    const struct cup_log_names *names;
    const struct cup_load_options *options;
    struct cup_builder builder; /* of the whole profile; used only by the thread whose turn it is */
    struct cup_turns turns;     /* of the logs */
};

static void end_turn(struct crew *crew)
{
    if (crew->options->progress)
        crew->options->progress(crew->options->progress_context, crew->turns.turn + 1,
                                crew->names->count);
    cup_turns_end(&crew->turns);
}

static bool is_large(const char *path)
{
    struct cup_log_bytes bytes;
    struct cup_error error;
    uint64_t size = 0;
    bool regular;
    if (cup_log_bytes_open(&bytes, path, &error) == 0)
        cup_log_bytes_size(&bytes, &size, &regular);
    cup_log_bytes_close(&bytes);
    return size > CUP_LARGE_LOG;
}

/* Gives the records of the log that was added last to the taker, unless that log could not be read:
 * then the profile has no more than BEFORE processes. */
static void give_records(struct crew *crew, size_t before, struct cup_kept_records *kept)
{
    const struct cup_record_taker *taker = crew->options->taker;
    size_t processes = crew->builder.profile->process_count;
    if (taker && processes > before && !crew->builder.out_of_memory)
        taker->take(taker->context, (uint32_t)processes - 1, kept);
}

static void load_in_turn(struct crew *crew, size_t log, struct cup_kept_records *kept)
{
    cup_turns_await(&crew->turns, log);
    size_t before = crew->builder.profile->process_count;
    if (!crew->builder.out_of_memory)
        cup_load_log(&crew->builder, crew->names->names[log], crew->options, kept);
    give_records(crew, before, kept);
    end_turn(crew);
}

static void load_and_merge(struct crew *crew, size_t log, struct cup_builder *aside,
                           struct cup_kept_records *kept)
{
    cup_builder_empty(aside);
    if (!cup_load_prepared(aside, crew->names->names[log], crew->options, kept))
        cup_load_log(aside, crew->names->names[log], crew->options, kept);
    cup_turns_await(&crew->turns, log);
    size_t before = crew->builder.profile->process_count;
    if (aside->out_of_memory)
        crew->builder.out_of_memory = true;
    if (!crew->builder.out_of_memory)
        cup_profile_merge(&crew->builder, aside->profile);
    give_records(crew, before, kept);
    end_turn(crew);
}

static void load_logs(void *context)
{
    struct crew *crew = context;
    struct cup_profile profile;
    struct cup_builder aside;
    struct cup_kept_records kept = {0};
    size_t log;
    cup_builder_start(&aside, &profile);
    while (cup_turns_take(&crew->turns, &log)) {
        if (is_large(crew->names->names[log]))
            load_in_turn(crew, log, &kept);
        else
            load_and_merge(crew, log, &aside, &kept);
    }
    cup_kept_free(&kept);
    cup_builder_finish(&aside);
    cup_profile_free(&profile);
}

static void load_names(struct crew *crew)
{
    cup_turns_start(&crew->turns, crew->names->count);
    cup_parallel(crew->names->count, load_logs, crew);
    cup_turns_finish(&crew->turns);
    malloc_trim(0); /* what the threads have freed is of no use to the others */
}

/* Marks tasks that work on a path as chunks, but only if the profile has no real chunks. In a run
 * with chunks of Coffea, tasks with paths read metadata, merge or plot. */
static void mark_path_chunks(struct cup_profile *profile)
{
    bool paths = false;
    for (size_t i = 0; i < profile->item_count; i++) {
        if (cup_item_is_chunk(&profile->items[i]))
            return;
        paths = paths || profile->items[i].kind == CUP_ITEM_PATH;
    }
    for (size_t i = 0; i < profile->task_sum_count; i++)
        if (cup_task_sum_is_chunk(profile, &profile->task_sums[i]))
            return;
    profile->paths_are_chunks = true;
    for (size_t i = 0; paths && i < profile->item_count; i++)
        profile->items[i].path_is_chunk = profile->items[i].kind == CUP_ITEM_PATH;
}

static void count_summed_chunks(struct cup_profile *profile)
{
    for (size_t i = 0; i < profile->task_sum_count; i++)
        if (cup_task_sum_is_chunk(profile, &profile->task_sums[i]))
            profile->chunks_summed += profile->task_sums[i].values[CUP_T_TASKS];
}

static uint64_t file_of(const struct cup_profile *profile, size_t index)
{
    const struct cup_item *item = &profile->items[index];
    return (uint64_t)cup_source_of(profile, item)->dataset << 32 | item->file;
}

static struct cup_task *task_of(struct cup_profile *profile, size_t item)
{
    return &profile->tasks[profile->items[item].task];
}

/* Fills in the index + 1 of each file's chunk that began last. Returns 0, or -1 without memory. */
static int find_last_chunks(struct cup_profile *profile, struct cup_hash_map *chunks)
{
    for (uint32_t i = 0; i < profile->item_count; i++) {
        if (profile->items[i].kind != CUP_ITEM_WORK)
            continue;
        uint32_t *last = cup_hash_map_put(chunks, file_of(profile, i));
        if (!last)
            return -1;
        if (*last == 0 || task_of(profile, i)->start_ns > task_of(profile, *last - 1)->start_ns)
            *last = i + 1;
    }
    return 0;
}

/* Coffea makes chunks of a file only after it has read the file's metadata: if it is not known how
 * the task ended that read them, a later chunk shows that it succeeded. Returns 0, or -1 without
 * memory. */
static int settle_metadata(struct cup_profile *profile)
{
    struct cup_hash_map chunks = {0};
    int result = find_last_chunks(profile, &chunks);
    for (size_t i = 0; i < profile->item_count; i++) {
        struct cup_task *task = task_of(profile, i);
        if (task->status != CUP_STATUS_UNKNOWN || profile->items[i].kind != CUP_ITEM_METADATA)
            continue;
        uint32_t *last = cup_hash_map_find(&chunks, file_of(profile, i));
        if (last && task_of(profile, *last - 1)->start_ns >= task->stop_ns)
            task->status = CUP_STATUS_FINISHED;
    }
    cup_hash_map_clear(&chunks);
    return result;
}

/* Sets the names of the spans of the fine metrics. If several processes name one span, the last
 * name is used; they normally give the same name. Returns 0, or -1 without memory. */
static int name_digest_spans(struct cup_profile *profile)
{
    struct cup_id_map names = {0};
    int result = 0;
    for (size_t i = 0; i < profile->span_count && result == 0; i++)
        result = cup_id_map_set(&names, profile->spans[i].id, profile->spans[i].name);
    for (size_t i = 0; i < profile->digest_count; i++)
        profile->digests[i].span_name = cup_id_map_get(&names, profile->digests[i].span);
    cup_id_map_clear(&names);
    return result;
}

/* A task of another Runner call is no other attempt at the same work, even if Dask gives it the
 * same key. When the tasks ran that a merge summed up is not known, nor to which one of calls at
 * the same time a task belongs: then keys stay as they are. */
static void separate_calls(struct cup_profile *profile)
{
    static const uint64_t STEP = UINT64_C(0x9e3779b97f4a7c15);
    if (profile->run || profile->run_count < 2 || profile->summed_key_count ||
        cup_runs_overlap(profile))
        return;
    for (size_t i = 0; i < profile->input_count; i++) {
        struct cup_inputs *inputs = &profile->inputs[i];
        int64_t start_ns = profile->tasks[inputs->task].start_ns;
        if (inputs->one_hash)
            inputs->one_hash ^= STEP * cup_runs_index_at(profile, start_ns);
    }
    for (size_t i = 0; i < profile->task_count; i++)
        profile->tasks[i].key_hash ^= STEP * cup_runs_index_at(profile, profile->tasks[i].start_ns);
}

/* ---- all of it -------------------------------------------------------------------------- */

/* None of LOGS logs can be read; DAMAGE: of the first one. */
static int refuse_logs(const char *directory, size_t logs, const struct cup_error *damage,
                       struct cup_error *error)
{
    if (logs == 1) {
        *error = *damage;
        return -1;
    }
    return cup_error_set(error, directory, CUP_NO_OFFSET,
                         "none of its %zu logs can be read; the first: %s", logs, damage->text);
}

static int check_result(const struct cup_builder *builder, struct cup_error *error)
{
    const struct cup_profile *profile = builder->profile;
    if (builder->out_of_memory)
        return cup_error_memory(error, profile->path);
    if (profile->sums_apart > 0)
        return cup_error_set(error, profile->path, CUP_NO_OFFSET,
                             "a merge summed up its tasks by prefix, so a part of them cannot be "
                             "selected: ask for all (no span, no times, `--run all`)");
    if (profile->logs_read > 0)
        return 0;
    if (profile->logs_unreadable == 0)
        return cup_error_set(
            error, profile->path, CUP_NO_OFFSET,
            "no task was recorded: all processes were killed before they recorded anything");
    return refuse_logs(profile->path, profile->logs_unreadable, &profile->damages[0], error);
}

/* Sets the time window of the run that the options ask for. */
static void choose_run(struct cup_builder *builder, const struct cup_log_names *names,
                       struct cup_load_options *options)
{
    struct cup_profile *profile = builder->profile;
    if (cup_runs_read(profile, names->names, names->count, options->clocks) != 0)
        builder->out_of_memory = true;
    cup_runs_choose(profile, options->run);
    if (profile->run && profile->run_count > 1)
        cup_runs_window(profile, &options->from_ns, &options->to_ns);
}

static int load_all(struct cup_profile *profile, const char *directory,
                    const struct cup_log_names *names, const struct cup_load_options *options,
                    struct cup_error *error)
{
    struct cup_load_options chosen = *options;
    struct crew crew = {.names = names, .options = &chosen};
    struct cup_clocks clocks;
    cup_builder_start(&crew.builder, profile);
    crew.builder.all_basket_places = options->baskets;
    profile->path = strdup(directory);
    profile->narrowed = options->span || options->from_ns != options->to_ns;
    if (!profile->path)
        crew.builder.out_of_memory = true;
    if (cup_clocks_read(&clocks, names->names, names->count) != 0)
        crew.builder.out_of_memory = true;
    chosen.clocks = &clocks;
    choose_run(&crew.builder, names, &chosen);
    profile->selective = chosen.span || chosen.from_ns != chosen.to_ns;
    /* Before the logs: what it says of them stays true while a job fills them. */
    cup_collected_read(&profile->collected, directory, names);
    load_names(&crew);
    mark_path_chunks(profile);
    count_summed_chunks(profile);
    cup_processes_judge(profile);
    if (!crew.builder.out_of_memory && cup_ancestries_settle(profile, profile->selective) != 0)
        crew.builder.out_of_memory = true;
    if (!crew.builder.out_of_memory &&
        (settle_metadata(profile) != 0 || cup_item_attempts_link(profile) != 0 ||
         name_digest_spans(profile) != 0))
        crew.builder.out_of_memory = true;
    separate_calls(profile);
    if (!crew.builder.out_of_memory && cup_computations_separate(profile) != 0)
        crew.builder.out_of_memory = true;
    cup_clocks_free(&clocks);
    int result = check_result(&crew.builder, error);
    cup_builder_finish(&crew.builder);
    if (result != 0)
        cup_profile_free(profile);
    return result;
}

int cup_profile_load(struct cup_profile *profile, const char *directory,
                     const struct cup_load_options *options, struct cup_error *error)
{
    struct cup_log_names names;
    *profile = (struct cup_profile){0};
    int result = cup_log_names_list(&names, directory, error);
    if (result == 0)
        result = load_all(profile, directory, &names, options, error);
    cup_log_names_free(&names);
    return result;
}

static int check_logs(const char *directory, const struct cup_log_names *names,
                      struct cup_error *error)
{
    struct cup_error first = {0}, damage;
    for (size_t i = 0; i < names->count; i++) {
        struct cup_log log;
        int result = cup_log_open(&log, names->names[i], i == 0 ? &first : &damage);
        cup_log_close(&log);
        if (result == 0)
            return 0;
    }
    return refuse_logs(directory, names->count, &first, error);
}

int cup_profile_check(const char *directory, unsigned run, struct cup_error *error)
{
    struct cup_log_names names;
    struct cup_profile profile = {.path = (char *)directory};
    int result = cup_log_names_list(&names, directory, error);
    if (result == 0)
        result = check_logs(directory, &names, error);
    if (result == 0 && cup_runs_read(&profile, names.names, names.count, NULL) != 0)
        result = cup_error_memory(error, directory);
    if (result == 0)
        result = cup_run_option_check(run, &profile, error);
    free(profile.runs);
    cup_log_names_free(&names);
    return result;
}
