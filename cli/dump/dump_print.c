#include "cli/dump/dump_records.h"

#include <inttypes.h>

#include "analysis/base/value.h"
#include "analysis/write/terminal.h"

void cup_dump_time(FILE *out, const char *name, int64_t ns)
{
    char text[CUP_NUMBER_ROOM];
    size_t length = ns ? cup_print_number(text, cup_time(ns)) : 0;
    if (length)
        fprintf(out, " %s=%.*s", name, (int)length, text);
    else
        fprintf(out, " %s=%" PRId64, name, ns);
}

void cup_dump_known(FILE *out, const char *name, uint64_t value)
{
    if (value == CUP_UNKNOWN64)
        fprintf(out, " %s=?", name);
    else
        fprintf(out, " %s=%" PRIu64, name, value);
}

void cup_dump_text(FILE *out, const char *name, const unsigned char *bytes, size_t length)
{
    const struct cup_terminal plain = {.out = out};
    struct cup_text text = {(const char *)bytes, length};
    fprintf(out, " %s=\"", name);
    cup_print_fit(&plain, text, cup_text_columns(text), CUP_FIT_NONE);
    putc('"', out);
}

void cup_dump_nonzero(FILE *out, const char *const *names, const uint64_t *values, int count)
{
    for (int i = 0; i < count; i++)
        if (values[i])
            fprintf(out, " %s=%" PRIu64, names[i], values[i]);
}

void cup_dump_row(FILE *out, const char *name)
{
    fprintf(out, "\n%10s %5s %s", "-", "-", name);
}

const char *cup_dump_name(const char *const *names, size_t count, uint32_t number)
{
    return number < count && names[number] ? names[number] : "?";
}

void cup_dump_buckets(FILE *out, const uint64_t *buckets)
{
    static const char *const names[] = {CUP_HISTOGRAMS(CUP_NAME_OF)};
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
