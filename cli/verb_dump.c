/* `cupping dump`: prints the contents of one log, for developers of the library. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "analysis/log/log_reader.h"
#include "analysis/profile/files.h"
#include "analysis/profile/log_names.h"
#include "analysis/write/output.h"
#include "cli/dump/dump_records.h"
#include "cli/verbs.h"

static const char *const health_names[] = {CUP_HEALTH(CUP_NAME_OF)};

/* ---- header, regions, blocks ------------------------------------------------------------ */

static void dump_features(FILE *out, uint64_t features)
{
    static const char *const names[] = {CUP_FEATURES(CUP_NAME_OF)};
    fputs("features:", out);
    for (unsigned i = 0; i < CUP_FEATURE_COUNT; i++)
        fprintf(out, " %s=%s", names[i], features & UINT64_C(1) << i ? "on" : "off");
    putc('\n', out);
}

static void dump_name(FILE *out, const char *name, const char *text)
{
    cup_dump_text(out, name, (const unsigned char *)text, strlen(text));
}

static void dump_header(FILE *out, const struct cup_log *log)
{
    const struct cup_log_header *h = &log->header;
    fprintf(out, "log: %s (%" PRIu64 " bytes)\n", log->path, log->size);
    fprintf(out, "format: %u, for readers from %u on\n", h->version, h->min_reader);
    fputs("library:", out);
    dump_name(out, "version", h->library_version);
    dump_name(out, "build", h->library_build);
    fprintf(out, " hooks=%" PRIu32 "\nprocess:", h->hook_count);
    dump_name(out, "host", h->host);
    fprintf(out, " pid=%" PRIu32 " ppid=%" PRIu32 " parent_task=%" PRIu32, h->pid, h->ppid,
            h->parent_task);
    cup_dump_time(out, "start", h->process_start_ns);
    cup_dump_time(out, "log_start", h->log_start_ns);
    cup_dump_time(out, "log_stop", h->log_stop_ns);
    fputs(h->log_stop_ns ? "\n" : " (still running, or ended without notice)\n", out);
    dump_features(out, h->features);
    fputs("health:", out);
    cup_dump_nonzero(out, health_names, h->health, CUP_HEALTH_COUNT);
    fprintf(out, "\nrecords: bytes %" PRIu64 " to %" PRIu64 "\n", h->records_offset,
            h->records_end);
    for (uint32_t i = 0; i < h->region_count; i++)
        fprintf(out,
                "region: type=%" PRIu32 " count=%" PRIu32 " offset=%" PRIu64 " entry_size=%" PRIu64
                "\n",
                h->regions[i].type, h->regions[i].count, h->regions[i].offset,
                h->regions[i].entry_size);
}

static void dump_series(FILE *out, struct cup_log *log)
{
    static const char *const names[] = {CUP_SERIES(CUP_NAME_OF)};
    struct cup_series series;
    if (cup_log_series(log, &series) != 0)
        return;
    fprintf(out, "series: bins of %.3f s\n", (double)series.bin_ns / 1e9);
    for (int row = 0; row < CUP_SERIES_COUNT; row++) {
        fprintf(out, "  %s:", names[row]);
        for (int bin = 0; bin < CUP_SERIES_BINS; bin++)
            if (series.values[row][bin])
                fprintf(out, " %d:%" PRIu64, bin, series.values[row][bin]);
        putc('\n', out);
    }
}

static void print_open_buckets(FILE *out, const struct cup_block *block)
{
    uint64_t buckets[CUP_HISTOGRAM_COUNT * CUP_BUCKETS];
    for (unsigned i = 0; i < CUP_HISTOGRAM_COUNT * CUP_BUCKETS; i++)
        buckets[i] = block->histograms[i / CUP_BUCKETS][i % CUP_BUCKETS];
    cup_dump_buckets(out, buckets);
}

static void dump_open_block(FILE *out, const struct cup_open_block *open)
{
    const struct cup_block *block = &open->block;
    fprintf(out,
            "open block %" PRIu32 ": task=%" PRIu32 " tid=%" PRIu32 " sequence=%" PRIu32
            " own=%" PRIu32 " total=%" PRIu32 "%s",
            open->index, block->task, block->tid, block->sequence, block->own, block->total,
            open->written ? " (also a record: not counted)" : "");
    cup_dump_nonzero(out, cup_counter_names, block->counters, CUP_COUNTER_COUNT);
    print_open_buckets(out, block);
    putc('\n', out);
    for (int i = 0; i < CUP_BLOCK_FILES; i++) {
        if (!block->files[i].file)
            continue;
        fprintf(out, "  file=%" PRIu32 " file_sequence=%" PRIu32 "%s", block->files[i].file,
                block->file_sequence[i],
                open->written || open->file_written[i] ? " (also a record)" : "");
        cup_dump_nonzero(out, cup_file_counter_names, block->files[i].counters,
                         CUP_FILE_COUNTER_COUNT);
        putc('\n', out);
    }
}

