#include "analysis/anonymize/anonymize.h"

#include <fcntl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/anonymize/aliases.h"
#include "analysis/anonymize/record_texts.h"
#include "analysis/base/id_map.h"
#include "analysis/log/log_reader.h"
#include "analysis/merge/sources.h"
#include "analysis/profile/collected.h"

/* All names of all logs. */
struct anonymizer {
    struct cup_intern texts; /* of all STRING records */
    unsigned char *kinds;    /* owned; by id in texts: enum cup_name_kind */
    size_t kind_room;
    struct cup_id_map strings; /* of one log: from the id of a STRING record to the text */
    struct cup_aliases aliases;
    struct cup_alias alias; /* the last one */
    char **frozen; /* owned; by log: the copy to read, because the log may still grow; or NULL */
    struct cup_log_names logs; /* owned: the array of `names` */
    bool short_of_memory;
};

/* ---- collecting ----------------------------------------------------------------------------- */

static uint32_t keep_text(struct anonymizer *of, struct cup_text text)
{
    uint32_t id = cup_intern_add(&of->texts, text.bytes, text.length);
    if (id >= of->kind_room) {
        size_t room = 2 * of->kind_room > id ? 2 * of->kind_room : (size_t)id + 1024;
        unsigned char *grown = realloc(of->kinds, room);
        if (!grown) {
            of->short_of_memory = true;
            return 0;
        }
        memset(grown + of->kind_room, 0, room - of->kind_room);
        of->kinds = grown;
        of->kind_room = room;
    }
    of->short_of_memory |= id == 0;
    return id;
}

static struct cup_text string_text(const struct anonymizer *of, uint32_t string)
{
    return cup_intern_text(&of->texts, cup_id_map_get(&of->strings, string));
}

static void note_kind(void *user, uint32_t string, enum cup_name_kind kind)
{
    struct anonymizer *of = user;
    uint32_t id = cup_id_map_get(&of->strings, string);
    if (id && of->kinds[id] < kind)
        of->kinds[id] = (unsigned char)kind;
}

static void read_string(struct anonymizer *of, const struct cup_record *record)
{
    struct cup_r_string string = cup_read_string(record);
    struct cup_text text = cup_record_text(record, string.bytes);
    uint32_t id = text.length ? keep_text(of, text) : 0;
    if (cup_id_map_set(&of->strings, string.id, id) != 0)
        of->short_of_memory = true;
}

static void make_key_alias(struct anonymizer *of, struct cup_text key)
{
    cup_alias_make(&of->aliases, CUP_NAME_KEY, key, &of->alias);
}

static struct cup_text key_of(const struct cup_record *record)
{
    return cup_record_text(record, record->type == CUP_R_TASK_BEGIN
                                       ? cup_read_task_begin(record).key_bytes
                                       : cup_read_inputs(record).key_bytes);
}

static void collect_record(struct anonymizer *of, const struct cup_record *record)
{
    struct cup_r_info info;
    switch (record->type) {
    case CUP_R_STRING:
        read_string(of, record);
        break;
    case CUP_R_TASK_BEGIN:
    case CUP_R_INPUTS:
        make_key_alias(of, key_of(record));
        break;
    case CUP_R_INFO:
        info = cup_read_info(record);
        note_kind(of, info.value,
                  cup_fact_kind(string_text(of, info.name), string_text(of, info.value)));
    }
    cup_record_texts(record, note_kind, of);
}

static void collect_totals(struct anonymizer *of, const struct cup_log *log)
{
    for (int i = 0; log->totals && i < CUP_TOTALS; i++) {
        note_kind(of, log->totals->entries[i].key.prefix, CUP_NAME_PREFIX);
        note_kind(of, log->totals->entries[i].key.dataset, CUP_NAME_DATASET);
    }
}

static struct cup_text host_of(const struct cup_log *log)
{
    return (struct cup_text){log->header.host,
                             strnlen(log->header.host, sizeof log->header.host - 1)};
}

