#include "preload/stacks/stack_tables.h"

#include "preload/log/log.h"
#include "preload/python/layout.h"
#include "preload/python/python.h"
#include "preload/sys/id_table.h"

#include <string.h>

enum { CODES_MOST = 1 << 16, PLACES_MOST = 1 << 17 };

/* For each address, PLACES also holds the id last seen there, under the key (address | LAST, 0). No
 * code object has an odd address, so such a key is none of the others. */
enum { LAST = 1 };

static struct cup_id_table places, /* (address, fingerprint) and (address | LAST, 0) to id */
    contents;                      /* hash of the content to id */
static uint32_t code_count;        /* CODE records so far */

/* ---- functions by address: a cache, because addresses of freed code objects are reused ------ */

uint32_t cup_codes_find(uint64_t address, uint64_t fingerprint)
{
    const struct cup_id_entry *entry = cup_id_find(&places, address, fingerprint);
    return entry ? entry->id : 0;
}

static void cache_place(uint64_t address, uint64_t fingerprint, uint32_t id)
{
    struct cup_id_entry *last = cup_id_find(&places, address | LAST, 0);
    if (last && last->id != id)
        cup_log_health(CUP_H_CODES_REPLACED, 1);
    if (last)
        last->id = id;
    if (!cup_id_room(&places, 2, PLACES_MOST)) /* full, mostly of code objects that were freed */
        cup_id_table_reset(&places);
    if (!cup_id_room(&places, 2, PLACES_MOST))
        return;
    if (!cup_id_find(&places, address | LAST, 0))
        cup_id_add(&places, address | LAST, 0, id);
    cup_id_add(&places, address, fingerprint, id);
}

/* ---- functions by content
 * --------------------------------------------------------------------------- */

static struct cup_hash hash_content(const struct cup_code_facts *facts)
{
    struct cup_hash hash = {facts->first_line, 0};
    hash = cup_hash_bytes(hash, facts->name, facts->name_bytes);
    hash = cup_hash_bytes(hash, facts->file, facts->file_bytes);
    return cup_hash_bytes(hash, facts->table, facts->table_bytes);
}

static bool write_code(const struct cup_code_facts *facts, uint32_t id)
{
    uint32_t file = cup_log_string(facts->file, facts->file_bytes);
    struct cup_r_code *record =
        cup_log_reserve(sizeof *record, facts->name_bytes + facts->table_bytes);
    if (!record)
        return false;
    char *tail = (char *)(record + 1);
    record->id = id;
    record->file = file;
    record->first_line = facts->first_line;
    record->minor = (uint16_t)cup_py.minor;
    record->is_qualified = cup_layout.code_label != cup_layout.code_name;
    record->name_bytes = facts->name_bytes;
    record->table_bytes = facts->table_bytes;
    memcpy(tail, facts->name, facts->name_bytes);
    memcpy(tail + facts->name_bytes, facts->table, facts->table_bytes);
    cup_log_commit(record, CUP_R_CODE);
    return true;
}

static uint32_t add_content(struct cup_hash hash, const struct cup_code_facts *facts)
{
    if (!cup_id_room(&contents, 1, CODES_MOST) || !write_code(facts, code_count + 1))
        return 0;
    cup_id_add(&contents, hash.key, hash.more, ++code_count);
    return code_count;
}

uint32_t cup_codes_add(const struct cup_code_facts *facts)
{
    struct cup_hash hash = hash_content(facts);
    const struct cup_id_entry *known = cup_id_find(&contents, hash.key, hash.more);
    uint32_t id = known ? known->id : add_content(hash, facts);
    if (id)
        cache_place(facts->address, facts->fingerprint, id);
    return id;
}

/* ---- the tree of stacks -------------------------------------------------------------------- */

enum { NODES_MOST = 1 << 18 };

static struct cup_id_table nodes; /* (parent and of, at) to the node's number */
static uint32_t node_count;       /* so far */

static uint64_t make_key(uint32_t parent, uint32_t of)
{
    return (uint64_t)parent << 32 | of;
}

uint32_t cup_nodes_find(uint32_t parent, uint32_t of, uint32_t at)
{
    const struct cup_id_entry *entry = cup_id_find(&nodes, make_key(parent, of), at);
    return entry ? entry->id : 0;
}

static bool write_nodes(const struct cup_stack_node *frames, uint32_t number)
{
    const struct cup_r_stacks record = {.first = node_count + 1, .count = number};
    return cup_log_write(CUP_R_STACKS, &record, frames, number * sizeof *frames);
}

uint32_t cup_nodes_add(struct cup_stack_node *frames, uint32_t number)
{
    for (uint32_t i = 1; i < number; i++)
        frames[i].parent = node_count + i;
    if (!cup_id_room(&nodes, number, NODES_MOST) || !write_nodes(frames, number))
        return 0;
    for (uint32_t i = 0; i < number; i++)
        cup_id_add(&nodes, make_key(frames[i].parent, frames[i].of), frames[i].at, ++node_count);
    return node_count;
}

void cup_stack_tables_reset(void)
{
    cup_id_table_reset(&places);
    cup_id_table_reset(&contents);
    cup_id_table_reset(&nodes);
    code_count = node_count = 0;
}
