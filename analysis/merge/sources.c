#include "analysis/merge/sources.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "analysis/base/array.h"
#include "analysis/log/log_reader.h"

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

int cup_merge_sources_list(const struct cup_merge_sources *sources, struct cup_log_names *list)
{
    *list = (struct cup_log_names){.names = calloc(sources->count + 1, sizeof *list->names)};
    for (; list->names && list->count < sources->count; list->count++)
        list->names[list->count] = sources->sources[list->count].path;
    return list->names ? 0 : -1;
}

/* ---- reading -------------------------------------------------------------------------------- */

enum { MOST_HEAD = 16 << 20 };

/* Keeps COUNT bytes at OFFSET as they are now. What lies outside of the file is left out. */
static int keep_part(struct cup_merge_stream *stream, uint64_t offset, uint64_t count,
                     struct cup_error *error)
{
    struct cup_merge_part *part = &stream->parts[stream->part_count];
    if (count > MOST_HEAD || offset > stream->size || count > stream->size - offset)
        return 0;
    *part = (struct cup_merge_part){malloc(count), offset, count};
    if (!part->bytes)
        return cup_error_memory(error, stream->source->path);
    stream->part_count++;
    part->count = cup_log_bytes_read(&stream->bytes, part->bytes, count, offset);
    return 0;
}

/* Regions before the records are a part of the head. */
static int keep_regions(struct cup_merge_stream *stream, const struct cup_log_header *header,
                        struct cup_error *error)
{
    int result = 0;
    for (uint32_t i = 0; result == 0 && i < header->region_count && i < CUP_REGION_ROOM; i++) {
        const struct cup_region *region = &header->regions[i];
        if (region->offset >= header->records_offset && region->count &&
            region->entry_size <= MOST_HEAD / region->count)
            result = keep_part(stream, region->offset, region->count * region->entry_size, error);
    }
    return result;
}

/* A process that lives may close a block and append its record while the log is read. As for every
 * reader (log_reader.h), the blocks are read first, and the end of the records after that. */
static int keep_parts(struct cup_merge_stream *stream, struct cup_error *error)
{
    struct cup_log_header header;
    size_t got = cup_log_bytes_read(&stream->bytes, &header, sizeof header, 0);
    bool regular;
    if (got != sizeof header || header.log_stop_ns != 0 ||
        memcmp(header.magic, CUP_LOG_MAGIC, sizeof header.magic) != 0 ||
        header.records_offset < sizeof header || header.records_offset > MOST_HEAD)
        return 0;
    if (keep_part(stream, 0, header.records_offset, error) != 0)
        return -1;
    if (stream->part_count == 0 || stream->parts[0].count < sizeof header)
        return 0;
    memcpy(&header, stream->parts[0].bytes, sizeof header);
    cup_log_bytes_size(&stream->bytes, &stream->size, &regular);
    if (keep_regions(stream, &header, error) != 0)
        return -1;
    size_t place = offsetof(struct cup_log_header, records_end);
    if (cup_log_bytes_read(&stream->bytes, stream->parts[0].bytes + place,
                           sizeof header.records_end, place) != sizeof header.records_end)
        return cup_error_set(error, stream->source->path, CUP_NO_OFFSET, "it has become shorter");
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
        result = keep_parts(stream, error);
    if (result != 0)
        cup_merge_stream_close(stream);
    return result;
}

/* Puts what PART has of COUNT bytes at OFFSET into TO. */
static void put_part(const struct cup_merge_part *part, unsigned char *to, size_t count,
                     uint64_t offset)
{
    uint64_t from = offset > part->offset ? offset : part->offset;
    uint64_t end = offset + count, part_end = part->offset + part->count;
    if (end > part_end)
        end = part_end;
    if (from < end)
        memcpy(to + (from - offset), part->bytes + (from - part->offset), end - from);
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
    for (size_t i = 0; i < stream->part_count; i++)
        put_part(&stream->parts[i], to, count, stream->offset);
    stream->offset += count;
    return 0;
}

void cup_merge_stream_close(struct cup_merge_stream *stream)
{
    cup_log_bytes_close(&stream->bytes);
    for (size_t i = 0; i < stream->part_count; i++)
        free(stream->parts[i].bytes);
    stream->part_count = 0;
}

/* Returns 0, or -1 and *error. */
static int copy_stream(struct cup_merge_stream *stream, const char *output, struct cup_error *error)
{
    unsigned char bytes[1 << 16];
    int fd = open(output, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0600);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    int result = file ? 0 : cup_error_system(error, output, "create");
    while (result == 0 && stream->offset < stream->size && !ferror(file)) {
        uint64_t left = stream->size - stream->offset;
        size_t count = left < sizeof bytes ? (size_t)left : sizeof bytes;
        result = cup_merge_stream_read(stream, bytes, count, error);
        if (result == 0)
            fwrite(bytes, 1, count, file);
    }
    bool failed = file && ferror(file);
    failed |= file && fclose(file) != 0;
    return result == 0 && failed ? cup_error_system(error, output, "write") : result;
}

int cup_merge_freeze(const char *path, const char *output, struct cup_error *error)
{
    const struct cup_merge_source source = {.path = (char *)path};
    struct cup_merge_stream stream;
    int result = 0;
    if (cup_merge_stream_open(&stream, &source, error) != 0)
        return 0;
    if (stream.part_count)
        result = copy_stream(&stream, output, error) == 0 ? 1 : -1;
    if (result < 0)
        unlink(output);
    cup_merge_stream_close(&stream);
    return result;
}