static void make_host_alias(struct anonymizer *of, struct cup_text host)
{
    cup_alias_make(&of->aliases, CUP_NAME_HOST, host, &of->alias);
}

/* Length of HOST in "HOST-PID-START.cup", the name that the library gives to a log; 0: another
 * name.
 */
static size_t host_length(const char *name)
{
    size_t end = strlen(name), suffix = strlen(CUP_LOG_SUFFIX);
    if (end <= suffix || strcmp(name + end - suffix, CUP_LOG_SUFFIX) != 0)
        return 0;
    end -= suffix;
    for (int numbers = 0; numbers < 2; numbers++) {
        size_t digits = end;
        while (end > 0 && name[end - 1] >= '0' && name[end - 1] <= '9')
            end--;
        if (end == digits || end == 0 || name[--end] != '-')
            return 0;
    }
    return end;
}

/* Allocated. */
static char *alias_of_log(struct anonymizer *of, const char *name)
{
    char *alias = NULL;
    size_t host = host_length(name);
    if (host)
        make_host_alias(of, (struct cup_text){name, host});
    else
        cup_alias_make(&of->aliases, CUP_NAME_TEXT, (struct cup_text){name, strlen(name)},
                       &of->alias);
    if (asprintf(&alias, "%.*s%s", (int)of->alias.length, of->alias.bytes,
                 host ? name + host : CUP_LOG_SUFFIX) < 0)
        return NULL;
    return alias;
}

/* A log is read twice, and both times must have the same names. Returns 0, or -1 and *error. */
static int freeze_log(struct anonymizer *of, const struct cup_merge_source *source, size_t number,
                      const char *directory, struct cup_error *error)
{
    char *copy = NULL;
    if (asprintf(&copy, "%s/%zu.frozen", directory, number) < 0)
        return cup_error_memory(error, directory);
    int frozen = cup_merge_freeze(source->path, copy, error);
    if (frozen > 0)
        of->frozen[number] = copy;
    else
        free(copy);
    return frozen < 0 ? -1 : 0;
}

/* PATH: where to read it. Returns 1; 0: it cannot be read; or -1 and *error. */
static int collect_log(struct anonymizer *of, const struct cup_merge_source *source,
                       const char *path, struct cup_error *error)
{
    struct cup_log log;
    struct cup_error ignored;
    const struct cup_record *record;
    if (cup_log_open(&log, path, &ignored) != 0)
        return 0;
    bool summed = cup_log_is_summed(&log.header);
    make_host_alias(of, host_of(&log));
    free(alias_of_log(of, source->name));
    while (!summed && (record = cup_log_next(&log)) != NULL)
        collect_record(of, record);
    collect_totals(of, &log);
    cup_log_close(&log);
    cup_id_map_clear(&of->strings);
    return !summed ? 1
                   : cup_error_set(error, source->path, CUP_NO_OFFSET,
                                   "its tasks are summed up, which keeps marks of their keys: "
                                   "anonymize the logs that it was made of");
}

/* Names stand in the texts, so these are translated once before anything is numbered. */
static int number_names(struct anonymizer *of)
{
    for (uint32_t id = 1; id < of->texts.count; id++)
        cup_alias_make(&of->aliases, of->kinds[id], cup_intern_text(&of->texts, id), &of->alias);
    return of->short_of_memory ? -1 : cup_aliases_number(&of->aliases);
}

/* ---- writing records ------------------------------------------------------------------------ */

/* Writes a record whose tail is TEXT, up to a multiple of 8 bytes. */
static void write_record(FILE *out, void *fixed, struct cup_text text)
{
    static const char zeros[8];
    struct cup_record *head = fixed;
    size_t bytes = head->fixed + text.length, length = (bytes + 7) & ~(size_t)7;
    head->length = (uint32_t)length;
    fwrite(fixed, 1, head->fixed, out);
    if (text.length)
        fwrite(text.bytes, 1, text.length, out);
    fwrite(zeros, 1, length - bytes, out);
}

