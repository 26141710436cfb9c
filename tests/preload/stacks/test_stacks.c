/* Ids of functions and nodes: one each, records written before others refer to them, limits. And
 * reading code objects and strings with the layouts of Python 3.13 and 3.11. */
#include "tests/preload/basket_records.h"

#include "preload/python/python.h"
#include "preload/python/stack_frames.h"
#include "preload/stacks/stack_tables.h"
#include "preload/sys/id_table.h"

static void set_up(void)
{
    cr_assert(cup_layout_candidate(13, 0, &cup_layout));
    cup_py.minor = 13;
    cup_stack_tables_reset();
    test_log_open(64 << 20);
}

TestSuite(stacks, .init = set_up, .fini = test_log_close);

/* ---- ids --------------------------------------------------------------------------------- */

Test(stacks, ids_are_of_whole_keys)
{
    enum { KEYS = 300, MORE = 300 };
    struct cup_id_table table = {0};
    uint32_t id = 0;
    for (uint64_t key = 0; key < KEYS; key++)
        for (uint64_t more = 0; more < MORE; more++) {
            cr_assert(cup_id_room(&table, 1, KEYS * MORE));
            cup_id_add(&table, key << 32, more, ++id);
        }
    cr_expect_not(cup_id_room(&table, 1, KEYS * MORE), "it is full");
    id = 0;
    for (uint64_t key = 0; key < KEYS; key++)
        for (uint64_t more = 0; more < MORE; more++)
            cr_assert_eq(cup_id_find(&table, key << 32, more)->id, ++id);
    cr_expect_null(cup_id_find(&table, 1, 0));
    cr_expect_null(cup_id_find(&table, 0, MORE));
    cup_id_table_reset(&table);
    cr_expect_null(cup_id_find(&table, 0, 0));
    cr_expect_not(cup_id_room(&table, 3, 2));
    cr_expect(cup_id_room(&table, 2, 2));
    cup_id_table_reset(&table);
}

/* ---- nodes ------------------------------------------------------------------------------- */

static void expect_nodes(const struct cup_r_nodes *record, const struct cup_stack_node *expected,
                         uint32_t first, uint32_t count)
{
    const unsigned char *at = (const unsigned char *)(record + 1);
    cr_assert(record->first == first && record->count == count);
    for (uint32_t i = 0; i < count; i++) {
        cr_expect_eq(first + i - test_number(&at), expected[i].parent);
        uint32_t of = (uint32_t)test_number(&at);
        cr_expect_eq((of >> 1 | of << 31), expected[i].of);
        cr_expect_eq((uint32_t)test_number(&at) - 1, expected[i].at);
    }
}

Test(stacks, chains_share_what_they_have_in_common)
{
    struct cup_stack_node chain[3] = {{0, 1, 10}, {99, 2, 20}, {99, 1, 10}};
    cr_assert_eq(cup_nodes_add(chain, 3), 3);
    cr_expect_eq(cup_nodes_find(0, 1, 10), 1);
    cr_expect_eq(cup_nodes_find(1, 2, 20), 2);
    cr_expect_eq(cup_nodes_find(2, 1, 10), 3, "the same frame above another one is another node");
    cr_expect_eq(cup_nodes_find(3, 1, 10), 0);
    struct cup_stack_node branch[2] = {{1, 3, CUP_AT_UNKNOWN}, {0, CUP_NODE_HELPER, 0}};
    cr_assert_eq(cup_nodes_add(branch, 2), 5);
    cup_nodes_write();
    uint64_t at = 0;
    cr_expect_null(test_next(&at, CUP_R_NODES), "no record names one");
    cr_expect_eq(cup_node_record(5), 3, "its callers come first");
    cr_expect_eq(cup_node_record(3), 5);
    cr_expect_eq(cup_node_record(1), 1);
    cr_expect_eq(cup_node_record(5), 3);
    cr_expect_eq(cup_node_record(0), 0);
    at = 0;
    cr_expect_null(test_next(&at, CUP_R_NODES), "they are written together");
    cup_nodes_write();
    cup_nodes_write();
    static const struct cup_stack_node expected[] = {
        {0, 1, 10}, {1, 3, CUP_AT_UNKNOWN}, {2, CUP_NODE_HELPER, 0}, {1, 2, 20}, {4, 1, 10}};
    at = 0;
    const struct cup_record *record = test_next(&at, CUP_R_NODES);
    cr_assert_not_null(record);
    expect_nodes((const struct cup_r_nodes *)record, expected, 1, 5);
    cr_expect_null(test_next(&at, CUP_R_NODES));
    cr_assert_eq(cup_nodes_add((struct cup_stack_node[]){{3, 4, 0}}, 1), 6);
    cr_expect_eq(cup_node_record(6), 6);
    cup_nodes_write();
    expect_nodes((const void *)test_next(&at, CUP_R_NODES), (struct cup_stack_node[]){{5, 4, 0}}, 6,
                 1);
}

