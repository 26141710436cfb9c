#include "preload/sampler/remote_copies.h"

#include "preload/python/stack_frames.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/raw.h"

/* ---- pieces of a stack -------------------------------------------------------------------- */

/* GAP: two pieces less than this many bytes apart are copied as one. */
enum { PIECES = 160, ROOM = 128 * 1024, GAP = 8192 };

static struct {
    struct piece {
        uint64_t at;
        uint32_t bytes, offset; /* in both copies */
        uint32_t twice;         /* how many of its bytes, from the first on, were copied twice */
    } pieces[PIECES];
    uint32_t count, bytes;
    char first[ROOM], second[ROOM];
} all;

void cup_pieces_clear(void)
{
    all.count = all.bytes = 0;
}

static bool copy_to_end(uint64_t at, size_t bytes)
{
    if (bytes > ROOM - all.bytes || !cup_remote_copy(all.first + all.bytes, at, bytes))
        return false;
    all.bytes += (uint32_t)bytes;
    return true;
}

/* Extends the last piece if it ends at AT or shortly before. The first piece is
 * never extended. */
static bool extend_last(uint64_t at, size_t bytes)
{
    struct piece *last = &all.pieces[all.count - 1];
    uint64_t end = last->at + last->bytes;
    if (all.count < 2 || at < end || at - end > GAP || !copy_to_end(end, at - end + bytes))
        return false;
    last->bytes += (uint32_t)(at - end + bytes);
    return true;
}

bool cup_pieces_add(uint64_t at, size_t bytes)
{
    uint32_t offset = all.bytes;
    if (all.count && extend_last(at, bytes))
        return true;
    if (all.count == PIECES || !copy_to_end(at, bytes))
        return false;
    all.pieces[all.count++] = (struct piece){at, (uint32_t)bytes, offset, 0};
    return true;
}

bool cup_pieces_find(uint64_t at, size_t bytes, struct cup_copies *copies)
{
    for (uint32_t i = 0; i < all.count; i++) {
        const struct piece *piece = &all.pieces[i];
        uint64_t inside = at - piece->at;
        if (at < piece->at || inside + bytes > piece->bytes)
            continue;
        copies->first = all.first + piece->offset + inside;
        copies->second = inside + bytes > piece->twice ? NULL : all.second + piece->offset + inside;
        return true;
    }
    return false;
}

/* ---- pieces: copying all in one call
 * -------------------------------------------------------------- */

static struct {
    struct iovec to[2 * (CUP_WATCHED + PIECES)], from[2 * (CUP_WATCHED + PIECES)];
    size_t count;
} list;

static void list_range(void *to, uint64_t from, size_t bytes)
{
    list.to[list.count] = (struct iovec){to, bytes};
    list.from[list.count++] = cup_remote_at(from, bytes);
}

static void list_piece(uint32_t i, char *copy)
{
    const struct piece *piece = &all.pieces[i];
    list_range(copy + piece->offset, piece->at, piece->bytes);
}

/* The first copies are made in reverse order: so the first piece is copied last there, then come
 * the watched ranges, then the second copies begin with the first piece. */
bool cup_pieces_copy(struct cup_watch *watch)
{
    list.count = 0;
    for (uint32_t i = all.count; i-- > 0;)
        list_piece(i, all.first);
    for (uint32_t i = 0; i < watch->count; i++)
        list_range(watch->ranges[i].seen, watch->ranges[i].at, watch->ranges[i].bytes);
    for (uint32_t i = 0; i < all.count; i++)
        list_piece(i, all.second);
    if (!cup_remote_read(list.to, list.from, list.count)) {
        cup_pieces_clear();
        return false;
    }
    for (uint32_t i = 0; i < all.count; i++)
        all.pieces[i].twice = all.pieces[i].bytes;
    return true;
}

/* ---- code objects ------------------------------------------------------------------------- */

enum { TEXT_HEAD = 80, TEXT_LONGEST = 4096 };

static char codes_copy[CUP_REMOTE_CODES][CUP_CODE_COPY];
static char names_copy[CUP_REMOTE_CODES][CUP_NAME_COPY];
static char tables_copy[CUP_REMOTE_CODES][CUP_TABLE_COPY];

static bool copy_codes(const struct cup_remote_code *codes, uint32_t count)
{
    struct iovec to[CUP_REMOTE_CODES], from[CUP_REMOTE_CODES];
    for (uint32_t i = 0; i < count; i++) {
        to[i] = (struct iovec){codes_copy[i], CUP_CODE_COPY};
        from[i] = cup_remote_at(codes[i].address, CUP_CODE_COPY);
    }
    return cup_remote_read(to, from, count);
}

/* Copies what is mapped of the range: the object in it may be shorter, and end before a page that
 * is not mapped. */
static bool copy_mapped(const struct iovec *to, const struct iovec *from)
{
    enum { PAGE = 4096 };
    uint64_t at = (uintptr_t)from->iov_base, left = PAGE - at % PAGE;
    return cup_remote_copy(to->iov_base, at, from->iov_len) ||
           (left < from->iov_len && cup_remote_copy(to->iov_base, at, left));
}

/* Not inlined: then the compiler could not rule out that COUNT is 0, and that the lists are empty.
 */
static __attribute__((noinline)) bool copy_each(const struct iovec *to, const struct iovec *from,
                                                size_t count)
{
    bool copied = true;
    for (size_t i = 0; copied && i < count; i++)
        copied = copy_mapped(&to[i], &from[i]);
    return copied;
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
    return cup_remote_read(to, from, 2 * count) || copy_each(to, from, 2 * count);
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

/* ---- code objects: reading a new one
 * ------------------------------------------------------------- */

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

/* ---- code objects: looking up
 * --------------------------------------------------------------------------- */

/* cup_stack_is_shim() of a copy, whose name has not been copied. */
static bool is_shim(const char *copy)
{
    uint64_t name = cup_code_bits(copy + cup_layout.code_name);
    return cup_stack_may_be_shim(copy) &&
           cup_remote_word(name + cup_layout.text_length) == CUP_INIT_LENGTH &&
           cup_stack_is_init(cup_remote_word(name + cup_layout.text_ascii));
}

/* False: the code object is new, or could not be read. */
static bool find_id(uint32_t i, uint64_t code, uint32_t *id)
{
    uint64_t fingerprint =
        cup_code_fingerprint(&cup_layout, codes_copy[i], names_copy[i], tables_copy[i]);
    if (is_shim(codes_copy[i]))
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
