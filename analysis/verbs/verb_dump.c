/* Shows one log as it is: for those who write the library, and for the curious. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "analysis/base/value.h"
#include "analysis/log/log_pairs.h"
#include "analysis/log/log_reader.h"
#include "analysis/profile/files.h"
#include "analysis/verbs/options.h"
#include "analysis/verbs/verbs.h"
#include "analysis/write/output.h"
#include "analysis/write/terminal.h"
#include "preload/pairs.h"

/* ---- pieces ----------------------------------------------------------------------------- */

static void print_time(FILE *out, const char *name, int64_t ns)
{
    char text[CUP_NUMBER_ROOM];
    size_t length = ns ? cup_print_number(text, cup_time(ns)) : 0;
    if (length)
        fprintf(out, " %s=%.*s", name, (int)length, text);
    else
        fprintf(out, " %s=%" PRId64, name, ns);
}

static void print_known(FILE *out, const char *name, uint64_t value)
{
    if (value == CUP_UNKNOWN64)
        fprintf(out, " %s=?", name);
    else
        fprintf(out, " %s=%" PRIu64, name, value);
}

/* Text of the log, between quotes, harmless to the terminal. */
static void print_text(FILE *out, const char *name, const unsigned char *bytes, size_t length)
{
    const struct cup_terminal plain = {.out = out};
    struct cup_text text = {(const char *)bytes, length};
    fprintf(out, " %s=\"", name);
    cup_print_fit(&plain, text, cup_text_columns(text), CUP_FIT_NONE);
    putc('"', out);
}

static const char *const health_names[] = {
#define X(id, name, text) name,
    CUP_HEALTH(X)
#undef X
};

static void print_counters(FILE *out, const char *const *names, const uint64_t *values, int count)
{
    for (int i = 0; i < count; i++)
        if (values[i])
            fprintf(out, " %s=%" PRIu64, names[i], values[i]);
}

/* The n-th name, or "?" where a newer writer knows more. */
static const char *name_of(const char *const *names, size_t count, uint32_t number)
{
    return number < count && names[number] ? names[number] : "?";
}

#define NAME_OF(names, number) name_of(names, sizeof(names) / sizeof *(names), number)

/* ---- records ---------------------------------------------------------------------------- */

static void dump_string(FILE *out, const struct cup_record *record)
{
    struct cup_r_string r;
    cup_record_fixed(record, &r, sizeof r);
    size_t tail = cup_record_tail_bytes(record);
    fprintf(out, " id=%" PRIu32, r.id);
    print_text(out, "text", cup_record_tail(record), r.bytes < tail ? r.bytes : tail);
}

static void dump_file(FILE *out, const struct cup_record *record)
{
    static const char *const classes[] = {NULL,   "data",   "import", "spill",
                                          "pipe", "socket", "other"};
    struct cup_r_file r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " id=%" PRIu32 " path=#%" PRIu32 " class=%s flags=%#" PRIx32, r.id, r.path,
            NAME_OF(classes, r.class), r.flags);
    fprintf(out, " device=%" PRIu64 " inode=%" PRIu64 " size=%" PRIu64, r.device, r.inode, r.size);
}

static void dump_info(FILE *out, const struct cup_record *record)
{
    struct cup_r_info r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " name=#%" PRIu32 " value=#%" PRIu32, r.name, r.value);
}

static void dump_server(FILE *out, const struct cup_record *record)
{
    static const char *const roles[] = {"other", "client", "scheduler", "nanny", "worker", "child"};
    struct cup_r_server r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " id=%" PRIu32 " role=%s address=#%" PRIu32 " name=#%" PRIu32, r.id,
            NAME_OF(roles, r.role), r.address, r.name);
    fprintf(out, " threads=%" PRIu32 " local_directory=#%" PRIu32, r.threads, r.local_directory);
    print_known(out, "memory_limit", r.memory_limit);
}

static void dump_task_begin(FILE *out, const struct cup_record *record)
{
    static const char *const origins[] = {NULL, "dask", "coffea", "async", "actor"};
    struct cup_r_task_begin r;
    cup_record_fixed(record, &r, sizeof r);
    size_t tail = cup_record_tail_bytes(record);
    fprintf(out, " task=%" PRIu32 " tid=%" PRIu32 " prefix=#%" PRIu32 " server=%" PRIu32, r.task,
            r.tid, r.prefix, r.server);
    fprintf(out, " span=#%" PRIu32 " origin=%s run_id=%" PRId64, r.span, NAME_OF(origins, r.origin),
            r.run_id);
    print_time(out, "start", r.start_ns);
    print_known(out, "rss", r.rss);
    if (r.span_id)
        fprintf(out, " span_id=#%" PRIu32, r.span_id);
    print_text(out, "key", cup_record_tail(record), r.key_bytes < tail ? r.key_bytes : tail);
}

