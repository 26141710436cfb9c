#include "cli/dump/dump_records.h"

#include <inttypes.h>
#include <string.h>

#include "analysis/log/log_access.h"
#include "analysis/log/log_baskets.h"
#include "analysis/log/log_pairs.h"
#include "analysis/log/log_reader.h"
#include "analysis/log/log_reads.h"
#include "analysis/profile/files.h"
#include "include/log_pairs.h"

/* ---- fields of the fixed part ------------------------------------------------------------- */

enum kind {
    NUMBER,
    SIGNED,
    HEX,
    STRING,       /* id of a STRING record; #0 where there is none */
    SPARE_STRING, /* the same, but not printed if there is none */
    TIME,         /* printed without the _ns of its name */
    KNOWN,        /* CUP_UNKNOWN64 is printed as "?" */
    REAL,
    NAME /* a value of an enum, by its name */
};

struct field {
    const char *name;
    uint16_t offset, bytes; /* in the fixed part */
    enum kind kind;
    const char *const *names; /* for NAME: by value, NULL if a value has none */
    size_t name_count;
};

/* Initializers of fields of the record that PRINT_FIELDS() calls `fixed_part`. */
#define FIELD_OF(member, kind, names, count)                                                       \
    {                                                                                              \
#member, offsetof(fixed_part, member), sizeof(((fixed_part *)0)->member), kind, names,     \
            count                                                                                  \
    }
#define FIELD(member, kind) FIELD_OF(member, kind, NULL, 0)
#define FIELD_NAME(member, names) FIELD_OF(member, NAME, names, sizeof(names) / sizeof *(names))

static void print_time(FILE *out, const char *name, int64_t ns)
{
    char shown[32];
    snprintf(shown, sizeof shown, "%.*s", (int)(strlen(name) - strlen("_ns")), name);
    cup_dump_time(out, shown, ns);
}

static void print_field(FILE *out, const struct field *field, const unsigned char *fixed)
{
    uint64_t value = 0; /* little endian, as all supported machines are */
    double real;
    memcpy(&value, fixed + field->offset, field->bytes);
    memcpy(&real, &value, sizeof real);
    switch (field->kind) {
    case NUMBER:
        fprintf(out, " %s=%" PRIu64, field->name, value);
        break;
    case SIGNED:
        fprintf(out, " %s=%" PRId64, field->name, (int64_t)value);
        break;
    case HEX:
        fprintf(out, " %s=%#" PRIx64, field->name, value);
        break;
    case SPARE_STRING:
        if (value == 0)
            break;
        /* fall through */
    case STRING:
        fprintf(out, " %s=#%" PRIu64, field->name, value);
        break;
    case TIME:
        print_time(out, field->name, (int64_t)value);
        break;
    case KNOWN:
        cup_dump_known(out, field->name, value);
        break;
    case REAL:
        fprintf(out, " %s=%.17g", field->name, real);
        break;
    case NAME:
        fprintf(out, " %s=%s", field->name,
                cup_dump_name(field->names, field->name_count, (uint32_t)value));
    }
}

enum { FIXED_MOST = 96 }; /* size of the largest fixed part that is printed field by field */

static void print_fields(FILE *out, const struct cup_record *record, const struct field *fields,
                         size_t count)
{
    unsigned char fixed[FIXED_MOST];
    cup_record_fixed(record, fixed, sizeof fixed);
    for (size_t i = 0; i < count; i++)
        print_field(out, &fields[i], fixed);
}

/* Defines a function that prints these fields of a type of record, in this order. */
#define PRINT_FIELDS(function, record, ...)                                                        \
    function(FILE *out, const struct cup_record *bytes)                                            \
    {                                                                                              \
        typedef struct cup_r_##record fixed_part;                                                  \
        static const struct field fields[] = {__VA_ARGS__};                                        \
        _Static_assert(sizeof(fixed_part) <= FIXED_MOST, "raise FIXED_MOST");                      \
        print_fields(out, bytes, fields, sizeof fields / sizeof *fields);                          \
    }
