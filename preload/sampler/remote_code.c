#include "preload/sampler/remote_code.h"

#include "preload/python/stack_frames.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/raw.h"

enum { TEXT_HEAD = 80, TEXT_LONGEST = 4096 };

static char codes_copy[CUP_REMOTE_CODES][CUP_CODE_COPY];
static char names_copy[CUP_REMOTE_CODES][CUP_NAME_COPY];
static char tables_copy[CUP_REMOTE_CODES][CUP_TABLE_COPY];

/* ---- copying many code objects at once ----------------------------------------------------- */

static bool copy_codes(const struct cup_remote_code *codes, uint32_t count)
{
    struct iovec to[CUP_REMOTE_CODES], from[CUP_REMOTE_CODES];
    for (uint32_t i = 0; i < count; i++) {
        to[i] = (struct iovec){codes_copy[i], CUP_CODE_COPY};
        from[i] = cup_remote_at(codes[i].address, CUP_CODE_COPY);
    }
    return cup_remote_read(to, from, count);
}

/* Code objects without a version number are distinguished by their names and line tables. */
static bool copy_names_and_tables(uint32_t count)
{
    struct iovec to[2 * CUP_REMOTE_CODES], from[2 * CUP_REMOTE_CODES];
    for (uint32_t i = 0; i < count; i++) {
        uint64_t name = cup_code_bits(codes_copy[i] + cup_layout.code_name);
        uint64_t table = cup_code_bits(codes_copy[i] + cup_layout.code_table);
        to[2 * i] = (struct iovec){names_copy[i], CUP_NAME_COPY};
        from[2 * i] = cup_remote_at(name, CUP_NAME_COPY);
        to[2 * i + 1] = (struct iovec){tables_copy[i], CUP_TABLE_COPY};
        from[2 * i + 1] = cup_remote_at(table, CUP_TABLE_COPY);
    }
    return cup_remote_read(to, from, 2 * count);
}

static bool have_versions(uint32_t count)
{
    if (cup_layout.code_version == CUP_NOWHERE)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!cup_code_half(codes_copy[i] + cup_layout.code_version))
            return false;
    return true;
}

/* ---- reading a new code object ------------------------------------------------------------- */

static struct {
    char name[TEXT_HEAD + TEXT_LONGEST], file[TEXT_HEAD + TEXT_LONGEST];
    char table[TEXT_HEAD + CUP_CODE_TABLE_LONGEST];
    struct cup_code_buffers utf8;
} facts_copy;

/* The size of a str object of which COPY holds the head. A longer text is cut to TEXT_LONGEST: its
 * length is changed in the copy. */
static size_t limit_text(char *copy)
{
    uint32_t state = cup_code_half(copy + cup_layout.text_state);
    uint64_t length = cup_code_bits(copy + cup_layout.text_length);
    uint64_t kind = state >> CUP_TEXT_KIND & 7;
    uint64_t most = kind ? TEXT_LONGEST / kind : 0;
    if (length > most) {
        length = most;
        memcpy(copy + cup_layout.text_length, &length, sizeof length);
    }
    size_t head = state & CUP_TEXT_ASCII ? cup_layout.text_ascii : cup_layout.text_other;
    return head + length * kind;
}

static bool copy_text(char *copy, uint64_t str)
{
    size_t before = cup_layout.text_length + sizeof(uint64_t);
    if (!cup_remote_copy(copy, str, cup_layout.text_ascii))
        return false;
    size_t bytes = limit_text(copy);
    return bytes <= before || cup_remote_copy(copy + before, str + before, bytes - before);
}

static bool copy_table(uint64_t table)
{
    size_t head = cup_layout.bytes_data;
    if (!cup_remote_copy(facts_copy.table, table, head))
        return false;
    uint64_t length = cup_code_bits(facts_copy.table + cup_layout.bytes_length);
    return length > CUP_CODE_TABLE_LONGEST ||
           cup_remote_copy(facts_copy.table + head, table + head, length);
}

/* True if the code object still has the content of COPY: so its texts, which were copied in
 * between, belong to it. */
static bool is_unchanged(uint64_t code, const char *copy)
{
    enum { COUNT = 8 }; /* bytes of the reference count, which may change */
    char now[CUP_CODE_COPY];
    return cup_remote_copy(now, code, sizeof now) &&
           memcmp(now + COUNT, copy + COUNT, sizeof now - COUNT) == 0;
}

static void read_new_code(uint64_t code, const char *copy, uint64_t fingerprint)
{
    struct cup_code_facts facts = {.address = code, .fingerprint = fingerprint};
    struct cup_code_parts parts = {copy, facts_copy.name, facts_copy.file, facts_copy.table};
    if (!copy_text(facts_copy.name, cup_code_bits(copy + cup_layout.code_label)) ||
        !copy_text(facts_copy.file, cup_code_bits(copy + cup_layout.code_file)) ||
        !copy_table(cup_code_bits(copy + cup_layout.code_table)) || !is_unchanged(code, copy))
        return;
    cup_code_read(&parts, &facts, &facts_copy.utf8);
    cup_code_add(&facts);
}

/* ---- looking up --------------------------------------------------------------------------- */

/* False: the code object is new, or could not be read. */
static bool find_id(uint32_t i, uint64_t code, uint32_t *id)
{
    uint64_t fingerprint =
        cup_code_fingerprint(&cup_layout, codes_copy[i], names_copy[i], tables_copy[i]);
    if (cup_stack_is_shim(codes_copy[i]))
        return true;
    *id = cup_code_find(code, fingerprint);
    if (!*id)
        read_new_code(code, codes_copy[i], fingerprint);
    return *id != 0;
}

static bool copy_all(const struct cup_remote_code *codes, uint32_t count)
{
    if (!copy_codes(codes, count))
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (!cup_stack_is_code(codes_copy[i]))
            return false;
    return have_versions(count) || copy_names_and_tables(count);
}

void cup_remote_codes(struct cup_remote_code *codes, uint32_t count)
{
    bool copied = count && copy_all(codes, count);
    for (uint32_t i = 0; i < count; i++) {
        codes[i].id = 0;
        codes[i].certain = copied && find_id(i, codes[i].address, &codes[i].id);
    }
}