static void dump_task_end(FILE *out, const struct cup_record *record)
{
    static const char *const statuses[] = {NULL, "finished", "erred"};
    struct cup_r_task_end r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " task=%" PRIu32 " status=%s", r.task, NAME_OF(statuses, r.status));
    print_time(out, "stop", r.stop_ns);
    print_known(out, "cpu_ns", r.cpu_ns);
    print_known(out, "rss", r.rss);
    print_known(out, "result_bytes", r.result_bytes);
    fprintf(out, " error=#%" PRIu32, r.error);
}

static void dump_inputs(FILE *out, const struct cup_record *record)
{
    struct cup_r_inputs r;
    cup_record_fixed(record, &r, sizeof r);
    size_t tail = cup_record_tail_bytes(record);
    fprintf(out, " task=%" PRIu32 " count=%" PRIu32, r.task, r.count);
    print_known(out, "bytes", r.bytes);
    print_text(out, "one", cup_record_tail(record), r.key_bytes < tail ? r.key_bytes : tail);
}

static void dump_item(FILE *out, const struct cup_record *record)
{
    static const char *const kinds[] = {NULL, "work", "metadata", "read", "path"};
    struct cup_r_item r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " task=%" PRIu32 " kind=%s dataset=#%" PRIu32 " file=#%" PRIu32 " tree=#%" PRIu32,
            r.task, NAME_OF(kinds, r.kind), r.dataset, r.file, r.tree);
    fprintf(out, " entries=%" PRId64 "-%" PRId64, r.entry_start, r.entry_stop);
}

static void dump_chunk(FILE *out, const struct cup_record *record)
{
    struct cup_r_chunk r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " task=%" PRIu32, r.task);
    print_time(out, "tic", r.tic_ns);
    print_time(out, "toc", r.toc_ns);
    print_known(out, "cpu_ns", r.cpu_ns);
}

static void dump_columns(FILE *out, const struct cup_record *record)
{
    struct cup_r_columns r;
    cup_record_fixed(record, &r, sizeof r);
    size_t count = cup_record_tail_bytes(record) / sizeof(uint32_t);
    const unsigned char *tail = cup_record_tail(record);
    fprintf(out, " id=%" PRIu32 " count=%" PRIu32, r.id, r.count);
    for (size_t i = 0; i < count && i < r.count; i++) {
        uint32_t name;
        memcpy(&name, tail + i * sizeof name, sizeof name);
        fprintf(out, " #%" PRIu32, name);
    }
}

static void dump_chunk_report(FILE *out, const struct cup_record *record)
{
    struct cup_r_chunk_report r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " task=%" PRIu32 " columns=%" PRIu32, r.task, r.columns);
    print_known(out, "requested_bytes", r.requested_bytes);
    print_known(out, "entries", r.entries);
}

static void dump_run(FILE *out, const struct cup_record *record)
{
    struct cup_r_run r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " run=%" PRIu32, r.run);
    print_time(out, "start", r.start_ns);
    print_time(out, "stop", r.stop_ns);
}

/* The buckets of each histogram that are in use: the duration from which they hold, and the count.
 */
static void print_buckets(FILE *out, const uint64_t *buckets)
{
    static const char *const names[] = {
#define X(id, name, text) name,
        CUP_HISTOGRAMS(X)
#undef X
    };
    const char *separator = "";
    for (unsigned i = 0; i < CUP_HISTOGRAM_COUNT * CUP_BUCKETS; i++) {
        if (i % CUP_BUCKETS == 0)
            separator = "";
        if (buckets[i] == 0)
            continue;
        if (!*separator)
            fprintf(out, " %s_histogram=", names[i / CUP_BUCKETS]);
        fprintf(out, "%s%" PRIu64 "ns:%" PRIu64, separator, cup_bucket_from_ns(i % CUP_BUCKETS),
                buckets[i]);
        separator = ",";
    }
}

static void dump_counters(FILE *out, const struct cup_record *record)
{
    struct cup_r_counters r;
    uint64_t values[CUP_COUNTER_COUNT] = {0}, buckets[CUP_HISTOGRAM_COUNT * CUP_BUCKETS] = {0};
    cup_record_fixed(record, &r, sizeof r);
    cup_block_pairs_add(cup_record_tail(record), cup_record_tail_bytes(record), values, buckets);
    fprintf(out,
            " task=%" PRIu32 " tid=%" PRIu32 " block=%" PRIu32 " sequence=%" PRIu32 " own=%" PRIu32,
            r.task, r.tid, r.block, r.sequence, r.own);
    print_counters(out, cup_counter_names, values, CUP_COUNTER_COUNT);
    print_buckets(out, buckets);
}

