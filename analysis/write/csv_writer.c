#include "analysis/write/csv_writer.h"

#include "analysis/base/utf8.h"

static bool needs_quotes(struct cup_text text)
{
    for (size_t i = 0; i < text.length; i++)
        if (text.bytes[i] == ',' || text.bytes[i] == '"' || text.bytes[i] == '\n' ||
            text.bytes[i] == '\r')
            return true;
    return text.length == 0; /* an empty text is quoted: an empty field means null */
}

static void write_text(FILE *out, struct cup_text text)
{
    const char *end = text.bytes + text.length;
    for (const char *at = text.bytes; at < end;) {
        uint32_t code;
        size_t length = cup_utf8_next(at, end, &code);
        if (code == '"')
            fputs("\"\"", out);
        else if (code == CUP_UTF8_BAD || code == 0)
            fputs(CUP_UTF8_BAD_BYTES, out);
        else
            fwrite(at, 1, length, out);
        at += length;
    }
}

void cup_csv_value(struct cup_csv *csv, struct cup_value value)
{
    char number[CUP_NUMBER_ROOM];
    if (csv->in_line)
        putc(',', csv->out);
    csv->in_line = true;
    if (value.kind != CUP_VALUE_TEXT) {
        fwrite(number, 1, cup_print_number(number, value), csv->out);
        return;
    }
    bool quotes = needs_quotes(value.text);
    if (quotes)
        putc('"', csv->out);
    write_text(csv->out, value.text);
    if (quotes)
        putc('"', csv->out);
}

void cup_csv_end_line(struct cup_csv *csv)
{
    fputs("\r\n", csv->out);
    csv->in_line = false;
}
