/* Nodes and uses of stacks: as older logs have them, as they are now, and records that no library
 * writes. */
#include <criterion/criterion.h>

#include <string.h>

#include "analysis/log/log_stacks.h"

static union {
    struct cup_r_nodes record;
    unsigned char bytes[4096];
} made;

static struct cup_nodes_reader make(unsigned type, uint32_t first, uint32_t count, const void *tail,
                                    size_t bytes)
{
    struct cup_nodes_reader reader;
    made.record = (struct cup_r_nodes){
        {(uint32_t)(sizeof made.record + bytes), (uint16_t)type, sizeof made.record}, first, count};
    memcpy(&made.record + 1, tail, bytes);
    cup_nodes_start(&reader, &made.record.head);
    return reader;
}

static void expect_nodes(struct cup_nodes_reader *reader, uint32_t first,
                         const struct cup_stack_node *nodes, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        cr_assert(cup_nodes_next(reader));
        cr_expect_eq(reader->id, first + i);
        cr_expect_arr_eq(&reader->node, &nodes[i], sizeof nodes[i], "node %u", first + i);
    }
    cr_expect_not(cup_nodes_next(reader));
}

static const struct cup_stack_node nodes[] = {
    {0, 4, 10}, {1, CUP_NODE_NATIVE + 2, 200}, {1, CUP_NODE_HELPER, 0}, {3, 5, CUP_AT_UNKNOWN}};

static const unsigned char rows[] = {1,    8,    11,   1,    5, 0xc9, 1,  2, 0xe2,
                                     0xff, 0xff, 0xff, 0x0f, 1, 1,    10, 0};

Test(log_stacks, plain_and_packed_nodes_are_the_same)
{
    struct cup_nodes_reader plain = make(CUP_R_STACKS, 1, 4, nodes, sizeof nodes);
    expect_nodes(&plain, 1, nodes, 4);
    cr_expect_not(plain.damaged);
    struct cup_nodes_reader packed = make(CUP_R_NODES, 1, 4, rows, sizeof rows);
    expect_nodes(&packed, 1, nodes, 4);
    cr_expect_not(packed.damaged);
}

static void expect_damage(unsigned type, uint32_t first, const void *tail, size_t bytes,
                          uint32_t sound)
{
    struct cup_nodes_reader reader = make(type, first, 4, tail, bytes);
    for (uint32_t i = 0; i < sound; i++)
        cr_expect(cup_nodes_next(&reader));
    cr_expect_not(cup_nodes_next(&reader));
    cr_expect_not(cup_nodes_next(&reader));
    cr_expect(reader.damaged);
}

Test(log_stacks, nodes_that_no_library_writes)
{
    expect_damage(CUP_R_STACKS, 1, nodes, 2 * sizeof *nodes + 5, 2);
    expect_damage(CUP_R_NODES, 1, rows, 5, 1);
    expect_damage(CUP_R_STACKS, 0, nodes, sizeof nodes, 0);
    expect_damage(CUP_R_STACKS, UINT32_MAX, nodes, sizeof nodes, 0);
    static const unsigned char long_number[] = {1, 0xff, 0xff, 0xff, 0xff, 0x7f, 0};
    expect_damage(CUP_R_NODES, 1, long_number, sizeof long_number, 0);
}

/* ---- uses --------------------------------------------------------------------------------- */

static struct cup_stack_use_reader make_uses(uint32_t rows, const void *tail, size_t bytes)
{
    static union {
        struct cup_r_stack_use record;
        unsigned char bytes[4096];
    } uses;
    struct cup_stack_use_reader reader;
    uses.record = (struct cup_r_stack_use){
        {(uint32_t)(sizeof uses.record + bytes), CUP_R_STACK_USE, sizeof uses.record}, 7, rows};
    memcpy(&uses.record + 1, tail, bytes);
    cup_stack_use_start(&reader, &uses.record.head);
    return reader;
}

static const struct cup_stack_use_row uses[] = {{0, CUP_U_CPU, 1, 0, 10000000},
                                                {40, CUP_U_READ, 3, 4096, 81000},
                                                {40, CUP_USE_BRANCHES + 2, 1, 81204, 0},
                                                {40, CUP_USE_BRANCHES + 3, 2, 80000, 0},
                                                {UINT32_MAX, UINT32_MAX, CUP_STACK_VALUE_LIMIT - 1,
                                                 CUP_STACK_VALUE_LIMIT - 1,
                                                 CUP_STACK_VALUE_LIMIT - 1}};
