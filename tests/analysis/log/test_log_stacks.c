/* Nodes of stacks: plain ones of older logs, packed ones, and records that no library writes. */
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
