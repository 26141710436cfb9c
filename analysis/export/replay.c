/* `cupping export --to replay`: the single reads of a run as a plain table, for `cupping replay`.
 */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "analysis/base/utf8.h"
#include "analysis/export/export.h"

/* ---- the order of reads --------------------------------------------------------------------- */

/* In the order of time. The parts of a vector read stay together, behind its first part: all have
 * its times. */
static int compare_reads(const void *a, const void *b)
{
    const struct cup_single_read *one = *(const struct cup_single_read *const *)a,
                                 *other = *(const struct cup_single_read *const *)b;
    if (one->start_ns != other->start_ns)
        return one->start_ns < other->start_ns ? -1 : 1;
    return one < other ? -1 : 1;
}

static const struct cup_single_read **sort_reads(const struct cup_profile *profile)
{
    size_t count = profile->single_read_count;
    const struct cup_single_read **sorted = malloc(count * sizeof(*sorted) + 1);
    for (size_t i = 0; sorted && i < count; i++)
        sorted[i] = &profile->single_reads[i];
    if (sorted)
        qsort(sorted, count, sizeof(*sorted), compare_reads);
    return sorted;
}

/* One vector read: the log cut it where a record was full, so not all of its parts are marked. */
static bool is_same_request(const struct cup_profile *profile, const struct cup_single_read *one,
                            const struct cup_single_read *next)
{
    return next->is_part ||
           (profile->files[one->file].flags & CUP_FILE_IS_REMOTE && one + 1 == next &&
            one->start_ns == next->start_ns && one->ns == next->ns && one->file == next->file &&
            one->task == next->task && one->process == next->process);
}

/* ---- rows ----------------------------------------------------------------------------------- */

struct writer {
    FILE *out;
    const struct cup_profile *profile;
    struct cup_record_reader keys;
    int64_t begin_ns; /* of the first read */
};

/* Writes a character of BYTES. A tab or a line break would end the field; a terminal could execute
 * other control characters. */
static void write_character(FILE *out, uint32_t code, const char *bytes, size_t length)
{
    static const char special[] = "\t\n\r\\", names[] = "tnr\\";
    const char *found = code && code < 0x80 ? strchr(special, (int)code) : NULL;
    if (found)
        fprintf(out, "\\%c", names[found - special]);
    else if (cup_utf8_is_harmless(code))
        fwrite(bytes, 1, length, out);
    else
        for (size_t i = 0; i < length; i++)
            fprintf(out, "\\x%02x", (unsigned char)bytes[i]);
}

static void write_text(FILE *out, struct cup_text text)
{
    const char *end = text.length ? text.bytes + text.length : text.bytes;
    for (const char *at = text.bytes; at < end;) {
        uint32_t code;
        size_t length = cup_utf8_next(at, end, &code);
        write_character(out, code, at, length);
        at += length;
    }
}

static void write_field(FILE *out, struct cup_text text)
{
    write_text(out, text);
    putc('\t', out);
}

static void write_seconds(FILE *out, int64_t ns)
{
    fprintf(out, "%" PRId64 ".%09" PRId64 "\t", ns / 1000000000, ns % 1000000000);
}

static void write_parts(FILE *out, const struct cup_single_read *const *reads, size_t count)
{
    for (size_t i = 0; count > 1 && i < count; i++)
        fprintf(out, "%s%" PRIu64 "+%" PRIu64, i ? " " : "", reads[i]->offset, reads[i]->bytes);
    putc('\t', out);
}

/* A row for a request, which is COUNT reads. */
static void write_row(struct writer *writer, const struct cup_single_read *const *reads,
                      size_t count)
{
    FILE *out = writer->out;
    const struct cup_single_read *read = reads[0];
    const struct cup_log_header *header = &writer->profile->processes[read->process].header;
    uint64_t bytes = 0;
    for (size_t i = 0; i < count; i++)
        bytes += reads[i]->bytes;
    write_seconds(out, read->start_ns - writer->begin_ns);
    write_seconds(out, (int64_t)read->ns);
    write_field(out, cup_profile_text(writer->profile, writer->profile->files[read->file].path));
    fprintf(out, "%" PRIu64 "\t%" PRIu64 "\t", read->offset, bytes);
    write_parts(out, reads, count);
    write_field(out, read->task
                         ? cup_key_read(&writer->keys, &writer->profile->tasks[read->task - 1])
                         : (struct cup_text){0});
    write_text(out, (struct cup_text){header->host, strnlen(header->host, sizeof header->host)});
    fprintf(out, ":%" PRIu32 "\n", header->pid);
}

static void write_rows(struct writer *writer, const struct cup_single_read *const *sorted)
{
    size_t count = writer->profile->single_read_count;
    fputs("start_s\tseconds\tfile\toffset\tbytes\tparts\ttask\tprocess\n", writer->out);
    for (size_t i = 0, parts; i < count; i += parts) {
        for (parts = 1; i + parts < count; parts++)
            if (!is_same_request(writer->profile, sorted[i + parts - 1], sorted[i + parts]))
                break;
        write_row(writer, sorted + i, parts);
    }
}

int cup_export_replay(const struct cup_totals *totals, const struct cup_output *output)
{
    const struct cup_profile *profile = totals->profile;
    const struct cup_single_read **sorted = sort_reads(profile);
    struct writer writer = {.out = output->file, .profile = profile};
    if (!sorted)
        return -1;
    cup_record_reader_open(&writer.keys, profile);
    writer.begin_ns = profile->single_read_count ? sorted[0]->start_ns : 0;
    write_rows(&writer, sorted);
    free(sorted);
    return cup_record_reader_close(&writer.keys);
}

const char *cup_replay_missing(const struct cup_profile *profile)
{
    if (profile->single_read_count)
        return NULL;
    if (profile->tasks_summed > profile->full_log_tasks)
        return "the tasks of this profile were summed up by prefix (`cupping merge --per-prefix`), "
               "so single reads are not kept: export the logs that were merged";
    for (size_t i = 0; i < profile->info_count; i++)
        if (cup_text_is(cup_profile_text(profile, profile->infos[i].name), "CUPPING_READS"))
            return "no data file was read: mapped files, and requests through TLS, have no single "
                   "reads";
    return "single reads were not recorded: run the job once more with CUPPING_READS=1";
}