/* Adds a chain of COUNT frames at offsets from FIRST on, none of which is in the tree. */
static uint32_t add_chain(uint32_t first, uint32_t count)
{
    struct cup_stack_node chain[1000];
    for (uint32_t i = 0; i < count; i++)
        chain[i] = (struct cup_stack_node){0, 1, first + i};
    return cup_nodes_add(chain, count);
}

/* Deeper than what is named at a time. */
Test(stacks, a_deep_stack_is_named_from_the_outside)
{
    uint64_t at = 0;
    cr_assert_eq(add_chain(0, 1000), 1000);
    cr_expect_eq(cup_node_record(700), 700);
    cr_expect_eq(cup_node_record(1000), 1000);
    cr_expect_eq(cup_node_record(1), 1);
    cup_nodes_write();
    uint32_t next = 1;
    for (const struct cup_r_nodes *record; (record = (const void *)test_next(&at, CUP_R_NODES));
         next += record->count)
        cr_expect_eq(record->first, next);
    cr_expect_eq(next, 1001);
}

/* The budget is that of one moment: the test takes no second. */
Test(stacks, nodes_beyond_the_budget_count_at_a_caller)
{
    enum { CHAIN = 1000, CHAINS = 40, AT_ONCE = 1 << 14 };
    uint32_t named = 0, cut = 0;
    for (uint32_t i = 0; i < CHAINS; i++) {
        uint32_t last = add_chain(i * CHAIN, CHAIN), number = cup_node_record(last);
        named += number == (i + 1) * CHAIN;
        cut += number < i * CHAIN;
    }
    cr_expect_eq(named, AT_ONCE / CHAIN);
    cr_expect_geq(cut, CHAINS - named - 1,
                  "the numbers of these are none: nothing of them is named");
    cr_expect_eq(cup_log_header()->health[CUP_H_STACKS_CUT], CHAINS - named);
}

static void set_up_small(void)
{
    cup_stack_tables_reset();
    test_log_open(1 << 20);
}

TestSuite(stacks_full, .init = set_up_small, .fini = test_log_close);

Test(stacks_full, a_full_log_names_no_more_nodes)
{
    uint32_t node, count = 0;
    cup_nodes_want_all();
    do
        node = cup_node_record(add_chain(count * 100, 100));
    while (node && ++count < 2000);
    cr_assert_eq(node, 0, "the log took everything");
    cr_expect_gt(count, 10);
    cr_expect_gt(cup_log_header()->health[CUP_H_RECORDS_DROPPED], 0);
}

Test(stacks, nodes_are_bounded)
{
    struct cup_stack_node chain[128];
    uint32_t last = 1, nodes = 0;
    for (uint32_t count = 0; last && count < 4096; count++) {
        for (uint32_t i = 0; i < 128; i++)
            chain[i] = (struct cup_stack_node){0, 1, count * 128 + i};
        last = cup_nodes_add(chain, 128);
        nodes = last ? last : nodes;
    }
    cr_expect_eq(last, 0);
    cr_expect_eq(nodes, 1 << 18);
    cr_expect_eq(cup_nodes_find(0, 1, 0), 1, "what is there stays");
}

/* ---- functions --------------------------------------------------------------------------- */

static struct cup_code_facts function(uint64_t address, uint64_t fingerprint, const char *name)
{
    static const unsigned char table[] = {0x80, 0, 0x10};
    return (struct cup_code_facts){
        address, fingerprint,        3,     name,        (uint32_t)strlen(name),
        "/a.py", sizeof "/a.py" - 1, table, sizeof table};
}

static uint32_t add(uint64_t address, uint64_t fingerprint, const char *name)
{
    struct cup_code_facts facts = function(address, fingerprint, name);
    return cup_codes_add(&facts);
}

static uint64_t replaced(void)
{
    return cup_log_header()->health[CUP_H_CODES_REPLACED];
}

Test(stacks, another_function_at_the_same_address_is_noticed)
{
    cr_assert_eq(add(0x1000, 5, "one"), 1);
    cr_expect_eq(cup_codes_find(0x1000, 5), 1);
    cr_expect_eq(cup_codes_find(0x1000, 6), 0);
    cr_assert_eq(add(0x1000, 6, "two"), 2);
    cr_expect_eq(replaced(), 1);
    cr_expect_eq(cup_codes_find(0x1000, 6), 2);
    cr_assert_eq(add(0x1000, 7, "two"), 2, "made anew, it is the same function");
    cr_expect_eq(replaced(), 1);
    cr_assert_eq(add(0x2000, 5, "one"), 1);
    cr_expect_eq(replaced(), 1);
}

