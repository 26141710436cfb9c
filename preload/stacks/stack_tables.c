#include "preload/stacks/stack_tables.h"

#include "include/log_pairs.h"
#include "preload/log/log.h"
#include "preload/python/layout.h"
#include "preload/python/python.h"
#include "preload/sys/clock.h"
#include "preload/sys/id_table.h"
#include "preload/sys/raw.h"
#include "preload/sys/spin.h"

#include <string.h>
#include <sys/mman.h>

enum { CODES_MOST = 1 << 16, PLACES_MOST = 1 << 17 };

/* For each address, PLACES also holds the id last seen there, under the key (address | LAST, 0). No
 * code object has an odd address, so such a key is none of the others. */
enum { LAST = 1 };

static struct cup_id_table places, /* (address, fingerprint) and (address | LAST, 0) to id */
    contents;                      /* hash of the content to id */
static uint32_t code_count;        /* CODE records so far */

static uint32_t lock;

void cup_stack_tables_lock(void)
{
    cup_spin_lock(&lock);
}

void cup_stack_tables_unlock(void)
{
    cup_spin_unlock(&lock);
}

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

enum { NODES_MOST = 1 << 18, FIRST_SLOTS = 1 << 12 };

/* A process may have a hundred thousand nodes, so the table takes 24 to 32 bytes for each, less
 * than half of what an id table takes. */
static struct {
    struct cup_stack_node *at; /* by number - 1. The kernel provides its pages when they are used */
    uint32_t *named; /* by number - 1: the number in records; 0: none names the node yet */
    uint32_t *slots; /* a hash table of numbers; 0: free. At most half are used */
    uint32_t count, slot_count;
    uint32_t named_count;
} nodes;

static void *map_room(size_t bytes)
{
    void *room = cup_raw_mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                              MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return room == MAP_FAILED ? NULL : room;
}

/* The slot of a node, or the free slot where it belongs. */
static uint32_t *find_slot(uint32_t parent, uint32_t of, uint32_t at)
{
    uint32_t mask = nodes.slot_count - 1;
    uint32_t i = (uint32_t)cup_mix((uint64_t)parent << 32 | of, at) & mask;
    for (; nodes.slots[i]; i = (i + 1) & mask) {
        const struct cup_stack_node *node = &nodes.at[nodes.slots[i] - 1];
        if (node->parent == parent && node->of == of && node->at == at)
            break;
    }
    return &nodes.slots[i];
}

static void fill_slot(uint32_t number)
{
    const struct cup_stack_node *node = &nodes.at[number - 1];
    *find_slot(node->parent, node->of, node->at) = number;
}

static bool double_slots(void)
{
    uint32_t *old = nodes.slots, old_count = nodes.slot_count;
    uint32_t count = old ? 2 * old_count : FIRST_SLOTS, *slots = map_room(count * sizeof *slots);
    if (!slots)
        return false;
    nodes.slots = slots;
    nodes.slot_count = count;
    for (uint32_t number = 1; number <= nodes.count; number++)
        fill_slot(number);
    if (old)
        cup_raw_munmap(old, old_count * sizeof *old);
    return true;
}

static bool have_room(uint32_t number)
{
    if (number > NODES_MOST - nodes.count)
        return false;
    nodes.at = nodes.at ? nodes.at : map_room(NODES_MOST * sizeof *nodes.at);
    nodes.named = nodes.named ? nodes.named : map_room(NODES_MOST * sizeof *nodes.named);
    while (nodes.at && nodes.named && nodes.count + number > nodes.slot_count / 2)
        if (!double_slots())
            return false;
    return nodes.at && nodes.named;
}

uint32_t cup_nodes_find(uint32_t parent, uint32_t of, uint32_t at)
{
    return nodes.slots ? *find_slot(parent, of, at) : 0;
}

static void reset_nodes(void)
{
    if (nodes.at)
        cup_raw_munmap(nodes.at, NODES_MOST * sizeof *nodes.at);
    if (nodes.named)
        cup_raw_munmap(nodes.named, NODES_MOST * sizeof *nodes.named);
    if (nodes.slots)
        cup_raw_munmap(nodes.slots, nodes.slot_count * sizeof *nodes.slots);
    memset(&nodes, 0, sizeof nodes);
}

uint32_t cup_nodes_add(struct cup_stack_node *frames, uint32_t number)
{
    if (!have_room(number))
        return 0;
    for (uint32_t i = 0; i < number; i++) {
        frames[i].parent = i ? nodes.count : frames[i].parent;
        nodes.at[nodes.count++] = frames[i];
        fill_slot(nodes.count);
    }
    return nodes.count;
}

/* ---- nodes in the log ----------------------------------------------------------------------- */

/* Named nodes without a record, as rows of one. */
enum { ROW_LONGEST = 15, PENDING_MOST = 512 };
static struct {
    uint32_t count, bytes;
    unsigned char rows[PENDING_MOST * ROW_LONGEST];
} pending;

