#include "analysis/merge/merge.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "analysis/base/array.h"
#include "analysis/base/parallel.h"
#include "analysis/log/packed_block.h"
#include "analysis/merge/prepare.h"
#include "analysis/merge/samples.h"
#include "analysis/merge/sources.h"
#include "analysis/merge/summary.h"
#include "analysis/profile/collected.h"
#include "analysis/profile/load/prepared_log.h"
#include "analysis/write/output.h"
#include "analysis/write/temporary.h"
#include "include/log_format.h"
#include "include/merged_log.h"

enum {
    BLOCK_BYTES = 1 << 16,
    MOST_BATCH = 256,             /* blocks */
    BLOCK_COST = 4 * BLOCK_BYTES, /* memory for a block: its bytes, its packed form, and room */
    MOST_PACKERS = 8,             /* no less than the threads of cup_parallel() */
};

/* ---- packing -------------------------------------------------------------------------------- */

struct batch_block {
    unsigned char *raw;    /* owned; BLOCK_BYTES */
    unsigned char *packed; /* owned; cup_packed_room(BLOCK_BYTES) */
    size_t bytes;
    size_t packed_bytes; /* as in struct cup_merged_block */
    size_t first_record;
    bool failed;
};

/* Blocks that are packed at the same time. */
struct batch {
    struct batch_block *blocks; /* owned */
    size_t room, count;
    struct cup_packer *packers[MOST_PACKERS]; /* owned */
    const struct cup_dictionary *dictionary;
    pthread_mutex_t lock; /* protects the fields below */
    size_t next;          /* index of the next block to pack */
    size_t threads;       /* that have begun */
};

static bool is_all_zero(const unsigned char *bytes, size_t count)
{
    return bytes[0] == 0 && memcmp(bytes, bytes + 1, count - 1) == 0;
}

static void pack_block(struct batch_block *block, struct cup_packer *packer)
{
    block->failed = false;
    block->packed_bytes = block->bytes;
    if (is_all_zero(block->raw, block->bytes)) {
        block->packed_bytes = 0;
        return;
    }
    if (!cup_can_compress)
        return;
    cup_block_difference(block->raw, block->bytes, block->first_record);
    size_t packed =
        cup_pack(packer, block->raw, block->bytes, block->packed, cup_packed_room(BLOCK_BYTES));
    block->failed = packed == 0;
    if (packed < block->bytes)
        block->packed_bytes = packed;
    else
        cup_block_undo_difference(block->raw, block->bytes, block->first_record,
                                  CUP_MERGED_VERSION);
}

static size_t take_number(struct batch *batch, size_t *number)
{
    pthread_mutex_lock(&batch->lock);
    size_t taken = (*number)++;
    pthread_mutex_unlock(&batch->lock);
    return taken;
}

static void pack_blocks(void *context)
{
    struct batch *batch = context;
    size_t thread = take_number(batch, &batch->threads), i;
    struct cup_packer **packer = &batch->packers[thread % MOST_PACKERS];
    if (cup_can_compress && !*packer)
        *packer = cup_packer_new(batch->dictionary);
    while ((i = take_number(batch, &batch->next)) < batch->count) {
        if (*packer || !cup_can_compress)
            pack_block(&batch->blocks[i], *packer);
        else
            batch->blocks[i].failed = true;
    }
}

static void batch_free(struct batch *batch)
{
    for (size_t i = 0; batch->blocks && i < batch->room; i++) {
        free(batch->blocks[i].raw);
        free(batch->blocks[i].packed);
    }
    for (size_t i = 0; i < MOST_PACKERS; i++)
        cup_packer_free(batch->packers[i]);
    free(batch->blocks);
    pthread_mutex_destroy(&batch->lock);
}