static void dump_file_use(FILE *out, const struct cup_record *record)
{
    struct cup_r_file_use r;
    uint64_t values[CUP_FILE_COUNTER_COUNT] = {0};
    cup_record_fixed(record, &r, sizeof r);
    cup_pairs_add(cup_record_tail(record), cup_record_tail_bytes(record), values,
                  CUP_FILE_COUNTER_COUNT);
    fprintf(out, " task=%" PRIu32 " tid=%" PRIu32 " file=%" PRIu32, r.task, r.tid, r.file);
    fprintf(out, " block=%" PRIu32 " entry=%" PRIu32 " file_sequence=%" PRIu32, r.block, r.entry,
            r.file_sequence);
    print_counters(out, cup_file_counter_names, values, CUP_FILE_COUNTER_COUNT);
}

static void dump_note(FILE *out, const struct cup_record *record)
{
    struct cup_r_note r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " text=#%" PRIu32, r.text);
}

static void dump_parent(FILE *out, const struct cup_record *record)
{
    struct cup_r_parent r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " pid=%" PRIu32 " task=%" PRIu32, r.pid, r.task);
    print_time(out, "last_read", r.last_read_ns);
}

static void dump_child(FILE *out, const struct cup_record *record)
{
    struct cup_r_child r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " pid=%" PRIu32 " task=%" PRIu32, r.pid, r.task);
    print_time(out, "time", r.time_ns);
}

static void dump_void(FILE *out, const struct cup_record *record)
{
    struct cup_r_void r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " task=%" PRIu32, r.task);
}

/* The values that are known. */
static void print_values(FILE *out, const char *const *names, const uint64_t *values, int count)
{
    for (int i = 0; i < count; i++)
        if (values[i] != CUP_UNKNOWN64)
            fprintf(out, " %s=%" PRIu64, names[i], values[i]);
}

static void read_values(const struct cup_record *record, uint64_t *values, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        values[i] = CUP_UNKNOWN64;
    cup_pairs_set(cup_record_tail(record), cup_record_tail_bytes(record), values, count);
}

static void dump_sample(FILE *out, const struct cup_record *record)
{
    static const char *const names[] = {
#define X(id, name, text) name,
        CUP_SAMPLE_VALUES(X)
#undef X
    };
    struct cup_r_sample r;
    uint64_t values[CUP_SV_COUNT];
    cup_record_fixed(record, &r, sizeof r);
    read_values(record, values, CUP_SV_COUNT);
    fprintf(out, " sample=%" PRIu32 " server=%" PRIu32, r.sample, r.server);
    print_time(out, "time", r.time_ns);
    print_values(out, names, values, CUP_SV_COUNT);
}

static void dump_worker(FILE *out, const struct cup_record *record)
{
    struct cup_r_worker r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " worker=%" PRIu32 " server=%" PRIu32 " address=#%" PRIu32 " name=#%" PRIu32,
            r.worker, r.server, r.address, r.name);
}

static void dump_status(FILE *out, const struct cup_record *record)
{
    struct cup_r_status r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " status=%" PRIu32 " name=#%" PRIu32, r.status, r.name);
}

static const char *row_value_name(uint64_t index)
{
    static const char *const names[CUP_ROW_VALUES] = {
#define X(id, name, text) [CUP_WV_##id] = name,
        CUP_WORKER_VALUES(X)
#undef X
#define X(id, name, text) [CUP_PAIR_HEARTBEAT + CUP_HV_##id] = "heartbeat_" name,
            CUP_HEARTBEAT_VALUES(X)
#undef X
    };
    return index < CUP_ROW_VALUES && names[index] ? names[index] : NULL;
}

/* A change is shown as one: +5, -3. */
static void print_row_value(FILE *out, unsigned kind, const char *name, uint64_t value)
{
    int64_t change = (int64_t)cup_pairs_undo(value, 0);
    if (kind == CUP_ROW_WHOLE)
        fprintf(out, " %s=%" PRIu64, name, value);
    else
        fprintf(out, " %s%+" PRId64, name, change);
}