/* The fixed part of a record, whose struct may be older and shorter. */
#define FIXED_AS_READ(copy, read)                                                                  \
    ((copy).head.fixed = (uint16_t)((read)->fixed < sizeof(copy) ? (read)->fixed : sizeof(copy)))

static void write_string(struct anonymizer *of, const struct cup_record *record, FILE *out)
{
    struct cup_r_string string = cup_read_string(record);
    struct cup_text text = cup_record_text(record, string.bytes);
    uint32_t id = cup_intern_find(&of->texts, text.bytes, text.length);
    of->alias.length = 0;
    if (id)
        cup_alias_make(&of->aliases, of->kinds[id], text, &of->alias);
    FIXED_AS_READ(string, record);
    string.bytes = (uint32_t)of->alias.length;
    write_record(out, &string, (struct cup_text){of->alias.bytes, of->alias.length});
}

static void write_key(struct anonymizer *of, const struct cup_record *record, FILE *out)
{
    struct cup_r_task_begin begin = cup_read_task_begin(record);
    struct cup_r_inputs inputs = cup_read_inputs(record);
    make_key_alias(of, key_of(record));
    struct cup_text alias = {of->alias.bytes, of->alias.length};
    begin.key_bytes = inputs.key_bytes = (uint32_t)alias.length;
    FIXED_AS_READ(begin, record);
    FIXED_AS_READ(inputs, record);
    if (record->type == CUP_R_TASK_BEGIN)
        write_record(out, &begin, alias);
    else
        write_record(out, &inputs, alias);
}

/* Records of unknown types may hold texts. */
static bool is_known(unsigned type)
{
#define X(NAME, name, number, bytes, least, tail) (type == (number)) ||
    return CUP_RECORDS(X) false;
#undef X
}

static void copy_record(struct anonymizer *of, const struct cup_record *record, FILE *out)
{
    switch (record->type) {
    case CUP_R_STRING:
        read_string(of, record);
        write_string(of, record, out);
        break;
    case CUP_R_TASK_BEGIN:
    case CUP_R_INPUTS:
        write_key(of, record, out);
        break;
    case CUP_R_ROOM:
        break; /* its region is copied with the others */
    default:
        if (is_known(record->type))
            fwrite(record, 1, record->length, out);
    }
}

/* ---- writing logs --------------------------------------------------------------------------- */

/* Copies a region behind what is written; one of an unknown type, or that is not in the file,
 * becomes empty. */
static void copy_region(struct cup_log *log, struct cup_region *region, FILE *out)
{
    char part[4096];
    uint64_t from = region->offset, bytes = region->entry_size * region->count;
    bool known = region->type == CUP_REGION_BLOCKS || region->type == CUP_REGION_SERIES ||
                 region->type == CUP_REGION_TOTALS;
    if (!known || from > log->size || region->entry_size > log->size || bytes > log->size - from) {
        *region = (struct cup_region){0};
        return;
    }
    while (ftell(out) % 8)
        putc(0, out);
    region->offset = (uint64_t)ftell(out);
    for (uint64_t done = 0; done < bytes;) {
        size_t want = bytes - done < sizeof part ? (size_t)(bytes - done) : sizeof part;
        size_t got = cup_log_bytes_read(&log->bytes, part, want, from + done);
        memset(part + got, 0, want - got);
        fwrite(part, 1, want, out);
        done += want;
    }
}

static void write_log(struct anonymizer *of, struct cup_log *log, FILE *out)
{
    struct cup_log_header header = log->header;
    const struct cup_record *record;
    header.header_size = sizeof header;
    memset(header.host, 0, sizeof header.host);
    make_host_alias(of, host_of(log));
    memcpy(header.host, of->alias.bytes,
           of->alias.length < sizeof header.host - 1 ? of->alias.length : sizeof header.host - 1);
    fwrite(&header, sizeof header, 1, out);
    for (uint32_t i = 0; i < header.region_count && i < CUP_REGION_ROOM; i++)
        copy_region(log, &header.regions[i], out);
    while (ftell(out) % 8)
        putc(0, out);
    header.records_offset = (uint64_t)ftell(out);
    while ((record = cup_log_next(log)) != NULL)
        copy_record(of, record, out);
    header.records_end = (uint64_t)ftell(out);
    rewind(out);
    fwrite(&header, sizeof header, 1, out);
}

