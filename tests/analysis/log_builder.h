/* Builds logs in memory: sound ones as the library writes them, and damaged ones. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "analysis/log/log_access.h"
#include "include/log_format.h"
#include "include/stack_use_rows.h"

enum { BUILDER_BLOCKS = 4, BUILDER_SERVERS = 8 };

struct builder_worker; /* the last row of a worker */

struct log_builder {
    unsigned char *bytes; /* owned; begins with a struct cup_log_header */
    size_t size, room;
    struct builder_worker *workers; /* owned; by number of the worker */
    uint32_t worker_room;
    uint32_t rows[BUILDER_SERVERS]; /* number of the last ROWS record of each server */
};

/* A sound empty log with all features, BUILDER_BLOCKS free blocks and a series. */
void builder_start(struct log_builder *builder);
void builder_free(struct log_builder *builder);

/* Valid until something is appended. */
struct cup_log_header *builder_header(struct log_builder *builder);
struct cup_block *builder_block(struct log_builder *builder, unsigned index);

/* The region with the sums of tasks that began when the log was full. Nothing may follow. */
void builder_totals(struct log_builder *builder, const struct cup_task_totals *totals);

/* Appends a record; head.length, .type and .fixed of `fixed` are filled in. */
void builder_record(struct log_builder *builder, unsigned type, const void *fixed,
                    size_t fixed_bytes, const void *tail, size_t tail_bytes);

void builder_string(struct log_builder *builder, uint32_t id, const char *text);
void builder_begin(struct log_builder *builder, const struct cup_r_task_begin *begin,
                   const char *key);
void builder_counters(struct log_builder *builder, const struct cup_r_counters *block,
                      const uint64_t *values);
void builder_counters_and_buckets(struct log_builder *builder, const struct cup_r_counters *block,
                                  const uint64_t *values, const uint64_t *buckets);
void builder_file_use(struct log_builder *builder, const struct cup_r_file_use *use,
                      const uint64_t *values);

/* A BASKETS record. ROWS of VALUES (CUP_BV_COUNT each), of BRANCHES in ascending order. */
void builder_baskets(struct log_builder *builder, const struct cup_r_baskets *baskets,
                     const uint32_t *branches, const uint64_t (*values)[CUP_BV_COUNT],
                     uint32_t rows);

/* Stacks: a function of Python 3.11 with its line table; nodes, numbered from FIRST on; what TASK
 * did, in rows in the order of nodes and uses. */
void builder_code(struct log_builder *builder, uint32_t id, uint32_t file, const char *name,
                  uint32_t first_line, const void *table, uint32_t table_bytes);
void builder_module(struct log_builder *builder, uint32_t id, uint32_t path, const void *build_id,
                    uint32_t build_id_bytes);
void builder_stacks(struct log_builder *builder, uint32_t first, const struct cup_stack_node *nodes,
                    uint32_t count);
void builder_uses(struct log_builder *builder, uint32_t task, const struct cup_stack_use_row *rows,
                  uint32_t count);
/* A CPU_SAMPLES record of thread TID with COUNT rows, whose times count from START_NS. */
struct cup_cpu_run;
void builder_cpu_samples(struct log_builder *builder, uint32_t tid, int64_t start_ns,
                         const struct cup_cpu_run *runs, uint32_t count);
/* An ACCESS record with extents in the order of time, whose times are multiples of 1024 ns; and an
 * EXTENTS record with such extents, with one tick for each nanosecond. */
void builder_access(struct log_builder *builder, const struct cup_r_access *access,
                    const struct cup_read_extent *extents, uint32_t count);
void builder_extents(struct log_builder *builder, const struct cup_r_access *access,
                     const struct cup_read_extent *extents, uint32_t count);

/* Samples as the library writes them. WORKER: 1, 2, 3, ...; ADDRESS, NAME: strings. Add the rows
 * before their sample; all rows of a sample are of workers of one server. HEARTBEAT NULL: as in the
 * row before. */
void builder_worker(struct log_builder *builder, uint32_t worker, uint32_t server, uint32_t address,
                    uint32_t name);
void builder_row(struct log_builder *builder, uint32_t sample, uint32_t worker,
                 const uint64_t *values, const uint64_t *heartbeat);
void builder_gone(struct log_builder *builder, uint32_t sample, uint32_t worker);
void builder_sample(struct log_builder *builder, uint32_t sample, uint32_t server, int64_t time_ns,
                    const uint64_t *values);
/* Sets all values to CUP_UNKNOWN64. */
void builder_unknown(uint64_t *values, unsigned count);

#define BUILDER_ADD(builder, type, record)                                                         \
    builder_record(builder, type, &(record), sizeof(record), NULL, 0)

/* Sets records_end to the end of the records. */
void builder_finish(struct log_builder *builder);

/* Writes the first `bytes` bytes to a file; aborts if it cannot. */
void builder_save(const struct log_builder *builder, const char *path, size_t bytes);
