/* Code objects are copied as the sampler copies them, from memory of this process with the layout
 * of Python 3.11. */
#include "preload/python/stack_frames.h"
#include "preload/sampler/remote_copies.h"
#include "preload/stacks/stacks.h"
#include "preload/sys/raw.h"

#include <criterion/criterion.h>

enum { PAGE = 4096 };

static const char type;
const void *cup_stack_code_type = &type;

/* What the library knows of one code object. */
static struct cup_code_facts known;

uint32_t cup_code_find(uint64_t address, uint64_t fingerprint)
{
    return known.address == address && known.fingerprint == fingerprint;
}

uint32_t cup_code_add(const struct cup_code_facts *facts)
{
    known = *facts;
    return 1;
}

static void set_up(void)
{
    cr_assert(cup_layout_candidate(11, 0, &cup_layout));
    cup_remote_process = cup_raw_getpid();
    cup_filter_look();
}

TestSuite(remote_copies, .init = set_up);

/* SIZE bytes that end where a page begins that is not mapped. */
static char *allocate_at_end(size_t size)
{
    char *page = mmap(NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    cr_assert(page != MAP_FAILED && munmap(page + PAGE, PAGE) == 0);
    return page + PAGE - size;
}

static void set_word(char *object, size_t offset, const void *word)
{
    memcpy(object + offset, &word, sizeof word);
}

/* A str object of one character. */
static char *make_name(char *object)
{
    const uint32_t state = CUP_TEXT_COMPACT | CUP_TEXT_ASCII | 1 << CUP_TEXT_KIND;
    set_word(object, cup_layout.text_length, (const void *)1);
    set_word(object, cup_layout.text_hash, (const void *)4711);
    memcpy(object + cup_layout.text_state, &state, sizeof state);
    object[cup_layout.text_ascii] = 'f';
    return object;
}

/* A bytes object of one byte. */
static char *make_table(char *object)
{
    set_word(object, cup_layout.bytes_length, (const void *)1);
    return object;
}

static void expect_to_be_found(const char *name, const char *table)
{
    static _Alignas(8) char code[CUP_CODE_COPY], file_object[56];
    set_word(code, 0, (const void *)1);
    set_word(code, 8, cup_stack_code_type);
    set_word(code, cup_layout.code_name, name);
    set_word(code, cup_layout.code_label, name);
    set_word(code, cup_layout.code_file, make_name(file_object));
    set_word(code, cup_layout.code_table, table);
    struct cup_remote_code found = {.address = (uintptr_t)code};
    cup_remote_codes(&found, 1); /* enters it */
    cup_remote_codes(&found, 1);
    cr_expect(found.certain && found.id == 1);
}

Test(remote_copies, a_code_object_is_found)
{
    static _Alignas(8) char name[CUP_NAME_COPY], table[CUP_TABLE_COPY];
    expect_to_be_found(make_name(name), make_table(table));
}

Test(remote_copies, a_name_at_the_end_of_mapped_memory)
{
    static _Alignas(8) char table[CUP_TABLE_COPY];
    expect_to_be_found(make_name(allocate_at_end(56)), make_table(table));
}

Test(remote_copies, a_line_table_at_the_end_of_mapped_memory)
{
    static _Alignas(8) char name[CUP_NAME_COPY];
    expect_to_be_found(make_name(name), make_table(allocate_at_end(40)));
}
