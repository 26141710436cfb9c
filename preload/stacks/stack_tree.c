#include "preload/stacks/stack_tree.h"

#include "preload/log/log.h"
#include "preload/sys/id_table.h"

#include <string.h>

enum { NODES_MOST = 1 << 18 };

static struct cup_id_table nodes; /* (parent and of, at) to the node's number */
static uint32_t count;            /* of nodes so far */

static uint64_t make_key(uint32_t parent, uint32_t of)
{
    return (uint64_t)parent << 32 | of;
}

uint32_t cup_nodes_find(uint32_t parent, uint32_t of, uint32_t at)
{
    const struct cup_id_entry *entry = cup_id_find(&nodes, make_key(parent, of), at);
    return entry ? entry->id : 0;
}

static bool write_record(const struct cup_stack_node *frames, uint32_t number)
{
    struct cup_r_stacks *record = cup_log_reserve(sizeof *record, number * sizeof *frames);
    if (!record)
        return false;
    record->first = count + 1;
    record->count = number;
    memcpy(record + 1, frames, number * sizeof *frames);
    cup_log_commit(record, CUP_R_STACKS);
    return true;
}

uint32_t cup_nodes_add(struct cup_stack_node *frames, uint32_t number)
{
    for (uint32_t i = 1; i < number; i++)
        frames[i].parent = count + i;
    if (!cup_id_room(&nodes, number, NODES_MOST) || !write_record(frames, number))
        return 0;
    for (uint32_t i = 0; i < number; i++)
        cup_id_add(&nodes, make_key(frames[i].parent, frames[i].of), frames[i].at, ++count);
    return count;
}

void cup_nodes_reset(void)
{
    cup_id_table_reset(&nodes);
    count = 0;
}
