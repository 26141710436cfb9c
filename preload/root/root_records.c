#include "preload/root/root_records.h"

#include "include/log_format.h"
#include "preload/root/root_carry.h"
#include "preload/root/root_key.h"
#include "preload/root/root_ntuple.h"
#include "preload/root/root_search.h"

#include <string.h>

enum {
    READ_AHEAD = 4096, /* of a buffered reader, where it is not told */
    FIRST_RECORD = 100,
    SEARCHED = 64 << 10, /* bytes of one read in which a lost record is looked for, at most */
    GIVEN_UP = 1 << 20,  /* likewise, of reads one behind the other */
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
    cup_root_ntuple_reset();
}

/* ---- a walk ------------------------------------------------------------------------------ */

/* Bytes of the file that are looked at: the read's own, or, to understand what a read before it
 * left over, that rest with the first bytes of this one behind it. */
struct view {
    uint64_t offset, end;
    const unsigned char *data;
};

struct walk {
    const struct cup_root_read *read;
    const struct cup_root_sink *sink;
    uint64_t end; /* of the read */
    struct view view;
    uint64_t at;       /* where the next record begins, */
    bool known;        /* for sure: the one before said so */
    bool counting;     /* the request has had a record that counts */
    bool blocks;       /* compressed blocks are expected */
    uint64_t blob_end; /* of the blob that is walked through; 0: none */
    uint32_t searched; /* bytes, in vain */
    size_t rest;       /* bytes from here on that the next read is to go on with; 0: none yet */
    uint64_t begun;    /* the record that an earlier read began is PLACE */
    enum cup_root_place place;
};

static const unsigned char *here(const struct walk *walk)
{
    return walk->view.data + (walk->at - walk->view.offset);
}

static size_t left(const struct walk *walk)
{
    return walk->view.end - walk->at;
}

static bool is_fill(const struct walk *walk)
{
    return walk->read->bytes <= (walk->read->ahead ? walk->read->ahead : READ_AHEAD);
}

/* Of what began in a read before this one. */
static enum cup_root_place place_before(const struct walk *walk)
{
    if (walk->place && walk->at == walk->begun)
        return walk->place;
    return walk->counting ? CUP_ROOT_FOLLOWS : CUP_ROOT_PASSES;
}

/* Of what begins here. 0: a reader's buffer was filled, and only if it reads on from there does it
 * turn out that it wanted what lies at its end. */
static enum cup_root_place place_here(const struct walk *walk)
{
    if (walk->at < walk->read->offset)
        return place_before(walk);
    if (walk->at == walk->read->offset && !walk->read->continues)
        return CUP_ROOT_STARTS;
    if (!walk->counting)
        return CUP_ROOT_PASSES;
    return is_fill(walk) ? 0 : CUP_ROOT_FOLLOWS;
}

/* What begins here was understood, and BYTES behind it something else begins. */
static void pass(struct walk *walk, uint32_t bytes, enum cup_root_place place)
{
    walk->at += bytes;
    walk->known = true;
    walk->searched = 0;
    walk->counting |= place == CUP_ROOT_STARTS;
}

/* ---- what is carried to the next read ---------------------------------------------------- */

static void keep(const struct walk *walk)
{
    struct cup_root_carry carry;
    carry.standing = (struct cup_root_standing){.file = walk->read->file,
                                                .searched = walk->searched,
                                                .offset = walk->end,
                                                .record = walk->at,
                                                .blob_end = walk->blob_end,
                                                .known = walk->known,
                                                .counting = walk->counting,
                                                .blocks = walk->blocks};
    if (walk->rest) {
        carry.standing.place = (uint8_t)place_here(walk);
        carry.standing.bytes = (uint16_t)walk->rest;
        memcpy(carry.rest, here(walk), walk->rest);
    }
    cup_root_carry_keep(&carry);
}

/* It takes NEEDED bytes from here on to go on. False: more than can be carried. */
static bool leave(struct walk *walk, size_t needed)
{
    if (needed > CUP_ROOT_REST_ROOM)
        return false;
    walk->rest = left(walk) < needed ? left(walk) : needed;
    return true;
}

/* ---- records that are lost --------------------------------------------------------------- */

/* So many bytes of this read may be searched. A stream in which nothing is found is given up. */
static size_t budget(const struct walk *walk)
{
    if (walk->searched >= GIVEN_UP)
        return 0;
    return left(walk) < SEARCHED ? left(walk) : SEARCHED;
}

/* No record begins here: goes to the next basket's. */
static void search(struct walk *walk)
{
    size_t bytes = budget(walk), found;
    walk->blocks = false;
    walk->known = cup_root_search(&found, here(walk), left(walk), bytes, walk->at);
    if (walk->known) {
        walk->at += found;
        return;
    }
    walk->searched += (uint32_t)bytes;
    if (left(walk) > CUP_ROOT_UNSEEN)
        walk->at = walk->view.end - CUP_ROOT_UNSEEN;
    leave(walk, CUP_ROOT_UNSEEN);
}

