#include "analysis/anonymize/record_texts.h"

#include <ctype.h>
#include <stddef.h>
#include <string.h>

#include "analysis/log/log_reader.h"

static const struct {
    unsigned type, at; /* offset of the string's id in the record */
    enum cup_name_kind kind;
} fields[] = {
#define F(NAME, name, member, kind)                                                                \
    {CUP_R_##NAME, offsetof(struct cup_r_##name, member), CUP_NAME_##kind},
    /* clang-format off */
    F(FILE, file, path, PLACE)
    F(FILE, file, mount, MOUNT)
    F(INFO, info, name, PUBLIC)
    F(OPEN, open, path, PLACE)
    F(OPEN, open, server, PLACE)
    F(OPENS, opens, place, PLACE)
    F(OPENS, opens, server, PLACE)
    F(REQUESTS, requests, server, PLACE)
    F(SERVER, server, address, PLACE)
    F(SERVER, server, name, WORKER)
    F(SERVER, server, local_directory, PLACE)
    F(TASK_BEGIN, task_begin, prefix, PREFIX)
    F(TASK_BEGIN, task_begin, span, SPAN)
    F(TASK_BEGIN, task_begin, span_id, PUBLIC)
    F(TASK_END, task_end, error, ERROR)
    F(ITEM, item, dataset, DATASET)
    F(ITEM, item, file, PLACE)
    F(ITEM, item, tree, PUBLIC)
    F(NOTE, note, text, NOTE)
    F(WORKER, worker, address, PLACE)
    F(WORKER, worker, name, WORKER)
    F(STATUS, status, name, PUBLIC)
    F(SPAN, span, id, PUBLIC)
    F(SPAN, span, name, SPAN)
    F(DIGEST_KEY, digest_key, context, PUBLIC)
    F(DIGEST_KEY, digest_key, span, PUBLIC)
    F(DIGEST_KEY, digest_key, prefix, PREFIX)
    F(DIGEST_KEY, digest_key, activity, PUBLIC)
    F(DIGEST_KEY, digest_key, unit, PUBLIC)
    F(BRANCH, branch, tree, PUBLIC)
    F(BRANCH, branch, name, PUBLIC)
    F(BASKETS, baskets, path, PLACE)
    F(TREE, tree, path, PLACE)
    F(TREE, tree, tree, PUBLIC)
    F(CODE, code, file, PLACE)
    F(MODULE, module, path, PLACE)
    F(SECTION, section, name, PUBLIC)
    F(SECTION, section, parent, PUBLIC)
    F(VALUE, value, name, PUBLIC)
/* clang-format on */
#undef F
};

void cup_record_texts(const struct cup_record *record,
                      void (*note)(void *user, uint32_t string, enum cup_name_kind kind),
                      void *user)
{
    uint32_t string;
    struct cup_r_task_begin unpacked; /* the longest one that is packed */
    const void *fixed = record;
    size_t fixed_bytes = record->fixed;
    if (record->fixed & CUP_FIXED_PACKED) {
        cup_record_fixed(record, &unpacked, sizeof unpacked);
        fixed = &unpacked;
        fixed_bytes = sizeof unpacked;
    }
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++) {
        if (fields[i].type != record->type || fields[i].at + sizeof string > fixed_bytes)
            continue;
        memcpy(&string, (const char *)fixed + fields[i].at, sizeof string);
        note(user, string, fields[i].kind);
    }
    if (record->type != CUP_R_COLUMNS)
        return;
    for (size_t at = 0; at + sizeof string <= cup_record_tail_bytes(record); at += sizeof string) {
        memcpy(&string, cup_record_tail(record) + at, sizeof string);
        note(user, string, CUP_NAME_PUBLIC);
    }
}

static bool is_version(struct cup_text value)
{
    for (size_t i = 0; i < value.length; i++)
        if (!isalnum((unsigned char)value.bytes[i]) && !strchr(".+-", value.bytes[i]))
            return false;
    return value.length > 0 && value.length < 40 && isdigit((unsigned char)value.bytes[0]);
}

static bool is_identifier(struct cup_text value)
{
    for (size_t i = 0; i < value.length; i++)
        if (!isalnum((unsigned char)value.bytes[i]) && value.bytes[i] != '_')
            return false;
    return value.length > 0 && !isdigit((unsigned char)value.bytes[0]);
}

enum cup_name_kind cup_fact_kind(struct cup_text name, struct cup_text value)
{
    if (cup_text_is(name, "command"))
        return CUP_NAME_COMMAND;
    if (cup_text_is(name, CUP_INFO_LISTENS))
        return CUP_NAME_PLACE;
    if (cup_text_is(name, "uncaught_exception"))
        return is_identifier(value) ? CUP_NAME_PUBLIC : CUP_NAME_ERROR; /* a class of code */
    if (cup_text_is(name, "cpu_model") || cup_text_is(name, CUP_INFO_PARSL_WORKER))
        return CUP_NAME_PUBLIC;
    return is_version(value) ? CUP_NAME_PUBLIC : CUP_NAME_TEXT;
}
