#include "preload/root_records.h"

#include "preload/log_format.h"
#include "preload/root_carry.h"
#include "preload/root_key.h"

#include <string.h>

enum {
    READ_AHEAD = 4096, /* of a buffered reader, where it is not told */
    FIRST_RECORD = 100,
    SCANNED = 64 << 10, /* bytes of one read in which a lost record is looked for */
};

/* ---- files ------------------------------------------------------------------------------- */

uint8_t cup_root_files[CUP_ROOT_FILES];

static uint8_t flags_of(uint32_t file)
{
    return file < CUP_ROOT_FILES ? __atomic_load_n(&cup_root_files[file], __ATOMIC_RELAXED) : 0;
}

static void set_flag(uint32_t file, enum cup_root_flags flag)
{
    if (file < CUP_ROOT_FILES && !(flags_of(file) & flag))
        __atomic_or_fetch(&cup_root_files[file], flag, __ATOMIC_RELAXED);
}

/* Another file may be under the old name. */
static void judge_by_magic(const struct cup_root_read *read)
{
    bool root = memcmp(read->data, "root", 4) == 0;
    if (flags_of(read->file) & (root ? CUP_ROOT_BY_MAGIC : CUP_ROOT_NO_MAGIC))
        return;
    if (read->file < CUP_ROOT_FILES)
        __atomic_store_n(&cup_root_files[read->file], root ? CUP_ROOT_BY_MAGIC : CUP_ROOT_NO_MAGIC,
                         __ATOMIC_RELAXED);
}

bool cup_root_is(const struct cup_root_read *read)
{
    if (read->offset == 0 && read->bytes >= 4)
        judge_by_magic(read);
    uint8_t known = flags_of(read->file);
    return known & (CUP_ROOT_BY_NAME | CUP_ROOT_BY_MAGIC) && !(known & CUP_ROOT_NO_MAGIC);
}

void cup_root_expect(uint32_t file)
{
    set_flag(file, CUP_ROOT_BY_NAME);
}

void cup_root_reset(void)
{
    memset(cup_root_files, 0, sizeof cup_root_files);
    cup_root_carry_reset();
}

/* ---- a walk ------------------------------------------------------------------------------ */

struct walk {
    const struct cup_root_read *read;
    const struct cup_root_sink *sink;
    uint64_t end;
    uint64_t at;   /* where the next record begins, */
    bool known;    /* for sure: the one before said so */
    bool counting; /* the request has had a record that counts */
    bool kept;     /* what is to be carried on was kept */
};

static const unsigned char *data_at(const struct walk *walk, uint64_t offset)
{
    return walk->read->data + (offset - walk->read->offset);
}

static bool is_fill(const struct walk *walk)
{
    return walk->read->bytes <= (walk->read->ahead ? walk->read->ahead : READ_AHEAD);
}

/* Of what begins at OFFSET. 0: the buffer of a reader was filled, and only if it reads on from the
 * buffer's end does it turn out that it wanted what lies there. */
static enum cup_root_place place_of(const struct walk *walk, uint64_t offset)
{
    if (offset == walk->read->offset && !walk->read->continues)
        return CUP_ROOT_STARTS;
    if (!walk->counting)
        return CUP_ROOT_PASSES;
    return is_fill(walk) ? 0 : CUP_ROOT_FOLLOWS;
}

static struct cup_root_carry *fill_in(struct cup_root_carry *carry, const struct walk *walk)
{
    memset(carry, 0, offsetof(struct cup_root_carry, part));
    carry->file = walk->read->file;
    carry->offset = walk->end;
    carry->record = walk->at;
    carry->known = walk->known;
    carry->counting = walk->counting;
    return carry;
}

static void keep(const struct walk *walk)
{
    struct cup_root_carry carry;
    if (walk->known || walk->counting)
        cup_root_carry_keep(fill_in(&carry, walk));
}

/* BYTES at PART begin the record at walk->at, which is to be PLACE. */
static void keep_part(struct walk *walk, const unsigned char *part, size_t bytes,
                      enum cup_root_place place)
{
    struct cup_root_carry carry;
    fill_in(&carry, walk);
    carry.place = (uint8_t)place;
    carry.bytes = (uint16_t)bytes;
    memcpy(carry.part, part, bytes);
    cup_root_carry_keep(&carry);
    walk->kept = true;
}

