/* Loads all logs of a directory, several at the same time. Each is loaded into a profile of its
 * own, and these are merged in the order of the logs' names, so that the result does not depend on
 * timing. */
#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/base/array.h"
#include "analysis/base/parallel.h"
#include "analysis/profile/load/loader.h"
#include "analysis/profile/process_ancestry.h"
#include "analysis/profile/process_life.h"
#include "analysis/profile/runs.h"

/* ---- the directory ---------------------------------------------------------------------- */

struct names {
    char **names; /* owned, and so are the names in it */
    size_t count, room;
};

static bool is_log_name(const char *name)
{
    size_t length = strlen(name), suffix = strlen(CUP_LOG_SUFFIX);
    return name[0] != '.' && length > suffix && strcmp(name + length - suffix, CUP_LOG_SUFFIX) == 0;
}

static void free_names(struct names *names)
{
    for (size_t i = 0; i < names->count; i++)
        free(names->names[i]);
    free(names->names);
}

/* "DIRECTORY/NAME", allocated. */
static char *join_path(const char *directory, const char *name)
{
    size_t bytes = strlen(directory) + strlen(name) + 2;
    char *path = malloc(bytes);
    if (path)
        snprintf(path, bytes, "%s/%s", directory, name);
    return path;
}

static int add_name(struct names *names, const char *directory, const char *name)
{
    if (cup_array_grow(&names->names, &names->room, names->count, sizeof *names->names) != 0 ||
        !(names->names[names->count] = join_path(directory, name)))
        return -1;
    names->count++;
    return 0;
}

static int by_name(const void *left, const void *right)
{
    return strcmp(*(char *const *)left, *(char *const *)right);
}

static int cannot_open(const char *directory, struct cup_error *error)
{
    if (errno == ENOENT)
        return cup_error_set(error, directory, CUP_NO_OFFSET,
                             "no such profile directory; name one, or make one with "
                             "`cupping run -- COMMAND`");
    if (errno == ENOTDIR)
        return cup_error_set(error, directory, CUP_NO_OFFSET,
                             "not a directory; name the profile directory (`cupping dump` shows "
                             "a single log)");
    return cup_error_system(error, directory, "open the profile directory");
}

static int list_logs(const char *directory, struct names *names, struct cup_error *error)
{
    DIR *stream = opendir(directory);
    if (!stream)
        return cannot_open(directory, error);
    int result = 0;
    for (struct dirent *entry; result == 0 && (entry = readdir(stream)) != NULL;)
        if (is_log_name(entry->d_name) && add_name(names, directory, entry->d_name) != 0)
            result = cup_error_memory(error, directory);
    closedir(stream);
    if (result == 0 && names->count == 0)
        return cup_error_set(error, directory, CUP_NO_OFFSET,
                             "holds no logs (*" CUP_LOG_SUFFIX "); either nothing that ran under "
                             "`cupping run` ran a task, or the library was not loaded there");
    if (names->count)
        qsort(names->names, names->count, sizeof *names->names, by_name);
    return result;
}

/* ---- the crew --------------------------------------------------------------------------- */

/* A log that is larger than this is loaded directly into the whole profile when its turn comes: to
 * hold a second copy of its tasks would take too much memory. */
enum { LARGE_LOG = 32 << 20 };

struct crew {
    const struct names *names;
    const struct cup_load_options *options;
    struct cup_builder builder; /* of the whole profile; used only by the thread whose turn it is */
    pthread_mutex_t lock;       /* protects the fields below */
    pthread_cond_t turn_changed;
    size_t next; /* index of the next log to load */
    size_t turn; /* index of the next log to merge */
};

static bool take_log(struct crew *crew, size_t *log)
{
    pthread_mutex_lock(&crew->lock);
    *log = crew->next++;
    pthread_mutex_unlock(&crew->lock);
    return *log < crew->names->count;
}

static void await_turn(struct crew *crew, size_t log)
{
    pthread_mutex_lock(&crew->lock);
    while (crew->turn != log)
        pthread_cond_wait(&crew->turn_changed, &crew->lock);
    pthread_mutex_unlock(&crew->lock);
}

static void end_turn(struct crew *crew)
{
    pthread_mutex_lock(&crew->lock);
    crew->turn++;
    pthread_cond_broadcast(&crew->turn_changed);
    pthread_mutex_unlock(&crew->lock);
}

