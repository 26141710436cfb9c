#include "cli/dump_records.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/log/log_access.h"
#include "analysis/log/log_baskets.h"
#include "analysis/log/log_pairs.h"
#include "analysis/log/log_reader.h"
#include "analysis/profile/files.h"
#include "cli/dump_print.h"
#include "cli/dump_stacks.h"
#include "include/log_pairs.h"

static void dump_string(FILE *out, const struct cup_record *record)
{
    struct cup_r_string r;
    cup_record_fixed(record, &r, sizeof r);
    size_t tail = cup_record_tail_bytes(record);
    fprintf(out, " id=%" PRIu32, r.id);
    cup_dump_text(out, "text", cup_record_tail(record), r.bytes < tail ? r.bytes : tail);
}

static void dump_file(FILE *out, const struct cup_record *record)
{
    static const char *const classes[] = {NULL,   "data",   "import", "spill",
                                          "pipe", "socket", "other"};
    struct cup_r_file r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " id=%" PRIu32 " path=#%" PRIu32 " class=%s flags=%#" PRIx32, r.id, r.path,
            CUP_DUMP_NAME(classes, r.class), r.flags);
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
            CUP_DUMP_NAME(roles, r.role), r.address, r.name);
    fprintf(out, " threads=%" PRIu32 " local_directory=#%" PRIu32, r.threads, r.local_directory);
    cup_dump_known(out, "memory_limit", r.memory_limit);
}

static void dump_task_begin(FILE *out, const struct cup_record *record)
{
    static const char *const origins[] = {NULL, "dask", "coffea", "async", "actor"};
    struct cup_r_task_begin r;
    cup_record_fixed(record, &r, sizeof r);
    size_t tail = cup_record_tail_bytes(record);
    fprintf(out, " task=%" PRIu32 " tid=%" PRIu32 " prefix=#%" PRIu32 " server=%" PRIu32, r.task,
            r.tid, r.prefix, r.server);
    fprintf(out, " span=#%" PRIu32 " origin=%s run_id=%" PRId64, r.span,
            CUP_DUMP_NAME(origins, r.origin), r.run_id);
    cup_dump_time(out, "start", r.start_ns);
    cup_dump_known(out, "rss", r.rss);
    if (r.span_id)
        fprintf(out, " span_id=#%" PRIu32, r.span_id);
    cup_dump_text(out, "key", cup_record_tail(record), r.key_bytes < tail ? r.key_bytes : tail);
}

static void dump_task_end(FILE *out, const struct cup_record *record)
{
    static const char *const statuses[] = {NULL, "finished", "erred"};
    struct cup_r_task_end r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " task=%" PRIu32 " status=%s", r.task, CUP_DUMP_NAME(statuses, r.status));
    cup_dump_time(out, "stop", r.stop_ns);
    cup_dump_known(out, "cpu_ns", r.cpu_ns);
    cup_dump_known(out, "rss", r.rss);
    cup_dump_known(out, "result_bytes", r.result_bytes);
    fprintf(out, " error=#%" PRIu32, r.error);
}

static void dump_inputs(FILE *out, const struct cup_record *record)
{
    struct cup_r_inputs r;
    cup_record_fixed(record, &r, sizeof r);
    size_t tail = cup_record_tail_bytes(record);
    fprintf(out, " task=%" PRIu32 " count=%" PRIu32, r.task, r.count);
    cup_dump_known(out, "bytes", r.bytes);
    cup_dump_text(out, "one", cup_record_tail(record), r.key_bytes < tail ? r.key_bytes : tail);
}

static void dump_item(FILE *out, const struct cup_record *record)
{
    static const char *const kinds[] = {NULL, "work", "metadata", "read", "path"};
    struct cup_r_item r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " task=%" PRIu32 " kind=%s dataset=#%" PRIu32 " file=#%" PRIu32 " tree=#%" PRIu32,
            r.task, CUP_DUMP_NAME(kinds, r.kind), r.dataset, r.file, r.tree);
    fprintf(out, " entries=%" PRId64 "-%" PRId64, r.entry_start, r.entry_stop);
}

