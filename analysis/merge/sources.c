#include "analysis/merge/sources.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "analysis/base/array.h"
#include "analysis/log/log_reader.h"
#include "analysis/profile/log_names.h"

/* ---- all logs ------------------------------------------------------------------------------- */

static int add_source(struct cup_merge_sources *sources, const char *path, struct cup_error *error)
{
    if (cup_array_grow(&sources->sources, &sources->room, sources->count,
                       sizeof *sources->sources) != 0)
        return cup_error_memory(error, path);
    struct cup_merge_source *source = &sources->sources[sources->count];
    *source = (struct cup_merge_source){.path = strdup(path)};
    if (!source->path)
        return cup_error_memory(error, path);
    sources->count++;
    const char *slash = strrchr(source->path, '/');
    source->name = slash ? slash + 1 : source->path;
    return cup_log_copy_read(&source->copy, path, error);
}

static int add_names(struct cup_merge_sources *sources, const char *input, struct cup_error *error)
{
    struct cup_log_names names;
    int result = cup_log_names_list(&names, input, error);
    for (size_t i = 0; result == 0 && i < names.count; i++)
        result = add_source(sources, names.names[i], error);
    cup_log_names_free(&names);
    return result;
}

static bool is_file(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* By name; of equal names, the one that holds most comes first. */
static int by_name(const void *left, const void *right)
{
    const struct cup_merge_source *a = left, *b = right;
    int order = strcmp(a->name, b->name);
    return order ? order : cup_log_copy_order(&a->copy, &b->copy);
}

static void keep_one_of_each(struct cup_merge_sources *sources)
{
    size_t kept = 0;
    if (sources->count)
        qsort(sources->sources, sources->count, sizeof *sources->sources, by_name);
    for (size_t i = 0; i < sources->count; i++) {
        struct cup_merge_source *source = &sources->sources[i];
        if (kept && strcmp(sources->sources[kept - 1].name, source->name) == 0)
            free(source->path);
        else
            sources->sources[kept++] = *source;
    }
    sources->again = sources->count - kept;
    sources->count = kept;
}

int cup_merge_sources_find(struct cup_merge_sources *sources, const char *const *inputs,
                           size_t count, struct cup_error *error)
{
    int result = 0;
    *sources = (struct cup_merge_sources){0};
    for (size_t i = 0; result == 0 && i < count; i++)
        if (is_file(inputs[i]) && !cup_merged_is(inputs[i]))
            result = add_source(sources, inputs[i], error);
        else
            result = add_names(sources, inputs[i], error);
    if (result == 0)
        keep_one_of_each(sources);
    return result;
}

void cup_merge_sources_free(struct cup_merge_sources *sources)
{
    for (size_t i = 0; i < sources->count; i++)
        free(sources->sources[i].path);
    free(sources->sources);
    *sources = (struct cup_merge_sources){0};
}

/* ---- reading -------------------------------------------------------------------------------- */

enum { MOST_HEAD = 16 << 20 };

/* A process that lives may close a block and append its record while the log is read. As for every
 * reader (log_reader.h), the blocks are read first, and the end of the records after that. */
static int read_head(struct cup_merge_stream *stream, struct cup_error *error)
{
    struct cup_log_header header;
    size_t got = cup_log_bytes_read(&stream->bytes, &header, sizeof header, 0);
    bool regular;
    if (got != sizeof header || header.log_stop_ns != 0 ||
        memcmp(header.magic, CUP_LOG_MAGIC, sizeof header.magic) != 0 ||
        header.records_offset < sizeof header || header.records_offset > MOST_HEAD ||
        header.records_offset > stream->size)
        return 0;
    stream->head = malloc(header.records_offset);
    if (!stream->head)
        return cup_error_memory(error, stream->source->path);
    stream->head_bytes = cup_log_bytes_read(&stream->bytes, stream->head, header.records_offset, 0);
    size_t place = offsetof(struct cup_log_header, records_end);
    if (cup_log_bytes_read(&stream->bytes, stream->head + place, sizeof header.records_end,
                           place) != sizeof header.records_end)
        stream->head_bytes = 0;
    cup_log_bytes_size(&stream->bytes, &stream->size, &regular);
    return 0;
}

int cup_merge_stream_open(struct cup_merge_stream *stream, const struct cup_merge_source *source,
                          struct cup_error *error)
{
    bool regular;
    *stream = (struct cup_merge_stream){.source = source};
    if (cup_log_bytes_open_or_report(&stream->bytes, source->path, error) != 0)
        return -1;
    int result = cup_log_bytes_size(&stream->bytes, &stream->size, &regular);
    if (result != 0)
        cup_error_system(error, source->path, "read");
    else if (!stream->bytes.merged)
        result = read_head(stream, error);
    if (result != 0)
        cup_merge_stream_close(stream);
    return result;
}

int cup_merge_stream_read(struct cup_merge_stream *stream, void *to, size_t count,
                          struct cup_error *error)
{
    size_t got = cup_log_bytes_read(&stream->bytes, to, count, stream->offset);
    if (stream->bytes.damaged)
        return cup_log_bytes_refuse(stream->source->path, error);
    if (got != count)
        return cup_error_set(
            error, stream->source->path, stream->offset + got,
            "cannot be read any further; it has become shorter, or the disk fails");
    if (stream->offset < stream->head_bytes) {
        uint64_t left = stream->head_bytes - stream->offset;
        memcpy(to, stream->head + stream->offset, left < count ? left : count);
    }
    stream->offset += count;
    return 0;
}

void cup_merge_stream_close(struct cup_merge_stream *stream)
{
    cup_log_bytes_close(&stream->bytes);
    free(stream->head);
    stream->head = NULL;
}
