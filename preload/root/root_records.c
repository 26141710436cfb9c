#include "preload/root/root_records.h"

#include "preload/root/root_carry.h"
#include "preload/root/root_key.h"
#include "preload/root/root_ntuple.h"

#include <string.h>

enum {
    READ_AHEAD = 4096, /* bytes that a buffered reader reads at a time, if that is not known */
    FIRST_RECORD = 100,
    SEARCHED = 64 << 10, /* bytes of one read that are searched for a record, at most */
    GIVEN_UP = 1 << 20,  /* the same, of all reads that continue each other */
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

/* Flags are replaced, because another file may have come under the same name. */
static void check_magic(const struct cup_root_read *read)
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
        check_magic(read);
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

/* The bytes that are decoded: those of the read, or the rest that an earlier read left, followed by
 * the first bytes of this one. */
struct view {
    uint64_t offset, end;
    const unsigned char *data;
};

struct walk {
    const struct cup_root_read *read;
    const struct cup_root_sink *sink;
    uint64_t end; /* of the read */
    struct view view;
    uint64_t at;       /* offset of the next record */
    bool known;        /* it is certain that a record begins there: the one before gave its size */
    bool counting;     /* the request had a record that counts */
    bool blocks;       /* compressed blocks are expected there */
    uint64_t blob_end; /* of the RBlob that the walk is in; 0: it is in none */
    uint32_t searched; /* bytes, without finding a record */
    size_t rest;       /* bytes from AT on that the next read goes on with; 0: none so far */
    uint64_t begun;    /* offset of a record that an earlier read began, and whose place is PLACE */
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

static bool fills_buffer(const struct walk *walk)
{
    return walk->read->bytes <= (walk->read->ahead ? walk->read->ahead : READ_AHEAD);
}

/* The place of a record that began in an earlier read. */
static enum cup_root_place place_before(const struct walk *walk)
{
    if (walk->place && walk->at == walk->begun)
        return walk->place;
    return walk->counting ? CUP_ROOT_FOLLOWS : CUP_ROOT_PASSES;
}

/* The place of the record that begins here. 0: not known yet, because the read filled a reader's
 * buffer. If the reader goes on to read from the end of the buffer, it wanted the record; else the
 * record was only read ahead. */
static enum cup_root_place place_here(const struct walk *walk)
{
    if (walk->at < walk->read->offset)
        return place_before(walk);
    if (walk->at == walk->read->offset && !walk->read->continues)
        return CUP_ROOT_STARTS;
    if (!walk->counting)
        return CUP_ROOT_PASSES;
    return fills_buffer(walk) ? 0 : CUP_ROOT_FOLLOWS;
}

/* Goes on to the record that begins BYTES after this one, which was decoded and has PLACE. */
static void pass_bytes(struct walk *walk, uint32_t bytes, enum cup_root_place place)
{
    walk->at += bytes;
    walk->known = true;
    walk->searched = 0;
    walk->counting |= place == CUP_ROOT_STARTS;
}

/* ---- what is carried to the next read ---------------------------------------------------- */

static void keep_walk(const struct walk *walk)
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

/* Ends the walk here, because the record needs NEEDED bytes to go on. Those of them that this read
 * has are carried to the next read. False: NEEDED is more than can be carried. */
static bool end_with_rest(struct walk *walk, size_t needed)
{
    if (needed > CUP_ROOT_REST_ROOM)
        return false;
    walk->rest = left(walk) < needed ? left(walk) : needed;
    return true;
}

/* ---- where no record is known ------------------------------------------------------------ */

/* How many bytes of this read may be searched. 0: GIVEN_UP bytes were searched without finding a
 * record before. */
static size_t search_limit(const struct walk *walk)
{
    if (walk->searched >= GIVEN_UP)
        return 0;
    return left(walk) < SEARCHED ? left(walk) : SEARCHED;
}

/* No record begins here: goes on to the next basket that is found. */
static void search_basket(struct walk *walk)
{
    size_t bytes = search_limit(walk), found;
    walk->blocks = false;
    walk->known = cup_root_search(&found, here(walk), left(walk), bytes, walk->at);
    if (walk->known) {
        walk->at += found;
        return;
    }
    walk->searched += (uint32_t)bytes;
    if (left(walk) > CUP_ROOT_UNSEEN)
        walk->at = walk->view.end - CUP_ROOT_UNSEEN;
    end_with_rest(walk, CUP_ROOT_UNSEEN);
}

/* ---- keys -------------------------------------------------------------------------------- */

/* True: a record begins in a reader's buffer and goes on beyond its end. The next read shows
 * whether it was wanted: NEEDED bytes of it are carried until then. */
static bool is_put_off(struct walk *walk, uint32_t bytes, size_t needed)
{
    return !place_here(walk) && walk->at + bytes > walk->end && end_with_rest(walk, needed);
}

static void pass_basket(struct walk *walk, const struct cup_root_key *key)
{
    enum cup_root_place place = place_here(walk);
    if (is_put_off(walk, key->bytes, key->needed))
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
    pass_bytes(walk, key->bytes, place);
}

/* Notes what a directory or an anchor says about where RNTuples have metadata. */
static void note_metadata(const struct walk *walk, const struct cup_root_key *key)
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

/* Goes into a blob, unless it is known to hold metadata and no pages. */
static void pass_blob(struct walk *walk, const struct cup_root_key *key)
{
    bool anchor;
    uint64_t payload = walk->at + key->key_bytes;
    set_flag(walk->read->file, CUP_ROOT_WITH_NTUPLES);
    walk->blocks = !cup_root_ntuple_known(walk->read->file, payload, &anchor);
    walk->blob_end = walk->blocks ? walk->at + key->bytes : 0;
    pass_bytes(walk, walk->blocks ? key->key_bytes : key->bytes, place_here(walk));
}

static void pass_record(struct walk *walk, const struct cup_root_key *key)
{
    if (key->kind == CUP_ROOT_BASKET) {
        pass_basket(walk, key);
    } else if (key->kind == CUP_ROOT_BLOB) {
        pass_blob(walk, key);
    } else {
        if (key->kind == CUP_ROOT_DIRECTORY || key->kind == CUP_ROOT_ANCHOR)
            note_metadata(walk, key);
        pass_bytes(walk, key->bytes, place_here(walk));
    }
}

/* ---- an RNTuple's blocks ----------------------------------------------------------------- */

static void pass_block(struct walk *walk, const struct cup_root_block_head *head)
{
    enum cup_root_place place = place_here(walk);
    walk->blocks = true;
    if (is_put_off(walk, head->bytes, CUP_ROOT_BLOCK_HEAD))
        return;
    walk->sink->basket(walk->sink->user, &(struct cup_root_basket){
                                             .offset = walk->at,
                                             .bytes = head->bytes,
                                             .object_bytes = head->object_bytes,
                                             .algorithm = head->algorithm,
                                             .place = place ? place : CUP_ROOT_PASSES,
                                             .is_block = true,
                                         });
    pass_bytes(walk, head->bytes, place);
}

/* True: metadata of an RNTuple begin here, and were passed. */
static bool pass_known(struct walk *walk)
{
    bool anchor;
    uint32_t bytes = cup_root_ntuple_known(walk->read->file, walk->at, &anchor);
    if (anchor)
        cup_root_ntuple_anchor(walk->read->file, here(walk),
                               bytes < left(walk) ? bytes : left(walk));
    if (bytes)
        pass_bytes(walk, bytes, place_here(walk));
    return bytes;
}

/* True: a request begins here with a page, or with metadata, instead of a key, and the walk has
 * passed it. */
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
    pass_block(walk, &head);
    return true;
}

static bool is_key_at(const struct walk *walk, size_t distance)
{
    struct cup_root_key key;
    return cup_root_key_read(&key, here(walk) + distance, left(walk) - distance,
                             walk->at + distance) &&
           key.placed;
}

/* True: DISTANCE bytes after a block another block begins, or a key, and the walk has gone there. A
 * page may have a checksum after it. */
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
        pass_block(walk, &head);
    return true;
}

