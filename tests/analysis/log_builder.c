#include "tests/analysis/log_builder.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "include/cpu_rows.h"
#include "include/log_pairs.h"

/* Room for `bytes` more, zeroed; where they begin. */
static unsigned char *add(struct log_builder *builder, size_t bytes)
{
    while (builder->size + bytes > builder->room) {
        builder->room = builder->room ? builder->room * 2 : 1 << 17;
        builder->bytes = realloc(builder->bytes, builder->room);
        if (!builder->bytes)
            abort();
    }
    unsigned char *at = memset(builder->bytes + builder->size, 0, bytes);
    builder->size += bytes;
    return at;
}

struct cup_log_header *builder_header(struct log_builder *builder)
{
    return (struct cup_log_header *)builder->bytes;
}

struct cup_block *builder_block(struct log_builder *builder, unsigned index)
{
    return (struct cup_block *)(builder->bytes + sizeof(struct cup_log_header)) + index;
}

void builder_start(struct log_builder *builder)
{
    const size_t blocks_at = sizeof(struct cup_log_header);
    const size_t series_at = blocks_at + BUILDER_BLOCKS * sizeof(struct cup_block);
    *builder = (struct log_builder){0};
    add(builder, series_at + sizeof(struct cup_series));
    struct cup_log_header *header = builder_header(builder);
    *header = (struct cup_log_header){
        .byte_order = CUP_LOG_BYTE_ORDER,
        .version = CUP_LOG_VERSION,
        .min_reader = CUP_LOG_MIN_READER,
        .header_size = sizeof *header,
        .region_count = 2,
        .records_offset = builder->size,
        .records_end = builder->size,
        .pid = 4242,
        .ppid = 4200,
        .process_start_ns = INT64_C(1700000000000000000),
        .log_start_ns = INT64_C(1700000000500000000),
        .log_stop_ns = INT64_C(1700000100000000000),
        .features = CUP_FEATURE_FILES | CUP_FEATURE_HEAP | CUP_FEATURE_BRIDGE |
                    CUP_FEATURE_CONTEXT | CUP_FEATURE_CHUNKS | CUP_FEATURE_RSS |
                    CUP_FEATURE_SAMPLES | CUP_FEATURE_DIGESTS,
        .hook_count = 40,
        .host = "node1",
        .library_version = "0.1.0",
        .library_build = "built for a test",
        .regions = {{CUP_REGION_BLOCKS, BUILDER_BLOCKS, blocks_at, sizeof(struct cup_block)},
                    {CUP_REGION_SERIES, 1, series_at, sizeof(struct cup_series)}},
    };
    memcpy(header->magic, CUP_LOG_MAGIC, sizeof header->magic);
}

void builder_free(struct log_builder *builder)
{
    free(builder->bytes);
    free(builder->workers);
    *builder = (struct log_builder){0};
}

void builder_record(struct log_builder *builder, unsigned type, const void *fixed,
                    size_t fixed_bytes, const void *tail, size_t tail_bytes)
{
    size_t length = (fixed_bytes + tail_bytes + 7) / 8 * 8;
    unsigned char *at = add(builder, length);
    memcpy(at, fixed, fixed_bytes);
    if (tail_bytes)
        memcpy(at + fixed_bytes, tail, tail_bytes);
    struct cup_record head = {(uint32_t)length, (uint16_t)type, (uint16_t)fixed_bytes};
    memcpy(at, &head, sizeof head);
}

void builder_totals(struct log_builder *builder, const struct cup_task_totals *totals)
{
    const struct cup_r_room room = {.head = {0}};
    builder_record(builder, CUP_R_ROOM, &room, sizeof room, totals, sizeof *totals);
    struct cup_log_header *header = builder_header(builder);
    header->regions[header->region_count++] =
        (struct cup_region){CUP_REGION_TOTALS, 1, builder->size - sizeof *totals, sizeof *totals};
}

void builder_string(struct log_builder *builder, uint32_t id, const char *text)
{
    struct cup_r_string string = {.id = id, .bytes = (uint32_t)strlen(text)};
    builder_record(builder, CUP_R_STRING, &string, sizeof string, text, string.bytes);
}

void builder_begin(struct log_builder *builder, const struct cup_r_task_begin *begin,
                   const char *key)
{
    struct cup_r_task_begin copy = *begin;
    copy.key_bytes = (uint32_t)strlen(key);
    builder_record(builder, CUP_R_TASK_BEGIN, &copy, sizeof copy, key, copy.key_bytes);
}