/* ---- keys -------------------------------------------------------------------------------- */

static void tell_basket(const struct walk *walk, const struct cup_root_key *key,
                        enum cup_root_place place)
{
    if (!walk->sink->basket)
        return;
    walk->sink->basket(walk->sink->user, &(struct cup_root_basket){
                                             .offset = walk->at,
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

/* What begins in the buffer of a reader and goes on behind it: whether it was wanted turns out if
 * the reader goes on, too. NEEDED bytes of it are enough to know it then. */
static bool is_put_off(struct walk *walk, uint32_t bytes, size_t needed)
{
    return !place_here(walk) && walk->at + bytes > walk->end && leave(walk, needed);
}

static void found_basket(struct walk *walk, const struct cup_root_key *key)
{
    if (is_put_off(walk, key->bytes, key->needed))
        return;
    tell_basket(walk, key, place_here(walk));
    pass(walk, key->bytes, place_here(walk));
}

/* A record of a directory or an anchor: they tell where pages are, and where none are. */
static void learn(const struct walk *walk, const struct cup_root_key *key)
{
    const unsigned char *payload = here(walk) + key->key_bytes;
    size_t bytes = key->bytes - key->key_bytes, there = left(walk) - key->key_bytes;
    bytes = bytes < there ? bytes : there;
    if (key->kind == CUP_ROOT_ANCHOR)
        cup_root_ntuple_anchor(walk->read->file, payload, bytes);
    else if (!cup_root_ntuple_listed(walk->read->file, payload, bytes))
        return;
    set_flag(walk->read->file, CUP_ROOT_WITH_NTUPLES);
}

/* What is in a blob is walked through, too, unless that is known to be no pages. */
static void found_blob(struct walk *walk, const struct cup_root_key *key)
{
    bool anchor;
    uint64_t payload = walk->at + key->key_bytes;
    set_flag(walk->read->file, CUP_ROOT_WITH_NTUPLES);
    walk->blocks = !cup_root_ntuple_known(walk->read->file, payload, &anchor);
    walk->blob_end = walk->blocks ? walk->at + key->bytes : 0;
    pass(walk, walk->blocks ? key->key_bytes : key->bytes, place_here(walk));
}

static void found(struct walk *walk, const struct cup_root_key *key)
{
    if (key->kind == CUP_ROOT_BASKET) {
        found_basket(walk, key);
    } else if (key->kind == CUP_ROOT_BLOB) {
        found_blob(walk, key);
    } else {
        if (key->kind == CUP_ROOT_DIRECTORY || key->kind == CUP_ROOT_ANCHOR)
            learn(walk, key);
        pass(walk, key->bytes, place_here(walk));
    }
}

/* ---- an RNTuple's blocks ----------------------------------------------------------------- */

static void found_block(struct walk *walk, const struct cup_root_block_head *head)
{
    enum cup_root_place place = place_here(walk);
    walk->blocks = true;
    if (is_put_off(walk, head->bytes, CUP_ROOT_BLOCK_HEAD))
        return;
    if (walk->sink->block)
        walk->sink->block(walk->sink->user, &(struct cup_root_block){
                                                .offset = walk->at,
                                                .bytes = head->bytes,
                                                .object_bytes = head->object_bytes,
                                                .algorithm = head->algorithm,
                                                .place = place ? place : CUP_ROOT_PASSES,
                                            });
    pass(walk, head->bytes, place);
}

/* A payload begins that is known to hold no pages. */
static bool pass_known(struct walk *walk)
{
    bool anchor;
    uint32_t bytes = cup_root_ntuple_known(walk->read->file, walk->at, &anchor);
    if (anchor)
        cup_root_ntuple_anchor(walk->read->file, here(walk),
                               bytes < left(walk) ? bytes : left(walk));
    if (bytes)
        pass(walk, bytes, place_here(walk));
    return bytes;
}

/* A request begins, but no key: with a page. */
static bool begins_with_block(struct walk *walk)
{
    struct cup_root_block_head head;
    if (walk->known || place_here(walk) != CUP_ROOT_STARTS ||
        !(flags_of(walk->read->file) & CUP_ROOT_WITH_NTUPLES))
        return false;
    if (pass_known(walk))
        return true;
    if (!cup_root_block_read(&head, here(walk), left(walk)))
        return false;
    found_block(walk, &head);
    return true;
}

static bool is_key_at(const struct walk *walk, size_t distance)
{
    struct cup_root_key key;
    return cup_root_key_read(&key, here(walk) + distance, left(walk) - distance,
                             walk->at + distance) &&
           key.placed;
}

/* Behind a block: the next one, or a key, at once or behind the page's checksum. */
static bool goes_on_behind(struct walk *walk, size_t distance)
{
    struct cup_root_block_head head;
    if (left(walk) < distance)
        return false;
    bool key = is_key_at(walk, distance);
    if (!key && !cup_root_block_read(&head, here(walk) + distance, left(walk) - distance))
        return false;
    walk->at += distance;
    if (key)
        walk->blocks = false;
    else
        found_block(walk, &head);
    return true;
}

/* The blob is at its end, or its other pages are not compressed, and not told from each other. */
static bool leave_blob(struct walk *walk)
{
    if (walk->blob_end < walk->at)
        return false;
    walk->at = walk->blob_end;
    walk->blob_end = 0;
    walk->blocks = false;
    return true;
}

static void step_block(struct walk *walk)
{
    enum { LEAST = CUP_ROOT_PAGE_CHECKSUM + CUP_ROOT_CLASS_AT_MOST };
    if (walk->at + CUP_ROOT_PAGE_CHECKSUM >= walk->blob_end && leave_blob(walk))
        return;
    if (goes_on_behind(walk, 0) || goes_on_behind(walk, CUP_ROOT_PAGE_CHECKSUM))
        return;
    if (left(walk) < LEAST)
        leave(walk, LEAST);
    else if (!leave_blob(walk))
        search(walk);
}

/* ---- the next step ----------------------------------------------------------------------- */

static void step_key(struct walk *walk)
{
    struct cup_root_key key;
    enum cup_root_verdict verdict = cup_root_key_read(&key, here(walk), left(walk), walk->at);
    if (!verdict || (key.kind == CUP_ROOT_GAP && !walk->known)) {
        if (!begins_with_block(walk))
            search(walk);
    } else if (verdict == CUP_ROOT_WHOLE) {
        found(walk, &key);
    } else if (!leave(walk, key.needed)) {
        pass(walk, key.bytes, place_here(walk));
    }
}

/* Never behind what is looked at, whatever another thread makes of the bytes meanwhile. */
static void walk_until(struct walk *walk, uint64_t limit)
{
    if (limit > walk->view.end)
        limit = walk->view.end;
    while (walk->at < limit && !walk->rest) {
        if (walk->blocks)
            step_block(walk);
        else
            step_key(walk);
    }
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

/* The rest that the read before left, with this read's first bytes behind it. */
static struct view view_of_rest(struct cup_root_carry *carry, const struct cup_root_read *read)
{
    uint64_t record = carry->standing.record;
    size_t bytes = carry->standing.bytes, room = CUP_ROOT_REST_ROOM - bytes;
    if (record + bytes == read->offset) {
        room = read->bytes < room ? read->bytes : room;
        memcpy(carry->rest + bytes, read->data, room);
        bytes += room;
    }
    return (struct view){record, record + bytes, carry->rest};
}

/* False: all of this read is still not enough, and was carried on. */
static bool walk_rest(struct walk *walk, struct cup_root_carry *carry)
{
    struct view own = walk->view;
    walk->view = view_of_rest(carry, walk->read);
    walk_until(walk, walk->read->offset);
    if (walk->rest && walk->view.end >= walk->end) {
        keep(walk);
        return false;
    }
    walk->rest = 0;
    walk->view = own;
    if (walk->at < own.offset) { /* a key too long to be carried */
        walk->at = own.offset;
        walk->known = walk->blocks = false;
    }
    return true;
}

static bool resume(struct walk *walk, struct cup_root_carry *carry)
{
    const struct cup_root_standing *standing = &carry->standing;
    walk->at = walk->begun = standing->record;
    walk->place = standing->place;
    walk->known = standing->known;
    walk->searched = walk->read->continues ? standing->searched : 0;
    walk->blocks = standing->blocks;
    walk->blob_end = standing->blob_end;
    walk->counting = walk->read->continues && standing->counting;
    return !standing->bytes || walk_rest(walk, carry);
}

/* As requests mostly do; and what was carried may be of a file that is no more. */
static bool begins_with_key(const struct walk *walk)
{
    struct cup_root_key key;
    return !walk->read->continues &&
           cup_root_key_read(&key, here(walk), left(walk), walk->at) == CUP_ROOT_WHOLE &&
           key.kind != CUP_ROOT_GAP;
}

static bool begin(struct walk *walk)
{
    struct cup_root_carry carry;
    if (walk->read->offset == 0)
        begin_file(walk);
    else if (!begins_with_key(walk) &&
             cup_root_carry_find(&carry, walk->read->file, walk->read->offset))
        return resume(walk, &carry);
    return true;
}

void cup_root_walk(const struct cup_root_read *read, const struct cup_root_sink *sink)
{
    if (!read->bytes || read->bytes > INT64_MAX || read->offset > INT64_MAX - read->bytes)
        return;
    struct walk walk = {.read = read, .sink = sink, .at = read->offset};
    walk.end = read->offset + read->bytes;
    walk.view = (struct view){read->offset, walk.end, read->data};
    if (!begin(&walk))
        return;
    walk_until(&walk, walk.end);
    keep(&walk);
}