static void dump_chunk(FILE *out, const struct cup_record *record)
{
    struct cup_r_chunk r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " task=%" PRIu32, r.task);
    cup_dump_time(out, "tic", r.tic_ns);
    cup_dump_time(out, "toc", r.toc_ns);
    cup_dump_known(out, "cpu_ns", r.cpu_ns);
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
    cup_dump_known(out, "requested_bytes", r.requested_bytes);
    cup_dump_known(out, "entries", r.entries);
}

static void dump_run(FILE *out, const struct cup_record *record)
{
    struct cup_r_run r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " run=%" PRIu32, r.run);
    cup_dump_time(out, "start", r.start_ns);
    cup_dump_time(out, "stop", r.stop_ns);
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
    cup_dump_counters(out, cup_counter_names, values, CUP_COUNTER_COUNT);
    cup_dump_buckets(out, buckets);
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
    cup_dump_counters(out, cup_file_counter_names, values, CUP_FILE_COUNTER_COUNT);
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
    cup_dump_time(out, "last_read", r.last_read_ns);
}

static void dump_child(FILE *out, const struct cup_record *record)
{
    struct cup_r_child r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " pid=%" PRIu32 " task=%" PRIu32, r.pid, r.task);
    cup_dump_time(out, "time", r.time_ns);
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
    cup_dump_time(out, "time", r.time_ns);
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
#define X(id, name, text) [CUP_WV_##id] = (name),
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
    cup_dump_time(out, "time", r.time_ns);
    const unsigned char *at = cup_record_tail(record);
    for (size_t left = cup_record_tail_bytes(record); left >= sizeof value; left -= sizeof value) {
        memcpy(&value, at, sizeof value);
        fprintf(out, " %" PRIu32 ":%.17g", value.key, value.value);
        at += sizeof value;
    }
}

static void dump_branch(FILE *out, const struct cup_record *record)
{
    struct cup_r_branch r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " branch=%" PRIu32 " tree=#%" PRIu32 " name=#%" PRIu32, r.branch, r.tree, r.name);
}

static void print_basket_row(FILE *out, const struct cup_basket_row *row)
{
    static const char *const names[] = {
#define X(id, name, kind, text) name,
        CUP_BASKET_VALUES(X)
#undef X
    };
    fprintf(out, "\n%10s %5s ROW branch=%" PRIu32, "-", "-", row->branch);
    cup_dump_counters(out, names, row->values, CUP_BV_COUNT);
}

static void dump_baskets(FILE *out, const struct cup_record *record)
{
    static const char *const sources[] = {NULL, "asked", "unseen", "by_place", "pages", "embedded"};
    struct cup_basket_reader reader;
    cup_basket_reader_start(&reader, record);
    const struct cup_r_baskets *r = &reader.told;
    fprintf(out, " task=%" PRIu32 " file=%" PRIu32 " path=#%" PRIu32 " source=%s rows=%" PRIu32,
            r->task, r->file, r->path, CUP_DUMP_NAME(sources, r->source), r->rows);
    fprintf(out, " incidental=%" PRIu32 " incidental_bytes=%" PRIu64, r->incidental,
            r->incidental_bytes);
    while (cup_basket_reader_next(&reader))
        print_basket_row(out, &reader.row);
    if (reader.damaged)
        fputs(" (rows are damaged)", out);
}

static void dump_tree(FILE *out, const struct cup_record *record)
{
    struct cup_r_tree r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " file=%" PRIu32 " path=#%" PRIu32 " tree=#%" PRIu32 " branches=%" PRIu32, r.file,
            r.path, r.tree, r.branches);
    cup_dump_known(out, "entries", r.entries);
    cup_dump_known(out, "compressed_bytes", r.compressed_bytes);
    cup_dump_known(out, "uncompressed_bytes", r.uncompressed_bytes);
    fprintf(out, " auto_flush=%" PRId64, r.auto_flush);
}

static void dump_root_file(FILE *out, const struct cup_record *record)
{
    struct cup_r_root_file r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " file=%" PRIu32 " version=%" PRIu32 " compression=%" PRIu32 " end=%" PRIu64,
            r.file, r.version, r.compression, r.end);
}