static bool is_large(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && status.st_size > LARGE_LOG;
}

static void load_in_turn(struct crew *crew, size_t log)
{
    await_turn(crew, log);
    if (!crew->builder.out_of_memory)
        cup_load_log(&crew->builder, crew->names->names[log], crew->options);
    end_turn(crew);
}

static void load_and_merge(struct crew *crew, size_t log, struct cup_builder *aside)
{
    cup_builder_empty(aside);
    cup_load_log(aside, crew->names->names[log], crew->options);
    await_turn(crew, log);
    if (aside->out_of_memory)
        crew->builder.out_of_memory = true;
    if (!crew->builder.out_of_memory)
        cup_profile_merge(&crew->builder, aside->profile);
    end_turn(crew);
}

static void load_logs(void *context)
{
    struct crew *crew = context;
    struct cup_profile profile;
    struct cup_builder aside;
    size_t log;
    cup_builder_start(&aside, &profile);
    while (take_log(crew, &log)) {
        if (is_large(crew->names->names[log]))
            load_in_turn(crew, log);
        else
            load_and_merge(crew, log, &aside);
    }
    cup_builder_finish(&aside);
    cup_profile_free(&profile);
}

static void load_names(struct crew *crew)
{
    pthread_mutex_init(&crew->lock, NULL);
    pthread_cond_init(&crew->turn_changed, NULL);
    cup_parallel(crew->names->count, load_logs, crew);
    pthread_cond_destroy(&crew->turn_changed);
    pthread_mutex_destroy(&crew->lock);
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
    for (size_t i = 0; paths && i < profile->item_count; i++)
        profile->items[i].path_is_chunk = profile->items[i].kind == CUP_ITEM_PATH;
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

/* ---- all of it -------------------------------------------------------------------------- */

static int check_result(const struct cup_builder *builder, struct cup_error *error)
{
    const struct cup_profile *profile = builder->profile;
    if (builder->out_of_memory)
        return cup_error_memory(error, profile->path);
    if (profile->logs_read > 0)
        return 0;
    if (profile->logs_unreadable == 1) {
        *error = profile->damages[0];
        return -1;
    }
    return cup_error_set(error, profile->path, CUP_NO_OFFSET,
                         "none of its %llu logs can be read; the first: %s",
                         (unsigned long long)profile->logs_unreadable, profile->damages[0].text);
}

/* Sets the time window of the run that the options ask for. */
static void choose_run(struct cup_builder *builder, const struct names *names,
                       struct cup_load_options *options)
{
    struct cup_profile *profile = builder->profile;
    if (cup_runs_read(profile, names->names, names->count, options->clocks) != 0)
        builder->out_of_memory = true;
    cup_runs_choose(profile, options->run);
    if (profile->run && profile->run_count > 1)
        cup_runs_window(profile, &options->from_ns, &options->to_ns);
}

static int load_all(struct cup_profile *profile, const char *directory, const struct names *names,
                    const struct cup_load_options *options, struct cup_error *error)
{
    struct cup_load_options chosen = *options;
    struct crew crew = {.names = names, .options = &chosen};
    struct cup_clocks clocks;
    cup_builder_start(&crew.builder, profile);
    crew.builder.all_basket_places = options->baskets;
    profile->path = strdup(directory);
    if (!profile->path)
        crew.builder.out_of_memory = true;
    if (cup_clocks_read(&clocks, names->names, names->count) != 0)
        crew.builder.out_of_memory = true;
    chosen.clocks = &clocks;
    choose_run(&crew.builder, names, &chosen);
    load_names(&crew);
    mark_path_chunks(profile);
    cup_processes_judge(profile);
    profile->narrowed = options->span || options->from_ns != options->to_ns;
    profile->selective = chosen.span || chosen.from_ns != chosen.to_ns;
    if (!crew.builder.out_of_memory && cup_ancestries_settle(profile, profile->selective) != 0)
        crew.builder.out_of_memory = true;
    if (!crew.builder.out_of_memory && name_digest_spans(profile) != 0)
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
    struct names names = {0};
    *profile = (struct cup_profile){0};
    int result = list_logs(directory, &names, error);
    if (result == 0)
        result = load_all(profile, directory, &names, options, error);
    free_names(&names);
    return result;
}