static void print_row(FILE *out, const struct cup_row *row)
{
    static const char *const kinds[CUP_ROW_KINDS] = {"changed", "whole", "gone", "unknown"};
    const unsigned char *at = row->pairs;
    uint64_t index, value;
    fprintf(out, "\n%10s %5s ROW worker=%" PRIu64 " %s", "-", "-", row->worker, kinds[row->kind]);
    while (cup_pairs_next(&at, row->pairs + row->bytes, &index, &value))
        if (row_value_name(index))
            print_row_value(out, row->kind, row_value_name(index), value);
}

static void dump_rows(FILE *out, const struct cup_record *record)
{
    struct cup_r_rows r;
    struct cup_row row;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " sample=%" PRIu32 " rows=%" PRIu32, r.sample, r.rows);
    const unsigned char *at = cup_record_tail(record);
    const unsigned char *end = at + cup_record_tail_bytes(record);
    while (cup_row_next(&at, end, &row))
        print_row(out, &row);
}

static void dump_span(FILE *out, const struct cup_record *record)
{
    struct cup_r_span r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " id=#%" PRIu32 " name=#%" PRIu32, r.id, r.name);
}

static void dump_digest_key(FILE *out, const struct cup_record *record)
{
    struct cup_r_digest_key r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " key=%" PRIu32 " server=%" PRIu32 " context=#%" PRIu32 " span=#%" PRIu32, r.key,
            r.server, r.context, r.span);
    fprintf(out, " prefix=#%" PRIu32 " activity=#%" PRIu32 " unit=#%" PRIu32, r.prefix, r.activity,
            r.unit);
}

static void dump_digest(FILE *out, const struct cup_record *record)
{
    struct cup_r_digest r;
    struct cup_digest_value value;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " server=%" PRIu32 " last=%" PRIu32, r.server, r.last);
    print_time(out, "time", r.time_ns);
    const unsigned char *at = cup_record_tail(record);
    for (size_t left = cup_record_tail_bytes(record); left >= sizeof value; left -= sizeof value) {
        memcpy(&value, at, sizeof value);
        fprintf(out, " %" PRIu32 ":%.17g", value.key, value.value);
        at += sizeof value;
    }
}

static void dump_room(FILE *out, const struct cup_record *record)
{
    (void)record;
    fputs(" of a region, see above", out);
}

static void dump_record(FILE *out, uint64_t offset, const struct cup_record *record)
{
    static const struct {
        const char *name;
        void (*dump)(FILE *out, const struct cup_record *record);
    } types[] = {
        [CUP_R_STRING] = {"STRING", dump_string},
        [CUP_R_FILE] = {"FILE", dump_file},
        [CUP_R_INFO] = {"INFO", dump_info},
        [CUP_R_SERVER] = {"SERVER", dump_server},
        [CUP_R_TASK_BEGIN] = {"TASK_BEGIN", dump_task_begin},
        [CUP_R_TASK_END] = {"TASK_END", dump_task_end},
        [CUP_R_ITEM] = {"ITEM", dump_item},
        [CUP_R_CHUNK] = {"CHUNK", dump_chunk},
        [CUP_R_COUNTERS] = {"COUNTERS", dump_counters},
        [CUP_R_FILE_USE] = {"FILE_USE", dump_file_use},
        [CUP_R_NOTE] = {"NOTE", dump_note},
        [CUP_R_PARENT] = {"PARENT", dump_parent},
        [CUP_R_CHILD] = {"CHILD", dump_child},
        [CUP_R_VOID] = {"VOID", dump_void},
        [CUP_R_ROOM] = {"ROOM", dump_room},
        [CUP_R_SAMPLE] = {"SAMPLE", dump_sample},
        [CUP_R_WORKER] = {"WORKER", dump_worker},
        [CUP_R_STATUS] = {"STATUS", dump_status},
        [CUP_R_ROWS] = {"ROWS", dump_rows},
        [CUP_R_SPAN] = {"SPAN", dump_span},
        [CUP_R_DIGEST_KEY] = {"DIGEST_KEY", dump_digest_key},
        [CUP_R_DIGEST] = {"DIGEST", dump_digest},
        [CUP_R_COLUMNS] = {"COLUMNS", dump_columns},
        [CUP_R_CHUNK_REPORT] = {"CHUNK_REPORT", dump_chunk_report},
        [CUP_R_RUN] = {"RUN", dump_run},
        [CUP_R_INPUTS] = {"INPUTS", dump_inputs},
    };
    fprintf(out, "%10" PRIu64 " %5" PRIu32 " ", offset, record->length);
    if (record->type < sizeof types / sizeof *types && types[record->type].dump) {
        fputs(types[record->type].name, out);
        types[record->type].dump(out, record);
    } else {
        fprintf(out, "type %u: not known to this version", record->type);
    }
    putc('\n', out);
}