static void dump_section(FILE *out, const struct cup_record *record)
{
    static const char *const names[] = {
#define X(id, name, kind, text) name,
        CUP_SECTION_VALUES(X)
#undef X
    };
    struct cup_r_section r;
    uint64_t values[CUP_SECTION_VALUE_COUNT] = {0};
    cup_record_fixed(record, &r, sizeof r);
    cup_pairs_set(cup_record_tail(record), cup_record_tail_bytes(record), values,
                  CUP_SECTION_VALUE_COUNT);
    fprintf(out, " task=%" PRIu32 " name=#%" PRIu32 " parent=#%" PRIu32, r.task, r.name, r.parent);
    for (int i = 0; i < CUP_SECTION_VALUE_COUNT; i++)
        if (values[i])
            fprintf(out, " %s=%" PRIu64, names[i], values[i]);
}

static void dump_value(FILE *out, const struct cup_record *record)
{
    struct cup_r_value r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " task=%" PRIu32 " name=#%" PRIu32 " count=%" PRIu64, r.task, r.name, r.count);
    fprintf(out, " sum=%.17g least=%.17g most=%.17g last=%.17g", r.sum, r.least, r.most, r.last);
}

static void dump_open(FILE *out, const struct cup_record *record)
{
    struct cup_r_open r;
    cup_record_fixed(record, &r, sizeof r);
    fprintf(out, " task=%" PRIu32 " kind=%s file=%" PRIu32 " path=#%" PRIu32, r.task,
            cup_open_kind_name(r.kind), r.file, r.path);
    cup_dump_time(out, "start", r.start_ns);
    fprintf(out, " ns=%" PRIu64 " error=%" PRIu32, r.ns, r.error);
}

/* Of STROKES, what is not told in an ACCESS record yet, or was in the last one with its sequence.
 */
static void dump_access(FILE *out, const struct cup_record *record)
{
    struct cup_access r;
    cup_access_decode(&r, record);
    fprintf(out, " task=%" PRIu32 " file=%" PRIu32 " own=%" PRIu32 " set=%" PRIu32, r.task, r.file,
            r.own, r.set);
    fprintf(out, " sequence=%" PRIu32 " strokes=%" PRIu32, r.sequence, r.count);
    for (uint32_t i = 0; i < r.count; i++) {
        const struct cup_read_extent *extent = &r.extents[i];
        fprintf(out, "\n%10s %5s STROKE offset=%" PRIu64 "-%" PRIu64, "-", "-", extent->low,
                extent->high);
        cup_dump_time(out, "start", extent->start_ns);
        fprintf(out, " ns=%" PRId64 " bytes=%" PRIu64, extent->stop_ns - extent->start_ns,
                extent->bytes);
        fprintf(out, " calls=%" PRIu64 " jumps=%" PRIu64, extent->calls, extent->jumps);
    }
    if (r.damaged)
        fputs(" (strokes are damaged)", out);
}

static void dump_room(FILE *out, const struct cup_record *record)
{
    (void)record;
    fputs(" of a region, see above", out);
}

void cup_dump_record(FILE *out, uint64_t offset, const struct cup_record *record)
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
        [CUP_R_BRANCH] = {"BRANCH", dump_branch},
        [CUP_R_BASKETS] = {"BASKETS", dump_baskets},
        [CUP_R_TREE] = {"TREE", dump_tree},
        [CUP_R_ROOT_FILE] = {"ROOT_FILE", dump_root_file},
        [CUP_R_CODE] = {"CODE", cup_dump_code},
        [CUP_R_MODULE] = {"MODULE", cup_dump_module},
        [CUP_R_STACKS] = {"STACKS", cup_dump_stacks},
        [CUP_R_STACK_USE] = {"STACK_USE", cup_dump_stack_use},
        [CUP_R_CPU_SAMPLES] = {"CPU_SAMPLES", cup_dump_cpu_samples},
        [CUP_R_SECTION] = {"SECTION", dump_section},
        [CUP_R_VALUE] = {"VALUE", dump_value},
        [CUP_R_OPEN] = {"OPEN", dump_open},
        [CUP_R_ACCESS] = {"ACCESS", dump_access},
        [CUP_R_EXTENTS] = {"STROKES", dump_access},
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