/* The whole record, or all but what the function after it prints. */
#define DUMP_FIELDS(record, ...) PRINT_FIELDS(void cup_dump_##record, record, __VA_ARGS__)
#define HEAD_FIELDS(record, ...) PRINT_FIELDS(static void print_##record, record, __VA_ARGS__)

static const char *const classes[] = {NULL, "data", "import", "spill", "pipe", "socket", "other"};
static const char *const roles[] = {"other", "client", "scheduler", "nanny", "worker", "child"};
static const char *const origins[] = {NULL, "dask", "coffea", "async", "actor"};
static const char *const statuses[] = {NULL, "finished", "erred", "unknown"};
static const char *const plans[] = {"none", "reading", "known", "unreadable"};
static const char *const item_kinds[] = {NULL, "work", "metadata", "read", "path", "paths"};

/* ---- records that are fields only --------------------------------------------------------- */

DUMP_FIELDS(file, FIELD(id, NUMBER), FIELD(path, STRING), FIELD_NAME(class, classes),
            FIELD(flags, HEX), FIELD(device, NUMBER), FIELD(inode, NUMBER), FIELD(size, NUMBER),
            FIELD(mount, STRING))
DUMP_FIELDS(info, FIELD(name, STRING), FIELD(value, STRING))
DUMP_FIELDS(server, FIELD(id, NUMBER), FIELD_NAME(role, roles), FIELD(address, STRING),
            FIELD(name, STRING), FIELD(threads, NUMBER), FIELD(local_directory, STRING),
            FIELD(memory_limit, KNOWN), FIELD(stop_ns, TIME))
DUMP_FIELDS(task_end, FIELD(task, NUMBER), FIELD_NAME(status, statuses), FIELD(stop_ns, TIME),
            FIELD(cpu_ns, KNOWN), FIELD(rss, KNOWN), FIELD(result_bytes, KNOWN),
            FIELD(error, STRING))
DUMP_FIELDS(chunk, FIELD(task, NUMBER), FIELD(tic_ns, TIME), FIELD(toc_ns, TIME),
            FIELD(cpu_ns, KNOWN))
DUMP_FIELDS(chunk_report, FIELD(task, NUMBER), FIELD(columns, NUMBER),
            FIELD(requested_bytes, KNOWN), FIELD(entries, KNOWN))
DUMP_FIELDS(run, FIELD(run, NUMBER), FIELD(start_ns, TIME), FIELD(stop_ns, TIME),
            FIELD_NAME(plan, plans), FIELD(chunks, NUMBER), FIELD(events, NUMBER),
            FIELD(max_chunks, NUMBER), FIELD(chunks_repeated, NUMBER))
DUMP_FIELDS(note, FIELD(text, STRING))
DUMP_FIELDS(parent, FIELD(pid, NUMBER), FIELD(task, NUMBER), FIELD(last_read_ns, TIME))
DUMP_FIELDS(child, FIELD(pid, NUMBER), FIELD(task, NUMBER), FIELD(time_ns, TIME))
DUMP_FIELDS(void, FIELD(task, NUMBER))
DUMP_FIELDS(worker, FIELD(worker, NUMBER), FIELD(server, NUMBER), FIELD(address, STRING),
            FIELD(name, STRING))
DUMP_FIELDS(status, FIELD(status, NUMBER), FIELD(name, STRING))
DUMP_FIELDS(span, FIELD(id, STRING), FIELD(name, STRING))
DUMP_FIELDS(digest_key, FIELD(key, NUMBER), FIELD(server, NUMBER), FIELD(context, STRING),
            FIELD(span, STRING), FIELD(prefix, STRING), FIELD(activity, STRING),
            FIELD(unit, STRING))
