#include "analysis/write/exposition.h"

#include "analysis/base/utf8.h"

/* Escapes backslashes, line ends and, if QUOTES, quotes. Replaces other control characters, and
 * bytes that are not UTF-8. */
static void write_escaped(FILE *out, struct cup_text text, bool quotes)
{
    const char *end = text.length ? text.bytes + text.length : text.bytes;
    for (const char *at = text.bytes; at < end;) {
        uint32_t code;
        size_t length = cup_utf8_next(at, end, &code);
        if (code == '\\' || (quotes && code == '"'))
            fprintf(out, "\\%c", (char)code);
        else if (code == '\n')
            fputs("\\n", out);
        else if (!cup_utf8_is_harmless(code))
            fputs(CUP_UTF8_BAD_BYTES, out);
        else
            fwrite(at, 1, length, out);
        at += length;
    }
}

void cup_exposition_family(struct cup_exposition *exposition, const char *name, const char *help)
{
    size_t length = strlen(name);
    bool total = length > 6 && strcmp(name + length - 6, "_total") == 0;
    if (strcmp(exposition->family, name) == 0)
        return;
    snprintf(exposition->family, sizeof exposition->family, "%s", name);
    fprintf(exposition->out, "# HELP %s ", name);
    write_escaped(exposition->out, (struct cup_text){help, strlen(help)}, false);
    fprintf(exposition->out, "\n# TYPE %s %s\n", name, total ? "counter" : "gauge");
}

static void write_label(struct cup_exposition *exposition, const struct cup_label *label,
                        char separator)
{
    fprintf(exposition->out, "%c%s=\"", separator, label->name);
    write_escaped(exposition->out, label->value, true);
    putc('"', exposition->out);
}

static void write_labels(struct cup_exposition *exposition, const struct cup_label *labels,
                         size_t count)
{
    char separator = '{';
    if (exposition->common.name) {
        write_label(exposition, &exposition->common, separator);
        separator = ',';
    }
    for (size_t i = 0; i < count; i++, separator = ',')
        write_label(exposition, &labels[i], separator);
    if (separator == ',')
        putc('}', exposition->out);
}

/* A time of day as seconds since the epoch, as all times are there. */
static void write_number(FILE *out, struct cup_value value, double factor)
{
    char number[CUP_NUMBER_ROOM];
    if (value.kind == CUP_VALUE_TIME)
        value.kind = CUP_VALUE_SECONDS;
    if (factor == 1)
        fwrite(number, 1, cup_print_number(number, value), out);
    else
        fprintf(out, "%.15g", cup_number(value) * factor);
}

void cup_exposition_series(struct cup_exposition *exposition, const struct cup_label *labels,
                           size_t count, struct cup_value value, double factor)
{
    fputs(exposition->family, exposition->out);
    write_labels(exposition, labels, count);
    putc(' ', exposition->out);
    write_number(exposition->out, value, factor);
    putc('\n', exposition->out);
}