/* Pairs of a tail, indexes from `first` on, padded to 8 bytes. */
static size_t put_pairs(unsigned char *to, const uint64_t *values, unsigned count, unsigned first)
{
    size_t length = 0;
    for (unsigned i = 0; i < count; i++) {
        if (values[i] == 0)
            continue;
        length += cup_pairs_number(to + length, first + i);
        length += cup_pairs_number(to + length, values[i]);
    }
    while (length % 8 != 0)
        to[length++] = CUP_PAIR_PADDING;
    return length;
}

void builder_counters(struct log_builder *builder, const struct cup_r_counters *block,
                      const uint64_t *values)
{
    builder_counters_and_buckets(builder, block, values, NULL);
}

void builder_counters_and_buckets(struct log_builder *builder, const struct cup_r_counters *block,
                                  const uint64_t *values, const uint64_t *buckets)
{
    enum { BUCKETS = CUP_HISTOGRAM_COUNT * CUP_BUCKETS };
    unsigned char tail[(CUP_COUNTER_ROOM + BUCKETS) * 12];
    size_t bytes = put_pairs(tail, values, CUP_COUNTER_COUNT, 0);
    if (buckets)
        bytes += put_pairs(tail + bytes, buckets, BUCKETS, CUP_PAIR_BUCKETS);
    builder_record(builder, CUP_R_COUNTERS, block, sizeof *block, tail, bytes);
}

void builder_file_use(struct log_builder *builder, const struct cup_r_file_use *use,
                      const uint64_t *values)
{
    unsigned char tail[CUP_FILE_COUNTER_ROOM * 12];
    builder_record(builder, CUP_R_FILE_USE, use, sizeof *use, tail,
                   put_pairs(tail, values, CUP_FILE_COUNTER_COUNT, 0));
}

/* ---- baskets ----------------------------------------------------------------------------- */

static size_t put_branch(unsigned char *to, uint32_t step, const uint64_t *values,
                         const uint64_t *before)
{
    enum { PLAIN, DELTA };
    static const unsigned char kinds[] = {
#define X(id, name, kind, text) kind,
        CUP_BASKET_VALUES(X)
#undef X
    };
    uint64_t told[CUP_BV_COUNT], bits = 0;
    for (int i = 0; i < CUP_BV_COUNT; i++) {
        told[i] = kinds[i] == DELTA ? cup_pairs_difference(values[i], before[i]) : values[i];
        bits |= (uint64_t)(told[i] != 0) << i;
    }
    size_t bytes = cup_pairs_number(to, step);
    bytes += cup_pairs_number(to + bytes, bits);
    for (int i = 0; i < CUP_BV_COUNT; i++)
        if (told[i])
            bytes += cup_pairs_number(to + bytes, told[i]);
    return bytes;
}

void builder_baskets(struct log_builder *builder, const struct cup_r_baskets *baskets,
                     const uint32_t *branches, const uint64_t (*values)[CUP_BV_COUNT],
                     uint32_t rows)
{
    static const uint64_t nothing[CUP_BV_COUNT];
    unsigned char *tail = malloc(rows * (CUP_BV_COUNT + 2) * 10 + 1);
    struct cup_r_baskets fixed = *baskets;
    size_t bytes = 0;
    fixed.rows = rows;
    for (uint32_t i = 0; i < rows; i++)
        bytes += put_branch(tail + bytes, branches[i] - (i ? branches[i - 1] : 0) + 1, values[i],
                            i ? values[i - 1] : nothing);
    builder_record(builder, CUP_R_BASKETS, &fixed, sizeof fixed, tail, bytes);
    free(tail);
}

/* ---- stacks ------------------------------------------------------------------------------ */

void builder_code(struct log_builder *builder, uint32_t id, uint32_t file, const char *name,
                  uint32_t first_line, const void *table, uint32_t table_bytes)
{
    const struct cup_r_code code = {.id = id,
                                    .file = file,
                                    .first_line = first_line,
                                    .minor = 11,
                                    .is_qualified = 1,
                                    .name_bytes = (uint32_t)strlen(name),
                                    .table_bytes = table_bytes};
    unsigned char *tail = malloc(code.name_bytes + table_bytes + 1);
    memcpy(tail, name, code.name_bytes);
    if (table_bytes)
        memcpy(tail + code.name_bytes, table, table_bytes);
    builder_record(builder, CUP_R_CODE, &code, sizeof code, tail, code.name_bytes + table_bytes);
    free(tail);
}

void builder_module(struct log_builder *builder, uint32_t id, uint32_t path, const void *build_id,
                    uint32_t build_id_bytes)
{
    const struct cup_r_module module = {.id = id, .path = path, .build_id_bytes = build_id_bytes};
    builder_record(builder, CUP_R_MODULE, &module, sizeof module, build_id, build_id_bytes);
}