DUMP_FIELDS(branch, FIELD(branch, NUMBER), FIELD(tree, STRING), FIELD(name, STRING))
DUMP_FIELDS(tree, FIELD(file, NUMBER), FIELD(path, STRING), FIELD(tree, STRING),
            FIELD(branches, NUMBER), FIELD(entries, KNOWN), FIELD(compressed_bytes, KNOWN),
            FIELD(uncompressed_bytes, KNOWN), FIELD(auto_flush, SIGNED))
DUMP_FIELDS(root_file, FIELD(file, NUMBER), FIELD(version, NUMBER), FIELD(compression, NUMBER),
            FIELD(end, NUMBER))
DUMP_FIELDS(value, FIELD(task, NUMBER), FIELD(name, STRING), FIELD(count, NUMBER), FIELD(sum, REAL),
            FIELD(least, REAL), FIELD(most, REAL), FIELD(last, REAL))

/* ---- records with a tail ------------------------------------------------------------------ */

static void print_tail(FILE *out, const char *name, const struct cup_record *record, size_t bytes)
{
    const struct cup_text text = cup_record_text(record, bytes);
    cup_dump_text(out, name, (const unsigned char *)text.bytes, text.length);
}

void cup_dump_room(FILE *out, const struct cup_record *record)
{
    (void)record;
    fputs(" of a region, see above", out);
}

HEAD_FIELDS(string, FIELD(id, NUMBER))
void cup_dump_string(FILE *out, const struct cup_record *record)
{
    print_string(out, record);
    print_tail(out, "text", record, cup_read_string(record).bytes);
}

HEAD_FIELDS(task_begin, FIELD(task, NUMBER), FIELD(tid, NUMBER), FIELD(prefix, STRING),
            FIELD(server, NUMBER), FIELD(span, STRING), FIELD_NAME(origin, origins),
            FIELD(run_id, SIGNED), FIELD(start_ns, TIME), FIELD(rss, KNOWN),
            FIELD(span_id, SPARE_STRING))
void cup_dump_task_begin(FILE *out, const struct cup_record *record)
{
    print_task_begin(out, record);
    print_tail(out, "key", record, cup_read_task_begin(record).key_bytes);
}

HEAD_FIELDS(inputs, FIELD(task, NUMBER), FIELD(count, NUMBER), FIELD(bytes, KNOWN))
void cup_dump_inputs(FILE *out, const struct cup_record *record)
{
    print_inputs(out, record);
    print_tail(out, "one", record, cup_read_inputs(record).key_bytes);
}

HEAD_FIELDS(item, FIELD(task, NUMBER), FIELD_NAME(kind, item_kinds), FIELD(dataset, STRING),
            FIELD(file, STRING), FIELD(tree, STRING))
void cup_dump_item(FILE *out, const struct cup_record *record)
{
    const struct cup_r_item item = cup_read_item(record);
    print_item(out, record);
    fprintf(out, " entries=%" PRId64 "-%" PRId64, item.entry_start, item.entry_stop);
}

HEAD_FIELDS(columns, FIELD(id, NUMBER), FIELD(count, NUMBER))
void cup_dump_columns(FILE *out, const struct cup_record *record)
{
    size_t held = cup_record_tail_bytes(record) / sizeof(uint32_t);
    uint32_t count = cup_read_columns(record).count, name;
    print_columns(out, record);
    for (size_t i = 0; i < held && i < count; i++) {
        memcpy(&name, cup_record_tail(record) + i * sizeof name, sizeof name);
        fprintf(out, " #%" PRIu32, name);
    }
}

HEAD_FIELDS(counters, FIELD(task, NUMBER), FIELD(tid, NUMBER), FIELD(block, NUMBER),
            FIELD(sequence, NUMBER), FIELD(own, NUMBER))
