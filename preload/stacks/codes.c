#include "preload/stacks/codes.h"

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
static uint32_t count;             /* of CODE records so far */

/* ---- by address: a cache, because code objects are freed and their addresses reused ------- */

uint32_t cup_codes_find(uint64_t address, uint64_t fingerprint)
{
    const struct cup_id_entry *entry = cup_id_find(&places, address, fingerprint);
    return entry ? entry->id : 0;
}

/* Clears the cache when it is full: most of its entries are of code objects that were freed. */
static bool make_room_for_place(void)
{
    if (cup_id_room(&places, 2, PLACES_MOST))
        return true;
    cup_id_table_reset(&places);
    return cup_id_room(&places, 2, PLACES_MOST);
}

static void cache_place(uint64_t address, uint64_t fingerprint, uint32_t id)
{
    struct cup_id_entry *last = cup_id_find(&places, address | LAST, 0);
    if (last && last->id != id)
        cup_log_health(CUP_H_CODES_REPLACED, 1);
    if (last)
        last->id = id;
    if (!make_room_for_place())
        return;
    if (!cup_id_find(&places, address | LAST, 0))
        cup_id_add(&places, address | LAST, 0, id);
    cup_id_add(&places, address, fingerprint, id);
}

/* ---- by content --------------------------------------------------------------------------- */

static struct cup_hash hash_content(const struct cup_code_facts *facts)
{
    struct cup_hash hash = {facts->first_line, 0};
    hash = cup_hash_bytes(hash, facts->name, facts->name_bytes);
    hash = cup_hash_bytes(hash, facts->file, facts->file_bytes);
    return cup_hash_bytes(hash, facts->table, facts->table_bytes);
}

static bool write_record(const struct cup_code_facts *facts, uint32_t id)
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
    if (!cup_id_room(&contents, 1, CODES_MOST) || !write_record(facts, count + 1))
        return 0;
    cup_id_add(&contents, hash.key, hash.more, ++count);
    return count;
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

void cup_codes_reset(void)
{
    cup_id_table_reset(&places);
    cup_id_table_reset(&contents);
    count = 0;
}