/* Returns 0, or -1 without memory. The caller frees the batch in both cases. */
static int batch_make(struct batch *batch, uint64_t memory, const struct cup_dictionary *dictionary)
{
    uint64_t room = memory / 2 / BLOCK_COST;
    *batch = (struct batch){.dictionary = dictionary,
                            .room = room < MOST_BATCH ? (size_t)room : MOST_BATCH};
    pthread_mutex_init(&batch->lock, NULL);
    batch->blocks = calloc(batch->room, sizeof *batch->blocks);
    for (size_t i = 0; batch->blocks && i < batch->room; i++) {
        batch->blocks[i].raw = malloc(BLOCK_BYTES);
        batch->blocks[i].packed = malloc(cup_packed_room(BLOCK_BYTES));
        if (!batch->blocks[i].raw || !batch->blocks[i].packed)
            return -1;
    }
    return batch->blocks ? 0 : -1;
}

/* ---- writing -------------------------------------------------------------------------------- */

struct writer {
    struct cup_output output;
    uint64_t at; /* bytes written */
    struct cup_merged_header header;
    struct cup_merged_log *logs;     /* owned; header.log_count of them */
    struct cup_merged_block *blocks; /* owned; header.block_count of them */
    size_t block_room;
    char *names; /* owned */
    size_t name_bytes;
    char *collected; /* owned; NULL: nothing was collected */
    const struct cup_merge_request *request;
    char *summary; /* owned; a temporary file: the log in work, with its tasks summed up */
    struct cup_error summary_error;
    bool is_summed; /* the log in work */
};

/* The path at which to read a log: its own, or that of a copy with its tasks summed up. NULL:
 * see summary_error. */
static const char *path_of(void *context, const struct cup_merge_source *source)
{
    struct writer *writer = context;
    const struct cup_summary_request request = {.path = source->path,
                                                .output = writer->summary,
                                                .tasks = writer->request->tasks,
                                                .memory = writer->request->memory / 2};
    int result = request.tasks ? cup_summary_write(&request, &writer->summary_error) : 0;
    writer->is_summed = result == 1;
    return result < 0 ? NULL : result ? writer->summary : source->path;
}

static void write_bytes(struct writer *writer, const void *bytes, size_t count)
{
    fwrite(bytes, 1, count, writer->output.file);
    writer->at += count;
}

static void write_dictionary(struct writer *writer, const unsigned char *bytes, size_t count,
                             unsigned char *room)
{
    struct cup_merged_header *header = &writer->header;
    struct cup_packer *packer = cup_packer_new(NULL);
    size_t packed = packer ? cup_pack(packer, bytes, count, room, cup_packed_room(count)) : 0;
    bool is_packed = packed > 0 && packed < count;
    cup_packer_free(packer);
    header->dictionary_at = writer->at;
    header->dictionary_bytes = (uint32_t)count;
    header->dictionary_packed = (uint32_t)(is_packed ? packed : count);
    write_bytes(writer, is_packed ? room : bytes, header->dictionary_packed);
}

/* Makes the dictionary and writes it. Returns 0, or -1 without memory. */
static int make_dictionary(struct writer *writer, const struct cup_merge_sources *sources,
                           struct cup_dictionary *dictionary)
{
    unsigned char *bytes = malloc(CUP_DICTIONARY_MOST);
    unsigned char *room = malloc(cup_packed_room(CUP_DICTIONARY_MOST));
    int result = bytes && room ? 0 : -1;
    size_t count = result == 0 ? cup_merge_samples(sources, path_of, writer, bytes) : 0;
    if (count > 0) {
        write_dictionary(writer, bytes, count, room);
        result = cup_dictionary_to_pack(dictionary, bytes, count);
    }
    free(bytes);
    free(room);
    return result;
}

static int write_batch(struct writer *writer, struct batch *batch)
{
    batch->next = batch->threads = 0;
    cup_parallel(batch->count, pack_blocks, batch);
    for (size_t i = 0; i < batch->count; i++) {
        const struct batch_block *block = &batch->blocks[i];
        if (block->failed ||
            cup_array_grow(&writer->blocks, &writer->block_room, writer->header.block_count,
                           sizeof *writer->blocks) != 0)
            return -1;
        writer->blocks[writer->header.block_count++] =
            (struct cup_merged_block){.at = writer->at,
                                      .packed = (uint32_t)block->packed_bytes,
                                      .first_record = (uint32_t)block->first_record};
        write_bytes(writer, block->packed_bytes < block->bytes ? block->packed : block->raw,
                    block->packed_bytes);
    }
    batch->count = 0;
    return 0;
}