void cup_dump_counters(FILE *out, const struct cup_record *record)
{
    uint64_t values[CUP_COUNTER_COUNT] = {0}, buckets[CUP_HISTOGRAM_COUNT * CUP_BUCKETS] = {0};
    uint64_t file;
    const unsigned char *tail = cup_record_tail(record);
    const unsigned char *end = tail + cup_record_tail_bytes(record);
    const unsigned char *at = cup_block_pairs_add(tail, (size_t)(end - tail), values, buckets);
    print_counters(out, record);
    cup_dump_nonzero(out, cup_counter_names, values, CUP_COUNTER_COUNT);
    cup_dump_buckets(out, buckets);
    while (cup_file_next(&at, end, &file)) {
        uint64_t uses[CUP_FILE_COUNTER_COUNT] = {0};
        at = cup_pairs_add(at, (size_t)(end - at), uses, CUP_FILE_COUNTER_COUNT);
        cup_dump_row(out, "FILE_USE");
        fprintf(out, " task=%" PRIu32 " file=%" PRIu64, cup_read_counters(record).task, file);
        cup_dump_nonzero(out, cup_file_counter_names, uses, CUP_FILE_COUNTER_COUNT);
    }
}

HEAD_FIELDS(file_use, FIELD(task, NUMBER), FIELD(tid, NUMBER), FIELD(file, NUMBER),
            FIELD(block, NUMBER), FIELD(entry, NUMBER), FIELD(file_sequence, NUMBER))
void cup_dump_file_use(FILE *out, const struct cup_record *record)
{
    uint64_t values[CUP_FILE_COUNTER_COUNT] = {0};
    cup_pairs_add(cup_record_tail(record), cup_record_tail_bytes(record), values,
                  CUP_FILE_COUNTER_COUNT);
    print_file_use(out, record);
    cup_dump_nonzero(out, cup_file_counter_names, values, CUP_FILE_COUNTER_COUNT);
}

HEAD_FIELDS(section, FIELD(task, NUMBER), FIELD(name, STRING), FIELD(parent, STRING))
void cup_dump_section(FILE *out, const struct cup_record *record)
{
    static const char *const names[] = {CUP_SECTION_VALUES(CUP_NAME_OF)};
    uint64_t values[CUP_SECTION_VALUE_COUNT] = {0};
    cup_pairs_set(cup_record_tail(record), cup_record_tail_bytes(record), values,
                  CUP_SECTION_VALUE_COUNT);
    print_section(out, record);
    cup_dump_nonzero(out, names, values, CUP_SECTION_VALUE_COUNT);
}

void cup_dump_open(FILE *out, const struct cup_record *record)
{
    const struct cup_r_open r = cup_read_open(record);
    fprintf(out, " task=%" PRIu32 " kind=%s file=%" PRIu32 " path=#%" PRIu32, r.task,
            cup_open_kind_name(r.kind), r.file, r.path);
    cup_dump_time(out, "start", r.start_ns);
    fprintf(out, " ns=%" PRIu64 " error=%" PRIu32 " server=#%" PRIu32 " redirects=%" PRIu32, r.ns,
            r.error, r.server, r.redirects);
}

void cup_dump_opens(FILE *out, const struct cup_record *record)
{
    const struct cup_r_opens r = cup_read_opens(record);
    uint64_t values[CUP_O_COUNT_OF] = {0};
    fprintf(out, " task=%" PRIu32 " kind=%s place=#%" PRIu32, r.task, cup_open_kind_name(r.kind),
            r.place);
    cup_dump_time(out, "start", r.start_ns);
    fprintf(out, " error=%" PRIu32 " server=#%" PRIu32, r.error, r.server);
    cup_pairs_set(cup_record_tail(record), cup_record_tail_bytes(record), values, CUP_O_COUNT_OF);
    cup_dump_nonzero(out, cup_open_value_names, values, CUP_O_COUNT_OF);
}

HEAD_FIELDS(unattributed, FIELD(task, NUMBER))
void cup_dump_unattributed(FILE *out, const struct cup_record *record)
{
    static const char *const reasons[] = {CUP_UNATTRIBUTED_REASONS(CUP_NAME_OF)};
    const struct cup_r_unattributed unattributed = cup_read_unattributed(record);
    print_unattributed(out, record);
    cup_dump_nonzero(out, reasons, unattributed.bytes, CUP_UNATTRIBUTED_REASON_COUNT);
}