/* ---- what is found ----------------------------------------------------------------------- */

static void tell_basket(const struct walk *walk, const struct cup_root_key *key,
                        enum cup_root_place place)
{
    if (!walk->sink->basket)
        return;
    walk->sink->basket(walk->sink->user, &(struct cup_root_basket){
                                             .offset = key->seek,
                                             .bytes = key->bytes,
                                             .key_bytes = key->key_bytes,
                                             .object_bytes = key->object_bytes,
                                             .entries = key->entries,
                                             .algorithm = key->algorithm,
                                             .place = place ? place : CUP_ROOT_PASSES,
                                             .branch = key->name,
                                             .branch_bytes = key->name_bytes,
                                             .tree = key->title,
                                             .tree_bytes = key->title_bytes,
                                         });
}

/* The record at walk->at was found: the next one begins behind it. */
static void found(struct walk *walk, const struct cup_root_key *key, enum cup_root_place place)
{
    if (key->kind == CUP_ROOT_BASKET)
        tell_basket(walk, key, place);
    walk->at += key->bytes;
    walk->known = true;
    walk->counting |= place == CUP_ROOT_STARTS;
}

/* ---- records that are lost --------------------------------------------------------------- */

static const char basket_class[] = "\7TBasket";
enum {
    CLASS_BYTES = sizeof basket_class - 1,
    RARE = 5, /* the k: no byte of it is rarer in numbers and in what is compressed */
    CLASS_AT = 26,
    CLASS_AT_BIG = 34,
};

/* Where the name of the class of baskets is, from FROM on and before END; or NULL. */
static const unsigned char *find_class(const unsigned char *from, const unsigned char *end)
{
    while (end - from >= CLASS_BYTES) {
        const unsigned char *rare = memchr(from + RARE, basket_class[RARE], end - from - RARE);
        if (!rare || end - rare < CLASS_BYTES - RARE)
            return NULL;
        if (memcmp(rare - RARE, basket_class, CLASS_BYTES) == 0)
            return rare - RARE;
        from = rare - RARE + 1;
    }
    return NULL;
}

static bool is_record(const struct walk *walk, uint64_t offset)
{
    struct cup_root_key key;
    return cup_root_key_read(&key, data_at(walk, offset), walk->end - offset, offset) && key.placed;
}

/* The record around the name of its class at NAME. */
static bool find_record(struct walk *walk, uint64_t name)
{
    static const uint64_t before[] = {CLASS_AT, CLASS_AT_BIG};
    for (size_t i = 0; i < 2; i++) {
        if (name - walk->at >= before[i] && is_record(walk, name - before[i])) {
            walk->at = name - before[i];
            walk->known = true;
            return true;
        }
    }
    return false;
}

/* Goes to the next basket's record, from the current place on. */
static void search(struct walk *walk)
{
    uint64_t left = walk->end - walk->at;
    const unsigned char *from = data_at(walk, walk->at);
    const unsigned char *end = from + (left < SCANNED ? left : SCANNED);
    walk->known = false;
    while ((from = find_class(from, end))) {
        if (find_record(walk, walk->read->offset + (uint64_t)(from - walk->read->data)))
            return;
        from++;
    }
    walk->at = walk->end;
}

/* ---- one record -------------------------------------------------------------------------- */

static bool is_believed(const struct walk *walk, const struct cup_root_key *key)
{
    return walk->known || key->kind != CUP_ROOT_GAP;
}

/* Of a key that the read's end cuts. One that is too long to be kept is passed over. */
static void cut(struct walk *walk, const struct cup_root_key *key, enum cup_root_place place)
{
    size_t bytes = walk->end - walk->at;
    if (key->needed <= CUP_ROOT_PART_ROOM)
        keep_part(walk, data_at(walk, walk->at), bytes, place);
    else
        walk->at += key->bytes;
}

/* A basket that begins in the buffer of a reader and goes on behind it: whether it was wanted will
 * be known if the reader goes on, too. */
static bool is_undecided(const struct walk *walk, const struct cup_root_key *key,
                         enum cup_root_place place)
{
    return key->kind == CUP_ROOT_BASKET && place == 0 && walk->at + key->bytes > walk->end &&
           key->needed <= CUP_ROOT_PART_ROOM;
}

