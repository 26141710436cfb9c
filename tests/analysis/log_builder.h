/* Builds logs byte by byte, as the library would write them, and then as no library would. */
#ifndef CUPPING_LOG_BUILDER_H
#define CUPPING_LOG_BUILDER_H

#include <stddef.h>
#include <stdint.h>

#include "preload/log_format.h"

enum { BUILDER_BLOCKS = 4 };

struct log_builder {
    unsigned char *bytes; /* owned; begins with a struct cup_log_header */
    size_t size, room;
};

/* A sound empty log with all features, BUILDER_BLOCKS free blocks and a series. */
void builder_start(struct log_builder *builder);
void builder_free(struct log_builder *builder);

/* Valid until something is added. */
struct cup_log_header *builder_header(struct log_builder *builder);
struct cup_block *builder_block(struct log_builder *builder, unsigned index);

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

#define BUILDER_ADD(builder, type, record)                                                         \
    builder_record(builder, type, &(record), sizeof(record), NULL, 0)

/* Sets records_end to what was added. */
void builder_finish(struct log_builder *builder);

/* Writes the first `bytes` bytes to a file; aborts if it cannot. */
void builder_save(const struct log_builder *builder, const char *path, size_t bytes);

#endif