void builder_stacks(struct log_builder *builder, uint32_t first, const struct cup_stack_node *nodes,
                    uint32_t count)
{
    const struct cup_r_nodes record = {.first = first, .count = count};
    unsigned char *tail = malloc(count * 15 + 1);
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++) {
        bytes += cup_pairs_number(tail + bytes, first + i - nodes[i].parent);
        bytes += cup_pairs_number(tail + bytes, nodes[i].of << 1 | nodes[i].of >> 31);
        bytes += cup_pairs_number(tail + bytes, nodes[i].at + 1);
    }
    builder_record(builder, CUP_R_NODES, &record, sizeof record, tail, bytes);
    free(tail);
}

void builder_uses(struct log_builder *builder, uint32_t task, const struct cup_stack_use_row *rows,
                  uint32_t count)
{
    const struct cup_r_stack_use uses = {.task = task, .rows = count | CUP_USE_ROWS_SHORT};
    unsigned char *tail = malloc(count * CUP_USE_ROW_LONGEST + 1);
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += cup_use_row_code(tail + bytes, &rows[i], i ? &rows[i - 1] : NULL);
    builder_record(builder, CUP_R_STACK_USE, &uses, sizeof uses, tail, bytes);
    free(tail);
}

void builder_cpu_samples(struct log_builder *builder, uint32_t tid, int64_t start_ns,
                         const struct cup_cpu_run *runs, uint32_t count)
{
    const struct cup_r_cpu_samples samples = {
        .tid = tid, .rows = count, .start_ns = start_ns, .period = 119};
    const struct cup_cpu_run none = {0};
    unsigned char *tail = malloc(count * CUP_CPU_ROW_LONGEST + 1);
    size_t bytes = 0;
    for (uint32_t i = 0; i < count; i++)
        bytes += cup_cpu_row_code(tail + bytes, &runs[i], i ? &runs[i - 1] : &none);
    builder_record(builder, CUP_R_CPU_SAMPLES, &samples, sizeof samples, tail, bytes);
    free(tail);
}

/* ---- access extents ---------------------------------------------------------------------- */

static size_t encode_extent(unsigned char *to, const struct cup_read_extent *extent, uint64_t end,
                            int64_t ended_ns)
{
    const uint64_t told[CUP_KV_COUNT] = {
        cup_pairs_difference(extent->low, end),
        extent->high - extent->low,
        cup_pairs_difference((uint64_t)extent->start_ns / 1024, (uint64_t)ended_ns / 1024),
        (uint64_t)extent->stop_ns / 1024 - (uint64_t)extent->start_ns / 1024,
        cup_pairs_difference(extent->bytes, extent->high - extent->low),
        extent->calls - 1,
        extent->jumps,
    };
    size_t bytes = 1;
    to[0] = 0;
    for (int i = 0; i < CUP_KV_COUNT; i++)
        if (told[i]) {
            to[0] |= (unsigned char)(1 << i);
            bytes += cup_pairs_number(to + bytes, told[i]);
        }
    return bytes;
}

void builder_access(struct log_builder *builder, const struct cup_r_access *access,
                    const struct cup_read_extent *extents, uint32_t count)
{
    struct cup_r_access fixed = *access;
    unsigned char *tail = malloc(count * (CUP_KV_COUNT * 10 + 1) + 1);
    size_t bytes = 0;
    fixed.start_ns = count ? extents[0].start_ns : 0;
    fixed.extents = (uint8_t)count;
    for (uint32_t i = 0; i < count; i++)
        bytes += encode_extent(tail + bytes, &extents[i], i ? extents[i - 1].high : 0,
                               i ? extents[i - 1].stop_ns : fixed.start_ns);
    builder_record(builder, CUP_R_ACCESS, &fixed, sizeof fixed, tail, bytes);
    free(tail);
}

void builder_extents(struct log_builder *builder, const struct cup_r_access *access,
                     const struct cup_read_extent *extents, uint32_t count)
{
    struct cup_r_extents set = {.set = access->set,
                                .sequence = access->sequence,
                                .task = access->task,
                                .file = access->file,
                                .own = access->own,
                                .base_ticks = 5000,
                                .base_ns = count ? extents[0].start_ns : 0,
                                .multiplier = UINT64_C(1) << 32};
    for (uint32_t i = 0; i < count; i++)
        set.extents[CUP_EXTENT_ROOM - 1 - i] = (struct cup_access_extent){
            .low = extents[i].low,
            .high = extents[i].high,
            .start = (uint64_t)(extents[i].start_ns - set.base_ns) + set.base_ticks,
            .stop = (uint64_t)(extents[i].stop_ns - set.base_ns) + set.base_ticks,
            .bytes = extents[i].bytes,
            .calls = (uint32_t)extents[i].calls,
            .jumps = (uint32_t)extents[i].jumps};
    BUILDER_ADD(builder, CUP_R_EXTENTS, set);
}