/* ---- one log after the other ---------------------------------------------------------------- */

/* Where the next record begins in a log that is read from its begin; UINT64_MAX: not known. */
static uint64_t first_record_of(const unsigned char *bytes, size_t count)
{
    struct cup_log_header header;
    if (count < sizeof header)
        return UINT64_MAX;
    memcpy(&header, bytes, sizeof header);
    bool is_log = memcmp(header.magic, CUP_LOG_MAGIC, sizeof header.magic) == 0 &&
                  header.records_offset % 8 == 0;
    return is_log ? header.records_offset : UINT64_MAX;
}

/* Finds the first record of a block that begins at OFFSET, and moves *next behind its last one. */
static size_t walk_records(const struct batch_block *block, uint64_t offset, uint64_t *next)
{
    struct cup_record record;
    if (*next >= offset + block->bytes)
        return block->bytes;
    size_t first = (size_t)(*next - offset), at = first;
    while (at + sizeof record <= block->bytes) {
        memcpy(&record, block->raw + at, sizeof record);
        if (record.length < sizeof record || record.length % 8) {
            *next = UINT64_MAX;
            return first;
        }
        at += record.length;
    }
    *next = offset + at;
    return first;
}

static int merge_log(struct writer *writer, struct batch *batch, struct cup_merged_log *log,
                     const struct cup_merge_source *source, struct cup_error *error)
{
    struct cup_merge_stream stream;
    uint64_t next = UINT64_MAX;
    if (cup_merge_stream_open(&stream, source, error) != 0)
        return -1;
    int result = 0;
    log->bytes = stream.size;
    log->first_block = writer->header.block_count + batch->count;
    while (result == 0 && stream.offset < stream.size) {
        struct batch_block *block = &batch->blocks[batch->count++];
        uint64_t offset = stream.offset, left = stream.size - offset;
        block->bytes = left < BLOCK_BYTES ? (size_t)left : BLOCK_BYTES;
        result = cup_merge_stream_read(&stream, block->raw, block->bytes, error);
        if (result == 0 && offset == 0)
            next = first_record_of(block->raw, block->bytes);
        if (result == 0)
            block->first_record = walk_records(block, offset, &next);
        if (result == 0 && batch->count == batch->room && write_batch(writer, batch) != 0)
            result = cup_error_memory(error, source->path);
        if (result == 0 && cup_output_failed(&writer->output))
            break; /* the writer will say so */
    }
    cup_merge_stream_close(&stream);
    return result;
}

/* Returns 0, or -1 without memory. */
static int keep_name(struct writer *writer, struct cup_merged_log *log, const char *name)
{
    size_t bytes = strlen(name);
    bool fits = writer->name_bytes + bytes <= UINT32_MAX;
    char *names = fits ? realloc(writer->names, writer->name_bytes + bytes + 1) : NULL;
    if (!names)
        return -1;
    writer->names = names;
    memcpy(names + writer->name_bytes, name, bytes);
    log->name_at = (uint32_t)writer->name_bytes;
    log->name_bytes = (uint32_t)bytes;
    writer->name_bytes += bytes;
    return 0;
}