static void dump_total(FILE *out, const struct cup_total *total)
{
    static const char *const values[] = {CUP_TASK_SUMS(CUP_NAME_OF)};
    static const char *const statuses[CUP_TOTAL_STATUSES] = {"finished", "erred", "unknown"};
    fprintf(out,
            "total: prefix=#%" PRIu32 " server=%" PRIu32 " origin=%" PRIu32 " dataset=#%" PRIu32
            " item=%" PRIu32 " skipped=%" PRIu32 " longest_ns=%" PRIu64 "\n",
            total->key.prefix, total->key.server, total->key.origin, total->key.dataset,
            total->key.item, total->key.skipped, total->longest_ns);
    for (int status = 0; status < CUP_TOTAL_STATUSES; status++) {
        fprintf(out, "  %s:", statuses[status]);
        cup_dump_nonzero(out, values, total->values[status], CUP_TASK_SUM_COUNT);
        putc('\n', out);
    }
    for (int own = 0; own < 2; own++) {
        fprintf(out, "  own=%d:", own);
        cup_dump_nonzero(out, cup_counter_names, total->counters[own], CUP_COUNTER_COUNT);
        putc('\n', out);
    }
}

static void dump_log(struct cup_log *log, const struct cup_output *output)
{
    const struct cup_record *record;
    dump_header(output->file, log);
    dump_series(output->file, log);
    fprintf(output->file, "    offset bytes record (#N: text of STRING N)\n");
    while (!cup_output_failed(output) && (record = cup_log_next(log)) != NULL)
        cup_dump_record(output->file, log->record_offset, record);
    for (size_t i = 0; i < log->block_count; i++)
        dump_open_block(output->file, &log->blocks[i]);
    for (int i = 0; log->totals && i < CUP_TOTALS; i++)
        if (log->totals->entries[i].used)
            dump_total(output->file, &log->totals->entries[i]);
    fprintf(output->file, "unfinished records: %" PRIu64 "; bytes lost to damage: %" PRIu64 "\n",
            log->unfinished_records, log->skipped_bytes);
}

static int dump_file(const char *path, const struct cup_output *output, struct cup_error *error)
{
    struct cup_log log;
    if (cup_log_open(&log, path, error) != 0)
        return -1;
    dump_log(&log, output);
    if (log.damage.text[0])
        cup_error_print(stderr, &log.damage);
    cup_log_close(&log);
    return 0;
}

/* A log that cannot be opened does not keep the others back. */
static int dump_merged(const char *path, const struct cup_output *output, struct cup_error *error)
{
    struct cup_log_names names;
    size_t unopened = 0;
    int result = cup_log_names_list(&names, path, error);
    for (size_t i = 0; i < names.count && result == 0; i++)
        if (dump_file(names.names[i], output, error) != 0) {
            cup_error_print(stderr, error);
            unopened++;
        }
    if (unopened)
        result = cup_error_set(error, path, CUP_NO_OFFSET, "%zu of its %zu logs cannot be opened",
                               unopened, names.count);
    cup_log_names_free(&names);
    return result;
}

int cup_verb_dump(int argc, char **argv)
{
    const char *path = NULL;
    struct cup_error error;
    struct cup_output output;
    struct cup_operands operands = {.words = &path, .room = 1};
    if (cup_options_read(argc, argv, &(struct cup_options){0}, NULL, &operands, &error) != 0)
        return cup_verb_end(&error, CUP_EXIT_USAGE);
    if (!path) {
        cup_error_set(&error, "dump", CUP_NO_OFFSET, "name a log (*.cup); see `cupping help dump`");
        return cup_verb_end(&error, CUP_EXIT_USAGE);
    }
    if (cup_output_open(&output, "-", &error) != 0)
        return cup_verb_end(&error, CUP_EXIT_FAILED);
    int result = (cup_merged_is(path) ? dump_merged : dump_file)(path, &output, &error);
    if (result != 0) {
        cup_output_abandon(&output);
        return cup_verb_end(&error, CUP_EXIT_FAILED);
    }
    return cup_verb_end(&error,
                        cup_output_close(&output, &error) == 0 ? CUP_EXIT_DONE : CUP_EXIT_FAILED);
}