Test(stacks, each_fact_makes_another_function)
{
    struct cup_code_facts first = function(0x1000, 1, "f"), other = first;
    cr_assert_eq(cup_codes_add(&first), 1);
    other.first_line++;
    cr_expect_eq(cup_codes_add(&other), 2);
    other = first;
    other.file = "/b.py";
    cr_expect_eq(cup_codes_add(&other), 3);
    other = first;
    other.table_bytes--;
    cr_expect_eq(cup_codes_add(&other), 4);
    other = first;
    other.name_bytes = 0;
    other.table_bytes = 0;
    cr_expect_eq(cup_codes_add(&other), 5);
    cr_expect_eq(cup_codes_add(&first), 1);
}

Test(stacks, a_function_is_told_with_all_that_is_known)
{
    uint64_t at = 0;
    cr_assert_eq(add(0x1000, 1, "na\xc3\xafve"), 1);
    const struct cup_r_code *code = (const void *)test_next(&at, CUP_R_CODE);
    cr_assert_not_null(code);
    cr_expect_eq(code->id, 1);
    cr_expect_eq(code->first_line, 3);
    cr_expect_eq(code->minor, 13);
    cr_expect_eq(code->is_qualified, 1);
    cr_assert_eq(code->name_bytes, 6);
    cr_assert_eq(code->table_bytes, 3);
    cr_expect_arr_eq(code + 1, "na\xc3\xafve\x80\0\x10", 9);
    cr_expect_eq(code->file, cup_log_cstring("/a.py"));
    cr_expect_null(test_next(&at, CUP_R_CODE));
}

Test(stacks, code_objects_may_come_and_go_for_ever)
{
    for (uint64_t i = 1; i <= 300000; i++)
        cr_assert_eq(add(i * 64, i, "made for every task"), 1);
    cr_expect_eq(replaced(), 0);
    cr_expect_eq(cup_codes_find(300000 * 64, 300000), 1);
}

/* ---- strings ----------------------------------------------------------------------------- */

static char *string_of(unsigned kind, bool ascii, size_t length, const void *characters)
{
    static _Alignas(8) char object[512];
    uint32_t state = CUP_TEXT_COMPACT | kind << CUP_TEXT_KIND | (ascii ? CUP_TEXT_ASCII : 0);
    memset(object, 0, sizeof object);
    memcpy(object + cup_layout.text_length, &length, sizeof length);
    memcpy(object + cup_layout.text_state, &state, sizeof state);
    memcpy(object + (ascii ? cup_layout.text_ascii : cup_layout.text_other), characters,
           length * kind);
    return object;
}

static const char *utf8(const char *object, size_t size)
{
    static char buffer[64], text[65];
    const char *at;
    size_t bytes = cup_code_utf8(object, buffer, size, &at);
    cr_assert_leq(bytes, size);
    memcpy(text, at, bytes);
    text[bytes] = '\0';
    return text;
}

Test(stacks, strings_become_utf8)
{
    for (int minor = 9; minor <= 13; minor++) {
        cr_assert(cup_layout_candidate(minor, 0, &cup_layout));
        cr_expect_str_eq(utf8(string_of(1, true, 5, "plain"), 64), "plain");
        cr_expect_str_eq(utf8(string_of(1, true, 5, "plain"), 3), "pla");
        cr_expect_str_eq(utf8(string_of(1, false, 3, "\xe9t\xe9"), 64), "\xc3\xa9t\xc3\xa9");
        cr_expect_str_eq(utf8(string_of(2, false, 3, u"\u03a9_\u20ac"), 64),
                         "\xce\xa9_\xe2\x82\xac");
        cr_expect_str_eq(utf8(string_of(4, false, 2, U"\U0001d4b3z"), 64), "\xf0\x9d\x92\xb3z");
        cr_expect_str_eq(utf8(string_of(2, false, 2, (uint16_t[]){0xdcff, 'a'}), 64), "?a");
        cr_expect_str_eq(utf8(string_of(4, false, 3, U"\U0001d4b3\U0001d4b3\U0001d4b3"), 9),
                         "\xf0\x9d\x92\xb3\xf0\x9d\x92\xb3", "cut between characters");
    }
}

Test(stacks, characters_that_lie_elsewhere_are_not_followed)
{
    char *object = string_of(1, true, 5, "plain");
    memset(object + cup_layout.text_state, 0, sizeof(uint32_t));
    cr_expect_str_eq(utf8(object, 64), "");
}

/* ---- frames that are no functions --------------------------------------------------------- */

/* Whether code is taken for a shim whose name and file are one str. */
static bool is_shim_in(int minor, const char *name)
{
    _Alignas(8) char code[256] = {0};
    cr_assert(cup_layout_candidate(minor, 0, &cup_layout));
    char *text = string_of(1, true, strlen(name), name);
    memcpy(code + cup_layout.code_name, &text, sizeof text);
    memcpy(code + cup_layout.code_file, &text, sizeof text);
    return cup_stack_is_shim(code);
}