/* ---- samples ----------------------------------------------------------------------------- */

struct builder_worker {
    uint32_t server;
    bool told;
    uint64_t values[CUP_WV_COUNT], heartbeat[CUP_HV_COUNT];
};

void builder_unknown(uint64_t *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        values[i] = CUP_UNKNOWN64;
}

void builder_worker(struct log_builder *builder, uint32_t worker, uint32_t server, uint32_t address,
                    uint32_t name)
{
    struct cup_r_worker record = {
        .worker = worker, .server = server, .address = address, .name = name};
    BUILDER_ADD(builder, CUP_R_WORKER, record);
    if (worker >= builder->worker_room) {
        builder->worker_room = 2 * worker + 8;
        builder->workers =
            realloc(builder->workers, builder->worker_room * sizeof *builder->workers);
        if (!builder->workers)
            abort();
    }
    struct builder_worker *told = &builder->workers[worker];
    *told = (struct builder_worker){.server = server};
    builder_unknown(told->values, CUP_WV_COUNT);
    builder_unknown(told->heartbeat, CUP_HV_COUNT);
}

static void put_row(struct log_builder *builder, uint32_t sample, uint32_t worker,
                    enum cup_row_kind kind, const unsigned char *pairs, size_t bytes)
{
    unsigned char tail[2 * CUP_PAIR_LONGEST + CUP_ROW_VALUES * CUP_PAIR_LONGEST];
    struct cup_r_rows record = {.sample = sample,
                                .rows = ++builder->rows[builder->workers[worker].server]};
    size_t size = cup_pairs_number(tail, worker);
    size += cup_pairs_number(tail + size, bytes * CUP_ROW_KINDS + kind);
    if (bytes)
        memcpy(tail + size, pairs, bytes);
    builder_record(builder, CUP_R_ROWS, &record, sizeof record, tail, size + bytes);
}

void builder_row(struct log_builder *builder, uint32_t sample, uint32_t worker,
                 const uint64_t *values, const uint64_t *heartbeat)
{
    struct builder_worker *told = &builder->workers[worker];
    const uint64_t *beat = heartbeat ? heartbeat : told->heartbeat;
    unsigned char pairs[CUP_ROW_VALUES * CUP_PAIR_LONGEST];
    size_t bytes;
    if (told->told) {
        bytes = cup_pairs_changed(pairs, values, told->values, CUP_WV_COUNT, 0);
        bytes += cup_pairs_changed(pairs + bytes, beat, told->heartbeat, CUP_HV_COUNT,
                                   CUP_PAIR_HEARTBEAT);
    } else {
        bytes = cup_pairs_known(pairs, values, CUP_WV_COUNT, 0);
        bytes += cup_pairs_known(pairs + bytes, beat, CUP_HV_COUNT, CUP_PAIR_HEARTBEAT);
    }
    if (bytes || !told->told)
        put_row(builder, sample, worker, told->told ? CUP_ROW_CHANGED : CUP_ROW_WHOLE, pairs,
                bytes);
    told->told = true;
    memcpy(told->values, values, sizeof told->values);
    memmove(told->heartbeat, beat, sizeof told->heartbeat);
}

void builder_gone(struct log_builder *builder, uint32_t sample, uint32_t worker)
{
    put_row(builder, sample, worker, CUP_ROW_GONE, NULL, 0);
    builder->workers[worker].told = false;
}

void builder_sample(struct log_builder *builder, uint32_t sample, uint32_t server, int64_t time_ns,
                    const uint64_t *values)
{
    unsigned char tail[CUP_SV_COUNT * CUP_PAIR_LONGEST + 8];
    struct cup_r_sample record = {
        .sample = sample, .server = server, .time_ns = time_ns, .rows = builder->rows[server]};
    size_t bytes = cup_pairs_known(tail, values, CUP_SV_COUNT, 0);
    while (bytes % 8)
        tail[bytes++] = CUP_PAIR_PADDING;
    builder_record(builder, CUP_R_SAMPLE, &record, sizeof record, tail, bytes);
}

void builder_finish(struct log_builder *builder)
{
    builder_header(builder)->records_end = builder->size;
}

void builder_save(const struct log_builder *builder, const char *path, size_t bytes)
{
    remove(path); /* a file that is cut and written anew is flushed to the disk: slow */
    FILE *file = fopen(path, "wb");
    if (!file || fwrite(builder->bytes, 1, bytes, file) != bytes || fclose(file) != 0) {
        perror(path);
        abort();
    }
}
