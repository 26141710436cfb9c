#include "preload/python/code_text.h"

#include "preload/python/fingerprint.h"
#include "preload/python/layout.h"

#include <string.h>

enum { TABLE_LONGEST = 64 * 1024 };

static uint64_t load_bytes(const char *at, size_t bytes)
{
    uint64_t value = 0;
    memcpy(&value, at, bytes);
    return value;
}

static const char *load_pointer(const char *object, size_t offset)
{
    return (const char *)(uintptr_t)load_bytes(object + offset, sizeof(void *));
}

/* ---- text -------------------------------------------------------------------------------- */

static size_t encode_character(uint32_t character, char utf8[4])
{
    if (character < 0x80) {
        utf8[0] = (char)character;
        return 1;
    }
    if (character < 0x800) {
        utf8[0] = (char)(0xc0 | character >> 6);
        utf8[1] = (char)(0x80 | (character & 0x3f));
        return 2;
    }
    if (character < 0x10000) {
        utf8[0] = (char)(0xe0 | character >> 12);
        utf8[1] = (char)(0x80 | (character >> 6 & 0x3f));
        utf8[2] = (char)(0x80 | (character & 0x3f));
        return 3;
    }
    utf8[0] = (char)(0xf0 | character >> 18);
    utf8[1] = (char)(0x80 | (character >> 12 & 0x3f));
    utf8[2] = (char)(0x80 | (character >> 6 & 0x3f));
    utf8[3] = (char)(0x80 | (character & 0x3f));
    return 4;
}

static size_t convert_characters(const char *from, uint64_t length, unsigned kind, char *buffer,
                                 size_t size)
{
    size_t used = 0;
    for (uint64_t i = 0; i < length && used + 4 <= size; i++) {
        uint32_t character = (uint32_t)load_bytes(from + i * kind, kind);
        bool surrogate = character >= 0xd800 && character < 0xe000;
        used += encode_character(surrogate ? '?' : character, buffer + used);
    }
    return used;
}

size_t cup_code_utf8(const char *str, char *buffer, size_t size, const char **text)
{
    uint32_t state = (uint32_t)load_bytes(str + cup_layout.text_state, sizeof state);
    uint64_t length = load_bytes(str + cup_layout.text_length, sizeof length);
    unsigned kind = state >> CUP_TEXT_KIND & 7;
    *text = buffer;
    if (!(state & CUP_TEXT_COMPACT))
        return 0;
    if (!(state & CUP_TEXT_ASCII))
        return convert_characters(str + cup_layout.text_other, length, kind, buffer, size);
    *text = str + cup_layout.text_ascii;
    return length < size ? length : size;
}

/* ---- code -------------------------------------------------------------------------------- */

uint64_t cup_code_hash_characters(const char *name)
{
    uint32_t state = (uint32_t)load_bytes(name + cup_layout.text_state, sizeof state);
    uint64_t length = load_bytes(name + cup_layout.text_length, sizeof length), hash = length;
    uint64_t bytes = length * (state >> CUP_TEXT_KIND & 7);
    const char *from =
        name + (state & CUP_TEXT_ASCII ? cup_layout.text_ascii : cup_layout.text_other);
    if (!(state & CUP_TEXT_COMPACT))
        return hash;
    if (bytes > CUP_NAME_COPY - cup_layout.text_other)
        bytes = CUP_NAME_COPY - cup_layout.text_other;
    for (uint64_t i = 0; i < bytes; i += sizeof hash)
        hash =
            cup_mix(hash, load_bytes(from + i, bytes - i < sizeof hash ? bytes - i : sizeof hash));
    return hash;
}

uint64_t cup_code_fingerprint(const char *code, const char *name, const char *table)
{
    return cup_code_fingerprint_by(&cup_layout, code, name, table);
}

static void read_table(const char *bytes, struct cup_code_facts *facts)
{
    uint64_t length = load_bytes(bytes + cup_layout.bytes_length, sizeof length);
    facts->table = (const unsigned char *)bytes + cup_layout.bytes_data;
    facts->table_bytes = length <= TABLE_LONGEST ? (uint32_t)length : 0;
}

void cup_code_read(const char *code, struct cup_code_facts *facts, struct cup_code_buffers *buffers)
{
    facts->address = (uintptr_t)code;
    facts->fingerprint = cup_code_fingerprint_of(code);
    facts->first_line = (uint32_t)load_bytes(code + cup_layout.code_first_line, sizeof(int));
    facts->name_bytes = (uint32_t)cup_code_utf8(load_pointer(code, cup_layout.code_label),
                                                buffers->name, sizeof buffers->name, &facts->name);
    facts->file_bytes = (uint32_t)cup_code_utf8(load_pointer(code, cup_layout.code_file),
                                                buffers->file, sizeof buffers->file, &facts->file);
    read_table(load_pointer(code, cup_layout.code_table), facts);
}