static FILE *create_file(const char *directory, const char *name, struct cup_error *error)
{
    char *path = NULL;
    if (!name || asprintf(&path, "%s/%s", directory, name) < 0) {
        cup_error_memory(error, directory);
        return NULL;
    }
    int fd = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (!file)
        cup_error_system(error, path, "create");
    if (!file && fd >= 0)
        close(fd);
    free(path);
    return file;
}

static int close_file(FILE *file, const char *directory, struct cup_error *error)
{
    bool failed = ferror(file);
    failed |= fclose(file) != 0;
    return failed ? cup_error_system(error, directory, "write") : 0;
}

static int copy_log(struct anonymizer *of, const struct cup_merge_source *source, const char *path,
                    const char *directory, struct cup_error *error)
{
    struct cup_log log;
    struct cup_error ignored;
    if (cup_log_open(&log, path, &ignored) != 0)
        return 0;
    char *name = alias_of_log(of, source->name);
    FILE *out = create_file(directory, name, error);
    if (out)
        write_log(of, &log, out);
    int result = out ? close_file(out, directory, error) : -1;
    cup_log_close(&log);
    cup_id_map_clear(&of->strings);
    free(name);
    return result;
}

/* ---- what is known of incomplete logs ---------------------------------------------------------
 */

static json_t *alias_text(struct anonymizer *of, enum cup_name_kind kind, const json_t *text)
{
    if (!json_is_string(text))
        return NULL;
    cup_alias_make(&of->aliases, kind,
                   (struct cup_text){json_string_value(text), json_string_length(text)},
                   &of->alias);
    return json_stringn(of->alias.bytes, of->alias.length);
}

static void set_alias(struct anonymizer *of, json_t *object, const char *member,
                      enum cup_name_kind kind)
{
    json_t *alias = alias_text(of, kind, json_object_get(object, member));
    if (alias)
        json_object_set_new(object, member, alias);
}

static json_t *alias_logs(struct anonymizer *of, const json_t *logs)
{
    json_t *aliases = json_object(), *log;
    const char *name;
    json_object_foreach((json_t *)logs, name, log)
    {
        char *alias = alias_of_log(of, name);
        if (alias)
            json_object_set_new(aliases, alias,
                                json_pack("{s:o*,s:o*}", "why",
                                          json_incref(json_object_get(log, "why")), "until",
                                          json_incref(json_object_get(log, "until"))));
        free(alias);
    }
    return aliases;
}

/* The numbers of tasks that workers ended, by their addresses. */
static json_t *alias_ended(struct anonymizer *of, const json_t *ended)
{
    json_t *aliases = json_object(), *tasks;
    const char *worker;
    json_object_foreach((json_t *)ended, worker, tasks)
    {
        cup_alias_make(&of->aliases, CUP_NAME_PLACE, (struct cup_text){worker, strlen(worker)},
                       &of->alias);
        json_t *alias = json_stringn(of->alias.bytes, of->alias.length);
        if (alias)
            json_object_set(aliases, json_string_value(alias), tasks);
        json_decref(alias);
    }
    return aliases;
}

