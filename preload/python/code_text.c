#include "preload/python/code_text.h"

#include "preload/python/stack_frames.h"

static uint32_t load_character(const char *at, unsigned kind)
{
    uint32_t character = 0;
    memcpy(&character, at, kind);
    return character;
}

static size_t encode_character(uint32_t character, char utf8[4])
{
    static const unsigned char first[] = {0, 0xc0, 0xe0, 0xf0};
    size_t more = (character >= 0x80) + (character >= 0x800) + (character >= 0x10000);
    for (size_t i = more; i > 0; i--, character >>= 6)
        utf8[i] = (char)(0x80 | (character & 0x3f));
    utf8[0] = (char)(first[more] | character);
    return more + 1;
}

static size_t convert_characters(const char *from, uint64_t length, unsigned kind, char *buffer,
                                 size_t size)
{
    size_t used = 0;
    for (uint64_t i = 0; i < length && used + 4 <= size; i++) {
        uint32_t character = load_character(from + i * kind, kind);
        bool surrogate = character >= 0xd800 && character < 0xe000;
        used += encode_character(surrogate ? '?' : character, buffer + used);
    }
    return used;
}

size_t cup_code_utf8(const char *str, char *buffer, size_t size, const char **text)
{
    uint32_t state = cup_code_half(str + cup_layout.text_state);
    uint64_t length = cup_code_bits(str + cup_layout.text_length);
    unsigned kind = state >> CUP_TEXT_KIND & 7;
    *text = buffer;
    if (!(state & CUP_TEXT_COMPACT))
        return 0;
    if (!(state & CUP_TEXT_ASCII))
        return convert_characters(str + cup_layout.text_other, length, kind, buffer, size);
    *text = str + cup_layout.text_ascii;
    return length < size ? length : size;
}

uint64_t cup_code_hash_characters(const char *name)
{
    uint32_t state = cup_code_half(name + cup_layout.text_state);
    uint64_t length = cup_code_bits(name + cup_layout.text_length);
    uint64_t bytes = length * (state >> CUP_TEXT_KIND & 7);
    uint64_t most = CUP_NAME_COPY - cup_layout.text_other;
    const char *from =
        name + (state & CUP_TEXT_ASCII ? cup_layout.text_ascii : cup_layout.text_other);
    if (!(state & CUP_TEXT_COMPACT))
        return length;
    return cup_hash_bytes((struct cup_hash){length, 0}, from, bytes < most ? bytes : most).key;
}

void cup_code_read(const struct cup_code_parts *parts, struct cup_code_facts *facts,
                   struct cup_code_buffers *buffers)
{
    uint64_t length = cup_code_bits(parts->table + cup_layout.bytes_length);
    facts->first_line = cup_code_half(parts->code + cup_layout.code_first_line);
    facts->name_bytes =
        (uint32_t)cup_code_utf8(parts->label, buffers->name, sizeof buffers->name, &facts->name);
    facts->file_bytes =
        (uint32_t)cup_code_utf8(parts->file, buffers->file, sizeof buffers->file, &facts->file);
    facts->table = (const unsigned char *)parts->table + cup_layout.bytes_data;
    facts->table_bytes = length <= CUP_CODE_TABLE_LONGEST ? (uint32_t)length : 0;
}