enum { USES = sizeof uses / sizeof *uses };

static void expect_uses(struct cup_stack_use_reader *reader)
{
    cr_expect_eq(reader->fixed.task, 7);
    cr_expect_eq(reader->fixed.rows, USES);
    for (uint32_t i = 0; i < USES; i++) {
        cr_assert(cup_stack_use_next(reader));
        const struct cup_stack_use_row *row = &reader->row;
        cr_expect(row->node == uses[i].node && row->use == uses[i].use &&
                      row->count == uses[i].count && row->bytes == uses[i].bytes &&
                      row->ns == uses[i].ns,
                  "row %u", i);
    }
    cr_expect_not(cup_stack_use_next(reader));
    cr_expect_not(reader->damaged);
}

static size_t write_uses(unsigned char *tail)
{
    size_t bytes = 0;
    for (uint32_t i = 0; i < USES; i++) {
        size_t row = cup_use_row_code(tail + bytes, &uses[i], i ? &uses[i - 1] : NULL);
        cr_expect_leq(row, CUP_USE_ROW_LONGEST);
        bytes += row;
    }
    return bytes;
}

Test(log_stacks, uses_are_read_as_they_were_written)
{
    unsigned char tail[USES * CUP_USE_ROW_LONGEST];
    size_t bytes = write_uses(tail);
    struct cup_stack_use_reader reader = make_uses(USES | CUP_USE_ROWS_SHORT, tail, bytes);
    expect_uses(&reader);
}

/* A row at the node of the row before, with a count of 1 and no time. */
Test(log_stacks, the_row_of_a_branch_takes_a_byte_and_its_bytes)
{
    unsigned char tail[CUP_USE_ROW_LONGEST];
    const struct cup_stack_use_row branch = {40, CUP_USE_BRANCHES + 4, 1, 100, 0};
    cr_expect_eq(cup_use_row_code(tail, &branch, &uses[3]), 2);
}

Test(log_stacks, uses_of_older_logs_are_the_same)
{
    unsigned char tail[USES * 50];
    size_t bytes = 0;
    for (uint32_t i = 0; i < USES; i++) {
        const uint64_t row[] = {uses[i].node - (i ? uses[i - 1].node : 0), uses[i].use,
                                uses[i].count, uses[i].bytes, uses[i].ns};
        for (size_t k = 0; k < sizeof row / sizeof *row; k++)
            bytes += cup_pairs_number(tail + bytes, row[k]);
    }
    struct cup_stack_use_reader reader = make_uses(USES, tail, bytes);
    expect_uses(&reader);
}

static void expect_damaged_uses(const void *tail, size_t bytes, uint32_t sound)
{
    struct cup_stack_use_reader reader = make_uses(USES | CUP_USE_ROWS_SHORT, tail, bytes);
    for (uint32_t i = 0; i < sound; i++)
        cr_expect(cup_stack_use_next(&reader));
    cr_expect_not(cup_stack_use_next(&reader));
    cr_expect(reader.damaged);
}

Test(log_stacks, uses_that_no_library_writes)
{
    unsigned char tail[USES * CUP_USE_ROW_LONGEST];
    size_t bytes = write_uses(tail);
    expect_damaged_uses(tail, bytes - 1, USES - 1);
    expect_damaged_uses(tail, 0, 0);
    static const unsigned char large_node[] = {0xff - 1, 0xff, 0xff, 0xff, 0x3f, 0};
    expect_damaged_uses(large_node, sizeof large_node, 0);
    static const unsigned char large_use[] = {0x82, 1, 0xff, 0xff, 0xff, 0xff, 0xff, 1};
    expect_damaged_uses(large_use, sizeof large_use, 0);
    /* a use that overflows only together with that of the row before */
    static const unsigned char far_use[] = {2, 0xf8, 0xff, 0xff, 0xff, 0x7f, 0x11};
    expect_damaged_uses(far_use, sizeof far_use, 1);
}