/* Translates what collected.json of the inputs says; NULL: nothing is known. */
static json_t *alias_collected(struct anonymizer *of, const struct cup_anonymous_copy *copy)
{
    char *text = NULL;
    if (cup_collected_join(copy->inputs, copy->count, &of->logs, &text) != 0)
        of->short_of_memory = true;
    json_t *root = text ? json_loads(text, 0, NULL) : NULL, *row;
    size_t i;
    free(text);
    if (!root)
        return NULL;
    json_object_set_new(root, "logs", alias_logs(of, json_object_get(root, "logs")));
    json_t *ended = json_object_get(root, "tasks_ended");
    if (ended)
        json_object_set_new(root, "tasks_ended", alias_ended(of, ended));
    set_alias(of, json_object_get(root, "full"), "why", CUP_NAME_ERROR);
    json_array_foreach(json_object_get(root, "refused"), i, row)
    {
        set_alias(of, row, "worker", CUP_NAME_PLACE);
        set_alias(of, row, "why", CUP_NAME_ERROR); /* may be any text */
    }
    return root;
}

static int copy_collected(struct anonymizer *of, const struct cup_anonymous_copy *copy,
                          struct cup_error *error)
{
    json_t *root = alias_collected(of, copy);
    if (!root)
        return 0;
    FILE *out = create_file(copy->directory, "collected.json", error);
    if (out)
        json_dumpf(root, out, JSON_SORT_KEYS);
    json_decref(root);
    return out ? close_file(out, copy->directory, error) : -1;
}

/* ---- all ------------------------------------------------------------------------------------ */

static const char *path_of(const struct anonymizer *of, const struct cup_merge_sources *sources,
                           size_t log)
{
    return of->frozen[log] ? of->frozen[log] : sources->sources[log].path;
}

static int collect_names(struct anonymizer *of, const struct cup_anonymous_copy *copy,
                         const struct cup_merge_sources *sources,
                         struct cup_anonymous_result *result, struct cup_error *error)
{
    of->frozen = calloc(sources->count + 1, sizeof *of->frozen);
    if (!of->frozen || cup_merge_sources_list(sources, &of->logs) != 0)
        return cup_error_memory(error, copy->directory);
    for (size_t i = 0; i < sources->count; i++) {
        const struct cup_merge_source *source = &sources->sources[i];
        if (freeze_log(of, source, i, copy->directory, error) != 0)
            return -1;
        int done = collect_log(of, source, path_of(of, sources, i), error);
        if (done < 0)
            return -1;
        result->unreadable += done == 0;
        result->living += source->copy.living;
    }
    json_decref(alias_collected(of, copy));
    return number_names(of) == 0 ? 0 : cup_error_memory(error, copy->directory);
}

static int write_copies(struct anonymizer *of, const struct cup_anonymous_copy *copy,
                        const struct cup_merge_sources *sources, struct cup_error *error)
{
    int result = copy_collected(of, copy, error);
    for (size_t i = 0; result == 0 && i < sources->count; i++)
        result =
            copy_log(of, &sources->sources[i], path_of(of, sources, i), copy->directory, error);
    return result;
}

static void free_anonymizer(struct anonymizer *of)
{
    cup_intern_clear(&of->texts);
    cup_id_map_clear(&of->strings);
    cup_aliases_free(&of->aliases);
    for (size_t i = 0; of->frozen && i < of->logs.count; i++) {
        if (of->frozen[i])
            unlink(of->frozen[i]);
        free(of->frozen[i]);
    }
    free(of->frozen);
    free(of->logs.names);
    free(of->kinds);
    free(of->alias.bytes);
}

int cup_anonymize(const struct cup_anonymous_copy *copy, struct cup_anonymous_result *result,
                  struct cup_error *error)
{
    struct anonymizer of = {0};
    struct cup_merge_sources sources;
    *result = (struct cup_anonymous_result){0};
    int done = cup_merge_sources_find(&sources, copy->inputs, copy->count, error);
    result->again = (uint32_t)sources.again;
    if (done == 0)
        done = collect_names(&of, copy, &sources, result, error);
    if (done == 0)
        done = write_copies(&of, copy, &sources, error);
    if (done == 0 && (of.short_of_memory || of.aliases.short_of_memory))
        done = cup_error_memory(error, copy->directory);
    cup_merge_sources_free(&sources);
    free_anonymizer(&of);
    return done;
}