static void step(struct walk *walk)
{
    struct cup_root_key key;
    const unsigned char *data = data_at(walk, walk->at);
    enum cup_root_verdict verdict = cup_root_key_read(&key, data, walk->end - walk->at, walk->at);
    if (!verdict || !is_believed(walk, &key)) {
        search(walk);
        return;
    }
    enum cup_root_place place = place_of(walk, walk->at);
    if (verdict == CUP_ROOT_PART)
        cut(walk, &key, place);
    else if (is_undecided(walk, &key, place))
        keep_part(walk, data, key.needed, place);
    else
        found(walk, &key, place);
}

static void walk_on(struct walk *walk)
{
    while (walk->at < walk->end && !walk->kept)
        step(walk);
    if (!walk->kept)
        keep(walk);
}

/* ---- where a read begins ----------------------------------------------------------------- */

static bool read_head(struct cup_root_head *head, const struct cup_root_read *read)
{
    enum { HEAD_BYTES = 45, BIG_VERSION = 1000000 };
    const unsigned char *data = read->data;
    if (read->bytes < HEAD_BYTES || memcmp(data, "root", 4) != 0)
        return false;
    head->version = cup_root_32(data + 4);
    bool big = head->version >= BIG_VERSION;
    head->end = big ? cup_root_64(data + 12) : cup_root_32(data + 12);
    head->compression = cup_root_32(data + (big ? 41 : 33));
    return true;
}

static void begin_file(struct walk *walk)
{
    struct cup_root_head head;
    if (read_head(&head, walk->read) && walk->sink->head)
        walk->sink->head(walk->sink->user, &head);
    walk->at = FIRST_RECORD;
    walk->known = true;
}

/* Completes a key, of which the beginning was kept, with the first bytes of this read. False if it
 * takes more than those. */
static enum cup_root_verdict complete(struct walk *walk, struct cup_root_carry *carry,
                                      struct cup_root_key *key)
{
    size_t used = 0;
    enum cup_root_verdict verdict;
    while ((verdict = cup_root_key_read(key, carry->part, carry->bytes, carry->record)) ==
               CUP_ROOT_PART &&
           key->needed <= CUP_ROOT_PART_ROOM && used < walk->read->bytes) {
        size_t left = walk->read->bytes - used, bytes = key->needed - carry->bytes;
        bytes = bytes < left ? bytes : left;
        memcpy(carry->part + carry->bytes, walk->read->data + used, bytes);
        carry->bytes += bytes;
        used += bytes;
    }
    return verdict;
}

static void resume_part(struct walk *walk, struct cup_root_carry *carry)
{
    struct cup_root_key key;
    enum cup_root_place place = carry->place;
    enum cup_root_verdict verdict = complete(walk, carry, &key);
    if (!place)
        place = walk->counting ? CUP_ROOT_FOLLOWS : CUP_ROOT_PASSES;
    if (!verdict || !is_believed(walk, &key)) {
        walk->at = walk->read->offset;
        search(walk);
    } else if (verdict == CUP_ROOT_WHOLE)
        found(walk, &key, place);
    else if (key.needed <= CUP_ROOT_PART_ROOM)
        keep_part(walk, carry->part, carry->bytes, place);
    else
        walk->at += key.bytes;
}

static void resume(struct walk *walk, struct cup_root_carry *carry)
{
    walk->known = carry->known;
    walk->counting = walk->read->continues && carry->counting;
    walk->at = carry->record;
    if (carry->bytes)
        resume_part(walk, carry);
}

/* A request mostly begins with a record, and what was kept may be of a file that is no more. */
static bool begins_with_record(const struct walk *walk)
{
    struct cup_root_key key;
    return !walk->read->continues &&
           cup_root_key_read(&key, walk->read->data, walk->read->bytes, walk->read->offset) ==
               CUP_ROOT_WHOLE &&
           key.kind != CUP_ROOT_GAP;
}

void cup_root_walk(const struct cup_root_read *read, const struct cup_root_sink *sink)
{
    struct cup_root_carry carry;
    struct walk walk = {
        .read = read, .sink = sink, .at = read->offset, .end = read->offset + read->bytes};
    if (!read->bytes || read->bytes > INT64_MAX || read->offset > INT64_MAX - read->bytes)
        return;
    if (read->offset == 0)
        begin_file(&walk);
    else if (!begins_with_record(&walk) && cup_root_carry_find(&carry, read->file, read->offset))
        resume(&walk, &carry);
    walk_on(&walk);
}