/* ---- header, regions, blocks ------------------------------------------------------------ */

static void dump_features(FILE *out, uint64_t features)
{
    static const char *const names[] = {"files",     "heap",    "bridge", "context", "chunks",
                                        "rss",       "handoff", "mapped", "waits",   "gil",
                                        "run_delay", "samples", "digests"};
    fputs("features:", out);
    for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
        fprintf(out, " %s=%s", names[i], features & UINT64_C(1) << i ? "on" : "off");
    putc('\n', out);
}

static void dump_header(FILE *out, const struct cup_log *log)
{
    const struct cup_log_header *h = &log->header;
    fprintf(out, "log: %s (%" PRIu64 " bytes)\n", log->path, log->size);
    fprintf(out, "format: %u, for readers from %u on\n", h->version, h->min_reader);
    fprintf(out, "library: %s (%s), %" PRIu32 " hooks\n", h->library_version, h->library_build,
            h->hook_count);
    fprintf(out, "process: host=%s pid=%" PRIu32 " ppid=%" PRIu32 " parent_task=%" PRIu32, h->host,
            h->pid, h->ppid, h->parent_task);
    print_time(out, "start", h->process_start_ns);
    print_time(out, "log_start", h->log_start_ns);
    print_time(out, "log_stop", h->log_stop_ns);
    fputs(h->log_stop_ns ? "\n" : " (still running, or ended without notice)\n", out);
    dump_features(out, h->features);
    fputs("health:", out);
    print_counters(out, health_names, h->health, CUP_HEALTH_COUNT);
    fprintf(out, "\nrecords: bytes %" PRIu64 " to %" PRIu64 "\n", h->records_offset,
            h->records_end);
    for (uint32_t i = 0; i < h->region_count; i++)
        fprintf(out,
                "region: type=%" PRIu32 " count=%" PRIu32 " offset=%" PRIu64 " entry_size=%" PRIu64
                "\n",
                h->regions[i].type, h->regions[i].count, h->regions[i].offset,
                h->regions[i].entry_size);
}

static void dump_series(FILE *out, const struct cup_log *log)
{
    static const char *const names[] = {
#define X(id, name, text) name,
        CUP_SERIES(X)
#undef X
    };
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
    print_buckets(out, buckets);
}

static void dump_open_block(FILE *out, const struct cup_open_block *open)
{
    const struct cup_block *block = &open->block;
    fprintf(out,
            "open block %" PRIu32 ": task=%" PRIu32 " tid=%" PRIu32 " sequence=%" PRIu32
            " own=%" PRIu32 "%s",
            open->index, block->task, block->tid, block->sequence, block->own,
            open->written ? " (also a record: not counted)" : "");
    print_counters(out, cup_counter_names, block->counters, CUP_COUNTER_COUNT);
    print_open_buckets(out, block);
    putc('\n', out);
    for (int i = 0; i < CUP_BLOCK_FILES; i++) {
        if (!block->files[i].file)
            continue;
        fprintf(out, "  file=%" PRIu32 " file_sequence=%" PRIu32 "%s", block->files[i].file,
                block->file_sequence[i], open->file_written[i] ? " (also a record)" : "");
        print_counters(out, cup_file_counter_names, block->files[i].counters,
                       CUP_FILE_COUNTER_COUNT);
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
        dump_record(output->file, log->record_offset, record);
    for (size_t i = 0; i < log->block_count; i++)
        dump_open_block(output->file, &log->blocks[i]);
    fprintf(output->file, "unfinished records: %" PRIu64 "; bytes lost to damage: %" PRIu64 "\n",
            log->unfinished_records, log->skipped_bytes);
}

int cup_verb_dump(int argc, char **argv)
{
    const char *path = NULL;
    struct cup_error error;
    struct cup_log log;
    struct cup_output output;
    if (cup_options_read(argc, argv, NULL, 0, &path, &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_USAGE);
    if (!path) {
        cup_error_set(&error, "dump", CUP_NO_OFFSET, "name a log (*.cup); see `cupping help dump`");
        return cup_verb_failed(&error, CUP_EXIT_USAGE);
    }
    if (cup_log_open(&log, path, &error) != 0 || cup_output_open(&output, "-", &error) != 0)
        return cup_verb_failed(&error, CUP_EXIT_FAILED);
    dump_log(&log, &output);
    if (log.damage.text[0])
        cup_error_print(stderr, &log.damage);
    cup_log_close(&log);
    return cup_output_close(&output, &error) == 0 ? CUP_EXIT_DONE
                                                  : cup_verb_failed(&error, CUP_EXIT_FAILED);
}