/* False: the log is full. They stay pending. */
static bool write_pending(void)
{
    const struct cup_r_nodes record = {.first = nodes.named_count + 1 - pending.count,
                                       .count = pending.count};
    if (!cup_log_write(CUP_R_NODES, &record, pending.rows, pending.bytes))
        return false;
    __atomic_store_n(&pending.count, 0, __ATOMIC_RELEASE);
    pending.bytes = 0;
    return true;
}

void cup_nodes_write(void)
{
    if (!__atomic_load_n(&pending.count, __ATOMIC_ACQUIRE))
        return;
    cup_stack_tables_lock();
    if (pending.count)
        write_pending();
    cup_stack_tables_unlock();
}

static uint32_t number_of(uint32_t node)
{
    return node ? __atomic_load_n(&nodes.named[node - 1], __ATOMIC_ACQUIRE) : 0;
}

/* ---- the budget of new numbers ----------------------------------------------------------------
 */

/* New paths come as long as a process lives, most of them once. A process may name so many nodes a
 * second in the long run, and at once at its begin or after a pause. */
enum { NAMED_A_SECOND = 8, NAMED_AT_ONCE = 1 << 14 };

static struct {
    uint64_t unspent; /* ticks: since when it has not been used */
    bool is_used, is_unlimited;
} budget;

void cup_nodes_want_all(void)
{
    budget.is_unlimited = true;
}

static uint64_t ticks_of(uint64_t number)
{
    return cup_ns_ticks(number * (UINT64_C(1000000000) / NAMED_A_SECOND));
}

/* How many of WANTED nodes may be named now; they are spent. */
static uint32_t spend_names(uint32_t wanted)
{
    uint64_t now = cup_ticks(), most = ticks_of(NAMED_AT_ONCE), left;
    if (budget.is_unlimited)
        return wanted;
    if (!budget.is_used || (int64_t)(now - budget.unspent - most) > 0)
        budget.unspent = now - most;
    budget.is_used = true;
    left = (int64_t)(now - budget.unspent) > 0 ? (now - budget.unspent) / ticks_of(1) : 0;
    uint32_t number = left < wanted ? (uint32_t)left : wanted;
    budget.unspent += number * ticks_of(1);
    return number;
}

/* ---- naming --------------------------------------------------------------------------------- */

/* The caller's node has a number, or is 0. */
static void name_node(uint32_t node)
{
    const struct cup_stack_node *frame = &nodes.at[node - 1];
    unsigned char *at = pending.rows + pending.bytes;
    size_t bytes = cup_pairs_number(at, nodes.named_count + 1 - number_of(frame->parent));
    bytes += cup_pairs_number(at + bytes, frame->of << 1 | frame->of >> 31);
    bytes += cup_pairs_number(at + bytes, frame->at + 1);
    pending.bytes += (uint32_t)bytes;
    __atomic_store_n(&pending.count, pending.count + 1, __ATOMIC_RELEASE);
    __atomic_store_n(&nodes.named[node - 1], ++nodes.named_count, __ATOMIC_RELEASE);
}

static uint32_t caller_of(uint32_t node)
{
    return nodes.at[node - 1].parent;
}

/* Names the COUNT outermost of the nodes without a number from NODE outwards, at most AT_ONCE.
 * False: no room. */
enum { AT_ONCE = 64 };
static bool name_callers(uint32_t node, uint32_t count)
{
    uint32_t outermost[AT_ONCE], seen = 0;
    for (; node && !number_of(node); node = caller_of(node))
        outermost[seen++ % AT_ONCE] = node;
    if (pending.bytes + AT_ONCE * ROW_LONGEST > sizeof pending.rows && !write_pending())
        return false;
    for (; count; count--)
        name_node(outermost[--seen % AT_ONCE]);
    return true;
}

/* Names NODE and its callers, from the outside, as far as the budget and the log have room. */
static void name_chain(uint32_t node)
{
    uint32_t missing = 0;
    for (uint32_t at = node; at && !number_of(at); at = caller_of(at))
        missing++;
    uint32_t left = spend_names(missing);
    if (left < missing)
        cup_log_health(CUP_H_STACKS_CUT, 1);
    for (uint32_t now; left; left -= now) {
        now = left < AT_ONCE ? left : AT_ONCE;
        if (!name_callers(node, now))
            return;
    }
}

/* A number that is no node's stays as it is. */
uint32_t cup_node_record(uint32_t node)
{
    if (!node || node > __atomic_load_n(&nodes.count, __ATOMIC_ACQUIRE) || number_of(node))
        return node <= nodes.count ? number_of(node) : node;
    cup_stack_tables_lock();
    name_chain(node);
    while (node && !number_of(node))
        node = caller_of(node);
    cup_stack_tables_unlock();
    return number_of(node);
}

void cup_stack_tables_reset(void)
{
    cup_id_table_reset(&places);
    cup_id_table_reset(&contents);
    reset_nodes();
    code_count = 0;
    pending.count = pending.bytes = 0;
    budget.is_used = false;
    lock = 0;
}