static int merge_logs(struct writer *writer, const struct cup_merge_sources *sources,
                      struct batch *batch, struct cup_merge_result *result, struct cup_error *error)
{
    for (size_t i = 0; i < sources->count && !cup_output_failed(&writer->output); i++) {
        const struct cup_merge_source *source = &sources->sources[i];
        struct cup_merged_log *log = &writer->logs[i];
        if (keep_name(writer, log, source->name) != 0)
            return cup_error_memory(error, source->path);
        struct cup_merge_source read = *source;
        read.path = (char *)path_of(writer, source);
        if (!read.path)
            *error = writer->summary_error;
        if (!read.path || merge_log(writer, batch, log, &read, error) != 0)
            return -1;
        result->summed += writer->is_summed;
        result->log_bytes += log->bytes;
        result->living += source->copy.living;
    }
    return write_batch(writer, batch) == 0 ? 0 : cup_error_memory(error, writer->output.path);
}

/* Writes the index, and the header again. Returns 0, or -1 without memory. */
static int write_index(struct writer *writer)
{
    struct cup_merged_header *header = &writer->header;
    size_t log_bytes = header->log_count * sizeof *writer->logs;
    size_t block_bytes = header->block_count * sizeof *writer->blocks;
    header->index_at = writer->at;
    header->collected_bytes = writer->collected ? strlen(writer->collected) : 0;
    header->index_bytes = log_bytes + block_bytes + writer->name_bytes + header->collected_bytes;
    char *index = malloc(header->index_bytes);
    if (!index)
        return -1;
    memcpy(index, writer->logs, log_bytes);
    if (block_bytes)
        memcpy(index + log_bytes, writer->blocks, block_bytes);
    memcpy(index + log_bytes + block_bytes, writer->names, writer->name_bytes);
    if (writer->collected)
        memcpy(index + header->index_bytes - header->collected_bytes, writer->collected,
               header->collected_bytes);
    header->index_hash = cup_text_hash((struct cup_text){index, header->index_bytes});
    write_bytes(writer, index, header->index_bytes);
    free(index);
    header->file_bytes = writer->at;
    if (fseek(writer->output.file, 0, SEEK_SET) == 0)
        fwrite(header, 1, sizeof *header, writer->output.file);
    return 0;
}

/* ---- prepared logs -------------------------------------------------------------------------- */

/* A temporary file in the folder of the output, without a name. NULL and errno if there is none. */
static FILE *open_aside(const struct writer *writer)
{
    char *path;
    if (asprintf(&path, "%s.XXXXXX", writer->output.temporary) < 0)
        return NULL;
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w+") : NULL;
    if (fd >= 0) {
        unlink(path);
        if (!file)
            close(fd);
    }
    free(path);
    return file;
}

/* Moves the prepared logs to where the index began. */
static void append_prepared(struct writer *writer, FILE *prepared)
{
    struct cup_merged_header *header = &writer->header;
    char bytes[BLOCK_BYTES];
    size_t got;
    rewind(prepared);
    fseek(writer->output.file, (long)header->index_at, SEEK_SET);
    for (uint32_t i = 0; i < header->log_count; i++)
        if (writer->logs[i].prepared_packed)
            writer->logs[i].prepared_at += header->index_at;
    writer->at = header->index_at;
    while ((got = fread(bytes, 1, sizeof bytes, prepared)) > 0)
        write_bytes(writer, bytes, got);
    header->prepared_maker = cup_prepared_maker();
}

/* Prepares the logs from the file as it is now, which is complete, and writes its index again
 * behind them. */
static int add_prepared(struct writer *writer, const struct cup_merge_sources *sources,
                        struct cup_error *error)
{
    const struct cup_prepare_request request = {.merged = writer->output.temporary,
                                                .sources = sources,
                                                .summed = writer->request->tasks > 0,
                                                .logs = writer->logs};
    if (fflush(writer->output.file) != 0 || cup_prepared_maker() == 0)
        return 0; /* whoever closes the output reports that it cannot be written */
    FILE *prepared = open_aside(writer);
    if (!prepared)
        return cup_error_system(error, writer->output.path, "write");
    cup_prepare_logs(&request, prepared);
    bool failed = fflush(prepared) != 0 || ferror(prepared);
    if (failed)
        cup_error_system(error, writer->output.path, "write");
    else
        append_prepared(writer, prepared);
    fclose(prepared);
    if (!failed && write_index(writer) != 0)
        return cup_error_memory(error, writer->output.path);
    return failed ? -1 : 0;
}