/* Goes on after the blob: it ends here, or its other pages are not compressed, and cannot be
 * distinguished from each other. */
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
        end_with_rest(walk, LEAST);
    else if (!leave_blob(walk))
        search_basket(walk);
}

/* ---- the next step ----------------------------------------------------------------------- */

static void step_key(struct walk *walk)
{
    struct cup_root_key key;
    enum cup_root_verdict verdict = cup_root_key_read(&key, here(walk), left(walk), walk->at);
    if (!verdict || (key.kind == CUP_ROOT_GAP && !walk->known)) {
        if (!begins_with_block(walk))
            search_basket(walk);
    } else if (verdict == CUP_ROOT_WHOLE) {
        pass_record(walk, &key);
    } else if (!end_with_rest(walk, key.needed)) {
        pass_bytes(walk, key.bytes, place_here(walk));
    }
}

/* Walks up to LIMIT, but never beyond the view, even if another thread changes the bytes in
 * between. */
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

/* The rest that the read before left, followed by the first bytes of this one. */
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

/* Decodes the rest. False: it is too short even with all of this read, and was carried on to the
 * next one. */
static bool walk_rest(struct walk *walk, struct cup_root_carry *carry)
{
    struct view own = walk->view;
    walk->view = view_of_rest(carry, walk->read);
    walk_until(walk, walk->read->offset);
    if (walk->rest && walk->view.end >= walk->end) {
        keep_walk(walk);
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

static bool resume_walk(struct walk *walk, struct cup_root_carry *carry)
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

/* Most requests begin with a key. Then nothing carried is used: it may be from a file that was
 * replaced. */
static bool begins_with_key(const struct walk *walk)
{
    struct cup_root_key key;
    return !walk->read->continues &&
           cup_root_key_read(&key, here(walk), left(walk), walk->at) == CUP_ROOT_WHOLE &&
           key.kind != CUP_ROOT_GAP;
}

static bool begin_walk(struct walk *walk)
{
    struct cup_root_carry carry;
    if (walk->read->offset == 0)
        begin_file(walk);
    else if (!begins_with_key(walk) &&
             cup_root_carry_find(&carry, walk->read->file, walk->read->offset))
        return resume_walk(walk, &carry);
    return true;
}

void cup_root_walk(const struct cup_root_read *read, const struct cup_root_sink *sink)
{
    if (!read->bytes || read->bytes > INT64_MAX || read->offset > INT64_MAX - read->bytes)
        return;
    struct walk walk = {.read = read, .sink = sink, .at = read->offset};
    walk.end = read->offset + read->bytes;
    walk.view = (struct view){read->offset, walk.end, read->data};
    if (!begin_walk(&walk))
        return;
    walk_until(&walk, walk.end);
    keep_walk(&walk);
}
