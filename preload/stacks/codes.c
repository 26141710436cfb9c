#include "preload/stacks/codes.h"

#include "preload/log/log.h"
#include "preload/python/layout.h"
#include "preload/python/python.h"
#include "preload/sys/id_table.h"

#include <string.h>

enum { CODES_MOST = 1 << 16, PLACES_MOST = 1 << 17, LAST = 1 /* no address is odd */ };

static struct cup_id_table
    places,   /* address, fingerprint: id; and address | LAST, 0: the id last met there */
    contents; /* two hashes of the content: id */
static uint32_t count;

/* ---- by place: a cache, for code objects come and go -------------------------------------- */

uint32_t cup_codes_find(uint64_t address, uint64_t fingerprint)
{
    const struct cup_id_entry *entry = cup_id_find(&places, address, fingerprint);
    return entry ? entry->id : 0;
}

/* Full of places where code objects were: all are forgotten. */
static bool make_room(void)
{
    if (cup_id_room(&places, 2, PLACES_MOST))
        return true;
    cup_id_table_reset(&places);
    return cup_id_room(&places, 2, PLACES_MOST);
}

static void remember(uint64_t address, uint64_t fingerprint, uint32_t id)
{
    struct cup_id_entry *last = cup_id_find(&places, address | LAST, 0);
    if (last && last->id != id)
        cup_log_health(CUP_H_CODES_REPLACED, 1);
    if (last)
        last->id = id;
    if (!make_room())
        return;
    if (!cup_id_find(&places, address | LAST, 0))
        cup_id_add(&places, address | LAST, 0, id);
    cup_id_add(&places, address, fingerprint, id);
}

/* ---- by content --------------------------------------------------------------------------- */

struct content {
    uint64_t key, more;
};

static struct content hash_bytes(struct content hash, const void *bytes, uint32_t length)
{
    const char *from = bytes;
    hash.key = cup_mix(hash.key, length);
    for (uint32_t i = 0; i < length; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, from + i, length - i < sizeof word ? length - i : sizeof word);
        hash.key = cup_mix(hash.key, word);
        hash.more = cup_mix(hash.more + word, hash.key);
    }
    return hash;
}

static struct content hash_content(const struct cup_code_facts *facts)
{
    struct content hash = {facts->first_line, 0};
    hash = hash_bytes(hash, facts->name, facts->name_bytes);
    hash = hash_bytes(hash, facts->file, facts->file_bytes);
    return hash_bytes(hash, facts->table, facts->table_bytes);
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

static uint32_t add_content(struct content hash, const struct cup_code_facts *facts)
{
    if (!cup_id_room(&contents, 1, CODES_MOST) || !write_record(facts, count + 1))
        return 0;
    cup_id_add(&contents, hash.key, hash.more, ++count);
    return count;
}

uint32_t cup_codes_add(const struct cup_code_facts *facts)
{
    struct content hash = hash_content(facts);
    const struct cup_id_entry *known = cup_id_find(&contents, hash.key, hash.more);
    uint32_t id = known ? known->id : add_content(hash, facts);
    if (id)
        remember(facts->address, facts->fingerprint, id);
    return id;
}

void cup_codes_reset(void)
{
    cup_id_table_reset(&places);
    cup_id_table_reset(&contents);
    count = 0;
}
