#include "analysis/replay/replay_table.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/array.h"

/* ---- fields ------------------------------------------------------------------------------- */

enum field { START, SECONDS, PATH, OFFSET, BYTES, PARTS, TASK, PROCESS, FIELDS };
static const char head[] = "start_s\tseconds\tfile\toffset\tbytes\tparts\ttask\tprocess";

static bool split_line(char *line, char *fields[FIELDS])
{
    for (int i = 0; i < FIELDS; i++) {
        fields[i] = line;
        line = line ? strchr(line, i + 1 < FIELDS ? '\t' : '\0') : NULL;
        if (!line)
            return false;
        if (i + 1 < FIELDS)
            *line++ = '\0';
    }
    return !strchr(fields[FIELDS - 1], '\t');
}

/* The byte that \xNN stands for; -1: TEXT begins with no such sequence. */
static int hexadecimal_byte(const char *text)
{
    char digits[3] = {0};
    if (text[0] != '\\' || text[1] != 'x' || !isxdigit((unsigned char)text[2]) ||
        !isxdigit((unsigned char)text[3]))
        return -1;
    memcpy(digits, text + 2, 2);
    return (int)strtol(digits, NULL, 16);
}

/* Undoes what the export does to tabs, line breaks, backslashes and other bytes. */
static void unescape(char *text)
{
    char *to = text;
    for (; *text; text++) {
        char next = *text == '\\' ? text[1] : '\0';
        int byte = hexadecimal_byte(text);
        if (byte > 0) {
            *to++ = (char)byte;
            text += 3;
            continue;
        }
        *to++ = (char)(next == 't' ? '\t' : next == 'n' ? '\n' : next == 'r' ? '\r' : *text);
        text += next != '\0';
    }
    *to = '\0';
}

static bool read_number(const char **at, uint64_t *number)
{
    char *end;
    if (**at < '0' || **at > '9')
        return false;
    *number = strtoull(*at, &end, 10);
    *at = end;
    return *number < UINT64_C(1) << 62;
}

static bool read_whole_number(const char *text, uint64_t *number)
{
    return read_number(&text, number) && !*text;
}

static bool read_seconds(const char *text, int64_t *ns)
{
    uint64_t whole, digit = 1000000000;
    if (!read_number(&text, &whole) || whole > 1000000000)
        return false;
    *ns = (int64_t)(whole * digit);
    if (*text == '.')
        for (text++; *text >= '0' && *text <= '9'; text++)
            *ns += (int64_t)((uint64_t)(*text - '0') * (digit /= 10));
    return !*text;
}

/* ---- rows --------------------------------------------------------------------------------- */

static bool append_part(struct cup_replay_table *table, uint64_t offset, uint64_t bytes)
{
    if (cup_array_grow(&table->parts, &table->part_room, table->part_count, sizeof *table->parts))
        return false;
    table->parts[table->part_count++] = (struct cup_replay_part){offset, bytes};
    return true;
}

/* "offset+bytes offset+bytes ...", or nothing for a read of one part. */
static bool read_parts(struct cup_replay_table *table, const char *text, uint64_t offset,
                       struct cup_replay_request *request)
{
    uint64_t bytes, sum = 0;
    request->first_part = table->part_count;
    if (!*text)
        return append_part(table, offset, request->bytes);
    for (;; text++) {
        if (!read_number(&text, &offset) || *text++ != '+' || !read_number(&text, &bytes) ||
            !append_part(table, offset, bytes))
            return false;
        sum += bytes;
        if (*text != ' ')
            return !*text && sum == request->bytes;
    }
}

static uint32_t intern_field(struct cup_intern *intern, char *field)
{
    unescape(field);
    return *field ? cup_intern_add(intern, field, strlen(field)) : 0;
}