HEAD_FIELDS(requests, FIELD(task, NUMBER), FIELD(file, NUMBER), FIELD(server, STRING),
            FIELD(error, NUMBER), FIELD(start_ns, TIME), FIELD(stop_ns, TIME))
void cup_dump_requests(FILE *out, const struct cup_record *record)
{
    uint64_t values[CUP_Q_COUNT_OF] = {0};
    print_requests(out, record);
    cup_pairs_set(cup_record_tail(record), cup_record_tail_bytes(record), values, CUP_Q_COUNT_OF);
    cup_dump_nonzero(out, cup_request_value_names, values, CUP_Q_COUNT_OF);
}

void cup_dump_sum(FILE *out, const struct cup_record *record)
{
    static const char *const kinds[] = {CUP_SUM_KINDS(CUP_NAME_OF)};
    const struct cup_r_sum sum = cup_read_sum(record);
    const unsigned char *at = cup_record_tail(record), *end = at + cup_record_tail_bytes(record);
    uint64_t number, value;
    fprintf(out, " of=%s ids=", sum.of < CUP_SUM_KIND_COUNT ? kinds[sum.of] : "?");
    for (int i = 0; i < CUP_SUM_IDS; i++)
        fprintf(out, "%s%" PRIu32, i ? "," : "", sum.ids[i]);
    if (sum.of == CUP_SUM_KEYS)
        fprintf(out, " keys=%zu", cup_record_tail_bytes(record) / sizeof value);
    while (sum.of != CUP_SUM_KEYS && cup_pairs_next(&at, end, &number, &value))
        fprintf(out, " %" PRIu64 "=%" PRIu64, number, value);
}

/* ---- Dask's own state ----------------------------------------------------------------------- */

HEAD_FIELDS(sample, FIELD(sample, NUMBER), FIELD(server, NUMBER), FIELD(time_ns, TIME))
void cup_dump_sample(FILE *out, const struct cup_record *record)
{
    static const char *const names[] = {CUP_SAMPLE_VALUES(CUP_NAME_OF)};
    uint64_t values[CUP_SV_COUNT];
    for (int i = 0; i < CUP_SV_COUNT; i++)
        values[i] = CUP_UNKNOWN64;
    cup_pairs_set(cup_record_tail(record), cup_record_tail_bytes(record), values, CUP_SV_COUNT);
    print_sample(out, record);
    for (int i = 0; i < CUP_SV_COUNT; i++)
        if (values[i] != CUP_UNKNOWN64)
            fprintf(out, " %s=%" PRIu64, names[i], values[i]);
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

/* Prints a value ("has=5"), or by how much it changed ("has+5"). */
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
    cup_dump_row(out, "ROW");
    fprintf(out, " worker=%" PRIu64 " %s", row->worker, kinds[row->kind]);
    while (cup_pairs_next(&at, row->pairs + row->bytes, &index, &value))
        if (row_value_name(index))
            print_row_value(out, row->kind, row_value_name(index), value);
}

HEAD_FIELDS(rows, FIELD(sample, NUMBER), FIELD(rows, NUMBER))
void cup_dump_rows(FILE *out, const struct cup_record *record)
{
    struct cup_row row;
    const unsigned char *at = cup_record_tail(record);
    const unsigned char *end = at + cup_record_tail_bytes(record);
    print_rows(out, record);
    while (cup_row_next(&at, end, &row))
        print_row(out, &row);
}

HEAD_FIELDS(digest, FIELD(server, NUMBER), FIELD(last, NUMBER), FIELD(time_ns, TIME))
void cup_dump_digest(FILE *out, const struct cup_record *record)
{
    struct cup_digest_value value;
    const unsigned char *at = cup_record_tail(record);
    print_digest(out, record);
    for (size_t left = cup_record_tail_bytes(record); left >= sizeof value; left -= sizeof value) {
        memcpy(&value, at, sizeof value);
        fprintf(out, " %" PRIu32 ":%.17g", value.key, value.value);
        at += sizeof value;
    }
}