/* compile() with a name that the function in it has, too. */
Test(stacks, a_function_whose_file_has_its_name_is_one)
{
    for (int minor = 9; minor <= 14; minor++)
        cr_expect_not(is_shim_in(minor, "function"), "3.%d", minor);
    cr_expect_not(is_shim_in(11, "__init__"), "there are no shims yet");
    cr_expect(is_shim_in(13, "__init__") && is_shim_in(14, "__init__"));
}

/* ---- fingerprints ------------------------------------------------------------------------ */

struct object {
    _Alignas(8) char bytes[256];
};

static struct object table_of(size_t length, unsigned char fill)
{
    struct object table = {0};
    memcpy(table.bytes + cup_layout.bytes_length, &length, sizeof length);
    memset(table.bytes + cup_layout.bytes_data, fill, length);
    return table;
}

Test(stacks, fingerprints_of_old_pythons_see_every_fact)
{
    struct object code = {0}, name, table = table_of(40, 7);
    cr_assert(cup_layout_candidate(11, 0, &cup_layout));
    memcpy(&name, string_of(1, true, 3, "abc"), sizeof name);
    memset(name.bytes + cup_layout.text_hash, 0x55, 8);
    uint64_t first = cup_code_fingerprint(&cup_layout, code.bytes, name.bytes, table.bytes);
    cr_expect_eq(cup_code_fingerprint(&cup_layout, code.bytes, name.bytes, table.bytes), first);
    static const size_t bytes_of_code[] = {16, 72, 112};
    for (size_t i = 0; i < sizeof bytes_of_code / sizeof *bytes_of_code; i++) {
        code.bytes[bytes_of_code[i]] ^= 1;
        cr_expect_neq(cup_code_fingerprint(&cup_layout, code.bytes, name.bytes, table.bytes),
                      first);
        code.bytes[bytes_of_code[i]] ^= 1;
    }
    name.bytes[cup_layout.text_hash] ^= 1;
    cr_expect_neq(cup_code_fingerprint(&cup_layout, code.bytes, name.bytes, table.bytes), first);
    name.bytes[cup_layout.text_hash] ^= 1;
    static const size_t bytes_of_table[] = {0, 7, 8, 15, 32, 39};
    for (size_t i = 0; i < sizeof bytes_of_table / sizeof *bytes_of_table; i++) {
        table.bytes[cup_layout.bytes_data + bytes_of_table[i]] ^= 1;
        cr_expect_neq(cup_code_fingerprint(&cup_layout, code.bytes, name.bytes, table.bytes),
                      first);
        table.bytes[cup_layout.bytes_data + bytes_of_table[i]] ^= 1;
    }
    cr_expect_eq(cup_code_fingerprint(&cup_layout, code.bytes, name.bytes, table.bytes), first);
}

/* The bytes before and behind a short line table do not matter. */
Test(stacks, short_line_tables_are_seen_whole_and_alone)
{
    struct object code = {0}, name;
    cr_assert(cup_layout_candidate(10, 0, &cup_layout));
    memcpy(&name, string_of(1, true, 3, "abc"), sizeof name);
    for (size_t length = 0; length < 20; length++) {
        struct object table = table_of(length, 7);
        char *data = table.bytes + cup_layout.bytes_data;
        uint64_t first = cup_code_fingerprint(&cup_layout, code.bytes, name.bytes, table.bytes);
        data[-1] ^= 1;
        data[length] ^= 1;
        cr_expect_eq(cup_code_fingerprint(&cup_layout, code.bytes, name.bytes, table.bytes), first);
        for (size_t i = 0; i < length; i++) {
            data[i] ^= 1;
            cr_expect_neq(cup_code_fingerprint(&cup_layout, code.bytes, name.bytes, table.bytes),
                          first, "%zu %zu", length, i);
            data[i] ^= 1;
        }
    }
}

Test(stacks, names_that_were_not_hashed_are_compared)
{
    struct object code = {0}, names[3], table = table_of(4, 1);
    cr_assert(cup_layout_candidate(9, 0, &cup_layout));
    static const char *const texts[] = {"abc", "abd", "abcd"};
    uint64_t prints[3];
    for (int i = 0; i < 3; i++) {
        memcpy(&names[i], string_of(1, true, strlen(texts[i]), texts[i]), sizeof *names);
        memset(names[i].bytes + cup_layout.text_hash, 0xff, 8);
        prints[i] = cup_code_fingerprint(&cup_layout, code.bytes, names[i].bytes, table.bytes);
    }
    cr_expect_neq(prints[0], prints[1]);
    cr_expect_neq(prints[0], prints[2]);
}