/* False: the row is not one of such a table, or memory ran out. */
static bool append_row(struct cup_replay_table *table, char *line)
{
    char *fields[FIELDS];
    uint64_t offset;
    struct cup_replay_request request = {0};
    if (!split_line(line, fields) || !read_seconds(fields[START], &request.start_ns) ||
        !read_seconds(fields[SECONDS], &request.ns) ||
        !read_whole_number(fields[OFFSET], &offset) ||
        !read_whole_number(fields[BYTES], &request.bytes) ||
        !read_parts(table, fields[PARTS], offset, &request))
        return false;
    request.parts = (uint32_t)(table->part_count - request.first_part);
    request.file = intern_field(&table->files, fields[PATH]);
    request.process = intern_field(&table->processes, fields[PROCESS]);
    if (!request.file || cup_array_grow(&table->requests, &table->request_room,
                                        table->request_count, sizeof request))
        return false;
    table->requests[table->request_count++] = request;
    return true;
}

static int read_rows(struct cup_replay_table *table, FILE *file, const char *path,
                     struct cup_error *error)
{
    char *line = NULL;
    size_t room = 0;
    int result = 0;
    for (uint64_t number = 1; result == 0; number++) {
        ssize_t length = getline(&line, &room, file);
        if (length < 0)
            break;
        while (length && (line[length - 1] == '\n' || line[length - 1] == '\r'))
            line[--length] = '\0';
        if (number == 1 && strcmp(line, head) != 0)
            result = cup_error_set(error, path, CUP_NO_OFFSET,
                                   "is no table of `cupping export --to replay`");
        else if (number > 1 && *line && !append_row(table, line))
            result =
                cup_error_set(error, path, CUP_NO_OFFSET,
                              "line %" PRIu64 " is no row of `cupping export --to replay`", number);
    }
    if (result == 0 && ferror(file))
        result = cup_error_system(error, path, "read it");
    free(line);
    return result;
}

/* ---- streams ------------------------------------------------------------------------------ */

static int compare_requests(const void *a, const void *b)
{
    const struct cup_replay_request *one = a, *other = b;
    if (one->start_ns != other->start_ns)
        return one->start_ns < other->start_ns ? -1 : 1;
    return (one->first_part > other->first_part) - (one->first_part < other->first_part);
}

/* The first stream of the process that is free when the request begins; NULL without memory. Times
 * of different records of a thread may be off by a microsecond. */
static struct cup_replay_stream *find_stream(struct cup_replay_table *table,
                                             const struct cup_replay_request *request)
{
    enum { SLACK_NS = 2000 };
    for (size_t i = 0; i < table->stream_count; i++)
        if (table->streams[i].process == request->process &&
            table->streams[i].stop_ns <= request->start_ns + SLACK_NS)
            return &table->streams[i];
    if (cup_array_grow(&table->streams, &table->stream_room, table->stream_count,
                       sizeof *table->streams))
        return NULL;
    struct cup_replay_stream *stream = &table->streams[table->stream_count++];
    *stream = (struct cup_replay_stream){.process = request->process, .first = SIZE_MAX};
    return stream;
}

static int assign_streams(struct cup_replay_table *table, const char *path, struct cup_error *error)
{
    qsort(table->requests, table->request_count, sizeof *table->requests, compare_requests);
    for (size_t i = 0; i < table->request_count; i++) {
        struct cup_replay_request *request = &table->requests[i];
        struct cup_replay_stream *stream = find_stream(table, request);
        if (!stream)
            return cup_error_memory(error, path);
        if (stream->first == SIZE_MAX)
            stream->first = i;
        else
            table->requests[stream->last].next = i + 1;
        stream->last = i;
        stream->stop_ns = request->start_ns + request->ns;
        request->stream = (uint32_t)(stream - table->streams);
    }
    return 0;
}

/* ---- the table ---------------------------------------------------------------------------- */

void cup_replay_table_free(struct cup_replay_table *table)
{
    cup_intern_clear(&table->files);
    cup_intern_clear(&table->processes);
    free(table->requests);
    free(table->parts);
    free(table->streams);
}

int cup_replay_table_read(struct cup_replay_table *table, const char *path, struct cup_error *error)
{
    FILE *file = fopen(path, "re");
    *table = (struct cup_replay_table){0};
    if (!file)
        return cup_error_system(error, path, "read it");
    int result = read_rows(table, file, path, error);
    fclose(file);
    if (result == 0 && !table->request_count)
        result = cup_error_set(error, path, CUP_NO_OFFSET, "has no reads");
    if (result == 0)
        result = assign_streams(table, path, error);
    if (result != 0)
        cup_replay_table_free(table);
    return result;
}