/* ---- what was read of files -------------------------------------------------------------------
 */

static void print_basket_row(FILE *out, const struct cup_basket_row *row)
{
    static const char *const names[] = {CUP_BASKET_VALUES(CUP_NAME_OF)};
    cup_dump_row(out, "ROW");
    fprintf(out, " branch=%" PRIu32, row->branch);
    cup_dump_nonzero(out, names, row->values, CUP_BV_COUNT);
}

static const char *const sources[] = {NULL, "asked", "unseen", "by_place", "pages", "embedded"};
HEAD_FIELDS(baskets, FIELD(task, NUMBER), FIELD(file, NUMBER), FIELD(path, STRING),
            FIELD_NAME(source, sources), FIELD(rows, NUMBER), FIELD(incidental, NUMBER),
            FIELD(incidental_bytes, NUMBER))
void cup_dump_baskets(FILE *out, const struct cup_record *record)
{
    struct cup_basket_reader reader;
    cup_basket_reader_start(&reader, record);
    print_baskets(out, record);
    while (cup_basket_reader_next(&reader))
        print_basket_row(out, &reader.row);
    if (reader.damaged)
        fputs(" (rows are damaged)", out);
}

void cup_dump_access(FILE *out, const struct cup_record *record)
{
    struct cup_access r;
    cup_access_decode(&r, record);
    fprintf(out, " task=%" PRIu32 " file=%" PRIu32 " own=%" PRIu32 " set=%" PRIu32, r.task, r.file,
            r.own, r.set);
    fprintf(out, " sequence=%" PRIu32 " extents=%" PRIu32, r.sequence, r.count);
    for (uint32_t i = 0; i < r.count; i++) {
        const struct cup_read_extent *extent = &r.extents[i];
        cup_dump_row(out, "EXTENT");
        fprintf(out, " offset=%" PRIu64 "-%" PRIu64, extent->low, extent->high);
        cup_dump_time(out, "start", extent->start_ns);
        fprintf(out, " ns=%" PRId64 " bytes=%" PRIu64, extent->stop_ns - extent->start_ns,
                extent->bytes);
        fprintf(out, " calls=%" PRIu64 " jumps=%" PRIu64, extent->calls, extent->jumps);
    }
    if (r.damaged)
        fputs(" (extents are damaged)", out);
}

/* Prints the set as it is in the log, even if an ACCESS record of its number and sequence replaces
 * it. */
void cup_dump_extents(FILE *out, const struct cup_record *record)
{
    cup_dump_access(out, record);
}

HEAD_FIELDS(reads, FIELD(start_ns, TIME))
void cup_dump_reads(FILE *out, const struct cup_record *record)
{
    struct cup_read_rows rows;
    cup_read_rows_start(&rows, record);
    print_reads(out, record);
    while (cup_read_rows_next(&rows)) {
        const struct cup_read_row *row = &rows.row;
        cup_dump_row(out, row->is_part ? "PART" : "READ");
        fprintf(out, " task=%" PRIu32 " own=%" PRIu32 " file=%" PRIu32, row->task, row->own,
                row->file);
        fprintf(out, " offset=%" PRIu64 " bytes=%" PRIu64, row->offset, row->bytes);
        cup_dump_time(out, "start", row->start_ns);
        fprintf(out, " ns=%" PRIu64, row->ns);
    }
    if (rows.damaged)
        fputs(" (rows are damaged)", out);
}

/* ---- all of them ---------------------------------------------------------------------------- */

void cup_dump_record(FILE *out, uint64_t offset, const struct cup_record *record)
{
    static const struct {
        const char *name;
        void (*dump)(FILE *out, const struct cup_record *record);
    } types[] = {
#define X(NAME, name, number, bytes, least, tail) [CUP_R_##NAME] = {#NAME, cup_dump_##name},
        CUP_RECORDS(X)
#undef X
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
