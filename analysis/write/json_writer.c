/* A report with a million tasks has a billion characters. Only one thread writes to the file, so
 * the calls need not lock it: with other threads in the process, each lock is an atomic
 * instruction. */
#include "analysis/write/json_writer.h"

#include "analysis/base/utf8.h"

void cup_json_start(struct cup_json *json, FILE *out)
{
    *json = (struct cup_json){.out = out};
}

static void write_escaped(FILE *out, uint32_t code, const char *bytes, size_t length)
{
    if (code == '"' || code == '\\')
        fprintf(out, "\\%c", (char)code);
    else if (cup_utf8_is_control(code))
        fprintf(out, "\\u%04x", (unsigned)code);
    else if (code == CUP_UTF8_BAD)
        fputs_unlocked(CUP_UTF8_BAD_BYTES, out);
    else
        fwrite_unlocked(bytes, 1, length, out);
}

static size_t plain_length(const char *at, const char *end)
{
    const char *from = at;
    while (at < end && *at >= 0x20 && *at < 0x7f && *at != '"' && *at != '\\')
        at++;
    return (size_t)(at - from);
}

static void write_text(FILE *out, const char *at, size_t bytes)
{
    const char *end = at + bytes;
    putc_unlocked('"', out);
    while (at < end) {
        size_t length = plain_length(at, end);
        if (length) {
            fwrite_unlocked(at, 1, length, out);
        } else {
            uint32_t code;
            length = cup_utf8_next(at, end, &code);
            write_escaped(out, code, at, length);
        }
        at += length;
    }
    putc_unlocked('"', out);
}

static void new_line(struct cup_json *json)
{
    putc_unlocked('\n', json->out);
    for (int i = 0; i < json->depth; i++)
        fputs_unlocked("  ", json->out);
}

/* Writes what comes before a value: a comma, a line break and the name, as needed. */
static void begin_item(struct cup_json *json, const char *name)
{
    bool in_row = json->row_depth && json->depth >= json->row_depth;
    if (json->filled[json->depth])
        putc_unlocked(',', json->out);
    if (!in_row && json->depth > 0)
        new_line(json);
    else if (json->filled[json->depth])
        putc_unlocked(' ', json->out);
    json->filled[json->depth] = true;
    if (name) {
        write_text(json->out, name, strlen(name));
        fputs_unlocked(": ", json->out);
    }
}

static void open_group(struct cup_json *json, const char *name, char bracket)
{
    begin_item(json, name);
    putc_unlocked(bracket, json->out);
    json->filled[++json->depth] = false;
}

static void close_group(struct cup_json *json, char bracket)
{
    bool in_row = json->row_depth && json->depth >= json->row_depth;
    bool filled = json->filled[json->depth--];
    if (filled && !in_row)
        new_line(json);
    if (json->depth < json->row_depth)
        json->row_depth = 0;
    putc_unlocked(bracket, json->out);
    if (json->depth == 0)
        putc_unlocked('\n', json->out);
}

void cup_json_object(struct cup_json *json, const char *name)
{
    open_group(json, name, '{');
}

static void open_line(struct cup_json *json, const char *name, char bracket)
{
    open_group(json, name, bracket);
    if (!json->row_depth)
        json->row_depth = json->depth;
}

void cup_json_row(struct cup_json *json, const char *name)
{
    open_line(json, name, '{');
}

void cup_json_list(struct cup_json *json, const char *name)
{
    open_line(json, name, '[');
}

void cup_json_array(struct cup_json *json, const char *name)
{
    open_group(json, name, '[');
}

void cup_json_end_object(struct cup_json *json)
{
    close_group(json, '}');
}

void cup_json_end_array(struct cup_json *json)
{
    close_group(json, ']');
}

static void write_number(FILE *out, struct cup_value value)
{
    char number[CUP_NUMBER_ROOM];
    size_t length = cup_print_number(number, value);
    if (length == 0)
        fputs_unlocked("null", out);
    else if (value.kind == CUP_VALUE_TIME)
        write_text(out, number, length);
    else
        fwrite_unlocked(number, 1, length, out);
}

void cup_json_value(struct cup_json *json, const char *name, struct cup_value value)
{
    begin_item(json, name);
    if (value.kind == CUP_VALUE_TEXT)
        write_text(json->out, value.text.bytes, value.text.length);
    else
        write_number(json->out, value);
}