/* ---- all of it ------------------------------------------------------------------------------ */

static int write_merged(struct writer *writer, const struct cup_merge_sources *sources,
                        const struct cup_merge_request *request, struct cup_merge_result *result,
                        struct cup_error *error)
{
    struct cup_dictionary dictionary = {0};
    struct batch batch;
    int done = batch_make(&batch, request->memory, &dictionary);
    write_bytes(writer, &writer->header, sizeof writer->header);
    if (done == 0 && cup_can_compress)
        done = make_dictionary(writer, sources, &dictionary);
    if (done != 0)
        cup_error_memory(error, request->output);
    else
        done = merge_logs(writer, sources, &batch, result, error);
    if (done == 0 && write_index(writer) != 0)
        done = cup_error_memory(error, request->output);
    batch_free(&batch);
    cup_dictionary_clear(&dictionary);
    return done == 0 && !cup_output_failed(&writer->output) ? add_prepared(writer, sources, error)
                                                            : done;
}

/* Returns 0, or -1 without memory. */
static int name_summary(struct writer *writer)
{
    if (writer->request->tasks == 0)
        return 0;
    if (asprintf(&writer->summary, "%s.%d.tasks", writer->request->output, (int)getpid()) < 0)
        return -1;
    cup_temporary_add(writer->summary);
    return 0;
}

static int join_collected(struct writer *writer, const struct cup_merge_sources *sources)
{
    const struct cup_merge_request *request = writer->request;
    struct cup_log_names list;
    int result = cup_merge_sources_list(sources, &list);
    if (result == 0)
        result = cup_collected_join(request->inputs, request->count, &list, &writer->collected);
    free(list.names);
    return result;
}

static int write_output(const struct cup_merge_sources *sources,
                        const struct cup_merge_request *request, struct cup_merge_result *result,
                        struct cup_error *error)
{
    struct writer writer = {
        .request = request,
        .header = {.byte_order = CUP_LOG_BYTE_ORDER,
                   .version = CUP_MERGED_VERSION,
                   .packing = cup_can_compress ? CUP_PACKING_ZSTD : CUP_PACKING_NONE,
                   .block_bytes = BLOCK_BYTES,
                   .log_count = (uint32_t)sources->count}};
    memcpy(writer.header.magic, CUP_MERGED_MAGIC, sizeof writer.header.magic);
    if (cup_output_open_private(&writer.output, request->output, error) != 0)
        return -1;
    int done = 0;
    if (!writer.output.temporary)
        done = cup_error_set(error, request->output, CUP_NO_OFFSET, "not a regular file");
    writer.logs = calloc(sources->count, sizeof *writer.logs);
    if (done == 0 &&
        (!writer.logs || name_summary(&writer) != 0 || join_collected(&writer, sources) != 0))
        done = cup_error_memory(error, request->output);
    if (done == 0)
        done = write_merged(&writer, sources, request, result, error);
    if (done == 0)
        done = cup_output_close(&writer.output, error);
    else
        cup_output_abandon(&writer.output);
    result->bytes = writer.at;
    if (writer.summary) {
        unlink(writer.summary);
        cup_temporary_drop(writer.summary);
    }
    free(writer.summary);
    free(writer.logs);
    free(writer.blocks);
    free(writer.names);
    free(writer.collected);
    return done;
}

int cup_merge(const struct cup_merge_request *request, struct cup_merge_result *result,
              struct cup_error *error)
{
    struct cup_merge_sources sources;
    *result = (struct cup_merge_result){0};
    int done = cup_merge_sources_find(&sources, request->inputs, request->count, error);
    if (done == 0)
        done = write_output(&sources, request, result, error);
    result->logs = (uint32_t)sources.count;
    result->again = (uint32_t)sources.again;
    cup_merge_sources_free(&sources);
    return done;
}
